//! The root: iterative deepening, aspiration windows, several lines, and when to stop.

use super::node::NodeArgs;
use super::params::{MAX_DEPTH, PLY};
use super::report::{Line, Report, RootState};
use super::root_move::{self, RootMove, UNKNOWN};
use super::root_solver::{RootSolver, SolverEvent};
use super::root_task::RootTask;
use super::worker::{StackEntry, Worker};
use crate::board::Point;
use crate::control::Aborted;
use crate::eval::{Evaluator, MoveOrdering, OrderingContext};
use crate::movegen::{Situation, assess};
use crate::pattern::PointClass;
use crate::position::{PointSet, Position};
use crate::score::Score;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a search is to find.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    pub moves: Vec<RootMove>,
    /// Number of best lines.
    pub lines: usize,
    /// Last iteration, in plies.
    pub depth: u32,
    /// Whether a move with nothing left to decide may be tt_cutoff before the time is used.
    pub may_stop_early: bool,
}

/// Receives reports; helpers have none.
pub(super) type Reporter<'a> = Option<&'a mut dyn FnMut(&Report)>;

/// Moves worth searching at the root: those that matter in the situation, or all that are legal, or, should even those
/// be excluded, any empty point. The most promising comes first, so that a search without any time has an answer.
pub(super) fn root_moves(
    position: &mut Position,
    eval: &mut impl Evaluator,
    excluded: &[Point],
    all: bool,
) -> Vec<RootMove> {
    let us = position.to_move();
    let mut context = OrderingContext::of(position);
    let empty: PointSet = position.size().points().filter(|p| position.is_empty(*p)).collect();
    let wanted = match assess(position) {
        _ if all => empty,
        Situation::Won { by, .. } => PointSet::from_iter([by]),
        Situation::MustBlock { moves } | Situation::MustDefend { moves, .. } => {
            context = OrderingContext::DEFENCE;
            moves
        }
        Situation::Lost { .. } | Situation::Quiet => position.candidates(),
    };
    let opening = position.size().points().filter(|p| position.is_empty(*p) && !excluded.contains(p));
    let center = position.size().center();
    let nearest: PointSet = opening.min_by_key(|p| p.distance(center)).into_iter().collect();
    let open = |p: &Point| !excluded.contains(p);
    for (set, legal_only) in
        [(wanted, true), (if wanted.is_empty() { nearest } else { empty }, true), (empty, true), (empty, false)]
    {
        let mut moves: Vec<Point> =
            set.iter().filter(open).filter(|p| !legal_only || !position.is_forbidden(us, *p)).collect();
        if !moves.is_empty() {
            let ordering = eval.ordering(position, context);
            moves.sort_by_key(|p| std::cmp::Reverse(ordering.score(*p, position.info(*p))));
            return moves.into_iter().map(RootMove::new).collect();
        }
    }
    Vec::new()
}

/// How the search of one root behaves over its iterations.
#[derive(Default)]
struct Stability {
    best: Option<Point>,
    /// Iterations since the best move changed.
    stable_iterations: u32,
    last_score: i32,
    /// Iterations since a win was proven.
    proven: u32,
}

impl Stability {
    fn update(&mut self, best: &RootMove) {
        if self.best == Some(best.point) {
            self.stable_iterations += 1;
        } else {
            self.best = Some(best.point);
            self.stable_iterations = 0;
        }
    }

    /// Factor on the time aimed at: above 1 when the best move changes or loses score.
    fn time_factor(&mut self, score: i32) -> f64 {
        let drop = f64::from((self.last_score - score).clamp(-50, 150)) / 150.0;
        self.last_score = score;
        let stable_iterations = 1.5 / (1.0 + 0.22 * f64::from(self.stable_iterations.min(10)));
        (stable_iterations * (1.0 + 0.6 * drop)).clamp(0.35, 2.2)
    }
}

