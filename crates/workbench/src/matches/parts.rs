//! The records of a match's parts, read as they grow.
//!
//! Other machines write them: a line may be incomplete, and a file that appears on a network file system may have gaps
//! of zeros until its data has arrived. Such a line is left until it is complete.

use super::record::{GameRecord, Header, Parser, RecordError, difference_of_matches};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A record as far as it has been read.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its file.
    pub path: PathBuf,
    /// Finished games, in the order of the file.
    pub games: Vec<GameRecord>,
    /// Bytes after the last complete line: a killed task left them, or they are being written.
    pub torn: u64,
    parser: Parser,
}

impl Part {
    fn new(path: &Path) -> Part {
        Part { path: path.to_owned(), games: Vec::new(), torn: 0, parser: Parser::default() }
    }

    /// The header; `None` before the first line is complete.
    pub fn header(&self) -> Option<&Header> {
        self.parser.header.as_ref()
    }

    /// Reads what has been added.
    fn read(&mut self) -> Result<(), RecordError> {
        let io = |e| RecordError::Io(self.path.clone(), e);
        let mut file = File::open(&self.path).map_err(io)?;
        if file.metadata().map_err(io)?.len() < self.parser.bytes {
            // Another file has taken its place.
            *self = Part::new(&self.path);
        }
        let io = |e| RecordError::Io(self.path.clone(), e);
        file.seek(SeekFrom::Start(self.parser.bytes)).map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let arrived = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        let before = self.parser.bytes;
        self.parser.take(&self.path, &bytes[..arrived], &mut self.games)?;
        self.torn = bytes.len() as u64 - (self.parser.bytes - before);
        Ok(())
    }
}

/// The parts of one match. Their files may appear later.
#[derive(Clone, Debug, Default)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// Reads what has been added to these files. A file that does not exist, or not any more, keeps the games that
    /// were read from it. Returns whether there is anything new.
    ///
    /// # Errors
    /// If a file cannot be read, is no record, or belongs to another match.
    pub fn look(&mut self, paths: &[PathBuf]) -> Result<bool, RecordError> {
        let state = |parts: &Parts| parts.0.iter().map(|part| (part.parser.bytes, part.torn)).collect::<Vec<_>>();
        let before = state(self);
        for path in paths {
            let known = self.0.iter().position(|part| part.path == *path);
            let mut part = known.map_or_else(|| Part::new(path), |at| self.0.swap_remove(at));
            let read = part.read();
            let is_gone = matches!(&read, Err(RecordError::Io(_, e)) if e.kind() == io::ErrorKind::NotFound);
            if known.is_some() || !is_gone {
                self.0.push(part);
            }
            if !is_gone {
                read?;
            }
        }
        self.0.sort_by(|a, b| a.path.cmp(&b.path));
        self.check()?;
        Ok(state(self) != before)
    }

    /// The parts, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Part> {
        self.0.iter()
    }

    /// The header of the whole match: the first one, with the most games of all. `None` without a complete header.
    pub fn header(&self) -> Option<Header> {
        let headers = || self.0.iter().filter_map(Part::header);
        let mut header = headers().next()?.clone();
        header.spec.games = headers().map(|h| h.spec.games).max().unwrap_or(header.spec.games);
        Some(header)
    }

    /// All games, each once, in the order of their numbers.
    pub fn games(&self) -> Vec<GameRecord> {
        in_order(self.0.iter().flat_map(|part| part.games.iter().cloned()).collect())
    }

    /// Checks that all parts are of one match.
    fn check(&self) -> Result<(), RecordError> {
        let headed = || self.0.iter().filter_map(|part| Some((part, &part.header()?.spec)));
        let Some((_, first)) = headed().next() else { return Ok(()) };
        match headed().find_map(|(part, spec)| Some((part, difference_of_matches(first, spec)?))) {
            Some((part, what)) => {
                let what = format!("of another match than the first file: {what}");
                Err(RecordError::Different(part.path.clone(), what))
            }
            None => Ok(()),
        }
    }
}

