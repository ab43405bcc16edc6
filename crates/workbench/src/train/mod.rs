//! Trains the network of [`tengen::eval::network`] on training games, on the processor.
//!
//! Training is deterministic: batches follow a seeded shuffle, and sums have a fixed order, independent of the number
//! of threads. A [`Checkpoint`] contains the complete state; a resumed run gives the same result as an uninterrupted
//! one.

mod arrays;
mod batch;
pub mod checkpoint;
mod export;
mod features;
mod head;
pub mod joint;
mod linenet;
pub mod liveness;
mod mix;
mod model;
mod optimiser;
pub mod plot;
mod positions;
pub mod prune;
mod residual;
pub mod run;
mod sample;
#[cfg(test)]
mod tests;
pub mod validate;
mod warm_start;

use crate::data::record::{DataError, DataGame};
use crate::data::tree::Tree;
use batch::Machine;
use checkpoint::{Checkpoint, Mark};
pub use export::export;
pub use head::Weighting;
use head::{Losses, Precision};
use liveness::Liveness;
use mix::Mix;
use model::{Sides, initial};
use optimiser::{Optimiser, rate};
use positions::Positions;
use rayon::prelude::*;
use residual::Residual;
pub use sample::Targets;
use sample::{Samples, is_held_out, is_line_held_out};
use serde::{Deserialize, Serialize};
use tengen::control::StopToken;
pub use tengen::eval::network::Network;
use tengen::eval::network::Neural;
pub use tengen::eval::network::file::{SetWeights, decode, encode};
use tengen::eval::{Classical, Evaluator, Weights};
use tengen::position::Position;
use tengen::rules::Rule;
use tengen::score::ODDS_UNIT;
use validate::{Report, report, tree_error};
use warm_start::warm_start;

/// Settings of a training run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Steps of the optimiser.
    pub steps: u32,
    /// Samples in a batch.
    pub batch: usize,
    /// Share of nodes of search trees in a batch, if there are any; the other samples are positions of games.
    pub tree_share: f32,
    /// Peak learning rate: the largest step, in the parameters' units.
    pub rate: f32,
    /// Seed of the initial weights and of the order of samples.
    pub seed: u64,
    /// Weights of the value loss and the policy loss.
    pub weighting: Weighting,
    /// Share of the training after which weights are quantized as in inference.
    pub rounded_from: f32,
    /// Share of the training after which residual rows are trained; 1: never.
    pub residual_from: f32,
    /// Learning rate of the residual rows, as a share of the main rate.
    pub residual_rate: f32,
    /// The share of a gradient that passes clipped units and points, so that they can become active again.
    pub leak: f32,
    /// Steps between two measurements on held-out games.
    pub interval: u32,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            steps: 6_000,
            batch: 1024,
            tree_share: 0.5,
            rate: 4e-3,
            seed: 1,
            weighting: Weighting { value: 1.5, policy: 1.0 },
            rounded_from: 0.7,
            residual_from: 0.5,
            residual_rate: 0.25,
            leak: 0.01,
            interval: 500,
        }
    }
}

impl Plan {
    /// How far a step is in the run, from 0 to 1, and the precision of its weights.
    fn at(&self, step: u32) -> (f32, Precision) {
        let progress = step as f32 / self.steps as f32;
        (progress, if progress < self.rounded_from { Precision::Float } else { Precision::Quantized })
    }
}

/// Training and held-out samples.
#[derive(Debug, Default)]
pub struct Data<'a> {
    /// Training positions: nodes of search trees, then positions of games.
    pub training: Positions<'a>,
    /// Positions of held-out games, with the classical evaluation's yardsticks.
    pub held_out: Samples,
    /// Nodes of the search trees of held-out games.
    pub held_out_trees: Samples,
}

/// Whether the two sides of a rule share their weights.
pub fn sides_of(rule: Rule) -> Sides {
    Sides(if rule.is_symmetric() { 1 } else { 2 })
}

/// The samples of games and of search trees. All games count as games of the rule. `trees` are bodies of records; trees
/// of other rules are ignored.
///
/// # Errors
/// If a body is invalid.
pub fn samples<'a>(
    games: &'a [DataGame],
    trees: &[&[u8]],
    rule: Rule,
    targets: &Targets,
) -> Result<Data<'a>, DataError> {
    let trees = trees.par_iter().map(|body| Tree::decode(body)).collect::<Result<Vec<Tree>, DataError>>()?;
    let of_rule = trees.into_iter().filter(|tree| tree.rule == rule);
    let (held_out_trees, trees): (Vec<Tree>, _) = of_rule.partition(|tree| is_line_held_out(tree.size, &tree.line));
    let of_trees = |trees: &[Tree]| {
        let mut part = Samples::default();
        trees.iter().for_each(|tree| part.add_tree(tree, targets));
        part
    };
    Ok(Data {
        training: Positions::of(trees, games.iter().filter(|game| !is_held_out(game)).collect(), targets),
        held_out: held_out(games, targets),
        held_out_trees: joined(in_parts(&held_out_trees, of_trees)),
    })
}

