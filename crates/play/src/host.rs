//! The running board: a session, its workers, its saved games, and the connected clients.
//!
//! Commands of all clients, messages of the workers and the clock reach the session one at a time, under one mutex.
//! Nothing waits while it holds that mutex: jobs are queued, events are put into mailboxes, and a separate thread
//! writes files from a copy. A state is sent whenever the revision has changed.
//!
//! What cannot be saved stays in memory. Saving is retried after a while, after each change, and at the end.

use crate::explorer::Explorer;
use crate::explorer::view::ExplorerView;
use crate::machine::largest_hash_mb;
use crate::others::OtherEngines;
use crate::progress::ProgressFile;
use crate::server::app::{App, Download, Reply};
use crate::server::hub::Hub;
use crate::store::{Found, Place, Store};
use crate::worker::Workers;
use serde_json::Value;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tengen::engine::{Evaluation, StopToken};
use tengen_analysis::puzzle::Puzzle;
use tengen_session::api::{self, Sent, Update};
use tengen_session::command::{Analysis, Command, NewGame};
use tengen_session::job::WorkerMessage;
use tengen_session::lock;
use tengen_session::saving::{Saving, Unsaved};
use tengen_session::session::{Accepted, Effect, Session, SessionConfig};
use tengen_session::trainer::{ProgressStore, Trainer};
use tengen_session::view::{Event, Imported, Refusal, RefusalKind, Settings, State};

/// Live analysis ends when no client has been connected for this long, since its results are not seen.
const IDLE_ANALYSIS_TIMEOUT: Duration = Duration::from_secs(3);

/// Configuration of a host.
pub struct Options {
    /// Where games are saved; `None` if they are not saved.
    pub store: Option<Store>,
    /// Engine settings.
    pub settings: Settings,
    /// The evaluation of the engine.
    pub evaluation: Evaluation,
    /// Other engines that clients may choose.
    pub engines: OtherEngines,
    /// The database of positions.
    pub explorer: Option<Explorer>,
    /// Seed of the random choices: who begins, and the moves of levels.
    pub seed: u64,
    /// The first game; `None` for an empty board for two persons.
    pub first: Option<NewGame>,
    /// Receives every event that clients receive.
    pub watch: Option<Sender<Event>>,
}

impl Options {
    /// A board whose games are not saved, with nothing beside it.
    pub fn new(settings: Settings, evaluation: Evaluation, seed: u64) -> Options {
        let engines = OtherEngines::none();
        Options { store: None, settings, evaluation, engines, explorer: None, seed, first: None, watch: None }
    }
}

/// The running board. Dropping it ends the workers and saves.
pub struct Host {
    trainer: Trainer,
    shared: Arc<Shared>,
    timer: Option<JoinHandle<()>>,
}

struct Shared {
    inner: Mutex<Inner>,
    /// Wakes the timer after a change.
    changed: Condvar,
    hub: Hub,
    store: Option<Store>,
    explorer: Option<Arc<Explorer>>,
    /// Locked while files are written, so that they are written in the order of the game.
    writing: Mutex<()>,
    watch: Option<Sender<Event>>,
    quit: StopToken,
    /// Whether the timer thread has died: nothing is saved any more.
    failed: AtomicBool,
}

struct Inner {
    session: Session,
    /// `None` while the host starts or ends.
    workers: Option<Workers>,
    /// What clients have.
    sent: Sent,
    saving: Saving<Place>,
    /// The file of the offered game, unless the offer is a copy.
    offered: Option<Place>,
    closed: bool,
}

