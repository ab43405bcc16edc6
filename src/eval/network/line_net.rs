//! The line net: computes the rows of all line shapes from 142,000 weights.
//!
//! A table of rows has 3.2 million entries for each side, most of them of shapes that hardly occur. What was trained is
//! this net, and the rows of frequent shapes; so a file holds no more than that, and the table is computed on loading.
//!
//! An arm of a line has only [`ARMS`] values. The part of the first layer that depends on an arm is therefore a table,
//! with a row for each centre and arm. The net adds both orientations of a line, so mirrored lines get equal rows. All
//! arithmetic is on integers, so every machine and every kernel computes the same rows.
//!
//! | value | type | unit |
//! |---|---|---|
//! | table entry | i16, -2047..=2047 | 1/256 |
//! | first activation, the sum of two clipped sums of two entries | i16, 0..=4095 | 1/256 |
//! | weight | i16, -4095..=4095 | 1/1024 |
//! | bias, sum | i32 | 1/262144 |
//! | second activation | i16, 0..=8191 | 1/256 |
//! | row | i8, -127..=127 | 1/32 |

use super::kernel::{Dense, Kernel, Task, WordPair};
use super::layout::{HALF, HIDDEN};
use super::lines::{SHAPES, arms_of};
use crate::pattern::ARMS;

/// Width of the first layer.
pub const ARM_WIDTH: usize = 64;
/// Width of the second layer.
pub const LINE_WIDTH: usize = 32;
/// Rows of a table of arms, for three values of the centre.
pub const ARM_ROWS: usize = 3 * ARMS as usize;

/// Unit of tables and activations.
pub const TABLE_UNIT: i32 = 256;
/// Largest magnitude of a table's entry.
pub const TABLE_MAX: i32 = 2047;
/// Largest first activation.
pub const FIRST_MAX: i32 = 4095;
/// Unit of weights.
pub const WEIGHT_UNIT: i32 = 1024;
/// Largest magnitude of a weight.
pub const WEIGHT_MAX: i32 = 4095;
/// Largest second activation.
pub const SECOND_MAX: i32 = 8191;
/// Unit of biases and sums.
pub const SUM_UNIT: i32 = TABLE_UNIT * WEIGHT_UNIT;
/// Largest magnitude of a bias. It keeps all sums below 2^31.
pub const BIAS_MAX: i32 = 1 << 24;
/// Right shift of a sum to a second activation.
const SECOND_SHIFT: u32 = 10;
/// Right shift of a sum to a row's entry.
const ROW_SHIFT: u32 = 13;
/// Largest magnitude of a row's entry.
const ROW_MAX: i32 = 127;

// The products of a layer and its bias fit i32.
const _: () = assert!(ARM_WIDTH as i64 * FIRST_MAX as i64 * WEIGHT_MAX as i64 + (BIAS_MAX as i64) < i32::MAX as i64);
const _: () = assert!(LINE_WIDTH as i64 * SECOND_MAX as i64 * WEIGHT_MAX as i64 + (BIAS_MAX as i64) < i32::MAX as i64);
const _: () = assert!(1 << SECOND_SHIFT == WEIGHT_UNIT && SUM_UNIT >> ROW_SHIFT == super::layout::ROW_UNIT);

/// The weights of a line net, as stored in a file. Matrices have a row for each input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineNet {
    /// First layer, by the nearer arm: [`ARM_ROWS`] by [`ARM_WIDTH`].
    pub near: Vec<i16>,
    /// First layer, by the other arm: [`ARM_ROWS`] by [`ARM_WIDTH`].
    pub far: Vec<i16>,
    /// Second layer, [`ARM_WIDTH`] by [`LINE_WIDTH`].
    pub second: Vec<i16>,
    /// Its biases.
    pub second_bias: Vec<i32>,
    /// Output layer, [`LINE_WIDTH`] by [`HALF`].
    pub output: Vec<i16>,
    /// Its biases.
    pub output_bias: Vec<i32>,
}

impl LineNet {
    /// A net whose rows are zero.
    pub fn zero() -> LineNet {
        LineNet {
            near: vec![0; ARM_ROWS * ARM_WIDTH],
            far: vec![0; ARM_ROWS * ARM_WIDTH],
            second: vec![0; ARM_WIDTH * LINE_WIDTH],
            second_bias: vec![0; LINE_WIDTH],
            output: vec![0; LINE_WIDTH * HALF],
            output_bias: vec![0; HALF],
        }
    }

    /// Whether all weights are within the limits of this module.
    pub fn is_within_limits(&self) -> bool {
        let words = |weights: &[i16], most: i32| weights.iter().all(|w| i32::from(*w).abs() <= most);
        let biases = |biases: &[i32]| biases.iter().all(|b| b.abs_diff(0) <= BIAS_MAX as u32);
        words(&self.near, TABLE_MAX)
            && words(&self.far, TABLE_MAX)
            && words(&self.second, WEIGHT_MAX)
            && words(&self.output, WEIGHT_MAX)
            && biases(&self.second_bias)
            && biases(&self.output_bias)
    }

