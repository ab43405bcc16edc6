//! Reports of matches: tables, files for other programs, transcripts and plots. Every figure is correct.

use crate::arena::{bad_engine, engine, folder, gauntlet, tengen};
use crate::program::engine_path;
use std::path::Path;
use std::process::{Command, Output};
use tengen_engines::search_info::SearchInfo;
use tengen_workbench::matches::record::{GameRecord, Header, Log, MoveRecord};
use tengen_workbench::matches::referee::End;
use tengen_workbench::matches::report::{Report, elo_line};
use tengen_workbench::matches::settings::MatchSpec;
use tengen_workbench::matches::tally::Score;
use tengen_workbench::shard::Shard;
use tengen_workbench::stats::{Pentanomial, Trinomial};

/// `tengen match` between two simple engines called a and b.
fn play(record: &Path, more: &[&str]) -> Output {
    let engine = |name: &str| format!("name={name},cmd={}", bad_engine().display());
    let mut command = Command::new(tengen());
    command.args(["match", "--plain", "-j2", "-e", &engine("a"), "-e", &engine("b"), "-o"]).arg(record).args(more);
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn report(args: &[&str]) -> Output {
    Command::new(tengen()).args(["match", "--report"]).args(args).output().expect("the program")
}

fn spec() -> MatchSpec {
    gauntlet(vec![engine("new", &[]), engine("old", &[])], 0, Vec::new())
}

/// A game in which engine 0 uses 106 ms a move and engine 1 100 ms; each opens with a move from the book.
fn game(number: u64, winner: Option<usize>) -> GameRecord {
    let black = (number % 2) as usize;
    let a_move = |i: usize| {
        let mover = (black + i) % 2;
        let note = match i {
            0 | 1 => SearchInfo { eval: Some(3), book: true, ..SearchInfo::default() },
            _ => SearchInfo { eval: Some(3), depth: Some(10 + mover as u32), nodes: Some(10_000), book: false },
        };
        MoveRecord { p: (i as u8, 0), ms: [106.0, 100.0][mover], over: None, note }
    };
    GameRecord {
        game: number,
        event: 0,
        black,
        white: 1 - black,
        winner,
        end: End::Row,
        at: number,
        ms: 0,
        opening: Vec::new(),
        moves: (0..10).map(a_move).collect(),
        line: "h8".to_owned(),
        faults: Vec::new(),
    }
}

fn tables(games: Vec<GameRecord>, spec: MatchSpec) -> String {
    let mut out = Vec::new();
    Report::new(Header::new(spec, Shard::WHOLE), games).write(&mut out).expect("memory");
    text(&out)
}

/// The words of the line that begins with this name, after the table's header.
fn row<'a>(tables: &'a str, name: &str) -> Vec<&'a str> {
    let lines = tables.lines().skip_while(|line| !line.contains("ms/move"));
    let line = lines.into_iter().find(|line| line.starts_with(name)).expect("a row");
    line.split_whitespace().collect()
}

#[test]
fn tables_show_the_time_used_and_keep_book_moves_apart() {
    let games = || (0..4).map(|n| game(n, Some(0)));
    let told = tables(games().collect(), spec());
    assert_eq!(row(&told, "new")[1..8], ["20", "4", "106.0", "2.1", "s", "1.060", "10.0"], "{told}");
    assert_eq!(row(&told, "old")[1..8], ["20", "4", "100.0", "2.0", "s", "0.943", "11.0"], "{told}");
    assert!(told.contains("new    games with a fault: 0 of 4; 0.0% to 49.0% (95%)"), "{told}");
    // An engine that reports nothing has no depth, not even that of its book.
    let silent = games().map(|mut game| {
        game.moves.iter_mut().for_each(|m| m.note = SearchInfo::default());
        game
    });
    let told = tables(silent.collect(), spec());
    let words = row(&told, "new");
    assert_eq!((words[2], words[7], words[8]), ("-", "-", "-"), "{told}");
    let only_book = games().map(|mut game| {
        game.moves.truncate(2);
        game
    });
    let told = tables(only_book.collect(), spec());
    assert_eq!((row(&told, "new")[2], row(&told, "new")[7]), ("4", "-"), "{told}");
}

