//! Selectivity: pruning, extensions and reductions, and their amounts.
//!
//! The parameters of each technique are in [`super::params`].

use super::history::HistoryMove;
use super::node::{Node, NodeArgs, is_proven};
use super::params::PLY;
use super::tt::from_table;
use super::worker::{StackEntry, Worker};
use crate::board::Point;
use crate::control::Aborted;
use crate::eval::Evaluator;
use crate::pattern::PointClass;

impl<E: Evaluator> Worker<'_, E> {
    /// Reverse futility, razoring, null move.
    pub fn prune_node(&mut self, node: &mut Node) -> Result<Option<i32>, Aborted> {
        let Some(eval) = node.eval else { return Ok(None) };
        if node.pv || node.excluded.is_some() {
            return Ok(None);
        }
        let NodeArgs { alpha, beta, depth, .. } = node.args;
        let params = self.shared.params;
        // Razoring: the evaluation is so far below alpha that only a forced win can help. [Rapfi, Stockfish]
        if let Some(margin) = params.razor_margin(depth)
            && eval + margin < alpha
        {
            let value = self.razor(node, alpha, alpha + 1)?;
            if value <= alpha {
                return Ok(Some(value));
            }
        }
        // Reverse futility: the evaluation is so far above beta that a quiet move will keep it there.
        let margin = params.futility_margin(depth, node.improving, node.forced.is_some());
        if !is_proven(beta) && margin.is_some_and(|margin| eval - margin >= beta) && eval >= beta {
            return Ok(Some(if is_proven(eval) { eval } else { (eval + beta) / 2 }));
        }
        if node.forced.is_some() {
            return Ok(None);
        }
        // Null move: if a pass keeps the score above beta, some move does too. This does not apply if the board fills
        // up within the depth, because a side may then have only forbidden points left.
        if params.null_margin(depth).is_some_and(|margin| eval >= beta + margin)
            && !is_proven(beta)
            && depth < self.position.empty_cells() as i32 * PLY
            && self.stack[node.ply - 1].played.is_some()
        {
            let value = self.pass(node, beta, params.null_depth(depth))?;
            if value >= beta && !is_proven(value) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Value of a pass.
    fn pass(&mut self, node: &Node, beta: i32, depth: i32) -> Result<i32, Aborted> {
        self.stack[node.ply].played = None;
        let extended = self.stack[node.ply].extended;
        self.stack[node.ply + 1] = StackEntry { extended, ..StackEntry::default() };
        self.position.pass();
        let value =
            self.pvs(node.ply + 1, NodeArgs { alpha: -beta, beta: 1 - beta, depth, cut_node: !node.args.cut_node });
        self.position.pass();
        Ok(-value?)
    }

    /// The extension of a move; `Err` with the node's value if the node can be cut at once.
    pub fn extension(&mut self, node: &Node, point: Point) -> Result<Result<i32, i32>, Aborted> {
        let params = self.shared.params;
        let room = self.stack[node.ply].extended < params.extension_budget;
        if node.must_block {
            return Ok(Ok(if room { params.reply_extension } else { 0 }));
        }
        let defence = if room && node.forced.is_some() { params.defence_extension } else { 0 };
        if Some(point) != node.tt_move || node.excluded.is_some() {
            return Ok(Ok(defence));
        }
        let Some(entry) = node.entry.filter(|e| e.bound.is_lower() && params.tests_singular(node.args.depth, e.depth))
        else {
            return Ok(Ok(defence + if node.pv && room { params.best_extension } else { 0 }));
        };
        let score = from_table(entry.score, node.ply as i32);
        if is_proven(score) {
            return Ok(Ok(0));
        }
        // Singular extension: is the table move the only good one? [Anantharaman, Campbell, Hsu 1990; Stockfish]
        let bound = score - params.singular_margin(node.args.depth, node.tt_pv && !node.pv);
        self.stack[node.ply].excluded = Some(point);
        let args = NodeArgs {
            alpha: bound - 1,
            beta: bound,
            depth: node.args.depth * params.singular_share / 100,
            cut_node: node.args.cut_node,
        };
        let value = self.pvs(node.ply, args);
        self.stack[node.ply].excluded = None;
        let value = value?;
        Ok(if value < bound {
            let double = !node.pv && value < bound - params.singular_double;
            Ok(if !room {
                0
            } else if double {
                2 * PLY
            } else {
                PLY
            })
        } else if bound >= node.args.beta {
            // Multi-cut: another move is good enough as well.
            Err(bound)
        } else if score >= node.args.beta {
            Ok(-params.singular_cut)
        } else {
            Ok(0)
        })
    }

    /// Late move reduction in hundredths of a ply, by the move's number and `gap`, how far its ordering score is below
    /// the best.
    pub fn reduction(&self, node: &Node, played: HistoryMove, number: usize, gap: i32) -> i32 {
        let params = self.shared.params;
        let mut r = params.reduction(node.args.depth, number, gap);
        if !node.pv && !node.improving {
            r += params.lmr_not_improving;
        }
        if node.tt_pv {
            r -= params.lmr_pv;
        }
        if node.args.cut_node {
            r += params.lmr_cut;
        }
        if played.class >= PointClass::OpenThree {
            r -= params.lmr_threat;
        }
        let us = self.position.to_move();
        let (theirs, ours) = self.previous_moves(node.ply);
        if self.position.info(played.point).class(!us) >= PointClass::OpenThree {
            r -= params.lmr_deny;
        }
        if played.class >= PointClass::OpenThree && ours.is_some_and(|o| o.class >= PointClass::OpenThree) {
            r -= params.lmr_attack;
        }
        r -= params.history_relief(self.shared.histories.view(us, theirs, ours).score(played));
        if node.forced.is_some() {
            r = r * params.lmr_defend / 100;
        }
        r.max(0)
    }
}
