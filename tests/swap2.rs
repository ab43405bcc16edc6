//! The second player's choices in swap2: stay, swap, or put two stones.

#[path = "support/play.rs"]
mod play;
mod support;

use std::time::Duration;
use tengen::board::{BoardSize, Cell, Setup, parse_points};
use tengen::engine::{Answer, Engine, Goal, Limits, Options, Outcome, Request, Rule};

const NODES: u64 = 20_000;

fn position(moves: &str) -> Setup {
    let size = BoardSize::new(15, 15).expect("a size");
    Setup::from_moves(size, parse_points(size, moves).expect("labels"))
}

fn ask(goal: Goal, setup: &Setup, rule: Rule, nodes: u64) -> Outcome {
    // Without a limit of time these goals would take one of their own, and a slow machine another answer.
    let limits = Limits { turn: Some(Duration::from_secs(600)), ..Limits::nodes(nodes) };
    let mut engine = Engine::new(Options { hash: Some(8 << 20), ..Options::default() });
    play::ask(&mut engine, &Request { goal, ..Request::new(setup.clone(), rule, limits) })
}

fn decide(goal: Goal, moves: &str) -> Answer {
    ask(goal, &position(moves), Rule::Standard, NODES).answer
}

#[test]
fn who_finds_black_far_ahead_takes_black() {
    assert_eq!(decide(Goal::Swap2Reply, "h8a1i9"), Answer::Swap);
    assert_eq!(decide(Goal::Swap2Final, "h8a1i9o15g7"), Answer::Swap);
}

#[test]
fn who_finds_white_ahead_stays() {
    // Black's stones lie in corners, and white moves next.
    let Answer::Points(points) = decide(Goal::Swap2Reply, "a1h8o15") else { panic!("white is ahead") };
    assert_eq!(points.len(), 1);
}

/// The engine's own openings are nearly even: there the third choice is the best now and then, and makes an even position.
#[test]
fn two_stones_make_an_even_position() {
    let mut tried = 0;
    for (rule, side) in [(Rule::Freestyle, 15), (Rule::Standard, 15), (Rule::Renju, 15), (Rule::Standard, 19)] {
        let size = BoardSize::new(side, side).expect("a size");
        let Answer::Points(opening) = ask(Goal::Swap2Open, &Setup::empty(size), rule, NODES).answer else {
            panic!("no opening")
        };
        let mut setup = Setup::from_moves(size, opening);
        let Answer::Points(points) = ask(Goal::Swap2Reply, &setup, rule, NODES).answer else { continue };
        let [white, black] = points[..] else { continue };
        tried += 1;
        for point in [white, black] {
            assert_eq!(setup.cell(point), Cell::Empty, "{rule}");
            setup.play(point);
        }
        assert_eq!(setup.check(), Ok(()), "{rule}");
        let score = ask(Goal::Move, &setup, rule, 4 * NODES).line.score;
        assert!(score.raw().abs() < 100, "{rule}: {score}");
    }
    assert!(tried > 0, "nobody put two stones");
}

/// What is told of a decision made by several searches is what they did.
#[test]
fn decisions_carry_their_searches() {
    let goals = [
        (Goal::BalanceOne { bias: 0 }, "h8i9", 1),
        (Goal::BalanceTwo { bias: 0 }, "h8i9", 2),
        (Goal::BalanceTwo { bias: 0 }, "", 2),
        (Goal::Swap2Open, "", 3),
        (Goal::Swap2Reply, "h8i9j10", 0),
        (Goal::Swap2Final, "h8a1i9o15g7", 0),
    ];
    for (goal, moves, number) in goals {
        let Outcome { answer, line, .. } = ask(goal, &position(moves), Rule::Standard, NODES);
        assert!(line.depth > 0 && line.seldepth >= line.depth, "{goal:?} {line:?}");
        // The searches share the nodes, and each may have some more than its share.
        assert!((100..=NODES + NODES / 2).contains(&line.nodes), "{goal:?} {line:?}");
        assert_eq!((line.rank, line.of), (0, 1), "{goal:?}");
        match answer {
            Answer::Points(points) => {
                assert!(number == 0 || points.len() == number, "{goal:?} {points:?}");
                assert!(line.moves.starts_with(&points), "{goal:?} {points:?} {line:?}");
            }
            answer => assert_eq!((answer, number), (Answer::Swap, 0), "{goal:?}"),
        }
        // The line can be played.
        let mut setup = position(moves);
        for point in &line.moves {
            assert_eq!(setup.cell(*point), Cell::Empty, "{goal:?} {line:?}");
            setup.play(*point);
        }
    }
}
