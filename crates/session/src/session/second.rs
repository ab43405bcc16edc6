//! The second opinion of another engine: which engine gives it, and its job.

use super::node_job::NodeJob;

/// The second opinion.
#[derive(Clone, Debug, Default)]
pub struct Second {
    /// Index of the engine.
    engine: Option<usize>,
    /// Its job.
    pub job: NodeJob,
}

impl Second {
    pub fn engine(&self) -> Option<usize> {
        self.engine
    }

    /// Changes the engine. It may start again at any node.
    pub fn choose(&mut self, engine: Option<usize>) {
        *self = Second { engine, ..Second::default() };
    }
}
