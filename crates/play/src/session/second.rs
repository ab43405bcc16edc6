//! The second opinion of another engine: which engine gives it, and its job.

use tengen_record::NodeId;

/// It runs at one node at a time, and not again where it has ended by itself.
#[derive(Clone, Debug, Default)]
pub struct Second {
    /// Index of the engine.
    engine: Option<usize>,
    /// The running job and its node.
    running: Option<(u64, NodeId)>,
    /// The node where it has ended by itself.
    finished: Option<NodeId>,
}

impl Second {
    pub fn engine(&self) -> Option<usize> {
        self.engine
    }

    /// Changes the engine. It may start again at any node.
    pub fn choose(&mut self, engine: Option<usize>) {
        *self = Second { engine, ..Second::default() };
    }

    pub fn is_running(&self, job: u64) -> bool {
        self.running.is_some_and(|(running, _)| running == job)
    }

    /// The node where it runs.
    pub fn node(&self) -> Option<NodeId> {
        self.running.map(|(_, node)| node)
    }

    /// Whether it has ended by itself at this node.
    pub fn has_finished(&self, node: NodeId) -> bool {
        self.finished == Some(node)
    }

    pub fn begin(&mut self, job: u64, node: NodeId) {
        (self.running, self.finished) = (Some((job, node)), None);
    }

    /// Forgets the running job, and returns it.
    pub fn stop(&mut self) -> Option<u64> {
        self.running.take().map(|(job, _)| job)
    }

    /// It has ended by itself.
    pub fn finish(&mut self) {
        self.finished = self.running.take().map(|(_, node)| node);
    }

    /// Forgets the node where it ended: another question may be asked there.
    pub fn forget(&mut self) {
        self.finished = None;
    }
}
