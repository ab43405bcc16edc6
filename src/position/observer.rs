//! The interface that notifies evaluators of changes.

use super::point_info::PointInfo;
use crate::board::{Point, Side};

/// Observes a [`super::Position`]. Every call between two [`Observer::begin`]s belongs to one stone, and
/// [`Observer::undo`] takes back all calls since the last `begin` that is not yet undone.
///
/// Calls are made through a generic parameter: an empty method costs nothing.
pub trait Observer {
    /// A stone is about to be put on the board.
    fn begin(&mut self, point: Point, side: Side);

    /// An empty point's classes have changed.
    fn info(&mut self, point: Point, old: PointInfo, new: PointInfo);

    /// The stone's point is no longer empty: these were its classes.
    fn filled(&mut self, point: Point, old: PointInfo);

    /// The last stone has been taken back.
    fn undo(&mut self);
}

/// Ignores everything: for solvers, referees and counting.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    #[inline(always)]
    fn begin(&mut self, _: Point, _: Side) {}
    #[inline(always)]
    fn info(&mut self, _: Point, _: PointInfo, _: PointInfo) {}
    #[inline(always)]
    fn filled(&mut self, _: Point, _: PointInfo) {}
    #[inline(always)]
    fn undo(&mut self) {}
}
