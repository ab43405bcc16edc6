//! Balanced moves: the moves after which the score is nearest to a requested score.

use super::budget::OpeningBudget;
use super::preceded;
use crate::board::{Point, Setup};
use crate::engine::decision::Decision;
use crate::engine::report::Request;
use crate::search::Line;

/// Root moves that are searched for a balanced move.
pub(super) const BALANCE_MOVES: usize = 40;
/// Number of search rounds among balanced moves, and number of moves that the last round compares.
const BALANCE_ROUNDS: u32 = 4;
const BALANCE_FINALISTS: usize = 2;

impl Decision<'_> {
    /// The line of the move after which the mover's score is nearest to `bias`.
    pub(in crate::engine) fn balanced(&mut self, bias: i32) -> Option<Line> {
        let Request { setup, limits, .. } = self.request;
        let budget = OpeningBudget::of(limits);
        let moves = self.quick(setup, &budget.shallow_share(4, self.nodes), BALANCE_MOVES);
        self.nearest(moves, 1, bias, &budget)
    }

    /// The line of a move and a reply after which the score of the side that then moves is nearest to `bias`.
    pub(in crate::engine) fn balanced_pair(&mut self, bias: i32) -> Option<Line> {
        let Request { setup, limits, .. } = self.request;
        let budget = OpeningBudget::of(limits);
        let firsts = self.quick(setup, &budget.shallow_share(6, self.nodes), 8);
        let half = budget.part(2, self.nodes);
        let pairs = self.continued(setup, &firsts, &half, |decision, after, part| {
            decision.quick(after, &part.shallow_share(1, decision.nodes), BALANCE_MOVES)
        });
        self.nearest(pairs, 2, bias, &budget)
    }

    /// For each line of `firsts`, which begin in `setup`: its first move, followed by each line that `search` finds
    /// after it with an equal part of the budget. The first move is searched even if the budget is spent.
    pub(in crate::engine) fn continued(
        &mut self,
        setup: &Setup,
        firsts: &[Line],
        budget: &OpeningBudget,
        search: impl Fn(&mut Self, &Setup, &OpeningBudget) -> Vec<Line>,
    ) -> Vec<Line> {
        let mut pairs = Vec::new();
        for (i, first) in firsts.iter().enumerate() {
            if !pairs.is_empty() && budget.is_over(self.stop, self.nodes) {
                break;
            }
            let Some(point) = first.moves.first() else { continue };
            let after = setup.after(*point);
            let replies = search(self, &after, &budget.part(firsts.len() - i, self.nodes));
            pairs.extend(replies.into_iter().map(|reply| preceded(&[*point], reply)));
        }
        pairs
    }

    /// Takes lines of shallow searches and returns the line whose first `stones` moves lead to a score nearest to
    /// `bias`, for the side that moves first in it. The nearest score of one search is often an error of that search,
    /// so there are several rounds of successive halving (Karnin, Koren and Somekh 2013): each round searches the
    /// nearer half of the previous one, with twice the nodes per line.
    pub(in crate::engine) fn nearest(
        &mut self,
        mut lines: Vec<Line>,
        stones: usize,
        bias: i32,
        budget: &OpeningBudget,
    ) -> Option<Line> {
        let setup = &self.request.setup;
        lines.retain(|line| line.moves.len() >= stones);
        lines.iter_mut().for_each(|line| (line.pv_index, line.pv_count) = (0, 1));
        let rank = |lines: &mut Vec<Line>| {
            lines.sort_by_cached_key(|line| ((line.score.raw() - bias).abs(), line.moves[..stones].to_vec()));
        };
        rank(&mut lines);
        let mut number = BALANCE_FINALISTS << BALANCE_ROUNDS;
        // For a choice by chance the last round is left out, so that more lines have searches of the same size.
        let rounds = BALANCE_ROUNDS - u32::from(self.request.chance.is_some());
        for round in 0..rounds {
            number /= 2;
            lines.truncate(number);
            let part = budget.part((rounds - round) as usize, self.nodes);
            let of_all = lines.len();
            for (i, line) in lines.iter_mut().enumerate() {
                if budget.is_over(self.stop, self.nodes) {
                    break;
                }
                let mut after = setup.clone();
                line.moves[..stones].iter().for_each(|point| after.play(*point));
                if let Some(reply) = self.best_line(&after, &part.share(of_all - i, self.nodes)) {
                    *line = preceded(&line.moves[..stones], reply);
                }
            }
            rank(&mut lines);
        }
        self.one_of(lines, |line| (line.score.raw() - bias).abs())
    }

    /// The opening whose score is nearest to even, with the line that follows it.
    pub(in crate::engine) fn opening(&mut self, openings: &[Setup]) -> Option<Line> {
        self.most_even(openings, |decision, setup, part| decision.best_line(setup, &part.share(1, decision.nodes)))
    }

    /// The opening for which `search` finds the score nearest to even with an equal part of the budget, with the line
    /// that follows it.
    pub(in crate::engine) fn most_even(
        &mut self,
        openings: &[Setup],
        search: impl Fn(&mut Self, &Setup, &OpeningBudget) -> Option<Line>,
    ) -> Option<Line> {
        let budget = OpeningBudget::of(&self.request.limits);
        let mut lines: Vec<Line> = Vec::new();
        for (i, setup) in openings.iter().enumerate() {
            if budget.is_over(self.stop, self.nodes) && !lines.is_empty() {
                break;
            }
            let reply = search(self, setup, &budget.part(openings.len() - i, self.nodes))?;
            let stones: Vec<Point> = setup.stones.iter().map(|(p, _)| *p).collect();
            lines.push(preceded(&stones, reply));
        }
        // Of equal ones the first, as the sort is stable.
        lines.sort_by_key(|line| line.score.raw().abs());
        let chosen = self.one_of(lines, |line| line.score.raw().abs())?;
        Some(self.turned(&self.request.setup, chosen))
    }
}
