//! Stopping a search from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A stop flag, shared by the search and by all who may end it. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    /// A token that is not set.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// Requests the end of the search. The search then returns the best move found so far.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Address of the flag, a byte that is 1 when the end was requested: for a host that shares the memory and cannot
    /// call.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether the end was requested.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Error: the search was stopped, or used up its budget, before it had a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aborted;
