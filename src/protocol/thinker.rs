//! The thread that owns the engine and runs one job after the other.
//!
//! This thread also reads the files that the manager names, between two searches. Under a memory limit the
//! transposition table is freed to make room for the file. Reading pauses for a search that has waited for half of its
//! time; that search runs without the file.

use super::command::EvaluationKind;
use super::database::Shared;
use super::reply::Reply;
use super::session::Event;
use crate::engine::{
    Answer, Engine, Evaluation, Goal, Line, Options, Outcome, Proven, Report, Request, RootState, Rule, StopToken,
};
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;
use web_time::Instant;

/// Tables are prepared after this pause, because the next command may need others.
const PAUSE: Duration = Duration::from_millis(5);

/// A file named by the manager, and the progress of reading it.
pub struct Loading {
    /// Memory that the file takes, in bytes.
    pub bytes: u64,
    /// Reads the next chunk; returns the evaluation once the file is complete, or an error message.
    pub step: Box<dyn FnMut() -> Result<Option<Evaluation>, String> + Send>,
}

impl fmt::Debug for Loading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loading").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// Answers requests instead of the engine, such as a level of play does.
pub type Decider = Box<dyn FnMut(Request, &StopToken) -> Outcome + Send>;

/// Jobs, run in order.
#[derive(Debug)]
pub(super) enum Job {
    /// A search.
    Think {
        number: u64,
        request: Box<Request>,
        options: Options,
        wanted: EvaluationKind,
        /// Whether what the database has proven needs no search.
        known: bool,
        stop: StopToken,
    },
    /// Clear what earlier searches learned.
    Clear,
    /// Prepare for a search that will follow.
    Prepare { rule: Rule, options: Options, wanted: EvaluationKind },
    /// Load another evaluation.
    Load(Load),
}

/// A file to load.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) file: String,
    pub(super) loading: Loading,
    pub(super) options: Options,
    pub(super) wanted: EvaluationKind,
}

/// Messages to the writing thread.
#[derive(Debug)]
pub(super) enum Message {
    /// An event for the session.
    Event(Event),
    /// A line to write unchanged.
    Write(Reply),
}

/// See the module.
pub(super) struct Thinker {
    jobs: Receiver<Job>,
    messages: Sender<Message>,
    waiting: VecDeque<Job>,
    /// A file that was read partially.
    load: Option<Load>,
    engine: Engine,
    in_force: Evaluation,
    /// The database of positions.
    database: Option<Shared>,
    /// What answers instead of the engine.
    decider: Option<Decider>,
    /// The largest number of bytes that reading a file took; the allocator may not have returned them to the system.
    kept: u64,
}

impl Thinker {
    pub(super) fn new(
        jobs: Receiver<Job>,
        messages: Sender<Message>,
        evaluation: Evaluation,
        database: Option<Shared>,
        decider: Option<Decider>,
    ) -> Thinker {
        let engine = Engine::new(Options::default());
        let (waiting, in_force) = (VecDeque::new(), evaluation);
        Thinker { jobs, messages, waiting, load: None, engine, in_force, database, decider, kept: 0 }
    }

    /// Runs until the senders of jobs or the receiver of messages are gone.
    pub(super) fn run(mut self) {
        while self.step() == Some(true) {}
    }

    /// Reads the file that was read partially, or else runs the next job, for which it waits. Returns whether the
    /// receiver of messages still exists, and `None` if there are no more jobs.
    fn step(&mut self) -> Option<bool> {
        self.waiting.extend(self.jobs.try_iter());
        if let Some(load) = self.load.take() {
            match self.waiting.iter().any(is_urgent) {
                false => {
                    self.read_on(load);
                    return Some(true);
                }
                true => self.load = Some(load),
            }
        }
        let job = self.waiting.pop_front().or_else(|| self.jobs.recv().ok())?;
        Some(self.work(job))
    }

