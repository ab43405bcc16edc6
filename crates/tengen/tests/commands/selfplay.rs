//! Self-play data: the bytes do not depend on threads, interruptions and parts.

use crate::common::{array, file, refusal};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tengen::board::{BoardSize, Side};
use tengen::engine::loader::name;
use tengen::engine::{Engine, Evaluation, Options, Rule};
use tengen_files::lock;
use tengen_workbench::data::file::Reader;
use tengen_workbench::data::record::{DataGame, Maker};
use tengen_workbench::data::selfplay::{Ending, Game, Settings, Variety, play_game};

fn run(args: &[&str], output: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(args).arg("-o").arg(output).output().expect("the program")
}

fn tengen(args: &[&str], output: &Path) {
    let output = run(args, output);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn games(path: &Path) -> Vec<DataGame> {
    Reader::new(File::open(path).expect("a file")).collect::<Result<_, _>>().expect("records")
}

/// A given signature need not be measured.
const RUN: [&str; 15] = [
    "selfplay",
    "--games",
    "9",
    "--nodes",
    "200",
    "--size",
    "9,15",
    "--seed",
    "77",
    "--random",
    "100",
    "--temperature",
    "40",
    "--signature",
    "5",
];

#[test]
fn threads_interruptions_and_parts_change_nothing() {
    let whole = file("whole");
    tengen(&[&RUN[..], &["-j", "1"]].concat(), &whole);
    let expected = std::fs::read(&whole).expect("a file");
    let all = games(&whole);
    assert_eq!(all.len(), 9);
    assert!(all.iter().enumerate().all(|(i, g)| g.size.width() == if i % 2 == 0 { 9 } else { 15 }));

    let threads = file("threads");
    tengen(&[&RUN[..], &["-j", "3"]].concat(), &threads);
    assert!(std::fs::read(&threads).expect("a file") == expected, "threads change the games");

    // Simulates a kill within a record.
    let resumed = file("resumed");
    std::fs::write(&resumed, &expected[..expected.len() / 2]).expect("a file");
    tengen(&[&RUN[..], &["-j", "2"]].concat(), &resumed);
    assert!(std::fs::read(&resumed).expect("a file") == expected, "a resumed run differs");

    let parts: Vec<PathBuf> = (1..=2).map(|k| file(&format!("part{k}"))).collect();
    for (k, part) in parts.iter().enumerate() {
        tengen(&[&RUN[..], &["--shard", &format!("{}/2", k + 1)]].concat(), part);
    }
    let of_parts: Vec<_> = (0..9).map(|i| games(&parts[i % 2])[i / 2].clone()).collect();
    assert_eq!(of_parts, all);

    let merged = file("merged");
    let names: Vec<&str> = [&parts[0], &parts[1], &whole].iter().map(|p| p.to_str().expect("a path")).collect();
    tengen(&[&["data", "merge"][..], &names].concat(), &merged);
    assert_eq!(games(&merged).len(), 9, "copies are dropped");
}

/// A small run into a file.
const SMALL: [&str; 10] = ["--nodes", "50", "--size", "7", "--signature", "5", "--games", "3", "--evaluation", "e"];

fn small(path: &Path, more: &[&str]) -> Output {
    let of = |option: &str| more.chunks(2).any(|pair| pair[0] == option);
    let kept = SMALL.chunks(2).filter(|pair| !of(pair[0])).collect::<Vec<_>>().concat();
    run(&[&["selfplay"][..], &kept, more].concat(), path)
}

/// Only the run that began a file can continue it; the error names the difference.
#[test]
fn games_of_other_settings_are_not_appended_to() {
    let path = file("other");
    assert!(small(&path, &[]).status.success());
    let before = std::fs::read(&path).expect("a file");
    for (more, named) in [
        (&["--seed", "2"][..], "seed: 1 in the record, 2 now"),
        (&["--nodes", "60"], "nodes: 50 in the record, 60 now"),
        (&["--depth", "3"], "depth: none in the record, 3 now"),
        (&["--rule", "renju"], "rule: \"freestyle\" in the record, \"renju\" now"),
        (&["--size", "7,8"], "size: [\"7x7\"] in the record, [\"7x7\",\"8x8\"] now"),
        (&["--opening", "2,7"], "opening: [2,8] in the record, [2,7] now"),
        (&["--balance", "100"], "balance: 150 in the record, 100 now"),
        (&["--temperature", "20"], "temperature: 0 in the record, 20 now"),
        (&["--temperature-plies", "9"], "temperature_plies: 16 in the record, 9 now"),
        (&["--random", "21"], "random: 20 in the record, 21 now"),
        (&["--random-plies", "9"], "random_plies: 40 in the record, 9 now"),
        (&["--signature", "6"], "signature: 5 in the record, 6 now"),
        (&["--evaluation", "f"], "evaluation: \"e\" in the record, \"f\" now"),
        (&["--games", "6", "--shard", "2/2"], "games of another part"),
        (&["--games", "2"], "more than were asked for"),
    ] {
        let told = refusal(&small(&path, more));
        assert!(told.contains(named), "{told}");
        assert!(std::fs::read(&path).expect("a file") == before, "{more:?}");
    }
    assert!(small(&path, &["--games", "4"]).status.success(), "a run may be made longer");
    assert_eq!(games(&path).len(), 4);
}

#[test]
fn a_file_has_one_writer() {
    let path = file("locked");
    let held = lock::open(&path, OpenOptions::new().create(true).append(true)).expect("a free file");
    assert!(refusal(&small(&path, &[])).contains("another process"));
    drop(held);
    assert!(small(&path, &[]).status.success());
}

#[test]
fn impossible_settings_are_refused_at_once() {
    let path = file("impossible");
    for more in [
        &["--opening", "300,400"][..],
        &["--opening", "2,17"],
        &["--opening", "8,2"],
        &["--random", "2000"],
        &["--random", "1001"],
        &["--games", "0"],
    ] {
        let output = small(&path, more);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && told.contains(more[1]) && !path.exists(), "{more:?}: {told}");
    }
    for nowhere in ["/no/such/folder/games.bin", "/"] {
        assert!(refusal(&small(Path::new(nowhere), &[])).contains(nowhere));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on() {
    use rustix::process::{Pid, Signal, kill_process};
    let path = file("interrupted");
    let options = ["selfplay", "--games", "100000", "--nodes", "300", "--size", "7", "--signature", "5", "-o"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(options).arg(&path).stderr(Stdio::piped()).stdout(Stdio::null());
    let child = command.spawn().expect("the program");
    let begun = || std::fs::metadata(&path).is_ok_and(|m| m.len() > 2000);
    while !begun() {
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::TERM).expect("a child");
    let output = child.wait_with_output().expect("an end");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(143), "{told}");
    assert!(told.contains("of 100000 games: the same command goes on with"), "{told}");
    assert!(!games(&path).is_empty());
}

fn data(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tengen")).arg("data").args(args).output().expect("the program")
}

/// The report of damage names its offset, and undamaged records are preserved.
#[test]
fn damaged_files_are_salvaged() {
    let path = file("damaged");
    assert!(small(&path, &[]).status.success());
    let whole = games(&path);
    let mut bytes = std::fs::read(&path).expect("a file");
    let second = bytes.len() - whole[1].encode().len() - whole[2].encode().len();
    bytes[second + 30] ^= 1;
    std::fs::write(&path, &bytes).expect("a file");
    let name = path.to_str().expect("a path");

    let told = refusal(&data(&["stats", name]));
    assert!(told.contains(&format!("at byte {second}")) && told.contains("--salvage"), "{told}");
    let output = data(&["stats", "--salvage", name]);
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success() && out.contains("2 games by "), "{out}");
    let lost = whole[1].encode().len();
    assert!(err.contains(&format!("skipped {lost} damaged bytes from byte {second}")), "{err}");
    let checked = data(&["check", name]);
    let told = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(!checked.status.success(), "{told}");
    assert!(told.contains(&format!("2 games, damaged at bytes {second} to {}", second + lost)), "{told}");

    let merged = file("salvaged");
    let target = merged.to_str().expect("a path");
    assert!(refusal(&data(&["merge", "-o", target, name])).contains("--salvage"));
    assert!(!merged.exists(), "a merge that failed left a file");
    assert!(!Path::new(&format!("{target}.part")).exists(), "a merge that failed left its beginning");
    assert!(data(&["merge", "--salvage", "-o", target, name]).status.success());
    assert_eq!(games(&merged), [whole[0].clone(), whole[2].clone()]);
    assert!(refusal(&data(&["merge", "-o", target, name])).contains("exists"), "a file was overwritten");
    assert!(refusal(&data(&["merge", "-o", "/no/such/folder/x", name])).contains("/no/such/folder/x"));
    let told = refusal(&data(&["stats", "--svg", "/no/such/folder/x.svg", target]));
    assert!(told.contains("/no/such/folder/x.svg"), "{told}");
}

/// Games without settings in the file can be joined with others; stats lists the known settings.
#[test]
fn merging_keeps_settings_with_their_games() {
    let [new, old, merged] = ["new", "olds", "joined"].map(file);
    assert!(small(&new, &[]).status.success());
    assert!(small(&old, &["--seed", "2"]).status.success());
    let without: Vec<u8> = games(&old).iter().flat_map(DataGame::encode).collect();
    std::fs::write(&old, without).expect("a file");
    let [new_name, old_name, target] = [&new, &old, &merged].map(|p| p.to_str().expect("a path"));
    assert!(data(&["merge", "-o", target, new_name, old_name, new_name]).status.success());
    let joined = games(&merged);
    assert_eq!(joined, [games(&new), games(&old)].concat());
    let told = String::from_utf8_lossy(&data(&["stats", target]).stdout).into_owned();
    let settings =
        "  seed 1, openings of 2 to 8 stones within 150 units, 20 in 1000 moves random to 40 stones, played out";
    assert_eq!(told.matches("3 games by ").count(), 2, "{told}");
    assert_eq!(told.lines().filter(|line| *line == settings).count(), 1, "{told}");
}

#[test]
fn exported_positions_are_those_of_the_games() {
    let path = file("exported");
    tengen(
        &["selfplay", "--games", "6", "--nodes", "100", "--size", "9,7", "--random", "100", "--signature", "1"],
        &path,
    );
    let folder = file("arrays");
    let [name, target] = [&path, &folder].map(|p| p.to_str().expect("a path"));
    assert!(data(&["export", "-o", target, name]).status.success());
    let games = games(&path);
    let (head, stones) = array(&folder.join("stones.npy"));
    let stones: Vec<u16> = stones.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    assert!(head.contains(&format!("'shape': ({},)", stones.len())), "{head}");
    let (head, rows) = array(&folder.join("positions.npy"));
    let positions: usize = games.iter().map(|g| g.game.moves.len()).sum();
    assert!(head.contains(&format!("'shape': ({positions},)")) && head.contains("('start', '<u8')"), "{head}");
    assert_eq!(rows.len() % positions, 0);
    let size = rows.len() / positions;
    let mut rows = rows.chunks(size);
    let (mut wins, mut forced) = (0, 0);
    for (number, g) in games.iter().enumerate() {
        let width = u16::from(g.size.width());
        let index = |p: tengen::board::Point| u16::from(p.y()) * width + u16::from(p.x());
        let line: Vec<u16> =
            g.game.opening.iter().copied().chain(g.game.moves.iter().map(|m| m.point)).map(index).collect();
        for (i, m) in g.game.moves.iter().enumerate() {
            let row = rows.next().expect("a row");
            let u16_at = |at: usize| u16::from_le_bytes([row[at], row[at + 1]]);
            let start = u64::from_le_bytes(row[..8].try_into().expect("8 bytes")) as usize;
            let ply = usize::from(u16_at(16));
            assert_eq!(ply, g.game.opening.len() + i);
            assert_eq!(stones[start..start + ply], line[..ply]);
            assert_eq!(
                (u16_at(18), u16_at(20), u16_at(22) as i16),
                (index(m.point), index(m.best), m.score.raw() as i16)
            );
            assert_eq!(usize::from(u16_at(24)), g.game.moves.len() - i);
            let us = if ply % 2 == 0 { Side::Black } else { Side::White };
            let result = g.game.winner.map_or(0, |winner| if winner == us { 1 } else { -1 });
            assert_eq!(row[26] as i8, result);
            let flags = row[27];
            assert_eq!(flags & 1 != 0, m.point != m.best, "random");
            assert_eq!(flags & 8 != 0, m.score.distance().is_some(), "proven");
            let last = i + 1 == g.game.moves.len();
            assert!(flags & 2 == 0 || m.score.is_win(), "the side to move completes a row");
            assert!(!last || g.game.ending != Ending::Row || flags & 2 != 0, "the last move completes a row");
            (wins, forced) = (wins + u32::from(flags & 2 != 0), forced + u32::from(flags & 4 != 0));
            assert_eq!(row[28..31], [0, g.size.width(), g.size.height()]);
            assert_eq!(u32::from_le_bytes(row[12..16].try_into().expect("4 bytes")) as usize, number);
        }
    }
    assert!(rows.next().is_none() && wins > 0 && forced > 0, "{wins} {forced}");
}

/// The program determines the engine and its limits for the record by default.
#[test]
fn records_name_their_maker() {
    let path = file("maker");
    tengen(&["selfplay", "--depth", "2", "--games", "1", "--size", "6"], &path);
    let game = games(&path).remove(0);
    assert_eq!((game.nodes, game.depth), (0, 2));
    assert!(game.game.moves.iter().all(|m| m.nodes < 2000), "a depth of 2 ends a search");
    let Maker { engine, signature, evaluation } = game.maker;
    assert_eq!(engine, concat!("tengen-", env!("CARGO_PKG_VERSION")));
    // The signature covers all bench positions; another test compares it with the bench's result.
    assert!(signature > 100_000, "{signature}");
    assert_eq!(evaluation, name(&Evaluation::default(), Rule::Freestyle));
    assert_eq!(evaluation.len(), "network-01234567".len());
}

/// The first random move of an empty board has no stone near it.
#[test]
fn games_may_begin_on_an_empty_board() {
    let mut engine = Engine::new(Options { hash: Some(1 << 20), ..Options::default() });
    let variety = Variety { random: 1000, random_plies: 3, ..Variety::NONE };
    let settings = Settings { opening: (0, 0), nodes: Some(100), variety, ..Settings::default() };
    let game = play_game(&mut engine, &settings, 1);
    assert!(game.opening.is_empty() && game.moves.len() > 8, "{game:?}");
}

/// Number of stones on the board before each move that was not the best.
fn departures(game: &Game) -> Vec<usize> {
    let moves = game.moves.iter().enumerate();
    moves.filter(|(_, m)| m.point != m.best).map(|(i, _)| game.opening.len() + i).collect()
}

#[test]
fn temperature_varies_the_first_moves_and_no_others() {
    let mut engine = Engine::new(Options { hash: Some(1 << 20), ..Options::default() });
    let mut play = |temperature: f64| {
        let variety = Variety { temperature, temperature_plies: 12, ..Variety::NONE };
        let size = BoardSize::new(9, 9).expect("a size");
        let settings = Settings { size, nodes: Some(300), variety, ..Settings::default() };
        (0..6).map(|seed| play_game(&mut engine, &settings, seed)).collect::<Vec<_>>()
    };
    assert!(play(0.0).iter().all(|game| departures(game).is_empty()));
    let warm = play(40.0);
    let at: Vec<usize> = warm.iter().flat_map(departures).collect();
    assert!(at.len() > 5 && at.iter().all(|stones| *stones < 12), "{at:?}");
    // A higher temperature gives more of them.
    let hot: usize = play(10_000.0).iter().map(|game| departures(game).len()).sum();
    assert!(hot > at.len(), "{hot} {at:?}");
    assert_eq!(play(40.0), warm);
}
