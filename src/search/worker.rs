//! One search thread: its position, its evaluator, what it learned, and what it shares with the others.

use super::abdada::CurrentlySearched;
use super::helper_sync::HelperSync;
use super::history::{Histories, HistoryMove, Killers};
use super::move_stack::MoveStack;
use super::params::{MAX_PLY, Params};
use super::root_task::RootTask;
use super::time::Clock;
use super::tt::Table;
use crate::board::Point;
use crate::control::{Aborted, StopToken};
use crate::eval::Evaluator;
use crate::position::Position;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What the threads of one search have in common. In cache lines of its own, or else what a thread writes beside it at
/// each node would take it out of the others' caches.
#[repr(align(128))]
pub(super) struct Shared<'a> {
    pub table: &'a Table,
    pub histories: &'a Histories,
    pub params: &'a Params,
    pub stop: &'a StopToken,
    pub clock: Clock,
    /// Nodes that all threads together may visit.
    pub node_limit: u64,
    /// Nodes of all threads, counted in batches.
    pub nodes: AtomicU64,
    /// Set when a limit is reached or the search is stopped.
    pub over: AtomicBool,
    /// What each thread has in hand.
    pub searched_now: CurrentlySearched,
    /// Where helpers are told what to search.
    pub helpers: HelperSync,
}

/// What a node remembers for its children and grandchildren.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StackEntry {
    /// Static evaluation of the side to move, unless the node was a forced reply.
    pub eval: Option<i32>,
    /// The move being searched, once there is one.
    pub played: Option<HistoryMove>,
    /// Extensions so far on this line, beyond the plies played.
    pub extended: i32,
    /// The move left out by a singular test.
    pub excluded: Option<Point>,
}

/// Nodes between looks at clock and stop token: a fraction of a millisecond.
const BATCH: u64 = 512;
/// Nodes between looks at whether others have done what is searched: a fraction of that.
const GLANCE: u64 = 64;

/// In cache lines of its own, as [`Shared`] is.
#[repr(align(128))]
pub(super) struct Worker<'a, E> {
    pub shared: &'a Shared<'a>,
    pub position: Position,
    pub eval: E,
    pub killers: Killers,
    pub moves: MoveStack,
    pub stack: Vec<StackEntry>,
    pub lines: Vec<Vec<Point>>,
    /// The task in which it takes part, and which of its moves it searches.
    pub in_hand: Option<(Arc<RootTask>, usize)>,
    pub nodes: u64,
    pub seldepth: usize,
    /// Node count at which the present visit to the horizon stops trying fours.
    pub four_limit: u64,
}

impl<'a, E: Evaluator> Worker<'a, E> {
    pub fn new(shared: &'a Shared<'a>, position: &Position, eval: &E) -> Worker<'a, E> {
        Worker {
            shared,
            position: position.clone(),
            eval: eval.clone(),
            killers: Killers::default(),
            moves: MoveStack::default(),
            stack: vec![StackEntry::default(); MAX_PLY + 8],
            lines: vec![Vec::new(); MAX_PLY + 8],
            in_hand: None,
            nodes: 0,
            seldepth: 0,
            four_limit: 0,
        }
    }

    /// Counts a node; now and then looks whether the search must end.
    #[inline(always)]
    pub fn count_node(&mut self, ply: usize) -> Result<(), Aborted> {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes.is_multiple_of(GLANCE) { self.check_limits() } else { Ok(()) }
    }

    #[cold]
    fn check_limits(&mut self) -> Result<(), Aborted> {
        if self.in_hand.as_ref().is_some_and(|(task, i)| !task.is_open(*i)) {
            return Err(Aborted);
        }
        if self.nodes.is_multiple_of(BATCH) {
            let total = self.shared.nodes.fetch_add(BATCH, Ordering::Relaxed) + BATCH;
            if self.shared.stop.is_stopped() || self.shared.clock.is_over() || total >= self.shared.node_limit {
                self.shared.over.store(true, Ordering::Relaxed);
            }
        }
        if self.shared.over.load(Ordering::Relaxed) { Err(Aborted) } else { Ok(()) }
    }

    /// Nodes of all threads.
    pub fn total_nodes(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed) + self.nodes % BATCH
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

    /// The move as the histories see it.
    #[inline(always)]
    pub fn history_move(&self, point: Point) -> HistoryMove {
        HistoryMove { point, class: self.position.info(point).class(self.position.to_move()) }
    }

    /// The moves before this node: the opponent's, and the side's own.
    #[inline(always)]
    pub fn previous_moves(&self, ply: usize) -> (Option<HistoryMove>, Option<HistoryMove>) {
        let at = |back: usize| ply.checked_sub(back).and_then(|i| self.stack[i].played);
        (at(1), at(2))
    }

    /// The principal line of a node becomes `point` and the child's line.
    pub fn extend_line(&mut self, ply: usize, point: Point) {
        let (head, tail) = self.lines.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(point);
        head[ply].extend_from_slice(&tail[0]);
    }
}
