//! Live analysis: collects the reports of a search, and shows them at most ten times a second.

use super::{KnownPositions, MessageSink};
use crate::job::WorkerMessage;
use crate::points::BoardPoint;
use crate::view::{AnalysisEvent, Event, PvLine, Root};
use std::cell::RefCell;
use std::collections::BTreeMap;
use tengen::board::{Point, Setup};
use tengen::engine::{Answer, Engine, Limits, Line, Proven, Report, Request, RootState, Rule, StopToken};
use tengen_analysis::analyze::{ended, play_out};
use web_time::{Duration, Instant};

/// Minimum time between two events.
pub const INTERVAL: Duration = Duration::from_millis(100);
/// Node limit of each search that extends a proven line beyond its end.
const LINE_NODES: u64 = 500_000;

/// A request for live analysis.
#[derive(Clone, Debug)]
pub struct AnalysisRequest {
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

/// Where the reports of a search are gathered, and shown.
pub trait Progress {
    /// Changes what is known.
    fn update<T>(&self, change: impl FnOnce(&mut Gathered) -> T) -> T;
}

/// Analyses until it is stopped or everything is found. Its last event has `done` set.
///
/// Events come from the reports of the search alone, so that no other thread is needed.
pub fn run(
    engine: &mut Engine,
    job: u64,
    request: &AnalysisRequest,
    known: Option<&dyn KnownPositions>,
    stop: &StopToken,
    tell: MessageSink<'_>,
) {
    let started = Instant::now();
    let show = |gathered: &Gathered, last: bool| {
        let event = Event::Analysis(gathered.event(request, started.elapsed(), last));
        tell(WorkerMessage::Event { job, last, event });
    };
    let paced = Paced { state: RefCell::default(), show: |gathered: &Gathered| show(gathered, false) };
    search(engine, request, known, stop, &paced);
    show(&paced.state.into_inner().0, true);
}

/// What is known, and when it was shown.
struct Paced<F> {
    state: RefCell<(Gathered, Option<Instant>)>,
    show: F,
}

impl<F: Fn(&Gathered)> Progress for Paced<F> {
    fn update<T>(&self, change: impl FnOnce(&mut Gathered) -> T) -> T {
        let (gathered, shown) = &mut *self.state.borrow_mut();
        let result = change(gathered);
        if gathered.is_worth_showing() && shown.is_none_or(|shown| shown.elapsed() >= INTERVAL) {
            *shown = Some(Instant::now());
            (self.show)(gathered);
        }
        result
    }
}

/// Searches until it is stopped or everything is found. What the database proves is not searched again, and it may
/// store the result. A finished game has none.
pub fn search(
    engine: &mut Engine,
    request: &AnalysisRequest,
    known: Option<&dyn KnownPositions>,
    stop: &StopToken,
    progress: &impl Progress,
) {
    let AnalysisRequest { node: _, setup, rule, lines, avoid } = request;
    if ended(setup, *rule).is_some() {
        return;
    }
    let Proven { line, losing } = known.map(|known| known.proven(setup, *rule)).unwrap_or_default();
    match line.filter(|line| *lines <= 1 && line.moves.iter().all(|point| !avoid.contains(point))) {
        Some(line) => progress.update(|gathered| (gathered.lines, gathered.stored) = (vec![line], true)),
        None => search_moves(engine, request, &losing, stop, progress),
    }
    let best = progress.update(|gathered| gathered.lines.first().cloned());
    let win = best.filter(|_| !stop.is_stopped());
    let win = win.and_then(|line| play_out(engine, setup, *rule, &line, LINE_NODES, stop));
    if let Some(win) = win {
        progress.update(|gathered| gathered.lines[0].moves = win.moves);
    }
    let found = progress.update(|gathered| if gathered.stored { Vec::new() } else { gathered.lines.clone() });
    if let Some(known) = known.filter(|_| !found.is_empty()) {
        known.found(setup, *rule, &found, avoid.is_empty());
    }
}

/// Searches the moves of which nothing is proven.
fn search_moves(
    engine: &mut Engine,
    request: &AnalysisRequest,
    losing: &[Point],
    stop: &StopToken,
    progress: &impl Progress,
) {
    let AnalysisRequest { node: _, setup, rule, lines, avoid } = request;
    let open = avoid.iter().filter(|point| !losing.contains(point)).chain(losing);
    let excluded: Vec<Point> = open.copied().collect();
    let request = Request {
        lines: (*lines).max(1),
        excluded: if excluded.len() < setup.empty_cells() { excluded } else { avoid.clone() },
        analysis: true,
        ..Request::new(setup.clone(), *rule, Limits::infinite())
    };
    progress.update(|gathered| gathered.roots.extend(losing.iter().map(|point| (*point, RootState::Lost))));
    let outcome = engine.think(&request, stop, &mut |report| progress.update(|gathered| gathered.add(report)));
    progress.update(|gathered| {
        if gathered.lines.is_empty() && matches!(outcome.answer, Answer::Points(_)) {
            gathered.lines.push(outcome.line);
        }
    });
}

/// The reports of the search so far.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
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

    /// Reports of root moves alone are not shown before there is a line.
    pub fn is_worth_showing(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The event that shows what is known.
    pub fn event(&self, request: &AnalysisRequest, elapsed: Duration, done: bool) -> AnalysisEvent {
        let AnalysisRequest { node, setup, .. } = request;
        let size = setup.size;
        let first = self.lines.first();
        let nodes = self.lines.iter().map(|line| line.nodes).max().unwrap_or(0);
        // The speed refers to the time when the nodes were counted.
        let counted = self.lines.iter().map(|line| line.elapsed).max().unwrap_or_default();
        let best = first.map(|line| line.score).unwrap_or_default();
        let root = |(point, state): (&Point, &RootState)| Root { at: BoardPoint::new(size, *point), state: *state };
        AnalysisEvent {
            node: *node,
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

#[cfg(test)]
mod tests {
    use super::*;
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

    /// All events of an analysis that is stopped at an event after some time, or ends by itself.
    fn events(labels: &str, rule: Rule, lines: usize, time: Option<u64>) -> Vec<(AnalysisEvent, bool)> {
        let size = BoardSize::RENJU;
        let setup = Setup::from_moves(size, parse_points(size, labels).unwrap());
        let (told, stop, started) = (RefCell::new(Vec::new()), StopToken::new(), Instant::now());
        let tell = |message| match message {
            WorkerMessage::Event { job: 4, last, event: Event::Analysis(event) } => {
                told.borrow_mut().push((event, last));
                if time.is_some_and(|ms| started.elapsed() >= Duration::from_millis(ms)) {
                    stop.stop();
                }
            }
            other => panic!("{other:?}"),
        };
        let mut engine = Engine::new(Options { hash: Some(4 << 20), book: true, ..Options::default() });
        let request = AnalysisRequest { node: 9, setup, rule, lines, avoid: Vec::new() };
        run(&mut engine, 4, &request, None, &stop, &tell);
        told.into_inner()
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
