//! Time for a move: when to stop between iterations (soft) and when to stop at once (hard).

use super::limits::Limits;
use crate::board::Point;
use crate::score::Score;
use std::time::Duration;
use web_time::Instant;

/// Deadlines of one search.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
    /// Time of an ordinary move; scaled by the stability of the search.
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// Whether the move may use its whole time at no cost to later moves.
    fixed: bool,
}

/// The time of a search that must answer at once.
const AT_ONCE: Duration = Duration::from_millis(3);

/// Safety margin subtracted from a limit, for the communication with the manager and for a busy machine.
fn reserve(limit: Duration) -> Duration {
    (Duration::from_millis(12) + limit / 50).min(Duration::from_millis(60)).min(limit / 2)
}

/// A search that exceeds its time by this much is waiting for a processor.
const GRACE: Duration = Duration::from_millis(4);

impl Limits {
    /// When the best known answer should be sent even if the search has not ended; `None` if there is no limit, or the
    /// search has not begun.
    pub fn overdue(&self) -> Option<Instant> {
        let limit = self.longest()?;
        self.started?.checked_add(usable(limit) + GRACE)
    }
}

/// A limit minus its safety margin.
fn usable(limit: Duration) -> Duration {
    (limit - reserve(limit)).max(AT_ONCE)
}

/// Number of own moves over which the remaining time of a game is divided.
fn moves_to_go(empty_cells: usize) -> u32 {
    (empty_cells as u32 / 2).clamp(1, 22)
}

impl Clock {
    /// Deadlines for the limits, on a board with this many empty cells.
    pub fn new(limits: &Limits, empty_cells: usize) -> Clock {
        let turn = limits.turn.map(usable);
        let left = limits.left.map(usable);
        let (soft, hard, fixed) = match left {
            None => (turn, turn, true),
            Some(left) => {
                let to_go = moves_to_go(empty_cells);
                let most = (left / to_go.min(5)).max(AT_ONCE).min(left);
                let share = (left / to_go + limits.increment * 3 / 4).max(AT_ONCE).min(most);
                match turn {
                    Some(turn) if turn <= share => (Some(turn), Some(turn), true),
                    Some(turn) => (Some(share), Some(most.min(turn)), false),
                    None => (Some(share), Some(most), false),
                }
            }
        };
        Clock { started: limits.started.unwrap_or_else(Instant::now), soft, hard, fixed }
    }

    /// Time since the request arrived.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time that an ordinary move will take, if there is any limit.
    pub fn aim(&self) -> Option<Duration> {
        self.soft
    }

    /// Whether there is any limit.
    pub fn is_limited(&self) -> bool {
        self.hard.is_some()
    }

    /// Whether the search must stop now.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.started.elapsed() >= hard)
    }

    /// Whether another iteration is not worth starting. `time_factor` scales the soft limit: 1 for an ordinary move,
    /// less if the best move has long been stable, more if it changes or its score drops.
    pub fn should_stop_deepening(&self, time_factor: f64) -> bool {
        let Some(soft) = self.soft else { return false };
        let elapsed = self.elapsed();
        if self.fixed { elapsed >= soft } else { elapsed >= soft.mul_f64(time_factor * 0.7) }
    }
}

/// Decides after each iteration whether another one is worth starting.
#[derive(Debug)]
pub(super) struct TimeManager {
    clock: Clock,
    best: Option<Point>,
    last_score: i32,
    /// Iterations since the best move changed.
    stable_iterations: u32,
    /// Iterations since the outcome was proven.
    proven_iterations: u32,
}

/// Iterations that a timed search spends after a proof to find a shorter win.
const TRIES_AFTER_PROOF: u32 = 4;
/// Depth at which the search ends if all root moves but one are proven losses.
const FORCED_DEPTH: u32 = 4;

impl TimeManager {
    /// For a search that has just begun.
    pub fn new(clock: Clock) -> TimeManager {
        TimeManager { clock, best: None, last_score: 0, stable_iterations: 0, proven_iterations: 0 }
    }

    /// Whether the iteration of this depth is the last one. The arguments are the best move and its score, if it has
    /// one, the depth, the number of lines searched, and the number of root moves that are not proven to lose.
    pub fn should_stop_deepening(
        &mut self,
        best: Point,
        score: Option<i32>,
        depth: u32,
        lines: usize,
        alternatives: usize,
    ) -> bool {
        let is_stable = self.best.replace(best) == Some(best);
        self.stable_iterations = if is_stable { self.stable_iterations + 1 } else { 0 };
        let factor = score.map_or(1.0, |score| self.time_factor(score));
        if self.clock.should_stop_deepening(factor) {
            return true;
        }
        if lines > 1 {
            return false;
        }
        if let Some(distance) = score.and_then(|score| Score::from_raw(score).distance()) {
            self.proven_iterations += 1;
            // Every shorter win lies within the depth that was searched.
            if distance.unsigned_abs() <= depth
                || (self.clock.is_limited() && self.proven_iterations > TRIES_AFTER_PROOF)
            {
                return true;
            }
        }
        self.clock.is_limited() && alternatives == 1 && depth >= FORCED_DEPTH
    }

