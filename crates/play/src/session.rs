//! The game as a state machine. Its inputs are commands, messages of workers and the time; its outputs are [`Effect`]s.
//! It has no threads, no files and no clock of its own: callers pass the time in.
//!
//! Invariants:
//! - The board follows from the path to the current node; no other copy of it is stored.
//! - At most one search for a move runs. The session forgets a cancelled search at once, so it ignores the move that
//!   the search still sends. Searches that a person requests run only while the engine does not search for a move. Live
//!   analysis runs only while neither of these does: all three share one engine.
//! - The engine moves by itself only after a move, or after a command that says so. Browsing never makes it move. Where
//!   moves may not be taken back, the game and its clock go on at its last move while a person browses.
//! - Only [`Command::DeleteBranch`] removes nodes from the tree.

mod analysis;
mod check;
mod engine;
mod files;
mod lifecycle;
mod moves;
mod questions;
mod saved;
mod show;
#[cfg(test)]
mod tests;
mod trim;
mod values;

pub use saved::{RestoreError, Saved};

use crate::clock::{Bank, Timer};
use crate::command::{Assist, Clock, Command, NewGame, Opening, Player};
use crate::game::Game;
use crate::job::{Job, Task, WorkerMessage};
use crate::view::{Event, Message, Offer, Refusal, RefusalKind, Settings};
use analysis::Watch;
use check::Denied;
use questions::{Asked, Reviewed};
use serde::Serialize;
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, Setup, Side};
use tengen::rules::Rule;
use tengen_analysis::random::Random;
use tengen_record::{NodeId, Record, Tree};

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
    /// End the program. [`Effect::Save`] was sent before.
    Quit,
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
}

/// The search for a move.
#[derive(Clone, Copy, Debug)]
struct MoveSearch {
    job: u64,
    side: Side,
    since: Instant,
    /// Whether the search has been asked to move at once.
    hurried: bool,
}

/// The turn that the timer measures, and its state at the beginning.
#[derive(Clone, Copy, Debug)]
struct TimedTurn {
    node: NodeId,
    side: Side,
    bank: Bank,
}

/// The check of a person's last move for a blunder.
#[derive(Clone, Copy, Debug)]
struct BlunderCheck {
    job: u64,
    /// Who made the move.
    side: Side,
    /// When the engine stops waiting for the check and moves.
    until: Instant,
}

/// One person's board: the game with all its variations, the engine's work for it, and what is shown.
#[derive(Clone, Debug)]
pub struct Session {
    rev: u64,
    /// The revision of the last change to the game: commands made on this or a later revision are not stale.
    changed: u64,
    jobs: u64,
    random: Random,
    settings: Settings,

    /// Number of the game.
    number: u64,
    /// What the players agreed; seats as they are at the start of the game.
    agreed: NewGame,
    game: Game,
    /// Whether the game came from a file.
    loaded: bool,
    /// The record of a file as it was read: while the game equals it there is nothing to save.
    pristine: Option<String>,
    /// The node after the last move, independent of the shown node.
    tip: NodeId,
    /// Whether the game has ended at that node.
    tip_over: bool,
    /// The current turn. It runs only while the game is played.
    timer: Timer,
    /// The turn for which the timer was last started.
    timed: Option<TimedTurn>,
    /// Whether a game of two engines is paused.
    held: bool,
    /// Whether the engine moves by itself when it is its turn.
    follows: bool,
    /// When the next move of a game of two engines may begin.
    earliest: Option<Instant>,
    move_search: Option<MoveSearch>,
    blunder_check: Option<BlunderCheck>,

    watch: Watch,
    asked: Vec<Asked>,
    review: Option<u64>,
    reviewed: Option<Reviewed>,
    imports: Vec<Record>,
    offer: Option<(Saved, Offer)>,
    /// Why the game cannot be saved, as the host reports it.
    unsaved: Option<String>,
    effects: Vec<Effect>,
    /// The latest time passed in.
    now: Option<Instant>,
    /// Whether the program is ending: nothing new starts.
    closing: bool,
}

/// Pause between two moves of a game of two engines, so that a person can follow.
const PACE: Duration = Duration::from_millis(300);