#[test]
fn too_few_games_are_told_as_such() {
    let pairs = |counts: [u64; 5], games: [u64; 3]| {
        let [wins, draws, losses] = games;
        let black = Trinomial { wins, draws, losses };
        let white = Trinomial::default();
        elo_line(&Score { pairs: Pentanomial::new(counts), one_colour: [0; 2], black, white })
    };
    assert_eq!(pairs([0, 0, 2, 0, 0], [0, 4, 0]), "Elo +0.0 [-∞, ∞] (no interval: all pairs alike)");
    assert_eq!(pairs([0, 0, 0, 0, 2], [4, 0, 0]), "Elo +∞ [-∞, ∞] (no interval: all pairs alike)");
    assert_eq!(pairs([0; 5], [0; 3]), "no games");
    let line = pairs([0, 1, 2, 1, 0], [3, 4, 2]);
    assert!(line.starts_with("Elo +0.0 [") && line.ends_with(" (1 game without a partner left out)"), "{line}");
    let line = pairs([0; 5], [2, 0, 1]);
    assert!(line.ends_with("(from games without a partner)"), "{line}");
    assert!(!tables((0..4).map(|n| game(n, None)).collect(), spec()).contains("[+0.0, +0.0]"));
}

/// One match in all available formats.
#[test]
fn results_transcripts_and_tables_for_other_programs_are_written() {
    let folder = folder("exports");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let record = folder.join("match.jsonl");
    let output = play(
        &record,
        &[
            "--each",
            "st=0.5",
            "--games",
            "3",
            "--openings",
            "h8i9; h8h9j10",
            "--log",
            &path("log"),
            "--json",
            &path("r.json"),
        ],
    );
    let told = text(&output.stdout);
    assert!(told.starts_with("3 games, 1 complete pair\nAn odd number of games"), "{told}");

    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path("r.json")).expect("a file")).expect("JSON");
    assert_eq!((&json["games"], &json["pairs"]), (&3.into(), &1.into()), "{json}");
    assert_eq!(json["engines"][0]["name"], "a");
    assert_eq!((&json["engines"][1]["depth"], &json["engines"][1]["games_with_faults"]), (&2.0.into(), &0.into()));
    let wins = |side: &str| json["pairings"][0][side].as_u64().expect("a count");
    assert_eq!(wins("wins") + wins("draws") + wins("losses"), 3);
    assert!(json["sprt"].is_null());

    let csv = report(&[record.to_str().expect("a path"), "--csv", "-"]);
    let csv = text(&csv.stdout);
    let rows: Vec<Vec<&str>> = csv.split("\r\n").map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..8], ["game", "pair", "rule", "width", "height", "black", "white", "result"]);
    assert_eq!(rows[1][..7], ["1", "1", "freestyle", "15", "15", "a", "b"]);
    assert_eq!(rows[2][..7], ["2", "1", "freestyle", "15", "15", "b", "a"]);
    assert_eq!((rows.len(), &rows[4][..]), (5, &[""][..]), "three games, and a line end after each");

    for number in 1..=3 {
        let log = std::fs::read_to_string(folder.join(format!("log/game{number:05}.log"))).expect("a transcript");
        assert!(log.starts_with(&format!("# game {number}: ")) && log.contains("freestyle 15x15"), "{log}");
        assert!(log.lines().count() > 20, "{log}");
        for line in log.lines().skip(1) {
            let mut words = line.split_whitespace();
            assert!(words.next().and_then(|ms| ms.parse::<f64>().ok()).is_some_and(|ms| ms >= 0.0), "{line}");
            assert!(words.next().is_some_and(|name| ["a", "b"].contains(&name)), "{line}");
            assert!(words.next().is_some_and(|way| [">", "<", "!"].contains(&way)), "{line}");
        }
        for passed in ["a > START 15", "a < OK", "b > INFO timeout_turn 500", "b < MESSAGE depth 2 score 7 nodes 225"] {
            assert!(log.contains(passed), "{passed}: {log}");
        }
    }
}

