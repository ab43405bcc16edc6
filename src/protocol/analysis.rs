//! The reports of a running search and their output timing.
//!
//! Three kinds of output have separate rate limits, so that none delays another:
//! - Lines of play, as `INFO` blocks and `MESSAGE REALTIME`: from depth 5 on, every finished iteration at once. Earlier
//!   iterations end within milliseconds, and large sets of lines are long; for these only the newest lines are written,
//!   four times a second.
//! - Marks of root moves: see [`Marks`].
//! - Text for people: the best line when its depth or first move has changed, at most twice a second, and once more
//!   with the answer.
//!
//! Some managers check the clock at every message, so marks and text pause shortly before a deadline.

use super::marks::Marks;
use super::reply::Reply;
use super::summary::{self, Names};
use crate::engine::{Limits, Line, Point, Report, RootState};
use std::time::Duration;
use web_time::Instant;

/// All iterations from this depth on are written.
const SHOWN_DEPTH: u32 = 5;
/// Sets of more lines than this are written at intervals only.
const FEW_LINES: usize = 16;
/// Interval between written iterations, if not all are written.
const LINES_PAUSE: Duration = Duration::from_millis(250);
/// Interval between texts.
const TEXT_PAUSE: Duration = Duration::from_millis(500);
/// Time before a deadline in which marks and text are not written.
const QUIET: Duration = Duration::from_millis(100);

/// The kinds of output that the manager wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// `MESSAGE REALTIME`.
    pub(super) realtime: bool,
    /// `INFO` blocks.
    pub(super) lines: bool,
    /// Text for people.
    pub(super) text: bool,
    /// Repeat the text even if nothing has changed: when a manager has died, only a write to the closed pipe shows it.
    pub(super) repeats: bool,
    /// How points are named in text.
    pub(super) names: Names,
}

/// The reports of one search.
#[derive(Debug)]
pub(super) struct Analysis {
    /// The newest line of each rank.
    newest: Vec<Line>,
    /// Whether the newest lines have been written.
    is_shown: bool,
    /// Earliest time of the next lines, if not all are written.
    next_lines: Instant,
    /// Depth and first move of the last text.
    last_reported: Option<(u32, Point)>,
    /// Earliest time of the next text.
    next_text: Instant,
    marks: Marks,
    best: Option<Point>,
    /// From this time until the answer only lines of play are written.
    quiet: Option<Instant>,
}

impl Analysis {
    /// For a search requested at `started`, with these limits.
    pub(super) fn new(limits: &Limits, started: Instant) -> Analysis {
        Analysis {
            newest: Vec::new(),
            is_shown: false,
            next_lines: started,
            last_reported: None,
            next_text: started.checked_add(TEXT_PAUSE).unwrap_or(started),
            marks: Marks::new(started),
            best: None,
            quiet: limits.longest().and_then(|longest| started.checked_add(longest.saturating_sub(QUIET))),
        }
    }

    /// The best move reported so far.
    pub(super) fn best(&self) -> Option<Point> {
        self.best
    }

    /// Stores a report; returns the replies to write for it now.
    pub(super) fn report(&mut self, report: Report, at: Instant, wanted: Wanted) -> Vec<Reply> {
        match report {
            Report::Line(line) => self.line(line, at, wanted),
            Report::Root(point, state) => {
                if state == RootState::Best {
                    self.best = Some(point);
                }
                self.mark(point, state, at, wanted).into_iter().collect()
            }
            Report::Book(line) if wanted.text => vec![summary::book(&line, wanted.names)],
            Report::Book(_) => Vec::new(),
        }
    }

    /// When [`Analysis::clock`] has something to write, if no report arrives before.
    pub(super) fn wake(&self, wanted: Wanted) -> Option<Instant> {
        let lines = self.owes_lines(wanted).then_some(self.next_lines);
        let text = Some(self.next_text).filter(|at| self.owes_text(wanted) && !self.is_quiet(*at));
        lines.into_iter().chain(text).min()
    }

    /// The replies to write at this time.
    pub(super) fn clock(&mut self, at: Instant, wanted: Wanted) -> Vec<Reply> {
        let mut replies = Vec::new();
        if self.owes_lines(wanted) && at >= self.next_lines {
            replies.extend(self.show_all(wanted));
            self.next_lines = at.checked_add(LINES_PAUSE).unwrap_or(at);
        }
        replies.extend(self.text(at, wanted));
        replies
    }

