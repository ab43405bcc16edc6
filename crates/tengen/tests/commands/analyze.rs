//! `tengen analyze` and `tengen bench` as programs, on positions with known results.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use tengen::board::{BoardSize, Point, Setup, parse_points};
use tengen::control::StopToken;
use tengen::engine::{Engine, Limits, Options, Request};
use tengen::rules::{Game, Outcome, Rule};
use tengen_analysis::analyze::{Win, analyze};

/// Black has two open twos that cross: a win by a double three, or by fours before it.
const WON: &str = "h8a1i9b3h6c1i5o3";

fn points(text: &str) -> Vec<Point> {
    parse_points(BoardSize::RENJU, text).expect("labels")
}

fn win_of(text: &str, rule: Rule, lines: usize) -> Option<Win> {
    let setup = Setup::from_moves(BoardSize::RENJU, points(text));
    let mut engine = Engine::new(Options { hash: Some(4 << 20), ..Options::default() });
    let request = Request { lines, ..Request::new(setup, rule, Limits::nodes(60_000)) };
    let mut told = 0;
    let analysis = analyze(&mut engine, &request, &StopToken::new(), &mut |set| {
        told += 1;
        // If one move wins or is forced, there is one line.
        assert!((1..=lines).contains(&set.len()));
        assert!(set.is_sorted_by_key(|line| std::cmp::Reverse(line.score)));
    });
    assert!(told > 0);
    analysis.win
}

/// Both sides' moves to the five, replayed by the referee's rules.
#[test]
fn a_proven_win_is_played_out() {
    for (text, rule, lines) in [(WON, Rule::Freestyle, 1), (WON, Rule::Standard, 2), ("h8a1i8b3j8d2", Rule::Renju, 1)] {
        let win = win_of(text, rule, lines).unwrap_or_else(|| panic!("{rule} {text}: no win"));
        let mut game = Game::from_setup(rule, Setup::from_moves(BoardSize::RENJU, points(text))).expect("a position");
        for point in &win.moves {
            game.play(*point).expect("a legal move");
        }
        assert_eq!(game.outcome(), win.outcome.as_ref());
        assert_eq!(win.outcome.as_ref().and_then(Outcome::winner), Some(win.side), "{rule} {text}");
    }
}

/// The losing side's view: the defence also extends to the end of the game.
#[test]
fn a_proven_loss_is_played_out() {
    let lost = win_of("h8a1i8c1j8e2k8", Rule::Freestyle, 1).expect("an open four");
    assert_eq!(lost.side, tengen::engine::Side::Black);
    assert!(lost.outcome.is_some());
    assert_eq!(lost.moves.len(), 2);
}

#[test]
fn nothing_proven_is_no_win() {
    assert_eq!(win_of("h8i9", Rule::Freestyle, 3), None);
}

