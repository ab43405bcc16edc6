//! Which moves are being searched now: threads that come to the same node begin with different moves.
//!
//! Parallel search in the simplified form of ABDADA (J.-C. Weill, *The ABDADA distributed minimax search algorithm*,
//! 1996; T. Kerrigan, *Simplified ABDADA*, 2017). All threads search the same tree over the shared table. A move but the
//! first that another thread has in hand is put off until the others are done, by when its result is often in the
//! table. Nobody waits for anybody. The marks are hints: lost or mistaken ones cost time, never a result.

use super::params::PLY;
use std::sync::atomic::{AtomicU32, Ordering};

const WAYS: usize = 4;
const BUCKETS: usize = 1 << 12;

/// Least depth, in hundredths of a ply, of nodes whose moves are shared out: below, the marks cost more than they save.
const LEAST_DEPTH: i32 = 4 * PLY;

/// Marks of the moves that are being searched, by the key of the position that they lead to.
#[derive(Debug)]
pub(super) struct Busy {
    /// Zero is free. Empty where no moves are shared out.
    marks: Box<[AtomicU32]>,
}

/// Never zero.
fn mark_of(key: u64) -> u32 {
    key as u32 | 1
}

impl Busy {
    /// Marks for several threads, or none, so that no moves are shared out.
    pub fn new(shares: bool) -> Busy {
        let marks = if shares { WAYS * BUCKETS } else { 0 };
        Busy { marks: (0..marks).map(|_| AtomicU32::new(0)).collect() }
    }

    /// Whether the moves of a node of this depth are shared out.
    #[inline(always)]
    pub fn shares(&self, depth: i32) -> bool {
        !self.marks.is_empty() && depth >= LEAST_DEPTH
    }

    fn bucket(&self, key: u64) -> &[AtomicU32] {
        let first = (key >> 32) as usize % BUCKETS * WAYS;
        &self.marks[first..first + WAYS]
    }

    /// Whether somebody searches the move to this position.
    pub fn holds(&self, key: u64) -> bool {
        self.bucket(key).iter().any(|mark| mark.load(Ordering::Relaxed) == mark_of(key))
    }

    /// Marks the move to this position, of a node of this depth, as being searched until the mark is dropped; nothing
    /// where moves are not shared out.
    #[must_use]
    pub fn mark(&self, depth: i32, key: u64) -> Option<Mark<'_>> {
        self.shares(depth).then(|| {
            let bucket = self.bucket(key);
            let free = bucket.iter().find(|mark| mark.load(Ordering::Relaxed) == 0);
            free.unwrap_or(&bucket[0]).store(mark_of(key), Ordering::Relaxed);
            Mark { bucket, mark: mark_of(key) }
        })
    }
}

/// A move in hand.
pub(super) struct Mark<'a> {
    bucket: &'a [AtomicU32],
    mark: u32,
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        for mark in self.bucket.iter().filter(|mark| mark.load(Ordering::Relaxed) == self.mark) {
            mark.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_held_from_its_begin_to_its_end() {
        let busy = Busy::new(true);
        let keys: Vec<u64> = (1..=WAYS as u64).map(|i| i << 8 | 5 << 32).collect();
        let mut marks = Vec::new();
        for key in &keys {
            assert!(!busy.holds(*key));
            marks.push(busy.mark(LEAST_DEPTH, *key));
        }
        assert!(keys.iter().all(|key| busy.holds(*key)));
        drop(marks.remove(1));
        assert_eq!(keys.iter().map(|key| busy.holds(*key)).collect::<Vec<bool>>(), [true, false, true, true]);
        // A full bucket forgets one.
        let _marks = [keys[1], 9 << 8 | 5 << 32].map(|key| busy.mark(LEAST_DEPTH, key));
        assert!(busy.holds(9 << 8 | 5 << 32) && !busy.holds(keys[0]));
    }

    #[test]
    fn moves_are_shared_out_from_a_depth_on_or_never() {
        assert!(!Busy::new(false).shares(50 * PLY));
        assert!(Busy::new(true).shares(LEAST_DEPTH) && !Busy::new(true).shares(LEAST_DEPTH - 1));
    }
}
