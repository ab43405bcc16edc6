//! The mutable position: stones, and the classes of every empty point for either side.
//!
//! [`Position::play`] and [`Position::undo`] incrementally update, for both sides: the class of every empty point in
//! four directions, its combined class, the count of each class, the candidate area and the key. The state is exactly
//! what [`Position::audit`] computes from the stones alone. Evaluators observe the changes through [`Observer`].
//!
//! Invariants: undo is last-in first-out; classes of occupied points are those of the moment before
//! they were filled (so that undo need not restore them); line codes are up to date for all points.

mod audit;
mod candidates;
mod forbidden;
mod lines;
mod observer;
mod point_info;
mod threat_log;
mod zobrist;

pub use audit::Fault;
pub use candidates::PointSet;
pub use observer::{Observer, Silent};
pub use point_info::PointInfo;
pub use threat_log::Threats;

use crate::board::{BoardSize, Cell, Direction, POINTS, Point, Setup, SetupError, Side};
use crate::pattern::{LineCode, PointClass, REACH, Tables, arm_offset, stone_delta};
use crate::rules::Rule;
use candidates::{Candidates, Window};
use lines::{ALL_LINES, ALL_SLOTS, Place, SPARE_SLOTS};
use threat_log::{Mark, ThreatLog};

const WIDTH: usize = 2 * REACH + 1;
#[allow(clippy::unusual_byte_groupings, reason = "grouped as the cells lie")]
const NEIGHBOURS: u32 = 0b11111_0_11111;

// Lengths are rounded up to powers of two so that a masked index needs no bounds check.
const ROUND_WIDTH: usize = WIDTH.next_power_of_two();
const ROUND_POINTS: usize = POINTS.next_power_of_two();
/// Maximum number of points that one stone changes.
const ROUND_CHANGES: usize = (4 * (WIDTH - 1)).next_power_of_two();

const _: () = assert!(ROUND_WIDTH <= WIDTH + SPARE_SLOTS);

/// Number of empty points by class, for both sides.
pub type Counts = [[u16; 16]; 2];

/// What `play` saves for `undo`.
#[derive(Clone, Copy)]
struct Ply {
    point: Point,
    side: Side,
    key: u64,
    counts: Counts,
    candidates: Window,
    log: u32,
    threats: Mark,
}

/// A point's classes before a stone changed them.
#[derive(Clone, Copy, Default)]
struct LogEntry {
    info: PointInfo,
    point: u16,
    slot: u16,
    classes: u8,
}

/// A position under one rule. See the [module](self) for its state.
#[derive(Clone)]
pub struct Position {
    size: BoardSize,
    rule: Rule,
    tables: &'static Tables,
    cells: [u8; POINTS],
    info: [PointInfo; ROUND_POINTS],
    codes: [LineCode; ALL_SLOTS],
    classes: [u8; ALL_SLOTS],
    /// One bit for each empty cell, by line.
    empty: [u64; ALL_LINES],
    candidates: Candidates,
    counts: Counts,
    key: u64,
    to_move: Side,
    stones: u16,
    empty_cells: u16,
    blocked: bool,
    plies: Vec<Ply>,
    /// What `undo` restores; longer than the part in use.
    log: Vec<LogEntry>,
    /// Entries of the log in use.
    logged: usize,
    threat_log: ThreatLog,
}

const EMPTY: u8 = 0;
const BLOCKED: u8 = 3;

impl Position {
    /// The position that a setup describes. Its stones are played one by one.
    ///
    /// # Errors
    /// What [`Setup::check`] finds.
    pub fn new(setup: &Setup, rule: Rule) -> Result<Position, SetupError> {
        Position::observed(setup, rule, &mut Silent)
    }

    /// [`Position::new`] with an observer of the stones. The observer gets changes only, starting from the board
    /// without stones, see [`Position::empty_board`].
    ///
    /// # Errors
    /// What [`Setup::check`] finds.
    pub fn observed(setup: &Setup, rule: Rule, observer: &mut impl Observer) -> Result<Position, SetupError> {
        setup.check()?;
        let mut position = Position::empty_board(setup.size, rule, &setup.blocked);
        for (point, side) in &setup.stones {
            position.set_to_move(*side);
            position.play(*point, observer);
        }
        position.set_to_move(setup.to_move);
        Ok(position)
    }

