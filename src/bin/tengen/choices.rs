//! Values that several subcommands take.

use tengen::engine::{BoardSize, Rule};
use tengen::workbench::load::{rule_of_text, size_of_text};

/// A rule by name or number.
pub fn parse_rule(text: &str) -> Result<Rule, String> {
    rule_of_text(text).ok_or_else(|| "rules are 0, 1, 4, 8, 9, freestyle, standard, renju, caro, caro-exact".to_owned())
}

/// A board's size.
pub fn parse_size(text: &str) -> Result<BoardSize, String> {
    size_of_text(text).ok_or_else(|| "boards are 5 to 25 points wide: 15, or 20x15".to_owned())
}
