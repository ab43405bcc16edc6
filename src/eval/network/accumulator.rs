//! The vectors of all points and their regional sums, following the position stone by stone, but only when asked.
//!
//! Stones that are placed wait in a queue; a stone that is taken back before anything was asked has cost nothing. What
//! a stone changes is logged, so that it can be taken back by copying.
//!
//! Invariants: `codes`, `vectors` and `sums` are those of the stones but for the last `waiting` ones; there is a frame
//! for each applied stone, in order.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed alike")]

use super::kernel::{Dense, Kernel, Task};
use super::layout::{ACTIVATION_MAX, LANES, REGIONS, Regions};
use super::weights::{Row, Set};
use crate::board::{BoardSize, Cell, Direction, Point, Side};
use crate::memory::prefetch;
use crate::pattern::{REACH, stone_delta};
use crate::position::Position;

/// The vector of a point: the sum of the rows of its four lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Vector(pub [i16; LANES]);

const ZERO: Vector = Vector([0; LANES]);

/// Most points that a stone changes: its own and five on each of eight arms.
const CHANGES: usize = 8 * REACH + 1;

/// What a stone changed.
#[derive(Clone, Debug)]
struct Frame {
    sums: [Vector; REGIONS],
    count: usize,
    cells: [u16; CHANGES],
    vectors: [Vector; CHANGES],
}

/// The stone of a move, by cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stone {
    cell: u16,
    side: Side,
}

/// What is fixed by the board.
#[derive(Clone, Debug)]
struct Board {
    width: usize,
    /// Region of each cell.
    region: Vec<u8>,
    /// Cells up to the border or a blocked cell, five at most, backward and ahead in each direction.
    arms: Vec<[[u8; 2]; 4]>,
    /// Step to the next cell in each direction.
    steps: [usize; 4],
}

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Accumulator {
    board: Board,
    kernel: Kernel,
    /// Three times the line codes, plus the centre.
    codes: Vec<[u32; 4]>,
    vectors: Vec<Vector>,
    sums: [Vector; REGIONS],
    /// Stones since the accumulator was last built, oldest first.
    stones: Vec<Stone>,
    /// How many of them are applied.
    applied: usize,
    frames: Vec<Frame>,
    /// Stones from before it was built were taken back: it must be built anew.
    stale: bool,
}

/// Number of waiting stones from which a rebuild is cheaper, if no applied stone would be forgotten.
const REBUILD: usize = 4;

impl Accumulator {
    /// An accumulator for a board; it must hear of all stones from now on.
    pub fn new(position: &Position, kernel: Kernel) -> Accumulator {
        let size = position.size();
        let regions = Regions::new(size);
        let board = Board {
            width: usize::from(size.width()),
            region: size.points().map(|p| regions.of(p.x(), p.y()) as u8).collect(),
            arms: size.points().map(|p| Direction::ALL.map(|d| arms(position, p, d))).collect(),
            steps: Direction::ALL.map(|d| {
                let (dx, dy) = d.step();
                (dy * i32::from(size.width()) + dx) as usize
            }),
        };
        Accumulator {
            board,
            kernel,
            codes: vec![[0; 4]; size.cells()],
            vectors: vec![ZERO; size.cells()],
            sums: [ZERO; REGIONS],
            stones: Vec::new(),
            applied: 0,
            frames: Vec::new(),
            stale: true,
        }
    }

    /// Number of a point's cell: row by row from the top left.
    #[inline(always)]
    pub fn cell(&self, point: Point) -> usize {
        usize::from(point.y()) * self.board.width + usize::from(point.x())
    }

    /// A stone is placed.
    #[inline(always)]
    pub fn play(&mut self, point: Point, side: Side) {
        let cell = self.cell(point) as u16;
        self.stones.push(Stone { cell, side });
    }

    /// The last stone is taken back.
    #[inline(always)]
    pub fn undo(&mut self) {
        match self.stones.pop() {
            None => self.stale = true,
            Some(stone) if self.stones.len() < self.applied && !self.stale => self.take_back(stone),
            Some(_) => {}
        }
        self.applied = self.applied.min(self.stones.len());
    }

