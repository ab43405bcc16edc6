//! Requests to the engine, and checks that every answer must pass.

#![allow(dead_code, reason = "each test program uses a part")]

use crate::support::{Clusters, Random};
use tengen::board::{Diagram, Grid};
use tengen::engine::{Answer, BoardSize, Engine, Limits, Options, Outcome, Point, Request, Rule, Setup, StopToken};
use tengen::rules::{any_winner, forbidden_points};

pub fn engine(threads: usize) -> Engine {
    Engine::new(Options { threads, hash: Some(4 << 20), ..Options::default() })
}

pub fn ask(engine: &mut Engine, request: &Request) -> Outcome {
    engine.think(request, &StopToken::new(), &mut |_| {})
}

pub fn think(engine: &mut Engine, setup: &Setup, rule: Rule, limits: Limits) -> Outcome {
    ask(engine, &Request::new(setup.clone(), rule, limits))
}

/// Points where the side to move may play; if there are none, all empty points.
pub fn playable(setup: &Setup, rule: Rule) -> Vec<Point> {
    let grid = Grid::from_setup(setup);
    let restricted = rule.restricted_side() == Some(setup.to_move);
    let forbidden = if restricted { forbidden_points(&grid) } else { Vec::new() };
    let legal: Vec<Point> = grid.empty_points().filter(|p| !forbidden.contains(p)).collect();
    if legal.is_empty() { grid.empty_points().collect() } else { legal }
}

/// The one point of an answer, which must be playable.
#[track_caller]
pub fn legal_point(outcome: &Outcome, setup: &Setup, rule: Rule) -> Point {
    let drawn = || format!("{rule}, {:?} to move\n{}", setup.to_move, Diagram::new(setup.clone()).with_coordinates());
    let Answer::Points(points) = &outcome.answer else { panic!("{:?}\n{}", outcome.answer, drawn()) };
    assert_eq!(points.len(), 1, "{}", drawn());
    assert!(playable(setup, rule).contains(&points[0]), "{points:?}\n{}", drawn());
    assert_eq!(outcome.line.moves.first(), points.first(), "{}", drawn());
    points[0]
}

/// Positions like those of unfinished games.
pub fn games(random: &mut Random, rule: Rule, stones: (usize, usize)) -> impl Iterator<Item = Setup> {
    let clusters = Clusters { stones, alternate: true, ..Clusters::all_sizes() };
    std::iter::repeat_with(move || clusters.position(random))
        .filter(move |setup| any_winner(&Grid::from_setup(setup), rule).is_none() && setup.empty_cells() > 0)
}

/// An opening in which no win is found for a long time.
pub fn quiet() -> Setup {
    let moves = [(7, 7), (8, 8), (6, 9), (9, 6), (10, 9), (5, 6)].map(|(x, y)| Point::at(x, y));
    Setup::from_moves(BoardSize::RENJU, moves)
}
