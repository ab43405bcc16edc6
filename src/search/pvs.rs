//! The recursion: principal variation search, fail-soft, in numbered steps.
//!
//! Depth is in hundredths of a ply, so that reductions and extensions may be fractions. Each technique's numbers
//! are in [`super::params`]; what is proven without search comes from [`crate::movegen::assess`].

use super::history::Played;
use super::params::{MAX_PLY, PLY};
use super::picker::Scored;
use super::tt::{Bound, Entry, from_table, to_table};
use super::worker::{Frame, Worker};
use crate::board::{POINTS, Point};
use crate::control::Aborted;
use crate::eval::Stance;
use crate::movegen::{Situation, assess};
use crate::pattern::PointClass;
use crate::position::PointSet;
use crate::score::Score;
use smallvec::SmallVec;

/// What a node is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    pub alpha: i32,
    pub beta: i32,
    /// Remaining depth in hundredths of a ply.
    pub depth: i32,
    /// Whether a fail-high is expected (its parent is a node where all moves are).
    pub cut_node: bool,
}

impl Ask {
    fn is_pv(self) -> bool {
        self.beta - self.alpha > 1
    }
}

/// What steps 1 to 6 learned of a node.
struct Node {
    ask: Ask,
    ply: usize,
    pv: bool,
    was_pv: bool,
    entry: Option<Entry>,
    table_move: Option<Point>,
    eval: Option<i32>,
    improving: bool,
    /// The only moves that can matter, and the score should all of them fail.
    forced: Option<(PointSet, i32)>,
    must_block: bool,
    excluded: Option<Point>,
}

/// A move's place in the order of its node.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Moves searched before it.
    count: usize,
    /// Ordering score that it lacks to the best.
    gap: i32,
    /// The best score among them.
    best: i32,
}

/// What is still to be tried at a node.
struct Queue {
    first: Option<Point>,
    /// Where the node's moves begin on the stack.
    base: usize,
    is_generated: bool,
    /// The highest ordering score.
    top: i32,
    /// Moves that other threads had in hand, with their numbers.
    put_off: SmallVec<[(Scored, usize); 8]>,
    /// How many of these were taken up again.
    resumed: usize,
}

impl Queue {
    fn new(node: &Node, base: usize) -> Queue {
        Queue { first: node.table_move, base, is_generated: false, top: 0, put_off: SmallVec::new(), resumed: 0 }
    }
}

/// A move whose turn it is.
struct Turn {
    scored: Scored,
    /// Moves searched, or put off, before it.
    number: usize,
    /// Whether it comes for the first time.
    is_new: bool,
}

/// Moves that failed before the one that caused a cut, as far as the histories hear of them.
const TRIED: usize = 32;

/// Highest score of no moves.
const UNSCORED: i32 = i32::MIN;

fn is_proven(raw: i32) -> bool {
    Score::from_raw(raw).distance().is_some()
}

