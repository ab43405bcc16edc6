//! The parameters: one flat vector, and the layout of its parts.
//!
//! A *line net* maps a line shape to half a row. An arm has only 364 values, so its part of the first layer is a table.
//! The net adds both orientations, so its output does not depend on mirroring. A *head* computes value and policy from
//! the sums. Both sides share one line net and one head; under renju each side has its own.

use std::ops::Range;
use tengen::eval::DISPLACEMENTS;
use tengen::eval::network::file::NEAR;
use tengen::eval::network::layout::{HALF, HIDDEN, INPUTS, OUTPUTS, POLICY};
use tengen::eval::network::line_net::{ARM_ROWS, ARM_WIDTH, LINE_WIDTH};
use tengen::eval::network::lines::arms_of;
use tengen::pattern::{ARMS, PointClass};
use tengen_analysis::random::Random;

/// Lengths of a line net's parts: the first arm's table, the second's, second layer with biases, output with biases.
pub const LINE_PARTS: [usize; 6] =
    [ARM_ROWS * ARM_WIDTH, ARM_ROWS * ARM_WIDTH, ARM_WIDTH * LINE_WIDTH, LINE_WIDTH, LINE_WIDTH * HALF, HALF];
/// Lengths of a head's parts: three layers with biases, then the policy's weights, gates and tables.
pub const HEAD_PARTS: [usize; 9] =
    [INPUTS * HIDDEN, HIDDEN, HIDDEN * HIDDEN, HIDDEN, HIDDEN * OUTPUTS, OUTPUTS, POLICY, HIDDEN * POLICY, NEAR];

const fn sum(lengths: &[usize]) -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < lengths.len() {
        sum += lengths[i];
        i += 1;
    }
    sum
}

/// Number of parameters of a line net.
pub const LINE_NET: usize = sum(&LINE_PARTS);
/// Number of parameters of a head.
pub const HEAD: usize = sum(&HEAD_PARTS);

/// Number of sides with separate weights: 1 if both sides share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides(pub usize);

impl Sides {
    /// Number of parameters.
    pub fn parameters(self) -> usize {
        self.0 * (LINE_NET + HEAD)
    }

    /// Range of a side's line net in the parameters.
    pub fn line_net(self, side: usize) -> Range<usize> {
        let start = (side % self.0) * LINE_NET;
        start..start + LINE_NET
    }

    /// Range of a side's head in the parameters.
    pub fn head(self, side: usize) -> Range<usize> {
        let start = self.0 * LINE_NET + (side % self.0) * HEAD;
        start..start + HEAD
    }
}

/// Splits a slice into parts of these lengths.
fn split<const N: usize>(mut values: &[f32], lengths: [usize; N]) -> [&[f32]; N] {
    lengths.map(|length| {
        let (part, rest) = values.split_at(length);
        values = rest;
        part
    })
}

fn split_mut<const N: usize>(values: &mut [f32], lengths: [usize; N]) -> [&mut [f32]; N] {
    let mut rest = values;
    lengths.map(|length| {
        let (part, after) = std::mem::take(&mut rest).split_at_mut(length);
        rest = after;
        part
    })
}

/// The weights of a line net.
#[derive(Clone, Copy)]
pub struct LineNet<'a> {
    pub near: &'a [[f32; ARM_WIDTH]],
    pub far: &'a [[f32; ARM_WIDTH]],
    pub second: &'a [[f32; LINE_WIDTH]],
    pub second_bias: &'a [f32],
    pub output: &'a [[f32; HALF]],
    pub output_bias: &'a [f32],
}

impl<'a> LineNet<'a> {
    /// Views these parameters as a line net.
    pub fn new(values: &'a [f32]) -> LineNet<'a> {
        let [near, far, second, second_bias, output, output_bias] = split(values, LINE_PARTS);
        LineNet {
            near: bytemuck::cast_slice(near),
            far: bytemuck::cast_slice(far),
            second: bytemuck::cast_slice(second),
            second_bias,
            output: bytemuck::cast_slice(output),
            output_bias,
        }
    }
}

/// A mutable line net, or its gradient.
pub struct LineNetMut<'a> {
    pub near: &'a mut [[f32; ARM_WIDTH]],
    pub far: &'a mut [[f32; ARM_WIDTH]],
    pub second: &'a mut [[f32; LINE_WIDTH]],
    pub second_bias: &'a mut [f32],
    pub output: &'a mut [[f32; HALF]],
    pub output_bias: &'a mut [f32],
}

impl<'a> LineNetMut<'a> {
    /// Views these values as a mutable line net.
    pub fn new(values: &'a mut [f32]) -> LineNetMut<'a> {
        let [near, far, second, second_bias, output, output_bias] = split_mut(values, LINE_PARTS);
        LineNetMut {
            near: bytemuck::cast_slice_mut(near),
            far: bytemuck::cast_slice_mut(far),
            second: bytemuck::cast_slice_mut(second),
            second_bias,
            output: bytemuck::cast_slice_mut(output),
            output_bias,
        }
    }
}

/// The weights of a head. Matrices have a row for each input.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    pub first: &'a [[f32; HIDDEN]],
    pub first_bias: &'a [f32],
    pub second: &'a [[f32; HIDDEN]],
    pub second_bias: &'a [f32],
    pub output: &'a [[f32; OUTPUTS]],
    pub output_bias: &'a [f32],
    pub policy: &'a [f32],
    pub gate: &'a [[f32; POLICY]],
    pub near: &'a [f32],
}

