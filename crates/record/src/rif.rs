//! RenjuNet's database of games (.rif), which is XML. Read only.
//!
//! The file has tables of rules, openings, players and tournaments, in which each row has an `id`. Then the games
//! follow: their attributes refer to rows of the tables, and their element `move` has the moves as labels, `h8 h9 h7`.
//! The result `bresult` is Black's score: 1, 0 or 0.5. The boards are 15x15. A rule is an opening rule of renju, such
//! as Soosyrv-8, rarely one of gomoku.

use crate::collection::Reading;
use crate::error::{Place, Problem, ReadError};
use crate::game::Record;
use crate::labels;
use crate::text::{clean, clean_line, shortened};
use crate::tree::Tree;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use tengen::board::{BoardSize, BySide};
use tengen::rules::Rule;

/// Whether a text is XML.
pub(super) fn is_xml(text: &str) -> bool {
    text.starts_with("<?xml") || text.starts_with("<database")
}

/// The character set named at the beginning of an XML text.
pub(super) fn charset_name(bytes: &[u8]) -> Option<String> {
    let head = bytes.strip_prefix(b"<?xml")?;
    let head = String::from_utf8_lossy(&head[..head.iter().position(|byte| *byte == b'>')?]).into_owned();
    let (_, name) = head.split_once("encoding")?;
    let name = name.trim_start().strip_prefix('=')?.trim_start();
    let quote = name.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    name[1..].split(quote).next().map(str::to_owned)
}

/// Attributes of an element.
type Row = HashMap<String, String>;

/// Maximum of stored rows of a table.
const MAX_ROWS: usize = 500_000;

/// Maximum depth of nested elements; the database has four levels.
const MAX_DEPTH: usize = 20;

/// The tables that games refer to: from ids to names.
#[derive(Default)]
struct Tables {
    rule: HashMap<String, Row>,
    opening: HashMap<String, Row>,
    player: HashMap<String, Row>,
    tournament: HashMap<String, Row>,
}

impl Tables {
    fn of(&mut self, element: &str) -> Option<&mut HashMap<String, Row>> {
        match element {
            "rule" => Some(&mut self.rule),
            "opening" => Some(&mut self.opening),
            "player" => Some(&mut self.player),
            "tournament" => Some(&mut self.tournament),
            _ => None,
        }
    }
}

/// A game as the file stores it.
#[derive(Default)]
struct Game {
    row: Row,
    moves: String,
    info: String,
}

/// Reads the games of a database.
pub(super) fn read(text: &str, reading: &mut Reading) -> Result<(), ReadError> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.allow_dangling_amp = true;
    let mut tables = Tables::default();
    // The open elements, and the game that contains the current one.
    let mut path: Vec<String> = Vec::new();
    let mut game: Option<Game> = None;
    let mut games = 0_usize;
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            // Games read before a fault are valid.
            Err(error) => {
                let line = line_of(text, reader.error_position());
                if games == 0 {
                    return Err(Problem::Xml(clean_line(&error.to_string())).at(Place::Line(line)));
                }
                reading.warnings.push(format!("line {line}: {}: the rest is left out", clean_line(&error.to_string())));
                return Ok(());
            }
        };
        match event {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                match (path.last().map(String::as_str), name.as_str()) {
                    (Some("games"), "game") => game = Some(Game { row: row(&start), ..Game::default() }),
                    (Some("rules" | "openings" | "players" | "tournaments"), element) => {
                        let row = row(&start);
                        if let (Some(table), Some(id)) = (tables.of(element), row.get("id").cloned())
                            && table.len() < MAX_ROWS
                        {
                            table.insert(id, row);
                        }
                    }
                    _ => {}
                }
                path.push(name);
                if path.len() > MAX_DEPTH {
                    return Err(Problem::TooDeep.at(Place::Line(line_of(text, reader.buffer_position()))));
                }
            }
            Event::End(_) => {
                if path.pop().as_deref() == Some("game")
                    && let Some(game) = game.take()
                {
                    games += 1;
                    reading.game(|left, _| record(&game, &tables, left));
                }
            }
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                let Some(game) = &mut game else { continue };
                let into = match path.last().map(String::as_str) {
                    Some("move") => &mut game.moves,
                    Some("info") => &mut game.info,
                    _ => continue,
                };
                match event {
                    Event::Text(text) => into.push_str(&text.xml10_content()),
                    Event::CData(text) => into.push_str(&text.xml10_content()),
                    Event::GeneralRef(name) => {
                        let name = name.xml10_content();
                        let whole = format!("&{name};");
                        into.push_str(&quick_xml::escape::unescape(&whole).unwrap_or(whole.as_str().into()));
                    }
                    _ => {}
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if games == 0 {
        return Err(Problem::Unknown.somewhere());
    }
    if !path.is_empty() {
        reading.warnings.push("the file ends in the middle of the database".to_owned());
    }
    Ok(())
}

