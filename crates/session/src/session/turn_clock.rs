//! The turn whose time runs. It runs only while the game is played, and it may be at another node than the shown one.

use crate::clock::{Bank, Timer};
use tengen::board::Side;
use tengen_record::NodeId;
use web_time::{Duration, Instant};

/// A turn, with the clocks at its beginning.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub node: NodeId,
    pub side: Side,
    pub bank: Bank,
}

/// The timer, and the turn that it measures.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnClock {
    timer: Timer,
    /// The turn for which the timer was last started.
    turn: Option<Turn>,
}

impl TurnClock {
    /// Starts a turn of which `spent` has been used already.
    pub fn start(&mut self, turn: Turn, spent: Duration, now: Instant) {
        *self = TurnClock { timer: Timer::running(spent, now), turn: Some(turn) };
    }

    /// Stops the time of the turn; what it has used stays.
    pub fn hold(&mut self, now: Instant) {
        self.timer.hold(now);
    }

    /// No turn runs, and none has used any time.
    pub fn reset(&mut self) {
        *self = TurnClock::default();
    }

    pub fn is_running(&self) -> bool {
        self.timer.is_running()
    }

    /// The turn whose time is running.
    pub fn running(&self) -> Option<Turn> {
        self.turn.filter(|_| self.timer.is_running())
    }

    /// How long the turn has taken.
    pub fn spent(&self, now: Instant) -> Duration {
        self.timer.spent(now)
    }

    /// The time of a move made now; `None` while the time does not run.
    pub fn took(&self, now: Instant) -> Option<Duration> {
        self.is_running().then(|| self.spent(now))
    }

    /// When the running turn has no time left.
    pub fn flag(&self) -> Option<Instant> {
        let turn = self.running()?;
        self.timer.reaches(turn.bank.left(turn.side)?)
    }

    /// A side's time left and its increment in the running turn, or else in the turn `here`.
    pub fn time_left(&self, side: Side, here: Turn, now: Instant) -> Option<(Duration, Duration)> {
        let turn = self.running().unwrap_or(here);
        let spent = if side == turn.side { self.spent(now) } else { Duration::ZERO };
        Some((turn.bank.left(side)?.saturating_sub(spent), turn.bank.increment()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Clock;
    use tengen_record::Tree;

    #[test]
    fn only_a_running_turn_has_a_flag_and_the_time_used_stays_when_it_is_held() {
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let turn = Turn { node: Tree::ROOT, side: Side::Black, bank: Bank::new(Clock::Move { ms: 5_000 }) };
        let mut clock = TurnClock::default();
        assert!(clock.flag().is_none() && clock.took(now).is_none());
        clock.start(turn, second, now);
        assert_eq!((clock.flag(), clock.took(now + second)), (Some(now + 4 * second), Some(2 * second)));
        clock.hold(now + second);
        assert!(clock.running().is_none() && clock.flag().is_none());
        let left = |side| clock.time_left(side, turn, now + 9 * second).map(|(left, _)| left);
        assert_eq!((left(Side::Black), left(Side::White)), (Some(3 * second), Some(5 * second)));
    }
}
