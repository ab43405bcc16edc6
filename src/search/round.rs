//! One search of the root's moves by all threads: who takes which, and what came of it.
//!
//! A move belongs to nobody. Threads begin with moves that no other has in hand; when there are none left they join in
//! those that are, and whoever comes first to the value of a move gives it for all. So no thread waits while another
//! finishes what both could.

use super::pvs::Ask;
use super::root::{RootMove, UNKNOWN};
use crate::board::Point;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The moves from `rank` on, searched with one window and depth.
#[derive(Debug)]
pub(super) struct Round {
    pub rank: usize,
    pub ask: Ask,
    /// By move: whether its value is known, or of no use any more.
    done: Box<[AtomicBool]>,
    list: Mutex<List>,
}

#[derive(Debug)]
struct List {
    moves: Vec<RootMove>,
    /// By move: how many threads have begun with it.
    begun: Vec<usize>,
    /// The best value so far.
    best: i32,
}

impl Round {
    pub fn new(moves: Vec<RootMove>, rank: usize, ask: Ask) -> Round {
        let done = (0..moves.len()).map(|i| AtomicBool::new(i < rank)).collect();
        let list = List { begun: vec![0; moves.len()], moves, best: UNKNOWN };
        Round { rank, ask, done, list: Mutex::new(list) }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        // Every change is a single step, so that what a thread that panicked has left is valid too.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next move of a thread, with its number among the moves: the first alone, before all others, then those that
    /// nobody has begun, then those that the fewest have. `None` when nothing is left to do.
    pub fn take_move(&self) -> Option<(usize, Point)> {
        let mut list = self.list();
        let open = (self.rank..list.moves.len()).filter(|i| self.is_wanted(*i));
        let i = open.min_by_key(|i| if *i == self.rank { 0 } else { list.begun[*i] + 1 })?;
        list.begun[i] += 1;
        Some((i, list.moves[i].point))
    }

    /// Whether nobody knows the value of a move yet, and somebody wants it.
    pub fn is_wanted(&self, i: usize) -> bool {
        !self.done[i].load(Ordering::Relaxed)
    }

    /// What a move must be better than; always below the window's upper end.
    pub fn alpha(&self) -> i32 {
        self.list().best.clamp(self.ask.alpha, self.ask.beta - 1)
    }

    /// Gives the value of a move that was searched above `alpha`, and the line that leads to it. Of no effect if somebody
    /// has given one.
    pub fn give(&self, i: usize, alpha: i32, value: i32, line: &[Point]) {
        let mut list = self.list();
        if !self.is_wanted(i) {
            return;
        }
        self.done[i].store(true, Ordering::Relaxed);
        let m = &mut list.moves[i];
        if i == self.rank || value > alpha {
            m.score = value;
            m.line.clear();
            m.line.push(m.point);
            m.line.extend_from_slice(line);
        } else {
            m.score = UNKNOWN;
        }
        list.best = list.best.max(value);
        if value >= self.ask.beta {
            self.drop_all();
        }
    }

    fn drop_all(&self) {
        self.done.iter().for_each(|done| done.store(true, Ordering::Relaxed));
    }

    /// Ends the round, whatever is still searched; the moves with what was found, in unchanged order, and the best value.
    pub fn end(&self) -> (Vec<RootMove>, i32) {
        let mut list = self.list();
        self.drop_all();
        (std::mem::take(&mut list.moves), list.best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(rank: usize, alpha: i32, beta: i32) -> Round {
        let moves = (0..5).map(|x| RootMove::new(Point::new(x, 3).expect("on the board"))).collect();
        Round::new(moves, rank, Ask { alpha, beta, depth: 500, cut_node: false })
    }

    fn taken(round: &Round) -> Option<usize> {
        round.take_move().map(|(i, _)| i)
    }

    #[test]
    fn the_first_move_comes_before_the_others_which_are_shared_out() {
        let round = round(1, 0, 100);
        assert_eq!([taken(&round), taken(&round)], [Some(1), Some(1)]);
        round.give(1, 0, -7, &[]);
        // Whoever comes later is not heard.
        round.give(1, 0, 50, &[]);
        assert_eq!((0..4).map(|_| taken(&round)).collect::<Vec<_>>(), [Some(2), Some(3), Some(4), Some(2)]);
        round.give(2, 0, 40, &[Point::at(1, 1)]);
        assert_eq!((round.alpha(), round.is_wanted(2), round.is_wanted(3)), (40, false, true));
        assert_eq!((0..3).map(|_| taken(&round)).collect::<Vec<_>>(), [Some(3), Some(4), Some(3)]);
        round.give(4, 0, 30, &[]);
        round.give(3, 40, 35, &[]);
        assert_eq!(taken(&round), None);
        let (moves, best) = round.end();
        assert_eq!(moves.iter().map(|m| m.score).collect::<Vec<_>>(), [UNKNOWN, -7, 40, UNKNOWN, 30]);
        assert_eq!((best, &moves[2].line[..]), (40, &[moves[2].point, Point::at(1, 1)][..]));
    }

    #[test]
    fn nothing_is_wanted_after_a_cut_or_the_end() {
        let cut = round(0, 0, 100);
        cut.give(0, 0, 100, &[]);
        assert_eq!((taken(&cut), cut.is_wanted(3)), (None, false));
        let ended = round(0, 0, 100);
        assert_eq!(ended.end().0.len(), 5);
        assert_eq!((taken(&ended), ended.is_wanted(0)), (None, false));
        ended.give(0, 0, 5, &[]);
    }
}
