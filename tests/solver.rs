//! The solver's claims are true: every win it announces is played, move by move, against every legal defence.

#[path = "support/brawl.rs"]
mod brawl;
#[path = "support/solver.rs"]
mod solver;
#[path = "support/strategy.rs"]
mod strategy;
mod support;

use brawl::Brawl;
use strategy::Trial;
use support::Random;
use tengen::board::{Diagram, Point, Setup};
use tengen::control::StopToken;
use tengen::movegen::{Situation, assess};
use tengen::position::Position;
use tengen::rules::Rule;
use tengen::solver::{Budget, Means, Solver, Verdict, Win};

/// The move of a win's tree; outside of it, what needs no search, or a few fours.
fn follow(win: &Win, solver: &mut Solver, stop: &StopToken, position: &mut Position) -> Option<Point> {
    if let Some(by) = win.answer(position) {
        return Some(by);
    }
    if let Situation::Won { by, .. } = assess(position) {
        return Some(by);
    }
    let budget = Budget { nodes: 2_000, stop };
    let again = solver.solve(position, Means::Fours, budget).win()?;
    again.line().first().copied()
}

/// Plays a win against every defence.
#[track_caller]
fn confirm(setup: &Setup, rule: Rule, win: &Win) -> usize {
    let stop = StopToken::new();
    let mut helper = Solver::new(1 << 16);
    let mut strategy = |position: &mut Position| follow(win, &mut helper, &stop, position);
    let mut trial = Trial::new(setup, rule, &mut strategy);
    if let Err(why) = trial.succeeds() {
        panic!("{rule}: a win in {} was claimed here\n{}\nBut {why}", win.plies(), Diagram::new(setup.clone()));
    }
    trial.replies
}

/// What came of many questions, by fours and by threats.
#[derive(Debug, Default)]
struct Tally {
    wins: [usize; 2],
    /// Wins of at least 11 plies.
    long: [usize; 2],
    none: [usize; 2],
    unknown: [usize; 2],
    /// Moves of the defender that were tried and did not help.
    replies: usize,
}

/// Confirms all wins that are found in the positions of many random games.
fn brawls(rule: Rule, seed: u64, games: usize) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let stop = StopToken::new();
    let mut solver = Solver::new(1 << 20);
    for _ in 0..games {
        let mut game = Brawl::new(&mut random, rule);
        solver.clear();
        while let Some(setup) = game.step() {
            let mut position = Position::new(setup, rule).expect("a sound setup");
            if setup.stones.len() < 6 || matches!(assess(&mut position), Situation::Won { .. }) {
                continue;
            }
            for (i, means) in [Means::Fours, Means::Threats].into_iter().enumerate() {
                match solver.solve(&mut position, means, Budget { nodes: 20_000, stop: &stop }) {
                    Verdict::Win(win) => {
                        tally.replies += confirm(setup, rule, &win);
                        tally.wins[i] += 1;
                        tally.long[i] += usize::from(win.plies() >= 11);
                        break;
                    }
                    Verdict::None => tally.none[i] += 1,
                    Verdict::Unknown => tally.unknown[i] += 1,
                }
            }
            position.audit().expect("the solver leaves the position as it was");
        }
    }
    tally
}

macro_rules! brawls {
    ($($name:ident: $rule:expr, seed $seed:expr;)*) => {$(
        #[test]
        fn $name() {
            let tally = brawls($rule, $seed, 40);
            println!("{}: {tally:?}", $rule);
            assert!(tally.wins[0] >= 130 && tally.wins[1] >= 50 && tally.long[1] >= 40, "too few wins: {tally:?}");
        }
    )*};
}

brawls! {
    wins_are_wins_under_freestyle: Rule::Freestyle, seed 11;
    wins_are_wins_under_standard: Rule::Standard, seed 12;
    wins_are_wins_under_renju: Rule::Renju, seed 13;
    wins_are_wins_under_caro: Rule::Caro, seed 14;
    wins_are_wins_under_exact_caro: Rule::CaroExact, seed 15;
}
