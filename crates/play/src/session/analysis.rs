//! Live analysis: it runs while it is switched on, follows the shown node, and yields the engine to all other work.

use super::check::{self, Denied};
use super::{Effect, Session, values};
use crate::command::Analysis;
use crate::job::Task;
use crate::view::Event;
use tengen::board::Point;
use tengen_record::NodeId;

/// Maximum number of lines of analysis.
const MOST_LINES: usize = 10;

/// Live analysis: its settings, and the job that runs.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub on: bool,
    pub lines: usize,
    pub avoid: Vec<Point>,
    pub threat: bool,
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
    pub fn is_running(&self, job: u64) -> bool {
        self.running.is_some_and(|(running, _)| running == job)
    }

    /// The analysis has ended by itself. It does not start again at this node.
    pub fn finish(&mut self) {
        self.finished = self.running.take().map(|(_, node)| node);
    }

    /// Forgets the node where analysis ended: another game has other nodes.
    pub fn forget(&mut self) {
        self.finished = None;
    }

    pub fn switch_off(&mut self) {
        self.on = false;
        self.avoid.clear();
        self.threat = false;
    }
}

impl Session {
    /// Whether live analysis is switched on, even while other work delays it.
    pub fn is_analysis_on(&self) -> bool {
        self.watch.on
    }

    pub(super) fn set_analysis(&mut self, wanted: Analysis) -> Result<(), Denied> {
        if wanted.on == Some(true) {
            self.check_help()?;
        }
        if wanted.lines.is_some_and(|lines| !(1..=MOST_LINES).contains(&lines)) {
            return Err(Denied::malformed("analysis shows 1 to 10 lines"));
        }
        let avoid = match &wanted.avoid {
            Some(labels) if labels.len() > self.size().cells() => {
                return Err(Denied::malformed("more moves to avoid than the board has points"));
            }
            Some(labels) => labels.iter().map(|label| check::point(self.size(), label)).collect::<Result<_, _>>()?,
            None => self.watch.avoid.clone(),
        };
        self.stop_analysis();
        self.watch = Watch {
            on: wanted.on.unwrap_or(self.watch.on),
            lines: wanted.lines.unwrap_or(self.watch.lines),
            avoid,
            threat: wanted.threat.unwrap_or(self.watch.threat),
            running: None,
            finished: None,
        };
        self.show();
        Ok(())
    }

    /// Ends the running analysis; its later messages are dropped.
    pub(super) fn stop_analysis(&mut self) {
        if let Some((job, _)) = self.watch.running.take() {
            self.effects.push(Effect::Cancel(job));
        }
    }

    /// Starts, stops or restarts the analysis as the state of the game requires.
    pub(super) fn settle_analysis(&mut self) {
        let at = self.game.at();
        let is_busy = self.move_search.is_some() || self.is_engine_due() || self.open_questions().next().is_some();
        let is_wanted = self.watch.on && !is_busy && self.may_help() && self.game.position().ended().is_none();
        if self.watch.running.is_some_and(|(_, node)| !is_wanted || node != at) {
            self.stop_analysis();
        }
        if !is_wanted || self.watch.running.is_some() || self.watch.finished == Some(at) {
            return;
        }
        let mut setup = self.game.position().setup();
        if self.watch.threat {
            setup.to_move = !setup.to_move;
        }
        let (lines, avoid) = (self.watch.lines, self.watch.avoid.clone());
        let job = self.start(Task::Analysis { node: at.0, setup, rule: self.game.rule(), lines, avoid });
        self.watch.running = Some((job, at));
        self.watch.finished = None;
    }

    /// Takes a message of the running analysis.
    pub(super) fn analysed(&mut self, last: bool, event: Event) {
        // With the other side to move, or with moves excluded, the result is not the value of this position.
        if !self.watch.threat && self.watch.avoid.is_empty() {
            values::keep_event(&mut self.game.record_mut().tree, &event);
        }
        if last {
            self.watch.finish();
        }
        self.effects.push(Effect::Send(event));
    }
}
