//! The lines that follow a command: cells up to `DONE`, a file name, or a quoted text.
//!
//! A body is read to its end even if its command is not supported, because its lines would otherwise be parsed as
//! commands.

use super::command::Command;
use super::extension::{DatabaseWord, Extension, Follows, Query, SoosorvStep, Unsupported};
use super::text::{comma_integers, lossy, point, trim};
use crate::engine::Point;
use std::fmt;

/// Maximum length of a quoted text, in bytes; the rest is dropped.
const MOST_TEXT: usize = 64 * 1024;

/// The owner of a cell in a line of a `BOARD` body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// 1: the engine's stone.
    Own,
    /// 2: the opponent's stone.
    Opponent,
    /// 3: a cell out of play.
    Blocked,
}

/// One line of the body of `BOARD`, `SWAP2BOARD` and their relatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLine {
    /// `x,y` or `x,y,f`.
    Cell(Point, Option<Owner>),
    /// `DONE`: the body is complete.
    Done,
    /// `END`: the manager gives up.
    End,
    /// A line that is invalid in a body; it is skipped.
    Other,
}

impl BodyLine {
    /// Reads one line of a body.
    pub fn parse(line: &[u8]) -> BodyLine {
        let line = trim(line);
        if line.eq_ignore_ascii_case(b"DONE") {
            return BodyLine::Done;
        }
        if line.eq_ignore_ascii_case(b"END") {
            return BodyLine::End;
        }
        let fields = comma_integers(line).unwrap_or_default();
        let cell = match fields.as_slice() {
            [x, y] => point(*x, *y).map(|p| (p, None)),
            [x, y, 1] => point(*x, *y).map(|p| (p, Some(Owner::Own))),
            [x, y, 2] => point(*x, *y).map(|p| (p, Some(Owner::Opponent))),
            [x, y, 3] => point(*x, *y).map(|p| (p, Some(Owner::Blocked))),
            _ => None,
        };
        cell.map_or(BodyLine::Other, |(point, owner)| BodyLine::Cell(point, owner))
    }
}

/// The line without its line ending.
impl fmt::Display for BodyLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyLine::Cell(p, owner) => {
                write!(f, "{},{}", p.x(), p.y())?;
                match owner {
                    None => Ok(()),
                    Some(Owner::Own) => f.write_str(",1"),
                    Some(Owner::Opponent) => f.write_str(",2"),
                    Some(Owner::Blocked) => f.write_str(",3"),
                }
            }
            BodyLine::Done => f.write_str("DONE"),
            BodyLine::End => f.write_str("END"),
            BodyLine::Other => f.write_str("?"),
        }
    }
}

/// The cells of a body in the order of its lines, without repetitions.
pub(super) type Cells = Vec<(Point, Option<Owner>)>;

/// The command of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// `BOARD`.
    Board,
    /// `YXBOARD`.
    YxBoard,
    /// `SWAP2BOARD`.
    Swap2,
    /// `YXBLOCK`.
    Block,
    /// `YXBLOCKUNDO`.
    BlockUndo,
    /// `YXSOOSORVSTEP2` to `6`.
    Soosorv(SoosorvStep),
    /// `YXQUERYDATABASE...`.
    Query(Query),
    /// `YXEDITTEXTDATABASE`.
    EditText,
    /// Another command of the database.
    Database(DatabaseWord),
    /// A command that is not supported.
    Unsupported(Unsupported),
}

/// A complete body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Body {
    /// Its command.
    pub(super) purpose: Purpose,
    /// Its cells; empty for a body of another kind.
    pub(super) cells: Cells,
    /// The name of a file, the quoted text, or the arguments of the command of a database.
    pub(super) text: String,
    /// Number of other lines, not counting empty ones.
    pub(super) left_out: usize,
}

/// A body that is not complete yet.
#[derive(Debug)]
pub(super) struct OpenBody {
    purpose: Purpose,
    text: Vec<u8>,
    part: Part,
}

/// The kind of the next line.
#[derive(Debug)]
enum Part {
    /// A cell, or `DONE`; also counts the lines that were neither.
    Cells(Cells, usize),
    /// The name of a file.
    Path,
    /// Text, up to a closing quote.
    Text,
}

/// The state of a body after a line.
#[derive(Debug)]
pub(super) enum Progress {
    /// More lines follow.
    Open(OpenBody),
    /// The body is complete.
    Complete(Body),
    /// The manager sent `END`.
    Abandoned,
}

