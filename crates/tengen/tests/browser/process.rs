//! Child processes that never outlive the tests, however these end.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A child process and a folder of its own.
///
/// Dropping it kills the child and deletes the folder. If this program ends without the drop, because it was killed or
/// holds the child in a static, a shell that waits for the end of its input does both.
pub struct Process {
    pub child: Child,
    /// The shell; available only on Unix.
    watcher: Option<Child>,
    folder: PathBuf,
    /// Lines that the child has printed and no test has read yet.
    lines: mpsc::Receiver<String>,
}

/// Reads process ids to the end of its input. Then it sends SIGTERM, after at most two seconds SIGKILL, and deletes a
/// folder.
const WATCHER: &str = r#"
while read -r process; do processes="$processes $process"; done
kill $processes
for i in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 $processes || break
    sleep 0.2
done
kill -9 $processes
rm -rf "$1"
"#;

/// A new folder for temporary files.
pub fn new_folder(name: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{name}-{}-{number}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

impl Process {
    /// Starts a program; dropping it deletes `folder`.
    pub fn start(command: &mut Command, folder: PathBuf) -> std::io::Result<Process> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let watcher = cfg!(unix).then(|| {
            let mut shell = Command::new("sh");
            shell.args(["-c", WATCHER, "watcher"]).arg(&folder);
            shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell")
        });
        let lines = read_lines(child.stdout.take().expect("piped"));
        let mut process = Process { child, watcher, folder, lines };
        process.also_ends(process.child.id());
        Ok(process)
    }

    /// Adds a descendant of the child to the processes that the watcher ends if this program cannot.
    pub fn also_ends(&mut self, process: u32) {
        if let Some(input) = self.watcher.as_mut().and_then(|watcher| watcher.stdin.as_mut()) {
            writeln!(input, "{process}").expect("the watcher listens");
        }
    }

    /// The next line of the child; `None` if the child ends, or prints nothing within the limit.
    pub fn line(&self, limit: Duration) -> Option<String> {
        self.lines.recv_timeout(limit).ok()
    }

    /// Whether the child ends by itself within this time.
    pub fn ends_within(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if self.child.try_wait().expect("a child").is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error means that the child has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(watcher) = &mut self.watcher {
            let _ = watcher.kill();
            let _ = watcher.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Reads continuously, so that a full pipe never blocks the child.
fn read_lines(from: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut line = String::new();
        while matches!(from.read_line(&mut line), Ok(1..)) {
            if sender.send(line.trim_end().to_owned()).is_err() {
                break;
            }
            line.clear();
        }
        let _ = from.read_to_end(&mut Vec::new());
    });
    receiver
}

/// Calls `ask` repeatedly until it returns a value, or until the limit.
pub fn poll<T>(limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + limit;
    loop {
        let answer = ask();
        if answer.is_some() || Instant::now() > deadline {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The same for a value that must come: otherwise panics with `what`.
#[track_caller]
pub fn wait_for<T>(what: &str, limit: Duration, ask: impl FnMut() -> Option<T>) -> T {
    match poll(limit, ask) {
        Some(answer) => answer,
        None => panic!("{what}: not within {} s", limit.as_secs()),
    }
}
