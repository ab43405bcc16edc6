//! `tengen selfplay` and `tengen data`: makes training games, and looks at them.

use crate::choices::{parse_depth, parse_rule, parse_size};
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, anyhow, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{BTreeMap, HashSet};
use std::io::{Write, stdout};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tengen::engine::{BoardSize, Rule, Side};
use tengen::workbench::bench::signature;
use tengen::workbench::chart::draw;
use tengen::workbench::data::file::{DataGame, Maker, NAME, Reader, append, append_to};
use tengen::workbench::data::generate::{Plan, generate};
use tengen::workbench::data::plot::of_games;
use tengen::workbench::data::selfplay::{Ending, Settings, Variety};
use tengen::workbench::shard::Shard;
use tengen::workbench::tune::Weights;

/// Shown below `tengen selfplay --help`.
pub const EXAMPLES: &str = "\
Scores are in evaluation units: 200 make the odds of winning e to 1.

Variety: in its first moves a game follows the temperature, if there is one: of the 4 best moves, one that is d units
worse than the best is exp(-d/UNITS) times as likely. The 4 share the nodes of one search, so that it is less deep, not
slower. Besides, now and then a move is a random one near the best. The record marks moves that are not the best.

Examples:
  tengen selfplay --games 100000 --size 15,20 --rule renju -o games.bin
  tengen selfplay --depth 6 --temperature 20 --shard 3/64 -o part3.bin";

/// Options of `tengen selfplay`.
#[derive(clap::Args)]
pub struct SelfplayArgs {
    /// Rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, default_value = "0", value_parser = parse_rule)]
    rule: Rule,
    /// Boards, taken in turn: 15, or 20x15
    #[arg(short, long, value_delimiter = ',', default_value = "15", value_parser = parse_size)]
    size: Vec<BoardSize>,
    /// Games in the whole data set
    #[arg(short, long, default_value_t = 1000)]
    games: u64,
    /// Nodes a move [default: 2000 unless there is a depth]
    #[arg(short, long, value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    nodes: Option<u64>,
    /// Depth a move, in plies; with --nodes, whichever ends first
    #[arg(short, long, value_parser = parse_depth)]
    depth: Option<u32>,
    /// Fewest and most stones of the random openings
    #[arg(long, value_name = "FEWEST,MOST", default_value = "2,8", value_parser = parse_range)]
    opening: (usize, usize),
    /// Largest score of an opening
    #[arg(long, value_name = "UNITS", default_value_t = 150, value_parser = clap::value_parser!(i32).range(0..))]
    balance: i32,
    /// Temperature of the first moves (see below); 0: always the best
    #[arg(long, value_name = "UNITS", default_value_t = Variety::default().temperature, value_parser = parse_temperature)]
    temperature: f64,
    /// Stones on the board from which there is no temperature
    #[arg(long, value_name = "STONES", default_value_t = Variety::default().temperature_plies)]
    temperature_plies: usize,
    /// Chance of a random near move, in thousandths
    #[arg(long, value_name = "N", default_value_t = Variety::default().random)]
    random: u32,
    /// Stones on the board from which no move is random
    #[arg(long, value_name = "STONES", default_value_t = Variety::default().random_plies)]
    random_plies: usize,
    /// End games where a search proves who wins; the weights then learn nothing of how attacks end
    #[arg(long)]
    adjudicate: bool,
    /// Seed of the data set
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: all cores]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
    /// Make only part K of N
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// Signature of the engine for the records [default: measured, as by `bench`]
    #[arg(long)]
    signature: Option<u64>,
    /// Name of the evaluation for the records [default: that of the weights built in]
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    evaluation: Option<String>,
    /// File to append to; a run that was ended early goes on where it stopped
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let range = text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    range.filter(|(fewest, most)| fewest <= most).ok_or_else(|| "expected FEWEST,MOST such as 2,8".to_owned())
}

