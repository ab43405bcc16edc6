//! Static evaluation and move ordering.
//!
//! An [`Evaluator`] listens to the position ([`crate::position::Observer`]), scores it for the side to move, and
//! orders its moves. It knows nothing of search windows, depth or time, and reads no files.

mod choice;
mod classical;
pub mod network;
mod ordering;
mod weights;

pub use choice::Evaluation;
pub use classical::Classical;
pub use ordering::Ordering;
pub use weights::{DISPLACEMENTS, OrderingContext, SideWeights, ThreatMask, WeightSets, Weights, displacement};

use crate::board::Point;
use crate::position::{Observer, PointInfo, Position};

/// A static evaluation.
///
/// The search is generic over it, so calls are dispatched statically. An evaluator is told of every stone through
/// [`Observer`]; it may do its work there or defer it until a score is requested.
pub trait Evaluator: Observer + Clone + Send + Sync {
    /// The scores of one position's moves.
    type Ordering<'a>: MoveOrdering
    where
        Self: 'a;

    /// Score of the side to move, in evaluation units, at most [`Score::EVAL_LIMIT`](crate::score::Score::EVAL_LIMIT)
    /// in magnitude.
    fn evaluate(&mut self, position: &Position) -> i32;

    /// The ordering of the moves of a position, in a context of [`OrderingContext`].
    fn ordering(&mut self, position: &Position, context: OrderingContext) -> Self::Ordering<'_>;
}

/// Scores the moves of one position before any of them is searched.
pub trait MoveOrdering {
    /// Score of a move to an empty point, in [`ORDER_UNIT`](crate::score::ORDER_UNIT): the log-odds of its being the
    /// best one, up to a constant of the position.
    fn score(&self, point: Point, info: &PointInfo) -> i32;

    /// Calls `each` with some moves of the position, in their order, and their scores: faster than one by one.
    #[inline(always)]
    fn for_each(&self, points: &[Point], position: &Position, mut each: impl FnMut(Point, i32)) {
        points.iter().for_each(|point| each(*point, self.score(*point, position.info(*point))));
    }
}
