//! Runs the real program as a child process and records the time of each of its lines.

// Each test file uses only a part of this file.
#![allow(dead_code)]

pub use super::engine::engine_path;
use super::machine::{Machine, this_thread, tried, wait_of};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Longer than any answer may take.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Program {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    /// The text for people that was skipped.
    pub texts: Vec<String>,
    /// The folder in `/proc` of the thread that reads the lines, where there is one.
    reader: Arc<OnceLock<PathBuf>>,
    stderr: Option<JoinHandle<String>>,
}

impl Program {
    pub fn start() -> Program {
        Program::with(&mut Command::new(engine_path()))
    }

    /// A session with a started game and these settings.
    pub fn game(size: usize, settings: &[&str]) -> Program {
        let mut program = Program::start();
        program.send(&format!("START {size}"));
        assert_eq!(program.line(), "OK");
        // Without the book, so that tests get searches.
        program.send("INFO book 0");
        settings.iter().for_each(|setting| program.send(&format!("INFO {setting}")));
        program
    }

    pub fn with(command: &mut Command) -> Program {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let (sender, lines) = channel();
        let reader = Arc::new(OnceLock::new());
        let thread = Arc::clone(&reader);
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            let _ = Path::new("/proc/thread-self").canonicalize().map(|path| thread.set(path));
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        let mut stderr = child.stderr.take().expect("a pipe");
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        WATCHED.with_borrow_mut(|watched| watched.programs.push((child.id(), Arc::clone(&reader))));
        Program { stdin: child.stdin.take(), child, lines, texts: Vec::new(), reader, stderr: Some(stderr) }
    }

    /// Sends one line, or several separated by line endings.
    pub fn send(&mut self, text: &str) {
        self.write(format!("{text}\n").as_bytes());
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the program reads");
    }

    /// The next line that is not text for people, with the time of its arrival.
    pub fn stamped(&mut self) -> (Instant, String) {
        loop {
            let (at, line) = self.any_line();
            if !line.starts_with("MESSAGE depth ") {
                return (at, line);
            }
            self.texts.push(line);
        }
    }

    /// The next line, with the time of its arrival.
    pub fn any_line(&mut self) -> (Instant, String) {
        self.lines.recv_timeout(PATIENCE).expect("a line within 20 seconds")
    }

    pub fn line(&mut self) -> String {
        self.stamped().1
    }

    /// The next line, which must be a move on a board of this size.
    pub fn a_move(&mut self, size: u8) -> (u8, u8) {
        let line = self.line();
        coordinates(&line, size).unwrap_or_else(|| panic!("no move: {line:?}"))
    }

    /// Sends these lines and reads the move that answers them; returns the time from the first byte to the answer.
    pub fn timed(&mut self, text: &str, size: u8) -> (Duration, (u8, u8)) {
        let started = begin();
        self.send(text);
        let (ended, line) = self.stamped();
        (ended - started, coordinates(&line, size).unwrap_or_else(|| panic!("no move: {line:?}")))
    }

    /// Checks that nothing is written for this time.
    pub fn is_silent(&mut self, milliseconds: u64) {
        match self.lines.recv_timeout(Duration::from_millis(milliseconds)) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("not silent: {other:?}"),
        }
    }

    /// Waits for the exit; returns its status, the time it took, and all lines written meanwhile.
    pub fn ended(&mut self) -> (ExitStatus, Duration, Vec<String>) {
        let started = begin();
        let status = loop {
            WATCHED.with_borrow_mut(Watched::look);
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "still there after 20 seconds");
            thread::sleep(Duration::from_millis(1));
        };
        (status, started.elapsed(), self.lines.iter().map(|(_, line)| line).collect())
    }

    /// Checks that the program is alive, writes nothing more, has written nothing to stderr, and exits on `END`.
    pub fn quit(mut self) {
        self.send("ABOUT");
        assert!(self.line().starts_with("name=\""));
        self.send("END");
        let (status, _, lines) = self.ended();
        assert!(status.success(), "{status}");
        assert_eq!(lines, Vec::<String>::new());
        let stderr = self.stderr.take().expect("a thread").join().expect("no panic");
        assert_eq!(stderr, "");
    }

    /// The threads on the path of an answer, which run one after the other: the calling thread, the program's reader,
    /// thinker and main thread, and the thread that reads the answer. Also the threads that search in parallel to the
    /// thinker. All by their folders in `/proc`.
    pub fn threads(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (helpers, mut others): (Vec<_>, Vec<_>) = threads_of(self.child.id()).partition(|thread| is_helper(thread));
        others.extend(Path::new("/proc/thread-self").canonicalize());
        others.extend(self.reader.get().cloned());
        (others, helpers)
    }

    /// Resident memory now in KB, if the system reports it.
    pub fn resident(&self) -> Option<u64> {
        self.status("VmRSS:")
    }

    /// Largest resident memory so far in KB, if the system reports it.
    pub fn peak(&self) -> Option<u64> {
        self.status("VmHWM:")
    }

    fn status(&self, key: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with(key))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let id = self.child.id();
        // The thread-local value may already be gone when a thread ends.
        let _ = WATCHED.try_with(|watched| watched.borrow_mut().programs.retain(|(other, _)| *other != id));
    }
}