impl Worker<'_> {
    /// Value of a node for the side to move.
    pub fn pvs(&mut self, ply: usize, ask: Ask) -> Result<i32, Aborted> {
        if ask.depth <= 0 {
            return self.quiesce(ply, ask.alpha, ask.beta, 0);
        }
        // Step 1. Count the node, look at the clock, end of board or stack.
        self.count_node(ply)?;
        self.lines[ply].clear();
        if self.position.empty_cells() == 0 {
            return Ok(0);
        }
        if ply >= MAX_PLY {
            return Ok(self.eval.score(&self.position));
        }
        // Step 2. Wins and losses that need no search, and moves that must be answered.
        let mut node = match self.look_at_threats(ply, ask) {
            Ok(node) => node,
            Err(value) => return Ok(value),
        };
        // Step 3. Win distance pruning: nothing found here can beat a shorter win found already.
        node.ask.alpha = ask.alpha.max(Score::loss_in(ply as i32 + 2).raw());
        node.ask.beta = ask.beta.min(Score::win_in(ply as i32 + 3).raw());
        if node.ask.alpha >= node.ask.beta {
            return Ok(node.ask.alpha);
        }
        // Step 4. Transposition table.
        if let Some(value) = self.look_in_table(&mut node) {
            return Ok(value);
        }
        // Step 5. Static evaluation.
        self.evaluate(&mut node);
        // Step 6. Prune the whole node.
        if let Some(value) = self.prune_node(&mut node)? {
            return Ok(value);
        }
        // Step 7. Depth of nodes whose best move is unknown or known from a shallow search.
        if node.pv && node.excluded.is_none() && node.ask.depth >= 3 * PLY {
            let known = node.entry.filter(|_| node.table_move.is_some()).map(|e| e.depth);
            node.ask.depth -= self.shared.params.stale_reduction(node.ask.depth, known);
        }
        if node.ask.cut_node && node.table_move.is_none() && node.ask.depth >= self.shared.params.iir_depth {
            node.ask.depth -= self.shared.params.iir_cut;
        }
        // Steps 8 to 12. The moves.
        let base = self.moves.base();
        let value = self.search_moves(&node, base);
        self.moves.release(base);
        value
    }

    fn look_at_threats(&mut self, ply: usize, ask: Ask) -> Result<Node, i32> {
        let excluded = self.frames[ply].excluded;
        let mut node = Node {
            ask,
            ply,
            pv: ask.is_pv(),
            was_pv: ask.is_pv(),
            entry: None,
            table_move: None,
            eval: None,
            improving: false,
            forced: None,
            must_block: false,
            excluded,
        };
        let at = |plies: i32| ply as i32 + plies;
        match assess(&mut self.position) {
            Situation::Won { by, plies } => {
                self.lines[ply].push(by);
                return Err(Score::win_in(at(plies)).raw());
            }
            Situation::Lost { plies } => return Err(Score::loss_in(at(plies)).raw()),
            Situation::MustBlock { moves } => {
                node.must_block = true;
                node.forced = Some((moves, Score::loss_in(at(2)).raw()));
            }
            Situation::MustDefend { moves, plies } => node.forced = Some((moves, Score::loss_in(at(plies)).raw())),
            Situation::Quiet => {}
        }
        Ok(node)
    }

    fn look_in_table(&mut self, node: &mut Node) -> Option<i32> {
        if node.excluded.is_some() {
            return None;
        }
        let entry = self.shared.table.probe(self.position.key())?;
        node.entry = Some(entry);
        node.was_pv |= entry.pv;
        node.table_move = entry
            .best
            .filter(|p| self.position.size().contains(*p) && self.position.is_empty(*p))
            .filter(|p| node.forced.as_ref().is_none_or(|(set, _)| set.contains(*p)));
        let score = self.answered(node, entry)?;
        if let Some(best) = node.table_move.filter(|_| score >= node.ask.beta) {
            let (theirs, ours) = self.before(node.ply);
            let bonus = self.shared.params.history_bonus(node.ask.depth) / 2;
            let seen = self.seen(best);
            self.shared.histories.learn(self.position.to_move(), seen, theirs, ours, bonus);
        }
        Some(score)
    }

    /// The value of a node by its entry of the table, if that answers what is asked. The entry's depth may be somewhat
    /// less than the node's: with fractional depths hardly two visits ask for the same.
    fn answered(&self, node: &Node, entry: Entry) -> Option<i32> {
        let score = from_table(entry.score, node.ply as i32);
        // A proof is true at any depth; that no shorter win was found, or no longer defence, is none.
        let raw = Score::from_raw(score);
        let proof = (entry.bound.is_lower() && raw.is_win()) || (entry.bound.is_upper() && raw.is_loss());
        let counts = !node.pv && (entry.depth + self.shared.params.table_slack >= node.ask.depth || proof);
        (counts && entry.bound.decides(score, node.ask.alpha, node.ask.beta)).then_some(score)
    }

    /// What another thread has found of a node since it was entered, if that decides it.
    fn known(&self, node: &Node) -> Option<i32> {
        let entry = self.shared.table.probe(self.position.key()).filter(|_| node.excluded.is_none())?;
        self.answered(node, entry)
    }

    fn evaluate(&mut self, node: &mut Node) {
        if node.must_block {
            self.frames[node.ply].eval = None;
            return;
        }
        let fresh = node.entry.map_or_else(|| self.eval.score(&self.position), |e| e.eval);
        self.frames[node.ply].eval = Some(fresh);
        let before = node.ply.checked_sub(2).and_then(|i| self.frames[i].eval);
        node.improving = before.is_some_and(|b| fresh > b);
        let mut eval = fresh;
        if let Some(e) = node.entry {
            let score = from_table(e.score, node.ply as i32);
            let tells = (e.bound.is_lower() && score > eval) || (e.bound.is_upper() && score < eval);
            if tells && e.bound != Bound::None {
                eval = score;
            }
        }
        node.eval = Some(eval);
    }

    /// Reverse futility, razoring, null move.
    fn prune_node(&mut self, node: &mut Node) -> Result<Option<i32>, Aborted> {
        let Some(eval) = node.eval else { return Ok(None) };
        if node.pv || node.excluded.is_some() {
            return Ok(None);
        }
        let Ask { alpha, beta, depth, .. } = node.ask;
        let params = self.shared.params;
        // Razoring: so far below alpha that only a forced win can help. [Rapfi, Stockfish]
        if let Some(margin) = params.razor_margin(depth)
            && eval + margin < alpha
        {
            let value = self.quiesce(node.ply, alpha, alpha + 1, 0)?;
            if value <= alpha {
                return Ok(Some(value));
            }
        }
        // Reverse futility: so far above beta that a quiet move will keep it.
        let margin = params.futility_margin(depth, node.improving, node.forced.is_some());
        if !is_proven(beta) && margin.is_some_and(|margin| eval - margin >= beta) && eval >= beta {
            return Ok(Some(if is_proven(eval) { eval } else { (eval + beta) / 2 }));
        }
        if node.forced.is_some() {
            return Ok(None);
        }
        // Null move: if the opponent may move twice and still is below beta, so is any move of ours.
        if params.null_margin(depth).is_some_and(|margin| eval >= beta + margin)
            && !is_proven(beta)
            && node.ply > 0
            && self.frames[node.ply - 1].played.is_some()
        {
            let value = self.pass(node, beta, params.null_depth(depth))?;
            if value >= beta && !is_proven(value) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn pass(&mut self, node: &Node, beta: i32, depth: i32) -> Result<i32, Aborted> {
        self.frames[node.ply].played = None;
        let extra = self.frames[node.ply].extra;
        self.frames[node.ply + 1] = Frame { extra, ..Frame::default() };
        self.position.pass();
        let value = self.pvs(node.ply + 1, Ask { alpha: -beta, beta: 1 - beta, depth, cut_node: !node.ask.cut_node });
        self.position.pass();
        Ok(-value?)
    }

    fn search_moves(&mut self, node: &Node, base: usize) -> Result<i32, Aborted> {
        let us = self.position.to_move();
        let (theirs, ours) = self.before(node.ply);
        let mut alpha = node.ask.alpha;
        let mut best = node.forced.as_ref().map_or(-Score::INFINITE.raw(), |(_, loss)| *loss);
        let mut best_move = None;
        let mut tried: SmallVec<[Played; TRIED]> = SmallVec::new();
        let mut count = 0;
        let far_ahead = node.ask.cut_node
            && node.eval.is_some_and(|e| self.shared.params.is_far_ahead(e, node.ask.beta, node.ask.depth));
        let mut after_raise = 0;
        let most = self.shared.params.move_count(node.ask.depth, node.improving, node.pv, node.forced.is_some());
        let shares = self.shared.busy.shares(node.ask.depth);
        let mut queue = Queue::new(node, base);
        // Step 8. The next move.
        while let Some(Turn { scored, number, is_new }) = self.next_move(node, &mut queue, count, theirs, ours) {
            let point = scored.point;
            if is_new {
                if Some(point) == node.excluded {
                    continue;
                }
                // Step 9. Moves not worth a look.
                let safe = !Score::from_raw(best).is_loss() && best > -Score::INFINITE.raw();
                if safe && !node.must_block && count >= most {
                    self.moves.release(base);
                    continue;
                }
                if !node.must_block && self.position.is_forbidden(us, point) {
                    continue;
                }
            }
            let key = self.position.key_after(point);
            if shares && count > 0 {
                if is_new && self.shared.busy.holds(key) {
                    queue.put_off.push((scored, number));
                    count += 1;
                    continue;
                }
                // Another thread may have been here.
                if let Some(value) = self.known(node) {
                    return Ok(value);
                }
            }
            let seen = self.seen(point);
            // Step 10. Extensions.
            let extension = match self.extension(node, point)? {
                Ok(extension) => extension,
                Err(cut) => return Ok(cut),
            };
            // Step 11. Search the move: reduced, then as deep as it deserves.
            let mut depth = node.ask.depth - PLY + extension;
            if far_ahead && count > 0 && seen.class < PointClass::Four {
                depth -= self.shared.params.ahead_reduction;
            }
            depth -= after_raise;
            let window = Ask { alpha, beta: node.ask.beta, depth, cut_node: false };
            let place = Place { count: number, gap: queue.top.saturating_sub(scored.score), best };
            let mark = self.shared.busy.mark(node.ask.depth, key);
            let value = self.search_move(node, seen, window, place, extension)?;
            drop(mark);
            if is_new {
                count += 1;
            }
            // Step 12. Better?
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(point);
                    if node.pv {
                        self.extend_line(node.ply, point);
                    }
                    if value >= node.ask.beta {
                        self.reward(node, seen, &tried, theirs, ours);
                        break;
                    }
                    alpha = value;
                    if node.ask.depth > 2 * PLY && node.ask.depth < 12 * PLY && !is_proven(value) {
                        after_raise = self.shared.params.raise_reduction;
                    }
                }
            }
            if tried.len() < TRIED {
                tried.push(seen);
            }
        }
        if best == -Score::INFINITE.raw() {
            // Every move was forbidden or excluded.
            best = if node.excluded.is_some() { node.ask.alpha } else { 0 };
        }
        self.keep(node, best, best_move);
        Ok(best)
    }

    /// The table's move, the others by score, and then those that other threads had in hand. A new move is numbered by
    /// the `count` of moves before it.
    fn next_move(
        &mut self,
        node: &Node,
        queue: &mut Queue,
        count: usize,
        theirs: Option<Played>,
        ours: Option<Played>,
    ) -> Option<Turn> {
        if let Some(point) = queue.first.take() {
            return Some(Turn { scored: Scored { point, score: i32::MAX }, number: count, is_new: true });
        }
        if !std::mem::replace(&mut queue.is_generated, true) {
            queue.top = self.push_moves(node, theirs, ours);
        }
        while let Some(scored) = self.moves.pick(queue.base) {
            if Some(scored.point) != node.table_move {
                return Some(Turn { scored, number: count, is_new: true });
            }
        }
        let (scored, number) = *queue.put_off.get(queue.resumed)?;
        queue.resumed += 1;
        Some(Turn { scored, number, is_new: false })
    }

    /// Puts the moves on the stack; returns the highest score. With little depth left, moves that make and deny nothing
    /// are not worth a look, unless there is nothing else.
    fn push_moves(&mut self, node: &Node, theirs: Option<Played>, ours: Option<Played>) -> i32 {
        let params = self.shared.params;
        match &node.forced {
            Some((set, _)) => self.push_set(node, set, false, theirs, ours),
            None => {
                let set = self.position.candidates();
                let skips = !node.pv && params.skips_trivial(node.ask.depth);
                match self.push_set(node, &set, skips, theirs, ours) {
                    UNSCORED if skips => self.push_set(node, &set, false, theirs, ours),
                    top => top,
                }
            }
        }
    }

    fn push_set(
        &mut self,
        node: &Node,
        set: &PointSet,
        skips_trivial: bool,
        theirs: Option<Played>,
        ours: Option<Played>,
    ) -> i32 {
        let us = self.position.to_move();
        let killers = self.killers.at(node.ply);
        let counter = self.shared.histories.counter(us, theirs);
        let params = self.shared.params;
        let stance = if node.forced.is_some() { Stance::DEFENCE } else { Stance::of(&self.position) };
        let ordering = self.eval.ordering(&self.position, stance);
        let experience = self.shared.histories.experience(us, theirs, ours);
        let mut top = UNSCORED;
        // Which points are trivial cannot be foreseen: they are left out without a branch.
        let mut points = [Point::at(0, 0); POINTS];
        let mut number = 0;
        // Not a loop: the iterator's own loop over words and bits is faster than asking it for one point after the other.
        set.iter().for_each(|point| {
            points[number] = point;
            number += usize::from(!(skips_trivial & self.position.info(point).is_trivial()));
        });
        for &point in &points[..number] {
            let info = self.position.info(point);
            let seen = Played { point, class: info.class(us) };
            let history = experience.score(seen);
            let mut score = ordering.score(point, info) + params.history_order(history);
            if killers.contains(&Some(point)) {
                score += params.order_killer;
            }
            if counter == Some(point) {
                score += params.order_counter;
            }
            top = top.max(score);
            self.moves.push(point, score);
        }
        top
    }

    /// How much deeper a move is searched; `Err` when the node can be cut at once.
    fn extension(&mut self, node: &Node, point: Point) -> Result<Result<i32, i32>, Aborted> {
        let params = self.shared.params;
        let room = self.frames[node.ply].extra < params.extension_limit;
        if node.must_block {
            return Ok(Ok(if room { params.reply_extension } else { 0 }));
        }
        let defence = if room && node.forced.is_some() { params.defence_extension } else { 0 };
        if Some(point) != node.table_move || node.ply == 0 || node.excluded.is_some() {
            return Ok(Ok(defence));
        }
        let Some(entry) = node.entry.filter(|e| e.bound.is_lower() && params.tests_singular(node.ask.depth, e.depth))
        else {
            return Ok(Ok(defence + if node.pv && room { params.best_extension } else { 0 }));
        };
        let score = from_table(entry.score, node.ply as i32);
        if is_proven(score) {
            return Ok(Ok(0));
        }
        // Singular extension: is the table move the only good one? [Anantharaman, Campbell, Hsu 1990; Stockfish]
        let bound = score - params.singular_margin(node.ask.depth, node.was_pv && !node.pv);
        self.frames[node.ply].excluded = Some(point);
        let ask = Ask {
            alpha: bound - 1,
            beta: bound,
            depth: node.ask.depth * params.singular_share / 100,
            cut_node: node.ask.cut_node,
        };
        let value = self.pvs(node.ply, ask);
        self.frames[node.ply].excluded = None;
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
        } else if bound >= node.ask.beta {
            // Multi-cut: another move is good enough as well.
            Err(bound)
        } else if score >= node.ask.beta {
            Ok(-params.singular_cut)
        } else {
            Ok(0)
        })
    }

    fn search_move(
        &mut self,
        node: &Node,
        seen: Played,
        window: Ask,
        place: Place,
        extension: i32,
    ) -> Result<i32, Aborted> {
        let Ask { alpha, beta, depth, .. } = window;
        let reduction = if place.count >= 1 && !node.must_block && node.ask.depth >= 2 * PLY {
            self.reduction(node, seen, place)
        } else {
            0
        };
        self.frames[node.ply].played = Some(seen);
        let extra = self.frames[node.ply].extra + (extension - if node.must_block { PLY } else { 0 }).max(0);
        self.frames[node.ply + 1] = Frame { extra, ..Frame::default() };
        self.play(seen.point);
        let mut value = Ok(-Score::INFINITE.raw());
        let mut full = node.pv && place.count == 0;
        if !full {
            let reduced = (depth - reduction).max(depth.min(PLY)).min(depth + PLY);
            let cut_node = reduction > 0 || !node.ask.cut_node;
            value = self.child(node.ply, alpha, alpha + 1, reduced, cut_node);
            if value.is_ok_and(|v| v > alpha) && reduced < depth {
                let far = value.is_ok_and(|v| v > alpha + self.shared.params.deeper_margin && !is_proven(v));
                let mut again = depth + if far && depth - reduced > PLY { self.shared.params.deeper } else { 0 };
                if value.is_ok_and(|v| v < place.best + self.shared.params.shallower_margin) {
                    again -= self.shared.params.shallower;
                }
                value = self.child(node.ply, alpha, alpha + 1, again, !node.ask.cut_node);
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
        self.pvs(ply + 1, Ask { alpha: -beta, beta: -alpha, depth, cut_node }).map(|v| -v)
    }

    /// Late move reduction in hundredths of a ply.
    fn reduction(&self, node: &Node, seen: Played, place: Place) -> i32 {
        let params = self.shared.params;
        let mut r = params.reduction(node.ask.depth, place.count, place.gap);
        if !node.pv && !node.improving {
            r += params.lmr_stale;
        }
        if node.was_pv {
            r -= params.lmr_pv;
        }
        if node.ask.cut_node {
            r += params.lmr_cut;
        }
        if seen.class >= PointClass::OpenThree {
            r -= params.lmr_threat;
        }
        let us = self.position.to_move();
        let (theirs, ours) = self.before(node.ply);
        if self.position.info(seen.point).class(!us) >= PointClass::OpenThree {
            r -= params.lmr_deny;
        }
        let is_far = |before: Option<Played>| before.is_none_or(|b| b.point.distance(seen.point) > 4);
        if is_far(theirs) && is_far(ours) {
            r += params.lmr_far;
        }
        if seen.class >= PointClass::OpenThree && ours.is_some_and(|o| o.class >= PointClass::OpenThree) {
            r -= params.lmr_attack;
        }
        r -= params.history_relief(self.shared.histories.experience(us, theirs, ours).score(seen));
        if node.forced.is_some() {
            r = r * params.lmr_defend / 100;
        }
        r.max(0)
    }

    fn reward(&mut self, node: &Node, best: Played, tried: &[Played], theirs: Option<Played>, ours: Option<Played>) {
        let us = self.position.to_move();
        if node.must_block {
            return;
        }
        let bonus = self.shared.params.history_bonus(node.ask.depth);
        self.shared.histories.learn(us, best, theirs, ours, bonus);
        for other in tried {
            self.shared.histories.learn(us, *other, theirs, ours, -bonus);
        }
        self.shared.histories.remember(us, best.point, theirs);
        self.killers.remember(node.ply, best.point);
    }

    fn keep(&mut self, node: &Node, best: i32, best_move: Option<Point>) {
        if node.excluded.is_some() {
            return;
        }
        let bound = if best >= node.ask.beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best: best_move.or(node.table_move),
            score: to_table(best, node.ply as i32),
            bound,
            eval: self.frames[node.ply].eval.unwrap_or(0),
            depth: node.ask.depth,
            pv: node.was_pv,
        };
        self.shared.table.store(self.position.key(), entry);
    }
}