    /// The replies to write before the answer: all lines and marks held back, and the last text. `line` is the line of
    /// the answer, which counts if it was searched.
    pub(super) fn finish(&mut self, line: Option<&Line>, wanted: Wanted) -> Vec<Reply> {
        let last = line.filter(|line| line.depth > 0 && !line.moves.is_empty());
        let last = last.cloned().map(|line| continued(line, &self.newest));
        // A goal that takes several searches is decided by a line that was not reported.
        if let Some(last) = &last
            && self.newest.first().is_none_or(|newest| newest.moves.first() != last.moves.first())
        {
            self.marks.set_best(last.moves.first().copied());
            self.newest = vec![last.clone()];
            self.is_shown = false;
        }
        let mut replies = if wanted.realtime { self.marks.finish() } else { Vec::new() };
        if self.owes_lines(wanted) {
            replies.extend(self.show_all(wanted));
        }
        let best = self.newest.first().filter(|line| line.moves.first() == self.best.as_ref());
        if let Some(last) = last.as_ref().or(best).filter(|_| wanted.text) {
            replies.push(summary::text(last, wanted.names));
        }
        replies
    }

    fn line(&mut self, line: Line, at: Instant, wanted: Wanted) -> Vec<Reply> {
        let Some(first) = line.moves.first().copied() else { return Vec::new() };
        let line = continued(line, &self.newest);
        let (rank, is_lost) = (line.pv_index, line.score.is_loss());
        let mut replies = Vec::new();
        if rank == 0 {
            self.best = Some(first);
            // Either all lines of one iteration are written or none.
            self.is_shown = line.depth >= SHOWN_DEPTH && line.pv_count <= FEW_LINES || at >= self.next_lines;
            if self.is_shown {
                self.next_lines = at.checked_add(LINES_PAUSE).unwrap_or(at);
            }
            self.newest.truncate(line.pv_count);
            replies.extend(self.mark(first, RootState::Best, at, wanted));
        }
        let known = self.newest.len();
        match self.newest.get_mut(rank) {
            Some(newest) => *newest = line,
            None if rank == known => self.newest.push(line),
            None => return replies,
        }
        if is_lost {
            replies.extend(self.mark(first, RootState::Lost, at, wanted));
        }
        if self.is_shown {
            replies.extend(self.show(rank, wanted));
        }
        replies.extend(self.text(at, wanted));
        replies
    }

    fn mark(&mut self, point: Point, state: RootState, at: Instant, wanted: Wanted) -> Option<Reply> {
        let wanted = wanted.realtime && !self.is_quiet(at);
        self.marks.update(point, state, at, wanted)
    }

    fn is_quiet(&self, at: Instant) -> bool {
        self.quiet.is_some_and(|quiet| at >= quiet)
    }

    fn owes_lines(&self, wanted: Wanted) -> bool {
        (wanted.lines || wanted.realtime) && !self.is_shown && !self.newest.is_empty()
    }

    /// Writes the newest lines that belong to one iteration.
    fn show_all(&mut self, wanted: Wanted) -> Vec<Reply> {
        self.is_shown = true;
        let depth = self.newest.first().map(|line| line.depth);
        let known = self.newest.iter().take_while(|line| Some(line.depth) == depth).count();
        (0..known).flat_map(|rank| self.show(rank, wanted)).collect()
    }

    fn show(&self, rank: usize, wanted: Wanted) -> Vec<Reply> {
        let Some(line) = self.newest.get(rank) else { return Vec::new() };
        let mut replies = Vec::new();
        if wanted.realtime && rank == 0 {
            replies.extend(summary::realtime(line, wanted.names));
        }
        if wanted.lines {
            replies.extend(summary::block(line));
        }
        replies
    }

    fn owes_text(&self, wanted: Wanted) -> bool {
        wanted.text && self.newest.first().is_some_and(|line| wanted.repeats || self.last_reported != about(line))
    }

    fn text(&mut self, at: Instant, wanted: Wanted) -> Option<Reply> {
        if self.is_quiet(at) {
            // No more text follows before the answer, so there is no time to wake for.
            self.next_text = self.next_text.max(at);
            return None;
        }
        let line = self.newest.first().filter(|_| self.owes_text(wanted) && at >= self.next_text)?;
        self.last_reported = about(line);
        self.next_text = at.checked_add(TEXT_PAUSE).unwrap_or(at);
        Some(summary::text(line, wanted.names))
    }
}

/// The parts of a line whose change causes another text.
fn about(line: &Line) -> Option<(u32, Point)> {
    Some((line.depth, *line.moves.first()?))
}

/// The line to report. An aborted iteration may know only the first moves of its line; then the moves of the last
/// completed iteration stay, with the nodes and the time of the new line.
fn continued(line: Line, before: &[Line]) -> Line {
    let same = before.iter().find(|old| old.moves.first() == line.moves.first());
    match same.filter(|old| old.depth >= line.depth && old.moves.len() > line.moves.len()) {
        Some(old) if !line.score.is_proven() => Line { nodes: line.nodes, elapsed: line.elapsed, ..old.clone() },
        Some(_) | None => line,
    }
}
