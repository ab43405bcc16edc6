//! `tengen match`: plays a match, shows progress, writes the record, prints the result.

use crate::choices::{ensure_writable, processors, progress_bar, shard_of};
use crate::match_args::{Args, engine_groups};
use crate::match_follow::{all_records, follow, joined};
use crate::match_watch::Viewers;
use crate::signal::{interrupted, stop_on_signal};
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::ArgMatches;
use indicatif::ProgressBar;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tengen::engine::StopToken;
use tengen_engines::client::ProcessPool;
use tengen_engines::guard::{Guard, run_mark};
use tengen_engines::transcript::Transcripts;
use tengen_workbench::matches::by_time::{leads, write_leads};
use tengen_workbench::matches::gamefile::{ending, write_psq, write_sgf};
use tengen_workbench::matches::plot::draw_leads;
use tengen_workbench::matches::record::{Header, RecordError, Writer};
use tengen_workbench::matches::referee::Turn;
use tengen_workbench::matches::report::{Report, elo_line, sprt_line};
use tengen_workbench::matches::run::Running;
use tengen_workbench::matches::run::{Progress, Run, Watcher, games_in_part, run_watched};
use tengen_workbench::matches::schedule;
use tengen_workbench::matches::settings::MatchSpec;
use tengen_workbench::shard::{Shard, ShardChoice};
use tengen_workbench::stats::with_interval;

/// Runs the subcommand; `set` has the options as the command line sets them.
pub fn main(args: Args, set: &ArgMatches) -> Result<ExitCode> {
    if !args.report.is_empty() {
        check_outputs(&args)?;
        return match &args.by_time {
            Some(svg) => present_leads(&all_records(&args.report)?, svg),
            None if args.watch.is_some() => follow(&args),
            None => present(&joined(&args)?, &args),
        };
    }
    let args = match &args.config {
        Some(path) => Args::with_file(path, set)?,
        None => args,
    };
    let spec = args.spec(&engine_groups(set))?;
    schedule::check(&spec).map_err(|e| anyhow!(e))?;
    for engine in &spec.engines {
        if let Some(what) = check_program(&engine.cmd) {
            bail!("{}: {what}", engine.name);
        }
    }
    let shard = shard_of(args.shard.unwrap_or(ShardChoice::Given(Shard::WHOLE)))?;
    // Each part would stop by its own games alone.
    ensure!(
        shard == Shard::WHOLE || spec.sprt.is_none(),
        "--sprt needs all games, --shard plays a part of them; give --sprt to --report --watch"
    );
    ensure!(args.svg.is_none() || spec.engines.len() == 2, "--svg draws the curve of a match between two engines");
    let header = Header::new(spec.clone(), shard);
    let path = args.output.clone().unwrap_or_else(|| "match.jsonl".into());
    check_outputs(&args)?;
    let (writer, done) = open_record(&path, &header, args.resume)?;
    let stop = stop_on_signal()?;
    let mark = run_mark();
    let program = std::env::current_exe().context("cannot find this program's file")?;
    let guard = Guard::start(&program, &["guard"], &mark).context("cannot start the guard")?;
    let concurrency = args.concurrency.map_or_else(|| default_concurrency(&spec).max(1), NonZeroUsize::get);
    let processes = Arc::new(ProcessPool::new(mark, Some(guard)));
    let transcripts =
        args.log.as_deref().map(|folder| Transcripts::create(folder).with_context(|| folder.display().to_string()));
    let transcripts = transcripts.transpose()?;
    let this = Run { spec: &spec, shard, concurrency, processes, transcripts, recover: args.recover, stop };
    let bar = ticking_bar(&args, games_in_part(&spec, shard), done.len() as u64);
    print_line(&bar, &describe(&this, &path, done.len()));
    if spec.events.iter().any(|e| e.openings.is_empty() && !e.swap2) {
        print_line(&bar, "Without openings, games begin on the empty board: deterministic engines repeat themselves.");
    }
    if cfg!(not(target_os = "linux")) && spec.engines.iter().any(|e| e.memory > 0) {
        print_line(&bar, "Memory limits are told to the engines but not enforced on this system.");
    }
    let viewers = args.watch.map(|port| Viewers::start(port, &spec, games_in_part(&spec, shard), &done)).transpose()?;
    if let Some(viewers) = &viewers {
        print_line(&bar, &format!("To be watched at {}", viewers.url()));
    }
    let view = ProgressView { bar: &bar, args: &args, header: &header, viewers: viewers.as_ref() };
    let ended = run_watched(&this, done, Some(writer), &view);
    if let Some(viewers) = viewers {
        viewers.end();
    }
    let ended = ended?;
    // Without a signal, a test result or a broken engine, only the page can end a match early.
    let finished_early = !this.stop.is_stopped();
    bar.finish_and_clear();
    if let Some(broken) = ended.broken {
        let name = &spec.engines[broken.engine].name;
        bail!("{name} {broken}. The match was stopped; its games are in {}. --recover plays on", path.display());
    }
    let (played, wanted) = (ended.games.len() as u64, games_in_part(&spec, shard));
    let report = Report::new(header, ended.games);
    let code = present(&report, &args)?;
    let ended_by = match interrupted() {
        Some(_) => Some("Interrupted"),
        None => finished_early.then_some("Finished"),
    };
    if let Some(ended_by) = ended_by.filter(|_| played < wanted) {
        let _ = writeln!(
            std::io::stderr(),
            "{ended_by} after {played} of {wanted} games; the same command with --resume plays the rest."
        );
    }
    Ok(code)
}

