//! Moves in a row: labels such as `h8i9j10`, and pairs of numbers such as `7,7 8,6`.
//!
//! Between labels may stand blanks, commas, semicolons, dashes and the numbers of moves (`1. h8 i9 2. h9`). Pairs are
//! columns and rows from 0 at the top left, as the Gomocup protocol counts.

use super::builder::Builder;
use super::error::{Problem, ReadError};
use super::game::Record;
use crate::board::{BoardSize, Point, Setup, parse_points};

/// Whether a text begins as labels do.
pub(super) fn is_labels(text: &str) -> bool {
    let mut chars = without_number(text).chars();
    matches!((chars.next(), chars.next()), (Some(a), Some(b)) if a.is_ascii_alphabetic() && b.is_ascii_digit())
}

/// The text after the number of a move, if it begins with one.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let dots = rest.trim_start_matches(['.', ')']);
    if rest.len() < text.len() && dots.len() < rest.len() { dots.trim_start() } else { text }
}

/// Reads labels.
pub(super) fn read(text: &str, size: BoardSize) -> Result<Record, ReadError> {
    let separator = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '-');
    let mut rest = text.trim_start_matches(separator);
    let mut points = Vec::new();
    loop {
        rest = without_number(rest).trim_start_matches(separator);
        if rest.is_empty() {
            return of_moves(size, points);
        }
        // A letter and its digits, or what stands in their place.
        let letter = rest.chars().next().map_or(0, char::len_utf8);
        let digits = rest[letter..].bytes().take_while(u8::is_ascii_digit).count();
        let (label, after) = rest.split_at(letter + digits);
        // An error shows what follows, too.
        let shown = if digits == 0 { rest } else { label };
        points.extend(parse_points(size, shown).map_err(|e| Problem::Label(e).somewhere())?);
        rest = after.trim_start_matches(separator);
    }
}

/// Pairs of numbers with blanks or semicolons between them, if the text is nothing else.
pub(super) fn pairs(text: &str) -> Option<Vec<(i32, i32)>> {
    let words = text.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty());
    let pair = |word: &str| {
        let (x, y) = word.trim_end_matches(',').split_once(',')?;
        x.parse().ok().zip(y.parse().ok())
    };
    words.map(pair).collect()
}

/// The game of these pairs.
pub(super) fn read_pairs(pairs: Vec<(i32, i32)>, size: BoardSize) -> Result<Record, ReadError> {
    let point =
        |(x, y): (i32, i32)| size.point(x, y).ok_or_else(|| Problem::OffBoard(format!("point {x},{y}")).somewhere());
    of_moves(size, pairs.into_iter().map(point).collect::<Result<Vec<_>, _>>()?)
}

/// A game of moves by turns.
pub(super) fn of_moves(size: BoardSize, moves: Vec<Point>) -> Result<Record, ReadError> {
    let mut builder = Builder::new(Record::new(None, Setup::empty(size)), usize::MAX);
    for point in moves {
        builder.play(point, builder.to_move).map_err(Problem::somewhere)?;
    }
    Ok(builder.record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Setup, format_points};

    fn moves(text: &str) -> Option<String> {
        let record = read(text, BoardSize::RENJU).ok()?;
        let setup: Setup = record.setup(record.end());
        Some(format_points(setup.size, &setup.stones.iter().map(|(point, _)| *point).collect::<Vec<_>>()))
    }

    #[test]
    fn labels_as_people_write_them() {
        for text in [
            "h8i9j10",
            "H8 I9 J10",
            "h8, i9; j10",
            "h8-i9-j10",
            "1. h8 i9 2. j10",
            "1.h8 2.i9 3.j10",
            "1) h8\n2) i9\r\n3) j10",
        ] {
            assert!(is_labels(text), "{text}");
            assert_eq!(moves(text).as_deref(), Some("h8i9j10"), "{text}");
        }
        assert_eq!(moves("").as_deref(), Some(""));
        for text in ["h8h8", "h16", "h8x", "h8 9", "h8 1", "p1", "h8é9"] {
            assert_eq!(moves(text), None, "{text}");
        }
        for text in ["15 . . X", "7,7 8,6", "X O", "15......", "1. X O"] {
            assert!(!is_labels(text), "{text}");
        }
    }
}
