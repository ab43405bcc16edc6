//! An unchecked position, as a manager, a file or a test describes it.

use super::{BoardSize, Cell, Point, Side};
use std::fmt;

/// Stones in the order they were (or may have been) played, blocked cells, and the side to move.
///
/// Nothing here is checked; [`Setup::check`] reports what is wrong. Sides need not alternate: analysis positions and
/// unordered `BOARD` bodies are legitimate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// Board dimensions.
    pub size: BoardSize,
    /// Stones, oldest first.
    pub stones: Vec<(Point, Side)>,
    /// Cells that neither side may use.
    pub blocked: Vec<Point>,
    /// Who moves next.
    pub to_move: Side,
}

/// What is wrong with a [`Setup`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// A stone or block lies outside the board.
    OffBoard(Point),
    /// Two stones or blocks share a cell.
    Occupied(Point),
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::OffBoard(p) => write!(f, "point {},{} is off the board", p.x(), p.y()),
            SetupError::Occupied(p) => write!(f, "point {},{} is taken twice", p.x(), p.y()),
        }
    }
}

impl std::error::Error for SetupError {}

impl Setup {
    /// The empty board, black to move.
    pub fn empty(size: BoardSize) -> Setup {
        Setup { size, stones: Vec::new(), blocked: Vec::new(), to_move: Side::Black }
    }

    /// Stones played in turn, black first.
    pub fn from_moves(size: BoardSize, moves: impl IntoIterator<Item = Point>) -> Setup {
        let mut setup = Setup::empty(size);
        for point in moves {
            setup.play(point);
        }
        setup
    }

    /// Puts a stone of the side to move and passes the turn. Unchecked, see [`Setup::check`].
    pub fn play(&mut self, point: Point) {
        self.stones.push((point, self.to_move));
        self.to_move = !self.to_move;
    }

    /// The same after a stone of the side to move, see [`Setup::play`].
    #[must_use]
    pub fn after(&self, point: Point) -> Setup {
        let mut after = self.clone();
        after.play(point);
        after
    }

    /// What the cell holds.
    pub fn cell(&self, point: Point) -> Cell {
        if self.blocked.contains(&point) {
            return Cell::Blocked;
        }
        match self.stones.iter().find(|(p, _)| *p == point) {
            Some((_, side)) => Cell::Stone(*side),
            None => Cell::Empty,
        }
    }

    /// Number of empty cells.
    pub fn empty_cells(&self) -> usize {
        self.size.cells() - self.stones.len() - self.blocked.len()
    }

    /// Whether every stone and block lies on the board, on a cell of its own.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self) -> Result<(), SetupError> {
        let mut seen = [false; super::POINTS];
        for point in self.stones.iter().map(|(p, _)| *p).chain(self.blocked.iter().copied()) {
            if !self.size.contains(point) {
                return Err(SetupError::OffBoard(point));
            }
            if std::mem::replace(&mut seen[point.index()], true) {
                return Err(SetupError::Occupied(point));
            }
        }
        Ok(())
    }
}
