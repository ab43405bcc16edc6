//! The line net, forward and backward, over lists of shapes.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed alike")]

use super::head::Precision;
use super::model::{LineNet, LineNetMut, arm_rows};
use tengen::eval::network::file::quantise;
use tengen::eval::network::kernel::{Dense, Task};
use tengen::eval::network::layout::{HALF, ROW_UNIT};
use tengen::eval::network::line_net::{self as integer, ARM_WIDTH, LINE_WIDTH, SUM_UNIT, TABLE_UNIT, WEIGHT_UNIT};

/// Largest magnitude of a row's entry.
pub const ROW_MAX: f32 = 127.0 / ROW_UNIT as f32;

/// Number of shapes that are processed together, so that each weight is loaded once for all of them.
const BLOCK: usize = 4;
/// Number of sums of each shape that are computed together. With four shapes they fit into the registers of AVX2.
const STRIP: usize = 16;

type Block<const N: usize> = [[f32; N]; BLOCK];

/// Copies the values from `at` on, which the compiler keeps in registers.
#[inline(always)]
fn strip(row: &[f32], at: usize) -> [f32; STRIP] {
    std::array::from_fn(|i| row[at + i])
}

/// Adds the product of a block of inputs and a matrix. The loops are cut so that the compiler vectorizes the innermost.
#[inline(always)]
fn add_product<const IN: usize, const OUT: usize>(input: &Block<IN>, matrix: &[[f32; OUT]], output: &mut Block<OUT>) {
    let matrix = &matrix[..IN];
    for at in (0..OUT).step_by(STRIP) {
        let mut sums: [_; BLOCK] = std::array::from_fn(|b| strip(&output[b], at));
        for (k, row) in matrix.iter().enumerate() {
            let weights = strip(row, at);
            for b in 0..BLOCK {
                let x = input[b][k];
                for i in 0..STRIP {
                    sums[b][i] += x * weights[i];
                }
            }
        }
        for b in 0..BLOCK {
            output[b][at..at + STRIP].copy_from_slice(&sums[b]);
        }
    }
}

/// Adds the products of the inputs and outputs of a block to a matrix.
#[inline(always)]
fn add_outer<const IN: usize, const OUT: usize>(input: &Block<IN>, output: &Block<OUT>, matrix: &mut [[f32; OUT]]) {
    for at in (0..OUT).step_by(STRIP) {
        let strips: [_; BLOCK] = std::array::from_fn(|b| strip(&output[b], at));
        for (k, row) in matrix.iter_mut().take(IN).enumerate() {
            let mut sums = strip(row, at);
            for b in 0..BLOCK {
                let x = input[b][k];
                for i in 0..STRIP {
                    sums[i] += x * strips[b][i];
                }
            }
            row[at..at + STRIP].copy_from_slice(&sums);
        }
    }
}

#[inline(always)]
fn repeated<const N: usize>(bias: &[f32]) -> Block<N> {
    [std::array::from_fn(|i| bias[i]); BLOCK]
}

/// Computes half rows of shapes, before clamping and rounding.
pub struct Forward<'a> {
    /// The net.
    pub net: LineNet<'a>,
    /// The arms of the shapes, see [`arms`].
    pub arms: &'a [(u16, u16)],
    /// Where the rows are written.
    pub rows: &'a mut [[f32; HALF]],
}

impl Task for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Dense>(self) {
        let Forward { net, arms, rows } = self;
        for (arms, rows) in arms.chunks(BLOCK).zip(rows.chunks_mut(BLOCK)) {
            let first = first_layer(&net, arms);
            let second = second_layer(&net, &first, Precision::Float);
            let mut output = repeated(net.output_bias);
            add_product(&second, net.output, &mut output);
            rows.copy_from_slice(&output[..rows.len()]);
        }
    }
}

/// The rows of the arm tables that each shape needs.
pub fn arms(shapes: &[u32]) -> Vec<(u16, u16)> {
    shapes.iter().map(|shape| arm_rows(*shape)).map(|(a, b)| (a as u16, b as u16)).collect()
}

#[inline(always)]
fn first_layer(net: &LineNet, arms: &[(u16, u16)]) -> Block<ARM_WIDTH> {
    let mut first = [[0.0; ARM_WIDTH]; BLOCK];
    for (sum, (a, b)) in first.iter_mut().zip(arms) {
        let (a, b) = (usize::from(*a), usize::from(*b));
        let (ahead, back) = ((&net.near[a], &net.far[b]), (&net.near[b], &net.far[a]));
        for i in 0..ARM_WIDTH {
            sum[i] = (ahead.0[i] + ahead.1[i]).max(0.0) + (back.0[i] + back.1[i]).max(0.0);
        }
    }
    first
}

#[inline(always)]
fn second_layer(net: &LineNet, first: &Block<ARM_WIDTH>, precision: Precision) -> Block<LINE_WIDTH> {
    let mut second = repeated(net.second_bias);
    add_product(first, net.second, &mut second);
    let unit = TABLE_UNIT as f32;
    second.iter_mut().flatten().for_each(|h| {
        *h = match precision {
            Precision::Float => h.max(0.0),
            Precision::Quantized => (h.max(0.0) * unit + 0.5).floor() / unit,
        }
    });
    second
}

/// The net with the engine's integer weights.
pub fn quantized(net: LineNet) -> integer::LineNet {
    let [near, far] = [net.near, net.far].map(|table| quantise(table.as_flattened(), TABLE_UNIT, integer::TABLE_MAX));
    let [second, output] = [net.second.as_flattened(), net.output.as_flattened()]
        .map(|weights| quantise(weights, WEIGHT_UNIT, integer::WEIGHT_MAX));
    let [second_bias, output_bias] =
        [net.second_bias, net.output_bias].map(|biases| quantise(biases, SUM_UNIT, integer::BIAS_MAX));
    integer::LineNet { near, far, second, second_bias, output, output_bias }
}

