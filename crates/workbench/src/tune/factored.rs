//! Tables over combinations, fitted as sums of parts.
//!
//! Most of the 1820 combinations are rare. Each entry is therefore the sum of the values of its four lines, the value
//! of its point class, and a remainder of its own, which learns slowly and decays to zero. The parts determine rare
//! entries; the remainders let frequent entries deviate (the "virtual features" of NNUE trainers).

use super::adam::{Adam, Schedule};
use tengen::pattern::{COMBINATIONS, LineClass, PointClass, combination_lines};

/// Line and class parameters of one table.
const PARTS: usize = LineClass::COUNT + PointClass::COUNT;

/// Some tables over combinations, followed by further free parameters.
#[derive(Debug)]
pub(super) struct Factored {
    /// Current values: tables one after another, then the free parameters.
    pub values: Vec<f32>,
    /// Gradient with respect to `values`.
    pub gradient: Vec<f32>,
    parts: Adam,
    rest: Adam,
    tables: usize,
    /// For each table and combination, the indices of the parts of its sum.
    sums: Vec<[usize; 5]>,
}

/// Learning rate and weight decay of the remainders, relative to the parts.
const REST_RATE: f32 = 0.25;
const REST_DECAY: f32 = 12.0;

impl Factored {
    /// `restricted[t]` is true if table `t` belongs to a side subject to fouls.
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

    /// Makes one step along the accumulated gradient, then clears it.
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
