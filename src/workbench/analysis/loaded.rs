//! What every reader of positions returns, and why it could not.

use crate::board::{BySide, Setup, Side};
use crate::rules::Rule;
use crate::workbench::rule_code::rule_of_code;
use std::fmt;

/// A position with the moves that led to it, and what else its file tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The position after all moves; it has passed [`Setup::check`].
    pub setup: Setup,
    /// Number of stones that were set up before the first move. A drawing has no moves.
    pub first: usize,
    /// The rule, where the text says it.
    pub rule: Option<Rule>,
    /// Names of the players, empty where unknown.
    pub names: BySide<String>,
    /// The result in the file's words; `None` where it says nothing, or that the game is not finished.
    pub result: Option<String>,
    /// Oddities that did not keep the text from being read, each a sentence for people.
    pub warnings: Vec<String>,
}

impl Loaded {
    /// A position; its last stones from number `first` (from 0) on are moves.
    pub fn new(setup: Setup, first: usize) -> Loaded {
        Loaded { setup, first, rule: None, names: BySide::default(), result: None, warnings: Vec::new() }
    }

    /// The position in which stone `number`, counted from 1 and including set-up stones, is played. One more than the
    /// last is the position after all moves. `None` for a stone that is not a move.
    pub fn before(&self, number: usize) -> Option<Setup> {
        let stones = number.checked_sub(1).filter(|stones| (self.first..=self.setup.stones.len()).contains(stones))?;
        let to_move = self.setup.stones.get(stones).map_or(self.setup.to_move, |(_, side)| *side);
        let setup = &self.setup;
        Some(Setup {
            size: setup.size,
            stones: setup.stones[..stones].to_vec(),
            blocked: setup.blocked.clone(),
            to_move,
        })
    }

    /// Checks the stones, and warns of what no game leads to.
    pub(super) fn checked(mut self) -> Result<Loaded, LoadError> {
        self.setup.check().map_err(error)?;
        let stones = &self.setup.stones;
        let count = |side: Side| stones.iter().filter(|(_, s)| *s == side).count();
        let (black, white) = (count(Side::Black), count(Side::White));
        let moves = &stones[self.first..];
        if let Some(i) = moves.windows(2).position(|pair| pair[0].1 == pair[1].1) {
            let number = self.first + i + 2;
            self.warnings.push(format!("move {number}: {} plays twice in a row", moves[i].1.name()));
        } else if black != white && black != white + 1 {
            self.warnings.push(format!(
                "{black} black and {white} white stones: a game has as many of each, or one black stone more"
            ));
        }
        Ok(self)
    }
}

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

pub(super) fn error(text: impl fmt::Display) -> LoadError {
    LoadError(text.to_string())
}

/// The name or Gomocup's number of a rule.
pub fn rule_of_text(text: &str) -> Option<Rule> {
    let named = Rule::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(text));
    named.or_else(|| text.parse().ok().and_then(rule_of_code))
}
