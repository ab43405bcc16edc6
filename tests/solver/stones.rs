//! A board of stones that uses the definitions of a winning row ([`LineRule::wins`]) and of fouls
//! ([`tengen::rules::renju`]), and no patterns.

use tengen::board::{Cell, Grid, Point, Setup, Side};
use tengen::rules::{LineRule, Rule, renju};

/// Cells of a row, from border to border, with a margin of six on all sides.
const STRIDE: usize = 25 + 12;
const CELLS: usize = STRIDE * STRIDE;
/// A win on a cell depends only on cells up to this distance on its lines.
const REACH: i32 = 5;

const STEPS: [i32; 4] = [1, STRIDE as i32, STRIDE as i32 + 1, STRIDE as i32 - 1];
const EMPTY: u8 = 0;
const WALL: u8 = 3;

fn stone(side: Side) -> u8 {
    side as u8 + 1
}

/// Stones on a board. Cells are named by [`index`].
pub struct Stones {
    rule: Rule,
    lines: [LineRule; 2],
    cells: [u8; CELLS],
    /// The same stones, for the slow foul test.
    grid: Grid,
}

impl Stones {
    pub fn new(setup: &Setup, rule: Rule) -> Stones {
        let grid = Grid::from_setup(setup);
        let mut cells = [WALL; CELLS];
        for point in setup.size.points() {
            cells[index(point)] = match grid.get(point) {
                Cell::Empty => EMPTY,
                Cell::Stone(side) => stone(side),
                Cell::Blocked => WALL,
            };
        }
        Stones { rule, lines: Side::BOTH.map(|side| rule.line_rule(side)), cells, grid }
    }

    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// All cells of the board that are not blocked, stones or not, in board order.
    pub fn playable(&self) -> Vec<usize> {
        self.grid.size().points().map(index).filter(|i| self.cells[*i] != WALL).collect()
    }

    pub fn is_empty(&self, at: usize) -> bool {
        self.cells[at] == EMPTY
    }

    /// Whether a side may play on an empty cell.
    pub fn is_legal(&self, at: usize, side: Side) -> bool {
        self.is_empty(at) && (self.rule.restricted_side() != Some(side) || renju::foul(&self.grid, point(at)).is_none())
    }

    pub fn put(&mut self, at: usize, side: Side) {
        self.cells[at] = stone(side);
        self.grid.set(point(at), Cell::Stone(side));
    }

    pub fn take(&mut self, at: usize) {
        self.cells[at] = EMPTY;
        self.grid.set(point(at), Cell::Empty);
    }

    /// A cell, and the empty cells on its lines that may affect a win on it.
    pub fn around(&self, at: usize) -> Vec<usize> {
        let mut cells = vec![at];
        for step in STEPS {
            let line = (-REACH..=REACH).filter(|k| *k != 0).map(|k| (at as i32 + k * step) as usize);
            cells.extend(line.filter(|i| self.is_empty(*i)));
        }
        cells
    }

    /// Whether one more stone wins with a row through the stone on this cell.
    pub fn wins_through(&self, at: usize, side: Side) -> bool {
        let own = stone(side);
        STEPS.into_iter().any(|step| {
            [-step, step].into_iter().any(|step| {
                // The first gap on either side is the only cell whose row would reach the stone.
                let mut gap = at as i32 + step;
                while self.cells[gap as usize] == own {
                    gap += step;
                }
                self.is_empty(gap as usize) && self.row_wins(gap as usize, side, step)
            })
        })
    }

    /// Whether a stone of `side` on the empty cell would stand in a winning row.
    pub fn wins_on(&self, at: usize, side: Side) -> bool {
        STEPS.into_iter().any(|step| self.row_wins(at, side, step))
    }

    fn row_wins(&self, at: usize, side: Side, step: i32) -> bool {
        let (own, other) = (stone(side), stone(!side));
        let run = |step: i32| {
            let (mut i, mut length) = (at as i32 + step, 0);
            while self.cells[i as usize] == own {
                i += step;
                length += 1;
            }
            (length, usize::from(self.cells[i as usize] == other))
        };
        let ((back, held_back), (ahead, held_ahead)) = (run(-step), run(step));
        back + ahead >= 4 && self.lines[side.index()].wins(back + ahead + 1, held_back + held_ahead)
    }
}

pub fn index(point: Point) -> usize {
    (usize::from(point.y()) + 6) * STRIDE + usize::from(point.x()) + 6
}

pub fn point(index: usize) -> Point {
    Point::at((index % STRIDE - 6) as u8, (index / STRIDE - 6) as u8)
}
