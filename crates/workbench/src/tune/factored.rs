//! Tables over combinations, learned as a sum of parts.
//!
//! Most of the 1820 combinations are rare. Each entry is therefore the sum of what its four lines are worth, what its
//! point class is worth, and a remainder of its own that learns slowly and is pulled to zero: rare entries
//! are estimated from their parts, frequent ones become free (the "virtual features" of NNUE trainers).

use super::adam::{Adam, Schedule};
use tengen::pattern::{COMBINATIONS, LineClass, PointClass, combination_lines};

/// Line and class parameters of one table.
const PARTS: usize = LineClass::COUNT + PointClass::COUNT;

/// Some tables over combinations, and further free parameters behind them.
#[derive(Debug)]
pub(super) struct Factored {
    /// Current values: tables one after the other, then the free parameters.
    pub values: Vec<f32>,
    /// Gradient with respect to `values`.
    pub gradient: Vec<f32>,
    parts: Adam,
    rest: Adam,
    tables: usize,
    /// For each table and combination, the parts that it is the sum of.
    sums: Vec<[usize; 5]>,
}

/// Pace and pull of the remainders, relative to the parts.
const REST_RATE: f32 = 0.25;
const REST_DECAY: f32 = 12.0;

impl Factored {
    /// `restricted[t]` says whether table `t` belongs to a side subject to fouls.
    pub fn new(restricted: &[bool], free: usize) -> Factored {
        let lines = combination_lines();
        let sums = restricted.iter().enumerate().flat_map(|(t, restricted)| {
            lines.iter().map(move |l| {
                let class = LineClass::COUNT + PointClass::combine(*l, *restricted) as usize;
                [l[0] as usize, l[1] as usize, l[2] as usize, l[3] as usize, class].map(|part| t * PARTS + part)
            })
        });
        let size = restricted.len() * COMBINATIONS + free;
        Factored {
            values: vec![0.0; size],
            gradient: vec![0.0; size],
            parts: Adam::new(restricted.len() * PARTS),
            rest: Adam::new(size),
            tables: restricted.len(),
            sums: sums.collect(),
        }
    }

    /// One step along the gathered gradient, which is cleared.
    pub fn step(&mut self, schedule: &Schedule, progress: f32) {
        for (g, sum) in self.gradient.iter().zip(&self.sums).filter(|(g, _)| **g != 0.0) {
            for part in sum {
                self.parts.gradient[*part] += g;
            }
        }
        std::mem::swap(&mut self.rest.gradient, &mut self.gradient);
        self.parts.step(schedule, progress);
        let rest = Schedule { rate: schedule.rate * REST_RATE, decay: schedule.decay * REST_DECAY, ..schedule.clone() };
        self.rest.step(&rest, progress);
        std::mem::swap(&mut self.rest.gradient, &mut self.gradient);
        for (i, sum) in self.sums.iter().enumerate() {
            self.values[i] = self.rest.values[i] + sum.iter().map(|p| self.parts.values[*p]).sum::<f32>();
        }
        let first = self.tables * COMBINATIONS;
        self.values[first..].copy_from_slice(&self.rest.values[first..]);
    }
}
