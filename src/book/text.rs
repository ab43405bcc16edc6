//! The text format of a book.
//!
//! A line in brackets names a rule and a board, as in `[renju 15x15]`. Each line below it is a position and its entry:
//! the stones as labels, black first (nothing for an empty board), a colon, the reply, the score of the side to move,
//! and the depth, as in `h8i9: g7 -35 14`. A `#` starts a comment.

use super::{Advice, Book};
use crate::board::{BoardSize, Point, Setup, Side, format_point, format_points, parse_point, parse_points};
use crate::rules::Rule;
use std::fmt::{self, Write};

/// Error parsing a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookError {
    /// Line number, from 1.
    pub line: usize,
    /// What the parser expected there.
    pub expected: &'static str,
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}", self.line, self.expected)
    }
}

impl std::error::Error for BookError {}

impl Book {
    /// Parses a book.
    ///
    /// # Errors
    /// Returns an error at the first line that cannot be parsed or that holds an impossible position or reply.
    pub fn parse(text: &str) -> Result<Book, BookError> {
        let mut book = Book::default();
        let mut ground = None;
        for (index, line) in text.lines().enumerate() {
            let error = |expected| BookError { line: index + 1, expected };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                ground =
                    Some(name.strip_suffix(']').and_then(read_ground).ok_or_else(|| error("[rule WIDTHxHEIGHT]"))?);
                continue;
            }
            let (rule, size) = ground.ok_or_else(|| error("a line in brackets before the first position"))?;
            let (stones, advice) = line.split_once(':').ok_or_else(|| error("stones, a colon, and what to play"))?;
            let stones = parse_points(size, stones).map_err(|_| error("points of the board before the colon"))?;
            let setup = Setup::from_moves(size, stones);
            let advice = read_advice(size, advice).ok_or_else(|| error("reply, score and depth after the colon"))?;
            if setup.check().is_err() || setup.stones.iter().any(|(p, _)| *p == advice.reply) {
                return Err(error("different points"));
            }
            if book.insert(&setup, rule, advice).is_some() {
                return Err(error("a position that was not yet named"));
            }
        }
        Ok(book)
    }
}

fn read_ground(text: &str) -> Option<(Rule, BoardSize)> {
    let (rule, size) = text.split_once(' ')?;
    let rule = Rule::from_name(rule)?;
    Some((rule, size.parse().ok()?))
}

fn read_advice(size: BoardSize, text: &str) -> Option<Advice> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [reply, score, depth] = words[..] else { return None };
    Some(Advice { reply: parse_point(size, reply).ok()?, score: score.parse().ok()?, depth: depth.parse().ok()? })
}

/// The text of a book with a comment (which may have several lines) at its head. In every position the sides must
/// alternate, black first, as in positions parsed from a text.
pub fn format_book(book: &Book, comment: &str) -> String {
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "# {line}");
    }
    let mut ground = None;
    for (rule, setup, advice) in book.positions() {
        if ground.replace((rule, setup.size)) != Some((rule, setup.size)) {
            let _ = writeln!(text, "\n[{rule} {}]", setup.size);
        }
        let stones = format_points(setup.size, &in_turn(&setup));
        let Advice { reply, score, depth } = advice;
        let _ = writeln!(text, "{stones}: {} {score} {depth}", format_point(setup.size, reply));
    }
    text
}

/// The stones of both sides in alternating order, black first.
fn in_turn(setup: &Setup) -> Vec<Point> {
    let of = |side: Side| setup.stones.iter().filter(move |(_, s)| *s == side).map(|(p, _)| *p);
    let (black, mut white) = (of(Side::Black), of(Side::White));
    let mut all = Vec::with_capacity(setup.stones.len());
    for point in black {
        all.push(point);
        all.extend(white.next());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_survives_its_text() {
        let text = "# Two boards.\n\n[freestyle 15x15]\n: h8 31 20 # the centre\nh8: i9 -28 19\nh8i9: g7 12 18\n\n\
                    [caro 9x7]\nE4: d5 +M13 8\n";
        let book = Book::parse(text).unwrap();
        assert_eq!(book.len(), 4);
        let again = format_book(&book, "Two lines\nof comment");
        assert!(again.starts_with("# Two lines\n# of comment\n\n[freestyle 15x15]\n: h8 31 20\n"), "{again}");
        assert_eq!(Book::parse(&again), Ok(book));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, line, expected) in [
            (": h8 0 1", 1, "a line in brackets before the first position"),
            ("[chess 15x15]", 1, "[rule WIDTHxHEIGHT]"),
            ("[renju 15x15", 1, "[rule WIDTHxHEIGHT]"),
            ("[renju 4x15]", 1, "[rule WIDTHxHEIGHT]"),
            ("[renju 15x15]\n\nh8 i9", 3, "stones, a colon, and what to play"),
            ("[renju 15x15]\nq8: h8 0 1", 2, "points of the board before the colon"),
            ("[renju 15x15]\nh8: i9 0", 2, "reply, score and depth after the colon"),
            ("[renju 15x15]\nh8: i9 0 x", 2, "reply, score and depth after the colon"),
            ("[renju 15x15]\nh8: h8 0 1", 2, "different points"),
            ("[renju 15x15]\nh8h8: i9 0 1", 2, "different points"),
            ("[renju 15x15]\nh8i9: i8 0 1\nh8g7: i8 0 1", 3, "a position that was not yet named"),
        ] {
            assert_eq!(Book::parse(text), Err(BookError { line, expected }), "{text}");
        }
    }
}
