//! Samples of the nodes that a search visits, with their values: training data for an evaluation, from the kind of
//! position where it is used.
//!
//! The idea is TreeStrap's (Veness, Silver, Uther, Blair, *Bootstrapping from Game Tree Search*, 2009): training uses
//! not only the root but every inner node. The value of an inner node is often only a bound.

use super::node::Node;
use super::params::{MAX_DEPTH, PLY};
use super::tt::Bound;
use crate::board::Point;
use crate::position::Position;
use crate::score::Score;

/// A node of a search tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// Moves from the root.
    pub path: Vec<Point>,
    /// Score of the search for the side to move; win distances count from the root.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The best or refuting move; `None` for an upper bound.
    pub best: Option<Point>,
}

/// Which nodes are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Minimum remaining depth of a node, in plies.
    pub depth: u32,
    /// One in this many of these nodes is sampled.
    pub one_in: u32,
}

/// Draws samples while a search runs.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    depth: i32,
    one_in: u64,
    random: u64,
    pub nodes: Vec<TreeNode>,
}

impl Sampler {
    pub fn new(sampling: Sampling, seed: u64) -> Sampler {
        let Sampling { depth, one_in } = sampling;
        let depth = depth.min(MAX_DEPTH) as i32 * PLY;
        Sampler { depth, one_in: u64::from(one_in.max(1)), random: seed, nodes: Vec::new() }
    }

    /// A linear congruential generator (Knuth's MMIX).
    fn draws(&mut self) -> bool {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33).is_multiple_of(self.one_in)
    }

    /// Samples, at random, a node whose moves have been searched. The root has `root_stones` stones. Nodes below a
    /// pass, forced replies and singular tests are never sampled, because an evaluation is not used in such positions.
    #[cold]
    pub fn offer(
        &mut self,
        position: &Position,
        root_stones: usize,
        node: &Node,
        value: i32,
        best_move: Option<Point>,
    ) {
        // A pass adds a ply but no stone.
        let is_wanted = node.args.depth >= self.depth
            && node.excluded.is_none()
            && !node.must_block
            && position.stones() == root_stones + node.ply;
        if is_wanted && self.draws() {
            let path = position.history().skip(root_stones).map(|(point, _)| point).collect();
            let bound = Bound::of(value, node.args.alpha, node.args.beta);
            self.nodes.push(TreeNode { path, score: Score::from_raw(value), bound, best: best_move });
        }
    }
}
