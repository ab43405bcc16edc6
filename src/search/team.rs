//! Several threads on one root: the first plans, the others join in what it is searching.
//!
//! The first thread deepens as if it were alone and opens a round for each search of the root: moves in order, window,
//! depth. The others search the same, beginning with moves that nobody has in hand ([`super::busy`]), and leave off when
//! the round ends. Left to deepen for themselves, threads soon disagree on the best move and search different trees.

use super::pvs::Ask;
use super::root::Aim;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// One search of the root.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub aim: Aim,
    pub rank: usize,
    pub ask: Ask,
}

#[derive(Debug)]
enum State {
    Closed,
    Idle,
    Open(Plan),
}

/// Where threads meet.
#[derive(Debug)]
pub(super) struct Team {
    /// Counts openings and endings of rounds.
    round: AtomicU64,
    state: Mutex<State>,
    changed: Condvar,
    is_alone: bool,
}

impl Team {
    /// For so many threads.
    pub fn new(threads: usize) -> Team {
        let state = Mutex::new(State::Idle);
        Team { round: AtomicU64::new(0), state, changed: Condvar::new(), is_alone: threads == 1 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A state is replaced whole, so that of a thread that panicked is valid too.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, state: State) {
        let mut present = self.state();
        *present = state;
        self.round.fetch_add(1, Ordering::Relaxed);
        drop(present);
        self.changed.notify_all();
    }

    /// Calls the other threads to a search of the root.
    pub fn open(&self, plan: impl FnOnce() -> Plan) {
        if !self.is_alone {
            self.change(State::Open(plan()));
        }
    }

    /// Ends the round: whatever the others still search is of no use.
    pub fn end(&self) {
        self.change(State::Idle);
    }

    /// Waits for a round that is not `last`, and gives its number and plan; `None` when all is over.
    pub fn join(&self, last: u64) -> Option<(u64, Plan)> {
        let mut state = self.state();
        loop {
            // The number changes only while the state is locked.
            let round = self.round.load(Ordering::Relaxed);
            match &*state {
                State::Closed => return None,
                State::Open(plan) if round != last => return Some((round, plan.clone())),
                State::Open(_) | State::Idle => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Whether a round is still the present one.
    pub fn is_on(&self, round: u64) -> bool {
        self.round.load(Ordering::Relaxed) == round
    }
}

/// Sends the others home when dropped, so that nobody waits for a thread that is gone.
pub(super) struct Closing<'a>(pub &'a Team);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.change(State::Closed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rank: usize) -> Plan {
        let aim = Aim { moves: Vec::new(), lines: 1, depth: 1, may_stop_early: false };
        Plan { aim, rank, ask: Ask { alpha: 0, beta: 1, depth: 100, cut_node: false } }
    }

    #[test]
    fn helpers_see_each_round_once_and_go_home() {
        let team = Team::new(2);
        std::thread::scope(|scope| {
            let (tell, told) = std::sync::mpsc::channel();
            let team = &team;
            scope.spawn(move || {
                let mut last = 0;
                while let Some((round, plan)) = team.join(last) {
                    last = round;
                    let _ = tell.send((plan.rank, team.is_on(round)));
                }
            });
            let _closing = Closing(team);
            for rank in 5..8 {
                team.open(|| plan(rank));
                assert_eq!(told.recv(), Ok((rank, true)));
                team.end();
            }
        });
        assert!(team.join(0).is_none());
    }

    #[test]
    fn a_round_that_ended_is_off() {
        let team = Team::new(2);
        team.open(|| plan(1));
        let (round, _) = team.join(0).expect("a round is open");
        assert!(team.is_on(round));
        team.end();
        assert!(!team.is_on(round));
    }
}
