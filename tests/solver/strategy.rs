//! Plays a strategy against every legal move: does it always win?
//!
//! Checks claimed wins. It knows what a winning row is ([`LineRule::wins`]) and what is forbidden
//! ([`tengen::rules::renju`]), and no patterns. After a four only moves on the winning cell, or on a line through it
//! at most five cells away, are tried, since all others let the row be completed at once. After any other threat all
//! legal moves of the board are tried.

use std::collections::HashSet;
use tengen::board::{Cell, Diagram, Grid, Point, Setup, Side};
use tengen::position::{Position, Silent};
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

/// A strategy: what the attacker plays in a position.
pub type Strategy<'a> = &'a mut dyn FnMut(&mut Position) -> Option<Point>;

/// A strategy under trial.
pub struct Trial<'a> {
    rule: Rule,
    lines: [LineRule; 2],
    cells: [u8; CELLS],
    /// The same stones, for the slow test of fouls.
    grid: Grid,
    /// The same stones, for the strategy.
    position: Position,
    board: Vec<usize>,
    /// Cells that complete a winning row, by side.
    wins: [Vec<usize>; 2],
    attacker: Side,
    strategy: Strategy<'a>,
    /// Stones of positions from which the strategy is known to win.
    proven: HashSet<u64>,
    hash: u64,
    /// Moves of the defender that were tried.
    pub replies: usize,
}

impl<'a> Trial<'a> {
    /// The side to move shall win.
    pub fn new(setup: &Setup, rule: Rule, strategy: Strategy<'a>) -> Trial<'a> {
        let grid = Grid::from_setup(setup);
        let mut cells = [WALL; CELLS];
        let mut board = Vec::new();
        for point in setup.size.points() {
            cells[index(point)] = match grid.get(point) {
                Cell::Empty => EMPTY,
                Cell::Stone(side) => stone(side),
                Cell::Blocked => WALL,
            };
            board.push(index(point));
        }
        let mut trial = Trial {
            rule,
            lines: Side::BOTH.map(|side| rule.line_rule(side)),
            cells,
            grid,
            position: Position::new(setup, rule).expect("a sound setup"),
            board,
            wins: [Vec::new(), Vec::new()],
            attacker: setup.to_move,
            strategy,
            proven: HashSet::new(),
            hash: 0,
            replies: 0,
        };
        let empty = |i: &usize| trial.cells[*i] == EMPTY;
        let wins = Side::BOTH.map(|side| {
            trial.board.iter().copied().filter(empty).filter(|i| trial.wins_on(*i, side)).collect::<Vec<_>>()
        });
        trial.wins = wins;
        trial
    }

    /// Whether the strategy wins whatever the defender plays; if not, the position in which it does not.
    pub fn succeeds(&mut self) -> Result<(), String> {
        let side = self.attacker;
        if !self.wins[side.index()].is_empty() || self.proven.contains(&self.hash) {
            return Ok(());
        }
        let Some(by) = (self.strategy)(&mut self.position) else {
            return Err(self.complaint("no move is known"));
        };
        let at = index(by);
        if self.cells[at] != EMPTY || !self.is_legal(at, side) {
            return Err(self.complaint(&format!("{by:?} is no legal move")));
        }
        let saved = self.put(at, side);
        let result = self.holds();
        self.take(at, side, saved);
        if result.is_ok() {
            self.proven.insert(self.hash);
        }
        result
    }

    /// The defender is to move.
    fn holds(&mut self) -> Result<(), String> {
        let defender = !self.attacker;
        if !self.wins[defender.index()].is_empty() {
            return Err(self.complaint("the defender wins"));
        }
        let fives = self.wins[self.attacker.index()].clone();
        let replies = match fives.first() {
            Some(five) => self.around(*five),
            None => self.board.clone(),
        };
        let mut any = false;
        for at in replies {
            if self.cells[at] != EMPTY || !self.is_legal(at, defender) {
                continue;
            }
            any = true;
            self.replies += 1;
            self.cells[at] = stone(defender);
            let over = fives.iter().any(|five| *five != at && self.wins_on(*five, self.attacker));
            self.cells[at] = EMPTY;
            if over {
                continue;
            }
            let saved = self.put(at, defender);
            let result = self.succeeds();
            self.take(at, defender, saved);
            result?;
        }
        if !any && fives.is_empty() {
            return Err(self.complaint("the defender has no legal move"));
        }
        Ok(())
    }

    fn complaint(&self, what: &str) -> String {
        let mut setup = Setup::empty(self.grid.size());
        for point in self.grid.size().points() {
            match self.grid.get(point) {
                Cell::Stone(side) => setup.stones.push((point, side)),
                Cell::Blocked => setup.blocked.push(point),
                Cell::Empty => {}
            }
        }
        format!("{what}, {:?} attacks\n{}", self.attacker, Diagram::new(setup).with_coordinates())
    }

    fn is_legal(&self, at: usize, side: Side) -> bool {
        self.rule.restricted_side() != Some(side) || renju::foul(&self.grid, point(at)).is_none()
    }

    /// Puts a stone; gives what [`Trial::take`] needs.
    fn put(&mut self, at: usize, side: Side) -> [Vec<usize>; 2] {
        self.cells[at] = stone(side);
        self.grid.set(point(at), Cell::Stone(side));
        self.position.set_to_move(side);
        self.position.play(point(at), &mut Silent);
        self.hash ^= mix(at, side);
        let near = self.around(at);
        let fresh = Side::BOTH.map(|side| {
            let far = self.wins[side.index()].iter().copied().filter(|i| *i != at && !near.contains(i));
            let changed = near.iter().copied().filter(|i| *i != at && self.wins_on(*i, side));
            far.chain(changed).collect::<Vec<_>>()
        });
        std::mem::replace(&mut self.wins, fresh)
    }

    fn take(&mut self, at: usize, side: Side, saved: [Vec<usize>; 2]) {
        self.cells[at] = EMPTY;
        self.grid.set(point(at), Cell::Empty);
        self.position.undo(&mut Silent);
        self.hash ^= mix(at, side);
        self.wins = saved;
    }

    /// A cell and the empty cells on its lines that a win on it may depend on.
    fn around(&self, at: usize) -> Vec<usize> {
        let mut cells = vec![at];
        for step in STEPS {
            let line = (-REACH..=REACH).filter(|k| *k != 0).map(|k| (at as i32 + k * step) as usize);
            cells.extend(line.filter(|i| self.cells[*i] == EMPTY));
        }
        cells
    }

    /// Whether a stone of `side` on the cell would stand in a winning row.
    fn wins_on(&self, at: usize, side: Side) -> bool {
        let (own, other) = (stone(side), stone(!side));
        STEPS.into_iter().any(|step| {
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
        })
    }
}

fn mix(at: usize, side: Side) -> u64 {
    let mut word = (at as u64 * 2 + side as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ (word >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    word ^ (word >> 32)
}

fn index(point: Point) -> usize {
    (usize::from(point.y()) + 6) * STRIDE + usize::from(point.x()) + 6
}

fn point(index: usize) -> Point {
    Point::at((index % STRIDE - 6) as u8, (index / STRIDE - 6) as u8)
}
