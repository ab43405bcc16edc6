//! The opening book: when the engine uses it, and how it is made.

use crate::play;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tengen::board::{BoardSize, Point, Setup, Symmetry};
use tengen::book::{Book, format_book};
use tengen::engine::{
    Answer, Engine, Goal, Limits, Options, Outcome, Report, Request, Rule, StopToken, swap2_openings,
};
use tengen_analysis::book::{Plan, grow};
use tengen_files::lock;

fn ask(book: bool, request: &Request) -> Outcome {
    let options = Options { hash: Some(1 << 20), book, ..Options::default() };
    play::ask(&mut Engine::new(options), request)
}

fn request(setup: &Setup, rule: Rule) -> Request {
    Request::new(setup.clone(), rule, Limits::nodes(300))
}

#[test]
fn every_position_of_the_book_is_answered_from_it_in_any_image() {
    for (number, (rule, setup, advice)) in Book::built_in().positions().into_iter().enumerate() {
        let maps = Symmetry::of(setup.size);
        let map = maps[number % maps.len()];
        let image = map.apply_setup(&setup);
        let outcome = ask(true, &request(&image, rule));
        assert!(outcome.from_book, "{rule} {setup:?}");
        assert_eq!((outcome.line.score, outcome.line.depth), (advice.score, advice.depth));
        // A symmetric position has several equal replies.
        let Answer::Points(points) = outcome.answer else { panic!("a move") };
        let [mut after, mut expected] = [image.clone(), image.clone()];
        after.play(points[0]);
        expected.play(map.apply(setup.size, advice.reply));
        assert_eq!(tengen::book::canonical(&after).0, tengen::book::canonical(&expected).0, "{rule} {setup:?}");
    }
}

#[test]
fn the_book_is_silent_when_it_is_off_or_something_else_is_asked() {
    let (rule, setup, advice) =
        Book::built_in().positions().into_iter().find(|(_, setup, _)| setup.stones.len() == 1).expect("a first move");
    let plain = request(&setup, rule);
    assert!(ask(true, &plain).from_book);
    assert!(!ask(false, &plain).from_book, "off");
    assert!(!ask(true, &Request { analysis: true, ..plain.clone() }).from_book, "analysis");
    assert!(!ask(true, &Request { lines: 2, ..plain.clone() }).from_book, "several lines");
    assert!(!ask(true, &Request { goal: Goal::AllMoves, ..plain.clone() }).from_book, "all moves");
    assert!(!ask(true, &Request { excluded: vec![advice.reply], ..plain.clone() }).from_book, "excluded");
    let far = setup.size.points().find(|p| setup.stones.iter().all(|(q, _)| p.distance(*q) > 4)).expect("a far point");
    let blocked = Setup { blocked: vec![far], ..setup.clone() };
    assert!(!ask(true, &request(&blocked, rule)).from_book, "a blocked cell");
}

/// In analysis the book supplies a quoted reply, but every position is searched.
#[test]
fn the_book_is_quoted_in_analysis() {
    let (rule, setup, advice) =
        Book::built_in().positions().into_iter().find(|(_, setup, _)| setup.stones.len() == 1).expect("a first move");
    let goals = [Goal::Move, Goal::AllMoves, Goal::BalanceOne { bias: 0 }, Goal::BalanceTwo { bias: 0 }];
    for (goal, analysis) in goals.map(|goal| (goal, true)).into_iter().chain([(Goal::Move, false)]) {
        let mut quoted = Vec::new();
        let mut engine = Engine::new(Options { hash: Some(1 << 20), book: true, ..Options::default() });
        let outcome =
            engine.think(&Request { goal, analysis, ..request(&setup, rule) }, &StopToken::new(), &mut |report| {
                quoted.extend(if let Report::Book(line) = report { Some(line.clone()) } else { None })
            });
        let quoted = quoted.iter().map(|line| (line.moves[0], line.score, line.depth)).collect::<Vec<_>>();
        assert_eq!(quoted, [(advice.reply, advice.score, advice.depth)], "{goal:?}");
        assert_eq!((outcome.from_book, outcome.line.nodes > 0), (!analysis, analysis), "{goal:?} {outcome:?}");
    }
}