/// Updates the terminal and the page of a match.
struct ProgressView<'a> {
    bar: &'a ProgressBar,
    args: &'a Args,
    header: &'a Header,
    viewers: Option<&'a Viewers>,
}

impl Watcher for ProgressView<'_> {
    fn admits(&self, stop: &StopToken) -> bool {
        self.viewers.is_none_or(|viewers| viewers.watch.admits(stop))
    }

    fn turn(&self, game: &Running, turn: &Turn, stop: &StopToken) {
        if let Some(viewers) = self.viewers {
            viewers.watch.turn(game, turn, stop);
        }
    }

    fn finished(&self, progress: &Progress) {
        show(self.bar, self.args, self.header, progress);
        if let Some(viewers) = self.viewers {
            viewers.watch.finished(progress);
            if let Some(url) = viewers.another_url() {
                print_line(self.bar, &format!("To be watched again at {url}"));
            }
        }
    }
}

/// The reason why a program cannot run, as far as it is visible: checks for mistyped names before the match.
pub fn check_program(program: &Path) -> Option<String> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let shown = program.display();
    let candidates: Vec<PathBuf> = match program.components().count() {
        // The system also tries file name suffixes.
        _ if cfg!(windows) => return None,
        0 | 1 => std::env::split_paths(&folders).map(|folder| folder.join(program)).collect(),
        _ => vec![program.to_owned()],
    };
    let there: Vec<_> = candidates.iter().filter_map(|path| path.metadata().ok()).collect();
    if there.is_empty() {
        Some(format!("there is no program {shown}"))
    } else if there.iter().all(std::fs::Metadata::is_dir) {
        Some(format!("{shown} is a folder, not a program"))
    } else if !there.iter().any(is_executable) {
        Some(format!("{shown} is not executable"))
    } else {
        None
    }
}

#[cfg(unix)]
fn is_executable(file: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0 && !file.is_dir()
}

#[cfg(not(unix))]
fn is_executable(file: &std::fs::Metadata) -> bool {
    !file.is_dir()
}

