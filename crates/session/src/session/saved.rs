//! A game in the form in which it is saved between two runs of the program.

use crate::command::NewGame;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of the format that is written.
pub(super) const VERSION: u32 = 1;

/// A saved game: SGF for all that SGF can express, the rest in fields of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// Version of this format.
    pub version: u32,
    /// The game with its variations.
    pub sgf: String,
    /// What the players agreed; seats as they are at the start of the game.
    pub game: NewGame,
    /// The path to the current node: the index of the child to take at each node, from the start.
    pub path: Vec<usize>,
    /// The path to the node after the last move.
    pub tip: Vec<usize>,
    /// Time that the player to move has used, in milliseconds. Absent if the game was browsed, not played.
    pub spent_ms: Option<u64>,
    /// Whether a game of two engines is paused.
    pub held: bool,
    /// Whether the game was loaded from a file.
    pub loaded: bool,
    /// Number of moves to the current node, for the offer.
    pub moves: usize,
    /// Names of black's and white's player, for the offer.
    pub names: [String; 2],
}

/// Why a saved game cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// Another version of the program wrote it in another format.
    Version(u32),
    /// Its moves cannot be read.
    Record(String),
    /// Its settings are invalid.
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
