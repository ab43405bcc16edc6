//! Argument values that several subcommands share.

use anyhow::{Context, Result, anyhow, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::OpenOptions;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use tengen::engine::loader::read_or_default;
use tengen::engine::{Engine, MAX_DEPTH, Options, Rule};
use tengen_analysis::load::rule_of_text;
use tengen_workbench::shard::{Shard, ShardChoice};

/// A rule by name or number.
pub fn parse_rule(text: &str) -> Result<Rule, String> {
    rule_of_text(text).ok_or_else(|| "rules are 0, 1, 4, 8, 9, freestyle, standard, renju, caro, caro-exact".to_owned())
}

/// The part that an option names, or that of the array task in which this program runs.
pub fn shard_of(choice: ShardChoice) -> Result<Shard> {
    choice.shard(&|name| std::env::var(name).ok()).map_err(|e| anyhow!("--shard {choice}: {e}"))
}

/// Megabytes as bytes.
pub fn megabytes(number: u64) -> u64 {
    number.saturating_mul(1 << 20)
}

/// Options of the engine that searches.
#[derive(clap::Args)]
pub struct EngineOptions {
    /// Search threads
    #[arg(short = 'j', long, default_value_t = NonZeroUsize::MIN)]
    threads: NonZeroUsize,
    /// Hash size (transposition table) in MB
    #[arg(long, default_value_t = 256)]
    hash: u64,
    /// Evaluation: a network of `tengen train`, weights of `tengen tune`, or `classical` [default: the built-in
    /// network]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

impl EngineOptions {
    /// The engine with these options.
    pub fn engine(&self) -> Result<Engine> {
        let evaluation = read_or_default(self.weights.as_deref())?;
        let (threads, hash) = (self.threads.get(), Some(megabytes(self.hash)));
        Ok(Engine::new(Options { threads, hash, evaluation, ..Options::default() }))
    }
}

/// A depth in plies.
pub fn parse_depth(text: &str) -> Result<u32, String> {
    let depth = text.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
    depth.ok_or_else(|| format!("depths are 1 to {MAX_DEPTH}"))
}

/// A progress bar for a number of games or pairs. Those done earlier do not count for the speed.
pub fn progress_bar(total: u64, done: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len} [{elapsed_precise}<{eta_precise}] {msg}");
    let bar = ProgressBar::new(total).with_position(done);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.reset_eta();
    bar
}

/// Number of processors available to the program, or 1 if the system does not report it.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Fails if a file cannot be written, at the start of a run instead of its end. The file's content stays.
pub fn ensure_writable(path: &Path) -> Result<()> {
    let is_new = !path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.with_context(|| format!("cannot write {}", path.display()))?;
    if is_new {
        std::fs::remove_file(path).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Fails if one of these options, each with its name and value, is not between 0 and 1.
pub fn ensure_shares(options: &[(&str, f64)]) -> Result<()> {
    for (name, share) in options {
        ensure!((0.0..=1.0).contains(share), "--{name} is from 0 to 1");
    }
    Ok(())
}

/// Two integers separated by a comma, the first not larger than the second.
pub fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let range = text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    range.filter(|(fewest, most)| fewest <= most).ok_or_else(|| "expected FEWEST,MOST such as 2,8".to_owned())
}
