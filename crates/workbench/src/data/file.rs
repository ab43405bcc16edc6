//! Files of training games: reads them piece by piece, optionally skipping damage, and appends to them.
//!
//! A file has one writer at a time, see [`lock`]. The writer writes each record in one piece. If it is killed, at most
//! the last record is incomplete; the next run cuts that record off.

use super::generate::Plan;
use super::record::{DataError, DataGame, FAMILY, LONGEST, Record, Run, WRONG_LENGTH, next_whole};
use crate::difference::difference;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use tengen_files::lock::{self, LockError, LockedFile};

/// Error reading or continuing a file.
#[derive(Debug)]
pub enum FileError {
    /// Any I/O error.
    Io(io::Error),
    /// The bytes from this offset on are not a valid record.
    Damaged(DataError, u64),
    /// The file cannot be opened, or another process is writing it.
    Open(LockError),
    /// The file contains games with other settings.
    Different(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io(error) => error.fmt(f),
            FileError::Damaged(what, at) => write!(f, "{what}, at byte {at}"),
            FileError::Open(error) => error.fmt(f),
            FileError::Different(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for FileError {}

/// The games of a file, in file order.
///
/// Ends after the last complete record, or with an error at an invalid record. A reader that
/// [salvages](Reader::salvage) skips to the next complete record instead.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    /// Bytes that were read; those from `start` on are not yet consumed.
    window: Vec<u8>,
    start: usize,
    /// Offset of `start` in the file.
    at: u64,
    exhausted: bool,
    salvage: bool,
    failed: bool,
    damage: Vec<Range<u64>>,
    runs: BTreeMap<u32, Run>,
}

/// Bytes of one read.
const CHUNK: usize = 1 << 20;

impl<R: Read> Reader<R> {
    /// Reads from the source's current position.
    pub fn new(source: R) -> Reader<R> {
        Reader {
            source,
            window: Vec::new(),
            start: 0,
            at: 0,
            exhausted: false,
            salvage: false,
            failed: false,
            damage: Vec::new(),
            runs: BTreeMap::new(),
        }
    }

    /// Sets whether the reader skips damaged bytes.
    pub fn salvage(self, salvage: bool) -> Reader<R> {
        Reader { salvage, ..self }
    }

    /// Bytes read so far. After the last game: the file's length without an incomplete last record.
    pub fn offset(&self) -> u64 {
        self.at
    }

    /// Bytes of an incomplete last record, after the last game.
    pub fn torn(&self) -> usize {
        self.rest().len()
    }

    /// The byte ranges skipped so far.
    pub fn damage(&self) -> &[Range<u64>] {
        &self.damage
    }

    /// All settings that have been read so far.
    pub fn runs(&self) -> &BTreeMap<u32, Run> {
        &self.runs
    }

    fn rest(&self) -> &[u8] {
        &self.window[self.start..]
    }

    fn advance(&mut self, bytes: usize) {
        self.start += bytes;
        self.at += bytes as u64;
    }

    /// Reads until the rest of the window can hold the longest record.
    fn fill(&mut self) -> io::Result<()> {
        if self.exhausted || self.rest().len() >= LONGEST {
            return Ok(());
        }
        self.window.drain(..self.start);
        self.start = 0;
        let read = self.source.by_ref().take(CHUNK as u64).read_to_end(&mut self.window)?;
        self.exhausted = read < CHUNK;
        Ok(())
    }

    /// Number of bytes before the next complete record within the window; `None` if the window contains none. Does not
    /// consider a record at the start of the rest.
    fn next_whole(&self) -> Option<usize> {
        next_whole(self.rest(), FAMILY, |bytes| Record::decode(bytes).is_ok())
    }

    /// Skips to the next complete record.
    fn skip(&mut self) -> io::Result<()> {
        let from = self.at;
        loop {
            if let Some(bytes) = self.next_whole() {
                self.advance(bytes);
                break;
            }
            if self.exhausted {
                self.advance(self.rest().len());
                break;
            }
            // A record may begin near the end of the window.
            self.advance(self.rest().len() - LONGEST.min(self.rest().len() - 1));
            self.fill()?;
        }
        self.damage.push(from..self.at);
        Ok(())
    }

    fn read(&mut self) -> Result<Option<DataGame>, FileError> {
        loop {
            self.fill().map_err(FileError::Io)?;
            if self.rest().is_empty() {
                return Ok(None);
            }
            let error = match Record::decode(self.rest()) {
                Ok((record, bytes)) => {
                    self.advance(bytes);
                    match record {
                        Record::Run(id, run) => drop(self.runs.insert(id, run)),
                        Record::Game(game) => return Ok(Some(game)),
                    }
                    continue;
                }
                // The file is truncated, unless complete records follow: then the length field is wrong.
                Err(DataError::Torn) if self.next_whole().is_none() => return Ok(None),
                Err(DataError::Torn) => WRONG_LENGTH,
                Err(error) => error,
            };
            if !self.salvage {
                return Err(FileError::Damaged(error, self.at));
            }
            self.skip().map_err(FileError::Io)?;
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<DataGame, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let game = self.read().transpose();
        self.failed = matches!(game, Some(Err(_)));
        game
    }
}

/// Appends games to a file.
#[derive(Debug)]
pub struct Writer(LockedFile);

impl Writer {
    /// Creates a file with the settings of a plan, or continues a file with the same settings and removes its games
    /// from the plan. Cuts off an incomplete last record.
    ///
    /// # Errors
    /// If another process is writing the file, if the file contains something other than complete records, if its games
    /// have other settings or differ from the first games of the plan, or if it cannot be read or written.
    pub fn open(path: &Path, plan: &mut Plan) -> Result<Writer, FileError> {
        // A read from a device may never end.
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return Err(FileError::Io(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = lock::open(path, &mut options).map_err(FileError::Open)?;
        let mut reader = Reader::new(&*file);
        let seeds = reader.by_ref().map(|game| Ok(game?.seed)).collect::<Result<Vec<_>, FileError>>()?;
        let length = reader.offset();
        let run = plan.run();
        let begun = reader.runs().contains_key(&run.id());
        let others = reader.runs().values().filter(|other| other.id() != run.id());
        if let Some(what) = others.filter_map(|other| difference(other, &run)).next() {
            return Err(FileError::Different(format!("made with other settings: {what}")));
        }
        plan.go_on_after(&seeds).map_err(FileError::Different)?;
        file.set_len(length).map_err(FileError::Io)?;
        file.seek(SeekFrom::End(0)).map_err(FileError::Io)?;
        if !begun {
            file.write_all(&run.encode()).map_err(FileError::Io)?;
        }
        Ok(Writer(file))
    }

    /// Appends a game. After the call returns, the game survives the end of the process.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn game(&mut self, game: &DataGame) -> io::Result<()> {
        self.0.write_all(&game.encode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::tests::{run, sample};

    fn read(bytes: &[u8], salvage: bool) -> (Vec<DataGame>, Vec<Range<u64>>, Option<String>) {
        let mut reader = Reader::new(bytes).salvage(salvage);
        let (mut games, mut error) = (Vec::new(), None);
        for game in reader.by_ref() {
            match game {
                Ok(game) => games.push(game),
                Err(e) => error = Some(e.to_string()),
            }
        }
        (games, reader.damage().to_vec(), error)
    }

    #[test]
    fn games_are_read_one_after_another() {
        let games = [sample(0), sample(1), sample(200)];
        let bytes: Vec<u8> = run().encode().into_iter().chain(games.iter().flat_map(DataGame::encode)).collect();
        let mut reader = Reader::new(&bytes[..]);
        let read: Result<Vec<_>, _> = reader.by_ref().collect();
        assert_eq!(read.expect("games"), games);
        assert_eq!((reader.offset(), reader.torn()), (bytes.len() as u64, 0));
        assert_eq!(reader.runs().get(&run().id()), Some(&run()));
    }

    /// The file is larger than the reader's window.
    #[test]
    fn long_files_are_read_piece_by_piece() {
        let game = sample(238);
        let one = game.encode();
        let count = 3 * CHUNK / one.len();
        let mut bytes = one.repeat(count);
        assert_eq!(read(&bytes, false).0.len(), count);
        // The damage is longer than one read.
        let (from, to) = (one.len() * 10, one.len() * 10 + CHUNK + 5);
        bytes[from..to].fill(b'T');
        let (games, damage, _) = read(&bytes, true);
        let lost = (to - 1) / one.len() - 10 + 1;
        assert_eq!((games.len(), damage.len()), (count - lost, 1));
        assert_eq!(damage[0], from as u64..((10 + lost) * one.len()) as u64);
        assert!(games.iter().all(|g| *g == game));
    }

    /// Cut at any byte, a file yields its complete records and no others.
    #[test]
    fn a_torn_tail_is_dropped_wherever_it_was_torn() {
        let first = sample(3).encode();
        let bytes = [first.clone(), sample(5).encode()].concat();
        for cut in 0..bytes.len() {
            let mut reader = Reader::new(&bytes[..cut]);
            let games = reader.by_ref().collect::<Result<Vec<_>, _>>().expect("no corruption").len();
            assert_eq!(games, usize::from(cut >= first.len()), "{cut}");
            let whole = if games == 1 { first.len() } else { 0 };
            assert_eq!((reader.offset(), reader.torn()), (whole as u64, cut - whole));
        }
    }

    /// For damage at any byte, the error gives the record's offset, and salvaging recovers all other games.
    #[test]
    fn damage_is_named_by_its_offset_and_skipped() {
        let games = [sample(3), sample(5), sample(4)];
        let records = games.each_ref().map(DataGame::encode);
        let (from, to) = (records[0].len(), records[0].len() + records[1].len());
        let bytes = records.concat();
        for at in from..to {
            let mut bad = bytes.clone();
            bad[at] ^= 0x55;
            let (before, _, error) = read(&bad, false);
            assert_eq!(before.len(), 1, "{at}");
            assert!(error.is_some_and(|e| e.ends_with(&format!("at byte {from}"))), "{at}");
            let (salvaged, damage, error) = read(&bad, true);
            assert_eq!((salvaged.len(), error), (2, None), "{at}");
            assert_eq!((damage.len(), damage[0].clone()), (1, from as u64..to as u64), "{at}");
        }
        // Text at the start, a missing part, and zeros at the end.
        let bad = [&b"TGR? some text"[..], &records[0], &records[1][20..], &records[2], &[0; 50]].concat();
        let (salvaged, damage, _) = read(&bad, true);
        assert_eq!((salvaged.len(), damage.len()), (2, 3));
    }
}
