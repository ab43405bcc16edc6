//! The dialogue as a state machine: [`Event`]s in, [`Effect`]s out; no threads, pipes or clock.
//!
//! Invariants:
//! - At most one search runs at a time, and each search is answered once, however it ends. Commands that need the
//!   position or another search stop the search and wait for its answer, in order; all other commands are executed at
//!   once. An overdue search is stopped and answered with the best move reported so far; its later outcome is ignored.
//! - The game always passes `Setup::check`.
//! - After [`Effect::Exit`] nothing is written.

mod commands;

use super::command::{Command, EvaluationKind};
use super::database::Ask;
use super::error::{ParseError, Warning};
use super::extension::Extension;
use super::game::Game;
use super::input::{Content, Input};
use super::reply::Reply;
use super::running::RunningSearch;
use super::settings::Settings;
use crate::engine::{BoardSize, Options, Outcome, Report, Request, Rule, Setup};
use std::collections::VecDeque;
use web_time::Instant;

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The manager has sent something.
    Input(Input),
    /// A running search has sent a report.
    Report {
        /// The search's number.
        number: u64,
        /// When the report was sent.
        at: Instant,
        /// The report.
        report: Report,
    },
    /// A search has ended.
    Outcome {
        /// The search's number.
        number: u64,
        /// Its result.
        outcome: Outcome,
        /// Share of the transposition table in use, in thousandths.
        hash_full: u32,
    },
    /// A search has panicked and has no result.
    Failed {
        /// The search's number.
        number: u64,
    },
    /// The time of [`Session::wake`] has come.
    Clock {
        /// The current time.
        at: Instant,
    },
    /// The input has ended.
    EndOfInput,
}

/// An action to perform, in the given order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write this line.
    Write(Reply),
    /// Start a search; its end comes back as [`Event::Outcome`] or [`Event::Failed`] with the same number.
    Start {
        /// The search's number.
        number: u64,
        /// The request.
        request: Box<Request>,
        /// The engine's settings for it.
        options: Options,
    },
    /// Stop the running search; its end still arrives as an event.
    Stop,
    /// Clear what earlier searches learned before the next one.
    Clear,
    /// Build the tables that a search needs, because one will follow.
    Prepare {
        /// The rule in force.
        rule: Rule,
        /// The engine's settings at this time.
        options: Options,
    },
    /// Use the evaluation in the file of this name from the next search on; write a [`Reply::Error`] if loading fails.
    Evaluate(String),
    /// Ask the database, and write its answer.
    Database(Ask),
    /// Write the forbidden points of this position as [`Reply::Forbid`].
    Forbidden {
        /// The position.
        setup: Setup,
        /// The rule in force.
        rule: Rule,
    },
    /// Exit at once.
    Exit,
}

/// The dialogue with one manager.
#[derive(Debug)]
pub struct Session {
    game: Game,
    settings: Settings,
    search: Option<RunningSearch>,
    /// Input that waits for the end of the search.
    waiting: VecDeque<Input>,
    searches: u64,
    /// Board size and rule of the engine's last search.
    remembered: Option<(BoardSize, Rule)>,
    hash_full: u32,
    max_threads: usize,
    /// Whether the program has a database of positions.
    has_database: bool,
    /// The settings and commands about which a warning was sent.
    warned: Vec<&'static str>,
    /// The input has ended: running and waiting work is finished, then the session exits.
    ending: bool,
    over: bool,
    effects: Vec<Effect>,
}

impl Session {
    /// A new dialogue; `max_threads` is the largest number of threads that is offered to users of boards.
    pub fn new(max_threads: usize) -> Session {
        Session {
            game: Game::default(),
            settings: Settings::default(),
            search: None,
            waiting: VecDeque::new(),
            searches: 0,
            remembered: None,
            hash_full: 0,
            max_threads: max_threads.clamp(1, Options::MAX_THREADS),
            has_database: false,
            warned: Vec::new(),
            ending: false,
            over: false,
            effects: Vec::new(),
        }
    }

    /// The same in a program that has a database of positions, or may open one.
    #[must_use]
    pub fn with_database(self) -> Session {
        Session { has_database: true, ..self }
    }

    /// Whether searches and queries use the database of positions.
    pub fn uses_database(&self) -> bool {
        self.has_database && self.settings.uses_database()
    }

    /// The kind of evaluation that the manager has selected.
    pub fn evaluation(&self) -> EvaluationKind {
        self.settings.evaluation
    }

    /// The engine's settings that the manager has sent.
    pub fn options(&self) -> Options {
        self.settings.options()
    }

    /// When the next [`Event::Clock`] is needed if nothing else happens before: for an overdue search or a pending
    /// line.
    pub fn wake(&self) -> Option<Instant> {
        let search = self.search.as_ref()?;
        search.wake(search.wanted(&self.settings, self.ending))
    }

    /// The current position of the game; `None` before the first `START`.
    pub fn game(&self) -> Option<&Setup> {
        self.game.setup().ok()
    }

    /// Whether a search is running.
    pub fn is_thinking(&self) -> bool {
        self.search.is_some()
    }

