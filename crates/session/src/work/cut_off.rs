//! Jobs whose worker was ended from outside, because nothing can interrupt it.

use super::analysis::{AnalysisRequest, Gathered};
use super::proof::{ProofRequest, unanswered};
use super::{judge, review};
use crate::job::{Job, Task, WorkerMessage};
use crate::points::{BoardPoint, BoardPoints};
use crate::view::{BalanceEvent, Event, HintEvent, ReviewState};
use std::time::Duration;

/// The last message of such a job, as its worker would have sent it; `latest` is the last one that it did send. `None`
/// if there is no answer: a move of which nothing is known yet.
pub fn cut_off(job: Job, latest: Option<WorkerMessage>) -> Option<WorkerMessage> {
    let latest = match latest {
        Some(WorkerMessage::Event { event, .. }) => Some(event),
        Some(moved @ WorkerMessage::Moved { .. }) => return Some(moved),
        _ => None,
    };
    let id = job.id;
    let event = match (job.task, latest) {
        (Task::Analysis { .. }, Some(Event::Analysis(mut event))) => {
            event.done = true;
            Event::Analysis(event)
        }
        (Task::Analysis { node, setup, rule, lines, avoid }, _) => {
            let request = AnalysisRequest { node, setup, rule, lines, avoid };
            Event::Analysis(Gathered::default().event(&request, Duration::ZERO, true))
        }
        (Task::Review { .. }, Some(Event::Review(mut event))) => {
            event.state = ReviewState::Cancelled;
            Event::Review(event)
        }
        (Task::Review { game, nodes, .. }, _) => {
            let mut event = review::begun(id, game, nodes);
            event.state = ReviewState::Cancelled;
            Event::Review(event)
        }
        (Task::Hint { node, .. }, _) => Event::Hint(HintEvent { job: id, node, line: None }),
        (Task::Prove { node, setup, after, rule, attacker, means }, _) => {
            Event::Proof(unanswered(id, &ProofRequest { node, setup, after, rule, attacker, means }))
        }
        (Task::Balance { node, setup, .. }, _) => {
            Event::Balance(BalanceEvent { job: id, node, moves: BoardPoints::none(setup.size), value: None })
        }
        (Task::Try { node, setup, point, .. }, _) => {
            Event::Tried(judge::unjudged(id, node, BoardPoint::new(setup.size, point)))
        }
        (Task::Move { .. } | Task::OtherMove(_) | Task::Opinion { .. } | Task::Release, _) => return None,
    };
    Some(WorkerMessage::Event { job: id, last: true, event })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::player::Player;
    use std::cell::RefCell;
    use tengen::board::{BoardSize, Setup};
    use tengen::engine::{Answer, Goal, Limits, Line, Options, Rule, StopToken};

    fn setup() -> Setup {
        Setup::empty(BoardSize::RENJU)
    }

    #[test]
    fn the_last_message_is_that_of_a_stopped_worker() {
        let rule = Rule::Freestyle;
        let tasks = [
            Task::Analysis { node: 1, setup: setup(), rule, lines: 2, avoid: Vec::new() },
            Task::Hint { node: 2, setup: setup(), rule, limits: Limits::infinite() },
            Task::Balance { node: 3, setup: setup(), rule, moves: 2 },
        ];
        for task in tasks {
            let job = Job { id: 8, task };
            let (sent, stop) = (RefCell::new(None), StopToken::new());
            stop.stop();
            let options = Options { hash: Some(1 << 20), ..Options::default() };
            let tell = |message| *sent.borrow_mut() = Some(message);
            Player::new(options, 1).run(job.clone(), None, &stop, &tell);
            let (own, cut) = (sent.into_inner().expect("a message"), cut_off(job, None).expect("a message"));
            match (own, cut) {
                (
                    WorkerMessage::Event { event: Event::Analysis(own), .. },
                    WorkerMessage::Event { job: 8, last: true, event: Event::Analysis(cut) },
                ) => assert!(own.done && cut.done && own.node == cut.node),
                (own, cut) => assert_eq!(own, cut),
            }
        }
    }

    #[test]
    fn what_came_before_stays() {
        let rule = Rule::Freestyle;
        let task = Task::Analysis { node: 1, setup: setup(), rule, lines: 2, avoid: Vec::new() };
        let request = AnalysisRequest { node: 1, setup: setup(), rule, lines: 2, avoid: Vec::new() };
        let mut seen = Gathered::default().event(&request, Duration::from_secs(3), false);
        seen.nodes = 77;
        let latest = WorkerMessage::Event { job: 8, last: false, event: Event::Analysis(seen) };
        let last = cut_off(Job { id: 8, task }, Some(latest));
        let Some(WorkerMessage::Event { last: true, event: Event::Analysis(event), .. }) = last else {
            panic!("{last:?}")
        };
        assert!(event.done && event.nodes == 77 && event.ms == 3_000);
        let task = Task::Move {
            setup: setup(),
            rule,
            goal: Goal::Move,
            excluded: vec![],
            level: None,
            limits: Limits::nodes(9),
        };
        assert_eq!(cut_off(Job { id: 8, task: task.clone() }, None), None);
        let moved = WorkerMessage::Moved { job: 8, answer: Answer::Swap, line: Line::default(), from_book: false };
        assert_eq!(cut_off(Job { id: 8, task }, Some(moved.clone())), Some(moved));
    }
}
