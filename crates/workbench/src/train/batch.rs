//! Losses and gradients of a batch: the line nets run once for each different shape of the batch.
//!
//! The batch is split into a fixed number of shards whose gradients are added in a fixed order, so results do not
//! depend on the number of threads.

use super::features::Extractor;
use super::head::{Losses, Pass, Precision, Weighting};
use super::linenet::{self, ROW_MAX, Transposed};
use super::liveness::Liveness;
use super::model::{Head, HeadMut, LineNet, LineNetMut, Sides};
use super::residual::Residual;
use super::sample::Samples;
use rayon::prelude::*;
use tengen::eval::network::file::LARGEST;
use tengen::eval::network::kernel::{Dense, Kernel, Task};
use tengen::eval::network::layout::{HALF, HEAD_UNIT, NEAR_UNIT, OUTPUTS, ROW_UNIT};
use tengen::eval::network::lines::SHAPES;

/// Number of shards of a batch. A thread computes a shard, so training uses at most as many threads. Another number
/// changes results by rounding errors. Each shard costs the time to add its gradients.
const SHARDS: usize = 8;

/// A sample of a batch: its index, and the symmetry applied to it (modulo the number of symmetries of its board).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Index of the sample.
    pub sample: u32,
    /// Number of the symmetry.
    pub symmetry: u8,
}

/// Working memory of a shard.
struct Shard {
    extractor: Extractor,
    cells: Vec<u8>,
    /// Shapes of all points of all samples of the shard, later replaced by the indices of their rows.
    ids: Vec<[u32; 8]>,
    /// Offset of each sample's first point.
    starts: Vec<usize>,
    pass: Pass,
    losses: Losses,
    /// Gradients of the rows in the batch.
    rows: Vec<[f32; HALF]>,
    /// Gradients of the parameters.
    gradient: Vec<f32>,
    predictions: Vec<Prediction>,
    liveness: Liveness,
}

/// Output of the network for a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Probabilities of win, draw and loss.
    pub outcome: [f32; 3],
    /// Logits of the outcome; the last is padding.
    pub outputs: [f32; OUTPUTS],
    /// Cross-entropy of the best move under the policy.
    pub order_loss: f32,
    /// Number of candidates with a higher logit than the best move.
    pub order_rank: u16,
}

/// Parameters of a network.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// Line nets and heads.
    pub dense: &'a [f32],
    /// Residual rows to add to the line nets' rows, once there is such a table.
    pub residual: Option<&'a Residual>,
}

impl Parameters<'_> {
    /// The line net of a side, with its residual rows. The kernel runs it in floating point; the integers of
    /// [`Precision::Quantized`] are the engine's and need none.
    pub fn line(&self, sides: Sides, net: usize, precision: Precision, kernel: Kernel) -> Line<'_> {
        match precision {
            Precision::Quantized => self.quantized_line(sides, net),
            Precision::Float => {
                let weights = LineNet::new(&self.dense[sides.line_net(net)]);
                Line { net, arithmetic: Arithmetic::Float(weights, kernel), residual: self.residual }
            }
        }
    }

    /// The line net of a side as the engine computes it, with its residual rows.
    pub fn quantized_line(&self, sides: Sides, net: usize) -> Line<'_> {
        let weights = linenet::quantized(LineNet::new(&self.dense[sides.line_net(net)]));
        Line { net, arithmetic: Arithmetic::Integer(weights), residual: self.residual }
    }
}

/// A line net and its residual rows.
pub struct Line<'a> {
    net: usize,
    arithmetic: Arithmetic<'a>,
    residual: Option<&'a Residual>,
}

/// Weights of a line net, in the arithmetic that uses them.
enum Arithmetic<'a> {
    Float(LineNet<'a>, Kernel),
    Integer(tengen::eval::network::line_net::LineNet),
}

impl Line<'_> {
    /// Computes half rows of some shapes, before clamping. `arms` are the arms of the shapes, see [`linenet::arms`];
    /// quantized line nets need none.
    pub fn rows(&self, shapes: &[u32], arms: &[(u16, u16)], rows: &mut [[f32; HALF]]) {
        match &self.arithmetic {
            Arithmetic::Integer(net) => linenet::quantized_forward(net, shapes, rows),
            Arithmetic::Float(net, kernel) => kernel.run(linenet::Forward { net: *net, arms, rows }),
        }
        if let Some(residual) = self.residual {
            residual.add_to(self.net, shapes, rows);
        }
    }
}

