//! Tests of the session; the tests play the worker.

mod assistance;
mod clocks;
mod files;
mod opening;
mod others;
mod play;
mod random;

use super::{Accepted, Effect, Session, SessionConfig};
use crate::command::Command;
use crate::job::{Job, Task, WorkerMessage};
use crate::points::BoardPoints;
use crate::view::{Event, Refusal, RefusalKind, Settings, State};
use serde_json::{Value, json};
use tengen::board::{BoardSize, Point, Side, parse_points};
use tengen::engine::{Answer, Line};
use tengen::score::Score;
use web_time::{Duration, Instant};

/// A session, a host that carries out its effects, and a clock.
#[derive(Clone)]
pub struct Table {
    pub session: Session,
    pub now: Instant,
    /// Jobs that have started and not ended.
    pub jobs: Vec<Job>,
    pub cancelled: Vec<u64>,
    pub effects: Vec<Effect>,
}

impl Table {
    /// A session before the first game.
    pub fn bare() -> Table {
        let settings = Settings { threads: 1, processors: 4, hash_mb: 64 };
        let session = Session::new(SessionConfig { seed: 1, settings, largest_hash_mb: 1_024 });
        Table { session, now: Instant::now(), jobs: Vec::new(), cancelled: Vec::new(), effects: Vec::new() }
    }

    /// A game on the usual board; `more` changes the settings of a game of two persons.
    pub fn new(more: Value) -> Table {
        let mut table = Table::bare();
        table.ok(game(more));
        table
    }

    /// Sends a command with the current revision.
    pub fn send(&mut self, mut body: Value) -> Result<Accepted, Refusal> {
        body["rev"] = json!(self.session.rev());
        let (command, rev) = Command::parse(body).expect("a command");
        let result = self.session.handle(command, rev, self.now);
        self.carry_out();
        result
    }

    #[track_caller]
    pub fn ok(&mut self, body: Value) -> Accepted {
        self.send(body.clone()).unwrap_or_else(|refusal| panic!("{body}: {refusal:?}"))
    }

    /// Sends a command without fields.
    #[track_caller]
    pub fn cmd(&mut self, name: &str) {
        self.ok(json!({"do": name}));
    }

    #[track_caller]
    pub fn refused(&mut self, body: Value) -> RefusalKind {
        match self.send(body.clone()) {
            Ok(_) => panic!("{body} was accepted"),
            Err(refusal) => refusal.error,
        }
    }

    /// A move of a person.
    #[track_caller]
    pub fn play(&mut self, at: &str) {
        self.ok(json!({"do": "move", "at": at}));
    }

    /// Moves of persons.
    #[track_caller]
    pub fn moves(&mut self, labels: &str) {
        for label in split(labels) {
            self.play(&label);
        }
    }

    pub fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
        self.session.tick(self.now);
        self.carry_out();
    }

    pub fn carry_out(&mut self) {
        for effect in self.session.effects() {
            match &effect {
                Effect::Start(job) => self.jobs.push(job.clone()),
                Effect::Cancel(job) => self.cancelled.push(*job),
                _ => {}
            }
            self.effects.push(effect);
        }
    }

    pub fn news(&mut self, news: WorkerMessage) {
        if let WorkerMessage::Event { job, last: true, .. } | WorkerMessage::Failed { job } = news {
            self.jobs.retain(|open| open.id != job);
        }
        self.session.news(news, self.now);
        self.carry_out();
    }

    /// The search for a move that has not been cancelled.
    pub fn search(&self) -> Option<&Job> {
        self.open().find(|job| matches!(job.task, Task::Move { .. }))
    }

    /// Jobs that have neither been cancelled nor ended.
    pub fn open(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(|job| !self.cancelled.contains(&job.id))
    }

    /// The open job of a kind.
    #[track_caller]
    pub fn job(&self, is_it: impl Fn(&Task) -> bool) -> Job {
        self.open().find(|job| is_it(&job.task)).expect("a job of this kind").clone()
    }

    /// The engine answers its search, even a cancelled one.
    pub fn reply_to(&mut self, job: u64, answer: Answer, score: i32) {
        let moves = if let Answer::Points(points) = &answer { points.clone() } else { Vec::new() };
        let line = Line { depth: 8, score: Score::units(score), nodes: 1_000, moves, ..Line::default() };
        self.jobs.retain(|open| open.id != job);
        self.news(WorkerMessage::Moved { job, answer, line, from_book: false });
    }

    /// The engine moves.
    #[track_caller]
    pub fn engine(&mut self, labels: &str) {
        let job = self.search().expect("the engine thinks").id;
        self.reply_to(job, Answer::Points(self.points(labels)), 20);
    }

    pub fn points(&self, labels: &str) -> Vec<Point> {
        parse_points(self.size(), labels).expect("labels")
    }

    pub fn size(&self) -> BoardSize {
        self.session.record().start.size
    }

    pub fn state(&self) -> State {
        self.session.state(self.now)
    }

    /// Labels of the stones on the board.
    pub fn board(&self) -> String {
        self.state().board.played.text()
    }

    /// Codes of the messages sent.
    pub fn said(&self) -> Vec<&'static str> {
        let said = self.effects.iter().filter_map(|effect| match effect {
            Effect::Send(Event::Message(message)) => Some(message.code),
            _ => None,
        });
        said.collect()
    }
}

/// A game of two persons with other settings.
pub fn game(more: Value) -> Value {
    let mut game = json!({"do": "new", "rule": "freestyle", "size": [15, 15],
        "black": {"kind": "person"}, "white": {"kind": "person"}});
    for (name, value) in more.as_object().expect("fields") {
        game[name] = value.clone();
    }
    game
}

/// A person with black against the engine.
pub fn against_engine() -> Value {
    json!({"white": {"kind": "engine", "level": 3}})
}

pub fn engines() -> Value {
    json!({"black": {"kind": "engine", "level": 1}, "white": {"kind": "engine", "level": 2}})
}

/// Splits a text into its labels.
pub fn split(labels: &str) -> Vec<String> {
    let mut split: Vec<String> = Vec::new();
    for c in labels.chars() {
        if c.is_ascii_alphabetic() {
            split.push(String::new());
        }
        split.last_mut().expect("a letter first").push(c);
    }
    split
}
