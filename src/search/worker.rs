//! One search thread: its position, evaluator and stack, and the state shared with other threads.

use super::abdada::CurrentlySearched;
use super::correction::Corrections;
use super::helper_sync::HelperSync;
use super::history::{Histories, HistoryMove};
use super::move_stack::MoveStack;
use super::params::{MAX_PLY, Params};
use super::root_task::RootTask;
use super::time::Clock;
use super::tree::Sampler;
use super::tt::{Entry, Table};
use crate::board::Point;
use crate::control::{Aborted, StopToken};
use crate::eval::Evaluator;
use crate::eval::lasting_fouls_score;
use crate::position::Position;
use crate::score::Score;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The state that the threads of one search share. It occupies its own cache lines, so that a thread's writes to
/// neighbouring data do not evict it from the caches of the others (false sharing).
#[repr(align(128))]
pub(super) struct Shared<'a> {
    pub table: &'a Table,
    pub histories: &'a Histories,
    pub corrections: &'a Corrections,
    pub params: &'a Params,
    pub stop: &'a StopToken,
    pub clock: Clock,
    /// Nodes that all threads together may visit.
    pub node_limit: u64,
    pub threads: usize,
    /// Nodes of all threads, counted in batches.
    pub nodes: AtomicU64,
    /// Set when a limit is reached or the search is stopped.
    pub over: AtomicBool,
    /// Moves that threads are searching.
    pub searched_now: CurrentlySearched,
    /// Hands tasks to the helper threads.
    pub helpers: HelperSync,
}

/// An entry of the search stack: what the descendants of a node read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StackEntry {
    /// Static evaluation of the side to move; `None` at a forced reply.
    pub eval: Option<i32>,
    /// The move being searched, once there is one.
    pub played: Option<HistoryMove>,
    /// Sum of the extensions on this line, beyond the plies played.
    pub extended: i32,
    /// The move excluded by a singular test.
    pub excluded: Option<Point>,
}

/// Maximum number of nodes between checks of clock, stop token and node limit: a fraction of a millisecond.
const BATCH: u64 = 512;
/// Maximum number of nodes between checks of whether another thread has finished the root move that is searched.
const TASK_CHECK: u64 = 64;

/// Aligned for the same reason as [`Shared`].
#[repr(align(128))]
pub(super) struct Worker<'a, E> {
    pub shared: &'a Shared<'a>,
    pub position: Position,
    pub eval: E,
    pub moves: MoveStack,
    pub stack: Vec<StackEntry>,
    pub lines: Vec<Vec<Point>>,
    /// The root move that is searched, as an index into the task's moves.
    pub root_move: Option<(Arc<RootTask>, usize)>,
    pub nodes: u64,
    /// Nodes that are already in the shared count.
    reported: u64,
    /// Node counts at which limits and the root move are checked next.
    next_report: u64,
    next_check: u64,
    pub seldepth: usize,
    /// Node count at which the current quiescence search stops trying fours.
    pub four_limit: u64,
    /// Samples nodes, if that was requested.
    pub sampler: Option<Sampler>,
    pub root_stones: usize,
}

impl<'a, E: Evaluator> Worker<'a, E> {
    pub fn new(shared: &'a Shared<'a>, position: &Position, eval: &E) -> Worker<'a, E> {
        let mut position = position.clone();
        position.set_root();
        Worker {
            shared,
            root_stones: position.stones(),
            position,
            eval: eval.clone(),
            moves: MoveStack::default(),
            stack: vec![StackEntry::default(); MAX_PLY + 8],
            lines: vec![Vec::new(); MAX_PLY + 8],
            root_move: None,
            nodes: 0,
            reported: 0,
            next_report: 1,
            next_check: 1,
            seldepth: 0,
            four_limit: 0,
            sampler: None,
        }
    }

    /// Returns the static evaluation of the position (`known` if given), and the same corrected by the correction
    /// history.
    #[inline(always)]
    pub fn static_eval(&mut self, known: Option<i32>) -> (i32, i32) {
        let eval = known.unwrap_or_else(|| {
            Score::units(self.eval.evaluate(&self.position) + lasting_fouls_score(&self.position)).raw()
        });
        let correction = self.shared.corrections.of(&self.position) * self.shared.params.correction / 100;
        (eval, Score::units(eval + correction).raw())
    }

    /// Counts a node, and checks at intervals whether the search must end.
    #[inline(always)]
    pub fn count_node(&mut self, ply: usize) -> Result<(), Aborted> {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.next_check { self.check_limits() } else { Ok(()) }
    }

    #[cold]
    fn check_limits(&mut self) -> Result<(), Aborted> {
        let shared = self.shared;
        if self.nodes >= self.next_report {
            let total = self.report_nodes();
            if shared.stop.is_stopped() || shared.clock.is_over() || total >= shared.node_limit {
                shared.over.store(true, Ordering::Relaxed);
            }
            // Near the limit all threads count more often, so that they do not overshoot it.
            let share = shared.node_limit.saturating_sub(total) / shared.threads as u64;
            self.next_report = self.nodes + share.clamp(1, BATCH);
        }
        self.next_check = self.next_report.min(self.nodes + TASK_CHECK);
        let is_done = self.root_move.as_ref().is_some_and(|(task, i)| !task.is_open(*i));
        if is_done || shared.over.load(Ordering::Relaxed) { Err(Aborted) } else { Ok(()) }
    }

    /// Adds this thread's new nodes to the shared count, and returns the shared count.
    fn report_nodes(&mut self) -> u64 {
        let new = self.nodes - std::mem::replace(&mut self.reported, self.nodes);
        self.shared.nodes.fetch_add(new, Ordering::Relaxed) + new
    }

    /// Adds nodes that were not searched by the recursion.
    pub fn add_nodes(&mut self, nodes: u64) {
        self.shared.nodes.fetch_add(nodes, Ordering::Relaxed);
        (self.next_report, self.next_check) = (self.nodes, self.nodes);
    }

    /// Nodes of all threads, as far as they have been reported.
    pub fn total_nodes(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed) + self.nodes - self.reported
    }

    #[inline(always)]
    pub fn play(&mut self, point: Point) {
        self.shared.table.prefetch(self.position.key_after(point));
        self.position.play(point, &mut self.eval);
    }

    #[inline(always)]
    pub fn undo(&mut self) {
        self.position.undo(&mut self.eval);
    }

    /// The move of this position's table entry, if it can be played here.
    #[inline(always)]
    pub fn entry_move(&self, entry: Entry) -> Option<Point> {
        entry.best.filter(|p| self.position.size().contains(*p) && self.position.is_empty(*p))
    }

    /// The move with its class, as the histories index it.
    #[inline(always)]
    pub fn history_move(&self, point: Point) -> HistoryMove {
        HistoryMove { point, class: self.position.info(point).class(self.position.to_move()) }
    }

    /// The last two moves before this node: the opponent's, then the side's own.
    #[inline(always)]
    pub fn previous_moves(&self, ply: usize) -> (Option<HistoryMove>, Option<HistoryMove>) {
        let at = |back: usize| ply.checked_sub(back).and_then(|i| self.stack[i].played);
        (at(1), at(2))
    }

    /// Sets the principal variation of a node to `point` and the child's variation.
    pub fn extend_line(&mut self, ply: usize, point: Point) {
        let (head, tail) = self.lines.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(point);
        head[ply].extend_from_slice(&tail[0]);
    }
}
