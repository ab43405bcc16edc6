//! The rules of the game and the position's incremental state of them: winning rows, forbidden points.

mod forbidden;
mod incremental;
mod renju;
mod rules;
#[path = "../support/mod.rs"]
mod support;
