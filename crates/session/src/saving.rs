//! The games that are not saved yet, and when to try again. No game is dropped while the program runs.

use crate::session::Saved;
use std::sync::{Arc, OnceLock};
use web_time::{Duration, Instant};

/// Delay between a change and saving it.
const SAVE_AFTER: Duration = Duration::from_secs(1);
/// Delays of the retries after failures: the first one, and the maximum. Each failure in a row doubles the delay.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// A game to write. `P` is a place to which the host writes a game, such as a file.
#[derive(Debug)]
pub struct Unsaved<P> {
    /// The place of the game, once it has one.
    pub slot: Arc<OnceLock<P>>,
    /// The game.
    pub game: Saved,
    /// Whether it is the current game; otherwise another game has replaced it.
    is_current: bool,
}

/// The games that are not saved yet.
#[derive(Debug)]
pub struct Saving<P> {
    /// The time of the next try.
    due: Option<Instant>,
    /// Whether the current game has changed since it was written.
    changed: bool,
    /// The place of the current game, once it has one.
    slot: Arc<OnceLock<P>>,
    /// Games that others have replaced.
    kept: Vec<Unsaved<P>>,
    /// Consecutive failures.
    failures: u32,
    /// Why saving fails.
    error: Option<String>,
}

impl<P> Default for Saving<P> {
    fn default() -> Saving<P> {
        Saving { due: None, changed: false, slot: Arc::default(), kept: Vec::new(), failures: 0, error: None }
    }
}

impl<P> Saving<P> {
    /// The current game has changed.
    pub fn change(&mut self, now: Instant) {
        self.changed = true;
        let soon = now + SAVE_AFTER;
        self.due = Some(self.due.map_or(soon, |due| due.min(soon)));
    }

    /// Another game replaces the current one.
    pub fn keep(&mut self, game: Saved, now: Instant) {
        self.kept.push(Unsaved { slot: std::mem::take(&mut self.slot), game, is_current: false });
        self.changed = false;
        self.due = Some(now);
    }

    /// The current game comes from this place; `None` if it is a copy.
    pub fn go_on_in(&mut self, place: Option<P>) {
        self.slot = place.map_or_else(Arc::default, |place| Arc::new(OnceLock::from(place)));
    }

    /// When to write next.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// The games to write now. `current` returns the current game, unless it needs no saving.
    pub fn take(&mut self, current: impl FnOnce() -> Option<Saved>) -> Vec<Unsaved<P>> {
        self.due = None;
        let mut games = std::mem::take(&mut self.kept);
        if std::mem::take(&mut self.changed)
            && let Some(game) = current()
        {
            games.push(Unsaved { slot: Arc::clone(&self.slot), game, is_current: true });
        }
        games
    }

    /// Takes back the games that could not be written; they are tried again later. True if the error has changed.
    pub fn failed(&mut self, failed: Vec<(Unsaved<P>, String)>, now: Instant) -> bool {
        let error = failed.first().map(|(_, error)| error.clone());
        for (unsaved, _) in failed.into_iter().rev() {
            // For the current game a newer version will follow. If another game has just replaced it, that version is
            // waiting already.
            if unsaved.is_current {
                self.changed = true;
            } else {
                self.kept.insert(0, unsaved);
            }
        }
        self.failures = if error.is_some() { self.failures.saturating_add(1) } else { 0 };
        if error.is_some() {
            let wait = RETRY.0.saturating_mul(1 << (self.failures - 1).min(10)).min(RETRY.1);
            let again = now + wait;
            self.due = Some(self.due.map_or(again, |due| due.min(again)));
        }
        let is_news = error != self.error;
        self.error = error;
        is_news
    }

    /// Why saving fails; `None` if it does not.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Games that others have replaced and that are not saved.
    pub fn kept(&self) -> impl Iterator<Item = &Saved> {
        self.kept.iter().map(|unsaved| &unsaved.game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: usize) -> Saved {
        let session = crate::session::SessionConfig {
            seed: 1,
            settings: crate::view::Settings { threads: 1, processors: 1, hash_mb: 1 },
            largest_hash_mb: 1,
        };
        let mut session = crate::session::Session::new(session);
        let place = crate::command::Command::Move { at: "h8".to_owned() };
        session.handle(place, Some(session.rev()), Instant::now()).expect("a move");
        Saved { moves, ..session.save().expect("a game with moves") }
    }

    fn moves(games: &[Unsaved<()>]) -> Vec<usize> {
        games.iter().map(|unsaved| unsaved.game.moves).collect()
    }

    fn full() -> String {
        "no space is left".to_owned()
    }

    #[test]
    fn nothing_is_given_up_and_the_newest_is_tried() {
        let now = Instant::now();
        let mut saving = Saving::<()>::default();
        assert!(saving.due().is_none() && saving.take(|| Some(game(1))).is_empty(), "nothing has changed");
        saving.change(now);
        let games = saving.take(|| Some(game(1)));
        assert_eq!(moves(&games), [1]);
        assert!(saving.failed(games.into_iter().map(|game| (game, full())).collect(), now));
        assert_eq!((saving.due(), saving.error().is_some()), (Some(now + RETRY.0), true));
        // The delays grow, but a change brings the next try forward.
        for _ in 0..12 {
            let games = saving.take(|| Some(game(2)));
            assert_eq!(moves(&games), [2]);
            assert!(!saving.failed(games.into_iter().map(|game| (game, full())).collect(), now), "the same again");
        }
        assert_eq!(saving.due(), Some(now + RETRY.1));
        saving.change(now);
        assert_eq!(saving.due(), Some(now + SAVE_AFTER));
        // Another game in between.
        saving.keep(game(3), now);
        saving.change(now);
        let games = saving.take(|| Some(game(4)));
        assert_eq!(moves(&games), [3, 4]);
        saving.keep(game(5), now);
        assert!(!saving.failed(games.into_iter().map(|game| (game, full())).collect(), now));
        let games = saving.take(|| None);
        assert_eq!(moves(&games), [3, 5]);
        assert!(saving.failed(Vec::new(), now), "saved again");
        assert!(saving.error().is_none() && saving.due().is_none());
    }
}
