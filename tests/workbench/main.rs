//! The workbench, `tengen` on the command line: analysis, matches, self-play, tuning, and the files that they write.

mod analyze;
#[path = "../arena/mod.rs"]
mod arena;
mod common;
mod complaints;
mod figures;
mod generation;
mod programs;
mod record;
mod reports;
#[cfg(unix)]
mod resume;
mod review;
mod selfplay;
mod statistics;
mod trees;
mod tune;
