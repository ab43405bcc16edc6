//! A training run whose state is stored in a file: begins or resumes it, and exports it to a network file.

use super::arrays;
use super::checkpoint::{Checkpoint, CheckpointError, Mark, Material, Recipe};
use super::liveness::Liveness;
use super::prune::{Occurrences, prune};
use super::validate::Report;
use super::{
    Data, Network, Plan, Progress, Samples, SetWeights, Targets, begin, decode, encode, export, held_out, liveness,
    measure, revive_dead_parts, samples, train,
};
use crate::data::record::{DataError, DataGame};
use crate::difference::difference;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use tengen::control::StopToken;
use tengen::eval::network::NetworkError;
use tengen::rules::Rule;
use tengen_files::replace;

/// Error beginning or resuming a run.
#[derive(Debug)]
pub enum RunError {
    /// Any I/O error.
    Io(PathBuf, io::Error),
    /// The file is not a valid checkpoint.
    Checkpoint(PathBuf, CheckpointError),
    /// The file is the checkpoint of a run for this rule instead of the requested one.
    OtherRule(PathBuf, Rule),
    /// The file is the state of a joint run for these rules instead of the requested ones.
    OtherRules(PathBuf, Vec<Rule>),
    /// The file is not a valid network file.
    Network(PathBuf, NetworkError),
    /// The file is the checkpoint of a run with other settings or other games.
    Different(PathBuf, String),
    /// A record of a search tree is invalid.
    Tree(DataError),
    /// There are no games of the rule.
    NoGames(Rule),
    /// The games have no training positions.
    NoPositions,
    /// Lanes of the network are never active on held-out positions.
    Dead(Liveness),
    /// The threads cannot be started.
    Threads(rayon::ThreadPoolBuildError),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            RunError::Checkpoint(path, error) => write!(f, "{}: {error}", path.display()),
            RunError::OtherRule(path, rule) => write!(f, "{} is a run of {rule}", path.display()),
            RunError::OtherRules(path, rules) => {
                let names: Vec<String> = rules.iter().map(Rule::to_string).collect();
                write!(f, "{} is a joint run of {}", path.display(), names.join(", "))
            }
            RunError::Different(path, what) => write!(f, "{}: begun with other settings: {what}", path.display()),
            RunError::Network(path, error) => write!(f, "{}: {error}", path.display()),
            RunError::Tree(error) => write!(f, "a search tree: {error}"),
            RunError::NoGames(rule) => write!(f, "there are no games of {rule} to learn from"),
            RunError::NoPositions => f.write_str("no position to learn from"),
            RunError::Dead(liveness) => {
                write!(f, "the network has dead lanes and is not written: {liveness} (--allow-dead writes it)")
            }
            RunError::Threads(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

/// Reads a file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, RunError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RunError::Io(path.to_owned(), error)),
    }
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    replace(path, bytes).map_err(|error| RunError::Io(path.to_owned(), error))
}

/// Initial weights of a new run.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// Random weights.
    Cold,
    /// Weights of a network file: those for the rule if present, otherwise the first ones.
    Warm(&'a Path),
}

/// Reads the checkpoint in a file, or creates the initial state if the file does not exist.
///
/// # Errors
/// If a file cannot be read, is not a checkpoint of a run for this rule, or is not a valid network to start from.
pub fn open(path: &Path, rule: Rule, seed: u64, start: Start) -> Result<Checkpoint, RunError> {
    let Some(bytes) = read(path)? else {
        return Ok(match start {
            Start::Cold => begin(rule, seed, None),
            Start::Warm(network) => begin(rule, seed, Some(&set_to_start_from(network, rule)?)),
        });
    };
    let checkpoint = Checkpoint::decode(&bytes).map_err(|error| RunError::Checkpoint(path.to_owned(), error))?;
    if checkpoint.rule != rule {
        return Err(RunError::OtherRule(path.to_owned(), checkpoint.rule));
    }
    Ok(checkpoint)
}

/// The weight sets of a network file; `None` if the file does not exist.
fn read_sets(path: &Path) -> Result<Option<Vec<SetWeights>>, RunError> {
    let sets = read(path)?.map(|bytes| decode(&bytes)).transpose();
    sets.map_err(|error| RunError::Network(path.to_owned(), error))
}

