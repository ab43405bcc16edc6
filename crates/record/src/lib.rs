//! Records of games: a tree of moves with comments, values and marks, and the file formats for them.
//!
//! [`read()`] detects the format and [`write()`] writes those formats that support it. The crate does not depend on the
//! engine: a record holds moves and comments, and does not judge them.
//!
//! Files are untrusted. No reader recurses, each has a memory limit, and text is data only: control characters are
//! removed, and nothing in a text is executed or interpreted.

mod builder;
mod collection;
mod drawing;
mod encoding;
mod error;
mod format;
mod game;
mod labels;
mod limits;
mod positions;
mod psq;
mod renlib;
mod rif;
pub mod rule_code;
mod rule_name;
mod sgf;
mod text;
mod tree;

pub use collection::{Collection, Visited};
pub use drawing::{ASSUMED, MOVES};
pub use encoding::TextDecoder;
pub use error::{Place, Problem, ReadError, WriteError};
pub use format::Format;
pub use game::Record;
pub use limits::{MAX_BYTES, MAX_GAMES, MAX_VISITED_BYTES};
pub use renlib::write as write_lib;
pub use sgf::write as write_sgf;
pub use text::rule_of_text;
pub use tree::{Mark, Node, NodeId, Tree, Value};

use collection::Reading;
use tengen::board::{BoardSize, Point};

/// Reads the games of a file, at least one. The warnings of the first game include the assumptions about the file as a
/// whole and the skipped games. See [`read_collection`].
///
/// # Errors
/// If none of the games can be read.
pub fn read(bytes: &[u8], file_name: Option<&str>, size: BoardSize) -> Result<Vec<Record>, ReadError> {
    let Collection { games, warnings, .. } = read_collection(bytes, file_name, size, None)?;
    let mut records: Vec<Record> = games.into_iter().map(|(_, record)| record).collect();
    if let Some(first) = records.first_mut() {
        first.warnings.splice(0..0, warnings);
    }
    Ok(records)
}

/// Reads games in any of the formats: all, or `only` the one with this number, from 1. The first bytes determine the
/// format; only if they are ambiguous, the file's name does:
///
/// * `FF RenLib`: a library;
/// * `(`: SGF, whose games are read one after another;
/// * `<?xml`: RenjuNet's database;
/// * `Piskvorky`: .psq;
/// * a letter followed by a digit, possibly after the number of a move: labels in a row, on a board of `size`. If lines
///   have several moves, each line is a game;
/// * numbers such as `7,7 8,6`: columns and rows from 0 at the top left, as the Gomocup protocol counts, on a board
///   of `size`;
/// * the numbers of a .sav, the bytes of a .pos, the lines of a .rec;
/// * other text: a drawing in the format of [`Diagram`](tengen::board::Diagram), or the output of `tengen analyze`,
///   which begins with one.
///
/// An empty text is the empty board. An unreadable game is skipped with a warning if the file has other games.
///
/// # Errors
/// If the file has no supported format, is too large, or has no readable game; or if the requested game cannot be read.
/// A number beyond the last game is not an error: the collection is empty then.
pub fn read_collection(
    bytes: &[u8],
    file_name: Option<&str>,
    size: BoardSize,
    only: Option<usize>,
) -> Result<Collection, ReadError> {
    if bytes.len() > MAX_BYTES {
        return Err(Problem::TooLarge(MAX_BYTES).somewhere());
    }
    let mut reading = Reading::new(only);
    read_into(&mut reading, bytes, file_name, size)?;
    reading.end()
}

/// Reads games as [`read_collection`] does, and passes each with its number to `take` until it returns false. Since no
/// game is kept, files may be larger, and only the limits on a single game hold.
///
/// # Errors
/// If the file has no supported format, is too large, or has no readable game.
pub fn visit(
    bytes: &[u8],
    file_name: Option<&str>,
    size: BoardSize,
    take: &mut dyn FnMut(usize, Record) -> bool,
) -> Result<Visited, ReadError> {
    if bytes.len() > MAX_VISITED_BYTES {
        return Err(Problem::TooLarge(MAX_VISITED_BYTES).somewhere());
    }
    let mut reading = Reading::visiting(take);
    read_into(&mut reading, bytes, file_name, size)?;
    reading.visited()
}

