//! A tuning run shared by workers on several machines, through files in a folder.
//!
//! One process coordinates: it alone writes the log, as in a run of its own. `job.json` has the batch in progress; a
//! worker takes a pair of it (`pair-KEY-NUMBER.taken`), plays it and gives back its points (`pair-KEY-NUMBER.json`).
//! The key is a checksum of the job, so that a late result of another batch is not mistaken for one of this.
//!
//! The points of a pair depend on the job and the number alone. So a pair that two workers have played has the same
//! result, and the run is the same whoever played what. The taken pairs only save work: a pair that stays taken for the
//! *lease* without a result is played by another worker. Files are replaced as a whole, and each process measures the
//! lease by its own clock from the time when it first saw the pair taken: neither locks nor equal clocks are needed.

use super::log::Settings;
use super::spsa::{Plan, State};
use crate::data::record::Maker;
use crate::difference::difference;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tengen::bench::SIGNATURE;
use tengen::control::StopToken;
use tengen::engine::STACK_BYTES;
use tengen_files::{line_of, replace};

/// Name of the file with the batch in progress.
const JOB: &str = "job.json";

/// Time between two looks at the folder.
const PAUSE: Duration = Duration::from_millis(200);

/// The time after which a worker ends if it finds nothing to do.
const IDLE: Duration = Duration::from_secs(3600);

/// The batch in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Version and signature of the engine that must play.
    engine: String,
    settings: Settings,
    /// First pair, and the one after the last.
    pairs: Range<u64>,
    /// The setting that is perturbed.
    values: Vec<f64>,
    /// Whether the run has ended.
    is_over: bool,
}

impl Job {
    fn new(plan: &Plan, state: &State) -> Job {
        let engine = format!("{} {SIGNATURE}", Maker::THIS_ENGINE);
        let (pairs, is_over) = (plan.batch(state), state.pairs >= plan.pairs);
        Job { engine, settings: Settings::of(plan), pairs, values: state.values.clone(), is_over }
    }

    fn key(&self) -> io::Result<String> {
        Ok(format!("{:08x}", crc32fast::hash(&line_of(self)?)))
    }
}

/// The result of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Played {
    /// Points of the first side, 0 to 4.
    points: u8,
    /// Milliseconds that the pair took.
    ms: u64,
}

/// Error of a shared run.
#[derive(Debug)]
pub enum ShareError {
    /// A file of the folder cannot be read or written.
    Io(PathBuf, io::Error),
    /// A file is no job.
    NoJob(PathBuf),
    /// The folder belongs to a run with other settings, or of another engine.
    Different(PathBuf, String),
    /// There was nothing to do for a long time.
    Idle(PathBuf),
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShareError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            ShareError::NoJob(path) => write!(f, "{} is of another version, or no job of a search", path.display()),
            ShareError::Different(path, what) => {
                write!(f, "{}: of a search with other settings: {what}", path.display())
            }
            ShareError::Idle(folder) => {
                write!(f, "{}: nothing to do for {} minutes", folder.display(), IDLE.as_secs() / 60)
            }
        }
    }
}

impl std::error::Error for ShareError {}

/// A folder through which a run is shared.
#[derive(Debug)]
pub struct Share<'a> {
    folder: PathBuf,
    plan: &'a Plan,
    /// How long a pair may be taken without a result.
    lease: Duration,
    threads: usize,
    stop: &'a StopToken,
    /// Pairs that others have taken: what their file contained, and since when.
    seen: Mutex<HashMap<PathBuf, (Vec<u8>, Instant)>>,
}