fn parse_temperature(text: &str) -> Result<f64, String> {
    let units = text.parse().ok().filter(|units: &f64| units.is_finite() && *units >= 0.0);
    units.ok_or_else(|| "expected a number that is not negative".to_owned())
}

fn parse_name(text: &str) -> Result<String, String> {
    if text.len() <= NAME { Ok(text.to_owned()) } else { Err(format!("at most {NAME} bytes")) }
}

impl SelfplayArgs {
    fn settings(&self, size: BoardSize) -> Settings {
        Settings {
            rule: self.rule,
            size,
            nodes: if self.depth.is_some() { self.nodes } else { self.nodes.or(Settings::default().nodes) },
            depth: self.depth,
            opening: self.opening,
            balance: self.balance,
            variety: Variety {
                temperature: self.temperature,
                temperature_plies: self.temperature_plies,
                random: self.random,
                random_plies: self.random_plies,
            },
            adjudicate: self.adjudicate,
        }
    }

    fn maker(&self, threads: usize) -> Result<Maker> {
        let engine = Maker::THIS_ENGINE.to_owned();
        let signature = self.signature.map_or_else(|| signature(threads), Ok)?;
        let evaluation = self.evaluation.clone().unwrap_or_else(|| Weights::name(Weights::built_in()));
        Ok(Maker { engine, signature, evaluation })
    }
}

/// Runs `tengen selfplay`.
pub fn selfplay(args: &SelfplayArgs) -> Result<ExitCode> {
    let path = || args.output.display().to_string();
    let (mut file, done) = append_to(&args.output).with_context(path)?;
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = args.threads.unwrap_or_else(cores).get();
    let mine = (args.games + args.shard.parts - args.shard.part) / args.shard.parts;
    let mut plan = Plan {
        settings: args.size.iter().map(|size| args.settings(*size)).collect(),
        seed: args.seed,
        first: args.shard.part - 1,
        games: mine,
        step: args.shard.parts,
        maker: args.maker(threads)?,
    };
    plan.go_on_after(&done).map_err(|e| anyhow!(e)).with_context(path)?;
    let stop = stop_on_signal()?;
    let bar = ProgressBar::new(mine).with_position(mine - plan.games);
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len} [{elapsed_precise}<{eta_precise}] {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.reset_eta();
    let (began, mut positions, mut failed) = (Instant::now(), 0, None);
    generate(&plan, threads, &stop, |game| {
        positions += game.game.moves.len();
        bar.inc(1);
        bar.set_message(format!("{:.0} positions/s", positions as f64 / began.elapsed().as_secs_f64()));
        failed = append(&mut file, &game).err();
        failed.is_none()
    })?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error).with_context(path);
    }
    let rate = positions as f64 / began.elapsed().as_secs_f64() / threads as f64;
    writeln!(stdout(), "{positions} positions, {rate:.1} a second and thread")?;
    Ok(ExitCode::SUCCESS)
}

