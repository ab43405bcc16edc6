//! A manager's line as a value: parsing and printing.
//!
//! Parsing is total and pure: any bytes give a [`Command`] or a [`ParseError`] that names what was expected.

use super::error::{ParseError, Warning};
use super::extension::Extension;
use super::text::{coordinates, first_word, is_blank, lossy, number, quoted, sizes, trim};
use crate::engine::{BoardSize, Point};
use std::fmt;

/// One command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `START n` or `RECTSTART w,h`: a new game.
    Start(BoardSize),
    /// `RESTART`: a new game of the same size.
    Restart,
    /// `BEGIN`: make the first move.
    Begin,
    /// `TURN x,y`: the opponent's move; the engine answers with its own.
    Turn(Point),
    /// `PLAY x,y`: make this move.
    Play(Point),
    /// `TAKEBACK x,y`: remove this stone.
    TakeBack(Point),
    /// `BOARD`: a position follows; the engine answers with a move.
    Board,
    /// `SWAP2BOARD`: the opening stones of swap2 follow.
    Swap2Board,
    /// `DONE`: the end of a body.
    Done,
    /// `ABOUT`: name, version and authors of the engine.
    About,
    /// `END`: exit.
    End,
    /// `STOP`: end the running search and answer.
    Stop,
    /// `INFO key value`: a setting; never answered.
    Info(Setting),
    /// A command of the Yixin-Board dialect.
    Extension(Extension),
}

/// The supported `INFO` keys with numeric values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Time for each move, ms; 0 means at once, negative means unlimited.
    TimeoutTurn,
    /// Time for the whole game, ms; 0 unlimited.
    TimeoutMatch,
    /// Time left in the game, ms; 2147483647 means unlimited.
    TimeLeft,
    /// Time gained by each move, ms.
    TimeIncrement,
    /// Memory limit, bytes; 0 means none.
    MaxMemory,
    /// Transposition table, KB.
    HashSize,
    /// Search threads.
    ThreadNum,
    /// Node limit; 0 or negative means none.
    MaxNode,
    /// Depth limit; 0 or negative means none.
    MaxDepth,
    /// Rule number.
    Rule,
    /// Requested analysis lines: bit 0 `MESSAGE REALTIME`, bit 1 `INFO`.
    ShowDetail,
    /// Whether `MESSAGE` lines describe the search in text for people; 0 means no.
    ShowMessage,
    /// Whether the opening book may answer; 0 means no.
    Book,
    /// Whether threads share out only the moves of the root; 0 means no.
    RootParallel,
    /// Whether the database of positions is used; 0 means no.
    UseDatabase,
    /// Whether the database of positions must not be changed; 0 means that it may.
    DatabaseReadonly,
}

impl Key {
    /// Every key.
    pub const ALL: [Key; 16] = [
        Key::TimeoutTurn,
        Key::TimeoutMatch,
        Key::TimeLeft,
        Key::TimeIncrement,
        Key::MaxMemory,
        Key::HashSize,
        Key::ThreadNum,
        Key::MaxNode,
        Key::MaxDepth,
        Key::Rule,
        Key::ShowDetail,
        Key::ShowMessage,
        Key::Book,
        Key::RootParallel,
        Key::UseDatabase,
        Key::DatabaseReadonly,
    ];

    /// The name of the key in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Key::TimeoutTurn => "timeout_turn",
            Key::TimeoutMatch => "timeout_match",
            Key::TimeLeft => "time_left",
            Key::TimeIncrement => "time_increment",
            Key::MaxMemory => "max_memory",
            Key::HashSize => "hash_size",
            Key::ThreadNum => "thread_num",
            Key::MaxNode => "max_node",
            Key::MaxDepth => "max_depth",
            Key::Rule => "rule",
            Key::ShowDetail => "show_detail",
            Key::ShowMessage => "show_message",
            Key::Book => "book",
            Key::RootParallel => "root_parallel",
            Key::UseDatabase => "usedatabase",
            Key::DatabaseReadonly => "database_readonly",
        }
    }
}

