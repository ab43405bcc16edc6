//! Tunes the search's parameters by simultaneous perturbation (SPSA).
//!
//! The two settings of each pair of games differ from the current one in all parameters at once, each up or down by a
//! random sign. The current setting then moves a little towards the winner. The method is that of J. Spall (1992) in
//! fishtest's version for engines: gains decay as `(A + k)^-0.602`, perturbations as `k^-0.101`.
//!
//! A run is a pure function of its [`Plan`]: games are played in batches, and all pairs of a batch perturb the same
//! setting. [`super::share`] spreads the pairs of a batch over machines.

use super::duel::{Arena, Budget, Side, Terms};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tengen::control::StopToken;
use tengen::engine::{Evaluation, Params, STACK_BYTES};
use tengen_analysis::random::Random;

/// Settings of a tuning run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Conditions of the games.
    pub terms: Terms,
    /// Evaluation of both sides.
    pub evaluation: Evaluation,
    /// Nodes for each move.
    pub nodes: u64,
    /// Indices in [`Params::ALL`] of the parameters to tune.
    pub tuned: Vec<usize>,
    /// Pairs of games in the whole run.
    pub pairs: u64,
    /// Pairs between two updates of the setting.
    pub batch: u64,
    /// Gain at the end of the run, in steps of a parameter per point of a pair's score and unit of perturbation.
    pub gain: f64,
}

/// Size of perturbations and updates over a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Pairs in the whole run.
    pub pairs: u64,
    /// See [`Plan::gain`].
    pub gain: f64,
}

impl Gains {
    /// Perturbation of a parameter in pair number `k`, from 0, in steps.
    pub fn perturbation(&self, k: u64) -> f64 {
        (self.pairs as f64 / (k as f64 + 1.0)).powf(0.101)
    }

    /// Change of a parameter, in steps, for each point of that pair.
    pub fn rate(&self, k: u64) -> f64 {
        let (number, n) = (k as f64 + 1.0, self.pairs as f64);
        let settle = 0.1 * n;
        self.gain * ((settle + n) / (settle + number)).powf(0.602) / self.perturbation(k)
    }
}

/// State of a run: one line of its log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Pairs played.
    pub pairs: u64,
    /// Points of the settings that were perturbed along the drawn signs, of four per pair: about one half without
    /// progress.
    pub points: u64,
    /// Sum of the squares of each pair's points minus two: a measure of the noise. 0 in logs of earlier versions.
    #[serde(default)]
    pub squares: u64,
    /// All parameters, unrounded, in the order of [`Params::ALL`].
    pub values: Vec<f64>,
}

impl State {
    /// The start: the current parameters.
    pub fn new(params: &Params) -> State {
        State { pairs: 0, points: 0, squares: 0, values: params.values().into_iter().map(f64::from).collect() }
    }

    /// The parameters, rounded.
    pub fn params(&self, like: &Params) -> Params {
        perturbed(like, &self.values, &[], 0.0)
    }
}

fn perturbed(like: &Params, values: &[f64], directions: &[f64], sign: f64) -> Params {
    let moved = |i: usize, v: f64| (v + sign * directions.get(i).copied().unwrap_or(0.0)).round() as i32;
    let mut params = like.clone();
    params.set_values(&values.iter().enumerate().map(|(i, v)| moved(i, *v)).collect::<Vec<_>>());
    params
}

impl Plan {
    fn gains(&self) -> Gains {
        Gains { pairs: self.pairs, gain: self.gain }
    }

    /// Signed perturbations of one pair.
    fn directions(&self, pair: u64) -> Vec<f64> {
        let mut random = Random::new(&[self.terms.seed, 1, pair]);
        let perturbation = self.gains().perturbation(pair);
        let mut directions = vec![0.0; Params::ALL.len()];
        for i in &self.tuned {
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            directions[*i] = sign * perturbation * f64::from(Params::ALL[*i].step);
        }
        directions
    }

    /// Plays a pair between the two settings that differ from these values, and returns the points of the first.
    pub(super) fn pair(&self, arena: &mut Arena, values: &[f64], number: u64) -> u8 {
        let (like, directions) = (Params::of(self.terms.rule), self.directions(number));
        let side = |sign| {
            let params = perturbed(&like, values, &directions, sign);
            Side { params, evaluation: self.evaluation.clone(), budget: self.budget() }
        };
        arena.pair(&self.terms, &[1.0, -1.0].map(side), number).points()
    }

    fn budget(&self) -> Budget {
        Budget::Nodes(self.nodes)
    }

    /// An arena for these pairs.
    pub(super) fn arena(&self) -> Arena {
        Arena::new([self.budget(); 2])
    }

    /// The numbers of the pairs that follow a state and perturb the same setting.
    pub fn batch(&self, state: &State) -> Range<u64> {
        state.pairs..(state.pairs + self.batch.max(1)).min(self.pairs)
    }

    /// The state after a batch, from the points of its pairs.
    fn after(&self, mut state: State, points: &[u8]) -> State {
        for (pair, points) in self.batch(&state).zip(points) {
            let (perturbation, rate) = (self.gains().perturbation(pair), self.gains().rate(pair));
            let won = f64::from(*points) - 2.0;
            for (i, direction) in self.directions(pair).into_iter().enumerate() {
                let (low, high) = Params::ALL[i].range;
                let value = state.values[i] + rate * won * direction / perturbation;
                state.values[i] = value.clamp(f64::from(low), f64::from(high));
            }
            state.points += u64::from(*points);
            state.squares += u64::from(points.abs_diff(2)).pow(2);
        }
        state.pairs += points.len() as u64;
        state
    }

    /// Continues from a state and reports each new one. `play` plays the batch that follows a state and returns the
    /// points of its pairs; `None` ends the run early.
    ///
    /// # Errors
    /// Those of `play`.
    pub fn run_with<E>(
        &self,
        mut state: State,
        mut play: impl FnMut(&State) -> Result<Option<Vec<u8>>, E>,
        on_state: &mut dyn FnMut(&State),
    ) -> Result<State, E> {
        while state.pairs < self.pairs {
            let Some(points) = play(&state)? else { break };
            state = self.after(state, &points);
            on_state(&state);
        }
        Ok(state)
    }

    /// Continues from a state on some threads and reports each new one. Ends early, without the batch in progress, if
    /// `stop` is set.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn run(
        &self,
        state: State,
        threads: usize,
        stop: &StopToken,
        on_state: &mut dyn FnMut(&State),
    ) -> Result<State, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
        let play = |state: &State| {
            let numbers: Vec<u64> = self.batch(state).collect();
            let pair = |arena: &mut Arena, number: &u64| {
                (!stop.is_stopped()).then(|| self.pair(arena, &state.values, *number))
            };
            Ok(pool.install(|| numbers.par_iter().map_init(|| self.arena(), pair).collect()))
        };
        self.run_with(state, play, on_state)
    }
}
