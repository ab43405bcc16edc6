//! The Yixin-Board dialect: commands that begin with `YX`, and a few that only Rapfi supports.
//!
//! Unsupported commands are recognized by name, together with the lines that follow them, because those lines would
//! otherwise be parsed as commands.

use super::error::{ParseError, Warning};
use super::text::{lossy, number, quoted};
use std::fmt;

/// A command of the dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extension {
    /// `YXSHOWINFO`: capabilities.
    ShowInfo,
    /// `YXBOARD`: a position follows; no answer is expected.
    Board,
    /// `YXSTOP`: answer now.
    Stop,
    /// `YXSHOWFORBID`: list the forbidden points.
    ShowForbid,
    /// `YXNBEST k`: think, showing the k best lines.
    NBest(usize),
    /// `YXBALANCEONE b`: the move that leaves the score nearest to b.
    BalanceOne(i32),
    /// `YXBALANCETWO b`: the two moves that leave the score nearest to b.
    BalanceTwo(i32),
    /// `YXSEARCHDEFEND`: search every move, marking those that lose.
    SearchDefend,
    /// `YXHASHCLEAR`: clear what earlier searches learned.
    HashClear,
    /// `YXSHOWHASHUSAGE`: the share of the transposition table in use.
    ShowHashUsage,
    /// `YXBLOCK`: cells follow that must not be played at the root.
    Block,
    /// `YXBLOCKUNDO`: cells follow that may be played again.
    BlockUndo,
    /// `YXBLOCKRESET`: all cells may be played again.
    BlockReset,
    /// `YXSWAP2STEP1` to `3`.
    Swap2Step(Swap2Step),
    /// `YXSOOSORVSTEP1` to `6`.
    Soosorv(SoosorvStep),
    /// `YXQUERYDATABASE...`: a position follows.
    Query(Query),
    /// Another command of the database.
    Database {
        /// The command.
        word: DatabaseWord,
        /// Its arguments.
        rest: String,
    },
    /// `YXEDITTEXTDATABASE "text`: a quoted text, which may have several lines, then a position.
    EditText(String),
    /// An unsupported command.
    Unsupported {
        /// The command.
        word: Unsupported,
        /// Its arguments.
        rest: String,
    },
}

/// The three decisions of swap2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap2Step {
    /// Place three stones.
    Open,
    /// Three stones are placed: take black, stay white, or place two more.
    Reply,
    /// Five stones are placed: take black or stay white.
    Final,
}

/// The decisions of Soosorv-8, an opening rule of renju. After each command except the first, the stones so far follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoosorvStep {
    /// Place three stones.
    Open,
    /// Three stones are placed: take black or stay white.
    Reply,
    /// Three stones are placed: place the fourth, and choose how many fifth moves black has to offer.
    Fourth,
    /// Four stones are placed: take white or stay black.
    Swap {
        /// Number of fifth moves that black has to offer.
        fifths: u8,
    },
    /// Four stones are placed: offer fifth moves.
    Offer {
        /// Number of fifth moves.
        fifths: u8,
    },
    /// Four stones are placed, and black has offered fifth moves: choose one of them.
    Choose,
}

/// A database query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// All children.
    All,
    /// All children, with texts.
    AllText,
    /// This position's record.
    One,
    /// This position's comment.
    Text,
}

/// The commands of the database besides queries and [`Extension::EditText`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseWord {
    /// `YXSETDATABASE`: the name of a file follows.
    Set,
    /// `YXSAVEDATABASE`.
    Save,
    /// `YXEDITTVDDATABASE mask label value depth`: a position follows.
    Record,
    /// `YXEDITLABELDATABASE x,y text`: a position follows.
    Label,
    /// `YXDELETEDATABASEONE`: a position follows.
    DeleteOne,
    /// `YXDELETEDATABASEALL filter`: a position follows.
    DeleteAll,
}

impl DatabaseWord {
    /// All of them.
    pub const ALL: [DatabaseWord; 6] = [
        DatabaseWord::Set,
        DatabaseWord::Save,
        DatabaseWord::Record,
        DatabaseWord::Label,
        DatabaseWord::DeleteOne,
        DatabaseWord::DeleteAll,
    ];

    /// The command's name.
    pub const fn name(self) -> &'static str {
        match self {
            DatabaseWord::Set => "YXSETDATABASE",
            DatabaseWord::Save => "YXSAVEDATABASE",
            DatabaseWord::Record => "YXEDITTVDDATABASE",
            DatabaseWord::Label => "YXEDITLABELDATABASE",
            DatabaseWord::DeleteOne => "YXDELETEDATABASEONE",
            DatabaseWord::DeleteAll => "YXDELETEDATABASEALL",
        }
    }

    /// The lines that follow its command line.
    pub const fn follows(self) -> Follows {
        match self {
            DatabaseWord::Set => Follows::Path,
            DatabaseWord::Save => Follows::Nothing,
            DatabaseWord::Record | DatabaseWord::Label | DatabaseWord::DeleteOne | DatabaseWord::DeleteAll => {
                Follows::Cells
            }
        }
    }
}

