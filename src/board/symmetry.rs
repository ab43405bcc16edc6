//! The maps of a board onto itself: eight for a square, four for any other rectangle.

use super::{BoardSize, Point, Setup};

/// A map of the board: perhaps mirrored left to right, perhaps top to bottom, and then perhaps transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    mirror_x: bool,
    mirror_y: bool,
    transpose: bool,
}

impl Symmetry {
    /// The identity.
    pub const IDENTITY: Symmetry = Symmetry::from_bits(0);

    /// All eight, the identity first and the four that do not transpose before the others.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry::from_bits(0); 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry::from_bits(i);
            i += 1;
        }
        all
    };

    const fn from_bits(bits: usize) -> Symmetry {
        Symmetry { mirror_x: bits & 1 != 0, mirror_y: bits & 2 != 0, transpose: bits & 4 != 0 }
    }

    /// The maps of a board of this size onto itself, the identity first.
    pub const fn of(size: BoardSize) -> &'static [Symmetry] {
        let (keeping, all): (&[Symmetry], &[Symmetry]) = (Self::ALL.split_at(4).0, &Self::ALL);
        if size.width() == size.height() { all } else { keeping }
    }

    /// The size of the board's image: the same, or with sides exchanged where the map transposes.
    pub const fn image(self, size: BoardSize) -> BoardSize {
        if !self.transpose {
            return size;
        }
        match BoardSize::new(size.height(), size.width()) {
            Some(image) => image,
            None => unreachable!(),
        }
    }

    /// Where a point of a board of this size goes, on the board of [`Symmetry::image`].
    ///
    /// # Panics
    /// If the point is off the board.
    pub const fn apply(self, size: BoardSize, point: Point) -> Point {
        assert!(size.contains(point));
        let x = if self.mirror_x { size.width() - 1 - point.x() } else { point.x() };
        let y = if self.mirror_y { size.height() - 1 - point.y() } else { point.y() };
        if self.transpose { Point::at(y, x) } else { Point::at(x, y) }
    }

    /// This map followed by another.
    #[must_use]
    pub const fn then(self, next: Symmetry) -> Symmetry {
        // After a transposition the next map's mirrors act on the other axis of the original board.
        let (x, y) = if self.transpose { (next.mirror_y, next.mirror_x) } else { (next.mirror_x, next.mirror_y) };
        Symmetry {
            mirror_x: self.mirror_x != x,
            mirror_y: self.mirror_y != y,
            transpose: self.transpose != next.transpose,
        }
    }

    /// The inverse of this map.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        if self.transpose { Symmetry { mirror_x: self.mirror_y, mirror_y: self.mirror_x, ..self } } else { self }
    }

    /// The image of a position, its stones in the same order.
    ///
    /// # Panics
    /// If a stone or block is off the board.
    #[must_use]
    pub fn apply_setup(self, setup: &Setup) -> Setup {
        let map = |point: &Point| self.apply(setup.size, *point);
        Setup {
            size: self.image(setup.size),
            stones: setup.stones.iter().map(|(point, side)| (map(point), *side)).collect(),
            blocked: setup.blocked.iter().map(map).collect(),
            to_move: setup.to_move,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn size(width: u8, height: u8) -> BoardSize {
        BoardSize::new(width, height).unwrap()
    }

    #[test]
    fn eight_for_squares_four_for_rectangles_all_different() {
        for (board, count) in [(size(5, 5), 8), (size(25, 25), 8), (size(5, 6), 4), (size(20, 12), 4)] {
            let maps = Symmetry::of(board);
            assert_eq!(maps[0], Symmetry::IDENTITY);
            let images: HashSet<Vec<Point>> =
                maps.iter().map(|map| board.points().map(|point| map.apply(board, point)).collect()).collect();
            assert_eq!((maps.len(), images.len()), (count, count));
            for image in images {
                let distinct: HashSet<Point> = image.into_iter().filter(|point| board.contains(*point)).collect();
                assert_eq!(distinct.len(), board.cells(), "a map of the board onto itself");
            }
        }
    }

    #[test]
    fn composition_and_inverse_agree_with_application() {
        for board in [size(6, 6), size(7, 5)] {
            for first in Symmetry::ALL {
                let middle = first.image(board);
                assert_eq!(first.then(first.inverse()), Symmetry::IDENTITY);
                assert_eq!(first.inverse().then(first), Symmetry::IDENTITY);
                for second in Symmetry::ALL {
                    let both = first.then(second);
                    assert_eq!(both.image(board), second.image(middle));
                    for point in board.points() {
                        let twice = second.apply(middle, first.apply(board, point));
                        assert_eq!(both.apply(board, point), twice, "{first:?} then {second:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_setup_goes_there_and_back() {
        let board = size(9, 6);
        let mut setup = Setup::from_moves(board, [Point::at(0, 0), Point::at(8, 5), Point::at(3, 1)]);
        setup.blocked.push(Point::at(7, 0));
        for map in Symmetry::ALL {
            let image = map.apply_setup(&setup);
            assert_eq!(image.check(), Ok(()));
            assert_eq!(map.inverse().apply_setup(&image), setup);
        }
    }
}
