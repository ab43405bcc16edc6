//! Pattern classes of lines and points: what a stone would make. They are generated from one predicate per rule.
//!
//! This layer turns rules into tables. [`crate::rules::LineRule::wins`] judges rows of eleven cells; everything else
//! (fours, threes, twos, openness) follows by definition, see `generate.rs`. Code above this module does not depend on
//! the rule.

mod class;
mod code;
mod combine;
mod generate;
mod table;

pub use class::{LineClass, PointClass};
pub(crate) use code::deltas;
pub use code::{ARMS, CODES, LineCode, REACH, arm_offset, stone_delta, swap_arm};
pub use combine::{COMBINATION_SLOTS, COMBINATIONS, Combined, combination_lines};
pub use table::Tables;
