//! Swap2: black places three stones; white takes a colour, or places two more and lets black choose.

use super::budget::OpeningBudget;
use super::or_swap;
use crate::board::{Cell, Setup};
use crate::engine::decision::{Decision, OnReport, points};
use crate::engine::report::Outcome;
use crate::search::Limits;

/// Bonus for choosing the position oneself in swap2, in evaluation units: 0.15 in log-odds.
const POSITION_CHOICE_BONUS: i32 = 30;
/// Offsets from the centre of three stones (black, white, black) that are nearly even with white to move under at least
/// one rule. The book or a search decides for which rule.
const OPENINGS: [[(i32, i32); 3]; 11] = [
    [(-2, 0), (0, 1), (2, -2)],
    [(1, -2), (3, -2), (-1, 1)],
    [(-3, -1), (-2, 1), (0, 2)],
    [(1, -1), (4, 2), (1, 3)],
    [(-1, 1), (0, -1), (3, 1)],
    [(0, 0), (3, -1), (2, -4)],
    [(0, 0), (-2, -1), (3, 2)],
    [(0, 0), (1, -1), (3, -3)],
    [(0, 0), (2, 1), (4, -2)],
    [(0, 0), (-1, -2), (-1, -4)],
    [(0, 0), (1, 1), (-2, 3)],
];

impl Decision<'_> {
    /// Searches all three choices. The score of staying is that of the best move, the score of swapping is its
    /// negative, and the score of placing two stones is what the opponent leaves after taking the better side. With
    /// exact scores one of the first two would always be at least as good as the third. In nearly even positions,
    /// however, choosing the position oneself gains more than the difference ([`POSITION_CHOICE_BONUS`]).
    pub(in crate::engine) fn swap2_reply(&mut self, on_report: OnReport<'_>) -> Outcome {
        let limits = &self.request.limits;
        let nodes = limits.nodes.map(|nodes| nodes / 2);
        let half = Limits { nodes, ..OpeningBudget::of(limits).share(2, 0) };
        let found = self.best_move(&half, on_report);
        let difference = found.line.score.raw().abs();
        if difference < POSITION_CHOICE_BONUS
            && let Some(line) = self.balanced_pair(0)
            && difference + line.score.raw().abs() < POSITION_CHOICE_BONUS
        {
            return points(2, Some(line));
        }
        or_swap(found)
    }
}

/// The openings from which the engine chooses for swap2, from a board that is empty except for blocked cells. On small
/// boards their stones move towards the centre.
pub fn swap2_openings(empty: &Setup) -> Vec<Setup> {
    let size = empty.size;
    let place = |setup: &mut Setup, (dx, dy): (i32, i32)| {
        let shrink = |d: i32, side: u8| d.clamp(-(i32::from(side) / 2), i32::from(side - 1) / 2);
        let (dx, dy) = (shrink(dx, size.width()), shrink(dy, size.height()));
        let center = size.center();
        let wanted = size.point(i32::from(center.x()) + dx, i32::from(center.y()) + dy).unwrap_or(center);
        let free = size.points().filter(|p| setup.cell(*p) == Cell::Empty);
        let point = free.min_by_key(|p| (p.distance(wanted), *p))?;
        setup.play(point);
        Some(())
    };
    let opening = |offsets: &[(i32, i32); 3]| {
        let mut setup = empty.clone();
        offsets.iter().try_for_each(|offset| place(&mut setup, *offset)).map(|()| setup)
    };
    OPENINGS.iter().filter_map(opening).collect()
}
