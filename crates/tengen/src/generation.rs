//! `tengen generation`: makes one generation of the network: self-play, training, and a match.

use crate::choices::{ensure_shares, processors, progress_bar};
use crate::match_args::parse_sprt;
use crate::selfplay::GameArgs;
use crate::signal::stop_on_signal;
use crate::train::{Speed, write_liveness, write_report};
use crate::tune::{elo_text, openings, sprt_text};
use anyhow::{Result, ensure};
use indicatif::ProgressBar;
use std::io::{Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tengen::bench::signature;
use tengen_workbench::generation::manifest::{GateResult, Record};
use tengen_workbench::generation::settings::{Comparison, Gate, Learning, Settings, Trees};
use tengen_workbench::generation::{Generation, Update};
use tengen_workbench::matches::settings::SprtSpec;
use tengen_workbench::stats::with_interval;
use tengen_workbench::train::{Plan, run};
use tengen_workbench::tune::duel::Budget;

/// Examples for the help.
pub const EXAMPLES: &str = "\
A generation has four stages: self-play games of the current evaluation, search trees of their positions (with
--tree-nodes), the training of a network on these and on the games of the last generations, and a match of that network
against the current evaluation. If the match proves the network stronger, it becomes best.tnn, the new current
evaluation. The folder keeps all files; manifest.jsonl lists them. The same command resumes an interrupted generation,
and begins the next one after a complete one.

The match ends by SPRT, the sequential probability ratio test: it compares the hypotheses that the network is elo0 or
elo1 stronger, and stops when the games decide between them. A pair is two games from one opening with colours swapped.

Examples:
  tengen generation nets
  tengen generation nets --rule renju --games 20000 --window 5
  tengen generation nets --match-time 0.1 --pairs 200 --sprt elo0=0,elo1=30
  tengen generation nets --games 8000 --nodes 5000 --random 0 --warm-start --steps 1000 --tree-nodes 100000";

/// Options of `tengen generation`.
#[derive(clap::Args)]
pub struct GenerationArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Number of self-play games
    #[arg(short, long, default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Train on the games of the last N generations
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    window: u32,
    /// Number of training steps
    #[arg(long, default_value_t = Learning::default().steps, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Batch size: positions per step
    #[arg(long, default_value_t = Learning::default().batch)]
    batch: usize,
    /// Largest learning rate
    #[arg(long, default_value_t = Learning::default().rate)]
    rate: f64,
    /// Start the training from the current network, if there is one, instead of random weights. This needs fewer steps
    /// and games, and about half the learning rate
    #[arg(long)]
    warm_start: bool,
    /// Quantize the weights as the engine does after this share of the steps, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Learning::default().rounded_from)]
    rounded_from: f64,
    /// Add separate weights for each line shape after this share of the steps; 1: never
    #[arg(long, value_name = "SHARE", default_value_t = Learning::default().residual_from)]
    residual_from: f64,
    /// Export a network although some of its lanes are never active
    #[arg(long)]
    allow_dead: bool,
    /// Also train on search trees of the new games: search their positions with this many nodes (see `tengen data
    /// tree`)
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    tree_nodes: Option<u64>,
    /// Search every Nth position of a game for the trees, on average
    #[arg(long, value_name = "N", default_value_t = 70, requires = "tree_nodes",
        value_parser = clap::value_parser!(u32).range(1..))]
    tree_every: u32,
    /// Store tree nodes with at least this remaining depth, in plies
    #[arg(long, value_name = "PLIES", default_value_t = 6, requires = "tree_nodes")]
    tree_depth: u32,
    /// Store one in N of these nodes
    #[arg(long, value_name = "N", default_value_t = 3, requires = "tree_nodes",
        value_parser = clap::value_parser!(u32).range(1..))]
    tree_one_in: u32,
    /// Share of tree nodes in a batch; the rest are positions of games
    #[arg(long, value_name = "SHARE", default_value_t = Plan::default().tree_share, requires = "tree_nodes")]
    tree_share: f32,
    /// Share of the search score in the value target, 0 to 1; the rest is the game result
    #[arg(long, default_value_t = Learning::default().blend)]
    blend: f64,
    /// Scale of the sigmoid that turns recorded scores into expected results, in evaluation units
    #[arg(long, value_name = "UNITS", default_value_t = Learning::default().scale)]
    scale: f64,
    /// Steps between two measurements on validation games, which are not trained on
    #[arg(long, default_value_t = Learning::default().interval, value_parser = clap::value_parser!(u32).range(1..))]
    interval: u32,
    /// Play the match only if the held-out losses on the result and on the best move fell by at least this much, in
    /// nats, against the current evaluation
    #[arg(long, value_name = "RESULT,BEST", default_value = "0.003,0.02", value_parser = parse_gate)]
    gate: Gate,
    /// Play the match whatever the held-out losses
    #[arg(long, conflicts_with = "gate")]
    no_gate: bool,
    /// Maximum number of game pairs in the match
    #[arg(short, long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// Nodes per move in the match
    #[arg(long, value_name = "NODES", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    match_nodes: u64,
    /// Seconds per move in the match, instead of nodes
    #[arg(long, value_name = "SECONDS", conflicts_with = "match_nodes", value_parser = parse_seconds)]
    match_time: Option<Duration>,
    /// Openings of the match: a file with one opening per line, or `random` for balanced random stones [default: the
    /// built-in sharp openings of this rule and board size, or random ones if there are none]
    #[arg(long, value_name = "FILE|random")]
    openings: Option<String>,
    /// SPRT of the match: elo0=0,elo1=50[,alpha=A,beta=B,model=normalized]. The network is adopted only if the test
    /// accepts elo1
    #[arg(long, value_name = "KEY=VALUE", default_value = "elo0=0,elo1=50", value_parser = parse_sprt)]
    sprt: SprtSpec,
    /// Seed of the first generation; each later generation adds 1
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: one per processor]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
    /// Bench signature of the engine, for the records [default: computed, as by `tengen bench`]
    #[arg(long)]
    signature: Option<u64>,
    /// Folder of all generations
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=3600.0).contains(seconds));
    // Whole milliseconds, the unit of the manifest.
    let milliseconds = seconds.map(|seconds: f64| (1e3 * seconds).round() as u64);
    milliseconds.map(Duration::from_millis).ok_or_else(|| "expected seconds, 0.001 to 3600".to_owned())
}

