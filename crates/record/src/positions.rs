//! The moves that lead to a position, in the formats of Yixin (.sav) and RenLib (.pos).
//!
//! A .sav is text: height, width, number of moves, then a row and a column for each move, from 0 at the top left. A
//! .pos has a board of 15x15: a byte with the number of moves, then a byte for each move, `15 * row + column`, from 0
//! at the top left, or [`PASS`].

use crate::builder::Builder;
use crate::error::{Place, Problem, ReadError};
use crate::game::Record;
use crate::text::shortened;
use std::fmt::Write;
use tengen::board::{BoardSize, Point, Setup};
use tengen::rules::Rule;

/// The byte of a pass: RenLib writes it for its point 0.
const PASS: u8 = 0xF0;

/// Whether a text has exactly the numbers of a .sav.
pub(super) fn is_sav(text: &str) -> bool {
    let mut numbers = text.split_whitespace().map(|word| word.parse::<usize>().ok());
    let (Some(Some(_)), Some(Some(_)), Some(Some(count))) = (numbers.next(), numbers.next(), numbers.next()) else {
        return false;
    };
    let mut coordinates = 0;
    numbers.all(|number| {
        coordinates += 1;
        number.is_some()
    }) && count.checked_mul(2) == Some(coordinates)
}

/// Reads a .sav.
pub(super) fn read_sav(text: &str) -> Result<Record, ReadError> {
    let mut words = (1..).zip(text.lines()).flat_map(|(n, line)| line.split_whitespace().map(move |word| (n, word)));
    let mut number = |what| {
        let (line, word) = words.next().ok_or_else(|| Problem::Ends(what).somewhere())?;
        let wrong = || Problem::NoPoint(shortened(word)).at(Place::Line(line));
        Ok((line, word.parse::<i32>().map_err(|_| wrong())?))
    };
    let (height, width) = (number("the board's size")?.1, number("the board's size")?.1);
    let size = u8::try_from(width).ok().zip(u8::try_from(height).ok()).and_then(|(w, h)| BoardSize::new(w, h));
    let size = size.ok_or_else(|| Problem::Size(String::new()).somewhere())?;
    let mut builder = Builder::new(Record::new(None, Setup::empty(size)), usize::MAX);
    for _ in 0..number("the number of moves")?.1 {
        let ((line, row), (_, column)) = (number("the list of moves")?, number("the list of moves")?);
        let point = size.point(column, row).ok_or(Problem::OffBoard(format!("row {row}, column {column}")));
        let played = point.and_then(|point| builder.play(point, builder.to_move));
        played.map_err(|problem| problem.at(Place::Line(line)))?;
    }
    Ok(builder.record)
}

/// Writes a .sav.
pub(super) fn write_sav(size: BoardSize, points: &[Point]) -> String {
    let mut text = format!("{}\n{}\n{}\n", size.height(), size.width(), points.len());
    for point in points {
        let _ = writeln!(text, "{} {}", point.y(), point.x());
    }
    text
}

/// Whether bytes can be a .pos and are not text: as many cells as the first byte states, and no cell but a pass twice.
/// Files of other formats repeat bytes, although their length may equal their first byte.
pub(super) fn is_pos(bytes: &[u8]) -> bool {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let mut seen = [false; 256];
    let mut is_new = |cell: u8| cell == PASS || !std::mem::replace(&mut seen[usize::from(cell)], true);
    let is_cell = |cell: u8| cell == PASS || usize::from(cell) < BoardSize::RENJU.cells();
    bytes.split_first().is_some_and(|(count, cells_of)| {
        cells_of.len() == usize::from(*count)
            && cells_of.iter().any(|cell| *cell != PASS)
            && cells_of.iter().all(|cell| is_cell(*cell) && is_new(*cell))
            && !bytes.iter().all(is_text)
    })
}

