//! `tengen puzzles`: finds puzzles in games, and checks files of puzzles.

use crate::choices::{ensure_writable, parse_rule, processors};
use crate::signal::stop_on_signal;
use anyhow::{Context, Result, anyhow, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tengen::board::Setup;
use tengen::engine::{BoardSize, Rule, STACK_BYTES, StopToken};
use tengen_analysis::load::{self, Loaded};
use tengen_analysis::puzzle::{Finder, GRADES, Kind, Puzzle, built_in, format_puzzles, parse_puzzles};
use tengen_files::replace;
use tengen_workbench::data::file::Reader;
use tengen_workbench::data::record::DataGame;
use tengen_workbench::data::selfplay::Game;
use tengen_workbench::matches::gamefile;
use tengen_workbench::matches::record::Log;

pub const EXAMPLES: &str = "\
Examples:
  tengen puzzles games/*.sgf -o puzzles.txt
  tengen puzzles renju.bin --most 20 -o puzzles.txt        (games of tengen selfplay)
  tengen puzzles --check puzzles.txt
  tengen play --puzzles puzzles.txt
Ctrl-C ends the search and keeps what was found.";

/// Options of `tengen puzzles`.
#[derive(clap::Args)]
pub struct PuzzlesArgs {
    /// Files of games in any format, of `tengen selfplay` and `tengen match` too
    #[arg(required_unless_present = "check")]
    files: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "FILE", required_unless_present = "check")]
    output: Option<PathBuf>,
    /// Check whether each puzzle of this file has one solution, instead of searching games; `built-in` for the
    /// program's own
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "output", "most"])]
    check: Option<PathBuf>,
    /// Rule of all games, instead of the files': 0, 1, 4, 8, 9 or its name
    #[arg(short, long, value_parser = parse_rule)]
    rule: Option<Rule>,
    /// Board size of rows of moves: 15, or 20x15
    #[arg(short, long, default_value = "15")]
    size: BoardSize,
    /// Maximum number of puzzles of each rule, kind and grade of difficulty
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Worker threads [default: all cores]
    #[arg(short = 'j', long)]
    threads: Option<NonZeroUsize>,
}

/// Runs `tengen puzzles`.
pub fn main(args: &PuzzlesArgs) -> Result<ExitCode> {
    let threads = args.threads.map_or_else(processors, NonZeroUsize::get);
    let stop = stop_on_signal()?;
    match (&args.check, &args.output) {
        (Some(file), _) => check(file, threads, &stop),
        (None, Some(output)) => search(args, output, threads, &stop),
        (None, None) => bail!("--output is missing"),
    }
}

fn search(args: &PuzzlesArgs, output: &Path, threads: usize, stop: &StopToken) -> Result<ExitCode> {
    ensure_writable(output)?;
    let (mut found, pool) = (Found { most: args.most, ..Found::default() }, pool(threads)?);
    for path in &args.files {
        if stop.is_stopped() {
            break;
        }
        let games = read(path, args)?;
        found.search(&path.display().to_string(), &games, &pool, stop)?;
    }
    let puzzles = found.in_order();
    let comment = format!(
        "Puzzles: stones, the one move, its kind, plies, effort of the solver. Made by tengen {}:\n  {}",
        tengen::VERSION,
        command(args)
    );
    replace(output, format_puzzles(&puzzles, &comment).as_bytes()).with_context(|| output.display().to_string())?;
    writeln!(stdout(), "{}: {}", output.display(), summary(&puzzles))?;
    if stop.is_stopped() {
        writeln!(stderr(), "interrupted: only a part of the games was searched")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The command line that made a file, with the names of the files alone.
fn command(args: &PuzzlesArgs) -> String {
    let names = args.files.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let names: Vec<String> = names.collect();
    format!("tengen puzzles {} --most {}", names.join(" "), args.most)
}

fn summary(puzzles: &[Puzzle]) -> String {
    let grade = |grade| puzzles.iter().filter(|puzzle| puzzle.grade() == grade).count().to_string();
    let grades: Vec<String> = (1..=GRADES).map(grade).collect();
    format!("{} puzzles; by grade from easy to hard: {}", puzzles.len(), grades.join(" "))
}

/// A game's rule and its moves.
struct Played {
    rule: Rule,
    /// The position after all moves, in their order.
    setup: Setup,
    /// Stones that are no moves.
    first: usize,
    /// Numbers of stones of the positions worth a look, if searches of the game tell.
    promising: Option<Vec<usize>>,
}

impl Played {
    fn of(game: Loaded, rule: Option<Rule>) -> Played {
        Played { rule: rule.or(game.rule).unwrap_or_default(), setup: game.setup, first: game.first, promising: None }
    }

    /// The positions before its moves, the last one first: their own sides' to move.
    fn positions(&self) -> impl Iterator<Item = Setup> {
        let stones = &self.setup.stones;
        let is_promising = |count: &usize| self.promising.as_ref().is_none_or(|promising| promising.contains(count));
        (self.first..stones.len()).rev().filter(is_promising).map(|count| Setup {
            stones: stones[..count].to_vec(),
            to_move: stones[count].1,
            ..self.setup.clone()
        })
    }
}

/// The games of a file.
fn read(path: &Path, args: &PuzzlesArgs) -> Result<Vec<Played>> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    if bytes.starts_with(b"TGR") {
        return selfplay(&bytes, args.rule).with_context(name);
    }
    if bytes.starts_with(b"{\"version\":") {
        let log = Log::parse(path, &bytes)?;
        let records = log.games.iter().map(|game| gamefile::record(&log.header, game));
        let loaded = records.map(|record| Ok(Played::of(Loaded::new(&record?)?, args.rule)));
        return loaded.collect::<Result<_>>().with_context(name);
    }
    let games = load::read_games(&bytes, path.file_name().and_then(|name| name.to_str()), args.size, None);
    let games = games.map_err(|error| anyhow!(error)).with_context(name)?;
    for warning in &games.warnings {
        writeln!(stderr(), "tengen: warning: {}: {warning}", path.display())?;
    }
    Ok(games.games.into_iter().map(|(_, game)| Played::of(game, args.rule)).collect())
}

/// Games of self-play. Their searches have seen the wins: other positions are left out.
fn selfplay(bytes: &[u8], rule: Option<Rule>) -> Result<Vec<Played>> {
    let played = |data: DataGame| {
        let Game { opening, moves, .. } = data.game;
        let first = opening.len();
        // A win of the side to move, or a move after which the other side wins.
        let wins = |index: usize| moves.get(index).is_some_and(|played| played.score.is_win());
        let promising = (0..moves.len()).filter(|index| wins(*index) || wins(index + 1)).map(|index| first + index);
        let promising = Some(promising.collect());
        let points = opening.into_iter().chain(moves.iter().map(|played| played.point));
        Played { rule: rule.unwrap_or(data.rule), setup: Setup::from_moves(data.size, points), first: 0, promising }
    };
    Reader::new(bytes).salvage(true).map(|game| Ok(played(game?))).collect()
}

/// Games that are searched before their puzzles count, so that the result does not depend on the threads.
const BATCH: usize = 64;

/// The puzzles found so far.
#[derive(Default)]
struct Found {
    most: usize,
    puzzles: BTreeMap<Group, Vec<Puzzle>>,
    seen: BTreeSet<Vec<u8>>,
}

/// Puzzles that are counted together: the number of the rule, kind and grade.
type Group = (u8, Kind, usize);

fn group(puzzle: &Puzzle) -> Group {
    (puzzle.rule as u8, puzzle.kind, puzzle.grade())
}

impl Found {
    fn wants(&self, puzzle: &Puzzle) -> bool {
        let full = self.puzzles.get(&group(puzzle)).is_some_and(|known| known.len() >= self.most);
        !full && !self.seen.contains(&puzzle.class())
    }

    fn add(&mut self, puzzle: Puzzle) {
        if self.wants(&puzzle) {
            self.seen.insert(puzzle.class());
            self.puzzles.entry(group(&puzzle)).or_default().push(puzzle);
        }
    }

    fn len(&self) -> usize {
        self.puzzles.values().map(Vec::len).sum()
    }

    fn search(&mut self, name: &str, games: &[Played], pool: &ThreadPool, stop: &StopToken) -> Result<()> {
        let bar = ProgressBar::new(games.len() as u64).with_message(name.to_owned());
        let style = "{msg}: {pos}/{len} games [{elapsed_precise}<{eta_precise}] {prefix}";
        bar.set_style(ProgressStyle::with_template(style)?);
        bar.enable_steady_tick(Duration::from_millis(500));
        for batch in games.chunks(BATCH) {
            if stop.is_stopped() {
                break;
            }
            let found = in_parallel(pool, batch, |finder, game| self.best(finder, game, stop));
            found.into_iter().flatten().for_each(|puzzle| self.add(puzzle));
            bar.set_prefix(format!("{} puzzles", self.len()));
            bar.inc(batch.len() as u64);
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// The hardest puzzle of a game, and the hardest with a forbidden point: others of the same game resemble them.
    fn best(&self, finder: &mut Finder, game: &Played, stop: &StopToken) -> Vec<Puzzle> {
        let mut best: [Option<Puzzle>; 2] = [None, None];
        for setup in game.positions() {
            if stop.is_stopped() {
                break;
            }
            let slot = |puzzle: &Puzzle| usize::from(matches!(puzzle.kind, Kind::Trap | Kind::Escape));
            let is_wanted = |puzzle: &Puzzle| {
                let known = best[slot(puzzle)].as_ref();
                self.wants(puzzle) && known.is_none_or(|known| known.difficulty() < puzzle.difficulty())
            };
            if let Some(puzzle) = finder.examine(&setup, game.rule, stop, is_wanted) {
                let slot = slot(&puzzle);
                best[slot] = Some(puzzle);
            }
        }
        best.into_iter().flatten().collect()
    }

    /// By rule, then from the easiest to the hardest.
    fn in_order(self) -> Vec<Puzzle> {
        let mut puzzles: Vec<Puzzle> = self.puzzles.into_values().flatten().collect();
        let order = |puzzle: &Puzzle| (puzzle.rule as u8, puzzle.setup.size.cells(), puzzle.grade());
        puzzles.sort_by(|a, b| order(a).cmp(&order(b)).then(a.difficulty().total_cmp(&b.difficulty())));
        puzzles
    }
}

/// Threads for finders: the solver recurses deeply.
fn pool(threads: usize) -> Result<ThreadPool> {
    Ok(ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?)
}

/// Does some work on these threads, and returns the results in the order of the work.
fn in_parallel<T: Sync, R: Send>(
    pool: &ThreadPool,
    work: &[T],
    task: impl Fn(&mut Finder, &T) -> R + Sync + Send,
) -> Vec<R> {
    pool.install(|| work.par_iter().map_init(Finder::default, task).collect())
}

/// Checks all puzzles of a file.
fn check(file: &Path, threads: usize, stop: &StopToken) -> Result<ExitCode> {
    let puzzles = if file == Path::new("built-in") { built_in().to_vec() } else { read_puzzles(file)? };
    let bar = crate::choices::progress_bar(puzzles.len() as u64, 0);
    let holds = in_parallel(&pool(threads)?, &puzzles, |finder, puzzle| {
        let holds = finder.verify(puzzle, stop);
        bar.inc(1);
        holds
    });
    bar.finish_and_clear();
    ensure!(!stop.is_stopped(), "interrupted");
    let wrong: Vec<&Puzzle> = puzzles.iter().zip(holds).filter(|(_, holds)| !holds).map(|(puzzle, _)| puzzle).collect();
    for puzzle in &wrong {
        writeln!(stdout(), "{} {}: not one solution, or other figures", puzzle.rule, puzzle.stones())?;
    }
    let classes: BTreeSet<Vec<u8>> = puzzles.iter().map(Puzzle::class).collect();
    let again = puzzles.len() - classes.len();
    writeln!(stdout(), "{}: {}; {} wrong, {again} twice", file.display(), summary(&puzzles), wrong.len())?;
    Ok(if wrong.is_empty() && again == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The puzzles of a file.
pub fn read_puzzles(file: &Path) -> Result<Vec<Puzzle>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    parse_puzzles(&text).with_context(|| file.display().to_string())
}
