//! The facade: positions and limits in, reports and one outcome out.
//!
//! An [`Engine`] owns its transposition table, histories and thread pool, so two of them live in one
//! process without knowing of each other. It knows nothing of text, files, stdin or stdout; protocol,
//! bench, match runner and self-play are all clients of this module.

mod decision;
mod goals;
pub mod loader;
mod opening;
mod proof;
mod report;
mod threats;

pub use crate::board::{BoardSize, Cell, Direction, Point, Setup, SetupError, Side, format_point};
pub use crate::control::StopToken;
pub use crate::eval::{Evaluation, WeightSets, Weights};
pub use crate::rules::Rule;
pub use crate::score::Score;
pub use crate::search::{
    Bound, Limits, Line, MAX_DEPTH, Parameter, Params, Report, RootState, STACK_BYTES, Sampling, TreeNode,
};
pub use opening::swap2_openings;
pub use proof::{Means, Proof, Question, Verdict};
pub use report::{Answer, Goal, Outcome, Request};
pub use threats::{Threat, ThreatKind, threats};

use crate::book::Book;
use crate::eval::Classical;
use crate::position::Position;
use crate::search::Searcher;
use decision::Decision;
use proof::Prover;
use std::time::Instant;

/// Settings that outlive a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Search threads, at least 1. No more than there are processors are put to work: the others would only make the
    /// first wait.
    pub threads: usize,
    /// Whether threads share out the moves of the root alone. Otherwise those of all deeper nodes as well, which is
    /// quicker.
    pub root_parallel: bool,
    /// Resident memory the whole process may use, in bytes; `None` keeps the modest default.
    pub max_memory: Option<u64>,
    /// Transposition table in bytes, within what `max_memory` allows; `None` takes what fits.
    pub hash: Option<u64>,
    /// What positions are evaluated by.
    pub evaluation: Evaluation,
    /// Whether the opening book that the program was built with may answer.
    pub book: bool,
}

impl Options {
    /// Most threads that a search uses.
    pub const MAX_THREADS: usize = 256;
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            root_parallel: false,
            max_memory: None,
            hash: None,
            evaluation: Evaluation::default(),
            book: false,
        }
    }
}

/// Memory that everything but the transposition table may take, in bytes: program, pattern tables of all rules,
/// stacks, the solver. Measured: 7 MB and the 4 MB of the solver.
const OVERHEAD: u64 = 16 << 20;
/// What a search thread takes, in bytes. Measured: 0.4 MB.
const PER_THREAD: u64 = 1 << 20;
/// Default size of the transposition table, in bytes.
const DEFAULT_TABLE: u64 = 64 << 20;
/// Limits of its size, in bytes.
const LEAST_TABLE: u64 = 1 << 20;
const LARGEST_TABLE: u64 = 1 << 36;

impl Options {
    /// Threads that search.
    fn working_threads(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.clamp(1, processors.min(Options::MAX_THREADS))
    }

    /// Memory that is left for the transposition table when a network takes so many bytes; `None` if there is no limit.
    fn room_beside(&self, network: u64) -> Option<u64> {
        let taken = (OVERHEAD + self.working_threads() as u64 * PER_THREAD).saturating_add(network);
        self.max_memory.map(|m| m.saturating_sub(taken))
    }

    /// Whether so many bytes more have room beside what the network takes now, with the least table.
    pub fn has_room_for(&self, bytes: u64) -> bool {
        let taken = self.evaluation.network_bytes().saturating_add(bytes);
        self.room_beside(taken).is_none_or(|room| room >= LEAST_TABLE)
    }

    /// Whether the network leaves memory for a table under a rule.
    fn network_fits(&self, rule: Rule) -> bool {
        self.room_beside(self.evaluation.network_bytes_with(rule)).is_none_or(|room| room >= LEAST_TABLE)
    }

    /// The evaluation, without its network if that would leave no memory for a table.
    fn working_evaluation(&self, rule: Rule) -> Evaluation {
        if self.network_fits(rule) { self.evaluation.clone() } else { self.evaluation.clone().classical() }
    }

    /// Bytes for the transposition table under a rule. A network that is not used for want of memory still takes what
    /// was made of it for other rules.
    fn table_bytes(&self, rule: Rule) -> usize {
        let evaluation = &self.evaluation;
        let network =
            if self.network_fits(rule) { evaluation.network_bytes_with(rule) } else { evaluation.network_bytes() };
        let room = self.room_beside(network);
        let wanted = self.hash.or(room).unwrap_or(DEFAULT_TABLE);
        wanted.min(room.unwrap_or(LARGEST_TABLE)).clamp(LEAST_TABLE, LARGEST_TABLE) as usize
    }
}

/// A player.
#[derive(Debug)]
pub struct Engine {
    options: Options,
    searcher: Searcher,
    prover: Prover,
}

impl Engine {
    /// An engine with these settings. Cheap: memory is taken page by page as it is used.
    pub fn new(options: Options) -> Engine {
        let mut engine = Engine { searcher: Searcher::new(0), prover: Prover::default(), options: Options::default() };
        engine.set_options(options);
        engine
    }

