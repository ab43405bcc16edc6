//! Errors of reading and writing files, each one line for people.

use crate::format::Format;
use crate::limits::{MAX_DEPTH, MAX_GAMES};
use std::fmt;
use tengen::board::{DiagramError, LabelError, SetupError};

/// The reason why a file is not a readable record, and the place of the fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The game's number in a collection, from 1; `None` if there is only one.
    pub game: Option<usize>,
    /// The place in the file.
    pub place: Place,
    /// The fault.
    pub problem: Problem,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole, or a place that the problem's text contains.
    Whole,
    /// A line, from 1.
    Line(usize),
    /// A byte, from 0.
    Byte(usize),
    /// The game with this number in a database.
    Game(String),
}

/// Faults of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The file exceeds the limit of bytes.
    TooLarge(usize),
    /// The file exceeds the limit of nodes.
    TooManyNodes,
    /// The file exceeds the limit of games.
    TooManyGames,
    /// A node has more continuations than the limit.
    TooManyChildren,
    /// The file exceeds the limit of property values.
    TooManyValues,
    /// Variations are nested more deeply than the limit.
    TooDeep,
    /// The file has none of the supported formats.
    Unknown,
    /// A format with this name, which is known but not supported.
    Unread(String),
    /// An archive of files.
    Packed,
    /// The file does not begin as its format requires, or its version is undocumented.
    Header(String),
    /// The board is missing, or its size is not supported.
    Size(String),
    /// A text that is not a point.
    NoPoint(String),
    /// A point outside the board.
    OffBoard(String),
    /// A stone on an occupied or blocked cell.
    Taken(String),
    /// An unexpected character.
    Unexpected(char),
    /// An unexpected end of the file.
    Ends(&'static str),
    /// Malformed XML.
    Xml(String),
    /// A text that is not a label.
    Label(LabelError),
    /// A text that is not a drawing.
    Drawing(DiagramError),
    /// An invalid set of stones.
    Setup(SetupError),
}

impl Problem {
    pub(super) fn at(self, place: Place) -> ReadError {
        ReadError { game: None, place, problem: self }
    }

    pub(super) fn somewhere(self) -> ReadError {
        self.at(Place::Whole)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(game) = self.game {
            write!(f, "game {game}: ")?;
        }
        match &self.place {
            Place::Whole => {}
            Place::Line(line) => write!(f, "line {line}: ")?,
            Place::Byte(byte) => write!(f, "byte {byte}: ")?,
            Place::Game(id) => write!(f, "game {id} of the database: ")?,
        }
        self.problem.fmt(f)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::TooLarge(most) => write!(f, "the file has more than {} MiB", most >> 20),
            Problem::TooManyNodes => write!(f, "more moves than can be kept"),
            Problem::TooManyGames => write!(f, "more than {} games", MAX_GAMES),
            Problem::TooManyChildren => write!(f, "more variations of one move than a board has points"),
            Problem::TooManyValues => write!(f, "more properties than can be kept"),
            Problem::TooDeep => write!(f, "variations in more than {MAX_DEPTH} levels"),
            Problem::Unknown => write!(f, "not a known game file; known are {}", Format::known()),
            Problem::Unread(name) => write!(f, "{name} is not supported; known are {}", Format::known()),
            Problem::Packed => {
                write!(f, "a packed file: unpack it and open what is in it; known are {}", Format::known())
            }
            Problem::Header(text) => write!(f, "{text:?} is not the beginning of such a file"),
            Problem::Size(text) if text.is_empty() => write!(f, "no board of this size"),
            Problem::Size(text) => write!(f, "no board of 5 to 25 points a side in {text:?}"),
            Problem::NoPoint(text) => write!(f, "{text} is no point"),
            Problem::OffBoard(text) => write!(f, "{text} is off the board"),
            Problem::Taken(label) => write!(f, "point {label} is taken twice"),
            Problem::Unexpected(c) => write!(f, "{c:?} has no place in SGF"),
            Problem::Ends(what) => write!(f, "{what} does not end"),
            Problem::Xml(error) => write!(f, "XML: {error}"),
            Problem::Label(error) => error.fmt(f),
            Problem::Drawing(error) => error.fmt(f),
            Problem::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

/// Why a record cannot be written in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// The format is read only.
    ReadOnly(Format),
    /// The format stores only alternating moves, black first; this line has blocked cells, or stones in another order.
    NotByTurns(Format),
    /// The format cannot store a pass.
    Pass(Format),
    /// The format supports only the 15x15 board.
    Size(Format),
    /// The format stores at most 255 moves.
    TooLong(Format),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::ReadOnly(format) => write!(f, "{} is read but not written", format.name()),
            WriteError::NotByTurns(format) => {
                write!(f, "{} holds only moves by turns, black first: save as SGF", format.name())
            }
            WriteError::Pass(format) => write!(f, "{} cannot hold a pass: save as SGF", format.name()),
            WriteError::TooLong(format) => write!(f, "{} holds no more than 255 moves", format.name()),
            WriteError::Size(format) => write!(f, "{} holds only 15x15 boards", format.name()),
        }
    }
}

impl std::error::Error for WriteError {}
