//! What can be wrong with a database or its files.

use std::fmt;
use std::io;
use std::path::PathBuf;
use tengen::board::SetupError;

/// Why bytes are not those of a key or an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The bytes end too early.
    Ends,
    /// More bytes follow.
    Longer,
    /// A number is out of its range.
    Number,
    /// A text is not UTF-8.
    Text,
    /// There is no such rule.
    Rule,
    /// There is no board of this size.
    Size,
    /// A point is off the board, or taken twice.
    Point,
    /// The encoding is of a later version.
    Version(u8),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Ends => f.write_str("the bytes end too early"),
            Damage::Longer => f.write_str("more bytes follow"),
            Damage::Number => f.write_str("a number is out of range"),
            Damage::Text => f.write_str("a text is not UTF-8"),
            Damage::Rule => f.write_str("there is no such rule"),
            Damage::Size => f.write_str("there is no such board"),
            Damage::Point => f.write_str("a point is off the board or taken twice"),
            Damage::Version(version) => write!(f, "version {version} of entries is not known"),
        }
    }
}

impl std::error::Error for Damage {}

/// Why a database cannot be opened, read or written.
#[derive(Debug)]
pub enum Error {
    /// Another process, or another part of this one, is writing the database.
    InUse(PathBuf),
    /// The file is not a database of positions.
    Foreign(PathBuf),
    /// A later version of the program made the database.
    Newer(PathBuf, u64),
    /// The database was opened for reading.
    ReadOnly,
    /// An entry, a key or a source is damaged.
    Damaged(String),
    /// A position has two stones on a point, or one off the board.
    Setup(SetupError),
    /// The store cannot read or write its file.
    Store(Box<redb::Error>),
    /// Any other I/O error.
    Io(PathBuf, io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::InUse(path) => write!(f, "{} is being written by another process", path.display()),
            Error::Foreign(path) => write!(f, "{} is not a database of positions", path.display()),
            Error::Newer(path, version) => {
                write!(f, "{} was made by a later Tengen (version {version} of databases)", path.display())
            }
            Error::ReadOnly => f.write_str("the database is open for reading only"),
            Error::Damaged(what) => write!(f, "the database is damaged: {what}"),
            Error::Setup(error) => error.fmt(f),
            Error::Store(error) => match error.as_ref() {
                redb::Error::Io(error) => error.fmt(f),
                error => error.fmt(f),
            },
            Error::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}

impl From<Damage> for Error {
    fn from(damage: Damage) -> Error {
        Error::Damaged(damage.to_string())
    }
}

impl From<SetupError> for Error {
    fn from(error: SetupError) -> Error {
        Error::Setup(error)
    }
}

macro_rules! from_store {
    ($($error:ty),*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::Store(Box::new(error.into()))
            }
        }
    )*};
}

from_store!(redb::StorageError, redb::TableError, redb::TransactionError, redb::CommitError, redb::CompactionError);
