//! Initializes training with the weights of a trained network, for the same rule or another.
//!
//! A network file contains tables of rows, not the line nets that produced them. The tables therefore become residual
//! rows, and the line nets start with an output of zero: at first they change nothing, then they learn the common
//! structure of all shapes. Lanes that a narrower network does not use get random line nets. Their weights in the head
//! start at zero, so at first they change nothing either.

use super::model::{HeadMut, LineNetMut, Sides, initial};
use super::optimiser::Optimiser;
use super::residual::Residual;
use tengen::eval::network::file::{HeadWeights, SetWeights, UNITS};
use tengen::eval::network::layout::{HALF, ROW_UNIT};
use tengen::eval::network::lines::SHAPES;

/// Largest weight of a row, in its unit. It is just within the limit, because values at the limit get no gradient.
const LARGEST: f32 = 126.9;

/// The initial state of a run that computes the same as a network. If sides have separate weights, each gets those that
/// the network's sides share.
pub fn warm_start(set: &SetWeights, sides: Sides, seed: u64) -> Optimiser {
    let mut values = initial(sides, seed);
    let mut residual = Residual::new(sides);
    for (side, entries) in residual.entries.chunks_exact_mut(SHAPES).enumerate() {
        let net = LineNetMut::new(&mut values[sides.line_net(side)]);
        let rows = &set.rows[side.min(set.rows.len() - 1)];
        for lane in (0..HALF).filter(|lane| rows.iter().skip(*lane).step_by(HALF).any(|r| *r != 0)) {
            net.output.iter_mut().for_each(|row| row[lane] = 0.0);
            net.output_bias[lane] = 0.0;
        }
        for (entry, row) in entries.iter_mut().zip(rows.chunks_exact(HALF)) {
            entry.value = std::array::from_fn(|i| f32::from(row[i]).clamp(-LARGEST, LARGEST) / ROW_UNIT as f32);
        }
        let head = HeadMut::new(&mut values[sides.head(side)]);
        copy_head(&set.heads[side.min(set.heads.len() - 1)], head);
    }
    let mut optimiser = Optimiser::new(values);
    optimiser.residual = Some(residual);
    optimiser
}

/// Writes the weights of a file's head, which are integers in fixed units.
fn copy_head(numbers: &HeadWeights, head: HeadMut) {
    fn copy<T: Copy + Into<f64>>(values: &mut [f32], numbers: &[T], unit: i32) {
        values.iter_mut().zip(numbers).for_each(|(v, n)| *v = ((*n).into() / f64::from(unit)) as f32);
    }
    let [_, weight, bias, near] = UNITS;
    copy(head.first.as_flattened_mut(), &numbers.first, weight);
    copy(head.first_bias, &numbers.first_bias, bias);
    copy(head.second.as_flattened_mut(), &numbers.second, weight);
    copy(head.second_bias, &numbers.second_bias, bias);
    copy(head.output.as_flattened_mut(), &numbers.output, weight);
    copy(head.output_bias, &numbers.output_bias, bias);
    copy(head.policy, &numbers.policy, bias);
    copy(head.gate.as_flattened_mut(), &numbers.gate, weight);
    copy(head.near, &numbers.near, near);
}