/// In play the engine plays the centre of an empty board without a search; an analysis searches for its value.
#[test]
fn an_empty_board_is_searched_in_analysis() {
    let plain = request(&Setup::empty(BoardSize::RENJU), Rule::Freestyle);
    assert_eq!(ask(true, &plain).line.nodes, 0);
    let outcome = ask(true, &Request { analysis: true, ..plain });
    assert_eq!(outcome.answer, Answer::Points(vec![BoardSize::RENJU.center()]));
    assert!(outcome.line.nodes > 0 && outcome.line.depth > 1, "{outcome:?}");
}

fn plan(rule: Rule, side: u8) -> Plan {
    let size = BoardSize::new(side, side).expect("a size");
    Plan { rule, empty: Setup::empty(size), nodes: 200, stones: 3, answers: 2, margin: 300, first: 1 }
}

fn grown(book: &mut Book, plan: &Plan, threads: usize) -> usize {
    let searched = AtomicUsize::new(0);
    let count = |_: &Setup, _| {
        searched.fetch_add(1, Ordering::Relaxed);
    };
    grow(book, plan, threads, &StopToken::new(), &count).expect("threads");
    searched.into_inner()
}

#[test]
fn a_book_does_not_depend_on_threads_and_is_searched_once() {
    let plan = plan(Rule::Renju, 9);
    let (mut one, mut two) = (Book::default(), Book::default());
    assert_eq!(grown(&mut one, &plan, 1), grown(&mut two, &plan, 2));
    assert_eq!(format_book(&one, ""), format_book(&two, ""));
    assert_eq!(grown(&mut one, &plan, 1), 0, "all is known");
    assert_eq!(one, two);
}

#[test]
fn a_book_serves_both_colours() {
    let plan = plan(Rule::Freestyle, 9);
    let mut book = Book::default();
    grown(&mut book, &plan, 2);
    let of = |stones: usize| book.positions().into_iter().filter(|(_, setup, _)| setup.stones.len() == stones).count();
    // First moves at distance 0 and 1 of the centre of a square board of odd size: the centre, straight, diagonal.
    assert_eq!((of(0), of(1)), (1, 3));
    // The answers to black's first move, and those to the replies to first moves, in addition to the openings of swap2.
    assert!((1..=2).contains(&of(2)), "{}", of(2));
    assert!(of(3) > 3, "{}", of(3));
    for opening in swap2_openings(&plan.empty) {
        assert!(book.advice(&opening, plan.rule).is_some(), "{opening:?}");
    }
    let empty = book.advice(&plan.empty, plan.rule).map(|advice| advice.reply);
    assert_eq!(empty, Some(Point::at(4, 4)));
}

fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("book-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn program(path: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let options =
        ["book", "--size", "9", "--nodes", "4000", "--stones", "2", "--first", "2", "--answers", "2", "-j", "1"];
    command.args(options).arg("-o").arg(path).stderr(Stdio::null()).stdout(Stdio::null());
    command
}

/// A killed run has saved its replies, and the next run continues from there.
#[test]
fn a_book_is_saved_as_it_grows() {
    let [whole, killed] = ["whole", "killed"].map(file);
    assert!(program(&whole).status().expect("the program").success());
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let mut child = program(&killed).spawn().expect("the program");
    while read(&killed).lines().filter(|line| line.contains(':')).count() < 3 {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a child");
    child.wait().expect("an end");
    let saved = read(&killed);
    let whole_lines = &saved[..=saved.rfind('\n').expect("a line")];
    let known = Book::parse(whole_lines).expect("a book");
    assert!(known.len() >= 3);
    // The last line is truncated.
    std::fs::write(&killed, format!("{whole_lines}h8h9: g")).expect("a book");
    let output = program(&killed).stderr(Stdio::piped()).output().expect("the program");
    let searched = String::from_utf8_lossy(&output.stderr).lines().count();
    assert_eq!(Book::parse(&read(&killed)).expect("a book").len(), known.len() + searched);
    assert_eq!(read(&killed), read(&whole));
}

#[test]
fn a_book_has_one_writer_and_stays_what_it_is_if_it_is_none() {
    let path = file("locked");
    let refused = || {
        let output = program(&path).stderr(Stdio::piped()).output().expect("the program");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.lines().count() == 1, "{told}");
        told
    };
    let held = lock::open(&path, OpenOptions::new().create(true).append(true)).expect("a free file");
    assert!(refused().contains("another process"));
    drop(held);
    std::fs::write(&path, "my notes").expect("a file");
    assert!(refused().contains("line 1"));
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), "my notes");
}
