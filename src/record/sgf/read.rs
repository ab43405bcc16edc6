//! Reading SGF: brackets, and what a game's first node says of the game.

use crate::board::{BoardSize, BySide, Setup, Side};
use crate::record::builder::{Builder, Mark};
use crate::record::error::{Place, Problem, ReadError};
use crate::record::game::Record;
use crate::record::limits::{MAX_GAMES, MAX_NODES};
use crate::record::sgf::node::{self, Property};
use crate::record::text::{clean_line, rule_of_text};
use std::iter::Peekable;
use std::str::Chars;

/// All games of a collection. Text between games is skipped, as the format says.
///
/// A move that cannot be played is an error on the main line. In a variation it is left out with all that follows it.
pub fn read(text: &str) -> Result<Vec<Record>, ReadError> {
    let mut reader = Reader { games: Vec::new(), game: None, left: MAX_NODES, line: 1 };
    let mut error = match reader.run(text) {
        Ok(()) => return Ok(reader.games),
        Err(problem) => problem.at(Place::Line(reader.line)),
    };
    // Whether there are several does not depend on the fault.
    let number = reader.games.len() + 1;
    if number > 1 || more_games(text) {
        error.game = Some(number);
    }
    Err(error)
}

/// Whether a text has more than one game, as far as brackets tell.
fn more_games(text: &str) -> bool {
    let (mut depth, mut games, mut inside, mut escaped) = (0_usize, 0, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            ']' => inside = false,
            _ if inside => {}
            '[' if depth > 0 => inside = true,
            '(' => {
                games += usize::from(depth == 0);
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    games > 1
}

struct Reader {
    games: Vec<Record>,
    game: Option<Game>,
    /// Nodes that the file may still have.
    left: usize,
    /// The line that is read, from 1.
    line: usize,
}

/// A game that is being read.
#[derive(Default)]
struct Game {
    /// From the first node on.
    builder: Option<Builder>,
    /// Where each open variation began; `None` before the first node.
    open: Vec<Option<Mark>>,
    /// The properties of the node that is being read.
    node: Option<Vec<Property>>,
    /// Whether a variation has ended: the main line is over then.
    side_line: bool,
    /// Number of open variations when a move was found that cannot be played; what they still have is left out.
    cut: Option<usize>,
    cuts: usize,
    /// Whether the file says who moves first.
    player_named: bool,
}

impl Reader {
    fn run(&mut self, text: &str) -> Result<(), Problem> {
        let mut chars = text.chars().peekable();
        let mut name = String::new();
        // Whether a value would belong to the last property.
        let mut repeated = false;
        while let Some(c) = chars.next() {
            self.line += usize::from(c == '\n');
            match (c, &mut self.game) {
                ('(', None) if self.games.len() == MAX_GAMES => return Err(Problem::TooManyGames),
                ('(', None) => self.game = Some(Game { open: vec![None], ..Game::default() }),
                (_, None) => {}
                ('(', Some(game)) => {
                    game.end_node(self.left)?;
                    game.open.push(game.builder.as_ref().map(Builder::mark));
                }
                (')', Some(game)) => {
                    game.end_node(self.left)?;
                    if game.end_variation() {
                        let record = self.game.take().map(|game| game.end(self.left)).transpose()?;
                        self.left = self.left.saturating_sub(record.as_ref().map_or(0, |record| record.tree.len()));
                        self.games.extend(record);
                    }
                }
                (';', Some(game)) => {
                    game.end_node(self.left)?;
                    game.node = Some(Vec::new());
                }
                ('[', Some(game)) => {
                    let name = std::mem::take(&mut name);
                    let value = value(&mut chars, &mut self.line)?;
                    let properties = game.node.get_or_insert_default();
                    match properties.last_mut() {
                        Some((_, values)) if repeated && name.is_empty() => values.push(value),
                        _ => add_property(properties, name, value),
                    }
                    repeated = true;
                    continue;
                }
                (c, Some(_)) if c.is_ascii_uppercase() => {
                    name.push(c);
                    continue;
                }
                (c, Some(_)) if c.is_whitespace() || c.is_ascii_lowercase() => continue,
                (c, Some(_)) => return Err(Problem::Unexpected(c)),
            }
            repeated = false;
        }
        match self.game {
            None => Ok(()),
            Some(_) => Err(Problem::Ends("the SGF text")),
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
    /// Takes in the node that has been read.
    fn end_node(&mut self, left: usize) -> Result<(), Problem> {
        let Some(properties) = self.node.take() else { return Ok(()) };
        let Some(builder) = &mut self.builder else {
            let builder = self.builder.insert(Builder::new(start(&properties)?, left));
            self.player_named = properties.iter().any(|(name, values)| name == "PL" && node::player(values).is_some());
            let properties = properties.into_iter().filter(|(name, values)| !is_of_the_game(name, values));
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

    /// Goes back to where the innermost variation began; whether it was the game itself.
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

    fn end(self, left: usize) -> Result<Record, Problem> {
        let mut record = match self.builder {
            Some(builder) => builder.record,
            None => Builder::new(start(&[])?, left).record,
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

/// Whether [`start`] has read a property of the first node.
fn is_of_the_game(name: &str, values: &[String]) -> bool {
    match name {
        "RU" => values.first().is_some_and(|text| rule_of_text(text.trim()).is_some()),
        _ => ["FF", "GM", "CA", "AP", "SZ", "PB", "PW", "RE", "DT", "EV"].contains(&name),
    }
}

/// The record that a game's first node begins, without moves.
fn start(properties: &[Property]) -> Result<Record, Problem> {
    let find = |name: &str| properties.iter().find(|(n, _)| n == name).and_then(|(_, values)| values.first());
    let text = |name: &str| find(name).map(|value| clean_line(value)).unwrap_or_default();
    let side = match find("SZ").map(|text| text.trim()) {
        None => Some((15, 15)),
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
    let rule = find("RU").and_then(|text| rule_of_text(text.trim()));
    // "?" is an unknown result, "Void" none.
    let result = Some(text("RE")).filter(|re| !re.is_empty() && re != "?" && !re.eq_ignore_ascii_case("void"));
    let mut record = Record {
        names: BySide([text("PB"), text("PW")]),
        result,
        date: text("DT"),
        event: text("EV"),
        ..Record::new(rule, setup)
    };
    if let Some(game) = Some(text("GM")).filter(|text| find("GM").is_some() && text != "4") {
        record.warnings.push(format!("GM[{game}] is not Gomoku or Renju (4); read as if it were"));
    }
    Ok(record)
}

/// A property's value up to its closing bracket. A backslash before the end of a line takes both away.
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
