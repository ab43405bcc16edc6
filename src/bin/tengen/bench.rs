//! `tengen bench`: the engine's bench with choices.

use crate::choices::{megabytes, parse_depth, parse_rule};
use anyhow::Result;
use std::io::{Write, stdout};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use tengen::engine::Rule;
use tengen::workbench::bench::{Settings, Totals, run};

/// Options of `tengen bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Only positions of this rule: 0, 1, 4, 8, 9 or its name
    #[arg(short, long, value_parser = parse_rule)]
    rule: Option<Rule>,
    /// Depth of each search, in plies
    #[arg(short, long, default_value_t = Settings::default().depth, value_parser = parse_depth)]
    depth: u32,
    /// Search threads; several numbers (1,2,4) compare them
    #[arg(short = 'j', long, value_delimiter = ',', default_value = "1")]
    threads: Vec<NonZeroUsize>,
    /// Transposition table in MB
    #[arg(long, default_value_t = Settings::default().hash >> 20)]
    hash: u64,
}

/// Runs `tengen bench`.
pub fn main(args: &Args) -> Result<ExitCode> {
    let mut out = stdout().lock();
    let settings = |threads: NonZeroUsize| Settings {
        depth: args.depth,
        threads: threads.get(),
        hash: megabytes(args.hash),
        rule: args.rule,
    };
    if let [threads] = args.threads[..] {
        let mut number = 0;
        let entries = run(&settings(threads), &mut |e| {
            number += 1;
            let ms = e.time.as_secs_f64() * 1e3;
            // A reader who has gone needs no more lines.
            let _ = writeln!(out, "{number:>3} {:<11} {:<6} {:>10} nodes {ms:>9.1} ms", e.rule, e.size, e.nodes);
        });
        let totals = Totals::of(&entries);
        writeln!(out, "time      {:.2} s", totals.seconds)?;
        writeln!(out, "speed     {:.0} nodes/s", totals.speed())?;
        // With several threads, or other choices than the default ones, the number identifies nothing.
        let name = if settings(threads) == Settings::default() { "signature" } else { "nodes    " };
        writeln!(out, "{name} {}", totals.nodes)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "threads      nodes    nodes/s   ratio  s to depth {:<3}   ratio", args.depth)?;
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
