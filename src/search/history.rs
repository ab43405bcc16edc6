//! Move statistics: counter moves and histories.
//!
//! Every counter stays within [`LIMIT`] by gravity: an update moves it towards ±[`LIMIT`] by a share of the
//! distance that is left (Stockfish's form of the history heuristic).

use crate::board::{POINTS, Point, STEPS, Side};
use crate::pattern::PointClass;
use std::sync::atomic::{AtomicI16, AtomicU16, Ordering};

/// Largest magnitude of a history counter.
pub const LIMIT: i32 = 8_192;

/// Maximum distance, in columns and rows, at which a move is counted relative to an earlier one.
const REACH: i32 = 7;
/// Number of displacements within [`REACH`], and one for all others, rounded up.
const AREA: usize = 256;
/// Index of all displacements beyond [`REACH`]. Its counters stay zero.
const BEYOND: u8 = 255;

/// A move as the histories index it: its point, and the class of pattern that it made for its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryMove {
    /// The point.
    pub point: Point,
    /// Its class for the side that played it, before it was played.
    pub class: PointClass,
}

/// Indices of displacements, by [`Point::step_to`].
const DISPLACEMENT: [u8; STEPS] = {
    let mut table = [BEYOND; STEPS];
    let mut number = 0;
    while number < STEPS {
        let (dx, dy) = Point::step(number);
        if dx.abs() <= REACH && dy.abs() <= REACH {
            table[number] = ((dy + REACH) * (2 * REACH + 1) + dx + REACH) as u8;
        }
        number += 1;
    }
    table
};

/// Counters by class of a move and its displacement from an earlier one.
type ByMove = [AtomicI16; ALL_CLASSES * AREA];
/// [`PointClass::COUNT`] rounded up to a power of two, so that a bit mask limits an index.
const ALL_CLASSES: usize = 16;

/// Index of a move's counter in a [`ByMove`], if the move is within [`REACH`].
#[inline(always)]
fn place(before: Point, now: HistoryMove) -> Option<usize> {
    let displacement = DISPLACEMENT[before.step_to(now.point)];
    (displacement != BEYOND).then(|| slot(now.class, displacement))
}

#[inline(always)]
fn slot(class: PointClass, displacement: u8) -> usize {
    (class as usize * AREA + usize::from(displacement)) % (ALL_CLASSES * AREA)
}

fn counters(number: usize) -> Box<[AtomicI16]> {
    (0..number).map(|_| AtomicI16::new(0)).collect()
}

fn by_class() -> Box<[ByMove]> {
    (0..PointClass::COUNT).map(|_| std::array::from_fn(|_| AtomicI16::new(0))).collect()
}

#[inline(always)]
fn value(counter: &AtomicI16) -> i32 {
    i32::from(counter.load(Ordering::Relaxed))
}

#[inline(always)]
fn update(counter: &AtomicI16, bonus: i32) {
    let old = value(counter);
    counter.store((old + bonus - old * bonus.abs() / LIMIT) as i16, Ordering::Relaxed);
}

/// Move statistics, shared by all threads of a search. So all threads order and reduce moves alike, and find each
/// other's results in the transposition table. An update that is lost when two threads write at once does no harm.
#[derive(Debug)]
pub struct Histories {
    /// By side and point.
    main: [Box<[AtomicI16]>; 2],
    /// By class of the opponent's last move.
    reply: Box<[ByMove]>,
    /// By class of the side's own last move.
    follow: Box<[ByMove]>,
    /// Counter moves, by the refuting side and the point of the refuted move.
    counter: [Box<[AtomicU16]>; 2],
}

/// No point.
const NONE: u16 = u16::MAX;

impl Default for Histories {
    fn default() -> Histories {
        let none = || (0..POINTS).map(|_| AtomicU16::new(NONE)).collect();
        Histories {
            main: [counters(POINTS), counters(POINTS)],
            reply: by_class(),
            follow: by_class(),
            counter: [none(), none()],
        }
    }
}

/// The histories of one node's moves.
#[derive(Clone, Copy)]
pub struct HistoryView<'a> {
    main: &'a [AtomicI16],
    /// The previous moves, each with the counters that belong to it.
    before: [Option<(Point, &'a ByMove)>; 2],
}

impl HistoryView<'_> {
    /// Score of a move, in magnitude up to three times [`LIMIT`].
    #[inline(always)]
    pub fn score(&self, now: HistoryMove) -> i32 {
        let near = |before: Option<(Point, &ByMove)>| {
            before
                .map_or(0, |(from, counters)| value(&counters[slot(now.class, DISPLACEMENT[from.step_to(now.point)])]))
        };
        value(&self.main[now.point.index()]) + near(self.before[0]) + near(self.before[1])
    }
}

impl Histories {
    /// Halves the counters by point for the next move of the game.
    pub fn age(&mut self) {
        for counter in self.main.iter_mut().flat_map(|table| table.iter_mut()) {
            *counter.get_mut() /= 2;
        }
    }

    /// The histories of the moves of `side` after the opponent's and the own last move.
    #[inline]
    pub fn view<'a>(&'a self, side: Side, theirs: Option<HistoryMove>, ours: Option<HistoryMove>) -> HistoryView<'a> {
        let after =
            |table: &'a [ByMove], before: Option<HistoryMove>| before.map(|b| (b.point, &table[b.class as usize]));
        HistoryView { main: &self.main[side.index()], before: [after(&self.reply, theirs), after(&self.follow, ours)] }
    }

    /// Updates the counters of a move by `bonus` (negative for a move that failed).
    pub fn update(
        &self,
        side: Side,
        now: HistoryMove,
        theirs: Option<HistoryMove>,
        ours: Option<HistoryMove>,
        bonus: i32,
    ) {
        update(&self.main[side.index()][now.point.index()], bonus);
        for (table, before) in [(&self.reply, theirs), (&self.follow, ours)] {
            if let Some(before) = before
                && let Some(i) = place(before.point, now)
            {
                update(&table[before.class as usize][i], bonus);
            }
        }
    }

    /// The move that last refuted `theirs`, played by the opponent of `side`.
    #[inline]
    pub fn counter(&self, side: Side, theirs: Option<HistoryMove>) -> Option<Point> {
        let index = self.counter[side.index()][theirs?.point.index()].load(Ordering::Relaxed);
        (index != NONE).then(|| Point::from_index(usize::from(index)))
    }

    /// Stores the move of `side` that refuted `theirs`.
    pub fn set_counter(&self, side: Side, point: Point, theirs: Option<HistoryMove>) {
        if let Some(t) = theirs {
            self.counter[side.index()][t.point.index()].store(point.index() as u16, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_moves_are_learned_relative_to_those_before() {
        let class = PointClass::OpenTwo;
        let before = HistoryMove { point: Point::at(12, 12), class: PointClass::OpenThree };
        let points = || (0..25).flat_map(|y| (0..25).map(move |x| HistoryMove { point: Point::at(x, y), class }));
        let histories = Histories::default();
        for (i, now) in points().enumerate() {
            histories.update(Side::Black, now, Some(before), None, i as i32 + 1);
        }
        let seen = histories.view(Side::Black, Some(before), None);
        for (i, now) in points().enumerate() {
            let times = if now.point.distance(before.point) <= REACH as u8 { 2 } else { 1 };
            assert_eq!(seen.score(now), times * (i as i32 + 1), "{now:?}");
        }
        let elsewhere = histories.view(Side::White, Some(HistoryMove { class, ..before }), None);
        assert!(points().all(|now| elsewhere.score(now) == 0));
    }
}
