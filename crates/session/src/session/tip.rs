//! The end of the game as it was played, independent of the shown node.

use crate::game::Game;
use tengen_record::NodeId;

/// The node after the last move, and whether the game has ended there.
#[derive(Clone, Copy, Debug)]
pub struct Tip {
    node: NodeId,
    is_over: bool,
}

impl Tip {
    /// The shown node.
    pub fn shown(game: &Game) -> Tip {
        Tip { node: game.at(), is_over: game.is_over() }
    }

    /// A node that need not be shown.
    pub fn at(game: &Game, node: NodeId) -> Tip {
        let ended = game.position_at(node).is_some_and(|position| position.ended().is_some());
        Tip { node, is_over: ended || game.ending_at(node).is_some() }
    }

    pub fn node(self) -> NodeId {
        self.node
    }

    pub fn is_over(self) -> bool {
        self.is_over
    }

    /// The end by agreement at a node has been taken back.
    pub fn reopen(&mut self, node: NodeId) {
        self.is_over &= self.node != node;
    }
}
