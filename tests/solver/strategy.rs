//! Plays a strategy against every legal move, to check that it always wins.
//!
//! Checks claimed wins with [`Stones`] and no patterns. After a four, only moves on the winning cell or on a line
//! through it, at most five cells away, are tried, since all other moves allow the row to be completed at once. After
//! any other threat all legal moves of the board are tried.

use crate::stones::{Stones, index, point};
use std::collections::HashSet;
use tengen::board::{Cell, Diagram, Point, Setup, Side};
use tengen::position::{Position, Silent};
use tengen::rules::Rule;

/// A strategy: the attacker's move in a position.
pub type Strategy<'a> = &'a mut dyn FnMut(&mut Position) -> Option<Point>;

/// The test of a strategy.
pub struct Trial<'a> {
    stones: Stones,
    /// The same stones, for the strategy.
    position: Position,
    board: Vec<usize>,
    /// Cells that complete a winning row, by side.
    wins: [Vec<usize>; 2],
    attacker: Side,
    strategy: Strategy<'a>,
    /// Positions, by their stones, from which the strategy is known to win.
    proven: HashSet<u64>,
    hash: u64,
    /// Number of defending moves that were tried.
    pub replies: usize,
}

impl<'a> Trial<'a> {
    /// A new test; the side to move is the attacker.
    pub fn new(setup: &Setup, rule: Rule, strategy: Strategy<'a>) -> Trial<'a> {
        let stones = Stones::new(setup, rule);
        let mut trial = Trial {
            board: stones.playable(),
            stones,
            position: Position::new(setup, rule).expect("a sound setup"),
            wins: [Vec::new(), Vec::new()],
            attacker: setup.to_move,
            strategy,
            proven: HashSet::new(),
            hash: 0,
            replies: 0,
        };
        let empty = |i: &usize| trial.stones.is_empty(*i);
        let wins = Side::BOTH.map(|side| {
            trial.board.iter().copied().filter(empty).filter(|i| trial.stones.wins_on(*i, side)).collect::<Vec<_>>()
        });
        trial.wins = wins;
        trial
    }

    /// Tests whether the strategy wins against every defence; if not, returns the position in which it fails.
    pub fn succeeds(&mut self) -> Result<(), String> {
        let side = self.attacker;
        if !self.wins[side.index()].is_empty() || self.proven.contains(&self.hash) {
            return Ok(());
        }
        let Some(by) = (self.strategy)(&mut self.position) else {
            return Err(self.complaint("no move is known"));
        };
        let at = index(by);
        if !self.stones.is_legal(at, side) {
            return Err(self.complaint(&format!("{by:?} is no legal move")));
        }
        let saved = self.put(at, side);
        let result = self.holds();
        self.take(at, side, saved);
        if result.is_ok() {
            self.proven.insert(self.hash);
        }
        result
    }

    /// Defender to move.
    fn holds(&mut self) -> Result<(), String> {
        let defender = !self.attacker;
        if !self.wins[defender.index()].is_empty() {
            return Err(self.complaint("the defender wins"));
        }
        let fives = self.wins[self.attacker.index()].clone();
        let replies = match fives.first() {
            Some(five) => self.stones.around(*five),
            None => self.board.clone(),
        };
        let mut any = false;
        for at in replies {
            if !self.stones.is_legal(at, defender) {
                continue;
            }
            any = true;
            self.replies += 1;
            self.stones.put(at, defender);
            let over = fives.iter().any(|five| *five != at && self.stones.wins_on(*five, self.attacker));
            self.stones.take(at);
            if over {
                continue;
            }
            let saved = self.put(at, defender);
            let result = self.succeeds();
            self.take(at, defender, saved);
            result?;
        }
        if !any && fives.is_empty() {
            return Err(self.complaint("the defender has no legal move"));
        }
        Ok(())
    }

    fn complaint(&self, what: &str) -> String {
        let mut setup = Setup::empty(self.stones.grid().size());
        for point in self.stones.grid().size().points() {
            match self.stones.grid().get(point) {
                Cell::Stone(side) => setup.stones.push((point, side)),
                Cell::Blocked => setup.blocked.push(point),
                Cell::Empty => {}
            }
        }
        format!("{what}, {:?} attacks\n{}", self.attacker, Diagram::new(setup).with_coordinates())
    }

    /// Places a stone; returns what [`Trial::take`] needs.
    fn put(&mut self, at: usize, side: Side) -> [Vec<usize>; 2] {
        self.stones.put(at, side);
        self.position.set_to_move(side);
        self.position.play(point(at), &mut Silent);
        self.hash ^= mix(at, side);
        let near = self.stones.around(at);
        let fresh = Side::BOTH.map(|side| {
            let far = self.wins[side.index()].iter().copied().filter(|i| *i != at && !near.contains(i));
            let changed = near.iter().copied().filter(|i| *i != at && self.stones.wins_on(*i, side));
            far.chain(changed).collect::<Vec<_>>()
        });
        std::mem::replace(&mut self.wins, fresh)
    }

    fn take(&mut self, at: usize, side: Side, saved: [Vec<usize>; 2]) {
        self.stones.take(at);
        self.position.undo(&mut Silent);
        self.hash ^= mix(at, side);
        self.wins = saved;
    }
}

fn mix(at: usize, side: Side) -> u64 {
    let mut word = (at as u64 * 2 + side as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ (word >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    word ^ (word >> 32)
}
