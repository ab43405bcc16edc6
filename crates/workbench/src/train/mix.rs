//! Selects the samples of each step: nodes of search trees and positions of games in fixed shares. There are many more
//! nodes than positions, so in a plain shuffle of all samples the results of games would have almost no effect.

use super::Plan;
use super::batch::Pick;
use super::positions::Positions;
use tengen_analysis::random::Random;

/// The sequence of samples of a run, step by step.
pub struct Mix {
    seed: u64,
    games: Shuffled,
    trees: Shuffled,
}

impl Mix {
    /// The sequence of samples for a plan.
    pub fn new(plan: &Plan, training: &Positions) -> Mix {
        Mix::of(plan, training.nodes(), training.len() - training.nodes())
    }

    /// The sequence of samples for these numbers of nodes of search trees and of positions of games.
    fn of(plan: &Plan, nodes: usize, positions: usize) -> Mix {
        let of_trees = match (nodes, positions) {
            (0, _) => 0,
            (_, 0) => plan.batch,
            _ => ((plan.tree_share * plan.batch as f32).round() as usize).min(plan.batch),
        };
        Mix {
            seed: plan.seed,
            games: Shuffled::new(nodes, positions, plan.batch - of_trees),
            trees: Shuffled::new(0, nodes, of_trees),
        }
    }

    /// The batch of a step: its samples, each with a random symmetry.
    pub fn picks(&mut self, step: usize) -> Vec<Pick> {
        let mut random = Random::new(&[self.seed, step as u64, 0x5e_ed]);
        self.of_step(step).map(|s| Pick { sample: s as u32, symmetry: random.below(8) as u8 }).collect()
    }

    /// Indices of the samples of a step; fewer than a batch if a kind has too few samples.
    fn of_step(&mut self, step: usize) -> impl Iterator<Item = usize> {
        self.games.of_step(self.seed, step).chain(self.trees.of_step(self.seed, step))
    }
}

/// Samples of one kind, in an order that is shuffled again for each epoch.
struct Shuffled {
    /// Index of the first sample of the kind.
    first: usize,
    number: usize,
    /// Number of samples for each step.
    a_step: usize,
    /// The epoch of `order`.
    pass: Option<usize>,
    order: Vec<usize>,
}

impl Shuffled {
    fn new(first: usize, number: usize, a_step: usize) -> Shuffled {
        Shuffled { first, number, a_step, pass: None, order: Vec::new() }
    }

    fn of_step(&mut self, seed: u64, step: usize) -> impl Iterator<Item = usize> {
        let steps_a_pass = (self.number / self.a_step.max(1)).max(1);
        let pass = step / steps_a_pass;
        if self.a_step > 0 && self.pass.replace(pass) != Some(pass) {
            self.order = Random::new(&[seed, pass as u64]).order(self.number);
        }
        let from = step % steps_a_pass * self.a_step;
        let taken = self.order.get(from..).unwrap_or_default();
        taken.iter().take(self.a_step).map(|i| self.first + i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the nodes and positions of each step, and the uses of each sample.
    fn steps(plan: &Plan, numbers: (usize, usize), steps: usize) -> (Vec<[usize; 2]>, Vec<usize>) {
        let (nodes, positions) = numbers;
        let mut mix = Mix::of(plan, nodes, positions);
        let mut times = vec![0; nodes + positions];
        let counts = (0..steps).map(|step| {
            let mut counts = [0; 2];
            for sample in mix.of_step(step) {
                times[sample] += 1;
                counts[usize::from(sample >= nodes)] += 1;
            }
            counts
        });
        (counts.collect(), times)
    }

    #[test]
    fn a_step_has_its_share_of_nodes_and_a_pass_each_sample_once() {
        let (nodes, positions) = (90, 100);
        let plan = Plan { batch: 10, tree_share: 0.3, ..Plan::default() };
        let passes = positions / 7;
        let (counts, times) = steps(&plan, (nodes, positions), passes);
        assert!(passes > 2 && counts.iter().all(|c| *c == [3, 7]), "{counts:?}");
        assert!(times[nodes..].iter().all(|t| *t <= 1));
        assert_eq!(times[nodes..].iter().sum::<usize>(), 7 * passes);
        // The next epoch has another order. A run resumed in the middle of it uses the same order.
        let mut mix = Mix::of(&plan, nodes, positions);
        let orders = [0, passes, 1].map(|step| mix.of_step(step).collect::<Vec<_>>());
        assert_ne!(orders[0], orders[1]);
        assert_eq!(Mix::of(&plan, nodes, positions).of_step(1).collect::<Vec<_>>(), orders[2]);
    }

    #[test]
    fn without_one_kind_the_other_fills_the_batch() {
        let plan = Plan { batch: 8, tree_share: 0.5, ..Plan::default() };
        assert!(steps(&plan, (0, 100), 5).0.iter().all(|c| *c == [0, 8]));
        assert!(steps(&plan, (100, 0), 5).0.iter().all(|c| *c == [8, 0]));
    }
}