impl GenerationArgs {
    fn settings(&self) -> Result<Settings> {
        ensure_shares(&[
            ("blend", self.blend),
            ("rounded-from", self.rounded_from),
            ("residual-from", self.residual_from),
            ("tree-share", f64::from(self.tree_share)),
        ])?;
        ensure!(self.scale > 0.0 && self.rate > 0.0, "--scale and --rate are above 0");
        ensure!(self.batch > 0, "--batch is at least 1");
        let (rule, size) = (self.game.rule, self.game.size[0]);
        Ok(Settings {
            selfplay: self.game.settings(),
            sizes: self.game.size.clone(),
            games: self.games,
            window: self.window,
            learning: Learning {
                steps: self.steps,
                batch: self.batch,
                rate: self.rate,
                interval: self.interval,
                blend: self.blend,
                scale: self.scale,
                warm_start: self.warm_start,
                rounded_from: self.rounded_from,
                residual_from: self.residual_from,
                allow_dead: self.allow_dead,
                trees: self.tree_nodes.map(|nodes| Trees {
                    nodes,
                    every: self.tree_every,
                    depth: self.tree_depth,
                    one_in: self.tree_one_in,
                    share: self.tree_share,
                }),
                ..Learning::default()
            },
            gate: Some(self.gate).filter(|_| !self.no_gate),
            comparison: Comparison {
                pairs: self.pairs,
                budget: self.match_time.map_or(Budget::Nodes(self.match_nodes), Budget::Time),
                openings: openings(self.openings.as_deref(), rule, size)?,
                sprt: self.sprt,
            },
            seed: self.seed,
        })
    }
}

/// Reads the two values of `--gate`.
fn parse_gate(text: &str) -> Result<Gate, String> {
    let value = |part: &str| part.trim().parse().ok().filter(|n: &f64| n.is_finite());
    let parts = text.split_once(',').and_then(|(result, best)| value(result).zip(value(best)));
    let (result, best_move) = parts.ok_or("expected two numbers with a comma between them, such as 0.003,0.02")?;
    Ok(Gate { result, best_move })
}

