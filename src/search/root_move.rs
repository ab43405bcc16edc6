//! Root moves: what is known of each, in what order they are searched, and which of them is the answer.

use super::tt::Bound;
use crate::board::Point;
use crate::score::Score;
use std::cmp::Reverse;

/// Score of a move that was not searched, or not found better than others.
pub(super) const UNKNOWN: i32 = -Score::INFINITE.raw();

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub point: Point,
    /// Score found in this iteration, or [`UNKNOWN`].
    pub score: i32,
    /// What `score` says of the true one.
    pub bound: Bound,
    /// Score of the iteration before, or [`UNKNOWN`].
    pub previous: i32,
    pub line: Vec<Point>,
}

impl RootMove {
    pub fn new(point: Point) -> RootMove {
        RootMove { point, score: UNKNOWN, bound: Bound::Upper, previous: UNKNOWN, line: vec![point] }
    }

    /// The score of this iteration or else of the one before.
    pub fn known_score(&self) -> i32 {
        if self.score == UNKNOWN { self.previous } else { self.score }
    }

    /// Whether the move was ever scored.
    pub fn is_known(&self) -> bool {
        self.known_score() != UNKNOWN
    }
}

/// Sorts moves for the next search of the root: by score, otherwise as they were.
pub(super) fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|m| Reverse(m.score));
}

/// Orders moves after an unfinished iteration: those it has scored, then the others as they were; and the lines that
/// are told by what is known of them.
pub(super) fn settle(moves: &mut [RootMove], rank: usize, lines: usize) {
    sort(&mut moves[rank..]);
    moves[..lines].sort_by_key(|m| Reverse(m.known_score()));
}
