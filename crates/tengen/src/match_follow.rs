//! `tengen match --report`: the records of a match's parts, as they are or as they grow on other machines.

use crate::engine_args::words;
use crate::match_::{check_program, present, print_line, ticking_bar};
use crate::match_args::Args;
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, anyhow, bail, ensure};
use glob::glob;
use indicatif::ProgressBar;
use std::io::stderr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use tengen_workbench::matches::parts::Parts;
use tengen_workbench::matches::report::{Report, elo_line};
use tengen_workbench::matches::settings::SprtSpec;
use tengen_workbench::stats::Verdict;

/// Shortest and longest time between two looks. Looks at many files over a network are rare.
const PAUSE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));

/// The time without progress of the test after which the part that it waits for is named.
const STALL: Duration = Duration::from_secs(600);

/// The records that the arguments name: files, the records of folders, and the files that match patterns.
fn records(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut records = Vec::new();
    for path in given {
        if path.is_dir() {
            records.extend(matching(&path.join("*.jsonl"))?);
        } else if path.exists() || !is_pattern(path) {
            records.push(path.clone());
        } else {
            records.extend(matching(path)?);
        }
    }
    let mut seen = std::collections::HashSet::new();
    records.retain(|record| seen.insert(record.clone()));
    Ok(records)
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// The files that match a pattern, in the order of their names.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    // A part of the path that exists is a name, whatever signs it has.
    let (folder, name) = (pattern.parent().unwrap_or(Path::new("")), pattern.file_name().unwrap_or_default());
    let text = match folder.is_dir() {
        true => Path::new(&glob::Pattern::escape(&folder.to_string_lossy())).join(name),
        false => pattern.to_owned(),
    };
    let paths = glob(&text.to_string_lossy()).with_context(|| pattern.display().to_string())?;
    paths.map(|path| Ok(path?)).collect()
}

/// The records that the arguments name; each of them names at least one.
pub fn all_records(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    for path in given {
        ensure!(!records(std::slice::from_ref(path))?.is_empty(), "there are no records in {}", path.display());
    }
    records(given)
}

/// The report of the records as they are.
pub fn joined(args: &Args) -> Result<Report> {
    let mut report = Report::join(&all_records(&args.report)?)?;
    if let Some(sprt) = args.sequential()? {
        report.test(sprt).map_err(|e| anyhow!(e))?;
    }
    Ok(report)
}

fn named(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
}

/// Follows the records until the test decides, all games are there, or a signal ends it.
pub fn follow(args: &Args) -> Result<ExitCode> {
    ensure!(args.watch == Some(0), "--report --watch has no page, and no port");
    let command = args.on_verdict.as_deref().map(command_of).transpose()?;
    let sprt = args.sequential()?;
    let stop = stop_on_signal()?;
    let bar = ticking_bar(args, 0, 0);
    let (mut parts, mut report, mut wait) = (Parts::default(), None, Waiting::new());
    print_line(&bar, &format!("Following {}", named(&args.report)));
    while !stop.is_stopped() {
        let began = Instant::now();
        if parts.look(&records(&args.report)?)? {
            report = report_of(&parts, sprt)?;
            report.iter().for_each(|report| show(&bar, args, report));
        }
        if report.as_ref().is_some_and(is_over) {
            break;
        }
        if let Some(line) = report.as_ref().and_then(|report| wait.told(report)) {
            print_line(&bar, &line);
        }
        let pause = (20 * began.elapsed()).clamp(PAUSE.0, PAUSE.1);
        while began.elapsed() < pause && !stop.is_stopped() {
            std::thread::sleep(PAUSE.0 / 5);
        }
    }
    bar.finish_and_clear();
    let Some(report) = report else { bail!("there is no record in {} yet", named(&args.report)) };
    let ran = match command {
        Some(command) if is_decided(&report) => run(&bar, &command),
        _ => Ok(()),
    };
    let code = present(&report, args)?;
    ran.map(|()| code)
}

fn report_of(parts: &Parts, sprt: Option<SprtSpec>) -> Result<Option<Report>> {
    let Some(mut report) = Report::of(parts) else { return Ok(None) };
    if let Some(sprt) = sprt.or(report.header.spec.sprt) {
        report.test(sprt).map_err(|e| anyhow!(e))?;
    }
    Ok(Some(report))
}

fn is_decided(report: &Report) -> bool {
    report.sequential.as_ref().is_some_and(|state| state.verdict != Verdict::Continue)
}

fn is_over(report: &Report) -> bool {
    is_decided(report) || report.is_complete()
}

/// Shows the state after a look with something new.
fn show(bar: &ProgressBar, args: &Args, report: &Report) {
    let games = report.games.len() as u64;
    let is_duel = report.header.spec.engines.len() == 2;
    let elo = is_duel.then(|| format!("; {}", elo_line(&report.tally.between(0, 1, None))));
    let test = report.sprt_line().map(|line| format!("; {line}"));
    let state = format!("{}{}", elo.unwrap_or_default(), test.unwrap_or_default());
    bar.set_length(report.header.spec.games);
    bar.set_position(games);
    bar.set_message(state.trim_start_matches("; ").to_owned());
    if args.plain {
        print_line(bar, &format!("{games} games{state}"));
    }
}

/// How long the test has waited for its next game.
struct Waiting {
    games: u64,
    since: Instant,
    is_told: bool,
}

impl Waiting {
    fn new() -> Waiting {
        Waiting { games: 0, since: Instant::now(), is_told: false }
    }

    /// A sentence, once, when the test has waited for long.
    fn told(&mut self, report: &Report) -> Option<String> {
        let counted = report.sequential.as_ref()?.games;
        if counted != self.games {
            *self = Waiting { games: counted, ..Waiting::new() };
        }
        if self.is_told || self.since.elapsed() < STALL {
            return None;
        }
        self.is_told = true;
        let parts = report.header.parts.max(1);
        let (game, part, minutes) = (counted + 1, counted / 2 % parts + 1, STALL.as_secs() / 60);
        Some(format!("The test has waited {minutes} minutes for game {game}, of part {part}/{parts}."))
    }
}

/// The words of a command, whose program exists.
fn command_of(text: &str) -> Result<Vec<String>> {
    let words = words(text).context("--on-verdict")?;
    let program = words.first().context("--on-verdict names no program")?;
    match check_program(Path::new(program)) {
        Some(what) => bail!("--on-verdict: {what}"),
        None => Ok(words),
    }
}

/// Runs the command, without a shell; its output does not mix with the report.
fn run(bar: &ProgressBar, words: &[String]) -> Result<()> {
    let shown = words.join(" ");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(stderr());
    let status = command.status().with_context(|| format!("cannot run {shown}"))?;
    print_line(bar, &format!("ran {shown}: {status}"));
    ensure!(status.success(), "{shown} ended with {status}");
    Ok(())
}
