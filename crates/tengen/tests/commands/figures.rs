//! One match has one Elo estimate: the tables, the JSON file, the page of `--watch` and the plot report the same
//! figures for the same games, and state which games they exclude.

use crate::arena::{engine, folder, gauntlet, tengen};
use proptest::prelude::*;
use serde_json::Value;
use std::process::Command;
use tengen_workbench::matches::record::{GameRecord, Header, Writer};
use tengen_workbench::matches::referee::End;
use tengen_workbench::matches::report::Report;
use tengen_workbench::matches::schedule::{Pair, pairs};
use tengen_workbench::matches::settings::MatchSpec;
use tengen_workbench::shard::Shard;

fn spec(engines: usize, games: u64) -> MatchSpec {
    let names = ["a", "b", "c", "d"];
    let engines = names[..engines].iter().map(|name| engine(name, &[])).collect();
    MatchSpec { games, gauntlet: false, ..gauntlet(engines, 0, Vec::new()) }
}

/// A game of a pair; `won` is 0 for the first engine of the pair, 1 for the second, 2 for a draw.
fn game(pair: &Pair, number: u64, won: u8) -> GameRecord {
    let first = (number % 2) as usize;
    GameRecord {
        game: number,
        event: 0,
        black: pair.engines[first],
        white: pair.engines[1 - first],
        winner: pair.engines.get(usize::from(won)).copied(),
        end: End::Row,
        at: number,
        ms: 0,
        opening: Vec::new(),
        moves: Vec::new(),
        line: String::new(),
        faults: Vec::new(),
    }
}

/// Games with these results; 3 means a game that was not played (yet).
fn games(spec: &MatchSpec, results: &[u8]) -> Vec<GameRecord> {
    let all = pairs(spec);
    let numbered = all.iter().flat_map(|pair| pair.games().map(move |number| (pair, number)));
    let played = numbered.zip(results.iter().cycle()).filter(|(_, result)| **result < 3);
    played.map(|((pair, number), result)| game(pair, number, *result)).collect()
}

/// The table's text about two engines: the line that begins with `Elo`, and the line on colours below it.
fn told<'a>(text: &'a str, first: &str, second: &str) -> [&'a str; 2] {
    let mut lines = text.lines().skip_while(|line| *line != format!("{first} against {second}")).map(str::trim);
    let elo = lines.find(|line| line.starts_with("Elo ") || *line == "no games").expect("a line with Elo");
    [elo, lines.find(|line| line.starts_with("pairs that one colour won twice: ")).expect("a line on colours")]
}

/// Whether a number of a table equals that of the file; null stands for infinity there.
fn is_same(text: &str, value: &Value, infinite: &str) -> bool {
    match value.as_f64() {
        Some(value) => text.parse::<f64>().is_ok_and(|told| (told - value).abs() < 0.051),
        None => value.is_null() && text == infinite,
    }
}

/// Compares the words of a table with the fields of the file.
fn check(pairing: &Value, [elo, colours]: [&str; 2]) {
    let (number, text) = (|key: &str| pairing[key].as_u64().expect("a count"), elo);
    let [black, white] = ["black", "white"].map(|key| pairing["one_colour_pairs"][key].as_u64().expect("a count"));
    let complete: u64 = pairing["pairs"].as_array().expect("counts").iter().filter_map(Value::as_u64).sum();
    let words = format!("{} of {complete} (black {black}, white {white})", black + white);
    assert_eq!(colours, format!("pairs that one colour won twice: {words}"));
    if text == "no games" {
        assert!(["elo", "elo_low", "elo_high", "los", "elo_from", "score"].iter().all(|key| pairing[*key].is_null()));
        return;
    }
    let (value, rest) = text["Elo ".len()..].split_once(" [").expect("an interval");
    let (low, rest) = rest.split_once(", ").expect("two ends");
    let (high, rest) = rest.split_once(']').expect("an interval");
    let sign = if pairing["score"].as_f64().expect("a score") > 0.5 { "+∞" } else { "-∞" };
    assert!(is_same(value, &pairing["elo"], sign), "{text} {pairing}");
    assert!(is_same(low, &pairing["elo_low"], "-∞") && is_same(high, &pairing["elo_high"], "∞"), "{text} {pairing}");
    let los = rest.split_once("LOS ").map(|(_, los)| los.split('%').next().expect("a share"));
    match (los, pairing["los"].as_f64()) {
        (Some(told), Some(los)) => {
            assert!((told.parse::<f64>().expect("a number") - 100.0 * los).abs() < 0.051, "{text}")
        }
        (told, los) => assert!(told.is_none() && los.is_none() && rest.contains("no interval"), "{text} {pairing}"),
    }
    let left_out = match number("left_out") {
        0 => String::new(),
        1 => "(1 game without a partner left out)".to_owned(),
        n => format!("({n} games without a partner left out)"),
    };
    assert_eq!(pairing["elo_from"], if rest.contains("from games without a partner") { "games" } else { "pairs" });
    assert!(rest.ends_with(&left_out) && rest.contains("left out") != left_out.is_empty(), "{text} {pairing}");
    let games = number("wins") + number("draws") + number("losses");
    let counted = if pairing["elo_from"] == "pairs" { 2 * complete + number("left_out") } else { games };
    assert_eq!(games, counted, "every game is counted or said to be left out: {pairing}");
}

