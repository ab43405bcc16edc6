//! `tengen database`: files go in, questions are answered, searches extend it.

use crate::common::{file, refusal, run, tengen};
use crate::program::engine_path;
use std::path::Path;
use tengen_database::Database;

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// The output of `tengen`, which must succeed.
fn told(args: &[&str]) -> String {
    String::from_utf8(tengen(args).stdout).expect("text")
}

/// Three games of renju, two of them through h8 i9 h9.
const GAMES: &str = "(;GM[4]SZ[15]RU[renju]RE[B+];B[hh];W[ig];B[hg])(;GM[4]SZ[15]RU[renju]RE[W+];B[hh];W[ig];B[hg])\
                     (;GM[4]SZ[15]RU[renju]RE[0];B[hh];W[hg]C[an indirect])";

#[test]
fn games_are_imported_once_and_asked_for() {
    let (database, games) = (file("a.tdb"), file("games.sgf"));
    std::fs::write(&games, GAMES).expect("a file");
    let import = ["database", "import", text(&database), text(&games)];
    assert!(told(&import).ends_with("games.sgf: 3 games, 11 positions, 0 left out\n"));
    assert!(told(&import).ends_with("games.sgf: imported before\n"));
    let answer = told(&["database", "query", text(&database), "h8i9"]);
    for line in ["renju, move 3, black to move", "2 games: black 1, white 1, draws 0"] {
        assert!(answer.lines().any(|l| l == line), "{answer}");
    }
    let row = answer.lines().last().map(|row| row.split_whitespace().collect::<Vec<_>>());
    assert_eq!(row, Some(vec!["h9", "2", "1", "1", "0"]), "{answer}");
    let json = told(&["database", "query", text(&database), "h8", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&json["counts"]["games"], &json["moves"][1]["images"]),
        (&3.into(), &["g8", "i8", "h7"].as_slice().into())
    );
    let unknown = told(&["database", "query", text(&database), "a1"]);
    assert!(unknown.ends_with("unknown\n"), "{unknown}");
    let stats = told(&["database", "stats", text(&database)]);
    assert!(stats.starts_with("5 positions in ") && stats.contains("renju 15x15: 5\n"), "{stats}");
    assert!(told(&["database", "remove", text(&database), "1"]).starts_with("removed source 1"));
    assert!(told(&["database", "stats", text(&database)]).starts_with("0 positions in "));
}

#[test]
fn exports_are_imported_again_with_the_same_positions() {
    let (database, games) = (file("a.tdb"), file("games.sgf"));
    std::fs::write(&games, GAMES).expect("a file");
    told(&["database", "import", text(&database), text(&games)]);
    for name in ["tree.lib", "tree.sgf"] {
        let (tree, other) = (file(name), file("b.tdb"));
        let export = ["database", "export", text(&database), "-o", text(&tree), "--source", "games"];
        assert!(told(&export).starts_with("5 positions in "));
        assert!(told(&["database", "import", text(&other), text(&tree)]).contains(" 5 positions, 0 left out"));
        let answer = told(&["database", "query", text(&other), "h8h9"]);
        assert!(answer.contains("an indirect"), "{answer}");
    }
    let named = run(&["database", "export", text(&database), "-o", text(&file("a.txt"))]);
    assert!(refusal(&named).contains("a .lib or an .sgf"));
    let none = run(&["database", "export", text(&database), "-o", text(&file("a.lib")), "--source", "nobody"]);
    assert!(refusal(&none).contains("there is no such source"));
}

