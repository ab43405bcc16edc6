//! How much of a file is read.

use super::tree::Tree;

/// Most bytes of a file.
pub const MAX_BYTES: usize = 64 << 20;

/// Most games of a file.
pub const MAX_GAMES: usize = 100_000;

/// Most nodes of all games of a file together.
pub(super) const MAX_NODES: usize = 2 * Tree::MAX_NODES;
