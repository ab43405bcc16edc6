//! Shape of the network: the size of each part, the units of its values, and the meaning of its inputs.
//!
//! This is size S: a vector of two halves for each point, black's view and white's; nine regional sums; a value head of
//! two hidden layers; a policy head that is a convolution whose weights depend on the position. All arithmetic is on
//! integers, so every machine and every kernel gives the same results. For a wider network set [`HALF`] to another
//! power of two from 16 on, and align the rows to their size.
//!
//! | value | type | unit |
//! |---|---|---|
//! | row of a line shape | i8 | 1/32 |
//! | activation of a point: the sum of its four rows, limited to 0..=255 | i16 | 1/32 |
//! | input of the head, hidden activation | u8, 0..=127 | 1/64 |
//! | weight of the head | i8 | 1/64 |
//! | bias, logit of the value | i32 | 1/4096 |
//! | policy weight | i16 | 1/256 |
//! | logit of a move | i32 | 1/32768 |

use crate::board::{BoardSize, Point, Side};
use crate::pattern::PointClass;
use crate::position::Position;

/// Lanes of one side's view of a point.
pub const HALF: usize = 16;
/// Lanes of a point: black's view, then white's.
pub const LANES: usize = 2 * HALF;
/// Regions whose activations are summed: three by three.
pub const REGIONS: usize = 9;
/// Non-pooled inputs, see [`facts`].
pub const NON_POOLED_INPUTS: usize = 32;
/// Inputs of the head: the regions' sums, then the facts.
pub const INPUTS: usize = REGIONS * LANES + NON_POOLED_INPUTS;
/// Radius of the policy's convolution: a move is scored by the activations of the points at most so many rows and
/// columns away.
pub const RADIUS: usize = 2;
/// Taps of the convolution: one for each [displacement](crate::eval::displacement) within the radius, by its index. So
/// symmetric points have symmetric scores.
pub const TAPS: usize = (RADIUS + 1) * (RADIUS + 2) / 2;
/// Policy weights, tap after tap.
pub const POLICY: usize = TAPS * LANES;
/// What the point itself counts in its tap, where other points count one.
pub const CENTRE: i32 = 4;
/// Width of both hidden layers.
pub const HIDDEN: usize = 32;
/// Logits of the value: win, draw, loss of the side to move. The fourth is padding.
pub const OUTPUTS: usize = 4;

/// Unit of rows and activations.
pub const ROW_UNIT: i32 = 32;
/// Largest activation of a point's lane.
pub const ACTIVATION_MAX: i16 = 255;
/// Unit of inputs, hidden activations and weights of the head.
pub const HEAD_UNIT: i32 = 64;
/// Largest input and hidden activation.
pub const INPUT_MAX: i32 = 127;
/// Unit of policy weights.
pub const POLICY_UNIT: i32 = 256;
/// Largest magnitude of a policy weight.
pub const POLICY_MAX: i32 = 9_000;
/// Unit of a move's logit.
pub const LOGIT_UNIT: i32 = CENTRE * ROW_UNIT * POLICY_UNIT;
/// Unit of the tables by displacement.
pub const NEAR_UNIT: i32 = 256;
/// Right shift of a regional sum times its multiplier.
pub const POOL_SHIFT: u32 = 11;
/// Right shift of a hidden layer's sums.
pub const HIDDEN_SHIFT: u32 = 6;
/// Right shift of a policy weight's sum.
pub const POLICY_SHIFT: u32 = 4;

// The largest logit without the terms of the last stones fits i32.
const _: () = {
    let points = (2 * RADIUS + 1).pow(2) as i64 - 1 + CENTRE as i64;
    assert!(points * LANES as i64 * ACTIVATION_MAX as i64 * POLICY_MAX as i64 <= i32::MAX as i64);
};

/// The regions of a board: three bands each way, the outer two equally wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regions {
    size: BoardSize,
    /// Width of an outer band, in columns and rows.
    outer: (u8, u8),
}

impl Regions {
    /// The regions of a board of this size.
    pub const fn new(size: BoardSize) -> Regions {
        Regions { size, outer: ((size.width() + 1) / 3, (size.height() + 1) / 3) }
    }

    /// Region of the point at column `x`, row `y`; row by row from the top left.
    pub fn of(&self, x: u8, y: u8) -> usize {
        let band = |at: u8, length: u8, outer: u8| {
            if at < outer {
                0
            } else if at < length - outer {
                1
            } else {
                2
            }
        };
        3 * band(y, self.size.height(), self.outer.1) + band(x, self.size.width(), self.outer.0)
    }

    /// The multiplier of a region's sum before [`POOL_SHIFT`]: 256 for a region of 25 points. It makes sums comparable
    /// between boards of different sizes.
    pub fn multiplier(&self, region: usize) -> i32 {
        let side = |band: usize, length: u8, outer: u8| i32::from(if band == 1 { length - 2 * outer } else { outer });
        let area =
            side(region % 3, self.size.width(), self.outer.0) * side(region / 3, self.size.height(), self.outer.1);
        (256 * 25 + area / 2) / area
    }
}

/// The non-pooled inputs of the head: the number of empty points of each class, for the side to move and then for the
/// other side. The two spare places hold the share of empty cells and the length of the board's longer side.
pub fn facts(position: &Position) -> [u8; NON_POOLED_INPUTS] {
    let mut facts = [0; NON_POOLED_INPUTS];
    let limited = |n: usize| n.min(INPUT_MAX as usize) as u8;
    let us = position.to_move();
    for (half, side) in [us, !us].into_iter().enumerate() {
        for class in &PointClass::ALL[1..] {
            let weight = if *class >= PointClass::OpenThree { 32 } else { 8 };
            facts[half * NON_POOLED_INPUTS / 2 + *class as usize] = limited(weight * position.count(side, *class));
        }
    }
    let size = position.size();
    facts[PointClass::COUNT] = limited(127 * position.empty_cells() / size.cells());
    facts[NON_POOLED_INPUTS / 2 + PointClass::COUNT] = limited(5 * usize::from(size.width().max(size.height())));
    facts
}

/// Whether the halves of a point are exchanged in a head's inputs: black's view comes first when black is to move.
#[inline(always)]
pub fn is_swapped(to_move: Side) -> bool {
    to_move == Side::White
}

/// The last stones, which the policy uses beside the lanes: the opponent's and the mover's own, each with the class
/// that its point had for its side.
pub fn last_stones(position: &Position) -> [Option<(Point, PointClass)>; 2] {
    let us = position.to_move();
    [!us, us].map(|side| {
        let point = position.recent(side)?;
        Some((point, position.info(point).class(side)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_cover_the_board_symmetrically() {
        for (width, height) in [(5, 5), (5, 25), (15, 15), (20, 20), (25, 7), (22, 22), (25, 25)] {
            let size = BoardSize::new(width, height).expect("a size");
            let regions = Regions::new(size);
            let mut area = [0; REGIONS];
            for point in size.points() {
                let (x, y) = (point.x(), point.y());
                let region = regions.of(x, y);
                area[region] += 1;
                let mirrored = regions.of(width - 1 - x, y);
                assert_eq!((mirrored / 3, mirrored % 3), (region / 3, 2 - region % 3));
            }
            for (region, area) in area.into_iter().enumerate() {
                assert!(area > 0);
                let product = regions.multiplier(region) * area;
                assert!((product - 256 * 25).abs() <= area, "{size} {region}: {product}");
                // The largest sum fits i16, its product i32.
                assert!(area * i32::from(ACTIVATION_MAX) <= i32::from(i16::MAX));
            }
        }
    }
}
