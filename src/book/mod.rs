//! The opening book: replies to openings, with the scores of deep searches.
//!
//! A [`Book`] is a text of one line per position that anyone can read and edit. An entry covers all images of its
//! position under the symmetries of the board and all orders in which its stones can be played.

mod text;

pub use text::{BookError, format_book};

use crate::board::{BoardSize, Point, Setup, Symmetry};
use crate::rules::Rule;
use crate::score::Score;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The book's entry for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The move to play.
    pub reply: Point,
    /// Score of the side to move.
    pub score: Score,
    /// Depth of the search that gave this reply, in plies.
    pub depth: u32,
}

/// A position of the book in canonical form, see [`canonical`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    rule: Rule,
    setup: Setup,
}

/// Positions and their entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    positions: HashMap<Key, Advice>,
    /// The largest number of stones of any position in the book.
    stones: usize,
}

/// The canonical image of a setup, common to all its images and move orders, with stones and blocked cells sorted, and
/// the symmetry that maps the setup to it.
///
/// # Panics
/// If a stone or block is off the board.
pub fn canonical(setup: &Setup) -> (Setup, Symmetry) {
    let image = |map: &Symmetry| {
        let mut image = map.apply_setup(setup);
        image.stones.sort_unstable();
        image.blocked.sort_unstable();
        (image, *map)
    };
    let images = Symmetry::of(setup.size).iter().map(image);
    let order = |(image, _): &(Setup, Symmetry)| (image.stones.clone(), image.blocked.clone());
    images.min_by_key(order).unwrap_or_else(|| image(&Symmetry::IDENTITY))
}

impl Book {
    /// The built-in book, parsed at first use (well under a millisecond per hundred lines).
    pub fn built_in() -> &'static Book {
        static BOOK: OnceLock<Book> = OnceLock::new();
        // A test parses the built-in book, so it has no errors.
        BOOK.get_or_init(|| Book::parse(include_str!("book.txt")).unwrap_or_default())
    }

    /// The entry for a position with `setup.to_move` to move; `None` if the position is not in the book. The setup must
    /// be valid ([`Setup::check`]).
    pub fn advice(&self, setup: &Setup, rule: Rule) -> Option<Advice> {
        if setup.stones.len() > self.stones || !setup.blocked.is_empty() {
            return None;
        }
        let (setup, map) = canonical(setup);
        let size = setup.size;
        let advice = self.positions.get(&Key { rule, setup })?;
        Some(Advice { reply: map.inverse().apply(size, advice.reply), ..*advice })
    }

    /// Stores the entry of a position and returns the entry that it replaces, in the coordinates of the canonical
    /// image. The setup must be valid and have no blocked cells.
    pub fn insert(&mut self, setup: &Setup, rule: Rule, advice: Advice) -> Option<Advice> {
        let (setup, map) = canonical(setup);
        self.stones = self.stones.max(setup.stones.len());
        let reply = map.apply(setup.size, advice.reply);
        self.positions.insert(Key { rule, setup }, Advice { reply, ..advice })
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether the book is empty.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// All positions and their entries, in the order of the text: by rule, board, number of stones, and stones.
    pub fn positions(&self) -> Vec<(Rule, Setup, Advice)> {
        let mut all: Vec<(Rule, Setup, Advice)> =
            self.positions.iter().map(|(key, advice)| (key.rule, key.setup.clone(), *advice)).collect();
        let sides = |size: BoardSize| (size.width(), size.height());
        all.sort_by_cached_key(|(rule, setup, _)| {
            (*rule as usize, sides(setup.size), setup.stones.len(), setup.stones.clone())
        });
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_points;
    use crate::rules::{Game, Status};

    fn setup(moves: &str) -> Setup {
        Setup::from_moves(BoardSize::RENJU, parse_points(BoardSize::RENJU, moves).unwrap())
    }

    #[test]
    fn a_position_is_known_in_all_its_images_and_orders() {
        let mut book = Book::default();
        let known = setup("h8i9g6");
        let advice = Advice { reply: Point::at(8, 8), score: Score::units(-7), depth: 12 };
        book.insert(&known, Rule::Renju, advice);
        for map in Symmetry::of(known.size) {
            for mut image in [map.apply_setup(&known), map.apply_setup(&setup("g6i9h8"))] {
                let reply = map.apply(known.size, advice.reply);
                assert_eq!(book.advice(&image, Rule::Renju), Some(Advice { reply, ..advice }), "{map:?}");
                assert_eq!(book.advice(&image, Rule::Standard), None);
                image.to_move = !image.to_move;
                assert_eq!(book.advice(&image, Rule::Renju), None, "the other side's turn");
            }
        }
        for other in ["", "h8", "h8i9", "h8i9g5", "h8g6i9", "h8i9g6a1"] {
            assert_eq!(book.advice(&setup(other), Rule::Renju), None, "{other}");
        }
    }

    #[test]
    fn the_built_in_book_has_no_faults_and_only_legal_replies() {
        let book = Book::parse(include_str!("book.txt")).unwrap();
        assert_eq!(&book, Book::built_in());
        assert!(!book.is_empty());
        for (rule, setup, advice) in book.positions() {
            let mut game = Game::from_setup(rule, setup.clone()).unwrap();
            assert_eq!(game.play(advice.reply), Ok(Status::Running), "{rule} {setup:?}");
            assert!(advice.score.distance().is_none() || advice.depth > 0);
        }
        assert_eq!(Book::parse(&format_book(&book, "")).unwrap(), book);
    }
}
