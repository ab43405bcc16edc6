//! A node: its window, its depth, and what is known before its moves are searched. Plain data.

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
    /// Whether the window is wider than a null window, as it is on the principal variation.
    pub fn is_pv(self) -> bool {
        self.beta - self.alpha > 1
    }
}

/// The state of a node that the steps before its moves compute.
pub(super) struct Node {
    pub args: NodeArgs,
    pub ply: usize,
    pub pv: bool,
    /// Whether the node is, or once was, on a principal variation.
    pub tt_pv: bool,
    pub entry: Option<Entry>,
    /// The table's move, if it is playable here.
    pub tt_move: Option<Point>,
    /// Static evaluation, replaced by a tighter bound of the table; `None` if a five must be blocked.
    pub eval: Option<i32>,
    pub improving: bool,
    /// The only moves that can avoid a loss, and the score if none of them does.
    pub forced: Option<(PointSet, i32)>,
    /// Whether the opponent has a four, so that there is usually only one reply.
    pub must_block: bool,
    /// The move excluded by a singular test.
    pub excluded: Option<Point>,
}

impl Node {
    /// Whether a move is among those that can avoid a loss.
    pub fn allows(&self, point: Point) -> bool {
        self.forced.as_ref().is_none_or(|(set, _)| set.contains(point))
    }
}
