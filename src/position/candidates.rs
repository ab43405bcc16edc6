//! Empty points near stones, as one bit per point.

use crate::board::{BoardSize, POINTS, Point, STRIDE};

/// Rows of the board with four spare rows above and below, so that a stencil never leaves the array.
const MARGIN: usize = 4;
const ROWS: usize = 25 + 2 * MARGIN;
const STENCIL_ROWS: usize = 2 * MARGIN + 1;

/// The columns in which a stone makes candidates (bit 4 is the stone's own column), for each row from four above to
/// four below: distance 3 in any direction, and 4 along the eight rays.
const STENCIL: [u64; STENCIL_ROWS] = [
    0b1_0001_0001,
    0b0_1111_1110,
    0b0_1111_1110,
    0b0_1111_1110,
    0b1_1111_1111,
    0b0_1111_1110,
    0b0_1111_1110,
    0b0_1111_1110,
    0b1_0001_0001,
];

/// Nine rows of the area, as saved for undo.
pub(super) type Window = [u32; STENCIL_ROWS];

/// Points within the stencil of some stone, and the empty points.
#[derive(Clone)]
pub(super) struct Candidates {
    near: [u32; ROWS],
    empty: [u32; 25],
}

impl Candidates {
    pub fn new(size: BoardSize, blocked: &[Point]) -> Candidates {
        let mut empty = [0; 25];
        for point in size.points().filter(|p| !blocked.contains(p)) {
            empty[point.y() as usize] |= 1 << point.x();
        }
        Candidates { near: [0; ROWS], empty }
    }

    /// The rows that [`Candidates::add`] will change.
    #[inline(always)]
    pub fn around(&self, point: Point) -> Window {
        let y = point.y() as usize;
        let mut window = [0; STENCIL_ROWS];
        window.copy_from_slice(&self.near[y..y + STENCIL_ROWS]);
        window
    }

    #[inline(always)]
    pub fn add(&mut self, point: Point) {
        let (x, y) = (point.x(), point.y() as usize);
        self.empty[y] &= !(1 << x);
        for (row, stencil) in self.near[y..y + STENCIL_ROWS].iter_mut().zip(STENCIL) {
            *row |= ((stencil << x) >> MARGIN) as u32;
        }
    }

    #[inline(always)]
    pub fn restore(&mut self, point: Point, window: &Window) {
        let y = point.y() as usize;
        self.empty[y] |= 1 << point.x();
        self.near[y..y + STENCIL_ROWS].copy_from_slice(window);
    }

    /// Empty points within the stencil of some stone.
    pub fn near_stones(&self) -> PointSet {
        PointSet::of_rows(|y| self.near[y + MARGIN] & self.empty[y])
    }

    /// All empty points.
    pub fn all_empty(&self) -> PointSet {
        PointSet::of_rows(|y| self.empty[y])
    }
}

/// A set of points, visited in board order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PointSet {
    /// One bit a point, by [`Point::index`].
    words: [u64; WORDS],
}

const WORDS: usize = POINTS.div_ceil(64);
const ROWS_A_WORD: usize = 64 / STRIDE;

impl PointSet {
    /// The empty set.
    pub const EMPTY: PointSet = PointSet { words: [0; WORDS] };

    #[inline(always)]
    fn of_rows(row: impl Fn(usize) -> u32) -> PointSet {
        let mut words = [0; WORDS];
        for y in 0..POINTS / STRIDE {
            words[y / ROWS_A_WORD] |= u64::from(row(y)) << (y % ROWS_A_WORD * STRIDE);
        }
        PointSet { words }
    }

    /// Adds a point.
    #[inline(always)]
    pub fn insert(&mut self, point: Point) {
        self.words[point.index() / 64] |= 1 << (point.index() % 64);
    }

    /// Takes a point out.
    #[inline(always)]
    pub fn remove(&mut self, point: Point) {
        self.words[point.index() / 64] &= !(1 << (point.index() % 64));
    }

    /// Whether a point is in the set.
    #[inline(always)]
    pub fn contains(&self, point: Point) -> bool {
        self.words[point.index() / 64] >> (point.index() % 64) & 1 != 0
    }

    /// Keeps the points that are in both sets.
    pub fn intersect(&mut self, other: &PointSet) {
        for (word, other) in self.words.iter_mut().zip(other.words) {
            *word &= other;
        }
    }

    /// Adds the points of another set.
    pub fn unite(&mut self, other: &PointSet) {
        for (word, other) in self.words.iter_mut().zip(other.words) {
            *word |= other;
        }
    }

    /// Whether the set has no point.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The points in board order.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = Point> + use<> {
        let words = self.words;
        (0..WORDS).flat_map(move |i| {
            let mut word = words[i];
            std::iter::from_fn(move || {
                if word == 0 {
                    return None;
                }
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                Some(Point::from_index(i * 64 + bit))
            })
        })
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        let mut set = PointSet::EMPTY;
        points.into_iter().for_each(|p| set.insert(p));
        set
    }
}
