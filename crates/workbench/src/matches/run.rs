//! Plays a match: workers take games from the schedule and append finished games to the record.

use super::health::{Broken, Health};
use super::record::{GameRecord, RecordError, Writer};
use super::referee::{Finished, Fixture, Stopped, Turn, play_watched};
use super::schedule::{Pair, pairs, table};
use super::settings::MatchSpec;
use super::tally::Tally;
use crate::shard::Shard;
use crate::stats::Verdict;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tengen::control::StopToken;
use tengen_engines::client::{EngineProcess, ProcessPool};
use tengen_engines::player::{Player, Table};
use tengen_engines::transcript::{Transcript, Transcripts, Way};

/// A match to start or resume.
#[derive(Debug)]
pub struct Run<'a> {
    /// The match; must have passed [`super::schedule::check`].
    pub spec: &'a MatchSpec,
    /// The part of the match to play.
    pub shard: Shard,
    /// Number of concurrent games, at least 1.
    pub concurrency: usize,
    /// State shared by the engines' processes.
    pub processes: Arc<ProcessPool>,
    /// The folder in which transcripts of the games are written; `None` writes none.
    pub transcripts: Option<Transcripts>,
    /// Whether the run continues if an engine keeps failing.
    pub recover: bool,
    /// Set from outside to end the run early; unfinished games are dropped. The run sets it itself when a sequential
    /// test ends or an engine is broken.
    pub stop: StopToken,
}

/// State of the run after a finished game.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The game that just finished.
    pub game: &'a GameRecord,
    /// All games, including those of earlier runs.
    pub games: &'a [GameRecord],
    /// Counts over these games.
    pub tally: &'a Tally,
    /// Total number of games in this part of the match.
    pub total: u64,
}

/// A game in progress.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    /// Number in the whole match.
    pub game: u64,
    /// Rule and board.
    pub table: Table,
    /// The engines' numbers by seat.
    pub seats: [usize; 2],
}

/// Observes a run and may pause it. The workers make all calls, and their games wait for the return: an implementation
/// that pauses a game must return when the run is stopped.
pub trait Watcher: Sync {
    /// Called before a worker takes its next game. If it returns false, the worker ends; the run then ends after the
    /// games in progress.
    fn admits(&self, _stop: &StopToken) -> bool {
        true
    }

    /// Called before a question to a player. The duration of the call counts on no clock.
    fn turn(&self, _game: &Running, _turn: &Turn, _stop: &StopToken) {}

    /// Called after a game has finished. These calls are serialized.
    fn finished(&self, progress: &Progress);
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// All games, including those of earlier runs, ordered by number.
    pub games: Vec<GameRecord>,
    /// The broken engine that ended the run, if any.
    pub broken: Option<Broken>,
}

/// State shared by the workers.
struct Shared {
    queue: VecDeque<(usize, u64)>,
    games: Vec<GameRecord>,
    tally: Tally,
    writer: Option<Writer>,
    failed: Option<RecordError>,
    health: Health,
    broken: Option<Broken>,
}

/// Number of games in a part of a match.
pub fn games_in_part(spec: &MatchSpec, shard: Shard) -> u64 {
    pairs(spec).iter().filter(|p| shard.has(p.index)).flat_map(Pair::games).count() as u64
}

/// Plays all games of a part that are not among `done`. Calls `on_game` after each game; calls are serialized.
///
/// Unless [`Run::recover`] is set, an engine that cannot be started, or that keeps losing by faults, ends the run: its
/// games would decide a test without meaning.
///
/// # Errors
/// If the record cannot be written. The run then ends, because its games would be lost.
pub fn run(
    run: &Run,
    done: Vec<GameRecord>,
    writer: Option<Writer>,
    on_game: &(dyn Fn(&Progress) + Sync),
) -> Result<Ended, RecordError> {
    struct OnGame<'a>(&'a (dyn Fn(&Progress) + Sync));
    impl Watcher for OnGame<'_> {
        fn finished(&self, progress: &Progress) {
            self.0(progress);
        }
    }
    run_watched(run, done, writer, &OnGame(on_game))
}

