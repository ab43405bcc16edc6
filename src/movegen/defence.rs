//! Sets of moves that answer a threat. A set may be too large but never too small.

use crate::board::{Cell, Direction, Point, Side};
use crate::pattern::{LineClass, PointClass, REACH, Tables, stone_delta};
use crate::position::{PointInfo, PointSet, Position};

/// Empty points of a line within `reach` of a point, with their distance (negative is backward). A blocked cell ends
/// the line, as the border does.
fn neighbours(
    position: &Position,
    point: Point,
    direction: Direction,
    reach: i32,
) -> impl Iterator<Item = (i32, Point)> {
    let (dx, dy) = direction.step();
    let (x, y) = (i32::from(point.x()), i32::from(point.y()));
    let at = move |k: i32| position.size().point(x + k * dx, y + k * dy).filter(|p| position.cell(*p) != Cell::Blocked);
    [-1, 1]
        .into_iter()
        .flat_map(move |sign| (1..=reach).map(move |k| sign * k).map_while(move |k| Some((k, at(k)?))))
        .filter(|(_, p)| position.is_empty(*p))
}

/// Class of a line through `point` for `side`, after a stone of `by` at `distance` from it.
fn class_after(
    position: &Position,
    point: Point,
    direction: Direction,
    side: Side,
    by: Side,
    distance: i32,
) -> LineClass {
    let code = position.line_code(point, direction) + stone_delta(by, distance);
    position.tables().line_class(side, code)
}

/// The point's class for `side` if its class in one line were `line`.
fn combined_after(tables: &Tables, info: &PointInfo, side: Side, direction: Direction, line: LineClass) -> PointClass {
    let shift = 4 * direction.index();
    let nibbles = info.nibbles(side) & !(15 << shift) | (line as u16) << shift;
    tables.combined(side, nibbles).class()
}

/// Replies after which no five of `attacker` is left, if such replies exist: usually the one completing cell.
pub fn blocks(position: &Position, attacker: Side) -> PointSet {
    if !position.tables().remote_blocks() && position.count(attacker, PointClass::Five) == 1 {
        return position.threat(attacker, PointClass::Five).into_iter().collect();
    }
    let mut answers = None;
    for five in position.threats(attacker, PointClass::Five).iter() {
        let mut stops = PointSet::EMPTY;
        stops.insert(*five);
        if position.tables().remote_blocks() {
            stops.unite(&line_stops(position, *five, attacker, |class| class == PointClass::Five));
        }
        meet(&mut answers, stops);
    }
    answers.unwrap_or_default()
}

/// Replies other than own fours after which none of the attacker's open fours (or double fours) is left.
pub(super) fn open_four_defences(position: &Position, attacker: Side) -> PointSet {
    let mut answers = None;
    for point in position.threats(attacker, PointClass::OpenFour).iter() {
        let mut stops = line_stops(position, *point, attacker, |class| class >= PointClass::OpenFour);
        stops.insert(*point);
        meet(&mut answers, stops);
    }
    answers.unwrap_or_default()
}

fn meet(answers: &mut Option<PointSet>, stops: PointSet) {
    match answers {
        Some(set) => set.intersect(&stops),
        None => *answers = Some(stops),
    }
}

/// Cells where a stone of the defender lowers the class of `point` so that it no longer `threatens`.
fn line_stops(position: &Position, point: Point, attacker: Side, threatens: impl Fn(PointClass) -> bool) -> PointSet {
    let info = position.info(point);
    let mut stops = PointSet::EMPTY;
    for direction in Direction::ALL {
        let line = info.line(attacker, direction);
        if line < LineClass::Four || line > LineClass::Five {
            continue;
        }
        for (k, cell) in neighbours(position, point, direction, REACH as i32) {
            let after = class_after(position, point, direction, attacker, !attacker, k);
            if after != line && !threatens(combined_after(position.tables(), info, attacker, direction, after)) {
                stops.insert(cell);
            }
        }
    }
    stops
}

/// Replies other than own fours that may meet the attacker's four-and-three on `point`, whose four would be completed
/// on `completion`: these two points, moves into the four, and moves after which the forced reply on `completion` makes
/// a four. Replies that prevent all open fours that would follow are not included; the caller adds them. The defender
/// is to move.
pub(super) fn four_three_defences(position: &Position, attacker: Side, point: Point, completion: Point) -> PointSet {
    let defender = !attacker;
    let mut answers = PointSet::EMPTY;
    answers.insert(point);
    answers.insert(completion);
    let info = position.info(point);
    for direction in Direction::ALL.into_iter().filter(|d| info.line(attacker, *d).is_four()) {
        for (k, cell) in neighbours(position, point, direction, REACH as i32) {
            let after = class_after(position, point, direction, attacker, defender, k);
            // If a five with both ends held does not win, the defender can prepare a second answer to the four.
            if position.tables().remote_blocks() || !(after.is_four() || after == LineClass::Five) {
                answers.insert(cell);
            }
        }
    }
    for direction in Direction::ALL {
        for (k, cell) in neighbours(position, completion, direction, 4) {
            if class_after(position, completion, direction, defender, defender, k) >= LineClass::Four {
                answers.insert(cell);
            }
        }
    }
    answers
}

/// Legal points where `side` makes a four (or better). Such a move gains a tempo in any situation.
pub fn own_fours(position: &mut Position, side: Side) -> PointSet {
    let mut fours: PointSet = position.threats(side, PointClass::Four).iter().copied().collect();
    // The restricted side may play on points that only look forbidden.
    if position.tables().restricted() == Some(side) && position.count(side, PointClass::Foul) > 0 {
        for point in position.candidates().iter() {
            let info = *position.info(point);
            if info.class(side) == PointClass::Foul
                && Direction::ALL.into_iter().any(|d| info.line(side, d).is_four())
                && !position.is_forbidden(side, point)
            {
                fours.insert(point);
            }
        }
    }
    fours
}
