//! Self-play games as training data: a compact binary record, appendable and safe against being killed.
//!
//! A file is records one after another and nothing else, so files are joined by `cat`. Every record carries what is
//! needed to understand it. Numbers are little endian; a point is `y * width + x` from the top left.
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TGR2`: magic, the last byte the version |
//! | 4 | u32 | length of the body |
//! | | | *body:* |
//! | 1 | u8 | rule: 0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact |
//! | 1, 1 | u8 | width, height |
//! | 1 | u8 | result: 0 white won, 1 draw, 2 black won |
//! | 1 | u8 | ending: 0 row, 1 foul, 2 draw, 3 proven win |
//! | 1 | u8 | number of opening stones, n |
//! | 2 | u16 | number of moves after the opening, m |
//! | 4 | u32 | node limit a move, 0 if there was none |
//! | 2 | u16 | depth limit in plies, 0 if there was none |
//! | 8 | u64 | seed of the game |
//! | 8 | u64 | signature of the engine: the nodes of its [bench](crate::workbench::bench) |
//! | 16 | | name and version of the engine, padded with zeros |
//! | 16 | | name of the evaluation, padded with zeros |
//! | 2 n | u16 | opening stones, black first |
//! | 10 m | | moves: played u16 (bit 15: not the best), best u16, score i16, nodes u32 |
//! | 4 | u32 | CRC-32 (IEEE) of the body |
//!
//! The score is for the mover, before the move, as [`Score::raw`] has it: evaluation units, or 30000 less the plies
//! to a proven win. A move whose *played* and *best* differ was drawn by lot; policy targets are *best*.
//!
//! Version 1, `TGR1`, which is still read, has neither the depth limit nor the name of the engine.

use super::selfplay::{Ending, Game, Played, Settings};
use crate::board::{BoardSize, Point, Side};
use crate::rules::Rule;
use crate::score::Score;
use crate::workbench::rule_code::{code_of_rule, rule_of_code};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Begins every record; the last byte is the version.
pub const MAGIC: [u8; 4] = *b"TGR2";

/// Begins records of the first version.
const MAGIC_1: [u8; 4] = *b"TGR1";

/// Bytes of a body before its points, in both versions.
const FIXED: [usize; 2] = [44, 62];

/// Bytes of a name.
pub const NAME: usize = 16;

/// Bytes of one move.
const MOVE: usize = 10;

/// Set in a move that was drawn by lot.
const RANDOM: u16 = 1 << 15;

/// Who played a game.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Maker {
    /// Name and version, at most [`NAME`] bytes.
    pub engine: String,
    /// Bench signature, which tells any two behaviours apart.
    pub signature: u64,
    /// Name of the evaluation, at most [`NAME`] bytes.
    pub evaluation: String,
}

impl Maker {
    /// Name and version of this engine.
    pub const THIS_ENGINE: &str = concat!("tengen-", env!("CARGO_PKG_VERSION"));
}

/// A game with what is needed to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataGame {
    /// The rule.
    pub rule: Rule,
    /// Board dimensions.
    pub size: BoardSize,
    /// Node limit of each move, 0 for none.
    pub nodes: u32,
    /// Depth limit of each move, 0 for none.
    pub depth: u16,
    /// Seed of the game.
    pub seed: u64,
    /// Who played it.
    pub maker: Maker,
    /// The game.
    pub game: Game,
}

/// Why bytes are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataError {
    /// The bytes end within a record: the writer was killed, or is still writing.
    Torn,
    /// Bytes that no writer has written.
    Corrupt(&'static str),
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::Torn => f.write_str("the last record is incomplete"),
            DataError::Corrupt(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for DataError {}

impl DataGame {
    /// A game as it was made.
    pub fn new(settings: &Settings, seed: u64, maker: Maker, game: Game) -> DataGame {
        DataGame {
            rule: settings.rule,
            size: settings.size,
            nodes: settings.nodes.map_or(0, |n| u32::try_from(n).unwrap_or(u32::MAX)),
            depth: settings.depth.map_or(0, |d| u16::try_from(d).unwrap_or(u16::MAX)),
            seed,
            maker,
            game,
        }
    }

    /// The record's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let width = u16::from(self.size.width());
        let index = |p: Point| u16::from(p.y()) * width + u16::from(p.x());
        let game = &self.game;
        let mut body = Vec::with_capacity(FIXED[1] + 2 * game.opening.len() + MOVE * game.moves.len());
        let result = match game.winner {
            Some(Side::White) => 0,
            None => 1,
            Some(Side::Black) => 2,
        };
        let ending = match game.ending {
            Ending::Row => 0,
            Ending::Foul => 1,
            Ending::Draw => 2,
            Ending::Proof => 3,
        };
        let opening = game.opening.len() as u8;
        body.extend([code_of_rule(self.rule), self.size.width(), self.size.height(), result, ending, opening]);
        body.extend((game.moves.len() as u16).to_le_bytes());
        body.extend(self.nodes.to_le_bytes());
        body.extend(self.depth.to_le_bytes());
        body.extend(self.seed.to_le_bytes());
        body.extend(self.maker.signature.to_le_bytes());
        for text in [&self.maker.engine, &self.maker.evaluation] {
            let mut name = [0; NAME];
            name.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
            body.extend(name);
        }
        game.opening.iter().for_each(|p| body.extend(index(*p).to_le_bytes()));
        for m in &game.moves {
            let random = if m.point == m.best { 0 } else { RANDOM };
            body.extend((index(m.point) | random).to_le_bytes());
            body.extend(index(m.best).to_le_bytes());
            body.extend((m.score.raw() as i16).to_le_bytes());
            body.extend(u32::try_from(m.nodes).unwrap_or(u32::MAX).to_le_bytes());
        }
        let crc = crc32fast::hash(&body);
        [&MAGIC[..], &(body.len() as u32).to_le_bytes(), &body, &crc.to_le_bytes()].concat()
    }

    /// Reads one record from the beginning of `bytes`, with the number of bytes it takes.
    ///
    /// # Errors
    /// See [`DataError`]; never panics, whatever the bytes.
    pub fn decode(bytes: &[u8]) -> Result<(DataGame, usize), DataError> {
        let magic = &bytes[..bytes.len().min(4)];
        let version = [MAGIC_1, MAGIC].iter().position(|m| m.starts_with(magic)).ok_or(DataError::Corrupt(
            if magic.starts_with(&MAGIC[..3]) { "a record of another version" } else { "no record begins here" },
        ))?;
        let (_, rest) = bytes.split_at_checked(4).ok_or(DataError::Torn)?;
        let (length, rest) = rest.split_first_chunk().ok_or(DataError::Torn)?;
        let length = u32::from_le_bytes(*length) as usize;
        // The largest board, fully recorded, stays far below.
        if !(FIXED[version]..=FIXED[version] + 625 * (MOVE + 2)).contains(&length) {
            return Err(DataError::Corrupt("a record has an impossible length"));
        }
        let (body, rest) = rest.split_at_checked(length).ok_or(DataError::Torn)?;
        let crc = rest.first_chunk().ok_or(DataError::Torn)?;
        if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
            return Err(DataError::Corrupt("a record's checksum is wrong"));
        }
        let game = Fields(body).game(version > 0).ok_or(DataError::Corrupt("a record makes no sense"))?;
        Ok((game, 12 + length))
    }
}

/// The rest of a body.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn name(&mut self) -> Option<String> {
        let bytes = self.take::<NAME>()?;
        String::from_utf8(bytes.into_iter().take_while(|b| *b != 0).collect()).ok()
    }

    /// The game; `named` if there are a depth limit and the engine's name.
    fn game(mut self, named: bool) -> Option<DataGame> {
        let [rule, width, height, result, ending, stones] = self.take()?;
        let (rule, size) = (rule_of_code(rule)?, BoardSize::new(width, height)?);
        let moves = self.u16()?;
        let nodes = self.take().map(u32::from_le_bytes)?;
        let depth = if named { self.u16()? } else { 0 };
        let (seed, signature) = (self.take().map(u64::from_le_bytes)?, self.take().map(u64::from_le_bytes)?);
        let engine = if named { self.name()? } else { String::new() };
        let maker = Maker { engine, signature, evaluation: self.name()? };
        let point = |index: u16| size.point(i32::from(index % u16::from(width)), i32::from(index / u16::from(width)));
        let opening = (0..stones).map(|_| point(self.u16()?)).collect::<Option<Vec<_>>>()?;
        let played = (0..moves)
            .map(|_| {
                Some(Played {
                    point: point(self.u16()? & !RANDOM)?,
                    best: point(self.u16()?)?,
                    score: Score::from_raw(i32::from(self.take().map(i16::from_le_bytes)?)),
                    nodes: u64::from(self.take().map(u32::from_le_bytes)?),
                })
            })
            .collect::<Option<Vec<_>>>()?;
        let winner = match result {
            0 => Some(Side::White),
            1 => None,
            2 => Some(Side::Black),
            _ => return None,
        };
        let ending = match ending {
            0 => Ending::Row,
            1 => Ending::Foul,
            2 => Ending::Draw,
            3 => Ending::Proof,
            _ => return None,
        };
        let game = Game { opening, moves: played, winner, ending };
        self.0.is_empty().then_some(DataGame { rule, size, nodes, depth, seed, maker, game })
    }
}

/// The games of a file's bytes. Ends after the last whole record, or with an error where bytes are no record.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads from the beginning.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Bytes read so far: after the last game, the length without a torn tail.
    pub fn offset(&self) -> usize {
        self.at
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<DataGame, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        match DataGame::decode(rest) {
            Ok((game, length)) => {
                self.at += length;
                Some(Ok(game))
            }
            Err(DataError::Torn) => None,
            Err(error) => {
                self.bytes = &[];
                Some(Err(error))
            }
        }
    }
}

/// Opens a file for appending and hands over the seeds of the games that it has; a torn tail is cut off, a new file is
/// made.
///
/// # Errors
/// What the system says, or `InvalidData` when the file holds something else than records.
pub fn append_to(path: &Path) -> io::Result<(File, Vec<u64>)> {
    // To read a device may have no end.
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no regular file"));
    }
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(e),
    };
    let mut reader = Reader::new(&bytes);
    let seeds = reader.by_ref().map(|game| game.map(|g| g.seed)).collect::<Result<Vec<_>, _>>();
    let seeds = seeds.map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.set_len(reader.offset() as u64)?;
    file.seek(SeekFrom::End(0))?;
    Ok((file, seeds))
}

/// Appends a game in one piece.
///
/// # Errors
/// What the system says.
pub fn append(file: &mut File, game: &DataGame) -> io::Result<()> {
    file.write_all(&game.encode())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(moves: usize) -> DataGame {
        let played = |i: usize| Played {
            point: Point::at((i % 20) as u8, (i / 20) as u8),
            best: Point::at((i % 20) as u8, (i / 40) as u8),
            score: if i.is_multiple_of(2) { Score::units(-120) } else { Score::win_in(i as i32) },
            nodes: 2000 + i as u64,
        };
        DataGame {
            rule: Rule::Renju,
            size: BoardSize::new(20, 12).unwrap(),
            nodes: 2000,
            depth: 7,
            seed: 0x1234_5678_9abc_def0,
            maker: Maker { engine: "exactly 16 bytes".to_owned(), signature: 42, evaluation: "classic-1".to_owned() },
            game: Game {
                opening: vec![Point::at(19, 11), Point::at(0, 0)],
                moves: (0..moves).map(played).collect(),
                winner: Some(Side::White),
                ending: Ending::Proof,
            },
        }
    }

    #[test]
    fn records_round_trip_one_after_another() {
        let games = [sample(0), sample(1), sample(200)];
        let bytes: Vec<u8> = games.iter().flat_map(DataGame::encode).collect();
        let mut reader = Reader::new(&bytes);
        let read: Result<Vec<_>, _> = reader.by_ref().collect();
        assert_eq!(read.as_deref(), Ok(&games[..]));
        assert_eq!(reader.offset(), bytes.len());
    }

    #[test]
    fn records_of_the_first_version_are_read() {
        let mut game = sample(3);
        let new = game.encode();
        let body = [&new[8..20], &new[22..38], &new[54..new.len() - 4]].concat();
        let crc = crc32fast::hash(&body).to_le_bytes();
        let old = [&MAGIC_1[..], &(body.len() as u32).to_le_bytes(), &body, &crc].concat();
        (game.depth, game.maker.engine) = (0, String::new());
        assert_eq!(DataGame::decode(&old), Ok((game, old.len())));
    }

    /// Cut anywhere, the whole records remain and nothing is made up.
    #[test]
    fn a_torn_tail_is_dropped_wherever_it_was_torn() {
        let first = sample(3).encode();
        let bytes = [first.clone(), sample(5).encode()].concat();
        for cut in 0..bytes.len() {
            let mut reader = Reader::new(&bytes[..cut]);
            let games = reader.by_ref().collect::<Result<Vec<_>, _>>().expect("no corruption").len();
            assert_eq!(games, usize::from(cut >= first.len()), "{cut}");
            assert_eq!(reader.offset(), if games == 1 { first.len() } else { 0 });
        }
    }

    /// No flipped bit goes unnoticed, and none makes the reader panic.
    #[test]
    fn every_flipped_bit_is_noticed() {
        let bytes = sample(4).encode();
        for bit in 0..bytes.len() * 8 {
            let mut bad = bytes.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(DataGame::decode(&bad).is_err(), "bit {bit}");
        }
    }
}
