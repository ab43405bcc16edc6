//! The state of one request while the engine decides it: its searches, the book, and the nodes spent.

use super::report::{Answer, Goal, Outcome, Request};
use crate::board::{Point, Setup};
use crate::book::Book;
use crate::control::StopToken;
use crate::score::Score;
use crate::search::{Limits, Line, Report, Searcher, Task, unsearched};
use web_time::Instant;

pub(super) type OnReport<'a> = &'a mut dyn FnMut(&Report);

/// One request and the state needed to decide it.
pub(super) struct Decision<'a> {
    searcher: &'a mut Searcher,
    pub(super) request: &'a Request,
    /// The opening book, if it may be used.
    book: Option<&'a Book>,
    pub(super) stop: &'a StopToken,
    /// Number of searches so far, and their nodes.
    pub(super) searches: u32,
    pub(super) nodes: u64,
}

impl<'a> Decision<'a> {
    pub(super) fn new(
        searcher: &'a mut Searcher,
        request: &'a Request,
        book: Option<&'a Book>,
        stop: &'a StopToken,
    ) -> Decision<'a> {
        Decision { searcher, request, book, stop, searches: 0, nodes: 0 }
    }

    /// When the request arrived; [`Engine::think`](super::Engine::think) fills in this time before it decides.
    pub(super) fn started(&self) -> Instant {
        self.request.limits.started.unwrap_or_else(Instant::now)
    }

    pub(super) fn best_move(&mut self, limits: &Limits, on_report: OnReport<'_>) -> Outcome {
        let Request { setup, goal, lines, excluded, analysis, .. } = self.request;
        let all_moves = *goal == Goal::AllMoves;
        if *lines <= 1 && !all_moves && !analysis {
            if let Some(line) = self.quoted() {
                return Outcome { from_book: true, ..points(1, Some(line)) };
            }
            // Empty board: play the centre unsearched.
            let center = setup.size.center();
            if setup.stones.is_empty() && !excluded.contains(&center) && !setup.blocked.contains(&center) {
                return points(1, Some(unsearched(center, Score::ZERO)));
            }
        }
        let lines = (*lines).max(1);
        points(1, self.search(setup, limits, lines, excluded, all_moves, on_report).into_iter().next())
    }

    /// The book's line for the requested position, unless its move is excluded.
    pub(super) fn quoted(&self) -> Option<Line> {
        let Request { setup, excluded, .. } = self.request;
        self.advice(setup).filter(|line| !excluded.iter().any(|p| line.moves.contains(p)))
    }

    /// The book's line for a position.
    pub(super) fn advice(&self, setup: &Setup) -> Option<Line> {
        let advice = self.book?.advice(setup, self.request.rule)?;
        Some(Line { depth: advice.depth, ..unsearched(advice.reply, advice.score) })
    }

    pub(super) fn search(
        &mut self,
        setup: &Setup,
        limits: &Limits,
        lines: usize,
        excluded: &[Point],
        all_moves: bool,
        on_report: OnReport<'_>,
    ) -> Vec<Line> {
        let task = Task { setup, rule: self.request.rule, limits, lines, excluded, all_moves };
        let found = self.searcher.search(&task, self.stop, on_report).unwrap_or_default();
        self.searches += 1;
        self.nodes += found.first().map_or(0, |line| line.nodes);
        found
    }

    /// The best lines of a position whose stones are still to be chosen, by a search that sends no reports.
    pub(super) fn quick(&mut self, setup: &Setup, limits: &Limits, lines: usize) -> Vec<Line> {
        self.search(setup, limits, lines, &self.request.excluded, false, &mut |_| {})
    }

    /// The best line of a position after the choice: from the book if it has the position and this is no analysis,
    /// otherwise by a search. The exclusions of the request do not apply to it, because the opponent may play there.
    pub(super) fn best_line(&mut self, setup: &Setup, limits: &Limits) -> Option<Line> {
        let known = self.advice(setup).filter(|_| !self.request.analysis);
        known.or_else(|| self.search(setup, limits, 1, &[], false, &mut |_| {}).into_iter().next())
    }
}

/// The first `number` moves of a line as the answer; no line means that the board is full.
pub(super) fn points(number: usize, line: Option<Line>) -> Outcome {
    match line {
        Some(line) => {
            let answer = Answer::Points(line.moves.iter().take(number).copied().collect());
            Outcome { answer, line, from_book: false }
        }
        None => Outcome { answer: Answer::Full, line: Line::default(), from_book: false },
    }
}
