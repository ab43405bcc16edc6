//! The opening rules of the federations, as one state machine: who has to place a stone, swap, declare, offer or
//! choose next, and what is legal then.
//!
//! A rule is a table of a few rows, one for each thing that a player has to do. An [`Opening`] is a rule with the row
//! that is reached, the number of fifth moves declared, and those offered. The board itself is the caller's, and passed
//! in to [check](Opening::check) a step.
//!
//! Players are named by the colour that they have at the time; a swap exchanges the colours at once. After the last row
//! the moves alternate.
//!
//! The rules are those of the Renju International Federation (RIF, Yamaguchi, Soosõrv-8, Tarannikov, Taraguchi-10) and
//! of gomoku tournaments (pro, long pro, swap, swap2). This module knows only the board: neither what wins nor what
//! is forbidden, since no opening stone can do either.

mod names;
mod state;
mod symmetric;
mod table;

pub use names::{RENJU_OPENINGS, RenjuOpening, renju_opening};
pub use state::{Due, Illegal, Opening, Step};
pub use symmetric::images;

use crate::board::{BoardSize, Point, Setup, Side};
use std::fmt;
use std::str::FromStr;

/// How a game opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpeningRule {
    /// Black moves first, anywhere.
    #[default]
    Free,
    /// Black's first stone in the centre, the second at least three points from it.
    Pro,
    /// Black's first stone in the centre, the second at least four points from it.
    LongPro,
    /// One player places three stones, the other chooses the colour.
    Swap,
    /// One player places three stones. The other chooses the colour, or places two more and leaves the choice.
    Swap2,
    /// One of the 26 openings, a swap, the fourth stone, and two fifth moves of which white chooses one.
    Rif,
    /// One of the 26 openings with the number of fifth moves, a swap, the fourth stone, the fifth moves, and white's
    /// choice.
    Yamaguchi,
    /// One of the 26 openings, a swap, the fourth stone with the number of fifth moves (at most 8), a swap, the fifth
    /// moves, and white's choice.
    Soosorv8,
    /// Five stones within squares of 1, 3, 5, 7 and 9 points a side, and a swap after each.
    Tarannikov,
    /// As Tarannikov, but after the fourth stone black may offer ten fifth moves instead, of which white chooses one.
    Taraguchi10,
}

impl OpeningRule {
    /// All of them, those of gomoku first.
    pub const ALL: [OpeningRule; 10] = [
        OpeningRule::Free,
        OpeningRule::Pro,
        OpeningRule::LongPro,
        OpeningRule::Swap,
        OpeningRule::Swap2,
        OpeningRule::Rif,
        OpeningRule::Yamaguchi,
        OpeningRule::Soosorv8,
        OpeningRule::Tarannikov,
        OpeningRule::Taraguchi10,
    ];

    /// The name in options and files.
    pub const fn name(self) -> &'static str {
        match self {
            OpeningRule::Free => "free",
            OpeningRule::Pro => "pro",
            OpeningRule::LongPro => "long-pro",
            OpeningRule::Swap => "swap",
            OpeningRule::Swap2 => "swap2",
            OpeningRule::Rif => "rif",
            OpeningRule::Yamaguchi => "yamaguchi",
            OpeningRule::Soosorv8 => "soosorv-8",
            OpeningRule::Tarannikov => "tarannikov",
            OpeningRule::Taraguchi10 => "taraguchi-10",
        }
    }

    /// Whether it is an opening rule of renju.
    pub const fn is_renju(self) -> bool {
        matches!(
            self,
            OpeningRule::Rif
                | OpeningRule::Yamaguchi
                | OpeningRule::Soosorv8
                | OpeningRule::Tarannikov
                | OpeningRule::Taraguchi10
        )
    }

    /// Whether a game may begin with this opening on a board.
    ///
    /// # Errors
    /// Why not.
    pub fn check(self, start: &Setup) -> Result<(), Unfit> {
        let (width, height) = (start.size.width(), start.size.height());
        let has_centre = |side: u8| side >= SMALLEST && !side.is_multiple_of(2);
        match self {
            OpeningRule::Free => Ok(()),
            _ if !start.stones.is_empty() || start.to_move != Side::Black => Err(Unfit::Begun),
            OpeningRule::Swap | OpeningRule::Swap2 if start.empty_cells() < 6 => Err(Unfit::Full),
            OpeningRule::Swap | OpeningRule::Swap2 => Ok(()),
            _ if !start.blocked.is_empty() => Err(Unfit::Blocked),
            _ if !has_centre(width) || !has_centre(height) => Err(Unfit::Size),
            _ => Ok(()),
        }
    }
}

/// Smallest side of a board for an opening with squares about the centre: the largest square.
const SMALLEST: u8 = 9;

/// Why a game cannot begin with an opening rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// There are stones, or white moves first.
    Begun,
    /// There is no room for the stones.
    Full,
    /// Cells are blocked.
    Blocked,
    /// The board has no centre, or is too small.
    Size,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Begun => write!(f, "it begins on a board without stones, black first"),
            Unfit::Full => write!(f, "there is no room for its stones"),
            Unfit::Blocked => write!(f, "it begins on a board without blocked cells"),
            Unfit::Size => write!(f, "it needs a board with a centre: odd sides of at least {SMALLEST} points"),
        }
    }
}

impl std::error::Error for Unfit {}

impl fmt::Display for OpeningRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no opening rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRule;

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = OpeningRule::ALL.iter().map(|rule| rule.name()).collect();
        write!(f, "the openings are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownRule {}

/// The name of a rule; `none` is another name of the free opening.
impl FromStr for OpeningRule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<OpeningRule, UnknownRule> {
        let name = if text == "none" { "free" } else { text };
        OpeningRule::ALL.into_iter().find(|rule| rule.name() == name).ok_or(UnknownRule)
    }
}

/// Where a stone may be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// On any empty point.
    Anywhere,
    /// Within the central square with this side; a side of 1 is the centre.
    Within(u8),
    /// Outside of the central square with this side.
    Outside(u8),
    /// On one of the fifth moves that were offered.
    Offered,
}

impl Area {
    /// Whether a point of the board belongs to the area, whatever is on it.
    pub fn contains(self, size: BoardSize, offered: &[Point], point: Point) -> bool {
        let within = |side: u8| size.center().distance(point) <= side / 2;
        match self {
            Area::Anywhere => true,
            Area::Within(side) => within(side),
            Area::Outside(side) => !within(side),
            Area::Offered => offered.contains(&point),
        }
    }
}

/// An answer without a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Keeps the colour.
    Stay,
    /// Takes the other colour.
    Swap,
    /// Swap2: places two more stones; the other player chooses the colour.
    Two,
    /// Taraguchi-10: keeps the colour and offers ten fifth moves.
    Ten,
}

impl Choice {
    /// All of them.
    pub const ALL: [Choice; 4] = [Choice::Stay, Choice::Swap, Choice::Two, Choice::Ten];

    /// Its word in commands and files.
    pub const fn name(self) -> &'static str {
        match self {
            Choice::Stay => "stay",
            Choice::Swap => "swap",
            Choice::Two => "two",
            Choice::Ten => "ten",
        }
    }

    /// The answer with this word.
    pub fn from_name(name: &str) -> Option<Choice> {
        Choice::ALL.into_iter().find(|choice| choice.name() == name)
    }
}
