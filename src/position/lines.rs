//! The place of a point on its four lines.
//!
//! Line data is stored line by line with five spare cells at both ends, so that the eleven cells round any
//! point are contiguous: a stone's effect on the codes of one line is one short vector addition.

use crate::board::{Direction, Point};
use crate::pattern::REACH;

/// Slots of one line: 25 points and five spare cells at both ends, rounded up.
const SLOTS: usize = 36;
const LINES: [usize; 4] = [25, 25, 49, 49];
const FIRST_LINE: [usize; 4] = [0, 25, 50, 99];

/// Number of lines in all directions.
pub(super) const ALL_LINES: usize = 148;
/// Slots beyond the last line, so that one may read past the eleven cells round a point.
pub(super) const SPARE_SLOTS: usize = 5;
/// Number of slots in all lines.
pub(super) const ALL_SLOTS: usize = ALL_LINES * SLOTS + SPARE_SLOTS;

const _: () = assert!(FIRST_LINE[3] + LINES[3] == ALL_LINES);

/// A point's place on one of its lines.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Number of the line among all lines.
    pub line: usize,
    /// Position on the line, from [`REACH`].
    pub at: usize,
}

impl Place {
    #[inline(always)]
    pub fn new(point: Point, direction: Direction) -> Place {
        let (x, y) = (point.x() as usize, point.y() as usize);
        let (line, at) = match direction {
            Direction::Row => (y, x),
            Direction::Column => (x, y),
            Direction::Diagonal => (x + 24 - y, x),
            Direction::Anti => (x + y, y),
        };
        Place { line: FIRST_LINE[direction.index()] + line, at: at + REACH }
    }

    /// Slot of the point itself.
    #[inline(always)]
    pub fn slot(self) -> usize {
        self.line * SLOTS + self.at
    }

    /// First of the eleven slots round the point.
    #[inline(always)]
    pub fn window(self) -> usize {
        self.slot() - REACH
    }
}
