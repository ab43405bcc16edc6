//! `tengen bench`: the engine's bench with options.

use crate::choices::{megabytes, parse_depth, parse_rule};
use anyhow::Result;
use std::io::{Write, stdout};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use tengen::bench::{Settings, Totals, print, run};
use tengen::engine::Rule;

/// Options of `tengen bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Search only positions of this rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, value_parser = parse_rule)]
    rule: Option<Rule>,
    /// Use a greater depth, about a second per position
    #[arg(long, conflicts_with = "depth")]
    deep: bool,
    /// Depth of each search, in plies [default: 9, or 16 with --deep]
    #[arg(short, long, value_parser = parse_depth)]
    depth: Option<u32>,
    /// Search threads; a list such as 1,2,4 compares speeds
    #[arg(short = 'j', long, value_delimiter = ',', default_value = "1")]
    threads: Vec<NonZeroUsize>,
    /// Hash size (transposition table) in MB
    #[arg(long, default_value_t = Settings::default().hash >> 20)]
    hash: u64,
}

/// Runs `tengen bench`.
pub fn main(args: &Args) -> Result<ExitCode> {
    let mut out = stdout().lock();
    let usual = if args.deep { Settings::deep() } else { Settings::default() };
    let depth = args.depth.unwrap_or(usual.depth);
    let settings =
        |threads: NonZeroUsize| Settings { depth, threads: threads.get(), hash: megabytes(args.hash), rule: args.rule };
    if let [threads] = args.threads[..] {
        print(&settings(threads), &mut out)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "threads      nodes    nodes/s   ratio  s to depth {depth:<3}   ratio")?;
    let mut first: Option<Totals> = None;
    for threads in &args.threads {
        let totals = Totals::of(&run(&settings(*threads), &mut |_| {}));
        let base = first.get_or_insert(totals);
        let (speed, time) = (totals.speed() / base.speed(), base.seconds / totals.seconds.max(1e-9));
        let (nodes, rate) = (totals.nodes, totals.speed());
        writeln!(out, "{threads:7} {nodes:10} {rate:10.0} {speed:7.2} {:15.2} {time:7.2}", totals.seconds)?;
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}
