//! The record of a match: a JSON object in each line, appended as games finish.
//!
//! The first line is a [`Header`]. Every other line is a [`GameRecord`], or a further header if the match was extended.
//! Each line is written in one piece, so a killed run leaves at most one incomplete line, the last; the reader drops
//! it. A record has one writer at a time, see [`lock`]. Coordinates are `[x, y]` from the top left, as in the protocol.

use super::referee::{End, Finished};
use super::schedule::Pair;
use super::settings::MatchSpec;
use crate::difference::difference;
use crate::shard::Shard;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use tengen::board::{BoardSize, Point, format_points};
use tengen_engines::fault::Fault;
use tengen_engines::search_info::SearchInfo;
use tengen_files::line_of;
use tengen_files::lock::{self, LockError, LockedFile};

/// Version of the record format.
pub const VERSION: u32 = 1;

/// Header of a record: the match and the part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`].
    pub version: u32,
    /// Number of the part of the match in this file, from 1.
    pub part: u64,
    /// Number of parts of the match.
    pub parts: u64,
    /// The match.
    pub spec: MatchSpec,
}

impl Header {
    /// A header for one part of a match.
    pub fn new(spec: MatchSpec, shard: Shard) -> Header {
        Header { version: VERSION, part: shard.part, parts: shard.parts, spec }
    }
}

/// One move of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The point.
    pub p: (u8, u8),
    /// Time used, in milliseconds.
    pub ms: f64,
    /// Milliseconds above the limit, within the tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<f64>,
    /// Search information that the engine reported.
    #[serde(flatten)]
    pub note: SearchInfo,
}

/// A fault and the engine that committed it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultRecord {
    /// Number of the engine.
    pub engine: usize,
    /// Whether it lost the game.
    pub lost: bool,
    /// The fault.
    #[serde(flatten)]
    pub fault: Fault,
}

/// One finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Number in the whole match. Games `2 n` and `2 n + 1` are a pair.
    pub game: u64,
    /// Number of the event.
    pub event: usize,
    /// Number of the engine with black.
    pub black: usize,
    /// Number of the engine with white.
    pub white: usize,
    /// Number of the winner; absent for a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<usize>,
    /// How it ended.
    pub end: End,
    /// Seconds since 1970 at the end of the game.
    pub at: u64,
    /// Duration in milliseconds.
    pub ms: u64,
    /// Stones of the opening.
    pub opening: Vec<(u8, u8)>,
    /// Moves after the opening.
    pub moves: Vec<MoveRecord>,
    /// All stones in letter notation, for people.
    pub line: String,
    /// Faults; a fault that lost the game comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultRecord>,
}

impl GameRecord {
    /// Builds the record of a finished game. `seats` are the engines' numbers by seat.
    pub fn new(pair: &Pair, game: u64, size: BoardSize, seats: [usize; 2], finished: &Finished) -> GameRecord {
        let xy = |p: &Point| (p.x(), p.y());
        let ms = |d: std::time::Duration| (d.as_secs_f64() * 1e4).round() / 10.0;
        let stones: Vec<Point> =
            finished.opening.iter().copied().chain(finished.moves.iter().map(|m| m.point)).collect();
        let lost = |seat: usize| finished.winner == Some(1 - seat) && matches!(finished.end, End::Fault | End::Foul);
        GameRecord {
            game,
            event: pair.event,
            black: seats[finished.black],
            white: seats[1 - finished.black],
            winner: finished.winner.map(|seat| seats[seat]),
            end: finished.end,
            at: 0,
            ms: 0,
            opening: finished.opening.iter().map(xy).collect(),
            moves: finished
                .moves
                .iter()
                .map(|m| MoveRecord {
                    p: xy(&m.point),
                    ms: ms(m.used),
                    over: (!m.over.is_zero()).then(|| ms(m.over)),
                    note: m.note,
                })
                .collect(),
            line: format_points(size, &stones),
            faults: finished
                .faults
                .iter()
                .enumerate()
                .map(|(i, (seat, fault))| FaultRecord {
                    engine: seats[*seat],
                    lost: i == 0 && lost(*seat),
                    fault: fault.clone(),
                })
                .collect(),
        }
    }

    /// The number of the pair.
    pub fn pair(&self) -> u64 {
        self.game / 2
    }

    /// Half points of an engine: 0, 1 or 2.
    pub fn halves(&self, engine: usize) -> u8 {
        match self.winner {
            None => 1,
            Some(winner) => 2 * u8::from(winner == engine),
        }
    }

    /// All stones, opening first.
    pub fn stones(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.opening.iter().copied().chain(self.moves.iter().map(|m| m.p))
    }

