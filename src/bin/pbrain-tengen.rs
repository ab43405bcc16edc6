//! The engine as a program for Gomocup managers and Yixin-Board.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use tengen::engine::{WeightSets, Weights};
use tengen::protocol::shell;
use tengen::workbench::bench;

/// Environment variable with a log filter, such as `debug`; without it and [`LOG_FILE`] nothing is logged.
const LOG: &str = "TENGEN_LOG";

/// Environment variable with the name of a file that gets the log instead of stderr.
const LOG_FILE: &str = "TENGEN_LOG_FILE";

const HELP: &str = "\
pbrain-tengen: a Gomoku and Renju engine for managers that speak the Gomocup protocol
or the dialect of Yixin-Board. It reads commands from stdin and answers on stdout.

  --weights FILE   evaluate by weights of `tengen tune`, not by those built in
  bench            search fixed positions; print nodes, speed and the signature
  --version        print the version
  --help           print this text

Other arguments are ignored. TENGEN_LOG=debug logs to stderr, TENGEN_LOG_FILE=name to a file.
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is nowhere else to report a failure.
            let _ = writeln!(io::stderr(), "pbrain-tengen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    start_log()?;
    let argument = std::env::args_os().nth(1);
    match argument.as_ref().and_then(|argument| argument.to_str()) {
        Some("--version") => Ok(writeln!(io::stdout(), "pbrain-tengen {}", env!("CARGO_PKG_VERSION"))?),
        Some("--help") => Ok(write!(io::stdout(), "{HELP}")?),
        Some("bench") => bench(),
        Some("--weights") => play(Some(weights()?)),
        // Managers pass arguments of their own (`--force-utf8`); they change nothing.
        Some(_) | None => play(None),
    }
}

/// Prints each position's nodes and time, the totals, and last the signature.
fn bench() -> Result<()> {
    let mut out = io::stdout().lock();
    let mut number = 0;
    let entries = bench::run(&bench::Settings::default(), &mut |e| {
        number += 1;
        let ms = e.time.as_secs_f64() * 1e3;
        // A reader who has gone needs no more lines.
        let _ = writeln!(out, "{number:>3} {:<11} {:<6} {:>10} nodes {ms:>9.1} ms", e.rule, e.size, e.nodes);
    });
    let nodes: u64 = entries.iter().map(|e| e.nodes).sum();
    let seconds = entries.iter().map(|e| e.time.as_secs_f64()).sum::<f64>();
    writeln!(out, "time      {:.2} s", seconds)?;
    writeln!(out, "speed     {:.0} nodes/s", nodes as f64 / seconds.max(1e-9))?;
    writeln!(out, "signature {nodes}")?;
    Ok(())
}

/// The weights in the file that the second argument names.
fn weights() -> Result<&'static WeightSets> {
    let name = std::env::args_os().nth(2).context("--weights wants a file")?;
    let bytes = std::fs::read(&name).with_context(|| name.to_string_lossy().into_owned())?;
    Weights::decode_static(&bytes).with_context(|| format!("{}: not a file of weights", name.to_string_lossy()))
}

/// Speaks the protocol until the manager ends it.
fn play(weights: Option<&'static WeightSets>) -> Result<()> {
    if io::stdin().is_terminal() {
        // There is nowhere else to report a failure.
        let _ = writeln!(
            io::stderr(),
            "pbrain-tengen {}: a Gomoku engine that is meant to be run by a board program such as Piskvork.\n\
             To try it by hand type START 15, then BEGIN or TURN 7,7 (x,y from 0); END leaves.",
            env!("CARGO_PKG_VERSION")
        );
    }
    // The output is locked, and each line is written and flushed as one.
    shell::run(io::stdin(), io::stdout().lock(), weights).context("protocol")
}

/// Off unless asked for: managers read stderr as answers, or never read it at all.
fn start_log() -> Result<()> {
    let (filter, file) = (std::env::var(LOG).ok(), std::env::var_os(LOG_FILE));
    if filter.is_some() || file.is_some() {
        let mut builder = env_logger::Builder::new();
        builder.parse_filters(filter.as_deref().unwrap_or("debug"));
        if let Some(name) = file {
            let file = File::create(&name).with_context(|| format!("creating {}", name.to_string_lossy()))?;
            builder.target(env_logger::Target::Pipe(Box::new(file)));
        }
        builder.init();
    }
    std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    Ok(())
}
