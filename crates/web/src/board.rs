//! The host of the session in a page without a server. It owns no worker and no database: it says in
//! [`orders`](Board::orders) what the JavaScript around it has to do.

use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::time::Duration;
use tengen::engine::Goal;
use tengen_analysis::random::Random;
use tengen_analysis::review::Review;
use tengen_session::api::{self, Sent, Update};
use tengen_session::command::Command;
use tengen_session::job::{Job, Task, WorkerMessage};
use tengen_session::reply::Reply;
use tengen_session::saving::{Saving, Unsaved};
use tengen_session::session::{Accepted, Effect, Session, SessionConfig};
use tengen_session::view::{Event, Refusal, Settings};
use tengen_session::wire;
use tengen_session::work::cut_off;
use wasm_bindgen::prelude::wasm_bindgen;
use web_time::Instant;

/// The name under which the page's database keeps a game.
type Key = String;

/// The board of a page.
#[wasm_bindgen]
pub struct Board {
    session: Session,
    random: Random,
    settings: Settings,
    sent: Sent,
    saving: Saving<Key>,
    /// Games that are being written.
    writing: Vec<Unsaved<Key>>,
    /// The key of the offered game, unless the offer is a copy.
    offered: Option<Key>,
    /// Jobs whose last message has not come.
    jobs: HashMap<u64, Job>,
    reviewed: Option<(u64, Review)>,
    orders: Vec<Json>,
}

/// A file to download, or the refusal.
#[wasm_bindgen(getter_with_clone)]
pub struct Exported {
    /// Its name.
    pub name: String,
    /// MIME type.
    pub kind: String,
    /// The content.
    pub bytes: Vec<u8>,
    /// The refusal in JSON.
    pub refusal: Option<String>,
}

#[wasm_bindgen]
impl Board {
    /// A board with an empty game. The engine may have this many threads. Its table has a size, and a largest one, in
    /// mebibytes.
    #[wasm_bindgen(constructor)]
    pub fn new(seed: u64, threads: usize, hash_mb: u32, largest_hash_mb: u32) -> Board {
        let settings = Settings { threads, processors: threads, hash_mb: u64::from(hash_mb) };
        let largest_hash_mb = u64::from(largest_hash_mb);
        let mut board = Board {
            session: Session::new(SessionConfig { seed, settings, largest_hash_mb }),
            random: Random::new(&[seed, 1]),
            settings,
            sent: Sent::default(),
            saving: Saving::default(),
            writing: Vec::new(),
            offered: None,
            jobs: HashMap::new(),
            reviewed: None,
            orders: Vec::new(),
        };
        board.settle();
        board
    }

    /// Offers a saved game. False if it cannot be read. Without a key, continuing makes a copy.
    pub fn offer(&mut self, key: Option<String>, saved: f64, game: &str) -> bool {
        let Ok(game) = serde_json::from_str(game) else { return false };
        let saved = saved.max(0.0) as u64;
        match key {
            Some(_) => self.session.offer(game, saved),
            None => self.session.offer_copy(game, saved),
        }
        self.offered = key;
        self.settle();
        true
    }

    /// The constant data and the whole state, in JSON.
    pub fn hello(&self) -> String {
        json!({"about": api::about(&self.session, false), "state": self.whole()}).to_string()
    }

    /// The whole state, in JSON.
    pub fn state(&self) -> String {
        self.whole().to_string()
    }

    /// Carries out a command; the answer has a status and a body.
    pub fn command(&mut self, body: &str) -> String {
        let body = serde_json::from_str(body).unwrap_or_default();
        let rev = self.session.rev();
        let reply = api::command(body, || rev, |command, rev| self.handle(command, rev));
        answer(&reply)
    }

