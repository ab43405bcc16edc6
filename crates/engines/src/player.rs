//! A player of a game: the questions that it gets, its clock and its answers.

use crate::fault::Fault;
use crate::search_info::SearchInfo;
use crate::spec::EngineLimits;
use std::time::Duration;
use tengen::board::{BoardSize, Point};
use tengen::control::StopToken;
use tengen::rules::Rule;

/// Rule and board of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The rule.
    pub rule: Rule,
    /// The board.
    pub size: BoardSize,
}

/// A player's clock before a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time allowed for a move.
    pub turn: Option<Duration>,
    /// Time left for the game; the increment is added before each move.
    pub left: Option<Duration>,
    increment: Duration,
}

impl Clock {
    /// A full clock.
    pub fn new(limits: &EngineLimits) -> Clock {
        Clock {
            turn: limits.turn_ms.map(Duration::from_millis),
            left: limits.match_ms.map(Duration::from_millis),
            increment: Duration::from_millis(limits.increment_ms),
        }
    }

    /// A clock before one move, with the time for the move and the time left for the game.
    pub const fn with(turn: Option<Duration>, left: Option<Duration>) -> Clock {
        Clock { turn, left, increment: Duration::ZERO }
    }

    /// Time for the next move; `None` without a limit.
    pub fn limit(&self) -> Option<Duration> {
        match (self.turn, self.left) {
            (Some(turn), Some(left)) => Some(turn.min(left)),
            (turn, left) => turn.or(left),
        }
    }

    /// Adds the increment before a move.
    pub fn gain(&mut self) {
        self.left = self.left.map(|left| left + self.increment);
    }

    /// Takes the time of a move away.
    pub fn charge(&mut self, used: Duration) {
        self.left = self.left.map(|left| left.saturating_sub(used));
    }
}

/// A question to a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question<'a> {
    /// Requests a move after these stones, black first.
    Move(&'a [Point]),
    /// Requests a move in a position that was not reached by moves in turn: its stones, and whether each is of the
    /// side to move.
    Position(&'a [(Point, bool)]),
    /// Requests a swap2 decision after these stones (none, three or five).
    Swap2(&'a [Point]),
}

/// Content of a player's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One point or, in swap2, several.
    Points(Vec<Point>),
    /// Takes the other colour.
    Swap,
}

/// An answer in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The answer.
    pub said: Answer,
    /// Time from the question's last byte to the answer's.
    pub used: Duration,
    /// Search information that the player reported.
    pub note: SearchInfo,
}

/// Reason for a missing answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// The player committed a fault, which loses the game.
    Fault(Fault),
    /// The run is being stopped.
    Stopped,
}

/// A player.
pub trait Player {
    /// Begins a new game.
    ///
    /// # Errors
    /// A fault loses the game before its first move.
    fn start(&mut self, table: &Table, stop: &StopToken) -> Result<(), Interrupt>;

    /// Answers a question within its clock.
    ///
    /// # Errors
    /// A fault loses the game.
    fn ask(&mut self, question: &Question, clock: &Clock, stop: &StopToken) -> Result<Response, Interrupt>;

    /// Faults outside the player's moves that lost no game; each is returned once.
    fn take_notes(&mut self) -> Vec<Fault>;
}
