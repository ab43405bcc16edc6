//! Why a file could not be read or written, in one line for people.

use crate::format::Format;
use crate::limits::{MAX_BYTES, MAX_DEPTH, MAX_GAMES};
use std::fmt;
use tengen::board::{DiagramError, LabelError, SetupError};

/// Why bytes are no record of a game, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Which game of a collection, from 1; `None` where there is only one.
    pub game: Option<usize>,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    pub problem: Problem,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole, or a place that the problem itself names.
    Whole,
    /// A line, from 1.
    Line(usize),
    /// A byte, from 0.
    Byte(usize),
    /// The game that a database has under this number.
    Game(String),
}

/// What can be wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// More bytes than are read.
    TooLarge,
    /// More nodes than are kept.
    TooManyNodes,
    /// More games than are kept.
    TooManyGames,
    /// More continuations of one node than a board has.
    TooManyChildren,
    /// More values of properties than are kept.
    TooManyValues,
    /// Variations within variations, more than are read.
    TooDeep,
    /// None of the forms that are read.
    Unknown,
    /// A form that is known by this name, but not read.
    Unread(String),
    /// A file with files in it.
    Packed,
    /// The file's beginning is not that of its form, or of a version that nobody has described.
    Header(String),
    /// No board, or one of a size that is not played on.
    Size(String),
    /// Something else than a point.
    NoPoint(String),
    /// A point outside the board.
    OffBoard(String),
    /// A stone on another, or on a blocked cell.
    Taken(String),
    /// A character that means nothing here.
    Unexpected(char),
    /// The end of the file in the middle of something.
    Ends(&'static str),
    /// XML with a fault.
    Xml(String),
    /// Something else than a label.
    Label(LabelError),
    /// Something else than a drawing.
    Drawing(DiagramError),
    /// Stones that cannot be set up.
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
            Problem::TooLarge => write!(f, "the file has more than {} MiB", MAX_BYTES >> 20),
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
    /// The format can only be read.
    ReadOnly(Format),
    /// The format holds moves by turns, black first, and nothing else; this line has blocked cells, or stones in
    /// another order.
    NotByTurns(Format),
    /// The format cannot hold a pass.
    Pass(Format),
    /// The format knows only the 15x15 board.
    Size(Format),
    /// The format holds no more than 255 moves.
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
