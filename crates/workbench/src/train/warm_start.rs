//! Initializes training with the weights of a trained network, for the same rule or another.
//!
//! Line nets, residual rows and heads go on from the network's. Lanes that a narrower network does not use get random
//! output weights in the line nets. Their weights in the head start at zero, so at first they change nothing.

use super::model::{HeadMut, LineNetMut, Sides, initial};
use super::optimiser::Optimiser;
use super::residual::{Entry, Residual};
use tengen::eval::network::file::{HeadWeights, SetWeights, UNITS};
use tengen::eval::network::layout::{HALF, ROW_UNIT};
use tengen::eval::network::line_net::{LineNet, SUM_UNIT, TABLE_UNIT, WEIGHT_UNIT, row_entry};
use tengen::eval::network::lines::SHAPES;

/// Largest weight of a row, in its unit. It is just within the limit, because values at the limit get no gradient.
const LARGEST: f32 = 126.9;

/// The initial state of a run that computes the same as a network. If sides have separate weights, each gets those that
/// the network's sides share.
pub fn warm_start(set: &SetWeights, sides: Sides, seed: u64) -> Optimiser {
    let mut values = initial(sides, seed);
    let mut residual = Residual::new(sides);
    for (side, entries) in residual.entries.chunks_exact_mut(SHAPES).enumerate() {
        let from = side.min(set.rows.len() - 1);
        let (net, rows) = (&set.line_nets[from], &set.rows[from]);
        let used: [bool; HALF] = std::array::from_fn(|lane| rows.iter().skip(lane).step_by(HALF).any(|r| *r != 0));
        copy_line_net(net, &used, LineNetMut::new(&mut values[sides.line_net(side)]));
        copy_residual(net, rows, &used, entries);
        let head = HeadMut::new(&mut values[sides.head(side)]);
        copy_head(&set.heads[side.min(set.heads.len() - 1)], head);
    }
    let mut optimiser = Optimiser::new(values);
    optimiser.residual = Some(residual);
    optimiser
}

/// Writes the weights of a file's line net, except the output weights of unused lanes.
fn copy_line_net(net: &LineNet, used: &[bool; HALF], to: LineNetMut) {
    copy(to.near.as_flattened_mut(), &net.near, TABLE_UNIT);
    copy(to.far.as_flattened_mut(), &net.far, TABLE_UNIT);
    copy(to.second.as_flattened_mut(), &net.second, WEIGHT_UNIT);
    copy(to.second_bias, &net.second_bias, SUM_UNIT);
    let lane_by_lane = |to: &mut [f32], numbers: &[i32], unit: i32| {
        for (_, (v, n)) in to.iter_mut().zip(numbers).enumerate().filter(|(i, _)| used[i % HALF]) {
            *v = *n as f32 / unit as f32;
        }
    };
    let output: Vec<i32> = net.output.iter().map(|n| i32::from(*n)).collect();
    lane_by_lane(to.output.as_flattened_mut(), &output, WEIGHT_UNIT);
    lane_by_lane(to.output_bias, &net.output_bias, SUM_UNIT);
}

/// Writes what the rows of a file add to its line net's rows.
fn copy_residual(net: &LineNet, rows: &[i8], used: &[bool; HALF], entries: &mut [Entry]) {
    let shapes: Vec<u32> = (0..SHAPES as u32).collect();
    for ((entry, row), sums) in entries.iter_mut().zip(rows.chunks_exact(HALF)).zip(net.sums(&shapes)) {
        if row.iter().zip(sums).all(|(r, sum)| *r == row_entry(sum)) {
            continue;
        }
        for lane in (0..HALF).filter(|lane| used[*lane]) {
            let wanted = f32::from(row[lane]).clamp(-LARGEST, LARGEST) / ROW_UNIT as f32;
            entry.value[lane] = wanted - sums[lane] as f32 / SUM_UNIT as f32;
        }
    }
}

/// Writes integers in a unit as values.
fn copy<T: Copy + Into<f64>>(values: &mut [f32], numbers: &[T], unit: i32) {
    values.iter_mut().zip(numbers).for_each(|(v, n)| *v = ((*n).into() / f64::from(unit)) as f32);
}

/// Writes the weights of a file's head, which are integers in fixed units.
fn copy_head(numbers: &HeadWeights, head: HeadMut) {
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
