//! The optimiser: Adam (Kingma and Ba 2015) over sparse batches, with a cosine schedule.

/// Schedule of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Number of epochs: passes over the training samples.
    pub passes: usize,
    /// Samples in a batch.
    pub batch: usize,
    /// Peak learning rate: the largest step, in the parameters' units.
    pub rate: f32,
    /// Weight decay: share of a parameter's value that it loses in each step, scaled by the rate.
    pub decay: f32,
    /// Seed of the shuffle.
    pub seed: u64,
}

/// Parameters and the optimiser's moments.
#[derive(Debug)]
pub(super) struct Adam {
    pub values: Vec<f32>,
    pub gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    pub fn new(parameters: usize) -> Adam {
        let zeros = || vec![0.0; parameters];
        Adam { values: zeros(), gradient: zeros(), mean: zeros(), square: zeros(), steps: 0 }
    }

    /// Makes one step along the accumulated gradient, then clears it. `progress` runs from 0 to 1 over the fit.
    pub fn step(&mut self, schedule: &Schedule, progress: f32) {
        const B1: f32 = 0.9;
        const B2: f32 = 0.999;
        self.steps += 1;
        let warm = (progress / 0.02).min(1.0);
        let rate = schedule.rate * warm * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * progress).cos()));
        let (c1, c2) = (1.0 - B1.powi(self.steps), 1.0 - B2.powi(self.steps));
        for i in 0..self.values.len() {
            let g = std::mem::take(&mut self.gradient[i]);
            self.mean[i] = B1 * self.mean[i] + (1.0 - B1) * g;
            self.square[i] = B2 * self.square[i] + (1.0 - B2) * g * g;
            let delta = self.mean[i] / c1 / ((self.square[i] / c2).sqrt() + 1e-8);
            self.values[i] -= rate * (delta + schedule.decay * self.values[i]);
        }
    }
}