    /// The result in the notation of game files: `1-0` for a win of black.
    pub fn result(&self) -> &'static str {
        match self.winner {
            None => "1/2-1/2",
            Some(winner) if winner == self.black => "1-0",
            Some(_) => "0-1",
        }
    }
}

/// Error reading or writing a record.
#[derive(Debug)]
pub enum RecordError {
    /// The file cannot be read or written.
    Io(PathBuf, io::Error),
    /// A line other than the last is not part of a record.
    Line(PathBuf, usize, String),
    /// The header is missing.
    Empty(PathBuf),
    /// The record belongs to another match or another part.
    Different(PathBuf, String),
    /// Another process is writing the record.
    InUse(LockError),
}

impl From<LockError> for RecordError {
    fn from(error: LockError) -> RecordError {
        match error {
            LockError::Io(path, error) => RecordError::Io(path, error),
            in_use => RecordError::InUse(in_use),
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Io(path, e) => write!(f, "{}: {e}", path.display()),
            RecordError::Line(path, line, e) => write!(f, "{}:{line}: {e}", path.display()),
            RecordError::Empty(path) => write!(f, "{} has no header", path.display()),
            RecordError::Different(path, what) => write!(f, "{}: {what}", path.display()),
            RecordError::InUse(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecordError {}

/// Content of a record file.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// The header.
    pub header: Header,
    /// Finished games, in the order of the file.
    pub games: Vec<GameRecord>,
    /// Length in bytes of the complete lines; an incomplete line may follow.
    pub good_bytes: u64,
    /// Whether an incomplete last line was dropped.
    pub torn: bool,
}

impl Log {
    /// Reads a record.
    ///
    /// # Errors
    /// See [`RecordError`]; an incomplete last line is not an error.
    pub fn read(path: &Path) -> Result<Log, RecordError> {
        let bytes = std::fs::read(path).map_err(|e| RecordError::Io(path.to_owned(), e))?;
        Log::parse(path, &bytes)
    }

    /// Parses a record from its bytes; `path` is used in error messages.
    ///
    /// # Errors
    /// As [`Log::read`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Log, RecordError> {
        let (mut parser, mut games) = (Parser::default(), Vec::new());
        parser.take(path, bytes, &mut games)?;
        let (good_bytes, torn) = (parser.bytes, parser.bytes < bytes.len() as u64);
        let header = parser.header.ok_or_else(|| RecordError::Empty(path.to_owned()))?;
        Ok(Log { header, games, good_bytes, torn })
    }
}

/// Parses a record piece by piece, as it grows.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    /// The last header; `None` before the first line.
    pub header: Option<Header>,
    /// Length in bytes of the lines parsed.
    pub bytes: u64,
    lines: usize,
}

impl Parser {
    /// Parses the complete lines of the bytes that follow those parsed so far, and adds their games to `games`. An
    /// incomplete last line is left for the next call.
    ///
    /// # Errors
    /// As [`Log::read`], except that the header may be missing.
    pub fn take(&mut self, path: &Path, bytes: &[u8], games: &mut Vec<GameRecord>) -> Result<(), RecordError> {
        for line in bytes.split_inclusive(|b| *b == b'\n').take_while(|line| line.ends_with(b"\n")) {
            let parsed = self.line(line).map_err(|e| RecordError::Line(path.to_owned(), self.lines + 1, e))?;
            games.extend(parsed);
            self.lines += 1;
            self.bytes += line.len() as u64;
        }
        Ok(())
    }

    /// The game of a line; `None` for a header. An error is a text.
    fn line(&mut self, line: &[u8]) -> Result<Option<GameRecord>, String> {
        let text = |e: serde_json::Error| e.to_string();
        match &self.header {
            None => {
                let first: Header = serde_json::from_slice(line).map_err(text)?;
                if first.version != VERSION {
                    return Err(format!("version {} of records is not known", first.version));
                }
                self.header = Some(first);
                Ok(None)
            }
            Some(first) if line.starts_with(HEADER_START) => {
                let longer: Header = serde_json::from_slice(line).map_err(text)?;
                if let Some(what) = difference_of_matches(&first.spec, &longer.spec) {
                    return Err(format!("another match: {what}"));
                }
                self.header = Some(longer);
                Ok(None)
            }
            Some(header) => {
                let game: GameRecord = serde_json::from_slice(line).map_err(text)?;
                game.fits(header)?;
                Ok(Some(game))
            }
        }
    }
}

impl GameRecord {
    /// Whether all numbers in the record are in range.
    fn fits(&self, header: &Header) -> Result<(), &'static str> {
        let engines = header.spec.engines.len();
        let known = |engine: usize| engine < engines;
        if !known(self.black) || !known(self.white) || self.black == self.white {
            return Err("no such engines");
        }
        if self.winner.is_some_and(|w| w != self.black && w != self.white) {
            return Err("the winner did not play");
        }
        if self.faults.iter().any(|f| !known(f.engine)) {
            return Err("no such engine at fault");
        }
        let event = header.spec.events.get(self.event).ok_or("no such event")?;
        match self.stones().all(|(x, y)| x < event.width && y < event.height) {
            true => Ok(()),
            false => Err("a stone is off the board"),
        }
    }
}

