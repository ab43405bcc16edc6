//! Live analysis: collects the reports of a search and sends them at most ten times a second.

use super::MessageSink;
use crate::explorer::Explorer;
use crate::job::WorkerMessage;
use crate::lock;
use crate::points::BoardPoint;
use crate::view::{AnalysisEvent, Event, PvLine, Root};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tengen::board::{Point, Setup};
use tengen::engine::{Answer, Engine, Limits, Line, Report, Request, RootState, Rule, StopToken};
use tengen_analysis::analyze::{ended, play_out};
use tengen_database::Proven;

/// Minimum time between two events.
const INTERVAL: Duration = Duration::from_millis(100);
/// Node limit of each search that extends a proven line beyond its end.
const LINE_NODES: u64 = 500_000;

/// What to analyse.
pub struct Wanted {
    /// The node.
    pub node: u32,
    /// The position.
    pub setup: Setup,
    /// The rule.
    pub rule: Rule,
    /// Number of lines.
    pub lines: usize,
    /// Moves that are excluded.
    pub avoid: Vec<Point>,
}

/// Analyses until it is stopped or everything is found. Its last event has `done` set. What the database proves is not
/// searched again, and it may store the result.
pub fn run(
    engine: &mut Engine,
    job: u64,
    wanted: Wanted,
    explorer: Option<&Explorer>,
    stop: &StopToken,
    tell: &MessageSink,
) {
    let Wanted { node, setup, rule, lines, avoid } = wanted;
    let newest = Newest { state: Mutex::default(), changed: Condvar::new() };
    let started = Instant::now();
    let event =
        |gathered: &Gathered, done: bool| Event::Analysis(gathered.event(node, &setup, started.elapsed(), done));
    let is_of_all = avoid.is_empty();
    if ended(&setup, rule).is_none() {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while let Some(gathered) = newest.next() {
                    tell(WorkerMessage::Event { job, last: false, event: event(&gathered, false) });
                }
            });
            // If the search panics, the other thread still has to end.
            let _end = End(&newest);
            let Proven { line, losing } = explorer.map(|explorer| explorer.proven(&setup, rule)).unwrap_or_default();
            let is_lost = |point: &Point| losing.contains(point);
            if let Some(line) = line.filter(|line| lines <= 1 && line.moves.iter().all(|point| !avoid.contains(point)))
            {
                newest.update(|known| (known.lines, known.stored) = (vec![line], true));
            } else {
                let open = avoid.iter().filter(|point| !is_lost(point)).copied().chain(losing.iter().copied());
                let excluded: Vec<Point> = open.collect();
                let request = Request {
                    lines: lines.max(1),
                    excluded: if excluded.len() < setup.empty_cells() { excluded } else { avoid },
                    analysis: true,
                    ..Request::new(setup.clone(), rule, Limits::infinite())
                };
                newest.update(|known| known.roots.extend(losing.iter().map(|point| (*point, RootState::Lost))));
                let outcome = engine.think(&request, stop, &mut |report| newest.update(|known| known.add(report)));
                newest.update(|known| {
                    if known.lines.is_empty() && matches!(outcome.answer, Answer::Points(_)) {
                        known.lines.push(outcome.line);
                    }
                });
            }
            let best = lock(&newest.state).gathered.lines.first().cloned();
            let win = best.filter(|_| !stop.is_stopped());
            let win = win.and_then(|line| play_out(engine, &setup, rule, &line, LINE_NODES, stop));
            if let Some(win) = win {
                newest.update(|known| known.lines[0].moves = win.moves);
            }
        });
    }
    let gathered = std::mem::take(&mut lock(&newest.state).gathered);
    if let Some(explorer) = explorer.filter(|_| !gathered.stored && !gathered.lines.is_empty()) {
        explorer.found(setup.clone(), rule, gathered.lines.clone(), is_of_all);
    }
    tell(WorkerMessage::Event { job, last: true, event: event(&gathered, true) });
}

/// The reports of the search so far.
#[derive(Clone, Debug, Default)]
struct Gathered {
    /// Best first.
    lines: Vec<Line>,
    roots: BTreeMap<Point, RootState>,
    book: Option<Point>,
    /// Whether the lines are from the database.
    stored: bool,
}

impl Gathered {
    fn add(&mut self, report: &Report) {
        match report {
            Report::Line(line) => self.add_line(line),
            Report::Root(point, state) => {
                self.roots.insert(*point, *state);
            }
            Report::Book(line) => self.book = line.moves.first().copied(),
        }
    }

