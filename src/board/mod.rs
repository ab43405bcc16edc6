//! Geometry and stones: sizes, points, sides, text diagrams, symmetries.
//!
//! Independent of rules: what wins and what is forbidden is defined in [`crate::rules`].

mod diagram;
mod grid;
mod label;
mod opening;
mod point;
mod setup;
mod side;
mod size;
mod symmetry;

pub use diagram::{Diagram, DiagramError};
pub use grid::{Grid, Run};
pub use label::{LabelError, format_point, format_points, parse_point, parse_points, point_labels};
pub use opening::{OpeningError, format_opening, parse_opening};
pub use point::{Direction, POINTS, Point, STEPS, STRIDE};
pub use setup::{Setup, SetupError};
pub use side::{BySide, Cell, Side};
pub use size::{BoardSize, SizeError};
pub use symmetry::Symmetry;
