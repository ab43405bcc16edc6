//! Warnings of moves that lose.

use super::{Value, side_name};
use serde::Serialize;
use tengen::board::Side;

/// A person's last move was bad: the event `warned`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Warned {
    /// The move.
    pub at: String,
    /// Who made it.
    #[serde(with = "side_name")]
    pub side: Side,
    /// The value with the best move.
    pub best: Value,
    /// The value after the move.
    pub value: Value,
    /// Win probability lost, 0 to 1.
    pub loss: f64,
    /// Whether `undo` takes it back.
    pub undo: bool,
}
