//! Openings that give both sides a choice: balanced moves, swap2 and Soosorv. Each choice is made by several searches
//! within one budget.

mod balance;
mod budget;
mod soosorv;
mod swap2;

pub(super) use soosorv::soosorv_openings;
pub use swap2::swap2_openings;

use super::decision::Decision;
use super::report::{Answer, Outcome};
use crate::board::Point;
use crate::score::Score;
use crate::search::{Limits, Line};
use budget::OpeningBudget;

impl Decision<'_> {
    /// Limits of a choice that one search decides. Boards on which a person ends the search by hand do not offer this
    /// during an opening.
    pub(super) fn limits_of_choice(&self) -> Limits {
        let limits = &self.request.limits;
        let end = OpeningBudget::of(limits).end;
        let turn = end.map(|end| end.saturating_duration_since(self.started())).or(limits.turn);
        Limits { turn, ..limits.clone() }
    }
}

/// A line that consists of these moves followed by the line of the position after them.
fn preceded(moves: &[Point], line: Line) -> Line {
    let plies = moves.len() as u32;
    let score = if plies.is_multiple_of(2) { line.score } else { -line.score };
    let score = match score.distance() {
        Some(distance) if score.is_win() => Score::win_in(distance + plies as i32),
        Some(distance) => Score::loss_in(plies as i32 - distance),
        None => score,
    };
    let moves = moves.iter().copied().chain(line.moves).collect();
    Line { score, depth: line.depth + plies, seldepth: line.seldepth + plies, moves, ..line }
}

/// The side to move may keep its colour or take the other one; it takes the colour with the better score.
pub(super) fn or_swap(found: Outcome) -> Outcome {
    if found.line.score < Score::ZERO { Outcome { answer: Answer::Swap, ..found } } else { found }
}
