//! The search: what move, how good, how sure.
//!
//! A [`Searcher`] owns what outlives a single search (table, histories, threads). It takes a position and limits and
//! tells lines; it knows nothing of protocols, options or opening conventions.

mod busy;
mod history;
mod limits;
mod memory;
mod params;
mod picker;
mod prover;
mod pvs;
mod quiesce;
mod report;
mod root;
mod round;
mod team;
mod time;
mod tt;
mod worker;

pub use limits::Limits;
pub use params::{MAX_DEPTH, Parameter, Params};
pub use report::{Line, Report, RootState};

use crate::board::{BoardSize, Point, Setup, SetupError};
use crate::control::StopToken;
use crate::eval::{Classical, WeightSets, Weights};
use crate::rules::Rule;
use crate::score::Score;
use crate::solver::Solver;
use busy::Busy;
use history::Histories;
use prover::{Promise, Prover};
use root::Aim;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use team::{Closing, Team};
use time::Clock;
use tt::Table;
use worker::{Shared, Worker};

/// One question to a [`Searcher`].
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// The position.
    pub setup: &'a Setup,
    /// The rule in force.
    pub rule: Rule,
    /// Limits.
    pub limits: &'a Limits,
    /// Number of best lines, at least 1.
    pub lines: usize,
    /// Points that must not be played at the root.
    pub excluded: &'a [Point],
    /// Whether every empty point is a root move, whatever the situation.
    pub all_moves: bool,
}

/// What of a game must be the same for old results to be of use.
type Ground = (Rule, BoardSize, Vec<Point>);

/// Searches positions, keeping what it learned from one to the next.
#[derive(Debug)]
pub struct Searcher {
    table: Table,
    solver: Solver,
    promise: Option<Promise>,
    params: Params,
    /// Parameters that somebody set, whatever the rule.
    own_params: Option<Params>,
    weights: &'static WeightSets,
    histories: Histories,
    pool: Option<rayon::ThreadPool>,
    root_parallel: bool,
    ground: Option<Ground>,
}

/// Memory of the solver that works beside the search, in bytes.
const SOLVER_BYTES: usize = 4 << 20;

/// What a thread may be expected to do, to guess how much of the table a game will need.
const NODES_A_SECOND: f64 = 500_000.0;
/// Table for each node of a move, in bytes: room for what eight moves leave behind, if every node is kept. More would
/// slow the search, since hardly any look into the table then finds its page in the nearer caches.
const BYTES_A_NODE: f64 = 128.0;
/// A table that the nearer caches hold as well as a smaller one.
const NEAR_BYTES: usize = 4 << 20;

/// Stack of a search thread, in bytes: the recursion is deep.
const STACK: usize = 16 << 20;

impl Searcher {
    /// A searcher with one thread and a table of this many bytes.
    pub fn new(table_bytes: usize) -> Searcher {
        Searcher {
            table: Table::new(table_bytes),
            solver: Solver::new(SOLVER_BYTES),
            promise: None,
            params: Params::of(Rule::ALL[0]),
            own_params: None,
            weights: Weights::built_in(),
            histories: Histories::default(),
            pool: None,
            root_parallel: false,
            ground: None,
        }
    }

    /// Replaces the table if its size differs.
    pub fn resize(&mut self, table_bytes: usize) {
        if Table::new(0).bytes().max(table_bytes / Table::BUCKET_BYTES * Table::BUCKET_BYTES) != self.table.bytes() {
            self.table = Table::new(0);
            self.table = Table::new(table_bytes);
        }
    }

    /// Sets the number of threads; the pool is built when it is more than one. Falls back to fewer threads if the
    /// system grants no more.
    pub fn set_threads(&mut self, threads: usize) {
        if threads == self.threads() {
            return;
        }
        self.pool = None;
        if threads > 1 {
            // The caller's own thread is the first searcher.
            self.pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .stack_size(STACK)
                .thread_name(|i| format!("search-{}", i + 1))
                .build()
                .map_err(|e| log::warn!("cannot start {threads} threads: {e}"))
                .ok();
        }
    }