    /// Runs a job; returns whether the receiver of its results still exists.
    fn work(&mut self, job: Job) -> bool {
        match job {
            Job::Clear => {
                if catch_unwind(AssertUnwindSafe(|| self.engine.clear())).is_err() {
                    self.engine = Engine::new(self.engine.options().clone());
                }
                true
            }
            Job::Prepare { rule, options, wanted } => {
                if self.waiting.is_empty() {
                    self.waiting.extend(self.jobs.recv_timeout(PAUSE));
                }
                let options = self.with_evaluation(options, wanted);
                let prepare = || {
                    self.engine.set_options(options.clone());
                    self.engine.prepare(rule);
                };
                if self.waiting.is_empty() && catch_unwind(AssertUnwindSafe(prepare)).is_err() {
                    self.engine = Engine::new(options);
                }
                true
            }
            Job::Load(load) => {
                self.make_room(load);
                true
            }
            Job::Think { number, mut request, options, wanted, known, stop } => {
                if let Some(load) = &self.load {
                    let text = format!("nnue_file {}: still being read, this move goes without it", load.file);
                    let _ = self.messages.send(Message::Write(Reply::Message(text)));
                }
                let options = self.with_evaluation(options, wanted);
                // A decider's answer need not be the best move that it found, so it is not stored; nor does the
                // database answer for a decider.
                let known = known && !self.decides(&request);
                let is_of_all = request.excluded.is_empty();
                let line = if known { self.look_up(number, &mut request) } else { None };
                let event = match line {
                    Some(line) => self.take(number, line),
                    None => self.think(number, &request, options, &stop),
                };
                if known {
                    self.keep(&request, &event, is_of_all);
                }
                self.messages.send(Message::Event(event)).is_ok()
            }
        }
    }

    /// Whether the decider answers a request: it plays, but does not analyse.
    fn decides(&self, request: &Request) -> bool {
        self.decider.is_some() && !request.analysis && request.lines == 1
    }

    /// What the database has proven of a request for one move: the line that answers it. Moves that lose are excluded
    /// from the search.
    fn look_up(&self, number: u64, request: &mut Request) -> Option<Line> {
        if request.goal != Goal::Move || request.lines > 1 {
            return None;
        }
        let mut database = self.database.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let Proven { line, losing } = match database.proven(&request.setup, request.rule) {
            Ok(proven) => proven,
            Err(error) => {
                self.complain(&error);
                return None;
            }
        };
        let is_allowed = |line: &Line| line.moves.first().is_some_and(|point| !request.excluded.contains(point));
        if let Some(line) = line.filter(is_allowed) {
            return Some(line);
        }
        let new: Vec<_> = losing.into_iter().filter(|point| !request.excluded.contains(point)).collect();
        if request.excluded.len() + new.len() < request.setup.empty_cells() {
            new.iter().for_each(|point| report(&self.messages, number, Report::Root(*point, RootState::Lost)));
            request.excluded.extend(new);
        }
        None
    }

    /// Reports an error of the database.
    fn complain(&self, error: &str) {
        let _ = self.messages.send(Message::Write(Reply::Error(format!("database: {error}"))));
    }

    /// Answers a search by a proven line.
    fn take(&self, number: u64, line: Line) -> Event {
        report(&self.messages, number, Report::Line(line.clone()));
        let answer = Answer::Points(line.moves.first().copied().into_iter().collect());
        let outcome = Outcome { answer, line: Line { nodes: 0, ..line }, from_book: false };
        Event::Outcome { number, outcome, hash_full: self.engine.hash_full() }
    }

    /// Gives the result of a search to the database. Moves that are proven to lose count as searched.
    fn keep(&self, request: &Request, event: &Event, is_of_all: bool) {
        let Event::Outcome { outcome, .. } = event else { return };
        let Some(database) = &self.database else { return };
        if request.goal != Goal::Move || outcome.from_book || outcome.line.nodes == 0 {
            return;
        }
        let mut database = database.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = database.found(&request.setup, request.rule, &outcome.line, is_of_all) {
            self.complain(&error);
        }
    }