/// Computes losses and gradients of batches.
pub struct Machine {
    sides: Sides,
    shards: Vec<Shard>,
    /// Index of each shape's row in the batch, valid if `seen` contains the number of the batch.
    place: Vec<u32>,
    seen: Vec<u32>,
    batches: u32,
    /// Shapes of the batch, by line net.
    shapes: [Vec<u32>; 2],
    /// The rows of these shapes, before and after clamping and rounding.
    unlimited: Vec<[f32; HALF]>,
    rows: Vec<[f32; HALF]>,
    /// Parameters, quantized on request.
    rounded: Vec<f32>,
    /// Gradient of the last batch's mean loss.
    pub gradient: Vec<f32>,
    /// The share of a gradient that passes a clipped unit in [`Machine::learn`].
    pub leak: f32,
    /// The instructions, which change nothing but the time.
    pub kernel: Kernel,
}

impl Machine {
    /// Allocates the memory for a model.
    pub fn new(sides: Sides) -> Machine {
        let shard = || Shard {
            extractor: Extractor::default(),
            cells: vec![0; 625],
            ids: Vec::new(),
            starts: Vec::new(),
            pass: Pass::default(),
            losses: Losses::default(),
            rows: Vec::new(),
            gradient: vec![0.0; sides.parameters()],
            predictions: Vec::new(),
            liveness: Liveness::new(sides),
        };
        Machine {
            sides,
            shards: (0..SHARDS).map(|_| shard()).collect(),
            place: vec![0; sides.0 * SHAPES],
            seen: vec![0; sides.0 * SHAPES],
            batches: 0,
            shapes: [Vec::new(), Vec::new()],
            unlimited: Vec::new(),
            rows: Vec::new(),
            rounded: Vec::new(),
            gradient: vec![0.0; sides.parameters()],
            leak: 0.0,
            kernel: Kernel::for_plain_loops(),
        }
    }

    /// Whether the sides share their weights.
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// Number of different shapes in the last batch.
    pub fn unique(&self) -> usize {
        self.rows.len()
    }

    /// The shapes of the last batch by line net. After [`Machine::learn`] they come with the gradients of their rows.
    pub fn rows(&self) -> impl Iterator<Item = (&[u32], &[[f32; HALF]])> {
        let (first, second) = self.shards[0].rows.split_at(self.shapes[0].len());
        self.shapes.iter().map(Vec::as_slice).zip([first, second]).take(self.sides.0)
    }

    /// What was active in the last [`Machine::predict`].
    pub fn liveness(&self) -> Liveness {
        let mut all = Liveness::new(self.sides);
        self.shards.iter().for_each(|shard| all.merge(&shard.liveness));
        all
    }

    /// Predictions for samples, in order.
    pub fn predict(
        &mut self,
        parameters: Parameters,
        samples: &Samples,
        picks: &[Pick],
        precision: Precision,
    ) -> (Losses, Vec<Prediction>) {
        let losses = self.run(parameters, samples, picks, precision, None);
        (losses, self.shards.iter().flat_map(|s| &s.predictions).copied().collect())
    }

    /// Computes the losses of a batch. Stores the gradient of their mean, each weighted, in [`Machine::gradient`].
    pub fn learn(
        &mut self,
        parameters: Parameters,
        samples: &Samples,
        picks: &[Pick],
        precision: Precision,
        weighting: Weighting,
    ) -> Losses {
        let share = 1.0 / picks.len() as f32;
        let weighting = Weighting { value: weighting.value * share, policy: weighting.policy * share };
        self.run(parameters, samples, picks, precision, Some(weighting))
    }

