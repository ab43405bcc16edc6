//! Moves in a row: labels such as `h8i9j10`, and pairs of numbers such as `7,7 8,6`.
//!
//! Blanks, commas, semicolons, dashes and move numbers (`1. h8 i9 2. h9`) may separate labels; `pass` is a pass. Pairs
//! are columns and rows from 0 at the top left, as in the Gomocup protocol.
//!
//! If lines have several moves, each line is a game. Lines that have one move, have move numbers, or end in a comma, a
//! semicolon or a dash form one game.

use crate::builder::Builder;
use crate::collection::Reading;
use crate::error::{Place, Problem, ReadError};
use crate::game::Record;
use crate::text::shortened;
use tengen::board::{BoardSize, Point, Setup, format_point, format_points, parse_points};

/// A move; a pass has no point.
pub(super) type Move = Option<Point>;

/// The word for a pass.
const PASS: &str = "pass";

/// Whether a text begins with a label.
pub(super) fn is_labels(text: &str) -> bool {
    let text = without_number(text);
    let mut chars = text.chars();
    let letter = chars.next().is_some_and(|c| c.is_ascii_alphabetic());
    without_pass(text).is_some() || letter && chars.next().is_some_and(|c| c.is_ascii_digit())
}

/// The text after a move number, if it begins with one.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let dots = rest.trim_start_matches(['.', ')']);
    if rest.len() < text.len() && dots.len() < rest.len() { dots.trim_start() } else { text }
}

/// The text after a pass, if it begins with one.
fn without_pass(text: &str) -> Option<&str> {
    let (word, rest) = text.split_at_checked(PASS.len())?;
    Some(rest).filter(|rest| word.eq_ignore_ascii_case(PASS) && !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '-')
}

