//! The game for people as a state machine: commands, news of workers and the time in, [`Effect`]s out. No threads, no
//! files, no clock of its own: the time is passed in.
//!
//! Invariants:
//! - The board is what the path to the current node says; nothing else is kept of it.
//! - At most one search for a move runs. One that has been given up is forgotten at once, so its late move finds
//!   nobody waiting. What a person has asked for runs only while the engine does not think of a move, and live
//!   analysis only while neither does: they share an engine.
//! - The engine moves by itself only after a move, or after a command that says so; never where somebody has gone to
//!   look. Where moves are not taken back, a game goes on meanwhile at its last move, and its clock with it.
//! - Only [`Command::DeleteBranch`] takes nodes from the tree.

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
use crate::job::{Job, News, Task};
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

/// What the host has to do, in the order given.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Give a job to a worker.
    Start(Job),
    /// Ask the worker to end this job soon. It still ends with its last piece of news.
    Cancel(u64),
    /// Pass an event on to the clients. States are not among them: the host sends one when [`Session::rev`] has
    /// changed.
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
pub struct SessionConfig {
    /// Where lots come from.
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
    /// Whether it has been told to move at once.
    hurried: bool,
}

/// The turn that the timer measures, as it began.
#[derive(Clone, Copy, Debug)]
struct TimedTurn {
    node: NodeId,
    side: Side,
    bank: Bank,
}

/// The judgement of a person's last move, for a warning.
#[derive(Clone, Copy, Debug)]
struct BlunderCheck {
    job: u64,
    /// Who made the move.
    side: Side,
    /// How long the engine waits with its own move.
    until: Instant,
}

/// One person's board: the game with all its variations, what the engine does for it, and what is shown.
#[derive(Clone, Debug)]
pub struct Session {
    rev: u64,
    /// The revision since which the game is what it is: commands that were made on it or later are not stale.
    changed: u64,
    jobs: u64,
    random: Random,
    settings: Settings,

    /// Number of the game.
    number: u64,
    /// What was agreed; the players as they are seated at the start of the game.
    agreed: NewGame,
    game: Game,
    /// Whether it came from a file.
    loaded: bool,
    /// The record of a file as it came: while it is like this there is nothing to save.
    pristine: Option<String>,
    /// The node that was reached by the last move, whatever is shown.
    tip: NodeId,
    /// Whether the game has ended there.
    tip_over: bool,
    /// The current turn. It runs only while the game is played.
    timer: Timer,
    /// The turn for which the timer was last started.
    timed: Option<TimedTurn>,
    /// Whether a game of two engines is held.
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
    /// Why the game is not saved, as the host says.
    unsaved: Option<String>,
    effects: Vec<Effect>,
    /// The latest time that was passed in.
    now: Option<Instant>,
    /// Whether the program ends: nothing begins any more.
    closing: bool,
}

/// Between two moves of a game of two engines, so that a person can follow.
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

    /// Carries out a command. `rev` is the revision that the client saw, if it told one.
    ///
    /// # Errors
    /// The reason why the command was refused; nothing has changed by it then.
    pub fn handle(&mut self, command: Command, rev: Option<u64>, now: Instant) -> Result<Accepted, Refusal> {
        self.tick(now);
        let result = self.check_rev(&command, rev).and_then(|()| self.obey(command, now));
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

    /// The job that the command has begun.
    fn obey(&mut self, command: Command, now: Instant) -> Result<Option<u64>, Denied> {
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

    /// Takes news of a worker. That of a job which nobody waits for any more is dropped.
    pub fn news(&mut self, news: News, now: Instant) {
        self.tick(now);
        match news {
            News::Moved { job, answer, line, from_book } => {
                if self.move_search.is_some_and(|move_search| move_search.job == job) {
                    self.moved(&answer, &line, from_book, now);
                }
            }
            News::Event { job, last, event } => self.told(job, last, event),
            News::Failed { job } => self.failed(job, now),
        }
        self.settle(now);
    }

    /// Does what is due: a flag falls, or the engine's turn has come.
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

    /// When [`tick`](Session::tick) is wanted if nothing else happens before.
    pub fn deadline(&self) -> Option<Instant> {
        let due = if self.is_engine_due() { self.may_think_at() } else { None };
        self.flag().into_iter().chain(due).min()
    }

    /// The revision of [`state`](Session::state).
    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// What is to be done since the last call, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// The game with all its variations, up to date for writing files.
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

    /// The game has changed: commands made on what it was are stale.
    fn change(&mut self) {
        self.rev += 1;
        self.changed = self.rev;
        self.describe();
        self.effects.push(Effect::Save);
    }

    fn say(&mut self, level: &'static str, code: &'static str, text: impl Into<String>) {
        self.effects.push(Effect::Send(Event::Message(Message { level, code, text: text.into() })));
    }

    /// Hands out a job and returns its number.
    fn start(&mut self, task: Task) -> u64 {
        self.jobs += 1;
        self.effects.push(Effect::Start(Job { id: self.jobs, task }));
        self.jobs
    }
}

/// A game to be looked at: two persons, no clock.
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
