//! Networks of random weights, for tests that need an arbitrary network.

use tengen::eval::network::file::{HeadWeights, NEAR, SetWeights};
use tengen::eval::network::layout::{HALF, HIDDEN, INPUTS, OUTPUTS, POLICY};
use tengen::eval::network::line_net::{ARM_ROWS, ARM_WIDTH, LINE_WIDTH, LineNet};
use tengen::eval::network::lines::SHAPES;
use tengen::rules::Rule;

/// A linear congruential generator (Knuth's constants).
pub struct Lcg(pub u64);

impl Lcg {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn i8s(&mut self, count: usize, most: usize) -> Vec<i8> {
        (0..count).map(|_| (self.below(2 * most + 1) as i32 - most as i32) as i8).collect()
    }

    fn i16s(&mut self, count: usize, most: usize) -> Vec<i16> {
        (0..count).map(|_| (self.below(2 * most + 1) as i32 - most as i32) as i16).collect()
    }

    fn i32s(&mut self, count: usize) -> Vec<i32> {
        (0..count).map(|_| self.below(20_001) as i32 - 10_000).collect()
    }
}

/// A random line net with weights up to `most` in magnitude.
pub fn random_line_net(lcg: &mut Lcg, most: usize) -> LineNet {
    LineNet {
        near: lcg.i16s(ARM_ROWS * ARM_WIDTH, most),
        far: lcg.i16s(ARM_ROWS * ARM_WIDTH, most),
        second: lcg.i16s(ARM_WIDTH * LINE_WIDTH, most),
        second_bias: lcg.i32s(LINE_WIDTH),
        output: lcg.i16s(LINE_WIDTH * HALF, most),
        output_bias: lcg.i32s(HALF),
    }
}

/// Random weights for one rule. All rows differ from those of the line nets.
pub fn random_weights(rule: Rule, sides: usize, seed: u64) -> SetWeights {
    let mut lcg = Lcg(seed);
    let rows = (0..sides).map(|_| lcg.i8s(SHAPES * HALF, 127)).collect();
    let line_nets = (0..sides).map(|_| random_line_net(&mut lcg, 300)).collect();
    let mut head = || HeadWeights {
        first: lcg.i8s(INPUTS * HIDDEN, 20),
        first_bias: lcg.i32s(HIDDEN),
        second: lcg.i8s(HIDDEN * HIDDEN, 127),
        second_bias: lcg.i32s(HIDDEN),
        output: lcg.i8s(HIDDEN * OUTPUTS, 127),
        output_bias: lcg.i32s(OUTPUTS),
        policy: lcg.i32s(POLICY),
        gate: lcg.i8s(HIDDEN * POLICY, 127),
        near: lcg.i32s(NEAR).into_iter().map(|n| n as i16).collect(),
    };
    let heads = (0..sides).map(|_| head()).collect();
    SetWeights { rules: vec![rule], scale: 160, line_nets, rows, heads }
}