/// The kind of evaluation that a manager selects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluationKind {
    /// No selection.
    #[default]
    AsGiven,
    /// The classical evaluation, even if there is a network.
    Classical,
    /// A network: the loaded one, or the built-in one if there is none.
    Network,
}

impl EvaluationKind {
    /// The key that selects it.
    const KEY: &str = "evaluation";

    /// The value that selects it; empty if no value does.
    const fn name(self) -> &'static str {
        match self {
            EvaluationKind::AsGiven => "",
            EvaluationKind::Classical => "classical",
            EvaluationKind::Network => "network",
        }
    }

    fn parse(word: &str) -> Option<EvaluationKind> {
        let all = [EvaluationKind::Classical, EvaluationKind::Network];
        all.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(word.trim()))
    }
}

/// The key that names a file with another evaluation.
const EVALUATION_FILE: &str = "nnue_file";

/// The key that names a database of positions.
const DATABASE_FILE: &str = "database_file";

/// The content of an `INFO` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A supported key with a number.
    Known(Key, i64),
    /// `evaluation kind`.
    Evaluation(EvaluationKind),
    /// `nnue_file name`: use the evaluation in this file. The name may be empty.
    EvaluationFile(String),
    /// `database_file name`: use the database in this file. The name may be empty.
    DatabaseFile(String),
    /// Anything else, unchanged: unknown keys, and known keys with a value that they do not take.
    Other {
        /// The key in lower case; it may be empty.
        key: String,
        /// The rest of the line.
        value: String,
    },
}

impl Command {
    /// Parses one line, with or without its line ending.
    ///
    /// # Errors
    /// See [`ParseError`].
    pub fn parse(line: &[u8]) -> Result<Command, ParseError> {
        Command::parse_with_warning(line).map(|(command, _)| command)
    }

    /// The same, with a warning if an argument was replaced or ignored.
    pub(super) fn parse_with_warning(line: &[u8]) -> Result<(Command, Option<Warning>), ParseError> {
        let (word, rest) = split(line);
        if word.is_empty() {
            return Err(ParseError::Empty);
        }
        let command = match word.as_str() {
            "START" => start(rest)?,
            "RECTSTART" => rectangle(rest)?,
            "RESTART" => Command::Restart,
            "BEGIN" => Command::Begin,
            "TURN" => Command::Turn(argument("TURN", rest)?),
            "PLAY" => Command::Play(argument("PLAY", rest)?),
            "TAKEBACK" => Command::TakeBack(argument("TAKEBACK", rest)?),
            "BOARD" => Command::Board,
            "SWAP2BOARD" => Command::Swap2Board,
            "DONE" => Command::Done,
            "ABOUT" => Command::About,
            "END" => Command::End,
            "STOP" => Command::Stop,
            "INFO" => {
                let (setting, warning) = Setting::parse(rest);
                return Ok((Command::Info(setting), warning));
            }
            other => {
                let (extension, warning) = Extension::parse(other, rest)?;
                return Ok((Command::Extension(extension), warning));
            }
        };
        Ok((command, None))
    }
}

/// The first word of a line in upper case, and the rest.
fn split(line: &[u8]) -> (String, &[u8]) {
    let line = trim(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line));
    // A quoted text may follow the word without a blank.
    let ends = |(index, byte): (usize, &u8)| is_blank(*byte) || *byte == b'"' && index > 0;
    let end = line.iter().enumerate().position(ends).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    (lossy(&word.to_ascii_uppercase()), trim(rest))
}

impl Command {
    /// Whether the command ends the running search at once.
    pub(super) fn is_stop(&self) -> bool {
        matches!(
            self,
            Command::Stop | Command::Extension(Extension::Stop) | Command::Info(Setting::Known(Key::TimeoutTurn, 0))
        )
    }

    /// Whether the command needs the position or another search, so that the running search must end first.
    pub(super) fn ends_search(&self) -> bool {
        match self {
            Command::Start(_)
            | Command::Restart
            | Command::Begin
            | Command::Turn(_)
            | Command::Play(_)
            | Command::TakeBack(_)
            | Command::Board
            | Command::Swap2Board => true,
            Command::Done | Command::About | Command::End | Command::Stop | Command::Info(_) => false,
            Command::Extension(extension) => extension.ends_search(),
        }
    }
}

