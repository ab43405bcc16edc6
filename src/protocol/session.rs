//! The dialogue as a state machine: [`Event`]s in, [`Effect`]s out; no threads, pipes or clock.
//!
//! Invariants:
//! - At most one search runs at a time, and each search is answered once, however it ends. Commands that need the
//!   position or another search stop the search and wait for its answer, in order; all other commands are executed at
//!   once. An overdue search is stopped and answered with the best move reported so far; its later outcome is ignored.
//! - The game always passes `Setup::check`.
//! - After [`Effect::Exit`] nothing is written.

use super::analysis::{Analysis, Wanted};
use super::answer::{Question, points_wanted};
use super::body::{Body, Cells, Progress, Purpose};
use super::command::Command;
use super::complaint::complaint;
use super::decode;
use super::error::ParseError;
use super::extension::{Extension, Follows, Query, SoosorvStep};
use super::reply::{About, Reply};
use super::settings::{EvaluationKind, Settings, evaluation_file};
use super::steps::Step;
use super::summary::Names;
use crate::engine::{Answer, BoardSize, Cell, Goal, Options, Outcome, Point, Report, Request, Rule, Setup};
use std::collections::VecDeque;
use std::time::Instant;

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A line has arrived.
    Line {
        /// Its bytes, with or without the line ending.
        bytes: Vec<u8>,
        /// When its first byte arrived: thinking time counts from here.
        arrived: Instant,
    },
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

/// The form in which a search is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A move, which is also played in the game.
    Move,
    /// The line that `SWAP2BOARD` expects.
    Swap2,
    /// The messages that Yixin-Board expects.
    Step(Step),
}

/// The running search, which still has to be answered.
#[derive(Debug)]
struct Search {
    number: u64,
    question: Question,
    form: Form,
    stopping: bool,
    /// Whether the search has a limit that ends it.
    is_limited: bool,
    /// When the best move known must be sent; `None` if there is no limit, or the overdue search was already stopped.
    overdue: Option<Instant>,
    analysis: Analysis,
}

/// The dialogue with one manager.
#[derive(Debug)]
pub struct Session {
    game: Option<Setup>,
    settings: Settings,
    /// Cells that must not be played at the root.
    excluded: Vec<Point>,
    body: Option<Body>,
    search: Option<Search>,
    /// Lines that wait for the end of the search.
    waiting: VecDeque<(Vec<u8>, Instant)>,
    searches: u64,
    /// Board size and rule of the engine's last search.
    remembered: Option<(BoardSize, Rule)>,
    hash_full: u32,
    max_threads: usize,
    /// Kinds of faulty lines about which a warning was sent.
    told: Vec<&'static str>,
    /// The input has ended: running and waiting work is finished, then the session exits.
    ending: bool,
    over: bool,
    effects: Vec<Effect>,
}

/// Largest transposition table offered to boards: 2^22 KB, 4 GB.
const MAX_HASH_EXPONENT: u32 = 22;

impl Session {
    /// A new dialogue; `max_threads` is the largest number of threads that is offered to users of boards.
    pub fn new(max_threads: usize) -> Session {
        Session {
            game: None,
            settings: Settings::default(),
            excluded: Vec::new(),
            body: None,
            search: None,
            waiting: VecDeque::new(),
            searches: 0,
            remembered: None,
            hash_full: 0,
            max_threads: max_threads.clamp(1, Options::MAX_THREADS),
            told: Vec::new(),
            ending: false,
            over: false,
            effects: Vec::new(),
        }
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
        let lines = search.analysis.wake(search.wanted(&self.settings, self.ending));
        search.overdue.into_iter().chain(lines).min()
    }

