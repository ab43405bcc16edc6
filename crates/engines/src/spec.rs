//! One engine and its playing conditions. Plain data, stored in records of matches.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::process::Launch;

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
