//! The real program on a busy machine, and within its memory: no answer is late whatever the limit and the number of
//! threads, and the process stays below its memory limit.
#![allow(clippy::print_stdout)]

#[path = "support/program.rs"]
mod program;

use program::Program;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Openings and middle games, as bodies of `BOARD`.
const POSITIONS: [&str; 6] = [
    "7,7,2",
    "7,7,2 8,8,1 7,8,2",
    "9,9,1 10,10,2 9,11,1 11,9,2 10,8,1 8,10,2",
    "4,4,1 15,15,2 4,15,1 15,4,2 9,9,1 10,10,2 3,9,1 9,3,2",
    "7,7,2 8,7,1 8,8,2 7,8,1 9,9,2 6,6,1 9,7,2 10,7,1 6,9,2 9,8,1 5,10,2",
    "7,7,1 6,5,2 5,5,1 6,4,2 5,6,1 6,3,2 7,6,1 6,2,2 6,1,1 0,0,2",
];

fn board(round: usize) -> String {
    format!("BOARD\n{}\nDONE", POSITIONS[round % POSITIONS.len()].replace(' ', "\n"))
}

/// These tests would disturb one another.
static ALONE: Mutex<()> = Mutex::new(());

/// Keeps as many threads busy as the machine has processors while `work` runs.
fn on_a_busy_machine(work: impl FnOnce()) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        // Even if it panics, or the others spin for ever.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        over.store(true, Ordering::Relaxed);
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Does `work` while an idle thread looks how long it has to wait for a processor at most.
fn with_waits<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    const NAP: Duration = Duration::from_millis(1);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let idle = scope.spawn(|| {
            let mut most = Duration::ZERO;
            while !over.load(Ordering::Relaxed) {
                let started = Instant::now();
                thread::sleep(NAP);
                most = most.max(started.elapsed() - NAP);
            }
            most
        });
        let result = work();
        over.store(true, Ordering::Relaxed);
        (result, idle.join().expect("no panic"))
    })
}

/// Plays some moves, the first of them with nothing prepared; returns how many were late, and how many would have been
/// on any machine. The time runs from before the command is written until the answer is read. Between the program's
/// deadline and the reading two threads that sleep have to get a processor; what an idle thread had to wait
/// meanwhile, twice, is the machine's.
fn late_answers(threads: usize, limit: u64, rounds: usize) -> (usize, usize) {
    let settings = [format!("thread_num {threads}"), format!("timeout_turn {limit}"), "rule 4".to_owned()];
    let mut program = Program::game(20, &settings.each_ref().map(String::as_str));
    let limit = Duration::from_millis(limit);
    let (mut late, mut faults) = (0, 0);
    for round in 0..rounds {
        let ((time, _), wait) = with_waits(|| program.timed(&board(round), 20));
        println!("{threads} threads, {limit:?}: {time:.1?}, an idle thread waited {wait:.1?}");
        late += usize::from(time > limit);
        faults += usize::from(time > limit + 2 * wait);
        // The opponent's turn.
        thread::sleep(Duration::from_millis(15));
    }
    program.quit();
    (late, faults)
}

#[test]
fn no_answer_is_late() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    on_a_busy_machine(|| {
        let mut answers = 0;
        let mut late = 0;
        for threads in [1, 2, 4, 256] {
            for (limit, rounds) in [(30, 5), (50, 5), (100, 4), (300, 2)] {
                let mut faults = 1;
                // The idle thread may have been luckier than the others; a fault of the program fails all attempts.
                for _ in 0..6 {
                    let found = late_answers(threads, limit, rounds);
                    answers += rounds;
                    late += found.0;
                    faults = faults.min(found.1);
                    if faults == 0 {
                        break;
                    }
                }
                assert_eq!(faults, 0, "{threads} threads, {limit} ms");
            }
        }
        println!("{late} of {answers} answers came after their limit");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_within_its_limit() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (bytes, threads) in [(32 << 20, 1), (32 << 20, 4), (64 << 20, 1), (64 << 20, 4), (367_001_600, 1)] {
        let settings = [format!("max_memory {bytes}"), format!("thread_num {threads}"), "timeout_turn 250".to_owned()];
        let mut program = Program::game(20, &settings.each_ref().map(String::as_str));
        for round in 0..5 {
            // Another rule empties the table; a new game as well.
            program.send(&format!("INFO rule {}\nSTART 20", [0, 4, 1, 8, 8][round]));
            assert_eq!(program.line(), "OK");
            program.timed(&board(round + 1), 20);
        }
        let peak = program.peak().expect("this system tells");
        println!("{} KB allowed, {threads} threads: {peak} KB", bytes >> 10);
        assert!(peak < bytes >> 10, "{peak} KB of {}", bytes >> 10);
        program.quit();
    }
}

/// Tables larger than memory are not asked for in earnest, and a table of gigabytes costs nothing until it is used.
#[test]
fn tables_of_any_size() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for kilobytes in [0, 1, 4 << 20, 999_999_999_999_u64] {
        let mut program = Program::game(15, &[&format!("hash_size {kilobytes}"), "timeout_turn 100"]);
        let (time, _) = program.timed("TURN 7,7", 15);
        assert!(time < Duration::from_millis(300), "{kilobytes} KB: {time:?}");
        program.quit();
    }
}
