//! Known wins are found, and near misses are not reported as wins.
//!
//! The positions of `data/attacks.txt` come from games of the engine. A long search has proven the wins. For the near
//! misses it has searched all attacks; a near miss is a win with one stone of the attacker removed, or with one stone
//! of the defender added on the winning line. [`make_the_positions`] wrote the file.

use crate::puzzles::{Puzzle, puzzles};
use crate::strategy::Trial;
use crate::support::{Random, data};
use rayon::prelude::*;
use tengen::board::{BoardSize, Cell, Grid, Point, Setup};
use tengen::control::StopToken;
use tengen::engine::{Answer, Engine, Limits, Options, Request};
use tengen::position::Position;
use tengen::rules::{Rule, any_winner};
use tengen::solver::{Budget, Means, Solver, Verdict, Win};

/// Nodes of the search that proves the positions.
const LONG: u64 = 4_000_000;
/// Nodes within which nearly all wins are found.
const SHORT: u64 = 800_000;
/// Number of wins, and of near misses, for each rule.
const EACH: usize = 40;
/// Nodes spent on a near miss.
const MIDDLE: u64 = 50_000;
/// Shorter wins are not stored.
const SHORTEST: u32 = 11;

fn position(puzzle: &Puzzle) -> Position {
    Position::new(&puzzle.setup, puzzle.rule).expect("a sound setup")
}

fn solve(solver: &mut Solver, puzzle: &Puzzle, nodes: u64) -> Verdict {
    solver.clear();
    solver.solve(&mut position(puzzle), Means::Threats, Budget::new(nodes, &StopToken::new()))
}

/// Plays a win against all defences; where its table has no answer, a small search for fours has.
fn play_out(puzzle: &Puzzle, win: &Win) {
    let (mut helper, stop) = (Solver::new(1 << 16), StopToken::new());
    let mut strategy = |position: &mut Position| {
        win.answer(position).or_else(|| {
            let again = helper.solve(position, Means::Fours, Budget::new(2_000, &stop)).win()?;
            again.line().first().copied()
        })
    };
    if let Err(why) = Trial::new(&puzzle.setup, puzzle.rule, &mut strategy).succeeds() {
        panic!("{}: {why}", puzzle.rule);
    }
}

#[test]
fn known_wins_are_found() {
    let all = puzzles();
    let wins: Vec<&Puzzle> = all.iter().filter(|p| p.plies.is_some()).collect();
    let is_found = |solver: &mut Solver, (i, puzzle): (usize, &&Puzzle)| match solve(solver, puzzle, SHORT) {
        Verdict::Win(win) => {
            // Playing all wins takes long; `solver.rs` plays thousands.
            if i % 4 == 3 {
                play_out(puzzle, &win);
            }
            true
        }
        Verdict::Unknown => false,
        verdict => panic!("{} has a win: {verdict:?}", puzzle.rule),
    };
    let each = wins.par_iter().enumerate().map_init(|| Solver::new(16 << 20), is_found);
    let (total, found) = (wins.len(), each.filter(|is_found| *is_found).count());
    println!("{found} of {total} found");
    assert!(total == EACH * Rule::ALL.len() && found * 100 >= total * 95, "{found} of {total}");
}

/// The search at the root calls the solver with small budgets: the solver continues where it stopped, and the proof has
/// a budget of its own.
#[test]
fn wins_are_found_in_small_portions_as_in_one() {
    const PORTION: u64 = 512;
    const PORTIONS: u64 = 40;
    let (mut solver, stop) = (Solver::new(16 << 20), StopToken::new());
    let (mut at_once, mut in_portions) = (0, 0);
    for puzzle in puzzles().iter().filter(|p| p.plies.is_some()) {
        at_once += u64::from(solve(&mut solver, puzzle, PORTION * PORTIONS).win().is_some());
        solver.clear();
        let mut position = position(puzzle);
        let mut portions =
            (0..PORTIONS).map(|_| solver.solve(&mut position, Means::Threats, Budget::new(PORTION, &stop)));
        in_portions += u64::from(portions.any(|verdict| verdict.win().is_some()));
    }
    assert!(at_once >= 100 && in_portions * 100 >= at_once * 97, "{in_portions} in portions, {at_once} at once");
}

