//! `tengen database build`: extends a database by searches.

use super::Position;
use crate::choices::EngineOptions;
use crate::signal::stop_on_signal;
use anyhow::Result;
use std::io::{Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use tengen::board::{format_point, format_points};
use tengen_database::{Database, End, Plan, Step};

/// Options of `tengen database build`.
#[derive(clap::Args)]
pub struct BuildArgs {
    /// Database; it is made if there is none
    database: PathBuf,
    #[command(flatten)]
    position: Position,
    /// Nodes of each search
    #[arg(short, long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Moves that a search of a position adds
    #[arg(short, long, value_name = "N", default_value_t = const { NonZeroUsize::new(5).unwrap() })]
    lines: NonZeroUsize,
    /// Searches of this run [default: until Ctrl-C, or until the position is proven]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    #[command(flatten)]
    options: EngineOptions,
}

/// Runs `tengen database build`.
pub fn build(args: &BuildArgs) -> Result<ExitCode> {
    let mut engine = args.options.engine()?;
    args.position.read()?;
    let mut database = Database::create(&args.database)?;
    let (setup, rule) = args.position.find(&database.view()?)?;
    let stop = stop_on_signal()?;
    let size = setup.size;
    let plan = Plan { rule, setup, nodes: args.nodes, lines: args.lines.get(), steps: args.steps };
    writeln!(stdout(), "{rule} {size}, from {}", start_text(&plan))?;
    let end = tengen_database::build(&mut database, &mut engine, &plan, &stop, &mut |step: &Step| {
        // The database does not depend on a reader of the progress.
        let _ = writeln!(stderr(), "{}", step_text(&plan, step));
    })?;
    let why = match end {
        End::Proven => "the position is proven",
        End::Steps => "all searches are made",
        End::Stopped => "interrupted: the same command goes on",
        End::Nothing => "the game is over: there is nothing to search",
    };
    writeln!(stdout(), "{why}")?;
    Ok(ExitCode::SUCCESS)
}

fn start_text(plan: &Plan) -> String {
    let stones: Vec<_> = plan.setup.stones.iter().map(|(point, _)| *point).collect();
    if stones.is_empty() { "the empty board".to_owned() } else { format_points(plan.setup.size, &stones) }
}

/// A step in a line: its number, the moves to the position, the value of the start and its best move.
fn step_text(plan: &Plan, step: &Step) -> String {
    let size = plan.setup.size;
    let path = if step.path.is_empty() { "start".to_owned() } else { format_points(size, &step.path) };
    let (value, best) = step.start;
    let value = value.map_or("?".to_owned(), |value| value.score.to_string());
    let best = best.map_or(String::new(), |point| format!(" by {}", format_point(size, point)));
    format!("{}: {path}, now {value}{best}", step.number)
}
