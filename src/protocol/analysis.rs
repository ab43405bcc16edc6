//! What a running search has reported, and the analysis lines that a board asked to see.
//!
//! Boards draw each line as it comes and some managers check the clock at each, so the lines are few (25 a
//! second on average, never 50 in one) and none is written shortly before a deadline. Nothing is lost by that: the
//! newest lines are written with the answer.

use super::reply::Reply;
use crate::engine::{BoardSize, Limits, Line, Point, Report, RootState};
use std::time::{Duration, Instant};

/// Average time between two lines.
const LINE: Duration = Duration::from_millis(40);
/// Lines that may come at once, as a time.
const BURST: Duration = Duration::from_secs(1);
/// No lines so near to a deadline.
const QUIET: Duration = Duration::from_millis(100);

/// Which lines are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// `MESSAGE REALTIME`.
    pub(super) realtime: bool,
    /// `INFO` blocks.
    pub(super) lines: bool,
}

/// The news of one search.
#[derive(Debug)]
pub(super) struct Analysis {
    /// The newest line of each rank, and whether it was written.
    newest: Vec<(Line, bool)>,
    best: Option<Point>,
    /// Root moves that the board shows as being searched.
    marked: Vec<Point>,
    /// The lines written so far are paid for at this time.
    paid: Instant,
    /// From here on only the answer is written.
    quiet: Option<Instant>,
}

impl Analysis {
    /// For a search with these limits.
    pub(super) fn new(limits: &Limits) -> Analysis {
        let deadline = [limits.turn, limits.left].into_iter().flatten().min();
        let quiet = deadline.and_then(|d| limits.started.checked_add(d.saturating_sub(QUIET)));
        Analysis { newest: Vec::new(), best: None, marked: Vec::new(), paid: limits.started, quiet }
    }

    /// The best move reported so far.
    pub(super) fn best(&self) -> Option<Point> {
        self.best
    }

    /// Takes note of a report; what is to be written for it now.
    pub(super) fn report(&mut self, report: Report, at: Instant, wanted: Wanted) -> Vec<Reply> {
        match report {
            Report::Line(line) => self.line(line, at, wanted),
            Report::Root(point, state) => self.root(point, state, at, wanted),
        }
    }

    fn line(&mut self, line: Line, at: Instant, wanted: Wanted) -> Vec<Reply> {
        let Some(first) = line.moves.first().copied() else { return Vec::new() };
        if line.rank == 0 {
            self.best = Some(first);
        }
        // The lines of one iteration are written all or not at all.
        let shown = wanted.lines
            && match self.newest.first() {
                Some((leader, shown)) if line.rank > 0 => *shown && leader.depth == line.depth,
                _ => self.spend(BLOCK * u32::try_from(line.of).unwrap_or(u32::MAX).max(1), at),
            };
        let block = if shown { block(&line) } else { Vec::new() };
        let ranks = self.newest.len();
        match self.newest.get_mut(line.rank) {
            Some(slot) => *slot = (line, shown),
            None if line.rank == ranks => self.newest.push((line, shown)),
            None => {}
        }
        block
    }

    fn root(&mut self, point: Point, state: RootState, at: Instant, wanted: Wanted) -> Vec<Reply> {
        if state == RootState::Best {
            self.best = Some(point);
        }
        if !wanted.realtime {
            return Vec::new();
        }
        let mark = self.marked.iter().position(|p| *p == point);
        let word = match (state, mark) {
            (RootState::Best, _) if self.spend(1, at) => "BEST",
            // Two, so that the mark can be taken away again.
            (RootState::Searching, None) if self.spend(2, at) => {
                self.marked.push(point);
                "POS"
            }
            (RootState::Searched, Some(index)) => {
                self.marked.swap_remove(index);
                "DONE"
            }
            (RootState::Lost, Some(index)) => {
                self.marked.swap_remove(index);
                "LOST"
            }
            (RootState::Lost, None) if self.spend(1, at) => "LOST",
            _ => return Vec::new(),
        };
        vec![Reply::Message(format!("REALTIME {word} {},{}", point.x(), point.y()))]
    }

    /// The newest lines that were not written yet.
    pub(super) fn finish(&mut self, wanted: Wanted) -> Vec<Reply> {
        if !wanted.lines {
            return Vec::new();
        }
        let last = self.newest.first().map(|(line, _)| line.of);
        let late = self.newest.iter().take(last.unwrap_or(0)).filter(|(_, shown)| !shown);
        late.flat_map(|(line, _)| block(line)).collect()
    }

    /// Whether this many lines may be written now; if so, counts them.
    fn spend(&mut self, lines: u32, at: Instant) -> bool {
        if self.quiet.is_some_and(|quiet| at >= quiet) {
            return false;
        }
        let debt = self.paid.saturating_duration_since(at);
        let cost = LINE.saturating_mul(lines);
        if !debt.is_zero() && debt + cost > BURST {
            return false;
        }
        let Some(paid) = at.checked_add(debt.saturating_add(cost)) else { return false };
        self.paid = paid;
        true
    }
}

/// Lines of one block.
const BLOCK: u32 = 12;

/// One line of play as the boards read it; every `INFO` has a value, or they crash.
fn block(line: &Line) -> Vec<Reply> {
    let Line { rank, of, depth, seldepth, score, nodes, elapsed, moves } = line;
    let milliseconds = elapsed.as_millis().max(1);
    let speed = u128::from(*nodes) * 1000 / milliseconds;
    vec![
        Reply::info("PV", rank),
        Reply::info("NUMPV", of),
        Reply::info("DEPTH", depth),
        Reply::info("SELDEPTH", seldepth),
        Reply::info("NODES", nodes),
        Reply::info("TOTALNODES", nodes),
        Reply::info("TOTALTIME", elapsed.as_millis()),
        Reply::info("SPEED", speed),
        Reply::info("EVAL", score),
        Reply::info("WINRATE", format_args!("{:.4}", score.win_rate())),
        Reply::info("BESTLINE", Reply::Points(moves.clone())),
        Reply::info("PV", "DONE"),
    ]
}

/// A finished search in one line, with the labels that Yixin-Board prints beside its board: there, the first
/// coordinate is the row counted from the top.
pub(super) fn summary(line: &Line, size: BoardSize) -> Option<Reply> {
    if line.moves.is_empty() {
        return None;
    }
    let label = |p: &Point| format!("{}{}", char::from(b'a' + p.y()), size.width().saturating_sub(p.x()));
    let moves = line.moves.iter().map(label).collect::<Vec<_>>().join(" ");
    let Line { depth, seldepth, score, nodes, elapsed, .. } = line;
    let milliseconds = elapsed.as_millis();
    Some(Reply::Message(format!(
        "depth {depth}-{seldepth} eval {score} nodes {nodes} time {milliseconds} ms line {moves}"
    )))
}
