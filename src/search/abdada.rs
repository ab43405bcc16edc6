//! The moves that are being searched now, so that threads at the same node search different moves.
//!
//! Parallel search in the simplified form of ABDADA (J.-C. Weill, *The ABDADA distributed minimax search algorithm*,
//! 1996; T. Kerrigan, *Simplified ABDADA*, 2017). All threads search the same tree over the shared table. A move other
//! than the first that another thread is searching is deferred until the rest are done; its result is then often in the
//! table. No thread waits for another. The marks are hints: a lost or wrong mark costs time, but never makes a result
//! wrong.

use super::params::PLY;
use std::sync::atomic::{AtomicU32, Ordering};

const WAYS: usize = 4;
const BUCKETS: usize = 1 << 12;

/// Minimum depth, in hundredths of a ply, of nodes where moves are deferred: at lower depth marks cost more than they
/// save.
const LEAST_DEPTH: i32 = 4 * PLY;

/// Marks of the moves that are being searched, by the key of the position that they lead to.
#[derive(Debug)]
pub(super) struct CurrentlySearched {
    /// Zero is a free slot. The table is empty if no moves are deferred.
    marks: Box<[AtomicU32]>,
}

/// Never zero.
fn mark_of(key: u64) -> u32 {
    key as u32 | 1
}

impl CurrentlySearched {
    /// A table for several threads, or an empty one, with which no moves are deferred.
    pub fn new(shares: bool) -> CurrentlySearched {
        let marks = if shares { WAYS * BUCKETS } else { 0 };
        CurrentlySearched { marks: (0..marks).map(|_| AtomicU32::new(0)).collect() }
    }

    /// Whether moves are deferred at a node of this depth.
    #[inline(always)]
    pub fn applies(&self, depth: i32) -> bool {
        !self.marks.is_empty() && depth >= LEAST_DEPTH
    }

    fn bucket(&self, key: u64) -> &[AtomicU32] {
        let first = (key >> 32) as usize % BUCKETS * WAYS;
        &self.marks[first..first + WAYS]
    }

    /// Whether a thread is searching the move to this position.
    pub fn contains(&self, key: u64) -> bool {
        self.bucket(key).iter().any(|mark| mark.load(Ordering::Relaxed) == mark_of(key))
    }

    /// Marks the move to this position as being searched, until the guard is dropped. `depth` is that of the move's
    /// node; `None` if moves are not deferred there.
    #[must_use]
    pub fn insert(&self, depth: i32, key: u64) -> Option<SearchedGuard<'_>> {
        self.applies(depth).then(|| {
            let bucket = self.bucket(key);
            let free = bucket.iter().find(|mark| mark.load(Ordering::Relaxed) == 0);
            free.unwrap_or(&bucket[0]).store(mark_of(key), Ordering::Relaxed);
            SearchedGuard { bucket, mark: mark_of(key) }
        })
    }
}

/// Marks a move until it is dropped.
pub(super) struct SearchedGuard<'a> {
    bucket: &'a [AtomicU32],
    mark: u32,
}

impl Drop for SearchedGuard<'_> {
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
        let searched_now = CurrentlySearched::new(true);
        let keys: Vec<u64> = (1..=WAYS as u64).map(|i| i << 8 | 5 << 32).collect();
        let mut marks = Vec::new();
        for key in &keys {
            assert!(!searched_now.contains(*key));
            marks.push(searched_now.insert(LEAST_DEPTH, *key));
        }
        assert!(keys.iter().all(|key| searched_now.contains(*key)));
        drop(marks.remove(1));
        assert_eq!(
            keys.iter().map(|key| searched_now.contains(*key)).collect::<Vec<bool>>(),
            [true, false, true, true]
        );
        // A full bucket drops one mark.
        let _marks = [keys[1], 9 << 8 | 5 << 32].map(|key| searched_now.insert(LEAST_DEPTH, key));
        assert!(searched_now.contains(9 << 8 | 5 << 32) && !searched_now.contains(keys[0]));
    }

    #[test]
    fn moves_are_shared_out_from_a_depth_on_or_never() {
        assert!(!CurrentlySearched::new(false).applies(50 * PLY));
        assert!(
            CurrentlySearched::new(true).applies(LEAST_DEPTH) && !CurrentlySearched::new(true).applies(LEAST_DEPTH - 1)
        );
    }
}
