//! Live analysis with a thread of its own for the events, so that the newest state is shown in time even when the
//! search reports nothing for a while.

use super::MessageSink;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tengen::engine::{Engine, StopToken};
use tengen_session::job::WorkerMessage;
use tengen_session::lock;
use tengen_session::view::Event;
use tengen_session::work::KnownPositions;
use tengen_session::work::analysis::{AnalysisRequest, Gathered, INTERVAL, Progress, search};

/// Analyses until it is stopped or everything is found. Its last event has `done` set.
pub fn run(
    engine: &mut Engine,
    job: u64,
    request: &AnalysisRequest,
    known: Option<&dyn KnownPositions>,
    stop: &StopToken,
    tell: &MessageSink,
) {
    let newest = Newest { state: Mutex::default(), changed: Condvar::new() };
    let started = Instant::now();
    let show = |gathered: &Gathered, last: bool| {
        let event = Event::Analysis(gathered.event(request, started.elapsed(), last));
        tell(WorkerMessage::Event { job, last, event });
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while let Some(gathered) = newest.next() {
                show(&gathered, false);
            }
        });
        // If the search panics, the other thread still has to end.
        let _end = End(&newest);
        search(engine, request, known, stop, &newest);
    });
    let gathered = std::mem::take(&mut lock(&newest.state).gathered);
    show(&gathered, true);
}

/// The newest state of the search, passed from one thread to another.
struct Newest {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    gathered: Gathered,
    is_new: bool,
    ended: bool,
    sent: Option<Instant>,
}

impl Progress for Newest {
    fn update<T>(&self, change: impl FnOnce(&mut Gathered) -> T) -> T {
        let mut state = lock(&self.state);
        let result = change(&mut state.gathered);
        if state.gathered.is_worth_showing() && !std::mem::replace(&mut state.is_new, true) {
            self.changed.notify_one();
        }
        result
    }
}

impl Newest {
    /// Waits until there is a new state and the interval has passed; `None` at the end.
    fn next(&self) -> Option<Gathered> {
        let mut state = lock(&self.state);
        loop {
            if state.ended {
                return None;
            }
            let rest = state.sent.map_or(Duration::ZERO, |sent| INTERVAL.saturating_sub(sent.elapsed()));
            state = if !state.is_new {
                self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
            } else if !rest.is_zero() {
                self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
            } else {
                state.is_new = false;
                state.sent = Some(Instant::now());
                return Some(state.gathered.clone());
            };
        }
    }
}

/// Ends the waiting when it is dropped.
struct End<'a>(&'a Newest);

impl Drop for End<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).ended = true;
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tengen::board::{BoardSize, Setup, parse_points};
    use tengen::engine::{Options, Rule};
    use tengen_session::view::AnalysisEvent;

    /// All events of an analysis that is stopped after some milliseconds, or ends by itself.
    fn events(labels: &str, rule: Rule, lines: usize, time: Option<u64>) -> Vec<(AnalysisEvent, bool)> {
        let size = BoardSize::RENJU;
        let setup = Setup::from_moves(size, parse_points(size, labels).unwrap());
        let told = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&told);
        let tell: MessageSink = Arc::new(move |news| match news {
            WorkerMessage::Event { job: 4, last, event: Event::Analysis(event) } => lock(&into).push((event, last)),
            other => panic!("{other:?}"),
        });
        let mut engine = Engine::new(Options { hash: Some(4 << 20), book: true, ..Options::default() });
        let stop = StopToken::new();
        let request = AnalysisRequest { node: 9, setup, rule, lines, avoid: Vec::new() };
        std::thread::scope(|scope| {
            if let Some(ms) = time {
                let stop = stop.clone();
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(ms));
                    stop.stop();
                });
            }
            run(&mut engine, 4, &request, None, &stop, &tell);
        });
        std::mem::take(&mut *lock(&told))
    }

    #[test]
    fn events_come_slowly_and_end_with_one_that_says_so() {
        let started = Instant::now();
        let events = events("h8i9", Rule::Freestyle, 3, Some(700));
        let most = 2 + started.elapsed().as_millis() / INTERVAL.as_millis();
        assert!((2..=most as usize).contains(&events.len()), "{} events", events.len());
        let (last, rest) = events.split_last().unwrap();
        assert!(last.1 && last.0.done && rest.iter().all(|(event, last)| !event.done && !last));
        for (event, _) in &events {
            let Some(best) = event.lines.first() else { panic!("no lines") };
            assert!(event.node == 9 && event.lines.len() <= 3 && best.loss == 0.0);
            assert!(event.lines.iter().all(|line| line.loss >= 0.0));
        }
        assert!(last.0.nodes > 0 && last.0.depth > 1 && !last.0.roots.is_empty());
    }
}
