//! Lateness corrected for delays caused by the machine: on a busy machine every thread is late.
//!
//! Two measurements tell for how long a measured thread was kept from running: the system's own account of the time for
//! which threads were ready to run without a processor (Linux), and threads that sleep for a millisecond at a time and
//! measure how much later they wake. The sleeping threads also detect a virtual processor that stands still, which may
//! happen to each processor alone: on Linux every processor has its own sleeping thread, elsewhere one thread serves
//! for all.

// Each test program uses only a part of this file.
#![allow(dead_code, clippy::print_stdout)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const NAP: Duration = Duration::from_millis(1);

/// Lock for tests that measure time, because such tests in the same program disturb one another.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Default)]
pub struct Machine {
    is_over: AtomicBool,
    nappers: Mutex<Vec<Napper>>,
}

struct Napper {
    /// The thread's folder in `/proc`; the waits of this thread do not count as an excuse.
    thread: Option<PathBuf>,
    /// The end of each sleep, and how late it was.
    naps: Vec<(Instant, Duration)>,
}

impl Napper {
    /// The largest delay of a sleep since `then`, including the one that has not ended yet.
    fn late_since(&self, then: Instant) -> Duration {
        let ended = self.naps.iter().rev().take_while(|(at, _)| *at >= then).map(|(_, late)| *late);
        let now = self.naps.last().map(|(at, _)| at.elapsed().saturating_sub(NAP));
        ended.chain(now).max().unwrap_or_default()
    }
}

/// The threads whose waits count as an excuse.
pub enum Who {
    /// All threads of this process.
    Us,
    /// Threads that run one after the other, and threads that run in parallel to them; by their folders in `/proc`.
    Threads(Vec<PathBuf>, Vec<PathBuf>),
}

/// The start of a measurement.
pub struct Mark {
    at: Instant,
    who: Who,
    waited: HashMap<PathBuf, Duration>,
}

/// The folder of the calling thread in `/proc`, where there is one.
pub fn this_thread() -> Option<PathBuf> {
    Path::new("/proc/thread-self").canonicalize().ok()
}

/// The processor of each sleeping thread; `None` is a thread that runs anywhere.
#[cfg(target_os = "linux")]
fn processors() -> Vec<Option<usize>> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let Ok(ours) = sched_getaffinity(None) else { return vec![None] };
    (0..CpuSet::MAX_CPU).filter(|cpu| ours.is_set(*cpu)).map(Some).collect()
}

#[cfg(not(target_os = "linux"))]
fn processors() -> Vec<Option<usize>> {
    vec![None]
}

/// Pins the calling thread to one processor, if the system allows it.
#[cfg(target_os = "linux")]
fn stay_on(cpu: usize) {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut only = CpuSet::new();
    only.set(cpu);
    let _ = sched_setaffinity(None, &only);
}

