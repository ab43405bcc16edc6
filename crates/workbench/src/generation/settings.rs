//! What a generation is made with.

use crate::data::{selfplay, tree};
use crate::matches::settings::SprtSpec;
use crate::train::{Plan, Targets, Weighting};
use crate::tune::duel::Budget;
use crate::tune::openings::Openings;
use serde::{Deserialize, Serialize};
use tengen::board::BoardSize;
use tengen::engine::{Evaluation, Sampling};

/// What a generation is made with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How games are played, but for the size of the board; has the rule.
    pub selfplay: selfplay::Settings,
    /// Boards, taken in turn; the match is on the first.
    pub sizes: Vec<BoardSize>,
    /// Number of games.
    pub games: u64,
    /// Newest generations whose games are learned from, at least 1.
    pub window: u32,
    /// How the network is trained.
    pub learning: Learning,
    /// How it is compared.
    pub comparison: Comparison,
    /// Seed of the first generation; each later one has the next number.
    pub seed: u64,
}

/// How a network is trained: [`Plan`] and [`Targets`] as the manifest has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// Steps of the optimiser.
    pub steps: u32,
    /// Positions a step.
    pub batch: usize,
    /// Largest learning rate.
    pub rate: f64,
    /// Whether it begins with the numbers of the network in force, if there is one, instead of random ones.
    #[serde(default)]
    pub warm_start: bool,
    /// What it learns from beside the games.
    pub trees: Option<Trees>,
    /// Weight of the value's loss, beside 1 for the policy's.
    pub value: f64,
    /// Share of the steps after which numbers are rounded as the engine has them.
    pub rounded_from: f64,
    /// Share of the steps after which residual rows are trained.
    pub residual_from: f64,
    /// Their rate, as a share of the others'.
    pub residual_rate: f64,
    /// Steps between two measurements.
    pub interval: u32,
    /// Share of the search's score in the value's target.
    pub blend: f64,
    /// Divisor of recorded scores in the target's sigmoid, in evaluation units.
    pub scale: f64,
    /// Weight of positions whose outcome the search had proven.
    pub proven: f64,
}

/// Search trees of a generation's games, made by the evaluation in force: see [`crate::data::tree`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// Nodes a position.
    pub nodes: u64,
    /// One position of this number is searched.
    pub every: u32,
    /// Fewest plies searched below a node that is kept.
    pub depth: u32,
    /// One in so many of these nodes is kept.
    pub one_in: u32,
    /// Share of the positions of a step that are such nodes; the rest are of games.
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
            interval: self.interval,
        }
    }

    /// The targets; the evaluation that searched the trees, if there are any, has `tree_scale` units of score for one
    /// of log-odds.
    pub(super) fn targets(&self, tree_scale: f32) -> Targets {
        let tree_policy = if self.trees.is_some() { Targets::default().tree_policy } else { 0.0 };
        let (blend, scale, proven) = (self.blend as f32, self.scale as f32, self.proven as f32);
        Targets { blend, scale, proven, tree_scale, tree_policy }
    }
}

/// How a new network is compared with the evaluation in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Most pairs of games; fewer if the test is decided before.
    pub pairs: u64,
    /// What each side may spend on a move.
    pub budget: Budget,
    /// Where games begin.
    pub openings: Openings,
    /// The network is adopted if this test accepts H1; undecided, it is not.
    pub sprt: SprtSpec,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tengen train` and `tengen generation` train alike.
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