/// Checks at the start that all files of the result can be written.
fn check_outputs(args: &Args) -> Result<()> {
    for path in args.files_written_at_the_end() {
        ensure_writable(path)?;
    }
    if let Some(folder) = &args.psq {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

fn open_record(
    path: &Path,
    header: &Header,
    resume: bool,
) -> Result<(Writer, Vec<tengen_workbench::matches::record::GameRecord>)> {
    if resume {
        return Ok(Writer::resume(path, header)?);
    }
    match Writer::create(path, header) {
        Ok(writer) => Ok((writer, Vec::new())),
        Err(RecordError::Io(_, e)) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            bail!("{} exists: --resume goes on with it, -o names another file", path.display())
        }
        Err(e) => Err(e.into()),
    }
}

/// Number of processors divided by the largest thread count of an engine.
fn default_concurrency(spec: &MatchSpec) -> usize {
    let cores = processors();
    let threads = spec.engines.iter().filter_map(|e| e.threads).max().unwrap_or(1).max(1) as usize;
    cores / threads
}

fn describe(run: &Run, path: &Path, done: usize) -> String {
    let names: Vec<&str> = run.spec.engines.iter().map(|e| e.name.as_str()).collect();
    let part = if run.shard == Shard::WHOLE { String::new() } else { format!(", part {}", run.shard) };
    let resumed = if done > 0 { format!(", {done} of them played already") } else { String::new() };
    format!(
        "{}: {} games{part}{resumed}; {} at once; tolerance {} ms; record {}",
        names.join(", "),
        games_in_part(run.spec, run.shard),
        run.concurrency,
        run.spec.patience.tolerance_ms,
        path.display()
    )
}

pub fn ticking_bar(args: &Args, total: u64, done: u64) -> ProgressBar {
    if args.plain {
        return ProgressBar::hidden();
    }
    let bar = progress_bar(total, done);
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Shows a finished game: advances the bar and reports faults at once.
fn show(bar: &ProgressBar, args: &Args, header: &Header, progress: &Progress) {
    let game = progress.game;
    let name = |engine: usize| header.spec.engines[engine].name.as_str();
    for f in &game.faults {
        print_line(bar, &format!("game {}: {}: {}", game.game + 1, name(f.engine), f.fault));
    }
    let state = if header.spec.engines.len() == 2 {
        let score = progress.tally.between(0, 1, None);
        let games = score.games();
        let test = sprt_line(header, progress.tally).map_or(String::new(), |line| format!("  {line}"));
        format!("+{} ={} -{}  {}{test}", games.wins, games.draws, games.losses, elo_line(&score))
    } else {
        let ratings = progress.tally.ratings().map_or_else(Vec::new, |fit| fit.ratings);
        let best = ratings.iter().enumerate().max_by(|a, b| a.1.elo.total_cmp(&b.1.elo));
        best.map_or(String::new(), |(e, rating)| {
            format!("leader {}, rating {}", name(e), with_interval(rating.elo, rating.interval(), 0))
        })
    };
    if args.plain {
        let result = format!("{} - {}: {}", name(game.black), name(game.white), ending(header, game));
        print_line(
            bar,
            &format!("{}/{} game {}: {result}; {state}", progress.games.len(), progress.total, game.game + 1),
        );
    }
    bar.set_message(state);
    bar.set_position(progress.games.len() as u64);
}

/// Prints a permanent line, above the bar if there is one.
pub fn print_line(bar: &ProgressBar, line: &str) {
    if bar.is_hidden() {
        // A closed terminal does not stop a match.
        let _ = writeln!(std::io::stderr(), "{line}");
    } else {
        bar.println(line);
    }
}

/// Writes to a file, or to standard output if the file's name is `-`.
fn written_to(path: &Path, out: &mut dyn Write, write: impl Fn(&mut dyn Write) -> Result<()>) -> Result<()> {
    if path == Path::new("-") {
        return write(out);
    }
    let mut file = BufWriter::new(File::create(path).with_context(|| path.display().to_string())?);
    write(&mut file)?;
    file.flush().with_context(|| path.display().to_string())
}

/// Table and plot of one engine's lead in several matches.
fn present_leads(paths: &[PathBuf], svg: &Path) -> Result<ExitCode> {
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let (name, leads) = leads(&paths)?;
    write_leads(&mut std::io::stdout().lock(), &name, &leads)?;
    draw_leads(svg, &name, &leads).map_err(|e| anyhow!(e)).with_context(|| svg.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the tables to standard output, and writes games and plot to their files.
pub fn present(report: &Report, args: &Args) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    let to_stdout = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    if !to_stdout(&args.json) && !to_stdout(&args.csv) {
        report.write(&mut out)?;
    }
    if let Some(path) = &args.json {
        written_to(path, &mut out, |file| Ok(writeln!(file, "{:#}", report.json())?))?;
    }
    if let Some(path) = &args.csv {
        written_to(path, &mut out, |file| Ok(report.write_csv(file)?))?;
    }
    out.flush()?;
    if let Some(path) = &args.sgf {
        written_to(path, &mut out, |file| Ok(write_sgf(file, &report.header, &report.games)?))?;
    }
    if let Some(folder) = &args.psq {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for game in &report.games {
            let path = folder.join(format!("game{:05}.psq", game.game + 1));
            written_to(&path, &mut out, |file| Ok(write_psq(file, &report.header, game)?))?;
        }
    }
    if let Some(path) = &args.svg {
        report.draw_svg(path).map_err(|e| anyhow!(e)).with_context(|| path.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