/// Appends games to a record.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: LockedFile,
}

impl Writer {
    /// Creates a record.
    ///
    /// # Errors
    /// If the file exists already or cannot be written.
    pub fn create(path: &Path, header: &Header) -> Result<Writer, RecordError> {
        let file = lock::open(path, OpenOptions::new().write(true).create_new(true))?;
        let mut writer = Writer { path: path.to_owned(), file };
        writer.line(header)?;
        Ok(writer)
    }

    /// Resumes a record and returns its finished games; without a file, creates one. Cuts off an incomplete last line.
    /// The match may have more games than the record's.
    ///
    /// # Errors
    /// If another process is writing the record, if it belongs to another match or another part, or if it cannot be
    /// read or written.
    pub fn resume(path: &Path, header: &Header) -> Result<(Writer, Vec<GameRecord>), RecordError> {
        let io = |e| RecordError::Io(path.to_owned(), e);
        let mut file = lock::open(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let log = match Log::parse(path, &bytes) {
            Ok(log) => log,
            // A new file, or a run that was killed while it wrote the first line.
            Err(RecordError::Empty(_)) if line_of(header).map_err(io)?.starts_with(&bytes) => {
                file.set_len(0).map_err(io)?;
                file.rewind().map_err(io)?;
                let mut writer = Writer { path: path.to_owned(), file };
                writer.line(header)?;
                return Ok((writer, Vec::new()));
            }
            Err(e) => return Err(e),
        };
        let different = |what: String| RecordError::Different(path.to_owned(), what);
        if (log.header.part, log.header.parts) != (header.part, header.parts) {
            let Header { part, parts, .. } = log.header;
            let what = format!("has part {part}/{parts} of the match, not {}/{}", header.part, header.parts);
            return Err(different(what));
        }
        if let Some(what) = difference_of_matches(&log.header.spec, &header.spec) {
            return Err(different(format!("the record is of another match: {what}")));
        }
        let (before, now) = (log.header.spec.games, header.spec.games);
        if now < before {
            return Err(different(format!("the record is of {before} games; --games can add to them, not take away")));
        }
        file.set_len(log.good_bytes).map_err(io)?;
        file.seek(io::SeekFrom::End(0)).map_err(io)?;
        let mut writer = Writer { path: path.to_owned(), file };
        if now > before {
            writer.line(header)?;
        }
        Ok((writer, log.games))
    }

    /// Appends a game. After the call returns, the game survives the end of the process.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn game(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        self.line(game)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), RecordError> {
        let io = |e| RecordError::Io(self.path.clone(), e);
        self.file.write_all(&line_of(value).map_err(io)?).map_err(io)
    }
}

/// Prefix of the line of a [`Header`]; a line of a game never starts with it.
const HEADER_START: &[u8] = b"{\"version\":";

/// The first settings in which two matches differ, as text. The number of games is ignored because a match can be
/// extended.
pub fn difference_of_matches(recorded: &MatchSpec, wanted: &MatchSpec) -> Option<String> {
    difference(&MatchSpec { games: wanted.games, ..recorded.clone() }, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::schedule::tests::spec;

    #[test]
    fn the_settings_in_which_matches_differ_are_named() {
        let recorded = spec(2, 4);
        let difference = |change: &dyn Fn(&mut MatchSpec)| {
            let mut wanted = recorded.clone();
            change(&mut wanted);
            difference_of_matches(&recorded, &wanted).unwrap_or_default()
        };
        assert_eq!(difference(&|s| s.games = 8), "");
        assert_eq!(difference(&|s| s.seed = 6), "seed: 5 in the record, 6 now");
        assert_eq!(
            difference(&|s| s.engines[1].limits.turn_ms = Some(20)),
            "engines 2.limits.turn_ms: none in the record, 20 now"
        );
        assert_eq!(
            difference(&|s| s.engines[0].name = "new".into()),
            "engines 1.name: \"e0\" in the record, \"new\" now"
        );
        assert!(difference(&|s| s.events[1].openings[0] = vec![(1, 1)]).starts_with("events 2.openings: "));
        assert!(difference(&|s| s.events[0].openings.clear()).starts_with("events 1.openings: "));
        assert!(difference(&|s| s.engines.truncate(1)).starts_with("engines: "));
    }
}