/// Our own engine reports its searches without a request, and also which moves are from its book.
#[test]
fn depth_and_book_of_our_own_engine_are_known() {
    let folder = folder("own");
    let program = engine_path();
    let engine = |name: &str, more: &str| format!("name={name},cmd={program},nodes=300{more}");
    let mut command = Command::new(tengen());
    command.args(["match", "--plain", "--games", "2", "--draw-after", "16", "--openings", "none", "--json", "-"]);
    command.args(["-e", &engine("book", ""), "-e", &engine("none", ",info.book=0"), "-o"]).arg(folder.join("m.jsonl"));
    let output = command.output().expect("the program");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let number = |engine: usize, key: &str| json["engines"][engine][key].as_f64().expect(key);
    assert!(number(0, "book_moves") >= 1.0 && number(1, "book_moves") == 0.0, "{json}");
    for engine in 0..2 {
        assert!((1.0..20.0).contains(&number(engine, "depth")), "the depth of 300 nodes, not of the book: {json}");
    }
}

/// An engine's fault is stated at the end of its game's transcript.
#[test]
fn a_transcript_tells_the_fault() {
    let folder = folder("fault-log");
    let engine = |name: &str, fault: &str| format!("name={name},cmd={},args={fault}", bad_engine().display());
    let mut command = Command::new(tengen());
    command.args(["match", "--plain", "--recover", "--each", "st=0.5", "--games", "2", "-e", &engine("good", "")]);
    command
        .args(["-e", &engine("bad", "prose"), "--log"])
        .arg(folder.join("log"))
        .arg("-o")
        .arg(folder.join("m.jsonl"));
    assert!(command.output().expect("the program").status.success());
    let log = std::fs::read_to_string(folder.join("log/game00001.log")).expect("a transcript");
    assert!(log.contains("bad < I move to the centre"), "{log}");
    assert!(log.contains("bad ! protocol: answered with something else than a move"), "{log}");
}

/// Several matches become one table and one plot, with a line for each rule.
#[test]
fn leads_by_time_are_joined_from_several_matches() {
    let folder = folder("leads");
    let record = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let matches = [("fast", "st=0.2", "0"), ("slow", "st=0.4", "0"), ("standard", "st=0.2", "1")];
    for (name, time, rule) in matches {
        play(Path::new(&record(name)), &["--each", time, "--rule", rule, "--games", "4"]);
    }
    let svg = record("lead.svg");
    let output = report(&[&record("fast"), &record("slow"), &record("standard"), "--by-time", &svg]);
    let told = text(&output.stdout);
    assert!(output.status.success() && told.starts_with("Lead of a by seconds for a move"), "{told}");
    let rows: Vec<Vec<&str>> = told.lines().map(|line| line.split_whitespace().take(4).collect()).collect();
    for expected in
        [["freestyle", "15x15", "0.2", "4"], ["freestyle", "15x15", "0.4", "4"], ["standard", "15x15", "0.2", "4"]]
    {
        assert!(rows.contains(&expected.to_vec()), "{told}");
    }
    let plot = std::fs::read_to_string(&svg).expect("a plot");
    for word in ["Lead of a", "freestyle 15x15", "standard 15x15", "seconds for a move", "0.2", "0.4", "Time used by a"]
    {
        assert!(plot.contains(word), "{word}");
    }
    // Without --by-time different matches are rejected, and the message names the difference.
    let refused = report(&[&record("fast"), &record("slow")]);
    let told = text(&refused.stderr);
    assert!(!refused.status.success() && told.contains("turn_ms: 200 in the record, 400 now"), "{told}");
}

/// By default a match uses openings of its rule; an option selects the empty board.
#[test]
fn every_rule_has_openings_of_its_own() {
    let folder = folder("openings");
    for (rule, more, expected) in [("4", &[][..], 113), ("8", &["--openings", "none"], 0), ("1", &["--swap2"], 0)] {
        let record = folder.join(rule);
        play(&record, &[&["--each", "st=0.5", "--games", "2", "--rule", rule], more].concat());
        let log = Log::read(&record).expect("a record");
        assert_eq!(log.header.spec.events[0].openings.len(), expected, "rule {rule}");
        assert!(expected == 0 || log.games.iter().all(|game| game.opening.len() >= 3));
    }
}

