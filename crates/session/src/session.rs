//! The game as a state machine. Its inputs are commands, messages of workers and the time; its outputs are [`Effect`]s.
//! It has no threads, no files and no clock of its own: callers pass the time in.
//!
//! The session coordinates parts that own their state; a part's fields change only in its module:
//!
//! | part | what it knows |
//! |---|---|
//! | [`Game`] | the tree, the shown node, the board there |
//! | `Agreement` | who plays, the clock, the help |
//! | `Tip` | the end of the game as it was played |
//! | `TurnClock` | the turn whose time runs |
//! | `Autoplay` | whether and when the engine moves by itself |
//! | `EngineTurn` | the search for a move, the check for a blunder |
//! | `Watch`, `Second`, `Requests`, `Reviews` | the other jobs, and their settings |
//! | `Shelf` | games of files, the offered game |
//! | `Outbox` | revisions, numbers of jobs, effects |
//!
//! Invariants:
//! - The board follows from the path to the current node; no other copy of it is stored.
//! - At most one search for a move runs. The session forgets a cancelled search at once, so it ignores the move that
//!   the search still sends. Searches that a person requests run only while the engine does not search for a move. Live
//!   analysis runs only while neither of these does: all three share one engine. A second opinion has its own engine,
//!   and runs while live analysis is on and no engine searches for a move.
//! - The engine moves by itself only after a move, or after a command that says so. Browsing never makes it move. Where
//!   moves may not be taken back, the game and its clock go on at its last move while a person browses.
//! - Only [`Command::DeleteBranch`] removes nodes from the tree.

mod agreement;
mod analysis;
mod autoplay;
mod check;
mod engine;
mod engine_turn;
mod explorer;
mod files;
mod lifecycle;
mod moves;
mod node_job;
mod others;
mod outbox;
mod questions;
mod requests;
mod reviews;
mod saved;
mod second;
mod shelf;
mod show;
#[cfg(test)]
mod tests;
mod tip;
mod trim;
mod turn_clock;
mod values;
mod watch;

pub use saved::{RestoreError, Saved};

use crate::command::{Assist, Clock, Command, NewGame, OpeningRule, Player};
use crate::game::Game;
use crate::job::{Job, Task, WorkerMessage};
use crate::view::{DatabaseView, Event, Message, Refusal, RefusalKind, Settings};
use agreement::Agreement;
use autoplay::Autoplay;
use check::Denied;
use engine_turn::EngineTurn;
use outbox::Outbox;
use requests::Requests;
use reviews::Reviews;
use second::Second;
use serde::Serialize;
use shelf::Shelf;
use tengen::board::{BoardSize, Setup};
use tengen::rules::Rule;
use tengen_analysis::random::Random;
use tengen_record::{NodeId, Record};
use tip::Tip;
use turn_clock::TurnClock;
use watch::Watch;
use web_time::Instant;

/// What the host has to do, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Give a job to a worker.
    Start(Job),
    /// Ask the worker to end this job soon. The job still sends its last message.
    Cancel(u64),
    /// Send an event to the clients. States are not sent this way: the host sends one when [`Session::rev`] has
    /// changed.
    Send(Event),
    /// The game has changed: save it soon.
    Save,
    /// Another game replaces a game with moves: save the old one.
    Keep(Box<Saved>),
    /// The engine's settings have changed: they apply to jobs started from now on.
    Configure(Settings),
    /// Store what analysis and reviews find in the database, or no more. [`Session::set_storing`] has the outcome.
    Store(bool),
    /// End the program. [`Effect::Save`] was sent before.
    Quit,
}

/// What has happened to the storing of results in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storing {
    /// Results are stored from now on, or no more.
    On(bool),
    /// A result has been stored.
    Stored,
    /// Results are not stored, for this reason.
    Failed(String),
}

/// The answer to a command that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Accepted {
    /// The revision after the command.
    pub rev: u64,
    /// The job that the command started, if its answer comes later as an event.
    pub job: Option<u64>,
}

