//! The database of positions that Yixin-Board's commands read and edit.
//!
//! The program around the protocol brings it; the engine has none. It is asked by the thread that writes, and by the
//! thread that thinks.

use super::extension::Query;
use super::reply::Reply;
use super::text::{coordinates, first_word, lossy};
use crate::engine::{Line, Point, Proven, Rule, Setup};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What a program without a database says.
pub(super) const NONE: &str = "this program has no database of positions; `tengen gomocup --database FILE` has one";

/// Maximum number of characters of a comment in a line.
const MOST_TEXT: usize = 2000;

/// A database that two threads use.
pub type Shared = Arc<Mutex<dyn Database + Send>>;

/// What is known of a position, in the form of Yixin-Board's records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The sign of the label: `w`, `l` or `d` for a win, loss or draw of the side that moved last; -1 for none.
    pub label: i32,
    /// The label as a board shows it, such as `w5` or `48%`.
    pub shown: String,
    /// The score of the side to move; a win in n plies is 30000 - n.
    pub value: i32,
    /// The depth of its search.
    pub depth: u32,
    /// 0 none, 1 upper, 2 lower, 3 exact.
    pub bound: u8,
    /// The comment.
    pub text: String,
}

/// A change of the record of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replaces parts of the record: bit 0 of the mask is the label, 1 the value, 2 the depth.
    Record {
        /// The parts.
        mask: i64,
        /// The sign of the label.
        label: i64,
        /// The value.
        value: i64,
        /// The depth.
        depth: i64,
    },
    /// Replaces the comment.
    Comment(String),
    /// Replaces the text on the board at a point; an empty one is removed.
    Label(Point, String),
    /// Removes the record.
    Delete,
    /// Removes the records of the positions that follow.
    DeleteAll(Filter),
}

/// Which of the following positions a deletion removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Labels that are meant.
    pub labels: &'static str,
    /// Whether those without one of these labels are removed instead.
    pub others: bool,
    /// Only wins and losses whose number of plies is at most this; 0 those with an unknown number.
    pub within: Option<u32>,
    /// Whether the search goes on behind positions that stay.
    pub recursive: bool,
}

/// A database of positions. Errors are texts for the manager.
pub trait Database {
    /// Opens another file.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn open(&mut self, file: &Path) -> Result<(), String>;

    /// Allows changes, or no more.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn allow_changes(&mut self, on: bool) -> Result<(), String>;

    /// What earlier searches proved of a position.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn proven(&mut self, setup: &Setup, rule: Rule) -> Result<Proven, String>;

    /// The result of a search, to be stored if changes are allowed; the flag says whether it searched all moves.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn found(&mut self, setup: &Setup, rule: Rule, line: &Line, is_of_all: bool) -> Result<(), String>;

    /// The known moves with the records of the positions after them, and the points with a text on the board.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn moves(&mut self, setup: &Setup, rule: Rule) -> Result<Vec<(Point, Option<Record>, String)>, String>;

    /// The record of a position.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn record(&mut self, setup: &Setup, rule: Rule) -> Result<Option<Record>, String>;

    /// Changes the record of a position; returns the number of positions that it concerned.
    ///
    /// # Errors
    /// If changes are not allowed, or the file cannot be written.
    fn edit(&mut self, setup: &Setup, rule: Rule, edit: &Edit) -> Result<u64, String>;
}

/// A request of the manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A query about a position.
    Query(Query, Box<Setup>, Rule),
    /// A change of a position.
    Edit(Edit, Box<Setup>, Rule),
    /// Another file.
    File(String),
    /// Whether changes are allowed.
    Changes(bool),
}

/// The answer to a query in a program without a database.
pub(super) fn nothing(query: Query) -> Vec<Reply> {
    match query {
        Query::All | Query::AllText => answer_query(Query::All, Vec::new(), None),
        Query::Text => answer_query(Query::Text, Vec::new(), None),
        Query::One => Vec::new(),
    }
}

/// Carries out a request; returns the lines to write.
pub(super) fn answer(database: &mut dyn Database, ask: &Ask) -> Vec<Reply> {
    let failed = |error| vec![Reply::Error(format!("database: {error}"))];
    match ask {
        Ask::Query(query, setup, rule) => queried(database, *query, setup, *rule).unwrap_or_else(failed),
        Ask::Edit(edit, setup, rule) => edited(database, edit, setup, *rule).unwrap_or_else(failed),
        Ask::File(name) => database.open(Path::new(name)).map_or_else(failed, |()| Vec::new()),
        Ask::Changes(on) => database.allow_changes(*on).map_or_else(failed, |()| Vec::new()),
    }
}

fn queried(database: &mut dyn Database, query: Query, setup: &Setup, rule: Rule) -> Result<Vec<Reply>, String> {
    let moves = if matches!(query, Query::All | Query::AllText) { database.moves(setup, rule)? } else { Vec::new() };
    Ok(answer_query(query, moves, database.record(setup, rule)?))
}