/// A list of arguments in a TOML file goes to the engine word by word.
#[test]
fn arguments_may_be_a_list() {
    let folder = folder("arguments");
    let engine = engine_path().replace('\\', "/");
    let config = folder.join("match.toml");
    let text = format!(
        "games = 2\n[each]\ncmd = \"{engine}\"\nnodes = 20\n[[engine]]\nname = \"a\"\nargs = [\"--one\", \"two words\"]\n[[engine]]\nname = \"b\"\n"
    );
    std::fs::write(&config, text).expect("a file");
    let record = folder.join("m.jsonl");
    let mut command = Command::new(tengen());
    command.args(["match", "--plain", "-c"]).arg(&config).arg("-o").arg(&record);
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let spec = Log::read(&record).expect("a record").header.spec;
    assert_eq!(spec.engines.iter().map(|engine| engine.args.join("|")).collect::<Vec<_>>(), ["--one|two words", ""]);
}

/// The command line overrides the options of a TOML file; an option without a value is on if either has it.
#[test]
fn the_command_line_overrides_the_file() {
    let folder = folder("layers");
    let engine = engine_path().replace('\\', "/");
    let config = folder.join("match.toml");
    let each = format!("[each]\ncmd = \"{engine}\"\nnodes = 20\n[[engine]]\nname = \"a\"\n");
    let text = format!("games = 2\nseed = 7\nrule = 1\ngauntlet = true\nno-transform = true\n{each}");
    std::fs::write(&config, text).expect("a file");
    let record = folder.join("m.jsonl");
    let mut command = Command::new(tengen());
    command.args(["match", "--plain", "-c"]).arg(&config).arg("-o").arg(&record);
    command.args(["--games", "4", "--no-shuffle", "--each", "nodes=10", "-e", "name=b"]);
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let spec = Log::read(&record).expect("a record").header.spec;
    assert_eq!((spec.games, spec.seed, spec.events[0].rule), (4, 7, 1));
    assert_eq!((spec.gauntlet, spec.shuffle, spec.transform), (true, false, false));
    let engines: Vec<_> = spec.engines.iter().map(|engine| (engine.name.as_str(), engine.limits.nodes)).collect();
    assert_eq!(engines, [("a", Some(10)), ("b", Some(10))]);
}

/// Swap2 implies the standard rule, in every notation.
#[test]
fn swap2_is_standard_unless_told_otherwise() {
    let folder = folder("swap2 rule");
    let cases: [(&[&str], u8); 6] = [
        (&["--swap2"], 1),
        (&["--opening", "swap2"], 1),
        (&["--event", "opening=swap2,rule=0"], 0),
        (&["--swap2", "--rule", "0"], 0),
        (&["--event", "swap2=on"], 1),
        (&["--event", "swap2=on,rule=4"], 4),
    ];
    for (i, (args, rule)) in cases.into_iter().enumerate() {
        let record = folder.join(i.to_string());
        play(&record, &[&["--each", "st=0.5", "--games", "2"], args].concat());
        let event = &Log::read(&record).expect("a record").header.spec.events[0];
        assert_eq!((event.rule, event.swap2), (rule, true), "{args:?}");
    }
}

/// Engines can be asked for swap2 alone, and the program says so.
#[test]
fn other_opening_rules_are_refused_in_words() {
    for (rule, words) in [("taraguchi-10", "those that answer SWAP2BOARD play swap2"), ("swap3", "the openings are")] {
        let engine = format!("cmd={}", bad_engine().display());
        let mut command = Command::new(tengen());
        command.args(["match", "--plain", "-e", &engine, "-e", &engine, "--each", "st=1", "--opening", rule]);
        let output = command.output().expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(words), "{rule}: {told}");
    }
}

/// An engine's own settings override the common ones, for example to give a slower engine more time.
#[test]
fn engines_can_have_different_times() {
    let record = folder("times").join("m.jsonl");
    let engine = |name: &str, more: &str| format!("name={name},cmd={}{more}", bad_engine().display());
    let mut command = Command::new(tengen());
    command.args(["match", "--plain", "--games", "1", "--each", "st=0.5", "-e", &engine("a", ""), "-e"]);
    command.arg(engine("b", ",st=0.53")).arg("-o").arg(&record);
    assert!(command.output().expect("the program").status.success());
    let spec = Log::read(&record).expect("a record").header.spec;
    let turns: Vec<Option<u64>> = spec.engines.iter().map(|engine| engine.limits.turn_ms).collect();
    assert_eq!(turns, [Some(500), Some(530)]);
}
