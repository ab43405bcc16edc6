//! Leaves out residual rows that cost more space in a network's file than they are worth: those of line shapes that
//! hardly occur, which were trained on few positions, and those that change little.

use super::features::Extractor;
use super::model::Sides;
use super::sample::Samples;
use rayon::prelude::*;
use tengen::eval::network::file::SetWeights;
use tengen::eval::network::layout::HALF;
use tengen::eval::network::lines::SHAPES;

/// Smallest sum of the magnitudes of a residual row's entries that is kept, in units of a row's entry.
const LEAST: u32 = 6;

/// How often each line shape occurs on the points of some positions, by line net.
pub struct Occurrences(Vec<Vec<u32>>);

impl Occurrences {
    /// Counts the shapes of all lines of these samples.
    pub fn of(samples: &Samples, sides: Sides) -> Occurrences {
        let none = || Occurrences(vec![vec![0; SHAPES]; sides.0]);
        let indices: Vec<usize> = (0..samples.len()).collect();
        let part = |indices: &[usize]| {
            let (mut counts, mut extractor) = (none(), Extractor::default());
            let (mut cells, mut shapes) = (Vec::new(), Vec::new());
            for head in indices.iter().map(|index| samples.head(*index)) {
                cells.resize(head.size.cells(), 0);
                samples.unpack(head, &mut cells);
                shapes.clear();
                extractor.shapes(head.size, &cells, &mut shapes);
                counts.add(&shapes);
            }
            counts
        };
        let length = indices.len().div_ceil(rayon::current_num_threads()).max(1);
        let parts: Vec<Occurrences> = indices.par_chunks(length).map(part).collect();
        parts.iter().fold(none(), Occurrences::plus)
    }

    /// Counts the shapes of cells: four from black's view, then four from white's.
    fn add(&mut self, cells: &[[u32; 8]]) {
        let nets = self.0.len();
        for of_cell in cells {
            for (i, shape) in of_cell.iter().enumerate() {
                self.0[i / 4 % nets][*shape as usize] += 1;
            }
        }
    }

    fn plus(mut self, other: &Occurrences) -> Occurrences {
        let counts = self.0.iter_mut().flatten().zip(other.0.iter().flatten());
        counts.for_each(|(n, m)| *n += m);
        self
    }

    /// Number of shapes counted for a net.
    fn total(&self, net: usize) -> u64 {
        self.0[net].iter().map(|n| u64::from(*n)).sum()
    }
}

/// Replaces rows by those of the line net, where the shape makes up less than `share` of all lines or the rows differ
/// little. Returns the number of residual rows that are left, and how many there were.
pub fn prune(set: &mut SetWeights, occurrences: &Occurrences, share: f64) -> (usize, usize) {
    let (mut left, mut before) = (0, 0);
    for (net, (line_net, rows)) in set.line_nets.iter().zip(&mut set.rows).enumerate() {
        let least = share * occurrences.total(net) as f64;
        let table = line_net.table();
        let pairs = rows.chunks_exact_mut(HALF).zip(table.chunks_exact(HALF)).zip(&occurrences.0[net]);
        for ((row, line), count) in pairs.filter(|((row, line), _)| row != line) {
            before += 1;
            let difference: u32 = row.iter().zip(line).map(|(r, l)| u32::from(r.abs_diff(*l))).sum();
            if difference < LEAST || f64::from(*count) < least {
                row.copy_from_slice(line);
            } else {
                left += 1;
            }
        }
    }
    (left, before)
}