impl Host {
    /// Starts a board. It offers the game that was saved last.
    ///
    /// # Errors
    /// If the system cannot start threads, or the first game is invalid ([`io::ErrorKind::InvalidInput`]).
    pub fn new(options: Options) -> io::Result<Host> {
        let Options { store, settings, evaluation, engines, explorer, seed, first, watch } = options;
        let explorer = explorer.map(Arc::new);
        let trainer = Trainer::new(evaluation.clone(), store.as_ref().map(progress));
        let mut session = Session::new(SessionConfig { seed, settings, largest_hash_mb: largest_hash_mb() });
        session.declare(engines.names());
        if let Some(game) = first {
            let refused = |refused: Refusal| io::Error::new(io::ErrorKind::InvalidInput, refused.message);
            session.handle(Command::New(game), None, Instant::now()).map_err(refused)?;
        }
        if let Some(explorer) = &explorer {
            session.set_database(explorer.name());
        }
        // This comes last: a new game replaces the offered one.
        let offered = store.as_ref().and_then(Store::newest).and_then(|Found { place, game, saved }| {
            match place {
                Some(_) => session.offer(game, saved),
                None => session.offer_copy(game, saved),
            }
            place
        });
        let inner =
            Inner { session, workers: None, sent: Sent::default(), saving: Saving::default(), offered, closed: false };
        let shared = Arc::new(Shared {
            inner: Mutex::new(inner),
            changed: Condvar::new(),
            hub: Hub::new(),
            store,
            explorer: explorer.clone(),
            writing: Mutex::new(()),
            watch,
            quit: StopToken::new(),
            failed: AtomicBool::new(false),
        });
        let of_workers = Arc::downgrade(&shared);
        let tell = move |news| {
            if let Some(shared) = of_workers.upgrade() {
                shared.news(news);
            }
        };
        if let Some(explorer) = &explorer {
            let of_explorer = Arc::downgrade(&shared);
            explorer.start(Box::new(move |status| {
                if let Some(shared) = of_explorer.upgrade() {
                    shared.act(|session, _| session.set_storing(status));
                }
            }))?;
        }
        let workers = Workers::new(settings, evaluation, engines, seed, explorer, Arc::new(tell))?;
        let own = Arc::clone(&shared);
        let timer = std::thread::Builder::new().name("timer".to_owned()).spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| own.keep_time())).is_err() {
                // The panic hook has reported it. A board that cannot save must not go on as if it could.
                own.failed.store(true, Ordering::Relaxed);
                own.quit.stop();
            }
        })?;
        lock(&shared.inner).workers = Some(workers);
        shared.act(|_, _| {});
        Ok(Host { trainer, shared, timer: Some(timer) })
    }

    /// Replaces the puzzles of the trainer.
    #[must_use]
    pub fn with_puzzles(mut self, puzzles: Vec<Puzzle>) -> Host {
        self.trainer.set_puzzles(puzzles);
        self
    }

    /// Carries out a command. `rev` is the revision that the client saw.
    ///
    /// # Errors
    /// The reason for the refusal.
    pub fn handle(&self, command: Command, rev: Option<u64>) -> Result<Accepted, Refusal> {
        let continues = command == Command::Continue;
        let mut inner = lock(&self.shared.inner);
        let accepted = inner.session.handle(command, rev, Instant::now());
        let offered = if continues && accepted.is_ok() { inner.offered.take() } else { None };
        // The replaced game keeps its own file.
        self.shared.settle(&mut inner);
        if continues && accepted.is_ok() {
            inner.saving.go_on_in(offered);
        }
        accepted
    }

    /// The state that is shown now.
    pub fn shown(&self) -> State {
        lock(&self.shared.inner).session.state(Instant::now())
    }

    /// Reads the games of a file; a single one is shown at once.
    ///
    /// # Errors
    /// The reason why the file cannot be read.
    pub fn read(&self, name: Option<&str>, bytes: &[u8]) -> Result<Vec<Imported>, Refusal> {
        let (rev, size) = {
            let inner = lock(&self.shared.inner);
            (inner.session.rev(), inner.session.record().start.size)
        };
        let records = api::read(name, bytes, size).map_err(|message| api::refused_file(message, rev))?;
        Ok(self.shared.act(|session, _| session.import(records)))
    }

    /// Writes the shown game in one of the [formats](tengen_session::export::FORMATS).
    ///
    /// # Errors
    /// The reason why it cannot be written.
    pub fn write(&self, format: &str) -> Result<Download, Refusal> {
        let (shown, rev) = {
            let inner = lock(&self.shared.inner);
            let job = inner.session.state(Instant::now()).review;
            let review = job.zip(inner.workers.as_ref()).and_then(|(job, workers)| workers.review(job));
            (api::shown(&inner.session, review), inner.session.rev())
        };
        api::write(format, &shown, rev)
    }

    /// Set when a client has requested the end of the program, or the board cannot go on.
    pub fn quit(&self) -> StopToken {
        self.shared.quit.clone()
    }

    /// Whether the board cannot go on because of a bug.
    pub fn has_failed(&self) -> bool {
        self.shared.failed.load(Ordering::Relaxed)
    }

    /// Tries a last time to save what is not saved. If that fails, returns the reason and the games that would be lost,
    /// as SGF.
    pub fn last_save(&self) -> Option<(String, Vec<String>)> {
        self.shared.save();
        let inner = lock(&self.shared.inner);
        let why = inner.saving.error()?.to_owned();
        let current = inner.session.save().map(|game| game.sgf);
        Some((why, inner.saving.kept().map(|game| game.sgf.clone()).chain(current).collect()))
    }

    /// Problems with the saved games, one a line. Each is returned once.
    pub fn notes(&self) -> Vec<String> {
        self.shared.store.as_ref().map(Store::notes).unwrap_or_default()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let workers = {
            let mut inner = lock(&self.shared.inner);
            inner.closed = true;
            inner.workers.take()
        };
        self.shared.changed.notify_all();
        // Their last messages are still received.
        drop(workers);
        if let Some(timer) = self.timer.take() {
            // The panic hook has already reported a panic of that thread.
            drop(timer.join());
        }
        self.shared.save();
    }
}