    /// A board without stones; `blocked` points must lie on it.
    pub fn empty_board(size: BoardSize, rule: Rule, blocked: &[Point]) -> Position {
        let mut position = Position {
            size,
            rule,
            tables: Tables::of(rule),
            cells: [BLOCKED; POINTS],
            info: [PointInfo::default(); ROUND_POINTS],
            codes: [0; ALL_SLOTS],
            classes: [0; ALL_SLOTS],
            empty: [0; ALL_LINES],
            candidates: Candidates::new(size, blocked),
            counts: [[0; 16]; 2],
            key: 0,
            to_move: Side::Black,
            stones: 0,
            empty_cells: (size.cells() - blocked.len()) as u16,
            blocked: !blocked.is_empty(),
            plies: Vec::with_capacity(size.cells() + 1),
            log: Vec::new(),
            logged: 0,
            threat_log: ThreatLog::new(),
        };
        for point in size.points().filter(|p| !blocked.contains(p)) {
            position.cells[point.index()] = EMPTY;
            for direction in Direction::ALL {
                let place = Place::new(point, direction);
                position.empty[place.line] |= 1 << place.at;
            }
        }
        for point in size.points() {
            position.init_point(point);
        }
        position
    }

    fn init_point(&mut self, point: Point) {
        let mut info = PointInfo::default();
        for direction in Direction::ALL {
            let slot = Place::new(point, direction).slot();
            let [back, ahead] = [-1, 1].map(|sign| arm_offset(self.free_arm(point, direction, sign)));
            self.codes[slot] = back * stone_delta(Side::Black, -1) + ahead;
            self.classes[slot] = self.tables.classes(self.codes[slot]);
            info = info.with_line(self.tables, direction, self.classes[slot]);
        }
        if self.cells[point.index()] == EMPTY {
            self.info[point.index()] = info;
            for side in Side::BOTH {
                self.counts[side.index()][info.class(side) as usize] += 1;
            }
        }
    }

    /// Cells (0 to 5) between a point and the border or the next blocked cell.
    fn free_arm(&self, point: Point, direction: Direction, sign: i32) -> usize {
        let (dx, dy) = direction.step();
        (1..=REACH as i32)
            .take_while(|k| {
                let next = self.size.point(i32::from(point.x()) + sign * k * dx, i32::from(point.y()) + sign * k * dy);
                next.is_some_and(|p| self.cells[p.index()] != BLOCKED)
            })
            .count()
    }

