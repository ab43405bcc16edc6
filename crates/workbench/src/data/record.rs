//! Binary format of training games: a compact record for each game, and one for the settings of a run.
//!
//! A file is a plain sequence of records, so `cat` joins files. A run of self-play writes its settings first. Each game
//! refers to its settings by their checksum, and also contains all that its use as training data needs, so a game
//! remains usable without its settings. Integers are little endian; a point is `y * width + x` from the top left.
//!
//! A game:
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TGR3`: magic, the last byte the version |
//! | 4 | u32 | length of the body |
//! | | | *body:* |
//! | 4 | u32 | CRC-32 of the body of its settings |
//! | 1 | u8 | rule: 0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact |
//! | 1, 1 | u8 | width, height |
//! | 1 | u8 | result: 0 white won, 1 draw, 2 black won |
//! | 1 | u8 | ending: 0 row, 1 foul, 2 draw, 3 proven win |
//! | 1 | u8 | number of opening stones, n |
//! | 2 | u16 | number of moves after the opening, m |
//! | 4 | u32 | node limit a move, 0 if there was none |
//! | 2 | u16 | depth limit in plies, 0 if there was none |
//! | 8 | u64 | seed of the game |
//! | 8 | u64 | signature of the engine: the nodes of its [bench](tengen::bench) |
//! | 16 | | name and version of the engine, padded with zeros |
//! | 16 | | name of the evaluation, padded with zeros |
//! | 2 n | u16 | opening stones, black first |
//! | 10 m | | moves: played u16 (bit 15: not the best), best u16, score i16, nodes u32 |
//! | 4 | u32 | CRC-32 (IEEE) of the body |
//!
//! The score is that of the side to move, before the move, as [`Score::raw`] has it: evaluation units, or 30000 minus
//! the plies to a proven win. If *played* and *best* differ, the move was chosen at random; policy targets are *best*.
//!
//! Settings:
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TGRS`: magic |
//! | 4 | u32 | length of the body |
//! | | | body: a JSON object with the fields of [`Run`] |
//! | 4 | u32 | CRC-32 (IEEE) of the body |

use super::selfplay::{Ending, Game, Played, Settings};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;
use tengen::board::{BoardSize, Point, Side};
use tengen::rules::Rule;
use tengen::score::Score;
use tengen_record::rule_code::{code_of_rule, rule_of_code};

/// Magic of a game.
const GAME: [u8; 4] = *b"TGR3";

/// Magic of settings.
const SETTINGS: [u8; 4] = *b"TGRS";

/// Common prefix of all magics.
pub(super) const FAMILY: &[u8] = b"TGR";

/// Bytes of a game's body before its points.
const FIXED: usize = 66;

/// Upper bound of the bytes of a game or of settings. A full game on the largest board is far smaller.
pub(super) const LONGEST: usize = FRAME + FIXED + 625 * (MOVE + 2);

/// Bytes of a name.
pub const NAME: usize = 16;

/// Bytes of one move.
const MOVE: usize = 10;

/// Flag of a move that was chosen at random.
const RANDOM: u16 = 1 << 15;

/// Engine and evaluation that played a game.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Maker {
    /// Name and version, at most [`NAME`] bytes.
    pub engine: String,
    /// Bench signature. It differs between any two behaviours of the engine.
    pub signature: u64,
    /// Name of the evaluation, at most [`NAME`] bytes.
    pub evaluation: String,
}

impl Maker {
    /// Name and version of this engine.
    pub const THIS_ENGINE: &str = concat!("tengen-", env!("CARGO_PKG_VERSION"));
}

/// The settings of a run of self-play. Together with a game's seed they reproduce the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Name and version of the engine.
    pub engine: String,
    /// Its bench signature.
    pub signature: u64,
    /// Name of the evaluation.
    pub evaluation: String,
    /// Name of the rule.
    pub rule: String,
    /// Board sizes, such as `15x15`, used in turn.
    pub size: Vec<String>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Depth of each search, in plies.
    pub depth: Option<u32>,
    /// Fewest and most stones of an opening.
    pub opening: (usize, usize),
    /// Largest score of an opening, in evaluation units.
    pub balance: i32,
    /// See [`Variety`](super::selfplay::Variety), also for the following fields.
    pub temperature: f64,
    /// Number of stones from which the temperature is 0.
    pub temperature_plies: usize,
    /// Chance of a random move, in thousandths.
    pub random: u32,
    /// Number of stones from which no move is random.
    pub random_plies: usize,
    /// Whether a game ends as soon as a search proves the winner.
    pub adjudicate: bool,
    /// Seed of the run.
    pub seed: u64,
}

