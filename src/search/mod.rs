//! The search.
//!
//! A [`Searcher`] owns the state that outlives a single search: table, histories, corrections, threads. It takes a
//! [`Task`] and reports lines. It does not depend on protocols, options or opening conventions.

mod abdada;
mod aspiration;
mod correction;
mod helper_sync;
mod history;
mod limits;
mod move_picker;
mod move_stack;
mod node;
mod params;
mod pvs;
mod qsearch;
mod report;
mod root;
mod root_move;
mod root_solver;
mod root_task;
mod selectivity;
mod task;
mod threads;
mod time;
mod tree;
mod tt;
mod worker;

pub use limits::Limits;
pub use params::{MAX_DEPTH, Parameter, Params};
pub use report::{Line, Report, RootState};
pub use task::Task;
pub use threads::{STACK_BYTES, ThreadHost, available_threads};
pub use tree::{Sampling, TreeNode};
pub use tt::Bound;

use crate::board::{BoardSize, Point, SetupError};
use crate::control::StopToken;
use crate::eval::network::Neural;
use crate::eval::{Classical, Evaluation, Evaluator};
use crate::position::Position;
use crate::rules::Rule;
use crate::score::Score;
use crate::solver::Solver;
use abdada::CurrentlySearched;
use correction::Corrections;
use helper_sync::{DismissHelpers, HelperSync};
use history::Histories;
use root_solver::{AnnouncedWin, RootSolver};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use time::Clock;
use tree::Sampler;
use tt::Table;
use worker::{Shared, Worker};

/// What must match for cached results to stay valid.
type CacheKey = (Rule, BoardSize, Vec<Point>);

/// Searches positions. Its table, histories and corrections persist from one search to the next.
#[derive(Debug)]
pub struct Searcher {
    table: Table,
    /// Requested size of the table, in buckets; the system may have refused it.
    wanted_buckets: usize,
    solver: Solver,
    announced: Option<AnnouncedWin>,
    params: Params,
    /// Parameters that replace those of the rule.
    own_params: Option<Params>,
    evaluation: Evaluation,
    histories: Histories,
    corrections: Corrections,
    pool: Option<rayon::ThreadPool>,
    root_parallel: bool,
    sampler: Option<Sampler>,
    cache_key: Option<CacheKey>,
}

/// Memory of the solver at the root, in bytes.
const SOLVER_BYTES: usize = 4 << 20;

/// Expected speed of a thread, in nodes per second. The part of the table that a game needs is estimated from it.
const NODES_A_SECOND: f64 = 500_000.0;
/// Bytes of table for each node of a move: room for the entries of eight moves. A larger table is slower, because most
/// probes then miss the faster caches.
const BYTES_A_NODE: f64 = 128.0;
/// Minimum size of the part of the table in use, in bytes: a smaller one is not faster.
const NEAR_BYTES: usize = 4 << 20;

fn wanted_buckets(table_bytes: usize) -> usize {
    (table_bytes / Table::BUCKET_BYTES).max(1)
}

impl Searcher {
    /// A searcher with one thread and a table of this many bytes.
    pub fn new(table_bytes: usize) -> Searcher {
        Searcher {
            table: Table::new(table_bytes),
            wanted_buckets: wanted_buckets(table_bytes),
            solver: Solver::new(SOLVER_BYTES),
            announced: None,
            params: Params::of(Rule::ALL[0]),
            own_params: None,
            evaluation: Evaluation::default(),
            histories: Histories::default(),
            corrections: Corrections::default(),
            pool: None,
            root_parallel: false,
            sampler: None,
            cache_key: None,
        }
    }

    /// Replaces the table if the requested size differs from the previous request.
    pub fn resize(&mut self, table_bytes: usize) {
        let buckets = wanted_buckets(table_bytes);
        if buckets != self.wanted_buckets {
            self.wanted_buckets = buckets;
            self.table = Table::new(0);
            self.table = Table::new(table_bytes);
        }
    }

    /// Sets the number of threads; more than one thread needs a pool, which is built here. Falls back to fewer threads
    /// if the system refuses.
    pub fn set_threads(&mut self, threads: usize) {
        if threads == self.threads() {
            return;
        }
        self.pool = None;
        if threads > 1 {
            // The caller's thread is the main search thread.
            self.pool = threads::pool(threads - 1).map_err(|e| log::warn!("cannot start {threads} threads: {e}")).ok();
        }
    }

    /// Whether threads split the moves of the root only, or those of deeper nodes as well.
    pub fn set_root_parallel(&mut self, root_parallel: bool) {
        self.root_parallel = root_parallel;
    }

    fn threads(&self) -> usize {
        1 + self.pool.as_ref().map_or(0, rayon::ThreadPool::current_num_threads)
    }

    /// Stores a random sample of the inner nodes of later searches, until [`Searcher::take_tree`]. `seed` seeds the
    /// random choice. Only nodes of the main thread are sampled.
    pub fn sample_tree(&mut self, sampling: Sampling, seed: u64) {
        self.sampler = Some(Sampler::new(sampling, seed));
    }

    /// Ends the sampling that [`Searcher::sample_tree`] started, and returns the sampled nodes.
    pub fn take_tree(&mut self) -> Vec<TreeNode> {
        self.sampler.take().map_or_else(Vec::new, |sampler| sampler.nodes)
    }

