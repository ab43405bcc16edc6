//! Where entries come from: an imported file, or the engine.

use serde::{Deserialize, Serialize};
use tengen::rules::Rule;
use tengen_record::rule_code::code_of_rule;
use twox_hash::XxHash3_128;

/// The number of a source in its database, from 1.
pub type SourceId = u32;

/// The kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A file of games.
    Games,
    /// A library of RenLib.
    Library,
    /// The record of a match.
    Match,
    /// Games of self-play.
    Selfplay,
    /// A database of Yixin or Rapfi.
    Positions,
    /// Analyses and reviews of this engine.
    Analysis,
    /// What `build` found.
    Build,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] =
        [Kind::Games, Kind::Library, Kind::Match, Kind::Selfplay, Kind::Positions, Kind::Analysis, Kind::Build];

    /// The kind in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Games => "games",
            Kind::Library => "library",
            Kind::Match => "match",
            Kind::Selfplay => "selfplay",
            Kind::Positions => "positions",
            Kind::Analysis => "analysis",
            Kind::Build => "build",
        }
    }

    /// Whether this engine found the values, so that a proof among them needs no search.
    pub const fn is_own(self) -> bool {
        matches!(self, Kind::Analysis | Kind::Build)
    }
}

/// How far the import of a file has come. What it counts is in the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The number of the last game, or record of positions, that was taken whole.
    pub game: u64,
    /// Of the game after it, or of a later one: its number, and how many of its nodes were taken.
    pub part: (u64, u64),
    /// Whether nothing is left to do.
    pub is_complete: bool,
}

/// A source of entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The name, such as that of the file without its folder.
    pub name: String,
    /// The kind.
    pub kind: Kind,
    /// The checksum of the file's bytes; empty for the engine's own sources.
    #[serde(default)]
    pub checksum: String,
    /// Games taken.
    #[serde(default)]
    pub games: u64,
    /// Games or positions that were left out.
    #[serde(default)]
    pub skipped: u64,
    /// How far the import has come.
    #[serde(default)]
    pub progress: Progress,
}

impl Source {
    /// A source without entries.
    pub fn new(name: impl Into<String>, kind: Kind, checksum: String) -> Source {
        Source { name: name.into(), kind, checksum, games: 0, skipped: 0, progress: Progress::default() }
    }
}

/// The checksum of a file that is read by a rule of the user's choice, if there is one. By another rule the same bytes
/// are other positions.
pub fn checksum(bytes: &[u8], rule: Option<Rule>) -> String {
    let rule = rule.map_or(String::new(), |rule| format!("-{}", code_of_rule(rule)));
    format!("{:032x}{rule}", XxHash3_128::oneshot(bytes))
}
