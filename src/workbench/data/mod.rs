//! Training games: [`selfplay`] plays them within the process, [`generate`] on all cores, [`file`](mod@file) keeps them,
//! [`plot`] shows them.

pub mod file;
pub mod generate;
pub mod plot;
pub mod selfplay;
