//! How each goal is decided.

use super::decision::{Decision, OnReport, points};
use super::opening::{or_swap, soosorv_openings, swap2_openings};
use super::report::{Answer, Goal, Outcome};
use crate::search::{Line, Report};

impl Decision<'_> {
    /// Decides the request.
    pub(super) fn decide(mut self, on_report: OnReport<'_>) -> Outcome {
        if let Some(line) = self.quoted() {
            on_report(&Report::Book(line));
        }
        let mut outcome = match self.request.goal {
            Goal::Move | Goal::AllMoves => self.best_move(&self.request.limits, on_report),
            Goal::BalanceOne { bias } => points(1, self.balanced(bias)),
            Goal::BalanceTwo { bias } => points(2, self.balanced_pair(bias)),
            Goal::Swap2Open => points(3, self.opening(&swap2_openings(&self.request.setup))),
            Goal::Swap2Reply => self.swap2_reply(on_report),
            Goal::Swap2Final | Goal::SoosorvReply => or_swap(self.best_move(&self.limits_of_choice(), on_report)),
            Goal::SoosorvOpen => points(3, self.opening(&soosorv_openings(&self.request.setup))),
            Goal::SoosorvFourth => self.soosorv_fourth(),
            Goal::SoosorvSwap { fifths } => {
                let lines = self.fifths(fifths, on_report);
                let last = lines.into_iter().take(fifths).next_back();
                or_swap(points(1, last.map(|line| Line { pv_index: 0, pv_count: 1, ..line })))
            }
            Goal::SoosorvOffer { fifths } => {
                let lines = self.fifths(fifths, on_report);
                let offered = lines.iter().take(fifths).filter_map(|line| line.moves.first().copied()).collect();
                Outcome { answer: Answer::Points(offered), ..points(1, lines.into_iter().next()) }
            }
            Goal::SoosorvChoose { fifths } => points(1, self.worst_fifth(fifths, on_report)),
            Goal::OpenByFifths { fifths } => self.opening_by_fifths(fifths),
            Goal::ColourByFifths { fifths } => self.colour_by_fifths(fifths),
            Goal::Fourth { fifths } => self.fourth(fifths),
            Goal::FifthsNumber { most } => self.number_of_fifths(most),
            Goal::TenOrColour { fifths } => self.ten_or_colour(fifths, on_report),
        };
        if self.searches > 1 {
            outcome.line.nodes = self.nodes;
            outcome.line.elapsed = self.started().elapsed();
        }
        outcome
    }
}
