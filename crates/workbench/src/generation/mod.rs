//! Generations of the learned evaluation: each plays games, trains a network on them, and keeps the winner of a match.
//!
//! All generations have their files in one folder; `NNN` is the generation's number, from 1:
//!
//! | file | what |
//! |---|---|
//! | `manifest.jsonl` | log of the completed stages, see [`manifest`] |
//! | `best.tnn` | the network in force; if absent, the classical evaluation is in force |
//! | `games-NNN.bin` | self-play games of the evaluation in force |
//! | `trees-NNN.tree` | nodes of its searches of positions of these games, if enabled |
//! | `run-NNN.ckpt` | state of the training on the games of the newest generations |
//! | `losses-NNN.svg` | loss curves of the training |
//! | `network-NNN.tnn` | the trained network |
//! | `pairs-NNN.jsonl` | the match of that network against the evaluation in force, pair by pair |
//!
//! Each stage can be killed at any time; the same call resumes it. With node limits for moves, the same settings give
//! the same files, independent of the number of threads and of interruptions.

pub mod manifest;
mod run;
pub mod settings;

pub use run::{Generation, GenerationError, Update};
