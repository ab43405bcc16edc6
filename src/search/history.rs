//! What the search learned about moves, apart from positions: killers, replies, histories.
//!
//! Every counter stays within [`LIMIT`] by gravity: an update moves it towards ±[`LIMIT`] by a share of the
//! distance that is left (Stockfish's form of the history heuristic).

use crate::board::{POINTS, Point, Side};
use crate::pattern::PointClass;
use std::sync::atomic::{AtomicI16, AtomicU16, Ordering};

/// Largest magnitude of a history counter.
pub const LIMIT: i32 = 8_192;

const REACH: i32 = 7;
const SPAN: usize = 2 * REACH as usize + 1;
const AREA: usize = SPAN * SPAN;
/// Plies that have killers of their own.
const KILLER_PLIES: usize = 256;

/// A move as the histories see it: where, and what it made for its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The point.
    pub point: Point,
    /// Its class for the side that played it, before it was played.
    pub class: PointClass,
}

fn displacement(from: Point, to: Point) -> Option<usize> {
    let dx = i32::from(to.x()) - i32::from(from.x()) + REACH;
    let dy = i32::from(to.y()) - i32::from(from.y()) + REACH;
    let span = SPAN as i32;
    ((0..span).contains(&dx) && (0..span).contains(&dy)).then(|| (dy * span + dx) as usize)
}

fn counters(number: usize) -> Box<[AtomicI16]> {
    (0..number).map(|_| AtomicI16::new(0)).collect()
}

#[inline(always)]
fn update(counter: &AtomicI16, bonus: i32) {
    let old = i32::from(counter.load(Ordering::Relaxed));
    counter.store((old + bonus - old * bonus.abs() / LIMIT) as i16, Ordering::Relaxed);
}

/// Move statistics, shared by all threads of a search: what one has learned the others need not, and they reduce and
/// order alike, so that they find each other's results in the transposition table. An update that is lost when two
/// threads write at once does no harm.
#[derive(Debug)]
pub struct Histories {
    /// By side and point.
    main: [Box<[AtomicI16]>; 2],
    /// By class of the move and its displacement from the opponent's last move.
    reply: Box<[AtomicI16]>,
    /// By class of the move and its displacement from the side's own last move.
    follow: Box<[AtomicI16]>,
    /// The refutation of a move, by the side that made it and its point.
    counter: [Box<[AtomicU16]>; 2],
}

/// No point.
const NONE: u16 = u16::MAX;

impl Default for Histories {
    fn default() -> Histories {
        let none = || (0..POINTS).map(|_| AtomicU16::new(NONE)).collect();
        Histories {
            main: [counters(POINTS), counters(POINTS)],
            reply: counters(PointClass::COUNT * PointClass::COUNT * AREA),
            follow: counters(PointClass::COUNT * PointClass::COUNT * AREA),
            counter: [none(), none()],
        }
    }
}

fn pair_index(before: Played, now: Played) -> Option<usize> {
    let d = displacement(before.point, now.point)?;
    Some((before.class as usize * PointClass::COUNT + now.class as usize) * AREA + d)
}

impl Histories {
    /// Prepares for the next move of the game: old knowledge fades.
    pub fn age(&mut self) {
        for counter in self.main.iter_mut().flat_map(|table| table.iter_mut()) {
            *counter.get_mut() /= 2;
        }
    }

    /// What experience says of a move, in magnitude up to three times [`LIMIT`].
    #[inline]
    pub fn score(&self, side: Side, now: Played, theirs: Option<Played>, ours: Option<Played>) -> i32 {
        let value = |counter: &AtomicI16| i32::from(counter.load(Ordering::Relaxed));
        let read = |table: &[AtomicI16], before: Option<Played>| {
            before.and_then(|b| pair_index(b, now)).map_or(0, |i| value(&table[i]))
        };
        value(&self.main[side.index()][now.point.index()]) + read(&self.reply, theirs) + read(&self.follow, ours)
    }

    /// Moves the counters of a move by `bonus` (negative for a move that failed).
    pub fn learn(&self, side: Side, now: Played, theirs: Option<Played>, ours: Option<Played>, bonus: i32) {
        update(&self.main[side.index()][now.point.index()], bonus);
        if let Some(i) = theirs.and_then(|b| pair_index(b, now)) {
            update(&self.reply[i], bonus);
        }
        if let Some(i) = ours.and_then(|b| pair_index(b, now)) {
            update(&self.follow[i], bonus);
        }
    }

    /// The move that last refuted `theirs`, played by the opponent of `side`.
    #[inline]
    pub fn counter(&self, side: Side, theirs: Option<Played>) -> Option<Point> {
        let index = self.counter[side.index()][theirs?.point.index()].load(Ordering::Relaxed);
        (index != NONE).then(|| Point::from_index(usize::from(index)))
    }

    /// Remembers that a move of `side` refuted `theirs`.
    pub fn remember(&self, side: Side, point: Point, theirs: Option<Played>) {
        if let Some(t) = theirs {
            self.counter[side.index()][t.point.index()].store(point.index() as u16, Ordering::Relaxed);
        }
    }
}

/// The two moves that last refuted something at each ply of one thread's search.
#[derive(Debug)]
pub struct Killers {
    plies: Vec<[Option<Point>; 2]>,
}

impl Default for Killers {
    fn default() -> Killers {
        Killers { plies: vec![[None; 2]; KILLER_PLIES] }
    }
}

impl Killers {
    /// Those of a ply, the newest first.
    #[inline]
    pub fn at(&self, ply: usize) -> [Option<Point>; 2] {
        self.plies.get(ply).copied().unwrap_or_default()
    }

    /// Remembers a move that caused a cut.
    pub fn remember(&mut self, ply: usize, point: Point) {
        if let Some(killers) = self.plies.get_mut(ply)
            && killers[0] != Some(point)
        {
            *killers = [Some(point), killers[0]];
        }
    }
}
