//! Training games as arrays for numpy: a row for each position, the stones of all games in one array.
//!
//! The arrays are files in numpy's form, see [`npy`](crate::npy):
//!
//! `stones.npy`, u16: the stones of all games one after another, opening first, as `y * width + x`.
//!
//! `positions.npy`, a row for each move after an opening:
//!
//! | field | type | what |
//! |---|---|---|
//! | `start` | u64 | where the game begins in `stones` |
//! | `ply` | u16 | number of stones on the board, `stones[start:start + ply]`, black first; gives the side to move |
//! | `played`, `best` | u16 | the move played and the best one |
//! | `score` | i16 | score of the search for the side to move, as in [`record`](super::record) |
//! | `nodes` | u32 | nodes of the search |
//! | `left` | u16 | moves from here to the end of the game, this one included |
//! | `result` | i8 | 1 if the side to move won the game, 0 for a draw, -1 if it lost |
//! | `flags` | u8 | sum of [`RANDOM`], [`WINS`], [`FORCED`], [`PROVEN`] |
//! | `rule`, `width`, `height` | u8 | as in the record |
//! | `game` | u32 | number of the game, from 0: positions of one game belong on the same side of a split |

use super::record::{DataGame, cell};
use crate::npy::{Array, fields};
use std::io;
use std::path::Path;
use tengen::board::{Setup, Side};
use tengen::pattern::PointClass;
use tengen::position::{Position, Silent};
use tengen_record::rule_code::code_of_rule;

/// The move was chosen at random, so the following moves may be worse than the score predicts.
pub const RANDOM: u8 = 1;

/// The side to move completes a row.
pub const WINS: u8 = 2;

/// The opponent threatens to complete a row, and the side to move cannot.
pub const FORCED: u8 = 4;

/// The score is a proven win or loss.
pub const PROVEN: u8 = 8;

/// Fields of a position with numpy's names of their types.
const FIELDS: [(&str, &str, usize); 13] = [
    ("start", "<u8", 1),
    ("nodes", "<u4", 1),
    ("game", "<u4", 1),
    ("ply", "<u2", 1),
    ("played", "<u2", 1),
    ("best", "<u2", 1),
    ("score", "<i2", 1),
    ("left", "<u2", 1),
    ("result", "|i1", 1),
    ("flags", "|u1", 1),
    ("rule", "|u1", 1),
    ("width", "|u1", 1),
    ("height", "|u1", 1),
];

/// Writes the arrays of a folder.
pub struct Export {
    stones: Array,
    positions: Array,
    games: u32,
}

impl Export {
    /// Creates the arrays in a folder. Creates the folder if necessary and replaces existing arrays.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn create(folder: &Path) -> io::Result<Export> {
        std::fs::create_dir_all(folder)?;
        Ok(Export {
            stones: Array::create(&folder.join("stones.npy"), "'<u2'".to_owned())?,
            positions: Array::create(&folder.join("positions.npy"), fields(&FIELDS))?,
            games: 0,
        })
    }

    /// Adds the positions of a game.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn add(&mut self, data: &DataGame) -> io::Result<()> {
        let game = &data.game;
        let index = |p| cell(data.size, p);
        let start = Setup::from_moves(data.size, game.opening.iter().copied());
        let Ok(mut position) = Position::new(&start, data.rule) else { return Ok(()) };
        let begin = self.stones.len();
        for stone in data.line() {
            self.stones.push(&index(stone).to_le_bytes())?;
        }
        for (i, m) in game.moves.iter().enumerate() {
            let us = position.to_move();
            let wins = |side: Side| position.count(side, PointClass::Five) > 0;
            let flags = [
                (RANDOM, m.point != m.best),
                (WINS, wins(us)),
                (FORCED, !wins(us) && wins(!us)),
                (PROVEN, m.score.is_proven()),
            ];
            let flags = flags.iter().filter(|(_, holds)| *holds).map(|(flag, _)| flag).sum();
            let result = game.winner.map_or(0i8, |winner| if winner == us { 1 } else { -1 });
            let mut row = Vec::with_capacity(31);
            row.extend(begin.to_le_bytes());
            row.extend(u32::try_from(m.nodes).unwrap_or(u32::MAX).to_le_bytes());
            row.extend(self.games.to_le_bytes());
            row.extend(((game.opening.len() + i) as u16).to_le_bytes());
            row.extend(index(m.point).to_le_bytes());
            row.extend(index(m.best).to_le_bytes());
            row.extend((m.score.raw() as i16).to_le_bytes());
            row.extend(((game.moves.len() - i) as u16).to_le_bytes());
            row.extend(result.to_le_bytes());
            row.extend([flags, code_of_rule(data.rule), data.size.width(), data.size.height()]);
            self.positions.push(&row)?;
            position.play(m.point, &mut Silent);
        }
        self.games += 1;
        Ok(())
    }

    /// Completes the arrays. Returns the numbers of games and positions.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn finish(self) -> io::Result<(u64, u64)> {
        let counts = (u64::from(self.games), self.positions.len());
        self.stones.finish()?;
        self.positions.finish()?;
        Ok(counts)
    }
}
