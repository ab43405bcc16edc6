//! Training games: [`selfplay`] plays them within the process, [`generate`](mod@generate) on all cores. A game is
//! kept as a [`record`] in a [`file`](mod@file); [`merge`](mod@merge) joins files, [`stats`] counts, [`plot`] draws
//! and [`export`](mod@export) writes arrays for training. [`tree`] searches positions again and keeps what it finds
//! below them.

pub mod export;
pub mod file;
pub mod generate;
pub mod merge;
pub mod plot;
pub mod record;
pub mod selfplay;
pub mod stats;
pub mod tree;
