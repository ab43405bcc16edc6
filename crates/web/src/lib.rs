//! Tengen in WebAssembly: the board and the engine of a page that has no server, each in a Web Worker.
//!
//! One module serves all workers. [`Board`](board::Board) is the host of the session; [`Worker`](worker::Worker) does
//! one job after another; [`Trainer`](trainer::Trainer) answers the puzzles. The JavaScript in `site` starts the
//! workers, carries messages and keeps the games. Each worker has a memory of its own, which in the build with threads
//! it shares with its helpers ([`threads`]).
//!
//! `scripts/site.sh` makes the site. `scripts/web-bench.sh` compares the signature of the engine with that of the
//! native program.

#![cfg(target_family = "wasm")]

mod board;
mod threads;
mod trainer;
mod worker;

use tengen::bench::{self, Settings};
use tengen::eval::network::Network;
use wasm_bindgen::prelude::wasm_bindgen;

/// Takes the file of the network, before anything else that needs it. An error is a sentence.
#[wasm_bindgen(js_name = provideNetwork)]
pub fn provide_network(file: Vec<u8>) -> Result<(), String> {
    Network::provide(file).map_err(|e| e.to_string())
}

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
