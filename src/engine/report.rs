//! What a client asks and is told: plain data.

use crate::board::{Point, Setup};
use crate::rules::Rule;
use crate::score::Score;
use std::time::{Duration, Instant};

/// What is to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Goal {
    /// The best move.
    #[default]
    Move,
    /// The best move, every empty point examined as a line of its own (defence against a threat).
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

/// Limits of one search; `None` is "no limit of this kind".
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// When the request arrived: all durations count from here.
    pub started: Instant,
    /// Time for this move (Gomocup `timeout_turn`); zero asks for an answer at once.
    pub turn: Option<Duration>,
    /// Time left for the rest of the game; zero asks for an answer at once.
    pub left: Option<Duration>,
    /// Time gained with each move.
    pub increment: Duration,
    /// Nodes, all threads together.
    pub nodes: Option<u64>,
    /// Last iteration, in plies.
    pub depth: Option<u32>,
}

impl Limits {
    /// No limit at all: the search ends by a proof, the greatest depth, or its stop token.
    pub fn infinite() -> Limits {
        Limits { started: Instant::now(), turn: None, left: None, increment: Duration::ZERO, nodes: None, depth: None }
    }

    /// A node limit only: the result does not depend on the machine's speed.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::infinite() }
    }

    /// A depth limit only.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::infinite() }
    }

    /// A fixed time for this move, counted from now.
    pub fn time(turn: Duration) -> Limits {
        Limits { turn: Some(turn), ..Limits::infinite() }
    }
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
}

impl Request {
    /// Asks for the best move.
    pub fn new(setup: Setup, rule: Rule, limits: Limits) -> Request {
        Request { setup, rule, limits, goal: Goal::Move, lines: 1, excluded: Vec::new() }
    }
}

/// A line that the search believes in.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Rank among the lines asked for, from 0.
    pub rank: usize,
    /// Number of lines in this report.
    pub of: usize,
    /// Completed iteration, in plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// For the side to move at the root.
    pub score: Score,
    /// Nodes so far, all threads together.
    pub nodes: u64,
    /// Time since the request arrived.
    pub elapsed: Duration,
    /// Moves from the root.
    pub moves: Vec<Point>,
}

/// What the search is doing at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootState {
    /// This move is being searched.
    Searching,
    /// This move has been searched.
    Searched,
    /// This move loses.
    Lost,
    /// This move is the best so far.
    Best,
}

/// Something worth telling while thinking.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// A new or better line.
    Line(Line),
    /// News of a root move.
    Root(Point, RootState),
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
    /// The best line (empty if the answer needed no search).
    pub line: Line,
}
