//! One generation of the learned evaluation after the other: games, training, a match, and the better one is kept.
//!
//! A generation has its files in a folder, and so have those before it; `NNN` is its number, from 1:
//!
//! | file | what |
//! |---|---|
//! | `manifest.jsonl` | what was done, see [`manifest`] |
//! | `best.tnn` | the network in force; without it that is the classical evaluation |
//! | `games-NNN.bin` | games of the evaluation in force against itself |
//! | `trees-NNN.tree` | nodes of its searches of positions of these games, if they are wanted |
//! | `run-NNN.ckpt` | state of the training on the games of the newest generations |
//! | `losses-NNN.svg` | its curves |
//! | `network-NNN.tnn` | what came of it |
//! | `pairs-NNN.jsonl` | the match of that against the evaluation in force, pair by pair |
//!
//! Each stage can be killed at any time: the same call goes on with it. Where moves are limited by nodes, the same
//! settings give the same files, whatever the number of threads and interruptions.

pub mod manifest;
mod run;
pub mod settings;

pub use run::{Generation, GenerationError, News};
