//! The log of experiments and its pages: every row is complete, results are consistent with each other, links have
//! targets.

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tengen_workbench::stats::Pentanomial;

/// Number of rows when the log began; rows are never removed.
const FIRST_ROWS: usize = 719;
/// The most lines of a page.
const PAGE_LINES: usize = 100;
const KINDS: [&str; 6] = ["match", "factor", "measurement", "training", "data", "command"];
const VERDICTS: [&str; 4] = ["kept", "dropped", "open", "measured"];
/// Keys of rows with games; null if a value is unknown.
const OF_GAMES: [&str; 11] =
    ["signature", "opponent", "league", "limit", "games", "result", "elo", "low", "high", "verdict", "seed"];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    workspace().join("docs/experiments")
}

/// The pages by name, without the index.
fn pages() -> BTreeSet<String> {
    let files = fs::read_dir(folder()).expect("docs/experiments").map(|entry| entry.expect("an entry").path());
    let pages = files.filter(|path| path.extension().is_some_and(|e| e == "md"));
    let names = pages.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned());
    names.filter(|name| name != "README").collect()
}

type Row = Map<String, Value>;

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(folder().join("log.jsonl")).expect("the log");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn text<'a>(row: &'a Row, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("row {}: {key} is no text", row["id"]))
}

/// A list of game counts; `None` if the key has none.
fn counts<const N: usize>(row: &Row, key: &str) -> Option<[u64; N]> {
    let value = row.get(key).filter(|value| !value.is_null())?;
    let counts: Option<Vec<u64>> = value.as_array().map(|list| list.iter().filter_map(Value::as_u64).collect());
    let counts = counts.and_then(|list| list.try_into().ok());
    Some(counts.unwrap_or_else(|| panic!("row {}: {key} is no list of {N} numbers", row["id"])))
}

#[test]
fn every_row_is_whole() {
    let (rows, pages) = (rows(), pages());
    assert!(rows.len() >= FIRST_ROWS, "{} rows", rows.len());
    let mut last_date = "";
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row["id"], i + 1);
        let date = text(row, "date");
        let form = date.bytes().map(|b| if b.is_ascii_digit() { b'0' } else { b });
        assert!(form.eq(*b"0000-00-00") && date >= last_date, "row {}: date {date} after {last_date}", i + 1);
        last_date = date;
        let commit = text(row, "commit");
        assert!(commit.len() >= 7 && commit.bytes().all(|b| b.is_ascii_hexdigit()), "row {}: {commit}", i + 1);
        assert!(pages.contains(text(row, "topic")), "row {}: no page {}", i + 1, row["topic"]);
        assert!(KINDS.contains(&text(row, "kind")), "row {}: kind {}", i + 1, row["kind"]);
        assert!(!text(row, "change").trim().is_empty(), "row {}", i + 1);
        if row.contains_key("verdict") {
            assert!(VERDICTS.contains(&text(row, "verdict")), "row {}: verdict {}", i + 1, row["verdict"]);
        }
    }
    let topics: BTreeSet<String> = rows.iter().map(|row| text(row, "topic").to_owned()).collect();
    assert_eq!(topics, pages, "a page without rows");
}

#[test]
fn results_pairs_and_intervals_agree() {
    for row in rows().iter().filter(|row| ["match", "factor"].contains(&text(row, "kind"))) {
        let id = &row["id"];
        for key in OF_GAMES {
            assert!(row.contains_key(key), "row {id}: no {key}");
        }
        text(row, "opponent");
        text(row, "verdict");
        let [elo, low, high] = ["elo", "low", "high"].map(|key| row[key].as_f64());
        let bounds: Vec<f64> = [low, elo, high].into_iter().flatten().collect();
        assert!(bounds.is_sorted(), "row {id}: {bounds:?}");
        assert!(elo.is_some() || low.is_none() && high.is_none(), "row {id}: an interval without an Elo");
        let (result, pairs) = (counts::<3>(row, "result"), counts::<5>(row, "pairs"));
        let known = elo.is_some() || result.is_some() || pairs.is_some() || row.contains_key("elo_runs");
        assert!(known, "row {id} has no result");
        let games = row["games"].as_u64();
        if let (Some(result), Some(games)) = (result, games) {
            assert!(result.iter().sum::<u64>() <= games, "row {id}: {result:?} of {games} games");
        }
        let Some(counts) = pairs else { continue };
        let pairs: u64 = counts.iter().sum();
        assert!(games.is_none_or(|games| 2 * pairs <= games), "row {id}: {pairs} pairs of {games:?} games");
        let points: u64 = (0..).zip(counts).map(|(points, number)| points * number).sum();
        if let Some([wins, draws, losses]) = result
            && wins + draws + losses == 2 * pairs
        {
            assert_eq!(2 * wins + draws, points, "row {id}");
        }
        if let Some(elo) = elo {
            let expected = Pentanomial { counts }.elo().expect("an Elo").diff;
            assert!((expected - elo).abs() <= 1.5, "row {id}: {elo}, the pairs say {expected}");
        }
    }
}

#[test]
fn pages_are_short_and_their_links_lead_somewhere() {
    for name in pages().iter().map(String::as_str).chain(["README"]) {
        let page = fs::read_to_string(folder().join(format!("{name}.md"))).expect(name);
        assert!(page.lines().count() <= PAGE_LINES, "{name}.md has {} lines", page.lines().count());
        let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        for link in links.filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
            let path = link.split('#').next().unwrap_or_default();
            assert!(folder().join(path).exists(), "{name}.md: {link}");
        }
    }
    let index = fs::read_to_string(folder().join("README.md")).expect("the index");
    for name in pages() {
        assert!(index.contains(&format!("[{name}]({name}.md)")), "{name} is not in the index");
    }
}

/// Runs the tests of the script, including its check of the log, if Python is available.
#[test]
fn the_script_passes_its_tests() {
    let python = |arguments: &[&str]| Command::new("python3").args(arguments).current_dir(workspace()).output();
    if !python(&["--version"]).is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no python3: scripts/experiments.py");
        return;
    }
    for arguments in [&["-B", "scripts/experiments.py", "--check"], &["-B", "scripts/test_experiments.py", "-q"]] {
        let output = python(arguments).expect("python3");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
