//! Threads, pipes and clocks around a [`Session`].
//!
//! A reader thread timestamps lines, a thinking thread owns the [`Engine`], and the calling thread runs the session,
//! watches the clock and writes. The calling thread sleeps while the engine thinks, so the system gives it a processor
//! as soon as the time is up, even on a busy machine. Neither thread is joined: the caller of [`run`] ends the process
//! when it returns, without waiting for a search or freeing its tables.

use super::database::{self, Shared};
use super::input::{Input, LineParser};
use super::reply::Reply;
use super::session::{Effect, Event, Session};
pub use super::thinker::{Decider, Loading};
use super::thinker::{Job, Load, Message, Thinker};
use crate::engine::loader::{Candidate, EvaluationError, Loader};
use crate::engine::{Engine, Evaluation, Options, STACK_BYTES, StopToken};
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use web_time::Instant;

/// Maximum length of a stored line, in bytes; the rest of a longer line is dropped.
const MOST_BYTES: usize = 64 * 1024;

/// What the program around the protocol adds.
#[derive(Default)]
pub struct Beside {
    /// A database of positions.
    pub database: Option<Shared>,
    /// What answers requests instead of the engine.
    pub decider: Option<Decider>,
}

/// Runs the protocol until the manager sends `END`, or either stream ends. The engine uses `evaluation`, or the
/// evaluation in a file that the manager names; `load` opens that file without reading much of it. If the manager
/// selects the classical evaluation, no network is used in either case. `beside` has what the engine does not bring.
///
/// # Errors
/// If a thread cannot be started, or writing fails; a closed output pipe is no error.
pub fn run(
    input: impl Read + Send + 'static,
    mut output: impl Write,
    evaluation: Evaluation,
    mut load: impl FnMut(&Path) -> Result<Loading, String>,
    beside: Beside,
) -> io::Result<()> {
    let Beside { database, decider } = beside;
    let (events, inbox) = channel();
    let (jobs, todo) = channel();
    let (lines, failures) = (events.clone(), events.clone());
    thread::Builder::new().name("reader".to_owned()).spawn(move || read(input, &lines))?;
    thread::Builder::new().name("thinker".to_owned()).stack_size(STACK_BYTES).spawn({
        let database = database.clone();
        move || Thinker::new(todo, events, evaluation, database, decider).run()
    })?;

    let session = Session::new(thread::available_parallelism().map_or(1, usize::from));
    let mut session = if database.is_some() { session.with_database() } else { session };
    let mut stop = StopToken::new();
    // This engine answers YXSHOWFORBID while the other engine thinks.
    let mut referee = None;
    let mut write = |reply: &Reply| {
        log::debug!("< {reply}");
        output.write_all(format!("{reply}\n").as_bytes()).and_then(|()| output.flush())
    };
    while let Some(message) = next(&inbox, session.wake()) {
        let effects = match message {
            Message::Event(event) => session.handle(event),
            Message::Write(reply) => vec![Effect::Write(reply)],
        };
        for effect in effects {
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
                    stop = StopToken::new();
                    let (wanted, stop, known) = (session.evaluation(), stop.clone(), session.uses_database());
                    if jobs.send(Job::Think { number, request, options, wanted, known, stop }).is_err() {
                        let _ = failures.send(Message::Event(Event::Failed { number }));
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
                    let _ = jobs.send(Job::Prepare { rule, options, wanted: session.evaluation() });
                    Ok(())
                }
                Effect::Evaluate(file) => match load(Path::new(&file)) {
                    Ok(loading) => {
                        let _ = {
                            let (options, wanted) = (session.options(), session.evaluation());
                            jobs.send(Job::Load(Load { file, loading, options, wanted }))
                        };
                        Ok(())
                    }
                    Err(error) => write(&Reply::Error(format!("nnue_file {error}"))),
                },
                Effect::Database(ask) => {
                    let answer = database.as_ref().map(|database| {
                        let mut database = database.lock().unwrap_or_else(PoisonError::into_inner);
                        database::answer(&mut *database, &ask)
                    });
                    answer.unwrap_or_default().iter().try_for_each(&mut write)
                }
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

/// Opens the files that a manager names; each is read in chunks by the thinking thread.
pub fn reading(loader: Loader) -> impl FnMut(&Path) -> Result<Loading, String> {
    let loader = Arc::new(Mutex::new(loader));
    move |path| {
        let candidate = Candidate::open(path).map_err(|error| error.to_string())?;
        let (bytes, mut unread, loader) = (candidate.bytes(), Some(candidate), Arc::clone(&loader));
        let mut step = move || -> Result<_, EvaluationError> {
            if let Some(candidate) = &mut unread
                && !candidate.read_on()?
            {
                return Ok(None);
            }
            let Some(candidate) = unread.take() else { return Ok(None) };
            let evaluation = candidate.decode()?;
            Ok(Some(loader.lock().unwrap_or_else(PoisonError::into_inner).shared(evaluation)))
        };
        Ok(Loading { bytes, step: Box::new(move || step().map_err(|error| error.to_string())) })
    }
}

/// The next message, or a clock event if its time comes first; `None` when no more messages can arrive.
fn next(inbox: &Receiver<Message>, wake: Option<Instant>) -> Option<Message> {
    let Some(wake) = wake else { return inbox.recv().ok() };
    match inbox.recv_timeout(wake.saturating_duration_since(Instant::now())) {
        Ok(message) => Some(message),
        Err(RecvTimeoutError::Timeout) => Some(Message::Event(Event::Clock { at: Instant::now() })),
        Err(RecvTimeoutError::Disconnected) => None,
    }
}

/// Splits the input into lines at LF, CR or CRLF, and sends what they mean.
fn read(mut input: impl Read, events: &Sender<Message>) {
    let mut chunk = vec![0; 64 * 1024];
    let mut parser = LineParser::new();
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
                    log::debug!("> {}", line.escape_ascii());
                    if !send(events, parser.parse(&line, arrived.take().unwrap_or(now))) {
                        return;
                    }
                    line.clear();
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
    if !line.is_empty() {
        log::debug!("> {}", line.escape_ascii());
    }
    send(events, parser.parse_last(&line, arrived.unwrap_or_else(Instant::now)));
    let _ = events.send(Message::Event(Event::EndOfInput));
}

/// Sends input to the session; returns whether the session still exists.
fn send(events: &Sender<Message>, inputs: Vec<Input>) -> bool {
    inputs.into_iter().all(|input| events.send(Message::Event(Event::Input(input))).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::input::Content;

    /// What the reader sends for these bytes.
    fn events(bytes: &'static [u8]) -> Vec<String> {
        let (sender, inbox) = channel();
        read(bytes, &sender);
        drop(sender);
        let texts = inbox.iter().map(|message| match message {
            Message::Event(Event::Input(input)) => match input.content {
                Content::Command(command, _) => command.to_string(),
                Content::Body(body) => format!("{} cells", body.cells.len()),
                Content::Invalid(error) => error.to_string(),
            },
            Message::Event(Event::EndOfInput) => "the end".to_owned(),
            other @ (Message::Event(_) | Message::Write(_)) => panic!("{other:?}"),
        });
        texts.collect()
    }

    #[test]
    fn a_last_line_without_its_end_counts_if_it_is_a_command() {
        assert_eq!(events(b"START 15\r\nBEGIN"), ["START 15", "BEGIN", "the end"]);
        assert_eq!(events(b"BOARD\n7,7,2\nDONE"), ["BOARD", "1 cells", "the end"]);
        assert_eq!(events(b"BOARD\n7,7,2\nEND"), ["BOARD", "END", "the end"]);
        for cut in [&b"BOARD\n7,7,2\nDON"[..], b"BOARD\n7,7", b"BOARD\nBEGIN"] {
            assert_eq!(events(cut), ["BOARD", "the end"]);
        }
        assert_eq!(events(b"YXHASHDUMP\nfil"), ["YXHASHDUMP", "the end"]);
        for cut in [&b"START 15\nTUR"[..], b"START 15\nTURN 7,", b"START 15\nSTART", b"START 15\n7,7", b"START 15\n"] {
            assert_eq!(events(cut), ["START 15", "the end"]);
        }
    }
}
