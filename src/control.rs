//! Stopping a search from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag shared by whoever may end a search and the search itself. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct StopToken(Arc<AtomicBool>);

impl StopToken {
    /// A token that is not set.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// Requests the end of the search, which then returns the best move so far.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The search was stopped or ran out of its budget before it had a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aborted;
