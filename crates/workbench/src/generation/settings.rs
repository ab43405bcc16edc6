//! Settings of a generation.

use crate::data::{selfplay, tree};
use crate::matches::settings::SprtSpec;
use crate::train::{Plan, Targets, Weighting};
use crate::tune::duel::Budget;
use crate::tune::openings::Openings;
use serde::{Deserialize, Serialize};
use tengen::board::BoardSize;
use tengen::engine::{Evaluation, Sampling};

/// Settings of a generation.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Settings of self-play, except the board size; includes the rule.
    pub selfplay: selfplay::Settings,
    /// Board sizes, used in turn; the match uses the first one.
    pub sizes: Vec<BoardSize>,
    /// Number of games.
    pub games: u64,
    /// Number of newest generations whose games are training data, at least 1.
    pub window: u32,
    /// Settings of the training.
    pub learning: Learning,
    /// What a network must predict better to play the match; `None` lets every network play.
    pub gate: Option<Gate>,
    /// Settings of the match.
    pub comparison: Comparison,
    /// Seed of the first generation; each later generation adds 1.
    pub seed: u64,
}

/// Training settings: [`Plan`] and [`Targets`] in the form of the manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// Steps of the optimiser.
    pub steps: u32,
    /// Positions in a batch.
    pub batch: usize,
    /// Largest learning rate.
    pub rate: f64,
    /// Whether training starts from the weights of the network in force, if there is one, instead of random weights.
    #[serde(default)]
    pub warm_start: bool,
    /// Search trees as additional training data.
    pub trees: Option<Trees>,
    /// Weight of the value loss; the weight of the policy loss is 1.
    pub value: f64,
    /// Share of the steps after which weights are quantized as in the engine.
    pub rounded_from: f64,
    /// Share of the steps after which the residual rows are trained.
    pub residual_from: f64,
    /// Learning rate of the residual rows, as a share of the main rate.
    pub residual_rate: f64,
    /// Steps between two measurements.
    pub interval: u32,
    /// Share of the search's score in the value's target.
    pub blend: f64,
    /// Divisor of recorded scores in the target's sigmoid, in evaluation units.
    pub scale: f64,
    /// Weight of positions with a proven outcome.
    pub proven: f64,
    /// Whether a network is exported although some of its lanes are never active.
    #[serde(default)]
    pub allow_dead: bool,
}

/// Search trees of a generation's games, searched with the evaluation in force: see [`crate::data::tree`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// Nodes for each position.
    pub nodes: u64,
    /// One in this many positions is searched.
    pub every: u32,
    /// Minimum depth, in plies, of the search below a stored node.
    pub depth: u32,
    /// One in this many of these nodes is stored.
    pub one_in: u32,
    /// Share of a batch's positions that are such nodes; the other positions come from games.
    pub share: f32,
}

impl Trees {
    pub(super) fn plan(&self, evaluation: Evaluation) -> tree::Plan {
        let sampling = Sampling { depth: self.depth, one_in: self.one_in };
        tree::Plan { nodes: self.nodes, every: self.every, sampling, stones: (0, usize::MAX), evaluation }
    }
}

impl Default for Learning {
    fn default() -> Learning {
        Learning {
            steps: 6_000,
            batch: 1024,
            rate: 0.004,
            warm_start: false,
            trees: None,
            value: 1.5,
            rounded_from: 0.7,
            residual_from: 0.5,
            residual_rate: 0.25,
            interval: 500,
            blend: 0.5,
            scale: 150.0,
            proven: 0.4,
            allow_dead: false,
        }
    }
}

impl Learning {
    pub(super) fn plan(&self, seed: u64) -> Plan {
        Plan {
            steps: self.steps,
            batch: self.batch,
            tree_share: self.trees.as_ref().map_or(0.0, |trees| trees.share),
            rate: self.rate as f32,
            seed,
            weighting: Weighting { value: self.value as f32, policy: 1.0 },
            rounded_from: self.rounded_from as f32,
            residual_from: self.residual_from as f32,
            residual_rate: self.residual_rate as f32,
            leak: Plan::default().leak,
            interval: self.interval,
        }
    }

    /// The training targets. `tree_scale` is the score per unit of log-odds of the evaluation that searched the trees,
    /// if there are any.
    pub(super) fn targets(&self, tree_scale: f32) -> Targets {
        let tree_policy = if self.trees.is_some() { Targets::default().tree_policy } else { 0.0 };
        let (blend, scale, proven) = (self.blend as f32, self.scale as f32, self.proven as f32);
        Targets { blend, scale, proven, tree_scale, tree_policy }
    }
}

/// Held-out losses that decide whether a network plays the match. In the log of experiments, networks whose losses fell
/// by less than the default won no match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// How far the loss on the result must fall, in nats, below that of the evaluation in force.
    pub result: f64,
    /// How far the loss on the best move must fall, in nats.
    pub best_move: f64,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate { result: 0.003, best_move: 0.02 }
    }
}

/// Settings of the match between a new network and the evaluation in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Most pairs of games to play; the test may end earlier.
    pub pairs: u64,
    /// Limits of each side for a move.
    pub budget: Budget,
    /// Openings of the games.
    pub openings: Openings,
    /// The network is adopted if this test accepts H1; an undecided test does not adopt it.
    pub sprt: SprtSpec,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tengen train` and `tengen generation` use the same defaults.
    #[test]
    fn defaults_are_those_of_a_training() {
        let learning = Learning::default();
        assert_eq!(learning.plan(1), Plan { tree_share: 0.0, ..Plan::default() });
        assert_eq!(learning.targets(150.0), Targets { tree_policy: 0.0, ..Targets::default() });
        let share = Plan::default().tree_share;
        let trees = Trees { nodes: 1, every: 1, depth: 1, one_in: 1, share };
        let learning = Learning { trees: Some(trees), ..learning };
        assert_eq!(learning.plan(1), Plan::default());
        assert_eq!(learning.targets(212.0), Targets { tree_scale: 212.0, ..Targets::default() });
    }
}
