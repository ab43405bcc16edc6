//! What the search learned about moves, apart from positions: killers, replies, histories.
//!
//! Every counter stays within [`LIMIT`] by gravity: an update moves it towards ±[`LIMIT`] by a share of the
//! distance that is left (Stockfish's form of the history heuristic).

use crate::board::{POINTS, Point, Side};
use crate::pattern::PointClass;

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

#[inline(always)]
fn update(counter: &mut i16, bonus: i32) {
    let old = i32::from(*counter);
    *counter = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// Move statistics of one search thread.
#[derive(Clone, Debug)]
pub struct Histories {
    /// By side and point.
    main: [Vec<i16>; 2],
    /// By class of the move and its displacement from the opponent's last move.
    reply: Vec<i16>,
    /// By class of the move and its displacement from the side's own last move.
    follow: Vec<i16>,
    /// The refutation of a move, by the side that made it and its point.
    counter: [Vec<Option<Point>>; 2],
    killers: Vec<[Option<Point>; 2]>,
}

impl Default for Histories {
    fn default() -> Histories {
        Histories {
            main: [vec![0; POINTS], vec![0; POINTS]],
            reply: vec![0; PointClass::COUNT * PointClass::COUNT * AREA],
            follow: vec![0; PointClass::COUNT * PointClass::COUNT * AREA],
            counter: [vec![None; POINTS], vec![None; POINTS]],
            killers: vec![[None; 2]; KILLER_PLIES],
        }
    }
}

fn pair_index(before: Played, now: Played) -> Option<usize> {
    let d = displacement(before.point, now.point)?;
    Some((before.class as usize * PointClass::COUNT + now.class as usize) * AREA + d)
}

impl Histories {
    /// Prepares for the next move of the game: old knowledge fades, killers are dropped.
    pub fn age(&mut self) {
        for table in self.main.iter_mut() {
            table.iter_mut().for_each(|h| *h /= 2);
        }
        self.killers.iter_mut().for_each(|k| *k = [None; 2]);
    }

    /// What experience says of a move, in magnitude up to three times [`LIMIT`].
    #[inline]
    pub fn score(&self, side: Side, now: Played, theirs: Option<Played>, ours: Option<Played>) -> i32 {
        let main = i32::from(self.main[side.index()][now.point.index()]);
        let read = |table: &[i16], before: Option<Played>| {
            before.and_then(|b| pair_index(b, now)).map_or(0, |i| i32::from(table[i]))
        };
        main + read(&self.reply, theirs) + read(&self.follow, ours)
    }

    /// Moves the counters of a move by `bonus` (negative for a move that failed).
    pub fn learn(&mut self, side: Side, now: Played, theirs: Option<Played>, ours: Option<Played>, bonus: i32) {
        update(&mut self.main[side.index()][now.point.index()], bonus);
        if let Some(i) = theirs.and_then(|b| pair_index(b, now)) {
            update(&mut self.reply[i], bonus);
        }
        if let Some(i) = ours.and_then(|b| pair_index(b, now)) {
            update(&mut self.follow[i], bonus);
        }
    }

    /// The two moves that last refuted something at this ply.
    #[inline]
    pub fn killers(&self, ply: usize) -> [Option<Point>; 2] {
        self.killers.get(ply).copied().unwrap_or_default()
    }

    /// The move that last refuted `theirs`, played by the opponent of `side`.
    #[inline]
    pub fn counter(&self, side: Side, theirs: Option<Played>) -> Option<Point> {
        theirs.and_then(|t| self.counter[side.index()][t.point.index()])
    }

    /// Remembers a move that caused a cut.
    pub fn remember(&mut self, ply: usize, side: Side, point: Point, theirs: Option<Played>) {
        if let Some(killers) = self.killers.get_mut(ply)
            && killers[0] != Some(point)
        {
            *killers = [Some(point), killers[0]];
        }
        if let Some(t) = theirs {
            self.counter[side.index()][t.point.index()] = Some(point);
        }
    }
}
