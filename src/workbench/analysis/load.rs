//! Positions as people keep them: labels in a row, SGF, Piskvork's .psq, or a drawn board.

pub use crate::board::parse_opening;

use crate::board::{BoardSize, Cell, Diagram, Point, Setup, Side, parse_points};
use crate::rules::Rule;
use crate::workbench::rule_code::rule_of_code;
use std::fmt;

/// A position, and the rule that its file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The position; it has passed [`Setup::check`].
    pub setup: Setup,
    /// The rule, where the text says it.
    pub rule: Option<Rule>,
}

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

fn error(text: impl fmt::Display) -> LoadError {
    LoadError(text.to_string())
}

/// Reads a position in any of the forms, which are told apart by their beginnings: `(` is SGF, `Piskvorky` is .psq,
/// a letter followed by a digit is a row of labels (on a board of `size`), anything else a drawing as of [`Diagram`].
/// An empty text is the empty board.
///
/// # Errors
/// If the text is not of the form that it begins as, or has a stone on another or off the board.
pub fn read(text: &str, size: BoardSize) -> Result<Loaded, LoadError> {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    let mut first = start.chars();
    let labels = match (first.next(), first.next()) {
        (None, _) => true,
        (Some(a), Some(b)) => a.is_ascii_alphabetic() && b.is_ascii_digit(),
        (Some(_), None) => false,
    };
    let loaded = if start.starts_with('(') {
        read_sgf(start)?
    } else if start.starts_with("Piskvorky") {
        read_psq(start)?
    } else if labels {
        let moves = parse_points(size, text).map_err(error)?;
        Loaded { setup: Setup::from_moves(size, moves), rule: None }
    } else {
        let diagram: Diagram = text.parse().map_err(error)?;
        Loaded { setup: diagram.setup, rule: None }
    };
    loaded.setup.check().map_err(error)?;
    Ok(loaded)
}

/// A board's size in text: `15`, or `20x15` for a rectangle.
pub fn size_of_text(text: &str) -> Option<BoardSize> {
    let (width, height) = text.split_once('x').unwrap_or((text, text));
    BoardSize::new(width.trim().parse().ok()?, height.trim().parse().ok()?)
}

/// The name or Gomocup's number of a rule.
pub fn rule_of_text(text: &str) -> Option<Rule> {
    let named = Rule::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(text));
    named.or_else(|| text.parse().ok().and_then(rule_of_code))
}

/// Reads Piskvork's form: a line of dimensions, moves `x,y,milliseconds` from 1, names, and the result with the rule.
fn read_psq(text: &str) -> Result<Loaded, LoadError> {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let dimensions = head.split([' ', ',']).nth(1).and_then(|d| d.split_once('x'));
    let dimensions = dimensions.and_then(|(w, h)| BoardSize::new(w.parse().ok()?, h.parse().ok()?));
    let size = dimensions.ok_or_else(|| error(format!("no board size in {head:?}")))?;
    let mut setup = Setup::empty(size);
    let mut rule = None;
    for line in lines {
        let numbers: Option<Vec<i32>> = line.split(',').map(|n| n.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some([x, y, _]) => {
                let point = size.point(x.saturating_sub(1), y.saturating_sub(1));
                setup.play(point.ok_or_else(|| error(format!("move {line:?} is off the board")))?);
            }
            Some([_, code]) => rule = u8::try_from(*code).ok().and_then(rule_of_code),
            // Names of players, and "-1"; the last line may name the rule.
            _ => rule = line.split_once(',').and_then(|(_, name)| rule_of_text(name.trim())).or(rule),
        }
    }
    Ok(Loaded { setup, rule })
}

/// Reads the main line of an SGF file's first game: size, set-up stones, moves, rule.
fn read_sgf(text: &str) -> Result<Loaded, LoadError> {
    let properties = properties(text)?;
    let find = |name: &str| properties.iter().find(|(n, _)| n == name).and_then(|(_, values)| values.first());
    let side = match find("SZ").map(|text| text.trim()) {
        None => Some((15, 15)),
        Some(text) => match text.split_once(':') {
            Some((w, h)) => w.parse().ok().zip(h.parse().ok()),
            None => text.parse().ok().map(|n| (n, n)),
        },
    };
    let size = side.and_then(|(w, h)| BoardSize::new(w, h)).ok_or_else(|| error("no board of this size"))?;
    let mut setup = Setup::empty(size);
    for (name, values) in &properties {
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
            if name.len() == 1 {
                setup.to_move = !side;
            }
        }
    }
    let rule = find("RU").and_then(|text| rule_of_text(text.trim()));
    Ok(Loaded { setup, rule })
}

