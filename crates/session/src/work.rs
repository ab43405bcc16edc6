//! The work of jobs: functions that do one job on an engine and report by a callback. They start no thread; the caller
//! decides where they run.
//!
//! A job ends when its search stops, by itself or by its stop token. In both cases it sends a last message.

pub mod analysis;
mod cut_off;
pub mod judge;
pub mod level;
pub mod player;
mod proof;
pub mod review;

pub use cut_off::cut_off;
pub(crate) use proof::whole_win;

use crate::job::WorkerMessage;
use tengen::board::Setup;
use tengen::engine::{Evaluation, Line, Options, Proven, Rule};

/// Transposition table of the engines that review and judge, in bytes.
const REVIEW_TABLE: u64 = 64 << 20;

/// Receives the messages of a job.
pub type MessageSink<'a> = &'a dyn Fn(WorkerMessage);

/// A database of positions, which saves analysis what is proven already, and may store what it finds.
pub trait KnownPositions {
    /// What is proven of a position; nothing if the database cannot be read.
    fn proven(&self, setup: &Setup, rule: Rule) -> Proven;
    /// The result of an analysis, to be stored if a person wants that. The flag says whether it searched all moves.
    fn found(&self, setup: &Setup, rule: Rule, lines: &[Line], is_of_all: bool);
}

/// Options of the engines that review and judge. Both have the same, so that they give the same result; one thread, so
/// that a review of the same game gives the same result.
pub fn review_options(evaluation: Evaluation) -> Options {
    Options { hash: Some(REVIEW_TABLE), evaluation, ..Options::default() }
}
