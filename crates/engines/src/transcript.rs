//! Log of all lines sent to and received from engines, to diagnose games that went wrong.
//!
//! Each game has a file, `game00012.log`, with the number used in reports:
//!
//! ```text
//! # game 12: new (begins) against old, freestyle 15x15
//!        0.031 new > START 15
//!        1.208 new < OK
//! ```
//!
//! Times are milliseconds since the game began. `>` marks a line to the engine, `<` a line from it, and `!` a note of
//! the referee. The referee reads the output of an engine that is not to move only at its next question, so such lines
//! may appear later than their time.

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
    /// Opens a folder for transcripts; creates it if necessary.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(folder: &Path) -> io::Result<Transcripts> {
        std::fs::create_dir_all(folder)?;
        Ok(Transcripts(folder.to_owned()))
    }

    /// Path of the transcript of a game; the first game has number 0.
    pub fn path(&self, game: u64) -> PathBuf {
        self.0.join(format!("game{:05}.log", game + 1))
    }

    /// Creates the transcript of a game; replaces one of an earlier attempt.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(&self, game: u64, title: impl Display) -> io::Result<Transcript> {
        let mut file = File::create(self.path(game))?;
        writeln!(file, "# game {}: {title}", game + 1)?;
        Ok(Transcript { began: Instant::now(), file: Mutex::new(file) })
    }
}

/// Direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the engine.
    Sent,
    /// From the engine.
    Received,
    /// A note of the referee.
    Noticed,
}

/// The transcript of one game.
#[derive(Debug)]
pub struct Transcript {
    began: Instant,
    file: Mutex<File>,
}

impl Transcript {
    /// Writes a line. Write errors, such as a full disk, lose lines but do not stop the game: only the record matters.
    pub fn line(&self, at: Instant, engine: &str, way: Way, text: &str) {
        let mark = match way {
            Way::Sent => '>',
            Way::Received => '<',
            Way::Noticed => '!',
        };
        let ms = at.saturating_duration_since(self.began).as_secs_f64() * 1e3;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // The file is unbuffered: if an engine hangs, the file contains its last line.
        let _ = file.write_all(format!("{ms:12.3} {engine} {mark} {text}\n").as_bytes());
    }
}
