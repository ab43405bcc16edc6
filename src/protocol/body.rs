//! The lines that follow a command: cells up to `DONE`, a file name, or a quoted text.
//!
//! A body is read to its end even if its command is not supported, because its lines would otherwise be parsed as
//! commands.

use super::extension::{Foreign, Query, SoosorvStep};
use super::text::{comma_integers, point, trim};
use crate::engine::Point;
use std::fmt;
use std::time::Instant;

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
    /// A command that is not supported.
    Foreign(Foreign),
}

/// A body that is not complete yet.
#[derive(Debug)]
pub(super) struct Body {
    purpose: Purpose,
    started: Instant,
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
    Open(Body),
    /// The body is complete.
    Complete {
        /// The command of the body.
        purpose: Purpose,
        /// Its cells; empty for a body of another kind.
        cells: Cells,
        /// Number of other lines, not counting empty ones.
        left_out: usize,
        /// When its command arrived.
        started: Instant,
    },
    /// The manager sent `END`.
    Abandoned,
}

impl Body {
    /// A body of cells whose command arrived at `started`.
    pub(super) fn cells(purpose: Purpose, started: Instant) -> Body {
        Body { purpose, started, part: Part::Cells(Vec::new(), 0) }
    }

    /// A body of one line, which is a file name.
    pub(super) fn path(purpose: Purpose, started: Instant) -> Body {
        Body { purpose, started, part: Part::Path }
    }

    /// A quoted text, then cells; the opening quote was already read.
    pub(super) fn text(purpose: Purpose, started: Instant) -> Body {
        Body { purpose, started, part: Part::Text }
    }

    /// Reads the next line.
    pub(super) fn read(self, line: &[u8]) -> Progress {
        let Body { purpose, started, part } = self;
        match part {
            Part::Path => Progress::Complete { purpose, cells: Vec::new(), left_out: 0, started },
            Part::Text => match after_quote(line) {
                Some(rest) => Body::cells(purpose, started).read(rest),
                None => Progress::Open(Body::text(purpose, started)),
            },
            Part::Cells(mut cells, mut left_out) => match BodyLine::parse(line) {
                BodyLine::Done => Progress::Complete { purpose, cells, left_out, started },
                BodyLine::End => Progress::Abandoned,
                BodyLine::Cell(point, owner) => {
                    match cells.iter().find(|(p, _)| *p == point) {
                        None => cells.push((point, owner)),
                        Some((_, known)) => left_out += usize::from(*known != owner),
                    }
                    Progress::Open(Body { purpose, started, part: Part::Cells(cells, left_out) })
                }
                BodyLine::Other => {
                    left_out += usize::from(!trim(line).is_empty());
                    Progress::Open(Body { purpose, started, part: Part::Cells(cells, left_out) })
                }
            },
        }
    }
}

/// The text after the closing quote on this line, if the line has one. A backslash escapes the next byte or the end of
/// the line.
fn after_quote(line: &[u8]) -> Option<&[u8]> {
    let mut escaped = false;
    let quote = line.iter().position(|byte| {
        let closes = !escaped && *byte == b'"';
        escaped = !escaped && *byte == b'\\';
        closes
    })?;
    line.get(quote + 1..)
}