/// The line that contains a byte, from 1.
fn line_of(text: &str, at: u64) -> usize {
    let at = usize::try_from(at).map_or(text.len(), |at| at.min(text.len()));
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
}

fn row(start: &BytesStart<'_>) -> Row {
    let attributes = start.attributes().filter_map(Result::ok).take(50);
    let pair = |attribute: quick_xml::events::attributes::Attribute<'_>| {
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_or_else(|_| attribute.value.clone().into_owned(), |value| value.into_owned());
        (attribute.key.as_ref().to_owned(), clean_line(&value))
    };
    attributes.map(pair).collect()
}

/// The record of a game, with the names that its ids refer to.
fn record(game: &Game, tables: &Tables, left: usize) -> Result<Record, ReadError> {
    let of = |name: &str| game.row.get(name).map(String::as_str).unwrap_or_default();
    let said = |row: Option<&Row>, name: &str| row.and_then(|row| row.get(name)).cloned().unwrap_or_default();
    let mut record = labels::of_text(&game.moves, BoardSize::RENJU)
        .map_err(|e| ReadError { place: Place::Game(shortened(of("id"))), ..e })?;
    if record.tree.len() > left {
        return Err(Problem::TooManyNodes.somewhere());
    }
    let tournament = tables.tournament.get(of("tournament"));
    let rule = tables.rule.get(of("rule")).or_else(|| tables.rule.get(&said(tournament, "rule")));
    match said(rule, "name") {
        name if name.is_empty() => record.assume_rule(Rule::Renju, "RenjuNet's database"),
        name => {
            record.name_rule(&name);
            // Every rule whose name is not a gomoku rule.
            if record.rule.is_none() {
                let doubt = record.rule_doubt.take().unwrap_or_default();
                record.rule = Some(Rule::Renju);
                record.rule_doubt = Some(format!("{doubt}: renju is assumed, as it is in most of RenjuNet's games"));
            }
        }
    }
    let name = |of: &str| {
        let player = tables.player.get(of);
        clean_line(&format!("{} {}", said(player, "name"), said(player, "surname")))
    };
    record.names = BySide([name(of("black")), name(of("white"))]);
    record.event = said(tournament, "name");
    record.date = match said(tournament, "start") {
        start if start.is_empty() => said(tournament, "year"),
        start => start,
    };
    record.result = match of("bresult").parse() {
        Ok(1.0) => Some("B+".to_owned()),
        Ok(0.0) => Some("W+".to_owned()),
        Ok(0.5) => Some("0".to_owned()),
        _ => None,
    };
    let opening = tables.opening.get(of("opening"));
    let opening = clean_line(&format!("{} {}", said(opening, "abbr"), said(opening, "name")));
    let root = record.tree.root_mut();
    for (name, value) in [("ON", opening), ("RO", of("round").to_owned())] {
        if !value.is_empty() {
            root.properties.push((name.to_owned(), vec![value]));
        }
    }
    let alternatives = Some(of("alt")).filter(|alt| !alt.is_empty()).map(|alt| format!("fifth moves offered: {alt}"));
    let swap = Some(of("swap")).filter(|swap| !swap.is_empty()).map(|swap| format!("swaps: {swap}"));
    let info = Some(clean(game.info.trim())).filter(|info| !info.is_empty());
    root.comment = [info, alternatives, swap].into_iter().flatten().collect::<Vec<_>>().join("\n");
    debug_assert!(record.tree.len() <= Tree::MAX_NODES);
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::Side;

    const DATABASE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<database>
<rules><rule id="1" name="RIF"><info>old</info></rule><rule id="2" name="Soosyrv-8"/><rule id="3" name="Gomoku Swap2"/>
<rule id="4" name="Kusabi"/></rules>
<openings><opening id="21" name="Kagetsu" abbr="d4"/></openings>
<players>
<player id="1" name="Ann" surname="One &amp; Only" country="1"/><player id="2" name="Bo" surname="Two"/>
</players>
<tournaments><tournament id="7" name="Open &lt;A&gt;" year="2005" start="2005-08-01" rule="2"/></tournaments>
<games>
<game id="1" tournament="7" round="F2" rule="1" black="1" white="2" bresult="1" opening="21" alt="i8" swap="R">
<move>h8 i8 j10</move>
<info>B=12 &amp; more</info>
</game>
<game id="2" tournament="7" black="2" white="1" bresult="0"><move>h8 h8</move></game>
<game id="3" tournament="7" black="2" white="9" bresult="0.5"><move>h8 h9</move><info/></game>
<game id="4" rule="3" bresult=""><move/></game>
<game id="5" rule="4"><move>h8</move></game>
</games>
</database>
"#;

    fn all(text: &str, only: Option<usize>) -> Result<crate::Collection, ReadError> {
        let mut reading = Reading::new(only);
        read(text, &mut reading)?;
        reading.end()
    }

    #[test]
    fn games_with_players_event_rule_and_result() {
        let read = all(DATABASE, None).expect("a database");
        assert_eq!((read.count, read.games.len()), (5, 4));
        assert_eq!(read.warnings, ["game 2: game 2 of the database: point h8 is taken twice: the game is left out"]);
        let (number, first) = &read.games[0];
        assert_eq!(
            (*number, first.names[Side::Black].as_str(), first.result.as_deref()),
            (1, "Ann One & Only", Some("B+"))
        );
        assert_eq!((first.rule, first.rule_name.as_str(), first.rule_doubt.as_ref()), (Some(Rule::Renju), "RIF", None));
        assert_eq!((first.event.as_str(), first.date.as_str()), ("Open <A>", "2005-08-01"));
        let root = first.tree.root();
        assert_eq!(root.comment, "B=12 & more\nfifth moves offered: i8\nswaps: R");
        assert_eq!(root.properties[0], ("ON".to_owned(), vec!["d4 Kagetsu".to_owned()]));
        assert_eq!(first.setup(first.end()).stones.len(), 3);
        // The rule of the tournament, and a player that is missing from the tables.
        let third = &read.games[1].1;
        assert_eq!((third.rule_name.as_str(), third.names[Side::White].as_str()), ("Soosyrv-8", ""));
        assert_eq!(third.result.as_deref(), Some("0"));
        let gomoku = &read.games[2].1;
        assert_eq!((gomoku.rule, gomoku.rule_doubt.is_some(), gomoku.tree.len()), (Some(Rule::Standard), true, 1));
        let unknown = &read.games[3].1;
        assert_eq!(unknown.rule, Some(Rule::Renju));
        assert!(unknown.rule_doubt.as_ref().is_some_and(|doubt| doubt.contains("Kusabi") && doubt.contains("assumed")));
    }

    #[test]
    fn one_game_needs_only_itself() {
        let read = all(DATABASE, Some(3)).expect("a game");
        assert_eq!((read.count, read.games.len(), read.games[0].0), (5, 1, 3));
        assert!(read.warnings.is_empty());
        assert!(all(DATABASE, Some(2)).is_err());
    }

    #[test]
    fn damaged_databases() {
        let cut = &DATABASE[..DATABASE.find("<game id=\"5\"").expect("the last game")];
        let read = all(cut, None).expect("four games");
        assert_eq!(read.count, 4);
        assert!(read.warnings.iter().any(|warning| warning.contains("middle of the database")));
        let broken = DATABASE.replace("<game id=\"4\"", "</wrong><game id=\"4\"");
        assert!(all(&broken, None).expect("three games").warnings.iter().any(|w| w.contains("the rest is left out")));
        for text in ["<?xml version=\"1.0\"?><svg/>", "<database><games></games></database>"] {
            assert!(all(text, None).is_err_and(|e| e.to_string().contains("not a known game file")), "{text}");
        }
        let deep = format!("<database>{}", "<a>".repeat(1000));
        assert!(all(&deep, None).is_err());
    }

    #[test]
    fn names_of_character_sets() {
        let name = |text: &str| charset_name(text.as_bytes());
        assert_eq!(name("<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>").as_deref(), Some("Shift_JIS"));
        assert_eq!(name("<?xml version='1.0' encoding = 'gbk' ?>").as_deref(), Some("gbk"));
        assert_eq!([name("<?xml version='1.0'?>"), name("<database>")], [None, None]);
    }
}