    /// Whether threads share out the moves of the root alone, or those of deeper nodes as well.
    pub fn set_root_parallel(&mut self, root_parallel: bool) {
        self.root_parallel = root_parallel;
    }

    fn threads(&self) -> usize {
        1 + self.pool.as_ref().map_or(0, rayon::ThreadPool::current_num_threads)
    }

    /// Replaces the parameters of the search; with `None` each rule has its own again.
    pub fn set_params(&mut self, params: Option<Params>) {
        self.own_params = params;
        self.ground = None;
        self.clear();
    }

    /// Replaces the weights of the evaluation; scores found with others are forgotten.
    pub fn set_weights(&mut self, weights: &'static WeightSets) {
        if !std::ptr::eq(self.weights, weights) {
            self.weights = weights;
            self.clear();
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
        self.solver.clear();
        self.promise = None;
        self.histories = Histories::default();
    }

    /// Share of the table used by the last search, in thousandths.
    pub fn hash_full(&self) -> u32 {
        self.table.full()
    }

    /// The best lines, best first; none if the board has no empty point. Blocks until decided, a limit is reached, or
    /// `stop` is set.
    ///
    /// # Errors
    /// If the setup is faulty.
    pub fn search(
        &mut self,
        task: &Task<'_>,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Result<Vec<Line>, SetupError> {
        let (mut position, eval) = Classical::with_position(task.setup, task.rule, self.weights)?;
        let moves = root::root_moves(&mut position, &eval, task.excluded, task.all_moves);
        if moves.is_empty() {
            return Ok(Vec::new());
        }
        let limits = task.limits;
        let clock = Clock::new(limits, position.empty_cells());
        self.prepare(task, &clock);
        let shared = Shared {
            table: &self.table,
            histories: &self.histories,
            params: &self.params,
            stop,
            clock,
            node_limit: limits.nodes.unwrap_or(u64::MAX),
            nodes: AtomicU64::new(0),
            over: AtomicBool::new(false),
            busy: Busy::new(self.threads() > 1 && !self.root_parallel),
            team: Team::new(self.threads()),
        };
        let mut aim = Aim {
            moves,
            lines: task.lines,
            depth: limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH),
            may_stop_early: limits.turn.is_some() || limits.left.is_some(),
        };
        // Of several lines the prover would know but the first.
        let mut prover = (task.lines == 1).then(|| Prover::new(&mut self.solver, &position, self.promise.as_ref()));
        let mut main = |on_report: &mut dyn FnMut(&Report)| {
            let mut worker = Worker::new(&shared, &position, &eval);
            let depth = worker.iterate(&mut aim, 1, Some(on_report), prover.as_mut());
            let lines = aim.lines.min(aim.moves.len());
            // A search stopped early may know fewer lines than were asked for.
            let known = aim.moves.iter().take(lines.max(1)).enumerate().filter(|(rank, m)| *rank == 0 || m.is_known());
            known.map(|(rank, m)| worker.line(m, rank, lines, depth)).collect()
        };
        let lines: Vec<Line> = match &self.pool {
            None => main(on_report),
            Some(pool) => pool.in_place_scope(|scope| {
                for _ in 0..pool.current_num_threads() {
                    scope.spawn(|_| Worker::new(&shared, &position, &eval).help());
                }
                let _closing = Closing(&shared.team);
                main(on_report)
            }),
        };
        if let Some(line) = lines.first().filter(|line| line.score.is_win()) {
            let tree = prover.and_then(|prover| prover.won);
            self.promise = Promise::new(&position, line, tree, self.promise.take());
        }
        Ok(lines)
    }

    fn prepare(&mut self, task: &Task<'_>, clock: &Clock) {
        let ground = (task.rule, task.setup.size, task.setup.blocked.clone());
        if self.ground.as_ref() != Some(&ground) {
            if self.ground.is_some() {
                self.clear();
            }
            self.params = self.own_params.clone().unwrap_or_else(|| Params::of(task.rule));
            self.ground = Some(ground);
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
    Line { rank: 0, of: 1, depth: 0, seldepth: 0, score, nodes: 0, elapsed: Duration::ZERO, moves: vec![point] }
}