fn read_into(
    reading: &mut Reading<'_>,
    bytes: &[u8],
    file_name: Option<&str>,
    size: BoardSize,
) -> Result<(), ReadError> {
    let named = file_name.and_then(Format::of_file_name);
    if bytes.starts_with(renlib::HEAD) || named == Some(Format::Lib) {
        reading.single(|| renlib::read(bytes));
        return Ok(());
    }
    if let Some(problem) = unread(bytes, file_name) {
        return Err(problem.somewhere());
    }
    if named == Some(Format::Pos) || named.is_none() && positions::is_pos(bytes) {
        reading.single(|| positions::read_pos(bytes));
        return Ok(());
    }
    if is_sgf(bytes) || named == Some(Format::Sgf) {
        sgf::read(bytes, reading);
        return Ok(());
    }
    let decoded = match rif::charset_name(bytes) {
        Some(name) => encoding::decode_named(bytes, &name),
        None => encoding::decode(bytes),
    };
    reading.warnings.extend(decoded.warning);
    read_text(decoded.text.trim_start(), named, size, reading)
}

/// The reason why a file has none of the formats, as far as its name or first bytes show it.
fn unread(bytes: &[u8], file_name: Option<&str>) -> Option<Problem> {
    const PACKED: [&[u8]; 6] = [b"PK\x03\x04", b"\x1F\x8B", b"7z\xBC\xAF\x27\x1C", b"Rar!\x1A", b"BZh", b"\xFD7zXZ"];
    let extension =
        file_name.and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        _ if PACKED.iter().any(|head| bytes.starts_with(head)) => Some(Problem::Packed),
        Some(extension @ ("bdt" | "pdb")) => Some(Problem::Unread(format!("a .{extension} database"))),
        _ => None,
    }
}

/// Whether a file begins like SGF, in any character set.
fn is_sgf(bytes: &[u8]) -> bool {
    match encoding::marked(bytes) {
        Some(text) => text.trim_start().starts_with('('),
        None => bytes.trim_ascii_start().starts_with(b"("),
    }
}

fn read_text(text: &str, named: Option<Format>, size: BoardSize, reading: &mut Reading<'_>) -> Result<(), ReadError> {
    if rif::is_xml(text) || named == Some(Format::Rif) {
        rif::read(text, reading)?;
    } else if text.starts_with(psq::HEAD) || named == Some(Format::Psq) {
        reading.single(|| psq::read(text));
    } else if named == Some(Format::Rec) || named.is_none() && psq::is_rec(text) {
        reading.single(|| psq::read_rec(text));
    } else if named == Some(Format::Sav) || named.is_none() && positions::is_sav(text) {
        reading.single(|| positions::read_sav(text));
    } else if text.is_empty() || labels::is_labels(text) || labels::is_pairs(text) {
        labels::read(text, size, reading);
    } else if drawing::is_drawing(text) {
        reading.single(|| drawing::read(text));
    } else {
        return Err(Problem::Unknown.somewhere());
    }
    Ok(())
}

/// Writes a game. Formats without variations get the line to the node `to`, without comments and other properties.
///
/// # Errors
/// If the format cannot represent the line, or is read only.
pub fn write(record: &Record, to: NodeId, format: Format) -> Result<Vec<u8>, WriteError> {
    if format == Format::Sgf {
        return Ok(sgf::write(record).into_bytes());
    }
    if !format.is_written() {
        return Err(WriteError::ReadOnly(format));
    }
    let size = record.start.size;
    let line = record.line(to).ok_or(WriteError::NotByTurns(format))?;
    let moves: Vec<Option<Point>> = line.iter().map(|(point, _)| *point).collect();
    let stones = || moves.iter().copied().collect::<Option<Vec<Point>>>().ok_or(WriteError::Pass(format));
    match format {
        Format::Labels => Ok(labels::write(size, &moves).into_bytes()),
        Format::Psq => {
            let line: Vec<_> = stones()?.into_iter().zip(line.iter().map(|(_, time)| *time)).collect();
            Ok(psq::write(record, &line).into_bytes())
        }
        Format::Sav => Ok(positions::write_sav(size, &stones()?).into_bytes()),
        Format::Pos if size != BoardSize::RENJU => Err(WriteError::Size(format)),
        Format::Pos => positions::write_pos(&moves).ok_or(WriteError::TooLong(format)),
        Format::Sgf | Format::Lib | Format::Rec | Format::Rif | Format::Pairs | Format::Drawing => {
            Err(WriteError::ReadOnly(format))
        }
    }
}
