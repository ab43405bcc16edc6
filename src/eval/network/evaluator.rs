//! The network as an [`Evaluator`]: its value head gives the score, its policy gives the move ordering.

use super::accumulator::Accumulator;
use super::kernel::{Dense, Kernel, Task, Vector};
use super::layout::{
    HALF, HEAD_UNIT, HIDDEN, HIDDEN_SHIFT, INPUT_MAX, INPUTS, LANES, NON_POOLED_INPUTS, OUTPUTS, POOL_SHIFT, REGIONS,
    Regions, facts, is_swapped,
};
use super::policy::Policy;
use super::weights::{Head, Network, Set};
use crate::board::{Point, Setup, SetupError, Side};
use crate::eval::{Evaluator, OrderingContext};
use crate::position::{Observer, PointInfo, Position};
use crate::rules::Rule;
use crate::score::Score;
use std::sync::{Arc, OnceLock};

/// Hidden units in groups of four.
const HIDDEN_QUADS: usize = HIDDEN / 4;

/// The units of a hidden layer.
pub type Units = [[u8; 4]; HIDDEN_QUADS];

/// The first hidden layer of a position, shared by the value head and the policy.
#[derive(Clone, Copy, Debug)]
struct Hidden {
    /// Key of the position.
    key: u64,
    units: Units,
}

/// The network as an observer of one position. It computes nothing until a result is requested.
#[derive(Clone, Debug)]
pub struct Neural {
    set: Arc<Set>,
    kernel: Kernel,
    accumulator: Accumulator,
    multipliers: [i32; REGIONS],
    hidden: Option<Hidden>,
}

impl Neural {
    /// An evaluator for this position, which it must observe from now on; `None` if the network does not support the
    /// rule.
    pub fn new(position: &Position, network: &Network) -> Option<Neural> {
        Neural::with_kernel(position, network, Kernel::fastest())
    }

    /// The position of a setup, and an evaluator that is up to date with it; `None` if the network does not support the
    /// rule.
    ///
    /// # Errors
    /// Returns the faults that [`Setup::check`] finds.
    pub fn with_position(
        setup: &Setup,
        rule: Rule,
        network: &Network,
    ) -> Result<(Position, Option<Neural>), SetupError> {
        let position = Position::new(setup, rule)?;
        let neural = Neural::new(&position, network);
        Ok((position, neural))
    }

    /// Like [`Neural::new`], with a kernel from [`Kernel::available`].
    pub fn with_kernel(position: &Position, network: &Network, kernel: Kernel) -> Option<Neural> {
        let set = network.set(position.rule())?;
        let regions = Regions::new(position.size());
        Some(Neural {
            set,
            kernel,
            accumulator: Accumulator::new(position, kernel),
            multipliers: std::array::from_fn(|r| regions.multiplier(r)),
            hidden: None,
        })
    }

    /// Logits of win, draw and loss of the side to move, in the unit of [`super::layout`].
    pub fn logits(&mut self, position: &Position) -> [i32; 3] {
        let units = self.hidden(position);
        let head = &self.set.heads[position.to_move().index()];
        let [win, draw, loss, _] = self.kernel.run(Outputs { head, units: &units });
        [win, draw, loss]
    }

    /// The first hidden layer; the last one computed is cached with the key of its position.
    #[inline]
    fn hidden(&mut self, position: &Position) -> Units {
        if let Some(hidden) = self.hidden.filter(|h| h.key == position.key()) {
            return hidden.units;
        }
        self.accumulator.follow(&self.set, position);
        let head = &self.set.heads[position.to_move().index()];
        let (sums, facts) = (self.accumulator.sums(), facts(position));
        let swapped = is_swapped(position.to_move());
        let multipliers = &self.multipliers;
        let units = self.kernel.run(FirstLayer { head, sums, multipliers, facts: &facts, swapped });
        self.hidden = Some(Hidden { key: position.key(), units });
        units
    }
}

struct FirstLayer<'a> {
    head: &'a Head,
    sums: &'a [Vector; REGIONS],
    multipliers: &'a [i32; REGIONS],
    facts: &'a [u8; NON_POOLED_INPUTS],
    swapped: bool,
}

impl Task for FirstLayer<'_> {
    type Output = Units;

    #[inline(always)]
    fn run<D: Dense>(self) -> Units {
        let FirstLayer { head, sums, multipliers, facts, swapped } = self;
        let mut inputs = [0; INPUTS];
        for ((input, sum), multiplier) in inputs.chunks_exact_mut(LANES).zip(sums).zip(multipliers) {
            let mut packed = [0; LANES];
            for (packed, sum) in packed.iter_mut().zip(&sum.0) {
                *packed = ((i32::from(*sum) * multiplier) >> POOL_SHIFT).min(INPUT_MAX) as u8;
            }
            let (black, white) = packed.split_at(HALF);
            let (us, them) = if swapped { (white, black) } else { (black, white) };
            input[..HALF].copy_from_slice(us);
            input[HALF..].copy_from_slice(them);
        }
        inputs[REGIONS * LANES..].copy_from_slice(facts);
        let mut acc = head.first_bias;
        D::add(bytemuck::cast_slice(&inputs), &head.first, &mut acc);
        activate(&acc)
    }
}

