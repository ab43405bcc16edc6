//! Self-play data: the same bytes whatever the threads, the interruptions and the parts.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tengen::board::BoardSize;
use tengen::engine::{Engine, Options};
use tengen::workbench::data::file::{DataGame, Maker, Reader};
use tengen::workbench::data::selfplay::{Game, Settings, Variety, play_game};
use tengen::workbench::tune::Weights;

fn run(args: &[&str], output: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(args).arg("-o").arg(output).output().expect("the program")
}

fn tengen(args: &[&str], output: &Path) {
    let output = run(args, output);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn games(path: &Path) -> Vec<DataGame> {
    let bytes = std::fs::read(path).expect("a file");
    Reader::new(&bytes).collect::<Result<_, _>>().expect("records")
}

/// A signature that is given need not be measured.
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

    // Killed within a record.
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

/// A file is continued only by the run that began it.
#[test]
fn games_of_another_run_are_not_appended_to() {
    let path = file("other");
    let with = |more: &[&'static str]| {
        let few = ["selfplay", "--nodes", "50", "--size", "7", "--signature", "5", "--games"];
        run(&[&few[..], more].concat(), &path)
    };
    assert!(with(&["3"]).status.success());
    let before = std::fs::read(&path).expect("a file");
    for more in [&["3", "--seed", "2"][..], &["6", "--shard", "2/2"], &["2"]] {
        let output = with(more);
        assert!(!output.status.success(), "{more:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("has games of another seed"), "{more:?}");
        assert!(std::fs::read(&path).expect("a file") == before, "{more:?}");
    }
}

/// Nobody has to say who made a file, and with what limits.
#[test]
fn records_name_their_maker() {
    let path = file("maker");
    tengen(&["selfplay", "--depth", "2", "--games", "1", "--size", "6"], &path);
    let game = games(&path).remove(0);
    assert_eq!((game.nodes, game.depth), (0, 2));
    assert!(game.game.moves.iter().all(|m| m.nodes < 2000), "a depth of 2 ends a search");
    let Maker { engine, signature, evaluation } = game.maker;
    assert_eq!(engine, concat!("tengen-", env!("CARGO_PKG_VERSION")));
    // Of all bench positions: that it is the bench's own number is tested where that is measured.
    assert!(signature > 100_000, "{signature}");
    assert_eq!(evaluation, Weights::name(Weights::built_in()));
    assert_eq!(evaluation.len(), "classic-01234567".len());
}

/// Stones on the board before each move that was not the best.
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
    // The hotter, the more.
    let hot: usize = play(10_000.0).iter().map(|game| departures(game).len()).sum();
    assert!(hot > at.len(), "{hot} {at:?}");
    assert_eq!(play(40.0), warm);
}
