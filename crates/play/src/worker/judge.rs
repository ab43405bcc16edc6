//! Judgements of single moves: for "find your mistakes", for warnings, and on request.

use super::shown::{score, unknown, value, value_after};
use crate::job::{Job, Standard, Task, WorkerMessage};
use crate::view::{Event, TriedEvent};
use tengen::board::{BoardSize, format_point, point_labels};
use tengen::engine::{Engine, Limits, StopToken};
use tengen_analysis::review::{Judgement, Played, Settings, judge_last, review};

/// Node limit of each search that judges a move without a review.
const NODES: u64 = 100_000;

/// Judges the move of a job and sends the result. The same request has the same answer, whatever was requested before.
pub fn run(engine: &mut Engine, job: Job, stop: &StopToken, tell: &dyn Fn(WorkerMessage)) {
    let Task::Try { node, setup, rule, point, standard } = job.task else { return };
    let size = setup.size;
    let at = format_point(size, point);
    let first = setup.stones.len();
    let mut after = setup;
    after.play(point);
    let played = Played { rule, setup: after, first };
    engine.clear();
    let unjudged = TriedEvent {
        job: job.id,
        node,
        at,
        best: unknown(),
        value: unknown(),
        loss: None,
        grade: None,
        right: false,
        line: Vec::new(),
        reply: Vec::new(),
    };
    let known = standard.as_ref().and_then(|standard| of_review(standard, &unjudged));
    let event = known.or_else(|| {
        let settings = |nodes| Settings { limits: Limits::nodes(nodes), ..Settings::default() };
        let judged = match standard.as_deref() {
            Some(Standard { nodes, played: known }) => {
                let before = score(&known.before, known.side);
                judge_last(engine, &played, before, &settings(*nodes), stop).ok().flatten()
            }
            None => {
                let found = review(engine, &played, &settings(NODES), stop, &mut |_| {}).ok();
                found.and_then(|mut found| found.moves.pop())
            }
        };
        judged.map(|judged| of_search(size, &judged, standard.as_deref(), &unjudged))
    });
    let event = Event::Tried(event.unwrap_or(unjudged));
    tell(WorkerMessage::Event { job: job.id, last: true, event });
}

/// The judgement of a move that the review has judged: the move of the game, or the better one that it found.
fn of_review(standard: &Standard, unjudged: &TriedEvent) -> Option<TriedEvent> {
    let played = &standard.played;
    let event = |value, loss, grade, right, line, reply| TriedEvent {
        best: played.before.clone(),
        value,
        loss: Some(loss),
        grade,
        right,
        line,
        reply,
        ..unjudged.clone()
    };
    let own = || std::iter::once(played.at.clone()).chain(played.reply.iter().cloned()).collect();
    if played.better.first() == Some(&unjudged.at) {
        let value = value_after(score(&played.before, played.side), played.side, 0);
        return Some(event(value, 0.0, None, true, played.better.clone(), played.better[1..].to_vec()));
    }
    (played.at == unjudged.at).then(|| {
        let right = played.grade.is_none() && !played.missed_win && !played.allowed_win;
        let line = if played.better.is_empty() { own() } else { played.better.clone() };
        event(played.after.clone(), played.loss, played.grade, right, line, played.reply.clone())
    })
}

/// The judgement of any other move.
fn of_search(size: BoardSize, judged: &Judgement, standard: Option<&Standard>, unjudged: &TriedEvent) -> TriedEvent {
    let reply = point_labels(size, &judged.reply);
    let better = judged.better.as_ref().map(|better| point_labels(size, &better.moves));
    let known = standard.map(|standard| standard.played.better.clone()).filter(|line| !line.is_empty());
    let own = || std::iter::once(unjudged.at.clone()).chain(reply.iter().cloned()).collect();
    TriedEvent {
        best: value(judged.before, judged.side, 0, 0),
        value: value_after(judged.after, judged.side, 0),
        loss: Some(judged.loss),
        grade: judged.grade.map(|grade| grade.name()),
        right: !judged.is_error(),
        line: better.or(known).unwrap_or_else(own),
        reply,
        ..unjudged.clone()
    }
}