    fn think(&mut self, number: u64, request: &Request, options: Options, stop: &StopToken) -> Event {
        let decides = self.decides(request);
        let thought = catch_unwind(AssertUnwindSafe(|| {
            if let Some(decide) = self.decider.as_mut().filter(|_| decides) {
                return decide(request.clone(), stop);
            }
            self.engine.set_options(options.clone());
            self.engine.think(request, stop, &mut |what| report(&self.messages, number, what.clone()))
        }));
        match thought {
            Ok(outcome) => Event::Outcome { number, outcome, hash_full: self.engine.hash_full() },
            Err(_) => {
                log::error!("search {number} panicked on {request:?}");
                self.engine = Engine::new(options);
                Event::Failed { number }
            }
        }
    }

    /// The options of a search, with the kind of evaluation that the manager selected. A network that is not in use
    /// still takes memory, which is subtracted from the limit.
    fn with_evaluation(&self, options: Options, wanted: EvaluationKind) -> Options {
        let evaluation = match wanted {
            EvaluationKind::AsGiven => self.in_force.clone(),
            EvaluationKind::Classical => self.in_force.clone().classical(),
            EvaluationKind::Network => self.in_force.clone().with_network(),
        };
        let unused = if evaluation.network.is_none() { self.in_force.network_bytes() } else { 0 };
        let max_memory = options.max_memory.map(|most| most.saturating_sub(unused + self.kept));
        Options { evaluation, max_memory, ..options }
    }

    /// Makes room for a file if memory is limited, and starts reading it.
    fn make_room(&mut self, load: Load) {
        if load.options.max_memory.is_some() {
            // What a search needs of these is built again.
            self.engine.options().evaluation.release();
            self.in_force.release();
            self.engine.free_table();
            // The file reuses the memory of the previous one.
            let kept = std::mem::replace(&mut self.kept, 0);
            let options = self.with_evaluation(load.options.clone(), load.wanted);
            self.kept = kept.max(load.loading.bytes);
            if !options.has_room_for(self.kept) {
                return self.refuse(&load.file, ": no room for it within max_memory");
            }
        }
        self.read_on(load);
    }

    /// Reads until the file is complete or a search cannot wait any longer.
    fn read_on(&mut self, mut load: Load) {
        loop {
            self.waiting.extend(self.jobs.try_iter());
            if self.waiting.iter().any(is_urgent) {
                self.load = Some(load);
                return;
            }
            let step = &mut load.loading.step;
            match catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| Err(load.file.clone())) {
                Ok(None) => {}
                Ok(Some(evaluation)) => {
                    // Free the weights unpacked from the old network.
                    self.in_force.release();
                    self.in_force = evaluation;
                    return;
                }
                Err(error) => return self.refuse(&error, ""),
            }
        }
    }

    fn refuse(&self, file: &str, why: &str) {
        let _ = self.messages.send(Message::Write(Reply::Error(format!("nnue_file {file}{why}"))));
    }
}

/// Sends a report of a search.
fn report(messages: &Sender<Message>, number: u64, report: Report) {
    let _ = messages.send(Message::Event(Event::Report { number, at: Instant::now(), report }));
}

