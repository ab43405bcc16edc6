//! The real program on a busy machine and under a memory limit: answers are on time for any limit and any number of
//! threads, and the process stays below its memory limit.
#![allow(clippy::print_stdout)]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/machine.rs"]
mod machine;
#[path = "support/program.rs"]
mod program;

use machine::{Machine, Rate, Who, alone};
use program::{Program, within};
use std::thread;
use std::time::Duration;

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

/// Limits in ms, and the number of moves with each. No tables are prepared for the first move.
const LIMITS: [(u64, usize); 6] = [(100, 4), (300, 1), (50, 10), (30, 25), (20, 60), (15, 155)];

/// Plays moves with each of the limits; returns how many answers were late. The time runs from before the command is
/// written until the answer is read. The time for which the threads on that path waited for a processor is attributed
/// to the machine.
fn answers(machine: &Machine, threads: usize) -> Rate {
    let mut program = Program::game(20, &[&format!("thread_num {threads}"), "rule 4"]);
    let mut rate = Rate::default();
    for (limit, rounds) in LIMITS {
        program.send(&format!("INFO timeout_turn {limit}"));
        let limit = Duration::from_millis(limit);
        for round in 0..rounds {
            let (threads, helpers) = program.threads();
            let mark = machine.mark(Who::Threads(threads, helpers));
            let (taken, _) = program.timed(&board(round), 20);
            rate.add(taken, limit, machine.excuse(&mark));
            // Simulates the opponent's turn.
            thread::sleep(Duration::from_millis(2));
        }
    }
    program.quit();
    rate
}

/// Two programs run at the same time, which keeps two processors busy.
#[test]
fn one_answer_in_a_thousand_is_late_at_most() {
    let _alone = alone();
    let rate = Machine::watched(|machine| {
        thread::scope(|scope| {
            let several = |threads: [usize; 2]| threads.map(|threads| answers(machine, threads));
            let lanes = [[1, 4], [2, 256]].map(|threads| scope.spawn(move || several(threads)));
            let rates = lanes.into_iter().flat_map(|lane| lane.join().expect("no panic"));
            rates.fold(Rate::default(), Rate::and)
        })
    });
    rate.check("answers");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stays_within_its_limit() {
    let _alone = alone();
    for (bytes, threads) in [(32 << 20, 1), (32 << 20, 4), (64 << 20, 1), (64 << 20, 4), (367_001_600, 1)] {
        let settings = [format!("max_memory {bytes}"), format!("thread_num {threads}"), "timeout_turn 250".to_owned()];
        let mut program = Program::game(20, &settings.each_ref().map(String::as_str));
        for round in 0..5 {
            // A change of the rule clears the table; so does a new game.
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

/// The engine does not allocate tables larger than memory, and a table of gigabytes costs nothing until it is used.
#[test]
fn tables_of_any_size() {
    let _alone = alone();
    for kilobytes in [0, 1, 4 << 20, 999_999_999_999_u64] {
        within(Duration::from_millis(300), || {
            let mut program = Program::game(15, &[&format!("hash_size {kilobytes}"), "timeout_turn 100"]);
            let (time, _) = program.timed("TURN 7,7", 15);
            program.quit();
            time
        });
    }
}
