//! A node's question and what is known of it before its moves are searched: plain data.

use super::tt::Entry;
use crate::board::Point;
use crate::position::PointSet;
use crate::score::Score;

/// Whether a value is a proven win or loss.
pub(super) fn is_proven(value: i32) -> bool {
    Score::from_raw(value).is_proven()
}

/// Window and depth of one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeArgs {
    pub alpha: i32,
    pub beta: i32,
    /// Remaining depth in hundredths of a ply.
    pub depth: i32,
    /// Whether a fail-high is expected (the parent is an expected all-node).
    pub cut_node: bool,
}

impl NodeArgs {
    /// Whether the window is open, as it is on the principal variation.
    pub fn is_pv(self) -> bool {
        self.beta - self.alpha > 1
    }
}

/// What the steps before the moves learn of a node.
pub(super) struct Node {
    pub args: NodeArgs,
    pub ply: usize,
    pub pv: bool,
    /// Whether the node is, or once was, on a principal variation.
    pub tt_pv: bool,
    pub entry: Option<Entry>,
    /// The table's move, if it is playable here.
    pub tt_move: Option<Point>,
    /// Static evaluation, corrected by a better bound of the table; `None` where a five must be blocked.
    pub eval: Option<i32>,
    pub improving: bool,
    /// The only moves that can avoid a loss, and the score if none of them does.
    pub forced: Option<(PointSet, i32)>,
    /// Whether the opponent has a four, so that there is hardly a choice.
    pub must_block: bool,
    /// The move left out by a singular test.
    pub excluded: Option<Point>,
}

impl Node {
    /// Whether a move is among those that can avoid a loss.
    pub fn allows(&self, point: Point) -> bool {
        self.forced.as_ref().is_none_or(|(set, _)| set.contains(point))
    }
}
