//! The manager's lines as typed input: each line is parsed once, when it arrives.
//!
//! The meaning of a line depends on the lines before it, because some commands have a body. It never depends on the
//! game or on a search, so a line is parsed even if its execution has to wait.

use super::body::{Body, OpenBody, Progress};
use super::command::Command;
use super::error::{ParseError, Warning};
use web_time::Instant;

/// A command, a complete body, or a faulty line.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// When its first byte arrived, for a body that of its command: thinking time counts from here.
    pub(super) arrived: Instant,
    pub(super) content: Content,
}

/// The content of an [`Input`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content {
    /// A command. If it has a body, that follows as the next input.
    Command(Command, Option<Warning>),
    /// The body of the last command, complete.
    Body(Body),
    /// A line that is no command.
    Invalid(ParseError),
}

/// Parses the lines of one manager in order.
#[derive(Debug, Default)]
pub struct LineParser {
    /// The body that is not complete yet, and when its command arrived.
    body: Option<(OpenBody, Instant)>,
}

impl LineParser {
    /// A parser that has read nothing.
    pub fn new() -> LineParser {
        LineParser::default()
    }

    /// Parses a line, with or without its line ending, whose first byte arrived at this time. Empty lines and most
    /// lines of a body give no input; a command with a body on its own line gives two.
    pub fn parse(&mut self, line: &[u8], arrived: Instant) -> Vec<Input> {
        match self.body.take() {
            Some((body, started)) => self.advance(body.read(line), started).into_iter().collect(),
            None => self.command(line, arrived),
        }
    }

    /// Parses a last line without a line ending. Scripts may omit it, but the line may also have been cut off when the
    /// manager died, so it counts only if it is a valid command or ends a list of cells.
    pub fn parse_last(&mut self, line: &[u8], arrived: Instant) -> Vec<Input> {
        if self.body.as_ref().is_some_and(|(body, _)| !body.expects_cells()) {
            return Vec::new();
        }
        let mut inputs = self.parse(line, arrived);
        inputs.retain(|input| !matches!(input.content, Content::Invalid(_)));
        inputs
    }

    fn command(&mut self, line: &[u8], arrived: Instant) -> Vec<Input> {
        match Command::parse_with_warning(line) {
            Ok((command, warning)) => {
                let body = OpenBody::of(&command).and_then(|progress| self.advance(progress, arrived));
                let command = Input { arrived, content: Content::Command(command, warning) };
                [command].into_iter().chain(body).collect()
            }
            Err(ParseError::Empty) => Vec::new(),
            Err(error) => vec![Input { arrived, content: Content::Invalid(error) }],
        }
    }

    fn advance(&mut self, progress: Progress, arrived: Instant) -> Option<Input> {
        let content = match progress {
            Progress::Open(body) => {
                self.body = Some((body, arrived));
                return None;
            }
            Progress::Complete(body) => Content::Body(body),
            Progress::Abandoned => Content::Command(Command::End, None),
        };
        Some(Input { arrived, content })
    }
}

impl Input {
    /// The command; `None` for other input.
    pub(super) fn command(&self) -> Option<&Command> {
        match &self.content {
            Content::Command(command, _) => Some(command),
            Content::Body(_) | Content::Invalid(_) => None,
        }
    }
}
