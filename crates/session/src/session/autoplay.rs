//! Whether and when the engine moves by itself.

use web_time::{Duration, Instant};

/// Pause between two moves of a game of two engines, so that a person can follow.
const PACE: Duration = Duration::from_millis(300);

/// Automatic play. At the start it is off, until a move or a command that says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Autoplay {
    /// Whether the engine moves by itself when it is its turn.
    follows: bool,
    /// Whether a game of two engines is paused.
    held: bool,
    /// When the next move of a game of two engines may begin.
    earliest: Option<Instant>,
}

impl Autoplay {
    /// The state of a game that is continued; it is off unless [`follow`](Autoplay::follow) is called.
    pub fn continued(held: bool) -> Autoplay {
        Autoplay { held, ..Autoplay::default() }
    }

    /// The engine moves when it is its turn.
    pub fn follow(&mut self) {
        self.follows = true;
    }

    /// A move was made: the engine follows at once.
    pub fn moved(&mut self) {
        self.follows = true;
        self.earliest = None;
    }

    /// An engine moved against an engine: the next move waits a little.
    pub fn wait_a_little(&mut self, now: Instant) {
        self.earliest = now.checked_add(PACE);
    }

    /// The engine has no move.
    pub fn give_up(&mut self) {
        self.follows = false;
    }

    /// A person has stopped the engine; a game of two engines is paused.
    pub fn stop(&mut self, both_engines: bool) {
        *self = Autoplay { follows: false, held: self.held || both_engines, earliest: None };
    }

    /// A person browses; a game of two engines is paused.
    pub fn leave(&mut self, both_engines: bool) {
        *self = Autoplay { follows: false, held: both_engines, earliest: None };
    }

    /// Pauses a game of two engines, or resumes it.
    pub fn pause(&mut self, on: bool) {
        self.held = on;
        self.follows = true;
        self.earliest = self.earliest.filter(|_| !on);
    }

    /// Nothing holds a game of two engines any more.
    pub fn resume(&mut self) {
        self.held = false;
    }

    /// The game has ended: nothing waits.
    pub fn end(&mut self) {
        self.earliest = None;
    }

    pub fn follows(self) -> bool {
        self.follows
    }

    pub fn is_held(self) -> bool {
        self.held
    }

    /// Whether an engine whose turn it is moves.
    pub fn is_on(self, both_engines: bool) -> bool {
        self.follows && !(self.held && both_engines)
    }

    /// The time before which no move begins.
    pub fn earliest(self) -> Option<Instant> {
        self.earliest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_holds_two_engines_only_and_drops_what_waits() {
        let mut autoplay = Autoplay::default();
        assert!(!autoplay.is_on(false));
        autoplay.moved();
        autoplay.wait_a_little(Instant::now());
        autoplay.pause(true);
        assert_eq!((autoplay.is_on(true), autoplay.is_on(false), autoplay.earliest()), (false, true, None));
        autoplay.pause(false);
        assert!(autoplay.is_on(true));
        autoplay.stop(false);
        assert!(!autoplay.is_on(false) && !autoplay.is_held());
    }
}