impl Run {
    fn body(&self) -> Vec<u8> {
        // Serialization cannot fail: the struct has only numbers and strings.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The identifier that games store to refer to their settings.
    pub fn id(&self) -> u32 {
        crc32fast::hash(&self.body())
    }

    /// The record's bytes.
    pub fn encode(&self) -> Vec<u8> {
        framed(SETTINGS, &self.body())
    }
}

/// A game with all that its use as training data needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataGame {
    /// Identifier of its settings: [`Run::id`].
    pub run: u32,
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
    /// Engine and evaluation that played it.
    pub maker: Maker,
    /// The game.
    pub game: Game,
}

/// Error decoding a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataError {
    /// The bytes end within a record: the writer was killed or is still writing.
    Torn,
    /// The bytes cannot come from a writer.
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

/// A record of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// Settings of the games that follow, with their identifier.
    Run(u32, Run),
    /// A game.
    Game(DataGame),
}

/// The record's encoding of a point.
pub fn cell(size: BoardSize, point: Point) -> u16 {
    u16::from(point.y()) * u16::from(size.width()) + u16::from(point.x())
}

/// Decodes a point; `None` if it is off the board.
pub(super) fn point(size: BoardSize, cell: u16) -> Option<Point> {
    let width = u16::from(size.width());
    size.point(i32::from(cell % width), i32::from(cell / width))
}

/// Bytes of a record without its body: magic, length, checksum.
pub(super) const FRAME: usize = 12;

/// Builds a record from its body.
pub(super) fn framed(magic: [u8; 4], body: &[u8]) -> Vec<u8> {
    let crc = crc32fast::hash(body);
    [&magic[..], &(body.len() as u32).to_le_bytes(), body, &crc.to_le_bytes()].concat()
}

/// The body of the record at the start of `bytes`, with any magic, and its verified checksum. The body's length must be
/// within `lengths`.
///
/// # Errors
/// See [`DataError`]; never panics on any input.
pub(super) fn body(bytes: &[u8], lengths: RangeInclusive<usize>) -> Result<(&[u8], u32), DataError> {
    let (_, rest) = bytes.split_at_checked(4).ok_or(DataError::Torn)?;
    let (length, rest) = rest.split_first_chunk().ok_or(DataError::Torn)?;
    let length = u32::from_le_bytes(*length) as usize;
    if !lengths.contains(&length) {
        return Err(DataError::Corrupt("a record has an impossible length"));
    }
    let (body, rest) = rest.split_at_checked(length).ok_or(DataError::Torn)?;
    let crc = u32::from_le_bytes(*rest.first_chunk().ok_or(DataError::Torn)?);
    if crc32fast::hash(body) == crc { Ok((body, crc)) } else { Err(DataError::Corrupt("a record's checksum is wrong")) }
}

/// Number of bytes before the next complete record; `None` if there is no such record. Does not consider a record at
/// the start of `bytes`. Records begin with `magic`; `is_whole` tests whether a complete record begins with the given
/// bytes.
pub(super) fn next_whole(bytes: &[u8], magic: &[u8], is_whole: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let begins = bytes.windows(magic.len()).enumerate().skip(1).filter(|(_, window)| *window == magic);
    begins.map(|(at, _)| at).find(|at| is_whole(&bytes[*at..]))
}

/// A record seems incomplete, but complete records follow.
pub(super) const WRONG_LENGTH: DataError = DataError::Corrupt("a record has a wrong length");

/// The checksum is correct, but the content cannot come from a writer.
pub(super) const NONSENSE: DataError = DataError::Corrupt("a record makes no sense");

impl Record {
    /// Decodes the record at the start of `bytes`. Returns it and its length in bytes.
    ///
    /// # Errors
    /// See [`DataError`]; never panics on any input.
    pub fn decode(bytes: &[u8]) -> Result<(Record, usize), DataError> {
        let magic = &bytes[..bytes.len().min(4)];
        let is_game = GAME.starts_with(magic);
        if !is_game && !SETTINGS.starts_with(magic) {
            let other = magic.starts_with(FAMILY);
            return Err(DataError::Corrupt(if other {
                "a record of another version"
            } else {
                "no record begins here"
            }));
        }
        let (body, crc) = body(bytes, if is_game { FIXED } else { 2 }..=LONGEST - FRAME)?;
        let record = match is_game {
            true => Record::Game(Fields(body).game().ok_or(NONSENSE)?),
            false => Record::Run(crc, serde_json::from_slice(body).map_err(|_| NONSENSE)?),
        };
        Ok((record, FRAME + body.len()))
    }
}

impl DataGame {
    /// A game of a run.
    pub fn new(run: u32, settings: &Settings, seed: u64, maker: Maker, game: Game) -> DataGame {
        DataGame {
            run,
            rule: settings.rule,
            size: settings.size,
            nodes: settings.nodes.map_or(0, |n| u32::try_from(n).unwrap_or(u32::MAX)),
            depth: settings.depth.map_or(0, |d| u16::try_from(d).unwrap_or(u16::MAX)),
            seed,
            maker,
            game,
        }
    }

    /// The moves of the game, opening first.
    pub fn line(&self) -> Vec<Point> {
        self.game.opening.iter().copied().chain(self.game.moves.iter().map(|m| m.point)).collect()
    }