fn answer_query(query: Query, moves: Vec<(Point, Option<Record>, String)>, record: Option<Record>) -> Vec<Reply> {
    let say = |text: String| Reply::Comment(format!("DATABASE {text}"));
    let comment = |record: Option<Record>| say(format!("TEXT {}", quote(&record.unwrap_or_default().text)));
    let all = |moves: Vec<(Point, Option<Record>, String)>| {
        let line = |(point, record, text): (Point, Option<Record>, String)| {
            let Record { shown, value, depth, bound, text: said, .. } = record.unwrap_or_default();
            let (label, has_text) = (packed(&shown), u8::from(!said.is_empty()));
            say(format!("{} {} {label} {value} {depth} {bound} {has_text} {text}", point.x(), point.y()))
        };
        let lines = moves.into_iter().map(line);
        [say("REFRESH".to_owned())].into_iter().chain(lines).chain([say("DONE".to_owned())]).collect::<Vec<_>>()
    };
    match query {
        Query::All => all(moves),
        Query::AllText => all(moves).into_iter().chain([comment(record)]).collect(),
        Query::Text => vec![comment(record)],
        Query::One => {
            let Record { label, shown, value, depth, bound, .. } = record.unwrap_or_default();
            vec![say(format!("ONE {label} {value} {depth} {bound} {shown}").trim_end().to_owned())]
        }
    }
}

fn edited(database: &mut dyn Database, edit: &Edit, setup: &Setup, rule: Rule) -> Result<Vec<Reply>, String> {
    let count = database.edit(setup, rule, edit)?;
    Ok(match edit {
        Edit::Record { .. } => queried(database, Query::One, setup, rule)?,
        Edit::DeleteAll(_) => {
            let told = Reply::Message(format!("deleted {count} records"));
            [told].into_iter().chain(queried(database, Query::All, setup, rule)?).collect()
        }
        Edit::Comment(_) | Edit::Label(..) | Edit::Delete => Vec::new(),
    })
}

/// A label of at most four characters as a number, the first character highest; -1 for none.
fn packed(label: &str) -> i32 {
    let bytes = label.bytes().take(4);
    if label.is_empty() { -1 } else { bytes.fold(0, |number, byte| number << 8 | i32::from(byte & 0x7f)) }
}

/// A text in quotes, cut if it is too long for a line.
fn quote(text: &str) -> String {
    let escaped = |c: char| if matches!(c, '"' | '\\') { vec!['\\', c] } else { vec![c] };
    let inner: String = text.chars().take(MOST_TEXT).flat_map(escaped).collect();
    format!("\"{inner}\"")
}

impl Edit {
    /// Reads the arguments of `YXEDITTVDDATABASE`: mask, label, value, depth.
    pub(super) fn record(arguments: &str) -> Result<Edit, String> {
        let numbers: Vec<i64> = arguments.split_whitespace().map_while(|word| word.parse().ok()).collect();
        match numbers.as_slice() {
            [mask, label, value, depth] => {
                Ok(Edit::Record { mask: *mask, label: *label, value: *value, depth: *depth })
            }
            _ => Err("YXEDITTVDDATABASE expects four numbers".to_owned()),
        }
    }

    /// Reads the arguments of `YXEDITLABELDATABASE`: a point and a text.
    pub(super) fn label(arguments: &str) -> Result<Edit, String> {
        let (point, text) = first_word(arguments.as_bytes());
        let point = coordinates(point).ok_or("YXEDITLABELDATABASE expects x,y and a text")?;
        Ok(Edit::Label(point, lossy(text)))
    }

    /// Reads the filter of `YXDELETEDATABASEALL`.
    pub(super) fn delete_all(arguments: &str) -> Result<Edit, String> {
        let (word, rest) = first_word(arguments.as_bytes());
        let word = lossy(word).to_ascii_uppercase();
        let (kind, recursive) = word.strip_suffix("RECURSIVE").map_or((word.as_str(), false), |kind| (kind, true));
        let of = |labels, others| Filter { labels, others, within: None, recursive };
        let filter = match kind {
            "" => Filter { recursive: true, ..of("", true) },
            "NONWL" => of("wl", true),
            "NONWLD" => of("wld", true),
            "W" => of("w", false),
            "L" => of("l", false),
            "WL" => of("wl", false),
            "WLD" => of("wld", false),
            "WLNOSTEP" => Filter { within: Some(0), ..of("wl", false) },
            "WLINSTEP" => {
                let plies = lossy(rest).parse().map_err(|_| "WLINSTEP expects a number of plies")?;
                Filter { within: Some(plies), ..of("wl", false) }
            }
            _ => return Err(format!("YXDELETEDATABASEALL does not know the filter {word}")),
        };
        Ok(Edit::DeleteAll(filter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        assert_eq!(Edit::record("3 119 -29995 7"), Ok(Edit::Record { mask: 3, label: 119, value: -29995, depth: 7 }));
        assert!(Edit::record("3 119").is_err() && Edit::record("a b c d").is_err());
        assert_eq!(Edit::label("7,8 A 1"), Ok(Edit::Label(Point::at(7, 8), "A 1".to_owned())));
        assert_eq!(Edit::label("7,8"), Ok(Edit::Label(Point::at(7, 8), String::new())));
        assert!(Edit::label("h8 A").is_err());
        let filter =
            |labels, others, within, recursive| Ok(Edit::DeleteAll(Filter { labels, others, within, recursive }));
        assert_eq!(Edit::delete_all(""), filter("", true, None, true));
        assert_eq!(Edit::delete_all("nonwlrecursive"), filter("wl", true, None, true));
        assert_eq!(Edit::delete_all("WLINSTEP 5"), filter("wl", false, Some(5), false));
        assert!(Edit::delete_all("WLINSTEP").is_err() && Edit::delete_all("X").is_err());
    }

    #[test]
    fn labels_are_packed_and_texts_quoted() {
        assert_eq!((packed(""), packed("w5"), packed("12345")), (-1, 0x7735, 0x3132_3334));
        assert_eq!(quote("a \"b\" \\"), "\"a \\\"b\\\" \\\\\"");
    }
}
