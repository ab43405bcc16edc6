//! Several threads on one root: the main thread deepens, and helpers join its searches.
//!
//! The main thread opens a [`RootTask`] for each search of the root, and helpers take part in it. Helpers that deepen
//! on their own soon disagree about the best move and search different trees.

use super::root_task::RootTask;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct State {
    /// The current task, and the number of tasks so far.
    task: Option<Arc<RootTask>>,
    number: u64,
    is_over: bool,
}

/// Hands the tasks of the main thread to the helpers.
#[derive(Debug)]
pub(super) struct HelperSync {
    state: Mutex<State>,
    changed: Condvar,
    is_alone: bool,
}

impl HelperSync {
    /// For this number of threads, the main one included.
    pub fn new(threads: usize) -> HelperSync {
        HelperSync { state: Mutex::default(), changed: Condvar::new(), is_alone: threads == 1 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is a single step, so the state is valid even if a thread has panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives helpers a new task.
    pub fn open(&self, task: &Arc<RootTask>) {
        if !self.is_alone {
            let mut state = self.state();
            state.task = Some(Arc::clone(task));
            state.number += 1;
            self.changed.notify_all();
        }
    }

    /// Waits for a task later than the one with this number (0 at first), and returns it with its number; `None` when
    /// the search is over.
    pub fn join(&self, last: u64) -> Option<(u64, Arc<RootTask>)> {
        let mut state = self.state();
        while !state.is_over && state.number == last {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let number = state.number;
        state.task.as_ref().filter(|_| !state.is_over).map(|task| (number, Arc::clone(task)))
    }
}

/// Ends the helpers when dropped, so that no helper waits for a main thread that has ended.
pub(super) struct DismissHelpers<'a>(pub &'a HelperSync);

impl Drop for DismissHelpers<'_> {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::NodeArgs;

    fn task(pv_index: usize) -> Arc<RootTask> {
        Arc::new(RootTask::new(Vec::new(), pv_index, NodeArgs { alpha: 0, beta: 1, depth: 100, cut_node: false }))
    }

    #[test]
    fn helpers_see_each_round_once_and_go_home() {
        let helpers = HelperSync::new(2);
        std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::channel();
            let helpers = &helpers;
            scope.spawn(move || {
                let mut last = 0;
                while let Some((number, task)) = helpers.join(last) {
                    last = number;
                    let _ = sender.send(task.pv_index);
                }
            });
            let _dismiss = DismissHelpers(helpers);
            for pv_index in 5..8 {
                helpers.open(&task(pv_index));
                assert_eq!(receiver.recv(), Ok(pv_index));
            }
        });
        assert!(helpers.join(0).is_none());
    }
}
