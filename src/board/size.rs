//! Board dimensions.

use super::Point;
use std::fmt;
use std::str::FromStr;

/// Width and height in points, each 5 to 25; rectangles are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardSize {
    width: u8,
    height: u8,
}

impl BoardSize {
    /// Smallest side, in points.
    pub const MIN: u8 = 5;
    /// Largest side, in points.
    pub const MAX: u8 = 25;
    /// The 15x15 board of renju and standard gomoku.
    pub const RENJU: BoardSize = BoardSize { width: 15, height: 15 };

    /// A size, or `None` when a side is outside 5..=25.
    pub const fn new(width: u8, height: u8) -> Option<BoardSize> {
        if width < Self::MIN || width > Self::MAX || height < Self::MIN || height > Self::MAX {
            return None;
        }
        Some(BoardSize { width, height })
    }

    /// Points from left to right.
    #[inline(always)]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Points from top to bottom.
    #[inline(always)]
    pub const fn height(self) -> u8 {
        self.height
    }

    /// Number of points on the board.
    #[inline(always)]
    pub const fn cells(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The point at column `x` and row `y` (both from 0, the top left), if it is on this board.
    pub fn point(self, x: i32, y: i32) -> Option<Point> {
        if (0..i32::from(self.width)).contains(&x) && (0..i32::from(self.height)).contains(&y) {
            Point::new(x as u8, y as u8)
        } else {
            None
        }
    }

    /// Whether a point lies on this board.
    #[inline(always)]
    pub const fn contains(self, point: Point) -> bool {
        point.x() < self.width && point.y() < self.height
    }

    /// The middle point; of an even side, the one to the right of the middle or below it.
    pub fn center(self) -> Point {
        Point::at(self.width / 2, self.height / 2)
    }

    /// All points, row by row from the top left: the total order by which ties are broken.
    pub fn points(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| Point::at(x, y)))
    }
}

/// A text that is not a board size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeError;

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "boards are {} to {} points wide and high: 15, or 20x15", BoardSize::MIN, BoardSize::MAX)
    }
}

impl std::error::Error for SizeError {}

/// `15`, or `20x15` for a rectangle.
impl FromStr for BoardSize {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<BoardSize, SizeError> {
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        let side = |text: &str| text.trim().parse().map_err(|_| SizeError);
        BoardSize::new(side(width)?, side(height)?).ok_or(SizeError)
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}
