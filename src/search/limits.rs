//! Limits of a search, as requested; [`super::time`] turns them into deadlines.

use super::params::MAX_DEPTH;
use std::time::Duration;
use web_time::Instant;

/// Limits of one search; `None` is "no limit of this kind".
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// When the request arrived; all durations count from here. `None` is when the search begins.
    pub started: Option<Instant>,
    /// Time for this move (Gomocup `timeout_turn`); zero requests an answer at once.
    pub turn: Option<Duration>,
    /// Time left for the rest of the game; zero requests an answer at once.
    pub left: Option<Duration>,
    /// Time gained with each move.
    pub increment: Duration,
    /// Nodes, all threads together.
    pub nodes: Option<u64>,
    /// Last iteration, in plies.
    pub depth: Option<u32>,
}

impl Limits {
    /// No limit: the search ends by a proof, the maximum depth, or its stop token.
    pub fn infinite() -> Limits {
        Limits { started: None, turn: None, left: None, increment: Duration::ZERO, nodes: None, depth: None }
    }

    /// A node limit only: the result does not depend on the machine's speed.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::infinite() }
    }

    /// Whether the search ends even without a proof or a stop request.
    pub fn is_limited(&self) -> bool {
        self.longest().is_some() || self.nodes.is_some() || self.depth.is_some_and(|depth| depth < MAX_DEPTH)
    }

    /// The time that this move may take at most.
    pub fn longest(&self) -> Option<Duration> {
        self.turn.into_iter().chain(self.left).min()
    }

    /// A depth limit only.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::infinite() }
    }

    /// A fixed time for this move, counted from when the search begins.
    pub fn time(turn: Duration) -> Limits {
        Limits { turn: Some(turn), ..Limits::infinite() }
    }
}
