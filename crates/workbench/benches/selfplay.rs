//! Self-play: positions per second on one core at 2,000 nodes for each move, and the overhead besides the search.

#![allow(clippy::print_stdout, reason = "a benchmark tells its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};
use tengen::board::BoardSize;
use tengen::engine::{Engine, Options};
use tengen::rules::Rule;
use tengen_workbench::data::generate::table_bytes;
use tengen_workbench::data::record::{DataGame, Maker};
use tengen_workbench::data::selfplay::{Searching, Settings, play_game_clocked};

/// Number of games of each kind.
const GAMES: u64 = 12;

fn main() {
    let maker = Maker { engine: Maker::THIS_ENGINE.to_owned(), signature: 0, evaluation: String::new() };
    println!("{:<18} {:>9} {:>12} {:>9} {:>9}", "", "positions", "positions/s", "nodes/s", "overhead");
    for (rule, side) in [(Rule::Freestyle, 15), (Rule::Standard, 15), (Rule::Renju, 15), (Rule::Freestyle, 20)] {
        let size = BoardSize::new(side, side).expect("a size");
        let settings = Settings { rule, size, ..Settings::default() };
        // The same table size as in `tengen selfplay`.
        let mut engine = Engine::new(Options { hash: Some(table_bytes(settings.nodes)), ..Options::default() });
        let mut searching = Searching::default();
        let (mut positions, mut time) = (0, Duration::ZERO);
        // The first game accesses the tables for the first time and is not counted.
        play_game_clocked(&mut engine, &settings, 0, &mut Searching::default());
        for seed in 1..=GAMES {
            let started = Instant::now();
            let game = play_game_clocked(&mut engine, &settings, seed, &mut searching);
            positions += game.moves.len();
            black_box(DataGame::new(1, &settings, seed, maker.clone(), game).encode());
            time += started.elapsed();
        }
        let overhead = 100.0 * (1.0 - searching.time.as_secs_f64() / time.as_secs_f64());
        println!(
            "{:<18} {positions:>9} {:>12.0} {:>9.0} {overhead:>8.2}%",
            format!("{rule} {size}"),
            positions as f64 / time.as_secs_f64(),
            searching.nodes as f64 / searching.time.as_secs_f64(),
        );
    }
}