#[cfg(not(target_os = "linux"))]
fn stay_on(_cpu: usize) {}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Machine {
    /// Runs `work` while the machine is observed.
    pub fn watched<T>(work: impl FnOnce(&Machine) -> T) -> T {
        let machine = Machine::default();
        thread::scope(|scope| {
            for cpu in processors() {
                let machine = &machine;
                scope.spawn(move || machine.nap(cpu));
            }
            // The sleeping threads have to end even if it panics.
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&machine)));
            machine.is_over.store(true, Ordering::Relaxed);
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn nap(&self, cpu: Option<usize>) {
        if let Some(cpu) = cpu {
            stay_on(cpu);
        }
        let mut nappers = lock(&self.nappers);
        let me = nappers.len();
        nappers.push(Napper { thread: this_thread(), naps: Vec::new() });
        drop(nappers);
        while !self.is_over.load(Ordering::Relaxed) {
            let started = Instant::now();
            thread::sleep(NAP);
            let ended = Instant::now();
            lock(&self.nappers)[me].naps.push((ended, (ended - started).saturating_sub(NAP)));
        }
    }

    /// Starts a measurement.
    pub fn mark(&self, who: Who) -> Mark {
        Mark { waited: self.waited(&who), at: Instant::now(), who }
    }

    /// Upper bound of the time for which the measured threads were kept from running since the mark.
    pub fn excuse(&self, mark: &Mark) -> Duration {
        let late = self.late_since(mark.at);
        let since = |(thread, waited): (PathBuf, Duration)| {
            waited.saturating_sub(mark.waited.get(&thread).copied().unwrap_or_default())
        };
        let beside = |thread: &PathBuf| matches!(&mark.who, Who::Threads(_, beside) if beside.contains(thread));
        let (beside, waited): (Vec<_>, Vec<_>) =
            self.waited(&mark.who).into_iter().partition(|(thread, _)| beside(thread));
        let slowest = beside.into_iter().map(since).max().unwrap_or_default();
        let waited = waited.into_iter().map(since).sum::<Duration>() + slowest;
        waited + late
    }

    /// The largest delay of a waking thread since `then`.
    pub fn late_since(&self, then: Instant) -> Duration {
        lock(&self.nappers).iter().map(|napper| napper.late_since(then)).max().unwrap_or_default()
    }

    /// Time for which each thread was ready to run without a processor, as far as the system reports it.
    fn waited(&self, who: &Who) -> HashMap<PathBuf, Duration> {
        let waited = |thread: PathBuf| wait_of(&thread).map(|wait| (thread, wait));
        match who {
            Who::Threads(threads, beside) => threads.iter().chain(beside).cloned().filter_map(waited).collect(),
            Who::Us => {
                let nappers: Vec<_> = lock(&self.nappers).iter().filter_map(|napper| napper.thread.clone()).collect();
                let threads = std::fs::read_dir(format!("/proc/{}/task", std::process::id())).into_iter().flatten();
                let threads = threads.flatten().map(|entry| entry.path());
                threads.filter(|thread| !nappers.contains(thread)).filter_map(waited).collect()
            }
        }
    }
}

/// Time for which a thread was ready to run without a processor since its start, if the system reports it; by the
/// thread's folder in `/proc`.
pub fn wait_of(thread: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(thread.join("schedstat")).ok()?;
    Some(Duration::from_nanos(text.split_whitespace().nth(1)?.parse().ok()?))
}

/// Repeats a measurement up to four times. One of them has to keep the limit, or to exceed it by no more than the
/// machine explains. A measurement returns the time taken, and for how long the machine kept the measured threads from
/// running.
pub fn tried(limit: Duration, mut measure: impl FnMut() -> (Duration, Duration)) -> Result<(), String> {
    let mut told = Vec::new();
    for _ in 0..4 {
        let (taken, excuse) = measure();
        let late = taken.saturating_sub(limit);
        if late <= excuse {
            if !late.is_zero() {
                println!("{taken:.1?} instead of {limit:?}; the machine explains {excuse:.1?}");
            }
            return Ok(());
        }
        told.push(format!("{taken:.1?} ({excuse:.1?} by the machine)"));
    }
    Err(format!("{} instead of {limit:?}", told.join(", ")))
}

/// Statistics of lateness.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    tries: usize,
    late: usize,
    /// Number of tries later than the machine explains.
    faults: usize,
    worst: Duration,
    worst_fault: Duration,
}

impl Rate {
    /// Adds a try that took `taken`.
    pub fn add(&mut self, taken: Duration, limit: Duration, excuse: Duration) {
        let late = taken.saturating_sub(limit);
        let fault = late.saturating_sub(excuse);
        self.tries += 1;
        self.late += usize::from(!late.is_zero());
        self.faults += usize::from(!fault.is_zero());
        self.worst = self.worst.max(late);
        self.worst_fault = self.worst_fault.max(fault);
    }

    /// Combines the tries of both.
    pub fn and(self, other: Rate) -> Rate {
        Rate {
            tries: self.tries + other.tries,
            late: self.late + other.late,
            faults: self.faults + other.faults,
            worst: self.worst.max(other.worst),
            worst_fault: self.worst_fault.max(other.worst_fault),
        }
    }

    /// Fails if more than one try in a thousand was later than the machine explains.
    #[track_caller]
    pub fn check(self, what: &str) {
        let Rate { tries, late, faults, worst, worst_fault } = self;
        println!(
            "{what}: {late} of {tries} late, by {worst:.1?} at most; {faults} later than the machine explains, by {worst_fault:.1?} at most"
        );
        assert!(faults * 1000 <= tries, "{what}: {faults} of {tries} late, by up to {worst_fault:?}");
    }
}
