//! The classical evaluation: a sum over the empty points, and a term for the initiative.
//!
//! Each empty point adds its value for black minus its value for white; both values depend on its combination of four
//! line classes. The sum is updated incrementally as classes change. A second term depends on the threat mask, which
//! tells which side must answer threats of the other. Both terms are tables ([`Weights`]).

use super::Evaluator;
use super::ordering::Ordering;
use super::weights::{OrderingContext, ThreatMask, WeightSets, Weights};
use crate::board::{Point, Setup, Side};
use crate::position::{Observer, PointInfo, Position};
use crate::rules::Rule;
use crate::score::Score;

/// Incremental sums of one position, updated as an observer.
#[derive(Clone, Debug)]
pub struct Classical<'w> {
    weights: &'w Weights,
    /// The sum over empty points, from black's view.
    sum: i32,
    /// The sums before each stone, for undo.
    sums: Vec<i32>,
}

impl<'w> Classical<'w> {
    /// An evaluator for this position; from now on it must observe all changes of the position.
    pub fn new(position: &Position, sets: &'w WeightSets) -> Classical<'w> {
        let weights = &sets[Weights::set_of(position.rule())];
        let sum =
            position.size().points().filter(|p| position.is_empty(*p)).map(|p| weights.point(position.info(p))).sum();
        Classical { weights, sum, sums: Vec::with_capacity(position.size().cells() + 1) }
    }

    /// The position of a setup, and an evaluator that is up to date with it.
    ///
    /// # Errors
    /// Returns the faults that [`Setup::check`] finds.
    pub fn with_position(
        setup: &Setup,
        rule: Rule,
        sets: &'w WeightSets,
    ) -> Result<(Position, Classical<'w>), crate::board::SetupError> {
        let empty = Position::empty_board(setup.size, rule, &setup.blocked);
        let mut classical = Classical::new(&empty, sets);
        let position = Position::observed(setup, rule, &mut classical)?;
        Ok((position, classical))
    }

    /// The sum from black's view, for tests.
    pub fn sum(&self) -> i32 {
        self.sum
    }
}

impl<'w> Evaluator for Classical<'w> {
    type Ordering<'a>
        = Ordering<'w>
    where
        Self: 'a;

    /// The score averages the sum with that of the position before the last stone, which damps the swing between the
    /// sides.
    #[inline]
    fn evaluate(&mut self, position: &Position) -> i32 {
        let us = position.to_move();
        let before = self.sums.last().copied().unwrap_or(self.sum);
        let black_view = (self.sum + before) / 2;
        let ours = if us == Side::Black { black_view } else { -black_view };
        Score::units(ours + self.weights.side(us).threat(ThreatMask::of(position))).raw()
    }

    #[inline]
    fn ordering(&mut self, position: &Position, context: OrderingContext) -> Ordering<'w> {
        Ordering::new(self.weights, position, context)
    }
}

impl Observer for Classical<'_> {
    #[inline(always)]
    fn begin(&mut self, _: Point, _: Side) {
        self.sums.push(self.sum);
    }

    #[inline(always)]
    fn info(&mut self, _: Point, old: PointInfo, new: PointInfo) {
        self.sum += self.weights.point(&new) - self.weights.point(&old);
    }

    #[inline(always)]
    fn filled(&mut self, _: Point, old: PointInfo) {
        self.sum -= self.weights.point(&old);
    }

    #[inline(always)]
    fn undo(&mut self) {
        if let Some(sum) = self.sums.pop() {
            self.sum = sum;
        }
    }
}
