//! Several threads on one root: the first plans, the others join in what it is searching.
//!
//! The first thread deepens as if it were alone and opens a [`Round`] for each search of the root; the others take part
//! in it. Left to deepen for themselves, threads soon disagree on the best move and search different trees.

use super::round::Round;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct State {
    /// The present round, and the number of rounds so far.
    round: Option<Arc<Round>>,
    number: u64,
    is_over: bool,
}

/// Where threads meet.
#[derive(Debug)]
pub(super) struct Team {
    state: Mutex<State>,
    changed: Condvar,
    is_alone: bool,
}

impl Team {
    /// For so many threads.
    pub fn new(threads: usize) -> Team {
        Team { state: Mutex::default(), changed: Condvar::new(), is_alone: threads == 1 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is a single step, so that what a thread that panicked has left is valid too.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the other threads to a round.
    pub fn open(&self, round: &Arc<Round>) {
        if !self.is_alone {
            let mut state = self.state();
            state.round = Some(Arc::clone(round));
            state.number += 1;
            self.changed.notify_all();
        }
    }

    /// Waits for a round later than the one of this number, 0 at first, and gives its number with it; `None` when all is
    /// over.
    pub fn join(&self, last: u64) -> Option<(u64, Arc<Round>)> {
        let mut state = self.state();
        while !state.is_over && state.number == last {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let number = state.number;
        state.round.as_ref().filter(|_| !state.is_over).map(|round| (number, Arc::clone(round)))
    }
}

/// Sends the others home when dropped, so that nobody waits for a thread that is gone.
pub(super) struct Closing<'a>(pub &'a Team);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::pvs::Ask;

    fn round(rank: usize) -> Arc<Round> {
        Arc::new(Round::new(Vec::new(), rank, Ask { alpha: 0, beta: 1, depth: 100, cut_node: false }))
    }

    #[test]
    fn helpers_see_each_round_once_and_go_home() {
        let team = Team::new(2);
        std::thread::scope(|scope| {
            let (tell, told) = std::sync::mpsc::channel();
            let team = &team;
            scope.spawn(move || {
                let mut last = 0;
                while let Some((number, round)) = team.join(last) {
                    last = number;
                    let _ = tell.send(round.rank);
                }
            });
            let _closing = Closing(team);
            for rank in 5..8 {
                team.open(&round(rank));
                assert_eq!(told.recv(), Ok(rank));
            }
        });
        assert!(team.join(0).is_none());
    }
}
