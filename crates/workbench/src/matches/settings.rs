//! Settings of a match: engines with their limits, events, adjudication. Plain data, stored in the record.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tengen::rules::Rule;
use tengen_record::rule_code::rule_of_code;

use super::process::Launch;
use crate::stats::{Model, Sprt};

/// Memory that Gomocup allows, in bytes.
pub const GOMOCUP_MEMORY: u64 = 350 << 20;

/// One engine and its playing conditions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Unique name for reports.
    pub name: String,
    /// The program: a path, or a name that is looked up in `PATH`.
    pub cmd: PathBuf,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its working directory; by default the program's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Limits of time, nodes and depth.
    pub limits: EngineLimits,
    /// Memory limit in bytes, sent to the engine and enforced; 0 means unlimited.
    pub memory: u64,
    /// Search threads. `None` uses the engine's default and counts as one core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Additional `INFO` lines: key and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub info: Vec<(String, String)>,
    /// Whether each game starts a new process.
    #[serde(default)]
    pub restart: bool,
    /// Whether lines that are neither chatter nor an answer are ignored, as in Gomocup's judge, instead of losing the
    /// game, as in Piskvork.
    #[serde(default)]
    pub lenient: bool,
}

impl EngineSpec {
    /// How to start the engine's process.
    pub fn launch(&self) -> Launch {
        Launch { program: self.cmd.clone(), args: self.args.clone(), dir: self.dir.clone() }
    }
}

/// Limits of one engine, times in milliseconds. `None` means no limit of that kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineLimits {
    /// Time for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_ms: Option<u64>,
    /// Time for the whole game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_ms: Option<u64>,
    /// Time increment for each move.
    #[serde(default)]
    pub increment_ms: u64,
    /// Nodes for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth of the search for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// As text: `0.5 s a move`.
impl fmt::Display for EngineLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |ms: u64| ms as f64 / 1000.0;
        let mut parts = Vec::new();
        parts.extend(self.turn_ms.map(|ms| format!("{} s a move", seconds(ms))));
        parts.extend(self.match_ms.map(|ms| match self.increment_ms {
            0 => format!("{} s a game", seconds(ms)),
            more => format!("{} s a game and {} s for each move", seconds(ms), seconds(more)),
        }));
        parts.extend(self.nodes.map(|n| format!("{n} nodes")));
        parts.extend(self.depth.map(|n| format!("depth {n}")));
        f.write_str(&parts.join(", "))
    }
}

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

/// Tolerances of the referee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tolerances {
    /// Milliseconds by which a move may exceed its limit; the clock still counts them.
    pub tolerance_ms: u64,
    /// Percent by which an engine may exceed its memory limit: the limit refers to tables, and programs use more memory
    /// than their tables.
    #[serde(default)]
    pub memory_percent: u64,
    /// Milliseconds for startup and the answer to `START`.
    pub startup_ms: u64,
    /// Milliseconds after the tolerance at which a late engine counts as hanging and is killed.
    pub hang_ms: u64,
    /// Milliseconds for a move of an engine without a time limit.
    pub unlimited_ms: u64,
}

impl Default for Tolerances {
    fn default() -> Tolerances {
        Tolerances { tolerance_ms: 100, memory_percent: 10, startup_ms: 10_000, hang_ms: 1_000, unlimited_ms: 600_000 }
    }
}

impl Tolerances {
    /// The tolerance as a duration.
    pub fn tolerance(&self) -> Duration {
        Duration::from_millis(self.tolerance_ms)
    }
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
