//! Evaluations from files, and their names.

use crate::eval::network::NetworkError;
use crate::eval::{Evaluation, Weights};
use crate::rules::Rule;
use crate::workbench::files::checksum;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file gives no evaluation.
#[derive(Debug)]
pub enum EvaluationError {
    /// What the system says.
    Io(PathBuf, io::Error),
    /// The file is neither a network nor weights, or it is damaged.
    Content(PathBuf, NetworkError),
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluationError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            EvaluationError::Content(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for EvaluationError {}

/// The evaluation in a file of networks or of classical weights, kept for the rest of the process's life.
///
/// # Errors
/// If the file cannot be read, or holds neither; see [`EvaluationError`].
pub fn read(path: &Path) -> Result<Evaluation, EvaluationError> {
    Loader::default().read(path)
}

/// In place of a file: the built-in classical evaluation, without the network.
pub const CLASSICAL: &str = "classical";

/// As [`Loader::read_or_default`], once.
///
/// # Errors
/// See [`EvaluationError`].
pub fn read_or_default(path: Option<&Path>) -> Result<Evaluation, EvaluationError> {
    Loader::default().read_or_default(path)
}

/// Reads evaluations and keeps each once: what stays in memory for the rest of the process's life grows only by files
/// whose bytes have not been seen before.
#[derive(Debug, Default)]
pub struct Loader {
    /// Length and CRC-32 of the files, and what they hold.
    held: Vec<((u64, u32), Evaluation)>,
}

impl Loader {
    /// As the function [`read`]. The file is read each time, since it may have been replaced.
    ///
    /// # Errors
    /// See [`EvaluationError`].
    pub fn read(&mut self, path: &Path) -> Result<Evaluation, EvaluationError> {
        let io = |error| EvaluationError::Io(path.to_owned(), error);
        // Reading a device may not end.
        if !std::fs::metadata(path).map_err(io)?.is_file() {
            return Err(io(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
        }
        // In pieces: an allocator may keep what a whole file once took.
        let sum = File::open(path).and_then(checksum).map_err(io)?;
        if let Some((_, known)) = self.held.iter().find(|(held, _)| *held == sum) {
            return Ok(*known);
        }
        let bytes = std::fs::read(path).map_err(io)?;
        // It may have been replaced meanwhile.
        let sum = (bytes.len() as u64, crc32fast::hash(&bytes));
        let evaluation = Evaluation::decode(bytes).map_err(|error| EvaluationError::Content(path.to_owned(), error))?;
        self.held.push((sum, evaluation));
        Ok(evaluation)
    }

    /// As [`Loader::read`]; without a file what the program was built with, see also [`CLASSICAL`].
    ///
    /// # Errors
    /// See [`EvaluationError`].
    pub fn read_or_default(&mut self, path: Option<&Path>) -> Result<Evaluation, EvaluationError> {
        match path {
            None => Ok(Evaluation::default()),
            Some(name) if name == Path::new(CLASSICAL) => Ok(Evaluation::default().classical()),
            Some(path) => self.read(path),
        }
    }
}

/// What an evaluation is called in records, under a rule: a network that knows the rule by its name, otherwise the
/// classical weights by theirs.
pub fn name(evaluation: &Evaluation, rule: Rule) -> String {
    let network = evaluation.network.filter(|network| network.knows(rule));
    network.map_or_else(|| Weights::name(evaluation.weights), |network| network.name().to_owned())
}
