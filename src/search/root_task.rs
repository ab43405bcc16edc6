//! One search of the root's moves by all threads: which thread searches which move, and the values found.
//!
//! Threads begin with moves that no other thread is searching. When no such move is left, they join the search of moves
//! that others have started; the first thread to finish a move stores its value for all. So no thread waits for
//! another.

use super::node::NodeArgs;
use super::root_move::{RootMove, UNKNOWN};
use crate::board::Point;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The moves from `pv_index` on, searched with one window and depth.
#[derive(Debug)]
pub(super) struct RootTask {
    /// Number of better lines that were found before (multi-PV).
    pub pv_index: usize,
    pub args: NodeArgs,
    /// By move: whether its value is known or no longer needed.
    done: Box<[AtomicBool]>,
    list: Mutex<List>,
}

#[derive(Debug)]
struct List {
    moves: Vec<RootMove>,
    /// By move: how many threads have started to search it.
    started: Vec<usize>,
    /// The best value so far.
    best: i32,
}

impl RootTask {
    pub fn new(moves: Vec<RootMove>, pv_index: usize, args: NodeArgs) -> RootTask {
        // Proven losses are searched again only if no other move is left, to find the longest loss.
        let skips_losses = moves[pv_index.min(moves.len())..].iter().any(|m| m.loss.is_none());
        let is_done = |(i, m): (usize, &RootMove)| i < pv_index || (skips_losses && m.loss.is_some());
        let done = moves.iter().enumerate().map(is_done).map(AtomicBool::new).collect();
        let list = List { started: vec![0; moves.len()], moves, best: UNKNOWN };
        RootTask { pv_index, args, done, list: Mutex::new(list) }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        // Every change is a single step, so the state is valid even if a thread has panicked.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next move for a thread, with its index and its ordering gap: the first move until its value is known, then
    /// moves that no thread has started, then moves that the fewest threads have started. `None` when nothing is left
    /// to do.
    pub fn next_move(&self) -> Option<(usize, Point, i32)> {
        let mut list = self.list();
        let open = (self.pv_index..list.moves.len()).filter(|i| self.is_open(*i));
        let i = open.min_by_key(|i| if *i == self.pv_index { 0 } else { list.started[*i] + 1 })?;
        list.started[i] += 1;
        let RootMove { point, gap, .. } = list.moves[i];
        Some((i, point, gap))
    }

    /// Whether the value of a move is still unknown and needed.
    pub fn is_open(&self, i: usize) -> bool {
        !self.done[i].load(Ordering::Relaxed)
    }

    /// The score that a move must exceed; always below the window's beta.
    pub fn alpha(&self) -> i32 {
        self.list().best.clamp(self.args.alpha, self.args.beta - 1)
    }

    /// Stores the value and the line of a move that was searched with this `alpha`. Only the first value of a move
    /// counts.
    pub fn give(&self, i: usize, alpha: i32, value: i32, line: &[Point]) {
        let mut list = self.list();
        if !self.is_open(i) {
            return;
        }
        self.done[i].store(true, Ordering::Relaxed);
        list.moves[i].set_value(value, (alpha, self.args.beta), i == self.pv_index, line);
        list.best = list.best.max(value);
        if value >= self.args.beta {
            self.close();
        }
    }

    fn close(&self) {
        self.done.iter().for_each(|done| done.store(true, Ordering::Relaxed));
    }

    /// Ends the task, even if moves are still being searched. Returns the moves, in unchanged order, and the best
    /// value.
    pub fn end(&self) -> (Vec<RootMove>, i32) {
        let mut list = self.list();
        self.close();
        (std::mem::take(&mut list.moves), list.best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(pv_index: usize, alpha: i32, beta: i32) -> RootTask {
        let moves = (0..5).map(|x| RootMove::new(Point::new(x, 3).expect("on the board"), 0)).collect();
        RootTask::new(moves, pv_index, NodeArgs { alpha, beta, depth: 500, cut_node: false })
    }

    fn taken(task: &RootTask) -> Option<usize> {
        task.next_move().map(|(i, ..)| i)
    }

    #[test]
    fn the_first_move_comes_before_the_others_which_are_shared_out() {
        let task = task(1, 0, 100);
        assert_eq!([taken(&task), taken(&task)], [Some(1), Some(1)]);
        task.give(1, 0, -7, &[]);
        // A later value is ignored.
        task.give(1, 0, 50, &[]);
        assert_eq!((0..4).map(|_| taken(&task)).collect::<Vec<_>>(), [Some(2), Some(3), Some(4), Some(2)]);
        task.give(2, 0, 40, &[Point::at(1, 1)]);
        assert_eq!((task.alpha(), task.is_open(2), task.is_open(3)), (40, false, true));
        assert_eq!((0..3).map(|_| taken(&task)).collect::<Vec<_>>(), [Some(3), Some(4), Some(3)]);
        task.give(4, 0, 30, &[]);
        task.give(3, 40, 35, &[]);
        assert_eq!(taken(&task), None);
        let (moves, best) = task.end();
        assert_eq!(moves.iter().map(|m| m.score).collect::<Vec<_>>(), [UNKNOWN, -7, 40, UNKNOWN, 30]);
        assert_eq!((best, &moves[2].line[..]), (40, &[moves[2].point, Point::at(1, 1)][..]));
    }

    #[test]
    fn nothing_is_wanted_after_a_cut_or_the_end() {
        let cut = task(0, 0, 100);
        cut.give(0, 0, 100, &[]);
        assert_eq!((taken(&cut), cut.is_open(3)), (None, false));
        let ended = task(0, 0, 100);
        assert_eq!(ended.end().0.len(), 5);
        assert_eq!((taken(&ended), ended.is_open(0)), (None, false));
        ended.give(0, 0, 5, &[]);
    }
}
