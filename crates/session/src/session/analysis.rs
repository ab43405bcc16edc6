//! Live analysis: it runs while it is switched on, follows the shown node, and yields the engine to all other work.

use super::check::{self, Denied};
use super::{Session, values};
use crate::command::Analysis;
use crate::job::Task;
use crate::view::Event;
use tengen::board::Setup;

/// Maximum number of lines of analysis.
const MOST_LINES: usize = 10;

impl Session {
    /// Whether live analysis is switched on, even while other work delays it.
    pub fn is_analysis_on(&self) -> bool {
        self.watch.is_on()
    }

    pub(super) fn set_analysis(&mut self, wanted: Analysis) -> Result<(), Denied> {
        if wanted.on == Some(true) {
            self.check_help()?;
        }
        if wanted.lines.is_some_and(|lines| !(1..=MOST_LINES).contains(&lines)) {
            return Err(Denied::malformed("analysis shows 1 to 10 lines"));
        }
        if wanted.avoid.as_ref().is_some_and(|labels| labels.len() > self.size().cells()) {
            return Err(Denied::malformed("more moves to avoid than the board has points"));
        }
        let points = |labels: &Vec<String>| labels.iter().map(|label| check::point(self.size(), label)).collect();
        let avoid = wanted.avoid.as_ref().map(points).transpose()?;
        if let Some(name) = &wanted.second {
            self.set_second(name)?;
        }
        self.stop_analysis();
        if wanted.threat.is_some_and(|threat| threat != self.watch.threat()) {
            self.stop_opinion();
            self.second.job.forget();
        }
        self.watch.set(&wanted, avoid);
        if !self.watch.is_on() {
            self.stop_opinion();
            self.second.job.forget();
        }
        if self.second.engine().is_some() && (!self.watch.is_on() || wanted.second.is_some()) {
            self.outbox.start(Task::Release);
        }
        self.show();
        Ok(())
    }

    /// Ends the running analysis; its later messages are dropped.
    pub(super) fn stop_analysis(&mut self) {
        self.outbox.cancel(self.watch.job.stop());
    }

    /// Starts, stops or restarts the analysis as the state of the game requires.
    pub(super) fn settle_analysis(&mut self) {
        let at = self.game.at();
        let is_wanted = self.may_analyse() && self.requests.open().next().is_none();
        if self.watch.job.is_outdated(at, is_wanted) {
            self.stop_analysis();
        }
        if !is_wanted || !self.watch.job.is_due(at) {
            return;
        }
        let setup = self.analysed_setup();
        let (lines, avoid) = (self.watch.lines(), self.watch.avoid().to_vec());
        let job = self.start(Task::Analysis { node: at.0, setup, rule: self.game.rule(), lines, avoid });
        self.watch.job.begin(job, at);
    }

    /// Whether analysis of the shown position is wanted and allowed, and no engine searches for a move.
    pub(super) fn may_analyse(&self) -> bool {
        let is_busy = self.engine.is_searching() || self.is_engine_due();
        self.watch.is_on() && !is_busy && self.may_help() && self.game.position().ended().is_none()
    }

    /// The shown position, with the other side to move if its threats are analysed.
    pub(super) fn analysed_setup(&self) -> Setup {
        let mut setup = self.game.position().setup();
        if self.watch.threat() {
            setup.to_move = !setup.to_move;
        }
        setup
    }

    /// Takes a message of the running analysis.
    pub(super) fn analysed(&mut self, last: bool, event: Event) {
        // With the other side to move, or with moves excluded, the result is not the value of this position.
        if self.watch.is_of_position() {
            values::keep_event(&mut self.game, &event);
        }
        if last {
            self.watch.job.finish();
        }
        self.outbox.send(event);
    }
}