impl<'a> Head<'a> {
    /// Views these parameters as a head.
    pub fn new(values: &'a [f32]) -> Head<'a> {
        let [first, first_bias, second, second_bias, output, output_bias, policy, gate, near] =
            split(values, HEAD_PARTS);
        Head {
            first: bytemuck::cast_slice(first),
            first_bias,
            second: bytemuck::cast_slice(second),
            second_bias,
            output: bytemuck::cast_slice(output),
            output_bias,
            policy,
            gate: bytemuck::cast_slice(gate),
            near,
        }
    }
}

/// A mutable head, or its gradient.
pub struct HeadMut<'a> {
    pub first: &'a mut [[f32; HIDDEN]],
    pub first_bias: &'a mut [f32],
    pub second: &'a mut [[f32; HIDDEN]],
    pub second_bias: &'a mut [f32],
    pub output: &'a mut [[f32; OUTPUTS]],
    pub output_bias: &'a mut [f32],
    pub policy: &'a mut [f32],
    pub gate: &'a mut [[f32; POLICY]],
    pub near: &'a mut [f32],
}

impl<'a> HeadMut<'a> {
    /// Views these values as a mutable head.
    pub fn new(values: &'a mut [f32]) -> HeadMut<'a> {
        let [first, first_bias, second, second_bias, output, output_bias, policy, gate, near] =
            split_mut(values, HEAD_PARTS);
        HeadMut {
            first: bytemuck::cast_slice_mut(first),
            first_bias,
            second: bytemuck::cast_slice_mut(second),
            second_bias,
            output: bytemuck::cast_slice_mut(output),
            output_bias,
            policy,
            gate: bytemuck::cast_slice_mut(gate),
            near,
        }
    }
}

/// Index in the tables of the last stones; `whose` is 0 for the opponent's stone, 1 for the own stone.
pub fn near_index(whose: usize, class: PointClass, displacement: usize) -> usize {
    (whose * PointClass::COUNT + class as usize) * DISPLACEMENTS + displacement
}

/// Random initial weights.
pub fn initial(sides: Sides, seed: u64) -> Vec<f32> {
    let mut random = Random::new(&[seed, 0x1417]);
    let mut values = vec![0.0; sides.parameters()];
    // The sum of twelve uniform numbers is approximately normal.
    let mut normal = |deviation: f32| {
        let sum: f64 = (0..12).map(|_| random.unit()).sum();
        (sum - 6.0) as f32 * deviation
    };
    for side in 0..sides.0 {
        let net = LineNetMut::new(&mut values[sides.line_net(side)]);
        let tables = net.near.iter_mut().chain(net.far).flatten();
        tables.for_each(|v| *v = normal(0.5));
        net.second.iter_mut().flatten().for_each(|v| *v = normal(0.12));
        net.output.iter_mut().flatten().for_each(|v| *v = normal(0.08));
        net.output_bias.fill(0.05);
        // The inputs of this layer and of the following ones are not negative. With weights whose sum is zero a unit's
        // sum is near its bias, so that no unit begins below zero everywhere.
        subtract_mean(net.second);
        subtract_mean(net.output);
        let head = HeadMut::new(&mut values[sides.head(side)]);
        head.first.iter_mut().flatten().for_each(|v| *v = normal(0.06));
        head.first_bias.fill(0.25);
        head.second.iter_mut().flatten().for_each(|v| *v = normal(0.2));
        head.second_bias.fill(0.2);
        head.output.iter_mut().for_each(|row| row[..3].iter_mut().for_each(|v| *v = normal(0.1)));
        head.policy.iter_mut().for_each(|v| *v = normal(0.1));
        head.gate.iter_mut().flatten().for_each(|v| *v = normal(0.02));
        subtract_mean(head.first);
        subtract_mean(head.second);
    }
    values
}

/// Makes the weights of each output sum to zero.
fn subtract_mean<const OUT: usize>(weights: &mut [[f32; OUT]]) {
    for output in 0..OUT {
        let mean = weights.iter().map(|row| row[output]).sum::<f32>() / weights.len() as f32;
        weights.iter_mut().for_each(|row| row[output] -= mean);
    }
}

/// Rows of the arm tables that form a shape: of the near table, then of the far table. For the mirrored line the two
/// are exchanged.
#[inline]
pub fn arm_rows(shape: u32) -> (usize, usize) {
    let (centre, high, low) = arms_of(shape);
    ((centre * ARMS + high) as usize, (centre * ARMS + low) as usize)
}
