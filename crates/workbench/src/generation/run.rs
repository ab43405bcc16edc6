//! The stages of a generation, one after the other.

use super::manifest::{
    Begin, End, Entry, Games, GateResult, Match, Measured, Record, SearchTrees, Terms, Training, entries, known,
};
use super::settings::Settings;
use crate::data::file::{FileError, Reader, Writer};
use crate::data::generate::{Plan, generate};
use crate::data::record::{DataError, DataGame, Maker};
use crate::data::tree::{self, Tree};
use crate::difference::difference;
use crate::stats::{EstimateFields, Verdict};
use crate::train::liveness::Liveness;
use crate::train::plot::{of_calibration, of_training};
use crate::train::run::{self as training, RunError, Start};
use crate::train::validate::Report;
use crate::tune::duel::{self, Budget, Score, Side};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tengen::control::StopToken;
use tengen::engine::loader::{self, EvaluationError};
use tengen::engine::{Evaluation, Params};
use tengen::rules::Rule;
use tengen_analysis::chart::draw;
use tengen_files::{Fingerprint, Lines, LinesError, replace};

/// Error beginning or resuming a generation.
#[derive(Debug)]
pub enum GenerationError {
    /// Any I/O error.
    Io(PathBuf, io::Error),
    /// A file of lines cannot be used.
    Lines(LinesError),
    /// The folder's manifest has other settings.
    Different(PathBuf, String),
    /// The folder contains a file of a generation that is not in the manifest.
    Unknown(PathBuf),
    /// The content of a file differs from its fingerprint in the manifest.
    Changed(PathBuf),
    /// A file of games cannot be used.
    Games(PathBuf, FileError),
    /// A file of search trees cannot be used.
    Trees(PathBuf, DataError),
    /// Training failed.
    Training(RunError),
    /// A file with an evaluation cannot be used.
    Evaluation(EvaluationError),
    /// The curves cannot be drawn.
    Plot(PathBuf, String),
    /// The threads cannot be started.
    Threads(rayon::ThreadPoolBuildError),
}

