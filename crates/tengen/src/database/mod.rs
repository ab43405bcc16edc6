//! `tengen database`: imports games and libraries into a database of positions, asks it, and extends it.

mod build;
mod files;
mod query;

use anyhow::{Context, Result, ensure};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tengen::board::parse_points;
use tengen::engine::{BoardSize, Rule, Setup};
use tengen_analysis::load::read_file;
use tengen_database::{Database, Filter, View};

use crate::choices::parse_rule;

pub const EXAMPLES: &str = "\
Examples:
  tengen database import positions.tdb games.sgf opening.lib renjunet.rif rapfi.db match.jsonl
  tengen database query positions.tdb h8i9
  tengen database stats positions.tdb
  tengen database build positions.tdb h8i9 -r renju --nodes 1000000      (until Ctrl-C; goes on next time)
  tengen database export positions.tdb -o opening.lib h8";

/// What `tengen database` can do.
#[derive(clap::Subcommand)]
pub enum DatabaseCommand {
    /// Add games, libraries and databases of other programs. A file that is in the database already counts once; an
    /// interrupted import goes on
    #[command(after_long_help = files::FORMATS)]
    Import(files::ImportArgs),
    /// Write the positions from a position on as a tree: a RenLib .lib or an SGF file
    Export(files::ExportArgs),
    /// Show what is known of a position and of the moves from it
    Query(query::QueryArgs),
    /// Count positions and list the sources
    Stats {
        /// Database
        database: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Search positions, the most promising first, and store the values, from a position on
    Build(build::BuildArgs),
    /// Remove a source with all that it says
    Remove {
        /// Database
        database: PathBuf,
        /// Number of the source, as `stats` lists it
        source: u32,
    },
}

/// A number of things in words.
fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A position of the command line.
#[derive(clap::Args)]
struct Position {
    /// Position: moves such as h8i9h9, or a file whose game ends there [default: the empty board]
    moves: Vec<String>,
    /// Rule: 0, 1, 4, 8, 9 or its name [default: the file's, or the first rule by which the position is known]
    #[arg(short, long, value_parser = parse_rule)]
    rule: Option<Rule>,
    /// Board size, if the position is not a file: 15, or 20x15
    #[arg(short, long, default_value = "15")]
    size: BoardSize,
}

impl Position {
    /// The position and its rule, if it is chosen or the file names it.
    fn read(&self) -> Result<(Setup, Option<Rule>)> {
        if let [name] = &self.moves[..]
            && Path::new(name).is_file()
        {
            let bytes = std::fs::read(name).with_context(|| name.clone())?;
            let games = read_file(&bytes, Some(name), self.size).with_context(|| name.clone())?;
            let game = games.into_iter().next().context("no game")?;
            return Ok((game.setup, self.rule.or(game.rule)));
        }
        let text = self.moves.concat();
        let points = parse_points(self.size, &text).with_context(|| format!("{text}: neither a file nor moves"))?;
        let setup = Setup::from_moves(self.size, points);
        setup.check()?;
        Ok((setup, self.rule))
    }

    /// The position, and the rule that is chosen or under which it is known; freestyle if it is unknown.
    fn find(&self, view: &View) -> Result<(Setup, Rule)> {
        let (setup, rule) = self.read()?;
        if let Some(rule) = rule {
            return Ok((setup, rule));
        }
        for rule in Rule::ALL {
            if !view.entries(&setup, rule)?.is_empty() {
                return Ok((setup, rule));
            }
        }
        Ok((setup, Rule::default()))
    }
}

/// The sources that answer.
#[derive(clap::Args)]
struct Sources {
    /// Only sources with this number, kind (games, library, match, selfplay, positions, analysis, build) or part of the
    /// name; may be repeated
    #[arg(long = "source", value_name = "SOURCE")]
    sources: Vec<String>,
}

impl Sources {
    fn filter(&self, view: &View) -> Result<Filter> {
        let filter = Filter::named(view, &self.sources);
        ensure!(!filter.is_empty(), "--source: there is no such source; `tengen database stats` lists them");
        Ok(filter)
    }
}

/// Runs `tengen database`.
pub fn main(command: &DatabaseCommand) -> Result<ExitCode> {
    match command {
        DatabaseCommand::Import(args) => files::import(args),
        DatabaseCommand::Export(args) => files::export(args),
        DatabaseCommand::Query(args) => query::query(args),
        DatabaseCommand::Stats { database, json } => query::stats(database, *json),
        DatabaseCommand::Build(args) => build::build(args),
        DatabaseCommand::Remove { database, source } => remove(database, *source),
    }
}

fn remove(path: &Path, source: u32) -> Result<ExitCode> {
    ensure!(path.is_file(), "{}: there is no such database", path.display());
    let mut database = Database::create(path)?;
    let known = database.view()?.sources().get(&source).cloned();
    let known = known.with_context(|| format!("there is no source {source}"))?;
    database.write(|changes| changes.remove_source(source))?;
    writeln!(stdout(), "removed source {source}, {}", known.name)?;
    Ok(ExitCode::SUCCESS)
}
