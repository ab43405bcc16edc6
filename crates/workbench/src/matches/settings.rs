//! Settings of a match: engines with their limits, events, adjudication. Plain data, stored in the record.

use serde::{Deserialize, Serialize};
use std::fmt;
use tengen::rules::Rule;
use tengen_engines::spec::{EngineSpec, Tolerances};
use tengen_record::rule_code::rule_of_code;

use crate::stats::{Model, Sprt};

/// A rule and board with their openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Gomocup's number of the rule: 0, 1, 4, 8 or 9.
    pub rule: u8,
    /// Board width in points.
    pub width: u8,
    /// Board height in points.
    pub height: u8,
    /// Whether the engines open by swap2 instead of from a list.
    #[serde(default)]
    pub swap2: bool,
    /// Openings: each a list of points in order of play, black first.
    pub openings: Vec<Vec<(u8, u8)>>,
}

impl Event {
    /// Name of the rule.
    pub fn rule_name(&self) -> &'static str {
        rule_of_code(self.rule).map_or("unknown", Rule::name)
    }
}

/// Rule and board: `renju 15x15`.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let swap2 = if self.swap2 { ", swap2" } else { "" };
        write!(f, "{} {}x{}{swap2}", self.rule_name(), self.width, self.height)
    }
}

/// Conditions that end a game before the rules do; all off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// A draw at this number of stones on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw_after: Option<u32>,
    /// A loss for an engine if both evaluations agree on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Agreement>,
    /// A draw if both evaluations agree on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<Agreement>,
}

/// Conditions for the agreement of both engines' evaluations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Number of consecutive moves of each engine whose evaluations must agree.
    pub moves: u32,
    /// Threshold in the engines' units: minimum distance from zero (resign) or maximum distance (draw).
    pub score: i32,
    /// Minimum number of stones on the board for adjudication.
    #[serde(default)]
    pub from: u32,
}

/// A sequential test, as stored in the record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtSpec {
    /// Elo difference of H0.
    pub elo0: f64,
    /// Elo difference of H1.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds.
    pub beta: f64,
    /// Whether Elo is normalized.
    #[serde(default)]
    pub normalized: bool,
}

impl SprtSpec {
    /// The unit of both hypotheses.
    pub fn unit(&self) -> &'static str {
        if self.normalized { "normalized Elo" } else { "Elo" }
    }

    /// The test itself.
    pub fn test(&self) -> Sprt {
        let model = if self.normalized { Model::Normalized } else { Model::Logistic };
        Sprt { elo0: self.elo0, elo1: self.elo1, alpha: self.alpha, beta: self.beta, model }
    }
}

/// Settings of a whole match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSpec {
    /// The engines. In a gauntlet the first plays all others.
    pub engines: Vec<EngineSpec>,
    /// Whether the match is a gauntlet: only the first engine meets the others.
    #[serde(default)]
    pub gauntlet: bool,
    /// Games of each pairing, played in pairs. The last game of an odd number has no partner.
    pub games: u64,
    /// Rules, boards and openings; pairs of games use them in turn.
    pub events: Vec<Event>,
    /// Whether openings are shuffled.
    pub shuffle: bool,
    /// Whether each opening is rotated or mirrored at random.
    pub transform: bool,
    /// Seed of all randomness.
    pub seed: u64,
    /// Conditions of adjudication.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// Tolerances of the referee.
    pub patience: Tolerances,
    /// A test that ends the match early, between the first two engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSpec>,
}
