//! Four line classes of a point, packed and numbered.
//!
//! A point's four classes are stored as four nibbles of a `u16`, one per direction. The value of a stone there does not
//! depend on the directions, so the ordered quadruples fall into `C(16, 4) = 1820` unordered *combinations*, numbered
//! densely: evaluation and move ordering are tables over that number.

use super::class::{LineClass, PointClass};

/// Number of unordered combinations of four line classes.
pub const COMBINATIONS: usize = 1820;

const _: () = assert!(
    LineClass::COUNT * (LineClass::COUNT + 1) * (LineClass::COUNT + 2) * (LineClass::COUNT + 3) / 24 == COMBINATIONS
);

/// Combination and class of a point's four nibbles in one small number, since the table of all nibbles is read
/// whenever a point changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Combined(u16);

const CLASS_SHIFT: u32 = 11;

/// Length of an array that any [`Combined::combination`] can index without a bounds check: [`COMBINATIONS`] rounded
/// up.
pub const COMBINATION_SLOTS: usize = 1 << CLASS_SHIFT;

const _: () = assert!(COMBINATIONS <= COMBINATION_SLOTS);

impl Combined {
    fn new(combination: usize, class: PointClass) -> Combined {
        Combined(combination as u16 | (class as u16) << CLASS_SHIFT)
    }

    /// Number of the unordered combination, below [`COMBINATIONS`].
    #[inline(always)]
    pub fn combination(self) -> usize {
        usize::from(self.0) % COMBINATION_SLOTS
    }

    /// The class as a number.
    #[inline(always)]
    pub fn number(self) -> usize {
        usize::from(self.0 >> CLASS_SHIFT) & 15
    }

    /// Whether the class is a four or better.
    #[inline(always)]
    pub fn is_threat(self) -> bool {
        self.0 >= (PointClass::Four as u16) << CLASS_SHIFT
    }

    /// The class.
    #[inline(always)]
    pub fn class(self) -> PointClass {
        PointClass::from_number(self.number() as u8)
    }
}

/// The four line classes of each combination, weakest first, by number.
pub fn combination_lines() -> Vec<[LineClass; 4]> {
    let mut all = Vec::with_capacity(COMBINATIONS);
    let n = LineClass::COUNT;
    for a in 0..n {
        for b in a..n {
            for c in b..n {
                for d in c..n {
                    all.push([a, b, c, d].map(|i| LineClass::ALL[i]));
                }
            }
        }
    }
    all
}

/// The lookup by nibbles (65,536 entries; unused nibble values map to the empty combination).
pub(super) fn table(restricted: bool) -> Box<[Combined]> {
    let mut table = vec![Combined::default(); 1 << 16].into_boxed_slice();
    for (number, lines) in combination_lines().into_iter().enumerate() {
        let combined = Combined::new(number, PointClass::combine(lines, restricted));
        for order in PERMUTATIONS {
            let nibbles = order.iter().enumerate().fold(0_usize, |acc, (i, k)| acc | (lines[*k] as usize) << (4 * i));
            table[nibbles] = combined;
        }
    }
    table
}

const PERMUTATIONS: [[usize; 4]; 24] = [
    [0, 1, 2, 3],
    [0, 1, 3, 2],
    [0, 2, 1, 3],
    [0, 2, 3, 1],
    [0, 3, 1, 2],
    [0, 3, 2, 1],
    [1, 0, 2, 3],
    [1, 0, 3, 2],
    [1, 2, 0, 3],
    [1, 2, 3, 0],
    [1, 3, 0, 2],
    [1, 3, 2, 0],
    [2, 0, 1, 3],
    [2, 0, 3, 1],
    [2, 1, 0, 3],
    [2, 1, 3, 0],
    [2, 3, 0, 1],
    [2, 3, 1, 0],
    [3, 0, 1, 2],
    [3, 0, 2, 1],
    [3, 1, 0, 2],
    [3, 1, 2, 0],
    [3, 2, 0, 1],
    [3, 2, 1, 0],
];
