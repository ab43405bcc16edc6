//! The facade: positions and limits in, reports and one outcome out.
//!
//! An [`Engine`] owns its transposition table, histories and thread pool, so two engines in one process are independent
//! of each other. It does not handle text, files, stdin or stdout; protocol, bench, match runner and self-play are all
//! clients of this module.

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
    Bound, Limits, Line, MAX_DEPTH, Parameter, Params, Report, RootState, STACK_BYTES, Sampling, ThreadHost, TreeNode,
};
pub use opening::{opening_goal, opening_steps, swap2_openings};
pub use proof::{Means, Proof, Question, Verdict};
pub use report::{Answer, Goal, Outcome, Proven, Request};
pub use threats::{Threat, ThreatKind, threats};

use crate::book::Book;
use crate::eval::Classical;
use crate::memory_hints::return_large_blocks;
use crate::position::Position;
use crate::search::{Searcher, available_threads};
use decision::Decision;
use proof::Prover;
use web_time::Instant;

/// Settings that outlive a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Search threads, at least 1. The engine uses at most as many as there are processors, because more threads than
    /// processors delay the first one, or as many as its [`ThreadHost`] has.
    pub threads: usize,
    /// Whether threads share out only the moves of the root. By default they also share out the moves of all deeper
    /// nodes, which is faster.
    pub root_parallel: bool,
    /// Resident memory limit of the whole process, in bytes; `None` uses the default table size.
    pub max_memory: Option<u64>,
    /// Size of the transposition table in bytes, limited by `max_memory`; `None` takes all memory that is left, or the
    /// default size without a memory limit.
    pub hash: Option<u64>,
    /// The evaluation of positions.
    pub evaluation: Evaluation,
    /// Whether the built-in opening book may answer.
    pub book: bool,
}

impl Options {
    /// Largest number of threads of a search.
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

/// Upper bound of the memory of everything but the transposition table, in bytes: program, pattern tables of all rules,
/// stacks, solver. Measured: 7 MB and the 4 MB of the solver.
const OVERHEAD: u64 = 16 << 20;
/// Memory of a search thread, in bytes. Measured: 0.4 MB.
const PER_THREAD: u64 = 1 << 20;
/// Default size of the transposition table, in bytes.
const DEFAULT_TABLE: u64 = 64 << 20;
/// Minimum and maximum size of the transposition table, in bytes.
const LEAST_TABLE: u64 = 1 << 20;
const LARGEST_TABLE: u64 = 1 << 36;

impl Options {
    /// Number of threads that search.
    fn working_threads(&self) -> usize {
        self.threads.clamp(1, available_threads().min(Options::MAX_THREADS))
    }

    /// Memory left for the transposition table when the network takes `network` bytes; `None` if there is no limit.
    fn room_beside(&self, network: u64) -> Option<u64> {
        let taken = (OVERHEAD + self.working_threads() as u64 * PER_THREAD).saturating_add(network);
        self.max_memory.map(|m| m.saturating_sub(taken))
    }

    /// Whether `bytes` more bytes fit beside the network's present memory and the smallest table.
    pub fn has_room_for(&self, bytes: u64) -> bool {
        let taken = self.evaluation.network_bytes().saturating_add(bytes);
        self.room_beside(taken).is_none_or(|room| room >= LEAST_TABLE)
    }

    /// Whether the network leaves enough memory for a table under a rule.
    fn network_fits(&self, rule: Rule) -> bool {
        self.room_beside(self.evaluation.network_bytes_with(rule)).is_none_or(|room| room >= LEAST_TABLE)
    }

    /// The evaluation; without its network if the network would leave no memory for a table.
    fn working_evaluation(&self, rule: Rule) -> Evaluation {
        if self.network_fits(rule) { self.evaluation.clone() } else { self.evaluation.clone().classical() }
    }

    /// Size of the transposition table under a rule, in bytes. A network that does not fit is not used under this rule,
    /// but the weights unpacked for other rules still take memory.
    fn table_bytes(&self, rule: Rule) -> usize {
        let evaluation = &self.evaluation;
        let network =
            if self.network_fits(rule) { evaluation.network_bytes_with(rule) } else { evaluation.network_bytes() };
        let room = self.room_beside(network);
        let wanted = self.hash.or(room).unwrap_or(DEFAULT_TABLE);
        wanted.min(room.unwrap_or(LARGEST_TABLE)).clamp(LEAST_TABLE, LARGEST_TABLE) as usize
    }
}

/// The engine.
#[derive(Debug)]
pub struct Engine {
    options: Options,
    searcher: Searcher,
    prover: Prover,
}

impl Engine {
    /// Creates an engine with these settings. This is cheap: the system provides memory page by page at first use.
    pub fn new(options: Options) -> Engine {
        let mut engine = Engine { searcher: Searcher::new(0), prover: Prover::default(), options: Options::default() };
        engine.set_options(options);
        engine
    }