/// A point as SGF names it: two letters from the top left, or, as some boards write, letter and row number.
fn sgf_point(size: BoardSize, text: &str) -> Option<Point> {
    let letter = |c: u8| i32::from(c.to_ascii_lowercase()) - i32::from(b'a');
    match text.trim().as_bytes() {
        [x, y] if x.is_ascii_alphabetic() && y.is_ascii_alphabetic() => size.point(letter(*x), letter(*y)),
        _ => crate::board::parse_point(size, text.trim()).ok(),
    }
}

/// Names and values of the properties along the first variation of the first game.
fn properties(text: &str) -> Result<Vec<(String, Vec<String>)>, LoadError> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut name = String::new();
    let mut chars = text.chars();
    let mut repeated = false;
    while let Some(c) = chars.next() {
        match c {
            // The first end of a variation ends the main line.
            ')' => return Ok(found),
            '(' | ';' => repeated = false,
            '[' => {
                let value = value(&mut chars).ok_or_else(|| error("an SGF value does not end"))?;
                match found.last_mut() {
                    Some((_, values)) if repeated && name.is_empty() => values.push(value),
                    _ => found.push((std::mem::take(&mut name), vec![value])),
                }
                repeated = true;
            }
            c if c.is_ascii_uppercase() => name.push(c),
            c if c.is_whitespace() || c.is_ascii_lowercase() => {}
            c => return Err(error(format!("{c:?} has no place in SGF"))),
        }
    }
    Err(error("the SGF text does not end"))
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

/// The position drawn with coordinates, its last stone in lower case, and the points that the side to move must not
/// play marked by [`Diagram::FORBIDDEN`].
pub fn draw(setup: &Setup, forbidden: &[Point]) -> String {
    let forbidden = forbidden.iter().copied().filter(|p| setup.cell(*p) == Cell::Empty);
    let diagram = Diagram::new(setup.clone()).with_last().with_coordinates();
    diagram.with_marks(Diagram::FORBIDDEN, forbidden).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Loaded {
        read(text, BoardSize::RENJU).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    /// The same three stones in each form.
    #[test]
    fn all_forms_mean_the_same() {
        let expected = of("h8 i9, H9");
        assert_eq!(expected.setup.stones.len(), 3);
        assert_eq!(expected.setup.to_move, Side::White);
        let psq = of("Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,7,12\r\n8,7,5\r\na\r\nb\r\n-1\r\n1,renju\r\n");
        assert_eq!((psq.setup, psq.rule), (expected.setup.clone(), Some(Rule::Renju)));
        let sgf = of("(;FF[4]SZ[15]RU[standard]C[a \\] b]\n;B[hh](;W[ig]C[x];B[hg])(;W[aa]))");
        assert_eq!((sgf.setup, sgf.rule), (expected.setup.clone(), Some(Rule::Standard)));
        let drawn = of(&draw(&expected.setup, &[]));
        assert_eq!(drawn.setup, expected.setup);
        assert_eq!(of(" \n").setup, Setup::empty(BoardSize::RENJU));
    }

    #[test]
    fn set_up_stones_of_sgf() {
        let loaded = of("(;SZ[20:12]AB[aa][tl]AW[bb]PL[W])").setup;
        assert_eq!((loaded.size.width(), loaded.size.height()), (20, 12));
        assert_eq!(loaded.stones.len(), 3);
        assert_eq!(loaded.to_move, Side::White);
    }

    #[test]
    fn bad_texts_are_errors() {
        for text in ["h8h8", "h16", "(;B[hh]", "(;B[zz])", "(;SZ[99])", "(;B[hh", "Piskvorky 99x9, 1", "x", "X O\nX\n"]
        {
            assert!(read(text, BoardSize::RENJU).is_err(), "{text:?}");
        }
        assert!(read("Piskvorky 15x15,\n16,1,0\n", BoardSize::RENJU).is_err());
    }
}
