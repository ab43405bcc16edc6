//! The file in which the progress in the puzzles is kept.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use tengen_files as files;
use tengen_session::trainer::ProgressStore;

/// Its name in the folder of saved games.
const FILE: &str = "puzzles.json";

/// The file.
#[derive(Debug)]
pub struct ProgressFile {
    path: PathBuf,
}

impl ProgressFile {
    /// The file in a folder.
    pub fn new(folder: &Path) -> ProgressFile {
        ProgressFile { path: folder.join(FILE) }
    }
}

impl ProgressStore for ProgressFile {
    fn read(&self) -> Result<Option<Vec<u8>>, String> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.complaint(&error)),
        }
    }

    fn write(&self, bytes: &[u8]) -> Result<(), String> {
        files::replace(&self.path, bytes).map_err(|error| error.to_string())
    }

    fn complaint(&self, error: &dyn Display) -> String {
        format!("{}: {error}", self.path.display())
    }
}