/// Reads the games of a text, of labels or of pairs.
pub(super) fn read(text: &str, size: BoardSize, reading: &mut Reading) {
    let pairs =
        text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-') && !is_labels(text.trim_start());
    let game = |text: &str| if pairs { of_pairs(text, size) } else { of_text(text, size) };
    let lines = || (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let moves = |line: &str| line.chars().filter(|c| if pairs { *c == ',' } else { c.is_ascii_alphabetic() }).count();
    let goes_on = |line: &str| line.trim_end().ends_with([',', ';', '-']);
    let is_numbered = |line: &str| !pairs && line.trim().split(' ').any(|word| without_number(word) != word);
    let last = lines().last().map_or(0, |(number, _)| number);
    let one_game = lines().count() < 2
        || lines().all(|(_, line)| moves(line) < 2 || line.trim().eq_ignore_ascii_case(PASS))
        || lines().any(|(number, line)| is_numbered(line) || number != last && goes_on(line));
    if one_game {
        reading.game(|_, _| game(text));
        return;
    }
    for (number, line) in lines() {
        let in_line = |error: ReadError| ReadError { place: Place::Line(number), ..error };
        reading.game(|_, _| game(line).map_err(in_line));
    }
}

/// The game of a row of labels.
pub(super) fn of_text(text: &str, size: BoardSize) -> Result<Record, ReadError> {
    of_moves(size, moves(text, size)?)
}

/// The moves of a row of labels.
pub(super) fn moves(text: &str, size: BoardSize) -> Result<Vec<Move>, ReadError> {
    let mut rest = text.trim_start_matches(is_separator);
    let mut moves = Vec::new();
    loop {
        rest = without_number(rest).trim_start_matches(is_separator);
        if rest.is_empty() {
            return Ok(moves);
        }
        if let Some(after) = without_pass(rest) {
            moves.push(None);
            rest = after.trim_start_matches(is_separator);
            continue;
        }
        // A letter and its digits, or the characters in their place.
        let letter = rest.chars().next().map_or(0, char::len_utf8);
        let digits = rest[letter..].bytes().take_while(u8::is_ascii_digit).count();
        let (label, after) = rest.split_at(letter + digits);
        // The error message also shows the following text.
        let shown = if digits == 0 { rest } else { label };
        let points = parse_points(size, shown).map_err(|e| Problem::Label(e).somewhere())?;
        moves.extend(points.into_iter().map(Some));
        rest = after.trim_start_matches(is_separator);
    }
}

/// Moves as labels: without separators, or separated by blanks if there is a pass.
pub(super) fn write(size: BoardSize, moves: &[Move]) -> String {
    match moves.iter().copied().collect::<Option<Vec<Point>>>() {
        Some(points) => format_points(size, &points),
        None => {
            let label = |point: &Move| point.map_or(PASS.to_owned(), |point| format_point(size, point));
            moves.iter().map(label).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Whether a text consists of pairs of numbers, separated by blanks or semicolons.
pub(super) fn is_pairs(text: &str) -> bool {
    pairs(text).is_ok()
}

/// The pairs of numbers, or the first word that is not a pair as an error.
fn pairs(text: &str) -> Result<Vec<(i32, i32)>, String> {
    let words = text.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty());
    let pair = |word: &str| {
        let (x, y) = word.trim_end_matches(',').split_once(',')?;
        x.parse().ok().zip(y.parse().ok())
    };
    words.map(|word| pair(word).ok_or_else(|| shortened(word))).collect()
}

/// The game of a row of pairs.
fn of_pairs(text: &str, size: BoardSize) -> Result<Record, ReadError> {
    let pairs = pairs(text).map_err(|word| Problem::NoPoint(word).somewhere())?;
    let point = |(x, y): (i32, i32)| match size.point(x, y) {
        Some(point) => Ok(Some(point)),
        None => Err(Problem::OffBoard(format!("point {x},{y}")).somewhere()),
    };
    of_moves(size, pairs.into_iter().map(point).collect::<Result<Vec<_>, _>>()?)
}

/// A game of alternating moves.
pub(super) fn of_moves(size: BoardSize, moves: Vec<Move>) -> Result<Record, ReadError> {
    let mut builder = Builder::new(Record::new(None, Setup::empty(size)), usize::MAX);
    for point in moves {
        let side = builder.to_move;
        let played = match point {
            Some(point) => builder.play(point, side),
            None => builder.pass(side),
        };
        played.map_err(Problem::somewhere)?;
    }
    Ok(builder.record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Collection;

    fn all(text: &str) -> Collection {
        let mut reading = Reading::new(None);
        read(text, BoardSize::RENJU, &mut reading);
        reading.end().unwrap_or_default()
    }

    fn told(text: &str) -> Vec<String> {
        let moves = |record: &Record| record.line(record.end()).expect("by turns").into_iter().map(|(point, _)| point);
        let told = |record: &Record| write(record.start.size, &moves(record).collect::<Vec<_>>());
        all(text).games.iter().map(|(_, record)| told(record)).collect()
    }

    fn moves(text: &str) -> Option<String> {
        told(text).first().cloned()
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

    /// One position a line gives several games; one move a line, or moves with numbers, give one game.
    #[test]
    fn lines_of_moves() {
        assert_eq!(told("h8i9\nj10k11\n"), ["h8i9", "j10k11"]);
        assert_eq!(told("h8 i9 h9\r\n\r\nh8 i8\r\n"), ["h8i9h9", "h8i8"]);
        assert_eq!(told("7,7 8,6\n7,7 8,7 9,9\n"), ["h8i9", "h8i8j6"]);
        for text in ["h8\ni9\npass\nj10", "1. h8 i9\n2. pass j10", "h8, i9,\npass, j10", "7,7\n8,6"] {
            assert_eq!(told(text).len(), 1, "{text}");
        }
        let read = all("h8i9\nh8h8\nh9");
        assert_eq!(read.games.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(read.warnings, ["game 2: line 2: point h8 is taken twice: the game is left out"]);
    }

    #[test]
    fn a_pass_is_a_word() {
        assert_eq!(moves("h8 PASS i9").as_deref(), Some("h8 pass i9"));
        assert_eq!(moves("pass").as_deref(), Some("pass"));
        assert!(is_labels("pass h8") && !is_labels("passage") && moves("h8 passx").is_none());
    }
}