    /// The record's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let index = |p: Point| cell(self.size, p);
        let game = &self.game;
        let mut body = Vec::with_capacity(FIXED + 2 * game.opening.len() + MOVE * game.moves.len());
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
        body.extend(self.run.to_le_bytes());
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
        framed(GAME, &body)
    }
}

/// Whether all points differ.
pub(super) fn all_differ<'a>(points: impl Iterator<Item = &'a Point>) -> bool {
    let mut points: Vec<usize> = points.map(|p| p.index()).collect();
    let number = points.len();
    points.sort_unstable();
    points.dedup();
    points.len() == number
}

/// Reader of the remaining fields of a body.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl Fields<'_> {
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub(super) fn points(&mut self, size: BoardSize, number: usize) -> Option<Vec<Point>> {
        (0..number).map(|_| point(size, self.u16()?)).collect()
    }

    fn name(&mut self) -> Option<String> {
        let bytes = self.take::<NAME>()?;
        String::from_utf8(bytes.into_iter().take_while(|b| *b != 0).collect()).ok()
    }

    /// Decodes the game of a record.
    fn game(mut self) -> Option<DataGame> {
        let run = self.take().map(u32::from_le_bytes)?;
        let [rule, width, height, result, ending, stones] = self.take()?;
        let (rule, size) = (rule_of_code(rule)?, BoardSize::new(width, height)?);
        let moves = self.u16()?;
        let nodes = self.take().map(u32::from_le_bytes)?;
        let depth = self.u16()?;
        let (seed, signature) = (self.take().map(u64::from_le_bytes)?, self.take().map(u64::from_le_bytes)?);
        let maker = Maker { engine: self.name()?, signature, evaluation: self.name()? };
        let point = |cell: u16| point(size, cell);
        let opening = self.points(size, usize::from(stones))?;
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
        let is_sensible =
            self.0.is_empty() && all_differ(game.opening.iter().chain(game.moves.iter().map(|m| &m.point)));
        is_sensible.then_some(DataGame { run, rule, size, nodes, depth, seed, maker, game })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn run() -> Run {
        Run {
            engine: "tengen-0".to_owned(),
            signature: 42,
            evaluation: "classic-1".to_owned(),
            rule: "renju".to_owned(),
            size: vec!["20x12".to_owned()],
            nodes: Some(2000),
            depth: Some(7),
            opening: (1, 9),
            balance: 150,
            temperature: 12.5,
            temperature_plies: 16,
            random: 20,
            random_plies: 40,
            adjudicate: false,
            seed: u64::MAX,
        }
    }

    pub fn sample(moves: usize) -> DataGame {
        let played = |i: usize| Played {
            point: Point::at((i % 20) as u8, (i / 20) as u8),
            best: Point::at((i % 20) as u8, (i / 40) as u8),
            score: if i.is_multiple_of(2) { Score::units(-120) } else { Score::win_in(i as i32) },
            nodes: 2000 + i as u64,
        };
        DataGame {
            run: run().id(),
            rule: Rule::Renju,
            size: BoardSize::new(20, 12).unwrap(),
            nodes: 2000,
            depth: 7,
            seed: 0x1234_5678_9abc_def0,
            maker: Maker { engine: "exactly 16 bytes".to_owned(), signature: 42, evaluation: "classic-1".to_owned() },
            game: Game {
                opening: vec![Point::at(19, 11), Point::at(18, 11)],
                moves: (0..moves).map(played).collect(),
                winner: Some(Side::White),
                ending: Ending::Proof,
            },
        }
    }

    #[test]
    fn settings_and_games_round_trip() {
        let bytes = run().encode();
        assert_eq!(Record::decode(&bytes), Ok((Record::Run(run().id(), run()), bytes.len())));
        let bytes = sample(200).encode();
        assert_eq!(Record::decode(&bytes), Ok((Record::Game(sample(200)), bytes.len())));
        for taken in [Point::at(18, 11), Point::at(1, 0)] {
            let mut twice = sample(3);
            twice.game.moves[2].point = taken;
            assert_eq!(Record::decode(&twice.encode()), Err(NONSENSE));
        }
    }

    #[test]
    fn records_of_other_versions_are_refused() {
        for magic in [*b"TGR2", *b"TGR9"] {
            let bytes = framed(magic, &sample(3).encode()[8..]);
            assert_eq!(Record::decode(&bytes), Err(DataError::Corrupt("a record of another version")));
        }
    }

    /// The reader detects every flipped bit and never panics.
    #[test]
    fn every_flipped_bit_is_noticed() {
        for bytes in [sample(4).encode(), run().encode()] {
            for bit in 0..bytes.len() * 8 {
                let mut bad = bytes.clone();
                bad[bit / 8] ^= 1 << (bit % 8);
                assert!(Record::decode(&bad).is_err(), "bit {bit}");
            }
        }
    }
}
