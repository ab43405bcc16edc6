//! Reviews of games with known results, as a library function and as a program.

use std::process::{Command, Output};
use tengen::board::{BoardSize, BySide, Point, Setup, Side, parse_points};
use tengen::control::StopToken;
use tengen::engine::{Engine, Limits, Line, Options, Score};
use tengen::rules::{Game, Outcome, Rule};
use tengen_analysis::analyze::{self, Analysis, Win};
use tengen_analysis::export::{Reviewed, review_sgf};
use tengen_analysis::load;
use tengen_analysis::report;
use tengen_analysis::review::{Grade, Played, Review, Settings, review};

/// White does nothing while black makes a five.
const LOST: &str = "h8a1i8c1j8e2o15o1k8a3g8";
/// Both sides have an open three; black, to move, plays in a corner.
const MISSED: &str = "h8h9i8i9j8j9a15g9";

fn played(text: &str, rule: Rule) -> Played {
    let points = parse_points(BoardSize::RENJU, text).expect("labels");
    Played { rule, setup: Setup::from_moves(BoardSize::RENJU, points), first: 0 }
}

fn reviewed(game: &Played, stop_after: usize) -> Review {
    let mut engine = Engine::new(Options { hash: Some(8 << 20), ..Options::default() });
    let settings = Settings { limits: Limits::nodes(20_000), ..Settings::default() };
    let stop = StopToken::new();
    let mut done = 0;
    let review = review(&mut engine, game, &settings, &stop, &mut |progress| {
        done += 1;
        assert_eq!(progress.done, done);
        if done == stop_after {
            stop.stop();
        }
    });
    review.expect("a position")
}

/// The outcome after these moves from the position before a stone.
fn replayed(game: &Played, number: usize, moves: &[Point]) -> Option<Outcome> {
    let stones = game.setup.stones[..number - 1].iter().map(|(point, _)| *point);
    let mut replay = Game::from_setup(game.rule, Setup::from_moves(game.setup.size, stones)).expect("a position");
    for point in moves {
        replay.play(*point).expect("a legal move");
    }
    replay.outcome().cloned()
}

#[test]
fn an_allowed_win_is_found_where_it_was_allowed() {
    let game = played(LOST, Rule::Freestyle);
    let review = reviewed(&game, usize::MAX);
    assert!(review.complete && review.nodes > 0);
    assert_eq!((review.win_rates.len(), review.moves.len()), (12, 11));
    assert_eq!(review.win_rates.last(), Some(&Some(1.0)));
    assert_eq!(review.outcome.as_ref().and_then(Outcome::winner), Some(Side::Black));
    let allowed: Vec<_> = review.moves.iter().filter(|m| m.allowed_win).collect();
    let [allowed] = allowed[..] else { panic!("{allowed:?}") };
    assert_eq!(allowed.side, Side::White);
    assert!(allowed.better.is_some());
    // The refutation extends to the end of the game.
    let line = [&[allowed.point][..], &allowed.reply].concat();
    assert_eq!(replayed(&game, allowed.number, &line).and_then(|o| o.winner()), Some(Side::Black));
    // A lost position cannot be lost again, and the corner move 7 preserved the win.
    assert!(review.moves.iter().filter(|m| m.number > allowed.number).all(|m| !m.is_error()), "{:?}", review.moves);
    assert!(review.moves.iter().all(|m| m.loss >= 0.0 && m.loss <= 1.0 && m.before >= m.after));
}

#[test]
fn a_missed_win_is_shown_to_its_end() {
    let game = played(MISSED, Rule::Freestyle);
    let review = reviewed(&game, usize::MAX);
    assert_eq!(review.outcome, None);
    let missed = &review.moves[6];
    assert!(missed.missed_win && missed.before.is_win() && missed.allowed_win, "{missed:?}");
    let better = missed.better.as_ref().expect("the win");
    assert_eq!(replayed(&game, 7, &better.moves).and_then(|o| o.winner()), Some(Side::Black));
    let words = report::words(&review, missed);
    assert!(words.contains("blunder; missed a win: ") && words.contains("; allows a win: "), "{words}");
    assert_eq!(report::error_row(&review, missed).split_whitespace().next(), Some("100.0"));
    assert_eq!(review.summary()[Side::Black].missed, 1);
}

/// Every percentage is labelled as Black's, and every score is from Black's point of view.
#[test]
fn figures_are_blacks_and_say_so() {
    let sided = |text: &str, what: &str| {
        for (at, _) in text.match_indices('%') {
            let number = text[..at].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end();
            assert!(number.ends_with("Black"), "{what}: {text}");
        }
        text.matches('%').count()
    };
    let mut seen = 0;
    for (text, rule) in [(LOST, Rule::Freestyle), (MISSED, Rule::Freestyle), ("f8a15g8a13h10a11h9a9h8", Rule::Renju)] {
        let game = played(text, rule);
        let review = reviewed(&game, usize::MAX);
        for judged in &review.moves {
            seen += sided(&report::error_row(&review, judged), "row") + sided(&report::words(&review, judged), "words");
        }
        let of = Reviewed { names: &BySide::default(), result: None, passes: &[], assumed: None };
        seen += sided(&review_sgf(&review, &of), "SGF");
        let graph = report::graph(&review, 80);
        assert!(graph.starts_with("Black's win probability\n"), "{graph}");
    }
    assert!(seen > 50, "{seen}");
    // The same position with either side to move: a win for White is a loss for Black.
    let size = BoardSize::RENJU;
    for (score, to_move, cells) in [
        (Score::units(106), Side::Black, ["Black", "62.9%", "106"]),
        (Score::units(106), Side::White, ["Black", "37.1%", "-106"]),
        (Score::win_in(3), Side::White, ["Black", "0.0%", "-M3"]),
        (Score::win_in(3), Side::Black, ["Black", "100.0%", "+M3"]),
    ] {
        let line = Line { score, moves: vec![size.center()], ..Line::default() };
        let row = analyze::row(size, to_move, &line);
        assert_eq!(row.split_whitespace().collect::<Vec<_>>()[2..5], cells, "{row}");
        let analysis = Analysis { lines: vec![line], win: None };
        sided(&analyze::verdict(size, to_move, &analysis).expect("a move"), "verdict");
    }
    let win = |moves: usize| Win { moves: vec![size.center(); moves], side: Side::Black, outcome: Some(Outcome::Draw) };
    assert!(analyze::win_text(size, &win(1)).contains("after 1 ply:"));
    assert!(analyze::win_text(size, &win(2)).contains("after 2 plies:"));
}

