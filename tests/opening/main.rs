//! The opening rules: each as a full table of legal and illegal steps, and random walks through all of them.

mod names;
mod tables;
mod walks;

use tengen::board::{BoardSize, Point, Setup, parse_points};
use tengen::opening::{Opening, OpeningRule, Step};

/// The points of labels on the board of renju.
fn points(text: &str) -> Vec<Point> {
    parse_points(BoardSize::RENJU, text).expect("labels")
}

fn point(label: &str) -> Point {
    points(label)[0]
}

/// An opening with its board.
#[derive(Clone)]
struct Played {
    opening: Opening,
    setup: Setup,
}

impl Played {
    fn new(rule: OpeningRule) -> Played {
        Played { opening: Opening::new(rule), setup: Setup::empty(BoardSize::RENJU) }
    }
}

/// A step in words: a label for a stone, `+h8` for an offer, `#3` for a number, or the word of an answer.
fn step(word: &str) -> Step {
    use tengen::opening::Choice;
    match (word.strip_prefix('+'), word.strip_prefix('#'), Choice::from_name(word)) {
        (Some(label), _, _) => Step::Offer(point(label)),
        (_, Some(number), _) => Step::Number(number.parse().expect("a number")),
        (_, _, Some(choice)) => Step::Choice(choice),
        _ => Step::Stone(point(word)),
    }
}
