//! Openings that give both sides a choice: balanced moves, swap2, and the fifth moves of renju. Each choice is made by
//! several searches within one budget. [`opening_goal`] and [`opening_steps`] connect them with the
//! [state of an opening](crate::opening::Opening).

mod balance;
mod budget;
mod fifths;
mod plan;
mod soosorv;
mod swap2;

pub use plan::{opening_goal, opening_steps};
pub(super) use soosorv::soosorv_openings;
pub use swap2::swap2_openings;

use super::decision::Decision;
use super::report::{Answer, Outcome};
use crate::board::{Point, Setup, Symmetry};
use crate::score::Score;
use crate::search::{Limits, Line};
use budget::OpeningBudget;

/// Scores this near to each other count as equal where chance chooses, in evaluation units: 0.15 in log-odds.
const NEAR: i32 = 30;

impl Decision<'_> {
    /// A number below `below` by the request's seed of chance; 0 without one.
    fn chance(&self, below: usize) -> usize {
        let Some(seed) = self.request.chance else { return 0 };
        // The finalizer of SplitMix64.
        let mut bits = seed.wrapping_add((below as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % below.max(1) as u64) as usize
    }

    /// Of lines in the order of preference: by chance one of those that `distance` puts near to the first.
    fn one_of(&self, lines: Vec<Line>, distance: impl Fn(&Line) -> i32) -> Option<Line> {
        let nearest = distance(lines.first()?);
        let near = lines.iter().take_while(|line| distance(line) - nearest < NEAR).count();
        lines.into_iter().nth(self.chance(near))
    }

    /// An opening turned or mirrored by chance. Blocked cells stay where they are, so with them it is left as it is.
    fn turned(&self, setup: &Setup, line: Line) -> Line {
        let maps = Symmetry::of(setup.size);
        let map = maps[self.chance(maps.len())];
        if !setup.blocked.is_empty() || !line.moves.iter().all(|point| is_mapped(setup, map, *point)) {
            return line;
        }
        Line { moves: line.moves.iter().map(|point| map.apply(setup.size, *point)).collect(), ..line }
    }

    /// Limits of a choice that one search decides. Boards on which a person ends the search by hand do not offer this
    /// during an opening.
    pub(super) fn limits_of_choice(&self) -> Limits {
        let limits = &self.request.limits;
        let end = OpeningBudget::of(limits).end;
        let turn = end.map(|end| end.saturating_duration_since(self.started())).or(limits.turn);
        Limits { turn, ..limits.clone() }
    }
}

/// Whether the image of a point lies on the board.
fn is_mapped(setup: &Setup, map: Symmetry, point: Point) -> bool {
    setup.size.contains(map.apply(setup.size, point))
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
