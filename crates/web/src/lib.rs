//! Tengen in WebAssembly, for a worker of a browser or for Node.
//!
//! `scripts/web-bench.sh` builds it and compares its signature with that of the native program.

#![cfg(target_family = "wasm")]

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
