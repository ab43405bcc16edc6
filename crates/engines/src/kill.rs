//! Killing processes together with their descendants. This module contains all code that depends on the system.
//!
//! A process group, all that a library such as `process-wrap` offers on Unix, is not enough: a descendant may leave it,
//! and is no descendant any more when its parent has ended (the helpers of Wine do both). And the guard, which is not
//! their parent, knows the engines by their ids alone.

use std::process::{Command, ExitStatus};

/// Environment variable that marks a child and its descendants.
pub const MARK: &str = "TENGEN_CHILD";

/// Makes the child the leader of its own process group, if the system has process groups.
pub fn own_group(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    }
}

/// Whether a process was ended by a signal that other programs send, and not by its own fault: by SIGHUP, SIGINT,
/// SIGKILL or SIGTERM. Whoever cancels a job sends them to all of its processes.
pub fn is_from_outside(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::Signal;
        use std::os::unix::process::ExitStatusExt;
        let sent = [Signal::HUP, Signal::INT, Signal::KILL, Signal::TERM].map(Signal::as_raw);
        status.signal().is_some_and(|signal| sent.contains(&signal))
    }
    #[cfg(not(unix))]
    {
        let _ = status;
        false
    }
}

/// Kills a process group leader, its group, its descendants, and (if `mark` is not empty) every process whose mark
/// starts with `mark`.
pub fn tree(pid: u32, mark: &str) {
    #[cfg(unix)]
    {
        let family = descendants(pid);
        kill_group(pid);
        family.into_iter().for_each(kill_one);
        marked(mark);
    }
    #[cfg(windows)]
    {
        let _ = mark;
        let _ = Command::new("taskkill").args(["/T", "/F", "/PID", &pid.to_string()]).output();
    }
}

/// Kills every process whose mark starts with `mark`. Does nothing if `mark` is empty or without `/proc`.
pub fn marked(mark: &str) {
    #[cfg(target_os = "linux")]
    if !mark.is_empty() {
        let wanted = format!("{MARK}={mark}");
        let me = std::process::id();
        for pid in processes().filter(|pid| *pid != me) {
            let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { continue };
            if environment.split(|b| *b == 0).any(|entry| entry.starts_with(wanted.as_bytes())) {
                kill_one(pid);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = mark;
}

/// All descendants of a process; empty if the system does not report them.
pub fn descendants(pid: u32) -> Vec<u32> {
    let mut found = Vec::new();
    #[cfg(target_os = "linux")]
    {
        let mut open = vec![pid];
        while let Some(parent) = open.pop() {
            let Ok(tasks) = std::fs::read_dir(format!("/proc/{parent}/task")) else { continue };
            for task in tasks.flatten() {
                let Ok(text) = std::fs::read_to_string(task.path().join("children")) else { continue };
                for child in text.split_whitespace().filter_map(|t| t.parse().ok()) {
                    if !found.contains(&child) {
                        found.push(child);
                        open.push(child);
                    }
                }
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (&mut found, pid);
    found
}

/// The ids of all processes.
#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = u32> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
}

#[cfg(unix)]
fn kill_group(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // Ignore the error: the process may have ended already.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(unix)]
fn kill_one(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}
