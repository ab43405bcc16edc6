//! Fifth moves of renju: how many to declare, and what a position is worth when white chooses among them.
//!
//! Black offers its best n fifth moves, and white takes the one that is worst for black. So with n of them the position
//! is worth black's nth best fifth move, and white's fourth stone is the one that makes this value lowest.

use super::balance::BALANCE_MOVES;
use super::budget::OpeningBudget;
use super::soosorv::{distinct, soosorv_openings};
use super::{NEAR, or_swap};
use crate::board::{Point, Setup};
use crate::engine::decision::{Decision, OnReport, points};
use crate::engine::report::{Answer, Outcome, Request};
use crate::score::Score;
use crate::search::Line;

/// Fourth stones that are compared.
const FOURTHS: usize = 6;
/// Largest number of fifth moves that the engine declares.
const MOST_TO_DECLARE: usize = 10;

impl Decision<'_> {
    /// The three stones of the opening that is most even if black then offers `fifths` fifth moves.
    pub(in crate::engine) fn opening_by_fifths(&mut self, fifths: usize) -> Outcome {
        let openings = soosorv_openings(&self.request.setup);
        let line = self.most_even(&openings, |decision, setup, part| {
            let groups = decision.fifths_of_fourths(setup, fifths, part);
            // A tiny budget may not reach the fifth moves.
            best_of(&groups, fifths).cloned().or_else(|| decision.best_line(setup, &part.share(1, decision.nodes)))
        });
        points(3, line)
    }

    /// White's fourth stone if black then offers `fifths` fifth moves.
    pub(in crate::engine) fn fourth(&mut self, fifths: usize) -> Outcome {
        let Request { setup, limits, .. } = self.request;
        let groups = self.fifths_of_fourths(setup, fifths, &OpeningBudget::of(limits));
        points(1, best_of(&groups, fifths).cloned())
    }

    /// White's colour if black offers `fifths` fifth moves after the fourth stone: takes black, or places that stone.
    pub(in crate::engine) fn colour_by_fifths(&mut self, fifths: usize) -> Outcome {
        or_swap(self.fourth(fifths))
    }

    /// The number of fifth moves, at most `most`, that makes the position most even: before or after the fourth stone.
    pub(in crate::engine) fn number_of_fifths(&mut self, most: usize) -> Outcome {
        let most = most.min(MOST_TO_DECLARE);
        let Request { setup, limits, .. } = self.request;
        let budget = OpeningBudget::of(limits);
        let (groups, before) = if setup.stones.len() >= 4 {
            let fifths = self.quick(setup, &budget.share(1, self.nodes), 2 * most);
            (vec![distinct(setup, fifths).into_iter().take(most).collect()], 0)
        } else {
            (self.fifths_of_fourths(setup, most, &budget), 1)
        };
        let numbers = (1..=most).filter_map(|number| Some((number, best_of(&groups, number)?)));
        let Some((number, line)) = numbers.min_by_key(|(_, line)| line.score.raw().abs()) else {
            return points(1, None);
        };
        let fourth = &line.moves[..before];
        let group = groups.iter().find(|group| group.iter().any(|one| one.moves == line.moves));
        let offered = group.into_iter().flatten().take(number).filter_map(|one| one.moves.get(before).copied());
        let answer: Vec<Point> = fourth.iter().copied().chain(offered).collect();
        Outcome { answer: Answer::Points(answer), ..points(1, Some(line.clone())) }
    }

    /// Black's colour after the fourth stone of Taraguchi-10: offers `fifths` fifth moves if that many are good for
    /// black. Otherwise the player who does not place the fifth stone has the last choice: the engine takes the other
    /// colour, or by chance places an even fifth stone.
    pub(in crate::engine) fn ten_or_colour(&mut self, fifths: usize, on_report: OnReport<'_>) -> Outcome {
        let lines = self.fifths(fifths, on_report);
        let Some(best) = lines.first().cloned() else { return points(1, None) };
        let worst = lines.get(fifths - 1);
        if worst.is_some_and(|line| line.score >= Score::ZERO) {
            let offered = lines.iter().take(fifths).filter_map(|line| line.moves.first().copied()).collect();
            return Outcome { answer: Answer::Points(offered), ..points(1, Some(best)) };
        }
        let stays = best.score.raw() > -NEAR && self.chance(2) == 1;
        let even = lines.into_iter().min_by_key(|line| line.score.raw().abs());
        let even = even.map(|line| Line { pv_index: 0, pv_count: 1, ..line });
        let found = points(1, even);
        if stays { found } else { Outcome { answer: Answer::Swap, ..found } }
    }

    /// For white's likely fourth stones after the three of `setup`: black's fifth moves after each, best for black
    /// first, as lines that begin with the fourth stone.
    fn fifths_of_fourths(&mut self, setup: &Setup, most: usize, budget: &OpeningBudget) -> Vec<Vec<Line>> {
        let mut fourths = self.quick(setup, &budget.shallow_share(6, self.nodes), BALANCE_MOVES);
        fourths.truncate(FOURTHS);
        let lines = self.continued(setup, &fourths, budget, |decision, after: &Setup, part| {
            let fifths = decision.quick(after, &part.share(1, decision.nodes), 2 * most);
            distinct(after, fifths).into_iter().take(most).collect()
        });
        lines.chunk_by(|a, b| a.moves.first() == b.moves.first()).map(<[Line]>::to_vec).collect()
    }
}

/// Of the nth best fifth moves the one that is best for the side to move, or the last of a group that has fewer.
fn best_of(groups: &[Vec<Line>], number: usize) -> Option<&Line> {
    let nth = groups.iter().filter_map(|group| group.get(number - 1).or(group.last()));
    // Of equal ones the first.
    nth.reduce(|best, line| if line.score > best.score { line } else { best })
}
