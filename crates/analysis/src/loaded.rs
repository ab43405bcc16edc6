//! A game for analysis: one line of moves, checked.

use tengen::board::{BySide, Setup, Side, format_point};
use tengen::rules::Rule;
use tengen_record::{Place, Problem, ReadError, Record, Tree};

/// A position, the moves that led to it, and other data of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The position after all moves; it has passed [`Setup::check`].
    pub setup: Setup,
    /// Number of stones that were set up before the first move. A drawing has no moves.
    pub first: usize,
    /// The rule, if the text names one or one is likely.
    pub rule: Option<Rule>,
    /// Why the rule may be wrong, in words; see [`Record::rule_doubt`].
    pub rule_doubt: Option<String>,
    /// The passes: the number of stones at that time, and the side.
    pub passes: Vec<(usize, Side)>,
    /// Names of the players, empty if unknown.
    pub names: BySide<String>,
    /// The result in the file's words; `None` if it is missing or the game is unfinished.
    pub result: Option<String>,
    /// Faults that did not keep the text from being read, each a sentence for people.
    pub warnings: Vec<String>,
}

impl Loaded {
    /// The main line of a game.
    ///
    /// # Errors
    /// If a stone lies on another. Readers of files exclude that, except for edited stones.
    pub fn new(record: &Record) -> Result<Loaded, ReadError> {
        let setup = record.setup(record.end());
        setup.check().map_err(|e| ReadError { game: None, place: Place::Whole, problem: Problem::Setup(e) })?;
        // Edited stones during a game form a new start position.
        let line = record.tree.main_line(Tree::ROOT);
        let begin = line.iter().rposition(|id| record.tree.get(*id).is_some_and(|node| !node.edits.is_empty()));
        let first = begin.map_or(record.start.stones.len(), |i| record.setup(line[i]).stones.len());
        let mut loaded = Loaded {
            setup,
            first,
            rule: record.rule,
            rule_doubt: record.rule_doubt.clone(),
            passes: record.passes(record.end()),
            names: record.names.clone(),
            result: record.result.clone(),
            warnings: record.warnings.clone(),
        };
        loaded.warnings.extend(loaded.odd());
        Ok(loaded)
    }

    /// The position before stone `number`, counted from 1 and including set-up stones. One more than the last number
    /// gives the position after all moves. `None` for a stone that is not a move.
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

    /// Why the rule of an analysis is uncertain if no rule was chosen, in words.
    pub fn assumed_rule(&self) -> Option<String> {
        match (self.rule, &self.rule_doubt) {
            (Some(_), None) => None,
            (Some(_), Some(doubt)) => Some(doubt.clone()),
            (None, Some(doubt)) => Some(format!("{doubt}: {} is assumed", Rule::default())),
            (None, None) => Some(format!("no rule is named: {} is assumed", Rule::default())),
        }
    }

    /// The moves as labels, including `pass`, if they alternate from the empty board, black first.
    pub fn labels(&self) -> Option<String> {
        let size = self.setup.size;
        let mut passes = self.passes.iter().peekable();
        let (mut labels, mut side) = (Vec::new(), Side::Black);
        for (i, (point, by)) in self.setup.stones.iter().enumerate() {
            while passes.next_if(|(at, by)| *at == i && *by == side).is_some() {
                labels.push("pass".to_owned());
                side = !side;
            }
            if *by != side {
                return None;
            }
            labels.push(format_point(size, *point));
            side = !side;
        }
        labels.extend(passes.map(|_| "pass".to_owned()));
        let blank = if self.passes.is_empty() { "" } else { " " };
        Some(labels.join(blank)).filter(|_| self.first == 0)
    }

    /// Why no game leads to this position, in words.
    fn odd(&self) -> Option<String> {
        let stones = &self.setup.stones;
        let count = |side: Side| stones.iter().filter(|(_, s)| *s == side).count();
        let (black, white) = (count(Side::Black), count(Side::White));
        let moves = &stones[self.first..];
        let has_passed = |stones: usize| self.passes.iter().any(|(at, _)| *at == stones);
        let again = |i: &usize| moves[*i].1 == moves[*i + 1].1 && !has_passed(self.first + i + 1);
        if let Some(i) = (0..moves.len().saturating_sub(1)).find(again) {
            let number = self.first + i + 2;
            Some(format!("move {number}: {} plays twice in a row", moves[i].1.name()))
        } else if self.passes.is_empty() && black != white && black != white + 1 {
            Some(format!("{black} black and {white} white stones: a game has as many of each, or one black stone more"))
        } else {
            None
        }
    }
}
