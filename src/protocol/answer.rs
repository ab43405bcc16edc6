//! Checks whether the engine's answer fits the question, and replaces it if it does not.
//!
//! The session owes an answer to every search command, even if the search panicked.

use crate::engine::{Answer, Cell, Goal, Point, Setup};
use std::ops::RangeInclusive;

/// The question that an answer must fit.
#[derive(Debug)]
pub(super) struct Question {
    /// The position.
    pub(super) setup: Setup,
    /// The goal.
    pub(super) goal: Goal,
    /// Points that must not be played while other points are left.
    pub(super) excluded: Vec<Point>,
}

/// Number of points that answer a goal.
fn numbers(goal: Goal) -> RangeInclusive<usize> {
    match goal {
        Goal::Move
        | Goal::AllMoves
        | Goal::BalanceOne { .. }
        | Goal::Swap2Final
        | Goal::SoosorvReply
        | Goal::SoosorvSwap { .. }
        | Goal::SoosorvChoose { .. }
        | Goal::ColourByFifths { .. }
        | Goal::Fourth { .. } => 1..=1,
        Goal::Swap2Reply => 1..=2,
        Goal::BalanceTwo { .. } => 2..=2,
        Goal::Swap2Open | Goal::SoosorvOpen | Goal::OpenByFifths { .. } => 3..=3,
        // The fourth stone, and at least one fifth move.
        Goal::SoosorvFourth => 2..=usize::MAX,
        Goal::SoosorvOffer { fifths } => fifths..=fifths,
        Goal::FifthsNumber { .. } | Goal::TenOrColour { .. } => 1..=usize::MAX,
    }
}

/// Smallest number of points that answer a goal.
pub(super) fn points_wanted(goal: Goal) -> usize {
    *numbers(goal).start()
}

/// Whether taking the other colour is a valid answer to a goal.
fn may_swap(goal: Goal) -> bool {
    matches!(
        goal,
        Goal::Swap2Reply
            | Goal::Swap2Final
            | Goal::SoosorvReply
            | Goal::SoosorvSwap { .. }
            | Goal::ColourByFifths { .. }
            | Goal::TenOrColour { .. }
    )
}

impl Question {
    /// The answer, or a substitute if the answer is missing or does not fit; `best` is the best move reported.
    pub(super) fn checked(&self, answer: Option<Answer>, best: Option<Point>) -> Answer {
        match answer {
            Some(Answer::Points(points)) if self.accepts(&points) => Answer::Points(points),
            Some(Answer::Swap) if may_swap(self.goal) => Answer::Swap,
            None => self.substitute(best),
            refused => {
                log::error!("{refused:?} does not answer {self:?}");
                self.substitute(best)
            }
        }
    }

    fn accepts(&self, points: &[Point]) -> bool {
        let free = |p: &Point| self.setup.size.contains(*p) && self.setup.cell(*p) == Cell::Empty;
        let distinct = points.iter().enumerate().all(|(index, p)| !points.iter().take(index).any(|q| q == p));
        numbers(self.goal).contains(&points.len()) && distinct && points.iter().all(free)
    }

    /// A substitute answer: the best move reported if it fits, otherwise the empty points nearest to the centre, those
    /// not excluded first.
    fn substitute(&self, best: Option<Point>) -> Answer {
        if let Some(best) = best.map(|best| vec![best])
            && self.accepts(&best)
        {
            return Answer::Points(best);
        }
        let center = self.setup.size.center();
        let empty = self.setup.size.points().filter(|p| self.setup.cell(*p) == Cell::Empty);
        let mut empty = empty.collect::<Vec<_>>();
        empty.sort_by_key(|p| (self.excluded.contains(p), p.distance(center)));
        empty.truncate(points_wanted(self.goal));
        Answer::Points(empty)
    }
}
