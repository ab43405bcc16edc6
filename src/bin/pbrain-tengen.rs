//! The engine as a program for Gomocup managers and Yixin-Board.

use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tengen::bench;
use tengen::engine::loader::Loader;
use tengen::protocol::shell::{self, Beside};

/// Environment variable with a log filter, such as `debug`; without it and without [`LOG_FILE`] there is no log.
const LOG: &str = "TENGEN_LOG";

/// Environment variable with the name of a log file, used instead of stderr.
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

Other arguments are ignored; in a terminal a message names them.
TENGEN_LOG=debug logs to stderr, TENGEN_LOG_FILE=name to a file.
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The failure cannot be reported anywhere else.
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
        Some(_) | None => {
            let (weights, ignored) = arguments(std::env::args_os().skip(1))?;
            // Managers pass arguments of their own; they treat stderr as answers or never read it.
            if !ignored.is_empty() && io::stderr().is_terminal() {
                // The failure cannot be reported anywhere else.
                let ignored = ignored.join(" ");
                let _ = writeln!(io::stderr(), "pbrain-tengen: ignored: {ignored} (--help says what is known)");
            }
            play(weights.as_deref())
        }
    }
}

/// An argument that Yixin-Board passes to every engine; it is ignored silently.
const FROM_YIXIN_BOARD: &str = "--force-utf8";

/// The file of `--weights FILE` or `--weights=FILE`, and the ignored arguments, which may be mistakes.
fn arguments(all: impl Iterator<Item = OsString>) -> Result<(Option<PathBuf>, Vec<String>)> {
    let (mut weights, mut ignored) = (None, Vec::new());
    let mut all = all;
    while let Some(argument) = all.next() {
        let text = argument.to_string_lossy().into_owned();
        let name = match text.strip_prefix("--weights=") {
            Some(name) => Some(PathBuf::from(name)),
            None if text == "--weights" => Some(all.next().context("--weights wants a file")?.into()),
            None => None,
        };
        match name {
            Some(name) if weights.is_none() => weights = Some(name),
            Some(name) => ignored.push(format!("--weights {}", name.display())),
            None if text == FROM_YIXIN_BOARD => {}
            None => ignored.push(text),
        }
    }
    Ok((weights, ignored))
}

/// Runs the bench, or the deep bench.
fn bench() -> Result<()> {
    let settings = match std::env::args_os().nth(2) {
        None => bench::Settings::default(),
        Some(option) if option == "--deep" => bench::Settings::deep(),
        Some(other) => bail!("bench has no option {}, only --deep", other.to_string_lossy()),
    };
    Ok(bench::print(&settings, &mut io::stdout().lock())?)
}

/// Runs the protocol until the manager ends it; the evaluation comes from a file if one is given.
fn play(weights: Option<&Path>) -> Result<()> {
    let mut loader = Loader::default();
    let evaluation = loader.read_or_default(weights)?;
    if io::stdin().is_terminal() {
        // The failure cannot be reported anywhere else.
        let _ = writeln!(
            io::stderr(),
            "pbrain-tengen {}: a Gomoku engine that is meant to be run by a board program such as Piskvork.\n\
             To try it by hand type START 15, then BEGIN or TURN 7,7 (x,y from 0); END leaves.",
            env!("CARGO_PKG_VERSION")
        );
    }
    // The output is locked; each line is written and flushed as a whole.
    shell::run(io::stdin(), io::stdout().lock(), evaluation, shell::reading(loader), Beside::default())
        .context("protocol")
}

/// Off unless requested: managers treat stderr as answers or never read it.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Option<(Option<PathBuf>, Vec<String>)> {
        arguments(words.iter().map(OsString::from)).ok()
    }

    #[test]
    fn what_is_ignored_is_known() {
        let file = || Some(PathBuf::from("a.tnn"));
        assert_eq!(read(&["--force-utf8"]), Some((None, vec![])));
        for words in [&["--weights", "a.tnn"][..], &["--weights=a.tnn"], &["--force-utf8", "--weights", "a.tnn"]] {
            assert_eq!(read(words), Some((file(), vec![])));
        }
        assert_eq!(read(&["--wieghts", "a.tnn"]), Some((None, vec!["--wieghts".to_owned(), "a.tnn".to_owned()])));
        assert_eq!(read(&["foo", "--weights=a.tnn", "-x"]), Some((file(), vec!["foo".to_owned(), "-x".to_owned()])));
        let twice = Some((file(), vec!["--weights b.tnn".to_owned()]));
        assert_eq!(read(&["--weights", "a.tnn", "--weights", "b.tnn"]), twice);
        assert_eq!(read(&["--weights"]), None);
    }
}
