//! Residual rows: a table with a row for each shape, added to the line net's rows.
//!
//! A line net generalises to rare shapes but cannot memorize each of the common ones; a table can. The table starts at
//! zero late in training. Its optimiser is Adam; a shape's moments do not change in batches without the shape, so the
//! cost of a batch depends only on its own shapes.

use super::model::Sides;
use rayon::prelude::*;
use tengen::eval::network::layout::HALF;
use tengen::eval::network::lines::SHAPES;

/// A row of the table with its optimiser state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Entry {
    /// Added to the line net's row.
    pub value: [f32; HALF],
    /// Moving averages of the gradient and of its square.
    pub moments: [[f32; HALF]; 2],
    /// Number of batches that contained the shape.
    pub seen: f32,
}

/// The tables of all line nets, one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// Rows by line net and shape.
    pub entries: Vec<Entry>,
}

impl Residual {
    /// Tables of zeros.
    pub fn new(sides: Sides) -> Residual {
        Residual { entries: vec![Entry::default(); sides.0 * SHAPES] }
    }

    /// Adds the table of a line net to the rows of some shapes.
    pub fn add_to(&self, net: usize, shapes: &[u32], rows: &mut [[f32; HALF]]) {
        for (shape, row) in shapes.iter().zip(rows) {
            let entry = &self.entries[net * SHAPES + *shape as usize];
            row.iter_mut().zip(&entry.value).for_each(|(r, v)| *r += v);
        }
    }

    /// Makes an optimiser step of a line net's table along the gradients of some shapes. Each shape occurs once.
    pub fn step(&mut self, net: usize, shapes: &[u32], gradients: &[[f32; HALF]], rate: f32) {
        const B1: f32 = 0.9;
        const B2: f32 = 0.999;
        /// Weight decay: the share that a value loses in a step with rate one.
        const DECAY: f32 = 0.01;
        // One update is too small for a parallel task, and shapes are unordered: collect, compute, write back.
        let entries = &self.entries;
        let updated: Vec<Entry> = shapes
            .par_iter()
            .zip(gradients)
            .with_min_len(1024)
            .map(|(shape, gradient)| {
                let mut entry = entries[net * SHAPES + *shape as usize];
                entry.seen += 1.0;
                let (c1, c2) = (1.0 / (1.0 - B1.powf(entry.seen)), 1.0 / (1.0 - B2.powf(entry.seen)));
                let [means, squares] = &mut entry.moments;
                for (((v, g), m), s) in entry.value.iter_mut().zip(gradient).zip(means).zip(squares) {
                    *m = B1 * *m + (1.0 - B1) * g;
                    *s = B2 * *s + (1.0 - B2) * g * g;
                    *v -= rate * ((*m * c1) / ((*s * c2).sqrt() + 1e-8) + DECAY * *v);
                }
                entry
            })
            .collect();
        for (shape, entry) in shapes.iter().zip(updated) {
            self.entries[net * SHAPES + *shape as usize] = entry;
        }
    }
}
