//! The heads on one sample: activations of all points, value and policy, and the backward pass to the rows.
//!
//! With `Precision::Quantized` all values that are integers in inference are rounded as in inference, so the results
//! equal those of the exported network. Gradients ignore the rounding (straight-through estimator).

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed alike")]

use super::features::Geometry;
use super::liveness::Liveness;
use super::model::{Head, HeadMut, near_index};
use super::sample::{Head as Sample, cell_displacement};
use serde::{Deserialize, Serialize};
use tengen::board::Point;
use tengen::eval::displacement;
use tengen::eval::network::layout::{
    self, ACTIVATION_MAX, CENTRE, HALF, HEAD_UNIT, HIDDEN, INPUT_MAX, INPUTS, LANES, NON_POOLED_INPUTS, OUTPUTS,
    POLICY, POLICY_UNIT, POOL_SHIFT, RADIUS, REGIONS, ROW_UNIT, is_swapped,
};
use tengen::pattern::PointClass;
use tengen::search::Bound;

/// How weights and activations are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Plain floating point.
    Float,
    /// Rounded to the units of [`tengen::eval::network::layout`].
    Quantized,
}

/// Largest activation of a point.
const ACTIVATION: f32 = ACTIVATION_MAX as f32 / ROW_UNIT as f32;
/// Largest input and hidden activation.
const INPUT: f32 = INPUT_MAX as f32 / HEAD_UNIT as f32;
/// Factor from a regional sum times its multiplier to an input.
const POOL: f32 = ROW_UNIT as f32 / (1 << POOL_SHIFT) as f32 / HEAD_UNIT as f32;

/// Largest magnitude of a policy weight.
const POLICY_MAX: f32 = layout::POLICY_MAX as f32 / POLICY_UNIT as f32;

/// Weights of the losses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighting {
    /// Weight of the value loss.
    pub value: f32,
    /// Weight of the policy loss.
    pub policy: f32,
}

/// Buffers for the forward and backward pass of a sample.
#[derive(Debug)]
pub struct Pass {
    /// Activations of all points, black's lanes first.
    activations: Vec<[f32; LANES]>,
    /// Gradients of the activations, later those of the sums before the activation function.
    gradients: Vec<[f32; LANES]>,
    logits: Vec<f32>,
    inputs: Vec<f32>,
    sums: [[f32; LANES]; REGIONS],
    first: [f32; HIDDEN],
    second: [f32; HIDDEN],
    policy: [f32; POLICY],
    /// Taps of the policy for each candidate.
    taps: Vec<[f32; POLICY]>,
    /// Logits of win, draw and loss; the last is padding.
    pub outputs: [f32; OUTPUTS],
    /// Probabilities of win, draw and loss.
    pub outcome: [f32; 3],
    /// Weight of the value loss; 0 if the value satisfies its bound.
    weight: f32,
    /// The share of a gradient that passes a clipped unit.
    pub leak: f32,
}

// Not derived, because `Default` does not exist for large arrays.
impl Default for Pass {
    fn default() -> Pass {
        Pass {
            activations: Vec::new(),
            gradients: Vec::new(),
            logits: Vec::new(),
            inputs: Vec::new(),
            sums: [[0.0; LANES]; REGIONS],
            first: [0.0; HIDDEN],
            second: [0.0; HIDDEN],
            policy: [0.0; POLICY],
            taps: Vec::new(),
            outputs: [0.0; OUTPUTS],
            outcome: [0.0; 3],
            weight: 0.0,
            leak: 0.0,
        }
    }
}

/// Sums of losses of samples, with the sums of their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Weighted cross-entropy of the value.
    pub value: f64,
    /// Sum of the value's weights.
    pub values: f64,
    /// Weighted cross-entropy of the best move.
    pub policy: f64,
    /// Sum of the policy's weights over samples with a best move.
    pub policies: f64,
    /// The part of `policies` from samples whose best move had the highest logit.
    pub hits: f64,
}

impl Losses {
    /// Adds other losses.
    pub fn add(&mut self, other: &Losses) {
        self.value += other.value;
        self.values += other.values;
        self.policy += other.policy;
        self.policies += other.policies;
        self.hits += other.hits;
    }
}

fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for l in logits.iter_mut() {
        *l = (*l - most).exp();
        sum += *l;
    }
    logits.iter_mut().for_each(|l| *l /= sum);
}

fn entropy(probabilities: &[f32]) -> f32 {
    probabilities.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum()
}

/// Exchanges the halves of each tap if white is to move.
#[inline(always)]
fn oriented<const N: usize>(lanes: &[f32; N], swapped: bool) -> [f32; N] {
    if swapped { std::array::from_fn(|i| lanes[i ^ HALF]) } else { *lanes }
}

/// The points of a candidate's convolution: for each the index of its tap's first weight, the cell, and its share.
#[inline(always)]
fn around(sample: &Sample, to: u16) -> impl Iterator<Item = (usize, usize, f32)> {
    const SHARE: f32 = 1.0 / CENTRE as f32;
    let (width, height) = (usize::from(sample.size.width()), usize::from(sample.size.height()));
    let (x, y) = (usize::from(to) % width, usize::from(to) / width);
    let point = |x: usize, y: usize| Point::at(x as u8, y as u8);
    let within = |at: usize, length: usize| at.saturating_sub(RADIUS)..(at + RADIUS + 1).min(length);
    within(y, height).flat_map(move |row| {
        within(x, width).map(move |column| {
            let tap = displacement(point(x, y), point(column, row));
            (tap * LANES, row * width + column, if tap == 0 { 1.0 } else { SHARE })
        })
    })
}

/// Indices in the policy's tables for a candidate.
fn near_entries(sample: &Sample, to: u16) -> impl Iterator<Item = usize> {
    let width = usize::from(sample.size.width());
    sample.last.into_iter().enumerate().filter_map(move |(whose, last)| {
        let (from, class): (u16, PointClass) = last?;
        Some(near_index(whose, class, cell_displacement(width, from, to)))
    })
}

