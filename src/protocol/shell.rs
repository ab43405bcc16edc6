//! Threads, pipes and clocks around a [`Session`].
//!
//! A reader thread stamps lines, a thinking thread owns the [`Engine`], and the calling thread runs the session,
//! watches the clock and writes. It sleeps while the engine thinks, so the system gives it a processor as soon as the
//! time is up, even on a busy machine. Neither thread is joined: the caller of [`run`] ends the process when it
//! returns, without waiting for a search or freeing its tables.

use super::reply::Reply;
use super::session::{Effect, Event, Session};
use super::settings::EvaluationKind;
use crate::engine::{Engine, Evaluation, Options, Report, Request, Rule, STACK_BYTES, StopToken};
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Longest line that is kept, in bytes; the rest of a longer one is dropped.
const MOST_BYTES: usize = 64 * 1024;

/// Tables are prepared after a pause of this length, since the next command may want others.
const PAUSE: Duration = Duration::from_millis(5);

/// Work for the thinking thread, in order.
enum Job {
    Think { number: u64, request: Box<Request>, options: Options, stop: StopToken },
    Clear,
    Prepare { rule: Rule, options: Options },
}

/// What positions are evaluated by, now and before.
struct Evaluations<L> {
    in_force: Evaluation,
    /// One with each network that was ever in force: networks stay in memory.
    held: Vec<Evaluation>,
    load: L,
}

impl<L: FnMut(&Path) -> Result<Evaluation, String>> Evaluations<L> {
    /// Replaces the one in force by that of a file; what is wrong with the file, if anything.
    fn replace(&mut self, file: &str) -> Result<(), String> {
        self.in_force = (self.load)(Path::new(file))?;
        self.hold(self.in_force);
        Ok(())
    }

    fn hold(&mut self, evaluation: Evaluation) {
        // Weights are small: networks count.
        if !self.held.iter().any(|held| held.network == evaluation.network) {
            self.held.push(evaluation);
        }
    }

    /// The options of a search with what the manager wants of the evaluation in force. Networks that are not in use
    /// leave the less memory for the rest.
    fn options(&mut self, options: Options, wanted: EvaluationKind) -> Options {
        let evaluation = match wanted {
            EvaluationKind::AsGiven => self.in_force,
            EvaluationKind::Classical => self.in_force.classical(),
            EvaluationKind::Network => self.in_force.with_network(),
        };
        self.hold(evaluation);
        let unused: u64 =
            self.held.iter().filter(|held| held.network != evaluation.network).map(Evaluation::network_bytes).sum();
        Options { evaluation, max_memory: options.max_memory.map(|most| most.saturating_sub(unused)), ..options }
    }
}

