//! The recursion: principal variation search, fail-soft, in numbered steps.
//!
//! Depth is in hundredths of a ply, so that reductions and extensions may be fractions. Pruning, extensions and
//! reductions are in [`super::selectivity`]; wins and losses that need no search come from
//! [`crate::movegen::threat_status`].

use super::history::HistoryMove;
use super::move_picker::{MovePicker, PickedMove};
use super::node::{Node, NodeArgs, is_proven};
use super::params::{MAX_PLY, PLY};
use super::tt::{Bound, Entry, from_table, to_table};
use super::worker::{StackEntry, Worker};
use crate::board::Point;
use crate::control::Aborted;
use crate::eval::Evaluator;
use crate::movegen::{ThreatStatus, defence_status, immediate_status, threat_status, winning_combination};
use crate::pattern::PointClass;
use crate::position::Position;
use crate::score::Score;
use smallvec::SmallVec;

/// Maximum number of moves whose histories a cutoff lowers.
const TRIED: usize = 32;

impl<E: Evaluator> Worker<'_, E> {
    /// Value of a node for the side to move.
    pub fn pvs(&mut self, ply: usize, args: NodeArgs) -> Result<i32, Aborted> {
        if args.depth <= 0 {
            return self.qsearch(ply, args.alpha, args.beta, 0);
        }
        // Step 1. Count the node, check limits, end of board or stack.
        self.count_node(ply)?;
        self.lines[ply].clear();
        if self.position.empty_cells() == 0 {
            return Ok(0);
        }
        if ply >= MAX_PLY {
            return Ok(self.static_eval(None).1);
        }
        // Step 2. Fives and open fours.
        let mut node = self.node(ply, args);
        if let Some(value) = self.apply_threat_status(&mut node, immediate_status) {
            return Ok(value);
        }
        // Step 3. Other wins and losses that need no search: there are none if the node has a table entry, or if a
        // singular test searches it again.
        if node.excluded.is_none() {
            node.entry = self.shared.table.probe(self.position.key());
        }
        let is_new = node.entry.is_none() && node.excluded.is_none();
        if is_new && !node.must_block {
            if let Some(by) = winning_combination(&mut self.position) {
                return Ok(self.won(ply, by, 5));
            }
            if let Some(value) = self.apply_threat_status(&mut node, defence_status) {
                return Ok(value);
            }
        }
        debug_assert!(is_new || node.must_block || self.needs_search(), "a won or lost node was stored");
        // Step 4. Win distance pruning: a win or loss from here takes at least this many plies.
        node.args.alpha = args.alpha.max(Score::loss_in(ply as i32 + 2).raw());
        node.args.beta = args.beta.min(Score::win_in(ply as i32 + 3).raw());
        if node.args.alpha >= node.args.beta {
            return Ok(node.args.alpha);
        }
        // Step 5. Cut by the table's entry.
        if let Some(value) = self.use_entry(&mut node) {
            return Ok(value);
        }
        // Step 6. Threats that must be answered, unless step 3 has found them.
        if !is_new && !node.must_block {
            if let Some(value) = self.apply_threat_status(&mut node, defence_status) {
                return Ok(value);
            }
            node.tt_move = node.tt_move.filter(|p| node.allows(*p));
        }
        // Step 7. Static evaluation.
        self.evaluate(&mut node);
        // Step 8. Prune the whole node.
        if let Some(value) = self.prune_node(&mut node)? {
            if let Some(eval) = self.stack[ply].eval.filter(|_| node.entry.is_none()) {
                self.shared.table.store_eval(self.position.key(), eval);
            }
            return Ok(value);
        }
        // Step 9. Internal iterative reduction: no table move, or one from a shallow search.
        if node.pv && node.excluded.is_none() && node.args.depth >= 3 * PLY {
            let known = node.entry.filter(|_| node.tt_move.is_some()).map(|e| e.depth);
            node.args.depth -= self.shared.params.stale_tt_reduction(node.args.depth, known);
        }
        if node.args.cut_node && node.tt_move.is_none() && node.args.depth >= self.shared.params.iir_depth {
            node.args.depth -= self.shared.params.iir_cut;
        }
        // Steps 10 to 14. The moves.
        let base = self.moves.base();
        let value = self.search_moves(&node, base);
        self.moves.release(base);
        value
    }

    fn node(&self, ply: usize, args: NodeArgs) -> Node {
        Node {
            args,
            ply,
            pv: args.is_pv(),
            tt_pv: args.is_pv(),
            entry: None,
            tt_move: None,
            eval: None,
            improving: false,
            forced: None,
            must_block: false,
            excluded: self.stack[ply].excluded,
        }
    }

    /// Returns the value of a node that its threats decide. Otherwise stores the moves that may be played.
    fn apply_threat_status(&mut self, node: &mut Node, look: fn(&mut Position) -> ThreatStatus) -> Option<i32> {
        let at = |plies: i32| node.ply as i32 + plies;
        match look(&mut self.position) {
            ThreatStatus::Won { by, plies } => return Some(self.won(node.ply, by, plies)),
            ThreatStatus::Lost { plies } => return Some(Score::loss_in(at(plies)).raw()),
            ThreatStatus::MustBlock { moves } => {
                node.must_block = true;
                node.forced = Some((moves, Score::loss_in(at(2)).raw()));
            }
            ThreatStatus::MustDefend { moves, plies } => node.forced = Some((moves, Score::loss_in(at(plies)).raw())),
            ThreatStatus::Quiet => {}
        }
        None
    }

    /// Whether threats do not decide the node: an invariant of the nodes in the table.
    pub fn needs_search(&mut self) -> bool {
        !matches!(threat_status(&mut self.position), ThreatStatus::Won { .. } | ThreatStatus::Lost { .. })
    }

    /// The value of a node whose side to move wins in `plies` plies, beginning with the move `by`.
    pub fn won(&mut self, ply: usize, by: Point, plies: i32) -> i32 {
        self.lines[ply].push(by);
        Score::win_in(ply as i32 + plies).raw()
    }

    /// Takes the move of the node's table entry. Returns the entry's value if it decides the node.
    fn use_entry(&mut self, node: &mut Node) -> Option<i32> {
        let entry = node.entry?;
        node.tt_pv |= entry.pv;
        node.tt_move = self.entry_move(entry).filter(|p| node.allows(*p));
        let score = self.tt_cutoff(node, entry)?;
        if let Some(best) = node.tt_move.filter(|_| score >= node.args.beta) {
            let (theirs, ours) = self.previous_moves(node.ply);
            let bonus = self.shared.params.history_bonus(node.args.depth) / 2;
            let played = self.history_move(best);
            self.shared.histories.update(self.position.to_move(), played, theirs, ours, bonus);
        }
        Some(score)
    }

    /// The value of the table entry, if it decides the node. The entry may be somewhat shallower than the node, because
    /// with fractional depths two visits rarely have the same depth.
    fn tt_cutoff(&self, node: &Node, entry: Entry) -> Option<i32> {
        let score = from_table(entry.score, node.ply as i32);
        // A proof holds at any depth. An upper bound on a win, or a lower bound on a loss, is not a proof.
        let raw = Score::from_raw(score);
        let proof = (entry.bound.is_lower() && raw.is_win()) || (entry.bound.is_upper() && raw.is_loss());
        let counts = !node.pv && (entry.depth + self.shared.params.table_slack >= node.args.depth || proof);
        (counts && entry.bound.decides(score, node.args.alpha, node.args.beta)).then_some(score)
    }

    /// The value that another thread has stored for a node since it was entered, if it decides the node.
    fn recheck_tt(&self, node: &Node) -> Option<i32> {
        let entry = self.shared.table.probe(self.position.key()).filter(|_| node.excluded.is_none())?;
        self.tt_cutoff(node, entry)
    }

    fn evaluate(&mut self, node: &mut Node) {
        if node.must_block {
            self.stack[node.ply].eval = None;
            return;
        }
        let (raw, mut eval) = self.static_eval(node.entry.map(|e| e.eval));
        self.stack[node.ply].eval = Some(raw);
        let before = node.ply.checked_sub(2).and_then(|i| self.stack[i].eval);
        node.improving = before.is_some_and(|b| raw > b);
        if let Some(e) = node.entry {
            let score = from_table(e.score, node.ply as i32);
            let is_informative = (e.bound.is_lower() && score > eval) || (e.bound.is_upper() && score < eval);
            if is_informative {
                eval = score;
            }
        }
        node.eval = Some(eval);
    }

    fn search_moves(&mut self, node: &Node, base: usize) -> Result<i32, Aborted> {
        let us = self.position.to_move();
        let mut alpha = node.args.alpha;
        let mut best = node.forced.as_ref().map_or(-Score::INFINITE.raw(), |(_, loss)| *loss);
        let mut best_move = None;
        let mut tried: SmallVec<[HistoryMove; TRIED]> = SmallVec::new();
        let mut count = 0;
        let far_above_beta = node.args.cut_node
            && node.eval.is_some_and(|e| self.shared.params.is_far_above_beta(e, node.args.beta, node.args.depth));
        let mut alpha_raise = 0;
        let most = self.shared.params.move_count(node.args.depth, node.improving, node.pv, node.forced.is_some());
        let shares = self.shared.searched_now.applies(node.args.depth);
        let mut picker = MovePicker::new(node, base);
        // Step 10. The next move.
        loop {
            let safe = !Score::from_raw(best).is_loss();
            // Step 11. Late move pruning.
            if safe && !node.must_block && count >= most {
                picker.skip_rest(self);
            }
            let Some(picked) = picker.next(self, node, count, !safe) else { break };
            let PickedMove { point, number, is_new, .. } = picked;
            if is_new {
                if Some(point) == node.excluded {
                    continue;
                }
                if !node.must_block && self.position.is_forbidden(us, point) {
                    continue;
                }
            }
            let key = self.position.key_after(point);
            if shares && count > 0 {
                if is_new && self.shared.searched_now.contains(key) {
                    picker.defer(&picked);
                    count += 1;
                    continue;
                }
                // Another thread may have finished this node.
                if let Some(value) = self.recheck_tt(node) {
                    return Ok(value);
                }
            }
            let played = self.history_move(point);
            // Step 12. Extensions.
            let extension = match self.extension(node, point)? {
                Ok(extension) => extension,
                Err(cut) => return Ok(cut),
            };
            // Step 13. Search the move, reduced at first.
            let mut depth = node.args.depth - PLY + extension;
            if far_above_beta && count > 0 && played.class < PointClass::Four {
                depth -= self.shared.params.fail_high_reduction;
            }
            depth -= alpha_raise;
            let window = NodeArgs { alpha, beta: node.args.beta, depth, cut_node: false };
            let reduction = if number >= 1 && !node.must_block && node.args.depth >= 2 * PLY {
                self.reduction(node, played, number, picked.gap)
            } else {
                0
            };
            self.stack[node.ply].played = Some(played);
            let more = (extension - if node.must_block { PLY } else { 0 }).max(0);
            let extended = self.stack[node.ply].extended + more;
            self.stack[node.ply + 1] = StackEntry { extended, ..StackEntry::default() };
            let guard = self.shared.searched_now.insert(node.args.depth, key);
            let value = self.search_move(node, window, &picked, reduction, best)?;
            drop(guard);
            if is_new {
                count += 1;
            }
            // Step 14. New best move?
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(point);
                    if node.pv {
                        self.extend_line(node.ply, point);
                    }
                    if value >= node.args.beta {
                        self.update_histories(node, played, &tried);
                        break;
                    }
                    alpha = value;
                    if node.args.depth > 2 * PLY && node.args.depth < 12 * PLY && !is_proven(value) {
                        alpha_raise = self.shared.params.alpha_raise_reduction;
                    }
                }
            }
            if tried.len() < TRIED {
                tried.push(played);
            }
        }
        if best == -Score::INFINITE.raw() {
            // Every move was forbidden or excluded. A foul loses, as if the opponent's next stone won.
            best = if node.excluded.is_some() {
                node.args.alpha
            } else if self.position.has_legal_move() {
                0
            } else {
                Score::loss_in(node.ply as i32 + 2).raw()
            };
        }
        self.store_tt(node, best, best_move);
        self.learn_correction(node, best, best_move.is_some());
        if let Some(sampler) = &mut self.sampler {
            sampler.offer(&self.position, self.root_stones, node, best, best_move);
        }
        Ok(best)
    }

    /// Searches a move: reduced at first, then deeper and with a wider window if its value requires it. `reduction` is
    /// in hundredths of a ply; `best` is the value of the best move before it.
    fn search_move(
        &mut self,
        node: &Node,
        window: NodeArgs,
        picked: &PickedMove,
        reduction: i32,
        best: i32,
    ) -> Result<i32, Aborted> {
        let NodeArgs { alpha, beta, depth, .. } = window;
        self.play(picked.point);
        let mut value = Ok(-Score::INFINITE.raw());
        let mut full = node.pv && picked.number == 0;
        if !full {
            let reduced = (depth - reduction).max(depth.min(PLY));
            let cut_node = reduction > 0 || !node.args.cut_node;
            value = self.child(node.ply, alpha, alpha + 1, reduced, cut_node);
            if value.is_ok_and(|v| v > alpha) && reduced < depth {
                let far = value.is_ok_and(|v| v > alpha + self.shared.params.deeper_margin && !is_proven(v));
                let mut again = depth + if far && depth - reduced > PLY { self.shared.params.deeper } else { 0 };
                if value.is_ok_and(|v| v < best + self.shared.params.shallower_margin) {
                    again -= self.shared.params.shallower;
                }
                value = self.child(node.ply, alpha, alpha + 1, again, !node.args.cut_node);
            }
            full = node.pv && value.is_ok_and(|v| v > alpha);
        }
        if full {
            value = self.child(node.ply, alpha, beta, depth, false);
        }
        self.undo();
        value
    }

    /// Value of the move played at a node, for the side that played it.
    pub fn child(&mut self, ply: usize, alpha: i32, beta: i32, depth: i32, cut_node: bool) -> Result<i32, Aborted> {
        self.pvs(ply + 1, NodeArgs { alpha: -beta, beta: -alpha, depth, cut_node }).map(|v| -v)
    }

    fn update_histories(&mut self, node: &Node, best: HistoryMove, tried: &[HistoryMove]) {
        let us = self.position.to_move();
        if node.must_block {
            return;
        }
        let (theirs, ours) = self.previous_moves(node.ply);
        let bonus = self.shared.params.history_bonus(node.args.depth);
        self.shared.histories.update(us, best, theirs, ours, bonus);
        for other in tried {
            self.shared.histories.update(us, *other, theirs, ours, -bonus);
        }
        self.shared.histories.set_counter(us, best.point, theirs);
    }

    /// Updates the correction history with a node's value. A bound counts only if the evaluation violates it: a lower
    /// bound above the evaluation, or an upper bound below it.
    fn learn_correction(&self, node: &Node, best: i32, is_above_alpha: bool) {
        let Some(eval) = self.stack[node.ply].eval.filter(|_| !is_proven(best) && node.excluded.is_none()) else {
            return;
        };
        let is_lower = best >= node.args.beta;
        let is_informative = if is_lower { best > eval } else { is_above_alpha || best < eval };
        if is_informative {
            self.shared.corrections.update(&self.position, best - eval, node.args.depth / PLY);
        }
    }

    fn store_tt(&mut self, node: &Node, best: i32, best_move: Option<Point>) {
        if node.excluded.is_some() {
            return;
        }
        let bound = if best >= node.args.beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best: best_move.or(node.tt_move),
            score: to_table(best, node.ply as i32),
            bound,
            eval: self.stack[node.ply].eval.unwrap_or(0),
            depth: node.args.depth,
            pv: node.tt_pv,
        };
        self.shared.table.store(self.position.key(), entry);
    }
}
