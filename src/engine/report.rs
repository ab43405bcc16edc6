//! Requests to the engine and their outcomes: plain data.

use crate::board::{Point, Setup};
use crate::rules::Rule;
use crate::search::{Limits, Line};

/// The goal of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Goal {
    /// The best move.
    #[default]
    Move,
    /// The best move, searching every empty point instead of only those near stones or those that defend. Each point
    /// that is found to lose is reported as [`RootState::Lost`](crate::search::RootState::Lost).
    AllMoves,
    /// The move after which the position is nearest to `bias` evaluation units for the mover.
    BalanceOne {
        /// Requested score of the mover, in evaluation units.
        bias: i32,
    },
    /// Two moves (black and white) after which the position is nearest to `bias` for the side to move.
    BalanceTwo {
        /// Requested score of the side to move, in evaluation units.
        bias: i32,
    },
    /// Swap2, empty board: three opening stones (black, white, black).
    Swap2Open,
    /// Swap2, three stones placed: take black, stay with one white stone, or put two and let the other choose.
    Swap2Reply,
    /// Swap2, five stones placed: take black, or stay with one white stone. Other opening rules have the same choice:
    /// the colour of the side to move or the other one.
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
        /// The number of fifth moves.
        fifths: usize,
    },
    /// Soosorv, four stones placed: white's choice among the offered fifth moves, which are those not excluded. White
    /// takes the worst one for black.
    SoosorvChoose {
        /// The number of offered fifth moves.
        fifths: usize,
    },
    /// RIF, empty board: three opening stones (black, white, black) in the middle.
    OpenByFifths {
        /// Number of fifth moves that black has to offer.
        fifths: usize,
    },
    /// RIF and Yamaguchi, three stones placed: take black, or stay white with the fourth stone.
    ColourByFifths {
        /// Number of fifth moves that black has to offer.
        fifths: usize,
    },
    /// RIF and Yamaguchi, three stones placed: the fourth stone.
    Fourth {
        /// Number of fifth moves that black has to offer.
        fifths: usize,
    },
    /// Three or four stones placed: how many fifth moves make the position most even.
    FifthsNumber {
        /// The largest number allowed.
        most: usize,
    },
    /// Taraguchi-10, four stones placed: this many fifth moves, or one as black, or take white.
    TenOrColour {
        /// Number of fifth moves.
        fifths: usize,
    },
}

/// One request to the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The position.
    pub setup: Setup,
    /// The rule in force.
    pub rule: Rule,
    /// Limits of the search.
    pub limits: Limits,
    /// The goal.
    pub goal: Goal,
    /// Number of best lines requested (MultiPV), at least 1.
    pub lines: usize,
    /// Points that must not be played at the root.
    pub excluded: Vec<Point>,
    /// Whether the position is analysed rather than played: then the opening book is only reported
    /// ([`Report::Book`](crate::search::Report::Book)) and never replaces a search.
    pub analysis: bool,
    /// Seed of the choice among answers of nearly the same value, in goals that open a game. `None` takes the best one.
    pub chance: Option<u64>,
}

impl Request {
    /// A request for the best move.
    pub fn new(setup: Setup, rule: Rule, limits: Limits) -> Request {
        Request { setup, rule, limits, goal: Goal::Move, lines: 1, excluded: Vec::new(), analysis: false, chance: None }
    }
}

/// What the engine decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// One move, or as many as the goal requests, in the order of play: two for [`Goal::BalanceTwo`] and for placing
    /// two stones in [`Goal::Swap2Reply`], three for the openings. For [`Goal::SoosorvOffer`] the moves are
    /// alternatives, best first, and so they are for [`Goal::TenOrColour`] if there are several. For
    /// [`Goal::SoosorvFourth`] the fourth stone is followed by the fifth moves that black is expected to offer, as many
    /// as black has to offer; for [`Goal::FifthsNumber`] too, without the fourth stone if that is on the board.
    Points(Vec<Point>),
    /// Take the other colour.
    Swap,
    /// The board has no empty point.
    Full,
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The decision.
    pub answer: Answer,
    /// The line that leads to the answer, with the nodes and the time of all searches made for it. It begins with the
    /// moves of the answer; if the answer lists alternatives, it begins with one of them. Its depth is 0 if nothing was
    /// searched, and it is empty on a full board.
    pub line: Line,
    /// Whether the answer comes from the opening book, without a search.
    pub from_book: bool,
}

/// What a database of earlier searches proved of a position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proven {
    /// The line of a decided position with a known move.
    pub line: Option<Line>,
    /// Moves that lose. Empty if there is no other move: one of them is the answer then.
    pub losing: Vec<Point>,
}