    /// Reads a file; a single game in it is shown at once.
    pub fn import(&mut self, name: Option<String>, bytes: &[u8]) -> String {
        let (rev, size) = (self.session.rev(), self.session.record().start.size);
        let games = api::read(name.as_deref(), bytes, size).map_err(|message| api::refused_file(message, rev));
        let games = games.map(|games| self.session.import(games));
        self.settle();
        answer(&api::imported(games))
    }

    /// Writes the shown game in a format.
    pub fn export(&self, format: &str) -> Exported {
        let shown_job = self.session.state(Instant::now()).review;
        let review = self.reviewed.as_ref().filter(|(job, _)| Some(*job) == shown_job);
        let shown = api::shown(&self.session, review.map(|(_, review)| review.clone()));
        match api::write(format, &shown, self.session.rev()) {
            Ok(file) => {
                Exported { name: file.name, kind: file.content_type.to_owned(), bytes: file.bytes, refusal: None }
            }
            Err(refused) => Exported {
                name: String::new(),
                kind: String::new(),
                bytes: Vec::new(),
                refusal: Some(answer(&api::refusal(&refused))),
            },
        }
    }

    /// Takes a message of a worker.
    pub fn message(&mut self, text: &str) {
        if let Some(message) = wire::read::<WorkerMessage>(text) {
            self.take(message);
        }
    }

    /// Takes a finished review.
    pub fn review(&mut self, job: f64, text: &str) {
        if let Some(review) = wire::read(text) {
            self.reviewed = Some((job as u64, review));
        }
    }

    /// The worker of a job has been ended; `latest` is the last message that it sent.
    pub fn cut(&mut self, job: f64, latest: Option<String>) {
        let Some(job) = self.jobs.remove(&(job as u64)) else { return };
        let id = job.id;
        let latest = latest.and_then(|latest| wire::read(&latest));
        self.take(cut_off(job, latest).unwrap_or(WorkerMessage::Failed { job: id }));
    }

    /// The worker of a job has failed.
    pub fn failed(&mut self, job: f64) {
        self.take(WorkerMessage::Failed { job: job as u64 });
    }

    /// Does what is due; `save` says that games have to be saved at once.
    pub fn tick(&mut self, save: bool) {
        let now = Instant::now();
        self.session.tick(now);
        self.settle();
        if save || self.saving.due().is_some_and(|due| due <= now) {
            self.save();
        }
    }

    /// In how many milliseconds [`tick`](Board::tick) has to be called; absent if nothing is due.
    pub fn due(&self) -> Option<f64> {
        let saving = self.saving.due().filter(|_| self.writing.is_empty());
        let due = self.session.deadline().into_iter().chain(saving).min()?;
        // A deadline that does not move forward after its tick must not cause a busy loop.
        Some(due.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)).as_secs_f64() * 1e3)
    }

    /// The games of the last order to save have been written, or not: the errors, each empty or a sentence.
    pub fn saved(&mut self, errors: Vec<String>) {
        let games = std::mem::take(&mut self.writing).into_iter();
        let failed = games.zip(errors).filter(|(_, error)| !error.is_empty()).collect();
        if self.saving.failed(failed, Instant::now()) {
            let why = self.saving.error().map(str::to_owned);
            self.send(&Event::Message(api::saving(why.as_deref())));
            self.session.set_unsaved(why);
            self.settle();
        }
    }

    /// What has to be done since the last call, as a list in JSON:
    ///
    /// - `["event", name, data]`: send it to the page.
    /// - `["outdated", name]`: a page that comes later does not get the last event of this name.
    /// - `["start", lane, job, text, mebibytes, threads]`: give a job to the worker of this name.
    /// - `["cancel", job, is_wanted, has_best]`: end a job; whether its last message is wanted, and whether that is the
    ///   best move so far of a search.
    /// - `["save", [[key, game], ...]]`: write the games, then call [`saved`](Board::saved).
    pub fn orders(&mut self) -> String {
        Json::from(std::mem::take(&mut self.orders)).to_string()
    }
}

