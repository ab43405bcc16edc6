//! The root: iterative deepening, aspiration windows, multi-PV, and when to stop.

use super::aspiration::AspirationWindow;
use super::node::NodeArgs;
use super::params::{MAX_DEPTH, PLY};
use super::report::{Line, Report, RootState};
use super::root_move::{self, RootMove, UNKNOWN};
use super::root_solver::{RootSolver, SolverEvent};
use super::root_task::RootTask;
use super::task::Task;
use super::time::TimeManager;
use super::tt::Bound;
use super::worker::{StackEntry, Worker};
use crate::board::Point;
use crate::control::Aborted;
use crate::eval::{Evaluator, MoveOrdering, OrderingContext};
use crate::movegen::{ThreatStatus, threat_status};
use crate::pattern::PointClass;
use crate::position::{PointSet, Position};
use crate::score::Score;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Receives reports; `None` in helper threads.
pub(super) type Reporter<'a> = Option<&'a mut dyn FnMut(&Report)>;

/// The moves to search at the root, without those in `excluded`: the moves that the threat status leaves, or else all
/// legal moves, or, if there is no legal move, forbidden points too. With `all`, all legal moves are searched in any
/// case. The moves are sorted by ordering score, so that a search without any time has an answer.
pub(super) fn root_moves(
    position: &mut Position,
    eval: &mut impl Evaluator,
    excluded: &[Point],
    all: bool,
) -> Vec<RootMove> {
    let us = position.to_move();
    let mut context = OrderingContext::of(position);
    let empty: PointSet = position.size().points().filter(|p| position.is_empty(*p)).collect();
    let wanted = match threat_status(position) {
        _ if all => empty,
        ThreatStatus::Won { by, .. } => PointSet::from_iter([by]),
        ThreatStatus::MustBlock { moves } | ThreatStatus::MustDefend { moves, .. } => {
            context = OrderingContext::DEFENCE;
            moves
        }
        ThreatStatus::Lost { .. } | ThreatStatus::Quiet => position.candidates(),
    };
    let opening = position.size().points().filter(|p| position.is_empty(*p) && !excluded.contains(p));
    let center = position.size().center();
    let nearest: PointSet = opening.min_by_key(|p| p.distance(center)).into_iter().collect();
    let open = |p: &Point| !excluded.contains(p);
    for (set, legal_only) in
        [(wanted, true), (if wanted.is_empty() { nearest } else { empty }, true), (empty, true), (empty, false)]
    {
        let moves: Vec<Point> =
            set.iter().filter(open).filter(|p| !legal_only || !position.is_forbidden(us, *p)).collect();
        if !moves.is_empty() {
            let ordering = eval.ordering(position, context);
            let mut scored: Vec<(i32, Point)> =
                moves.into_iter().map(|p| (ordering.score(p, position.info(p)), p)).collect();
            scored.sort_by_key(|(score, _)| Reverse(*score));
            let best = scored[0].0;
            return scored.into_iter().map(|(score, p)| RootMove::new(p, best - score)).collect();
        }
    }
    Vec::new()
}