    /// Stores a line at its rank, in place of the line of the previous iteration, and removes an older line with the
    /// same first move.
    fn add_line(&mut self, line: &Line) {
        let first = line.moves.first();
        self.lines.truncate(line.pv_count);
        let mut rank = 0;
        self.lines.retain(|old| {
            rank += 1;
            rank <= line.pv_index || old.moves.first() != first
        });
        match self.lines.get_mut(line.pv_index) {
            // The old move at this rank moves down, or is dropped if there is no room.
            Some(old) if old.moves.first() != first && old.depth < line.depth => {
                self.lines.insert(line.pv_index, line.clone());
                self.lines.truncate(line.pv_count);
            }
            Some(old) => *old = line.clone(),
            None => self.lines.push(line.clone()),
        }
    }

    fn event(&self, node: u32, setup: &Setup, elapsed: Duration, done: bool) -> AnalysisEvent {
        let size = setup.size;
        let first = self.lines.first();
        let nodes = self.lines.iter().map(|line| line.nodes).max().unwrap_or(0);
        // The speed refers to the time when the nodes were counted.
        let counted = self.lines.iter().map(|line| line.elapsed).max().unwrap_or_default();
        let best = first.map(|line| line.score).unwrap_or_default();
        let root = |(point, state): (&Point, &RootState)| Root { at: BoardPoint::new(size, *point), state: *state };
        AnalysisEvent {
            node,
            depth: first.map_or(0, |line| line.depth),
            seldepth: first.map_or(0, |line| line.seldepth),
            nodes,
            nps: (nodes as f64 / counted.as_secs_f64().max(1e-3)) as u64,
            ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            done,
            lines: self.lines.iter().map(|line| PvLine::new(size, setup.to_move, line, best)).collect(),
            roots: self.roots.iter().map(root).collect(),
            book: self.book.map(|point| BoardPoint::new(size, point)),
            stored: self.stored,
        }
    }
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

impl Newest {
    fn update(&self, change: impl FnOnce(&mut Gathered)) {
        let mut state = lock(&self.state);
        change(&mut state.gathered);
        // Reports of root moves alone are not sent before there is a line.
        if !state.gathered.lines.is_empty() && !std::mem::replace(&mut state.is_new, true) {
            self.changed.notify_one();
        }
    }

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
    use tengen::board::{BoardSize, Side, parse_points};
    use tengen::engine::{Options, Score};

    fn line(pv_index: usize, depth: u32, point: Point) -> Report {
        let score = Score::units(10 * depth as i32 - pv_index as i32);
        Report::Line(Line { pv_index, pv_count: 3, depth, score, moves: vec![point], ..Line::default() })
    }

    #[test]
    fn lines_of_two_iterations_never_hold_a_move_twice() {
        let [a, b, c, d] = [0, 1, 2, 3].map(|x| Point::at(x, 0));
        let mut gathered = Gathered::default();
        let firsts = |gathered: &Gathered| gathered.lines.iter().map(|l| l.moves[0]).collect::<Vec<_>>();
        for (i, point) in [a, b, c].into_iter().enumerate() {
            gathered.add(&line(i, 1, point));
        }
        assert_eq!(firsts(&gathered), [a, b, c]);
        gathered.add(&line(0, 2, c));
        assert_eq!(firsts(&gathered), [c, a, b]);
        gathered.add(&line(1, 2, d));
        assert_eq!(firsts(&gathered), [c, d, a]);
        gathered.add(&line(2, 2, b));
        assert_eq!(firsts(&gathered), [c, d, b]);
        // A better move within the iteration replaces the best one.
        gathered.add(&line(0, 2, a));
        assert_eq!(firsts(&gathered), [a, d, b]);
    }

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
        let wanted = Wanted { node: 9, setup, rule, lines, avoid: Vec::new() };
        std::thread::scope(|scope| {
            if let Some(ms) = time {
                let stop = stop.clone();
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(ms));
                    stop.stop();
                });
            }
            run(&mut engine, 4, wanted, None, &stop, &tell);
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

    #[test]
    fn values_are_blacks_whoever_is_to_move() {
        // White is far ahead, once with white to move and once with black.
        for labels in ["h8i9o1i10o15i11a1", "h8i9o1i10o15i11a1i8"] {
            let events = events(labels, Rule::Freestyle, 2, Some(300));
            let value = &events.last().unwrap().0.lines[0].value;
            assert!(value.win_rate < 0.2, "{labels}: {value:?}");
            assert!(value.mate.is_none_or(|(side, _)| side == Side::White), "{value:?}");
            assert!(value.score.is_none_or(|score| score < 0), "{value:?}");
        }
    }

    #[test]
    fn the_end_of_a_proven_line_is_shown_and_a_finished_game_has_none() {
        let won = events("h8a1i8a15j8o1", Rule::Freestyle, 1, None);
        let (event, last) = won.last().unwrap();
        assert!(*last && event.lines[0].value.mate.is_some());
        assert_eq!(event.lines[0].moves.len(), 3, "four and five");
        let over = events("h8a1i8b1j8c1k8d1l8", Rule::Freestyle, 1, None);
        assert_eq!(over.len(), 1);
        assert!(over[0].0.done && over[0].0.lines.is_empty());
    }
}
