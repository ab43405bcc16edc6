//! `tengen tune`: fits the evaluation to training games, turns its weights into text and back, tunes the search.

mod games;

pub use games::{elo_text, openings, sprt_text};

use crate::choices::{ensure_shares, ensure_writable};
use crate::data::load;
use anyhow::{Context, Result, anyhow, ensure};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tengen_analysis::chart::draw;
use tengen_workbench::tune::plot::of_losses;
use tengen_workbench::tune::{SET_NAMES, Schedule, Source, ValueFit, WeightSets, Weights, fit, from_text, to_text};

/// What `tengen tune` can do.
#[derive(clap::Subcommand)]
pub enum TuneCommand {
    /// Fit the classical weights to games of `tengen selfplay`; rules without games keep the built-in weights
    Eval(EvalArgs),
    /// Tune the parameters of the search by games between perturbed settings (SPSA)
    #[command(after_long_help = games::SEARCH_EXAMPLES)]
    Search(games::SearchArgs),
    /// Play a match: the search with changed parameters against the unchanged search
    #[command(after_long_help = games::COMPARE_EXAMPLES)]
    Compare(games::CompareArgs),
    /// Find sharp openings for these games: balanced openings from which either colour can win
    Openings(games::OpeningsArgs),
    /// Write weights as text that can be edited
    Export {
        /// File of weights [default: the built-in weights]
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Text file
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Turn the text of `export` back into a file of weights
    Import {
        /// Text file
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
    /// Epochs: passes over all positions
    #[arg(long, default_value_t = 10)]
    passes: usize,
    /// Share of the search score in the target, 0 to 1; the rest is the game result
    #[arg(long, default_value_t = 0.5)]
    blend: f32,
    /// Weight of positions whose outcome a search proved; other positions have weight 1
    #[arg(long, default_value_t = 0.4)]
    proven: f32,
    /// Seed of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Output: file of weights
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Draw the loss curves
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Training games
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Runs `tengen tune`.
pub fn main(command: &TuneCommand) -> Result<ExitCode> {
    match command {
        TuneCommand::Eval(args) => eval(args)?,
        TuneCommand::Search(args) => games::search(args)?,
        TuneCommand::Compare(args) => games::compare_settings(args)?,
        TuneCommand::Openings(args) => games::find_openings(args)?,
        TuneCommand::Export { from, output } => {
            let sets = match from {
                Some(path) => read_weights(path)?,
                None => Weights::built_in().as_ref().clone(),
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

fn eval(args: &EvalArgs) -> Result<()> {
    ensure_shares(&[("blend", f64::from(args.blend))])?;
    ensure!(args.proven.is_finite() && args.proven >= 0.0, "--proven is not negative");
    ensure!(args.passes > 0, "--passes is at least 1");
    std::iter::once(&args.output).chain(&args.svg).try_for_each(|path| ensure_writable(path))?;
    let games = load(&args.files)?;
    ensure!(!games.is_empty(), "there are no games to learn from");
    let mut sets = Weights::built_in().as_ref().clone();
    let mut panels = Vec::new();
    for (set, name) in SET_NAMES.into_iter().enumerate() {
        let of_set = games.iter().filter(|g| Weights::set_of(g.rule) == set);
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