/// A foul ends a game, and is the largest error.
#[test]
fn a_foul_throws_a_game_away() {
    let review = reviewed(&played("f8a15g8a13h10a11h9a9h8", Rule::Renju), usize::MAX);
    assert_eq!(review.outcome.as_ref().and_then(Outcome::winner), Some(Side::White));
    let foul = review.moves.last().expect("a move");
    assert_eq!(foul.grade, Some(Grade::Blunder));
    assert_eq!(review.win_rates.last(), Some(&Some(0.0)));
    assert_eq!(review.errors().first().map(|m| m.number), Some(9));
}

#[test]
fn a_stopped_review_keeps_the_last_moves() {
    let review = reviewed(&played(LOST, Rule::Freestyle), 5);
    assert!(!review.complete);
    let numbers: Vec<usize> = review.moves.iter().map(|m| m.number).collect();
    assert_eq!(numbers, [8, 9, 10, 11]);
    assert!(review.win_rates[..7].iter().all(Option::is_none) && review.win_rates[7..].iter().all(Option::is_some));
    assert!(report::text(&review, 80).contains("stopped: 4 moves judged"));
}

/// Games with set-up stones, with moves after their end, or without moves.
#[test]
fn unusual_games() {
    let mut game = played(LOST, Rule::Freestyle);
    game.setup.play(Point::at(3, 3));
    game.first = 6;
    let review = reviewed(&game, usize::MAX);
    let numbers: Vec<usize> = review.moves.iter().map(|m| m.number).collect();
    assert_eq!(numbers, [7, 8, 9, 10, 11], "move 12 comes too late");
    assert_eq!(review.win_rates.len(), 6);
    let empty = reviewed(&played("", Rule::Freestyle), usize::MAX);
    assert!(empty.moves.is_empty() && empty.complete && report::graph(&empty, 80).is_empty());
}

/// The graph fits its width, and marks stand below their moves.
#[test]
fn the_graph_fits_its_width() {
    let review = reviewed(&played(LOST, Rule::Freestyle), usize::MAX);
    for width in [80, 20, 10, 0] {
        let graph = report::graph(&review, width);
        assert!(graph.lines().all(|line| line.chars().count() <= width.max(16)), "{graph}");
        assert_eq!(graph.lines().count(), 14, "{graph}");
    }
    let graph = report::graph(&review, 80);
    let marks = graph.lines().find(|line| line.starts_with("white")).expect("a row of marks");
    let column = marks.find('!').expect("the win that was allowed");
    let allowed = review.moves.iter().find(|m| m.allowed_win).expect("it");
    assert_eq!(column, 6 + 2 * (allowed.number - 1), "two columns a move");
}

fn tengen(args: &[&str], input: &str) -> Output {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let command = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The report is valid input; the SGF, SVG and JSON files have the right content.
#[test]
fn a_finished_game_is_reviewed() {
    let folder = std::env::temp_dir().join(format!("tengen-review-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let (svg, sgf) = (file("a.svg"), file("a.sgf"));
    let output = tengen(&["analyze", LOST, "--nodes", "3000", "--svg", &svg, "--sgf", &sgf], "");
    let text = String::from_utf8(output.stdout).expect("text");
    for expected in ["black wins by a five\n", "100% |", " lost  move", "allows a win: ", "black: 0 blunders"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let again = tengen(&["analyze", "-", "--nodes", "3000"], &text);
    assert_eq!(String::from_utf8_lossy(&again.stdout), text);
    assert!(std::fs::read_to_string(&svg).expect("a graph").contains("<svg"));
    let written = std::fs::read_to_string(&sgf).expect("a game");
    let game = load::read(&written, BoardSize::RENJU).expect("SGF").remove(0);
    assert_eq!(game.setup, played(LOST, Rule::Freestyle).setup);
    assert!(game.warnings.is_empty() && written.contains("V[1.00]") && written.contains("(;W["), "{written}");

    let json = tengen(&["analyze", &sgf, "--nodes", "3000", "--json"], "");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((json["stones"].as_str(), json["final"].as_bool()), (Some(LOST), Some(true)));
    assert_eq!(json["moves"].as_array().map(Vec::len), Some(11));
    assert_eq!(json["black_win_rate"][11], 1.0);
    // An option requests the review of an unfinished game.
    let unfinished = tengen(&["analyze", "h8i9h9", "--review", "--nodes", "500"], "");
    assert!(String::from_utf8_lossy(&unfinished.stdout).contains("not finished"));
    std::fs::remove_dir_all(&folder).expect("its end");
}
