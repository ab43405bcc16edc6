//! What renju forbids black, straight from the text of the rule: slow, with unbounded recursion, from stones alone.
//!
//! The fast code in [`crate::position`] is tested against it; the two share only the definition of a win.
//! The definitions are those of the [International Rules of Renju](http://www.renju.net/study/rifrules.php) (Renju
//! International Federation; terms in section 3, fouls in section 9), in our words:
//!
//! * **Five**: exactly five stones of black in an unbroken row. A move that makes one wins, whatever else it makes.
//! * **Overline**: six or more in an unbroken row. Forbidden.
//! * **Four**: four stones on a line to which one more can be added to make a five.
//! * **Straight four**: an unbroken four to which a stone can be added *at either end* to make a five.
//! * **Three**: three stones on a line to which one more can be added to make a straight four, without at the same
//!   time making a five. (So where black already has a four, a three that could only be extended by completing that
//!   four does not count. `tests/data/renju_forbidden_vectors.jsonl` has positions that depend on it.)
//! * **Double four**: one move makes two fours, on two lines or on one (`X_XXX_X`, `XX_XX_XX`, `XXX_X_XXX`, and
//!   similar). Forbidden. A straight four is *one* four, although it can be completed in two ways.
//! * **Double three**: one move makes two threes. Forbidden, counting only threes that can be made into a straight
//!   four by a move which is itself allowed, that is, which makes no overline, no double four, and no double three
//!   that would be forbidden by this same paragraph. Hence the recursion, as deep as needed.
//!
//! The border and blocked cells alike end a line. White has no restrictions.

use crate::board::{Cell, Direction, Grid, Point, Side};
use std::fmt;

/// Why a point is forbidden for black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Foul {
    /// Six or more in a row.
    Overline,
    /// Two fours at once.
    DoubleFour,
    /// Two threes at once.
    DoubleThree,
}

impl Foul {
    /// Lower-case name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Foul::Overline => "overline",
            Foul::DoubleFour => "double-four",
            Foul::DoubleThree => "double-three",
        }
    }
}

impl fmt::Display for Foul {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

const BLACK: Cell = Cell::Stone(Side::Black);

/// The foul that a black stone at `point` would be; `None` if it is allowed, or the cell is not empty.
///
/// A move that is several fouls at once is reported as the first of overline, double four, double three.
pub fn foul(grid: &Grid, point: Point) -> Option<Foul> {
    if grid.get(point) != Cell::Empty {
        return None;
    }
    judge(&mut grid.clone(), point)
}

/// All empty points that are forbidden for black, row by row from the top left.
pub fn forbidden_points(grid: &Grid) -> Vec<Point> {
    let mut scratch = grid.clone();
    grid.empty_points().filter(|point| judge(&mut scratch, *point).is_some()).collect()
}

/// The foul of a black stone on the empty cell `point`. Leaves the grid as it was.
fn judge(grid: &mut Grid, point: Point) -> Option<Foul> {
    with_black(grid, point, |grid| judge_stone(grid, point))
}

/// The foul of the black stone at `point`, as if played last.
fn judge_stone(grid: &mut Grid, point: Point) -> Option<Foul> {
    if makes_five(grid, point) {
        return None;
    }
    if Direction::ALL.into_iter().any(|direction| black_run(grid, point, direction) > 5) {
        return Some(Foul::Overline);
    }
    let fours: usize = Direction::ALL.into_iter().map(|direction| count_fours(grid, point, direction)).sum();
    if fours >= 2 {
        return Some(Foul::DoubleFour);
    }
    // A line has at most one three: if it had two different ones, the stones of each would make the other's straight
    // four too long to be completed to an exact five.
    let lines = Direction::ALL.map(|direction| straight_four_points(grid, point, direction));
    if lines.iter().filter(|line| !line.is_empty()).count() < 2 {
        return None; // too few lines even if all these moves are allowed
    }
    let is_three = |line: &Vec<Point>| line.iter().any(|extension| judge(grid, *extension).is_none());
    if lines.iter().map(is_three).filter(|three| *three).count() >= 2 {
        return Some(Foul::DoubleThree);
    }
    None
}

/// Whether the black stone at `point` stands in a row of exactly five.
fn makes_five(grid: &Grid, point: Point) -> bool {
    Direction::ALL.into_iter().any(|direction| black_run(grid, point, direction) == 5)
}

/// How many fours the black stone at `point` stands in, along one line that has no five through it: how many sets
/// of four stones including the one at `point` need one more stone for an exact five.
fn count_fours(grid: &mut Grid, point: Point, direction: Direction) -> usize {
    let mut fours: Vec<u32> = Vec::new();
    if black_within(grid, point, direction, 4) < 3 {
        return 0;
    }
    for steps in -4..=4 {
        let Some(empty) = empty_cell(grid, point, direction, steps) else { continue };
        let completed = with_black(grid, empty, |grid| grid.run(point, direction));
        let Some(run) = completed.filter(|run| run.length() == 5 && run.includes(steps)) else { continue };
        // The five lies within four steps of the point: one bit for each of its stones except the one just added.
        let stones = (-run.back..=run.ahead).filter(|s| *s != steps);
        let four = stones.fold(0, |set, s| set | 1 << (s + 4));
        if !fours.contains(&four) {
            fours.push(four);
        }
    }
    fours.len()
}

/// The empty cells of a line where one more black stone makes a straight four with the stone at `point`, and no five
/// on another line.
fn straight_four_points(grid: &mut Grid, point: Point, direction: Direction) -> Vec<Point> {
    let mut points = Vec::new();
    if black_within(grid, point, direction, 3) < 2 {
        return points;
    }
    for steps in -3..=3 {
        let Some(empty) = empty_cell(grid, point, direction, steps) else { continue };
        let three = |grid: &mut Grid| is_straight_four(grid, point, direction, steps) && !makes_five(grid, empty);
        if with_black(grid, empty, three) {
            points.push(empty);
        }
    }
    points
}

/// Whether the stone at `point` and the one `steps` from it stand in a straight four.
fn is_straight_four(grid: &mut Grid, point: Point, direction: Direction, steps: i32) -> bool {
    let Some(run) = grid.run(point, direction).filter(|run| run.length() == 4 && run.includes(steps)) else {
        return false;
    };
    [-run.back - 1, run.ahead + 1].into_iter().all(|end| match empty_cell(grid, point, direction, end) {
        Some(empty) => with_black(grid, empty, |grid| black_run(grid, point, direction)) == 5,
        None => false,
    })
}

/// The point `steps` away if its cell is empty.
fn empty_cell(grid: &Grid, point: Point, direction: Direction, steps: i32) -> Option<Point> {
    grid.step(point, direction, steps).filter(|p| grid.get(*p) == Cell::Empty)
}

/// How many other black stones stand within `reach` cells of `point` on a line. (Most lines need no further test.)
fn black_within(grid: &Grid, point: Point, direction: Direction, reach: i32) -> usize {
    (-reach..=reach).filter(|steps| *steps != 0 && grid.look(point, direction, *steps) == BLACK).count()
}

/// Length of the row through the stone at `point`.
fn black_run(grid: &Grid, point: Point, direction: Direction) -> usize {
    grid.run(point, direction).map_or(0, |run| run.length())
}

/// Evaluates a test with one more black stone on an empty cell, and removes the stone again.
fn with_black<T>(grid: &mut Grid, point: Point, look: impl FnOnce(&mut Grid) -> T) -> T {
    grid.set(point, BLACK);
    let seen = look(grid);
    grid.set(point, Cell::Empty);
    seen
}