/// Same as [`run`], with a watcher.
///
/// # Errors
/// If the record cannot be written. The run then ends, because its games would be lost.
pub fn run_watched(
    run: &Run,
    done: Vec<GameRecord>,
    writer: Option<Writer>,
    watcher: &dyn Watcher,
) -> Result<Ended, RecordError> {
    let mut pairs = pairs(run.spec);
    pairs.retain(|p| run.shard.has(p.index));
    let played: HashSet<u64> = done.iter().map(|g| g.game).collect();
    let wanted = || pairs.iter().enumerate().flat_map(|(at, p)| p.games().map(move |game| (at, game)));
    let queue: VecDeque<_> = wanted().filter(|(_, game)| !played.contains(game)).collect();
    let total = wanted().count() as u64;
    let mut tally = Tally::new(run.spec);
    done.iter().for_each(|g| tally.add(g));
    if decided(run.spec, &tally) {
        run.stop.stop();
    }
    let mut health = Health::new(run.spec.engines.len());
    done.iter().for_each(|g| health.add(g));
    let shared = Mutex::new(Shared { queue, games: done, tally, writer, failed: None, health, broken: None });
    std::thread::scope(|scope| {
        for _ in 0..run.concurrency.max(1) {
            scope.spawn(|| work(run, &pairs, total, &shared, watcher));
        }
    });
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match shared.failed {
        Some(error) => Err(error),
        None => {
            let mut games = shared.games;
            games.sort_by_key(|g| g.game);
            let broken = shared.broken.or_else(|| shared.health.broken(true).filter(|_| !run.recover));
            Ok(Ended { games, broken })
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a sequential test has ended. Games of an engine that does not work never end it.
fn decided(spec: &MatchSpec, tally: &Tally) -> bool {
    tally.always_forfeits().is_none()
        && spec.sprt.is_some_and(|sprt| {
            let test = sprt.test();
            test.verdict(test.llr(&tally.pairs_between(0, 1))) != Verdict::Continue
        })
}

/// The loop of a worker. Engines stay started as long as consecutive games need them.
fn work(run: &Run, pairs: &[Pair], total: u64, shared: &Mutex<Shared>, watcher: &dyn Watcher) {
    let mut seated: BTreeMap<usize, EngineProcess> = BTreeMap::new();
    while watcher.admits(&run.stop) && !run.stop.is_stopped() {
        let Some((at, game)) = lock(shared).queue.pop_front() else { break };
        let pair = &pairs[at];
        let leaving: Vec<usize> = seated.keys().copied().filter(|e| !pair.engines.contains(e)).collect();
        for engine in leaving {
            if let Some(mut foreign) = seated.remove(&engine) {
                foreign.quit();
            }
        }
        let transcript = match begin_transcript(run, pair, game) {
            Ok(transcript) => transcript,
            Err(error) => {
                lock(shared).failed = Some(error);
                run.stop.stop();
                break;
            }
        };
        let played = play_one(run, pair, game, &mut seated, transcript.as_ref(), watcher);
        let Ok(record) = played else { break };
        let shared = &mut *lock(shared);
        if let Some(Err(error)) = shared.writer.as_mut().map(|w| w.game(&record)) {
            shared.failed = Some(error);
            run.stop.stop();
            break;
        }
        shared.tally.add(&record);
        shared.health.add(&record);
        shared.games.push(record);
        if let Some(game) = shared.games.last() {
            watcher.finished(&Progress { game, games: &shared.games, tally: &shared.tally, total });
        }
        if !run.recover && shared.broken.is_none() {
            shared.broken = shared.health.broken(false);
        }
        if shared.broken.is_some() || decided(run.spec, &shared.tally) {
            run.stop.stop();
        }
    }
    seated.values_mut().for_each(EngineProcess::quit);
}

/// Creates the transcript of a game, if transcripts are enabled.
fn begin_transcript(run: &Run, pair: &Pair, game: u64) -> Result<Option<Arc<Transcript>>, RecordError> {
    let Some(transcripts) = &run.transcripts else { return Ok(None) };
    let [first, second] = seats(pair, game).map(|engine| &run.spec.engines[engine].name);
    let title = format!("{first} (begins) against {second}, {}", run.spec.events[pair.event]);
    let begun = transcripts.begin(game, title);
    begun.map(|t| Some(Arc::new(t))).map_err(|e| RecordError::Io(transcripts.path(game), e))
}

/// Engines by seat in a game of a pair.
fn seats(pair: &Pair, game: u64) -> [usize; 2] {
    let [first, second] = pair.engines;
    if game.is_multiple_of(2) { [first, second] } else { [second, first] }
}

/// Plays one game of a pair.
fn play_one(
    run: &Run,
    pair: &Pair,
    game: u64,
    seated: &mut BTreeMap<usize, EngineProcess>,
    transcript: Option<&Arc<Transcript>>,
    watcher: &dyn Watcher,
) -> Result<GameRecord, Stopped> {
    let spec = run.spec;
    let event = &spec.events[pair.event];
    let table = table(event).ok_or(Stopped)?;
    let seats = seats(pair, game);
    let mut players = seats.map(|engine| {
        let fresh = || EngineProcess::new(spec.engines[engine].clone(), spec.patience, Arc::clone(&run.processes));
        let mut foreign = seated.remove(&engine).unwrap_or_else(fresh);
        foreign.set_transcript(transcript.cloned());
        foreign
    });
    let fixture = Fixture {
        table,
        opening: &pair.opening,
        swap2: event.swap2,
        limits: seats.map(|engine| spec.engines[engine].limits),
        adjudication: spec.adjudication,
    };
    let began = Instant::now();
    let [a, b] = &mut players;
    let running = Running { game, table, seats };
    let before = &mut |turn: &Turn| watcher.turn(&running, turn, &run.stop);
    let finished: Result<Finished, Stopped> = play_watched(&fixture, [a as &mut dyn Player, b], &run.stop, before);
    if finished.is_ok() {
        seated.extend(seats.into_iter().zip(players));
    }
    let mut record = GameRecord::new(pair, game, table.size, seats, &finished?);
    record.ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    if let Some(transcript) = transcript {
        for f in &record.faults {
            let name = &spec.engines[f.engine].name;
            transcript.line(Instant::now(), name, Way::Noticed, &format!("{}: {}", f.fault.kind, f.fault.detail));
        }
    }
    record.at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    Ok(record)
}
