//! Scored moves of the nodes of the current line, on one stack per thread; a node owns the part above its base.
//!
//! The moves are not sorted, since the first few moves decide most nodes: each pick takes the best remaining move. Ties
//! are broken by board order, so that the node count is the same on every machine.

use crate::board::Point;

/// Scored moves of all nodes of the current line.
#[derive(Debug, Default)]
pub struct MoveStack {
    moves: Vec<u64>,
}

const BIAS: i64 = 1 << 40;

impl MoveStack {
    /// Where a node's moves begin.
    pub fn base(&self) -> usize {
        self.moves.len()
    }

    /// Adds a move with its ordering score to the topmost node.
    #[inline(always)]
    pub fn push(&mut self, point: Point, score: i32) {
        // Score in the high bits, inverted index in the low ones: one comparison orders by both.
        let key = ((i64::from(score) + BIAS) as u64) << 16 | (0xffff - point.index() as u64);
        self.moves.push(key);
    }

    /// Takes the move with the highest score from `base` on.
    #[inline]
    pub fn pick(&mut self, base: usize) -> Option<(Point, i32)> {
        let moves = &mut self.moves[base..];
        let last = moves.len().checked_sub(1)?;
        let mut best = 0;
        let mut key = moves[0];
        for (i, k) in moves.iter().enumerate().skip(1) {
            if *k > key {
                key = *k;
                best = i;
            }
        }
        moves.swap(best, last);
        self.moves.pop();
        let point = Point::from_index(0xffff - (key & 0xffff) as usize);
        Some((point, ((key >> 16) as i64 - BIAS) as i32))
    }

    /// Drops the remaining moves of a node.
    pub fn release(&mut self, base: usize) {
        self.moves.truncate(base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_come_by_score_then_in_board_order() {
        let mut stack = MoveStack::default();
        stack.push(Point::at(9, 9), 99);
        let base = stack.base();
        for (x, score) in [(4, 5), (2, -7), (3, 5), (1, 80)] {
            stack.push(Point::at(x, 0), score);
        }
        let order: Vec<(u8, i32)> =
            std::iter::from_fn(|| stack.pick(base)).map(|(point, score)| (point.x(), score)).collect();
        assert_eq!(order, [(1, 80), (3, 5), (4, 5), (2, -7)]);
        assert_eq!(stack.base(), base);
    }
}
