//! Tengen in WebAssembly: the board and the engine of a page that has no server, each in a Web Worker.
//!
//! One module serves all workers. [`Board`](board::Board) is the host of the session; [`Worker`](worker::Worker) does
//! one job after another, and nothing can interrupt it but its end; [`Trainer`](trainer::Trainer) answers the puzzles.
//! The JavaScript in `site` starts the workers, carries messages and keeps the games.
//!
//! `scripts/site.sh` makes the site. `scripts/web-bench.sh` compares the signature of the engine with that of the
//! native program.

#![cfg(target_family = "wasm")]

mod board;
mod trainer;
mod worker;

use tengen::bench::{self, Settings};
use wasm_bindgen::prelude::wasm_bindgen;

/// Runs the bench and returns what `pbrain-tengen bench` prints. Its signature is that of the native program.
#[wasm_bindgen]
pub fn bench() -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = bench::print(&Settings::default(), &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The version, as `pbrain-tengen --version` prints it.
#[wasm_bindgen]
pub fn version() -> String {
    tengen::VERSION.to_owned()
}
