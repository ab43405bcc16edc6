//! Fast test of forbidden points: tables give overlines and double fours, and the double threes that need the recursive
//! test. [`crate::rules::renju`] is the slow reference.

use super::{Place, PointSet, Position, Silent};
use crate::board::{Direction, Point, Side};
use crate::pattern::{LineClass, PointClass, REACH, stone_delta};

impl Position {
    /// The side that has forbidden points, if there is one.
    #[inline(always)]
    pub fn restricted(&self) -> Option<Side> {
        self.tables.restricted()
    }

    /// All empty points.
    pub fn empty_points(&self) -> PointSet {
        self.candidates.all_empty()
    }

    /// Whether `side` may not play on an empty point.
    pub fn is_forbidden(&mut self, side: Side, point: Point) -> bool {
        self.restricted() == Some(side)
            && self.info(point).class(side) == PointClass::Foul
            && (self.is_line_foul(side, point) || self.real_threes(side, point) >= 2)
    }

    /// All forbidden points of the side to move, in board order.
    pub fn forbidden_points(&mut self) -> Vec<Point> {
        let side = self.to_move;
        let empty = self.empty_points();
        empty.iter().filter(|p| self.is_forbidden(side, *p)).collect()
    }

    /// Whether the side to move has a legal move. No rule allows a pass.
    pub fn has_legal_move(&mut self) -> bool {
        let side = self.to_move;
        let empty = self.empty_points();
        empty.iter().any(|p| !self.is_forbidden(side, p))
    }

    /// An overline or a double four: fouls independent of the rest of the board.
    fn is_line_foul(&self, side: Side, point: Point) -> bool {
        let lines = Direction::ALL.map(|d| self.info(point).line(side, d));
        lines.contains(&LineClass::Foul) || lines.iter().filter(|c| c.is_four()).count() >= 2
    }

    /// Open threes that a stone of `side` on an empty point makes. For a side that must avoid fouls, a three counts
    /// only if its open four may be played.
    pub fn open_threes(&mut self, side: Side, point: Point) -> usize {
        if self.restricted() == Some(side) {
            return self.real_threes(side, point);
        }
        let info = self.info(point);
        Direction::ALL.into_iter().filter(|d| info.line(side, *d).is_open_three()).count()
    }

    /// Open threes made by a stone on `point` whose open four may legally be played.
    fn real_threes(&mut self, side: Side, point: Point) -> usize {
        let info = *self.info(point);
        let turn = self.to_move;
        self.set_to_move(side);
        self.play(point, &mut Silent);
        let real = Direction::ALL
            .into_iter()
            .filter(|d| info.line(side, *d).is_open_three() && self.has_legal_open_four(side, point, *d))
            .count();
        self.undo(&mut Silent);
        self.set_to_move(turn);
        real
    }

    /// Whether the three through the stone on `point` has an extension to an open four that is not forbidden.
    fn has_legal_open_four(&mut self, side: Side, point: Point, direction: Direction) -> bool {
        let place = Place::new(point, direction);
        let empty = self.empty[place.line] >> (place.at - REACH);
        let code = self.line_code(point, direction);
        (-4..=4_i32).filter(|k| *k != 0 && empty >> (k + REACH as i32) & 1 != 0).any(|k| {
            let with = code.wrapping_add(stone_delta(side, k));
            if self.tables.line_class(side, with) != LineClass::OpenFour {
                return false;
            }
            let extension = (point.index() as isize + k as isize * direction.offset()) as usize;
            let extension = Point::from_index(extension);
            // A point that makes a five does not count as an extension to a straight four (RIF 9.3: the three must
            // become one "at once").
            self.info(extension).class(side) != PointClass::Five && !self.is_forbidden(side, extension)
        })
    }
}
