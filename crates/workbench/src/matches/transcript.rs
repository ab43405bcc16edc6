//! What engines were sent and what they wrote, line by line, to find out why a game went wrong.
//!
//! Each game has a file, `game00012.log`, numbered as in reports:
//!
//! ```text
//! # game 12: new (begins) against old, freestyle 15x15
//!        0.031 new > START 15
//!        1.208 new < OK
//! ```
//!
//! Times are milliseconds since the game began, `>` is to the engine and `<` from it; `!` is what the referee
//! noticed. The referee reads the lines of an engine that is not to move when that engine is asked next, so that they
//! may stand later than their time says.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A folder of transcripts.
#[derive(Clone, Debug)]
pub struct Transcripts(PathBuf);

impl Transcripts {
    /// Transcripts in this folder, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(folder: &Path) -> io::Result<Transcripts> {
        std::fs::create_dir_all(folder)?;
        Ok(Transcripts(folder.to_owned()))
    }

    /// Where the transcript of a game is; the first game has number 0.
    pub fn path(&self, game: u64) -> PathBuf {
        self.0.join(format!("game{:05}.log", game + 1))
    }

    /// Begins the transcript of a game; one of an earlier attempt is replaced.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(&self, game: u64, title: impl Display) -> io::Result<Transcript> {
        let mut file = File::create(self.path(game))?;
        writeln!(file, "# game {}: {title}", game + 1)?;
        Ok(Transcript { began: Instant::now(), file: Mutex::new(file) })
    }
}

/// Which way a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the engine.
    Sent,
    /// From the engine.
    Received,
    /// Neither: the referee's words.
    Noticed,
}

/// The transcript of one game.
#[derive(Debug)]
pub struct Transcript {
    began: Instant,
    file: Mutex<File>,
}

impl Transcript {
    /// Writes down a line. A full disk loses lines here and stops no game: the record is what counts.
    pub fn line(&self, at: Instant, engine: &str, way: Way, text: &str) {
        let mark = match way {
            Way::Sent => '>',
            Way::Received => '<',
            Way::Noticed => '!',
        };
        let ms = at.saturating_duration_since(self.began).as_secs_f64() * 1e3;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Not buffered: while an engine hangs, the file shows its last line.
        let _ = file.write_all(format!("{ms:12.3} {engine} {mark} {text}\n").as_bytes());
    }
}
