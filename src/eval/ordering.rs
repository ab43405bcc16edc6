//! The move ordering of the classical evaluation.

use super::MoveOrdering;
use super::weights::{ByCombination, DISPLACEMENTS, OrderingContext, Weights, displacement};
use crate::board::{Point, Side};
use crate::position::{PointInfo, Position};

/// Scores a move by the class combination that its stone makes, by the one that it takes from the opponent, and by its
/// displacement from the last stones of both sides. A softmax over the scores, in [`crate::score::ORDER_UNIT`],
/// estimates the probability that a move is the best one.
#[derive(Clone, Copy, Debug)]
pub struct Ordering<'a> {
    side: Side,
    own: &'a ByCombination,
    denied: &'a ByCombination,
    /// The last stones, and the scores by displacement from them.
    last: [Option<(Point, &'a [i16; DISPLACEMENTS])>; 2],
}

impl<'a> Ordering<'a> {
    /// The ordering of the side to move.
    #[inline]
    pub fn new(weights: &'a Weights, position: &Position, context: OrderingContext) -> Ordering<'a> {
        let us = position.to_move();
        let ours = weights.side(us);
        let after = |side: Side| {
            let point = position.recent(side)?;
            let table = if side == us { &ours.follow } else { &ours.reply };
            Some((point, &table[position.info(point).class(side) as usize]))
        };
        Ordering {
            side: us,
            own: &ours.own[context.index()],
            denied: &weights.side(!us).denied[context.index()],
            last: [after(!us), after(us)],
        }
    }
}

impl MoveOrdering for Ordering<'_> {
    #[inline(always)]
    fn score(&self, point: Point, info: &PointInfo) -> i32 {
        let near = |last: Option<(Point, &[i16; DISPLACEMENTS])>| {
            last.map_or(0, |(from, table)| i32::from(table[displacement(from, point)]))
        };
        i32::from(self.own[info.combination(self.side)])
            + i32::from(self.denied[info.combination(!self.side)])
            + near(self.last[0])
            + near(self.last[1])
    }
}
