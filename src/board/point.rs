//! A point of the board, and the four directions of lines through it.

use std::fmt;
use std::num::NonZeroU16;

/// Distance between the indices of vertically neighbouring points, for every board width.
pub const STRIDE: usize = 32;

/// Length of an array indexed by [`Point::index`]: 25 rows of [`STRIDE`].
pub const POINTS: usize = 25 * STRIDE;

/// Length of an array indexed by [`Point::step_to`].
pub const STEPS: usize = (2 * POINTS).next_power_of_two();

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

    /// The point with this [`index`](Point::index). Only debug builds check that there is one.
    #[inline(always)]
    pub const fn from_index(index: usize) -> Point {
        debug_assert!(index < POINTS && index % STRIDE < 25);
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

    /// Index of the displacement to another point, below [`STEPS`]. Equal displacements have the same index.
    #[inline(always)]
    pub const fn step_to(self, to: Point) -> usize {
        (POINTS + to.index() - self.index()) % STEPS
    }

    /// Columns and rows of the displacement with this [index](Point::step_to), if it has at most 15 columns. A wider
    /// displacement shares its index with a narrower one of at least 8 columns.
    pub const fn step(number: usize) -> (i32, i32) {
        let stride = STRIDE as i32;
        let from_corner = number as i32 - POINTS as i32 + stride / 2;
        (from_corner.rem_euclid(stride) - stride / 2, from_corner.div_euclid(stride))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_steps_have_numbers_of_their_own() {
        for (fx, fy, tx, ty) in steps() {
            let (from, to) = (Point::at(fx, fy), Point::at(tx, ty));
            let taken = (i32::from(tx) - i32::from(fx), i32::from(ty) - i32::from(fy));
            let step = Point::step(from.step_to(to));
            if taken.0.abs() <= 15 {
                assert_eq!(step, taken);
            } else {
                assert!(step.0.abs() >= 8, "{from:?} {to:?}: {step:?}");
            }
        }
    }

    /// Every displacement on the board, from the corner where it fits.
    fn steps() -> impl Iterator<Item = (u8, u8, u8, u8)> {
        let pairs = || (0..25_u8).flat_map(|d| [(0, d), (24, 24 - d)]);
        pairs().flat_map(move |(fx, tx)| pairs().map(move |(fy, ty)| (fx, fy, tx, ty)))
    }
}
