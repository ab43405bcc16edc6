//! The accumulator: the vectors of all points and the regional sums of their activations, updated lazily.
//!
//! Played stones wait in a queue until a result is requested, so a stone that is undone before that costs nothing. Each
//! applied stone stores what it changed, so undo restores it by copying.
//!
//! Invariants: cells outside the board have the vector zero; `codes` and `vectors` are those after the first `applied`
//! stones; `frames[0].sums` are the sums of the position before them, and `frames[i].sums` are those after the i-th
//! stone.

#![allow(clippy::needless_range_loop, reason = "several arrays are indexed alike")]

use super::kernel::{Dense, Kernel, Task, Vector, ZERO};
use super::layout::{ACTIVATION_MAX, LANES, RADIUS, REGIONS, Regions};
use super::weights::{Row, Set};
use crate::board::{BoardSize, Cell, Direction, Point, Side};
use crate::memory_hints::prefetch;
use crate::pattern::{REACH, stone_delta};
use crate::position::Position;
use smallvec::SmallVec;

/// Largest number of lines in which other points see a stone: five points on each of eight arms.
const LINES: usize = 8 * REACH;

/// What one stone changed, for undo.
#[derive(Clone, Debug)]
struct Frame {
    /// The sums after the stone.
    sums: [Vector; REGIONS],
    lines: usize,
    changes: [Change; LINES],
    /// Old vectors of the points of `changes`.
    vectors: [Vector; LINES],
    /// Old vector of the stone's own point.
    own: Vector,
}

const EMPTY: Frame =
    Frame { sums: [ZERO; REGIONS], lines: 0, changes: [NO_CHANGE; LINES], vectors: [ZERO; LINES], own: ZERO };

/// A line whose code a stone changed.
#[derive(Clone, Copy, Debug)]
struct Change {
    line: Line,
    old: u32,
    new: u32,
}

const NO_CHANGE: Change = Change { line: Line { code: 0, place: 0, region: 0 }, old: 0, new: 0 };

/// A line through a point that contains a given stone.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Index of its code: four times the point's cell, plus the direction.
    code: u16,
    /// Place of the stone in the line, see [`DELTAS`].
    place: u8,
    /// The point's region.
    region: u8,
}

/// The stone of a move, by cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stone {
    cell: u16,
    side: Side,
}

/// Constants of the board.
#[derive(Clone, Debug)]
struct Board {
    /// Distance between the cells of adjacent rows: [`RADIUS`] cells outside the board are after each row.
    stride: usize,
    /// Region of each cell.
    region: Vec<u8>,
    /// For each cell, the lines in which other points see a stone there.
    lines: Vec<Lines>,
}

/// The lines in which other points see a stone, nearest points first. In this order neighbours are rarely in the same
/// region, so the update of a region's sum rarely waits for the previous one.
type Lines = SmallVec<[Line; LINES]>;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Accumulator {
    board: Board,
    kernel: Kernel,
    /// Three times the line code, plus the centre; four entries for each cell.
    codes: Vec<u32>,
    vectors: Vec<Vector>,
    /// Stones played since the last rebuild, oldest first.
    stones: Vec<Stone>,
    /// Number of them that are applied.
    applied: usize,
    /// One frame for each applied stone and one before them, at least.
    frames: Vec<Frame>,
    /// Set when stones from before the last rebuild were undone: a rebuild is needed.
    stale: bool,
}

impl Accumulator {
    /// An accumulator for a board; it must be notified of all stones from now on.
    pub fn new(position: &Position, kernel: Kernel) -> Accumulator {
        let size = position.size();
        let stride = usize::from(size.width()) + RADIUS;
        let cells = (usize::from(size.height()) + 2 * RADIUS) * stride + RADIUS;
        let regions = Regions::new(size);
        let mut region = vec![0; cells];
        size.points().for_each(|p| region[cell(stride, p)] = regions.of(p.x(), p.y()) as u8);
        let mut all = vec![Lines::new(); cells];
        size.points().for_each(|p| all[cell(stride, p)] = lines(position, p, stride, &region));
        Accumulator {
            board: Board { stride, region, lines: all },
            kernel,
            codes: vec![0; 4 * cells],
            vectors: vec![ZERO; cells],
            stones: Vec::new(),
            applied: 0,
            frames: vec![EMPTY],
            stale: true,
        }
    }