#[test]
fn a_build_goes_on_and_a_second_writer_is_refused() {
    let database = file("a.tdb");
    let build = |steps: &str| {
        let args = ["database", "build", text(&database), "h8i9h9i10", "-r", "4", "--nodes", "1000", "--steps", steps];
        let output = tengen(&args);
        String::from_utf8(output.stderr).expect("text").lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let first = build("3");
    assert!(first.len() == 3 && first[0].starts_with("1: start, now "), "{first:?}");
    let second = build("2");
    assert!(second.len() == 2 && !second[0].starts_with("1: start"), "{second:?}");
    let visits = told(&["database", "query", text(&database), "h8i9h9i10", "--json"]);
    let visits: serde_json::Value = serde_json::from_str(&visits).expect("JSON");
    let moves = visits["moves"].as_array().expect("moves");
    assert!(moves.len() >= 5, "{visits}");
    assert_eq!(moves.iter().map(|m| m["visits"].as_u64().expect("a number")).sum::<u64>(), 4, "all but the first step");
    let writer = Database::create(&database).expect("nobody writes");
    let refused = run(&["database", "build", text(&database), "--steps", "1"]);
    assert!(refusal(&refused).ends_with("a.tdb is being written by another process\n"));
    assert!(told(&["database", "stats", text(&database)]).contains("tengen database build"), "readers are not");
    drop(writer);
}

#[test]
fn a_build_ends_with_a_proof_and_an_analysis_takes_it() {
    let database = file("a.tdb");
    // Black has an open three on the move.
    let won = "h8a1h9a15h10o1";
    let built = told(&["database", "build", text(&database), won, "-r", "0", "--nodes", "20000", "--steps", "50"]);
    assert!(built.ends_with("the position is proven\n"), "{built}");
    let analyze =
        |moves: &str| told(&["analyze", moves, "-r", "0", "--nodes", "50000000", "--database", text(&database)]);
    let answer = analyze(won);
    assert!(answer.contains("+M") && answer.contains("best move h"), "{answer}");
}

#[test]
fn analyses_and_reviews_are_stored() {
    let (database, game) = (file("a.tdb"), file("game.txt"));
    told(&["analyze", "h8i9", "-r", "1", "--nodes", "2000", "--lines", "2", "--database", text(&database)]);
    let json = told(&["database", "query", text(&database), "h8i9", "-r", "1", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(json["value"]["depth"].as_u64().is_some_and(|depth| depth > 0) && json["best"].is_string(), "{json}");
    assert_eq!(json["moves"].as_array().map(Vec::len), Some(2));
    std::fs::write(&game, "h8i9h9i8j10").expect("a file");
    let review = ["analyze", text(&game), "--review", "-r", "1", "--nodes", "1000", "--database", text(&database)];
    told(&review);
    let stats = told(&["database", "stats", text(&database), "--json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    assert!(stats["values"].as_u64() >= Some(7), "{stats}");
    assert_eq!(stats["sources"][0]["kind"], "analysis");
}

#[test]
fn files_that_cannot_be_imported_are_named() {
    let (database, letter) = (file("a.tdb"), file("letter.txt"));
    std::fs::write(&letter, "Dear reader").expect("a file");
    let import = run(&["database", "import", text(&database), text(&letter)]);
    assert!(refusal(&import).contains("letter.txt: not a known game file"));
    let absent = run(&["database", "query", text(&file("b.tdb"))]);
    assert!(refusal(&absent).contains("b.tdb"));
    let foreign = run(&["database", "query", text(&letter)]);
    assert!(refusal(&foreign).ends_with("letter.txt is not a database of positions\n"));
}

#[test]
fn matches_and_training_games_are_imported() {
    let (database, games, record) = (file("a.tdb"), file("games.bin"), file("match.jsonl"));
    let selfplay = ["selfplay", "--rule", "4", "--games", "3", "--nodes", "50", "--seed", "1", "-o", text(&games)];
    tengen(&selfplay);
    let engine = |name: &str| format!("name={name},cmd={},nodes=50", engine_path());
    let (first, second) = (engine("a"), engine("b"));
    tengen(&["match", "-e", &first, "-e", &second, "--games", "2", "-o", text(&record)]);
    let import = ["database", "import", text(&database), text(&games), text(&record)];
    let report = told(&import);
    let [games_line, match_line] = report.lines().collect::<Vec<_>>()[..] else { panic!("{report}") };
    assert!(games_line.contains("games.bin: 3 games, ") && match_line.contains("match.jsonl: 2 games, "), "{report}");
    assert_eq!(told(&import).matches("imported before").count(), 2);
    let stats = told(&["database", "stats", text(&database), "--json"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    assert!(stats["values"].as_u64() > Some(0), "the searches of training games: {stats}");
    let kinds: Vec<_> = stats["sources"].as_array().expect("sources").iter().map(|s| s["kind"].clone()).collect();
    assert_eq!(kinds, ["selfplay", "match"]);
}
