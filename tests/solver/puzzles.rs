//! The positions of `data/attacks.txt`: wins by threats, and near misses.

#![allow(dead_code, reason = "each test program uses a part")]

use crate::support::data;
use tengen::board::{BoardSize, Setup, Side, format_points, parse_points};
use tengen::rules::Rule;

pub struct Puzzle {
    pub rule: Rule,
    pub setup: Setup,
    /// Length of the win in plies; `None` for a near miss.
    pub plies: Option<u32>,
}

impl Puzzle {
    /// Parses `renju black 13 h8i9 g7g9`: side to move, length of the win in plies or `none`, black's stones and
    /// white's.
    fn read(line: &str) -> Option<Puzzle> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [rule, to_move, plies, black, white] = words[..] else { return None };
        let mut setup = Setup::empty(BoardSize::RENJU);
        for (side, labels) in [(Side::Black, black), (Side::White, white)] {
            setup.stones.extend(parse_points(setup.size, labels).ok()?.into_iter().map(|point| (point, side)));
        }
        setup.to_move = if to_move == "black" { Side::Black } else { Side::White };
        Some(Puzzle { rule: Rule::from_name(rule)?, setup, plies: plies.parse().ok() })
    }

    /// Formats the position as such a line.
    pub fn line(&self) -> String {
        let stones = |side: Side| {
            let own = self.setup.stones.iter().filter(|(_, s)| *s == side);
            format_points(self.setup.size, &own.map(|(p, _)| *p).collect::<Vec<_>>())
        };
        let to_move = if self.setup.to_move == Side::Black { "black" } else { "white" };
        let plies = self.plies.map_or("none".to_owned(), |plies| plies.to_string());
        format!("{} {to_move} {plies} {} {}", self.rule, stones(Side::Black), stones(Side::White))
    }
}

/// All positions, in the order of the file.
pub fn puzzles() -> Vec<Puzzle> {
    let text = std::fs::read_to_string(data("attacks.txt")).expect("the file of positions");
    text.lines().map(|line| Puzzle::read(line).unwrap_or_else(|| panic!("{line}"))).collect()
}
