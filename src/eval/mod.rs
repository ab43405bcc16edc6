//! Static evaluation and move ordering.
//!
//! An [`Evaluator`] observes the position ([`crate::position::Observer`]), scores it for the side to move, and orders
//! its moves. It does not depend on search windows, depth or time, and reads no files.

mod choice;
mod classical;
mod lasting_fouls;
pub mod network;
mod ordering;
mod weights;

pub use choice::Evaluation;
pub use classical::Classical;
pub use lasting_fouls::lasting_fouls_score;
pub use ordering::Ordering;
pub use weights::{DISPLACEMENTS, OrderingContext, SideWeights, ThreatMask, WeightSets, Weights, displacement};

use crate::board::Point;
use crate::position::{Observer, PointInfo, Position};

/// A static evaluation.
///
/// The search is generic over it, so calls are dispatched statically. An evaluator is notified of every stone through
/// [`Observer`]; it may update its state there or defer the work until a score is requested.
pub trait Evaluator: Observer + Clone + Send + Sync {
    /// The move ordering of one position.
    type Ordering<'a>: MoveOrdering
    where
        Self: 'a;

    /// Score of the side to move, in evaluation units, at most [`Score::EVAL_LIMIT`](crate::score::Score::EVAL_LIMIT)
    /// in magnitude.
    fn evaluate(&mut self, position: &Position) -> i32;

    /// The move ordering of a position, in a context of [`OrderingContext`].
    fn ordering(&mut self, position: &Position, context: OrderingContext) -> Self::Ordering<'_>;
}

/// Scores the moves of one position before any of them is searched.
pub trait MoveOrdering {
    /// Ordering score of a move to an empty point, in [`ORDER_UNIT`](crate::score::ORDER_UNIT): the log-odds that it is
    /// the best move, up to a constant of the position.
    fn score(&self, point: Point, info: &PointInfo) -> i32;

    /// Calls `each` with the given moves, in their order, and their scores. This is faster than one call per move.
    #[inline(always)]
    fn for_each(&self, points: &[Point], position: &Position, mut each: impl FnMut(Point, i32)) {
        points.iter().for_each(|point| each(*point, self.score(*point, position.info(*point))));
    }
}