    /// The settings in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes the settings. If they need a table of another size, the next search begins with an empty one.
    pub fn set_options(&mut self, options: Options) {
        self.searcher.set_threads(options.working_threads());
        self.searcher.set_root_parallel(options.root_parallel);
        if options.max_memory.is_some() {
            return_large_blocks();
        }
        self.options = options;
    }

    /// Applies the settings to the searcher under a rule; returns the evaluation in use.
    fn fit(&mut self, rule: Rule) -> Evaluation {
        let evaluation = self.options.working_evaluation(rule);
        self.searcher.resize(self.options.table_bytes(rule));
        self.searcher.set_evaluation(evaluation.clone());
        evaluation
    }

    /// Replaces the search parameters and clears everything learned; `None` restores each rule's own parameters.
    pub fn set_params(&mut self, params: Option<Params>) {
        self.searcher.set_params(params);
    }

    /// Records a random sample of the inner nodes of later searches, drawn with this seed, until [`Engine::take_tree`]:
    /// samples for training. Only the first thread records nodes.
    pub fn sample_tree(&mut self, sampling: Sampling, seed: u64) {
        self.searcher.sample_tree(sampling, seed);
    }

    /// Returns the nodes recorded since [`Engine::sample_tree`] and stops recording.
    pub fn take_tree(&mut self) -> Vec<TreeNode> {
        self.searcher.take_tree()
    }

    /// Builds what the first search under a rule needs, which takes some hundredths of a second: mainly the network's
    /// weights, if they fit into the memory limit.
    pub fn prepare(&mut self, rule: Rule) {
        let evaluation = self.fit(rule);
        if self.options.book {
            let _ = Book::built_in();
        }
        let _ = evaluation.network.as_ref().and_then(|network| network.set(rule));
        // This also reads the evaluation's weights.
        let _ = Classical::with_position(&Setup::empty(BoardSize::RENJU), rule, &evaluation.weights);
    }

    /// Frees the memory of the transposition table, with its entries, until the next search.
    pub fn free_table(&mut self) {
        self.searcher.resize(LEAST_TABLE as usize);
    }

    /// Clears everything learned from earlier searches.
    pub fn clear(&mut self) {
        self.searcher.clear();
        self.prover = Prover::default();
    }

    /// Share of the transposition table that the last search used, in thousandths.
    pub fn hash_full(&self) -> u32 {
        self.searcher.hash_full()
    }

    /// Points where the side to move may not play (black in renju), in board order; empty for an invalid setup.
    pub fn forbidden(&self, setup: &Setup, rule: Rule) -> Vec<Point> {
        Position::new(setup, rule).map_or_else(|_| Vec::new(), |mut p| p.forbidden_points())
    }

    /// Thinks until the goal is decided, a limit is reached or `stop` is set, and blocks the caller meanwhile. It
    /// always answers, with a legal move if there is one. A setup that does not pass [`Setup::check`] gets
    /// [`Answer::Full`].
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
    use crate::eval::network::Network;
    use std::sync::Arc;

    /// A copy of the built-in network, because other tests use the shared one at the same time, which
    /// [`Evaluation::decode`] would return.
    fn network() -> Evaluation {
        let network = Network::decode(include_bytes!("../eval/network/built_in.tnn").to_vec()).expect("a network");
        Evaluation { network: Some(Arc::new(network)), ..Evaluation::default() }
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
        let network = evaluation.network_bytes_with(Rule::Freestyle);
        let decoding = (network - evaluation.network_bytes()) as usize;
        let taken = OVERHEAD + PER_THREAD + network;
        let options = Options { max_memory: Some(taken + (8 << 20)), evaluation, ..Options::default() };
        assert_eq!(options.table_bytes(Rule::Freestyle), 8 << 20);
        assert_eq!(options.working_evaluation(Rule::Renju).network, None);
        // Nothing is decoded for a rule that the network is not used under.
        assert_eq!(options.table_bytes(Rule::Renju), (8 << 20) + decoding);
    }
}
