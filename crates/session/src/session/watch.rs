//! The settings of live analysis, and its job.

use super::node_job::NodeJob;
use crate::command::Analysis;
use tengen::board::Point;

/// Live analysis.
#[derive(Clone, Debug)]
pub struct Watch {
    on: bool,
    lines: usize,
    avoid: Vec<Point>,
    threat: bool,
    /// Its job.
    pub job: NodeJob,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { on: false, lines: 1, avoid: Vec::new(), threat: false, job: NodeJob::default() }
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
        self.job.forget();
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_record::Tree;

    #[test]
    fn it_ends_by_itself_once_at_a_node_until_the_settings_change() {
        let mut watch = Watch::default();
        watch.job.begin(4, Tree::ROOT);
        assert!(watch.job.is_running(4) && !watch.job.is_due(Tree::ROOT));
        watch.job.finish();
        assert!(!watch.job.is_running(4) && !watch.job.is_due(Tree::ROOT) && watch.job.stop().is_none());
        watch.set(&Analysis { lines: Some(3), ..Analysis::default() }, None);
        assert!(watch.job.is_due(Tree::ROOT) && !watch.is_on() && watch.lines() == 3);
    }
}