impl<E: Evaluator> Worker<'_, E> {
    /// Deepens until the aim is met or the search is over; `moves` are left in order, best first.
    /// Returns the depth that the answer rests on. A root_solver, if there is one, works between the iterations; a win that
    /// it finds ends them.
    pub fn iterate(
        &mut self,
        aim: &mut Aim,
        first: u32,
        mut report: Reporter<'_>,
        mut root_solver: Option<&mut RootSolver<'_>>,
    ) -> u32 {
        let mut stability = Stability::default();
        let lines = aim.lines.clamp(1, aim.moves.len().max(1));
        if self.run_solver(root_solver.as_deref_mut(), aim) {
            self.tell(&mut report, aim, first, lines);
            return first;
        }
        for depth in first..=aim.depth.min(MAX_DEPTH) {
            for m in &mut aim.moves {
                m.previous = m.score;
                m.score = UNKNOWN;
            }
            for rank in 0..lines {
                if self.aspire(aim, rank, depth as i32 * PLY, &mut report).is_err() {
                    root_move::settle(&mut aim.moves, rank, lines);
                    let known = (depth - 1).max(1);
                    self.tell(&mut report, aim, known, lines);
                    return known;
                }
                root_move::sort(&mut aim.moves[rank..]);
            }
            // A later line may have come out better than an earlier one.
            root_move::sort(&mut aim.moves[..lines]);
            let is_won = self.run_solver(root_solver.as_deref_mut(), aim);
            self.tell(&mut report, aim, depth, lines);
            if is_won {
                return depth;
            }
            let best = &aim.moves[0];
            stability.update(best);
            if report.is_some() && self.is_enough(aim, &mut stability, depth) {
                return depth;
            }
            if self.shared.stop.is_stopped()
                || self.shared.clock.is_over()
                || self.total_nodes() >= self.shared.node_limit
            {
                return depth;
            }
        }
        aim.depth.min(MAX_DEPTH)
    }

    /// Lets the root_solver spend its share of the nodes so far. Returns whether it has found a win, whose first move is then
    /// the first of all.
    fn run_solver(&mut self, root_solver: Option<&mut RootSolver<'_>>, aim: &mut Aim) -> bool {
        let Some(root_solver) = root_solver else { return false };
        let shared = self.shared;
        while root_solver.is_busy() && !shared.stop.is_stopped() && !shared.clock.is_over() {
            let (spent, total) = (root_solver.spent(), self.total_nodes());
            let share = shared.params.solver_share(total).saturating_sub(spent);
            let nodes = share.min(shared.node_limit.saturating_sub(total));
            if nodes == 0 {
                break;
            }
            let event = root_solver.work(nodes, shared.stop);
            shared.nodes.fetch_add(root_solver.spent() - spent, Ordering::Relaxed);
            match event {
                Some(SolverEvent::Win(win)) => {
                    let score = Score::win_in(win.plies() as i32).raw();
                    let first = aim.moves.iter().position(|m| win.line().first() == Some(&m.point));
                    // The move may be excluded, or the search know of a shorter win.
                    let Some(first) = first.filter(|_| score >= aim.moves[0].known_score()) else { return false };
                    aim.moves[first].score = score;
                    aim.moves[first].line = win.line().to_vec();
                    aim.moves[..=first].rotate_right(1);
                    root_solver.won = Some(win);
                    return true;
                }
                // Where nothing helps, the search shall find what holds out longest.
                Some(SolverEvent::Answers(answers)) if aim.moves.iter().any(|m| answers.contains(m.point)) => {
                    aim.moves.retain(|m| answers.contains(m.point));
                }
                Some(SolverEvent::Answers(_)) | None => {}
            }
        }
        false
    }

    fn is_enough(&self, aim: &Aim, stability: &mut Stability, depth: u32) -> bool {
        let best = &aim.moves[0];
        let time_factor = stability.time_factor(best.score);
        if self.shared.clock.is_enough(time_factor) {
            return true;
        }
        if let Some(distance) = Score::from_raw(best.score).distance() {
            stability.proven += 1;
            // Nothing shorter can be hidden below the depth searched; with a clock, four tries are enough.
            if distance.unsigned_abs() <= depth || (aim.may_stop_early && stability.proven > 4) {
                return aim.lines == 1;
            }
        }
        aim.may_stop_early && aim.moves.len() == 1 && depth >= 4
    }

    /// Takes part in what the first thread searches, until all is over.
    pub fn help(&mut self) {
        let mut last = 0;
        while let Some((number, task)) = self.shared.helpers.join(last) {
            last = number;
            // What it finds is in the task and in the table.
            let _ = self.search_root(&task, &mut None);
        }
    }

    fn aspire(&mut self, aim: &mut Aim, rank: usize, depth: i32, report: &mut Reporter<'_>) -> Result<i32, Aborted> {
        let infinite = Score::INFINITE.raw();
        let guess = aim.moves[rank].previous;
        let mut delta = self.shared.params.window;
        let (mut alpha, mut beta) = (-infinite, infinite);
        if depth >= 4 * PLY && guess != UNKNOWN && Score::from_raw(guess).distance().is_none() {
            (alpha, beta) = (guess - delta, guess + delta);
        }
        loop {
            let args = NodeArgs { alpha, beta, depth, cut_node: false };
            let task = Arc::new(RootTask::new(std::mem::take(&mut aim.moves), rank, args));
            self.shared.helpers.open(&task);
            let end = self.search_root(&task, report);
            let value;
            (aim.moves, value) = task.end();
            end?;
            delta += delta / 2 + 5;
            let wide = delta > 600 || Score::from_raw(value).distance().is_some();
            if value <= alpha && alpha > -infinite {
                beta = (alpha + beta) / 2;
                alpha = if wide { -infinite } else { value - delta };
            } else if value >= beta && beta < infinite {
                beta = if wide { infinite } else { value + delta };
            } else {
                return Ok(value);
            }
            root_move::sort(&mut aim.moves[rank..]);
        }
    }

    /// Searches moves of a task until nothing is left to do, or the whole search is over.
    fn search_root(&mut self, task: &Arc<RootTask>, report: &mut Reporter<'_>) -> Result<(), Aborted> {
        self.stack[0].eval = Some(self.eval.evaluate(&self.position));
        let mut tell = |point: Point, state: RootState| {
            if let Some(tell) = report.as_deref_mut().filter(|_| task.args.depth >= 6 * PLY) {
                tell(&Report::Root(point, state));
            }
        };
        while let Some((i, point)) = task.next_move() {
            tell(point, RootState::Searching);
            self.in_hand = Some((Arc::clone(task), i));
            let found = self.search_root_move(task, i, point);
            self.in_hand = None;
            match found {
                Ok((alpha, value)) => {
                    let lost = value <= alpha && Score::from_raw(value).is_loss();
                    tell(point, if lost { RootState::Lost } else { RootState::Searched });
                    if value > alpha {
                        tell(point, RootState::Best);
                    }
                }
                Err(aborted) if self.shared.over.load(Ordering::Relaxed) => return Err(aborted),
                // Another thread was first. A search that was broken off leaves moves behind.
                Err(_) => {
                    self.moves.release(0);
                    tell(point, RootState::Searched);
                }
            }
        }
        Ok(())
    }

    /// Gives the value of a root move to the task; returns it after the alpha that it was compared with.
    fn search_root_move(&mut self, task: &RootTask, i: usize, point: Point) -> Result<(i32, i32), Aborted> {
        let seen = self.history_move(point);
        self.stack[0].played = Some(seen);
        self.stack[1] = StackEntry::default();
        let mut alpha = task.alpha();
        // A five ends the game: there is nothing to search behind it.
        let value = if seen.class == PointClass::Five {
            self.lines[1].clear();
            Score::win_in(1).raw()
        } else {
            self.play(point);
            let value = self.root_child(task, i - task.pv_index, &mut alpha);
            self.undo();
            value?
        };
        task.give(i, alpha, value, &self.lines[1]);
        Ok((alpha, value))
    }

    /// Value of the move played, the `index`th of its task; `alpha` is set to what it was compared with last.
    fn root_child(&mut self, task: &RootTask, index: usize, alpha: &mut i32) -> Result<i32, Aborted> {
        let NodeArgs { beta, depth, .. } = task.args;
        let full = depth - PLY;
        if index > 0 {
            let reduction = if index > 2 && depth >= 3 * PLY {
                self.shared.params.reduction(depth, index, 0) * self.shared.params.root_share / 100
            } else {
                0
            };
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

    fn tell(&self, report: &mut Reporter<'_>, aim: &Aim, depth: u32, lines: usize) {
        let Some(tell) = report.as_deref_mut() else { return };
        for (rank, m) in aim.moves.iter().take(lines).enumerate().filter(|(_, m)| m.is_known()) {
            tell(&Report::Line(self.line(m, rank, lines, depth)));
        }
    }

    /// A root move as it is reported.
    pub fn line(&self, m: &RootMove, rank: usize, of: usize, depth: u32) -> Line {
        let score = m.known_score();
        Line {
            rank,
            of,
            depth,
            seldepth: self.seldepth as u32,
            score: Score::from_raw(if score == UNKNOWN { 0 } else { score }),
            nodes: self.total_nodes(),
            elapsed: self.shared.clock.elapsed(),
            moves: m.line.clone(),
        }
    }
}
