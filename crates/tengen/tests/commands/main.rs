//! The program `tengen`: analysis, matches, self-play, tuning, and the files that they write.

mod analyze;
#[path = "../arena/mod.rs"]
mod arena;
mod book;
mod common;
mod complaints;
mod database;
#[path = "../../../../tests/support/engine.rs"]
mod engine;
mod figures;
#[path = "../../../../tests/support/folder.rs"]
mod folder;
mod generation;
mod gomocup;
mod joint;
mod keeping;
mod losses;
#[path = "../../../../tests/support/machine.rs"]
mod machine;
mod others;
#[cfg(unix)]
mod parts;
#[path = "../../../../tests/support/play.rs"]
mod play;
#[path = "../../../../tests/support/program.rs"]
mod program;
mod programs;
mod puzzles;
mod reports;
#[cfg(unix)]
mod resume;
mod review;
mod selfplay;
#[path = "../../../../tests/support/mod.rs"]
mod support;
mod text;
mod trees;
mod tune;
mod watch;
#[path = "../../../play/tests/play/web.rs"]
mod web;
