//! What wins and what is forbidden, in plain code: no tables, not fast.
//!
//! A rule is data: one [`LineRule`] for each side, and whether the side is subject to fouls. The fast
//! tables of [`crate::pattern`] are generated from [`LineRule::wins`], and tests compare them with
//! the slow code here.

pub mod game;
pub mod renju;
pub mod win;

use crate::board::Side;
use std::fmt;

pub use game::{Game, IllegalMove, Outcome, RowKind, Status};
pub use renju::{Foul, forbidden_points, foul};
pub use win::{any_winner, winning_row, wins_through};

/// The games that Gomocup plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Rule {
    /// Five or more in a row win.
    #[default]
    Freestyle,
    /// Exactly five in a row win; six or more do not.
    Standard,
    /// Exactly five win for black, who may not make an overline, a double four or a double three
    /// (RIF definition); five or more win for white.
    Renju,
    /// Five win unless both ends are held by the opponent; six or more always win. The border does not block.
    Caro,
    /// As [`Rule::Caro`], with exactly five only.
    CaroExact,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 5] = [Rule::Freestyle, Rule::Standard, Rule::Renju, Rule::Caro, Rule::CaroExact];

    /// What a side needs to win.
    pub const fn line_rule(self, side: Side) -> LineRule {
        match (self, side) {
            (Rule::Freestyle, _) | (Rule::Renju, Side::White) => LineRule::FREESTYLE,
            (Rule::Standard, _) => LineRule::STANDARD,
            (Rule::Renju, Side::Black) => LineRule::RENJU_BLACK,
            (Rule::Caro, _) => LineRule::CARO,
            (Rule::CaroExact, _) => LineRule::CARO_EXACT,
        }
    }

    /// Number of [`Rule::family`] values.
    pub const FAMILIES: usize = 4;

    /// Index of the search parameters that the rule uses: 0 freestyle, 1 standard, 2 renju, 3 caro.
    pub const fn family(self) -> usize {
        match self {
            Rule::Freestyle => 0,
            Rule::Standard => 1,
            Rule::Renju => 2,
            Rule::Caro | Rule::CaroExact => 3,
        }
    }

    /// The side that must avoid fouls, if the rule has one.
    pub const fn restricted_side(self) -> Option<Side> {
        match self {
            Rule::Renju => Some(Side::Black),
            Rule::Freestyle | Rule::Standard | Rule::Caro | Rule::CaroExact => None,
        }
    }

    /// Whether both sides play by the same rule.
    pub fn is_symmetric(self) -> bool {
        self.line_rule(Side::Black) == self.line_rule(Side::White) && self.restricted_side().is_none()
    }

    /// Lower-case name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Freestyle => "freestyle",
            Rule::Standard => "standard",
            Rule::Renju => "renju",
            Rule::Caro => "caro",
            Rule::CaroExact => "caro-exact",
        }
    }

    /// The rule of this name.
    pub fn from_name(name: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What six or more in a row mean for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Overline {
    /// A win.
    Wins,
    /// Neither a win nor a foul.
    Neutral,
    /// A foul: the move is forbidden.
    Foul,
}

/// What a line must look like for one side to win with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRule {
    /// The effect of an overline.
    pub overline: Overline,
    /// Whether a five with an opponent's stone at both ends does not win (caro).
    pub held_five_is_dead: bool,
}

impl LineRule {
    /// Five or more.
    pub const FREESTYLE: LineRule = LineRule { overline: Overline::Wins, held_five_is_dead: false };
    /// Exactly five.
    pub const STANDARD: LineRule = LineRule { overline: Overline::Neutral, held_five_is_dead: false };
    /// Exactly five, overlines forbidden.
    pub const RENJU_BLACK: LineRule = LineRule { overline: Overline::Foul, held_five_is_dead: false };
    /// Five not held at both ends, or an overline.
    pub const CARO: LineRule = LineRule { overline: Overline::Wins, held_five_is_dead: true };
    /// Exactly five, not held at both ends.
    pub const CARO_EXACT: LineRule = LineRule { overline: Overline::Neutral, held_five_is_dead: true };

    /// Whether a maximal run of `length` stones wins, given how many of its two ends (0 to 2) are held by
    /// the opponent's stones. Borders and blocked cells do not hold an end. The only definition of a win.
    pub const fn wins(self, length: usize, held_ends: usize) -> bool {
        match length {
            0..=4 => false,
            5 => !(self.held_five_is_dead && held_ends == 2),
            _ => matches!(self.overline, Overline::Wins),
        }
    }
}
