//! A plain solver: who can force a win within a number of plies, by trying moves on a board of stones.
//!
//! It knows what a winning row is ([`LineRule::wins`]) and what is forbidden ([`tengen::rules::renju`]), and no
//! patterns. Both sides may try every empty cell. One shortcut loses nothing: a side that must deal with a winning
//! cell of the other has to play on that cell or on a line through it, at most five cells away, since a win depends
//! on no more.

use tengen::board::{Cell, Grid, Point, Setup, Side};
use tengen::rules::{LineRule, Rule, renju};

/// Cells of a row, from border to border, with a margin of six on all sides.
const STRIDE: usize = 25 + 12;
const CELLS: usize = STRIDE * STRIDE;
/// A win on a cell depends on cells at most so far away on its lines.
const REACH: i32 = 5;

const STEPS: [i32; 4] = [1, STRIDE as i32, STRIDE as i32 + 1, STRIDE as i32 - 1];
const EMPTY: u8 = 0;
const WALL: u8 = 3;

fn stone(side: Side) -> u8 {
    side as u8 + 1
}

/// A position to be solved.
pub struct Solver {
    rule: Rule,
    lines: [LineRule; 2],
    cells: [u8; CELLS],
    /// The same stones, for the slow test of fouls.
    grid: Grid,
    /// All playable cells of the board, stones or not.
    board: Vec<usize>,
    /// Attacking moves that won elsewhere in the tree, by remaining plies: tried first.
    killers: Vec<[usize; 4]>,
}

impl Solver {
    pub fn new(setup: &Setup, rule: Rule) -> Solver {
        let grid = Grid::from_setup(setup);
        let mut cells = [WALL; CELLS];
        let mut board = Vec::new();
        for point in setup.size.points() {
            let i = index(point);
            cells[i] = match grid.get(point) {
                Cell::Empty => EMPTY,
                Cell::Stone(side) => stone(side),
                Cell::Blocked => WALL,
            };
            if cells[i] != WALL {
                board.push(i);
            }
        }
        // The middle of the stones first: attacks are found sooner there.
        let stones: Vec<Point> = setup.stones.iter().map(|(p, _)| *p).collect();
        board.sort_by_key(|i| stones.iter().map(|p| u32::from(p.distance(point(*i))).min(4)).sum::<u32>());
        let lines = Side::BOTH.map(|side| rule.line_rule(side));
        Solver { rule, lines, cells, grid, board, killers: vec![[0; 4]; 16] }
    }

    pub fn play(&mut self, at: Point, side: Side) {
        self.put(index(at), side);
    }

    pub fn undo(&mut self, at: Point) {
        self.take(index(at));
    }

    pub fn is_empty(&self, at: Point) -> bool {
        self.cells[index(at)] == EMPTY
    }

    /// Whether a side may play on an empty point.
    pub fn is_legal(&self, at: Point, side: Side) -> bool {
        self.is_empty(at) && (self.rule.restricted_side() != Some(side) || renju::foul(&self.grid, at).is_none())
    }

    /// All points where a side may play, in board order.
    pub fn legal_moves(&self, side: Side) -> Vec<Point> {
        self.grid.size().points().filter(|p| self.is_legal(*p, side)).collect()
    }

    /// Cells that complete a winning row for a side.
    pub fn winning_points(&self, side: Side) -> Vec<Point> {
        self.grid.size().points().filter(|p| self.is_empty(*p) && self.wins_on(index(*p), side)).collect()
    }

    /// Whether `side`, who is to move, has a forced win within `plies` (an odd number).
    pub fn attacks(&mut self, side: Side, plies: i32) -> bool {
        if plies < 1 {
            return false;
        }
        if self.some_win(side).is_some() {
            return true;
        }
        if plies < 3 {
            return false;
        }
        let moves = match self.some_win(!side) {
            Some(five) => self.around(five),
            None => self.board.clone(),
        };
        let killers = self.killers[plies as usize];
        let first = killers.into_iter().filter(|k| moves.contains(k));
        for at in first.chain(moves.iter().copied().filter(|m| !killers.contains(m))) {
            if self.cells[at] == EMPTY && self.wins_by_index(at, side, plies) {
                let killers = &mut self.killers[plies as usize];
                if !killers.contains(&at) {
                    killers.rotate_right(1);
                    killers[0] = at;
                }
                return true;
            }
        }
        false
    }

