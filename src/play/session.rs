//! The game for people as a state machine: commands, news of workers and the time in, [`Effect`]s out. No threads, no
//! files, no clock of its own: the time is passed in.

mod saved;

pub use saved::{RestoreError, Saved};

use super::command::Command;
use super::job::{Job, News};
use super::view::{Event, Imported, Refusal, Settings, State};
use crate::record::{NodeId, Record};
use serde::Serialize;
use std::time::Instant;

/// What the host has to do, in the order given.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Give a job to a worker.
    Start(Job),
    /// Ask the worker to end this job soon. It still ends with its last piece of news.
    Cancel(u64),
    /// Pass an event on to the clients. States are not among them: the host sends one when [`State::rev`] has changed.
    Send(Event),
    /// The game has changed: save it before long.
    Save,
    /// A game with moves gives way to another: keep it.
    Keep(Box<Saved>),
    /// The engine's settings have changed: they apply to jobs started from now on.
    Configure(Settings),
    /// End the program. [`Effect::Save`] came before.
    Quit,
}

/// The answer to a command that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Accepted {
    /// The revision after it.
    pub rev: u64,
    /// The job that it began, if its answer comes later as an event.
    pub job: Option<u64>,
}

/// What a session needs to know of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// Where lots come from.
    pub seed: u64,
    /// Engine settings at the start.
    pub settings: Settings,
}

/// One person's board: the game with all its variations, what the engine does for it, and what is shown.
#[derive(Debug)]
pub struct Session {}

impl Session {
    /// A session with an empty board for two persons, so that there is always a game.
    pub fn new(_surroundings: Surroundings) -> Session {
        unimplemented!()
    }

    /// Offers a saved game to be continued; `at` is when it was saved, in seconds since 1970.
    pub fn offer(&mut self, _saved: Saved, _at: u64) {
        unimplemented!()
    }

    /// Carries out a command. `rev` is the revision that the client saw, if it told one.
    ///
    /// # Errors
    /// The reason why the command was refused; nothing has changed then.
    pub fn handle(&mut self, _command: Command, _rev: Option<u64>, _now: Instant) -> Result<Accepted, Refusal> {
        unimplemented!()
    }

    /// Takes news of a worker.
    pub fn news(&mut self, _news: News, _now: Instant) {
        unimplemented!()
    }

    /// Does what is due: a flag falls, or the engine's turn has come.
    pub fn tick(&mut self, _now: Instant) {
        unimplemented!()
    }

    /// When [`tick`](Session::tick) is wanted if nothing else happens before.
    pub fn deadline(&self) -> Option<Instant> {
        unimplemented!()
    }

    /// What is shown now.
    pub fn state(&self, _now: Instant) -> State {
        unimplemented!()
    }

    /// The revision of [`state`](Session::state).
    pub fn rev(&self) -> u64 {
        unimplemented!()
    }

    /// What is to be done since the last call, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        unimplemented!()
    }

    /// Takes the games of a file. A single one is loaded at once (one element in the answer); of several one is chosen
    /// by [`Command::Load`].
    pub fn import(&mut self, _records: Vec<Record>) -> Vec<Imported> {
        unimplemented!()
    }

    /// The game with all its variations, up to date for writing files.
    pub fn record(&self) -> &Record {
        unimplemented!()
    }

    /// The node that is shown.
    pub fn node(&self) -> NodeId {
        unimplemented!()
    }

    /// The game as it is to be saved; `None` if it has no moves.
    pub fn save(&self) -> Option<Saved> {
        unimplemented!()
    }

    /// Goes on with a saved game.
    ///
    /// # Errors
    /// If it cannot be read; nothing has changed then.
    pub fn restore(&mut self, _saved: Saved, _now: Instant) -> Result<(), RestoreError> {
        unimplemented!()
    }
}
