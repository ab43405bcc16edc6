//! The line net, forward and backward, over lists of shapes.

use super::model::{ARM_WIDTH, LINE_WIDTH, LineNet, LineNetMut, arm_rows};
use crate::eval::network::layout::{HALF, ROW_UNIT};

/// Largest magnitude of a row's entry.
pub const ROW_MAX: f32 = 127.0 / ROW_UNIT as f32;

/// Shapes that are worked on together, so that each weight is loaded once for all.
const BLOCK: usize = 4;

/// Half rows of shapes, before they are limited and rounded.
pub fn forward(net: LineNet, arms: &[(u16, u16)], rows: &mut [[f32; HALF]]) {
    for (arms, rows) in arms.chunks(BLOCK).zip(rows.chunks_mut(BLOCK)) {
        let first = first_layer(&net, arms);
        let second = second_layer(&net, &first);
        for (row, hidden) in rows.iter_mut().zip(&second) {
            row.copy_from_slice(net.output_bias);
            for (h, weights) in hidden.iter().zip(net.output) {
                for (r, w) in row.iter_mut().zip(weights) {
                    *r += h * w;
                }
            }
        }
    }
}

/// Tables of arms that a shape needs.
pub fn arms(shapes: &[u32]) -> Vec<(u16, u16)> {
    shapes.iter().map(|shape| arm_rows(*shape)).map(|(a, b)| (a as u16, b as u16)).collect()
}

#[inline(always)]
fn first_layer(net: &LineNet, arms: &[(u16, u16)]) -> [[f32; ARM_WIDTH]; BLOCK] {
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
fn second_layer(net: &LineNet, first: &[[f32; ARM_WIDTH]; BLOCK]) -> [[f32; LINE_WIDTH]; BLOCK] {
    let mut second = [[0.0; LINE_WIDTH]; BLOCK];
    for hidden in &mut second {
        hidden.copy_from_slice(net.second_bias);
    }
    for (k, weights) in net.second.iter().enumerate() {
        for (hidden, from) in second.iter_mut().zip(first) {
            for (h, w) in hidden.iter_mut().zip(weights) {
                *h += from[k] * w;
            }
        }
    }
    second.iter_mut().flatten().for_each(|h| *h = h.max(0.0));
    second
}

/// Adds to `gradient` what the gradients of these rows amount to.
pub fn backward(
    net: LineNet,
    transposed: &Transposed,
    arms: &[(u16, u16)],
    rows: &[[f32; HALF]],
    gradient: &mut LineNetMut,
) {
    for (arms, rows) in arms.chunks(BLOCK).zip(rows.chunks(BLOCK)) {
        let first = first_layer(&net, arms);
        let second = second_layer(&net, &first);
        let mut d_second = [[0.0; LINE_WIDTH]; BLOCK];
        for ((row, hidden), d_hidden) in rows.iter().zip(&second).zip(&mut d_second) {
            for (b, r) in gradient.output_bias.iter_mut().zip(row) {
                *b += r;
            }
            for (g, h) in gradient.output.iter_mut().zip(hidden) {
                for (g, r) in g.iter_mut().zip(row) {
                    *g += h * r;
                }
            }
            for (weights, r) in transposed.output.iter().zip(row) {
                for (d, w) in d_hidden.iter_mut().zip(weights) {
                    *d += r * w;
                }
            }
            for ((d, h), b) in d_hidden.iter_mut().zip(hidden).zip(gradient.second_bias.iter_mut()) {
                *d = if *h > 0.0 { *d } else { 0.0 };
                *b += *d;
            }
        }
        for (k, row) in gradient.second.iter_mut().enumerate() {
            for (from, d_hidden) in first.iter().zip(&d_second) {
                for (g, d) in row.iter_mut().zip(d_hidden) {
                    *g += from[k] * d;
                }
            }
        }
        let mut d_first = [[0.0; ARM_WIDTH]; BLOCK];
        for (k, weights) in transposed.second.iter().enumerate() {
            for (d, d_hidden) in d_first.iter_mut().zip(&d_second) {
                for (d, w) in d.iter_mut().zip(weights) {
                    *d += d_hidden[k] * w;
                }
            }
        }
        for ((a, b), d) in arms.iter().zip(&d_first) {
            for (a, b) in [(*a, *b), (*b, *a)] {
                let (a, b) = (usize::from(a), usize::from(b));
                let (near, far) = (&net.near[a], &net.far[b]);
                let masked: [f32; ARM_WIDTH] = std::array::from_fn(|i| if near[i] + far[i] > 0.0 { d[i] } else { 0.0 });
                for (g, m) in gradient.near[a].iter_mut().zip(&masked) {
                    *g += m;
                }
                for (g, m) in gradient.far[b].iter_mut().zip(&masked) {
                    *g += m;
                }
            }
        }
    }
}

/// The matrices of the second and the output layer with a row for each output.
#[derive(Debug)]
pub struct Transposed {
    second: [[f32; ARM_WIDTH]; LINE_WIDTH],
    output: [[f32; LINE_WIDTH]; HALF],
}

impl Transposed {
    /// The matrices of a net.
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
