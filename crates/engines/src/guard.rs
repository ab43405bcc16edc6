//! A second process that kills the engines when the runner cannot.
//!
//! A runner that receives SIGKILL runs no code of its own. It therefore starts a guard in advance: the same program in
//! another role. The guard reads the ids of running children from its standard input. When that input closes for any
//! reason, it kills the children that were not reported as ended. The guard has its own process group, so the
//! terminal's Ctrl-C does not reach it.

use crate::kill;
use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The runner's connection to the guard.
#[derive(Debug)]
pub struct Guard {
    process: Child,
    stdin: Mutex<Option<ChildStdin>>,
}

impl Guard {
    /// Starts `program` with `args`, which must call [`serve`]; the run's mark is appended to the arguments.
    ///
    /// # Errors
    /// The error of the system if the program cannot be started.
    pub fn start(program: &Path, args: &[&str], mark: &str) -> io::Result<Guard> {
        let mut command = Command::new(program);
        command.args(args).arg(mark).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        kill::own_group(&mut command);
        let mut process = command.spawn()?;
        let stdin = Mutex::new(process.stdin.take());
        Ok(Guard { process, stdin })
    }

    /// Reports a started child.
    pub fn watch(&self, pid: u32) {
        self.send(&format!("+{pid}\n"));
    }

    /// Reports an ended child.
    pub fn forget(&self, pid: u32) {
        self.send(&format!("-{pid}\n"));
    }

    fn send(&self, line: &str) {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipe) = stdin.as_mut() {
            // Ignore the error: the run continues without its guard. Children then outlive the run only if it gets
            // SIGKILL.
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

/// The main loop of the guard: reads `input` to its end, then kills the children that are still watched.
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

/// A marker for a run, unique on this machine.
pub fn run_mark() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-", std::process::id(), now.as_nanos())
}