    /// Factor of the soft limit: above 1 when the best move changes or its score drops.
    fn time_factor(&mut self, score: i32) -> f64 {
        let drop = f64::from((self.last_score - score).clamp(-50, 150)) / 150.0;
        self.last_score = score;
        let stability = 1.5 / (1.0 + 0.22 * f64::from(self.stable_iterations.min(10)));
        (stability * (1.0 + 0.6 * drop)).clamp(0.35, 2.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock with these limits in ms, of which `gone` have passed.
    fn running(turn: Option<u64>, left: Option<u64>, gone: u64) -> Clock {
        let started = Instant::now().checked_sub(Duration::from_millis(gone)).expect("a time");
        Clock::new(&Limits { started: Some(started), ..limits(turn, left) }, 200)
    }

    /// The first of 100 iterations, each with a score, after which the search ends.
    fn last_iteration(clock: Clock, lines: usize, alternatives: usize, score: impl Fn(u32) -> i32) -> Option<u32> {
        let mut manager = TimeManager::new(clock);
        let mut is_last =
            |depth| manager.should_stop_deepening(Point::at(7, 7), Some(score(depth)), depth, lines, alternatives);
        (1..=100).find(|depth| is_last(*depth))
    }

    #[test]
    fn a_search_without_a_clock_ends_by_proof_alone() {
        let clock = || running(None, None, 1_000_000);
        assert_eq!(last_iteration(clock(), 1, 50, |_| 30), None);
        assert_eq!(last_iteration(clock(), 1, 1, |_| 30), None);
        assert_eq!(last_iteration(clock(), 1, 50, |_| Score::win_in(17).raw()), Some(17));
        assert_eq!(last_iteration(clock(), 3, 50, |_| Score::win_in(17).raw()), None);
    }

    #[test]
    fn a_timed_search_answers_what_is_decided() {
        let clock = || running(Some(60_000), None, 0);
        let won_from = |first: u32| move |depth: u32| if depth < first { 0 } else { Score::win_in(40).raw() };
        assert_eq!(last_iteration(clock(), 1, 50, won_from(9)), Some(9 + TRIES_AFTER_PROOF));
        assert_eq!(last_iteration(clock(), 1, 1, |_| 0), Some(FORCED_DEPTH));
        assert_eq!(last_iteration(clock(), 2, 1, |_| 0), None);
    }

    #[test]
    fn a_fixed_time_is_used_up_and_a_game_time_is_not() {
        assert_eq!(last_iteration(running(Some(1_000), None, 900), 1, 50, |_| 0), None);
        assert_eq!(last_iteration(running(Some(1_000), None, 990), 1, 50, |_| 0), Some(1));
        // The time is divided over 22 moves: about 2.6 s each.
        let stable = last_iteration(running(None, Some(60_000), 1_500), 1, 50, |_| 0);
        assert!(stable.is_some_and(|depth| (2..12).contains(&depth)), "{stable:?}");
        let falling = last_iteration(running(None, Some(60_000), 1_500), 1, 50, |depth| -100 * depth as i32);
        assert!(falling > stable, "a falling score gets more time");
    }

    fn limits(turn: Option<u64>, left: Option<u64>) -> Limits {
        Limits { turn: turn.map(Duration::from_millis), left: left.map(Duration::from_millis), ..Limits::infinite() }
    }

    #[test]
    fn the_hard_deadline_never_exceeds_a_limit() {
        let cases =
            [None, Some(0), Some(1), Some(30), Some(100), Some(1_000), Some(300_000)].into_iter().flat_map(|turn| {
                let left = [None, Some(0), Some(1), Some(120), Some(5_000), Some(1_000_000)];
                left.into_iter().flat_map(move |left| [0, 5_000].map(|increment| (turn, left, increment)))
            });
        for (turn, left, increment) in cases {
            let increment = Duration::from_millis(increment);
            let clock = Clock::new(&Limits { increment, ..limits(turn, left) }, 200);
            for limit in [turn, left].into_iter().flatten() {
                let hard = clock.hard.expect("a limit gives a deadline");
                assert!(hard <= Duration::from_millis(limit).max(AT_ONCE), "{turn:?} {left:?} {increment:?} {hard:?}");
                assert!(clock.soft.expect("and an aim") <= hard);
            }
        }
    }

    #[test]
    fn a_move_without_a_score_is_no_proof() {
        let mut manager = TimeManager::new(running(Some(60_000), None, 0));
        let won = Some(Score::win_in(40).raw());
        let scores = [None; 10].into_iter().chain([won; 10]);
        let last = (1..)
            .zip(scores)
            .find(|(depth, score)| manager.should_stop_deepening(Point::at(7, 7), *score, *depth, 1, 50));
        assert_eq!(last, Some((10 + TRIES_AFTER_PROOF + 1, won)));
    }

    #[test]
    fn no_limit_gives_no_deadline() {
        let clock = Clock::new(&limits(None, None), 200);
        assert!(!clock.is_over() && !clock.should_stop_deepening(1.0));
    }
}