/// The weights of a network file that best match a rule.
fn set_to_start_from(path: &Path, rule: Rule) -> Result<SetWeights, RunError> {
    let mut sets = read_sets(path)?.ok_or_else(|| RunError::Io(path.to_owned(), io::ErrorKind::NotFound.into()))?;
    let nearest = sets.iter().position(|set| set.rules.contains(&rule)).unwrap_or(0);
    Ok(sets.swap_remove(nearest))
}

/// Units of score per unit of log-odds of the network in a file from which a run for this rule would start.
///
/// # Errors
/// If the file cannot be read or is not a network file.
pub fn scale(path: &Path, rule: Rule) -> Result<f32, RunError> {
    set_to_start_from(path, rule).map(|set| f32::from(set.scale))
}

/// The weight sets of a network file for other rules; empty if the file does not exist.
///
/// # Errors
/// If the file cannot be read or is not a network file.
pub fn other_sets(path: &Path, rules: &[Rule]) -> Result<Vec<SetWeights>, RunError> {
    let mut sets = read_sets(path)?.unwrap_or_default();
    sets.iter_mut().for_each(|set| set.rules.retain(|other| !rules.contains(other)));
    sets.retain(|set| !set.rules.is_empty());
    Ok(sets)
}

/// Progress report of a run.
#[derive(Debug)]
pub enum Update<'a> {
    /// The games have been read.
    Samples {
        /// Number of training positions.
        training: usize,
        /// Positions of held-out games.
        held_out: usize,
        /// Steps taken before this start.
        steps: u32,
    },
    /// A measurement: the progress of the run, with its losses.
    Measured(&'a Progress, &'a Mark),
}

/// How a run is exported.
#[derive(Clone, Copy, Debug)]
pub struct ExportOptions<'a> {
    /// The rules that the network is for.
    pub rules: &'a [Rule],
    /// Units of score per unit of log-odds. Without it a warm start keeps the scale of its rule's weights, to which the
    /// margins of the search are fitted. Otherwise the scale matches that of the classical evaluation: equal scores
    /// mean equal odds, as far as held-out results show.
    pub units: Option<u16>,
    /// The share of all lines of held-out positions below which a shape's residual row is left out, see
    /// [`prune`](super::prune::prune()).
    pub rare: f64,
    /// Whether a network with dead lanes is written all the same.
    pub allow_dead: bool,
    /// Another network to measure on the same positions, if it supports the rule.
    pub compared: Option<&'a Network>,
}

/// What an export measured on all held-out positions.
#[derive(Debug)]
pub struct Exported {
    /// Name of the network of the file.
    pub name: String,
    /// Its quality, computed as in the engine.
    pub report: Report,
    /// Which of its lanes and units are ever active.
    pub liveness: Liveness,
    /// Number of residual rows in the file, and how many were trained.
    pub residual: (usize, usize),
    /// The quality of the network to compare with.
    pub compared: Option<Report>,
}

/// A run on some games.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Games of the rule.
    pub games: &'a [DataGame],
    /// Bodies of records of search trees.
    pub trees: &'a [&'a [u8]],
    /// Training settings.
    pub plan: &'a Plan,
    /// Settings of the training targets.
    pub targets: &'a Targets,
    /// Initial weights of the run.
    pub start: Start<'a>,
    /// The checkpoint file, written at each measurement and at the end.
    pub state: &'a Path,
    /// Number of threads; it does not affect the result.
    pub threads: usize,
}

pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, RunError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(RunError::Threads)
}

