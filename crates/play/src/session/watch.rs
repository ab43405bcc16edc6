//! The settings of live analysis, and its job.

use crate::command::Analysis;
use tengen::board::Point;
use tengen_record::NodeId;

/// Live analysis. It runs at one node at a time, and not again where it has ended by itself.
#[derive(Clone, Debug)]
pub struct Watch {
    on: bool,
    lines: usize,
    avoid: Vec<Point>,
    threat: bool,
    /// The running job and its node.
    running: Option<(u64, NodeId)>,
    /// The node where analysis has ended by itself.
    finished: Option<NodeId>,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { on: false, lines: 1, avoid: Vec::new(), threat: false, running: None, finished: None }
    }
}

impl Watch {
    pub fn is_on(&self) -> bool {
        self.on
    }

    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Moves that are excluded.
    pub fn avoid(&self) -> &[Point] {
        &self.avoid
    }

    /// Whether the other side is to move.
    pub fn threat(&self) -> bool {
        self.threat
    }

    /// Whether it analyses the position itself, with its side to move and all its moves.
    pub fn is_of_position(&self) -> bool {
        !self.threat && self.avoid.is_empty()
    }

    /// Changes the settings; `avoid` are the points of those that are wanted. It may start again at any node.
    pub fn set(&mut self, wanted: &Analysis, avoid: Option<Vec<Point>>) {
        self.on = wanted.on.unwrap_or(self.on);
        self.lines = wanted.lines.unwrap_or(self.lines);
        self.avoid = avoid.unwrap_or_else(|| std::mem::take(&mut self.avoid));
        self.threat = wanted.threat.unwrap_or(self.threat);
        self.finished = None;
    }

    /// Another game begins, in which it has to be requested again.
    pub fn switch_off(&mut self) {
        self.on = false;
        self.avoid.clear();
        self.threat = false;
    }

    /// A person has ended its job.
    pub fn turn_off(&mut self) {
        self.on = false;
    }

    /// Another node is shown, which has other moves.
    pub fn avoid_nothing(&mut self) {
        self.avoid.clear();
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

    /// Forgets the node where it ended: another game has other nodes.
    pub fn forget(&mut self) {
        self.finished = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_record::Tree;

    #[test]
    fn it_ends_by_itself_once_at_a_node_until_the_settings_change() {
        let mut watch = Watch::default();
        watch.begin(4, Tree::ROOT);
        assert!(watch.is_running(4) && !watch.has_finished(Tree::ROOT));
        watch.finish();
        assert!(watch.has_finished(Tree::ROOT) && watch.stop().is_none());
        watch.set(&Analysis { lines: Some(3), ..Analysis::default() }, None);
        assert!(!watch.has_finished(Tree::ROOT) && !watch.is_on() && watch.lines() == 3);
    }
}
