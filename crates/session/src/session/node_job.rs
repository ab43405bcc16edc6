//! A job about the shown node, such as live analysis: it runs at one node at a time, and not again where it has ended
//! by itself.

use tengen_record::NodeId;

/// The running job, and the node where the last one ended.
#[derive(Clone, Debug, Default)]
pub struct NodeJob {
    /// The running job and its node.
    running: Option<(u64, NodeId)>,
    /// The node where it has ended by itself.
    finished: Option<NodeId>,
}

impl NodeJob {
    pub fn is_running(&self, job: u64) -> bool {
        self.running.is_some_and(|(running, _)| running == job)
    }

    /// Whether it runs at another node than this one, or is not wanted any more.
    pub fn is_outdated(&self, node: NodeId, is_wanted: bool) -> bool {
        self.running.is_some_and(|(_, at)| !is_wanted || at != node)
    }

    /// Whether it neither runs nor has ended by itself at this node.
    pub fn is_due(&self, node: NodeId) -> bool {
        self.running.is_none() && self.finished != Some(node)
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

    /// Forgets the node where it ended: it may start again there.
    pub fn forget(&mut self) {
        self.finished = None;
    }
}
