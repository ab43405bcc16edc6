//! The classes of an empty point.

use crate::board::{Direction, Side};
use crate::pattern::{Combined, LineClass, PointClass, Tables};

/// Classes of an empty point for both sides: in each line, and combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PointInfo {
    /// Line classes, a nibble per direction: black's in the low half.
    nibbles: u32,
    /// The combination and class of the four line classes.
    pub(super) combined: [Combined; 2],
}

impl PointInfo {
    /// Combined class for a side.
    #[inline(always)]
    pub fn class(&self, side: Side) -> PointClass {
        self.combined[side.index()].class()
    }

    /// Whether the point's class is [`PointClass::None`] for both sides.
    #[inline(always)]
    pub fn is_trivial(&self) -> bool {
        self.combined[0].number() | self.combined[1].number() == PointClass::None as usize
    }

    /// Class in one line for a side.
    #[inline(always)]
    pub fn line(&self, side: Side, direction: Direction) -> LineClass {
        LineClass::from_nibble((self.nibbles(side) >> (4 * direction.index()) & 15) as u8)
    }

    /// The four line classes as nibbles, in the order of [`Direction::ALL`].
    #[inline(always)]
    pub fn nibbles(&self, side: Side) -> u16 {
        (self.nibbles >> (16 * side.index())) as u16
    }

    /// Number of the combination, below [`crate::pattern::COMBINATIONS`].
    #[inline(always)]
    pub fn combination(&self, side: Side) -> usize {
        self.combined[side.index()].combination()
    }

    /// The same point with other classes in one line: black's in the low nibble, white's in the high one.
    #[inline(always)]
    pub(super) fn with_line(self, tables: &Tables, direction: Direction, classes: u8) -> PointInfo {
        let shift = 4 * direction.index();
        let spread = u32::from(classes & 15) | u32::from(classes >> 4) << 16;
        let nibbles = self.nibbles & !(0x000f_000f << shift) | spread << shift;
        let combined = Side::BOTH.map(|side| tables.combined(side, (nibbles >> (16 * side.index())) as u16));
        PointInfo { nibbles, combined }
    }
}
