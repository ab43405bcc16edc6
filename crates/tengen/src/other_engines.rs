//! The other engines of `tengen play`: those of the command line and those of the user's file. Only these two name
//! programs; the page chooses among the names.

use crate::engine_args;
use crate::match_args::{Table, ensure_once, pairs_of_table, pairs_of_text};
use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use tengen_engines::client::ProcessPool;
use tengen_engines::guard::{Guard, run_mark};
use tengen_engines::spec::EngineSpec;
use tengen_play::others::OtherEngines;

/// Name of the user's file in the folder of saved games.
const FILE: &str = "engines.toml";

/// Options that declare other engines.
#[derive(clap::Args)]
pub struct OtherArgs {
    /// Other engine of the Gomocup protocol, to play against or for a second opinion: key=value, separated by commas
    /// (see below)
    #[arg(long, value_name = "KEY=VALUE", action = clap::ArgAction::Append)]
    engine: Vec<String>,
    /// TOML file with other engines, a table [[engine]] for each [default: engines.toml in the folder of saved games,
    /// if there is one]
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
}

/// The content of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    engine: Vec<Table>,
}

impl OtherArgs {
    /// All declared engines. Those of the command line come first, and take the place of others of the same name.
    pub fn load(&self, folder: Option<&Path>) -> Result<OtherEngines> {
        let mut specs = Vec::new();
        for text in &self.engine {
            let own = pairs_of_text(text).and_then(|own| ensure_once(&own).map(|()| own));
            specs.push(own.and_then(|own| engine_args::opponent(&own)).with_context(|| format!("--engine {text}"))?);
        }
        for spec in self.of_file(folder)? {
            if !self.engine.is_empty() && specs.iter().any(|other: &EngineSpec| other.name == spec.name) {
                continue;
            }
            specs.push(spec);
        }
        if specs.is_empty() {
            return Ok(OtherEngines::none());
        }
        let mark = run_mark();
        let program = std::env::current_exe().context("cannot find this program")?;
        let guard = Guard::start(&program, &["guard"], &mark).context("cannot start the guard")?;
        OtherEngines::new(specs, ProcessPool::new(mark, Some(guard))).map_err(|why| anyhow!(why))
    }

    fn of_file(&self, folder: Option<&Path>) -> Result<Vec<EngineSpec>> {
        let usual = folder.map(|folder| folder.join(FILE)).filter(|path| path.is_file());
        let Some(path) = self.engines.clone().or(usual) else { return Ok(Vec::new()) };
        let named = || path.display().to_string();
        let text = std::fs::read_to_string(&path).with_context(named)?;
        let file: File = toml::from_str(&text).with_context(named)?;
        file.engine.iter().map(|table| engine_args::opponent(&pairs_of_table(table)).with_context(named)).collect()
    }
}
