//! A foreign engine as a child process: pipes, deadlines, memory, and an end that nothing survives.
//!
//! Every child leads a process group of its own (so that Ctrl-C at the terminal reaches the runner only) and
//! carries a mark in its environment that its own children inherit. Killing it kills the group and, where
//! `/proc` exists, whatever else bears the mark: a grandchild that left the group dies too.
//!
//! A reader thread stamps each line when it comes, so a late reader does not cost an engine time. The queue
//! between is bounded: an engine that writes without end blocks on its own pipe.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child as OsChild, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::guard::Guard;
use super::kill;

/// Longest line, in bytes, before the output counts as having no line ends.
pub const MAX_LINE: usize = 64 << 10;

/// Bytes kept of what a child writes to its standard error.
const STDERR_KEPT: usize = 4 << 10;

/// Chunks of output waiting to be read; each holds at most 16 KiB.
const QUEUE: usize = 32;

/// How to start a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program: a path, or a name to be found in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; by default the program's own, if `program` is a path with a directory.
    pub dir: Option<PathBuf>,
}

impl Launch {
    /// The directory to start in: the one given, else the program's own as Gomocup's judge has it.
    pub fn working_directory(&self) -> Option<PathBuf> {
        let own = || self.program.parent().filter(|p| !p.as_os_str().is_empty()).map(Path::to_path_buf);
        self.dir.clone().or_else(own)
    }
}

/// A line of output, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text; bytes that are no UTF-8 are replaced.
    pub text: String,
    /// When its last byte was read.
    pub at: Instant,
}

/// What waiting for a line brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A line.
    Line(Line),
    /// More than [`MAX_LINE`] bytes without a line end; the beginning of them.
    Endless(String),
    /// The deadline passed.
    Nothing,
    /// The output was closed: the process ended, or closed its pipe.
    Closed,
}

/// What the reader thread passes on.
enum Chunk {
    Lines(Vec<Line>),
    Endless(String),
}

/// A running child.
#[derive(Debug)]
pub struct Child {
    process: OsChild,
    stdin: Option<ChildStdin>,
    chunks: Receiver<Chunk>,
    waiting: VecDeque<Line>,
    /// Bytes read since the last line end.
    partial: Arc<Mutex<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    bytes: Arc<AtomicU64>,
    mark: String,
    guard: Option<Arc<Guard>>,
}

