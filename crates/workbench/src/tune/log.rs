//! The log of a tuning run in JSON lines: the run's settings, the start, then a line for each change.
//!
//! Each line is written in one piece, so a killed run leaves at most one incomplete line, the last; the reader drops
//! it. A log has one writer at a time, see [`lock`]. Logs of earlier versions begin with the start; they can be read
//! but not continued, because their settings are unknown.

use super::openings::Openings;
use super::spsa::{Gains, Plan, State};
use crate::difference::difference;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use tengen::engine::loader;
use tengen::engine::{Params, Weights};
use tengen_files::line_of;
use tengen_files::lock::{self, LockError, LockedFile};

/// The settings of a run, as stored in its log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Name of the rule.
    pub rule: String,
    /// Board, such as `15x15`.
    pub size: String,
    /// Nodes for each move.
    pub nodes: u64,
    /// Pairs in the whole run.
    pub pairs: u64,
    /// Pairs between two updates.
    pub batch: u64,
    /// See [`Plan::gain`].
    pub gain: f64,
    /// Seed of openings and perturbations.
    pub seed: u64,
    /// Openings of the games: `random`, or the number of openings and the CRC-32 of their stones.
    pub openings: String,
    /// The parameters that may change.
    pub tuned: Vec<String>,
    /// Name of the evaluation. Earlier versions always used the built-in weights.
    #[serde(default = "built_in")]
    pub evaluation: String,
}

fn built_in() -> String {
    Weights::name(Weights::built_in())
}

impl Settings {
    /// The settings of a plan.
    pub fn of(plan: &Plan) -> Settings {
        Settings {
            rule: plan.terms.rule.to_string(),
            size: plan.terms.size.to_string(),
            nodes: plan.nodes,
            pairs: plan.pairs,
            batch: plan.batch,
            gain: plan.gain,
            seed: plan.terms.seed,
            openings: plan.terms.openings.to_string(),
            tuned: plan.tuned.iter().map(|i| Params::ALL[*i].name.to_owned()).collect(),
            evaluation: loader::name(&plan.evaluation, plan.terms.rule),
        }
    }

    /// The decay of perturbations and updates over the run.
    pub fn gains(&self) -> Gains {
        Gains { pairs: self.pairs, gain: self.gain }
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Openings::Random => f.write_str("random"),
            Openings::Suite(suite) => {
                let mut crc = crc32fast::Hasher::new();
                for setup in suite {
                    setup.stones.iter().for_each(|(p, _)| crc.update(&[p.x(), p.y()]));
                    crc.update(&[u8::MAX]);
                }
                write!(f, "{} openings, {:08x}", suite.len(), crc.finalize())
            }
        }
    }
}

/// Error reading or writing a log.
#[derive(Debug)]
pub enum LogError {
    /// The file cannot be opened, or another process is writing it.
    Open(LockError),
    /// Any I/O error.
    Io(io::Error),
    /// The line with this number has another version or is not part of a log.
    Line(usize),
    /// The log is from a version that stored no settings.
    NoSettings,
    /// The log belongs to a run with other settings.
    Different(String),
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogError::Open(error) => error.fmt(f),
            LogError::Io(error) => error.fmt(f),
            LogError::Line(line) => write!(f, "line {line} is of another version, or no part of a log"),
            LogError::NoSettings => f.write_str("begun by a version that stored no settings: name a new file"),
            LogError::Different(what) => write!(f, "begun with other settings: {what}"),
        }
    }
}

impl std::error::Error for LogError {}

/// Content of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The run's settings; `None` in logs of earlier versions.
    pub settings: Option<Settings>,
    /// The start and the state after each change.
    pub states: Vec<State>,
    /// Length in bytes of the complete lines; an incomplete line may follow.
    good_bytes: u64,
}

impl Log {
    /// Parses the text of a log.
    ///
    /// # Errors
    /// [`LogError::Line`]; an incomplete last line is dropped.
    pub fn parse(text: &str) -> Result<Log, LogError> {
        let mut log = Log::default();
        for (i, line) in text.split_inclusive('\n').enumerate().filter(|(_, line)| line.ends_with('\n')) {
            match serde_json::from_str::<State>(line) {
                Ok(state) if state.values.len() == Params::ALL.len() => log.states.push(state),
                Err(_) if i == 0 => {
                    log.settings = Some(serde_json::from_str(line).map_err(|_| LogError::Line(1))?);
                }
                _ => return Err(LogError::Line(i + 1)),
            }
            log.good_bytes += line.len() as u64;
        }
        Ok(log)
    }
}

/// Appends states to a log.
#[derive(Debug)]
pub struct Writer(LockedFile);

impl Writer {
    /// Creates a log, or resumes one with the same settings. Returns the states so far, at least the start.
    ///
    /// # Errors
    /// If another process is writing the log, if it has other settings, or if it cannot be read or written.
    pub fn open(path: &Path, plan: &Plan) -> Result<(Writer, Vec<State>), LogError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = lock::open(path, &mut options).map_err(LogError::Open)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(LogError::Io)?;
        let log = Log::parse(&text)?;
        let settings = Settings::of(plan);
        match &log.settings {
            Some(recorded) => {
                if let Some(what) = difference(recorded, &settings) {
                    return Err(LogError::Different(what));
                }
            }
            None if !log.states.is_empty() => return Err(LogError::NoSettings),
            // A new file, or a run that was killed while it wrote the first line.
            None if line_of(&settings).map_err(LogError::Io)?.starts_with(text.as_bytes()) => {}
            None => return Err(LogError::Line(1)),
        }
        file.set_len(log.good_bytes).map_err(LogError::Io)?;
        file.seek(SeekFrom::End(0)).map_err(LogError::Io)?;
        let mut writer = Writer(file);
        if log.settings.is_none() {
            writer.line(&settings).map_err(LogError::Io)?;
        }
        let mut states = log.states;
        if states.is_empty() {
            states.push(State::new(&Params::of(plan.terms.rule)));
            writer.state(&states[0]).map_err(LogError::Io)?;
        }
        Ok((writer, states))
    }

    /// Appends a state. After the call returns, the state survives the end of the process.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn state(&mut self, state: &State) -> io::Result<()> {
        self.line(state)
    }

    fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.0.write_all(&line_of(value)?)
    }
}
