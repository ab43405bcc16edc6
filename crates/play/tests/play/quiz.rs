//! "Find your mistakes": a move is judged by the review's standard.

use crate::support::data;
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tengen::board::{BoardSize, Point, format_point, parse_point};
use tengen::engine::Evaluation;
use tengen_play::host::{Host, Options};
use tengen_play::server::app::App;
use tengen_session::view::{Event, MoveReview, ReviewEvent, ReviewState, Settings, TriedEvent};

/// Far longer than any answer takes.
const LIMIT: Duration = Duration::from_secs(300);

struct Study {
    host: Host,
    events: Receiver<Event>,
}

impl Study {
    /// Loads a game of a file.
    fn new(name: &str, text: &[u8]) -> Study {
        let (watch, events) = channel();
        let settings = Settings { threads: 2, processors: 2, hash_mb: 4 };
        let options = Options { watch: Some(watch), ..Options::new(settings, Evaluation::default(), 3) };
        let host = Host::new(options).expect("threads");
        host.read(Some(name), text).expect("one game");
        Study { host, events }
    }

    #[track_caller]
    fn ask<T>(&self, mut body: Value, pick: impl Fn(Event, u64) -> Option<T>) -> T {
        body["rev"] = self.host.state()["rev"].clone();
        let reply = self.host.command(body.clone());
        assert_eq!(reply.status, 200, "{body}: {}", reply.body);
        let job = reply.body["job"].as_u64().expect("a job");
        loop {
            let event = self.events.recv_timeout(LIMIT).expect("an answer");
            if let Some(found) = pick(event, job) {
                return found;
            }
        }
    }

    fn review(&self, nodes: u64) -> ReviewEvent {
        self.ask(json!({"do": "review", "nodes": nodes}), |event, job| match event {
            Event::Review(review) if review.job == job && review.state == ReviewState::Done => Some(review),
            _ => None,
        })
    }

    fn attempt(&self, node: u32, point: Point) -> TriedEvent {
        let at = format_point(BoardSize::RENJU, point);
        self.ask(json!({"do": "try", "node": node, "at": at}), |event, job| match event {
            Event::Tried(tried) if tried.job == job => Some(tried),
            _ => None,
        })
    }
}

fn point(label: &str) -> Point {
    parse_point(BoardSize::RENJU, label).expect("a point")
}

/// With any effort of the review, its own answer to each of its questions is right, and the move of the game is wrong.
#[test]
fn the_reviews_own_answers_are_right_and_the_mistakes_wrong() {
    let study = Study::new("game.sgf", &std::fs::read(data("game.sgf")).expect("the game"));
    for nodes in [1_000, 5_000, 20_000] {
        let review = study.review(nodes);
        let questions: Vec<&MoveReview> = review.moves.iter().filter(|moved| moved.judged.is_error()).collect();
        assert!(questions.len() >= 5, "{nodes}: {} mistakes", questions.len());
        for moved in questions {
            let (before, judged) = (review.nodes[moved.number - 1], &moved.judged);
            let better = moved.better();
            let best = *better.first().unwrap_or_else(|| panic!("{nodes}: nothing better than {judged:?}"));
            assert_ne!(best, judged.point, "{nodes}");
            let right = study.attempt(before, best);
            assert!(right.right && right.loss == Some(0.0) && right.grade.is_none(), "{nodes}: {right:?}");
            assert_eq!((&right.best, &right.line), (&moved.before(), &better));
            let wrong = study.attempt(before, judged.point);
            assert!(
                !wrong.right && wrong.loss == Some(judged.loss) && wrong.grade == judged.grade,
                "{nodes}: {wrong:?}"
            );
            assert_eq!((&wrong.value, &wrong.line), (&moved.after(), &better));
        }
    }
}

/// Other moves are searched like the move of the game. An equally good move is right, a losing one is not, and the same
/// move gets the same judgement each time.
#[test]
fn other_moves_are_measured_by_the_review() {
    // White lets a three become an open four at move 6. Both ends of the three would have been equally good, and
    // another point would not.
    let study = Study::new("game.txt", b"h8g9i8g7j8o15k8g8l8");
    let review = study.review(20_000);
    let moved = review.moves.iter().find(|moved| moved.number == 6).expect("move 6");
    assert!(moved.judged.is_error() && moved.judged.point == point("o15"), "{moved:?}");
    let before = review.nodes[5];
    let tries = ["g8", "k8", "a1", "a15"].map(|at| study.attempt(before, point(at)));
    let right: Vec<Point> = tries.iter().filter(|tried| tried.right).map(|tried| tried.at.point).collect();
    assert!(right.contains(&moved.better()[0]), "{right:?} without {}", moved.better());
    assert!(!right.contains(&point("a1")) && !right.contains(&point("a15")), "{tries:?}");
    for tried in tries {
        assert_eq!(tried.best, moved.before(), "one value before the move for all of them");
        assert_eq!(tried.right, tried.grade.is_none() && tried.value.mate.is_none(), "{tried:?}");
        let again = study.attempt(before, tried.at.point);
        assert_eq!(TriedEvent { job: tried.job, ..again }, tried);
    }
    // A position outside the reviewed line is judged on its own.
    let free = study.attempt(review.nodes[8], point("l8"));
    assert!(free.right && free.value.mate.is_some_and(|(_, plies)| plies == 0), "it completes the row");
}
