//! Reads SGF: brackets, and the game's data in its first node.

use crate::builder::{Builder, Mark};
use crate::collection::Reading;
use crate::encoding::{assumed, marked};
use crate::error::{Place, Problem, ReadError};
use crate::game::Record;
use crate::limits::{MAX_DEPTH, MAX_NODE_VALUES};
use crate::sgf::node::{self, Property};
use crate::sgf::split::{Part, Splitter};
use crate::text::{clean_line, shortened};
use std::iter::Peekable;
use std::str::Chars;
use tengen::board::{BoardSize, BySide, Setup, Side};

/// Reads the games of a collection. Text between games is skipped, as the format specifies.
///
/// Unreadable parts of a game are skipped with a warning. An illegal move on the main line is an error; an illegal move
/// in a variation is skipped with all moves after it.
pub fn read(bytes: &[u8], reading: &mut Reading) {
    let text = marked(bytes);
    let mut parts = Splitter::new(text.as_ref().map_or(bytes, |text| text.as_bytes()), text.is_some());
    for part in parts.by_ref() {
        reading.game(|left, values| game(part, left, values));
    }
    reading.warnings.extend(parts.assumed.map(assumed));
    for name in &parts.unknown {
        reading.warnings.push(format!("the file names the character set {:?}, which is not known", shortened(name)));
    }
    if let Some(line) = parts.skipped {
        reading.warnings.push(format!("line {line}: text outside of the games is left out"));
    }
}

/// Reads one game. `left` and `values` are the nodes and property values that the file may still use.
fn game(part: Part<'_>, left: usize, values: usize) -> Result<Record, ReadError> {
    let decoded = part.decode();
    let of_size = |side| {
        let game = Game { left, values, default_size: side, ..Game::default() };
        let mut reader = Reader { game, line: part.line, skipped: Vec::new() };
        let read = reader.run(&decoded.text).map_err(|problem| problem.at(Place::Line(reader.line)));
        (read, reader)
    };
    let (mut read, mut reader) = of_size(GOMOKU_SIDE);
    // Some programs omit the size even of boards that are not 15x15.
    let outside = matches!(&read, Err(ReadError { problem: Problem::NoPoint(_), .. }));
    if outside && reader.game.is_size_assumed {
        let (again, other) = of_size(GO_SIDE);
        if again.is_ok() {
            (read, reader) = (again, other);
            reader.skipped.push(Skipped::new(format!("no size is named: {GO_SIDE}x{GO_SIDE} is assumed"), 0));
        }
    }
    read?;
    let mut record = reader.game.end().map_err(|problem| problem.at(Place::Line(reader.line)))?;
    record.warnings.extend(decoded.warning);
    record.warnings.extend(reader.skipped.iter().map(Skipped::told));
    Ok(record)
}

/// The board's side if the file gives none: for gomoku, and for go.
const GOMOKU_SIDE: u8 = 15;
const GO_SIDE: u8 = 19;

/// A part of the file that was skipped.
struct Skipped {
    what: String,
    /// The first line on which it occurs, or 0 for the game as a whole.
    line: usize,
    count: usize,
}

/// Maximum of different skipped parts reported for one game.
const MAX_SKIPPED: usize = 10;

impl Skipped {
    fn new(what: String, line: usize) -> Skipped {
        Skipped { what, line, count: 1 }
    }

    fn told(&self) -> String {
        match (self.line, self.count) {
            (0, _) => self.what.clone(),
            (line, 1) => format!("line {line}: {}", self.what),
            (line, count) => format!("line {line}: {} ({count} times)", self.what),
        }
    }
}

struct Reader {
    game: Game,
    /// The current line, from 1.
    line: usize,
    skipped: Vec<Skipped>,
}

/// The game that is being read.
#[derive(Default)]
struct Game {
    /// Nodes and property values that the file may still use.
    left: usize,
    values: usize,
    default_size: u8,
    /// Whether the file gives neither a size nor the game (`GM`).
    is_size_assumed: bool,
    /// `Some` from the first node on.
    builder: Option<Builder>,
    /// Where each open variation begins; `None` before the first node.
    open: Vec<Option<Mark>>,
    /// The properties of the current node.
    node: Option<Vec<Property>>,
    /// Whether a variation has ended, so that the main line is complete.
    side_line: bool,
    /// Number of open variations when an illegal move was found; the rest of the innermost one is skipped.
    cut: Option<usize>,
    cuts: usize,
    /// Whether the file names the side that moves first.
    player_named: bool,
}

/// What the next values belong to.
enum Name {
    /// No property: the values are skipped.
    None,
    /// A property that has no value yet.
    New(String),
    /// The previous property: another value of its list.
    Same,
}

