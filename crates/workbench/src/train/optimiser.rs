//! Adam with warm-up, cosine schedule, gradient clipping and a moving average of the parameters.

use super::batch::Parameters;
use super::linenet;
use super::model::{HeadMut, LineNetMut, Sides};
use super::residual::Residual;
use tengen::eval::network::layout::HEAD_UNIT;

/// Largest magnitude of a head's weight.
const WEIGHT_MAX: f32 = 127.0 / HEAD_UNIT as f32;

/// Parameters and the optimiser's state.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimiser {
    /// The parameters.
    pub values: Vec<f32>,
    /// Moving average of the parameters; it is the result of the training.
    pub average: Vec<f32>,
    /// Moving averages of the gradients and of their squares.
    pub moments: [Vec<f32>; 2],
    /// Residual rows, once their training has begun. They have no moving average, because the last steps are small.
    pub residual: Option<Residual>,
    /// Steps taken.
    pub steps: u32,
}

impl Optimiser {
    /// The initial state with these parameters.
    pub fn new(values: Vec<f32>) -> Optimiser {
        let zeros = vec![0.0; values.len()];
        Optimiser { average: values.clone(), moments: [zeros.clone(), zeros], values, residual: None, steps: 0 }
    }

    /// Parameters for the next batch.
    pub fn current(&self) -> Parameters<'_> {
        Parameters { dense: &self.values, residual: self.residual.as_ref() }
    }

    /// Averaged parameters, the result if training ended now.
    pub fn averaged(&self) -> Parameters<'_> {
        Parameters { dense: &self.average, residual: self.residual.as_ref() }
    }

    /// Makes a step along a gradient with a learning rate. Clamps weights to the range of inference.
    pub fn step(&mut self, sides: Sides, gradient: &[f32], rate: f32) {
        self.step_clipped(sides, gradient, squared_norm(gradient).sqrt() as f32, rate);
    }

    /// [`Optimiser::step`] along a part of a longer gradient, whose norm is given.
    pub fn step_clipped(&mut self, sides: Sides, gradient: &[f32], norm: f32, rate: f32) {
        const B1: f32 = 0.9;
        const B2: f32 = 0.999;
        const KEPT: f32 = 0.999;
        self.steps += 1;
        let clip = if norm > 1.0 { 1.0 / norm } else { 1.0 };
        let (c1, c2) = (1.0 / (1.0 - B1.powi(self.steps as i32)), 1.0 / (1.0 - B2.powi(self.steps as i32)));
        let [means, squares] = &mut self.moments;
        for (((v, g), m), s) in self.values.iter_mut().zip(gradient).zip(means).zip(squares) {
            let g = g * clip;
            *m = B1 * *m + (1.0 - B1) * g;
            *s = B2 * *s + (1.0 - B2) * g * g;
            *v -= rate * (*m * c1) / ((*s * c2).sqrt() + 1e-8);
        }
        for side in 0..sides.0 {
            linenet::clamp(LineNetMut::new(&mut self.values[sides.line_net(side)]));
            let head = HeadMut::new(&mut self.values[sides.head(side)]);
            let weights = [
                head.first.as_flattened_mut(),
                head.second.as_flattened_mut(),
                head.output.as_flattened_mut(),
                head.gate.as_flattened_mut(),
            ];
            weights.into_iter().flatten().for_each(|w| *w = w.clamp(-WEIGHT_MAX, WEIGHT_MAX));
        }
        // Early in training the average decays faster, so it forgets the initial parameters.
        let kept = KEPT.min((1.0 + self.steps as f32) / (10.0 + self.steps as f32));
        for (a, v) in self.average.iter_mut().zip(&self.values) {
            *a += (1.0 - kept) * (v - *a);
        }
    }
}

/// Square of the norm of a gradient.
pub fn squared_norm(gradient: &[f32]) -> f64 {
    gradient.iter().map(|g| f64::from(*g) * f64::from(*g)).sum()
}

/// The learning rate at a progress from 0 to 1: linear warm-up over the first 2%, times a cosine decay to one hundredth
/// of the peak.
pub fn rate(peak: f32, progress: f32) -> f32 {
    let warm = (progress / 0.02).min(1.0);
    peak * warm * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * progress).cos()))
}
