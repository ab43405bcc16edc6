//! Cost of the network on mid-game positions, for each kernel of this processor: playing and undoing a stone with an
//! evaluation, an evaluation alone, and the ordering of all candidates. Also measures the time to load the network.
//!
//! `cargo bench --bench network -- FILE` measures the network in a file; without a file name, a network of random
//! weights. Each small task is timed over several rounds and the fastest round counts, so other programs on the machine
//! have little influence.
#![allow(clippy::print_stdout)]

#[path = "../tests/support/random_network.rs"]
mod random_network;

use random_network::{Lcg, random_weights};
use std::hint::black_box;
use std::time::Instant;
use tengen::board::{BoardSize, Point, Setup};
use tengen::eval::network::file::encode;
use tengen::eval::network::{Kernel, Network, Neural};
use tengen::eval::{Evaluator, MoveOrdering, OrderingContext};
use tengen::position::{Position, Silent};
use tengen::rules::Rule;

const ROUNDS: usize = 30;

fn main() {
    let name = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let bytes = match name {
        Some(name) => std::fs::read(name).expect("a file"),
        None => encode(&[random_weights(Rule::Freestyle, 1, 1)]),
    };
    let load = fastest(5, || Network::decode(bytes.clone()).expect("a network"));
    println!("load {:.1} ms, {} bytes", load / 1e6, bytes.len());
    let network: &'static Network = Box::leak(Box::new(Network::decode(bytes).expect("a network")));
    let size = BoardSize::new(15, 15).expect("a size");
    let mut positions: Vec<Position> = (0..8).map(|seed| mid_game(size, seed)).collect();
    let silent = per_child(&mut positions, |_| Silent, |_, _| {});
    println!("{:>12} {:>18} {:>12} {:>20}", "", "play+score+undo", "score alone", "order, a candidate");
    println!("{:>12} {silent:>15.0} ns", "no listener");
    for kernel in Kernel::available() {
        let neural = |position: &Position| Neural::with_kernel(position, network, kernel).expect("the rule");
        let child = per_child(&mut positions, neural, |neural, position| {
            black_box(neural.evaluate(position));
        });
        let (mut alone, mut order, mut candidates) = (0.0, 0.0, 0);
        for position in &mut positions {
            let mut neural = neural(position);
            black_box(neural.evaluate(position));
            // A pass changes the side to move, so no cached result applies.
            alone += fastest(ROUNDS, || {
                for _ in 0..100 {
                    position.pass();
                    black_box(neural.evaluate(position));
                }
            });
            let points: Vec<Point> = position.candidates().iter().collect();
            candidates += points.len();
            order += fastest(ROUNDS, || {
                let ordering = neural.ordering(position, OrderingContext::of(position));
                let mut sum = 0_i32;
                ordering.for_each(&points, position, |_, score| sum = sum.wrapping_add(score));
                sum
            });
        }
        let alone = alone / 100.0 / positions.len() as f64;
        println!("{kernel:>12?} {child:>15.0} ns {alone:>9.0} ns {:>17.1} ns", order / candidates as f64);
    }
}

/// Nanoseconds of the fastest of several rounds.
fn fastest<T>(rounds: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut round = || {
        let started = Instant::now();
        black_box(work());
        started.elapsed().as_nanos() as f64
    };
    (0..rounds).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds to play a candidate, evaluate the position, and undo the candidate; the mean over all candidates, two
/// plies deep.
fn per_child<E: tengen::position::Observer>(
    positions: &mut [Position],
    listener: impl Fn(&Position) -> E,
    mut ask: impl FnMut(&mut E, &Position),
) -> f64 {
    let (mut sum, mut children) = (0.0, 0);
    for position in positions {
        let mut listener = listener(position);
        for first in position.candidates().iter().step_by(5) {
            position.play(first, &mut listener);
            ask(&mut listener, position);
            let points: Vec<Point> = position.candidates().iter().collect();
            children += points.len();
            sum += fastest(ROUNDS / 3, || {
                for point in &points {
                    position.play(*point, &mut listener);
                    ask(&mut listener, position);
                    position.undo(&mut listener);
                }
            });
            position.undo(&mut listener);
        }
    }
    sum / children as f64
}

/// Thirty stones, each near the others.
fn mid_game(size: BoardSize, seed: u64) -> Position {
    let mut lcg = Lcg(seed + 1);
    let mut setup = Setup::from_moves(size, [size.center()]);
    for _ in 0..29 {
        let position = Position::new(&setup, Rule::Freestyle).expect("a legal setup");
        let near: Vec<Point> = position.candidates().iter().filter(|p| p.distance(size.center()) <= 4).collect();
        setup.play(near[lcg.below(near.len())]);
    }
    Position::new(&setup, Rule::Freestyle).expect("a legal setup")
}