fn tengen(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let command = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    // A program that exits without reading its input closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("an end")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The printed drawing is valid input; forbidden points and the last stone are marked.
#[test]
fn a_drawn_board_is_read_back() {
    let args = ["analyze", "f8a15g8a13h10a11h9a9", "--rule", "renju", "--nodes", "2000"];
    let first = text(&tengen(&args, ""));
    let picture: String = first.lines().take_while(|l| !l.is_empty()).map(|l| format!("{l}\n")).collect();
    assert!(picture.contains('*') && picture.contains('o') && picture.contains("a b c d"), "{first}");
    // The reader ignores the marks of forbidden points, and the program computes them again.
    let again = text(&tengen(&["analyze", "--rule", "4", "--nodes", "2000"], &picture));
    assert!(again.starts_with(&picture), "{again}");
    assert!(first.contains(" #   depth           win  Black's score  line") && first.contains("nodes in"), "{first}");
}

#[test]
fn json_has_the_whole_win() {
    let json = text(&tengen(&["analyze", WON, "--json", "--nodes", "60000"], ""));
    let objects: Vec<serde_json::Value> = json.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let (last, before) = objects.split_last().expect("a line");
    assert!(!before.is_empty() && before.iter().all(|o| o["final"] == false));
    assert_eq!(last["final"], true);
    assert_eq!(last["win"]["side"], "black");
    assert_eq!(last["win"]["outcome"], "black wins by a five");
    assert_eq!(last["lines"][0]["win_rate"], 1.0);
}

/// The given file evaluates the position, also if the position comes from standard input.
#[test]
fn weights_may_be_chosen() {
    let nodes = |more: &[&str], input: &str| {
        let json = text(&tengen(&[&["analyze", "--json", "--depth", "8"], more].concat(), input));
        let last: serde_json::Value = serde_json::from_str(json.lines().last().expect("a line")).expect("JSON");
        last["nodes"].as_u64().expect("a number")
    };
    let usual = nodes(&["h8i9h9j9"], "");
    assert_eq!(nodes(&["-"], "h8i9h9j9"), usual);
    assert_ne!(nodes(&["h8i9h9j9", "--weights", "classical"], ""), usual);
}

#[test]
fn finished_games_and_bad_positions_are_told() {
    let drawn = ". . . . .\n".repeat(4) + "X X X X X\n";
    assert!(text(&tengen(&["analyze"], &drawn)).contains("black wins by a five: the game is over"));
    let svg = crate::common::file("over.svg");
    text(&tengen(&["analyze", "--board-svg", svg.to_str().expect("a path")], &drawn));
    assert!(std::fs::read_to_string(&svg).expect("a picture of the row").contains("<svg"));
    std::fs::remove_file(svg).expect("a file");
    let bad = |args: &[&str]| {
        let output = tengen(&[&["analyze"], args].concat(), "");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(bad(&["h8h8"]).contains("taken twice"));
    assert!(bad(&["nosuchfile"]).contains("neither a file nor moves"));
    assert!(bad(&["h8i9", "--svg", "x.svg"]).contains("needs a game to review"));
    assert!(bad(&["h8i9", "--move", "4"]).contains("has moves 1 to 2"));
    assert!(bad(&["h8i9", "--board-svg", "no/such/folder/x.svg"]).contains("cannot write"));
}

/// `--move N` analyzes the position in which move N is played; `7,7` is a point in the protocol's notation.
#[test]
fn any_position_of_a_game() {
    let head = |args: &[&str]| text(&tengen(&[&["analyze", "--nodes", "500"], args].concat(), ""));
    let third = head(&["h8i9h9", "--move", "3"]);
    assert!(third.contains("freestyle, move 3, black to move"), "{third}");
    assert_eq!(head(&["h8i9"]).lines().next(), third.lines().next());
    assert!(head(&["7,7", "8,6"]).starts_with(&third[..third.find("freestyle").expect("a rule")]));
}

/// The printed output, including tables, is read as the position with its rule.
#[test]
fn the_whole_output_is_read_back() {
    let first = text(&tengen(&["analyze", "h8i9h9j9", "--rule", "standard", "--nodes", "3000"], ""));
    let (head, _) = first.split_once(" #   depth").expect("a table");
    let again = text(&tengen(&["analyze", "--nodes", "3000"], &first));
    assert!(again.starts_with(head), "{again}");
}

#[test]
fn all_games_of_a_collection_are_analyzed_and_oddities_warned_of() {
    let games = "(;GM[1]SZ[15]PB[ann]PW[ben];B[hh])(;GM[4]SZ[15];B[hh];B[hg];B[aa])(;GM[4]SZ[9])";
    let output = tengen(&["analyze", "--nodes", "300"], games);
    let out = text(&output);
    assert!(
        out.starts_with("game 1: ann - ben\n") && out.contains("game 2: ? - ?") && out.contains("game 3:"),
        "{out}"
    );
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert!(warnings.contains("game 1: GM[1] is not Gomoku"), "{warnings}");
    assert!(warnings.contains("game 2: move 2: black plays twice in a row"), "{warnings}");
    let third = text(&tengen(&["analyze", "--nodes", "300", "--game", "3"], games));
    assert!(!third.contains("game") && third.contains(" 9 . ."), "{third}");
}

/// A search that is stopped during an iteration may return a line of only one or two moves.
#[test]
fn no_line_of_the_result_is_a_stub() {
    for nodes in [3_000, 7_000, 13_000, 21_000, 30_000] {
        let mut engine = Engine::new(Options { hash: Some(4 << 20), ..Options::default() });
        let setup = Setup::from_moves(BoardSize::RENJU, points("h8i9h9"));
        let request = Request { lines: 3, ..Request::new(setup, Rule::Freestyle, Limits::nodes(nodes)) };
        let lines = analyze(&mut engine, &request, &StopToken::new(), &mut |_| {}).lines;
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.moves.len() >= 3), "{nodes}: {lines:?}");
    }
    let won = text(&tengen(&["analyze", WON, "--nodes", "60000"], ""));
    let rows: Vec<&str> = won.lines().rev().take(3).collect();
    let (_, win) = rows[0].split_once(" plies: ").expect("a win");
    assert!(rows[0].starts_with("best move ") && rows[2].ends_with(win), "{won}");
    let open = text(&tengen(&["analyze", "h8i9", "--nodes", "3000"], ""));
    let last = open.lines().last().expect("a line");
    assert!(last.starts_with("best move ") && last.contains(": Black ") && last.ends_with('%'), "{open}");
}