impl Pass {
    /// Computes value and policy of a sample from the rows of its points, and adds its losses. Only samples with a best
    /// move have a policy loss.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    pub fn forward(
        &mut self,
        sample: &Sample,
        candidates: &[u16],
        head: &Head,
        geometry: &Geometry,
        image: &[u8; REGIONS],
        ids: &[[u32; 8]],
        rows: &[[f32; HALF]],
        precision: Precision,
        losses: &mut Losses,
    ) {
        self.activations.clear();
        self.sums = [[0.0; LANES]; REGIONS];
        for (ids, region) in ids.iter().zip(&geometry.region) {
            let mut sum = [0.0; LANES];
            let row = |i: usize| &rows[ids[i] as usize];
            let (black, white) = ([row(0), row(1), row(2), row(3)], [row(4), row(5), row(6), row(7)]);
            for i in 0..HALF {
                sum[i] = (black[0][i] + black[1][i]) + (black[2][i] + black[3][i]);
                sum[HALF + i] = (white[0][i] + white[1][i]) + (white[2][i] + white[3][i]);
            }
            sum.iter_mut().for_each(|v| *v = v.clamp(0.0, ACTIVATION));
            for (total, v) in self.sums[usize::from(image[usize::from(*region)])].iter_mut().zip(&sum) {
                *total += v;
            }
            self.activations.push(sum);
        }
        let swapped = is_swapped(sample.to_move);
        let rounded = precision == Precision::Quantized;
        let unit = HEAD_UNIT as f32;
        let floor = |v: f32| if rounded { (v * unit).floor() / unit } else { v };
        self.inputs.clear();
        for (r, sums) in self.sums.iter().enumerate() {
            // A symmetry maps regions to regions of the same area.
            let factor = geometry.multiplier[r] * POOL;
            self.inputs.extend(oriented(sums, swapped).map(|v| floor(v * factor).min(INPUT)));
        }
        self.inputs.extend(sample.facts.map(|f| f32::from(f) / unit));
        debug_assert_eq!(self.inputs.len(), INPUTS);
        let layer = |inputs: &[f32], weights: &[[f32; HIDDEN]], bias: &[f32]| {
            let mut sum = [0.0; HIDDEN];
            sum.copy_from_slice(bias);
            for (x, weights) in inputs.iter().zip(weights) {
                if *x != 0.0 {
                    for (s, w) in sum.iter_mut().zip(weights) {
                        *s += *x * *w;
                    }
                }
            }
            sum.map(|v| floor(v).clamp(0.0, INPUT))
        };
        self.first = layer(&self.inputs, head.first, head.first_bias);
        self.second = layer(&self.first, head.second, head.second_bias);
        let mut outputs = [0.0; OUTPUTS];
        outputs.copy_from_slice(head.output_bias);
        for (x, weights) in self.second.iter().zip(head.output) {
            for (o, w) in outputs.iter_mut().zip(weights) {
                *o += x * w;
            }
        }
        self.outputs = outputs;
        let [win, draw, loss, _] = outputs;
        self.outcome = [win, draw, loss];
        softmax(&mut self.outcome);
        let cross: f32 = self.outcome.iter().zip(sample.target).map(|(p, t)| -t * p.max(1e-9).ln()).sum();
        // A satisfied bound costs the same as an exactly met target.
        let is_satisfied = sample.bound != Bound::Exact && sample.error(self.outcome) == 0.0;
        self.weight = if is_satisfied { 0.0 } else { sample.weight };
        losses.value += f64::from(sample.weight * if is_satisfied { entropy(&sample.target) } else { cross });
        losses.values += f64::from(sample.weight);

        self.policy.copy_from_slice(head.policy);
        for (x, weights) in self.first.iter().zip(head.gate) {
            for (p, w) in self.policy.iter_mut().zip(weights) {
                *p += x * w;
            }
        }
        if rounded {
            let unit = POLICY_UNIT as f32;
            self.policy.iter_mut().for_each(|p| *p = ((*p * unit).floor() / unit).clamp(-POLICY_MAX, POLICY_MAX));
        }
        let weights = oriented(&self.policy, swapped);
        self.logits.clear();
        self.taps.clear();
        for to in candidates {
            let mut taps = [0.0; POLICY];
            for (tap, at, share) in around(sample, *to) {
                for (t, a) in taps[tap..].iter_mut().zip(&self.activations[at]) {
                    *t += share * a;
                }
            }
            let product: f32 = taps.iter().zip(&weights).map(|(t, w)| t * w).sum();
            self.taps.push(taps);
            self.logits.push(product + near_entries(sample, *to).map(|e| head.near[e]).sum::<f32>());
        }
        if let Some(best) = sample.best {
            let best = usize::from(best);
            let top = self.logits.iter().all(|l| *l <= self.logits[best]);
            softmax(&mut self.logits);
            let weight = f64::from(sample.policy_weight);
            losses.policy -= weight * f64::from(self.logits[best].max(1e-9).ln());
            losses.policies += weight;
            losses.hits += weight * f64::from(u8::from(top));
        }
    }

    /// Adds the gradient of the losses of the last [`Pass::forward`], times `weighting`, to the gradients of the head
    /// and of the rows.
    #[allow(clippy::too_many_arguments)]
    #[inline(always)]
    pub fn backward(
        &mut self,
        sample: &Sample,
        candidates: &[u16],
        head: &Head,
        geometry: &Geometry,
        image: &[u8; REGIONS],
        ids: &[[u32; 8]],
        weighting: Weighting,
        gradient: &mut HeadMut,
        rows: &mut [[f32; HALF]],
    ) {
        let swapped = is_swapped(sample.to_move);
        let mut d_first = [0.0; HIDDEN];
        self.gradients.clear();
        self.gradients.resize(self.activations.len(), [0.0; LANES]);

        if let Some(best) = sample.best {
            let weights = oriented(&self.policy, swapped);
            let mut d_weights = [0.0; POLICY];
            let scale = weighting.policy * sample.policy_weight;
            for (i, to) in candidates.iter().enumerate() {
                let wanted = if i == usize::from(best) { 1.0 } else { 0.0 };
                let d = scale * (self.logits[i] - wanted);
                for (sum, tap) in d_weights.iter_mut().zip(&self.taps[i]) {
                    *sum += d * tap;
                }
                for (tap, at, share) in around(sample, *to) {
                    for (g, w) in self.gradients[at].iter_mut().zip(&weights[tap..]) {
                        *g += d * share * w;
                    }
                }
                near_entries(sample, *to).for_each(|e| gradient.near[e] += d);
            }
            let d_weights = oriented(&d_weights, swapped);
            for (g, d) in gradient.policy.iter_mut().zip(&d_weights) {
                *g += d;
            }
            for (k, x) in self.first.iter().enumerate() {
                let mut sum = 0.0;
                for i in 0..POLICY {
                    gradient.gate[k][i] += x * d_weights[i];
                    sum += head.gate[k][i] * d_weights[i];
                }
                d_first[k] = sum;
            }
        }

        let scale = weighting.value * self.weight;
        let mut d_output = [0.0; OUTPUTS];
        for i in 0..3 {
            d_output[i] = scale * (self.outcome[i] - sample.target[i]);
        }
        let mut d_second = [0.0; HIDDEN];
        for (g, d) in gradient.output_bias.iter_mut().zip(&d_output) {
            *g += d;
        }
        for k in 0..HIDDEN {
            let mut sum = 0.0;
            for i in 0..OUTPUTS {
                gradient.output[k][i] += self.second[k] * d_output[i];
                sum += head.output[k][i] * d_output[i];
            }
            d_second[k] = sum;
        }
        let leak = self.leak;
        let inside = |d: &mut [f32; HIDDEN], at: &[f32; HIDDEN]| {
            for (d, a) in d.iter_mut().zip(at) {
                *d *= if *a > 0.0 && *a < INPUT { 1.0 } else { leak };
            }
        };
        inside(&mut d_second, &self.second);
        for (g, d) in gradient.second_bias.iter_mut().zip(&d_second) {
            *g += d;
        }
        for k in 0..HIDDEN {
            let mut sum = 0.0;
            for i in 0..HIDDEN {
                gradient.second[k][i] += self.first[k] * d_second[i];
                sum += head.second[k][i] * d_second[i];
            }
            d_first[k] += sum;
        }
        inside(&mut d_first, &self.first);
        for (g, d) in gradient.first_bias.iter_mut().zip(&d_first) {
            *g += d;
        }
        let mut d_inputs = [0.0; INPUTS];
        for (((x, g), weights), d_input) in
            self.inputs.iter().zip(gradient.first.iter_mut()).zip(head.first).zip(&mut d_inputs)
        {
            let mut lanes = [0.0; 8];
            for i in (0..HIDDEN).step_by(8) {
                for j in 0..8 {
                    g[i + j] += x * d_first[i + j];
                    lanes[j] += weights[i + j] * d_first[i + j];
                }
            }
            if *x < INPUT {
                *d_input = lanes.iter().sum();
            }
        }
        let mut d_sums = [[0.0; LANES]; REGIONS];
        for (r, (d_sum, d)) in d_sums.iter_mut().zip(d_inputs.chunks_exact(LANES)).enumerate() {
            let factor = geometry.multiplier[r] * POOL;
            let scaled: [f32; LANES] = std::array::from_fn(|i| factor * d[i]);
            *d_sum = oriented(&scaled, swapped);
        }

        for (((ids, region), a), g) in ids.iter().zip(&geometry.region).zip(&self.activations).zip(&self.gradients) {
            let d_sum = &d_sums[usize::from(image[usize::from(*region)])];
            let mut d = [0.0; LANES];
            for i in 0..LANES {
                d[i] = (g[i] + d_sum[i]) * if a[i] > 0.0 && a[i] < ACTIVATION { 1.0 } else { leak };
            }
            let (black, white) = d.split_at(HALF);
            for (k, id) in ids.iter().enumerate() {
                let from = if k < 4 { black } else { white };
                for (r, d) in rows[*id as usize].iter_mut().zip(from) {
                    *r += d;
                }
            }
        }
    }

    /// Counts which lanes and units the last [`Pass::forward`] activated; `side` is that of the head.
    pub fn count(&self, side: usize, liveness: &mut Liveness) {
        liveness.add(side, &self.activations, &self.first, &self.second);
    }

    /// Probabilities of the candidates if the sample has a best move, otherwise their logits.
    pub fn candidates(&self) -> &[f32] {
        &self.logits
    }
}

const _: () = assert!(NON_POOLED_INPUTS + REGIONS * LANES == INPUTS);
