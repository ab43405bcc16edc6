//! A second process that ends the engines when the runner cannot.
//!
//! A runner that is killed outright runs no code of its own. So it starts a guard beforehand: the same
//! program in another role, which reads the ids of living children from its standard input and, when that
//! closes for whatever reason, kills those that were not forgotten. It sits in a process group of its own, out of
//! reach of the terminal's Ctrl-C.

use super::kill;
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The runner's end of the guard.
#[derive(Debug)]
pub struct Guard {
    process: Child,
    stdin: Mutex<Option<ChildStdin>>,
}

impl Guard {
    /// Starts `program` with `args`, which must call [`serve`]; the run's mark is appended to the arguments.
    ///
    /// # Errors
    /// What the system says when the program cannot be started.
    pub fn start(program: &Path, args: &[&str], mark: &str) -> io::Result<Guard> {
        let mut command = Command::new(program);
        command.args(args).arg(mark).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        kill::own_group(&mut command);
        let mut process = command.spawn()?;
        let stdin = Mutex::new(process.stdin.take());
        Ok(Guard { process, stdin })
    }

    /// A child lives.
    pub fn watch(&self, pid: u32) {
        self.tell(&format!("+{pid}\n"));
    }

    /// A child has been ended.
    pub fn forget(&self, pid: u32) {
        self.tell(&format!("-{pid}\n"));
    }

    fn tell(&self, line: &str) {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipe) = stdin.as_mut() {
            // A run goes on without its guard: children outlive it only if it is killed outright.
            let _ = pipe.write_all(line.as_bytes());
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *self.stdin.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let _ = self.process.wait();
    }
}

/// The guard's work: follows `input` to its end, then kills whatever is still being watched.
pub fn serve(input: impl BufRead, mark: &str) {
    let mut alive = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        match line.split_at_checked(1).map(|(sign, pid)| (sign, pid.parse::<u32>())) {
            Some(("+", Ok(pid))) => drop(alive.insert(pid)),
            Some(("-", Ok(pid))) => drop(alive.remove(&pid)),
            _ => {}
        }
    }
    for pid in alive {
        kill::tree(pid, "");
    }
    kill::marked(mark);
}

/// A mark for a run: unique on this machine.
pub fn run_mark() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-", std::process::id(), now.as_nanos())
}
