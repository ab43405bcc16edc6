//! A plain solver: who can force a win within a number of plies, by trying moves on a board of stones.
//!
//! It uses [`Stones`] and no patterns. Both sides may try every empty cell. One shortcut is exact: a side that faces a
//! winning cell of the other side has to play on that cell or on a line through it, at most five cells away, since a
//! win depends only on those cells.

use crate::stones::{Stones, index, point};
use tengen::board::{Point, Setup, Side};
use tengen::rules::Rule;

/// A position to solve.
pub struct Solver {
    stones: Stones,
    /// All playable cells of the board, stones or not.
    board: Vec<usize>,
    /// Attacking moves that won elsewhere in the tree, by remaining plies; they are tried first.
    killers: Vec<[usize; 4]>,
}

impl Solver {
    pub fn new(setup: &Setup, rule: Rule) -> Solver {
        let stones = Stones::new(setup, rule);
        let mut board = stones.playable();
        // Cells near the middle of the stones first, because attacks are found sooner there.
        let near = |i: &usize| setup.stones.iter().map(|(p, _)| u32::from(p.distance(point(*i))).min(4)).sum::<u32>();
        board.sort_by_key(near);
        Solver { stones, board, killers: vec![[0; 4]; 16] }
    }

    pub fn play(&mut self, at: Point, side: Side) {
        self.stones.put(index(at), side);
    }

    pub fn undo(&mut self, at: Point) {
        self.stones.take(index(at));
    }

    pub fn is_empty(&self, at: Point) -> bool {
        self.stones.is_empty(index(at))
    }

    /// Whether a side may play on an empty point.
    pub fn is_legal(&self, at: Point, side: Side) -> bool {
        self.stones.is_legal(index(at), side)
    }

    /// All points where a side may play, in board order.
    pub fn legal_moves(&self, side: Side) -> Vec<Point> {
        self.stones.grid().size().points().filter(|p| self.is_legal(*p, side)).collect()
    }

    /// Cells that complete a winning row for a side.
    pub fn winning_points(&self, side: Side) -> Vec<Point> {
        self.stones
            .grid()
            .size()
            .points()
            .filter(|p| self.is_empty(*p) && self.stones.wins_on(index(*p), side))
            .collect()
    }

    /// Whether `side`, which is to move, has a forced win within `plies` (an odd number).
    pub fn attacks(&mut self, side: Side, plies: i32) -> bool {
        if plies < 1 {
            return false;
        }
        if self.some_win(side).is_some() {
            return true;
        }
        if plies < 3 {
            return false;
        }
        let moves = match self.some_win(!side) {
            Some(five) => self.stones.around(five),
            None => self.board.clone(),
        };
        let killers = self.killers[plies as usize];
        let first = killers.into_iter().filter(|k| moves.contains(k));
        for at in first.chain(moves.iter().copied().filter(|m| !killers.contains(m))) {
            if self.stones.is_empty(at) && self.wins_by_index(at, side, plies) {
                let killers = &mut self.killers[plies as usize];
                if !killers.contains(&at) {
                    killers.rotate_right(1);
                    killers[0] = at;
                }
                return true;
            }
        }
        false
    }

    /// Whether a first move of `side`, which is to move, forces a win within `plies` (an odd number).
    pub fn wins_by(&mut self, at: Point, side: Side, plies: i32) -> bool {
        self.is_empty(at) && self.wins_by_index(index(at), side, plies)
    }

    /// Whether `side`, which is to move, is lost: its opponent wins within `plies` (an even number) after every move. A
    /// side without a legal move is not lost.
    pub fn is_lost(&mut self, side: Side, plies: i32) -> bool {
        if plies < 2 || self.some_win(side).is_some() {
            return false;
        }
        let replies = match self.some_win(!side) {
            Some(five) => self.stones.around(five),
            None if plies == 2 => return false,
            None => self.board.clone(),
        };
        let killers = self.killers[plies as usize];
        let mut any = false;
        let first = killers.into_iter().filter(|k| replies.contains(k));
        for at in first.chain(replies.iter().copied().filter(|m| !killers.contains(m))) {
            if !self.stones.is_legal(at, side) {
                continue;
            }
            any = true;
            self.stones.put(at, side);
            let answered = self.attacks(!side, plies - 1);
            self.stones.take(at);
            if !answered {
                let killers = &mut self.killers[plies as usize];
                if !killers.contains(&at) {
                    killers.rotate_right(1);
                    killers[0] = at;
                }
                return false;
            }
        }
        any || !self.legal_moves(side).is_empty()
    }

    fn wins_by_index(&mut self, at: usize, side: Side, plies: i32) -> bool {
        if self.stones.wins_on(at, side) {
            return true;
        }
        if plies < 3 {
            return false;
        }
        self.stones.put(at, side);
        // With three plies left the move must make a winning cell, which then lies on its lines.
        let hopeful = plies > 3 || self.stones.wins_through(at, side);
        self.stones.take(at);
        if !hopeful || !self.stones.is_legal(at, side) {
            return false;
        }
        self.stones.put(at, side);
        let wins = self.is_lost(!side, plies - 1);
        self.stones.take(at);
        wins
    }

    fn some_win(&self, side: Side) -> Option<usize> {
        self.board.iter().copied().find(|i| self.stones.is_empty(*i) && self.stones.wins_on(*i, side))
    }
}
