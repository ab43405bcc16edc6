//! Puzzles: what the program contains is what it says, and the finder accepts one winning move, not none and not two.

use std::collections::BTreeSet;
use tengen::board::{BoardSize, Point, Setup, Side, Symmetry, parse_point, parse_points};
use tengen::engine::{Rule, StopToken};
use tengen_analysis::puzzle::{Finder, GRADES, Kind, Puzzle, built_in, parse_puzzles};

const TEXT: &str = include_str!("../src/puzzle/puzzles.txt");

fn examine(setup: &Setup, rule: Rule) -> Option<Puzzle> {
    Finder::default().examine(setup, rule, &StopToken::new(), |_| true)
}

/// Every so many puzzles are checked by the normal tests.
const ONE_IN: usize = 37;

#[test]
fn the_programs_puzzles_are_complete() {
    let puzzles = parse_puzzles(TEXT).expect("a valid file");
    assert_eq!(puzzles, built_in());
    assert!(TEXT.len() < 300_000, "{} bytes", TEXT.len());
    let classes: BTreeSet<Vec<u8>> = puzzles.iter().map(Puzzle::class).collect();
    let ids: BTreeSet<String> = puzzles.iter().map(Puzzle::id).collect();
    assert_eq!((classes.len(), ids.len()), (puzzles.len(), puzzles.len()), "a puzzle twice");
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro] {
        let of = |grade| puzzles.iter().filter(|puzzle| puzzle.rule == rule && puzzle.grade() == grade).count();
        let grades: Vec<usize> = (1..=GRADES).map(of).collect();
        assert!(
            grades.iter().sum::<usize>() >= 90 && grades[..3].iter().all(|count| *count >= 5),
            "{rule}: {grades:?}"
        );
    }
    let traps = |kind| puzzles.iter().filter(|puzzle| puzzle.rule == Rule::Renju && puzzle.kind == kind).count();
    assert!(traps(Kind::Trap) >= 10 && traps(Kind::Escape) >= 1);
    for puzzle in puzzles.iter().filter(|puzzle| matches!(puzzle.kind, Kind::Trap | Kind::Escape)) {
        assert_eq!((puzzle.rule, puzzle.attacker()), (Rule::Renju, Side::White));
    }
}

#[test]
fn a_sample_of_the_programs_puzzles_has_one_solution_each() {
    let mut finder = Finder::default();
    for puzzle in built_in().iter().step_by(ONE_IN) {
        assert!(finder.verify(puzzle, &StopToken::new()), "{} {}", puzzle.rule, puzzle.stones());
    }
}

