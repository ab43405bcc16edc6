//! The review of the game: its job, and its judgements as the standard for other moves.

use crate::job::Standard;
use crate::view::MoveReview;

/// The review that runs or was the last to run, and the judgements of the last one.
#[derive(Clone, Debug, Default)]
pub struct Reviews {
    job: Option<u64>,
    reviewed: Option<Reviewed>,
}

/// A review that is requested or finished.
#[derive(Clone, Debug)]
struct Reviewed {
    /// Nodes of the search of each position.
    nodes: u64,
    /// Nodes of the line; the first one is its start.
    line: Vec<u32>,
    /// The judgements; empty until the review is finished.
    moves: Vec<MoveReview>,
}

impl Reviews {
    /// A review of a line begins; `nodes` are those of the search of each position.
    pub fn begin(&mut self, job: u64, nodes: u64, line: Vec<u32>) {
        *self = Reviews { job: Some(job), reviewed: Some(Reviewed { nodes, line, moves: Vec::new() }) };
    }

    pub fn job(&self) -> Option<u64> {
        self.job
    }

    /// Forgets the job, and returns it; the judgements stay.
    pub fn end(&mut self) -> Option<u64> {
        self.job.take()
    }

    /// The review is finished.
    pub fn finish(&mut self, moves: &[MoveReview]) {
        if let Some(reviewed) = &mut self.reviewed {
            reviewed.moves = moves.to_vec();
        }
    }

    /// The finished review's judgement of the position at a node.
    pub fn standard(&self, node: u32) -> Option<Standard> {
        let Reviewed { nodes, line, moves } = self.reviewed.as_ref()?;
        let is_next = |moved: &&MoveReview| line.get(moved.number - 1) == Some(&node);
        let played = moves.iter().find(is_next)?.judged.clone();
        Some(Standard { nodes: *nodes, played })
    }
}