/// Whether a search cannot wait any longer.
fn is_urgent(job: &Job) -> bool {
    let Job::Think { request, stop, .. } = job else { return false };
    let waited = request.limits.started.map_or(Duration::ZERO, |started| started.elapsed());
    stop.is_stopped() || request.limits.longest().is_some_and(|longest| waited >= longest / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{BoardSize, Limits, Outcome, Setup, Weights};
    use std::sync::mpsc::channel;

    fn load(name: &str, steps: impl FnMut() -> Result<Option<Evaluation>, String> + Send + 'static) -> Job {
        let loading = Loading { bytes: 1 << 20, step: Box::new(steps) };
        let (file, options) = (name.to_owned(), Options::default());
        Job::Load(Load { file, loading, options, wanted: EvaluationKind::AsGiven })
    }

    fn search(number: u64, limits: Limits) -> Job {
        let request = Box::new(Request::new(Setup::empty(BoardSize::RENJU), Rule::Freestyle, limits));
        let (options, wanted) = (Options::default(), EvaluationKind::AsGiven);
        Job::Think { number, request, options, wanted, known: false, stop: StopToken::new() }
    }

    /// Runs these jobs; returns the lines written, the searches answered, and the thinker afterwards.
    fn after(jobs: Vec<Job>) -> (Vec<String>, Vec<Outcome>, Evaluation) {
        let ((sender, todo), (messages, inbox)) = (channel(), channel());
        let mut thinker = Thinker::new(todo, messages, Evaluation::default().classical(), None, None);
        for job in jobs {
            sender.send(job).expect("a thinker");
        }
        drop(sender);
        while let Some(is_heard) = thinker.step() {
            assert!(is_heard);
        }
        let in_force = thinker.in_force.clone();
        drop(thinker);
        let (mut written, mut outcomes) = (Vec::new(), Vec::new());
        for message in inbox {
            match message {
                Message::Write(reply) => written.push(reply.to_string()),
                Message::Event(Event::Outcome { outcome, .. }) => outcomes.push(outcome),
                Message::Event(_) => {}
            }
        }
        (written, outcomes, in_force)
    }

    /// Weights that differ from the built-in ones.
    fn other() -> Evaluation {
        let mut sets = Weights::built_in().as_ref().clone();
        sets[0].sides[0].point[0] += 1;
        Evaluation::decode(Weights::encode(&sets)).expect("weights")
    }

    #[test]
    fn a_bad_file_replaces_nothing_and_a_good_one_the_evaluation() {
        let (written, _, in_force) = after(vec![load("bad", || Err("bad: damaged".to_owned()))]);
        assert_eq!(
            (written, in_force),
            (vec!["ERROR nnue_file bad: damaged".to_owned()], Evaluation::default().classical())
        );
        let mut left = 3;
        let steps = move || {
            left -= 1;
            Ok((left == 0).then(other))
        };
        let (written, _, in_force) = after(vec![load("good", steps)]);
        assert_eq!((written, in_force), (Vec::new(), other()));
    }

    #[test]
    fn a_search_that_can_wait_does_and_one_that_cannot_goes_first() {
        let endless = |name| {
            let begun = Instant::now();
            load(name, move || {
                std::thread::sleep(Duration::from_millis(5));
                Ok((begun.elapsed() > Duration::from_secs(2)).then(other))
            })
        };
        let started = Instant::now();
        let (written, outcomes, in_force) = after(vec![
            endless("slow"),
            search(1, Limits { started: Some(started), ..Limits::time(Duration::from_millis(60)) }),
        ]);
        assert!(outcomes.first().is_some_and(|outcome| outcome.line.elapsed < Duration::from_secs(1)), "{outcomes:?}");
        assert_eq!(written, ["MESSAGE nnue_file slow: still being read, this move goes without it"]);
        assert_eq!(in_force, other(), "it is read afterwards");
        assert!(started.elapsed() >= Duration::from_secs(2));
        let (written, outcomes, _) = after(vec![endless("slow"), search(1, Limits::nodes(100))]);
        assert_eq!((written.len(), outcomes.len()), (0, 1));
    }

    #[test]
    fn a_file_that_has_no_room_is_not_read() {
        let Job::Load(load) = load("large", || panic!("it is read")) else { return };
        let options = Options { max_memory: Some(18 << 20), ..Options::default() };
        let (written, _, _) = after(vec![Job::Load(Load { options, ..load })]);
        assert_eq!(written, ["ERROR nnue_file large: no room for it within max_memory"]);
    }
}
