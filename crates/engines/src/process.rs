//! An external engine as a child process: pipes, deadlines, memory, and the kill of its whole process tree.
//!
//! Every child is the leader of its own process group, so Ctrl-C at the terminal reaches only the runner. Its
//! environment has a mark, which its descendants inherit. Killing the child kills its group and, if `/proc` exists,
//! every process with the mark, including descendants that left the group.
//!
//! A reader thread timestamps each line on arrival, so a delayed consumer costs the engine no time. The queue between
//! them is bounded: an engine that writes endlessly blocks on its own pipe.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child as OsChild, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::guard::Guard;
use crate::kill;

/// Longest line, in bytes; longer output counts as output without line ends.
pub const MAX_LINE: usize = 64 << 10;

/// Number of bytes stored of a child's standard error.
const STDERR_KEPT: usize = 4 << 10;

/// Capacity of the queue, in chunks of output of at most 16 KiB.
const QUEUE: usize = 32;

/// How to start a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; by default the program's own, if `program` is a path with a directory.
    pub dir: Option<PathBuf>,
}

impl Launch {
    /// The working directory: the given one, or the program's own directory as in Gomocup's judge.
    pub fn working_directory(&self) -> Option<PathBuf> {
        let own = || self.program.parent().filter(|p| !p.as_os_str().is_empty()).map(Path::to_path_buf);
        self.dir.clone().or_else(own)
    }
}

/// A line of output, without its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text; invalid UTF-8 is replaced.
    pub text: String,
    /// Time at which its last byte was read.
    pub at: Instant,
}

/// Result of waiting for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A line.
    Line(Line),
    /// More than [`MAX_LINE`] bytes without a line end; contains the first ones.
    Endless(String),
    /// The deadline passed.
    Nothing,
    /// The output was closed: the process ended or closed its pipe.
    Closed,
}

/// Message of the reader thread.
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
    /// Starts a program. `mark` must be unique among running children; with a guard it starts with the guard's own
    /// mark, see [`kill::MARK`].
    ///
    /// # Errors
    /// The error of the system if the program cannot be started.
    pub fn spawn(launch: &Launch, mark: String, guard: Option<Arc<Guard>>) -> io::Result<Child> {
        // Resolve a relative path before the working directory changes.
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

    /// Writes lines, each with its line end, in one call.
    ///
    /// # Errors
    /// If the child has closed its input; usually it has ended.
    pub fn send(&mut self, lines: &[String]) -> io::Result<()> {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Waits for the next line until `deadline`.
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

    /// The next line that has already arrived; does not wait.
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

    /// The output after the last line end.
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

    /// The exit status, if the process has ended. Waits up to `patience` for a process whose pipe is closed.
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

    /// Asks the child to exit: sends `last` (if not empty), closes its input, waits up to `patience`, then kills the
    /// remaining process tree. Returns whether the child exited by itself.
    pub fn quit(mut self, last: &str, patience: Duration) -> bool {
        if !last.is_empty() {
            // Ignore the error: the child may have ended already.
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
            // Drain the output so that the child does not block on a full pipe.
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

/// Locks a mutex even if another thread panicked: the data are plain bytes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reader thread: splits output at CR and LF, drops empty lines, timestamps the others.
fn read_lines(mut pipe: impl Read, chunks: &SyncSender<Chunk>, partial: &Mutex<Vec<u8>>, bytes: &AtomicU64) {
    let mut buffer = vec![0; 16 << 10];
    // While true, the rest of an overlong line is skipped.
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
            let mut line = lock(partial);
            for &byte in buffer.iter().take(read) {
                if byte == b'\n' || byte == b'\r' {
                    if !line.is_empty() && !skipping {
                        lines.push(Line { text: String::from_utf8_lossy(&line).into_owned(), at });
                    }
                    line.clear();
                    skipping = false;
                } else if line.len() < MAX_LINE {
                    line.push(byte);
                } else if !skipping {
                    skipping = true;
                    endless = Some(String::from_utf8_lossy(&line[..200]).into_owned());
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

/// Reads all output and stores the last [`STDERR_KEPT`] bytes.
fn keep_tail(mut pipe: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = vec![0; 4 << 10];
    while let Ok(read @ 1..) = pipe.read(&mut buffer) {
        let mut kept = lock(kept);
        kept.extend(buffer.iter().take(read));
        let excess = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..excess);
    }
}

/// Private memory of a process and its running descendants, in bytes: resident pages without a backing file. (Gomocup's
/// judge also counts private pages; pages of programs and mapped files are shared.)
///
/// `None` if the system does not report it (only Linux does) or if the process has ended.
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

/// Time that a process's threads have run, and time that they were ready but had no processor.
///
/// `None` if the system does not report it (only Linux does) or if the process has ended.
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