/// Configuration of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionConfig {
    /// Seed of the random choices (who begins).
    pub seed: u64,
    /// Engine settings at the start.
    pub settings: Settings,
    /// Largest transposition table of this computer, in mebibytes.
    pub largest_hash_mb: u64,
}

/// One person's board: the game with all its variations, the engine's work for it, and what is shown.
#[derive(Clone, Debug)]
pub struct Session {
    outbox: Outbox,
    random: Random,
    settings: Settings,
    largest_hash_mb: u64,
    /// Names of the other engines that were declared.
    engines: Vec<String>,
    /// Number of the game.
    number: u64,
    agreement: Agreement,
    game: Game,
    tip: Tip,
    clock: TurnClock,
    autoplay: Autoplay,
    engine: EngineTurn,
    watch: Watch,
    second: Second,
    requests: Requests,
    reviews: Reviews,
    shelf: Shelf,
    /// The database of positions, as the host reports it.
    database: Option<DatabaseView>,
    /// The latest time passed in.
    now: Option<Instant>,
    /// Whether the program is ending: nothing new starts.
    closing: bool,
}

impl Session {
    /// A session with an empty board for two persons, so that there is always a game.
    pub fn new(surroundings: SessionConfig) -> Session {
        let agreed = analysis_board(Rule::Freestyle, &Setup::empty(BoardSize::RENJU), [String::new(), String::new()]);
        let record = Record::new(Some(agreed.rule), Setup::empty(BoardSize::RENJU));
        let game = Game::new(record, agreed.rule, agreed.opening, agreed.clock);
        Session {
            outbox: Outbox::default(),
            random: Random::new(&[surroundings.seed]),
            settings: surroundings.settings,
            largest_hash_mb: surroundings.largest_hash_mb,
            engines: Vec::new(),
            number: 0,
            agreement: Agreement::new(agreed, false),
            tip: Tip::shown(&game),
            game,
            clock: TurnClock::default(),
            autoplay: Autoplay::default(),
            engine: EngineTurn::default(),
            watch: Watch::default(),
            second: Second::default(),
            requests: Requests::default(),
            reviews: Reviews::default(),
            shelf: Shelf::default(),
            database: None,
            now: None,
            closing: false,
        }
    }

    /// Carries out a command. `rev` is the revision that the client saw, if it sent one.
    ///
    /// # Errors
    /// The reason for the refusal; the session is unchanged then.
    pub fn handle(&mut self, command: Command, rev: Option<u64>, now: Instant) -> Result<Accepted, Refusal> {
        self.tick(now);
        let result = self.check_rev(&command, rev).and_then(|()| self.execute(command, now));
        self.settle(now);
        match result {
            Ok(job) => Ok(Accepted { rev: self.rev(), job }),
            Err(denied) => Err(denied.at(self.rev())),
        }
    }

    fn check_rev(&self, command: &Command, rev: Option<u64>) -> Result<(), Denied> {
        match rev {
            _ if self.closing => Err(Denied::not_now("the program ends")),
            _ if !command.needs_rev() => Ok(()),
            None => Err(Denied::malformed("this command needs the revision that it was made on, as rev")),
            Some(rev) if self.outbox.is_current(rev) => Ok(()),
            Some(_) => Err(Denied::new(RefusalKind::Stale, "the game has changed meanwhile")),
        }
    }