    /// Handles an event; returns the effects to perform.
    pub fn handle(&mut self, event: Event) -> Vec<Effect> {
        if self.over {
            return Vec::new();
        }
        match event {
            Event::Input(input) => self.input(input),
            Event::Report { number, at, report } => {
                if let Some(search) = self.search.as_mut().filter(|search| search.number() == number) {
                    let wanted = search.wanted(&self.settings, self.ending);
                    self.effects.extend(search.report(report, at, wanted).into_iter().map(Effect::Write));
                }
            }
            Event::Outcome { number, outcome, hash_full } => {
                self.hash_full = hash_full;
                self.finish(number, Some(outcome));
            }
            Event::Failed { number } => self.finish(number, None),
            Event::Clock { at } => self.clock(at),
            Event::EndOfInput => self.end_of_input(),
        }
        std::mem::take(&mut self.effects)
    }

    fn write(&mut self, reply: Reply) {
        self.effects.push(Effect::Write(reply));
    }

    fn exit(&mut self) {
        if self.search.take().is_some() {
            self.effects.push(Effect::Stop);
        }
        self.over = true;
        self.effects.push(Effect::Exit);
    }

    /// Handles the end of the input. A search with a limit of its own and the input that waits for it are finished
    /// first, because a script may send all its lines at once and close its end of the pipe. A search without a limit
    /// is stopped and answered at once.
    fn end_of_input(&mut self) {
        self.ending = true;
        match &self.search {
            None => self.exit(),
            Some(search) if !search.is_limited() => self.stop(),
            Some(_) => {}
        }
    }

    fn input(&mut self, input: Input) {
        // END does not wait in the queue.
        if input.command() == Some(&Command::End) {
            return self.exit();
        }
        if input.command().is_some_and(Command::is_stop) && self.is_kept() {
            self.stop();
        }
        self.waiting.push_back(input);
        self.execute_waiting();
    }

    /// Executes the waiting input, as far as the running search allows.
    fn execute_waiting(&mut self) {
        while !self.over
            && let Some(input) = self.waiting.pop_front()
        {
            if self.search.is_some() && input.command().is_some_and(Command::ends_search) {
                if !self.is_kept() {
                    self.stop();
                }
                self.waiting.push_front(input);
                return;
            }
            if let Err(error) = self.execute(input) {
                self.write(Reply::Error(error));
            }
        }
        if self.ending && !self.over && self.search.as_ref().is_none_or(|search| !search.is_limited()) {
            self.end_of_input();
        }
    }

    /// Executes input; an error is a text for the manager.
    fn execute(&mut self, Input { arrived, content }: Input) -> Result<(), String> {
        match content {
            Content::Command(command, warning) => {
                self.warn(warning);
                self.command(command, arrived)
            }
            Content::Body(body) => self.body(body, arrived),
            Content::Invalid(ParseError::Unknown(word)) => {
                let word = word.chars().take(40).collect::<String>();
                self.write(Reply::Unknown(format!("command {word}")));
                Ok(())
            }
            Content::Invalid(error) => Err(error.to_string()),
        }
    }

    fn warn(&mut self, warning: Option<Warning>) {
        if let Some(Warning { about, text }) = warning
            && !self.warned.contains(&about)
        {
            self.warned.push(about);
            self.write(Reply::Message(text));
        }
    }

    /// Whether commands that need the position wait for the running search instead of ending it: right after
    /// Yixin-Board has requested the choice among fifth moves, it sends the position once more to see its forbidden
    /// points.
    fn is_kept(&self) -> bool {
        self.search.as_ref().is_some_and(RunningSearch::is_choice)
    }

    /// Whether the next command sets another position, so that the answer for the last one is no longer wanted.
    fn is_superseded(&self) -> bool {
        matches!(
            self.waiting.front().and_then(Input::command),
            Some(Command::Start(_) | Command::Extension(Extension::Board))
        )
    }

    /// Requests the end of the running search.
    fn stop(&mut self) {
        if self.search.as_mut().is_some_and(RunningSearch::stop) {
            self.effects.push(Effect::Stop);
        }
    }

    /// Writes pending lines and stops an overdue search. If the search is for a move and has reported one, that move is
    /// the answer.
    fn clock(&mut self, at: Instant) {
        let Some(search) = self.search.as_mut() else { return };
        let wanted = search.wanted(&self.settings, self.ending);
        self.effects.extend(search.clock(at, wanted).into_iter().map(Effect::Write));
        if !search.becomes_overdue(at) {
            return;
        }
        let (number, has_answer) = (search.number(), search.has_answer());
        self.stop();
        if has_answer {
            self.finish(number, None);
        }
    }

    /// Answers the search of this number, if it is still unanswered, and continues with the input that waited for it.
    fn finish(&mut self, number: u64, outcome: Option<Outcome>) {
        let Some(search) = self.search.take_if(|search| search.number() == number) else { return };
        let wanted = search.wanted(&self.settings, self.ending);
        let (replies, moves) = search.finish(outcome, wanted, self.is_superseded());
        self.effects.extend(replies.into_iter().map(Effect::Write));
        self.game.play(&moves);
        self.execute_waiting();
    }
}
