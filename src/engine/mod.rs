//! The facade: positions and limits in, reports and one outcome out.
//!
//! An [`Engine`] owns its transposition table, histories and thread pool, so two of them live in one
//! process without knowing of each other. It knows nothing of text, files, stdin or stdout; protocol,
//! bench, match runner and self-play are all clients of this module.

mod report;

pub use crate::board::{BoardSize, Cell, Direction, Point, Setup, SetupError, Side};
pub use crate::control::StopToken;
pub use crate::rules::Rule;
pub use crate::score::Score;
pub use report::{Answer, Goal, Limits, Line, Outcome, Report, Request, RootState};

use std::time::Duration;

/// Settings that outlive a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Search threads, at least 1 (larger numbers than [`Options::MAX_THREADS`] are lowered to it).
    pub threads: usize,
    /// Resident memory the whole process may use, in bytes; `None` keeps the modest default.
    pub max_memory: Option<u64>,
    /// Transposition table in bytes, within what `max_memory` allows; `None` takes what fits.
    pub hash: Option<u64>,
}

impl Options {
    /// Most threads that a search uses.
    pub const MAX_THREADS: usize = 256;
}

impl Default for Options {
    fn default() -> Options {
        Options { threads: 1, max_memory: None, hash: None }
    }
}

/// A player.
#[derive(Debug)]
pub struct Engine {
    options: Options,
}

impl Engine {
    /// An engine with these settings. Cheap: memory is taken when it is first needed.
    pub fn new(options: Options) -> Engine {
        Engine { options }
    }

    /// The settings in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes the settings; a changed memory limit takes effect at the next search.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// Forgets all that was learned from earlier searches.
    pub fn clear(&mut self) {}

    /// Share of the transposition table in use, in thousandths.
    pub fn hash_full(&self) -> u32 {
        0
    }

    /// Points where the side to move may not play (renju's black), in board order.
    pub fn forbidden(&self, _setup: &Setup, _rule: Rule) -> Vec<Point> {
        Vec::new()
    }

    /// Thinks, blocking the caller, until the goal is decided, a limit is reached or `stop` is set; always
    /// answers, with a legal move if there is one. The setup must pass [`Setup::check`].
    pub fn think(&mut self, request: &Request, stop: &StopToken, on_report: &mut dyn FnMut(&Report)) -> Outcome {
        let _ = (stop, on_report);
        let center = request.setup.size.center();
        let best = request
            .setup
            .size
            .points()
            .filter(|p| request.setup.cell(*p) == Cell::Empty)
            .min_by_key(|p| p.distance(center));
        let line = Line {
            rank: 0,
            of: 1,
            depth: 0,
            seldepth: 0,
            score: Score::ZERO,
            nodes: 0,
            elapsed: Duration::ZERO,
            moves: best.into_iter().collect(),
        };
        let answer = best.map_or(Answer::Full, |p| Answer::Points(vec![p]));
        Outcome { answer, line }
    }
}