    /// Follows the position, which is the one that it has heard of.
    #[inline]
    pub fn follow(&mut self, set: &Set, position: &Position) {
        let waiting = self.stones.len() - self.applied;
        if self.stale || (self.applied == 0 && waiting > REBUILD) {
            self.rebuild(set, position);
        }
        while self.applied < self.stones.len() {
            self.apply(set);
        }
    }

    /// Sums of the regions' activations.
    #[inline(always)]
    pub fn sums(&self) -> &[Vector; REGIONS] {
        &self.sums
    }

    /// Vectors by cell.
    #[inline(always)]
    pub fn vectors(&self) -> &[Vector] {
        &self.vectors
    }

    /// Computes everything from the position.
    #[cold]
    fn rebuild(&mut self, set: &Set, position: &Position) {
        self.stones.clear();
        self.applied = 0;
        self.stale = false;
        self.sums = [ZERO; REGIONS];
        for (cell, point) in position.size().points().enumerate() {
            let centre = match position.cell(point) {
                Cell::Empty => 0,
                Cell::Stone(side) => digit(side),
                Cell::Blocked => continue,
            };
            self.codes[cell] = Direction::ALL.map(|d| 3 * position.line_code(point, d) + centre);
            self.vectors[cell] = sum_of_rows(&set.rows, &self.codes[cell]);
            let sum = &mut self.sums[usize::from(self.board.region[cell])];
            for (sum, v) in sum.0.iter_mut().zip(&self.vectors[cell].0) {
                *sum += (*v).clamp(0, ACTIVATION_MAX);
            }
        }
    }

    /// Applies the first of the waiting stones.
    fn apply(&mut self, set: &Set) {
        if self.frames.len() <= self.applied {
            let empty = Frame { sums: [ZERO; REGIONS], count: 0, cells: [0; CHANGES], vectors: [ZERO; CHANGES] };
            self.frames.resize(self.applied + 8, empty);
        }
        let stone = self.stones[self.applied];
        let Accumulator { board, codes, vectors, sums, frames, kernel, .. } = self;
        let frame = &mut frames[self.applied];
        self.applied += 1;
        kernel.run(Apply { board, rows: &set.rows, stone, codes, vectors, sums, frame });
    }

    /// Takes back the last applied stone.
    fn take_back(&mut self, stone: Stone) {
        let frame = &self.frames[self.applied - 1];
        self.sums = frame.sums;
        for (cell, vector) in frame.cells[..frame.count].iter().zip(&frame.vectors) {
            self.vectors[usize::from(*cell)] = *vector;
        }
        let cell = usize::from(stone.cell);
        for (d, step) in self.board.steps.into_iter().enumerate() {
            let [back, ahead] = self.board.arms[cell][d].map(usize::from);
            for k in 1..=ahead {
                let seen = cell + k * step;
                self.codes[seen][d] = self.codes[seen][d].wrapping_sub(DELTAS[stone.side.index()][0][k]);
            }
            for k in 1..=back {
                let seen = cell - k * step;
                self.codes[seen][d] = self.codes[seen][d].wrapping_sub(DELTAS[stone.side.index()][1][k]);
            }
        }
        self.codes[cell] = self.codes[cell].map(|code| code - digit(stone.side));
    }
}

/// A side's digit in codes.
const fn digit(side: Side) -> u32 {
    side as u32 + 1
}

/// What a stone adds to the codes of points ahead of it, which see it behind them, and of points behind it, by distance.
const DELTAS: [[[u32; REACH + 1]; 2]; 2] = {
    let mut deltas = [[[0; REACH + 1]; 2]; 2];
    let mut k = 1;
    while k <= REACH {
        let mut side = 0;
        while side < 2 {
            let colour = Side::BOTH[side];
            deltas[side][0][k] = 3 * stone_delta(colour, -(k as i32));
            deltas[side][1][k] = 3 * stone_delta(colour, k as i32);
            side += 1;
        }
        k += 1;
    }
    deltas
};

