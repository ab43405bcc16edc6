//! What a client asks and is told: plain data.

use crate::board::{Point, Setup};
use crate::rules::Rule;
use crate::search::{Limits, Line};

/// What is to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Goal {
    /// The best move.
    #[default]
    Move,
    /// The best move, every empty point being searched and not only those that are near to stones or defend. Each point that
    /// is found to lose is told of as [`RootState::Lost`](crate::search::RootState::Lost).
    AllMoves,
    /// The move after which the position is nearest to `bias` evaluation units for the mover.
    BalanceOne {
        /// Wanted score of the mover, in evaluation units.
        bias: i32,
    },
    /// Two moves (black and white) after which the position is nearest to `bias` for the side to move.
    BalanceTwo {
        /// Wanted score of the side to move, in evaluation units.
        bias: i32,
    },
    /// Swap2, empty board: three opening stones (black, white, black).
    Swap2Open,
    /// Swap2, three stones placed: take black, stay with one white stone, or put two and let the other choose.
    Swap2Reply,
    /// Swap2, five stones placed: take black, or stay with one white stone.
    Swap2Final,
}

/// One question to the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The position.
    pub setup: Setup,
    /// The rule in force.
    pub rule: Rule,
    /// Limits of the search.
    pub limits: Limits,
    /// What is to be decided.
    pub goal: Goal,
    /// Number of best lines wanted, at least 1.
    pub lines: usize,
    /// Points that must not be played at the root.
    pub excluded: Vec<Point>,
    /// Whether the position is analysed rather than played: the opening book is quoted
    /// ([`Report::Book`](crate::search::Report::Book)), and never takes the place of a search.
    pub analysis: bool,
}

impl Request {
    /// Asks for the best move.
    pub fn new(setup: Setup, rule: Rule, limits: Limits) -> Request {
        Request { setup, rule, limits, goal: Goal::Move, lines: 1, excluded: Vec::new(), analysis: false }
    }
}

/// What the engine decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One move, or as many as the goal asks for (two for [`Goal::BalanceTwo`] and for "put two stones" in
    /// [`Goal::Swap2Reply`], three for [`Goal::Swap2Open`]), in the order of play.
    Points(Vec<Point>),
    /// Take the other colour.
    Swap,
    /// The board has no empty point.
    Full,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The decision.
    pub answer: Answer,
    /// The line that the answer rests on, with the nodes and the time of all searches that were made for it. Where the answer is
    /// several points, the line begins with them. Its depth is 0 if nothing was searched, and it is empty on a full board.
    pub line: Line,
    /// Whether the opening book decided, and nothing was searched.
    pub from_book: bool,
}