fn answer(reply: &Reply) -> String {
    json!({"status": reply.status, "body": reply.body}).to_string()
}

impl Board {
    fn whole(&self) -> Json {
        self.sent.whole(&self.session, Instant::now())
    }

    fn handle(&mut self, command: Command, rev: Option<u64>) -> Result<Accepted, Refusal> {
        let continues = command == Command::Continue;
        let accepted = self.session.handle(command, rev, Instant::now());
        let offered = if continues && accepted.is_ok() { self.offered.take() } else { None };
        // The replaced game keeps its own key.
        self.settle();
        if continues && accepted.is_ok() {
            self.saving.go_on_in(offered);
        }
        accepted
    }

    fn take(&mut self, message: WorkerMessage) {
        match &message {
            WorkerMessage::Event { last: false, .. } => {}
            WorkerMessage::Event { job, .. }
            | WorkerMessage::Moved { job, .. }
            | WorkerMessage::Answered { job, .. }
            | WorkerMessage::Failed { job } => drop(self.jobs.remove(job)),
        }
        self.session.news(message, Instant::now());
        self.settle();
    }

    /// Turns the effects of the session into orders, after the new state.
    fn settle(&mut self) {
        let effects = self.session.effects();
        if !self.session.is_offering() {
            self.offered = None;
        }
        if let Some(Update { state: _, events, outdated }) = self.sent.update(&self.session, Instant::now()) {
            self.orders.extend(outdated.into_iter().map(|name| json!(["outdated", name])));
            self.orders.extend(events.into_iter().map(|(name, data)| json!(["event", name, data])));
        }
        for effect in effects {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Start(job) => self.start(job),
            Effect::Cancel(id) => {
                let is_wanted = self.session.expects(id);
                match self.jobs.get(&id).map(|job| &job.task) {
                    Some(Task::Move { goal: Goal::Move, level: None, .. }) => {
                        self.orders.push(json!(["cancel", id, is_wanted, true]));
                    }
                    // Levels and openings take little time, and nothing but their end is an answer.
                    Some(Task::Move { .. }) if is_wanted => {}
                    Some(_) => self.orders.push(json!(["cancel", id, is_wanted, false])),
                    None => {}
                }
            }
            Effect::Send(event) => self.send(&event),
            Effect::Save => self.saving.change(Instant::now()),
            Effect::Keep(game) => self.saving.keep(*game, Instant::now()),
            Effect::Configure(settings) => self.settings = settings,
            // There is no database, and no program that could be ended.
            Effect::Store(_) | Effect::Quit => {}
        }
    }

    fn start(&mut self, job: Job) {
        let lane = match job.task {
            Task::Review { .. } => "reviewer",
            Task::Try { .. } => "judge",
            // There are no other engines.
            Task::OtherMove(_) | Task::Opinion { .. } | Task::Release => return,
            _ => "player",
        };
        let Settings { hash_mb, threads, .. } = self.settings;
        // Only the player's engine has several threads.
        let threads = if lane == "player" { threads } else { 1 };
        self.orders.push(json!(["start", lane, job.id, wire::write(&job), hash_mb, threads]));
        self.jobs.insert(job.id, job);
    }

    fn send(&mut self, event: &Event) {
        if let Ok(data) = serde_json::to_value(event) {
            self.orders.push(json!(["event", event.name(), data]));
        }
    }

    /// Orders that what has changed be written, unless that is being done.
    fn save(&mut self) {
        if !self.writing.is_empty() {
            return;
        }
        let session = &self.session;
        self.writing = self.saving.take(|| session.save());
        let mut games = Vec::new();
        for unsaved in &self.writing {
            let key = unsaved.slot.get_or_init(|| format!("{:016x}", self.random.next_u64()));
            games.push(json!([key, serde_json::to_string(&unsaved.game).unwrap_or_default()]));
        }
        if !games.is_empty() {
            self.orders.push(json!(["save", games]));
        }
    }
}
