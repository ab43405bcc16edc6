//! Tengen, a Gomoku and Renju engine.

pub mod board;
pub mod control;
pub mod engine;
pub mod eval;
pub mod movegen;
pub mod pattern;
pub mod position;
pub mod protocol;
pub mod rules;
pub mod score;
pub mod search;
pub mod workbench;
