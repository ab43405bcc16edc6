//! A game as it is saved between two runs of the program.

use crate::command::NewGame;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of the form that is written.
pub(super) const VERSION: u32 = 1;

/// A game as it is saved: what SGF can say in SGF, the rest beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// Version of this form.
    pub version: u32,
    /// The game with its variations.
    pub sgf: String,
    /// How it was agreed, the players as they are seated at the start of the game.
    pub game: NewGame,
    /// The current node: which child to take at each node from the start.
    pub path: Vec<usize>,
    /// The node that was reached by the last move, in the same way.
    pub tip: Vec<usize>,
    /// Time that the player whose turn it is has used, in milliseconds. Absent if the game was looked at, not played.
    pub spent_ms: Option<u64>,
    /// Whether a game of two engines is held.
    pub held: bool,
    /// Whether it was loaded from a file.
    pub loaded: bool,
    /// Number of moves to the current node, for the offer.
    pub moves: usize,
    /// Names of black's and white's player, for the offer.
    pub names: [String; 2],
}

/// Why a saved game cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// It was written by a version of the program that keeps games in another form.
    Version(u32),
    /// Its moves cannot be read.
    Record(String),
    /// Its settings make no sense.
    Settings(String),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Version(version) => write!(f, "the game was saved in form {version}, which is not known"),
            RestoreError::Record(error) => write!(f, "the saved moves cannot be read: {error}"),
            RestoreError::Settings(error) => write!(f, "the saved settings cannot be used: {error}"),
        }
    }
}

impl std::error::Error for RestoreError {}