/// Half rows of shapes from the engine's integer weights, before clamping and rounding: [`Forward`] with
/// [`Precision::Quantized`].
pub fn quantized_forward(net: &integer::LineNet, shapes: &[u32], rows: &mut [[f32; HALF]]) {
    for (row, sums) in rows.iter_mut().zip(net.sums(shapes)) {
        *row = sums.map(|sum| sum as f32 / SUM_UNIT as f32);
    }
}

/// Clamps the weights of a net to the range of the engine's integers.
pub fn clamp(net: LineNetMut) {
    let to = |values: &mut [f32], most: f32| values.iter_mut().for_each(|v| *v = v.clamp(-most, most));
    let (table, weight) =
        (integer::TABLE_MAX as f32 / TABLE_UNIT as f32, integer::WEIGHT_MAX as f32 / WEIGHT_UNIT as f32);
    to(net.near.as_flattened_mut(), table);
    to(net.far.as_flattened_mut(), table);
    to(net.second.as_flattened_mut(), weight);
    to(net.output.as_flattened_mut(), weight);
}

/// Copies the output weights of one lane from the parameters of another net.
pub fn copy_lane(from: &[f32], to: LineNetMut, lane: usize) {
    let from = LineNet::new(from);
    to.output.iter_mut().zip(from.output).for_each(|(to, from)| to[lane] = from[lane]);
    to.output_bias[lane] = from.output_bias[lane];
}

/// Rounds the weights of a net as [`quantized`] does.
pub fn round(net: LineNetMut) {
    use super::batch::round_to;
    round_to(net.near.as_flattened_mut(), TABLE_UNIT, integer::TABLE_MAX);
    round_to(net.far.as_flattened_mut(), TABLE_UNIT, integer::TABLE_MAX);
    round_to(net.second.as_flattened_mut(), WEIGHT_UNIT, integer::WEIGHT_MAX);
    round_to(net.output.as_flattened_mut(), WEIGHT_UNIT, integer::WEIGHT_MAX);
    round_to(net.second_bias, SUM_UNIT, integer::BIAS_MAX);
    round_to(net.output_bias, SUM_UNIT, integer::BIAS_MAX);
}

/// The backward pass of a line net: adds the gradient that results from the gradients of some rows to another. With
/// [`Precision::Quantized`] the weights of the net must be rounded.
pub struct Backward<'a> {
    /// The net.
    pub net: LineNet<'a>,
    /// How its second layer is computed.
    pub precision: Precision,
    /// Its matrices, transposed.
    pub transposed: &'a Transposed,
    /// The arms of the shapes, see [`arms`].
    pub arms: &'a [(u16, u16)],
    /// The gradients of their rows.
    pub rows: &'a [[f32; HALF]],
    /// Where the gradient is added.
    pub gradient: LineNetMut<'a>,
}

impl Task for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Dense>(self) {
        let Backward { net, precision, transposed, arms, rows, gradient } = self;
        for (arms, rows) in arms.chunks(BLOCK).zip(rows.chunks(BLOCK)) {
            let mut d_output = [[0.0; HALF]; BLOCK];
            d_output[..rows.len()].copy_from_slice(rows);
            let first = first_layer(&net, arms);
            let second = second_layer(&net, &first, precision);
            add_outer(&second, &d_output, gradient.output);
            let mut d_second = [[0.0; LINE_WIDTH]; BLOCK];
            add_product(&d_output, &transposed.output, &mut d_second);
            for (d, h) in d_second.iter_mut().flatten().zip(second.iter().flatten()) {
                *d = if *h > 0.0 { *d } else { 0.0 };
            }
            for b in 0..BLOCK {
                gradient.output_bias.iter_mut().zip(&d_output[b]).for_each(|(g, d)| *g += d);
                gradient.second_bias.iter_mut().zip(&d_second[b]).for_each(|(g, d)| *g += d);
            }
            add_outer(&first, &d_second, gradient.second);
            let mut d_first = [[0.0; ARM_WIDTH]; BLOCK];
            add_product(&d_second, &transposed.second, &mut d_first);
            for ((a, b), d) in arms.iter().zip(&d_first) {
                for (a, b) in [(*a, *b), (*b, *a)] {
                    let (a, b) = (usize::from(a), usize::from(b));
                    let (near, far) = (&net.near[a], &net.far[b]);
                    let (g_near, g_far) = (&mut gradient.near[a], &mut gradient.far[b]);
                    for i in 0..ARM_WIDTH {
                        let d = if near[i] + far[i] > 0.0 { d[i] } else { 0.0 };
                        g_near[i] += d;
                        g_far[i] += d;
                    }
                }
            }
        }
    }
}

/// The matrices of the second and the output layer, stored with a row for each output.
#[derive(Debug)]
pub struct Transposed {
    second: [[f32; ARM_WIDTH]; LINE_WIDTH],
    output: [[f32; LINE_WIDTH]; HALF],
}

impl Transposed {
    /// Transposes the matrices of a net.
    pub fn new(net: LineNet) -> Box<Transposed> {
        let mut matrices =
            Box::new(Transposed { second: [[0.0; ARM_WIDTH]; LINE_WIDTH], output: [[0.0; LINE_WIDTH]; HALF] });
        for (k, row) in net.second.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, w)| matrices.second[j][k] = *w);
        }
        for (k, row) in net.output.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, w)| matrices.output[j][k] = *w);
        }
        matrices
    }
}