    /// The table of rows: [`HALF`] entries for each of [`SHAPES`].
    pub fn table(&self) -> Vec<i8> {
        self.table_with(Kernel::fastest())
    }

    /// Like [`LineNet::table`], with a kernel from [`Kernel::available`].
    pub fn table_with(&self, kernel: Kernel) -> Vec<i8> {
        let mut table = Vec::with_capacity(SHAPES * HALF);
        self.for_each_strip(kernel, |_, _, rows| table.extend_from_slice(rows.as_flattened()));
        table
    }

    /// Calls `each` with a centre, the longer arm, and the rows of the shapes with these, in the order of the other
    /// arm: all shapes in order.
    pub fn for_each_strip(&self, kernel: Kernel, mut each: impl FnMut(u32, u32, &[[i8; HALF]])) {
        let net = Unpacked::new(self);
        let mut rows = [[0; HALF]; ARMS as usize];
        for centre in 0..3 {
            for high in 0..ARMS {
                let strip = &mut rows[..=high as usize];
                kernel.run(Strip { net: &net, centre, high, rows: strip });
                each(centre, high, strip);
            }
        }
    }

    /// The sums of the output layer for some shapes, before they are clipped to rows, in [`SUM_UNIT`].
    pub fn sums(&self, shapes: &[u32]) -> Vec<[i32; HALF]> {
        Kernel::fastest().run(Sums { net: &Unpacked::new(self), shapes })
    }
}

/// The entry of a row that a sum of the output layer gives: rounded, halves upwards, and clipped.
pub fn row_entry(sum: i32) -> i8 {
    ((sum + (1 << (ROW_SHIFT - 1))) >> ROW_SHIFT).clamp(-ROW_MAX, ROW_MAX) as i8
}

/// The weights in the form in which vector instructions multiply pairs of inputs.
struct Unpacked<'a> {
    near: &'a [[i16; ARM_WIDTH]],
    far: &'a [[i16; ARM_WIDTH]],
    second: [WordPair; ARM_WIDTH / 2],
    second_bias: [i32; LINE_WIDTH],
    /// The outputs beyond [`HALF`] are zero.
    output: [WordPair; LINE_WIDTH / 2],
    output_bias: [i32; LINE_WIDTH],
}

const _: () = assert!(LINE_WIDTH == HIDDEN && HALF <= HIDDEN, "the width of the kernels");

impl<'a> Unpacked<'a> {
    fn new(net: &'a LineNet) -> Unpacked<'a> {
        fn pairs<const IN: usize>(weights: &[i16], width: usize) -> [WordPair; IN] {
            let weight = |input: usize, o: usize| if o < width { weights[input * width + o] } else { 0 };
            let pair = |k: usize| WordPair(std::array::from_fn(|o| [weight(2 * k, o), weight(2 * k + 1, o)]));
            std::array::from_fn(pair)
        }
        Unpacked {
            near: bytemuck::cast_slice(&net.near),
            far: bytemuck::cast_slice(&net.far),
            second: pairs(&net.second, LINE_WIDTH),
            second_bias: std::array::from_fn(|o| net.second_bias[o]),
            output: pairs(&net.output, HALF),
            output_bias: std::array::from_fn(|o| net.output_bias.get(o).copied().unwrap_or(0)),
        }
    }

    /// The sums of the output layer for a line with these arms.
    #[inline(always)]
    fn sums<D: Dense>(&self, centre: u32, high: u32, low: u32) -> [i32; HALF] {
        let (a, b) = ((centre * ARMS + high) as usize, (centre * ARMS + low) as usize);
        let ahead = (&self.near[a], &self.far[b]);
        let back = (&self.near[b], &self.far[a]);
        let mut first = [0_i16; ARM_WIDTH];
        for (i, x) in first.iter_mut().enumerate() {
            // Table entries are far from the limits of i16.
            let clipped = |(near, far): (&[i16; ARM_WIDTH], &[i16; ARM_WIDTH])| near[i].wrapping_add(far[i]).max(0);
            *x = clipped(ahead).wrapping_add(clipped(back)).min(FIRST_MAX as i16);
        }
        let mut second = self.second_bias;
        D::add_words(bytemuck::cast_ref::<_, [[i16; 2]; ARM_WIDTH / 2]>(&first), &self.second, &mut second);
        let mut activations = [0_i16; LINE_WIDTH];
        // A plain loop, since compilers do not always inline `map` into code for other instructions.
        for (x, sum) in activations.iter_mut().zip(&second) {
            *x = (sum.wrapping_add(1 << (SECOND_SHIFT - 1)) >> SECOND_SHIFT).clamp(0, SECOND_MAX) as i16;
        }
        let mut sums = self.output_bias;
        D::add_words(bytemuck::cast_ref::<_, [[i16; 2]; LINE_WIDTH / 2]>(&activations), &self.output, &mut sums);
        let mut row = [0; HALF];
        row.copy_from_slice(&sums[..HALF]);
        row
    }
}

/// Computes the rows of all shapes with this centre and longer arm.
struct Strip<'a, 'b> {
    net: &'a Unpacked<'b>,
    centre: u32,
    high: u32,
    rows: &'a mut [[i8; HALF]],
}

impl Task for Strip<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Dense>(self) {
        for (low, row) in self.rows.iter_mut().enumerate() {
            let sums = self.net.sums::<D>(self.centre, self.high, low as u32);
            for (entry, sum) in row.iter_mut().zip(sums) {
                *entry = row_entry(sum);
            }
        }
    }
}