    /// The settings in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes the settings. If the next search needs a table of another size for that, it begins with an empty one.
    pub fn set_options(&mut self, options: Options) {
        self.searcher.set_threads(options.working_threads());
        self.searcher.set_root_parallel(options.root_parallel);
        self.options = options;
    }

    /// Makes the searcher fit the settings, under a rule; returns the evaluation that it works with.
    fn fit(&mut self, rule: Rule) -> Evaluation {
        let evaluation = self.options.working_evaluation(rule);
        self.searcher.resize(self.options.table_bytes(rule));
        self.searcher.set_evaluation(evaluation.clone());
        evaluation
    }

    /// Replaces the parameters of the search and forgets everything; with `None` each rule has its own again.
    pub fn set_params(&mut self, params: Option<Params>) {
        self.searcher.set_params(params);
    }

    /// Keeps some of the inner nodes of later searches, drawn by lot from this seed on, until [`Engine::take_tree`]:
    /// samples for training. Those of the first thread only.
    pub fn sample_tree(&mut self, sampling: Sampling, seed: u64) {
        self.searcher.sample_tree(sampling, seed);
    }

    /// The nodes kept since [`Engine::sample_tree`], which ends.
    pub fn take_tree(&mut self) -> Vec<TreeNode> {
        self.searcher.take_tree()
    }

    /// Builds what the first search under a rule needs, some milliseconds of work. A network's part, which cannot be
    /// given back, waits for that search unless it is known to fit.
    pub fn prepare(&mut self, rule: Rule) {
        let evaluation = self.fit(rule);
        if self.options.book {
            let _ = Book::built_in();
        }
        if self.options.max_memory.is_some() {
            let _ = evaluation.network.as_ref().and_then(|network| network.set(rule));
        }
        // Also read the evaluation's weights.
        let _ = Classical::with_position(&Setup::empty(BoardSize::RENJU), rule, &evaluation.weights);
    }

    /// Gives back the memory of the transposition table, with what it knows, until the next search.
    pub fn free_table(&mut self) {
        self.searcher.resize(LEAST_TABLE as usize);
    }

    /// Forgets all that was learned from earlier searches.
    pub fn clear(&mut self) {
        self.searcher.clear();
        self.prover = Prover::default();
    }

    /// Share of the transposition table used by the last search, in thousandths.
    pub fn hash_full(&self) -> u32 {
        self.searcher.hash_full()
    }

    /// Points where the side to move may not play (renju's black), in board order; none for a faulty setup.
    pub fn forbidden(&self, setup: &Setup, rule: Rule) -> Vec<Point> {
        Position::new(setup, rule).map_or_else(|_| Vec::new(), |mut p| p.forbidden_points())
    }

    /// Thinks, blocking the caller, until the goal is decided, a limit is reached or `stop` is set; always
    /// answers, with a legal move if there is one. A setup that does not pass [`Setup::check`] has no answer
    /// ([`Answer::Full`]).
    pub fn think(&mut self, request: &Request, stop: &StopToken, on_report: &mut dyn FnMut(&Report)) -> Outcome {
        self.fit(request.rule);
        let mut begun = request.clone();
        begun.limits.started.get_or_insert_with(Instant::now);
        let request = &begun;
        let book = (self.options.book && request.setup.check().is_ok()).then(Book::built_in);
        Decision::new(&mut self.searcher, request, book, stop).decide(on_report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of the built-in network: of the shared one other tests make use meanwhile.
    fn network() -> Evaluation {
        Evaluation::decode(include_bytes!("../eval/network/built_in.tnn").to_vec()).expect("a network")
    }

    #[test]
    fn a_table_gets_what_the_evaluation_of_its_rule_leaves() {
        let network = network();
        let options =
            |evaluation, mega: u64| Options { max_memory: Some(mega << 20), evaluation, ..Options::default() };
        let table = |evaluation, rule| options(evaluation, 100).table_bytes(rule) as u64;
        for rule in Rule::ALL {
            let without = table(network.clone().classical(), rule);
            assert_eq!(without, (100 << 20) - OVERHEAD - PER_THREAD);
            assert_eq!(table(network.clone(), rule), without - network.network_bytes_with(rule));
            let little = options(network.clone(), (OVERHEAD + PER_THREAD + (6 << 20)) >> 20).working_evaluation(rule);
            assert!(!little.network.is_some_and(|network| network.knows(rule)));
        }
    }

    #[test]
    fn what_was_made_of_a_network_for_other_rules_counts_where_it_is_not_used() {
        let evaluation = network();
        assert!(evaluation.network.as_ref().expect("one").set(Rule::Freestyle).is_some());
        let taken = OVERHEAD + PER_THREAD + evaluation.network_bytes();
        let options = Options { max_memory: Some(taken + (8 << 20)), evaluation, ..Options::default() };
        assert_eq!(options.table_bytes(Rule::Freestyle), 8 << 20);
        assert_eq!(options.working_evaluation(Rule::Renju).network, None);
        assert_eq!(options.table_bytes(Rule::Renju), 8 << 20);
    }
}