    fn run(
        &mut self,
        parameters: Parameters,
        samples: &Samples,
        picks: &[Pick],
        precision: Precision,
        weighting: Option<Weighting>,
    ) -> Losses {
        let (sides, kernel) = (self.sides, self.kernel);
        let per_shard = picks.len().div_ceil(SHARDS).max(1);
        let parts: Vec<&[Pick]> = (0..SHARDS)
            .map(|i| &picks[(i * per_shard).min(picks.len())..((i + 1) * per_shard).min(picks.len())])
            .collect();

        // Collect the shapes of all points.
        self.shards.par_iter_mut().zip(&parts).for_each(|(shard, part)| {
            shard.ids.clear();
            shard.starts.clear();
            for pick in *part {
                let sample = samples.head(pick.sample as usize);
                shard.starts.push(shard.ids.len());
                samples.unpack(sample, &mut shard.cells);
                shard.extractor.shapes(sample.size, &shard.cells, &mut shard.ids);
            }
            shard.starts.push(shard.ids.len());
        });

        // Assign an index to each different shape.
        self.batches += 1;
        self.shapes.iter_mut().for_each(Vec::clear);
        for (k, id) in self.shards.iter_mut().flat_map(|s| &mut s.ids).flat_map(|ids| ids.iter_mut().enumerate()) {
            let net = if k < 4 { 0 } else { sides.0 - 1 };
            let shape = *id as usize + net * SHAPES;
            if self.seen[shape] != self.batches {
                self.seen[shape] = self.batches;
                self.place[shape] = self.shapes[net].len() as u32;
                self.shapes[net].push(*id);
            }
            *id = self.place[shape];
        }
        let first_of_second = self.shapes[0].len();
        if sides.0 == 2 {
            for ids in self.shards.iter_mut().flat_map(|s| &mut s.ids) {
                ids[4..].iter_mut().for_each(|id| *id += first_of_second as u32);
            }
        }

        // Compute the rows of the shapes.
        let arms = [0, 1].map(|n| linenet::arms(&self.shapes[n]));
        self.unlimited.clear();
        self.unlimited.resize(self.shapes[0].len() + self.shapes[1].len(), [0.0; HALF]);
        let (first, second) = self.unlimited.split_at_mut(first_of_second);
        for (n, rows) in [first, second].into_iter().enumerate().take(sides.0) {
            let size = rows.len().div_ceil(4 * SHARDS).next_multiple_of(4).max(4);
            let shapes = self.shapes[n].par_chunks(size);
            let line = parameters.line(sides, n, precision, kernel);
            rows.par_chunks_mut(size).zip(arms[n].par_chunks(size)).zip(shapes).for_each(|((rows, arms), shapes)| {
                line.rows(shapes, arms, rows);
            });
        }
        self.rows.clone_from(&self.unlimited);
        limit(&mut self.rows, precision);

        // Forward and backward pass of the heads.
        self.rounded.clear();
        self.rounded.extend_from_slice(parameters.dense);
        if precision == Precision::Quantized {
            for side in 0..sides.0 {
                linenet::round(LineNetMut::new(&mut self.rounded[sides.line_net(side)]));
                round_head(&mut self.rounded[sides.head(side)]);
            }
        }
        let heads = Heads { sides, samples, rows: &self.rows, weights: &self.rounded, precision, weighting };
        let leak = self.leak;
        self.shards.par_iter_mut().zip(&parts).for_each(|(shard, picks)| {
            shard.pass.leak = leak;
            kernel.run(ShardHeads { heads: &heads, shard, picks });
        });

        let mut losses = Losses::default();
        self.shards.iter().for_each(|s| losses.add(&s.losses));
        if weighting.is_none() {
            return losses;
        }

        // Backward pass of the line nets.
        let (first, others) = self.shards.split_at_mut(1);
        let gradients = first[0].rows.par_iter_mut().zip(&self.unlimited).enumerate();
        gradients.for_each(|(at, (sum, row))| {
            for other in others.iter() {
                (0..HALF).for_each(|i| sum[i] += other.rows[at][i]);
            }
            for i in 0..HALF {
                // Clamped rows get no gradient. A row that only rounding moved to the limit is still within it.
                sum[i] = if row[i].abs() < ROW_MAX { sum[i] } else { 0.0 };
            }
        });
        let sum = std::mem::take(&mut self.shards[0].rows);
        for n in 0..sides.0 {
            let net = LineNet::new(&self.rounded[sides.line_net(n)]);
            let transposed = &Transposed::new(net);
            let start = [0, first_of_second][n];
            let rows = &sum[start..start + arms[n].len()];
            let size = rows.len().div_ceil(SHARDS).max(1);
            let parts = arms[n].par_chunks(size).zip(rows.par_chunks(size));
            self.shards.par_iter_mut().zip(parts).for_each(|(shard, (arms, rows))| {
                let gradient = LineNetMut::new(&mut shard.gradient[sides.line_net(n)]);
                kernel.run(linenet::Backward { net, precision, transposed, arms, rows, gradient });
            });
        }
        self.shards[0].rows = sum;
        self.gradient.fill(0.0);
        for shard in &self.shards {
            self.gradient.iter_mut().zip(&shard.gradient).for_each(|(sum, part)| *sum += part);
        }
        losses
    }
}