/// Speaks with the manager until it says `END`, or either stream ends. The engine evaluates by `evaluation`, or by
/// what `load` gives for a file that the manager names, in either case without a network where the manager wants
/// that.
///
/// # Errors
/// If a thread cannot be started, or writing fails, except that a reader who is gone is no error.
pub fn run(
    input: impl Read + Send + 'static,
    mut output: impl Write,
    evaluation: Evaluation,
    load: impl FnMut(&Path) -> Result<Evaluation, String>,
) -> io::Result<()> {
    let (events, inbox) = channel();
    let (jobs, todo) = channel();
    let (lines, failures) = (events.clone(), events.clone());
    thread::Builder::new().name("reader".to_owned()).spawn(move || read(input, &lines))?;
    thread::Builder::new().name("thinker".to_owned()).stack_size(STACK_BYTES).spawn(move || think(&todo, &events))?;

    let mut session = Session::new(thread::available_parallelism().map_or(1, usize::from));
    let mut evaluations = Evaluations { in_force: evaluation, held: vec![evaluation], load };
    let mut stop = StopToken::new();
    // Answers YXSHOWFORBID while the other engine thinks.
    let mut referee = None;
    let mut write = |reply: &Reply| {
        log::debug!("< {reply}");
        output.write_all(format!("{reply}\n").as_bytes()).and_then(|()| output.flush())
    };
    while let Some(event) = next(&inbox, session.wake()) {
        for effect in session.handle(event) {
            let written = match effect {
                Effect::Write(reply) => write(&reply),
                Effect::Forbidden { setup, rule } => {
                    let ask = || {
                        let referee = referee.get_or_insert_with(|| Engine::new(Options::default()));
                        referee.forbidden(&setup, rule)
                    };
                    write(&Reply::Forbid(catch_unwind(AssertUnwindSafe(ask)).unwrap_or_default()))
                }
                Effect::Start { number, request, options } => {
                    let options = evaluations.options(options, session.evaluation());
                    stop = StopToken::new();
                    if jobs.send(Job::Think { number, request, options, stop: stop.clone() }).is_err() {
                        let _ = failures.send(Event::Failed { number });
                    }
                    Ok(())
                }
                Effect::Stop => {
                    stop.stop();
                    Ok(())
                }
                Effect::Clear => {
                    let _ = jobs.send(Job::Clear);
                    Ok(())
                }
                Effect::Prepare { rule, options } => {
                    let options = evaluations.options(options, session.evaluation());
                    let _ = jobs.send(Job::Prepare { rule, options });
                    Ok(())
                }
                Effect::Evaluate(file) => match evaluations.replace(&file) {
                    Ok(()) => Ok(()),
                    Err(error) => write(&Reply::Error(format!("nnue_file {error}"))),
                },
                Effect::Exit => return Ok(()),
            };
            match written {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// The next event, or the clock if it is wanted before; `None` when no more can come.
fn next(inbox: &Receiver<Event>, wake: Option<Instant>) -> Option<Event> {
    let Some(wake) = wake else { return inbox.recv().ok() };
    match inbox.recv_timeout(wake.saturating_duration_since(Instant::now())) {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => Some(Event::Clock { at: Instant::now() }),
        Err(RecvTimeoutError::Disconnected) => None,
    }
}

/// Splits the input at LF, CR or CRLF.
fn read(mut input: impl Read, events: &Sender<Event>) {
    let mut chunk = vec![0; 64 * 1024];
    let mut line = Vec::new();
    let mut arrived = None;
    let mut after_cr = false;
    loop {
        let length = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                log::warn!("input: {error}");
                break;
            }
        };
        let now = Instant::now();
        for byte in chunk.iter().copied().take(length) {
            match byte {
                b'\n' if after_cr => after_cr = false,
                b'\n' | b'\r' => {
                    after_cr = byte == b'\r';
                    let bytes = std::mem::take(&mut line);
                    log::debug!("> {}", bytes.escape_ascii());
                    if events.send(Event::Line { bytes, arrived: arrived.take().unwrap_or(now) }).is_err() {
                        return;
                    }
                }
                _ => {
                    after_cr = false;
                    arrived.get_or_insert(now);
                    if line.len() < MOST_BYTES {
                        line.push(byte);
                    }
                }
            }
        }
    }
    // A line without its end is not a command: the manager died while writing it.
    let _ = events.send(Event::EndOfInput);
}

/// Owns the engine and does one job after the other.
fn think(jobs: &Receiver<Job>, events: &Sender<Event>) {
    let mut engine = Engine::new(Options::default());
    let mut waiting = None;
    while let Some(job) = waiting.take().or_else(|| jobs.recv().ok()) {
        let event = match job {
            Job::Clear => {
                if catch_unwind(AssertUnwindSafe(|| engine.clear())).is_err() {
                    engine = Engine::new(engine.options().clone());
                }
                continue;
            }
            Job::Prepare { rule, options } => {
                waiting = jobs.recv_timeout(PAUSE).ok();
                let prepare = || {
                    engine.set_options(options.clone());
                    engine.prepare(rule);
                };
                if waiting.is_none() && catch_unwind(AssertUnwindSafe(prepare)).is_err() {
                    engine = Engine::new(options);
                }
                continue;
            }
            Job::Think { number, request, options, stop } => {
                let mut report = |report: &Report| {
                    let _ = events.send(Event::Report { number, at: Instant::now(), report: report.clone() });
                };
                let thought = catch_unwind(AssertUnwindSafe(|| {
                    engine.set_options(options.clone());
                    engine.think(&request, &stop, &mut report)
                }));
                match thought {
                    Ok(outcome) => Event::Outcome { number, outcome, hash_full: engine.hash_full() },
                    Err(_) => {
                        log::error!("search {number} panicked on {request:?}");
                        engine = Engine::new(options);
                        Event::Failed { number }
                    }
                }
            }
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Weights;

    #[test]
    fn a_bad_file_replaces_nothing_and_equal_ones_are_held_once() {
        let weights = Evaluation::default().classical();
        let mut evaluations = Evaluations {
            in_force: weights,
            held: vec![weights],
            load: |path: &Path| match path.to_str() {
                Some("good") => Ok(Evaluation::decode(Weights::encode(Weights::built_in())).unwrap_or_default()),
                _ => Err("bad".to_owned()),
            },
        };
        assert_eq!(evaluations.replace("other"), Err("bad".to_owned()));
        assert!(std::ptr::eq(evaluations.in_force.weights, weights.weights));
        assert_eq!(evaluations.replace("good"), Ok(()));
        assert!(!std::ptr::eq(evaluations.in_force.weights, weights.weights));
        assert_eq!(evaluations.held.len(), 1);
    }
}
