//! When a game that nobody has won is a draw.

use tengen::board::BoardSize;
use tengen::rules::Rule;

/// Number of empty cells at which a game is drawn: a tenth of the board. In renju it is played to the full board, since
/// black loses if only forbidden points are left.
pub fn drawn_from(rule: Rule, size: BoardSize) -> usize {
    if rule.restricted_side().is_some() { 0 } else { size.cells() / 10 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_renju_fill_the_board() {
        let size = BoardSize::RENJU;
        assert_eq!(Rule::ALL.map(|rule| drawn_from(rule, size)), [22, 22, 0, 22, 22]);
    }
}