pub fn coordinates(line: &str, size: u8) -> Option<(u8, u8)> {
    let (x, y) = line.split_once(',')?;
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    Some((number(x)?, number(y)?)).filter(|(x, y)| *x < size && *y < size)
}

/// Times for which threads waited for a processor, by their folders in `/proc`.
#[derive(Clone, Default)]
struct Waits(HashMap<PathBuf, Duration>);

/// What the calling thread measures: itself, the programs that it started, and the threads that read their lines.
#[derive(Default)]
struct Watched {
    programs: Vec<(u32, Arc<OnceLock<PathBuf>>)>,
    /// The last known waits, because threads that have ended report no more.
    waits: Waits,
    /// The start of the measurement, and the waits until then.
    begun: Option<(Instant, Waits)>,
}

thread_local! {
    static WATCHED: RefCell<Watched> = RefCell::default();
}

/// The threads of a process.
fn threads_of(id: u32) -> impl Iterator<Item = PathBuf> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    tasks.map(|entry| entry.path())
}

/// Whether a thread searches in parallel to the one that answers.
fn is_helper(thread: &Path) -> bool {
    std::fs::read_to_string(thread.join("comm")).is_ok_and(|name| name.starts_with("search-"))
}

impl Watched {
    fn look(&mut self) {
        let programs = self.programs.iter().flat_map(|(id, _)| threads_of(*id));
        let readers = self.programs.iter().filter_map(|(_, reader)| reader.get().cloned());
        for thread in programs.chain(readers).chain(this_thread()) {
            // Threads that search in parallel do not add to the delay one after the other; the sleeping threads cover
            // them.
            if let Some(wait) = wait_of(&thread).filter(|_| !is_helper(&thread)) {
                self.waits.0.insert(thread, wait);
            }
        }
    }
}

/// Starts a measurement of this thread: delays by the machine from now on are its excuse.
pub fn begin() -> Instant {
    WATCHED.with_borrow_mut(|watched| {
        watched.look();
        let now = Instant::now();
        watched.begun = Some((now, watched.waits.clone()));
        now
    })
}

/// Upper bound of the time for which the machine kept this thread and the programs that it started from running, since
/// the last measurement started.
pub fn excuse(machine: &Machine) -> Duration {
    WATCHED.with_borrow_mut(|watched| {
        watched.look();
        let Some((at, before)) = &watched.begun else { return Duration::ZERO };
        let since = |(thread, wait): (&PathBuf, &Duration)| {
            wait.saturating_sub(before.0.get(thread).copied().unwrap_or_default())
        };
        watched.waits.0.iter().map(since).sum::<Duration>() + machine.late_since(*at)
    })
}

/// Repeats a measurement up to four times, see [`tried`]. Each [`begin`], [`Program::timed`] and [`Program::ended`]
/// starts the measurement anew.
#[track_caller]
pub fn within(limit: Duration, mut measure: impl FnMut() -> Duration) {
    let kept = Machine::watched(|machine| {
        tried(limit, || {
            begin();
            let taken = measure();
            (taken, excuse(machine))
        })
    });
    kept.unwrap_or_else(|late| panic!("{late}"));
}