impl<'a> Share<'a> {
    /// The folder, which is created if it does not exist. This process plays on some threads until `stop` is set.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn open(
        folder: &Path,
        plan: &'a Plan,
        lease: Duration,
        threads: usize,
        stop: &'a StopToken,
    ) -> Result<Share<'a>, ShareError> {
        std::fs::create_dir_all(folder).map_err(|e| ShareError::Io(folder.to_owned(), e))?;
        Ok(Share { folder: folder.to_owned(), plan, lease, threads, stop, seen: Mutex::default() })
    }

    /// Coordinates the run from a state on: plays its pairs together with the workers, and reports each new state. Ends
    /// early, without the batch in progress, if the process is stopped; the workers then wait.
    ///
    /// # Errors
    /// See [`ShareError`].
    pub fn coordinate(&self, state: State, on_state: &mut dyn FnMut(&State)) -> Result<State, ShareError> {
        self.job()?;
        let play = |state: &State| {
            let job = self.publish(state)?;
            self.work(&job, &|_| {})?;
            let mut results = BTreeMap::new();
            self.read_results(&job, &mut results)?;
            let points: Option<Vec<u8>> = job.pairs.map(|pair| results.get(&pair).copied()).collect();
            Ok(points.filter(|_| !self.stop.is_stopped()))
        };
        let last = self.plan.run_with(state, play, on_state)?;
        if last.pairs >= self.plan.pairs {
            self.publish(&last)?;
        }
        Ok(last)
    }

    /// Plays pairs of the run until it has ended, and calls `on_pair` after each.
    ///
    /// # Errors
    /// See [`ShareError`].
    pub fn join(&self, on_pair: &(dyn Fn(u64) + Sync)) -> Result<(), ShareError> {
        let (mut last, mut since) = (None, Instant::now());
        while !self.stop.is_stopped() {
            match self.job()? {
                Some(job) if job.is_over => break,
                Some(job) if last.as_ref() != Some(&job) => {
                    self.work(&job, on_pair)?;
                    (last, since) = (Some(job), Instant::now());
                }
                _ if since.elapsed() > IDLE => return Err(ShareError::Idle(self.folder.clone())),
                _ => std::thread::sleep(PAUSE),
            }
        }
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The job in the folder, which must be of this run; `None` if there is none.
    fn job(&self) -> Result<Option<Job>, ShareError> {
        let path = self.file(JOB);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ShareError::Io(path, error)),
        };
        let job: Job = serde_json::from_slice(&bytes).map_err(|_| ShareError::NoJob(path.clone()))?;
        let own = Job { pairs: job.pairs.clone(), values: job.values.clone(), ..Job::new(self.plan, &self.start()) };
        let different = |what| ShareError::Different(path, what);
        match difference(&job.settings, &own.settings) {
            Some(what) => Err(different(what)),
            None if job.engine != own.engine => Err(different(format!("engine {}, not {}", job.engine, own.engine))),
            None => Ok(Some(job)),
        }
    }

    fn start(&self) -> State {
        State::new(&tengen::engine::Params::of(self.plan.terms.rule))
    }

    /// Makes the batch after a state the one in progress, and deletes files of other batches.
    fn publish(&self, state: &State) -> Result<Job, ShareError> {
        let (path, job) = (self.file(JOB), Job::new(self.plan, state));
        let io = |e| ShareError::Io(path.clone(), e);
        let prefix = format!("pair-{}-", job.key().map_err(io)?);
        replace(&path, &line_of(&job).map_err(io)?).map_err(io)?;
        for entry in std::fs::read_dir(&self.folder).map_err(io)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("pair-") && (job.is_over || !name.starts_with(&prefix)) {
                // A remaining file does no harm, and is deleted with the next batch.
                let _ = std::fs::remove_file(entry.path());
            }
        }
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(job)
    }

    /// Plays pairs of a job until all have results, or another job is in progress.
    fn work(&self, job: &Job, on_pair: &(dyn Fn(u64) + Sync)) -> Result<(), ShareError> {
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                let thread = || {
                    if let Err(error) = self.work_alone(job, on_pair) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                };
                let started = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, thread);
                if let Err(error) = started {
                    let error = ShareError::Io(self.folder.clone(), error);
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn work_alone(&self, job: &Job, on_pair: &dyn Fn(u64)) -> Result<(), ShareError> {
        let (mut arena, mut results) = (self.plan.arena(), BTreeMap::new());
        while !self.stop.is_stopped() {
            self.read_results(job, &mut results)?;
            let left: Vec<u64> = job.pairs.clone().filter(|pair| !results.contains_key(pair)).collect();
            if left.is_empty() || self.job()?.as_ref() != Some(job) {
                break;
            }
            match self.take_one(job, &left)? {
                Some(pair) => {
                    let began = Instant::now();
                    let points = self.plan.pair(&mut arena, &job.values, pair);
                    let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                    self.give(job, pair, Played { points, ms })?;
                    on_pair(pair);
                }
                None => std::thread::sleep(PAUSE),
            }
        }
        Ok(())
    }

    fn pair_file(&self, job: &Job, pair: u64, kind: &str) -> Result<PathBuf, ShareError> {
        let key = job.key().map_err(|e| ShareError::Io(self.folder.clone(), e))?;
        Ok(self.file(&format!("pair-{key}-{pair}.{kind}")))
    }

    /// Takes the first pair that is free, or whose lease has run out.
    fn take_one(&self, job: &Job, left: &[u64]) -> Result<Option<u64>, ShareError> {
        for pair in left {
            let path = self.pair_file(job, *pair, "taken")?;
            let io = |e| ShareError::Io(path.clone(), e);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    file.write_all(token().as_bytes()).map_err(io)?;
                    return Ok(Some(*pair));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && self.has_run_out(&path) => {
                    replace(&path, token().as_bytes()).map_err(io)?;
                    return Ok(Some(*pair));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(io(error)),
            }
        }
        Ok(None)
    }

    /// Whether a pair has been taken by the same worker for longer than the lease.
    fn has_run_out(&self, path: &Path) -> bool {
        // A file that another process has just deleted is no taken pair any more; the next look takes it.
        let Ok(token) = std::fs::read(path) else { return false };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.get(path) {
            Some((known, since)) if *known == token && since.elapsed() > self.lease => {
                // Once in this process.
                seen.remove(path);
                true
            }
            Some((known, _)) if *known == token => false,
            _ => {
                seen.insert(path.to_owned(), (token, Instant::now()));
                false
            }
        }
    }

    /// Adds the points of the pairs that have been played to those known.
    fn read_results(&self, job: &Job, known: &mut BTreeMap<u64, u8>) -> Result<(), ShareError> {
        let io = |e| ShareError::Io(self.folder.clone(), e);
        let names = std::fs::read_dir(&self.folder).map_err(io)?.flatten().map(|entry| entry.file_name());
        let names: HashSet<OsString> = names.collect();
        for pair in job.pairs.clone().filter(|pair| !known.contains_key(pair)).collect::<Vec<_>>() {
            let path = self.pair_file(job, pair, "json")?;
            if path.file_name().is_some_and(|name| names.contains(name)) {
                // A file that cannot be read is no result: the pair is played again when its lease has run out.
                let read = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Played>(&bytes).ok());
                known.extend(read.filter(|played| played.points <= 4).map(|played| (pair, played.points)));
            }
        }
        Ok(())
    }

    /// Gives back the result of a pair; a result of the same pair is replaced by its like.
    fn give(&self, job: &Job, pair: u64, played: Played) -> Result<(), ShareError> {
        let path = self.pair_file(job, pair, "json")?;
        let io = |e| ShareError::Io(path.clone(), e);
        replace(&path, &line_of(&played).map_err(io)?).map_err(io)
    }
}

