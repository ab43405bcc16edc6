//! Values that several subcommands take.

use anyhow::{Context, Result};
use std::fs::OpenOptions;
use std::path::Path;
use tengen::engine::{BoardSize, MAX_DEPTH, Rule};
use tengen::workbench::analysis::load::{rule_of_text, size_of_text};

/// A rule by name or number.
pub fn parse_rule(text: &str) -> Result<Rule, String> {
    rule_of_text(text).ok_or_else(|| "rules are 0, 1, 4, 8, 9, freestyle, standard, renju, caro, caro-exact".to_owned())
}

/// Megabytes as bytes.
pub fn megabytes(number: u64) -> u64 {
    number.saturating_mul(1 << 20)
}

/// A depth in plies.
pub fn parse_depth(text: &str) -> Result<u32, String> {
    let depth = text.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
    depth.ok_or_else(|| format!("depths are 1 to {MAX_DEPTH}"))
}

/// A board's size.
pub fn parse_size(text: &str) -> Result<BoardSize, String> {
    size_of_text(text).ok_or_else(|| "boards are 5 to 25 points wide: 15, or 20x15".to_owned())
}

/// Number of processors that the system lets the program use, or 1 if it does not say.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Fails if a file cannot be written, at the start of a run rather than at its end. What the file holds stays.
pub fn ensure_writable(path: &Path) -> Result<()> {
    let is_new = !path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.with_context(|| format!("cannot write {}", path.display()))?;
    if is_new {
        std::fs::remove_file(path).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
