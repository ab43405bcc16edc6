//! The clock of a game: how much time each side has, and how long the current turn has taken.
//!
//! A side's time at a node follows from the times of the moves on the path to it ([`Bank`]), so taking moves back gives
//! back their time. A [`Timer`] measures the current turn; it stops while the game is not played. Callers pass the time
//! in.

use crate::command::Clock;
use tengen::board::{BySide, Side};
use web_time::{Duration, Instant};

/// Shortest and longest time that a clock may give, in milliseconds: a tenth of a second and a week.
pub const BOUNDS_MS: (u64, u64) = (100, 7 * 24 * 3600 * 1000);

/// Whether the times are within [`BOUNDS_MS`]; an increment may be zero.
pub fn is_sensible(clock: Clock) -> bool {
    let (least, most) = BOUNDS_MS;
    match clock {
        Clock::None => true,
        Clock::Move { ms } => (least..=most).contains(&ms),
        Clock::Game { ms, increment_ms } => (least..=most).contains(&ms) && increment_ms <= most,
    }
}

/// The time of each side at the beginning of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bank {
    clock: Clock,
    left: BySide<Duration>,
}

impl Bank {
    /// The times before the first move.
    pub fn new(clock: Clock) -> Bank {
        let each = match clock {
            Clock::None => Duration::ZERO,
            Clock::Move { ms } | Clock::Game { ms, .. } => Duration::from_millis(ms),
        };
        Bank { clock, left: BySide([each; 2]) }
    }

    /// A side's time for its next turn; `None` without a clock.
    pub fn left(&self, side: Side) -> Option<Duration> {
        (self.clock != Clock::None).then(|| self.left[side])
    }

    /// A side's gain with each move.
    pub fn increment(&self) -> Duration {
        match self.clock {
            Clock::Game { increment_ms, .. } => Duration::from_millis(increment_ms),
            Clock::None | Clock::Move { .. } => Duration::ZERO,
        }
    }

    /// The times after a side has moved. A move without a time was made while the clock was stopped: it costs no time
    /// and gains none.
    #[must_use]
    pub fn after(mut self, side: Side, took: Option<Duration>) -> Bank {
        if let (Clock::Game { .. }, Some(took)) = (self.clock, took) {
            self.left[side] = self.left[side].saturating_sub(took).saturating_add(self.increment());
        }
        self
    }

    /// The times after the players exchange colours: each player keeps their own time.
    #[must_use]
    pub fn exchanged(mut self) -> Bank {
        self.left.0.swap(0, 1);
        self
    }
}

/// Measures a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timer {
    /// Time used before `since`.
    spent: Duration,
    /// When it was started; `None` while it is stopped.
    since: Option<Instant>,
}

impl Timer {
    /// A timer that runs from `now` and has `spent` on it already.
    pub fn running(spent: Duration, now: Instant) -> Timer {
        Timer { spent, since: Some(now) }
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// How long the turn has taken.
    pub fn spent(&self, now: Instant) -> Duration {
        self.spent + self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// Stops the timer.
    pub fn hold(&mut self, now: Instant) {
        *self = Timer { spent: self.spent(now), since: None };
    }

    /// When the turn will have taken this long; `None` while the timer is stopped.
    pub fn reaches(&self, limit: Duration) -> Option<Instant> {
        self.since?.checked_add(limit.saturating_sub(self.spent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    #[test]
    fn time_for_the_game_runs_down_and_comes_back_by_the_increment() {
        let bank = Bank::new(Clock::Game { ms: 60_000, increment_ms: 2_000 });
        let later = bank.after(Side::Black, Some(seconds(10))).after(Side::White, Some(seconds(1)));
        assert_eq!(later.left(Side::Black), Some(seconds(52)));
        assert_eq!(later.left(Side::White), Some(seconds(61)));
        assert_eq!(later.after(Side::Black, None), later, "an untimed move");
        assert_eq!(later.exchanged().left(Side::White), Some(seconds(52)));
        assert_eq!(later.after(Side::Black, Some(seconds(99))).left(Side::Black), Some(seconds(2)));
    }

    #[test]
    fn time_for_a_move_is_the_same_for_each() {
        let bank = Bank::new(Clock::Move { ms: 5_000 });
        assert_eq!(bank.after(Side::Black, Some(seconds(4))).left(Side::Black), Some(seconds(5)));
        assert_eq!(Bank::new(Clock::None).left(Side::Black), None);
    }

    #[test]
    fn a_timer_counts_only_while_it_runs() {
        let start = Instant::now();
        let mut timer = Timer::running(seconds(1), start);
        assert_eq!(timer.spent(start + seconds(3)), seconds(4));
        assert_eq!(timer.reaches(seconds(5)), Some(start + seconds(4)));
        assert_eq!(timer.reaches(seconds(0)), Some(start), "overdue");
        timer.hold(start + seconds(3));
        assert_eq!(timer.spent(start + seconds(30)), seconds(4));
        assert_eq!((timer.is_running(), timer.reaches(seconds(5))), (false, None));
    }

    #[test]
    fn only_sensible_clocks_are_accepted() {
        assert!(is_sensible(Clock::None) && is_sensible(Clock::Game { ms: 300_000, increment_ms: 0 }));
        for clock in
            [Clock::Move { ms: 0 }, Clock::Move { ms: u64::MAX }, Clock::Game { ms: 1_000, increment_ms: u64::MAX }]
        {
            assert!(!is_sensible(clock), "{clock:?}");
        }
    }
}
