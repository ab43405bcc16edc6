//! Positions and games for analysis, in the formats that [`record`] reads.

pub use crate::loaded::Loaded;
pub use tengen::board::parse_opening;
pub use tengen_record::{ASSUMED, MOVES, ReadError, rule_of_text};

use tengen::board::{BoardSize, Cell, Diagram, Point, Setup};
use tengen_record::{self as record, Collection};

/// Reads games of a text in any of the formats; a row of moves is on a board of `size`.
///
/// # Errors
/// If the text does not have the format that its beginning indicates, or has a stone on another or off the board.
pub fn read(text: &str, size: BoardSize) -> Result<Vec<Loaded>, ReadError> {
    read_file(text.as_bytes(), None, size)
}

/// Reads the games of a file; its name may determine the format.
///
/// # Errors
/// As [`read`].
pub fn read_file(bytes: &[u8], name: Option<&str>, size: BoardSize) -> Result<Vec<Loaded>, ReadError> {
    let file = read_games(bytes, name, size, None)?;
    Ok(file.games.into_iter().map(|(_, game)| game).collect())
}

/// The games of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Games {
    /// Each with its number in the file, from 1.
    pub games: Vec<(usize, Loaded)>,
    /// Number of games in the file, including those that were skipped.
    pub count: usize,
    /// Warnings about the file as a whole, and skipped games, each a sentence for people.
    pub warnings: Vec<String>,
}

/// Reads all games of a file, or `only` the one with this number; see [`record::read_collection`].
///
/// # Errors
/// If no game can be read, or the requested one cannot.
pub fn read_games(bytes: &[u8], name: Option<&str>, size: BoardSize, only: Option<usize>) -> Result<Games, ReadError> {
    let Collection { games: records, count, mut warnings } = record::read_collection(bytes, name, size, only)?;
    let mut games = Vec::new();
    let mut fault = None;
    for (number, record) in &records {
        match Loaded::new(record) {
            Ok(game) => games.push((*number, game)),
            Err(error) => {
                let error = ReadError { game: (count > 1).then_some(*number), ..error };
                warnings.push(format!("{error}: the game is left out"));
                fault.get_or_insert(error);
            }
        }
    }
    match fault {
        Some(fault) if games.is_empty() => Err(fault),
        _ => Ok(Games { games, count, warnings }),
    }
}

/// The position drawn with coordinates. The last stone is in lower case; [`Diagram::FORBIDDEN`] marks the points that
/// are forbidden to the side to move.
pub fn draw(setup: &Setup, forbidden: &[Point]) -> String {
    let forbidden = forbidden.iter().copied().filter(|p| setup.cell(*p) == Cell::Empty);
    let diagram = Diagram::new(setup.clone()).with_last().with_coordinates();
    diagram.with_marks(Diagram::FORBIDDEN, forbidden).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::Side;
    use tengen::rules::Rule;

    fn of(text: &str) -> Loaded {
        let mut all = read(text, BoardSize::RENJU).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    /// The same three stones in each format.
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
