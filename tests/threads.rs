//! Threads of a host, as in WebAssembly. A host is set once in a process, so this is a program of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use tengen::board::{BoardSize, Setup, parse_points};
use tengen::engine::{Answer, Engine, Limits, Options, Request, Rule, STACK_BYTES, StopToken, ThreadHost};

static STARTED: AtomicUsize = AtomicUsize::new(0);

/// Starts a thread and counts it.
fn start(thread: Box<dyn FnOnce() + Send>) {
    STARTED.fetch_add(1, Ordering::Relaxed);
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(thread).expect("a thread");
}

#[test]
fn an_engine_has_the_threads_of_its_host_and_no_more() {
    assert!(ThreadHost { most: || 3, start }.set());
    assert!(!ThreadHost { most: || 1, start }.set(), "the first host stays");
    let mut engine = Engine::new(Options { threads: 8, hash: Some(1 << 20), ..Options::default() });
    assert_eq!(STARTED.load(Ordering::Relaxed), 2, "the caller's thread is the third");
    let size = BoardSize::new(15, 15).expect("a size");
    let setup = Setup::from_moves(size, parse_points(size, "h8i9i8g9").expect("points"));
    let request = Request::new(setup, Rule::Freestyle, Limits::nodes(20_000));
    let outcome = engine.think(&request, &StopToken::new(), &mut |_| {});
    assert!(matches!(outcome.answer, Answer::Points(points) if points.len() == 1));
}