impl Run<'_> {
    fn recipe(&self, rule: Rule) -> Result<Recipe, RunError> {
        let warm_start = match self.start {
            Start::Cold => None,
            Start::Warm(path) => {
                let mut set = set_to_start_from(path, rule)?;
                // The other rules that the set serves do not affect the run.
                set.rules.clear();
                Some(Material::of([encode(&[set])].iter()))
            }
        };
        Ok(Recipe {
            plan: self.plan.clone(),
            targets: self.targets.clone(),
            warm_start,
            games: Material::of(self.games.iter().map(DataGame::encode)),
            trees: Material::of(self.trees.iter()),
        })
    }

    /// Checks that the run may start or resume, stores its recipe, and reads the samples.
    pub(super) fn prepare(&self, pool: &rayon::ThreadPool, checkpoint: &mut Checkpoint) -> Result<Data<'_>, RunError> {
        if self.games.is_empty() {
            return Err(RunError::NoGames(checkpoint.rule));
        }
        let recipe = self.recipe(checkpoint.rule)?;
        if let Some(what) = checkpoint.recipe.as_ref().and_then(|begun| difference(begun, &recipe)) {
            return Err(RunError::Different(self.state.to_owned(), what));
        }
        checkpoint.recipe = Some(recipe);
        let data = pool.install(|| samples(self.games, self.trees, checkpoint.rule, self.targets));
        let data = data.map_err(RunError::Tree)?;
        if data.training.is_empty() {
            return Err(RunError::NoPositions);
        }
        Ok(data)
    }

    /// Writes the samples, the batch of the next step and its gradient as numpy arrays (see `arrays.rs`), and the state
    /// of the run. Returns the number of training samples.
    ///
    /// # Errors
    /// As [`Run::train`], or if the arrays cannot be written.
    pub fn write_arrays(&self, checkpoint: &mut Checkpoint, folder: &Path) -> Result<usize, RunError> {
        let pool = pool(self.threads)?;
        let data = self.prepare(&pool, checkpoint)?;
        if checkpoint.optimiser.steps == 0 {
            pool.install(|| revive_dead_parts(self.plan.seed, &data.training, checkpoint));
        }
        let written = pool.install(|| arrays::write(folder, self.plan, &data, checkpoint));
        written.map_err(|error| RunError::Io(folder.to_owned(), error))?;
        write(self.state, &checkpoint.encode())?;
        Ok(data.training.len())
    }

    /// Trains up to the plan's last step, until `stop` is set, or until `on_update` returns `false`. Returns the last
    /// measurement on held-out games, if there was one.
    ///
    /// # Errors
    /// If there are no training samples, if the checkpoint belongs to a run with another [`Recipe`], or if the state
    /// cannot be written.
    pub fn train(
        &self,
        checkpoint: &mut Checkpoint,
        stop: &StopToken,
        on_update: &mut (dyn FnMut(Update) -> bool + Send),
    ) -> Result<Option<Report>, RunError> {
        let pool = pool(self.threads)?;
        let data = self.prepare(&pool, checkpoint)?;
        let (training, held_out) = (data.training.len(), data.held_out.len());
        let (mut last, mut written) = (None, Ok(()));
        let steps = checkpoint.optimiser.steps;
        if on_update(Update::Samples { training, held_out, steps }) {
            let mut measured = |progress: &Progress, checkpoint: &Checkpoint| {
                last = progress.held_out;
                written = write(self.state, &checkpoint.encode());
                let goes_on = checkpoint.history.last().is_none_or(|mark| on_update(Update::Measured(progress, mark)));
                goes_on && written.is_ok()
            };
            pool.install(|| train(self.plan, &data, checkpoint, stop, &mut measured));
        }
        written?;
        write(self.state, &checkpoint.encode())?;
        Ok(last)
    }

    /// Writes the network of a run, together with those of other rules.
    ///
    /// # Errors
    /// If the file cannot be written, or if lanes are dead.
    pub fn export(
        &self,
        checkpoint: &Checkpoint,
        options: ExportOptions,
        mut others: Vec<SetWeights>,
        path: &Path,
    ) -> Result<Exported, RunError> {
        let pool = pool(self.threads)?;
        let (set, own) = self.weights(&pool, checkpoint, options, path)?;
        others.push(set);
        let network = write_network(&others, path)?;
        let compared = options.compared.filter(|network| network.knows(checkpoint.rule));
        let compared = compared.map(|network| own.report(&pool, self, network));
        Ok(Exported { compared, ..own.measured(&pool, self, &network) })
    }

    /// The weights of a run for a file at this path.
    pub(super) fn weights(
        &self,
        pool: &rayon::ThreadPool,
        checkpoint: &Checkpoint,
        options: ExportOptions,
        path: &Path,
    ) -> Result<(SetWeights, ToMeasure), RunError> {
        let positions = pool.install(|| held_out(self.games, self.targets));
        let liveness = pool.install(|| liveness(checkpoint, &positions));
        if liveness.has_dead_lanes() && !options.allow_dead {
            return Err(RunError::Dead(liveness));
        }
        let mut set = pool.install(|| export(checkpoint));
        let occurrences = pool.install(|| Occurrences::of(&positions, checkpoint.sides));
        let residual = prune(&mut set, &occurrences, options.rare);
        set.scale = match options.units.map_or_else(|| self.scale_to_keep(checkpoint.rule), |units| Ok(Some(units)))? {
            Some(units) => units,
            None => {
                let network = network(encode(std::slice::from_ref(&set)), path)?;
                let report = pool.install(|| measure(self.games, self.targets, &network, &positions));
                fitted_scale(set.scale, &report)
            }
        };
        set.rules = options.rules.to_vec();
        Ok((set, ToMeasure { liveness, residual, positions }))
    }

    /// The scale of the weights for this rule that the run started from, if there are any.
    fn scale_to_keep(&self, rule: Rule) -> Result<Option<u16>, RunError> {
        let Start::Warm(path) = self.start else { return Ok(None) };
        let set = set_to_start_from(path, rule)?;
        Ok(set.rules.contains(&rule).then_some(set.scale))
    }
}