impl Reader {
    fn skip(&mut self, what: String) {
        if let Some(known) = self.skipped.iter_mut().find(|known| known.what == what) {
            known.count += 1;
        } else if self.skipped.len() < MAX_SKIPPED {
            self.skipped.push(Skipped::new(what, self.line));
        } else {
            let more = "more that cannot be read is left out".to_owned();
            match self.skipped.last_mut() {
                Some(last) if last.what == more => last.count += 1,
                _ => self.skipped.push(Skipped::new(more, self.line)),
            }
        }
    }

    /// Reads a game and its brackets.
    fn run(&mut self, text: &str) -> Result<(), Problem> {
        let mut chars = text.chars().peekable();
        let mut name = Name::None;
        let mut values = 0;
        while let Some(c) = chars.next() {
            self.line += usize::from(c == '\n');
            if matches!(c, '(' | ')' | ';') {
                self.nameless(std::mem::replace(&mut name, Name::None));
                self.game.end_node()?;
                values = 0;
            }
            match c {
                '(' if self.game.open.len() >= MAX_DEPTH => return Err(Problem::TooDeep),
                '(' => self.game.open.push(self.game.builder.as_ref().map(Builder::mark)),
                ')' if self.game.end_variation() => return Ok(()),
                ')' => {}
                ';' => self.game.node = Some(Vec::new()),
                '[' => {
                    let value = value(&mut chars, &mut self.line)?;
                    values += 1;
                    if values > MAX_NODE_VALUES {
                        return Err(Problem::TooManyValues);
                    }
                    let properties = self.game.node.get_or_insert_default();
                    match std::mem::replace(&mut name, Name::Same) {
                        Name::New(new) => add_property(properties, new, value),
                        Name::Same if !properties.is_empty() => {
                            properties.last_mut().expect("not empty").1.push(value);
                        }
                        Name::Same | Name::None => {
                            name = Name::None;
                            self.skip(format!("the value [{}] belongs to nothing: left out", shortened(&value)));
                        }
                    }
                }
                c if c.is_whitespace() => {}
                first => {
                    let mut word = String::from(first);
                    while let Some(c) = chars.next_if(|c| !matches!(c, '(' | ')' | ';' | '[') && !c.is_whitespace()) {
                        // No property has a name this long.
                        if word.len() < 100 {
                            word.push(c);
                        }
                    }
                    self.nameless(std::mem::replace(&mut name, Name::None));
                    let named: String = word.chars().filter(char::is_ascii_uppercase).collect();
                    if word.chars().all(|c| c.is_ascii_alphabetic()) && !named.is_empty() {
                        name = Name::New(named);
                        continue;
                    }
                    self.odd(&word, &mut chars)?;
                }
            }
        }
        Err(Problem::Ends("the SGF text"))
    }

    /// Skips text that is not a property, and its values.
    fn odd(&mut self, word: &str, chars: &mut Peekable<Chars<'_>>) -> Result<(), Problem> {
        self.skip(format!("{:?} has no meaning in SGF: left out", shortened(word)));
        loop {
            while let Some(c) = chars.next_if(|c| c.is_whitespace()) {
                self.line += usize::from(c == '\n');
            }
            if chars.next_if_eq(&'[').is_none() {
                return Ok(());
            }
            value(chars, &mut self.line)?;
        }
    }

    /// Reports a property without a value.
    fn nameless(&mut self, name: Name) {
        if let Name::New(name) = name {
            self.skip(format!("{} has no value: left out", shortened(&name)));
        }
    }
}

/// Adds a property with its first value. Some programs repeat the name before each value of a list.
fn add_property(properties: &mut Vec<Property>, name: String, value: String) {
    match properties.last_mut() {
        Some((last, values)) if *last == name => values.push(value),
        _ => properties.push((name, vec![value])),
    }
}

impl Game {
    /// Adds the finished node to the game.
    fn end_node(&mut self) -> Result<(), Problem> {
        let Some(properties) = self.node.take() else { return Ok(()) };
        let Some(builder) = &mut self.builder else {
            let (record, is_size_assumed) = start(&properties, self.default_size)?;
            self.is_size_assumed = is_size_assumed;
            let builder = self.builder.insert(Builder::new(record, self.left));
            builder.values_left = self.values;
            self.player_named = properties.iter().any(|(name, values)| name == "PL" && node::player(values).is_some());
            let properties = properties.into_iter().filter(|(name, _)| !is_of_the_game(name));
            return node::add(builder, properties.collect(), true);
        };
        if self.cut.is_some() {
            return Ok(());
        }
        match node::add(builder, properties, false) {
            Err(Problem::NoPoint(_) | Problem::OffBoard(_) | Problem::Taken(_)) if self.side_line => {
                self.cut = Some(self.open.len());
                self.cuts += 1;
                Ok(())
            }
            result => result,
        }
    }

