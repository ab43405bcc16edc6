//! Reports of a running search: plain data.

use crate::board::Point;
use crate::score::Score;
use std::time::Duration;

/// A principal variation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Multi-PV index, from 0 for the best line.
    pub pv_index: usize,
    /// Number of lines in this report.
    pub pv_count: usize,
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

/// A report of a running search.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// A new or better line.
    Line(Line),
    /// A new state of a root move.
    Root(Point, RootState),
    /// The line of the opening book for the position. (Only the engine's facade has a book.)
    Book(Line),
}
