//! The slow reference: everything that `play` and `undo` update incrementally, computed from the stones alone.

use super::{Place, PointInfo, PointSet, Position, zobrist};
use crate::board::{Cell, Direction, Point, Side};
use crate::pattern::{LineCode, PointClass, REACH, arm_offset, stone_delta};
use std::fmt;

/// A difference between the incremental and the recomputed state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

fn check<T: PartialEq + fmt::Debug>(what: impl fmt::Display, kept: T, computed: T) -> Result<(), Fault> {
    if kept == computed { Ok(()) } else { Err(Fault(format!("{what}: kept {kept:?}, computed {computed:?}"))) }
}

impl Position {
    /// Compares the whole incremental state with the state computed from the stones. Slow: for tests and debug
    /// assertions.
    ///
    /// # Errors
    /// The first difference found.
    pub fn audit(&self) -> Result<(), Fault> {
        let mut counts = [[0_u16; 16]; 2];
        let mut key = if self.to_move == Side::White { zobrist::WHITE_TO_MOVE } else { 0 };
        let mut near = PointSet::EMPTY;
        let (mut stones, mut empty_cells) = (0, 0);
        for point in self.size.points() {
            for direction in Direction::ALL.into_iter().filter(|_| self.cell(point) != Cell::Blocked) {
                check(
                    format_args!("code {point:?} {direction:?}"),
                    self.line_code(point, direction),
                    self.fresh_code(point, direction),
                )?;
            }
            match self.cell(point) {
                Cell::Empty => {
                    empty_cells += 1;
                    let info = self.fresh_info(point);
                    check(format_args!("classes {point:?}"), *self.info(point), info)?;
                    for direction in Direction::ALL {
                        let [black, white] = Side::BOTH.map(|side| info.line(side, direction) as u8);
                        let kept = self.classes[Place::new(point, direction).slot()];
                        check(format_args!("classes {point:?} {direction:?}"), kept, black | white << 4)?;
                    }
                    for side in Side::BOTH {
                        counts[side.index()][info.class(side) as usize] += 1;
                    }
                    if self.near_a_stone(point) {
                        near.insert(point);
                    }
                }
                Cell::Stone(side) => {
                    stones += 1;
                    key ^= zobrist::stone(point, side);
                }
                Cell::Blocked => {}
            }
        }
        check("counts", self.counts, counts)?;
        check("key", self.key, key)?;
        check("candidates", self.candidates(), near)?;
        check("stones", self.stones(), stones)?;
        check("empty cells", self.empty_cells(), empty_cells)?;
        Side::BOTH.into_iter().try_for_each(|side| self.audit_threats(side))
    }

    fn audit_threats(&self, side: Side) -> Result<(), Fault> {
        for class in [PointClass::Four, PointClass::FourThree, PointClass::OpenFour, PointClass::Five] {
            let computed: PointSet = self
                .size
                .points()
                .filter(|p| self.cell(*p) == Cell::Empty && self.info(*p).class(side) >= class)
                .collect();
            check(
                format_args!("{side:?} threats from {class:?}"),
                self.threats(side, class).iter().copied().collect(),
                computed,
            )?;
        }
        Ok(())
    }

    fn step(&self, point: Point, direction: Direction, k: i32) -> Option<Point> {
        let (dx, dy) = direction.step();
        self.size.point(i32::from(point.x()) + k * dx, i32::from(point.y()) + k * dy)
    }

    fn fresh_code(&self, point: Point, direction: Direction) -> LineCode {
        let arm = |sign: i32| {
            let mut code = 0;
            let mut len = 0;
            for k in 1..=REACH as i32 {
                match self.step(point, direction, sign * k).map(|p| self.cell(p)) {
                    None | Some(Cell::Blocked) => break,
                    Some(Cell::Stone(side)) => code += stone_delta(side, sign * k),
                    Some(Cell::Empty) => {}
                }
                len += 1;
            }
            code + arm_offset(len) * stone_delta(Side::Black, sign)
        };
        arm(-1) + arm(1)
    }

    fn fresh_info(&self, point: Point) -> PointInfo {
        let mut info = PointInfo::default();
        for direction in Direction::ALL {
            info = info.with_line(self.tables, direction, self.tables.classes(self.fresh_code(point, direction)));
        }
        info
    }

    fn near_a_stone(&self, point: Point) -> bool {
        self.size.points().filter(|p| matches!(self.cell(*p), Cell::Stone(_))).any(|stone| {
            let (dx, dy) = (stone.x().abs_diff(point.x()), stone.y().abs_diff(point.y()));
            dx.max(dy) <= 3 || (dx.max(dy) == 4 && (dx == 0 || dy == 0 || dx == dy))
        })
    }
}