impl OpenBody {
    /// The body that begins with this command; `None` if the command has no body. A quoted text begins on the
    /// command's own line.
    pub(super) fn of(command: &Command) -> Option<Progress> {
        let purpose = purpose(command)?;
        let body = |text: &str, part| OpenBody { purpose, text: text.as_bytes().to_vec(), part };
        let cells = || Part::Cells(Vec::new(), 0);
        if let Command::Extension(Extension::EditText(text)) = command
            && let Some(text) = text.strip_prefix('"')
        {
            return Some(body("", Part::Text).read(text.as_bytes()));
        }
        let follows = match purpose {
            Purpose::Unsupported(word) => word.follows(),
            Purpose::Database(word) => word.follows(),
            Purpose::Board
            | Purpose::YxBoard
            | Purpose::Swap2
            | Purpose::Block
            | Purpose::BlockUndo
            | Purpose::Soosorv(_)
            | Purpose::Query(_)
            | Purpose::EditText => Follows::Cells,
        };
        let part = if follows == Follows::Path { Part::Path } else { cells() };
        let arguments = if let Command::Extension(Extension::Database { rest, .. }) = command { rest } else { "" };
        Some(Progress::Open(body(arguments, part)))
    }

    /// Whether the next line is a cell or `DONE`.
    pub(super) fn expects_cells(&self) -> bool {
        matches!(self.part, Part::Cells(..))
    }

    /// Reads the next line.
    pub(super) fn read(self, line: &[u8]) -> Progress {
        let OpenBody { purpose, mut text, part } = self;
        match part {
            Part::Path => Progress::Complete(Body { purpose, cells: Vec::new(), text: lossy(trim(line)), left_out: 0 }),
            Part::Text => match add_quoted(&mut text, line) {
                Some(rest) => OpenBody { purpose, text, part: Part::Cells(Vec::new(), 0) }.read(rest),
                None => Progress::Open(OpenBody { purpose, text, part: Part::Text }),
            },
            Part::Cells(mut cells, mut left_out) => match BodyLine::parse(line) {
                BodyLine::Done => Progress::Complete(Body { purpose, cells, text: lossy(&text), left_out }),
                BodyLine::End => Progress::Abandoned,
                BodyLine::Cell(point, owner) => {
                    match cells.iter().find(|(p, _)| *p == point) {
                        None => cells.push((point, owner)),
                        Some((_, known)) => left_out += usize::from(*known != owner),
                    }
                    Progress::Open(OpenBody { purpose, text, part: Part::Cells(cells, left_out) })
                }
                BodyLine::Other => {
                    left_out += usize::from(!trim(line).is_empty());
                    Progress::Open(OpenBody { purpose, text, part: Part::Cells(cells, left_out) })
                }
            },
        }
    }
}

/// The purpose of the lines that follow a command; `None` if no lines follow.
fn purpose(command: &Command) -> Option<Purpose> {
    match command {
        Command::Board => Some(Purpose::Board),
        Command::Swap2Board => Some(Purpose::Swap2),
        Command::Extension(extension) => purpose_of_extension(extension),
        Command::Start(_)
        | Command::Restart
        | Command::Begin
        | Command::Turn(_)
        | Command::Play(_)
        | Command::TakeBack(_)
        | Command::Done
        | Command::About
        | Command::End
        | Command::Stop
        | Command::Info(_) => None,
    }
}

fn purpose_of_extension(extension: &Extension) -> Option<Purpose> {
    match extension {
        Extension::Board => Some(Purpose::YxBoard),
        Extension::Block => Some(Purpose::Block),
        Extension::BlockUndo => Some(Purpose::BlockUndo),
        Extension::Soosorv(step) if *step != SoosorvStep::Open => Some(Purpose::Soosorv(*step)),
        Extension::Query(query) => Some(Purpose::Query(*query)),
        Extension::EditText(_) => Some(Purpose::EditText),
        Extension::Database { word, .. } if word.follows() != Follows::Nothing => Some(Purpose::Database(*word)),
        Extension::Unsupported { word, .. } if word.follows() != Follows::Nothing => Some(Purpose::Unsupported(*word)),
        Extension::ShowInfo
        | Extension::Stop
        | Extension::ShowForbid
        | Extension::NBest(_)
        | Extension::BalanceOne(_)
        | Extension::BalanceTwo(_)
        | Extension::SearchDefend
        | Extension::HashClear
        | Extension::ShowHashUsage
        | Extension::BlockReset
        | Extension::Swap2Step(_)
        | Extension::Soosorv(_)
        | Extension::Database { .. }
        | Extension::Unsupported { .. } => None,
    }
}

/// Adds a line to a quoted text, up to the closing quote, and returns what follows that; `None` if the text goes on. A
/// backslash escapes the next byte or the end of the line.
fn add_quoted<'a>(text: &mut Vec<u8>, line: &'a [u8]) -> Option<&'a [u8]> {
    let mut escaped = false;
    for (index, byte) in line.iter().enumerate() {
        match (escaped, *byte) {
            (false, b'"') => return line.get(index + 1..),
            (false, b'\\') => escaped = true,
            (_, byte) => {
                escaped = false;
                if text.len() < MOST_TEXT {
                    text.push(byte);
                }
            }
        }
    }
    if text.len() < MOST_TEXT {
        text.push(b'\n');
    }
    None
}