/// `cargo test --package tengen-analysis --test puzzles -- --ignored`, or `tengen puzzles --check built-in`
#[test]
#[ignore = "takes minutes"]
fn all_of_the_programs_puzzles_have_one_solution_each() {
    let mut finder = Finder::default();
    let holds = |puzzle: &&Puzzle| !finder.verify(puzzle, &StopToken::new());
    let wrong: Vec<String> = built_in().iter().filter(holds).map(Puzzle::stones).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The images of a position are the same puzzle, with the image of the solution.
#[test]
fn symmetric_positions_are_one_puzzle() {
    for puzzle in built_in().iter().step_by(4 * ONE_IN) {
        let size = puzzle.setup.size;
        for symmetry in [Symmetry::ALL[3], Symmetry::ALL[4], Symmetry::ALL[6]] {
            let stones = puzzle.setup.stones.iter().map(|(point, _)| symmetry.apply(size, *point));
            let image = Setup::from_moves(size, stones);
            let solution = symmetry.apply(size, puzzle.solution);
            let same = Puzzle { setup: image.clone(), solution, ..puzzle.clone() };
            assert_eq!((same.class(), same.id()), (puzzle.class(), puzzle.id()));
            if let Some(found) = examine(&image, puzzle.rule) {
                assert_eq!(found.solution, solution, "{}", puzzle.stones());
            }
        }
    }
}

/// The stones of a puzzle on a larger board, moved by some columns and rows.
fn moved(puzzle: &Puzzle, size: BoardSize, by: (u8, u8)) -> Vec<(Point, Side)> {
    let place = |(point, side): &(Point, Side)| Some((Point::new(point.x() + by.0, point.y() + by.1)?, *side));
    let stones = puzzle.setup.stones.iter().filter_map(place).filter(|(point, _)| size.contains(*point));
    stones.collect()
}

/// A position far from the borders has one winning move; beside a copy of itself it has two, and is no puzzle.
#[test]
fn two_winning_moves_are_no_puzzle() {
    let (size, mut tried) = (BoardSize::new(25, 25).expect("a size"), 0);
    let narrow = |puzzle: &&Puzzle| {
        let range = |of: fn(&Point) -> u8| {
            let all = puzzle.setup.stones.iter().map(|(point, _)| of(point));
            (all.clone().min().unwrap_or(0), all.max().unwrap_or(0))
        };
        let ((left, right), (top, bottom)) = (range(|p| p.x()), range(|p| p.y()));
        let central = left >= 3 && top >= 3 && right <= 11 && bottom <= 11;
        puzzle.setup.size == BoardSize::RENJU && puzzle.rule != Rule::Renju && puzzle.kind == Kind::Fours && central
    };
    for puzzle in built_in().iter().filter(narrow).take(6) {
        let once = moved(puzzle, size, (0, 0));
        let to_move = puzzle.setup.to_move;
        let setup = |stones: Vec<(Point, Side)>| Setup { size, stones, blocked: Vec::new(), to_move };
        if examine(&setup(once.clone()), puzzle.rule).is_none_or(|found| found.solution != puzzle.solution) {
            continue;
        }
        let mut twice = [once, moved(puzzle, size, (10, 10))].concat();
        // The number of stones of either side has to fit the side to move.
        let black = twice.iter().filter(|(_, side)| *side == Side::Black).count();
        if 2 * black > twice.len() + 1 {
            twice.push((Point::at(0, 24), Side::White));
        }
        assert_eq!(examine(&setup(twice), puzzle.rule), None, "{}", puzzle.stones());
        tried += 1;
    }
    assert!(tried >= 2, "too few positions fit on a large board: {tried}");
}

#[test]
fn positions_without_a_win_are_no_puzzles() {
    let of = |rule, labels: &str| {
        let points = parse_points(BoardSize::RENJU, labels).expect("labels");
        examine(&Setup::from_moves(BoardSize::RENJU, points), rule)
    };
    for rule in Rule::ALL {
        assert_eq!(of(rule, ""), None);
        assert_eq!(of(rule, "h8i9h9"), None);
        // An open three: two moves win, and everyone sees them. A five. A finished game.
        assert_eq!(of(rule, "h8a1i8c1j8e1"), None);
        assert_eq!(of(rule, "h8a1i8a2j8a4k8a5"), None);
        assert_eq!(of(rule, "h8a1i8a2j8a4k8a5l8"), None);
    }
    let size = BoardSize::RENJU;
    let alone = Setup { to_move: Side::White, ..Setup::empty(size) };
    assert_eq!(examine(&alone, Rule::Freestyle), None, "white cannot be to move");
    let stopped = StopToken::new();
    stopped.stop();
    let puzzle = &built_in()[0];
    assert!(!Finder::default().verify(puzzle, &stopped), "nothing is claimed by a search that was stopped");
}

#[test]
fn wrong_solutions_are_found_out() {
    let puzzle = &built_in()[0];
    let size = puzzle.setup.size;
    let other = ["a1", "o15", "a15"].into_iter().filter_map(|label| parse_point(size, label).ok());
    let taken = |point: &Point| puzzle.setup.stones.iter().any(|(stone, _)| stone == point);
    for solution in other.filter(|point| !taken(point)) {
        assert!(!Finder::default().verify(&Puzzle { solution, ..puzzle.clone() }, &StopToken::new()));
    }
}