/// Games in the order of their numbers. Of a game that was played twice, the one that ended first counts, whatever the
/// order in which they are given.
pub(super) fn in_order(mut games: Vec<GameRecord>) -> Vec<GameRecord> {
    games.sort_by(|a, b| (a.game, a.at, a.ms, &a.line).cmp(&(b.game, b.at, b.ms, &b.line)));
    games.dedup_by_key(|g| g.game);
    games
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::record::Writer;
    use crate::matches::referee::End;
    use crate::matches::schedule::tests::spec;
    use crate::shard::Shard;
    use std::fs::OpenOptions;
    use std::io::Write;

    fn game(number: u64, winner: usize, at: u64) -> GameRecord {
        GameRecord {
            game: number,
            event: 0,
            black: (number % 2) as usize,
            white: (1 - number % 2) as usize,
            winner: Some(winner),
            end: End::Row,
            at,
            ms: 5,
            opening: Vec::new(),
            moves: Vec::new(),
            line: String::new(),
            faults: Vec::new(),
        }
    }

    #[test]
    fn records_are_followed_as_they_grow() {
        let folder = std::env::temp_dir().join(format!("tengen-parts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let paths = ["one.jsonl", "two.jsonl"].map(|name| folder.join(name));
        let header = |part| Header::new(spec(2, 8), Shard { part, parts: 2 });
        let mut parts = Parts::default();
        assert!(!parts.look(&paths).expect("no file yet") && parts.header().is_none());

        let mut first = Writer::create(&paths[0], &header(1)).expect("a record");
        first.game(&game(0, 0, 9)).expect("space");
        std::fs::write(&paths[1], "").expect("a file");
        assert!(parts.look(&paths).expect("records"));
        assert_eq!(parts.games().len(), 1);
        assert!(!parts.look(&paths).expect("records"), "nothing new");
        drop(first);

        // Half a line, then a line of zeros, then the whole line.
        let whole = [serde_json::to_vec(&game(1, 1, 3)).expect("JSON"), b"\n".to_vec()].concat();
        let before = std::fs::read(&paths[0]).expect("a record");
        let with = |tail: &[u8]| std::fs::write(&paths[0], [&before[..], tail].concat()).expect("a record");
        let (zeros, torn) = (vec![0; whole.len()], &whole[..20]);
        for (tail, games) in [(torn, 1), (&[&zeros[..], b"\n", &whole].concat(), 1), (&whole, 2), (b"", 1), (&whole, 2)]
        {
            with(tail);
            parts.look(&paths).expect("records");
            assert_eq!(parts.games().len(), games);
            assert_eq!(parts.iter().next().expect("a part").torn, if games == 1 { tail.len() as u64 } else { 0 });
        }
        // The other part, with a doubled game that ended later; the first file disappears.
        let mut second = Writer::resume(&paths[1], &header(2)).expect("a record").0;
        second.game(&game(0, 1, 10)).and_then(|()| second.game(&game(2, 0, 1))).expect("space");
        std::fs::remove_file(&paths[0]).expect("its end");
        assert!(parts.look(&paths).expect("records"));
        let results: Vec<_> = parts.games().iter().map(|g| (g.game, g.winner)).collect();
        assert_eq!(results, [(0, Some(0)), (1, Some(1)), (2, Some(0))]);
        let mut backwards: Vec<_> = parts.iter().flat_map(|part| part.games.clone()).collect();
        backwards.reverse();
        assert_eq!(in_order(backwards), parts.games());
        drop(second);

        // What is no record, or one of another match, is refused.
        let mut file = OpenOptions::new().append(true).open(&paths[1]).expect("a record");
        file.write_all(b"Dear reader\n").expect("space");
        assert!(matches!(parts.look(&paths), Err(RecordError::Line(_, 4, _))));
        std::fs::remove_file(&paths[1]).expect("its end");
        let other = Header::new(spec(3, 8), Shard::WHOLE);
        let third = folder.join("three.jsonl");
        drop(Writer::create(&third, &other).expect("a record"));
        assert!(matches!(parts.look(&[third]), Err(RecordError::Different(..))));
        std::fs::remove_dir_all(&folder).expect("its end");
    }
}
