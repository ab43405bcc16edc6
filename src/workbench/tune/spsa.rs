//! Tunes the search's parameters by simultaneous perturbation (SPSA).
//!
//! Each pair of games is played between two settings that differ from the present one in all parameters at once, up or
//! down by a random sign each; the winner's direction gains a little. After J. Spall (1992) in the form that
//! fishtest gave it for engines: gains fall as `(A + k)^-0.602`, disturbances as `k^-0.101`.
//!
//! A run is a pure function of its [`Plan`]: games are played in batches whose pairs all disturb the same setting.

use super::duel::{Arena, Side, Terms};
use crate::control::StopToken;
use crate::engine::{Evaluation, Params};
use crate::workbench::random::Random;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What is tuned, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where and how long is fought.
    pub terms: Terms,
    /// Indices of the parameters in [`Params::ALL`] that may change.
    pub tuned: Vec<usize>,
    /// Pairs of games in the whole run.
    pub pairs: u64,
    /// Pairs between two changes of the setting.
    pub batch: u64,
    /// Gain at the end of the run, in steps of a parameter for each point of a pair's score and unit of disturbance.
    pub gain: f64,
    /// Seed of openings and disturbances.
    pub seed: u64,
}

/// Where a run stands: one line of its log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Pairs played.
    pub pairs: u64,
    /// Points of the settings disturbed along the drawn signs, of four a pair: near one half while nothing is learned.
    pub points: u64,
    /// All parameters, unrounded, in the order of [`Params::ALL`].
    pub values: Vec<f64>,
}

impl State {
    /// The start: parameters as they are.
    pub fn new(params: &Params) -> State {
        State { pairs: 0, points: 0, values: params.values().into_iter().map(f64::from).collect() }
    }

    /// The parameters, rounded.
    pub fn params(&self, like: &Params) -> Params {
        disturbed(like, &self.values, &[], 0.0)
    }
}

fn disturbed(like: &Params, values: &[f64], directions: &[f64], sign: f64) -> Params {
    let moved = |i: usize, v: f64| (v + sign * directions.get(i).copied().unwrap_or(0.0)).round() as i32;
    let mut params = like.clone();
    params.set_values(&values.iter().enumerate().map(|(i, v)| moved(i, *v)).collect::<Vec<_>>());
    params
}

impl Plan {
    /// Disturbance and gain of the k-th pair, in steps.
    fn schedule(&self, k: u64) -> (f64, f64) {
        let (k, n) = (k as f64 + 1.0, self.pairs as f64);
        let settle = 0.1 * n;
        let disturbance = (n / k).powf(0.101);
        let rate = ((settle + n) / (settle + k)).powf(0.602);
        (disturbance, self.gain * rate / disturbance)
    }

    /// Signed disturbances of one pair.
    fn directions(&self, pair: u64) -> Vec<f64> {
        let mut random = Random::new(&[self.seed, 1, pair]);
        let (disturbance, _) = self.schedule(pair);
        let mut directions = vec![0.0; Params::ALL.len()];
        for i in &self.tuned {
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            directions[*i] = sign * disturbance * f64::from(Params::ALL[*i].step);
        }
        directions
    }

    /// Plays on from a state and tells each new one; ends early when `stop` is set.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn run(
        &self,
        mut state: State,
        threads: usize,
        stop: &StopToken,
        tell: &mut dyn FnMut(&State),
    ) -> Result<State, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(16 << 20).build()?;
        let like = Params::of(self.terms.rule);
        while state.pairs < self.pairs && !stop.is_stopped() {
            let numbers: Vec<u64> = (state.pairs..(state.pairs + self.batch.max(1)).min(self.pairs)).collect();
            let fight = |arena: &mut Arena, pair: &u64| {
                let directions = self.directions(*pair);
                let sides = [1.0, -1.0].map(|sign| Side {
                    params: disturbed(&like, &state.values, &directions, sign),
                    evaluation: Evaluation::default(),
                });
                arena.pair(&self.terms, &sides, Random::new(&[self.seed, 2, *pair]).next_u64())
            };
            let points: Vec<usize> =
                pool.install(|| numbers.par_iter().map_init(|| Arena::new(self.terms.nodes), fight).collect());
            for (pair, points) in numbers.iter().zip(points) {
                let (disturbance, rate) = self.schedule(*pair);
                let won = points as f64 - 2.0;
                for (i, direction) in self.directions(*pair).into_iter().enumerate() {
                    let (low, high) = Params::ALL[i].range;
                    let value = state.values[i] + rate * won * direction / disturbance;
                    state.values[i] = value.clamp(f64::from(low), f64::from(high));
                }
                state.points += points as u64;
            }
            state.pairs += numbers.len() as u64;
            tell(&state);
        }
        Ok(state)
    }
}
