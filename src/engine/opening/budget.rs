//! The budget of an opening choice that takes several searches.

use crate::control::StopToken;
use crate::search::Limits;
use std::time::Duration;
use web_time::Instant;

/// Time for such a goal if there is no limit.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// Depth of the first, shallow search of many moves.
const SHALLOW_DEPTH: u32 = 2;

/// Time and nodes shared by the searches for one goal.
#[derive(Clone, Copy)]
pub(in crate::engine) struct OpeningBudget {
    /// `None` if only nodes or depth are limited: then the answer does not depend on the machine.
    pub(super) end: Option<Instant>,
    /// Node limit of all searches together, counted from the first one.
    nodes: u64,
    /// Depth limit of each search.
    depth: Option<u32>,
}

impl OpeningBudget {
    pub(super) fn of(limits: &Limits) -> OpeningBudget {
        let time = limits.left.map(|l| l / 10).into_iter().chain(limits.turn).min();
        let time = time.or((!limits.is_limited()).then_some(DEFAULT_TIME)).map(|time| time.min(DEFAULT_TIME * 20));
        let end = time.map(|time| {
            limits.started.unwrap_or_else(Instant::now) + time.mul_f64(0.7).saturating_sub(Duration::from_millis(15))
        });
        OpeningBudget { end, nodes: limits.nodes.unwrap_or(u64::MAX), depth: limits.depth }
    }

    /// An equal share of the remaining budget for one of `parts`, after `spent` nodes.
    pub(super) fn part(&self, parts: usize, spent: u64) -> OpeningBudget {
        let parts = parts.max(1) as u32;
        let now = Instant::now();
        let nodes = self.nodes.saturating_sub(spent) / u64::from(parts);
        let end = self.end.map(|end| now + end.saturating_duration_since(now) / parts);
        OpeningBudget { end, nodes: spent.saturating_add(nodes), ..*self }
    }

    /// The same share as limits of one search.
    pub(super) fn share(&self, parts: usize, spent: u64) -> Limits {
        let part = self.part(parts, spent);
        let turn = part.end.map(|end| end.saturating_duration_since(Instant::now()));
        let nodes = (part.nodes - spent).clamp(1, 500_000);
        Limits { turn, nodes: Some(nodes), depth: self.depth, ..Limits::infinite() }
    }

    /// The same share for a shallow search.
    pub(super) fn shallow_share(&self, parts: usize, spent: u64) -> Limits {
        let depth = self.depth.map_or(SHALLOW_DEPTH, |depth| depth.min(SHALLOW_DEPTH));
        Limits { depth: Some(depth), ..self.share(parts, spent) }
    }

    /// Whether the budget is used up after `spent` nodes.
    pub(super) fn is_over(&self, stop: &StopToken, spent: u64) -> bool {
        stop.is_stopped() || spent >= self.nodes || self.end.is_some_and(|end| Instant::now() >= end)
    }
}
