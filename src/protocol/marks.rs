//! Marks of root moves on a board, as `MESSAGE REALTIME` lines: being searched, searched, lost, best.
//!
//! A search produces thousands of marks a second. A budget limits how many are written: 25 a second on average, and
//! always fewer than 50 at once. The final state is written completely.

use super::reply::Reply;
use crate::engine::{Point, RootState};
use std::time::Duration;
use web_time::Instant;

/// Average time between two marks.
const PACE: Duration = Duration::from_millis(40);
/// Size of a burst of marks, as a time.
const BURST: Duration = Duration::from_secs(1);

/// The state of the root moves, and what the board shows of it.
#[derive(Debug)]
pub(super) struct Marks {
    best: Option<Point>,
    shown_best: Option<Point>,
    /// Moves shown as being searched.
    searching: Vec<Point>,
    /// Losing moves, and whether they are shown.
    lost: Vec<(Point, bool)>,
    /// The time at which the budget has paid for the marks written so far.
    paid: Instant,
}

impl Marks {
    /// For a search that started at this time.
    pub(super) fn new(started: Instant) -> Marks {
        Marks { best: None, shown_best: None, searching: Vec::new(), lost: Vec::new(), paid: started }
    }

    /// Stores a move's state; returns the mark to write now, if `wanted` and within the budget.
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
            // Costs two marks, so that the budget also covers the mark that ends it.
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

    /// Stores the best move of the final state.
    pub(super) fn set_best(&mut self, point: Option<Point>) {
        self.best = point;
    }

    /// All marks of the final state that were not written yet.
    pub(super) fn finish(&mut self) -> Vec<Reply> {
        let searched = self.searching.drain(..).map(|p| mark("DONE", p));
        let lost = self.lost.iter().filter(|(_, shown)| !shown).map(|(p, _)| mark("LOST", *p));
        let best = self.best.filter(|_| self.best != self.shown_best).map(|p| mark("BEST", p));
        searched.chain(lost).chain(best).collect()
    }

    /// Removes a move from those shown as being searched; returns whether it was one of them.
    fn take_searching(&mut self, point: Point) -> bool {
        let index = self.searching.iter().position(|p| *p == point);
        index.map(|index| self.searching.swap_remove(index)).is_some()
    }

    /// Whether the budget allows this many marks now; if so, spends it.
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