    /// Whether a first move of `side`, who is to move, forces a win within `plies` (an odd number).
    pub fn wins_by(&mut self, at: Point, side: Side, plies: i32) -> bool {
        self.is_empty(at) && self.wins_by_index(index(at), side, plies)
    }

    /// Whether `side`, who is to move, is lost: its opponent wins within `plies` (an even number) whatever is
    /// played. A side without a legal move is not lost.
    pub fn is_lost(&mut self, side: Side, plies: i32) -> bool {
        if plies < 2 || self.some_win(side).is_some() {
            return false;
        }
        let replies = match self.some_win(!side) {
            Some(five) => self.around(five),
            None if plies == 2 => return false,
            None => self.board.clone(),
        };
        let killers = self.killers[plies as usize];
        let mut any = false;
        let first = killers.into_iter().filter(|k| replies.contains(k));
        for at in first.chain(replies.iter().copied().filter(|m| !killers.contains(m))) {
            if self.cells[at] != EMPTY || !self.is_legal(point(at), side) {
                continue;
            }
            any = true;
            self.put(at, side);
            let answered = self.attacks(!side, plies - 1);
            self.take(at);
            if !answered {
                let killers = &mut self.killers[plies as usize];
                if !killers.contains(&at) {
                    killers.rotate_right(1);
                    killers[0] = at;
                }
                return false;
            }
        }
        any || !self.legal_moves(side).is_empty()
    }

    fn wins_by_index(&mut self, at: usize, side: Side, plies: i32) -> bool {
        if self.wins_on(at, side) {
            return true;
        }
        if plies < 3 {
            return false;
        }
        self.put(at, side);
        // With three plies left the move must make a winning cell, which then lies on its lines.
        let hopeful = plies > 3 || self.wins_through(at, side);
        self.take(at);
        if !hopeful || !self.is_legal(point(at), side) {
            return false;
        }
        self.put(at, side);
        let wins = self.is_lost(!side, plies - 1);
        self.take(at);
        wins
    }

    fn put(&mut self, at: usize, side: Side) {
        self.cells[at] = stone(side);
        self.grid.set(point(at), Cell::Stone(side));
    }

    fn take(&mut self, at: usize) {
        self.cells[at] = EMPTY;
        self.grid.set(point(at), Cell::Empty);
    }

    fn some_win(&self, side: Side) -> Option<usize> {
        self.board.iter().copied().find(|i| self.cells[*i] == EMPTY && self.wins_on(*i, side))
    }

    /// A cell and the cells on its lines that a win on it may depend on.
    fn around(&self, at: usize) -> Vec<usize> {
        let mut cells = vec![at];
        for step in STEPS {
            cells.extend(
                (-REACH..=REACH)
                    .filter(|k| *k != 0)
                    .map(|k| (at as i32 + k * step) as usize)
                    .filter(|i| self.cells[*i] == EMPTY),
            );
        }
        cells
    }

    /// Whether one more stone wins with a row through the stone on this cell.
    fn wins_through(&self, at: usize, side: Side) -> bool {
        let own = stone(side);
        STEPS.into_iter().any(|step| {
            [-step, step].into_iter().any(|step| {
                // The first gap on either side is the only cell whose row would reach the stone.
                let mut gap = at as i32 + step;
                while self.cells[gap as usize] == own {
                    gap += step;
                }
                self.cells[gap as usize] == EMPTY && self.row_wins(gap as usize, side, step)
            })
        })
    }

    /// Whether a stone of `side` on the empty cell would stand in a winning row.
    fn wins_on(&self, at: usize, side: Side) -> bool {
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

fn index(point: Point) -> usize {
    (usize::from(point.y()) + 6) * STRIDE + usize::from(point.x()) + 6
}

fn point(index: usize) -> Point {
    Point::at((index % STRIDE - 6) as u8, (index / STRIDE - 6) as u8)
}
