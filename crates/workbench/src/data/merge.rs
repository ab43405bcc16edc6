//! Joins files of training games and removes duplicate games.

use super::record::{DataGame, Run};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tengen_files::lock::{self, LockError, LockedFile};

/// An output file of a merge. It has a temporary name until [`Merge::finish`] renames it, so a file with the final name
/// is always complete.
#[derive(Debug)]
pub struct Merge {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<LockedFile>>,
    runs: BTreeSet<u32>,
    // Hashes of seed and record, 128 bits together.
    seen: HashSet<(u64, u64)>,
    games: u64,
}

impl Merge {
    /// Creates the file under its name with `.part` appended.
    ///
    /// # Errors
    /// If the file exists and is not empty, if it cannot be written, or if another process is writing it.
    pub fn create(path: &Path) -> Result<Merge, LockError> {
        let io = |error| LockError::Io(path.to_owned(), error);
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file() || m.len() > 0) {
            return Err(io(io::Error::new(io::ErrorKind::AlreadyExists, "exists: name a new file")));
        }
        let mut temporary = OsString::from(path);
        temporary.push(".part");
        let temporary = PathBuf::from(temporary);
        let file = lock::open(&temporary, OpenOptions::new().write(true).create(true).truncate(false))?;
        // Left over from a merge that was killed.
        file.set_len(0).map_err(io)?;
        let file = Some(BufWriter::new(file));
        let (runs, seen) = (BTreeSet::new(), HashSet::new());
        Ok(Merge { path: path.to_owned(), temporary, file, runs, seen, games: 0 })
    }

    /// Adds a game unless the file already contains it. Writes its settings before its first game if `runs` contains
    /// them.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn add(&mut self, game: &DataGame, runs: &BTreeMap<u32, Run>) -> io::Result<()> {
        self.games += 1;
        // Two runs may have produced the same game.
        let mut hasher = DefaultHasher::new();
        DataGame { run: 0, ..game.clone() }.encode().hash(&mut hasher);
        if !self.seen.insert((game.seed, hasher.finish())) {
            return Ok(());
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        if let Some(run) = runs.get(&game.run).filter(|_| self.runs.insert(game.run)) {
            file.write_all(&run.encode())?;
        }
        file.write_all(&game.encode())
    }

    /// Renames the file to its final name. Returns the number of distinct games and of all games.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn finish(mut self) -> io::Result<(u64, u64)> {
        if let Some(file) = self.file.take() {
            file.into_inner()?.sync_all()?;
        }
        std::fs::rename(&self.temporary, &self.path)?;
        Ok((self.seen.len() as u64, self.games))
    }
}

impl Drop for Merge {
    fn drop(&mut self) {
        // The merge is unfinished: delete the temporary file.
        if self.file.take().is_some() {
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}
