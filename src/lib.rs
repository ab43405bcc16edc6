//! Tengen, a Gomoku and Renju engine.

pub mod board;
pub mod control;
pub mod engine;
pub mod protocol;
pub mod rules;
pub mod score;
pub mod workbench;