    /// Returns to the start of the innermost variation. The result is whether that was the game itself.
    fn end_variation(&mut self) -> bool {
        if let (Some(mark), Some(builder)) = (self.open.pop(), &mut self.builder) {
            builder.back_to(mark.unwrap_or(builder.root()));
        }
        if self.cut.is_some_and(|depth| self.open.len() < depth) {
            self.cut = None;
        }
        self.side_line = true;
        self.open.is_empty()
    }

    fn end(self) -> Result<Record, Problem> {
        let mut record = match self.builder {
            Some(builder) => builder.record,
            None => start(&[], self.default_size)?.0,
        };
        if !self.player_named {
            record.start.to_move = record.first_side();
        }
        if self.cuts > 0 {
            let what = if self.cuts == 1 { "a variation has" } else { "variations have" };
            record.warnings.push(format!("{what} a move that cannot be played, and ends before it"));
        }
        Ok(record)
    }
}

/// Whether [`start`] reads this property of the first node.
fn is_of_the_game(name: &str) -> bool {
    ["FF", "GM", "CA", "AP", "SZ", "PB", "PW", "RE", "DT", "EV", "RU"].contains(&name)
}

/// The record that a game's first node describes, without moves, and whether its size was assumed. For go the format
/// defines the size.
fn start(properties: &[Property], default_size: u8) -> Result<(Record, bool), Problem> {
    let find = |name: &str| properties.iter().find(|(n, _)| n == name).and_then(|(_, values)| values.first());
    let text = |name: &str| find(name).map(|value| clean_line(value)).unwrap_or_default();
    let side = match find("SZ").map(|text| text.trim()) {
        None if find("GM").is_some_and(|game| game.trim() == "1") => Some((GO_SIDE, GO_SIDE)),
        None => Some((default_size, default_size)),
        Some(text) => match text.split_once(':') {
            Some((w, h)) => w.trim().parse().ok().zip(h.trim().parse().ok()),
            None => text.parse().ok().map(|n| (n, n)),
        },
    };
    let size = side.and_then(|(w, h)| BoardSize::new(w, h)).ok_or_else(|| Problem::Size(String::new()))?;
    let mut setup = Setup::empty(size);
    for property in properties {
        let side = match property.0.as_str() {
            "AB" => Side::Black,
            "AW" => Side::White,
            "PL" => {
                setup.to_move = node::player(&property.1).unwrap_or(Side::Black);
                continue;
            }
            "TGN" => {
                setup.blocked = property.1.first().map(|text| node::blocked(size, text)).unwrap_or_default();
                continue;
            }
            _ => continue,
        };
        setup.stones.extend(node::points(size, property)?.into_iter().map(|point| (point, side)));
    }
    setup.check().map_err(Problem::Setup)?;
    // "?" means an unknown result, "Void" no result.
    let result = Some(text("RE")).filter(|re| !re.is_empty() && re != "?" && !re.eq_ignore_ascii_case("void"));
    let mut record = Record {
        names: BySide([text("PB"), text("PW")]),
        result,
        date: text("DT"),
        event: text("EV"),
        ..Record::new(None, setup)
    };
    record.name_rule(&text("RU"));
    // Some servers put the opening rule into the game's name.
    record.suggest_rule(&text("GN"), "the game's name");
    record.suggest_rule(&text("EV"), "the event");
    if let Some(game) = Some(text("GM")).filter(|text| find("GM").is_some() && text != "4") {
        record.warnings.push(format!("GM[{game}] is not Gomoku or Renju (4); read as if it were"));
    }
    Ok((record, find("SZ").is_none() && find("GM").is_none_or(|game| game.trim() != "1")))
}

/// A property's value up to its closing bracket. A backslash before a line break removes both.
fn value(chars: &mut Peekable<Chars<'_>>, line: &mut usize) -> Result<String, Problem> {
    let mut value = String::new();
    loop {
        let c = chars.next().ok_or(Problem::Ends("an SGF value"))?;
        *line += usize::from(c == '\n');
        match c {
            ']' => return Ok(value),
            '\\' => match chars.next().ok_or(Problem::Ends("an SGF value"))? {
                '\n' => *line += 1,
                '\r' if chars.peek() == Some(&'\n') => {
                    chars.next();
                    *line += 1;
                }
                c => value.push(c),
            },
            c => value.push(c),
        }
    }
}
