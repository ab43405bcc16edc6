//! Quiescence search: continuous fours (VCF) of the side to move, or the static evaluation.

use super::node::Node;
use super::params::MAX_PLY;
use super::tt::{Bound, Entry, from_table, to_table};
use super::worker::Worker;
use crate::board::Point;
use crate::control::Aborted;
use crate::eval::{Evaluator, MoveOrdering, OrderingContext};
use crate::movegen::{ThreatStatus, immediate_status, is_lost_to_open_fours, own_fours, winning_combination};
use crate::pattern::PointClass;
use crate::score::Score;
use smallvec::SmallVec;

/// After this many fours of the attacker, only fours that build another threat are tried. Before, plain fours near the
/// attacker's last stone are tried too. The first may be any four.
const MAX_PLAIN_FOURS: usize = 2;
/// Maximum number of the attacker's fours in a line.
const MAX_FOURS: usize = 24;
/// Distance to the attacker's last stone within which a plain four is still tried.
const PLAIN_FOUR_DISTANCE: u8 = 4;

impl<E: Evaluator> Worker<'_, E> {
    /// Fail-soft value of a node without remaining depth. `fours` counts the attacker's moves in the quiescence search.
    pub fn qsearch(&mut self, ply: usize, alpha: i32, beta: i32, fours: usize) -> Result<i32, Aborted> {
        self.count_node(ply)?;
        if fours == 0 {
            self.four_limit = self.nodes + self.shared.params.qsearch_nodes as u64;
        }
        self.lines[ply].clear();
        if self.position.empty_cells() == 0 {
            return Ok(0);
        }
        match immediate_status(&mut self.position) {
            ThreatStatus::Won { by, plies } => Ok(self.won(ply, by, plies)),
            ThreatStatus::Lost { plies } => Ok(Score::loss_in(ply as i32 + plies).raw()),
            ThreatStatus::MustBlock { moves } => {
                let mut best = -Score::INFINITE.raw();
                for point in moves.iter() {
                    best = best.max(self.after(ply, point, alpha.max(best), beta, fours)?);
                    if best >= beta {
                        break;
                    }
                }
                Ok(best)
            }
            ThreatStatus::MustDefend { .. } | ThreatStatus::Quiet => {
                let entry = self.shared.table.probe(self.position.key());
                // A node with a table entry has no win or loss of these kinds.
                debug_assert!(entry.is_none() || self.needs_search(), "a won or lost node was stored");
                if entry.is_none() {
                    if let Some(by) = winning_combination(&mut self.position) {
                        return Ok(self.won(ply, by, 5));
                    }
                    if is_lost_to_open_fours(&mut self.position) {
                        return Ok(Score::loss_in(ply as i32 + 4).raw());
                    }
                }
                self.try_fours(ply, alpha, beta, fours, entry, entry.map(|e| e.eval))
            }
        }
    }

    /// Like [`Worker::qsearch`] with all fours, for a node that is already counted, whose table entry and static
    /// evaluation are known, and where the opponent has no four.
    pub fn razor(&mut self, node: &Node, alpha: i32, beta: i32) -> Result<i32, Aborted> {
        self.four_limit = self.nodes + self.shared.params.qsearch_nodes as u64;
        self.try_fours(node.ply, alpha, beta, 0, node.entry, self.stack[node.ply].eval)
    }

    fn after(&mut self, ply: usize, point: Point, alpha: i32, beta: i32, fours: usize) -> Result<i32, Aborted> {
        self.play(point);
        let value = self.qsearch(ply + 1, -beta, -alpha, fours);
        self.undo();
        let value = -value?;
        if value > alpha {
            self.extend_line(ply, point);
        }
        Ok(value)
    }

    fn try_fours(
        &mut self,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        fours: usize,
        entry: Option<Entry>,
        known: Option<i32>,
    ) -> Result<i32, Aborted> {
        if let Some(e) = entry {
            let score = from_table(e.score, ply as i32);
            if e.bound.decides(score, alpha, beta) {
                return Ok(score);
            }
        }
        let (eval, mut best) = self.static_eval(known);
        let mut best_move = None;
        let us = self.position.to_move();
        let room = ply < MAX_PLY && fours < MAX_FOURS && self.nodes < self.four_limit;
        if best < beta && room && self.position.count_from(us, PointClass::Four) > 0 {
            alpha = alpha.max(best);
            let base = self.moves.base();
            self.push_fours(fours);
            while let Some((point, _)) = self.moves.pick(base) {
                let value = self.after(ply, point, alpha, beta, fours + 1)?;
                if value > best {
                    best = value;
                    best_move = Some(point);
                    alpha = alpha.max(value);
                    if value >= beta {
                        break;
                    }
                }
            }
            self.moves.release(base);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        let score = to_table(best, ply as i32);
        let depth = -100 * (fours.min(3) as i32);
        self.shared.table.store(self.position.key(), Entry { best: best_move, score, bound, eval, depth, pv: false });
        Ok(best)
    }

    fn push_fours(&mut self, fours: usize) {
        let us = self.position.to_move();
        let own_last = self.position.last(1);
        let is_near = |point: Point| own_last.is_none_or(|p| p.distance(point) <= PLAIN_FOUR_DISTANCE);
        let set = own_fours(&mut self.position, us);
        let is_tried = |point: &Point| {
            let class = self.position.info(*point).class(us);
            fours == 0 || class >= PointClass::FourPlus || (fours < MAX_PLAIN_FOURS && is_near(*point))
        };
        let points: SmallVec<[Point; 16]> = set.iter().filter(is_tried).collect();
        let moves = &mut self.moves;
        let mut push = |point, score| moves.push(point, score + if is_near(point) { 100 } else { 0 });
        match points[..] {
            [] => {}
            // Half of all cases; a single four needs no ordering.
            [point] => push(point, 0),
            _ => {
                let ordering = self.eval.ordering(&self.position, OrderingContext::of(&self.position));
                ordering.for_each(&points, &self.position, push);
            }
        }
    }
}
