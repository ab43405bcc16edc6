//! One request to a searcher: plain data.

use super::limits::Limits;
use crate::board::{Point, Setup};
use crate::rules::Rule;

/// One request to a [`Searcher`](super::Searcher).
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The position.
    pub setup: &'a Setup,
    /// The rule in force.
    pub rule: Rule,
    /// Limits.
    pub limits: &'a Limits,
    /// Number of best lines, at least 1.
    pub lines: usize,
    /// Points that must not be played at the root.
    pub excluded: &'a [Point],
    /// Whether every empty point is a root move, even if threats restrict the moves.
    pub all_moves: bool,
}