/// What is known of a run's weights before their file is written, and what the file is measured on.
pub(super) struct ToMeasure {
    liveness: Liveness,
    residual: (usize, usize),
    positions: Samples,
}

impl ToMeasure {
    fn report(&self, pool: &rayon::ThreadPool, run: &Run, network: &Network) -> Report {
        pool.install(|| measure(run.games, run.targets, network, &self.positions))
    }

    /// Measures the network of the file.
    pub fn measured(self, pool: &rayon::ThreadPool, run: &Run, network: &Network) -> Exported {
        let (name, report) = (network.name().to_owned(), self.report(pool, run, network));
        Exported { name, report, liveness: self.liveness, residual: self.residual, compared: None }
    }
}

fn network(bytes: Vec<u8>, path: &Path) -> Result<Network, RunError> {
    Network::decode(bytes).map_err(|error| RunError::Network(path.to_owned(), error))
}

/// Writes a network file.
pub(super) fn write_network(sets: &[SetWeights], path: &Path) -> Result<Network, RunError> {
    let bytes = encode(sets);
    write(path, &bytes)?;
    network(bytes, path)
}

/// Default of [`ExportOptions::rare`]: with it a file of all rules takes 3.1 MB, and held-out losses rise by less than
/// 0.0005.
pub const RARE: f64 = 1e-6;

/// Minimum number of held-out results for a comparison of scales.
const FEWEST_RESULTS: usize = 1000;

/// The scale at which the network's scores mean the same odds as the classical evaluation's, computed from a report
/// with another scale.
fn fitted_scale(scale: u16, report: &Report) -> u16 {
    if report.results < FEWEST_RESULTS {
        return scale;
    }
    let ratio = report.network.scaled.1 / report.classical.scaled.1;
    // All observed ratios are well within half and twice.
    (f64::from(scale) * ratio.clamp(0.5, 2.0)).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::validate::Quality;

    #[test]
    fn scores_that_understate_the_odds_more_than_the_classical_ones_are_enlarged() {
        let quality = |factor| Quality { scaled: (0.5, factor), ..Quality::default() };
        let report = |results, network, classical| Report {
            results,
            network: quality(network),
            classical: quality(classical),
            ..Report::default()
        };
        let fitted = |report| fitted_scale(160, &report);
        assert_eq!(fitted(report(5000, 1.5, 1.0)), 240);
        assert_eq!(fitted(report(5000, 1.2, 1.5)), 128);
        assert_eq!(fitted(report(5000, 3.0, 0.1)), 320);
        assert_eq!(fitted(report(999, 1.5, 1.0)), 160, "too few results");
    }
}