    /// Replaces the parameters of the search; `None` restores those of each rule.
    pub fn set_params(&mut self, params: Option<Params>) {
        self.own_params = params;
        self.cache_key = None;
        self.clear();
    }

    /// Replaces the evaluation and clears the scores found with the previous one.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        let same =
            Arc::ptr_eq(&self.evaluation.weights, &evaluation.weights) && self.evaluation.network == evaluation.network;
        if !same {
            self.evaluation = evaluation;
            self.clear();
        }
    }

    /// Clears the results of all earlier searches.
    pub fn clear(&mut self) {
        self.table.clear();
        self.solver.clear();
        self.announced = None;
        self.histories = Histories::default();
        self.corrections = Corrections::default();
    }

    /// Share of the table used by the last search, in thousandths.
    pub fn hash_full(&self) -> u32 {
        self.table.full()
    }

    /// Returns the best lines, best first; the list is empty if every empty point is excluded. Blocks until the search
    /// is decided, a limit is reached, or `stop` is set.
    ///
    /// # Errors
    /// If the setup is faulty.
    pub fn search(
        &mut self,
        task: &Task<'_>,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Result<Vec<Line>, SetupError> {
        // Keeps the evaluation alive until the search ends.
        let Evaluation { weights, network } = self.evaluation.clone();
        if let Some(network) = network
            && let (position, Some(eval)) = Neural::with_position(task.setup, task.rule, &network)?
        {
            return Ok(self.search_by(task, position, eval, stop, on_report));
        }
        let (position, eval) = Classical::with_position(task.setup, task.rule, &weights)?;
        Ok(self.search_by(task, position, eval, stop, on_report))
    }

    /// [`Searcher::search`] with an evaluator that observes the position.
    fn search_by<E: Evaluator>(
        &mut self,
        task: &Task<'_>,
        mut position: Position,
        mut eval: E,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Vec<Line> {
        let mut moves = root::root_moves(&mut position, &mut eval, task.excluded, task.all_moves);
        if moves.is_empty() {
            return Vec::new();
        }
        let clock = Clock::new(task.limits, position.empty_cells());
        self.prepare(task, &clock);
        let shared = Shared {
            table: &self.table,
            histories: &self.histories,
            corrections: &self.corrections,
            params: &self.params,
            stop,
            clock,
            node_limit: task.limits.nodes.unwrap_or(u64::MAX),
            threads: self.threads(),
            nodes: AtomicU64::new(0),
            over: AtomicBool::new(false),
            searched_now: CurrentlySearched::new(self.threads() > 1 && !self.root_parallel),
            helpers: HelperSync::new(self.threads()),
        };
        let sampler = &mut self.sampler;
        // The solver is off in multi-PV.
        let mut solver =
            (task.lines == 1).then(|| RootSolver::new(&mut self.solver, &position, self.announced.as_ref()));
        let mut main = |on_report: &mut dyn FnMut(&Report)| {
            let mut worker = Worker::new(&shared, &position, &eval);
            worker.sampler = sampler.take();
            let depth = worker.iterate(task, &mut moves, on_report, solver.as_mut());
            *sampler = worker.sampler.take();
            let lines = task.lines.clamp(1, moves.len());
            // A search that stops early may have fewer lines than requested.
            let known = moves.iter().take(lines).enumerate().filter(|(rank, m)| *rank == 0 || m.is_known());
            known.map(|(rank, m)| worker.line(m, rank, lines, depth)).collect()
        };
        let lines: Vec<Line> = match &self.pool {
            None => main(on_report),
            Some(pool) => pool.in_place_scope(|scope| {
                for _ in 0..pool.current_num_threads() {
                    scope.spawn(|_| Worker::new(&shared, &position, &eval).help());
                }
                let _dismiss = DismissHelpers(&shared.helpers);
                main(on_report)
            }),
        };
        if let Some(line) = lines.first().filter(|line| line.score.is_win()) {
            let tree = solver.and_then(|solver| solver.won);
            self.announced = AnnouncedWin::new(&position, line, tree, self.announced.take());
        }
        lines
    }

    fn prepare(&mut self, task: &Task<'_>, clock: &Clock) {
        let cache_key = (task.rule, task.setup.size, task.setup.blocked.clone());
        if self.cache_key.as_ref() != Some(&cache_key) {
            if self.cache_key.is_some() {
                self.clear();
            }
            self.params = self.own_params.clone().unwrap_or_else(|| Params::of(task.rule));
            self.cache_key = Some(cache_key);
        }
        let by_time = clock.aim().map(|aim| NODES_A_SECOND * aim.as_secs_f64() * self.threads() as f64);
        let by_limit = task.limits.nodes.map(|nodes| nodes as f64);
        let nodes = by_time.into_iter().chain(by_limit).reduce(f64::min);
        self.table.fit(nodes.map(|nodes| ((nodes * BYTES_A_NODE) as usize).max(NEAR_BYTES)));
        self.table.new_search();
        self.histories.age();
    }
}

/// A line of one move that needed no search.
pub fn unsearched(point: Point, score: Score) -> Line {
    Line {
        pv_index: 0,
        pv_count: 1,
        depth: 0,
        seldepth: 0,
        score,
        nodes: 0,
        elapsed: Duration::ZERO,
        moves: vec![point],
    }
}
