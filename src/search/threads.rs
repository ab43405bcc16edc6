//! The threads of a search: those of the standard library, or those of a host where it has none, as in WebAssembly.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::OnceLock;

/// Stack size of a search thread, in bytes: the recursion is deep.
pub const STACK_BYTES: usize = 16 << 20;

/// How a host starts threads for the engine. It never changes once it is set.
#[derive(Clone, Copy, Debug)]
pub struct ThreadHost {
    /// Largest number of threads of a search, that of the caller included. Only one engine at a time may have more
    /// than one thread.
    pub most: fn() -> usize,
    /// Runs this in a thread with a stack of [`STACK_BYTES`], and returns at once. It may run when an earlier one has
    /// ended.
    pub start: fn(Box<dyn FnOnce() + Send>),
}

static HOST: OnceLock<ThreadHost> = OnceLock::new();

impl ThreadHost {
    /// Has all engines use this host instead of the standard library. The first host stays: false if there is one.
    pub fn set(self) -> bool {
        HOST.set(self).is_ok()
    }
}

/// Number of threads that can run at the same time.
pub fn available_threads() -> usize {
    match HOST.get() {
        Some(host) => (host.most)(),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// A pool of this many threads.
pub(super) fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .thread_name(|i| format!("search-{}", i + 1));
    let Some(host) = HOST.get() else { return builder.build() };
    let start = |thread: rayon::ThreadBuilder| {
        (host.start)(Box::new(|| thread.run()));
        Ok(())
    };
    builder.spawn_handler(start).build()
}
