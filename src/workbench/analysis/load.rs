//! Positions and games as people keep them: labels or pairs of numbers in a row, SGF, Piskvork's .psq, a drawn board,
//! and what `tengen analyze` prints.

pub use super::loaded::{LoadError, Loaded, rule_of_text};
pub use crate::board::parse_opening;

use super::loaded::error;
use super::sgf;
use crate::board::{BoardSize, BySide, Cell, Diagram, Point, Setup, Side, parse_points};
use crate::workbench::rule_code::rule_of_code;

/// Reads positions in any of the forms, which are told apart by their beginnings:
///
/// * `(`: SGF, whose games are read one after another;
/// * `Piskvorky`: .psq;
/// * a letter followed by a digit: labels in a row, on a board of `size`;
/// * numbers such as `7,7 8,6`: columns and rows from 0 at the top left, as the Gomocup protocol counts;
/// * anything else: a drawing as of [`Diagram`], or the output of `tengen analyze`, which begins with one.
///
/// An empty text is the empty board.
///
/// # Errors
/// If the text is not of the form that it begins as, or has a stone on another or off the board.
pub fn read(text: &str, size: BoardSize) -> Result<Vec<Loaded>, LoadError> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let mut first = text.chars();
    let labels = match (first.next(), first.next()) {
        (None, _) => true,
        (Some(a), Some(b)) => a.is_ascii_alphabetic() && b.is_ascii_digit(),
        (Some(_), None) => false,
    };
    if text.starts_with('(') {
        return sgf::read(text);
    }
    let loaded = if text.starts_with("Piskvorky") {
        read_psq(text)?
    } else if labels {
        let moves = parse_points(size, text).map_err(error)?;
        Loaded::new(Setup::from_moves(size, moves), 0)
    } else if let Some(pairs) = pairs(text) {
        let point =
            |(x, y): (i32, i32)| size.point(x, y).ok_or_else(|| error(format!("point {x},{y} is off the board")));
        let moves = pairs.into_iter().map(point).collect::<Result<Vec<_>, _>>()?;
        Loaded::new(Setup::from_moves(size, moves), 0)
    } else {
        read_drawing(text)?
    };
    Ok(vec![loaded.checked()?])
}

/// Pairs of numbers with blanks between them, if the text is nothing else.
fn pairs(text: &str) -> Option<Vec<(i32, i32)>> {
    let words = text.split(|c: char| c.is_whitespace() || c == ';').filter(|word| !word.is_empty());
    let pair = |word: &str| {
        let (x, y) = word.trim_end_matches(',').split_once(',')?;
        x.parse().ok().zip(y.parse().ok())
    };
    words.map(pair).collect()
}

/// Reads a drawing. Where it is the beginning of `tengen analyze`'s output, the line below it tells the rule, the side
/// to move and, after a review, the moves.
fn read_drawing(text: &str) -> Result<Loaded, LoadError> {
    let line_of = |mark: &str| text.lines().find(|line| line.contains(mark));
    let printed = line_of(", move ").and_then(|line| {
        let (rule, rest) = line.split_once(", move ")?;
        let side = rest.split_once(", ")?.1.strip_suffix(" to move")?;
        Some((rule_of_text(rule)?, Side::BOTH.into_iter().find(|s| s.name() == side)?))
    });
    let Some((rule, to_move)) = printed else {
        let diagram: Diagram = text.parse().map_err(error)?;
        let stones = diagram.setup.stones.len();
        return Ok(Loaded::new(diagram.setup, stones));
    };
    // The drawing ends at the first empty line.
    let drawing: String = text.lines().take_while(|line| !line.trim().is_empty()).flat_map(|l| [l, "\n"]).collect();
    let diagram: Diagram = drawing.parse().map_err(error)?;
    let mut loaded = Loaded::new(Setup { to_move, ..diagram.setup }, 0);
    loaded.first = loaded.setup.stones.len();
    if let Some(moves) = line_of(MOVES).and_then(|line| line.strip_prefix(MOVES)) {
        let moves = parse_points(loaded.setup.size, moves).map_err(error)?;
        loaded = Loaded::new(Setup::from_moves(loaded.setup.size, moves), 0);
    }
    Ok(Loaded { rule: Some(rule), ..loaded })
}

/// What the line begins with on which `tengen analyze` prints the moves of a game.
pub const MOVES: &str = "moves: ";

/// A board's size in text: `15`, or `20x15` for a rectangle.
pub fn size_of_text(text: &str) -> Option<BoardSize> {
    let (width, height) = text.split_once('x').unwrap_or((text, text));
    BoardSize::new(width.trim().parse().ok()?, height.trim().parse().ok()?)
}

