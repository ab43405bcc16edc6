//! Cost of the position on fixed mid-game positions: pairs of play and undo per second, without and with an observing
//! evaluator, and the time of one evaluation. Also measures the time to build a rule's tables.
//!
//! `cargo bench` runs it. Each small task is timed over several rounds and the fastest round counts, so other programs
//! on the machine have little influence.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;
use tengen::board::{BoardSize, Point, Setup};
use tengen::eval::{Classical, Evaluator, Weights};
use tengen::pattern::Tables;
use tengen::position::{Observer, Position, Silent};
use tengen::rules::Rule;

const ROUNDS: usize = 20;

/// Evaluations of each position in one round of [`evaluation`]: enough to make the cost of the clock negligible.
const LOOKS: usize = 20_000;

fn main() {
    for rule in Rule::ALL {
        let started = Instant::now();
        black_box(Tables::of(rule));
        println!("tables {rule:<11} {:>8.2} ms", started.elapsed().as_secs_f64() * 1e3);
    }
    println!("{:<11} {:<6} {:>14} {:>14} {:>11}", "", "", "play+undo", "with evaluator", "evaluation");
    for (rule, side) in
        [(Rule::Freestyle, 15), (Rule::Standard, 15), (Rule::Renju, 15), (Rule::Caro, 15), (Rule::Freestyle, 20)]
    {
        let size = BoardSize::new(side, side).expect("a size");
        let mut games: Vec<(Position, Classical)> = (0..4).map(|seed| mid_game(size, rule, seed)).collect();
        let silent = pairs_a_second(&mut games, |(position, _)| (position, Silent));
        let listened = pairs_a_second(&mut games, |(position, classical)| (position, classical.clone()));
        let nanoseconds = evaluation(&mut games);
        println!(
            "{rule:<11} {side}x{side}  {:>10.2} M/s {:>10.2} M/s {nanoseconds:>8.2} ns",
            silent / 1e6,
            listened / 1e6
        );
    }
}

/// Plays and undoes every candidate, two plies deep, with an observer for each position.
fn pairs_a_second<O: Observer>(
    games: &mut [(Position, Classical<'static>)],
    observed: impl for<'a> Fn(&'a mut (Position, Classical<'static>)) -> (&'a mut Position, O),
) -> f64 {
    let (mut pairs, mut seconds) = (0_u64, 0.0);
    for game in games {
        let (position, mut observer) = observed(game);
        for first in position.candidates().iter() {
            let mut fastest = f64::INFINITY;
            for _ in 0..ROUNDS {
                let started = Instant::now();
                position.play(first, &mut observer);
                for second in position.candidates().iter() {
                    position.play(second, &mut observer);
                    black_box(position.key());
                    position.undo(&mut observer);
                }
                position.undo(&mut observer);
                fastest = fastest.min(started.elapsed().as_secs_f64());
            }
            seconds += fastest;
            position.play(first, &mut observer);
            pairs += 1 + position.candidates().len() as u64;
            position.undo(&mut observer);
        }
        black_box(&observer);
    }
    pairs as f64 / seconds
}

/// Nanoseconds of one evaluation of a position whose changes the evaluator has already received.
fn evaluation(games: &mut [(Position, Classical)]) -> f64 {
    let mut round = || {
        let started = Instant::now();
        for _ in 0..LOOKS {
            for (position, classical) in games.iter_mut() {
                black_box(black_box(&mut *classical).evaluate(black_box(position)));
            }
        }
        started.elapsed().as_secs_f64() * 1e9 / (LOOKS * games.len()) as f64
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// Thirty-one stones, each near the others.
fn mid_game(size: BoardSize, rule: Rule, seed: u64) -> (Position, Classical<'static>) {
    let mut state = seed + 1;
    let mut setup = Setup::from_moves(size, [size.center()]);
    for _ in 0..30 {
        let position = Position::new(&setup, rule).expect("a legal setup");
        let near: Vec<Point> = position.candidates().iter().filter(|p| p.distance(size.center()) <= 4).collect();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        setup.play(near[(state >> 33) as usize % near.len()]);
    }
    Classical::with_position(&setup, rule, Weights::built_in()).expect("a legal setup")
}