/// Hidden activations from sums.
#[inline(always)]
fn activate(sums: &[i32; HIDDEN]) -> Units {
    // A plain loop instead of `from_fn`, which may not be inlined and is then compiled for the oldest processor.
    let mut units = [[0; 4]; HIDDEN_QUADS];
    for (unit, sum) in units.as_flattened_mut().iter_mut().zip(sums) {
        *unit = (*sum >> HIDDEN_SHIFT).clamp(0, INPUT_MAX) as u8;
    }
    units
}

struct Outputs<'a> {
    head: &'a Head,
    units: &'a Units,
}

impl Task for Outputs<'_> {
    type Output = [i32; OUTPUTS];

    #[inline(always)]
    fn run<D: Dense>(self) -> [i32; OUTPUTS] {
        let Outputs { head, units } = self;
        let mut acc = head.second_bias;
        D::add(units, &head.second, &mut acc);
        let mut outputs = head.output_bias;
        for (unit, weights) in activate(&acc).as_flattened().iter().zip(&head.output) {
            for (o, w) in outputs.iter_mut().zip(weights) {
                *o += i32::from(*unit) * i32::from(*w);
            }
        }
        outputs
    }
}

/// One unit of log-odds in logits of the value.
const VALUE_UNIT: i32 = HEAD_UNIT * HEAD_UNIT;
/// `ln 2` in logits of the value.
const LN_2: i32 = 2839;

/// `ln(1 + exp(-x))` for x in steps of 1/64, in logits of the value. The functions of `libm` give the same results on
/// all machines.
fn softplus(x: i32) -> i32 {
    const STEPS: usize = 10 * 64;
    static TABLE: OnceLock<Vec<i32>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let value = |i: usize| libm::log1p(libm::exp(-(i as f64) / 64.0)) * f64::from(VALUE_UNIT);
        (0..STEPS).map(|i| libm::round(value(i)) as i32).collect()
    });
    table.get((x / (VALUE_UNIT / 64)) as usize).copied().unwrap_or(0)
}

/// `ln(exp(a) + exp(b))`, in logits of the value.
fn log_add(a: i32, b: i32) -> i32 {
    a.max(b) + softplus((a - b).abs())
}

/// The score with the same expected result as these logits of win, draw and loss, where a draw counts as half a win.
/// One unit of log-odds is `scale` units of score.
fn score_of(logits: [i32; 3], scale: i32) -> i32 {
    let [win, draw, loss] = logits;
    let half = draw - LN_2;
    let odds = log_add(win, half) - log_add(loss, half);
    Score::units((i64::from(odds) * i64::from(scale) / i64::from(VALUE_UNIT)) as i32).raw()
}

impl Observer for Neural {
    #[inline(always)]
    fn begin(&mut self, point: Point, side: Side) {
        self.accumulator.play(point, side);
    }

    #[inline(always)]
    fn info(&mut self, _: Point, _: PointInfo, _: PointInfo) {}

    #[inline(always)]
    fn filled(&mut self, _: Point, _: PointInfo) {}

    #[inline(always)]
    fn undo(&mut self) {
        self.accumulator.undo();
    }
}

impl Evaluator for Neural {
    type Ordering<'a> = Policy<'a>;

    fn evaluate(&mut self, position: &Position) -> i32 {
        score_of(self.logits(position), self.set.scale)
    }

    fn ordering(&mut self, position: &Position, _: OrderingContext) -> Policy<'_> {
        let units = self.hidden(position);
        let head = &self.set.heads[position.to_move().index()];
        // A hidden layer from the cache leaves the accumulator behind the position, so it is updated here.
        self.accumulator.follow(&self.set, position);
        Policy::new(position, head, &units, &self.accumulator, self.kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_mean_the_expected_result_that_the_logits_do() {
        let scale = 160;
        for logits in [[0, 0, 0], [4096, 0, -4096], [-9000, 12_000, 2000], [30_000, 0, -70_000], [5, 40_000, 5]] {
            let [win, draw, loss] = logits.map(|l| libm::exp(f64::from(l) / 4096.0));
            let exact = f64::from(scale) * libm::log((win + draw / 2.0) / (loss + draw / 2.0));
            let score = f64::from(score_of(logits, scale));
            assert!((score - exact).abs() < 4.0, "{logits:?}: {score} for {exact}");
            let [win, draw, loss] = logits;
            assert_eq!(score_of([loss, draw, win], scale), -score_of(logits, scale));
        }
    }
}
