//! SGF, the Smart Game Format: games read from collections.
//!
//! Of each game the main line is read, the first variation everywhere. Points are two letters from the top left, or a
//! letter and a row number as some servers write them.

use super::loaded::{LoadError, Loaded, error, rule_of_text};
use crate::board::{BoardSize, BySide, Point, Setup, Side, parse_point};

/// A property's name and values.
type Property = (String, Vec<String>);

/// All games of a collection.
///
/// # Errors
/// If a game is not SGF, or is not a position; of several games the error names the one.
pub fn read(text: &str) -> Result<Vec<Loaded>, LoadError> {
    let games = games(text)?;
    let several = games.len() > 1;
    let numbered = |i: usize, e: LoadError| if several { error(format!("game {}: {e}", i + 1)) } else { e };
    games.iter().enumerate().map(|(i, properties)| game(properties).map_err(|e| numbered(i, e))).collect()
}

/// The properties of a game's main line as a position with its moves.
fn game(properties: &[Property]) -> Result<Loaded, LoadError> {
    let find = |name: &str| properties.iter().find(|(n, _)| n == name).and_then(|(_, values)| values.first());
    let text = |name: &str| find(name).map(|value| value.trim().to_owned()).unwrap_or_default();
    let side = match find("SZ").map(|text| text.trim()) {
        None => Some((15, 15)),
        Some(text) => match text.split_once(':') {
            Some((w, h)) => w.parse().ok().zip(h.parse().ok()),
            None => text.parse().ok().map(|n| (n, n)),
        },
    };
    let size = side.and_then(|(w, h)| BoardSize::new(w, h)).ok_or_else(|| error("no board of this size"))?;
    let mut loaded = Loaded::new(Setup::empty(size), 0);
    let setup = &mut loaded.setup;
    for (name, values) in properties {
        let side = match name.as_str() {
            "B" | "AB" => Side::Black,
            "W" | "AW" => Side::White,
            "PL" => {
                let white = values.first().is_some_and(|v| v.trim_start().starts_with(['W', 'w']));
                setup.to_move = if white { Side::White } else { Side::Black };
                continue;
            }
            _ => continue,
        };
        for value in values.iter().filter(|v| !v.is_empty()) {
            let point = sgf_point(size, value).ok_or_else(|| error(format!("{name}[{value}] is no point")))?;
            setup.stones.push((point, side));
        }
        match name.len() {
            // A pass has no point.
            1 => setup.to_move = !side,
            _ => loaded.first = setup.stones.len(),
        }
    }
    loaded.rule = find("RU").and_then(|text| rule_of_text(text.trim()));
    loaded.names = BySide([text("PB"), text("PW")]);
    // "?" is an unknown result, "Void" none.
    loaded.result = Some(text("RE")).filter(|re| !re.is_empty() && re != "?" && !re.eq_ignore_ascii_case("void"));
    if let Some(game) = find("GM").map(|text| text.trim()).filter(|text| *text != "4") {
        loaded.warnings.push(format!("GM[{game}] is not Gomoku or Renju (4); read as if it were"));
    }
    loaded.checked()
}

/// A point as SGF names it: two letters from the top left, or, as some boards write, letter and row number.
fn sgf_point(size: BoardSize, text: &str) -> Option<Point> {
    let letter = |c: u8| i32::from(c.to_ascii_lowercase()) - i32::from(b'a');
    match text.trim().as_bytes() {
        [x, y] if x.is_ascii_alphabetic() && y.is_ascii_alphabetic() => size.point(letter(*x), letter(*y)),
        _ => parse_point(size, text.trim()).ok(),
    }
}

/// The properties along the main line of each game. Text between games is skipped, as the format says.
fn games(text: &str) -> Result<Vec<Vec<Property>>, LoadError> {
    let mut games: Vec<Vec<Property>> = Vec::new();
    let mut name = String::new();
    let mut chars = text.chars();
    let mut depth = 0_usize;
    // Whether this is still the main line of the game, and whether a value would belong to the last property.
    let (mut main, mut repeated) = (true, false);
    while let Some(c) = chars.next() {
        match c {
            '(' => {
                if depth == 0 {
                    games.push(Vec::new());
                    main = true;
                }
                depth += 1;
                repeated = false;
            }
            _ if depth == 0 => {}
            ')' => {
                depth -= 1;
                // The first end of a variation ends the main line.
                main = false;
            }
            ';' => repeated = false,
            '[' => {
                let value = value(&mut chars).ok_or_else(|| error("an SGF value does not end"))?;
                let name = std::mem::take(&mut name);
                let properties = games.last_mut().filter(|_| main);
                if let Some(properties) = properties {
                    match properties.last_mut() {
                        Some((_, values)) if repeated && name.is_empty() => values.push(value),
                        _ => properties.push((name, vec![value])),
                    }
                }
                repeated = true;
            }
            c if c.is_ascii_uppercase() => name.push(c),
            c if c.is_whitespace() || c.is_ascii_lowercase() => {}
            c => return Err(error(format!("{c:?} has no place in SGF"))),
        }
    }
    match depth {
        0 => Ok(games),
        _ => Err(error("the SGF text does not end")),
    }
}

/// A property's value up to its closing bracket.
fn value(chars: &mut std::str::Chars<'_>) -> Option<String> {
    let mut value = String::new();
    loop {
        match chars.next()? {
            ']' => return Some(value),
            '\\' => value.push(chars.next()?),
            c => value.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rule;

    #[test]
    fn set_up_stones() {
        let loaded = read("(;SZ[20:12]AB[aa][tl]AW[bb]PL[W])").unwrap().remove(0);
        assert_eq!((loaded.setup.size.width(), loaded.setup.size.height()), (20, 12));
        assert_eq!((loaded.setup.stones.len(), loaded.first), (3, 3));
        assert_eq!(loaded.setup.to_move, Side::White);
    }

    #[test]
    fn all_games_of_a_collection() {
        let text = "two games\n(;GM[4]PB[a]PW[b]RE[B+](;B[hh];W[hg](;B[aa])(;B[bb]))(;B[cc]))\r\n\
                    (;GM[1]SZ[20]RU[renju]RE[?];B[hh]C[(;\\]];W[])";
        let games = read(text).unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].setup.stones.len(), 3);
        assert_eq!((games[0].names[Side::Black].as_str(), games[0].result.as_deref()), ("a", Some("B+")));
        assert!(games[0].warnings.is_empty());
        assert_eq!((games[1].setup.size.width(), games[1].rule, &games[1].result), (20, Some(Rule::Renju), &None));
        assert_eq!(games[1].setup.to_move, Side::Black, "white has passed");
        assert!(games[1].warnings[0].contains("GM[1]"), "{:?}", games[1].warnings);
        assert!(read("(;B[hh])(;B[hh];W[hh])").unwrap_err().to_string().starts_with("game 2: "));
    }

    #[test]
    fn points_are_letters_or_labels() {
        for text in ["hc", "HC", "h13"] {
            assert_eq!(sgf_point(BoardSize::RENJU, text), Some(Point::at(7, 2)));
        }
        assert_eq!(sgf_point(BoardSize::RENJU, "zz"), None);
    }
}