impl fmt::Display for GenerationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerationError::Io(path, error) => write!(f, "{}: {error}", path.display()),
            GenerationError::Lines(error) => error.fmt(f),
            GenerationError::Different(path, what) => write!(f, "{}: other settings: {what}", path.display()),
            GenerationError::Unknown(path) => {
                write!(f, "{} is there, but the manifest does not know its generation", path.display())
            }
            GenerationError::Changed(path) => write!(f, "{} is not the file that the manifest names", path.display()),
            GenerationError::Games(path, error) => write!(f, "{}: {error}", path.display()),
            GenerationError::Trees(path, error) => write!(f, "{}: {error}", path.display()),
            GenerationError::Training(error) => error.fmt(f),
            GenerationError::Evaluation(error) => error.fmt(f),
            GenerationError::Plot(path, error) => write!(f, "{}: {error}", path.display()),
            GenerationError::Threads(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GenerationError {}

type Result<T> = std::result::Result<T, GenerationError>;

/// Progress report of a generation.
#[derive(Debug)]
pub enum Update<'a> {
    /// The generation begins or resumes.
    Begun {
        /// Its number.
        generation: u32,
        /// Whether it is resumed.
        resumed: bool,
        /// Name of the evaluation in force.
        evaluation: &'a str,
    },
    /// A game is complete: number of games so far, and number required.
    Game(u64, u64),
    /// Search trees of a game are complete: number of games done so far, and number of games.
    Tree(u64, u64),
    /// Progress of the training.
    Training(training::Update<'a>),
    /// The network was measured on all held-out positions.
    Quality(&'a Report, &'a Liveness),
    /// A pair of games was played: the score so far, and the most pairs to play.
    Pair(&'a Score, u64),
    /// A stage is complete: its line of the manifest.
    Done(&'a Record),
}

/// Receives progress reports; returning `false` stops the work as a signal does.
pub type Listener<'a> = dyn FnMut(Update) -> bool + Send + 'a;

/// A task: a generation and its folder.
#[derive(Clone, Debug)]
pub struct Generation<'a> {
    /// The folder of all generations; created if necessary.
    pub folder: &'a Path,
    /// Settings of the generation.
    pub settings: &'a Settings,
    /// Bench signature of this engine.
    pub signature: u64,
    /// Version and revision of the program, recorded in the manifest.
    pub version: &'a str,
    /// The command line, recorded in the manifest.
    pub command: &'a str,
    /// Worker threads, at least 1.
    pub threads: usize,
}

impl Generation<'_> {
    /// Resumes the unfinished generation of the folder, or begins the next one, and completes it. Returns its last
    /// record. Returns `None` if `stop` was set or the listener returned `false`; the same call then resumes.
    ///
    /// # Errors
    /// If the folder has other settings, or a file cannot be read or written; see [`GenerationError`].
    pub fn run(&self, stop: &StopToken, on_update: &mut Listener) -> Result<Option<End>> {
        std::fs::create_dir_all(self.folder).map_err(|error| GenerationError::Io(self.folder.to_owned(), error))?;
        let mut work = Work::open(self)?;
        let begin = &work.entry.begin;
        let (generation, evaluation) = (begin.generation, &begin.selfplay.evaluation);
        if !on_update(Update::Begun { generation, resumed: work.resumed, evaluation }) {
            return Ok(None);
        }
        // Each stage returns whether it is complete.
        let material = work.games(stop, on_update)? && work.trees(stop, on_update)?;
        let trained = material && work.training(stop, on_update)? && work.gate(on_update)?;
        let complete = trained && work.comparison(stop, on_update)?;
        if complete { work.end(on_update) } else { Ok(None) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn seed(&self, generation: u32) -> u64 {
        self.settings.seed.wrapping_add(u64::from(generation) - 1)
    }

    fn rule(&self) -> Rule {
        self.settings.selfplay.rule
    }

    /// The plan of a generation's games.
    fn plan(&self, generation: u32, in_force: Evaluation) -> Plan {
        let maker = Maker {
            engine: Maker::THIS_ENGINE.to_owned(),
            signature: self.signature,
            evaluation: loader::name(&in_force, self.rule()),
        };
        Plan {
            settings: self.settings.selfplay.clone(),
            sizes: self.settings.sizes.clone(),
            seed: self.seed(generation),
            first: 0,
            games: self.settings.games,
            step: 1,
            maker,
            evaluation: in_force,
        }
    }

    fn begin(&self, generation: u32, in_force: Evaluation) -> Begin {
        let comparison = &self.settings.comparison;
        let (nodes, turn_ms) = match comparison.budget {
            Budget::Nodes(nodes) => (Some(nodes), None),
            Budget::Time(turn) => (None, Some(turn.as_millis() as u64)),
        };
        Begin {
            generation,
            command: self.command.to_owned(),
            version: self.version.to_owned(),
            games: self.settings.games,
            selfplay: self.plan(generation, in_force).run(),
            window: self.settings.window,
            learning: self.settings.learning.clone(),
            gate: self.settings.gate,
            comparison: Terms {
                size: self.settings.sizes[0].to_string(),
                openings: comparison.openings.to_string(),
                nodes,
                turn_ms,
                pairs: comparison.pairs,
                sprt: comparison.sprt,
            },
        }
    }
}

/// Name of the file of the network in force.
const BEST: &str = "best.tnn";
/// Name of the manifest file.
const MANIFEST: &str = "manifest.jsonl";

/// A pair of games, as stored in the file of pairs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct PairLine {
    /// Its number, from 0.
    pair: u64,
    /// Half points of the new network: in the game in which it moves first, and in the other.
    halves: [u8; 2],
}

/// A generation in progress.
struct Work<'a> {
    task: &'a Generation<'a>,
    manifest: Lines,
    /// The earlier generations.
    before: Vec<Entry>,
    entry: Entry,
    resumed: bool,
    /// The evaluation in force.
    in_force: Evaluation,
}

impl<'a> Work<'a> {
    /// Determines the work to do.
    fn open(task: &'a Generation) -> Result<Work<'a>> {
        let path = task.path(MANIFEST);
        let (mut manifest, records) = Lines::open(&path, br#"{"stage":"#).map_err(GenerationError::Lines)?;
        let wrong = |line| GenerationError::Lines(LinesError::Line(path.clone(), line));
        let mut before = entries(records).map_err(wrong)?;
        let best = task.path(BEST);
        let in_force = match best.exists() {
            true => loader::read(&best).map_err(GenerationError::Evaluation)?,
            false => Evaluation::default().classical(),
        };
        let unfinished = before.pop_if(|entry| !entry.ended);
        let begin = task.begin(before.len() as u32 + 1, in_force.clone());
        let different = |what| GenerationError::Different(path.clone(), what);
        if let Some(what) = before.last().and_then(|last| difference(&Fixed::of(&last.begin), &Fixed::of(&begin))) {
            return Err(different(what));
        }
        let resumed = unfinished.is_some();
        let entry = match unfinished {
            Some(entry) => {
                let mut wanted =
                    Begin { command: entry.begin.command.clone(), version: entry.begin.version.clone(), ..begin };
                // After the match the new network may already be in force.
                if entry.comparison.is_some() {
                    wanted.selfplay.evaluation.clone_from(&entry.begin.selfplay.evaluation);
                }
                if let Some(what) = difference(&entry.begin, &wanted) {
                    return Err(different(format!("generation {} is not complete; {what}", wanted.generation)));
                }
                entry
            }
            None => {
                let names = ["games", "trees", "run", "network", "pairs"].map(|kind| file_name(kind, begin.generation));
                if let Some(path) = names.into_iter().map(|name| task.path(&name)).find(|path| path.exists()) {
                    return Err(GenerationError::Unknown(path));
                }
                manifest.append(&Record::Begin(Box::new(begin.clone()))).map_err(GenerationError::Lines)?;
                Entry { begin, games: None, trees: None, training: None, gate: None, comparison: None, ended: false }
            }
        };
        let work = Work { task, manifest, before, entry, resumed, in_force };
        if work.entry.training.is_none() {
            let trees = work.entry.trees.as_ref().map(|trees| &trees.file);
            work.window().iter().chain(trees).try_for_each(|file| work.ensure_same(file))?;
        }
        Ok(work)
    }

    fn number(&self) -> u32 {
        self.entry.begin.generation
    }

    /// The path of a file of this generation; `kind` selects the file.
    fn file(&self, kind: &str) -> PathBuf {
        self.task.path(&file_name(kind, self.number()))
    }

    fn record(&mut self, record: &Record, on_update: &mut Listener) -> Result<()> {
        self.manifest.append(record).map_err(GenerationError::Lines)?;
        // The stage is complete even if the listener returns `false`; the next stage calls it again.
        on_update(Update::Done(record));
        Ok(())
    }

    /// Returns an error if a file differs from its fingerprint in the manifest.
    fn ensure_same(&self, file: &Fingerprint) -> Result<()> {
        let path = self.task.path(&file.name);
        if fingerprint(&path)? == *file { Ok(()) } else { Err(GenerationError::Changed(path)) }
    }

    /// Files of the training games, oldest first, as far as they are complete.
    fn window(&self) -> Vec<Fingerprint> {
        let skipped = (self.number() as usize).saturating_sub(self.entry.begin.window as usize);
        let all = self.before.iter().chain([&self.entry]).skip(skipped);
        all.filter_map(|entry| entry.games.as_ref()).map(|games| games.file.clone()).collect()
    }

    /// Generates the games.
    fn games(&mut self, stop: &StopToken, on_update: &mut Listener) -> Result<bool> {
        if self.entry.games.is_some() {
            return Ok(true);
        }
        let (path, started) = (self.file("games"), Instant::now());
        let failed = |error| GenerationError::Games(path.clone(), error);
        let mut plan = self.task.plan(self.number(), self.in_force.clone());
        let total = plan.games;
        let mut writer = Writer::open(&path, &mut plan).map_err(failed)?;
        let (mut done, mut written) = (total - plan.games, Ok(()));
        generate(&plan, self.task.threads, stop, |game| {
            written = writer.game(&game);
            done += 1;
            on_update(Update::Game(done, total)) && written.is_ok()
        })
        .map_err(GenerationError::Threads)?;
        written.map_err(|error| failed(FileError::Io(error)))?;
        if done < total {
            return Ok(false);
        }
        let games = read_games(&path)?;
        let record = Games {
            generation: self.number(),
            file: fingerprint(&path)?,
            games: games.len() as u64,
            positions: games.iter().map(|game| game.game.moves.len() as u64).sum(),
            seconds: seconds(started),
        };
        self.entry.games = Some(record.clone());
        self.record(&Record::Games(record), on_update)?;
        Ok(true)
    }

    /// Generates the search trees of the games, if enabled.
    fn trees(&mut self, stop: &StopToken, on_update: &mut Listener) -> Result<bool> {
        let Some(wanted) = self.entry.begin.learning.trees.as_ref().filter(|_| self.entry.trees.is_none()) else {
            return Ok(true);
        };
        let (path, started) = (self.file("trees"), Instant::now());
        let io = |error| GenerationError::Io(path.clone(), error);
        let damaged = |error| GenerationError::Trees(path.clone(), error);
        let games = read_games(&self.file("games"))?;
        let mut options = File::options();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        // Each game so far has a record. An incomplete record is generated again.
        let bodies = tree::bodies(&bytes).map_err(damaged)?;
        let mut nodes = 0;
        let mut rest = games.iter();
        for body in &bodies {
            let tree = Tree::decode(body).map_err(damaged)?;
            if rest.next().is_none_or(|game| game.size != tree.size || game.line() != tree.line) {
                return Err(GenerationError::Different(path, "its trees are of other games".to_owned()));
            }
            nodes += tree.nodes.len() as u64;
        }
        let whole = bodies.iter().map(|body| tree::record_bytes(body)).sum::<usize>() as u64;
        file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole))).map_err(io)?;
        let (mut done, total, mut written) = (bodies.len() as u64, games.len() as u64, Ok(()));
        wanted
            .plan(self.in_force.clone())
            .run(rest.as_slice(), self.task.threads, stop, |tree| {
                written = file.write_all(&tree.encode());
                nodes += tree.nodes.len() as u64;
                done += 1;
                on_update(Update::Tree(done, total)) && written.is_ok()
            })
            .map_err(GenerationError::Threads)?;
        written.map_err(io)?;
        if done < total {
            return Ok(false);
        }
        let file = fingerprint(&path)?;
        let record = SearchTrees { generation: self.number(), file, nodes, seconds: seconds(started) };
        self.entry.trees = Some(record.clone());
        self.record(&Record::Trees(record), on_update)?;
        Ok(true)
    }

    /// Trains a network and writes its file.
    fn training(&mut self, stop: &StopToken, on_update: &mut Listener) -> Result<bool> {
        if self.entry.training.is_some() {
            return Ok(true);
        }
        let (window, started) = (self.window(), Instant::now());
        let mut games = Vec::new();
        for file in &window {
            games.extend(read_games(&self.task.path(&file.name))?);
        }
        let (state, rule) = (self.file("run"), self.task.rule());
        let (learning, seed) = (&self.entry.begin.learning, self.entry.begin.selfplay.seed);
        let (best, trees_path) = (self.task.path(BEST), self.file("trees"));
        let start = match self.in_force.network {
            Some(_) if learning.warm_start => Start::Warm(&best),
            _ => Start::Cold,
        };
        let trees = self.entry.trees.as_ref().map(|_| std::fs::read(&trees_path)).transpose();
        let trees = trees.map_err(|error| GenerationError::Io(trees_path.clone(), error))?.unwrap_or_default();
        let trees = tree::bodies(&trees).map_err(|error| GenerationError::Trees(trees_path, error))?;
        let searched_by = self.in_force.network.as_ref().and_then(|network| network.set(rule));
        let tree_scale = searched_by.map_or(learning.scale as f32, |set| set.scale as f32);
        let (plan, targets) = (learning.plan(seed), learning.targets(tree_scale));
        let run = training::Run {
            games: &games,
            trees: &trees,
            plan: &plan,
            targets: &targets,
            start,
            state: &state,
            threads: self.task.threads,
        };
        let mut checkpoint = training::open(&state, rule, seed, run.start).map_err(GenerationError::Training)?;
        let mut positions = 0;
        run.train(&mut checkpoint, stop, &mut |update| {
            if let training::Update::Samples { training, .. } = &update {
                positions = *training;
            }
            on_update(Update::Training(update))
        })
        .map_err(GenerationError::Training)?;
        if checkpoint.optimiser.steps < plan.steps {
            return Ok(false);
        }
        let path = self.file("network");
        let others = match self.in_force.network {
            Some(_) => training::other_sets(&best, &[rule]).map_err(GenerationError::Training)?,
            None => Vec::new(),
        };
        let (allow_dead, rare) = (learning.allow_dead, training::RARE);
        let in_force = self.in_force.network.as_deref();
        let options = training::ExportOptions { rules: &[rule], units: None, rare, allow_dead, compared: in_force };
        let training::Exported { name, report, liveness, compared, .. } =
            run.export(&checkpoint, options, others, &path).map_err(GenerationError::Training)?;
        let curves = self.task.path(&format!("losses-{:03}.svg", self.number()));
        let mut panels = of_training(&checkpoint.history);
        panels.extend((report.results > 0).then(|| of_calibration(&report)));
        draw(&curves, &panels).map_err(|error| GenerationError::Plot(curves, error))?;
        on_update(Update::Quality(&report, &liveness));
        let loss = checkpoint.history.last().map_or([None; 2], |mark| mark.training.map(|l| known(f64::from(l))));
        let record = Training {
            generation: self.number(),
            window,
            games: games.len() as u64,
            positions,
            loss,
            held_out: report.positions,
            network: Measured::new(&report.network, report.positions),
            classical: Measured::new(&report.classical, report.positions),
            in_force: compared.map(|report| Measured::new(&report.network, report.positions)),
            file: fingerprint(&path)?,
            name,
            liveness: Some(liveness.to_string()),
            seconds: seconds(started),
        };
        self.entry.training = Some(record.clone());
        self.record(&Record::Training(Box::new(record)), on_update)?;
        Ok(true)
    }

    /// Decides whether the network plays the match, if there is a gate.
    fn gate(&mut self, on_update: &mut Listener) -> Result<bool> {
        let Some((gate, training)) = self.entry.begin.gate.as_ref().zip(self.entry.training.as_ref()) else {
            return Ok(true);
        };
        if self.entry.gate.is_none() {
            let record = GateResult::new(gate, training);
            self.entry.gate = Some(record.clone());
            self.record(&Record::Gate(record), on_update)?;
        }
        Ok(true)
    }

    /// Plays the match, if the network may.
    fn comparison(&mut self, stop: &StopToken, on_update: &mut Listener) -> Result<bool> {
        let is_next = self.entry.comparison.is_none() && self.entry.may_play();
        let Some(training) = self.entry.training.clone().filter(|_| is_next) else {
            return Ok(true);
        };
        self.ensure_same(&training.file)?;
        let network = loader::read(&self.file("network")).map_err(GenerationError::Evaluation)?;
        let (comparison, started) = (&self.task.settings.comparison, Instant::now());
        let (pairs, test) = (comparison.pairs, comparison.sprt.test());
        let path = self.file("pairs");
        let (mut lines, played) = Lines::open::<PairLine>(&path, br#"{"pair":"#).map_err(GenerationError::Lines)?;
        let mut score = Score::default();
        for (i, line) in played.iter().enumerate() {
            if line.pair != i as u64 {
                return Err(GenerationError::Lines(LinesError::Line(path, i + 1)));
            }
            score.add(&duel::Pair { halves: line.halves, ..duel::Pair::default() });
        }
        let verdict = |score: &Score| test.verdict(test.llr(&score.pairs));
        if verdict(&score) == Verdict::Continue {
            let side =
                |evaluation| Side { params: Params::of(self.task.rule()), evaluation, budget: comparison.budget };
            let terms = duel::Terms {
                rule: self.task.rule(),
                size: self.task.settings.sizes[0],
                openings: comparison.openings.clone(),
                seed: self.entry.begin.selfplay.seed,
            };
            let (sides, first) = ([network, self.in_force.clone()].map(side), played.len() as u64);
            let mut written = Ok(());
            duel::compare(&terms, &sides, first..pairs, self.task.threads, stop, &mut |pair| {
                written = lines.append(&PairLine { pair: score.pairs.pairs(), halves: pair.halves });
                score.add(pair);
                written.is_ok() && on_update(Update::Pair(&score, pairs)) && verdict(&score) == Verdict::Continue
            })
            .map_err(GenerationError::Threads)?;
            written.map_err(GenerationError::Lines)?;
        }
        if verdict(&score) == Verdict::Continue && score.pairs.pairs() < pairs {
            return Ok(false);
        }
        let (games, estimate) = (&score.games, EstimateFields::from(score.estimate()));
        let record = Match {
            generation: self.number(),
            network: training.name,
            against: self.entry.begin.selfplay.evaluation.clone(),
            pairs: score.pairs.counts,
            games: [games.wins, games.draws, games.losses],
            one_colour: Some(score.one_colour),
            elo: estimate.elo,
            interval: [estimate.elo_low, estimate.elo_high],
            llr: test.llr(&score.pairs),
            bounds: test.bounds(),
            verdict: verdict(&score).name().to_owned(),
            accepted: verdict(&score) == Verdict::AcceptH1,
            seconds: seconds(started),
        };
        self.entry.comparison = Some(record.clone());
        self.record(&Record::Match(record), on_update)?;
        Ok(true)
    }

    /// Puts the new network in force if it was accepted.
    fn end(&mut self, on_update: &mut Listener) -> Result<Option<End>> {
        let Some(training) = self.entry.training.clone().filter(|_| self.entry.is_decided()) else {
            return Ok(None);
        };
        let accepted = self.entry.comparison.as_ref().is_some_and(|played| played.accepted);
        if accepted {
            self.ensure_same(&training.file)?;
            let (from, to) = (self.file("network"), self.task.path(BEST));
            let bytes = std::fs::read(&from).map_err(|error| GenerationError::Io(from, error))?;
            replace(&to, &bytes).map_err(|error| GenerationError::Io(to, error))?;
        }
        let evaluation = if accepted { training.name } else { self.entry.begin.selfplay.evaluation.clone() };
        let end = End { generation: self.number(), accepted, evaluation };
        self.record(&Record::End(end.clone()), on_update)?;
        Ok(Some(end))
    }
}

/// The settings that all generations of a folder share.
#[derive(Serialize)]
struct Fixed<'a> {
    rule: &'a str,
}

impl Fixed<'_> {
    fn of(begin: &Begin) -> Fixed<'_> {
        Fixed { rule: &begin.selfplay.rule }
    }
}

/// Name of a file of a generation; `kind` selects the file.
fn file_name(kind: &str, generation: u32) -> String {
    let ending = match kind {
        "games" => "bin",
        "trees" => "tree",
        "run" => "ckpt",
        "network" => "tnn",
        _ => "jsonl",
    };
    format!("{kind}-{generation:03}.{ending}")
}

fn read_games(path: &Path) -> Result<Vec<DataGame>> {
    let file = File::open(path).map_err(|error| GenerationError::Io(path.to_owned(), error))?;
    let games = Reader::new(file).collect::<std::result::Result<_, _>>();
    games.map_err(|error| GenerationError::Games(path.to_owned(), error))
}

fn fingerprint(path: &Path) -> Result<Fingerprint> {
    Fingerprint::of(path).map_err(|error| GenerationError::Io(path.to_owned(), error))
}

/// Seconds since `since`, to a tenth.
fn seconds(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 10.0).round() / 10.0
}