/// Reads a .pos.
pub(super) fn read_pos(bytes: &[u8]) -> Result<Record, ReadError> {
    let mut builder = Builder::new(Record::new(None, Setup::empty(BoardSize::RENJU)), usize::MAX);
    let count = usize::from(*bytes.first().ok_or_else(|| Problem::Ends("the number of moves").somewhere())?);
    for i in 1..=count {
        let cell = *bytes.get(i).ok_or_else(|| Problem::Ends("the list of moves").somewhere())?;
        let point = BoardSize::RENJU.point(i32::from(cell % 15), i32::from(cell / 15));
        let played = match point {
            _ if cell == PASS => builder.pass(builder.to_move),
            Some(point) => builder.play(point, builder.to_move),
            None => Err(Problem::OffBoard(format!("cell {cell}"))),
        };
        played.map_err(|problem| problem.at(Place::Byte(i)))?;
    }
    let mut record = builder.record;
    record.assume_rule(Rule::Renju, "a position of RenLib");
    if let Some(more) = bytes.len().checked_sub(count + 1).filter(|more| *more > 0) {
        record.warnings.push(format!("{more} bytes after the {count} moves are left out"));
    }
    Ok(record)
}

/// Writes a .pos of a 15x15 board. `None` if the moves do not fit its byte-sized count.
pub(super) fn write_pos(moves: &[Option<Point>]) -> Option<Vec<u8>> {
    let count = u8::try_from(moves.len()).ok()?;
    Some(std::iter::once(count).chain(moves.iter().map(|m| m.map_or(PASS, |p| p.y() * 15 + p.x()))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_before_columns() {
        let text = "12\n20\n2\n3 7\n11 19\n";
        assert!(is_sav(text));
        let record = read_sav(text).unwrap();
        let setup = record.setup(record.end());
        assert_eq!((setup.size.width(), setup.size.height()), (20, 12));
        assert_eq!(setup.stones[0].0, Point::at(7, 3));
        assert_eq!(write_sav(setup.size, &[Point::at(7, 3), Point::at(19, 11)]), text);
        // Row 0 is at the top, column 0 at the left.
        let record = read_pos(&[2, 0, 17]).unwrap();
        let points: Vec<Point> = record.setup(record.end()).stones.iter().map(|(point, _)| *point).collect();
        assert_eq!(points, [Point::at(0, 0), Point::at(2, 1)]);
        assert!(is_pos(&[2, 0, 17]) && !is_pos(&[2, 0]) && !is_pos(&[1, 225]) && !is_pos(b""));
        // This .psq has the length of a .pos that begins with `P`.
        let psq = "Piskvorky 15x14, 11:11, 0\r\n1,1,1000000000\r\n2,1,1000000000\r\nf\r\né  '\r\n-1\r\n1,caro\r\n";
        assert_eq!(psq.len(), 1 + usize::from(b'P'));
        assert!(!is_pos(psq.as_bytes()));
    }

    /// A pass at the fourth move, as RenLib writes it.
    #[test]
    fn a_pass_is_a_move() {
        let bytes = [5, 0x70, 0x71, 0x6F, 0xF0, 0x72];
        assert!(is_pos(&bytes));
        let record = read_pos(&bytes).unwrap();
        let line = record.line(record.end()).expect("moves by turns");
        assert_eq!(line.iter().map(|(point, _)| point.is_some()).collect::<Vec<_>>(), [true, true, true, false, true]);
        let moves: Vec<_> = line.into_iter().map(|(point, _)| point).collect();
        assert_eq!(write_pos(&moves).as_deref(), Some(&bytes[..]));
        assert_eq!(write_pos(&[None; 256]), None);
        assert!(read_pos(&[1, 112, 9]).unwrap().warnings[0].contains("1 bytes after"));
    }

    #[test]
    fn errors_say_where() {
        let sav = |text: &str| read_sav(text).unwrap_err().to_string();
        assert_eq!(sav("15\n15\n1\n3 15\n"), "line 4: row 3, column 15 is off the board");
        assert_eq!(sav("15\n15\n2\n3 1\n3 1"), "line 5: point b12 is taken twice");
        assert_eq!(sav("15\n15\n2147483647\n3 1\n"), "the list of moves does not end");
        assert_eq!(sav("15\nx\n"), "line 2: x is no point");
        let pos = |bytes: &[u8]| read_pos(bytes).unwrap_err().to_string();
        assert_eq!(pos(&[1, 225]), "byte 1: cell 225 is off the board");
        assert_eq!(pos(&[2, 7, 7]), "byte 2: point h15 is taken twice");
        assert_eq!(pos(&[2, 7]), "the list of moves does not end");
        assert_eq!(pos(&[]), "the number of moves does not end");
    }
}