/// The lines that follow a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// Nothing.
    Nothing,
    /// Lines of coordinates, then `DONE`.
    Cells,
    /// One line with a file name.
    Path,
}

/// An unsupported command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    name: &'static str,
    follows: Follows,
}

impl Unsupported {
    /// The command's name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The lines that follow its command line.
    pub const fn follows(self) -> Follows {
        self.follows
    }

    /// All unsupported commands.
    pub fn all() -> impl Iterator<Item = Unsupported> {
        UNSUPPORTED.into_iter().map(|(name, follows)| Unsupported { name, follows })
    }
}

const UNSUPPORTED: [(&str, Follows); 27] = [
    ("YXHASHDUMP", Follows::Path),
    ("YXHASHLOAD", Follows::Path),
    ("YXDBMERGE", Follows::Path),
    ("YXDBSPLIT", Follows::Path),
    ("YXLIBTODB", Follows::Path),
    ("YXDBTOLIB", Follows::Path),
    ("YXDBTOTXT", Follows::Path),
    ("YXDBTOTXTALL", Follows::Path),
    ("YXTXTTODB", Follows::Path),
    ("YXDBTOPOS", Follows::Path),
    ("YXBLOCKPATH", Follows::Cells),
    ("YXBLOCKPATHUNDO", Follows::Cells),
    ("YXBLOCKPATHRESET", Follows::Nothing),
    ("YXSETBESTMOVEDATABASE", Follows::Cells),
    ("YXCLEARBESTMOVEDATABASE", Follows::Cells),
    ("YXFORBID", Follows::Nothing),
    ("YXDBCHECK", Follows::Nothing),
    ("YXDBFIX", Follows::Nothing),
    ("YXPRINTFEATURE", Follows::Nothing),
    ("YXDRAW", Follows::Nothing),
    ("YXRESIGN", Follows::Nothing),
    ("RELOADCONFIG", Follows::Nothing),
    ("LOADMODEL", Follows::Nothing),
    ("EXPORTMODEL", Follows::Nothing),
    ("BENCH", Follows::Nothing),
    ("TRACEBOARD", Follows::Nothing),
    ("TRACESEARCH", Follows::Nothing),
];

/// Largest number of lines of an `YXNBEST`: one for each cell of the largest board.
const MOST_LINES: i64 = 625;

/// Largest bias of a balance command, in evaluation units.
const MOST_BIAS: i64 = 20_000;

/// Largest number of fifth moves in Soosorv that is accepted; the rule has 8.
const MOST_FIFTHS: i64 = 50;

/// The commands without arguments.
static PLAIN: [(&str, Extension); 21] = [
    ("YXSHOWINFO", Extension::ShowInfo),
    ("YXBOARD", Extension::Board),
    ("YXSTOP", Extension::Stop),
    ("YXSHOWFORBID", Extension::ShowForbid),
    ("YXSEARCHDEFEND", Extension::SearchDefend),
    ("YXHASHCLEAR", Extension::HashClear),
    ("YXSHOWHASHUSAGE", Extension::ShowHashUsage),
    ("YXBLOCK", Extension::Block),
    ("YXBLOCKUNDO", Extension::BlockUndo),
    ("YXBLOCKRESET", Extension::BlockReset),
    ("YXSWAP2STEP1", Extension::Swap2Step(Swap2Step::Open)),
    ("YXSWAP2STEP2", Extension::Swap2Step(Swap2Step::Reply)),
    ("YXSWAP2STEP3", Extension::Swap2Step(Swap2Step::Final)),
    ("YXSOOSORVSTEP1", Extension::Soosorv(SoosorvStep::Open)),
    ("YXSOOSORVSTEP2", Extension::Soosorv(SoosorvStep::Reply)),
    ("YXSOOSORVSTEP3", Extension::Soosorv(SoosorvStep::Fourth)),
    ("YXSOOSORVSTEP6", Extension::Soosorv(SoosorvStep::Choose)),
    ("YXQUERYDATABASEALL", Extension::Query(Query::All)),
    ("YXQUERYDATABASEALLT", Extension::Query(Query::AllText)),
    ("YXQUERYDATABASEONE", Extension::Query(Query::One)),
    ("YXQUERYDATABASETEXT", Extension::Query(Query::Text)),
];

