//! The engine as a program for Gomocup managers and Yixin-Board.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tengen::protocol::shell;
use tengen::workbench::bench;
use tengen::workbench::evaluation::Loader;

/// Environment variable with a log filter, such as `debug`; without it and [`LOG_FILE`] nothing is logged.
const LOG: &str = "TENGEN_LOG";

/// Environment variable with the name of a file that gets the log instead of stderr.
const LOG_FILE: &str = "TENGEN_LOG_FILE";

/// Version, revision and bench signature.
const VERSION: &str = env!("TENGEN_VERSION");

const HELP: &str = "\
pbrain-tengen: a Gomoku and Renju engine for managers that speak the Gomocup protocol
or the dialect of Yixin-Board. It reads commands from stdin and answers on stdout.

  --weights FILE   evaluate by weights of `tengen tune` or a network of `tengen train`,
                   or `classical`: without the built-in network
  bench [--deep]   search fixed positions; print nodes, speed and the signature
                   (--deep: about a second a position)
  --version        print version, revision and bench signature
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
        Some("--version") => Ok(writeln!(io::stdout(), "pbrain-tengen {VERSION}")?),
        Some("--help") => Ok(write!(io::stdout(), "{HELP}")?),
        Some("bench") => bench(),
        Some(_) | None => play(weights()?.as_deref()),
    }
}

/// The file of `--weights FILE` or `--weights=FILE`. Managers pass arguments of their own (`--force-utf8`), before it
/// and after it; they change nothing.
fn weights() -> Result<Option<PathBuf>> {
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--weights" {
            return arguments.next().map(|name| Some(name.into())).context("--weights wants a file");
        }
        if let Some(name) = argument.to_string_lossy().strip_prefix("--weights=") {
            return Ok(Some(name.into()));
        }
    }
    Ok(None)
}

/// Runs the bench, or the deep one.
fn bench() -> Result<()> {
    let settings = match std::env::args_os().nth(2) {
        None => bench::Settings::default(),
        Some(option) if option == "--deep" => bench::Settings::deep(),
        Some(other) => bail!("bench has no option {}, only --deep", other.to_string_lossy()),
    };
    Ok(bench::print(&settings, &mut io::stdout().lock())?)
}

/// Speaks the protocol until the manager ends it, evaluating by a file if there is one.
fn play(weights: Option<&Path>) -> Result<()> {
    let mut loader = Loader::default();
    let evaluation = loader.read_or_default(weights)?;
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
    let load = |path: &Path| loader.read(path).map_err(|error| error.to_string());
    shell::run(io::stdin(), io::stdout().lock(), evaluation, load).context("protocol")
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