/// A text that no other worker writes.
fn token() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{}-{now}-{}\n", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::duel::Terms;
    use crate::tune::openings::Openings;
    use tengen::board::BoardSize;
    use tengen::engine::Evaluation;
    use tengen::rules::Rule;

    fn plan() -> Plan {
        let terms = Terms { rule: Rule::Freestyle, size: BoardSize::RENJU, openings: Openings::Random, seed: 1 };
        let evaluation = Evaluation::default();
        Plan { terms, evaluation, nodes: 10, tuned: vec![0, 1], pairs: 8, batch: 4, gain: 0.02 }
    }

    #[test]
    fn a_pair_is_taken_once_until_its_lease_runs_out() {
        let folder = std::env::temp_dir().join(format!("tengen-share-{}", std::process::id()));
        let (plan, stop, lease) = (plan(), StopToken::new(), Duration::from_secs(1));
        let share = |lease| Share::open(&folder, &plan, lease, 1, &stop).expect("a folder");
        let (one, two) = (share(lease), share(lease));
        let job = one.publish(&one.start()).expect("space");
        assert_eq!(two.job().expect("a job").as_ref(), Some(&job));
        let left = [0, 1];
        let take = |share: &Share| share.take_one(&job, &left).expect("space");
        assert_eq!([take(&one), take(&two), take(&one), take(&two)], [Some(0), Some(1), None, None]);
        std::thread::sleep(lease + lease / 4);
        // Each process measures the lease itself. The new owner's lease begins anew.
        assert_eq!([take(&share(lease)), take(&one), take(&one), take(&one)], [None, Some(0), Some(1), None]);
        assert_eq!(take(&two), None, "taken by another meanwhile");

        // A result is final; what is no result is none.
        let mut results = BTreeMap::new();
        one.give(&job, 0, Played { points: 3, ms: 1 }).expect("space");
        for (pair, text) in [(1, "{\"points\":"), (2, "{\"points\":5,\"ms\":1}"), (3, "")] {
            std::fs::write(one.pair_file(&job, pair, "json").expect("a name"), text).expect("space");
        }
        two.read_results(&job, &mut results).expect("a folder");
        assert_eq!(results, BTreeMap::from([(0, 3)]));
        two.give(&job, 1, Played { points: 0, ms: 1 }).expect("space");
        two.read_results(&job, &mut results).expect("a folder");
        assert_eq!(results, BTreeMap::from([(0, 3), (1, 0)]));

        // The next batch has other files, those of the last one are deleted.
        let mut next = one.start();
        (next.pairs, next.values[0]) = (4, 0.1 + 0.2);
        let later = one.publish(&next).expect("space");
        assert_eq!(two.job().expect("a job"), Some(later), "numbers are read exactly");
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);

        // Another run, another engine, another file.
        let other = Plan { nodes: 11, ..plan.clone() };
        let stranger = Share::open(&folder, &other, lease, 1, &stop).expect("a folder");
        assert!(
            matches!(stranger.coordinate(next, &mut |_| {}), Err(ShareError::Different(_, what)) if what.contains("nodes"))
        );
        let path = folder.join(JOB);
        let old = Job { engine: "tengen-0.0.1 5".to_owned(), ..job };
        replace(&path, &line_of(&old).expect("JSON")).expect("space");
        assert!(two.job().expect_err("another engine").to_string().contains("engine tengen-0.0.1 5, not tengen-"));
        replace(&path, b"Dear reader").expect("space");
        assert!(matches!(two.join(&|_| {}), Err(ShareError::NoJob(_))));
        std::fs::remove_dir_all(&folder).expect("its end");
    }
}
