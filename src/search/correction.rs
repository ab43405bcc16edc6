//! Correction history: the mean error of the static evaluation that searches found, indexed by the surroundings of the
//! last stones.
//!
//! Stockfish and others have one, with pawns, pieces and moves as keys. Here a key is the content of the four lines
//! through a side's last stone: a local feature that the evaluation misjudges recurs in many nodes, while the rest of
//! the board differs.

use crate::board::{Direction, Point};
use crate::position::Position;
use std::sync::atomic::{AtomicI16, Ordering};

/// Entries of a table.
const ENTRIES: usize = 1 << 15;
/// Units of an entry per unit of the evaluation.
const SCALE: i32 = 16;
/// Largest error in an update, in units of the evaluation; larger errors are clamped.
const MAX_ERROR: i32 = 600;
/// An update of weight w moves an entry by w / WEIGHT_DIVISOR of the way to the error.
const WEIGHT_DIVISOR: i32 = 32;
/// Largest weight.
const MAX_WEIGHT: i32 = 16;
const _: () = assert!(MAX_ERROR * SCALE <= i16::MAX as i32 && MAX_WEIGHT <= WEIGHT_DIVISOR);

/// Errors of the evaluation for the side to move, averaged by key. Shared by all threads; an update that is lost when
/// two threads write at once does no harm.
#[derive(Debug)]
pub(super) struct Corrections {
    /// By the last stone, and by the one before it.
    tables: [Box<[AtomicI16]>; 2],
}

impl Default for Corrections {
    fn default() -> Corrections {
        let table = || (0..ENTRIES).map(|_| AtomicI16::new(0)).collect();
        Corrections { tables: [table(), table()] }
    }
}

/// Key of the lines through a stone, for the side to move.
#[inline(always)]
fn key(position: &Position, stone: Point) -> usize {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let side = position.to_move() as u64;
    let mixed = Direction::ALL.into_iter().fold(side, |key, direction| {
        let key = (key ^ u64::from(position.line_code(stone, direction))).wrapping_mul(MIX);
        key ^ key >> 29
    });
    (mixed >> 40) as usize % ENTRIES
}

impl Corrections {
    /// The entries of a position, one for each of the last two stones.
    fn entries<'a>(&'a self, position: &'a Position) -> impl Iterator<Item = &'a AtomicI16> {
        let entries = self.tables.iter().enumerate();
        entries.filter_map(move |(back, table)| Some(&table[key(position, position.last(back)?)]))
    }

    /// The mean error that searches of such positions found, in units of the evaluation. It is to be added to the
    /// evaluation.
    #[inline(always)]
    pub fn of(&self, position: &Position) -> i32 {
        self.entries(position).map(|entry| i32::from(entry.load(Ordering::Relaxed))).sum::<i32>() / (2 * SCALE)
    }

    /// Updates the entries after a search of `plies` plies that found this `error` of the evaluation.
    pub fn update(&self, position: &Position, error: i32, plies: i32) {
        let error = error.clamp(-MAX_ERROR, MAX_ERROR) * SCALE;
        let weight = (plies + 1).clamp(1, MAX_WEIGHT);
        for entry in self.entries(position) {
            let old = i32::from(entry.load(Ordering::Relaxed));
            entry.store((old + (error - old) * weight / WEIGHT_DIVISOR) as i16, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardSize, Setup};
    use crate::rules::Rule;

    /// Two stones in the middle, played after two others.
    fn position(others: [(u8, u8); 2]) -> Position {
        let size = BoardSize::new(15, 15).expect("a size");
        let moves = others.into_iter().chain([(7, 7), (8, 8)]).map(|(x, y)| Point::at(x, y));
        Position::new(&Setup::from_moves(size, moves), Rule::ALL[0]).expect("a position")
    }

    #[test]
    fn what_was_learned_is_met_again_where_the_rest_of_the_board_differs() {
        let corrections = Corrections::default();
        let learned = position([(0, 1), (14, 2)]);
        assert_eq!(corrections.of(&learned), 0);
        for _ in 0..50 {
            corrections.update(&learned, 300, 10);
        }
        let far = position([(1, 0), (2, 14)]);
        assert_eq!((corrections.of(&learned), corrections.of(&far)), (299, 299));
        // A stone on one of the lines changes both keys.
        assert_eq!(corrections.of(&position([(6, 6), (14, 2)])), 0);
    }

    #[test]
    fn errors_are_averaged_and_limited() {
        let corrections = Corrections::default();
        let position = position([(0, 1), (14, 2)]);
        for _ in 0..200 {
            corrections.update(&position, 1_000_000, 3);
        }
        assert!((MAX_ERROR - 1..=MAX_ERROR).contains(&corrections.of(&position)));
        for _ in 0..200 {
            corrections.update(&position, 100, 3);
            corrections.update(&position, -100, 3);
        }
        assert!(corrections.of(&position).abs() < 20);
        let mut passed = position.clone();
        passed.pass();
        assert_eq!(corrections.of(&passed), 0, "the side to move is part of the key");
    }
}
