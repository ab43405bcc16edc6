//! Threats and forced wins: searches without patterns confirm all claims of the engine.

mod attacks;
mod brawl;
mod plain;
mod puzzles;
mod solver;
mod stones;
mod strategy;
#[path = "../support/mod.rs"]
mod support;
mod threat_marks;
mod threats;