#[test]
fn a_board_is_drawn() {
    let path = std::env::temp_dir().join(format!("tengen-board-{}.svg", std::process::id()));
    let name = path.to_str().expect("a path");
    text(&tengen(&["analyze", "h8i9", "--nodes", "3000", "--lines", "2", "--board-svg", name], ""));
    let svg = std::fs::read_to_string(&path).expect("a picture");
    std::fs::remove_file(&path).expect("its end");
    // Two stones with numbers, two moves with probabilities.
    assert!(svg.starts_with("<svg") && svg.matches("%\n").count() == 2, "{svg}");
}

#[test]
fn bench_compares_thread_counts() {
    let out = text(&tengen(&["bench", "--depth", "3", "--threads", "1,2", "--rule", "caro"], ""));
    assert_eq!(out.lines().count(), 3, "{out}");
    assert!(out.lines().nth(2).is_some_and(|l| l.trim_start().starts_with("2 ")), "{out}");
    let one = text(&tengen(&["bench", "--depth", "3", "--rule", "caro-exact"], ""));
    assert!(one.contains("nodes/s"), "{one}");
}

/// Without a proof there are as many lines as requested, and the depth of the sets never decreases.
#[test]
fn several_lines_improve() {
    let json = text(&tengen(&["analyze", "h8i9", "--json", "--nodes", "20000", "--lines", "3"], ""));
    let objects: Vec<serde_json::Value> = json.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert!(objects.len() > 2 && objects.iter().all(|o| o["lines"].as_array().is_some_and(|l| l.len() == 3)));
    assert!(objects.is_sorted_by_key(|o| o["depth"].as_u64()));
    assert!(objects.last().is_some_and(|o| o["win"].is_null()));
}

/// The program's output to a terminal of this size before and after Ctrl-C, which is sent after some sets of lines.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn on_a_terminal(args: &[&str], rows: u16, columns: u16) -> String {
    use rustix::{process, pty, termios};
    use std::fs::File;
    use std::io::Read;
    let terminal = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&terminal).and_then(|()| pty::unlockpt(&terminal)).expect("leave to use it");
    let name = pty::ptsname(&terminal, Vec::new()).expect("its name").into_string().expect("text");
    let inner = File::options().read(true).write(true).open(name).expect("its other end");
    let size = termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    termios::tcsetwinsize(&inner, size).expect("a size");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(args).env("TERM", "xterm").env_remove("NO_COLOR").stdin(Stdio::null()).stdout(inner);
    let mut child = command.spawn().expect("the program");
    // Drops the last handle of the other end, except the program's.
    drop(command);
    let (mut terminal, mut seen, mut buffer, mut stopped) = (File::from(terminal), Vec::new(), [0; 4096], false);
    // On some systems a closed terminal gives a read error.
    while let Ok(length @ 1..) = terminal.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..length]);
        if !stopped && String::from_utf8_lossy(&seen).matches("\x1b[J").count() >= 4 {
            process::kill_process(process::Pid::from_child(&child), process::Signal::INT).expect("a signal");
            stopped = true;
        }
    }
    // Ctrl-C was the requested end of the search, but the exit status still reports it to scripts.
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    String::from_utf8(seen).expect("text").replace('\r', "")
}

/// Each set of lines overwrites the previous one, which requires that lines neither wrap nor scroll. The last set,
/// after Ctrl-C, is complete.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn lines_are_redrawn_in_place_until_they_are_final() {
    let args = ["analyze", "h8i9", "--lines", "30", "--time", "0", "--hash", "1"];
    let (rows, columns) = (12, 40);
    let text = on_a_terminal(&args, rows, columns);
    let (_, text) = text.split_once("to move\n").expect("a board");
    let sets: Vec<&str> = text.split("\x1b[J").collect();
    let (last, redrawn) = sets.split_last().expect("a set");
    for set in redrawn {
        // A set ends with the escape sequence that moves back up to its first line.
        let (lines, up) = set.rsplit_once("\x1b[").expect("a way back");
        assert_eq!(up, format!("{}F", lines.lines().count()));
        assert!(lines.lines().count() < usize::from(rows), "{lines}");
        assert!(lines.lines().all(|line| line.chars().count() <= usize::from(columns)), "{lines}");
        assert!(lines.starts_with(" #   depth"), "{lines}");
    }
    assert_eq!(last.lines().count(), 1 + 30 + 2, "{last}");
    assert!(last.lines().nth(31).is_some_and(|line| line.contains("nodes in")), "{last}");
    assert!(last.lines().last().is_some_and(|line| line.starts_with("best move ")), "{last}");
}