/// Cells (0 to 5) between a point and the border or the next blocked cell, backward and ahead.
fn arms(position: &Position, point: Point, direction: Direction) -> [u8; 2] {
    let size: BoardSize = position.size();
    let (dx, dy) = direction.step();
    [-1, 1].map(|sign| {
        let free = |k: &i32| {
            let next = size.point(i32::from(point.x()) + sign * k * dx, i32::from(point.y()) + sign * k * dy);
            next.is_some_and(|p| position.cell(p) != Cell::Blocked)
        };
        (1..=REACH as i32).take_while(free).count() as u8
    })
}

#[inline(always)]
fn sum_of_rows(rows: &[Row], codes: &[u32; 4]) -> Vector {
    let mut sum = ZERO;
    for code in codes {
        for (s, r) in sum.0.iter_mut().zip(&rows[*code as usize].0) {
            *s += i16::from(*r);
        }
    }
    sum
}

/// Replaces a point's vector, with what follows for the sum of its region, and logs the old one.
#[inline(always)]
fn replace(
    cell: usize,
    new: Vector,
    board: &Board,
    vectors: &mut [Vector],
    sums: &mut [Vector; REGIONS],
    frame: &mut Frame,
) {
    let old = vectors[cell];
    frame.cells[frame.count % CHANGES] = cell as u16;
    frame.vectors[frame.count % CHANGES] = old;
    frame.count += 1;
    vectors[cell] = new;
    let sum = &mut sums[usize::from(board.region[cell]) % REGIONS].0;
    for i in 0..LANES {
        sum[i] += new.0[i].clamp(0, ACTIVATION_MAX) - old.0[i].clamp(0, ACTIVATION_MAX);
    }
}

/// Applying a stone: the codes of all points that see it, and the rows of the new codes instead of those of the old.
struct Apply<'a> {
    board: &'a Board,
    rows: &'a [Row],
    stone: Stone,
    codes: &'a mut [[u32; 4]],
    vectors: &'a mut [Vector],
    sums: &'a mut [Vector; REGIONS],
    frame: &'a mut Frame,
}

impl Task for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Dense>(self) {
        let Apply { board, rows, stone, codes, vectors, sums, frame } = self;
        frame.sums = *sums;
        frame.count = 0;
        let cell = usize::from(stone.cell);
        let deltas = &DELTAS[stone.side.index()];
        // The codes first: the rows are on their way while the next codes are computed.
        let mut changed = [(0_u16, 0_u32, 0_u32); CHANGES];
        let mut count = 0;
        for (d, step) in board.steps.into_iter().enumerate() {
            let [back, ahead] = board.arms[cell][d].map(usize::from);
            for k in 1..=ahead.min(REACH) {
                let seen = cell + k * step;
                let old = codes[seen][d];
                let new = old + deltas[0][k];
                codes[seen][d] = new;
                prefetch(&rows[new as usize]);
                changed[count % CHANGES] = (seen as u16, old, new);
                count += 1;
            }
            for k in 1..=back.min(REACH) {
                let seen = cell - k * step;
                let old = codes[seen][d];
                let new = old + deltas[1][k];
                codes[seen][d] = new;
                prefetch(&rows[new as usize]);
                changed[count % CHANGES] = (seen as u16, old, new);
                count += 1;
            }
        }
        codes[cell] = codes[cell].map(|code| code + digit(stone.side));
        codes[cell].iter().for_each(|code| prefetch(&rows[*code as usize]));
        for (seen, old, new) in &changed[..count.min(CHANGES)] {
            let seen = usize::from(*seen);
            let mut vector = vectors[seen];
            let (old, new) = (&rows[*old as usize].0, &rows[*new as usize].0);
            for i in 0..LANES {
                vector.0[i] += i16::from(new[i]) - i16::from(old[i]);
            }
            replace(seen, vector, board, vectors, sums, frame);
        }
        let vector = sum_of_rows(rows, &codes[cell]);
        replace(cell, vector, board, vectors, sums, frame);
    }
}
