//! A point of the board, and the four directions of lines through it.

use std::fmt;
use std::num::NonZeroU16;

/// Distance between the indices of vertically neighbouring points, whatever the board's width.
pub const STRIDE: usize = 32;

/// Length of an array indexed by [`Point::index`]: 25 rows of [`STRIDE`].
pub const POINTS: usize = 25 * STRIDE;

/// A point: column `x` from the left and row `y` from the top, both from 0 and below 25.
///
/// `Option<Point>` is as small as `Point`: there is no "null" point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(NonZeroU16);

const _: () = assert!(size_of::<Option<Point>>() == 2);

impl Point {
    /// The point at column `x`, row `y`; `None` if either is 25 or more.
    #[inline(always)]
    pub const fn new(x: u8, y: u8) -> Option<Point> {
        if x < 25 && y < 25 { Some(Point::at(x, y)) } else { None }
    }

    /// The point at column `x`, row `y`, for coordinates known to be below 25.
    ///
    /// # Panics
    /// If a coordinate is 25 or more.
    #[inline(always)]
    pub const fn at(x: u8, y: u8) -> Point {
        assert!(x < 25 && y < 25);
        match NonZeroU16::new(y as u16 * STRIDE as u16 + x as u16 + 1) {
            Some(n) => Point(n),
            None => unreachable!(),
        }
    }

    /// The point with this [`index`](Point::index).
    ///
    /// # Panics
    /// If no point has it.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Point {
        assert!(index < POINTS && index % STRIDE < 25);
        match NonZeroU16::new(index as u16 + 1) {
            Some(n) => Point(n),
            None => unreachable!(),
        }
    }

    /// Index into arrays of [`POINTS`] entries; grows row by row.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Column, from 0 at the left.
    #[inline(always)]
    pub const fn x(self) -> u8 {
        (self.index() % STRIDE) as u8
    }

    /// Row, from 0 at the top.
    #[inline(always)]
    pub const fn y(self) -> u8 {
        (self.index() / STRIDE) as u8
    }

    /// Larger of the distances in columns and rows (king steps).
    pub fn distance(self, other: Point) -> u8 {
        self.x().abs_diff(other.x()).max(self.y().abs_diff(other.y()))
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.x(), self.y())
    }
}

/// A direction of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Left to right.
    Row = 0,
    /// Top to bottom.
    Column = 1,
    /// Top left to bottom right.
    Diagonal = 2,
    /// Top right to bottom left.
    Anti = 3,
}

impl Direction {
    /// All four.
    pub const ALL: [Direction; 4] = [Direction::Row, Direction::Column, Direction::Diagonal, Direction::Anti];

    /// 0 to 3.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Change of (x, y) for one step forward.
    #[inline(always)]
    pub const fn step(self) -> (i32, i32) {
        match self {
            Direction::Row => (1, 0),
            Direction::Column => (0, 1),
            Direction::Diagonal => (1, 1),
            Direction::Anti => (-1, 1),
        }
    }

    /// Change of [`Point::index`] for one step forward.
    #[inline(always)]
    pub const fn offset(self) -> isize {
        let (dx, dy) = self.step();
        dy as isize * STRIDE as isize + dx as isize
    }
}
