//! The running search: its question, its deadline, and the replies that it owes.

use super::analysis::{Analysis, Wanted};
use super::answer::Question;
use super::body::Cells;
use super::extension::SoosorvStep;
use super::reply::Reply;
use super::settings::Settings;
use super::steps::Step;
use super::summary::Names;
use crate::engine::{Answer, Cell, Goal, Limits, Outcome, Point, Report};
use web_time::Instant;

/// The form in which a search is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A move, which is also played in the game.
    Move,
    /// The line that `SWAP2BOARD` expects.
    Swap2,
    /// The messages that Yixin-Board expects.
    Step(Step),
}

/// A search that still has to be answered.
#[derive(Debug)]
pub(super) struct RunningSearch {
    number: u64,
    question: Question,
    form: Form,
    stopping: bool,
    is_limited: bool,
    /// When the best move known must be sent; `None` if there is no limit, or the overdue search was already stopped.
    overdue: Option<Instant>,
    analysis: Analysis,
}

impl RunningSearch {
    /// The search with this number, whose command arrived at `started`.
    pub(super) fn new(number: u64, question: Question, form: Form, limits: &Limits, started: Instant) -> RunningSearch {
        RunningSearch {
            number,
            question,
            form,
            stopping: false,
            is_limited: limits.is_limited(),
            overdue: limits.overdue(),
            analysis: Analysis::new(limits, started),
        }
    }

    /// Its number.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the search has a limit that ends it.
    pub(super) fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// Whether it chooses among the fifth moves of Soosorv.
    pub(super) fn is_choice(&self) -> bool {
        self.form == Form::Step(Step::Soosorv(SoosorvStep::Choose))
    }

    /// Whether these cells are those of the stones in the searched position.
    pub(super) fn is_about(&self, cells: &Cells) -> bool {
        let stones = &self.question.setup.stones;
        cells.len() == stones.len() && cells.iter().all(|(cell, _)| stones.iter().any(|(p, _)| p == cell))
    }

    /// Notes that the search is being stopped; returns whether that is new.
    pub(super) fn stop(&mut self) -> bool {
        !std::mem::replace(&mut self.stopping, true)
    }

    /// The output that the manager wants for this search.
    pub(super) fn wanted(&self, settings: &Settings, ending: bool) -> Wanted {
        Wanted {
            realtime: settings.wants_realtime(),
            lines: settings.wants_lines(),
            text: settings.wants_text(),
            repeats: ending,
            names: Names::new(self.question.setup.size, settings.board),
        }
    }

    /// When [`RunningSearch::clock`] has something to do, if nothing else happens before.
    pub(super) fn wake(&self, wanted: Wanted) -> Option<Instant> {
        self.overdue.into_iter().chain(self.analysis.wake(wanted)).min()
    }

    /// Stores a report; returns the replies to write for it now.
    pub(super) fn report(&mut self, report: Report, at: Instant, wanted: Wanted) -> Vec<Reply> {
        self.analysis.report(report, at, wanted)
    }

    /// The replies to write at this time.
    pub(super) fn clock(&mut self, at: Instant, wanted: Wanted) -> Vec<Reply> {
        self.analysis.clock(at, wanted)
    }

    /// Whether the search has become overdue at this time. It does so once.
    pub(super) fn becomes_overdue(&mut self, at: Instant) -> bool {
        self.overdue.take_if(|due| at >= *due).is_some()
    }

    /// Whether the best move reported answers the search if it has to end now.
    pub(super) fn has_answer(&self) -> bool {
        let is_move = self.form == Form::Move && matches!(self.question.goal, Goal::Move | Goal::AllMoves);
        is_move && self.analysis.best().is_some()
    }

    /// The replies that answer the search, and the moves to play in the game. `superseded`: the next command sets
    /// another position.
    pub(super) fn finish(
        mut self,
        outcome: Option<Outcome>,
        wanted: Wanted,
        superseded: bool,
    ) -> (Vec<Reply>, Vec<Point>) {
        let line = outcome.as_ref().filter(|outcome| !outcome.from_book).map(|outcome| &outcome.line);
        let mut replies = self.analysis.finish(line, wanted);
        let answer = self.question.checked(outcome.map(|outcome| outcome.answer), self.analysis.best());
        match (self.form, answer) {
            // Yixin-Board expects a move from a swap2 step that it has abandoned, and drops that move.
            (Form::Step(Step::Swap2(_)), _) if superseded => {
                let setup = &self.question.setup;
                let empty = setup.size.points().find(|p| setup.cell(*p) == Cell::Empty);
                replies.push(Reply::Points(empty.into_iter().collect()));
            }
            (Form::Step(step), answer) => replies.extend(step.replies(&answer)),
            (Form::Move, Answer::Points(points)) => {
                replies.push(Reply::Points(points.clone()));
                return (replies, points);
            }
            (Form::Swap2, Answer::Points(points)) => replies.push(Reply::Points(points)),
            (Form::Move | Form::Swap2, Answer::Swap) => replies.push(Reply::Swap),
            (Form::Move | Form::Swap2, Answer::Full) => replies.push(Reply::Error("board is full".to_owned())),
        }
        (replies, Vec::new())
    }
}
