//! `tengen data`: inspects training games, joins them, prepares them for training, and measures networks on them.

use crate::choices::{ensure_writable, parse_range, parse_rule, processors, progress_bar, shard_of};
use crate::signal::stop_on_signal;
use crate::train::write_qualities;
use anyhow::{Context, Result, anyhow, ensure};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tengen::engine::{Rule, Sampling, loader};
use tengen_analysis::chart::draw;
use tengen_workbench::data::export::Export;
use tengen_workbench::data::file::{FileError, Reader};
use tengen_workbench::data::merge::Merge;
use tengen_workbench::data::plot::of_games;
use tengen_workbench::data::record::{DataGame, Run};
use tengen_workbench::data::stats::Stats;
use tengen_workbench::data::tree;
use tengen_workbench::data::tree_file::TreeFile;
use tengen_workbench::shard::{Shard, ShardChoice};
use tengen_workbench::train::validate::Report;
use tengen_workbench::train::{Targets, measure_all};

/// What `tengen data` can do.
#[derive(clap::Subcommand)]
pub enum DataCommand {
    /// Verify all records and list damaged parts; fails if there are any. An incomplete last record is reported but
    /// is not a failure
    Check {
        /// Files of training games
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Count games, positions, results, endings and duplicates, and list the engines that played them
    Stats {
        /// Draw game lengths, results and scores as histograms
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        #[command(flatten)]
        input: Input,
    },
    /// Join files without duplicate games
    Merge {
        /// New file; it appears under this name when it is complete
        #[arg(short, long)]
        output: PathBuf,
        #[command(flatten)]
        input: Input,
    },
    /// Search positions of games and store nodes of the search trees, for `tengen train --tree`
    Tree {
        /// Nodes per position
        #[arg(short, long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
        nodes: u64,
        /// Search one in N positions of each game: more games give as many nodes, with more variety
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        every: u32,
        /// Store nodes with at least this remaining depth, in plies
        #[arg(short, long, value_name = "PLIES", default_value_t = 6)]
        depth: u32,
        /// Store one in N of these nodes
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
        one_in: u32,
        /// Search only positions with this minimum and maximum number of stones [default: all]
        #[arg(long, value_name = "FEWEST,MOST", value_parser = parse_range)]
        stones: Option<(usize, usize)>,
        /// Evaluation: a network of `tengen train`, weights of `tengen tune`, or `classical` [default: the built-in
        /// network]
        #[arg(long, value_name = "FILE")]
        weights: Option<PathBuf>,
        /// Worker threads [default: all cores]
        #[arg(short = 'j', long)]
        threads: Option<NonZeroUsize>,
        /// Search only part K of N of the games, or that of this array task: auto, auto/N (see `tengen match --help`)
        #[arg(long, value_name = "K/N", default_value_t = ShardChoice::Given(Shard::WHOLE))]
        shard: ShardChoice,
        /// Go on with the file of an interrupted run; settings and games must be the same
        #[arg(long)]
        resume: bool,
        /// New file
        #[arg(short, long)]
        output: PathBuf,
        #[command(flatten)]
        input: Input,
    },
    /// Measure how well networks predict the results and the best moves of games, and how well the classical evaluation
    /// does. No network should have been trained on these games
    Losses {
        /// Rule: 0, 1, 4, 8, 9 or its name; games of other rules are ignored
        #[arg(short, long, default_value = "0", value_parser = parse_rule)]
        rule: Rule,
        /// Network of `tengen train`; may be given several times [default: the built-in network]
        #[arg(long, value_name = "FILE")]
        weights: Vec<PathBuf>,
        #[command(flatten)]
        input: Input,
    },
    /// Write positions as arrays for numpy: stones.npy and positions.npy
    Export {
        /// Folder for the arrays
        #[arg(short, long, value_name = "FOLDER")]
        output: PathBuf,
        #[command(flatten)]
        input: Input,
    },
}

/// The files to read.
#[derive(clap::Args)]
pub struct Input {
    /// Skip damaged parts and list them
    #[arg(long)]
    salvage: bool,
    /// Files of training games
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Input {
    /// Passes all games to `take`, with the settings known at that point; returns the settings of all files.
    fn read(&self, mut take: impl FnMut(&DataGame, &BTreeMap<u32, Run>) -> Result<()>) -> Result<BTreeMap<u32, Run>> {
        let mut runs = BTreeMap::new();
        for path in &self.files {
            let name = path.display();
            let mut reader = open(path)?.salvage(self.salvage);
            while let Some(game) = reader.next() {
                let game = game.map_err(|error| match error {
                    FileError::Damaged(..) => {
                        anyhow!("{name}: {error}; `tengen data merge --salvage` keeps what is whole")
                    }
                    error => anyhow!("{name}: {error}"),
                })?;
                take(&game, reader.runs())?;
            }
            for damage in reader.damage() {
                writeln!(
                    stderr(),
                    "{name}: skipped {} damaged bytes from byte {}",
                    damage.end - damage.start,
                    damage.start
                )?;
            }
            if reader.torn() > 0 {
                writeln!(stderr(), "{name}: left out a torn tail of {} bytes", reader.torn())?;
            }
            runs.extend(reader.runs().clone());
        }
        Ok(runs)
    }

    fn games(&self) -> Result<Vec<DataGame>> {
        let mut games = Vec::new();
        self.read(|game, _| {
            games.push(game.clone());
            Ok(())
        })?;
        Ok(games)
    }
}

fn open(path: &Path) -> Result<Reader<File>> {
    Ok(Reader::new(File::open(path).with_context(|| path.display().to_string())?))
}

/// All games of some files; a truncated last record is skipped.
pub fn load(files: &[PathBuf]) -> Result<Vec<DataGame>> {
    Input { salvage: false, files: files.to_vec() }.games()
}

/// Runs `tengen data`.
pub fn main(command: &DataCommand) -> Result<ExitCode> {
    let mut out = stdout().lock();
    match command {
        DataCommand::Check { files } => {
            let results = files.iter().map(|path| check(&mut out, path)).collect::<Result<Vec<_>>>()?;
            let whole = results.into_iter().all(|whole| whole);
            return Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        DataCommand::Stats { svg, input } => {
            svg.iter().try_for_each(|path| ensure_writable(path))?;
            let mut stats = Stats::default();
            let runs = input.read(|game, _| {
                stats.add(game);
                Ok(())
            })?;
            stats.write(&mut out, &runs)?;
            if let Some(path) = svg {
                let drawn = draw(path, &of_games(&stats)).map_err(|e| anyhow!(e));
                drawn.with_context(|| path.display().to_string())?;
            }
        }
        DataCommand::Merge { output, input } => {
            let name = || output.display().to_string();
            let mut merge = Merge::create(output)?;
            input.read(|game, runs| merge.add(game, runs).with_context(name))?;
            let (different, all) = merge.finish().with_context(name)?;
            writeln!(out, "{different} games of {all} in {}", name())?;
        }
        DataCommand::Tree { nodes, every, depth, one_in, stones, weights, threads, shard, resume, output, input } => {
            let evaluation = loader::read_or_default(weights.as_deref())?;
            let stones = stones.unwrap_or((0, usize::MAX));
            let sampling = Sampling { depth: *depth, one_in: *one_in };
            let plan = tree::Plan { nodes: *nodes, every: *every, sampling, stones, evaluation };
            let shard = shard_of(*shard)?;
            let games = (0..).zip(input.games()?).filter(|(number, _)| shard.has(*number));
            let games: Vec<DataGame> = games.map(|(_, game)| game).collect();
            let name = || output.display().to_string();
            let (file, done) = match resume {
                true => TreeFile::resume(output, &plan, &games).with_context(name)?,
                false => (TreeFile::create(output).with_context(name)?, 0),
            };
            let threads = threads.map_or_else(processors, NonZeroUsize::get);
            let samples = write_trees(&plan, &games, done, threads, file).with_context(name)?;
            writeln!(out, "{samples} nodes in {}", output.display())?;
        }
        DataCommand::Losses { rule, weights, input } => write_losses(&mut out, *rule, weights, input)?,
        DataCommand::Export { output, input } => {
            let name = || output.display().to_string();
            let mut export = Export::create(output).with_context(name)?;
            input.read(|game, _| export.add(game).with_context(name))?;
            let (games, positions) = export.finish().with_context(name)?;
            writeln!(out, "{positions} positions of {games} games in {}", name())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the losses of networks, or of the built-in one, and of the classical evaluation on all games of a rule.
fn write_losses(out: &mut dyn Write, rule: Rule, weights: &[PathBuf], input: &Input) -> Result<()> {
    let files = if weights.is_empty() { vec![None] } else { weights.iter().map(|path| Some(path.as_path())).collect() };
    let mut networks = Vec::new();
    for path in files {
        let name = path.map_or_else(|| "built-in".to_owned(), |path| path.display().to_string());
        let network = loader::read_or_default(path)?.network.filter(|network| network.knows(rule));
        networks.push((network.with_context(|| format!("{name} has no network for {rule}"))?, name));
    }
    let (games, others): (Vec<_>, Vec<_>) = input.games()?.into_iter().partition(|game| game.rule == rule);
    ensure!(!games.is_empty(), "no games of {rule}");
    if !others.is_empty() {
        writeln!(stderr(), "{} games of other rules are ignored", others.len())?;
    }
    let reports = measure_all(&games, &Targets::default(), networks.iter().map(|(network, _)| network.as_ref()));
    let Report { positions, choices, classical, .. } = &reports[0];
    writeln!(out, "{} games of {rule}: {positions} positions, {choices} with a best move", games.len())?;
    let networks = networks.iter().zip(&reports).map(|((_, name), report)| (name.as_str(), &report.network));
    write_qualities(out, &networks.chain([("classical", classical)]).collect::<Vec<_>>())
}

/// Writes the search trees of games, without those done before, and returns the number of nodes.
fn write_trees(plan: &tree::Plan, games: &[DataGame], done: usize, threads: usize, mut file: TreeFile) -> Result<u64> {
    let stop = stop_on_signal()?;
    let bar = progress_bar(games.len() as u64, done as u64);
    let (mut samples, mut written) = (0, Ok(()));
    plan.run(&games[done..], threads, &stop, |tree| {
        bar.inc(1);
        samples += tree.nodes.len() as u64;
        written = file.add(&tree);
        written.is_ok()
    })?;
    bar.finish_and_clear();
    written?;
    if bar.position() < games.len() as u64 {
        let there = bar.position();
        writeln!(stderr(), "{there} of {} games; the same command with --resume makes the rest", games.len())?;
    }
    Ok(samples)
}

/// Prints the content of a file, and returns whether it is undamaged.
fn check(out: &mut dyn Write, path: &Path) -> Result<bool> {
    let mut reader = open(path)?.salvage(true);
    let mut games = 0;
    for game in reader.by_ref() {
        game.with_context(|| path.display().to_string())?;
        games += 1;
    }
    let damage: Vec<String> = reader.damage().iter().map(|range| format!("{} to {}", range.start, range.end)).collect();
    let state = match (damage.is_empty(), reader.torn()) {
        (true, 0) => "whole".to_owned(),
        (true, torn) => format!("torn tail of {torn} bytes"),
        (false, _) => format!("damaged at bytes {}", damage.join(", ")),
    };
    writeln!(out, "{}: {games} games, {state}", path.display())?;
    Ok(damage.is_empty())
}
