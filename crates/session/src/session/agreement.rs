//! What the players agreed: who plays, the clock, the help.

use crate::command::{Assist, NewGame, Player};
use tengen::board::Side;

/// The agreement, with the seats as they are at the start of the game.
#[derive(Clone, Debug)]
pub struct Agreement {
    game: NewGame,
    /// Whether the game came from a file: then the file names the players.
    is_loaded: bool,
}

impl Agreement {
    pub const fn new(game: NewGame, is_loaded: bool) -> Agreement {
        Agreement { game, is_loaded }
    }

    pub const fn game(&self) -> &NewGame {
        &self.game
    }

    pub const fn assist(&self) -> Assist {
        self.game.assist
    }

    pub const fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    /// The player of a side; `swapped` if the opening has exchanged the colours.
    pub fn player(&self, side: Side, swapped: bool) -> &Player {
        match if swapped { !side } else { side } {
            Side::Black => &self.game.black,
            Side::White => &self.game.white,
        }
    }

    /// Another player takes the seat of a side.
    pub fn replace(&mut self, side: Side, swapped: bool, player: Player) {
        match if swapped { !side } else { side } {
            Side::Black => self.game.black = player,
            Side::White => self.game.white = player,
        }
    }

    pub const fn both_engines(&self) -> bool {
        self.game.black.is_engine() && self.game.white.is_engine()
    }

    pub const fn has_engine(&self) -> bool {
        self.game.black.is_engine() || self.game.white.is_engine()
    }

    /// The players exchange their colours.
    pub const fn exchange(&mut self) {
        std::mem::swap(&mut self.game.black, &mut self.game.white);
    }
}
