//! Threads for the engine, in the build with shared memory: helpers, which are workers with the same module and memory.
//!
//! A worker starts only while the one that made it does nothing. So `engine-worker.js` has the helpers join before the
//! engine's job begins, and each of them waits here for threads to run.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use tengen::engine::ThreadHost;
use tengen_session::lock;
use wasm_bindgen::prelude::wasm_bindgen;

/// The number of helpers, and the threads that wait for one.
struct Queue {
    helpers: usize,
    waiting: VecDeque<Box<dyn FnOnce() + Send>>,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue { helpers: 0, waiting: VecDeque::new() });
static ADDED: Condvar = Condvar::new();

/// Has the engine use the helpers.
pub fn use_helpers() {
    let most = || 1 + lock(&QUEUE).helpers;
    let start = |thread| {
        lock(&QUEUE).waiting.push_back(thread);
        ADDED.notify_one();
    };
    ThreadHost { most, start }.set();
}

/// Counts this worker as a helper, which calls [`run_threads`] next.
#[wasm_bindgen(js_name = joinThreads)]
pub fn join_threads() {
    lock(&QUEUE).helpers += 1;
}

/// Runs threads of the engine, one after another, until the worker is ended.
#[wasm_bindgen(js_name = runThreads)]
pub fn run_threads() {
    loop {
        let waiting = ADDED.wait_while(lock(&QUEUE), |queue| queue.waiting.is_empty());
        let thread = waiting.unwrap_or_else(PoisonError::into_inner).waiting.pop_front();
        if let Some(thread) = thread {
            thread();
        }
    }
}