/// Computes the sums of some shapes.
struct Sums<'a, 'b> {
    net: &'a Unpacked<'b>,
    shapes: &'a [u32],
}

impl Task for Sums<'_, '_> {
    type Output = Vec<[i32; HALF]>;

    #[inline(always)]
    fn run<D: Dense>(self) -> Vec<[i32; HALF]> {
        let mut all = Vec::with_capacity(self.shapes.len());
        for shape in self.shapes {
            let (centre, high, low) = arms_of(*shape);
            all.push(self.net.sums::<D>(centre, high, low));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from -most to most.
    fn pseudo_random(count: usize, most: i32, seed: u32) -> Vec<i32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as i32 % (2 * most + 1) - most
        };
        (0..count).map(|_| next()).collect()
    }

    fn random(most: i32, seed: u32) -> LineNet {
        let halves = |count, seed| pseudo_random(count, most, seed).into_iter().map(|n| n as i16).collect();
        LineNet {
            near: halves(ARM_ROWS * ARM_WIDTH, seed),
            far: halves(ARM_ROWS * ARM_WIDTH, seed + 1),
            second: halves(ARM_WIDTH * LINE_WIDTH, seed + 2),
            second_bias: pseudo_random(LINE_WIDTH, 100_000, seed + 3),
            output: halves(LINE_WIDTH * HALF, seed + 4),
            output_bias: pseudo_random(HALF, 100_000, seed + 5),
        }
    }

    /// The sums of a shape by plain loops over wide integers.
    fn slow_sums(net: &LineNet, shape: u32) -> [i64; HALF] {
        let (centre, high, low) = arms_of(shape);
        let row = |table: &[i16], arm: u32, i: usize| i64::from(table[(centre * ARMS + arm) as usize * ARM_WIDTH + i]);
        let first: Vec<i64> = (0..ARM_WIDTH)
            .map(|i| {
                let one = row(&net.near, high, i) + row(&net.far, low, i);
                let other = row(&net.near, low, i) + row(&net.far, high, i);
                (one.max(0) + other.max(0)).min(i64::from(FIRST_MAX))
            })
            .collect();
        let layer = |inputs: &[i64], weights: &[i16], biases: &[i32], o: usize| {
            let products = inputs.iter().enumerate().map(|(k, x)| x * i64::from(weights[k * biases.len() + o]));
            i64::from(biases[o]) + products.sum::<i64>()
        };
        let second: Vec<i64> = (0..LINE_WIDTH)
            .map(|o| ((layer(&first, &net.second, &net.second_bias, o) + 512) >> 10).clamp(0, i64::from(SECOND_MAX)))
            .collect();
        std::array::from_fn(|o| layer(&second, &net.output, &net.output_bias, o))
    }

    #[test]
    fn all_kernels_agree_with_plain_loops() {
        for (case, most) in [60, 300, TABLE_MAX].into_iter().enumerate() {
            let net = random(most, 77 + case as u32);
            let table = net.table_with(Kernel::available()[0]);
            for kernel in Kernel::available() {
                assert!(net.table_with(kernel) == table, "{kernel:?}");
            }
            let shapes: Vec<u32> = (0..SHAPES as u32).step_by(97).collect();
            for (shape, sums) in shapes.iter().zip(net.sums(&shapes)) {
                let slow = slow_sums(&net, *shape);
                assert_eq!(sums.map(i64::from), slow, "{shape}");
                let row = &table[*shape as usize * HALF..][..HALF];
                let entry = |sum: i64| ((sum as f64 / 8192.0 + 0.5).floor() as i64).clamp(-127, 127);
                assert!(row.iter().zip(slow).all(|(r, sum)| i64::from(*r) == entry(sum)));
            }
        }
    }

    /// Weights at their limits overflow nothing, which debug builds would report.
    #[test]
    fn the_largest_weights_overflow_nothing() {
        let largest = LineNet {
            near: vec![TABLE_MAX as i16; ARM_ROWS * ARM_WIDTH],
            far: vec![TABLE_MAX as i16; ARM_ROWS * ARM_WIDTH],
            second: vec![WEIGHT_MAX as i16; ARM_WIDTH * LINE_WIDTH],
            second_bias: vec![BIAS_MAX; LINE_WIDTH],
            output: vec![WEIGHT_MAX as i16; LINE_WIDTH * HALF],
            output_bias: vec![BIAS_MAX; HALF],
        };
        assert!(largest.is_within_limits());
        assert_eq!(largest.sums(&[0])[0].map(i64::from), slow_sums(&largest, 0));
        let above = LineNet { second: vec![WEIGHT_MAX as i16 + 1; ARM_WIDTH * LINE_WIDTH], ..largest };
        assert!(!above.is_within_limits());
    }
}
