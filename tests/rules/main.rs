//! The rules of the game, and what a position keeps of them: rows that win, points that are forbidden.

mod forbidden;
mod incremental;
mod renju;
mod rules;
#[path = "../support/mod.rs"]
mod support;
