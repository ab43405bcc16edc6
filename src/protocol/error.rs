//! Errors and warnings parsing a command.

use crate::engine::BoardSize;
use std::fmt;

/// Error parsing a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// The line is empty.
    Empty,
    /// No command has this name.
    Unknown(String),
    /// `START` or `RECTSTART` with an unsupported size.
    Size,
    /// The command's arguments cannot be parsed.
    Arguments {
        /// The command's name.
        command: &'static str,
        /// The arguments that the command takes.
        expected: &'static str,
    },
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Empty => f.write_str("empty line"),
            ParseError::Unknown(word) => write!(f, "unknown command {word}"),
            // Piskvork tries again with size 20 when it finds that number in the text.
            ParseError::Size => {
                write!(f, "board size must be {} to {}, for example 20", BoardSize::MIN, BoardSize::MAX)
            }
            ParseError::Arguments { command, expected } => write!(f, "{command} expects {expected}"),
        }
    }
}

impl std::error::Error for ParseError {}

/// A warning to the sender of a line in which a number or a certain word was expected. Its command is executed with a
/// default, or changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Warning {
    /// The setting or the command; one warning for each is enough.
    pub(super) about: &'static str,
    /// The text.
    pub(super) text: String,
}
