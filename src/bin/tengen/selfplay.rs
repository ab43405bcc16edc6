//! `tengen selfplay` and `tengen data`: makes training games, and looks at them.

use crate::choices::parse_rule;
use anyhow::{Context, Result, anyhow, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{BTreeMap, HashSet};
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tengen::engine::{BoardSize, Rule, Side, StopToken};
use tengen::workbench::chart::{draw_histograms, of_games};
use tengen::workbench::data::{DataGame, Reader, append, append_to};
use tengen::workbench::generate::{Plan, generate};
use tengen::workbench::schedule::Shard;
use tengen::workbench::selfplay::{Ending, Settings};

/// Options of `tengen selfplay`.
#[derive(clap::Args)]
pub struct SelfplayArgs {
    /// Rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, default_value = "0", value_parser = parse_rule)]
    rule: Rule,
    /// Board sizes, taken in turn
    #[arg(short, long, value_delimiter = ',', default_value = "15")]
    size: Vec<u8>,
    /// Games in the whole data set
    #[arg(short, long, default_value_t = 1000)]
    games: u64,
    /// Nodes a move
    #[arg(short, long, default_value_t = 2000)]
    nodes: u64,
    /// Fewest and most opening stones
    #[arg(long, value_delimiter = ',', default_value = "2,8")]
    opening: Vec<usize>,
    /// Largest score of an opening, in evaluation units
    #[arg(long, default_value_t = 150)]
    balance: i32,
    /// Chance of a random near move, in thousandths
    #[arg(long, default_value_t = 20)]
    random: u32,
    /// Stones on the board from which no move is random
    #[arg(long, default_value_t = 40)]
    random_plies: usize,
    /// Seed of the data set
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: all cores]
    #[arg(short = 'j', long)]
    threads: Option<usize>,
    /// Make only part K of N
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// Signature of the engine, kept in each record (see `bench`)
    #[arg(long, default_value_t = 0)]
    signature: u64,
    /// Name of the evaluation, kept in each record
    #[arg(long, default_value = "default")]
    evaluation: String,
    /// File to append to; a run that was ended early goes on where it stopped
    #[arg(short, long)]
    output: PathBuf,
}

/// Runs `tengen selfplay`.
pub fn selfplay(args: &SelfplayArgs) -> Result<ExitCode> {
    ensure!(args.opening.len() == 2 && args.opening[0] <= args.opening[1], "--opening needs FEWEST,MOST");
    let rule = args.rule;
    let settings = |size: &u8| {
        let size = BoardSize::new(*size, *size).ok_or_else(|| anyhow!("boards are 5 to 25 points wide"))?;
        let opening = (args.opening[0], args.opening[1]);
        let (nodes, balance, random, random_plies) = (args.nodes, args.balance, args.random, args.random_plies);
        Ok(Settings { rule, size, nodes, opening, balance, random, random_plies })
    };
    let (mut file, done) = append_to(&args.output).with_context(|| args.output.display().to_string())?;
    let mine = (args.games + args.shard.parts - args.shard.part) / args.shard.parts;
    let plan = Plan {
        settings: args.size.iter().map(settings).collect::<Result<_>>()?,
        seed: args.seed,
        first: args.shard.part - 1 + done * args.shard.parts,
        games: mine.saturating_sub(done),
        step: args.shard.parts,
        engine: args.signature,
        evaluation: args.evaluation.clone(),
    };
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let stop = StopToken::new();
    let on_signal = stop.clone();
    ctrlc::set_handler(move || on_signal.stop()).context("cannot handle Ctrl-C")?;
    let bar = ProgressBar::new(mine).with_position(done);
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
        return Err(error).with_context(|| args.output.display().to_string());
    }
    let rate = positions as f64 / began.elapsed().as_secs_f64() / threads as f64;
    writeln!(stdout(), "{positions} positions, {rate:.1} a second and thread")?;
    Ok(ExitCode::SUCCESS)
}

/// What `tengen data` can do.
#[derive(clap::Subcommand)]
pub enum DataCommand {
    /// Verify every record; fails if a file holds anything else (a torn tail is told, and is no failure)
    Check { files: Vec<PathBuf> },
    /// Count games, positions, results, endings, duplicates
    Stats {
        /// Draw game lengths, results and scores as histograms
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        files: Vec<PathBuf>,
    },
    /// Join files, each game once
    Merge {
        /// The file to be made
        #[arg(short, long)]
        output: PathBuf,
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
                let drawn = draw_histograms(path, &of_games(&games)).map_err(|e| anyhow!(e));
                drawn.with_context(|| path.display().to_string())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        DataCommand::Merge { output, files } => {
            let (mut file, before) = append_to(output).with_context(|| output.display().to_string())?;
            ensure!(before == 0, "{} has games already", output.display());
            let mut seen = HashSet::new();
            let games = load(files)?;
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
    let (mut openings, mut lines) = (HashSet::new(), HashSet::new());
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
    Ok(())
}
