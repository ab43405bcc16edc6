//! `tengen tune`: fits the evaluation to training games, turns its weights into text and back, tunes the search.

use crate::choices::{parse_rule, parse_size, processors};
use crate::selfplay::load;
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, anyhow, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::OpenOptions;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tengen::engine::{BoardSize, Params, Rule};
use tengen::workbench::chart::draw;
use tengen::workbench::stats::Pentanomial;
use tengen::workbench::tune::duel::{Side, Terms, compare};
use tengen::workbench::tune::plot::{of_losses, of_way};
use tengen::workbench::tune::spsa::{Plan, State};
use tengen::workbench::tune::{Schedule, Source, ValueFit, WeightSets, Weights, fit, from_text, to_text};

/// What `tengen tune` can do.
#[derive(clap::Subcommand)]
pub enum TuneCommand {
    /// Fit weights to games of `tengen selfplay`; rules without games keep the weights that are built in
    Eval(EvalArgs),
    /// Tune the numbers of the search by games between disturbed settings (SPSA)
    #[command(after_long_help = SEARCH_EXAMPLES)]
    Search(SearchArgs),
    /// Play the search with some numbers changed against itself as it is
    Compare(CompareArgs),
    /// Write weights as text that can be edited
    Export {
        /// File of weights [default: those built in]
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// The text
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Read such a text back
    Import {
        /// The text
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        /// File of weights
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

/// Options of `tengen tune eval`.
#[derive(clap::Args)]
pub struct EvalArgs {
    /// Passes over the positions
    #[arg(long, default_value_t = 10)]
    passes: usize,
    /// Share of the search's score in the target, 0 to 1; the rest is the game's result
    #[arg(long, default_value_t = 0.5)]
    blend: f32,
    /// Weight of positions whose outcome the search had proven, beside 1 for the others
    #[arg(long, default_value_t = 0.4)]
    proven: f32,
    /// Seed of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File of weights to be written
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Draw the loss curves
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Training games
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

const SEARCH_EXAMPLES: &str = "\
Examples:
  tengen tune search -r 1 --pairs 4000 -o standard.jsonl --svg standard.svg
  tengen tune search -r 1 --pairs 4000 -o standard.jsonl   (the same again goes on where it was stopped)
  tengen tune search --only lmr_scale,lmr_cut -o lmr.jsonl";

/// Where games between settings are played.
#[derive(clap::Args)]
struct Ground {
    /// Rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, default_value = "0", value_parser = parse_rule)]
    rule: Rule,
    /// Board size: 15, or 20x15
    #[arg(short, long, default_value = "15", value_parser = parse_size)]
    size: BoardSize,
    /// Nodes a move
    #[arg(short, long, default_value_t = 8000)]
    nodes: u64,
    /// Pairs of games with one opening
    #[arg(short, long, default_value_t = 2000)]
    pairs: u64,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at once [default: one a processor]
    #[arg(short = 'j', long)]
    threads: Option<usize>,
}

impl Ground {
    fn terms(&self) -> Terms {
        Terms { rule: self.rule, size: self.size, nodes: self.nodes }
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(processors)
    }
}

/// Options of `tengen tune search`.
#[derive(clap::Args)]
pub struct SearchArgs {
    #[command(flatten)]
    ground: Ground,
    /// Pairs between two changes of the setting
    #[arg(long, default_value_t = 16)]
    batch: u64,
    /// Gain at the end of the run
    #[arg(long, default_value_t = 0.02)]
    gain: f64,
    /// Tune these alone
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Log of the run: the start, and a line for each change; if it is there, the run goes on from its last line
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Draw the way of the parameters
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Options of `tengen tune compare`.
#[derive(clap::Args)]
pub struct CompareArgs {
    #[command(flatten)]
    ground: Ground,
    /// Weights of the evaluation for the side that is tried
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// What is changed, or the log of a `tengen tune search` whose last line is tried
    #[arg(required_unless_present = "weights", value_name = "NAME=VALUE|FILE")]
    changes: Vec<String>,
}

/// Runs `tengen tune`.
pub fn main(command: &TuneCommand) -> Result<ExitCode> {
    match command {
        TuneCommand::Eval(args) => eval(args)?,
        TuneCommand::Search(args) => search(args)?,
        TuneCommand::Compare(args) => compare_settings(args)?,
        TuneCommand::Export { from, output } => {
            let sets = match from {
                Some(path) => read_weights(path)?,
                None => Weights::built_in().clone(),
            };
            write(output, to_text(&sets).as_bytes())?;
        }
        TuneCommand::Import { from, output } => {
            let text = std::fs::read_to_string(from).with_context(|| from.display().to_string())?;
            let sets = from_text(&text).with_context(|| from.display().to_string())?;
            write(output, &Weights::encode(&sets))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read_weights(path: &Path) -> Result<WeightSets> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Weights::decode(&bytes).ok_or_else(|| anyhow!("{} is no file of weights", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).with_context(|| path.display().to_string())
}

/// Index of a parameter by its name.
fn parameter(name: &str) -> Result<usize> {
    Params::ALL.iter().position(|p| p.name == name).ok_or_else(|| {
        let names: Vec<_> = Params::ALL.iter().map(|p| p.name).collect();
        anyhow!("no parameter {name}; there are {}", names.join(", "))
    })
}

/// All states in a log; a torn last line is dropped.
fn states(path: &Path) -> Result<Vec<State>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let lines: Vec<&str> = text.lines().collect();
    let mut states = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        match serde_json::from_str::<State>(line) {
            Ok(state) if state.values.len() == Params::ALL.len() => states.push(state),
            Err(_) if i + 1 == lines.len() && !text.ends_with('\n') => {}
            _ => return Err(anyhow!("{}: line {} is of another version, or no log", path.display(), i + 1)),
        }
    }
    Ok(states)
}

fn search(args: &SearchArgs) -> Result<()> {
    let ground = &args.ground;
    ensure!(args.batch > 0, "--batch is at least 1");
    ensure!(args.gain > 0.0, "--gain is above 0");
    let tuned = match args.only.is_empty() {
        true => (0..Params::ALL.len()).collect(),
        false => args.only.iter().map(|name| parameter(name)).collect::<Result<_>>()?,
    };
    let plan = Plan {
        terms: ground.terms(),
        tuned,
        pairs: ground.pairs,
        batch: args.batch,
        gain: args.gain,
        seed: ground.seed,
    };
    let mut way = if args.output.exists() { states(&args.output)? } else { Vec::new() };
    if way.is_empty() {
        way.push(State::new(&Params::of(ground.rule)));
    }
    let stop = stop_on_signal()?;
    let bar = progress(plan.pairs);
    let mut log = String::new();
    for state in &way {
        log += &(serde_json::to_string(state)? + "\n");
    }
    write(&args.output, log.as_bytes())?;
    let mut file = std::fs::OpenOptions::new().append(true).open(&args.output)?;
    let mut failed = None;
    let from = way[way.len() - 1].clone();
    bar.set_position(from.pairs);
    bar.reset_eta();
    plan.run(from, ground.threads(), &stop, &mut |state| {
        bar.set_position(state.pairs);
        let line = serde_json::to_string(state).unwrap_or_default() + "\n";
        failed = failed.take().or(file.write_all(line.as_bytes()).err());
        way.push(state.clone());
    })?;
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error).with_context(|| args.output.display().to_string());
    }
    if let Some(path) = &args.svg {
        draw(path, &of_way(&way, &plan.tuned)).map_err(|e| anyhow!(e)).with_context(|| path.display().to_string())?;
    }
    let last = &way[way.len() - 1];
    writeln!(stdout(), "after {} pairs, the start in brackets:", last.pairs)?;
    for i in &plan.tuned {
        let declared = &Params::ALL[*i];
        writeln!(stdout(), "{:18} {:7.1} [{}]", declared.name, last.values[*i], way[0].values[*i])?;
    }
    Ok(())
}

fn compare_settings(args: &CompareArgs) -> Result<()> {
    let ground = &args.ground;
    let usual = Params::of(ground.rule);
    let mut values = usual.values();
    for change in &args.changes {
        match change.split_once('=') {
            Some((name, value)) => {
                let index = parameter(name)?;
                let value: i32 = value.parse().with_context(|| format!("{name}={value}"))?;
                let (low, high) = Params::ALL[index].range;
                ensure!((low..=high).contains(&value), "{name} is from {low} to {high}");
                values[index] = value;
            }
            None => {
                let states = states(Path::new(change))?;
                let last = states.last().ok_or_else(|| anyhow!("{change} is empty"))?;
                values = last.params(&usual).values();
            }
        }
    }
    let mut changed = usual.clone();
    changed.set_values(&values);
    let stop = stop_on_signal()?;
    let bar = progress(ground.pairs);
    let mut pairs = Pentanomial::default();
    let mut listen = |points: &[usize]| {
        points.iter().for_each(|halves| pairs.add(*halves as u8));
        bar.inc(points.len() as u64);
        bar.set_message(told(&pairs));
        true
    };
    let weights = args.weights.as_deref().map(|path| {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        Weights::decode_static(&bytes).with_context(|| format!("{}: not a file of weights", path.display()))
    });
    let sides = [Side { params: changed, weights: weights.transpose()? }, Side { params: usual, weights: None }];
    compare(&ground.terms(), &sides, ground.pairs, ground.seed, ground.threads(), &stop, &mut listen)?;
    bar.finish_and_clear();
    writeln!(stdout(), "{}", told(&pairs))?;
    Ok(())
}

fn told(pairs: &Pentanomial) -> String {
    let elo = pairs.elo();
    let elo = elo.map_or_else(String::new, |e| format!("Elo {:+.1} [{:+.1}, {:+.1}]", e.diff, e.low, e.high));
    format!("{elo} {} games, pairs {:?}", 2 * pairs.pairs(), pairs.counts)
}

fn progress(pairs: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len} pairs [{elapsed_precise}<{eta_precise}] {msg}");
    ProgressBar::new(pairs).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn eval(args: &EvalArgs) -> Result<()> {
    ensure!((0.0..=1.0).contains(&args.blend), "--blend is from 0 to 1");
    ensure!(args.proven.is_finite() && args.proven >= 0.0, "--proven is not negative");
    ensure!(args.passes > 0, "--passes is at least 1");
    let games = load(&args.files)?;
    ensure!(!games.is_empty(), "there are no games to learn from");
    // It would be a pity to learn that after the fit.
    let output = OpenOptions::new().append(true).create(true).open(&args.output);
    output.with_context(|| args.output.display().to_string())?;
    let mut sets = Weights::built_in().clone();
    let mut panels = Vec::new();
    for (set, name) in ["freestyle", "standard", "renju"].into_iter().enumerate() {
        let of_set = games.iter().filter(|g| g.rule.family() == set);
        let sources: Vec<Source> =
            of_set.map(|g| Source { rule: g.rule, size: g.size, game: g.game.clone() }).collect();
        if sources.is_empty() {
            continue;
        }
        writeln!(stdout(), "{name}: {} games", sources.len())?;
        let schedule = |rate: f32| Schedule { passes: args.passes, batch: 512, rate, decay: 1e-4, seed: args.seed };
        let values = ValueFit { schedule: schedule(2.0), blend: args.blend, score_scale: 200.0, proven: args.proven };
        let mut failed = None;
        let (weights, value, order) = fit(&sources, &values, &schedule(0.02), &mut |line| {
            failed = failed.take().or(writeln!(stdout(), "{line}").err());
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        sets[set] = weights;
        panels.push(of_losses(&format!("{name}: loss of values"), &value));
        panels.push(of_losses(&format!("{name}: loss of move ordering"), &order));
    }
    write(&args.output, &Weights::encode(&sets))?;
    writeln!(stdout(), "{}: {}", args.output.display(), Weights::name(&sets))?;
    if let Some(path) = &args.svg {
        draw(path, &panels).map_err(|e| anyhow!(e)).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