fn text_of(report: &Report) -> String {
    let mut out = Vec::new();
    report.write(&mut out).expect("memory");
    String::from_utf8(out).expect("text")
}

/// Checks all reports of these games; an earlier run played `resumed` of them.
fn check_all(spec: &MatchSpec, games: &[GameRecord], resumed: usize) {
    let report = Report::new(Header::new(spec.clone(), Shard::WHOLE), games.to_vec());
    let (text, json) = (text_of(&report), report.json());
    let played = |a: &str, b: &str| text.lines().any(|line| line == format!("{a} against {b}"));
    for pairing in json["pairings"].as_array().expect("a list") {
        let [first, second] = ["first", "second"].map(|key| pairing[key].as_str().expect("a name"));
        assert!(played(first, second), "{text}");
        check(pairing, told(&text, first, second));
    }
    let two = spec.engines.len() == 2;
    for engine in json["engines"].as_array().expect("a list") {
        assert!(engine["elo"].is_null(), "an engine alone has no Elo");
        assert!(!two || engine["rating"].is_null(), "half the difference is easily taken for the difference");
    }
    check_page(spec, games, resumed, &json);
}

/// The page's figures equal the file's exactly.
fn check_page(spec: &MatchSpec, games: &[GameRecord], resumed: usize, json: &Value) {
    use tengen_play::server::app::App;
    use tengen_watch::Watch;
    use tengen_workbench::matches::run::{Progress, Watcher};
    use tengen_workbench::matches::tally::Tally;
    let watch = Watch::new(spec.clone(), spec.games, &games[..resumed]);
    let mut tally = Tally::new(spec);
    for (at, game) in games.iter().enumerate() {
        tally.add(game);
        if at >= resumed {
            let (games, total) = (&games[..=at], spec.games);
            watch.finished(&Progress { game, games, tally: &tally, total });
        }
    }
    let state = watch.state();
    assert_eq!(state["virtual_draws"], json["virtual_draws"]);
    let pairings = |value: &Value| value["pairings"].as_array().expect("a list").clone();
    for (here, there) in pairings(&state).iter().zip(pairings(json)) {
        for key in ["elo", "elo_low", "elo_high", "los", "elo_from", "left_out", "score", "pairs", "wins", "losses"] {
            assert_eq!(here[key], there[key], "{key}: {here} {there}");
        }
        let colours = &there["one_colour_pairs"];
        assert_eq!(here["one_colour"], serde_json::json!([colours["black"], colours["white"]]));
    }
    let engines = |value: &Value| value["engines"].as_array().expect("a list").clone();
    for (here, there) in engines(&state).iter().zip(engines(json)) {
        for key in ["rating", "rating_low", "rating_high", "wins", "draws"] {
            assert_eq!(here[key], there[key], "{key}: {here} {there}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn all_outputs_tell_the_same(
        engines in 2..=4_usize,
        rounds in 1..14_u64,
        results in proptest::collection::vec(0..4_u8, 1..80),
        resumed in any::<prop::sample::Index>(),
    ) {
        let spec = spec(engines, rounds);
        let games = games(&spec, &results);
        check_all(&spec, &games, resumed.index(games.len() + 1));
    }
}

/// The match that once gave three different figures, and matches in which all games are alike.
#[test]
fn one_sided_matches_have_one_figure() {
    // Ten pairs: one of no points, two in which black won twice, seven of two points.
    let results = [[1, 1], [0, 1], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]].concat();
    let spec20 = spec(2, 20);
    let twenty = games(&spec20, &results);
    let report = Report::new(Header::new(spec20.clone(), Shard::WHOLE), twenty.clone());
    let text = text_of(&report);
    let [elo, colours] = told(&text, "a", "b");
    assert_eq!(elo, "Elo +240.8 [+66.4, ∞] (95%), LOS 99.8%");
    assert_eq!(colours, "pairs that one colour won twice: 2 of 10 (black 2, white 0)");
    assert!(text.contains("  normalized Elo +222.2 [+70.0, +374.5]\n"), "{text}");
    assert!(!text.contains('±') && !text.contains("inf"), "{text}");
    check_all(&spec20, &twenty, 7);
    // With one additional game, which does not yet have a partner.
    let spec21 = spec(2, 22);
    let more = games(&spec21, &[results.clone(), vec![1, 3]].concat());
    let report = Report::new(Header::new(spec21.clone(), Shard::WHOLE), more.clone());
    let text = text_of(&report);
    assert_eq!(told(&text, "a", "b")[0], "Elo +240.8 [+66.4, ∞] (95%), LOS 99.8% (1 game without a partner left out)");
    check_all(&spec21, &more, 20);
    for (results, expected) in [
        (&[0, 0][..], "Elo +∞ [-∞, ∞] (no interval: all pairs alike)"),
        (&[1, 1], "Elo -∞ [-∞, ∞] (no interval: all pairs alike)"),
        (&[2, 2], "Elo +0.0 [-∞, ∞] (no interval: all pairs alike)"),
        (&[3], "no games"),
    ] {
        let spec = spec(2, 8);
        let games = games(&spec, results);
        let report = Report::new(Header::new(spec.clone(), Shard::WHOLE), games.clone());
        assert_eq!(told(&text_of(&report), "a", "b")[0], expected);
        check_all(&spec, &games, games.len() / 2);
    }
}

/// Pairs that white won are counted separately from black's, and draws separately from both.
#[test]
fn pairs_of_one_colour_are_told_apart() {
    let spec = spec(2, 8);
    // Black twice, white twice, two draws, and one point each by a win and two halves.
    let games = games(&spec, &[0, 1, 1, 0, 2, 2, 0, 2]);
    let report = Report::new(Header::new(spec.clone(), Shard::WHOLE), games);
    let text = text_of(&report);
    assert_eq!(told(&text, "a", "b")[1], "pairs that one colour won twice: 2 of 4 (black 1, white 1)");
    assert!(text.contains("2 points: 0 0 3 1 0;"), "{text}");
}

/// The program's own output: tables, file and plot of one record, of its parts, and of a resumed record.
#[test]
fn the_program_writes_the_same_figures_everywhere() {
    let folder = folder("figures");
    let spec = spec(2, 21);
    let games = games(&spec, &[1, 1, 0, 1, 0, 1, 0, 0, 0, 0]);
    let record = folder.join("m.jsonl");
    let mut writer = Writer::create(&record, &Header::new(spec, Shard::WHOLE)).expect("a record");
    games.iter().for_each(|game| writer.game(game).expect("a game"));
    drop(writer);
    let [json, svg] = ["m.json", "m.svg"].map(|name| folder.join(name));
    let mut command = Command::new(tengen());
    command.args(["match", "--report"]).arg(&record).arg("--json").arg(&json).arg("--svg").arg(&svg);
    let output = command.output().expect("the program");
    let text = String::from_utf8(output.stdout).expect("text");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("a file")).expect("JSON");
    let [elo, colours] = told(&text, "a", "b");
    check(&json["pairings"][0], [elo, colours]);
    assert!(elo.ends_with("(1 game without a partner left out)"), "{elo}");
    let plot = std::fs::read_to_string(&svg).expect("a plot");
    assert!(plot.contains(elo), "{elo} is not in the plot");
    // The table of several matches.
    let lead = folder.join("lead.svg");
    let mut command = Command::new(tengen());
    command.args(["match", "--report"]).arg(&record).arg("--by-time").arg(&lead);
    let leads = String::from_utf8(command.output().expect("the program").stdout).expect("text");
    assert!(leads.contains(elo), "{elo} is not in {leads}");
    // Options without an effect on a report are rejected.
    let mut command = Command::new(tengen());
    let refused = command.args(["match", "--games", "4", "--report"]).arg(&record).output().expect("the program");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--games"));
}
