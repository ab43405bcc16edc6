//! Checks of time limits, corrected for delays caused by the machine. The tests run one after the other.
#![allow(clippy::print_stdout)]

#[path = "support/machine.rs"]
mod machine;
#[path = "support/play.rs"]
mod play;
mod support;

use machine::{Machine, Rate, Who, alone, this_thread, tried};
use play::{engine, games, legal_point, quiet, think};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
use support::Random;
use tengen::engine::{Answer, Goal, Limits, Request, Rule, StopToken};

/// Milliseconds until the stop: most searches are stopped in their first iterations, in which they change the most.
const WAITS: [u64; 10] = [0, 0, 1, 1, 2, 2, 3, 4, 6, 12];

#[test]
fn a_stop_is_honoured_from_any_moment() {
    let _alone = alone();
    let rates = Machine::watched(|machine| [1, 2, 4].map(|threads| stops(machine, threads)));
    rates.into_iter().fold(Rate::default(), Rate::and).check("stops");
}

/// Stops searches of all kinds; returns how many ended more than 5 ms after the stop.
fn stops(machine: &Machine, threads: usize) -> Rate {
    let mut engine = engine(threads);
    // The first search under a rule builds tables and unpacks the network's weights, which takes 6 to 16 ms that a stop
    // does not shorten.
    for rule in Rule::ALL {
        think(&mut engine, &quiet(), rule, Limits::nodes(1));
    }
    let mut rate = Rate::default();
    let goals = [Goal::Move, Goal::AllMoves, Goal::BalanceOne { bias: 0 }, Goal::BalanceTwo { bias: 0 }];
    thread::scope(|scope| {
        let (searches, to_stop) = channel::<(StopToken, u64)>();
        let (tell, stopped) = channel();
        // One thread for all stops, so that its waits are counted as well.
        scope.spawn(move || {
            for (stop, wait) in to_stop {
                thread::sleep(Duration::from_millis(wait));
                let mark = machine.mark(Who::Us);
                let now = Instant::now();
                stop.stop();
                let _ = tell.send((now, mark));
            }
        });
        for (rule, goal) in Rule::ALL.into_iter().flat_map(|rule| goals.map(|goal| (rule, goal))) {
            let request = Request { goal, ..Request::new(quiet(), rule, Limits::infinite()) };
            for wait in WAITS.into_iter().chain(WAITS) {
                let stop = StopToken::new();
                searches.send((stop.clone(), wait)).expect("a thread");
                let outcome = engine.think(&request, &stop, &mut |_| {});
                let end = Instant::now();
                let (at, mark) = stopped.recv().expect("the time of the stop");
                let taken = end.saturating_duration_since(at);
                rate.add(taken, Duration::from_millis(5), machine.excuse(&mark));
                assert!(matches!(&outcome.answer, Answer::Points(p) if !p.is_empty()), "{rule} {goal:?}: {outcome:?}");
            }
        }
    });
    rate
}

/// Runs `work` while far more threads want to run than there are processors.
fn on_a_busy_machine<T>(work: impl FnOnce(&Machine) -> T) -> T {
    let is_over = AtomicBool::new(false);
    let busy = 4 * thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..busy {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = Machine::watched(work);
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

/// The time of some work, measured in the same way as in the tests of the real program.
fn measured(machine: &Machine, work: impl FnOnce()) -> (Duration, Duration) {
    let mark = machine.mark(Who::Threads(this_thread().into_iter().collect(), Vec::new()));
    let start = Instant::now();
    work();
    (start.elapsed(), machine.excuse(&mark))
}

/// A thread that is late by its own fault has no excuse, on a busy machine no more than on an idle one.
#[test]
fn the_excuse_hides_no_fault() {
    let _alone = alone();
    let late = Duration::from_millis(1500);
    let limit = Duration::from_millis(20);
    let idle = Machine::watched(|machine| tried(limit, || measured(machine, || thread::sleep(late))));
    let busy = on_a_busy_machine(|machine| tried(limit, || measured(machine, || thread::sleep(late))));
    assert!(idle.is_err() && busy.is_err(), "{idle:?} {busy:?}");
    let mut rate = Rate::default();
    on_a_busy_machine(|machine| {
        let (taken, excuse) = measured(machine, || thread::sleep(late));
        rate.add(taken, limit, excuse);
    });
    assert!(std::panic::catch_unwind(|| rate.check("a sleeper")).is_err());
}

/// A thread that is late because others had the processors is excused, if the system reports the waits.
#[cfg(target_os = "linux")]
#[test]
fn a_busy_machine_is_an_excuse() {
    let _alone = alone();
    // An amount of work that takes 100 ms on an idle machine; the factor below allows for a slower start of the
    // processor.
    let spin = |rounds: u64| {
        std::hint::black_box((0..rounds).fold(0u64, |sum, i| std::hint::black_box(sum.wrapping_add(i))));
    };
    let mut rounds = 1 << 20;
    let cost = Machine::watched(|machine| {
        loop {
            let (taken, excuse) = measured(machine, || spin(rounds));
            let own = taken.saturating_sub(excuse);
            if own > Duration::from_millis(100) {
                break own;
            }
            rounds *= 2;
        }
    });
    let kept = on_a_busy_machine(|machine| tried(4 * cost, || measured(machine, || spin(rounds))));
    assert_eq!(kept, Ok(()));
}

#[test]
fn the_smallest_limits_are_answered_at_once() {
    let _alone = alone();
    let mut one = engine(1);
    let none = Limits::infinite();
    let rate = Machine::watched(|machine| {
        let mut rate = Rate::default();
        for (rule, _) in Rule::ALL.into_iter().flat_map(|rule| (0..30).map(move |round| (rule, round))) {
            for limits in [
                Limits::nodes(0),
                Limits::nodes(1),
                Limits::depth(0),
                Limits::depth(1),
                Limits::time(Duration::ZERO),
                Limits::time(Duration::from_millis(1)),
                Limits { left: Some(Duration::ZERO), ..none.clone() },
            ] {
                let limits = Limits { started: Some(Instant::now()), ..limits };
                let mark = machine.mark(Who::Us);
                let start = Instant::now();
                let outcome = think(&mut one, &quiet(), rule, limits);
                rate.add(start.elapsed(), Duration::from_millis(20), machine.excuse(&mark));
                legal_point(&outcome, &quiet(), rule);
            }
        }
        rate
    });
    rate.check("the smallest limits");
}

#[test]
fn several_threads_answer_legally_and_in_time() {
    let _alone = alone();
    let mut random = Random::new(64);
    let turn = Duration::from_millis(60);
    let rate = Machine::watched(|machine| {
        let mut rate = Rate::default();
        for threads in [2, 3, 4] {
            let mut many = engine(threads);
            for rule in Rule::ALL {
                for setup in games(&mut random, rule, (2, 25)).take(3) {
                    let mark = machine.mark(Who::Us);
                    let start = Instant::now();
                    let outcome = think(&mut many, &setup, rule, Limits::time(turn));
                    rate.add(start.elapsed(), turn, machine.excuse(&mark));
                    legal_point(&outcome, &setup, rule);
                }
            }
        }
        rate
    });
    rate.check("several threads");
}