    /// Carries out the command and returns the job that it started.
    fn execute(&mut self, command: Command, now: Instant) -> Result<Option<u64>, Denied> {
        match command {
            Command::New(game) => self.new_game(game, now)?,
            Command::Move { at } => self.place(&at, now)?,
            Command::Opening { choice } => self.answer(choice.into(), now)?,
            Command::Undo => self.undo(now)?,
            Command::Redo => self.redo(now)?,
            Command::Goto { node } => self.goto(node, now)?,
            Command::Step { by } => self.browse(self.game.along(by), now),
            Command::Sibling { by } => self.browse(self.game.beside(by), now),
            Command::DeleteBranch { node } => self.delete(node, now)?,
            Command::AddLine { node, moves } => self.add_line(node, &moves)?,
            Command::Promote { node } => self.promote(node)?,
            Command::Comment { node, text } => self.comment(node, &text)?,
            Command::Go => self.go(now)?,
            Command::Substitute => self.substitute(now)?,
            Command::Stop => self.stop(now),
            Command::Pause { on } => self.pause(on, now)?,
            Command::SwapSides => self.swap_sides(now)?,
            Command::Resign => self.resign(now)?,
            Command::Draw => self.draw(now)?,
            Command::Restart => self.restart(now),
            Command::Hint => return self.hint(now).map(Some),
            Command::Analysis(wanted) => self.set_analysis(wanted)?,
            Command::Prove(question) => return self.prove(&question).map(Some),
            Command::Try { node, at } => return self.try_move(node, &at).map(Some),
            Command::Review { nodes } => return self.start_review(nodes, now).map(Some),
            Command::Balance { moves } => return self.balance(moves).map(Some),
            Command::Cancel { job } => self.cancel(job, now)?,
            Command::Load { index } => self.load(index)?,
            Command::Continue => self.go_on(now)?,
            Command::Dismiss => {
                if self.shelf.take_offer().is_some() {
                    self.show();
                }
            }
            Command::Settings { threads, hash_mb } => self.configure(threads, hash_mb)?,
            Command::Store { on } => self.store(on)?,
            Command::Bye => self.bye(now),
        }
        Ok(None)
    }

    /// Takes a message of a worker. Messages of jobs that were given up are dropped.
    pub fn news(&mut self, news: WorkerMessage, now: Instant) {
        self.tick(now);
        match news {
            WorkerMessage::Moved { job, answer, line, from_book } => {
                if self.engine.is_search(job) {
                    self.moved(&answer, &line, from_book, now);
                }
            }
            WorkerMessage::Answered { job, answer } => {
                if self.engine.is_search(job) {
                    self.answered(answer, now);
                }
            }
            WorkerMessage::Event { job, last, event } => self.told(job, last, event),
            WorkerMessage::Failed { job } => self.failed(job, now),
        }
        self.settle(now);
    }

    /// Does what is due: a player's time runs out, or the engine has to move.
    pub fn tick(&mut self, now: Instant) {
        self.now = self.now.max(Some(now));
        if self.closing {
            return;
        }
        if self.flag().is_some_and(|flag| flag <= now) {
            self.flag_falls(now);
        }
        self.settle(now);
    }

    /// When [`tick`](Session::tick) has to be called if nothing else happens before.
    pub fn deadline(&self) -> Option<Instant> {
        let due = if self.is_engine_due() { self.may_think_at() } else { None };
        self.flag().into_iter().chain(due).min()
    }

    /// The revision of [`state`](Session::state).
    pub fn rev(&self) -> u64 {
        self.outbox.rev()
    }

    /// The effects since the last call, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        self.outbox.take()
    }

    /// The game with all its variations, brought up to date for writing files.
    pub fn record(&self) -> &Record {
        self.game.record()
    }

    /// The node that is shown.
    pub fn node(&self) -> NodeId {
        self.game.at()
    }

    /// Something that is shown has changed.
    fn show(&mut self) {
        self.outbox.show();
    }

    /// The game has changed: commands made on earlier revisions are stale.
    fn change(&mut self) {
        self.describe();
        self.outbox.change();
    }

    fn say(&mut self, level: &'static str, code: &'static str, text: impl Into<String>) {
        self.outbox.send(Event::Message(Message { level, code, text: text.into() }));
    }

    /// Starts a job and returns its number.
    fn start(&mut self, task: Task) -> u64 {
        self.outbox.start(task)
    }
}

/// A game to browse and analyse: two persons, no clock.
fn analysis_board(rule: Rule, start: &Setup, [black, white]: [String; 2]) -> NewGame {
    NewGame {
        rule,
        size: (start.size.width(), start.size.height()),
        opening: OpeningRule::Free,
        black: Player::Person { name: black },
        white: Player::Person { name: white },
        by_lot: false,
        clock: Clock::None,
        assist: Assist::default(),
        start: check::start_of(start),
        study: true,
    }
}
