//! What the session tells the host: effects in their order, the numbers of jobs, and the revision of the state.

use super::Effect;
use crate::job::{Job, Task};
use crate::view::Event;

/// Effects that the host has not taken, and the counters behind them.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    rev: u64,
    /// The revision of the last change to the game: commands made on this or a later revision are not stale.
    changed: u64,
    /// The number of the last job.
    jobs: u64,
    effects: Vec<Effect>,
}

impl Outbox {
    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// Whether the game has not changed since a client saw this revision.
    pub fn is_current(&self, rev: u64) -> bool {
        (self.changed..=self.rev).contains(&rev)
    }

    /// Something that is shown has changed.
    pub fn show(&mut self) {
        self.rev += 1;
    }

    /// The game has changed: commands made on earlier revisions are stale.
    pub fn change(&mut self) {
        self.rev += 1;
        self.changed = self.rev;
        self.push(Effect::Save);
    }

    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub fn send(&mut self, event: Event) {
        self.push(Effect::Send(event));
    }

    /// Starts a job and returns its number.
    pub fn start(&mut self, task: Task) -> u64 {
        self.jobs += 1;
        self.push(Effect::Start(Job { id: self.jobs, task }));
        self.jobs
    }

    pub fn cancel(&mut self, job: impl IntoIterator<Item = u64>) {
        self.effects.extend(job.into_iter().map(Effect::Cancel));
    }

    /// The effects since the last call.
    pub fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_of_the_game_make_commands_stale() {
        let mut outbox = Outbox::default();
        outbox.show();
        assert!(outbox.is_current(0) && outbox.is_current(1) && !outbox.is_current(2));
        outbox.change();
        assert!(!outbox.is_current(1) && outbox.is_current(2));
        assert_eq!(outbox.take(), [Effect::Save]);
    }
}
