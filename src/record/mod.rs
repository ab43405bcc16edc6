//! Records of games: a tree of moves with comments, values and marks, and the files that people keep them in.
//!
//! Independent of the engine and of everything that plays: a record says what was played and what was said of it,
//! and does not judge it.

mod game;
mod tree;

pub use game::Record;
pub use tree::{Mark, Node, NodeId, Tree, Value};