/// Reads Piskvork's form: a line of dimensions, moves `x,y,milliseconds` from 1, names, and the result with the rule.
fn read_psq(text: &str) -> Result<Loaded, LoadError> {
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    let dimensions = head.split([' ', ',']).nth(1).and_then(|d| d.split_once('x'));
    let dimensions = dimensions.and_then(|(w, h)| BoardSize::new(w.parse().ok()?, h.parse().ok()?));
    let size = dimensions.ok_or_else(|| error(format!("no board size in {head:?}")))?;
    let mut setup = Setup::empty(size);
    let (mut rule, mut names) = (None, Vec::new());
    for line in lines {
        let numbers: Option<Vec<i32>> = line.split(',').map(|n| n.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some([x, y, _]) => {
                let point = size.point(x.saturating_sub(1), y.saturating_sub(1));
                setup.play(point.ok_or_else(|| error(format!("move {line:?} is off the board")))?);
            }
            Some([_, code]) => rule = u8::try_from(*code).ok().and_then(rule_of_code),
            // A lone number tells nothing here.
            Some(_) => {}
            // Names of players; the last line may name the rule.
            None => match line.split_once(',').and_then(|(_, name)| rule_of_text(name.trim())) {
                Some(named) => rule = Some(named),
                None => names.push(line.trim().to_owned()),
            },
        }
    }
    let mut names = names.into_iter();
    let names = BySide([names.next().unwrap_or_default(), names.next().unwrap_or_default()]);
    Ok(Loaded { rule, names, ..Loaded::new(setup, 0) })
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
    use crate::rules::Rule;

    fn of(text: &str) -> Loaded {
        let mut all = read(text, BoardSize::RENJU).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    /// The same three stones in each form.
    #[test]
    fn all_forms_mean_the_same() {
        let expected = of("h8 i9, H9");
        assert_eq!(expected.setup.stones.len(), 3);
        assert_eq!(expected.setup.to_move, Side::White);
        let psq = of("Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,7,12\r\n8,7,5\r\na\r\nb\r\n-1\r\n1,renju\r\n");
        assert_eq!((&psq.setup, psq.rule), (&expected.setup, Some(Rule::Renju)));
        assert_eq!([&psq.names[Side::Black], &psq.names[Side::White]], ["a", "b"]);
        let sgf = of("(;FF[4]SZ[15]RU[standard]C[a \\] b]\n;B[hh](;W[ig]C[x];B[hg])(;W[aa]))");
        assert_eq!((sgf.setup, sgf.rule), (expected.setup.clone(), Some(Rule::Standard)));
        for pairs in ["7,7 8,6 7,6", "7,7\n8,6\r\n7,6\n", "7,7; 8,6; 7,6", "7,7, 8,6, 7,6"] {
            assert_eq!(of(pairs).setup, expected.setup, "{pairs:?}");
        }
        let drawn = of(&draw(&expected.setup, &[]));
        assert_eq!((drawn.setup.stones, drawn.first), (expected.setup.stones, 3));
        assert_eq!(of(" \n").setup, Setup::empty(BoardSize::RENJU));
    }

    #[test]
    fn any_move_can_be_gone_back_to() {
        let game = of("(;SZ[15]AB[hh]AW[ig];B[hg];W[aa])");
        assert_eq!((game.first, game.setup.stones.len()), (2, 4));
        let before = |number| game.before(number).map(|s| (s.stones.len(), s.to_move));
        assert_eq!([0, 2, 6].map(before), [None; 3], "set-up stones are no moves");
        assert_eq!(before(3), Some((2, Side::Black)));
        assert_eq!(before(4), Some((3, Side::White)));
        assert_eq!(before(5), Some((4, Side::Black)));
    }

    #[test]
    fn the_output_of_analyze_is_read() {
        let setup = of("h8i9h9a1").setup;
        let head = draw(&setup, &[]);
        let table =
            " #   depth     win   score  line\n 1     1-3   95.8%     626  a12\n100 nodes in 0.24 s, 413 a second\n";
        let read = of(&format!("{head}\nrenju, move 5, black to move\n{table}"));
        assert_eq!((read.rule, read.setup.to_move), (Some(Rule::Renju), Side::Black));
        let sorted = |setup: &Setup| {
            let mut stones = setup.stones.clone();
            stones.sort_by_key(|(p, _)| p.index());
            stones
        };
        assert_eq!(sorted(&read.setup), sorted(&setup));
        let game = of(&format!("{head}\nstandard, move 5, black to move\nmoves: h8i9h9a1\n\n 100 |   #\n"));
        assert_eq!((game.setup, game.first, game.rule), (setup, 0, Some(Rule::Standard)));
    }

    #[test]
    fn impossible_stone_counts_are_warned_of() {
        let warnings = |text: &str| of(text).warnings;
        assert!(warnings("h8i9h9").is_empty());
        assert!(warnings("X O X\n".repeat(5).replace(" X\n", " . . X\n").as_str())[0].contains("10 black and 5 white"));
        assert_eq!(warnings("(;SZ[15];B[hh];B[hg];W[aa])"), ["move 2: black plays twice in a row"]);
        assert!(warnings("(;SZ[15]AW[hh]PL[B])")[0].contains("0 black and 1 white stones"));
    }

    #[test]
    fn bad_texts_are_errors() {
        for text in ["h8h8", "h16", "(;B[hh]", "(;B[zz])", "(;SZ[99])", "(;B[hh", "Piskvorky 99x9, 1", "x", "X O\nX\n"]
            .into_iter()
            .chain(["7,7 7,7", "15,0", "7,7 8", "0,-1"])
        {
            assert!(read(text, BoardSize::RENJU).is_err(), "{text:?}");
        }
        assert!(read("Piskvorky 15x15,\n16,1,0\n", BoardSize::RENJU).is_err());
    }
}