    /// Notes that a stone was played.
    #[inline(always)]
    pub fn play(&mut self, point: Point, side: Side) {
        let cell = cell(self.board.stride, point) as u16;
        self.stones.push(Stone { cell, side });
    }

    /// Undoes the last stone.
    #[inline(always)]
    pub fn undo(&mut self) {
        match self.stones.pop() {
            None => self.stale = true,
            Some(stone) if self.stones.len() < self.applied => self.take_back(stone),
            Some(_) => {}
        }
    }

    /// Brings the accumulator up to date with the position, which must be the one it observes.
    #[inline]
    pub fn follow(&mut self, set: &Set, position: &Position) {
        if self.stale {
            self.rebuild(set, position);
        }
        while self.applied < self.stones.len() {
            self.apply(set);
        }
    }

    /// Sums of the activations of each region.
    #[inline(always)]
    pub fn sums(&self) -> &[Vector; REGIONS] {
        &self.frames[self.applied].sums
    }

    /// For some points of one row, the activations, and the sums of those so many rows above and below. The first point
    /// is [`RADIUS`] to the left of the given one. Activations outside the board are zero.
    #[inline(always)]
    pub fn rows<D: Dense, const N: usize>(&self, point: Point, length: usize, rows: &mut [[D::Lanes; N]; RADIUS + 1]) {
        let (cell, stride) = (cell(self.board.stride, point), self.board.stride);
        for (distance, sums) in rows.iter_mut().enumerate() {
            let start = cell - RADIUS;
            let above = &self.vectors[start - distance * stride..][..length];
            let below = &self.vectors[start + distance * stride..][..length];
            for ((sum, above), below) in sums.iter_mut().zip(above).zip(below) {
                let activations = D::activations(above);
                *sum = if distance > 0 { D::plus(activations, D::activations(below)) } else { activations };
            }
        }
    }

    /// Recomputes everything from the position.
    #[cold]
    fn rebuild(&mut self, set: &Set, position: &Position) {
        self.stones.clear();
        self.applied = 0;
        self.stale = false;
        let sums = &mut self.frames[0].sums;
        *sums = [ZERO; REGIONS];
        for point in position.size().points() {
            let cell = cell(self.board.stride, point);
            let centre = match position.cell(point) {
                Cell::Empty => 0,
                Cell::Stone(side) => digit(side),
                Cell::Blocked => continue,
            };
            let codes = &mut self.codes[4 * cell..4 * cell + 4];
            codes.copy_from_slice(&Direction::ALL.map(|d| 3 * position.line_code(point, d) + centre));
            self.vectors[cell] = sum_of_rows(&set.rows, codes);
            let sum = &mut sums[usize::from(self.board.region[cell])];
            for (sum, v) in sum.0.iter_mut().zip(&self.vectors[cell].0) {
                *sum += activation(*v);
            }
        }
    }

    /// Applies the first of the queued stones.
    fn apply(&mut self, set: &Set) {
        let stone = self.stones[self.applied];
        if self.frames.len() <= self.applied + 1 {
            self.frames.resize(self.applied + 8, EMPTY);
        }
        let Accumulator { board, codes, vectors, frames, kernel, .. } = self;
        let [before, frame, ..] = &mut frames[self.applied..] else { unreachable!("a frame for each stone") };
        self.applied += 1;
        kernel.run(Apply { board, rows: &set.rows, stone, codes, vectors, before, frame });
    }

    /// Reverts the last applied stone.
    fn take_back(&mut self, stone: Stone) {
        let frame = &self.frames[self.applied];
        self.applied -= 1;
        for (change, vector) in frame.changes[..frame.lines].iter().zip(&frame.vectors) {
            let code = usize::from(change.line.code);
            self.codes[code] = change.old;
            self.vectors[code / 4] = *vector;
        }
        let cell = usize::from(stone.cell);
        self.codes[4 * cell..4 * cell + 4].iter_mut().for_each(|code| *code -= digit(stone.side));
        self.vectors[cell] = frame.own;
    }
}

/// Index of a point's cell: row by row from the top left. [`RADIUS`] cells outside the board surround it.
#[inline(always)]
fn cell(stride: usize, point: Point) -> usize {
    (usize::from(point.y()) + RADIUS) * stride + usize::from(point.x()) + RADIUS
}

/// The activation of a lane.
#[inline(always)]
fn activation(lane: i16) -> i16 {
    lane.clamp(0, ACTIVATION_MAX)
}

/// A side's digit in codes.
const fn digit(side: Side) -> u32 {
    side as u32 + 1
}

