//! Limits on the files that are read.

use crate::tree::Tree;

/// Maximum of bytes of a file.
pub const MAX_BYTES: usize = 64 << 20;

/// Maximum of bytes of a file whose games are passed on one by one.
pub const MAX_VISITED_BYTES: usize = 1 << 30;

/// Maximum of games of a file.
pub const MAX_GAMES: usize = 100_000;

/// Deepest nesting of variations.
pub(super) const MAX_DEPTH: usize = Tree::MAX_NODES;

/// Maximum of property values, for a whole file and for one node.
pub(super) const MAX_VALUES: usize = 4 * Tree::MAX_NODES;
pub(super) const MAX_NODE_VALUES: usize = 200_000;

/// Maximum of nodes of all games of a file together.
pub(super) const MAX_NODES: usize = 2 * Tree::MAX_NODES;
