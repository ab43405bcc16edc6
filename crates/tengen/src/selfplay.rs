//! `tengen selfplay`: makes training games.

use crate::choices::{ensure_writable, parse_depth, parse_range, parse_rule, processors, progress_bar, shard_of};
use crate::signal::stop_on_signal;
use anyhow::{Context, Result};
use std::io::{Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tengen::bench::signature;
use tengen::engine::loader;
use tengen::engine::{BoardSize, Evaluation, Rule};
use tengen_workbench::data::file::Writer;
use tengen_workbench::data::generate::{Plan, generate};
use tengen_workbench::data::record::{Maker, NAME};
use tengen_workbench::data::selfplay::{MOST_STONES, Settings, Variety};
use tengen_workbench::shard::{Shard, ShardChoice};

/// Shown below `tengen selfplay --help`.
pub const EXAMPLES: &str = "\
Scores are in evaluation units: 200 units are odds of e to 1 (73 % of the points).

Two options make games differ. With a temperature, the first moves are drawn from the 4 best moves: a move that is d
units worse than the best has exp(-d/TEMPERATURE) times its probability. The 4 moves share the nodes of one search, so
the search is shallower but not slower. With --random, some moves are random moves near the best one. The record marks
moves that are not the best.

Examples:
  tengen selfplay --games 100000 --size 15,20 --rule renju -o games.bin
  tengen selfplay --depth 6 --temperature 20 --shard 3/64 -o part3.bin
  tengen selfplay --weights best.tnn --games 50000 -o games.bin";

/// How games are played.
#[derive(clap::Args)]
pub struct GameArgs {
    /// Rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, default_value = "0", value_parser = parse_rule)]
    pub rule: Rule,
    /// Board sizes, used in turn: 15, or 20x15
    #[arg(short, long, value_delimiter = ',', default_value = "15")]
    pub size: Vec<BoardSize>,
    /// Nodes per move [default: 2000 without --depth]
    #[arg(short, long, value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    nodes: Option<u64>,
    /// Search depth per move, in plies; with --nodes, the first limit reached counts
    #[arg(short, long, value_parser = parse_depth)]
    depth: Option<u32>,
    /// Minimum and maximum number of stones of the random openings, at most 16
    #[arg(long, value_name = "FEWEST,MOST", default_value = "2,8", value_parser = parse_opening)]
    opening: (usize, usize),
    /// Maximum score of an opening for either side
    #[arg(long, value_name = "UNITS", default_value_t = 150, value_parser = clap::value_parser!(i32).range(0..))]
    balance: i32,
    /// Temperature of the first moves (see `tengen selfplay --help`); 0: always the best move
    #[arg(long, value_name = "UNITS", default_value_t = Variety::default().temperature, value_parser = parse_temperature)]
    temperature: f64,
    /// Stop using the temperature at this number of stones
    #[arg(long, value_name = "STONES", default_value_t = Variety::default().temperature_plies)]
    temperature_plies: usize,
    /// Probability of a random move, in thousandths
    #[arg(long, value_name = "N", default_value_t = Variety::default().random,
        value_parser = clap::value_parser!(u32).range(..=1000))]
    random: u32,
    /// Stop playing random moves at this number of stones
    #[arg(long, value_name = "STONES", default_value_t = Variety::default().random_plies)]
    random_plies: usize,
    /// End a game when a search proves the winner. Networks trained on such games do not learn the ends of attacks
    #[arg(long)]
    adjudicate: bool,
}

/// Options of `tengen selfplay`.
#[derive(clap::Args)]
pub struct SelfplayArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Number of games in the whole data set
    #[arg(short, long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Evaluation: a network of `tengen train`, weights of `tengen tune`, or `classical` [default: the built-in
    /// network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Seed of the data set
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: all cores]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
    /// Play only part K of N of the data set, or the part of this array task: auto, auto/N (see `tengen match --help`)
    #[arg(long, value_name = "K/N", default_value_t = ShardChoice::Given(Shard::WHOLE))]
    shard: ShardChoice,
    /// Bench signature of the engine, for the records [default: computed, as by `tengen bench`]
    #[arg(long)]
    signature: Option<u64>,
    /// Name of the evaluation, for the records [default: the name of the weights]
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    evaluation: Option<String>,
    /// Output file; the same command resumes an interrupted run
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

fn parse_opening(text: &str) -> Result<(usize, usize), String> {
    match parse_range(text)? {
        (_, most) if most > MOST_STONES => Err(format!("an opening has at most {MOST_STONES} stones")),
        range => Ok(range),
    }
}

fn parse_temperature(text: &str) -> Result<f64, String> {
    let units = text.parse().ok().filter(|units: &f64| units.is_finite() && *units >= 0.0);
    units.ok_or_else(|| "expected a number that is not negative".to_owned())
}

fn parse_name(text: &str) -> Result<String, String> {
    if text.len() <= NAME { Ok(text.to_owned()) } else { Err(format!("at most {NAME} bytes")) }
}

impl GameArgs {
    /// The settings of the games, with the first of the sizes.
    pub fn settings(&self) -> Settings {
        Settings {
            rule: self.rule,
            size: self.size[0],
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
}

impl SelfplayArgs {
    fn maker(&self, threads: usize, used: &Evaluation) -> Result<Maker> {
        let engine = Maker::THIS_ENGINE.to_owned();
        let signature = self.signature.map_or_else(|| signature(threads), Ok)?;
        let evaluation = self.evaluation.clone().unwrap_or_else(|| loader::name(used, self.game.rule));
        Ok(Maker { engine, signature, evaluation })
    }
}

/// Runs `tengen selfplay`.
pub fn selfplay(args: &SelfplayArgs) -> Result<ExitCode> {
    let path = || args.output.display().to_string();
    ensure_writable(&args.output)?;
    let threads = args.threads.map_or_else(processors, NonZeroUsize::get);
    let Shard { part, parts } = shard_of(args.shard)?;
    let mine = (args.games + parts - part) / parts;
    let used = loader::read_or_default(args.weights.as_deref())?;
    let mut plan = Plan {
        settings: args.game.settings(),
        sizes: args.game.size.clone(),
        seed: args.seed,
        first: part - 1,
        games: mine,
        step: parts,
        maker: args.maker(threads, &used)?,
        evaluation: used,
    };
    let mut writer = Writer::open(&args.output, &mut plan).with_context(path)?;
    let stop = stop_on_signal()?;
    let bar = progress_bar(mine, mine - plan.games);
    let (began, mut made, mut positions, mut failed) = (Instant::now(), 0, 0, None);
    generate(&plan, threads, &stop, |game| {
        positions += game.game.moves.len();
        bar.inc(1);
        bar.set_message(format!("{:.0} positions/s", positions as f64 / began.elapsed().as_secs_f64()));
        made += 1;
        failed = writer.game(&game).err();
        failed.is_none()
    })?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error).with_context(path);
    }
    let rate = positions as f64 / began.elapsed().as_secs_f64() / threads as f64;
    writeln!(stdout(), "{positions} positions, {rate:.1} a second and thread")?;
    if made < plan.games {
        let there = mine - plan.games + made;
        writeln!(stderr(), "{there} of {mine} games: the same command goes on with {}", path())?;
    }
    Ok(ExitCode::SUCCESS)
}