impl Session {
    /// A session with an empty board for two persons, so that there is always a game.
    pub fn new(surroundings: SessionConfig) -> Session {
        let agreed = analysis_board(Rule::Freestyle, &Setup::empty(BoardSize::RENJU), [String::new(), String::new()]);
        let record = Record::new(Some(agreed.rule), Setup::empty(BoardSize::RENJU));
        Session {
            rev: 0,
            changed: 0,
            jobs: 0,
            random: Random::new(&[surroundings.seed]),
            settings: surroundings.settings,
            number: 0,
            game: Game::new(record, agreed.rule, agreed.opening, agreed.clock),
            agreed,
            loaded: false,
            pristine: None,
            tip: Tree::ROOT,
            tip_over: false,
            timer: Timer::default(),
            timed: None,
            held: false,
            follows: false,
            earliest: None,
            move_search: None,
            blunder_check: None,
            watch: Watch::default(),
            asked: Vec::new(),
            review: None,
            reviewed: None,
            imports: Vec::new(),
            offer: None,
            unsaved: None,
            effects: Vec::new(),
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
            Ok(job) => Ok(Accepted { rev: self.rev, job }),
            Err(denied) => Err(denied.at(self.rev)),
        }
    }

    fn check_rev(&self, command: &Command, rev: Option<u64>) -> Result<(), Denied> {
        match rev {
            _ if self.closing => Err(Denied::not_now("the program ends")),
            _ if !command.needs_rev() => Ok(()),
            None => Err(Denied::malformed("this command needs the revision that it was made on, as rev")),
            Some(rev) if (self.changed..=self.rev).contains(&rev) => Ok(()),
            Some(_) => Err(Denied::new(RefusalKind::Stale, "the game has changed meanwhile")),
        }
    }

    /// Carries out the command and returns the job that it started.
    fn execute(&mut self, command: Command, now: Instant) -> Result<Option<u64>, Denied> {
        match command {
            Command::New(game) => self.new_game(game, now)?,
            Command::Move { at } => self.place(&at, now)?,
            Command::Opening { choice } => self.answer(choice, now)?,
            Command::Undo => self.undo(now)?,
            Command::Redo => self.redo(now)?,
            Command::Goto { node } => self.goto(node, now)?,
            Command::DeleteBranch { node } => self.delete(node, now)?,
            Command::AddLine { node, moves } => self.add_line(node, &moves)?,
            Command::Promote { node } => self.promote(node)?,
            Command::Comment { node, text } => self.comment(node, &text)?,
            Command::Go => self.go(now)?,
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
                if self.offer.take().is_some() {
                    self.show();
                }
            }
            Command::Settings { threads, hash_mb } => self.configure(threads, hash_mb)?,
            Command::Bye => self.bye(now),
        }
        Ok(None)
    }

    /// Takes a message of a worker. Messages of jobs that were given up are dropped.
    pub fn news(&mut self, news: WorkerMessage, now: Instant) {
        self.tick(now);
        match news {
            WorkerMessage::Moved { job, answer, line, from_book } => {
                if self.move_search.is_some_and(|move_search| move_search.job == job) {
                    self.moved(&answer, &line, from_book, now);
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
        self.rev
    }

    /// The effects since the last call, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
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
        self.rev += 1;
    }

    /// The game has changed: commands made on earlier revisions are stale.
    fn change(&mut self) {
        self.rev += 1;
        self.changed = self.rev;
        self.describe();
        self.effects.push(Effect::Save);
    }

    fn say(&mut self, level: &'static str, code: &'static str, text: impl Into<String>) {
        self.effects.push(Effect::Send(Event::Message(Message { level, code, text: text.into() })));
    }

    /// Starts a job and returns its number.
    fn start(&mut self, task: Task) -> u64 {
        self.jobs += 1;
        self.effects.push(Effect::Start(Job { id: self.jobs, task }));
        self.jobs
    }
}

/// A game to browse and analyse: two persons, no clock.
fn analysis_board(rule: Rule, start: &Setup, [black, white]: [String; 2]) -> NewGame {
    NewGame {
        rule,
        size: (start.size.width(), start.size.height()),
        opening: Opening::None,
        black: Player::Person { name: black },
        white: Player::Person { name: white },
        by_lot: false,
        clock: Clock::None,
        assist: Assist::default(),
        start: check::start_of(start),
    }
}
