//! How much of a file is read.

use crate::tree::Tree;

/// Most bytes of a file.
pub const MAX_BYTES: usize = 64 << 20;

/// Most games of a file.
pub const MAX_GAMES: usize = 100_000;

/// Deepest nesting of variations.
pub(super) const MAX_DEPTH: usize = Tree::MAX_NODES;

/// Most values of properties that are kept of a file, and most of one node.
pub(super) const MAX_VALUES: usize = 4 * Tree::MAX_NODES;
pub(super) const MAX_NODE_VALUES: usize = 200_000;

/// Most nodes of all games of a file together.
pub(super) const MAX_NODES: usize = 2 * Tree::MAX_NODES;
