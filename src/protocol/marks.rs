//! Marks of root moves on a board, as `MESSAGE REALTIME` lines: being searched, searched, lost, best.
//!
//! A search has thousands of them a second, so that a budget decides which are written: 25 a second on average, never
//! 50 at once. The final state is written whole.

use super::reply::Reply;
use crate::engine::{Point, RootState};
use std::time::{Duration, Instant};

/// Average time between two marks.
const PACE: Duration = Duration::from_millis(40);
/// Marks that may come at once, as a time.
const BURST: Duration = Duration::from_secs(1);

/// What a board shows of the root moves, and what it should show.
#[derive(Debug)]
pub(super) struct Marks {
    best: Option<Point>,
    shown_best: Option<Point>,
    /// Moves shown as being searched.
    searching: Vec<Point>,
    /// Losing moves, and whether they are shown.
    lost: Vec<(Point, bool)>,
    /// The marks written so far are paid for at this time.
    paid: Instant,
}

impl Marks {
    /// For a search that began at this time.
    pub(super) fn new(started: Instant) -> Marks {
        Marks { best: None, shown_best: None, searching: Vec::new(), lost: Vec::new(), paid: started }
    }

    /// Takes note of a move's state; the mark that is to be written now, if `wanted`.
    pub(super) fn update(&mut self, point: Point, state: RootState, at: Instant, wanted: bool) -> Option<Reply> {
        match state {
            RootState::Best => {
                self.best = Some(point);
                let is_new = self.shown_best != self.best;
                (wanted && is_new && self.spend(1, at)).then(|| {
                    self.shown_best = self.best;
                    mark("BEST", point)
                })
            }
            // Two, so that the mark can be taken away again.
            RootState::Searching if wanted && !self.searching.contains(&point) && self.spend(2, at) => {
                self.searching.push(point);
                Some(mark("POS", point))
            }
            RootState::Searching => None,
            RootState::Searched => self.take_searching(point).then(|| mark("DONE", point)),
            RootState::Lost => {
                let is_paid = self.take_searching(point);
                let known = self.lost.iter().position(|(p, _)| *p == point);
                let is_shown = known.and_then(|index| self.lost.get(index)).is_some_and(|(_, shown)| *shown);
                let shows = is_paid || wanted && !is_shown && self.spend(1, at);
                match known.and_then(|index| self.lost.get_mut(index)) {
                    Some((_, shown)) => *shown |= shows,
                    None => self.lost.push((point, shows)),
                }
                shows.then(|| mark("LOST", point))
            }
        }
    }

    /// Takes note of the best move of the final state.
    pub(super) fn set_best(&mut self, point: Option<Point>) {
        self.best = point;
    }

    /// All marks of the final state that are not shown yet.
    pub(super) fn finish(&mut self) -> Vec<Reply> {
        let searched = self.searching.drain(..).map(|p| mark("DONE", p));
        let lost = self.lost.iter().filter(|(_, shown)| !shown).map(|(p, _)| mark("LOST", *p));
        let best = self.best.filter(|_| self.best != self.shown_best).map(|p| mark("BEST", p));
        searched.chain(lost).chain(best).collect()
    }

    /// Whether a move was shown as being searched; from now on it is not.
    fn take_searching(&mut self, point: Point) -> bool {
        let index = self.searching.iter().position(|p| *p == point);
        index.map(|index| self.searching.swap_remove(index)).is_some()
    }

    /// Whether this many marks may be written now; if so, counts them.
    fn spend(&mut self, marks: u32, at: Instant) -> bool {
        let debt = self.paid.saturating_duration_since(at);
        let cost = PACE.saturating_mul(marks);
        if !debt.is_zero() && debt + cost > BURST {
            return false;
        }
        let Some(paid) = at.checked_add(debt.saturating_add(cost)) else { return false };
        self.paid = paid;
        true
    }
}

fn mark(word: &str, point: Point) -> Reply {
    Reply::Message(format!("REALTIME {word} {},{}", point.x(), point.y()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_drops_marks_but_not_the_final_state() {
        let started = Instant::now();
        let mut marks = Marks::new(started);
        let row = |y: u8| (0..20).map(move |x| Point::at(x, y));
        let points: Vec<Point> = row(0).chain(row(1)).chain(row(2)).collect();
        let mut written = Vec::new();
        for point in &points {
            written.extend(marks.update(*point, RootState::Searching, started, true));
            written.extend(marks.update(*point, RootState::Lost, started, true));
            written.extend(marks.update(*point, RootState::Best, started, true));
        }
        assert!(written.len() < 50, "{}", written.len());
        written.extend(marks.finish());
        for point in &points {
            let lost = written.iter().filter(|reply| **reply == mark("LOST", *point)).count();
            assert_eq!(lost, 1, "{point:?}");
        }
        assert_eq!(written.last(), points.last().map(|point| mark("BEST", *point)).as_ref());
    }

    #[test]
    fn no_move_is_left_as_being_searched() {
        let started = Instant::now();
        let mut marks = Marks::new(started);
        let point = Point::at(3, 4);
        assert_eq!(marks.update(point, RootState::Searching, started, true), Some(mark("POS", point)));
        assert_eq!(marks.finish(), vec![mark("DONE", point)]);
    }
}