    /// The current position of the game; `None` before the first `START`.
    pub fn game(&self) -> Option<&Setup> {
        self.game.as_ref()
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
            Event::Line { bytes, arrived } => {
                let command = Command::parse(&bytes);
                // END does not wait in the queue.
                if !self.waiting.is_empty() && command == Ok(Command::End) {
                    self.exit();
                } else {
                    if command.is_ok_and(|command| command.is_stop()) && self.is_kept() {
                        self.stop();
                    }
                    self.waiting.push_back((bytes, arrived));
                    self.obey();
                }
            }
            Event::Report { number, at, report } => {
                if let Some(search) = self.search.as_mut().filter(|search| search.number == number) {
                    let wanted = search.wanted(&self.settings, self.ending);
                    let replies = search.analysis.report(report, at, wanted);
                    self.effects.extend(replies.into_iter().map(Effect::Write));
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

    fn error(&mut self, text: &str) {
        self.write(Reply::Error(text.to_owned()));
    }

    fn exit(&mut self) {
        if self.search.take().is_some() {
            self.effects.push(Effect::Stop);
        }
        self.over = true;
        self.effects.push(Effect::Exit);
    }

    /// Handles the end of the input. A search with a limit of its own and the lines that wait for it are finished
    /// first, because a script may send all its lines at once and close its end of the pipe. A search without a limit
    /// is stopped and answered at once.
    fn end_of_input(&mut self) {
        self.ending = true;
        match &self.search {
            None => self.exit(),
            Some(search) if !search.is_limited => self.stop(),
            Some(_) => {}
        }
    }

    /// Executes the waiting lines, as far as the running search allows.
    fn obey(&mut self) {
        while !self.over
            && let Some((bytes, arrived)) = self.waiting.pop_front()
        {
            if let Some(body) = self.body.take() {
                self.body_line(body, &bytes);
                continue;
            }
            let command = Command::parse(&bytes);
            if self.search.is_some() && command.as_ref().is_ok_and(Command::ends_search) {
                if !self.is_kept() {
                    self.stop();
                }
                self.waiting.push_front((bytes, arrived));
                return;
            }
            if let Some((kind, text)) = complaint(&bytes)
                && !self.told.contains(&kind)
            {
                self.told.push(kind);
                self.write(Reply::Message(text));
            }
            match command {
                Ok(command) => self.command(command, arrived),
                Err(ParseError::Empty) => {}
                Err(ParseError::Unknown(word)) => {
                    let word = word.chars().take(40).collect::<String>();
                    self.write(Reply::Unknown(format!("command {word}")));
                }
                Err(error @ (ParseError::Size | ParseError::Arguments { .. })) => self.error(&error.to_string()),
            }
        }
        if self.ending && !self.over && self.search.as_ref().is_none_or(|search| !search.is_limited) {
            self.end_of_input();
        }
    }

    /// Whether commands that need the position wait for the running search instead of ending it: right after
    /// Yixin-Board has requested the choice among fifth moves, it sends the position once more to see its forbidden
    /// points.
    fn is_kept(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.form == Form::Step(Step::Soosorv(SoosorvStep::Choose)))
    }

    /// Whether the next command sets another position, so that the answer for the last one is no longer wanted.
    fn is_superseded(&self) -> bool {
        self.waiting.front().is_some_and(|(bytes, _)| {
            matches!(Command::parse(bytes), Ok(Command::Start(_) | Command::Extension(Extension::Board)))
        })
    }

    /// Requests the end of the running search.
    fn stop(&mut self) {
        if let Some(search) = self.search.as_mut().filter(|search| !search.stopping) {
            search.stopping = true;
            self.effects.push(Effect::Stop);
        }
    }

    fn command(&mut self, command: Command, arrived: Instant) {
        if command.is_stop() {
            self.stop();
        }
        match command {
            Command::Start(size) => self.new_game(size),
            Command::Restart => match self.size() {
                Some(size) => self.new_game(size),
                None => self.no_game(),
            },
            Command::Begin => self.think(Goal::Move, None, Form::Move, arrived),
            Command::Turn(point) => {
                if self.place(point, "TURN") {
                    self.think(Goal::Move, None, Form::Move, arrived);
                }
            }
            Command::Play(point) => {
                if self.place(point, "PLAY") {
                    self.write(Reply::Points(vec![point]));
                }
            }
            Command::TakeBack(point) => self.take_back(point),
            Command::Board => self.cells(Purpose::Board, arrived),
            Command::Swap2Board => self.cells(Purpose::Swap2, arrived),
            Command::Done => self.write(Reply::Unknown("command DONE outside a list".to_owned())),
            Command::About => self.write(Reply::About(About::this())),
            Command::End => self.exit(),
            Command::Stop => {}
            Command::Info(setting) => {
                let needs = |settings: &Settings| (settings.rule(), settings.options().max_memory);
                let before = needs(&self.settings);
                self.settings.set(&setting);
                if self.game.is_some() && needs(&self.settings) != before {
                    self.prepare();
                }
                match evaluation_file(&setting) {
                    Some("") => self.error("INFO nnue_file expects the name of a file"),
                    Some(name) => self.effects.push(Effect::Evaluate(name.to_owned())),
                    None => {}
                }
            }
            Command::Extension(extension) => self.extension(extension, arrived),
        }
    }

    fn extension(&mut self, extension: Extension, arrived: Instant) {
        // Match runners also send YXSTOP; all other extensions come from a board.
        self.settings.board |= extension != Extension::Stop;
        match extension {
            Extension::ShowInfo => {
                self.write(Reply::Message(format!("INFO MAX_THREAD_NUM {}", self.max_threads)));
                self.write(Reply::Message(format!("INFO MAX_HASH_SIZE {MAX_HASH_EXPONENT}")));
            }
            Extension::Board => self.cells(Purpose::YxBoard, arrived),
            Extension::Stop => {}
            Extension::ShowForbid => match self.game.clone() {
                Some(setup) => self.effects.push(Effect::Forbidden { setup, rule: self.settings.rule() }),
                None => self.no_game(),
            },
            Extension::NBest(lines) => self.think(Goal::Move, Some(lines), Form::Move, arrived),
            Extension::BalanceOne(bias) => self.think(Goal::BalanceOne { bias }, None, Form::Move, arrived),
            Extension::BalanceTwo(bias) => self.think(Goal::BalanceTwo { bias }, None, Form::Move, arrived),
            Extension::SearchDefend => self.think(Goal::AllMoves, None, Form::Move, arrived),
            Extension::HashClear => self.effects.push(Effect::Clear),
            Extension::ShowHashUsage => {
                let (whole, tenths) = (self.hash_full / 10, self.hash_full % 10);
                self.write(Reply::Message(format!("hash usage {whole}.{tenths}%")));
            }
            Extension::Block => self.cells(Purpose::Block, arrived),
            Extension::BlockUndo => self.cells(Purpose::BlockUndo, arrived),
            Extension::BlockReset => self.excluded.clear(),
            Extension::Swap2Step(step) => self.step(Step::Swap2(step), &[], arrived),
            Extension::Soosorv(step @ SoosorvStep::Open) => self.step(Step::Soosorv(step), &[], arrived),
            Extension::Soosorv(step) => self.cells(Purpose::Soosorv(step), arrived),
            Extension::Query(query) => self.cells(Purpose::Query(query), arrived),
            Extension::EditText(text) => match text.strip_prefix('"') {
                Some(text) => self.body_line(Body::text(Purpose::EditText, arrived), text.as_bytes()),
                None => self.cells(Purpose::EditText, arrived),
            },
            Extension::Foreign { word, .. } => match word.follows() {
                Follows::Nothing => self.unsupported(word.name()),
                Follows::Cells => self.cells(Purpose::Foreign(word), arrived),
                Follows::Path => self.body = Some(Body::path(Purpose::Foreign(word), arrived)),
            },
        }
    }

    fn size(&self) -> Option<BoardSize> {
        self.game.as_ref().map(|game| game.size)
    }

    /// Reports that a command has no effect, because its sender may wait for an answer.
    fn unsupported(&mut self, command: &str) {
        self.write(Reply::Message(format!("{command} is not supported")));
    }

    fn no_game(&mut self) {
        self.error("no game: send START first");
    }

    fn new_game(&mut self, size: BoardSize) {
        self.game = Some(Setup::empty(size));
        // A board starts a game at each edit and wants to keep what earlier searches learned; for all other managers
        // each game starts fresh.
        if !self.settings.board {
            self.forget();
        }
        self.write(Reply::Ok);
        self.prepare();
    }

    fn prepare(&mut self) {
        self.effects.push(Effect::Prepare { rule: self.settings.rule(), options: self.settings.options() });
    }

    fn forget(&mut self) {
        if self.remembered.take().is_some() {
            self.effects.push(Effect::Clear);
        }
    }

    /// Places a stone of the side to move; answers with an error if that is impossible.
    fn place(&mut self, point: Point, command: &str) -> bool {
        let fault = match &mut self.game {
            None => "no game: send START first".to_owned(),
            Some(game) if !game.size.contains(point) => format!("{command} outside the board"),
            Some(game) if game.cell(point) != Cell::Empty => format!("{command} on an occupied cell"),
            Some(game) => {
                game.play(point);
                return true;
            }
        };
        self.error(&fault);
        false
    }

    fn take_back(&mut self, point: Point) {
        let Some(game) = &mut self.game else { return self.no_game() };
        match game.stones.iter().position(|(p, _)| *p == point) {
            Some(index) => {
                game.stones.remove(index);
                game.to_move = !game.to_move;
                self.write(Reply::Ok);
            }
            None => self.error("TAKEBACK of no stone"),
        }
    }

    /// Starts a body of cells.
    fn cells(&mut self, purpose: Purpose, started: Instant) {
        self.body = Some(Body::cells(purpose, started));
    }

    fn body_line(&mut self, body: Body, bytes: &[u8]) {
        match body.read(bytes) {
            Progress::Open(body) => self.body = Some(body),
            Progress::Complete { purpose, cells, left_out, started } => {
                self.body_complete(purpose, cells, left_out, started);
            }
            Progress::Abandoned => self.exit(),
        }
    }

    fn body_complete(&mut self, purpose: Purpose, cells: Cells, left_out: usize, started: Instant) {
        match purpose {
            Purpose::Board | Purpose::YxBoard => {
                let Some(size) = self.size() else { return self.no_game() };
                let setup = decode::position(size, &cells);
                // Warn the sender, who may not expect the move that follows.
                let left_out = left_out + cells.len() - setup.stones.len() - setup.blocked.len();
                if left_out > 0 {
                    let lines = if left_out == 1 { "line" } else { "lines" };
                    self.write(Reply::Message(format!("{left_out} {lines} of the board left out")));
                }
                self.game = Some(setup);
                if purpose == Purpose::Board {
                    self.think(Goal::Move, None, Form::Move, started);
                }
            }
            Purpose::Swap2 => {
                let Some(size) = self.size() else { return self.no_game() };
                let on_board = cells.iter().map(|(p, _)| *p).filter(|p| size.contains(*p));
                let setup = Setup::from_moves(size, on_board);
                // Swap2 has no decision at other numbers of stones; a normal move is the best guess.
                let (goal, form) = match setup.stones.len() {
                    0 => (Goal::Swap2Open, Form::Swap2),
                    3 => (Goal::Swap2Reply, Form::Swap2),
                    5 => (Goal::Swap2Final, Form::Swap2),
                    _ => (Goal::Move, Form::Swap2),
                };
                self.game = Some(setup);
                self.think(goal, None, form, started);
            }
            Purpose::Soosorv(step) => self.soosorv(step, &cells, started),
            Purpose::Block => {
                let new = cells.into_iter().map(|(p, _)| p).filter(|p| !self.excluded.contains(p));
                let new = new.collect::<Vec<_>>();
                self.excluded.extend(new);
            }
            Purpose::BlockUndo => self.excluded.retain(|p| cells.iter().all(|(cell, _)| cell != p)),
            Purpose::Query(Query::All | Query::AllText) => {
                // While the engine thinks, this query is the only sign of a new game that Yixin-Board gives.
                if !self.is_kept() && !self.search.as_ref().is_none_or(|search| search.is_about(&cells)) {
                    self.stop();
                }
                self.write(Reply::Message("DATABASE REFRESH".to_owned()));
                self.write(Reply::Message("DATABASE DONE".to_owned()));
            }
            Purpose::Query(Query::Text) => self.write(Reply::Message("DATABASE TEXT \"\"".to_owned())),
            // Without a record nothing is written.
            Purpose::Query(Query::One) => {}
            Purpose::EditText => self.unsupported("YXEDITTEXTDATABASE"),
            Purpose::Foreign(command) => self.unsupported(command.name()),
        }
    }

    /// Starts the decision of an opening step on the game's position; `offered` are the fifth moves to choose from.
    fn step(&mut self, step: Step, offered: &[Point], started: Instant) {
        let Some(game) = &mut self.game else { return self.no_game() };
        if step.stones() == 0 {
            *game = Setup::empty(game.size);
        }
        let free = offered.iter().filter(|p| game.size.contains(**p) && game.cell(**p) == Cell::Empty).count();
        if game.stones.len() != step.stones() || free != offered.len() {
            return self.error("the opening has another number of stones here");
        }
        self.think_among(offered, step.goal(offered.len()), None, Form::Step(step), started);
    }

    /// Sets the position of a step of Soosorv, and starts its decision.
    fn soosorv(&mut self, step: SoosorvStep, cells: &Cells, started: Instant) {
        let Some(size) = self.size() else { return self.no_game() };
        let points = cells.iter().map(|(p, _)| *p).filter(|p| size.contains(*p)).collect::<Vec<_>>();
        let choose = step == SoosorvStep::Choose && points.len() > 4;
        let (stones, offered) = points.split_at(if choose { 4 } else { points.len() });
        self.game = Some(Setup::from_moves(size, stones.iter().copied()));
        if step == SoosorvStep::Choose && !choose {
            return self.error("no fifth moves to choose from");
        }
        self.step(Step::Soosorv(step), offered, started);
    }

    /// Starts a search on the game's position, or answers at once if there is nothing to search. `lines` is given if
    /// several lines were requested, even if their number is one.
    fn think(&mut self, goal: Goal, lines: Option<usize>, form: Form, started: Instant) {
        self.think_among(&[], goal, lines, form, started);
    }

    /// The same, restricted to the moves in `among` unless it is empty.
    fn think_among(&mut self, among: &[Point], goal: Goal, lines: Option<usize>, form: Form, started: Instant) {
        let Some(setup) = self.game.clone() else { return self.no_game() };
        let is_excluded = |p: &Point| if among.is_empty() { self.excluded.contains(p) } else { !among.contains(p) };
        let empty = setup.size.points().filter(|p| setup.cell(*p) == Cell::Empty);
        let excluded = empty.filter(is_excluded).collect::<Vec<_>>();
        let choices = setup.empty_cells();
        if choices < points_wanted(goal) {
            return self.error("board is full");
        }
        if choices == excluded.len() {
            return self.error("all empty cells are excluded");
        }
        let rule = self.settings.rule();
        if self.remembered.is_some_and(|remembered| remembered != (setup.size, rule)) {
            self.forget();
        }
        self.remembered = Some((setup.size, rule));
        if self.settings.wants_realtime() {
            self.write(Reply::Message("REALTIME REFRESH".to_owned()));
        }
        self.searches += 1;
        let limits = self.settings.limits(started);
        self.search = Some(Search {
            number: self.searches,
            question: Question { setup: setup.clone(), goal, excluded: excluded.clone() },
            form,
            stopping: false,
            is_limited: limits.is_limited(),
            overdue: limits.overdue(),
            analysis: Analysis::new(&limits, started),
        });
        let is_question = matches!(goal, Goal::AllMoves | Goal::BalanceOne { .. } | Goal::BalanceTwo { .. });
        let analysis = is_question || lines.is_some() || self.settings.wants_lines() || self.settings.wants_realtime();
        let lines = lines.unwrap_or(1).clamp(1, choices);
        self.effects.push(Effect::Start {
            number: self.searches,
            request: Box::new(Request { setup, rule, limits, goal, lines, excluded, analysis }),
            options: self.settings.options(),
        });
    }

    /// Writes pending lines and stops an overdue search. If the search is for a move and has reported one, that move is
    /// the answer.
    fn clock(&mut self, at: Instant) {
        let Some(search) = self.search.as_mut() else { return };
        let wanted = search.wanted(&self.settings, self.ending);
        self.effects.extend(search.analysis.clock(at, wanted).into_iter().map(Effect::Write));
        if search.overdue.is_none_or(|due| at < due) {
            return;
        }
        search.overdue = None;
        let (number, known) = (search.number, search.analysis.best().is_some());
        let plain = search.form == Form::Move && matches!(search.question.goal, Goal::Move | Goal::AllMoves);
        self.stop();
        if known && plain {
            self.finish(number, None);
        }
    }

    /// Answers the search of this number, if it is still unanswered, and continues with the lines that waited for it.
    fn finish(&mut self, number: u64, outcome: Option<Outcome>) {
        let Some(mut search) = self.search.take_if(|search| search.number == number) else { return };
        let line = outcome.as_ref().filter(|outcome| !outcome.from_book).map(|outcome| &outcome.line);
        for reply in search.analysis.finish(line, search.wanted(&self.settings, self.ending)) {
            self.write(reply);
        }
        let answer = search.question.checked(outcome.map(|outcome| outcome.answer), search.analysis.best());
        match search.form {
            // Yixin-Board expects a move from a swap2 step that it has abandoned, and drops that move.
            Form::Step(Step::Swap2(_)) if self.is_superseded() => {
                let Question { setup, .. } = &search.question;
                self.write(Reply::Points(
                    setup.size.points().find(|p| setup.cell(*p) == Cell::Empty).into_iter().collect(),
                ));
            }
            Form::Step(step) => step.replies(&answer).into_iter().for_each(|reply| self.write(reply)),
            Form::Move | Form::Swap2 => match answer {
                Answer::Points(points) => {
                    if let Some(game) = self.game.as_mut().filter(|_| search.form == Form::Move) {
                        points.iter().for_each(|p| game.play(*p));
                    }
                    self.write(Reply::Points(points));
                }
                Answer::Swap => self.write(Reply::Swap),
                Answer::Full => self.error("board is full"),
            },
        }
        self.obey();
    }
}

impl Search {
    /// Whether these cells are those of the stones in the searched position.
    fn is_about(&self, cells: &Cells) -> bool {
        let stones = &self.question.setup.stones;
        cells.len() == stones.len() && cells.iter().all(|(cell, _)| stones.iter().any(|(p, _)| p == cell))
    }

    /// The output that the manager wants for this search.
    fn wanted(&self, settings: &Settings, ending: bool) -> Wanted {
        Wanted {
            realtime: settings.wants_realtime(),
            lines: settings.wants_lines(),
            text: settings.wants_text(),
            repeats: ending,
            names: Names::new(self.question.setup.size, settings.board),
        }
    }
}
