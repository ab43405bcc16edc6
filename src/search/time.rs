//! Time for a move: when to stop between iterations (soft) and when to stop at once (hard).

use super::limits::Limits;
use std::time::{Duration, Instant};

/// Deadlines of one search.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
    /// Aim of an ordinary move; scaled by how stable_iterations the search is.
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// Whether the whole time of the move may be used without loss.
    fixed: bool,
}

/// The time of a search that should have none: its answer comes at once, and is a thought all the same.
const AT_ONCE: Duration = Duration::from_millis(3);

/// What is held back from a limit for the way to the manager and a searched_now machine.
fn reserve(limit: Duration) -> Duration {
    (Duration::from_millis(12) + limit / 50).min(Duration::from_millis(60)).min(limit / 2)
}

/// A limit less what is held back.
pub(super) fn usable(limit: Duration) -> Duration {
    (limit - reserve(limit)).max(AT_ONCE)
}

/// Own moves that the rest of a game is planned for.
fn moves_to_go(empty_cells: usize) -> u32 {
    (empty_cells as u32 / 2).clamp(1, 22)
}

impl Clock {
    /// Deadlines by the limits, for a board with so many empty cells.
    pub fn new(limits: &Limits, empty_cells: usize) -> Clock {
        let turn = limits.turn.map(usable);
        let left = limits.left.map(usable);
        let (soft, hard) = match left {
            None => (turn, turn),
            Some(left) => {
                let to_go = moves_to_go(empty_cells);
                let share = (left / to_go + limits.increment * 3 / 4).max(AT_ONCE);
                let most = (left / to_go.min(5)).max(AT_ONCE).min(left);
                match turn {
                    Some(turn) if turn <= share => (Some(turn), Some(turn)),
                    Some(turn) => (Some(share.min(turn)), Some(most.min(turn))),
                    None => (Some(share.min(most)), Some(most)),
                }
            }
        };
        Clock { started: limits.started, soft, hard, fixed: soft == hard }
    }

    /// Time since the request arrived.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time that an ordinary move will take, if there is any limit.
    pub fn aim(&self) -> Option<Duration> {
        self.soft
    }

    /// Whether the search must stop now.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.started.elapsed() >= hard)
    }

    /// Whether another iteration is not worth starting. `time_factor` scales the aim: 1 for an ordinary move, less for one
    /// that has long been best, more for one that changes or loses score.
    pub fn is_enough(&self, time_factor: f64) -> bool {
        let Some(soft) = self.soft else { return false };
        let elapsed = self.elapsed();
        if self.fixed { elapsed >= soft } else { elapsed >= soft.mul_f64(time_factor * 0.7) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(turn: Option<u64>, left: Option<u64>) -> Limits {
        Limits { turn: turn.map(Duration::from_millis), left: left.map(Duration::from_millis), ..Limits::infinite() }
    }

    #[test]
    fn the_hard_deadline_never_exceeds_a_limit() {
        for turn in [None, Some(0), Some(1), Some(30), Some(100), Some(1_000), Some(300_000)] {
            for left in [None, Some(0), Some(1), Some(120), Some(5_000), Some(1_000_000)] {
                let clock = Clock::new(&limits(turn, left), 200);
                for limit in [turn, left].into_iter().flatten() {
                    let hard = clock.hard.expect("a limit gives a deadline");
                    assert!(hard <= Duration::from_millis(limit).max(AT_ONCE), "{turn:?} {left:?} {hard:?}");
                    assert!(clock.soft.expect("and an aim") <= hard);
                }
            }
        }
    }

    #[test]
    fn no_limit_gives_no_deadline() {
        let clock = Clock::new(&limits(None, None), 200);
        assert!(!clock.is_over() && !clock.is_enough(1.0));
    }
}
