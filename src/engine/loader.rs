//! Loads evaluations from files and names them.

use crate::eval::network::{Network, NetworkError};
use crate::eval::{Evaluation, WeightSets, Weights};
use crate::rules::Rule;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// Error loading an evaluation.
#[derive(Debug)]
pub enum EvaluationError {
    /// An error of the operating system.
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

/// The evaluation in a file of networks or of classical weights.
///
/// # Errors
/// If the file cannot be read, or holds neither; see [`EvaluationError`].
pub fn read(path: &Path) -> Result<Evaluation, EvaluationError> {
    Loader::default().read(path)
}

/// Pass this instead of a file for the built-in classical evaluation without the network.
pub const CLASSICAL: &str = "classical";

/// Like [`Loader::read_or_default`], with a new loader.
///
/// # Errors
/// See [`EvaluationError`].
pub fn read_or_default(path: Option<&Path>) -> Result<Evaluation, EvaluationError> {
    Loader::default().read_or_default(path)
}

/// A file that looks like a network or weights by its length and its first bytes.
#[derive(Debug)]
pub struct Candidate {
    path: PathBuf,
    file: File,
    /// The bytes read so far.
    bytes: Vec<u8>,
    length: usize,
}

/// Bytes per read.
const CHUNK: usize = 1 << 20;

impl Candidate {
    /// Opens a file and checks its length and its first bytes. This is fast for any file.
    ///
    /// # Errors
    /// If the file cannot be read, or is neither; see [`EvaluationError`].
    pub fn open(path: &Path) -> Result<Candidate, EvaluationError> {
        let io = |error| EvaluationError::Io(path.to_owned(), error);
        // Opening or reading anything but a regular file could block forever.
        if !std::fs::metadata(path).map_err(io)?.is_file() {
            return Err(io(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
        }
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut bytes = Vec::new();
        (&mut file).take(Evaluation::HEAD as u64).read_to_end(&mut bytes).map_err(io)?;
        Evaluation::check_head(&bytes, length).map_err(|error| EvaluationError::Content(path.to_owned(), error))?;
        // The head allows this length, so it is at most some tens of MB.
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Ok(Candidate { path: path.to_owned(), file, bytes, length })
    }

    /// Memory needed to read and decode the file, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.length + Evaluation::DECODING_BYTES) as u64
    }

    /// Reads the next chunk; returns whether the file is complete.
    ///
    /// # Errors
    /// Returns the errors of the operating system.
    pub fn read_on(&mut self) -> Result<bool, EvaluationError> {
        self.bytes.reserve_exact(self.length.saturating_sub(self.bytes.len()));
        let missing = self.length.saturating_sub(self.bytes.len()).min(CHUNK) as u64;
        let read = (&mut self.file).take(missing).read_to_end(&mut self.bytes);
        let read = read.map_err(|error| EvaluationError::Io(self.path.clone(), error))?;
        // If the file became shorter meanwhile, `decode` reports it as damaged.
        Ok(read == 0 || self.bytes.len() >= self.length)
    }

    /// Decodes the file after it was read completely.
    ///
    /// # Errors
    /// If the file is neither; see [`EvaluationError`].
    pub fn decode(self) -> Result<Evaluation, EvaluationError> {
        Evaluation::decode(self.bytes).map_err(|error| EvaluationError::Content(self.path, error))
    }
}

/// Reads evaluations and shares those in use: a file equal to a loaded one returns the loaded value.
#[derive(Debug, Default)]
pub struct Loader {
    weights: Vec<Weak<WeightSets>>,
    networks: Vec<Weak<Network>>,
}

impl Loader {
    /// Like the function [`read`]. The file is read on each call, since it may have been replaced.
    ///
    /// # Errors
    /// See [`EvaluationError`].
    pub fn read(&mut self, path: &Path) -> Result<Evaluation, EvaluationError> {
        let mut candidate = Candidate::open(path)?;
        while !candidate.read_on()? {}
        candidate.decode().map(|evaluation| self.shared(evaluation))
    }

    /// The same evaluation, with its parts replaced by equal parts that are in use already.
    pub fn shared(&mut self, evaluation: Evaluation) -> Evaluation {
        fn known<T: PartialEq>(in_use: &mut Vec<Weak<T>>, new: Arc<T>) -> Arc<T> {
            in_use.retain(|weak| weak.strong_count() > 0);
            if let Some(known) = in_use.iter().filter_map(Weak::upgrade).find(|known| *known == new) {
                return known;
            }
            in_use.push(Arc::downgrade(&new));
            new
        }
        let Evaluation { weights, network } = evaluation;
        Evaluation {
            weights: known(&mut self.weights, weights),
            network: network.map(|network| known(&mut self.networks, network)),
        }
    }

    /// Like [`Loader::read`]; without a file the built-in evaluation. See also [`CLASSICAL`].
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

/// The name of an evaluation in records under a rule: the network's name if it has weights for the rule, otherwise the
/// name of the classical weights.
pub fn name(evaluation: &Evaluation, rule: Rule) -> String {
    let network = evaluation.network.as_ref().filter(|network| network.knows(rule));
    network.map_or_else(|| Weights::name(&evaluation.weights), |network| network.name().to_owned())
}
