//! `tengen database import` and `export`: files into a database and out of it.

use super::{Position, Sources, count};
use crate::choices::{ensure_writable, parse_rule};
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, anyhow, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tengen::engine::{BoardSize, Rule, StopToken};
use tengen_database::{Database, Import, Kind, OnProgress, Reading, Report, Source, checksum};
use tengen_files::replace;
use tengen_record::{write_lib, write_sgf};
use tengen_workbench::data;
use tengen_workbench::matches::gamefile;
use tengen_workbench::matches::record::Log;

pub const FORMATS: &str = "\
Formats: SGF, Piskvork's .psq, RenLib's .lib with all variations, texts and marks, RenjuNet's .rif, positions and rows of
moves, records of `tengen match`, games of `tengen selfplay`, and the .db of Yixin and Rapfi.";

/// Options of `tengen database import`.
#[derive(clap::Args)]
pub struct ImportArgs {
    /// Database; it is made if there is none
    database: PathBuf,
    /// Files to import
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Rule of all games, instead of the files': 0, 1, 4, 8, 9 or its name
    #[arg(short, long, value_parser = parse_rule)]
    rule: Option<Rule>,
    /// Board size of rows of moves: 15, or 20x15
    #[arg(short, long, default_value = "15")]
    size: BoardSize,
}

/// Runs `tengen database import`.
pub fn import(args: &ImportArgs) -> Result<ExitCode> {
    let mut database = Database::create(&args.database)?;
    let stop = stop_on_signal()?;
    let reading = Reading { rule: args.rule, size: args.size };
    let (mut failures, mut is_new) = (0, false);
    for path in &args.files {
        if stop.is_stopped() {
            break;
        }
        let name = path.display();
        match import_file(&mut database, path, reading, &stop)? {
            Ok(report) => {
                is_new |= !report.is_known;
                tell(&name.to_string(), &report)?;
            }
            Err(error) => {
                failures += 1;
                writeln!(stderr(), "tengen: {name}: {error}")?;
            }
        }
    }
    if stop.is_stopped() {
        writeln!(stderr(), "interrupted: the same command goes on")?;
    } else if is_new {
        // While another process reads, the file keeps its size.
        let _ = database.compact();
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints what an import did, and what it left out.
fn tell(name: &str, report: &Report) -> Result<()> {
    if report.is_known {
        writeln!(stdout(), "{name}: imported before")?;
        return Ok(());
    }
    let state = if report.is_complete { "" } else { ", not complete" };
    let games = if report.games > 0 { count(report.games, "game") + ", " } else { String::new() };
    let positions = count(report.positions, "position");
    writeln!(stdout(), "{name}: {games}{positions}, {} left out{state}", report.skipped)?;
    for remark in &report.remarks {
        writeln!(stderr(), "tengen: warning: {name}: {remark}")?;
    }
    if report.long_texts > 0 {
        let comments = count(report.long_texts, "comment");
        writeln!(stderr(), "tengen: warning: {name}: {comments} left out of positions that have many")?;
    }
    Ok(())
}

/// Imports a file; the inner error is one of the file.
fn import_file(
    database: &mut Database,
    path: &Path,
    reading: Reading,
    stop: &StopToken,
) -> Result<Result<Report, String>> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // The bar is hidden if standard error is not a terminal.
    let bar = ProgressBar::new_spinner().with_message(name.clone());
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}: {human_pos} games or records [{elapsed_precise}]")?);
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut on_progress = |number: u64| {
        bar.set_position(number);
        !stop.is_stopped()
    };
    let source = |kind| Source::new(name.clone(), kind, checksum(&bytes, reading.rule));
    let result = if bytes.starts_with(b"TGR") {
        import_selfplay(database, source(Kind::Selfplay), &bytes, reading, &mut on_progress)
    } else if bytes.starts_with(b"{\"version\":") {
        import_match(database, source(Kind::Match), (path, &bytes), reading, &mut on_progress)
    } else {
        tengen_database::import(database, &name, &bytes, reading, &mut on_progress).map_err(Into::into)
    };
    bar.finish_and_clear();
    result.with_context(|| path.display().to_string())
}

fn known() -> Report {
    Report { is_known: true, is_complete: true, ..Report::default() }
}

fn import_selfplay(
    database: &mut Database,
    source: Source,
    bytes: &[u8],
    reading: Reading,
    on_progress: OnProgress<'_>,
) -> Result<Result<Report, String>> {
    let Some(mut import) = Import::start(database, source)? else { return Ok(Ok(known())) };
    let mut reader = data::file::Reader::new(bytes).salvage(true);
    for (number, game) in (1..).zip(reader.by_ref()) {
        import.record(number, &data::gamefile::record(&game?), reading.rule)?;
        if !on_progress(number) {
            return Ok(Ok(import.pause()?));
        }
    }
    for damage in reader.damage() {
        import.remark(format!("skipped {} damaged bytes from byte {}", damage.end - damage.start, damage.start));
    }
    if reader.torn() > 0 {
        import.remark(format!("left out a torn tail of {} bytes", reader.torn()));
    }
    Ok(Ok(import.finish()?))
}

fn import_match(
    database: &mut Database,
    source: Source,
    (path, bytes): (&Path, &[u8]),
    reading: Reading,
    on_progress: OnProgress<'_>,
) -> Result<Result<Report, String>> {
    let log = match Log::parse(path, bytes) {
        Ok(log) => log,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let Some(mut import) = Import::start(database, source)? else { return Ok(Ok(known())) };
    for (number, game) in (1..).zip(&log.games) {
        match gamefile::record(&log.header, game) {
            Ok(record) => import.record(number, &record, reading.rule)?,
            Err(error) => import.skip(number, &error.to_string()),
        }
        if !on_progress(number) {
            return Ok(Ok(import.pause()?));
        }
    }
    if log.torn {
        import.remark("left out an incomplete last line".to_owned());
    }
    Ok(Ok(import.finish()?))
}

/// Options of `tengen database export`.
#[derive(clap::Args)]
pub struct ExportArgs {
    /// Database
    database: PathBuf,
    #[command(flatten)]
    position: Position,
    #[command(flatten)]
    sources: Sources,
    /// Maximum number of positions; the deepest ones are left out
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: usize,
    /// File to write, .lib or .sgf
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Runs `tengen database export`.
pub fn export(args: &ExportArgs) -> Result<ExitCode> {
    let path = &args.output;
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    ensure!(extension == "lib" || extension == "sgf", "--output: the file is a .lib or an .sgf");
    ensure_writable(path)?;
    let view = Database::open(&args.database)?.view()?;
    let (setup, rule) = args.position.find(&view)?;
    let filter = args.sources.filter(&view)?;
    let tree = tengen_database::export(&view, &setup, rule, &filter, args.most)?;
    if tree.positions == 1 && view.entries(&setup, rule)?.is_empty() {
        bail!("the database knows nothing of this position under {rule}");
    }
    let bytes = if extension == "lib" {
        write_lib(&tree.record).map_err(|error| anyhow!(error))?
    } else {
        write_sgf(&tree.record).into_bytes()
    };
    replace(path, &bytes).with_context(|| path.display().to_string())?;
    writeln!(stdout(), "{} in {}", count(tree.positions as u64, "position"), path.display())?;
    if tree.is_cut {
        writeln!(stderr(), "tengen: warning: there are more positions; --most {} leaves them out", args.most)?;
    }
    Ok(ExitCode::SUCCESS)
}