/// Size of the table of places, a power of two so that an index needs no bounds check.
const PLACES: usize = 16;

/// What a stone adds to a code, by its colour and place: the place is [`REACH`] plus its distance ahead (negative
/// behind).
const DELTAS: [[u32; PLACES]; 2] = {
    let mut deltas = [[0; PLACES]; 2];
    let mut k = 1;
    while k <= REACH {
        let mut side = 0;
        while side < 2 {
            deltas[side][REACH - k] = 3 * stone_delta(Side::BOTH[side], -(k as i32));
            deltas[side][REACH + k] = 3 * stone_delta(Side::BOTH[side], k as i32);
            side += 1;
        }
        k += 1;
    }
    deltas
};

/// The lines in which the points of a board see a stone at `point`, up to the border or a blocked cell.
fn lines(position: &Position, point: Point, stride: usize, region: &[u8]) -> Lines {
    let size: BoardSize = position.size();
    let mut lines = Lines::new();
    let mut arms = Direction::ALL.map(|d| [(d, -1, true), (d, 1, true)]);
    for k in 1..=REACH as i32 {
        for (direction, sign, is_open) in arms.as_flattened_mut() {
            let (dx, dy) = direction.step();
            let seeing = size.point(i32::from(point.x()) + *sign * k * dx, i32::from(point.y()) + *sign * k * dy);
            let seeing = seeing.filter(|p| *is_open && position.cell(*p) != Cell::Blocked);
            *is_open = seeing.is_some();
            lines.extend(seeing.map(|p| {
                let cell = cell(stride, p);
                let place = (REACH as i32 - *sign * k) as u8;
                Line { code: (4 * cell + direction.index()) as u16, place, region: region[cell] }
            }));
        }
    }
    lines
}

#[inline(always)]
fn sum_of_rows(rows: &[Row], codes: &[u32]) -> Vector {
    let mut sum = ZERO;
    for code in codes {
        for (s, r) in sum.0.iter_mut().zip(&rows[*code as usize].0) {
            *s += i16::from(*r);
        }
    }
    sum
}

/// Replaces a point's vector and updates the sum of its region; returns the old vector.
#[inline(always)]
fn replace(vector: &mut Vector, new: Vector, sum: &mut Vector) -> Vector {
    let old = std::mem::replace(vector, new);
    for i in 0..LANES {
        sum.0[i] += activation(new.0[i]) - activation(old.0[i]);
    }
    old
}

/// Applies a stone: updates the codes of all points that see it, and replaces the rows of the old codes by those of the
/// new ones.
struct Apply<'a> {
    board: &'a Board,
    rows: &'a [Row],
    stone: Stone,
    codes: &'a mut [u32],
    vectors: &'a mut [Vector],
    before: &'a Frame,
    frame: &'a mut Frame,
}

impl Task for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Dense>(self) {
        let Apply { board, rows, stone, codes, vectors, before, frame } = self;
        let cell = usize::from(stone.cell);
        let deltas = &DELTAS[stone.side.index()];
        let lines = &board.lines[cell][..];
        // Codes first, so that the rows are prefetched while the next codes are computed.
        for (change, line) in frame.changes.iter_mut().zip(lines) {
            let code = &mut codes[usize::from(line.code)];
            let (old, new) = (*code, *code + deltas[usize::from(line.place) % PLACES]);
            *code = new;
            prefetch(&rows[new as usize]);
            *change = Change { line: *line, old, new };
        }
        let own = &mut codes[4 * cell..4 * cell + 4];
        for code in own.iter_mut() {
            *code += digit(stone.side);
            prefetch(&rows[*code as usize]);
        }
        frame.lines = lines.len();
        frame.sums = before.sums;
        let sums = &mut frame.sums;
        for (change, before) in frame.changes.iter().zip(&mut frame.vectors).take(lines.len()) {
            let vector = &mut vectors[usize::from(change.line.code) / 4];
            let (old, new) = (&rows[change.old as usize].0, &rows[change.new as usize].0);
            let mut sum = *vector;
            for i in 0..LANES {
                sum.0[i] += i16::from(new[i]) - i16::from(old[i]);
            }
            *before = replace(vector, sum, &mut sums[usize::from(change.line.region)]);
        }
        let region = usize::from(board.region[cell]);
        frame.own = replace(&mut vectors[cell], sum_of_rows(rows, own), &mut sums[region]);
    }
}
