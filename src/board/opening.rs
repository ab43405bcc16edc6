//! Opening lines of tournaments: a few stones to start from, on one line of text.
//!
//! Gomocup's form gives offsets from the centre, `x,y, x,y, …`, black first, x to the right and y downwards; the
//! centre is [`BoardSize::center`]. Labels in a row, `h8i9j10`, are read as well.

use super::label::{LabelError, format_point, parse_points};
use super::{BoardSize, POINTS, Point};
use std::fmt;

/// Why a line is not an opening for a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningError {
    /// Not a whole number.
    Malformed(String),
    /// An x without its y.
    OddCount,
    /// An offset that leaves the board.
    OffBoard(i32, i32),
    /// A stone on another.
    Occupied(String),
    /// Neither offsets nor labels.
    Label(LabelError),
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningError::Malformed(text) => write!(f, "expected an offset such as -3, found {text:?}"),
            OpeningError::OddCount => write!(f, "the last offset has no y"),
            OpeningError::OffBoard(x, y) => write!(f, "offset {x},{y} leaves the board"),
            OpeningError::Occupied(label) => write!(f, "point {label} is taken twice"),
            OpeningError::Label(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpeningError {}

/// The stones of an opening line, black first: offsets from the centre, or labels if it begins with a letter.
///
/// An empty line is the empty opening.
///
/// # Errors
/// If the line cannot be read, or a stone falls off the board or on another.
pub fn parse_opening(size: BoardSize, line: &str) -> Result<Vec<Point>, OpeningError> {
    let line = line.trim();
    let points = if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
        parse_points(size, line).map_err(OpeningError::Label)?
    } else {
        parse_offsets(size, line)?
    };
    let mut taken = [false; POINTS];
    for point in &points {
        if std::mem::replace(&mut taken[point.index()], true) {
            return Err(OpeningError::Occupied(format_point(size, *point)));
        }
    }
    Ok(points)
}

fn parse_offsets(size: BoardSize, line: &str) -> Result<Vec<Point>, OpeningError> {
    let words = line.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let numbers: Vec<i32> = words
        .map(|word| match word.parse::<i8>() {
            Ok(number) => Ok(i32::from(number)),
            Err(_) => Err(OpeningError::Malformed(word.chars().take(8).collect())),
        })
        .collect::<Result<_, _>>()?;
    let center = size.center();
    let (pairs, odd) = numbers.as_chunks::<2>();
    if !odd.is_empty() {
        return Err(OpeningError::OddCount);
    }
    pairs
        .iter()
        .map(|&[x, y]| {
            size.point(i32::from(center.x()) + x, i32::from(center.y()) + y).ok_or(OpeningError::OffBoard(x, y))
        })
        .collect()
}

/// An opening in Gomocup's form, as offsets from the centre.
pub fn format_opening(size: BoardSize, stones: &[Point]) -> String {
    let center = size.center();
    let offset = |of: u8, from: u8| i32::from(of) - i32::from(from);
    let pairs: Vec<String> =
        stones.iter().map(|p| format!("{},{}", offset(p.x(), center.x()), offset(p.y(), center.y()))).collect();
    pairs.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_labels() {
        let size = BoardSize::RENJU;
        let expected = vec![Point::at(7, 7), Point::at(4, 9), Point::at(14, 0)];
        assert_eq!(parse_opening(size, "0,0, -3,2, 7,-7\r\n").as_ref(), Ok(&expected));
        assert_eq!(parse_opening(size, "0,0 -3,2 7,-7").as_ref(), Ok(&expected));
        assert_eq!(parse_opening(size, "h8 e6 o15").as_ref(), Ok(&expected));
        assert_eq!(format_opening(size, &expected), "0,0, -3,2, 7,-7");
        assert_eq!(parse_opening(size, ""), Ok(vec![]));
        let even = BoardSize::new(20, 12).unwrap();
        assert_eq!(parse_opening(even, "-10,-6, 9,5"), Ok(vec![Point::at(0, 0), Point::at(19, 11)]));
    }

    #[test]
    fn bad_openings_are_errors() {
        let size = BoardSize::RENJU;
        let error = |line| parse_opening(size, line).unwrap_err();
        assert_eq!(error("0,0, 1"), OpeningError::OddCount);
        assert_eq!(error("0,0, 1,x"), OpeningError::Malformed("x".into()));
        assert_eq!(error("0,0, 1,999"), OpeningError::Malformed("999".into()));
        assert_eq!(error("8,0"), OpeningError::OffBoard(8, 0));
        assert_eq!(error("0,1, 2,2, 0,1"), OpeningError::Occupied("h7".to_owned()));
        assert_eq!(error("h8h8"), OpeningError::Occupied("h8".to_owned()));
        assert!(matches!(error("h8q9"), OpeningError::Label(LabelError::OffBoard(_))));
    }
}
