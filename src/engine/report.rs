//! Requests to the engine and their outcomes: plain data.

use crate::board::{Point, Setup};
use crate::rules::Rule;
use crate::search::{Limits, Line};

/// What is to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Goal {
    /// The best move.
    #[default]
    Move,
    /// The best move, where every empty point is searched, not only those near stones or those that defend. Each
    /// point found to lose is reported as [`RootState::Lost`](crate::search::RootState::Lost).
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
    /// Soosorv, empty board: three opening stones (black, white, black) in the middle.
    SoosorvOpen,
    /// Soosorv, three stones placed: take black, or stay white.
    SoosorvReply,
    /// Soosorv, three stones placed: the fourth stone, and how many fifth moves black has to offer.
    SoosorvFourth,
    /// Soosorv, four stones placed: take white, or stay black.
    SoosorvSwap {
        /// Number of fifth moves that black has to offer.
        fifths: usize,
    },
    /// Soosorv, four stones placed: the fifth moves to offer, no two of them alike by symmetry.
    SoosorvOffer {
        /// Their number.
        fifths: usize,
    },
    /// Soosorv, four stones placed: white's choice among the fifth moves that are not excluded, which is black's
    /// worst.
    SoosorvChoose {
        /// Their number.
        fifths: usize,
    },
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
    /// Whether the position is analysed rather than played: the opening book is only quoted
    /// ([`Report::Book`](crate::search::Report::Book)) and never replaces a search.
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
    /// One move, or as many as the goal asks for, in the order of play: two for [`Goal::BalanceTwo`] and for placing
    /// two stones in [`Goal::Swap2Reply`], three for the openings. For [`Goal::SoosorvOffer`] the moves are
    /// alternatives, the best first; for [`Goal::SoosorvFourth`] the fourth stone is followed by the fifth moves that
    /// black is expected to offer, one for each that it has to.
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
    /// The line that the answer rests on, with the nodes and the time of all searches made for it. It begins with the
    /// moves of the answer, of alternatives with one. Its depth is 0 if nothing was searched, and it is empty on a
    /// full board.
    pub line: Line,
    /// Whether the opening book decided, and nothing was searched.
    pub from_book: bool,
}