impl<E: Evaluator> Worker<'_, E> {
    /// Deepens until the task is done or the search is over. Sorts `moves`, best first, and returns the depth of the
    /// iteration that the answer comes from. A solver, if there is one, runs between the iterations; if it finds a win,
    /// the deepening ends.
    pub fn iterate(
        &mut self,
        task: &Task<'_>,
        moves: &mut Vec<RootMove>,
        on_report: &mut dyn FnMut(&Report),
        mut solver: Option<&mut RootSolver<'_>>,
    ) -> u32 {
        let lines = task.lines.clamp(1, moves.len().max(1));
        let deepest = task.limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let mut manager = TimeManager::new(self.shared.clock);
        if self.run_solver(solver.as_deref_mut(), moves, on_report) {
            self.report_lines(on_report, moves, 1, lines);
            return 1;
        }
        for depth in 1..=deepest {
            let completed = moves[..lines].to_vec();
            moves.iter_mut().for_each(RootMove::start_iteration);
            for pv_index in 0..lines {
                if self.search_line(moves, pv_index, depth as i32 * PLY, on_report).is_err() {
                    root_move::settle(moves, &completed, pv_index, lines);
                    let known = (depth - 1).max(1);
                    self.report_lines(on_report, moves, known, lines);
                    return known;
                }
                root_move::sort(&mut moves[pv_index..]);
            }
            // A later line may have a better score than an earlier one.
            root_move::sort(&mut moves[..lines]);
            let is_won = self.run_solver(solver.as_deref_mut(), moves, on_report);
            self.report_lines(on_report, moves, depth, lines);
            let alternatives = moves.iter().filter(|m| m.loss.is_none()).count();
            // The solver's answers may have left only moves that were not searched yet.
            let score = Some(moves[0].known_score()).filter(|score| *score != UNKNOWN);
            let should_stop_deepening =
                manager.should_stop_deepening(moves[0].point, score, depth, lines, alternatives);
            if is_won || should_stop_deepening || self.is_over() {
                return depth;
            }
        }
        deepest
    }

    fn is_over(&self) -> bool {
        let shared = self.shared;
        shared.stop.is_stopped() || shared.clock.is_over() || self.total_nodes() >= shared.node_limit
    }

    /// Runs the solver for its share of the nodes so far. Returns whether it has found a win; the first move of the win
    /// is then the first of `moves`.
    fn run_solver(
        &mut self,
        solver: Option<&mut RootSolver<'_>>,
        moves: &mut Vec<RootMove>,
        on_report: &mut dyn FnMut(&Report),
    ) -> bool {
        let Some(solver) = solver else { return false };
        let shared = self.shared;
        while solver.is_busy() && !shared.stop.is_stopped() && !shared.clock.is_over() {
            let (spent, total) = (solver.spent(), self.total_nodes());
            // The helpers wait for the solver, so its share of the time must not grow with their number.
            let share = shared.params.solver_share(total / shared.threads as u64).saturating_sub(spent);
            let left = shared.node_limit.saturating_sub(total);
            let nodes = share.min(left);
            if nodes == 0 {
                break;
            }
            let event = solver.run(nodes, left, shared.stop);
            self.add_nodes(solver.spent() - spent);
            match event {
                Some(SolverEvent::Win(win)) => {
                    let score = Score::win_in(win.plies() as i32).raw();
                    let first = moves.iter().position(|m| win.line().first() == Some(&m.point));
                    // The move may be excluded, or the search may have found a shorter win.
                    let Some(first) = first.filter(|_| score >= moves[0].known_score()) else { return false };
                    moves[first].set_win(score, win.line());
                    moves[..=first].rotate_right(1);
                    solver.won = Some(win);
                    return true;
                }
                // If no move answers the threat, all moves stay: the search must find the one that delays the loss
                // longest.
                Some(SolverEvent::Answers(answers)) if moves.iter().any(|m| answers.contains(m.point)) => {
                    for m in moves.iter().filter(|m| !answers.contains(m.point)) {
                        on_report(&Report::Root(m.point, RootState::Lost));
                    }
                    moves.retain(|m| answers.contains(m.point));
                }
                Some(SolverEvent::Answers(_)) | None => {}
            }
        }
        false
    }

    /// Takes part in the tasks of the main thread, until the search is over.
    pub fn help(&mut self) {
        let mut last = 0;
        while let Some((number, task)) = self.shared.helpers.join(last) {
            last = number;
            // The results are in the task and in the table.
            let _ = self.search_root(&task, &mut None);
        }
    }

    /// Finds the best of the moves from `pv_index` on, by a search with an aspiration window.
    fn search_line(
        &mut self,
        moves: &mut Vec<RootMove>,
        pv_index: usize,
        depth: i32,
        on_report: &mut dyn FnMut(&Report),
    ) -> Result<(), Aborted> {
        let guess = moves[pv_index].previous;
        let mut window = AspirationWindow::open();
        if depth >= 4 * PLY && guess != UNKNOWN {
            window = AspirationWindow::around(guess, self.shared.params.window);
        }
        loop {
            let args = NodeArgs { alpha: window.alpha, beta: window.beta, depth, cut_node: false };
            let nodes = self.total_nodes();
            let lost: Vec<Point> = moves.iter().filter(|m| m.loss.is_some()).map(|m| m.point).collect();
            let task = Arc::new(RootTask::new(std::mem::take(moves), pv_index, args));
            self.shared.helpers.open(&task);
            let end = self.search_root(&task, &mut Some(on_report));
            let value;
            (*moves, value) = task.end();
            // Reports helpers' proven losses; repeats this thread's.
            for m in moves.iter().filter(|m| m.loss.is_some() && !lost.contains(&m.point)) {
                on_report(&Report::Root(m.point, RootState::Lost));
            }
            end?;
            let bound = window.update(value);
            let nodes = self.total_nodes() - nodes;
            log::debug!(
                "depth {depth} line {pv_index} window {}..{}: {value} {bound:?}, {nodes} nodes",
                args.alpha,
                args.beta
            );
            if bound == Bound::Exact {
                return Ok(());
            }
            root_move::sort(&mut moves[pv_index..]);
        }
    }

    /// Searches moves of a task until nothing is left to do, or the whole search is over.
    fn search_root(&mut self, task: &Arc<RootTask>, report: &mut Reporter<'_>) -> Result<(), Aborted> {
        self.stack[0].eval = Some(self.static_eval(None).0);
        let mut report_state = |point: Point, state: RootState| {
            let is_reported = task.args.depth >= 6 * PLY || state == RootState::Lost;
            if let Some(report) = report.as_deref_mut().filter(|_| is_reported) {
                report(&Report::Root(point, state));
            }
        };
        while let Some((i, point, gap)) = task.next_move() {
            report_state(point, RootState::Searching);
            self.root_move = Some((Arc::clone(task), i));
            let found = self.search_root_move(task, i, point, gap);
            self.root_move = None;
            match found {
                Ok((alpha, value)) => {
                    let lost = value < task.args.beta && Score::from_raw(value).is_loss();
                    report_state(point, if lost { RootState::Lost } else { RootState::Searched });
                    if value > alpha && task.pv_index == 0 {
                        report_state(point, RootState::Best);
                    }
                }
                Err(aborted) if self.shared.over.load(Ordering::Relaxed) => return Err(aborted),
                // Another thread finished the move first. The aborted search has left moves on the stack.
                Err(_) => {
                    self.moves.release(0);
                    report_state(point, RootState::Searched);
                }
            }
        }
        Ok(())
    }

    /// Searches a root move and stores its value in the task. Returns the alpha that it was compared with, and the
    /// value.
    fn search_root_move(&mut self, task: &RootTask, i: usize, point: Point, gap: i32) -> Result<(i32, i32), Aborted> {
        let seen = self.history_move(point);
        self.stack[0].played = Some(seen);
        self.stack[1] = StackEntry::default();
        let mut alpha = task.alpha();
        // A five ends the game, and so does a foul. A foul is played only if no other move is left.
        let value = if seen.class == PointClass::Five {
            self.lines[1].clear();
            Score::win_in(1).raw()
        } else if self.position.is_forbidden(self.position.to_move(), point) {
            self.lines[1].clear();
            Score::loss_in(2).raw()
        } else {
            self.play(point);
            let value = self.root_child(task, i - task.pv_index, gap, &mut alpha);
            if value.is_ok_and(|value| value >= task.args.beta) {
                self.follow_table(1);
            }
            self.undo();
            value?
        };
        task.give(i, alpha, value, &self.lines[1]);
        Ok((alpha, value))
    }

    /// Value of the move just played. It is the `index`th of its task, and its ordering score is `gap` below the best.
    /// Sets `alpha` to the bound that the value was last compared with.
    fn root_child(&mut self, task: &RootTask, index: usize, gap: i32, alpha: &mut i32) -> Result<i32, Aborted> {
        let NodeArgs { beta, depth, .. } = task.args;
        let full = depth - PLY;
        if index > 0 {
            let reduction =
                if index > 2 && depth >= 3 * PLY { self.shared.params.root_reduction(depth, index, gap) } else { 0 };
            let mut value = self.child(0, *alpha, *alpha + 1, (full - reduction).max(PLY.min(full)), true)?;
            if value > *alpha && reduction > 0 {
                *alpha = task.alpha();
                value = self.child(0, *alpha, *alpha + 1, full, true)?;
            }
            if value <= *alpha {
                return Ok(value);
            }
            *alpha = task.alpha();
        }
        self.child(0, *alpha, beta, full, false)
    }

    /// Sets the variation of a node that failed low, which has none, to the best moves in the table.
    fn follow_table(&mut self, ply: usize) {
        let mut line = std::mem::take(&mut self.lines[ply]);
        line.clear();
        while let Some(best) = self.table_move() {
            // A five ends the game, so the table has no entry after it.
            line.push(best);
            self.play(best);
        }
        line.iter().for_each(|_| self.undo());
        self.lines[ply] = line;
    }

    /// The best move of the position in the table.
    fn table_move(&mut self) -> Option<Point> {
        let entry = self.shared.table.probe(self.position.key())?;
        let best = self.entry_move(entry)?;
        let us = self.position.to_move();
        (!self.position.is_forbidden(us, best)).then_some(best)
    }

    fn report_lines(&self, on_report: &mut dyn FnMut(&Report), moves: &[RootMove], depth: u32, lines: usize) {
        for (i, m) in moves.iter().take(lines).enumerate().filter(|(_, m)| m.is_known()) {
            on_report(&Report::Line(self.line(m, i, lines, depth)));
        }
    }

    /// The report of a root move's line.
    pub fn line(&self, m: &RootMove, pv_index: usize, pv_count: usize, depth: u32) -> Line {
        let score = m.known_score();
        Line {
            pv_index,
            pv_count,
            depth,
            seldepth: self.seldepth as u32,
            // A search that stops at once has only the static evaluation.
            score: Score::from_raw(if score == UNKNOWN { self.stack[0].eval.unwrap_or(0) } else { score }),
            nodes: self.total_nodes(),
            elapsed: self.shared.clock.elapsed(),
            moves: m.line.clone(),
        }
    }
}