/// All positions of games, with an evaluator's yardsticks; `make` creates the evaluator for the empty board.
fn judged<E: Evaluator>(
    games: &[&DataGame],
    targets: &Targets,
    make: impl Fn(&Position) -> Option<E> + Sync + Send,
) -> Samples {
    joined(in_parts(games, |games| {
        let mut part = Samples::default();
        games.iter().for_each(|game| part.add_judged(game, targets, &make));
        part
    }))
}

/// The held-out ones among some games.
fn held_out_games(games: &[DataGame]) -> Vec<&DataGame> {
    games.iter().filter(|game| is_held_out(game)).collect()
}

/// All samples of some parts.
fn joined(parts: Vec<Samples>) -> Samples {
    let mut all = Samples::default();
    parts.iter().for_each(|part| all.append(part));
    all
}

/// All positions of games, with the classical evaluation's yardsticks.
fn judged_classically(games: &[&DataGame], targets: &Targets) -> Samples {
    judged(games, targets, |position| Some(Classical::new(position, Weights::built_in())))
}

/// All held-out positions of the games of a training, with the classical evaluation's yardsticks.
pub fn held_out(games: &[DataGame], targets: &Targets) -> Samples {
    judged_classically(&held_out_games(games), targets)
}

/// Measures an exported network on the [`held_out`] positions of these games, together with the classical evaluation.
/// The network must support the games' rule.
pub fn measure(games: &[DataGame], targets: &Targets, network: &Network, held_out: &Samples) -> Report {
    compare(&held_out_games(games), targets, network, held_out)
}

/// Measures networks on all positions of these games, together with the classical evaluation. The networks must support
/// the games' rule, and should not have been trained on the games.
pub fn measure_all<'a>(
    games: &[DataGame],
    targets: &Targets,
    networks: impl IntoIterator<Item = &'a Network>,
) -> Vec<Report> {
    let games: Vec<&DataGame> = games.iter().collect();
    let samples = judged_classically(&games, targets);
    networks.into_iter().map(|network| compare(&games, targets, network, &samples)).collect()
}

/// Compares a network with the classical evaluation, whose yardsticks are those of `samples`, the games' positions.
fn compare(games: &[&DataGame], targets: &Targets, network: &Network, samples: &Samples) -> Report {
    let by_network = judged(games, targets, |position| Neural::new(position, network)).yardsticks;
    let all: Vec<u32> = (0..by_network.len() as u32).collect();
    let odds: Vec<f64> = by_network.iter().map(|y| f64::from(y.score) / ODDS_UNIT).collect();
    validate::compare(samples, &all, &odds, &|i| (by_network[i].order_loss, by_network[i].order_rank))
}

/// Applies `work` to parts of the games or trees in parallel; returns the results in order.
fn in_parts<G: Sync, T: Send>(games: &[G], work: impl Fn(&[G]) -> T + Sync + Send) -> Vec<T> {
    games.par_chunks(games.len().div_ceil(16).max(1)).map(work).collect()
}

/// The initial state of a run: with random weights, or with those of a network for the same or another rule.
pub fn begin(rule: Rule, seed: u64, network: Option<&SetWeights>) -> Checkpoint {
    let sides = sides_of(rule);
    let optimiser = match network {
        None => Optimiser::new(initial(sides, seed)),
        Some(set) => warm_start(set, sides, seed),
    };
    Checkpoint { rule, recipe: None, sides, optimiser, history: Vec::new(), losses: Losses::default() }
}

/// Progress since the last measurement.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps taken.
    pub step: u32,
    /// Quality of the averaged parameters on held-out samples; `None` if there are no such samples.
    pub held_out: Option<Report>,
    /// Error of the averaged parameters on held-out nodes of search trees, see [`validate::tree_error`]; `None` if
    /// there are no such nodes.
    pub trees: Option<f64>,
    /// Number of different line shapes in the last batch.
    pub unique: usize,
}

/// Number of held-out samples that are measured during training.
const MEASURED: usize = 16_384;

/// The held-out samples that are measured during training.
struct Measuring<'a> {
    data: &'a Data<'a>,
    /// Positions of games.
    positions: Vec<u32>,
    /// Nodes of search trees.
    nodes: Vec<u32>,
}

