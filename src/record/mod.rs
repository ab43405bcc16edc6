//! Records of games: a tree of moves with comments, values and marks, and the files that people keep them in.
//!
//! [`read()`] tells the forms apart and [`write()`] knows those that can be written. Independent of the engine and of
//! everything that plays: a record says what was played and what was said of it, and does not judge it.
//!
//! What is read comes from strangers. No reader recurses, each has a bound for what it keeps, and text is text:
//! control characters are dropped, and what it says is never interpreted.

mod builder;
mod drawing;
mod error;
mod format;
mod game;
mod labels;
mod limits;
mod positions;
mod psq;
mod renlib;
pub mod rule_code;
mod sgf;
mod text;
mod tree;

pub use drawing::MOVES;
pub use error::{Place, Problem, ReadError, WriteError};
pub use format::Format;
pub use game::Record;
pub use limits::{MAX_BYTES, MAX_GAMES};
pub use sgf::write as write_sgf;
pub use text::rule_of_text;
pub use tree::{Mark, Node, NodeId, Tree, Value};

use crate::board::{BoardSize, Point, format_points};

/// Reads games in any of the forms, at least one. They are told apart by their beginnings, and only where those leave
/// it open by the file's name:
///
/// * `FF RenLib`: a library;
/// * `(`: SGF, whose games are read one after another;
/// * `Piskvorky`: .psq;
/// * a letter followed by a digit, maybe after the number of a move: labels in a row, on a board of `size`;
/// * numbers such as `7,7 8,6`: columns and rows from 0 at the top left, as the Gomocup protocol counts, on a board
///   of `size`;
/// * the numbers of a .sav, the bytes of a .pos, the lines of a .rec;
/// * anything else: a drawing as of [`Diagram`](crate::board::Diagram), or the output of `tengen analyze`, which
///   begins with one.
///
/// An empty text is the empty board.
///
/// # Errors
/// If the file is not of the form that it begins as, has a stone on another or off the board, or is too large.
pub fn read(bytes: &[u8], file_name: Option<&str>, size: BoardSize) -> Result<Vec<Record>, ReadError> {
    if bytes.len() > MAX_BYTES {
        return Err(Problem::TooLarge.somewhere());
    }
    let named = file_name.and_then(Format::of_file_name);
    let one = |record: Record| vec![record];
    if bytes.starts_with(renlib::HEAD) || named == Some(Format::Lib) {
        return renlib::read(bytes).map(one);
    }
    if named == Some(Format::Pos) || named.is_none() && positions::is_pos(bytes) {
        return positions::read_pos(bytes).map(one);
    }
    let (text, guessed) = text::decode(bytes);
    let mut records = read_text(&text, named, size)?;
    if guessed && let Some(record) = records.first_mut() {
        record.warnings.push(text::GUESSED.to_owned());
    }
    Ok(records)
}

fn read_text(text: &str, named: Option<Format>, size: BoardSize) -> Result<Vec<Record>, ReadError> {
    let begun = text.trim_start();
    if begun.starts_with('(') || named == Some(Format::Sgf) {
        return sgf::read(text).and_then(|games| match games.is_empty() {
            true => Err(Problem::Unknown.somewhere()),
            false => Ok(games),
        });
    }
    let text = begun;
    let record = if text.starts_with(psq::HEAD) || named == Some(Format::Psq) {
        psq::read(text)
    } else if named == Some(Format::Rec) || named.is_none() && psq::is_rec(text) {
        psq::read_rec(text)
    } else if named == Some(Format::Sav) || named.is_none() && positions::is_sav(text) {
        positions::read_sav(text)
    } else if text.is_empty() || labels::is_labels(text) {
        labels::read(text, size)
    } else if let Some(pairs) = labels::pairs(text) {
        labels::read_pairs(pairs, size)
    } else {
        drawing::read(text)
    };
    Ok(vec![record?])
}

/// Writes a game. Forms without variations get the line that leads to the node `to`, and lose what is said of it.
///
/// # Errors
/// If the form cannot hold the line, or is not written at all.
pub fn write(record: &Record, to: NodeId, format: Format) -> Result<Vec<u8>, WriteError> {
    if format == Format::Sgf {
        return Ok(sgf::write(record).into_bytes());
    }
    if !format.is_written() {
        return Err(WriteError::ReadOnly(format));
    }
    let size = record.start.size;
    let line = record.line(to).ok_or(WriteError::NotByTurns(format))?;
    let points: Vec<Point> = line.iter().map(|(point, _)| *point).collect();
    match format {
        Format::Labels => Ok(format_points(size, &points).into_bytes()),
        Format::Psq => Ok(psq::write(record, &line).into_bytes()),
        Format::Sav => Ok(positions::write_sav(size, &points).into_bytes()),
        Format::Pos if size != BoardSize::RENJU || points.len() > size.cells() => Err(WriteError::Size(format)),
        Format::Pos => Ok(positions::write_pos(&points)),
        Format::Sgf | Format::Lib | Format::Rec | Format::Pairs | Format::Drawing => Err(WriteError::ReadOnly(format)),
    }
}
