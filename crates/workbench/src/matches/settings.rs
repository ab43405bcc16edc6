//! What a match is made of: engines with their limits, events, adjudication. Plain data, kept in the record.

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

/// One engine and the conditions it plays under.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Unique name for reports.
    pub name: String,
    /// The program: a path, or a name to be found in `PATH`.
    pub cmd: PathBuf,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its working directory; by default the program's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Time, nodes and depth.
    pub limits: EngineLimits,
    /// Memory limit in bytes, told to the engine and enforced; 0 is unlimited.
    pub memory: u64,
    /// Search threads; `None` leaves the engine's default and counts as one core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Further `INFO` lines: key and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub info: Vec<(String, String)>,
    /// Whether each game gets a new process.
    #[serde(default)]
    pub restart: bool,
    /// Whether lines that are neither chatter nor an answer are passed over, as Gomocup's judge does, instead of
    /// losing the game, as with Piskvork.
    #[serde(default)]
    pub lenient: bool,
}

impl EngineSpec {
    /// How to start the engine.
    pub fn launch(&self) -> Launch {
        Launch { program: self.cmd.clone(), args: self.args.clone(), dir: self.dir.clone() }
    }
}

/// Limits of one engine, times in milliseconds; `None` is no limit of that kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineLimits {
    /// Time for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_ms: Option<u64>,
    /// Time for the whole game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_ms: Option<u64>,
    /// Time gained by each move.
    #[serde(default)]
    pub increment_ms: u64,
    /// Nodes a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth of a move's search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// In words: `0.5 s a move`.
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

/// A game with its rule, board and openings.
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
    /// Openings: for each, the points in order of play, black first.
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

/// When a game ends before the rule ends it; all off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// A draw when this many stones are on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw_after: Option<u32>,
    /// A loss for an engine when both agree that it is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<Agreement>,
    /// A draw when both agree that the game is even.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<Agreement>,
}

/// How two engines' evaluations must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Consecutive moves of each engine for which the evaluations must say so.
    pub moves: u32,
    /// The evaluation, in the engines' units: at least so far from zero (resign) or at most (draw).
    pub score: i32,
    /// Stones on the board before which nothing is adjudicated.
    #[serde(default)]
    pub from: u32,
}

/// What the referee allows beyond the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patience {
    /// Milliseconds that a move may exceed its limit; the clock is charged for them all the same.
    pub tolerance_ms: u64,
    /// Percent by which an engine may exceed its memory limit: limits speak of tables, and programs have more.
    #[serde(default)]
    pub memory_percent: u64,
    /// Milliseconds for starting up and answering `START`.
    pub startup_ms: u64,
    /// Milliseconds beyond the tolerance until a late engine counts as hanging and is killed.
    pub hang_ms: u64,
    /// Milliseconds for a move of an engine that plays without a clock.
    pub unlimited_ms: u64,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { tolerance_ms: 100, memory_percent: 10, startup_ms: 10_000, hang_ms: 1_000, unlimited_ms: 600_000 }
    }
}

impl Patience {
    /// The tolerance as a duration.
    pub fn tolerance(&self) -> Duration {
        Duration::from_millis(self.tolerance_ms)
    }
}

/// A sequential test, as it stands in the record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtSpec {
    /// H0, Elo.
    pub elo0: f64,
    /// H1, Elo.
    pub elo1: f64,
    /// Probability of a false H1.
    pub alpha: f64,
    /// Probability of a false H0.
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

/// A whole match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSpec {
    /// The engines; in a gauntlet the first plays all others.
    pub engines: Vec<EngineSpec>,
    /// Whether only the first engine meets the others.
    #[serde(default)]
    pub gauntlet: bool,
    /// Games of each pairing, played in pairs; the last of an odd number has no partner.
    pub games: u64,
    /// Rules, boards and openings; pairs of games go through them in turn.
    pub events: Vec<Event>,
    /// Whether openings are taken in random order.
    pub shuffle: bool,
    /// Whether each opening is turned or mirrored at random.
    pub transform: bool,
    /// Seed of all randomness.
    pub seed: u64,
    /// Adjudication.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// The referee's allowances.
    pub patience: Patience,
    /// A test that ends the match early; the first two engines only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSpec>,
}