    /// Board dimensions.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The rule in force.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The pattern tables in use.
    #[inline(always)]
    pub fn tables(&self) -> &'static Tables {
        self.tables
    }

    /// Whose turn it is.
    #[inline(always)]
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// Number of stones on the board.
    #[inline(always)]
    pub fn stones(&self) -> usize {
        usize::from(self.stones)
    }

    /// Number of empty, unblocked cells.
    #[inline(always)]
    pub fn empty_cells(&self) -> usize {
        usize::from(self.empty_cells)
    }

    /// Key of stones and side to move (not of size, rule or blocks).
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The key after a stone of the side to move on `point`.
    #[inline(always)]
    pub fn key_after(&self, point: Point) -> u64 {
        self.key ^ zobrist::stone(point, self.to_move) ^ zobrist::WHITE_TO_MOVE
    }

    /// What a cell holds.
    pub fn cell(&self, point: Point) -> Cell {
        match self.cells[point.index()] {
            EMPTY => Cell::Empty,
            1 => Cell::Stone(Side::Black),
            2 => Cell::Stone(Side::White),
            _ => Cell::Blocked,
        }
    }

    /// Whether a point of the board is empty.
    #[inline(always)]
    pub fn is_empty(&self, point: Point) -> bool {
        self.cells[point.index()] == EMPTY
    }

    /// Classes of an empty point (of a filled one: those it had when it was filled).
    #[inline(always)]
    pub fn info(&self, point: Point) -> &PointInfo {
        &self.info[point.index()]
    }

    /// Number of empty points of a class.
    #[inline(always)]
    pub fn count(&self, side: Side, class: PointClass) -> usize {
        usize::from(self.counts[side.index()][class as usize])
    }

    /// Number of empty points whose class is `class` or better.
    #[inline(always)]
    pub fn count_from(&self, side: Side, class: PointClass) -> usize {
        self.counts[side.index()][class as usize..PointClass::COUNT].iter().map(|n| usize::from(*n)).sum()
    }

    /// The code of a line through a point.
    #[inline(always)]
    pub fn line_code(&self, point: Point, direction: Direction) -> LineCode {
        self.codes[Place::new(point, direction).slot()]
    }

    /// Empty points near stones.
    pub fn candidates(&self) -> PointSet {
        self.candidates.near_stones()
    }

    /// The last stones, newest last.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = (Point, Side)> + '_ {
        self.plies.iter().map(|p| (p.point, p.side))
    }

    /// The stone played `back` plies ago (0 is the last one).
    #[inline(always)]
    pub fn last(&self, back: usize) -> Option<Point> {
        let i = self.plies.len().checked_sub(back + 1)?;
        Some(self.plies[i].point)
    }

    /// The stone that a side played last, if it was one of the last two. [`Position::info`] of its point still has the
    /// classes from before the stone.
    #[inline(always)]
    pub fn recent(&self, side: Side) -> Option<Point> {
        self.plies.iter().rev().take(2).find(|p| p.side == side).map(|p| p.point)
    }

    /// Gives the turn to a side.
    pub fn set_to_move(&mut self, side: Side) {
        if side != self.to_move {
            self.pass();
        }
    }

    /// Passes the turn; a second call takes it back.
    #[inline(always)]
    pub fn pass(&mut self) {
        self.to_move = !self.to_move;
        self.key ^= zobrist::WHITE_TO_MOVE;
    }

    /// Empty points that are a four or better for `side`, at least as good as `class`, newest first.
    pub fn threats(&self, side: Side, class: PointClass) -> Threats {
        debug_assert!(class >= PointClass::Four);
        let mut missing = self.count_from(side, class);
        let mut threats = Threats::new();
        let mut seen = PointSet::EMPTY;
        for index in self.threat_log.newest_first(side) {
            if missing == 0 {
                break;
            }
            let point = Point::from_index(index);
            // Not short-circuit: one branch is predicted better than three.
            if self.is_empty(point) & (self.info(point).class(side) >= class) & !seen.contains(point) {
                seen.insert(point);
                threats.push(point);
                missing -= 1;
            }
        }
        debug_assert_eq!(missing, 0);
        threats
    }

    /// One empty point of at least this class, if there is any: the newest.
    pub fn threat(&self, side: Side, class: PointClass) -> Option<Point> {
        if self.count_from(side, class) == 0 {
            return None;
        }
        let found =
            self.threat_log.newest_first(side).find(|i| self.cells[*i] == EMPTY && self.info[*i].class(side) >= class);
        debug_assert!(found.is_some());
        found.map(Point::from_index)
    }

    /// Makes this position the root of a search: [`Position::threats`] finds the same points, but no longer goes
    /// through those of the whole game. The stones now on the board must not be taken back afterwards.
    pub fn set_root(&mut self) {
        let Position { cells, info, threat_log, .. } = self;
        threat_log.compact(|i, side| cells[i] == EMPTY && info[i].class(side) >= PointClass::Four);
    }

    /// Puts a stone of the side to move on an empty point and passes the turn.
    pub fn play(&mut self, point: Point, observer: &mut impl Observer) {
        debug_assert!(self.is_empty(point));
        let side = self.to_move;
        observer.begin(point, side);
        self.plies.push(Ply {
            point,
            side,
            key: self.key,
            counts: self.counts,
            candidates: self.candidates.around(point),
            log: self.logged as u32,
            threats: self.threat_log.mark(),
        });
        // Room for the four lines.
        if self.log.len() < self.logged + 2 * ROUND_CHANGES {
            self.log.resize(2 * self.logged + 16 * ROUND_CHANGES, LogEntry::default());
        }
        let old = self.info[point.index()];
        self.counts[0][old.combined[0].number()] -= 1;
        self.counts[1][old.combined[1].number()] -= 1;
        observer.filled(point, old);
        self.cells[point.index()] = side as u8 + 1;
        self.key = self.key_after(point);
        self.candidates.add(point);
        self.stones += 1;
        self.empty_cells -= 1;
        self.play_line(point, side, Direction::Row, observer);
        self.play_line(point, side, Direction::Column, observer);
        self.play_line(point, side, Direction::Diagonal, observer);
        self.play_line(point, side, Direction::Anti, observer);
        self.to_move = !side;
    }

    /// Takes back the last stone.
    ///
    /// # Panics
    /// If none was played.
    pub fn undo(&mut self, observer: &mut impl Observer) {
        let Some(ply) = self.plies.pop() else { unreachable!("undo without play") };
        let (point, side) = (ply.point, ply.side);
        for entry in &self.log[ply.log as usize..self.logged] {
            self.info[usize::from(entry.point) % ROUND_POINTS] = entry.info;
            self.classes[usize::from(entry.slot)] = entry.classes;
        }
        self.logged = ply.log as usize;
        self.undo_line(point, side, Direction::Row);
        self.undo_line(point, side, Direction::Column);
        self.undo_line(point, side, Direction::Diagonal);
        self.undo_line(point, side, Direction::Anti);
        self.threat_log.cut_back(ply.threats);
        self.counts = ply.counts;
        self.candidates.restore(point, &ply.candidates);
        self.key = ply.key;
        self.cells[point.index()] = EMPTY;
        self.stones -= 1;
        self.empty_cells += 1;
        self.to_move = side;
        observer.undo();
    }

    /// Adds (or subtracts) a stone's contribution to the codes of the eleven points round it.
    #[inline(always)]
    fn add_stone(
        &mut self,
        place: Place,
        point: Point,
        direction: Direction,
        side: Side,
        op: impl Fn(u32, u32) -> u32,
    ) {
        const DELTAS: [[u32; WIDTH]; 2] = [crate::pattern::deltas(Side::Black), crate::pattern::deltas(Side::White)];
        let deltas = &DELTAS[side.index()];
        if self.blocked {
            let (back, ahead) = (self.free_arm(point, direction, -1), self.free_arm(point, direction, 1));
            let codes = &mut self.codes[place.window()..place.window() + WIDTH];
            for k in REACH - back..=REACH + ahead {
                codes[k] = op(codes[k], deltas[k]);
            }
        } else {
            let codes = &mut self.codes[place.window()..place.window() + WIDTH];
            for k in 0..WIDTH {
                codes[k] = op(codes[k], deltas[k]);
            }
        }
    }

    #[inline(always)]
    fn undo_line(&mut self, point: Point, side: Side, direction: Direction) {
        let place = Place::new(point, direction);
        self.empty[place.line] |= 1 << place.at;
        self.add_stone(place, point, direction, side, u32::wrapping_sub);
    }

    #[inline(always)]
    fn play_line(&mut self, point: Point, side: Side, direction: Direction, observer: &mut impl Observer) {
        let place = Place::new(point, direction);
        let first = place.window();
        self.empty[place.line] &= !(1 << place.at);
        let empty = (self.empty[place.line] >> (place.at - REACH)) as u32 & NEIGHBOURS;
        self.add_stone(place, point, direction, side, u32::wrapping_add);

        // Which neighbours' classes have changed? Without branches: about two thirds have, unpredictably.
        let tables = self.tables;
        let mut changed = 0_u32;
        let mut classes = [0_u8; ROUND_WIDTH];
        {
            let codes = &self.codes[first..first + WIDTH];
            let old = &self.classes[first..first + WIDTH];
            for k in 0..WIDTH {
                classes[k] = tables.classes(codes[k]);
                changed |= u32::from(classes[k] != old[k]) << k;
            }
        }
        changed &= empty;
        if changed == 0 {
            return;
        }
        let kept = &mut self.classes[first..first + ROUND_WIDTH];
        let log = &mut self.log[self.logged..self.logged + ROUND_CHANGES];
        let mut logged = 0;
        let behind = (point.index() as isize - REACH as isize * direction.offset()) as usize;
        while changed != 0 {
            let k = changed.trailing_zeros() as usize % ROUND_WIDTH;
            changed &= changed - 1;
            let index = behind.wrapping_add(k * direction.offset() as usize) % ROUND_POINTS;
            let old = self.info[index];
            log[logged % ROUND_CHANGES] =
                LogEntry { info: old, point: index as u16, slot: (first + k) as u16, classes: kept[k] };
            logged += 1;
            kept[k] = classes[k];
            let new = old.with_line(tables, direction, classes[k]);
            self.info[index] = new;
            for i in 0..2 {
                self.counts[i][old.combined[i].number()] -= 1;
                self.counts[i][new.combined[i].number()] += 1;
            }
            if new.combined[0].is_threat() | new.combined[1].is_threat() {
                self.threat_log.add(index, old, new);
            }
            observer.info(Point::from_index(index), old, new);
        }
        self.logged += logged;
    }
}
