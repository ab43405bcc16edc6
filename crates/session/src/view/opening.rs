//! What a client is shown of the opening: answers, what is allowed now, and the names of renju's openings.

use crate::json;
use crate::points::{BoardPoint, BoardPoints};
use serde::ser::{Serialize, SerializeMap, Serializer};
use tengen::board::BoardSize;
use tengen::opening::{Choice, Step};

/// What an opening allows now.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct OpeningTurn {
    /// The words that may be answered.
    #[serde(serialize_with = "json::choices")]
    pub choices: Vec<Choice>,
    /// The largest number of fifth moves that may be declared; 0 if no number is due.
    pub most: u8,
    /// The number of fifth moves of this opening; 0 if it is still open, or the rule has none.
    pub fifths: u8,
    /// The fifth moves that are offered.
    pub offered: BoardPoints,
    /// The side of the central square to which the stone belongs.
    pub within: Option<u8>,
    /// The side of the central square that it must avoid.
    pub outside: Option<u8>,
    /// The points where a stone or an offer is possible, if not all empty points are.
    pub points: Option<BoardPoints>,
}

/// An answer in the opening. In JSON a word (`"swap"`), a number of fifth moves (`5`), or an offered fifth move
/// (`{"offer": "i9"}`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A word.
    Choice(Choice),
    /// The number of fifth moves.
    Number(u8),
    /// An offered fifth move.
    Offer(BoardPoint),
}

impl Answer {
    /// The step of an opening as an answer; `None` for a stone.
    pub const fn new(size: BoardSize, step: Step) -> Option<Answer> {
        match step {
            Step::Stone(_) => None,
            Step::Choice(choice) => Some(Answer::Choice(choice)),
            Step::Number(number) => Some(Answer::Number(number)),
            Step::Offer(point) => Some(Answer::Offer(BoardPoint::new(size, point))),
        }
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Answer::Choice(choice) => to.serialize_str(choice.name()),
            Answer::Number(number) => to.serialize_u8(*number),
            Answer::Offer(at) => {
                let mut map = to.serialize_map(Some(1))?;
                map.serialize_entry("offer", at)?;
                map.end()
            }
        }
    }
}

/// A named opening of renju.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NamedOpening {
    /// `D1` to `D13`, `I1` to `I13`.
    pub code: String,
    /// Its Japanese name in Latin letters.
    pub name: &'static str,
    /// Its Japanese name.
    pub japanese: &'static str,
}