impl Extension {
    /// Parses a command from its name (in upper case) and its trimmed arguments. The warning is about a number that
    /// was replaced by its default.
    pub(super) fn parse(word: &str, rest: &[u8]) -> Result<(Extension, Option<Warning>), ParseError> {
        let extension = match word {
            "YXNBEST" => Extension::NBest(lines(rest)?),
            "YXBALANCEONE" => return Ok(optional("YXBALANCEONE", rest, 0, |n| Extension::BalanceOne(bias(n)))),
            "YXBALANCETWO" => return Ok(optional("YXBALANCETWO", rest, 0, |n| Extension::BalanceTwo(bias(n)))),
            "YXSOOSORVSTEP4" => {
                let swap = |n| Extension::Soosorv(SoosorvStep::Swap { fifths: fifths(n) });
                return Ok(optional("YXSOOSORVSTEP4", rest, 1, swap));
            }
            "YXSOOSORVSTEP5" => {
                let offer = |n| Extension::Soosorv(SoosorvStep::Offer { fifths: fifths(n) });
                return Ok(optional("YXSOOSORVSTEP5", rest, 1, offer));
            }
            "YXEDITTEXTDATABASE" => Extension::EditText(lossy(rest)),
            _ => {
                let plain = PLAIN.iter().find(|(name, _)| *name == word).map(|(_, extension)| extension.clone());
                let unsupported = || Unsupported::all().find(|unsupported| unsupported.name == word);
                let database = DatabaseWord::ALL.into_iter().find(|database| database.name() == word);
                let extension = plain
                    .or_else(|| Some(Extension::Database { word: database?, rest: lossy(rest) }))
                    .or_else(|| Some(Extension::Unsupported { word: unsupported()?, rest: lossy(rest) }));
                extension.ok_or_else(|| ParseError::Unknown(word.to_owned()))?
            }
        };
        Ok((extension, None))
    }

    /// See [`Command::ends_search`](super::Command::ends_search).
    pub(super) fn ends_search(&self) -> bool {
        match self {
            Extension::Board
            | Extension::NBest(_)
            | Extension::BalanceOne(_)
            | Extension::BalanceTwo(_)
            | Extension::SearchDefend
            | Extension::Swap2Step(_)
            | Extension::Soosorv(_) => true,
            Extension::ShowInfo
            | Extension::Stop
            | Extension::ShowForbid
            | Extension::HashClear
            | Extension::ShowHashUsage
            | Extension::Block
            | Extension::BlockUndo
            | Extension::BlockReset
            | Extension::Query(_)
            | Extension::EditText(_)
            | Extension::Database { .. }
            | Extension::Unsupported { .. } => false,
        }
    }
}

/// A command with an optional number, and a warning if the argument is not a number.
fn optional(
    command: &'static str,
    rest: &[u8],
    default: i64,
    make: impl FnOnce(i64) -> Extension,
) -> (Extension, Option<Warning>) {
    let number = number(rest);
    let warning = (number.is_none() && !rest.is_empty()).then(|| {
        let text = format!("{command} needs a number, not {}: {default} is taken", quoted(&lossy(rest)));
        Warning { about: command, text }
    });
    (make(number.unwrap_or(default)), warning)
}

fn lines(rest: &[u8]) -> Result<usize, ParseError> {
    let lines = number(rest).and_then(|n| usize::try_from(n.clamp(1, MOST_LINES)).ok());
    lines.ok_or(ParseError::Arguments { command: "YXNBEST", expected: "a number of lines" })
}

/// A number of fifth moves; at least one.
fn fifths(number: i64) -> u8 {
    u8::try_from(number.clamp(1, MOST_FIFTHS)).unwrap_or(1)
}

fn bias(number: i64) -> i32 {
    i32::try_from(number.clamp(-MOST_BIAS, MOST_BIAS)).unwrap_or(0)
}

/// The line without its line ending.
impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extension::NBest(lines) => write!(f, "YXNBEST {lines}"),
            Extension::BalanceOne(bias) => write!(f, "YXBALANCEONE {bias}"),
            Extension::BalanceTwo(bias) => write!(f, "YXBALANCETWO {bias}"),
            Extension::Soosorv(SoosorvStep::Swap { fifths }) => write!(f, "YXSOOSORVSTEP4 {fifths}"),
            Extension::Soosorv(SoosorvStep::Offer { fifths }) => write!(f, "YXSOOSORVSTEP5 {fifths}"),
            Extension::EditText(rest) => with_rest(f, "YXEDITTEXTDATABASE", rest),
            Extension::Database { word, rest } => with_rest(f, word.name(), rest),
            Extension::Unsupported { word, rest } => with_rest(f, word.name, rest),
            Extension::ShowInfo
            | Extension::Board
            | Extension::Stop
            | Extension::ShowForbid
            | Extension::SearchDefend
            | Extension::HashClear
            | Extension::ShowHashUsage
            | Extension::Block
            | Extension::BlockUndo
            | Extension::BlockReset
            | Extension::Swap2Step(_)
            | Extension::Soosorv(_)
            | Extension::Query(_) => {
                f.write_str(PLAIN.iter().find(|(_, extension)| extension == self).map_or("", |(name, _)| name))
            }
        }
    }
}

fn with_rest(f: &mut fmt::Formatter<'_>, word: &str, rest: &str) -> fmt::Result {
    if rest.is_empty() { f.write_str(word) } else { write!(f, "{word} {rest}") }
}
