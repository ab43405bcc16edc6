//! The solver's claims are true: every win it announces is played, move by move, against every legal defence.

use crate::brawl::Brawl;
use crate::plain::Solver as Plain;
use crate::strategy::Trial;
use crate::support::Random;
use rayon::prelude::*;
use tengen::board::{Diagram, Point, Setup, Side};
use tengen::control::StopToken;
use tengen::movegen::{ThreatStatus, threat_status};
use tengen::position::Position;
use tengen::rules::Rule;
use tengen::solver::{Budget, Means, Solver, Verdict, Win};

/// More nodes than most questions need.
const ENOUGH: u64 = 20_000;

/// The move from the win's tree; outside the tree, a move that needs no search or starts a short series of fours.
fn follow(win: &Win, solver: &mut Solver, stop: &StopToken, position: &mut Position) -> Option<Point> {
    if let Some(by) = win.answer(position) {
        return Some(by);
    }
    if let ThreatStatus::Won { by, .. } = threat_status(position) {
        return Some(by);
    }
    let budget = Budget::new(2_000, stop);
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

/// Results of many questions, by fours and by threats.
#[derive(Debug, Default)]
struct Tally {
    wins: [usize; 2],
    /// Wins of at least 11 plies.
    long: [usize; 2],
    none: [usize; 2],
    unknown: [usize; 2],
    /// Defending moves that were tried and lost.
    replies: usize,
}

/// Confirms all wins found in the positions of many random games.
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
            if setup.stones.len() < 6 || matches!(threat_status(&mut position), ThreatStatus::Won { .. }) {
                continue;
            }
            for (i, means) in [Means::Fours, Means::Threats].into_iter().enumerate() {
                match solver.solve(&mut position, means, Budget::new(ENOUGH, &stop)) {
                    Verdict::Win(win) => {
                        tally.replies += confirm(setup, rule, &win);
                        tally.wins[i] += 1;
                        tally.long[i] += usize::from(win.plies() >= 11);
                        break;
                    }
                    Verdict::None => tally.none[i] += 1,
                    Verdict::Unknown | Verdict::Unproven => tally.unknown[i] += 1,
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
            let tally = brawls($rule, $seed, 30);
            println!("{}: {tally:?}", $rule);
            assert!(tally.wins[0] >= 100 && tally.wins[1] >= 40 && tally.long[1] >= 30, "too few wins: {tally:?}");
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

/// Whether `side`, which is to move, wins by this number of fours, each with only one answer; tries every cell.
fn wins_by_fours(plain: &mut Plain, side: Side, cells: &[Point], fours: usize) -> bool {
    if !plain.winning_points(side).is_empty() {
        return true;
    }
    let blocks = plain.winning_points(!side);
    if fours == 0 || blocks.len() > 1 {
        return false;
    }
    cells.iter().any(|at| {
        if !plain.is_legal(*at, side) || blocks.first().is_some_and(|block| block != at) {
            return false;
        }
        plain.play(*at, side);
        let wins = match plain.winning_points(side)[..] {
            [] => false,
            [reply] if plain.is_legal(reply, !side) => {
                plain.play(reply, !side);
                let wins = wins_by_fours(plain, side, cells, fours - 1);
                plain.undo(reply);
                wins
            }
            // Two cells to block, or a forbidden one.
            _ => plain.winning_points(!side).is_empty(),
        };
        plain.undo(*at);
        wins
    })
}

#[test]
fn where_it_finds_no_fours_there_are_none() {
    let mut random = Random::new(16);
    let stop = StopToken::new();
    // Under caro a four may have several answers.
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Renju] {
        let (mut none, mut wins) = (0, 0);
        for _ in 0..8 {
            let mut game = Brawl::new(&mut random, rule);
            let mut solver = Solver::new(1 << 20);
            while let Some(setup) = game.step() {
                let mut position = Position::new(setup, rule).expect("a sound setup");
                let cells: Vec<Point> = setup.size.points().collect();
                let verdict = solver.solve(&mut position, Means::Fours, Budget::new(ENOUGH, &stop));
                let found = wins_by_fours(&mut Plain::new(setup, rule), setup.to_move, &cells, 4);
                let drawn = || format!("{rule}, {:?} to move\n{}", setup.to_move, Diagram::new(setup.clone()));
                assert!(!(found && matches!(verdict, Verdict::None)), "there is a win by fours: {}", drawn());
                none += usize::from(matches!(verdict, Verdict::None));
                wins += usize::from(found);
            }
        }
        println!("{rule}: {none} without a win by fours, {wins} with one");
        assert!(none >= 200 && wins >= 100, "{none} {wins}");
    }
}

/// Every legal move that the solver does not list as an answer to a threat loses. Counts threats, answers and other
/// moves.
fn threats(rule: Rule, seed: u64, games: usize) -> [usize; 3] {
    let mut random = Random::new(seed);
    let stop = StopToken::new();
    let (mut threats, mut answers, mut left_out) = (0, 0, 0);
    for _ in 0..games {
        let mut game = Brawl::new(&mut random, rule);
        let mut solver = Solver::new(1 << 20);
        while let Some(setup) = game.step() {
            if setup.stones.len() < 6 || !random.percent(15) {
                continue;
            }
            let mut position = Position::new(setup, rule).expect("a sound setup");
            if !matches!(threat_status(&mut position), ThreatStatus::Quiet) {
                continue;
            }
            position.pass();
            let threat = solver.solve(&mut position, Means::Threats, Budget::new(ENOUGH, &stop)).win();
            position.pass();
            let Some(threat) = threat else { continue };
            let refuting = solver.answers(&mut position, &threat, Budget::new(ENOUGH, &stop));
            position.audit().expect("the solver leaves the position as it was");
            let plain = Plain::new(setup, rule);
            threats += 1;
            answers += refuting.len();
            let judged = random.below(setup.empty_cells());
            let legal = plain.legal_moves(setup.to_move);
            for (i, at) in legal.into_iter().enumerate().filter(|(_, at)| !refuting.contains(*at)) {
                let mut after = setup.clone();
                after.play(at);
                let mut position = Position::new(&after, rule).expect("a sound setup");
                let long = Budget::new(100 * ENOUGH, &stop);
                let verdict = Solver::new(1 << 20).solve(&mut position, Means::Threats, long);
                let Verdict::Win(win) = verdict else {
                    panic!(
                        "{rule}: {at:?} is an answer: {verdict:?}\n{}",
                        Diagram::new(setup.clone()).with_coordinates()
                    );
                };
                if i == judged {
                    confirm(&after, rule, &win);
                }
                left_out += 1;
            }
        }
    }
    [threats, answers, left_out]
}

#[test]
fn no_move_left_out_answers_a_threat() {
    Rule::ALL.par_iter().enumerate().for_each(|(i, rule)| {
        let [threats, answers, left_out] = threats(*rule, 17 + i as u64, 20);
        println!("{rule}: {threats} threats, {answers} answers, {left_out} moves left out");
        assert!(threats >= 5 && left_out >= answers && answers > 0, "{threats} {answers} {left_out}");
    });
}
