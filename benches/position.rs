//! Pairs of play and undo a second, on fixed mid-game positions, and the time to build a rule's tables.

use std::hint::black_box;
use std::time::Instant;
use tengen::board::{BoardSize, Point, Setup};
use tengen::pattern::Tables;
use tengen::position::{Position, Silent};
use tengen::rules::Rule;

fn main() {
    for rule in Rule::ALL {
        let started = Instant::now();
        black_box(Tables::of(rule));
        println!("tables {rule:<11} {:>8.2} ms", started.elapsed().as_secs_f64() * 1e3);
    }
    for (rule, side) in
        [(Rule::Freestyle, 15), (Rule::Standard, 15), (Rule::Renju, 15), (Rule::Caro, 15), (Rule::Freestyle, 20)]
    {
        println!("play+undo {rule:<11} {side}x{side} {:>8.2} M/s", pairs_a_second(rule, side) / 1e6);
    }
}

/// Plays and takes back every candidate of some mid-game positions, two plies deep.
fn pairs_a_second(rule: Rule, side: u8) -> f64 {
    let size = BoardSize::new(side, side).expect("a size");
    let mut positions: Vec<Position> = (0..4).map(|seed| mid_game(size, rule, seed)).collect();
    let started = Instant::now();
    let mut pairs = 0_u64;
    for _ in 0..8 {
        for position in &mut positions {
            for first in position.candidates().iter() {
                position.play(first, &mut Silent);
                for second in position.candidates().iter() {
                    position.play(second, &mut Silent);
                    black_box(position.key());
                    position.undo(&mut Silent);
                    pairs += 1;
                }
                position.undo(&mut Silent);
                pairs += 1;
            }
        }
    }
    pairs as f64 / started.elapsed().as_secs_f64()
}

/// Thirty stones, each near the others.
fn mid_game(size: BoardSize, rule: Rule, seed: u64) -> Position {
    let mut state = seed + 1;
    let mut setup = Setup::from_moves(size, [size.center()]);
    for _ in 0..30 {
        let position = Position::new(&setup, rule).expect("a legal setup");
        let near: Vec<Point> = position.candidates().iter().filter(|p| p.distance(size.center()) <= 4).collect();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        setup.play(near[(state >> 33) as usize % near.len()]);
    }
    Position::new(&setup, rule).expect("a legal setup")
}
