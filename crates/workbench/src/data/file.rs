//! Files of training games: reading them piece by piece, with or without damage, and appending to them.
//!
//! A file has one writer at a time, see [`lock`]. Each record is written in one piece, so a writer that is killed
//! leaves at most one torn record, the last, which is cut off when the run goes on.

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

/// Why a file cannot be read or continued.
#[derive(Debug)]
pub enum FileError {
    /// What the system says.
    Io(io::Error),
    /// Bytes from this offset on are no record.
    Damaged(DataError, u64),
    /// The file cannot be opened, or another process is writing it.
    Open(LockError),
    /// The file has games of other settings.
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

/// The games of a file, in its order.
///
/// Ends after the last whole record, or with an error where bytes are no record. A reader that
/// [salvages](Reader::salvage) skips these to the next whole record instead.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    /// Bytes that are read and not yet used, from `start` on.
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

/// Bytes that are read at once.
const CHUNK: usize = 1 << 20;

impl<R: Read> Reader<R> {
    /// Reads from where the source stands.
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

    /// Skips what is damaged.
    pub fn salvage(self, salvage: bool) -> Reader<R> {
        Reader { salvage, ..self }
    }

    /// Bytes read so far: after the last game, the length without a torn tail.
    pub fn offset(&self) -> u64 {
        self.at
    }

    /// Bytes of a torn last record, after the last game.
    pub fn torn(&self) -> usize {
        self.rest().len()
    }

    /// What was skipped so far.
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

    /// Reads on until the longest record fits into the rest.
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

    /// Bytes of the rest before the next whole record, which does not begin the rest; `None` if there is none. Needs
    /// a window, so it looks at no more than that.
    fn next_whole(&self) -> Option<usize> {
        next_whole(self.rest(), FAMILY, |bytes| Record::decode(bytes).is_ok())
    }

    /// Skips to the next whole record.
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
                // The end of the file is missing, unless whole records follow: then it is the length that is wrong.
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
    /// Begins a file with the settings of a plan, or goes on with one of the same settings; the plan then lacks the
    /// games that are there. A torn tail is cut off.
    ///
    /// # Errors
    /// If another process is writing the file, if it holds something other than whole records, has games of other
    /// settings or other ones than the plan begins with, or cannot be read or written.
    pub fn open(path: &Path, plan: &mut Plan) -> Result<Writer, FileError> {
        // Reading a device may not end.
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

    /// Appends a game; when this returns, it survives the process.
    ///
    /// # Errors
    /// What the system says.
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

    /// More than the reader holds at once.
    #[test]
    fn long_files_are_read_piece_by_piece() {
        let game = sample(238);
        let one = game.encode();
        let count = 3 * CHUNK / one.len();
        let mut bytes = one.repeat(count);
        assert_eq!(read(&bytes, false).0.len(), count);
        // Damage that is longer than a piece.
        let (from, to) = (one.len() * 10, one.len() * 10 + CHUNK + 5);
        bytes[from..to].fill(b'T');
        let (games, damage, _) = read(&bytes, true);
        let lost = (to - 1) / one.len() - 10 + 1;
        assert_eq!((games.len(), damage.len()), (count - lost, 1));
        assert_eq!(damage[0], from as u64..((10 + lost) * one.len()) as u64);
        assert!(games.iter().all(|g| *g == game));
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
            let whole = if games == 1 { first.len() } else { 0 };
            assert_eq!((reader.offset(), reader.torn()), (whole as u64, cut - whole));
        }
    }

    /// Whichever byte is damaged, the error names the record's offset and all other games are salvaged.
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
        // Text in front, a part that is missing, and zeros at the end.
        let bad = [&b"TGR? some text"[..], &records[0], &records[1][20..], &records[2], &[0; 50]].concat();
        let (salvaged, damage, _) = read(&bad, true);
        assert_eq!((salvaged.len(), damage.len()), (2, 3));
    }
}
