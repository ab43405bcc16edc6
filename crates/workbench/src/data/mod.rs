//! Training games: [`selfplay`] plays them within the process, [`generate`](mod@generate) on all cores. A [`record`]
//! stores a game, a [`file`](mod@file) stores records; [`merge`](mod@merge) joins files, [`stats`] counts games,
//! [`plot`] draws charts and [`export`](mod@export) writes arrays for training. [`tree`] searches positions again and
//! stores nodes of the search trees, in a [`tree_file`].

pub mod export;
pub mod file;
pub mod gamefile;
pub mod generate;
pub mod merge;
pub mod plot;
pub mod record;
pub mod selfplay;
pub mod stats;
pub mod tree;
pub mod tree_file;
