//! The end of a full board in renju: a side that has only forbidden points left has lost.
//!
//! An overline point stays forbidden to the end, unless the opponent plays there. So when the other points are used up,
//! the restricted side loses if it is to move, or if two such points are left. The search sees this only a few moves
//! before; this score makes it look for it, and avoid it, from [`FROM`] empty cells on.

use crate::board::{Direction, Side};
use crate::pattern::{LineClass, PointClass};
use crate::position::Position;

/// Number of empty cells from which on the end of the board counts.
const FROM: usize = 80;
/// Score for each cell that is filled from then on, in evaluation units.
const SLOPE: i32 = 6;

/// What the evaluation of the side to move changes by, in evaluation units. It is 0 unless the board is nearly full and
/// one side has forbidden points that last.
#[inline(always)]
pub fn lasting_fouls_score(position: &Position) -> i32 {
    match position.restricted() {
        Some(side) if position.empty_cells() <= FROM => score(position, side),
        _ => 0,
    }
}

#[cold]
fn score(position: &Position, side: Side) -> i32 {
    let (empty, lasting) = (position.empty_cells(), lasting_fouls(position, side));
    // Who is to move when all other points are filled?
    let runs_out = (empty - lasting).is_multiple_of(2) == (position.to_move() == side);
    if lasting == 0 || (lasting == 1 && !runs_out) {
        return 0;
    }
    let score = SLOPE * (FROM - empty) as i32;
    if position.to_move() == side { -score } else { score }
}

/// Number of empty points that are forbidden for a side by one line alone, whatever is played elsewhere.
fn lasting_fouls(position: &Position, side: Side) -> usize {
    let lasts = |point| {
        let info = position.info(point);
        info.class(side) == PointClass::Foul
            && Direction::ALL.into_iter().any(|direction| info.line(side, direction) == LineClass::Foul)
    };
    position.empty_points().iter().filter(|point| lasts(*point)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardSize, Point, Setup};
    use crate::rules::Rule;

    /// A board without a row of five, full but for some rows and h8, where black's stones on both sides make an
    /// overline.
    fn nearly_full(empty_rows: &[u8], to_move: Side) -> Setup {
        let mut setup = Setup::empty(BoardSize::RENJU);
        for y in (0..15).filter(|y| !empty_rows.contains(y)) {
            for x in (0..15).filter(|x| (*x, y) != (7, 7)) {
                let is_black = (x + 2 * y) % 4 < 2 || (y == 7 && [5, 8, 9].contains(&x));
                setup.stones.push((Point::at(x, y), if is_black { Side::Black } else { Side::White }));
            }
        }
        setup.to_move = to_move;
        setup
    }

    /// The rule under which black has forbidden points, or another.
    fn rule(is_restricted: bool) -> Rule {
        let mut rules = Rule::ALL.into_iter();
        rules.find(|rule| rule.restricted_side().is_some() == is_restricted).expect("a rule")
    }

    fn score_of(setup: &Setup, is_restricted: bool) -> i32 {
        lasting_fouls_score(&Position::new(setup, rule(is_restricted)).expect("a sound setup"))
    }

    /// Black's overline counts however its stones lie, but not where black wins or where white may fill it in time.
    #[test]
    fn only_lasting_fouls_count() {
        let mut setup = nearly_full(&[0, 14], Side::Black);
        let gap = |setup: &Setup| lasting_fouls(&Position::new(setup, rule(true)).expect("a sound setup"), Side::Black);
        assert_eq!(gap(&setup), 1);
        // Without one of its stones the gap would make a five, which wins.
        setup.stones.retain(|(point, _)| *point != Point::at(10, 7));
        assert_eq!(gap(&setup), 0);
    }

    #[test]
    fn who_runs_out_of_points_at_an_overline_has_lost() {
        // 31 points: black has the first and the last move but for the overline.
        assert_eq!(score_of(&nearly_full(&[0, 14], Side::Black), true), -SLOPE * 49);
        // White would have to fill it.
        assert_eq!(score_of(&nearly_full(&[0, 14], Side::White), true), 0);
        assert_eq!(score_of(&nearly_full(&[0], Side::Black), true), 0, "16 points");
        assert_eq!(score_of(&nearly_full(&[0], Side::White), true), SLOPE * 64);
        assert_eq!(score_of(&nearly_full(&[0, 1, 2, 3, 4, 14], Side::Black), true), 0, "too early");
        assert_eq!(score_of(&nearly_full(&[0, 14], Side::Black), false), 0);
    }
}
