//! Faults of an engine.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Kinds of faults; each loses the game in which it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The process could not be started, or did not accept the game in time.
    Start,
    /// A move came after the limit plus its tolerance.
    Late,
    /// No move came, and the process was killed.
    Hang,
    /// The process ended by itself.
    Crash,
    /// A move off the board or onto an occupied point.
    Illegal,
    /// A move that the rule forbids (renju's black).
    Forbidden,
    /// A line that the protocol does not allow at this place.
    Protocol,
    /// Resident memory above the limit.
    Memory,
}

impl FaultKind {
    /// All kinds, in the order of reports.
    pub const ALL: [FaultKind; 8] = [
        FaultKind::Start,
        FaultKind::Late,
        FaultKind::Hang,
        FaultKind::Crash,
        FaultKind::Illegal,
        FaultKind::Forbidden,
        FaultKind::Protocol,
        FaultKind::Memory,
    ];

    /// Lower-case name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Start => "start",
            FaultKind::Late => "late",
            FaultKind::Hang => "hang",
            FaultKind::Crash => "crash",
            FaultKind::Illegal => "illegal",
            FaultKind::Forbidden => "forbidden",
            FaultKind::Protocol => "protocol",
            FaultKind::Memory => "memory",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A fault of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Kind of the fault.
    pub kind: FaultKind,
    /// A sentence for people.
    pub detail: String,
    /// The engine's output lines that show the fault, oldest first, shortened; may be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

impl Fault {
    /// A fault without offending lines.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Fault {
        Fault { kind, detail: detail.into(), lines: Vec::new() }
    }

    /// The same fault with lines that show it.
    #[must_use]
    pub fn with_lines(mut self, lines: Vec<String>) -> Fault {
        self.lines = lines;
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)?;
        self.lines.iter().try_for_each(|line| write!(f, "\n    | {line}"))
    }
}