#[test]
fn near_misses_are_no_wins() {
    let mut solver = Solver::new(16 << 20);
    let (mut none, mut unknown) = (0, 0);
    for puzzle in puzzles().iter().filter(|p| p.plies.is_none()) {
        match solve(&mut solver, puzzle, MIDDLE) {
            Verdict::Win(win) => panic!("{}: a win in {} where there is none", puzzle.rule, win.plies()),
            Verdict::None => none += 1,
            Verdict::Unknown | Verdict::Unproven => unknown += 1,
        }
    }
    println!("{none} refuted, {unknown} left open");
    assert_eq!(none + unknown, EACH * Rule::ALL.len());
}

#[test]
fn the_engine_announces_wins_beyond_its_depth() {
    let mut engine = Engine::new(Options { hash: Some(4 << 20), ..Options::default() });
    let (mut asked, mut announced) = (0, 0);
    for puzzle in puzzles().iter().filter(|p| p.plies.is_some()).step_by(8) {
        engine.clear();
        let request = Request::new(puzzle.setup.clone(), puzzle.rule, Limits::nodes(50_000));
        let outcome = engine.think(&request, &StopToken::new(), &mut |_| {});
        asked += 1;
        announced += usize::from(outcome.line.score.is_win());
        assert!(!outcome.line.score.is_loss(), "{} has a win", puzzle.rule);
    }
    println!("{announced} of {asked} announced");
    assert!(announced * 3 >= asked, "{announced} of {asked}");
}

/// Plays a game of the engine against itself from a random opening; returns the positions.
fn game(engine: &mut Engine, rule: Rule, random: &mut Random) -> Vec<Setup> {
    let mut setup = Setup::empty(BoardSize::RENJU);
    while setup.stones.len() < 5 {
        let at = Point::at(random.range(4, 10) as u8, random.range(4, 10) as u8);
        if setup.cell(at) == Cell::Empty {
            setup.play(at);
        }
    }
    engine.clear();
    let mut positions = Vec::new();
    while setup.stones.len() < 120 && any_winner(&Grid::from_setup(&setup), rule).is_none() {
        positions.push(setup.clone());
        let request = Request::new(setup.clone(), rule, Limits::nodes(600));
        let Answer::Points(points) = engine.think(&request, &StopToken::new(), &mut |_| {}).answer else { break };
        setup.play(points[0]);
    }
    positions
}

/// The win with one stone of the attacker removed, or one of the defender added, such that no win by threats is left.
fn near_miss(solver: &mut Solver, puzzle: &Puzzle, line: &[Point], random: &mut Random) -> Option<Puzzle> {
    (0..12).find_map(|_| {
        let mut setup = puzzle.setup.clone();
        let us = setup.to_move;
        if random.percent(50) {
            setup.stones.push((*random.pick(line), !us));
        } else {
            let own: Vec<usize> = (0..setup.stones.len()).filter(|i| setup.stones[*i].1 == us).collect();
            setup.stones.remove(*random.pick(&own));
        }
        let miss = Puzzle { rule: puzzle.rule, setup, plies: None };
        let fair = any_winner(&Grid::from_setup(&miss.setup), miss.rule).is_none();
        (fair && matches!(solve(solver, &miss, LONG), Verdict::None)).then_some(miss)
    })
}

#[test]
#[ignore = "writes data/attacks.txt: minutes of search"]
fn make_the_positions() {
    let mut engine = Engine::new(Options { hash: Some(1 << 20), ..Options::default() });
    let mut solver = Solver::new(128 << 20);
    let mut random = Random::new(1994);
    let mut text = String::new();
    for rule in Rule::ALL {
        let (mut wins, mut tried) = (0, 0);
        while wins < EACH {
            tried += 1;
            // The earliest win of a game is the hardest to find.
            let hard = game(&mut engine, rule, &mut random).into_iter().find_map(|setup| {
                let puzzle = Puzzle { rule, setup, plies: None };
                let win = solve(&mut solver, &puzzle, LONG).win()?;
                Some((Puzzle { plies: Some(win.plies()), ..puzzle }, win.line().to_vec()))
            });
            let Some((puzzle, line)) = hard.filter(|(puzzle, _)| puzzle.plies >= Some(SHORTEST)) else { continue };
            let Some(miss) = near_miss(&mut solver, &puzzle, &line, &mut random) else { continue };
            text.extend([&puzzle, &miss].map(|puzzle| puzzle.line() + "\n"));
            wins += 1;
        }
        println!("{rule}: {tried} games");
    }
    std::fs::write(data("attacks.txt"), text).expect("a file");
}