/// What `tengen data` can do.
#[derive(clap::Subcommand)]
pub enum DataCommand {
    /// Verify every record; fails if a file holds anything else (a torn tail is told, and is no failure)
    Check {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Count games, positions, results, endings, duplicates, and say who made them
    Stats {
        /// Draw game lengths, results and scores as histograms
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Join files, each game once
    Merge {
        /// The file to be made
        #[arg(short, long)]
        output: PathBuf,
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// Runs `tengen data`.
pub fn data(command: &DataCommand) -> Result<ExitCode> {
    let mut out = stdout().lock();
    match command {
        DataCommand::Check { files } => {
            let mut bad = 0;
            for path in files {
                let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
                let mut reader = Reader::new(&bytes);
                let (mut games, mut error) = (0, None);
                for game in reader.by_ref() {
                    match game {
                        Ok(_) => games += 1,
                        Err(e) => error = Some(e),
                    }
                }
                let at = reader.offset();
                let state = match error {
                    Some(e) => format!("{e} at byte {at}"),
                    None if at < bytes.len() => format!("torn tail of {} bytes", bytes.len() - at),
                    None => "whole".to_owned(),
                };
                bad += u64::from(error.is_some());
                writeln!(out, "{}: {games} games, {state}", path.display())?;
            }
            Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        DataCommand::Stats { svg, files } => {
            let games = load(files)?;
            write_stats(&mut out, &games)?;
            if let Some(path) = svg {
                let drawn = draw(path, &of_games(&games)).map_err(|e| anyhow!(e));
                drawn.with_context(|| path.display().to_string())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        DataCommand::Merge { output, files } => {
            let games = load(files)?;
            let (mut file, before) = append_to(output).with_context(|| output.display().to_string())?;
            ensure!(before.is_empty(), "{} has games already", output.display());
            let mut seen = HashSet::new();
            for game in games.iter().filter(|g| seen.insert(g.encode())) {
                append(&mut file, game).with_context(|| output.display().to_string())?;
            }
            writeln!(out, "{} games of {} in {}", seen.len(), games.len(), output.display())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// All games of some files; a torn tail is left out.
pub fn load(files: &[PathBuf]) -> Result<Vec<DataGame>> {
    let mut games = Vec::new();
    for path in files {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        for game in Reader::new(&bytes) {
            games.push(game.with_context(|| path.display().to_string())?);
        }
    }
    Ok(games)
}

fn write_stats(out: &mut dyn Write, games: &[DataGame]) -> Result<()> {
    let mut kinds: BTreeMap<String, [u64; 9]> = BTreeMap::new();
    let (mut openings, mut lines, mut makers) = (HashSet::new(), HashSet::new(), BTreeMap::new());
    for g in games {
        let kind = kinds.entry(format!("{} {}", g.rule, g.size)).or_default();
        let random = g.game.moves.iter().filter(|m| m.point != m.best).count() as u64;
        let result = match g.game.winner {
            Some(Side::Black) => [1, 0, 0],
            None => [0, 1, 0],
            Some(Side::White) => [0, 0, 1],
        };
        let ended = |ending: Ending| u64::from(g.game.ending == ending);
        let endings = [Ending::Row, Ending::Foul, Ending::Proof].map(ended);
        let counts = [&[1, g.game.moves.len() as u64][..], &result, &[random], &endings].concat();
        kind.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        *makers.entry((&g.maker, g.nodes, g.depth)).or_insert(0) += 1;
        openings.insert((g.size.width(), g.game.opening.clone()));
        let line: Vec<_> = g.game.opening.iter().copied().chain(g.game.moves.iter().map(|m| m.point)).collect();
        lines.insert((g.size.width(), line));
    }
    writeln!(
        out,
        "{:20} {:>8} {:>10} {:>7} {:>7} {:>7} {:>9} {:>7} {:>7} {:>7}",
        "", "games", "positions", "black", "draw", "white", "random", "rows", "fouls", "proofs"
    )?;
    for (kind, [games, positions, black, draw, white, random, rows, fouls, proofs]) in kinds {
        write!(out, "{kind:20} {games:8} {positions:10} {black:7} {draw:7} {white:7} {random:9}")?;
        writeln!(out, " {rows:7} {fouls:7} {proofs:7}")?;
    }
    writeln!(out, "{} different openings, {} games are copies of others", openings.len(), games.len() - lines.len())?;
    for ((Maker { engine, signature, evaluation }, nodes, depth), games) in makers {
        let engine = if engine.is_empty() { "an unnamed engine" } else { engine };
        write!(out, "{games} games by {engine}, signature {signature}, evaluation {evaluation}")?;
        for (limit, unit) in [(nodes, "nodes"), (depth.into(), "plies")].iter().filter(|(limit, _)| *limit > 0) {
            write!(out, ", {limit} {unit} a move")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
