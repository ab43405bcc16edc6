//! The game that the manager has set up: its position, and the cells that must not be played at the root.
//!
//! The position always passes `Setup::check`. Errors are texts for the manager.

use super::body::Cells;
use super::decode;
use crate::engine::{BoardSize, Cell, Point, Setup};

/// The game of a session.
#[derive(Debug, Default)]
pub(super) struct Game {
    setup: Option<Setup>,
    /// Cells that must not be played at the root.
    excluded: Vec<Point>,
}

const NO_GAME: &str = "no game: send START first";

impl Game {
    /// The position; an error before the first `START`.
    pub(super) fn setup(&self) -> Result<&Setup, String> {
        Ok(self.setup.as_ref().ok_or(NO_GAME)?)
    }

    /// Starts a new game.
    pub(super) fn start(&mut self, size: BoardSize) {
        self.setup = Some(Setup::empty(size));
    }

    /// Places a stone of the side to move, for this command.
    pub(super) fn place(&mut self, point: Point, command: &str) -> Result<(), String> {
        let setup = self.setup.as_mut().ok_or(NO_GAME)?;
        if !setup.size.contains(point) {
            return Err(format!("{command} outside the board"));
        }
        if setup.cell(point) != Cell::Empty {
            return Err(format!("{command} on an occupied cell"));
        }
        setup.play(point);
        Ok(())
    }

    /// Plays moves that the engine has chosen.
    pub(super) fn play(&mut self, moves: &[Point]) {
        if let Some(setup) = &mut self.setup {
            moves.iter().for_each(|p| setup.play(*p));
        }
    }

    /// Removes a stone.
    pub(super) fn take_back(&mut self, point: Point) -> Result<(), String> {
        let setup = self.setup.as_mut().ok_or(NO_GAME)?;
        let index = setup.stones.iter().position(|(p, _)| *p == point).ok_or("TAKEBACK of no stone")?;
        setup.stones.remove(index);
        setup.to_move = !setup.to_move;
        Ok(())
    }

    /// Sets the position of a `BOARD`; returns the number of cells that were left out.
    pub(super) fn set_board(&mut self, cells: &Cells) -> Result<usize, String> {
        let setup = decode::position(self.setup()?.size, cells);
        let left_out = cells.len() - setup.stones.len() - setup.blocked.len();
        self.setup = Some(setup);
        Ok(left_out)
    }

    /// Sets the position after these moves.
    pub(super) fn set_moves(&mut self, moves: &[Point]) -> Result<(), String> {
        self.setup = Some(Setup::from_moves(self.setup()?.size, moves.iter().copied()));
        Ok(())
    }

    /// The points of a list of cells that lie on the board.
    pub(super) fn on_board(&self, cells: &Cells) -> Result<Vec<Point>, String> {
        let size = self.setup()?.size;
        Ok(cells.iter().map(|(p, _)| *p).filter(|p| size.contains(*p)).collect())
    }

    /// Excludes cells.
    pub(super) fn block(&mut self, cells: Cells) {
        for (point, _) in cells {
            if !self.excluded.contains(&point) {
                self.excluded.push(point);
            }
        }
    }

    /// Excludes these cells no longer.
    pub(super) fn unblock(&mut self, cells: &Cells) {
        self.excluded.retain(|p| cells.iter().all(|(cell, _)| cell != p));
    }

    /// Excludes no cells.
    pub(super) fn unblock_all(&mut self) {
        self.excluded.clear();
    }

    /// The empty cells that a search must not play; only those in `among` may be played unless it is empty.
    pub(super) fn excluded(&self, among: &[Point]) -> Result<Vec<Point>, String> {
        let setup = self.setup()?;
        let is_excluded = |p: &Point| if among.is_empty() { self.excluded.contains(p) } else { !among.contains(p) };
        let empty = setup.size.points().filter(|p| setup.cell(*p) == Cell::Empty);
        Ok(empty.filter(is_excluded).collect())
    }
}
