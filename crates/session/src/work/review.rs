//! Reviews, and the events that show their progress to clients.

use super::MessageSink;
use crate::job::{Job, Task, WorkerMessage};
use crate::view::{Event, MoveReview, ReviewEvent, ReviewState, Sum, Sums};
use tengen::board::{BoardSize, Side};
use tengen::engine::{Engine, StopToken};
use tengen_analysis::review::{Judgement, Review, Settings, Summary, review};

/// How fast accuracy falls with the win probability lost. A move that loses 5 percentage points has accuracy 80, one
/// that loses 20 has 41, one that loses 50 has 11.
const ACCURACY_DECAY: f64 = 4.5;

/// Accuracy of a move: 100 for a move that loses nothing, and `100 * exp(-4.5 * loss)` for one that loses this much win
/// probability, 0 to 1.
pub fn accuracy(loss: f64) -> f64 {
    100.0 * (-ACCURACY_DECAY * loss.clamp(0.0, 1.0)).exp()
}

/// Reviews the line of a job. Returns the review if it was completed.
pub fn run(engine: &mut Engine, job: Job, stop: &StopToken, tell: MessageSink<'_>) -> Option<Review> {
    let Task::Review { game, nodes, played, limits } = job.task else { return None };
    let size = played.setup.size;
    let mut event = begun(job.id, game, nodes);
    let tell = |event: &ReviewEvent, last: bool| {
        tell(WorkerMessage::Event { job: job.id, last, event: Event::Review(event.clone()) });
    };
    let settings = Settings { limits, ..Settings::default() };
    let first = played.first;
    // State from other games must not change the result.
    engine.clear();
    let found = review(engine, &played, &settings, stop, &mut |progress| {
        (event.done, event.total) = (progress.done, progress.total);
        if let Some(newest) = progress.newest {
            add(&mut event, size, first, newest);
        }
        tell(&event, false);
    });
    let Ok(found) = found else {
        event.state = ReviewState::Cancelled;
        tell(&event, true);
        return None;
    };
    event.moves.clear();
    found.moves.iter().for_each(|judged| add(&mut event, size, first, judged));
    for (known, rate) in event.win_rates.iter_mut().zip(&found.win_rates) {
        *known = *rate;
    }
    event.state = if found.complete { ReviewState::Done } else { ReviewState::Cancelled };
    if found.complete {
        event.sums = Some(sums(&found));
    }
    tell(&event, true);
    found.complete.then_some(found)
}

/// The event before anything is known.
pub(super) fn begun(job: u64, game: u64, nodes: Vec<u32>) -> ReviewEvent {
    ReviewEvent {
        job,
        game,
        win_rates: vec![None; nodes.len()],
        nodes,
        done: 0,
        total: 0,
        state: ReviewState::Running,
        moves: Vec::new(),
        sums: None,
    }
}

/// Inserts a judgement in the order of the game, replacing an earlier one of the same move.
fn add(event: &mut ReviewEvent, size: BoardSize, first: usize, judged: &Judgement) {
    let number = judged.number - first;
    let Some(node) = event.nodes.get(number).copied() else { return };
    let black = |rate: f64| if judged.side == Side::Black { rate } else { 1.0 - rate };
    for (i, score) in [(number - 1, judged.before), (number, judged.after)] {
        if let Some(rate) = event.win_rates.get_mut(i) {
            *rate = Some(black(score.win_rate()));
        }
    }
    let moved = MoveReview { node, number, size, judged: judged.clone() };
    match event.moves.binary_search_by_key(&number, |known| known.number) {
        Ok(at) => event.moves[at] = moved,
        Err(at) => event.moves.insert(at, moved),
    }
}