/// Runs `tengen generation`.
pub fn main(args: &GenerationArgs) -> Result<ExitCode> {
    let settings = args.settings()?;
    let threads = args.threads.map_or_else(processors, NonZeroUsize::get);
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let generation = Generation {
        folder: &args.folder,
        settings: &settings,
        signature: args.signature.map_or_else(|| signature(threads), Ok)?,
        version: tengen::VERSION,
        command: &words.join(" "),
        threads,
    };
    let stop = stop_on_signal()?;
    let mut view =
        ProgressView { sprt: args.sprt, bar: ProgressBar::hidden(), speed: None, batch: args.batch, shown: Ok(()) };
    let end = generation.run(&stop, &mut |update| {
        view.shown = view.show(&update);
        view.shown.is_ok()
    });
    view.bar.finish_and_clear();
    view.shown?;
    if end?.is_none() {
        writeln!(stderr(), "interrupted: the same command goes on with {}", args.folder.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The output on the terminal.
struct ProgressView {
    sprt: SprtSpec,
    bar: ProgressBar,
    speed: Option<Speed>,
    batch: usize,
    shown: Result<()>,
}

impl ProgressView {
    fn show(&mut self, update: &Update) -> Result<()> {
        match update {
            Update::Begun { generation, resumed, evaluation } => {
                let how = if *resumed { "goes on" } else { "begins" };
                writeln!(stdout(), "generation {generation} {how} with {evaluation}")?;
            }
            Update::Game(done, total) => self.advance(*done, *total, "games".to_owned()),
            Update::Tree(done, total) => self.advance(*done, *total, "games with their search trees".to_owned()),
            Update::Pair(score, total) => {
                let text = format!("pairs; {}; {}", elo_text(score), sprt_text(&self.sprt, score).0);
                self.advance(score.pairs.pairs(), *total, text);
            }
            Update::Training(run::Update::Samples { training, held_out, steps }) => {
                writeln!(stdout(), "{training} training and {held_out} held-out positions")?;
                self.speed = Some(Speed::new(self.batch, *steps));
            }
            Update::Training(run::Update::Measured(progress, mark)) => {
                self.speed.iter_mut().try_for_each(|speed| writeln!(stdout(), "{}", speed.line(progress, mark)))?;
            }
            Update::Quality(report, liveness) => {
                write_liveness(liveness, report)?;
                if report.positions > 0 {
                    write_report(report)?;
                }
            }
            Update::Done(record) => {
                self.bar.finish_and_clear();
                self.bar = ProgressBar::hidden();
                write_record(record)?;
            }
        }
        Ok(())
    }

    /// Advances the bar; the first call of a stage creates it.
    fn advance(&mut self, done: u64, total: u64, message: String) {
        if self.bar.length() != Some(total) {
            self.bar = progress_bar(total, done);
        }
        self.bar.set_position(done);
        self.bar.set_message(message);
    }
}

/// Prints how a network came through the gate.
fn write_gate(out: &mut impl Write, gate: &GateResult) -> Result<()> {
    let Some((result, best_move)) = gate.result.zip(gate.best_move) else {
        writeln!(out, "too few held-out positions to compare losses: the match is played")?;
        return Ok(());
    };
    let what =
        if gate.passed { "the match is played" } else { "too little, so no match is played (--no-gate plays it)" };
    // A loss that has risen is a negative fall.
    writeln!(out, "losses fell by {result:.4} (result) and {best_move:.4} (best move): {what}")?;
    Ok(())
}

/// Prints a completed stage as a line.
fn write_record(record: &Record) -> Result<()> {
    let mut out = stdout().lock();
    match record {
        Record::Begin(_) => {}
        Record::Games(games) => {
            writeln!(out, "{}: {} games, {} positions", games.file.name, games.games, games.positions)?;
        }
        Record::Trees(trees) => writeln!(out, "{}: {} nodes", trees.file.name, trees.nodes)?,
        Record::Training(training) => writeln!(out, "{}: {}", training.file.name, training.name)?,
        Record::Gate(gate) => write_gate(&mut out, gate)?,
        Record::Match(played) => {
            let [won, drawn, lost] = played.games;
            let all = if won > 0 { f64::INFINITY } else { f64::NEG_INFINITY };
            let [low, high] = played.interval;
            let interval = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
            let one_colour =
                played.one_colour.map_or_else(String::new, |n| format!(", {n} pairs won twice by one colour"));
            writeln!(
                out,
                "{} against {}: +{won} ={drawn} -{lost}, Elo {}{one_colour}, LLR {:.2} ({:.2}, {:.2}), {}",
                played.network,
                played.against,
                with_interval(played.elo.unwrap_or(all), interval, 1),
                played.llr,
                played.bounds.0,
                played.bounds.1,
                played.verdict
            )?;
        }
        Record::End(end) => {
            let what = if end.accepted { "adopted" } else { "not adopted" };
            writeln!(out, "generation {}: {what}; {} is in force", end.generation, end.evaluation)?;
        }
    }
    Ok(())
}
