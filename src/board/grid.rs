//! A plain array of cells: a slow, simple board for the code of the rules.

use super::{BoardSize, Cell, Direction, POINTS, Point, Setup, Side};

/// Cells of a board, one by one, and nothing derived from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    size: BoardSize,
    cells: [Cell; POINTS],
}

/// A maximal row of stones of one side through a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The side that owns the stones.
    pub side: Side,
    /// Stones before the point, along the direction.
    pub back: i32,
    /// Stones after it.
    pub ahead: i32,
    /// The cells just before the first stone and just after the last; [`Cell::Blocked`] off the board.
    pub ends: [Cell; 2],
}

impl Run {
    /// Number of stones, the point's own included.
    pub const fn length(&self) -> usize {
        (self.back + self.ahead + 1) as usize
    }

    /// Whether the cell `steps` from the point belongs to the row.
    pub const fn includes(&self, steps: i32) -> bool {
        -self.back <= steps && steps <= self.ahead
    }

    /// Number of ends (0 to 2) that the other side's stones hold. Borders and blocked cells do not.
    pub fn held_ends(&self) -> usize {
        self.ends.iter().filter(|end| **end == Cell::Stone(!self.side)).count()
    }
}

impl Grid {
    /// An empty board.
    pub const fn new(size: BoardSize) -> Grid {
        Grid { size, cells: [Cell::Empty; POINTS] }
    }

    /// The board that a setup describes. Setups that [`Setup::check`] rejects are accepted: stones off the board are
    /// dropped, and the later of two entries for one cell counts, blocks last.
    pub fn from_setup(setup: &Setup) -> Grid {
        let mut grid = Grid::new(setup.size);
        let stones = setup.stones.iter().map(|&(point, side)| (point, Cell::Stone(side)));
        let blocks = setup.blocked.iter().map(|&point| (point, Cell::Blocked));
        for (point, cell) in stones.chain(blocks) {
            if setup.size.contains(point) {
                grid.set(point, cell);
            }
        }
        grid
    }

    /// Board dimensions.
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// What a cell holds; [`Cell::Blocked`] off the board.
    #[inline]
    pub const fn get(&self, point: Point) -> Cell {
        if self.size.contains(point) { self.cells[point.index()] } else { Cell::Blocked }
    }

    /// Changes a cell.
    ///
    /// # Panics
    /// If the point is off the board.
    #[inline]
    pub fn set(&mut self, point: Point, cell: Cell) {
        assert!(self.size.contains(point), "{point:?} is off the {} board", self.size);
        self.cells[point.index()] = cell;
    }

    /// The point `steps` further in a direction (back if negative), if it is on the board.
    #[inline]
    pub fn step(&self, point: Point, direction: Direction, steps: i32) -> Option<Point> {
        let (dx, dy) = direction.step();
        self.size.point(i32::from(point.x()) + dx * steps, i32::from(point.y()) + dy * steps)
    }

    /// What the cell `steps` further in a direction holds; [`Cell::Blocked`] off the board.
    #[inline]
    pub fn look(&self, point: Point, direction: Direction, steps: i32) -> Cell {
        self.step(point, direction, steps).map_or(Cell::Blocked, |p| self.cells[p.index()])
    }

    /// The maximal row through the stone at `point`; `None` if no stone stands there.
    pub fn run(&self, point: Point, direction: Direction) -> Option<Run> {
        let own = self.get(point);
        let Cell::Stone(side) = own else { return None };
        let mut back = 0;
        while self.look(point, direction, -back - 1) == own {
            back += 1;
        }
        let mut ahead = 0;
        while self.look(point, direction, ahead + 1) == own {
            ahead += 1;
        }
        let ends = [self.look(point, direction, -back - 1), self.look(point, direction, ahead + 1)];
        Some(Run { side, back, ahead, ends })
    }

    /// Points whose cell is empty, row by row from the top left.
    pub fn empty_points(&self) -> impl Iterator<Item = Point> + '_ {
        self.size.points().filter(|point| self.get(*point) == Cell::Empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Diagram;

    #[test]
    fn a_run_ends_at_stones_blocks_and_borders() {
        let diagram: Diagram = "
            . . . . . . .
            X X X O . . .
            . # X X X . .
            . . . . . . .
            . . . . . . ."
            .parse()
            .unwrap();
        let grid = Grid::from_setup(&diagram.setup);
        let run = grid.run(Point::at(1, 1), Direction::Row).unwrap();
        assert_eq!((run.back, run.ahead, run.length()), (1, 1, 3));
        assert_eq!(run.ends, [Cell::Blocked, Cell::Stone(Side::White)]);
        assert_eq!(run.held_ends(), 1);
        let run = grid.run(Point::at(4, 2), Direction::Row).unwrap();
        assert_eq!((run.back, run.ahead, run.ends), (2, 0, [Cell::Blocked, Cell::Empty]));
        assert_eq!(run.held_ends(), 0);
        let run = grid.run(Point::at(2, 2), Direction::Column).unwrap();
        assert_eq!((run.back, run.ahead, run.ends), (1, 0, [Cell::Empty, Cell::Empty]));
        assert_eq!(grid.run(Point::at(5, 5 - 1), Direction::Row), None);
        assert_eq!(grid.get(Point::at(7, 0)), Cell::Blocked);
    }
}
