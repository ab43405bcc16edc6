//! Geometry and stones: sizes, points, sides, text diagrams, symmetries.
//!
//! Knows nothing of rules: what wins and what is forbidden is [`crate::rules`]' business.

mod point;
mod setup;
mod side;
mod size;

pub use point::{Direction, POINTS, Point, STRIDE};
pub use setup::{Setup, SetupError};
pub use side::{BySide, Cell, Side};
pub use size::BoardSize;
