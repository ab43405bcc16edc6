//! What must be fast is fast. These tests measure time, so they run one after another.

#[path = "support/play.rs"]
mod play;
mod support;

use play::{engine, games, legal_point, quiet, think};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use support::Random;
use tengen::engine::{Answer, Goal, Limits, Request, Rule, StopToken};

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A busy machine may let a thread wait, so what must be quick has a few attempts; what is slow by itself fails all.
#[track_caller]
fn is_quick(limit: Duration, what: &str, mut attempt: impl FnMut() -> Duration) {
    let mut times = Vec::new();
    while times.len() < 8 {
        let taken = attempt();
        if taken <= limit {
            return;
        }
        times.push(taken);
    }
    panic!("{what}: never within {limit:?}: {times:?}");
}

#[test]
fn a_stop_is_honoured_from_any_moment() {
    let _alone = alone();
    for (i, threads) in [1, 1, 2].into_iter().enumerate() {
        let mut engine = engine(threads);
        for goal in [Goal::Move, Goal::AllMoves, Goal::BalanceOne { bias: 0 }, Goal::BalanceTwo { bias: 0 }] {
            for wait in [0, 1, 3, 7, 20, 45, 80] {
                let rule = Rule::ALL[(i + wait as usize) % Rule::ALL.len()];
                let request = Request { goal, ..Request::new(quiet(), rule, Limits::infinite()) };
                let what = format!("{rule} {goal:?}, {threads} threads, stopped after {wait} ms");
                // Several threads that share a core with others take turns.
                let limit = Duration::from_millis(if threads == 1 { 5 } else { 40 });
                is_quick(limit, &what, || {
                    let stop = StopToken::new();
                    let stopper = thread::spawn({
                        let stop = stop.clone();
                        move || {
                            thread::sleep(Duration::from_millis(wait));
                            let now = Instant::now();
                            stop.stop();
                            now
                        }
                    });
                    let outcome = engine.think(&request, &stop, &mut |_| {});
                    let end = Instant::now();
                    assert!(matches!(&outcome.answer, Answer::Points(p) if !p.is_empty()), "{what}: {outcome:?}");
                    end.saturating_duration_since(stopper.join().expect("the time of the stop"))
                });
            }
        }
    }
}

#[test]
fn the_smallest_limits_are_answered_at_once() {
    let _alone = alone();
    let mut one = engine(1);
    let none = Limits::infinite();
    for rule in Rule::ALL {
        for limits in [
            Limits::nodes(0),
            Limits::nodes(1),
            Limits::depth(0),
            Limits::depth(1),
            Limits::time(Duration::ZERO),
            Limits::time(Duration::from_millis(1)),
            Limits { left: Some(Duration::ZERO), ..none.clone() },
        ] {
            is_quick(Duration::from_millis(20), &format!("{rule} {limits:?}"), || {
                let limits = Limits { started: Instant::now(), ..limits.clone() };
                let start = Instant::now();
                let outcome = think(&mut one, &quiet(), rule, limits);
                let taken = start.elapsed();
                legal_point(&outcome, &quiet(), rule);
                taken
            });
        }
    }
}

#[test]
fn several_threads_answer_legally_and_in_time() {
    let _alone = alone();
    let mut random = Random::new(64);
    for threads in [2, 3, 4] {
        let mut many = engine(threads);
        for rule in Rule::ALL {
            for setup in games(&mut random, rule, (2, 25)).take(3) {
                let turn = Duration::from_millis(60);
                is_quick(turn, &format!("{threads} threads, {rule}"), || {
                    let start = Instant::now();
                    let outcome = think(&mut many, &setup, rule, Limits::time(turn));
                    let taken = start.elapsed();
                    legal_point(&outcome, &setup, rule);
                    taken
                });
            }
        }
    }
}
