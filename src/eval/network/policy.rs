//! The policy: scores a move by a convolution over the activations around its point. The weights of the convolution
//! depend on the position.
//!
//! The idea of such weights is that of Rapfi's policy. Each tap has one weight for each lane, so the convolution costs
//! few instructions: the activations of all points of a tap are added, and the sum is multiplied once.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed alike")]

use super::accumulator::Accumulator;
use super::evaluator::Units;
use super::kernel::{Dense, Kernel, Task, Vector, ZERO};
use super::layout::{
    CENTRE, HALF, LANES, LOGIT_UNIT, NEAR_UNIT, POLICY_MAX, POLICY_SHIFT, RADIUS, TAPS, is_swapped, last_stones,
};
use super::weights::Head;
use crate::board::{BoardSize, Point};
use crate::eval::{DISPLACEMENTS, MoveOrdering, displacement};
use crate::pattern::PointClass;
use crate::position::{PointInfo, Position};
use crate::score::ORDER_UNIT;

/// Weights by tap and lane, black's half first.
type Weights = [Vector; TAPS];

/// Computes the weights from the units of the first hidden layer.
struct ComputeWeights<'a> {
    head: &'a Head,
    units: &'a Units,
    swapped: bool,
}

impl Task for ComputeWeights<'_> {
    type Output = Weights;

    #[inline(always)]
    fn run<D: Dense>(self) -> Weights {
        let mut acc = self.head.policy;
        for (acc, gate) in acc.as_chunks_mut().0.iter_mut().zip(&self.head.gate) {
            D::add(self.units, gate, acc);
        }
        if self.swapped {
            acc.chunks_exact_mut(LANES).for_each(|tap| tap.rotate_left(HALF));
        }
        let mut weights = [ZERO; TAPS];
        for (weights, sums) in weights.iter_mut().zip(acc.chunks_exact(LANES)) {
            for (weight, sum) in weights.0.iter_mut().zip(sums) {
                *weight = (*sum >> POLICY_SHIFT).clamp(-POLICY_MAX, POLICY_MAX) as i16;
            }
        }
        weights
    }
}

/// Logits by displacement from a stone.
type Near = [i16; DISPLACEMENTS];

/// Used when there is no such stone.
const NO_STONE: Near = [0; DISPLACEMENTS];

/// The policy logits of one position's moves.
#[derive(Clone, Debug)]
pub struct Policy<'a> {
    weights: Weights,
    /// The last stones of both sides, and the logits by displacement from them.
    last: [(Point, &'a Near); 2],
    accumulator: &'a Accumulator,
    kernel: Kernel,
}

impl<'a> Policy<'a> {
    /// The policy of a position, from its first hidden layer and an accumulator that is up to date with it.
    pub(super) fn new(
        position: &Position,
        head: &'a Head,
        units: &Units,
        accumulator: &'a Accumulator,
        kernel: Kernel,
    ) -> Policy<'a> {
        let swapped = is_swapped(position.to_move());
        let weights = kernel.run(ComputeWeights { head, units, swapped });
        let last = last_stones(position);
        let near = |whose: usize| {
            let Some((from, class)) = last[whose] else { return (Point::at(0, 0), &NO_STONE) };
            let start = (whose * PointClass::COUNT + class as usize) * DISPLACEMENTS;
            (from, head.near[start..].first_chunk().unwrap_or(&NO_STONE))
        };
        Policy { weights, last: [near(0), near(1)], accumulator, kernel }
    }
}

/// Points of a row that are needed at most.
const ROW: usize = BoardSize::MAX as usize + 2 * RADIUS;

/// Points of a row: their activations, and the sums of those so many rows above and below them.
type Rows<D> = [[<D as Dense>::Lanes; ROW]; RADIUS + 1];

/// Largest number of moves scored at once.
const BATCH: usize = 64;

/// Computes the logits of moves: the scalar products of the taps and their weights, plus the terms of the last stones.
struct Scores<'a> {
    policy: &'a Policy<'a>,
    points: &'a [Point],
    scores: &'a mut [i32],
}

impl Task for Scores<'_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Dense>(self) {
        let Policy { weights, last: [(theirs, after_theirs), (ours, after_ours)], accumulator, .. } = self.policy;
        let mut rows: Rows<D> = [[D::activations(&ZERO); ROW]; RADIUS + 1];
        let (points, mut scores) = (self.points, self.scores.iter_mut());
        for row in points.chunk_by(|a, b| a.y() == b.y() && a.x() < b.x()) {
            let (first, last) = (row[0], row[row.len() - 1]);
            accumulator.rows::<D, ROW>(first, usize::from(last.x() - first.x()) + 2 * RADIUS + 1, &mut rows);
            for (point, score) in row.iter().zip(&mut scores) {
                let taps = taps::<D>(&rows, usize::from(point.x() - first.x()) + RADIUS);
                let product = D::dot(&taps, weights);
                let near = i32::from(after_theirs[displacement(*theirs, *point)])
                    + i32::from(after_ours[displacement(*ours, *point)]);
                *score = (product + near * (LOGIT_UNIT / NEAR_UNIT)) / (LOGIT_UNIT / ORDER_UNIT as i32);
            }
        }
    }
}

/// The sums of the activations of each tap's points around a point of a row.
#[inline(always)]
fn taps<D: Dense>(rows: &Rows<D>, x: usize) -> [D::Lanes; TAPS] {
    let twice = D::plus(rows[0][x], rows[0][x]);
    [
        D::plus(twice, twice),
        at_distance::<D, 1, 0>(rows, x),
        at_distance::<D, 1, 1>(rows, x),
        at_distance::<D, 2, 0>(rows, x),
        at_distance::<D, 2, 1>(rows, x),
        at_distance::<D, 2, 2>(rows, x),
    ]
}

// What `taps` computes for the point itself.
const _: () = assert!(CENTRE == 4);

/// The sum of the points so many rows and columns away. The distances are constants, so that no loop over them is left.
#[inline(always)]
fn at_distance<D: Dense, const MORE: usize, const LESS: usize>(rows: &Rows<D>, x: usize) -> D::Lanes {
    let beside = both::<D, MORE, LESS>(rows, x);
    if LESS < MORE { D::plus(beside, both::<D, LESS, MORE>(rows, x)) } else { beside }
}

/// The sum of the points so many columns to the left and right, and so many rows above and below.
#[inline(always)]
fn both<D: Dense, const COLUMNS: usize, const ROWS: usize>(rows: &Rows<D>, x: usize) -> D::Lanes {
    let left = rows[ROWS][x - COLUMNS];
    if COLUMNS > 0 { D::plus(left, rows[ROWS][x + COLUMNS]) } else { left }
}

impl MoveOrdering for Policy<'_> {
    fn score(&self, point: Point, _: &PointInfo) -> i32 {
        let mut scores = [0];
        self.kernel.run(Scores { policy: self, points: &[point], scores: &mut scores });
        scores[0]
    }

    #[inline]
    fn for_each(&self, points: &[Point], _: &Position, mut each: impl FnMut(Point, i32)) {
        let mut scores = [0; BATCH];
        for points in points.chunks(BATCH) {
            self.kernel.run(Scores { policy: self, points, scores: &mut scores });
            points.iter().zip(scores).for_each(|(point, score)| each(*point, score));
        }
    }
}