impl Child {
    /// Starts a program. `mark` must be unique among living children; it starts with the guard's own mark when
    /// there is a guard, see [`kill::MARK`].
    ///
    /// # Errors
    /// What the system says when the program cannot be started.
    pub fn spawn(launch: &Launch, mark: String, guard: Option<Arc<Guard>>) -> io::Result<Child> {
        // A relative path would be looked up from the new working directory.
        let program = match launch.program.components().count() {
            0 | 1 => launch.program.clone(),
            _ => std::path::absolute(&launch.program)?,
        };
        let mut command = Command::new(&program);
        command
            .args(&launch.args)
            .env(kill::MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(dir) = launch.working_directory() {
            command.current_dir(dir);
        }
        kill::own_group(&mut command);
        let mut process = command.spawn()?;
        if let Some(guard) = &guard {
            guard.watch(process.id());
        }
        let (sender, chunks) = sync_channel(QUEUE);
        let (partial, stderr) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let bytes = Arc::new(AtomicU64::new(0));
        if let Some(stdout) = process.stdout.take() {
            let (partial, bytes) = (Arc::clone(&partial), Arc::clone(&bytes));
            thread::spawn(move || read_lines(stdout, &sender, &partial, &bytes));
        }
        if let Some(pipe) = process.stderr.take() {
            let kept = Arc::clone(&stderr);
            thread::spawn(move || keep_tail(pipe, &kept));
        }
        let stdin = process.stdin.take();
        Ok(Child { process, stdin, chunks, waiting: VecDeque::new(), partial, stderr, bytes, mark, guard })
    }

    /// Writes lines, each with its end, in one piece.
    ///
    /// # Errors
    /// The child closed its input; as a rule it has ended.
    pub fn send(&mut self, lines: &[String]) -> io::Result<()> {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// The next line, waiting for it until `deadline`.
    pub fn wait_line(&mut self, deadline: Instant) -> Wait {
        loop {
            if let Some(line) = self.waiting.pop_front() {
                return Wait::Line(line);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.chunks.recv_timeout(left) {
                Ok(Chunk::Lines(lines)) => self.waiting.extend(lines),
                Ok(Chunk::Endless(start)) => return Wait::Endless(start),
                Err(RecvTimeoutError::Timeout) => return Wait::Nothing,
                Err(RecvTimeoutError::Disconnected) => return Wait::Closed,
            }
        }
    }

    /// What has come already, without waiting.
    pub fn poll_line(&mut self) -> Wait {
        loop {
            if let Some(line) = self.waiting.pop_front() {
                return Wait::Line(line);
            }
            match self.chunks.try_recv() {
                Ok(Chunk::Lines(lines)) => self.waiting.extend(lines),
                Ok(Chunk::Endless(start)) => return Wait::Endless(start),
                Err(TryRecvError::Empty) => return Wait::Nothing,
                Err(TryRecvError::Disconnected) => return Wait::Closed,
            }
        }
    }

    /// What came after the last line end.
    pub fn unfinished_line(&self) -> String {
        String::from_utf8_lossy(&lock(&self.partial)).into_owned()
    }

    /// The last bytes written to standard error, as lines.
    pub fn stderr_tail(&self) -> Vec<String> {
        let kept = lock(&self.stderr);
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<String> = text.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned).collect();
        lines[lines.len().saturating_sub(5)..].to_vec()
    }

    /// Bytes of output read so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The process's id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// How the process ended, if it has; waits up to `patience` for a process whose pipe is closed already.
    pub fn exit_status(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// Ends the child politely: sends `last` (if not empty), closes its input, waits up to `patience`, kills what is
    /// left. Says whether it had ended by itself.
    pub fn quit(mut self, last: &str, patience: Duration) -> bool {
        if !last.is_empty() {
            // A child that is gone already needs no farewell.
            let _ = self.send(&[last.to_owned()]);
        }
        self.stdin = None;
        let deadline = Instant::now() + patience;
        loop {
            if self.exit_status(Duration::ZERO).is_some() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            // Drained, so that it cannot block on a full pipe instead of ending.
            while !matches!(self.poll_line(), Wait::Nothing | Wait::Closed) {}
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Kills the process tree on drop.
impl Drop for Child {
    fn drop(&mut self) {
        self.stdin = None;
        kill::tree(self.process.id(), &self.mark);
        let _ = self.process.kill();
        let _ = self.process.wait();
        if let Some(guard) = &self.guard {
            guard.forget(self.process.id());
        }
    }
}

/// A lock that outlives a panic elsewhere: the data are plain bytes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reader thread: splits output at CR and LF, drops empty lines, stamps the rest.
fn read_lines(mut pipe: impl Read, chunks: &SyncSender<Chunk>, partial: &Mutex<Vec<u8>>, bytes: &AtomicU64) {
    let mut buffer = vec![0; 16 << 10];
    // While true, the rest of an endless line is being skipped.
    let mut skipping = false;
    loop {
        let read = match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let at = Instant::now();
        bytes.fetch_add(read as u64, Ordering::Relaxed);
        let mut lines = Vec::new();
        let mut endless = None;
        {
            let mut held = lock(partial);
            for &byte in buffer.iter().take(read) {
                if byte == b'\n' || byte == b'\r' {
                    if !held.is_empty() && !skipping {
                        lines.push(Line { text: String::from_utf8_lossy(&held).into_owned(), at });
                    }
                    held.clear();
                    skipping = false;
                } else if held.len() < MAX_LINE {
                    held.push(byte);
                } else if !skipping {
                    skipping = true;
                    endless = Some(String::from_utf8_lossy(&held[..200]).into_owned());
                }
            }
        }
        let gone = (!lines.is_empty() && chunks.send(Chunk::Lines(lines)).is_err())
            || endless.is_some_and(|start| chunks.send(Chunk::Endless(start)).is_err());
        if gone {
            return;
        }
    }
}

/// Reads everything and keeps the last [`STDERR_KEPT`] bytes.
fn keep_tail(mut pipe: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = vec![0; 4 << 10];
    while let Ok(read @ 1..) = pipe.read(&mut buffer) {
        let mut kept = lock(kept);
        kept.extend(buffer.iter().take(read));
        let excess = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..excess);
    }
}

/// Memory that a process and its living children have to themselves, in bytes: resident pages that no file backs.
/// (Gomocup's judge counts private pages too; pages of programs and mapped files are shared.)
///
/// `None` where the system does not say (only Linux does) or when the process is gone.
pub fn private_memory(pid: u32) -> Option<u64> {
    let own = |pid: u32| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |key: &str| {
            let line = text.lines().find(|l| l.starts_with(key))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
        };
        Some(field("RssAnon:")? + field("RssShmem:").unwrap_or(0))
    };
    let children: u64 = kill::descendants(pid).into_iter().filter_map(own).sum();
    Some(own(pid)? + children)
}

/// Time that a process's threads have run, and have been ready to run without a processor.
///
/// `None` where the system does not say (only Linux does) or when the process is gone.
pub fn processor_time(pid: u32) -> Option<(Duration, Duration)> {
    let (mut ran, mut waited) = (0, 0);
    for task in std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let Ok(text) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
        let mut numbers = text.split_whitespace().map_while(|n| n.parse::<u64>().ok());
        ran += numbers.next()?;
        waited += numbers.next()?;
    }
    Some((Duration::from_nanos(ran), Duration::from_nanos(waited)))
}