impl<'a> Measuring<'a> {
    fn new(data: &'a Data) -> Measuring<'a> {
        let positions = validate::spread(data.held_out.len(), MEASURED);
        Measuring { data, positions, nodes: validate::spread(data.held_out_trees.len(), MEASURED) }
    }

    /// Measures a run and adds the result to its history.
    fn run(&self, machine: &mut Machine, checkpoint: &mut Checkpoint, precision: Precision) -> Progress {
        let (unique, average) = (machine.unique(), checkpoint.optimiser.averaged());
        let Measuring { data, positions, nodes } = self;
        let held_out = (!positions.is_empty()).then(|| report(machine, average, &data.held_out, positions, precision));
        let trees = (!nodes.is_empty()).then(|| tree_error(machine, average, &data.held_out_trees, nodes, precision));
        let (step, training) = (checkpoint.optimiser.steps, std::mem::take(&mut checkpoint.losses));
        let network = held_out.map(|r| r.network);
        checkpoint.history.push(Mark::new(step, &training, network.as_ref()));
        Progress { step, held_out, trees, unique }
    }
}

/// Number of training samples that show which parts of a network are dead at the beginning.
const PROBED: usize = 4096;

/// Gives new weights to lanes and units that no training sample activates, in a few attempts.
fn revive_dead_parts(seed: u64, training: &Positions, checkpoint: &mut Checkpoint) {
    revive_parts_dead_on(&training.samples(&validate::spread(training.len(), PROBED)), seed, checkpoint);
}

fn revive_parts_dead_on(samples: &Samples, seed: u64, checkpoint: &mut Checkpoint) {
    let Checkpoint { sides, optimiser, .. } = checkpoint;
    let mut machine = Machine::new(*sides);
    let all = validate::spread(samples.len(), samples.len());
    for attempt in 1..=4 {
        let liveness = validate::liveness(&mut machine, optimiser.current(), samples, &all, Precision::Float);
        if !liveness.has_dead() {
            break;
        }
        liveness.revive(optimiser, seed.wrapping_add(attempt << 32).wrapping_add(u64::from(optimiser.steps) << 40));
    }
}

/// Whether parts that die are given new weights after a step: with each measurement of the first half of the training,
/// until weights are quantized or residual rows begin, which adapt to the lanes.
fn may_revive(plan: &Plan, step: u32) -> bool {
    let progress = step as f32 / plan.steps as f32;
    step.is_multiple_of(plan.interval) && progress < plan.rounded_from.min(plan.residual_from).min(0.5)
}

/// Which lanes and units of a run's network the samples activate, with the precision of inference. Without samples
/// nothing is counted.
pub fn liveness(checkpoint: &Checkpoint, samples: &Samples) -> Liveness {
    let chosen = validate::spread(samples.len(), MEASURED);
    let mut machine = Machine::new(checkpoint.sides);
    validate::liveness(&mut machine, checkpoint.optimiser.averaged(), samples, &chosen, Precision::Quantized)
}

/// Trains from a checkpoint up to the plan's last step or until `stop` is set. Reports progress after each interval. At
/// the end the checkpoint contains the new state.
pub fn train(
    plan: &Plan,
    data: &Data,
    checkpoint: &mut Checkpoint,
    stop: &StopToken,
    on_measurement: &mut dyn FnMut(&Progress, &Checkpoint) -> bool,
) {
    let sides = checkpoint.sides;
    let mut machine = Machine::new(sides);
    machine.leak = plan.leak;
    if plan.steps > 0 && checkpoint.optimiser.steps == 0 {
        revive_dead_parts(plan.seed, &data.training, checkpoint);
    }
    let mut mix = Mix::new(plan, &data.training);
    let measuring = Measuring::new(data);
    while checkpoint.optimiser.steps < plan.steps && !stop.is_stopped() {
        let step = checkpoint.optimiser.steps as usize;
        let (samples, picks) = data.training.batch(&mix.picks(step));
        let (progress, precision) = plan.at(step as u32);
        let optimiser = &mut checkpoint.optimiser;
        checkpoint.losses.add(&machine.learn(optimiser.current(), &samples, &picks, precision, plan.weighting));
        let rate = rate(plan.rate, progress);
        optimiser.step(sides, &machine.gradient, rate);
        if progress >= plan.residual_from {
            let residual = optimiser.residual.get_or_insert_with(|| Residual::new(sides));
            for (net, (shapes, gradients)) in machine.rows().enumerate() {
                residual.step(net, shapes, gradients, rate * plan.residual_rate);
            }
        }
        let step = optimiser.steps;
        if step.is_multiple_of(plan.interval) || step == plan.steps {
            let progress = measuring.run(&mut machine, checkpoint, precision);
            if may_revive(plan, step) {
                revive_dead_parts(plan.seed, &data.training, checkpoint);
            }
            if !on_measurement(&progress, checkpoint) {
                break;
            }
        }
    }
}
