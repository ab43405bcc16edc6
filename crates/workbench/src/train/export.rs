//! Export of trained parameters to a network file.

use super::batch::{Parameters, limit};
use super::checkpoint::Checkpoint;
use super::head::Precision;
use super::linenet;
use super::model::{Head, LineNet, Sides};
use rayon::prelude::*;
use tengen::eval::network::file::{HeadWeights, LARGEST, SetWeights, UNITS, quantise};
use tengen::eval::network::layout::{HALF, ROW_UNIT};
use tengen::eval::network::lines::SHAPES;

/// Units of score per unit of log-odds, used until the scale is fitted.
const USUAL_SCALE: u16 = 160;

/// Exports the averaged parameters of a run as the weights of a file. The scale of scores is the default one, still to
/// be fitted.
pub fn export(checkpoint: &Checkpoint) -> SetWeights {
    let (sides, parameters) = (checkpoint.sides, checkpoint.optimiser.averaged());
    let head = |side: usize| head(Head::new(&parameters.dense[sides.head(side)]));
    SetWeights {
        rules: vec![checkpoint.rule],
        scale: USUAL_SCALE,
        line_nets: (0..sides.0)
            .map(|net| linenet::quantized(LineNet::new(&parameters.dense[sides.line_net(net)])))
            .collect(),
        rows: (0..sides.0).map(|net| rows(parameters, sides, net)).collect(),
        heads: (0..sides.0).map(head).collect(),
    }
}

fn rows(parameters: Parameters, sides: Sides, net: usize) -> Vec<i8> {
    let shapes: Vec<u32> = (0..SHAPES as u32).collect();
    let mut rows = vec![[0.0; HALF]; SHAPES];
    let line = parameters.quantized_line(sides, net);
    rows.par_chunks_mut(1 << 12).zip(shapes.par_chunks(1 << 12)).for_each(|(rows, shapes)| {
        line.rows(shapes, &[], rows);
        limit(rows, Precision::Quantized);
    });
    quantise(rows.as_flattened(), ROW_UNIT, 127)
}

fn head(head: Head) -> HeadWeights {
    let [_, weight, bias, near] = UNITS;
    HeadWeights {
        first: quantise(head.first.as_flattened(), weight, 127),
        first_bias: quantise(head.first_bias, bias, LARGEST),
        second: quantise(head.second.as_flattened(), weight, 127),
        second_bias: quantise(head.second_bias, bias, LARGEST),
        output: quantise(head.output.as_flattened(), weight, 127),
        output_bias: quantise(head.output_bias, bias, LARGEST),
        policy: quantise(head.policy, bias, LARGEST),
        gate: quantise(head.gate.as_flattened(), weight, 127),
        near: quantise(head.near, near, 32_767),
    }
}