fn argument(command: &'static str, rest: &[u8]) -> Result<Point, ParseError> {
    coordinates(rest).ok_or(ParseError::Arguments { command, expected: "x,y on the board" })
}

fn size(width: i64, height: i64) -> Result<Command, ParseError> {
    let side = |n: i64| u8::try_from(n).ok();
    side(width).zip(side(height)).and_then(|(w, h)| BoardSize::new(w, h)).map(Command::Start).ok_or(ParseError::Size)
}

/// Parses `START n`, or the `START n n` of older Yixin managers.
fn start(rest: &[u8]) -> Result<Command, ParseError> {
    match sizes(rest).as_deref() {
        Some([n]) => size(*n, *n),
        Some([w, h]) if w == h => size(*w, *h),
        _ => Err(ParseError::Size),
    }
}

fn rectangle(rest: &[u8]) -> Result<Command, ParseError> {
    match sizes(rest).as_deref() {
        Some([w, h]) => size(*w, *h),
        _ => Err(ParseError::Size),
    }
}

impl Setting {
    fn parse(rest: &[u8]) -> (Setting, Option<Warning>) {
        let (key, value) = first_word(rest);
        let (key, text) = (lossy(key).to_ascii_lowercase(), lossy(value));
        let known = Key::ALL.into_iter().find(|known| known.name() == key);
        let (setting, about, expected) = match known {
            Some(known) => (number(value).map(|value| Setting::Known(known, value)), known.name(), "a number"),
            None if key == EvaluationKind::KEY => {
                let kind = EvaluationKind::parse(&text).map(Setting::Evaluation);
                (kind, EvaluationKind::KEY, "classical or network")
            }
            None if key == EVALUATION_FILE => return (Setting::EvaluationFile(text), None),
            None if key == DATABASE_FILE => return (Setting::DatabaseFile(text), None),
            None => return (Setting::Other { key, value: text }, None),
        };
        if let Some(setting) = setting {
            return (setting, None);
        }
        let warning = format!("setting {about} needs {expected}, not {}: it stays as it was", quoted(&text));
        (Setting::Other { key, value: text }, Some(Warning { about, text: warning }))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Known(key, value) => write!(f, "INFO {} {value}", key.name()),
            Setting::Evaluation(kind) => write!(f, "INFO {} {}", EvaluationKind::KEY, kind.name()),
            Setting::EvaluationFile(name) => write!(f, "{}", format!("INFO {EVALUATION_FILE} {name}").trim_end()),
            Setting::DatabaseFile(name) => write!(f, "{}", format!("INFO {DATABASE_FILE} {name}").trim_end()),
            Setting::Other { key, value } if key.is_empty() && value.is_empty() => f.write_str("INFO"),
            Setting::Other { key, value } if value.is_empty() => write!(f, "INFO {key}"),
            Setting::Other { key, value } => write!(f, "INFO {key} {value}"),
        }
    }
}

/// The line without its line ending.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Start(size) if size.width() == size.height() => write!(f, "START {}", size.width()),
            Command::Start(size) => write!(f, "RECTSTART {},{}", size.width(), size.height()),
            Command::Restart => f.write_str("RESTART"),
            Command::Begin => f.write_str("BEGIN"),
            Command::Turn(p) => write!(f, "TURN {},{}", p.x(), p.y()),
            Command::Play(p) => write!(f, "PLAY {},{}", p.x(), p.y()),
            Command::TakeBack(p) => write!(f, "TAKEBACK {},{}", p.x(), p.y()),
            Command::Board => f.write_str("BOARD"),
            Command::Swap2Board => f.write_str("SWAP2BOARD"),
            Command::Done => f.write_str("DONE"),
            Command::About => f.write_str("ABOUT"),
            Command::End => f.write_str("END"),
            Command::Stop => f.write_str("STOP"),
            Command::Info(setting) => setting.fmt(f),
            Command::Extension(extension) => extension.fmt(f),
        }
    }
}