impl Shared {
    fn act<T>(&self, action: impl FnOnce(&mut Session, Instant) -> T) -> T {
        let mut inner = lock(&self.inner);
        let result = action(&mut inner.session, Instant::now());
        self.settle(&mut inner);
        result
    }

    fn news(&self, news: WorkerMessage) {
        self.act(|session, now| session.news(news, now));
    }

    /// Carries out the effects of the session, after sending its new state to the clients.
    fn settle(&self, inner: &mut Inner) {
        let effects = inner.session.effects();
        if !inner.session.is_offering() {
            inner.offered = None;
        }
        if let Some(Update { state, events, outdated }) = inner.sent.update(&inner.session, Instant::now()) {
            outdated.into_iter().for_each(|name| self.hub.forget(name));
            events.into_iter().for_each(|(name, data)| self.hub.send(name, data.to_string()));
            self.watched(Event::State(Box::new(state)));
        }
        for effect in effects {
            self.carry_out(inner, effect);
        }
        self.changed.notify_all();
    }

    fn carry_out(&self, inner: &mut Inner, effect: Effect) {
        match effect {
            Effect::Start(job) => {
                if let Some(workers) = &inner.workers {
                    workers.start(job);
                }
            }
            Effect::Cancel(job) => {
                if let Some(workers) = &inner.workers {
                    workers.cancel(job);
                }
            }
            Effect::Configure(settings) => {
                if let Some(workers) = &inner.workers {
                    workers.configure(settings);
                }
            }
            Effect::Send(event) => self.send(event),
            Effect::Save => {
                inner.saving.change(Instant::now());
            }
            Effect::Keep(game) => {
                inner.saving.keep(*game, Instant::now());
            }
            Effect::Store(on) => {
                if let Some(explorer) = &self.explorer {
                    explorer.keep(on);
                }
            }
            Effect::Quit => self.quit.stop(),
        }
    }

    fn send(&self, event: Event) {
        if let Ok(data) = serde_json::to_string(&event) {
            self.hub.send(event.name(), data);
        }
        self.watched(event);
    }

    fn watched(&self, event: Event) {
        if let Some(watch) = &self.watch {
            // The receiver may be gone.
            let _ = watch.send(event);
        }
    }