/// What the heads of all shards need.
struct Heads<'a> {
    sides: Sides,
    samples: &'a Samples,
    /// Rows of the batch's shapes.
    rows: &'a [[f32; HALF]],
    /// All parameters.
    weights: &'a [f32],
    precision: Precision,
    /// With it gradients are computed, without it predictions.
    weighting: Option<Weighting>,
}

/// The forward and backward pass of the heads on a shard.
struct ShardHeads<'a> {
    heads: &'a Heads<'a>,
    shard: &'a mut Shard,
    picks: &'a [Pick],
}

impl Task for ShardHeads<'_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Dense>(self) {
        let Heads { sides, samples, rows: all_rows, weights, precision, weighting } = *self.heads;
        let Shard { extractor, ids, starts, pass, losses, rows, gradient, predictions, liveness, .. } = self.shard;
        *liveness = Liveness::new(sides);
        *losses = Losses::default();
        predictions.clear();
        gradient.fill(0.0);
        if weighting.is_some() {
            rows.clear();
            rows.resize(all_rows.len(), [0.0; HALF]);
        }
        for (pick, points) in self.picks.iter().zip(starts.windows(2)) {
            let sample = samples.head(pick.sample as usize);
            let candidates = samples.candidates(sample);
            let geometry = extractor.geometry(sample.size);
            let image = &geometry.images[usize::from(pick.symmetry) % geometry.images.len()];
            let ids = &ids[points[0]..points[1]];
            let side = sample.to_move.index() % sides.0;
            let range = sides.head(side);
            let head = Head::new(&weights[range.clone()]);
            pass.forward(sample, candidates, &head, geometry, image, ids, all_rows, precision, losses);
            match weighting {
                Some(weighting) => {
                    let mut gradient = HeadMut::new(&mut gradient[range]);
                    pass.backward(sample, candidates, &head, geometry, image, ids, weighting, &mut gradient, rows);
                }
                None => {
                    pass.count(side, liveness);
                    predictions.push(prediction(pass, sample.best));
                }
            }
        }
    }
}

fn prediction(pass: &Pass, best: Option<u16>) -> Prediction {
    let (mut order_loss, mut order_rank) = (0.0, 0);
    if let Some(best) = best {
        let all = pass.candidates();
        let p = all[usize::from(best)];
        order_loss = -p.max(1e-9).ln();
        order_rank = all.iter().filter(|q| **q > p).count() as u16;
    }
    Prediction { outcome: pass.outcome, outputs: pass.outputs, order_loss, order_rank }
}

/// Clamps rows, and rounds them for quantized precision.
pub fn limit(rows: &mut [[f32; HALF]], precision: Precision) {
    let unit = ROW_UNIT as f32;
    for v in rows.iter_mut().flatten() {
        *v = v.clamp(-ROW_MAX, ROW_MAX);
        if precision == Precision::Quantized {
            // Halves are rounded upwards, as in the engine: so whole units can be added before or after rounding.
            *v = (*v * unit + 0.5).floor() / unit;
        }
    }
}

/// Rounds a head's weights as the export does.
pub fn round_head(values: &mut [f32]) {
    let head = HeadMut::new(values);
    let (weight, bias) = (127, HEAD_UNIT * HEAD_UNIT);
    round_to(head.first.as_flattened_mut(), HEAD_UNIT, weight);
    round_to(head.second.as_flattened_mut(), HEAD_UNIT, weight);
    round_to(head.output.as_flattened_mut(), HEAD_UNIT, weight);
    round_to(head.gate.as_flattened_mut(), HEAD_UNIT, weight);
    round_to(head.first_bias, bias, LARGEST);
    round_to(head.second_bias, bias, LARGEST);
    round_to(head.output_bias, bias, LARGEST);
    round_to(head.policy, bias, LARGEST);
    round_to(head.near, NEAR_UNIT, 32_767);
}

/// Rounds values to multiples of `1 / unit`, at most `most` of them.
pub fn round_to(values: &mut [f32], unit: i32, most: i32) {
    let (unit, most) = (unit as f32, most as f32);
    values.iter_mut().for_each(|v| *v = (*v * unit).round_ties_even().clamp(-most, most) / unit);
}
