//! Games of the engine against itself on boards of all sizes, refereed by the plain rules.

use crate::play::{ask, engine, legal_point};
use tengen::engine::{Answer, BoardSize, Goal, Limits, Point, Request, Rule, Setup};
use tengen::rules::{Game, Outcome, Status};

fn play_out(size: BoardSize, rule: Rule) -> Outcome {
    let mut one = engine(1);
    let mut game = Game::new(rule, size);
    loop {
        let setup = game.setup();
        let outcome = ask(&mut one, &Request::new(setup.clone(), rule, Limits::nodes(500)));
        let point = legal_point(&outcome, &setup, rule);
        match game.play(point) {
            Ok(Status::Running) => {}
            Ok(Status::Over(outcome)) => return outcome,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn games_end_by_a_row_or_a_full_board() {
    let squares = (5..=25).map(|side| (side, side));
    let rectangles = [(5, 25), (25, 5), (20, 12), (6, 9), (15, 14), (24, 25), (11, 7)];
    let mut wins = 0;
    let mut number = 0;
    for (i, (width, height)) in squares.chain(rectangles).enumerate() {
        // Small boards under every rule, because games on small boards are the ones that reach a full board.
        let rules = if width < 8 && height < 8 { &Rule::ALL[..] } else { &Rule::ALL[i % 5..=i % 5] };
        for rule in rules {
            let outcome = play_out(BoardSize::new(width, height).expect("a size"), *rule);
            number += 1;
            wins += usize::from(matches!(outcome, Outcome::Win { .. }));
            // A foul is possible only where black has no other move (`legal_point`), which is near a draw.
            let is_narrow = width.min(height) < 8;
            assert!(!matches!(outcome, Outcome::Foul { .. }) || is_narrow, "{rule} {width}x{height}: {outcome}");
        }
    }
    println!("{wins} of {number} games were won");
    assert!(wins > 0 && wins < number);
}

#[test]
fn one_cell_that_is_left_is_played() {
    for (width, height) in [(5, 5), (15, 15), (25, 25), (25, 5)] {
        let size = BoardSize::new(width, height).expect("a size");
        let last = Point::at(width - 1, 2);
        let blocked = size.points().filter(|p| *p != last).collect();
        let setup = Setup { blocked, ..Setup::empty(size) };
        for rule in Rule::ALL {
            for goal in [Goal::Move, Goal::AllMoves, Goal::BalanceOne { bias: 0 }, Goal::Swap2Final] {
                let request = Request { goal, ..Request::new(setup.clone(), rule, Limits::infinite()) };
                let outcome = ask(&mut engine(1), &request);
                assert_eq!(outcome.answer, Answer::Points(vec![last]), "{rule} {size} {goal:?}");
            }
        }
    }
}
