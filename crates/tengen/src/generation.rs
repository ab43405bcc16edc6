//! `tengen generation`: makes one generation of the network: self-play, training, and a match.

use crate::choices::{ensure_shares, processors, progress_bar};
use crate::match_args::parse_sprt;
use crate::selfplay::GameArgs;
use crate::signal::stop_on_signal;
use crate::train::{Speed, write_report};
use crate::tune::{elo_text, openings, sprt_text};
use anyhow::{Result, ensure};
use indicatif::ProgressBar;
use std::io::{Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tengen::bench::signature;
use tengen_workbench::generation::manifest::Record;
use tengen_workbench::generation::settings::{Comparison, Learning, Settings, Trees};
use tengen_workbench::generation::{Generation, News};
use tengen_workbench::matches::settings::SprtSpec;
use tengen_workbench::stats::with_interval;
use tengen_workbench::train::{Plan, run};
use tengen_workbench::tune::duel::Budget;

/// Examples for the help.
pub const EXAMPLES: &str = "\
The folder keeps everything, see its manifest.jsonl: games of the evaluation in force against itself, its search trees
of their positions (with --tree-nodes), the network that is trained on these and the games of the newest generations,
and its match against the evaluation in force. A network that the test finds stronger becomes best.tnn. An interrupted
generation goes on when the same command runs again; after a complete one, it makes the next.

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
    /// Games of self-play
    #[arg(short, long, default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Learn from the games of this many generations, the newest
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    window: u32,
    /// Steps of the training
    #[arg(long, default_value_t = Learning::default().steps, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Positions a step
    #[arg(long, default_value_t = Learning::default().batch)]
    batch: usize,
    /// Largest learning rate
    #[arg(long, default_value_t = Learning::default().rate)]
    rate: f64,
    /// Begin the training with the weights of the network in force, if there is one, instead of random ones: fewer
    /// steps and games are enough, and about half the rate
    #[arg(long)]
    warm_start: bool,
    /// Share of the steps after which weights are rounded as the engine's are (quantized)
    #[arg(long, value_name = "SHARE", default_value_t = Learning::default().rounded_from)]
    rounded_from: f64,
    /// Share of the steps after which each line shape gets weights of its own, beside the shared ones; 1: never
    #[arg(long, value_name = "SHARE", default_value_t = Learning::default().residual_from)]
    residual_from: f64,
    /// Learn also from search trees of the new games, made with this many nodes a position by the evaluation in force
    /// (see `tengen data tree`)
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    tree_nodes: Option<u64>,
    /// Search one in N of a game's positions for these
    #[arg(long, value_name = "N", default_value_t = 70, requires = "tree_nodes",
        value_parser = clap::value_parser!(u32).range(1..))]
    tree_every: u32,
    /// Store nodes with at least this remaining depth, in plies
    #[arg(long, value_name = "PLIES", default_value_t = 6, requires = "tree_nodes")]
    tree_depth: u32,
    /// Store one in N of them
    #[arg(long, value_name = "N", default_value_t = 3, requires = "tree_nodes",
        value_parser = clap::value_parser!(u32).range(1..))]
    tree_one_in: u32,
    /// Share of the positions of a step that are their nodes; the rest are of games
    #[arg(long, value_name = "SHARE", default_value_t = Plan::default().tree_share, requires = "tree_nodes")]
    tree_share: f32,
    /// Share of the search's score in the value's target, 0 to 1; the rest is the game's result
    #[arg(long, default_value_t = Learning::default().blend)]
    blend: f64,
    /// Divisor of recorded scores in the target's sigmoid
    #[arg(long, value_name = "UNITS", default_value_t = Learning::default().scale)]
    scale: f64,
    /// Steps between two measurements on held-out games
    #[arg(long, default_value_t = Learning::default().interval, value_parser = clap::value_parser!(u32).range(1..))]
    interval: u32,
    /// Most pairs of games in the match
    #[arg(short, long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: u64,
    /// Nodes a move in the match
    #[arg(long, value_name = "NODES", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    match_nodes: u64,
    /// Seconds a move in the match, instead of nodes
    #[arg(long, value_name = "SECONDS", conflicts_with = "match_nodes", value_parser = parse_seconds)]
    match_time: Option<Duration>,
    /// Openings of the match: a file with one a line, or `random` for balanced random stones [default: the built-in
    /// sharp openings of this rule and board, random ones where there are none]
    #[arg(long, value_name = "FILE|random")]
    openings: Option<String>,
    /// Sequential test of the match: elo0=0,elo1=50[,alpha=A,beta=B,model=normalized]. The network is adopted if it
    /// accepts elo1, and not if the pairs are played before it decides
    #[arg(long, value_name = "KEY=VALUE", default_value = "elo0=0,elo1=50", value_parser = parse_sprt)]
    sprt: SprtSpec,
    /// Seed of the first generation; each later one has the next number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: one a processor]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
    /// Signature of the engine for the records [default: measured, as by `bench`]
    #[arg(long)]
    signature: Option<u64>,
    /// The folder of all generations
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
                trees: self.tree_nodes.map(|nodes| Trees {
                    nodes,
                    every: self.tree_every,
                    depth: self.tree_depth,
                    one_in: self.tree_one_in,
                    share: self.tree_share,
                }),
                ..Learning::default()
            },
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
    let mut desk =
        ProgressView { sprt: args.sprt, bar: ProgressBar::hidden(), speed: None, batch: args.batch, told: Ok(()) };
    let end = generation.run(&stop, &mut |news| {
        desk.told = desk.show(&news);
        desk.told.is_ok()
    });
    desk.bar.finish_and_clear();
    desk.told?;
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
    told: Result<()>,
}

impl ProgressView {
    fn show(&mut self, news: &News) -> Result<()> {
        match news {
            News::Begun { generation, resumed, evaluation } => {
                let how = if *resumed { "goes on" } else { "begins" };
                writeln!(stdout(), "generation {generation} {how} with {evaluation}")?;
            }
            News::Game(done, total) => self.advance(*done, *total, "games".to_owned()),
            News::Tree(done, total) => self.advance(*done, *total, "games with their search trees".to_owned()),
            News::Pair(score, total) => {
                let text = format!("pairs; {}; {}", elo_text(score), sprt_text(&self.sprt, score).0);
                self.advance(score.pairs.pairs(), *total, text);
            }
            News::Training(run::News::Samples { training, held_out, steps }) => {
                writeln!(stdout(), "{training} training and {held_out} held-out positions")?;
                self.speed = Some(Speed::new(self.batch, *steps));
            }
            News::Training(run::News::Measured(progress, mark)) => {
                self.speed.iter_mut().try_for_each(|speed| writeln!(stdout(), "{}", speed.line(progress, mark)))?;
            }
            News::Quality(report) if report.positions > 0 => write_report(report)?,
            News::Quality(_) => {}
            News::Done(record) => {
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