    /// Calls the session's `tick` at its deadlines, and saves, until the host ends.
    fn keep_time(&self) {
        let mut inner = lock(&self.inner);
        let mut seen = Instant::now();
        while !inner.closed {
            let now = Instant::now();
            let analyses = inner.session.is_analysis_on();
            if !analyses || self.watch.is_some() || self.hub.subscribers() > 0 {
                seen = now;
            } else if now >= seen + IDLE_ANALYSIS_TIMEOUT {
                // Switching it off is never refused.
                let off = Command::Analysis(Analysis { on: Some(false), ..Analysis::default() });
                let _ = inner.session.handle(off, None, now);
                self.settle(&mut inner);
                continue;
            }
            if inner.session.deadline().is_some_and(|due| due <= now) {
                inner.session.tick(now);
                self.settle(&mut inner);
            }
            if inner.saving.due().is_some_and(|due| due <= now) {
                drop(inner);
                self.save();
                inner = lock(&self.inner);
                continue;
            }
            let unseen = analyses.then(|| now + IDLE_ANALYSIS_TIMEOUT / 4);
            let next = inner.session.deadline().into_iter().chain(inner.saving.due()).chain(unseen).min();
            let rest = next.map(|next| next.saturating_duration_since(Instant::now()));
            inner = match rest {
                // A deadline that does not move forward after its tick must not cause a busy loop.
                Some(rest) => {
                    let rest = rest.max(Duration::from_millis(1));
                    self.changed.wait_timeout(inner, rest).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Writes what has changed, due or not.
    fn save(&self) {
        let _order = lock(&self.writing);
        let games = {
            let Inner { session, saving, .. } = &mut *lock(&self.inner);
            saving.take(|| session.save())
        };
        let Some(store) = &self.store else { return };
        if games.is_empty() && lock(&self.inner).saving.error().is_none() {
            return;
        }
        let failed = games
            .into_iter()
            .filter_map(|game| write(&game, store).err().map(|error| (game, error.to_string())))
            .collect();
        let mut inner = lock(&self.inner);
        if !inner.saving.failed(failed, Instant::now()) {
            return;
        }
        let why = inner.saving.error().map(str::to_owned);
        let message = api::saving(why.as_deref());
        inner.session.set_unsaved(why);
        self.send(Event::Message(message));
        self.settle(&mut inner);
    }
}

/// The file of the progress in the puzzles, beside the saved games.
fn progress(store: &Store) -> Box<dyn ProgressStore> {
    Box::new(ProgressFile::new(store.folder()))
}

/// Writes a game to its file, which it gets now if it has none.
fn write(game: &Unsaved<Place>, store: &Store) -> io::Result<()> {
    let place = match game.slot.get() {
        Some(place) => place,
        None => {
            let place = store.place()?;
            game.slot.get_or_init(|| place)
        }
    };
    store.write(place, &game.game)
}

impl App for Host {
    fn page(&self) -> &'static str {
        "index.html"
    }

    fn about(&self) -> Value {
        api::about(&lock(&self.shared.inner).session, true)
    }

    fn state(&self) -> Value {
        let inner = lock(&self.shared.inner);
        inner.sent.whole(&inner.session, Instant::now())
    }

    fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    fn command(&self, body: Value) -> Reply {
        let rev = || lock(&self.shared.inner).session.rev();
        api::command(body, rev, |command, rev| self.handle(command, rev))
    }

    fn import(&self, name: Option<&str>, bytes: &[u8]) -> Reply {
        api::imported(self.read(name, bytes))
    }

    fn export(&self, format: &str) -> Result<Download, Reply> {
        self.write(format).map_err(|refused| api::refusal(&refused))
    }

    fn explore(&self, sources: &str) -> Reply {
        let refused = |error, message: String, rev| api::refusal(&Refusal { error, message, rev, foul: None });
        let (explored, rev) = {
            let session = &lock(&self.shared.inner).session;
            (session.explored(), session.rev())
        };
        let Some(explorer) = &self.shared.explorer else {
            return refused(RefusalKind::Unknown, "there is no database".to_owned(), rev);
        };
        let Some((game, node, setup, rule)) = explored else {
            return api::reply(&Value::Null);
        };
        let found = explorer.view().and_then(|view| ExplorerView::of(&view, (game, node), &setup, rule, sources));
        found.map_or_else(|error| refused(RefusalKind::File, error.to_string(), rev), |found| api::reply(&found))
    }

    fn puzzles(&self, body: Value) -> Reply {
        self.trainer.answer(body)
    }

    fn close(&self) {
        self.shared.save();
    }
}
