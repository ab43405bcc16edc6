//! Who has won, from stones alone.
//!
//! Applies [`LineRule::wins`](super::LineRule::wins) to the maximal rows on a board.

use super::Rule;
use crate::board::{Cell, Direction, Grid, Point, Side};

/// Whether the stone at `point` stands in a row that wins for its side. `false` where no stone stands.
pub fn wins_through(grid: &Grid, rule: Rule, point: Point) -> bool {
    Direction::ALL.into_iter().any(|direction| wins_along(grid, rule, point, direction))
}

/// The stones of the winning row through `point`, in order along the line; `None` if there is none.
///
/// If the stone stands in several, the first in the order of [`Direction::ALL`].
pub fn winning_row(grid: &Grid, rule: Rule, point: Point) -> Option<Vec<Point>> {
    winning_rows(grid, rule, point).into_iter().next()
}

/// The stones of every winning row through `point`, at most one for each direction.
pub fn winning_rows(grid: &Grid, rule: Rule, point: Point) -> Vec<Vec<Point>> {
    let winning = Direction::ALL.into_iter().filter(|direction| wins_along(grid, rule, point, *direction));
    winning.map(|direction| row_through(grid, point, direction)).collect()
}

/// A side that has a winning row: the owner of the first stone, row by row from the top left, that stands in one.
pub fn any_winner(grid: &Grid, rule: Rule) -> Option<Side> {
    any_winning_row(grid, rule).map(|(side, _)| side)
}

/// A winning row on the board, with its owner, chosen as [`any_winner`] chooses.
pub fn any_winning_row(grid: &Grid, rule: Rule) -> Option<(Side, Vec<Point>)> {
    grid.size().points().find_map(|point| match grid.get(point) {
        Cell::Stone(side) => winning_row(grid, rule, point).map(|row| (side, row)),
        Cell::Empty | Cell::Blocked => None,
    })
}

/// Whether the stone at `point` wins by its maximal row in one direction.
fn wins_along(grid: &Grid, rule: Rule, point: Point, direction: Direction) -> bool {
    grid.run(point, direction).is_some_and(|run| rule.line_rule(run.side).wins(run.length(), run.held_ends()))
}

/// The stones of the maximal row through `point`; empty where no stone stands.
fn row_through(grid: &Grid, point: Point, direction: Direction) -> Vec<Point> {
    match grid.run(point, direction) {
        Some(run) => (-run.back..=run.ahead).filter_map(|steps| grid.step(point, direction, steps)).collect(),
        None => Vec::new(),
    }
}
