//! Judgements of single moves: for "find your mistakes", for warnings, and on request.

use super::MessageSink;
use crate::job::{Job, Standard, Task, WorkerMessage};
use crate::points::{BoardPoint, BoardPoints};
use crate::value;
use crate::view::{Event, TriedEvent};
use tengen::board::Point;
use tengen::engine::{Engine, Limits, StopToken};
use tengen_analysis::review::{Judgement, Played, Settings, judge_last, review};

/// Node limit of each search that judges a move without a review.
const NODES: u64 = 100_000;

/// Judges the move of a job and sends the result. The same request has the same answer, whatever was requested before.
pub fn run(engine: &mut Engine, job: Job, stop: &StopToken, tell: MessageSink<'_>) {
    let Task::Try { node, setup, rule, point, standard } = job.task else { return };
    let size = setup.size;
    let first = setup.stones.len();
    let mut after = setup;
    after.play(point);
    let played = Played { rule, setup: after, first };
    engine.clear();
    let unjudged = unjudged(job.id, node, BoardPoint::new(size, point));
    let known = standard.as_ref().and_then(|standard| of_review(standard, &unjudged));
    let event = known.or_else(|| {
        let settings = |nodes| Settings { limits: Limits::nodes(nodes), ..Settings::default() };
        let judged = match standard.as_deref() {
            Some(Standard { nodes, played: known }) => {
                judge_last(engine, &played, known.before, &settings(*nodes), stop).ok().flatten()
            }
            None => {
                let found = review(engine, &played, &settings(NODES), stop, &mut |_| {}).ok();
                found.and_then(|mut found| found.moves.pop())
            }
        };
        judged.map(|judged| of_search(&judged, standard.as_deref(), &unjudged))
    });
    let event = Event::Tried(event.unwrap_or(unjudged));
    tell(WorkerMessage::Event { job: job.id, last: true, event });
}

/// The answer when the move is not judged.
pub(super) fn unjudged(job: u64, node: u32, at: BoardPoint) -> TriedEvent {
    TriedEvent {
        job,
        node,
        at,
        best: value::unknown(),
        value: value::unknown(),
        loss: None,
        grade: None,
        right: false,
        line: BoardPoints::none(at.size),
        reply: BoardPoints::none(at.size),
    }
}

/// The judgement of a move that the review has judged: the move of the game, or the better one that it found.
fn of_review(standard: &Standard, unjudged: &TriedEvent) -> Option<TriedEvent> {
    let BoardPoint { size, point } = unjudged.at;
    let played = &standard.played;
    let better = better(played);
    if better.first() == Some(&point) {
        return Some(TriedEvent {
            best: value::of_score(played.before, played.side),
            value: value::after_move(played.before, played.side),
            loss: Some(0.0),
            right: true,
            line: BoardPoints::new(size, better),
            reply: BoardPoints::new(size, &better[1..]),
            ..unjudged.clone()
        });
    }
    (played.point == point).then(|| of_judgement(played, better, unjudged))
}

/// The judgement of any other move.
fn of_search(judged: &Judgement, standard: Option<&Standard>, unjudged: &TriedEvent) -> TriedEvent {
    let known = standard.map_or(&[][..], |standard| better(&standard.played));
    let own = better(judged);
    of_judgement(judged, if own.is_empty() { known } else { own }, unjudged)
}

/// A judgement in the form of the answer; `better` is the best line, or empty if that begins with the move itself.
fn of_judgement(judged: &Judgement, better: &[Point], unjudged: &TriedEvent) -> TriedEvent {
    let BoardPoint { size, point } = unjudged.at;
    let own = || std::iter::once(point).chain(judged.reply.iter().copied()).collect();
    TriedEvent {
        best: value::of_score(judged.before, judged.side),
        value: value::after_move(judged.after, judged.side),
        loss: Some(judged.loss),
        grade: judged.grade,
        right: !judged.is_error(),
        line: BoardPoints::new(size, if better.is_empty() { own() } else { better.to_vec() }),
        reply: BoardPoints::new(size, judged.reply.as_slice()),
        ..unjudged.clone()
    }
}

/// The better line of a judgement; empty if there is none.
fn better(judged: &Judgement) -> &[Point] {
    judged.better.as_ref().map_or(&[], |better| &better.moves)
}
