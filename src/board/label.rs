//! Names of points as people write them: a letter for the column, a number for the row.
//!
//! Columns are a, b, c … from the left, with no letter left out (i is the ninth); rows count from 1 at the bottom.
//! The centre of a 15x15 board is h8. A game is its labels one after another: `h8i9j10`.

use super::{BoardSize, Point};
use std::fmt;

/// Why a text is not a label, or a sequence of labels, of points of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelError {
    /// No letter and number here.
    Malformed(String),
    /// The label of a point outside this board.
    OffBoard(String),
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabelError::Malformed(text) => write!(f, "expected a point such as h8, found {text:?}"),
            LabelError::OffBoard(text) => write!(f, "point {text} is off the board"),
        }
    }
}

impl std::error::Error for LabelError {}

/// The label of a point of a board of this size.
///
/// The point must be on the board; the label of any other point cannot be read back.
pub fn format_point(size: BoardSize, point: Point) -> String {
    let row = i32::from(size.height()) - i32::from(point.y());
    format!("{}{row}", column_letter(point.x()))
}

/// The letter of a column.
pub(super) fn column_letter(x: u8) -> char {
    char::from(b'a' + x)
}

/// The point that one label names, upper or lower case.
///
/// # Errors
/// If the text is not exactly one label of a point of this board.
pub fn parse_point(size: BoardSize, text: &str) -> Result<Point, LabelError> {
    match take_point(size, text)? {
        (point, "") => Ok(point),
        _ => Err(LabelError::Malformed(text.to_owned())),
    }
}

/// The labels of points.
pub fn point_labels(size: BoardSize, points: &[Point]) -> Vec<String> {
    points.iter().map(|point| format_point(size, *point)).collect()
}

/// Labels one after another.
pub fn format_points(size: BoardSize, points: &[Point]) -> String {
    point_labels(size, points).concat()
}

/// The points of a sequence of labels, with or without blanks and commas between them.
///
/// Repeated points are not detected.
///
/// # Errors
/// At the first text that is not the label of a point of this board.
pub fn parse_points(size: BoardSize, text: &str) -> Result<Vec<Point>, LabelError> {
    let separator = |c: char| c == ',' || c.is_ascii_whitespace();
    let mut points = Vec::new();
    let mut rest = text.trim_start_matches(separator);
    while !rest.is_empty() {
        let (point, tail) = take_point(size, rest)?;
        points.push(point);
        rest = tail.trim_start_matches(separator);
    }
    Ok(points)
}

/// The point whose label begins the text, and the text after it.
fn take_point(size: BoardSize, text: &str) -> Result<(Point, &str), LabelError> {
    let malformed = || LabelError::Malformed(text.chars().take(8).collect());
    let letter = text.chars().next().filter(char::is_ascii_alphabetic).ok_or_else(malformed)?;
    let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
    let (label, rest) = text.split_at(1 + digits);
    if digits == 0 {
        return Err(malformed());
    }
    let off_board = || LabelError::OffBoard(label.chars().take(8).collect());
    let row: i32 = label[1..].parse().map_err(|_| off_board())?;
    let x = letter.to_ascii_lowercase() as i32 - 'a' as i32;
    let point = i32::from(size.height()).checked_sub(row).and_then(|y| size.point(x, y)).ok_or_else(off_board)?;
    Ok((point, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_every_point_of_every_size() {
        for (width, height) in [(5, 5), (15, 15), (20, 12), (9, 25), (25, 25)] {
            let size = BoardSize::new(width, height).unwrap();
            let all: Vec<Point> = size.points().collect();
            for point in &all {
                assert_eq!(parse_point(size, &format_point(size, *point)), Ok(*point));
            }
            assert_eq!(parse_points(size, &format_points(size, &all)), Ok(all));
        }
    }

    #[test]
    fn known_labels() {
        let size = BoardSize::RENJU;
        assert_eq!(format_point(size, size.center()), "h8");
        assert_eq!(parse_point(size, "a1"), Ok(Point::at(0, 14)));
        assert_eq!(parse_point(size, "O15"), Ok(Point::at(14, 0)));
        assert_eq!(parse_point(size, "i9"), Ok(Point::at(8, 6)), "i is a column like any other");
        let expected = vec![Point::at(7, 7), Point::at(8, 6), Point::at(9, 5)];
        assert_eq!(parse_points(size, "h8i9j10").as_ref(), Ok(&expected));
        assert_eq!(parse_points(size, " h8, I9\tj10\n").as_ref(), Ok(&expected));
        assert_eq!(parse_points(size, ""), Ok(vec![]));
    }

    #[test]
    fn bad_labels_are_errors() {
        let size = BoardSize::RENJU;
        for text in ["", "h", "8", "8h", "h 8", "h8x", "hh8", "é8", "h-1", "h８"] {
            assert!(matches!(parse_point(size, text), Err(LabelError::Malformed(_))), "{text:?}");
        }
        for text in ["h0", "h16", "p1", "z9", "h99999999999999999999", "h2147483647", "h4294967295"] {
            assert!(matches!(parse_point(size, text), Err(LabelError::OffBoard(_))), "{text:?}");
        }
        assert!(parse_points(size, "h8;i9").is_err());
        assert_eq!(parse_point(size, "p3").unwrap_err().to_string(), "point p3 is off the board");
    }
}