/// The first line states a rule that no file names or that may be wrong, and the reader accepts that line.
#[test]
fn an_assumed_rule_is_told_first() {
    let moves = "h8a1i8b1j8c1k8d1l8";
    let played: String = points(moves)
        .iter()
        .zip(["B", "W"].iter().cycle())
        .map(|(p, side)| format!(";{side}[{}{}]", (b'a' + p.x()) as char, (b'a' + p.y()) as char))
        .collect();
    let review = |rule: &str, more: &[&str]| {
        let file = crate::common::file("assumed.sgf");
        std::fs::write(&file, format!("(;SZ[15]{rule}{played})")).expect("a file");
        let args = [&["analyze", file.to_str().expect("a path"), "--nodes", "200"], more].concat();
        let told = text(&tengen(&args, ""));
        std::fs::remove_file(&file).expect("the file");
        told
    };
    let unknown = review("RU[Mystery]", &[]);
    assert!(
        unknown.starts_with("rule assumed: the file calls the rule \"Mystery\", which is not known: freestyle"),
        "{unknown}"
    );
    assert!(review("", &[]).starts_with("rule assumed: no rule is named: freestyle is assumed\n"));
    assert!(review("RU[Gomoku]", &[]).starts_with("rule assumed: the file calls the rule \"Gomoku\""));
    assert!(review("", &["--json"]).contains("\"rule_assumed\":\"no rule is named"));
    for (rule, more) in [("RU[Soosyrv-8]", &[][..]), ("", &["--rule", "renju"])] {
        let sure = review(rule, more);
        assert!(sure.starts_with("15 ") && sure.contains("renju, move "), "{sure}");
    }
    let again = text(&tengen(&["analyze", "--nodes", "200"], &unknown));
    assert!(again.starts_with(unknown.lines().next().expect("a line")), "{again}");
}

/// Games are numbered by their order in the file, and other games may be unreadable.
#[test]
fn one_game_of_a_file_with_a_broken_one() {
    let file = crate::common::file("broken.sgf");
    let path = file.to_str().expect("a path");
    std::fs::write(&file, "(;SZ[15];B[hh];W[hi])\n(;SZ[15];B[hh];W[hh])\n(;SZ[15]PB[third];B[hh])\n").expect("a file");
    let run = |more: &[&str]| tengen(&[&["analyze", path, "--nodes", "100"], more].concat(), "");
    for (game, stones) in [("1", "move 3"), ("3", "move 2")] {
        let output = run(&["--game", game]);
        assert!(text(&output).contains(stones));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("taken twice"));
    }
    let all = run(&[]);
    assert!(text(&all).contains("game 3: third"));
    assert!(
        String::from_utf8_lossy(&all.stderr).contains("game 2: line 2: point h8 is taken twice: the game is left out")
    );
    for (game, error) in [("2", "taken twice"), ("4", "there are 3 games")] {
        let output = run(&["--game", game]);
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains(error));
    }
    std::fs::remove_file(&file).expect("the file");
}

/// A review preserves the passes of its game, so that colours do not shift.
#[test]
fn a_review_keeps_passes() {
    let sgf = crate::common::file("pass.sgf");
    let args = ["analyze", "-", "--review", "--nodes", "100", "--rule", "0", "--sgf", sgf.to_str().expect("a path")];
    let told = tengen(&args, "(;SZ[15];B[hh];W[ih];B[gh];W[];B[jh])");
    assert!(text(&told).contains("moves: h8 i8 g8 pass j8\n"));
    assert!(!String::from_utf8_lossy(&told.stderr).contains("twice in a row"));
    let written = std::fs::read_to_string(&sgf).expect("a review");
    std::fs::remove_file(&sgf).expect("the review");
    let place = |what: &str| written.find(what).unwrap_or_else(|| panic!("{what} in {written}"));
    assert!(place(";B[gh]") < place(";W[]") && place(";W[]") < place(";B[jh]"));
}
