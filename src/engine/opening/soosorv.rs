//! Soosorv: one of the 26 openings of renju, a fourth stone, and a number of fifth moves, of which white keeps one.

use super::balance::BALANCE_MOVES;
use super::budget::OpeningBudget;
use crate::board::{Cell, Point, Setup};
use crate::book::canonical;
use crate::engine::decision::{Decision, OnReport, points};
use crate::engine::report::{Answer, Outcome, Request};
use crate::score::Score;
use crate::search::{Line, unsearched};

/// Largest number of fifth moves that may be offered: the 8 of Soosorv-8.
const MOST_FIFTHS: usize = 8;

impl Decision<'_> {
    /// The fourth stone and the number of fifth moves that make the position most even. White removes all fifth moves
    /// except the worst for black, so with n of them the score is that of black's nth best fifth move. Half of the
    /// budget ranks the fifth moves of several fourth stones, the other half searches the positions that seem even.
    pub(in crate::engine) fn soosorv_fourth(&mut self) -> Outcome {
        let Request { setup, limits, .. } = self.request;
        let budget = OpeningBudget::of(limits);
        let half = budget.part(2, self.nodes);
        let mut fourths = self.quick(setup, &half.shallow_share(6, self.nodes), BALANCE_MOVES);
        fourths.sort_by_key(|line| (line.score.raw().abs(), line.moves.first().copied()));
        fourths.truncate(6);
        let offers = self.continued(setup, &fourths, &half, |decision, after, part| {
            let fifths = decision.quick(after, &part.share(1, decision.nodes), 2 * MOST_FIFTHS);
            distinct(after, fifths).into_iter().take(MOST_FIFTHS).collect()
        });
        let line = self.nearest(offers.clone(), 2, 0, &budget);
        let Some([fourth, last, ..]) = line.as_ref().map(|line| line.moves.as_slice()) else { return points(1, line) };
        // The chosen fifth move and those that are better for black.
        let mut moves = vec![*fourth];
        for offer in offers.iter().filter(|offer| offer.moves.first() == Some(fourth)) {
            let fifth = offer.moves[1];
            moves.push(fifth);
            if fifth == *last {
                break;
            }
        }
        Outcome { answer: Answer::Points(moves), ..points(1, line) }
    }

    /// The best fifth moves, best first, no two of them equal by symmetry: at least `number` moves, if they exist.
    pub(in crate::engine) fn fifths(&mut self, number: usize, on_report: OnReport<'_>) -> Vec<Line> {
        let Request { setup, excluded, .. } = self.request;
        // Each move has at most a few images, and a position of four stones is very rarely symmetric.
        let lines = self.search(setup, &self.limits_of_choice(), 2 * number, excluded, false, on_report);
        distinct(setup, lines)
    }

    /// The offered fifth move that is worst for black. All offered moves are searched, however bad they are.
    pub(in crate::engine) fn worst_fifth(&mut self, number: usize, on_report: OnReport<'_>) -> Option<Line> {
        let Request { setup, excluded, .. } = self.request;
        let lines = self.search(setup, &self.limits_of_choice(), number, excluded, true, on_report);
        // A search that was stopped early has lines only for the moves ordered first, which seemed the best. A move
        // without a line is taken as the worst.
        let is_missing = |p: &Point| lines.iter().all(|line| line.moves.first() != Some(p));
        let mut offered = setup.size.points().filter(|p| setup.cell(*p) == Cell::Empty && !excluded.contains(p));
        let missing = offered.find(is_missing).map(|p| unsearched(p, Score::ZERO));
        missing.or(lines.into_iter().next_back()).map(|line| Line { pv_index: 0, pv_count: 1, ..line })
    }
}

/// The lines whose first moves lead to different positions; positions that are images of each other count as equal.
pub(super) fn distinct(setup: &Setup, lines: Vec<Line>) -> Vec<Line> {
    let mut known = Vec::new();
    let is_new = |line: &Line| {
        let Some(point) = line.moves.first() else { return false };
        let (after, _) = canonical(&setup.after(*point));
        let is_new = !known.contains(&after);
        known.push(after);
        is_new
    };
    lines.into_iter().filter(is_new).collect()
}

/// The 26 openings of renju, from a board that is empty except for blocked cells: a stone in the centre, one next to
/// it, and one at most two points from the centre. Openings that need a blocked cell are left out.
pub fn soosorv_openings(empty: &Setup) -> Vec<Setup> {
    let center = empty.size.center();
    let at = |dx: i32, dy: i32| empty.size.point(i32::from(center.x()) + dx, i32::from(center.y()) + dy);
    let near = || (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy)));
    let mut openings: Vec<Setup> = Vec::new();
    let mut known = Vec::new();
    let pairs = [(0, -1), (1, -1)].into_iter().flat_map(|second| near().map(move |third| (second, third)));
    for (second, third) in pairs {
        let stones = [Some(center), at(second.0, second.1), at(third.0, third.1)];
        let mut setup = empty.clone();
        let placed = stones.into_iter().flatten().all(|point| {
            let is_free = setup.cell(point) == Cell::Empty;
            if is_free {
                setup.play(point);
            }
            is_free
        });
        let (image, _) = canonical(&setup);
        if placed && setup.stones.len() == 3 && !known.contains(&image) {
            known.push(image);
            openings.push(setup);
        }
    }
    openings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::BoardSize;
    use crate::opening::{RENJU_OPENINGS, renju_opening};

    #[test]
    fn the_openings_are_those_with_names() {
        let openings = soosorv_openings(&Setup::empty(BoardSize::RENJU));
        let name =
            |setup: &Setup| renju_opening(setup.size, [0, 1, 2].map(|i| setup.stones[i].0)).expect("a name").name;
        let mut names: Vec<&str> = openings.iter().map(name).collect();
        names.sort_unstable();
        let mut wanted = RENJU_OPENINGS.map(|opening| opening.name);
        wanted.sort_unstable();
        assert_eq!(names, wanted);
    }
}
