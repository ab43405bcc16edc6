//! An engine's line as a value: parsing and printing.

use super::text::{coordinates, first_word, is_blank, lossy, trim};
use crate::engine::Point;
use std::fmt;

/// One line of output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `OK`, bare: managers compare the whole line.
    Ok,
    /// `x,y`, or several points with blanks between them (swap2, balanced pairs).
    Points(Vec<Point>),
    /// `SWAP`.
    Swap,
    /// `ERROR text`.
    Error(String),
    /// `UNKNOWN text`.
    Unknown(String),
    /// `MESSAGE text`: for the user.
    Message(String),
    /// `MESSAGE text` with text of a database, in any script.
    Comment(String),
    /// `DEBUG text`: for the engine's author.
    Debug(String),
    /// `name="...", ...`: the answer to `ABOUT`.
    About(About),
    /// `FORBID xxyyxxyy.`: the answer to `YXSHOWFORBID`.
    Forbid(Vec<Point>),
    /// `INFO KEY value`: analysis for a board that has requested it.
    Info {
        /// The key, in upper case.
        key: String,
        /// Its value, never empty when this engine writes it.
        value: String,
    },
    /// Any other line; this engine never writes one.
    Other(String),
}

/// The engine's description in the answer to `ABOUT`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its authors.
    pub author: String,
    /// Its country.
    pub country: String,
}

/// Maximum length of the text after a keyword, in bytes; managers cut lines at about 8000.
const MOST_TEXT: usize = 4000;

impl Reply {
    /// An `INFO` line.
    pub fn info(key: &str, value: impl fmt::Display) -> Reply {
        Reply::Info { key: key.to_owned(), value: value.to_string() }
    }

    /// Parses one line; never fails, see [`Reply::Other`].
    pub fn parse(line: &[u8]) -> Reply {
        let line = trim(line);
        let (word, rest) = first_word(line);
        let text = || lossy(rest);
        match lossy(word).to_ascii_uppercase().as_str() {
            "OK" if rest.is_empty() => Reply::Ok,
            "SWAP" if rest.is_empty() => Reply::Swap,
            "ERROR" => Reply::Error(text()),
            "UNKNOWN" => Reply::Unknown(text()),
            "MESSAGE" => Reply::Message(text()),
            "DEBUG" => Reply::Debug(text()),
            "FORBID" => forbid(rest).map_or_else(|| Reply::Other(lossy(line)), Reply::Forbid),
            "INFO" => {
                let (key, value) = first_word(rest);
                Reply::Info { key: lossy(key).to_ascii_uppercase(), value: lossy(value) }
            }
            _ => points(line)
                .map(Reply::Points)
                .or_else(|| About::parse(&lossy(line)).map(Reply::About))
                .unwrap_or_else(|| Reply::Other(lossy(line))),
        }
    }
}

fn points(line: &[u8]) -> Option<Vec<Point>> {
    if let Some(point) = coordinates(line) {
        return Some(vec![point]);
    }
    let words = line.split(|b| is_blank(*b)).filter(|word| !word.is_empty());
    let points = words.map(coordinates).collect::<Option<Vec<_>>>()?;
    (!points.is_empty()).then_some(points)
}

fn forbid(rest: &[u8]) -> Option<Vec<Point>> {
    let digits = rest.strip_suffix(b".")?;
    digits
        .chunks(4)
        .map(|chunk| {
            let digit = |b: &u8| char::from(*b).to_digit(10).and_then(|d| u8::try_from(d).ok());
            match chunk {
                [a, b, c, d] => Point::new(digit(a)? * 10 + digit(b)?, digit(c)? * 10 + digit(d)?),
                _ => None,
            }
        })
        .collect()
}

impl About {
    /// This program.
    pub fn this() -> About {
        About {
            name: "Tengen".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            author: "the Tengen authors".to_owned(),
            country: "World".to_owned(),
        }
    }

    fn parse(line: &str) -> Option<About> {
        let field = |key: &str| {
            let from = line.find(&format!("{key}=\""))? + key.len() + 2;
            let value = line.get(from..)?;
            Some(value.get(..value.find('"')?)?.to_owned())
        };
        Some(About {
            name: line.starts_with("name=\"").then(|| field("name")).flatten()?,
            version: field(", version").unwrap_or_default(),
            author: field(", author").unwrap_or_default(),
            country: field(", country").unwrap_or_default(),
        })
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let About { name, version, author, country } = self;
        write!(f, "name=\"{name}\", version=\"{version}\", author=\"{author}\", country=\"{country}\"")
    }
}

/// Writes a text as printable ASCII, with `?` for other characters, and limits its length, so that the text cannot
/// break the line or its reader.
struct Plain<'a>(&'a str);

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| if c == ' ' || c.is_ascii_graphic() { c } else { '?' };
        self.0.chars().take(MOST_TEXT).try_for_each(|c| fmt::Write::write_char(f, plain(c)))
    }
}

/// The line without its line ending.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Ok => f.write_str("OK"),
            Reply::Points(points) => {
                for (index, p) in points.iter().enumerate() {
                    let blank = if index == 0 { "" } else { " " };
                    write!(f, "{blank}{},{}", p.x(), p.y())?;
                }
                Ok(())
            }
            Reply::Swap => f.write_str("SWAP"),
            Reply::Error(text) => write!(f, "ERROR {}", Plain(text)),
            Reply::Unknown(text) => write!(f, "UNKNOWN {}", Plain(text)),
            Reply::Message(text) => write!(f, "MESSAGE {}", Plain(text)),
            Reply::Comment(text) => {
                f.write_str("MESSAGE ")?;
                let plain = |c: char| if c.is_control() { ' ' } else { c };
                text.chars().take(MOST_TEXT).try_for_each(|c| fmt::Write::write_char(f, plain(c)))
            }
            Reply::Debug(text) => write!(f, "DEBUG {}", Plain(text)),
            Reply::About(about) => about.fmt(f),
            Reply::Forbid(points) => {
                f.write_str("FORBID ")?;
                points.iter().try_for_each(|p| write!(f, "{:02}{:02}", p.x(), p.y()))?;
                f.write_str(".")
            }
            Reply::Info { key, value } => write!(f, "INFO {} {}", Plain(key), Plain(value)),
            Reply::Other(text) => Plain(text).fmt(f),
        }
    }
}