/// The sums of both players. Accuracy is the mean over the moves, and 100 without moves.
fn sums(review: &Review) -> Sums {
    let totals = review.summary();
    let sum = |side: Side| {
        let Summary { moves, grades, missed, allowed, loss } = totals[side];
        let count = moves.max(1) as f64;
        let near: f64 = review.moves.iter().filter(|m| m.side == side).map(|m| accuracy(m.loss)).sum();
        let accuracy = if moves == 0 { 100.0 } else { near / count };
        Sum { moves, grades, missed, allowed, mean_loss: loss / count, accuracy }
    };
    Sums { black: sum(Side::Black), white: sum(Side::White) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use tengen::board::{Setup, parse_points};
    use tengen::engine::{Limits, Options, Rule};
    use tengen_analysis::review::Played;

    /// All events of a review of a game where White does not block Black's three.
    fn events(stop: &StopToken, after: usize) -> (Vec<ReviewEvent>, Option<Review>) {
        let size = BoardSize::RENJU;
        let setup = Setup::from_moves(size, parse_points(size, "h8a1i8a15j8o1g8o15k8").unwrap());
        let task = Task::Review {
            game: 5,
            nodes: (10..20).collect(),
            played: Played { rule: Rule::Freestyle, setup, first: 0 },
            limits: Limits::nodes(2_000),
        };
        let mut engine = Engine::new(Options { hash: Some(4 << 20), ..Options::default() });
        let told = RefCell::new(Vec::new());
        let review = run(&mut engine, Job { id: 3, task }, stop, &|news| match news {
            WorkerMessage::Event { job: 3, last, event: Event::Review(event) } => {
                assert_eq!(last, event.state != ReviewState::Running);
                told.borrow_mut().push(event);
                if told.borrow().len() == after {
                    stop.stop();
                }
            }
            other => panic!("{other:?}"),
        });
        (told.into_inner(), review)
    }

    #[test]
    fn a_review_grows_move_by_move_and_ends_with_its_sums() {
        let (events, review) = events(&StopToken::new(), usize::MAX);
        let review = review.expect("a finished review");
        let (last, rest) = events.split_last().unwrap();
        assert_eq!(rest.len(), 10, "a position before the first move and one after each");
        assert!(rest.windows(2).all(|pair| pair[0].done < pair[1].done && pair[0].moves.len() <= pair[1].moves.len()));
        assert_eq!((last.state, last.done, last.total, last.moves.len()), (ReviewState::Done, 10, 10, 9));
        assert!(last.moves.iter().enumerate().all(|(i, m)| (m.number, m.node) == (i + 1, 11 + i as u32)));
        assert!(last.win_rates.iter().all(Option::is_some));
        assert_eq!(last.win_rates[9], Some(1.0), "black has won");
        // White's move, which ignores black's three, has allowed the win.
        let sixth = &last.moves[5];
        assert_eq!((sixth.at().to_string().as_str(), sixth.judged.side), ("o1", Side::White));
        assert!(last.moves.iter().any(|m| m.judged.side == Side::White && m.judged.allowed_win), "{:?}", last.moves);
        let sums = last.sums.as_ref().unwrap();
        assert_eq!((sums.black.moves, sums.white.moves), (5, 4));
        assert!(sums.white.accuracy < sums.black.accuracy && sums.black.accuracy <= 100.0);
        assert_eq!(sums.white.allowed, review.summary()[Side::White].allowed);
    }

    #[test]
    fn a_cancelled_review_says_so_and_keeps_what_it_has() {
        let (events, review) = events(&StopToken::new(), 4);
        let last = events.last().unwrap();
        assert!(review.is_none() && last.state == ReviewState::Cancelled && last.sums.is_none());
        assert!((1..9).contains(&last.moves.len()));
        assert!(last.win_rates[0].is_none() && last.win_rates[9].is_some());
    }

    #[test]
    fn accuracy_falls_with_the_loss() {
        assert_eq!(accuracy(0.0), 100.0);
        assert!((accuracy(0.05) - 79.9).abs() < 0.1 && (accuracy(0.2) - 40.7).abs() < 0.1);
        assert!(accuracy(1.0) > 0.0 && accuracy(1.0) < 2.0);
    }
}
