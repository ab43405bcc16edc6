//! The positions of `data/attacks.txt`: wins by threats, and positions that look like them.

#![allow(dead_code, reason = "each test program uses a part")]

use crate::support::data;
use tengen::board::{BoardSize, Setup, Side, format_points, parse_points};
use tengen::rules::Rule;

pub struct Puzzle {
    pub rule: Rule,
    pub setup: Setup,
    /// Plies of the win; none for a near miss.
    pub plies: Option<u32>,
}

impl Puzzle {
    /// `renju black 13 h8i9 g7g9`: who is to move, the plies of the win or `none`, black's stones and white's.
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

    /// The line that reads as this.
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

/// All of them, in the order of the file.
pub fn puzzles() -> Vec<Puzzle> {
    let text = std::fs::read_to_string(data("attacks.txt")).expect("the file of positions");
    text.lines().map(|line| Puzzle::read(line).unwrap_or_else(|| panic!("{line}"))).collect()
}
