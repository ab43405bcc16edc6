//! Values in words. A percentage is always Black's, and its text says so; nouns after numbers take the plural.

use tengen::board::Side;
use tengen::score::Score;

/// `Black` or `White`.
pub const fn name(side: Side) -> &'static str {
    match side {
        Side::Black => "Black",
        Side::White => "White",
    }
}

/// Black's win probability, from that of a side.
pub fn of_black(score: Score, side: Side) -> f64 {
    match side {
        Side::Black => score.win_rate(),
        Side::White => 1.0 - score.win_rate(),
    }
}

/// A side's score from Black's point of view.
pub fn black_score(score: Score, side: Side) -> Score {
    if side == Side::Black { score } else { -score }
}

/// Black's win probability, 0 to 1: `Black 63.0%`.
pub fn chance(black: f64) -> String {
    format!("Black {:.1}%", 100.0 * black)
}

/// The same in a column of a table: 12 characters.
pub fn chance_cell(black: f64) -> String {
    format!("Black {:>5.1}%", 100.0 * black)
}

/// The same in few characters, for a point of a picture: `B63%`.
pub fn short_chance(black: f64) -> String {
    format!("B{:.0}%", 100.0 * black)
}

/// A proven win: the number of plies to it, or that the game is won.
pub fn win(side: Side, plies: usize) -> String {
    match plies {
        0 => format!("{} has won", name(side)),
        plies => format!("{} wins in {}", name(side), self::plies(plies)),
    }
}

/// `1 ply`, `2 plies`.
pub fn plies(plies: usize) -> String {
    count(plies, "ply", "plies")
}

/// `1 move`, `2 moves`.
pub fn moves(moves: usize) -> String {
    count(moves, "move", "moves")
}

/// A number with the singular or plural of a noun.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_say_whose_they_are() {
        let score = Score::units(106);
        let seen = [Side::Black, Side::White].map(|side| chance(of_black(score, side)));
        assert_eq!(seen, ["Black 62.9%", "Black 37.1%"]);
        assert_eq!(chance_cell(0.051), "Black   5.1%");
        assert_eq!(short_chance(1.0), "B100%");
        assert_eq!(black_score(Score::win_in(3), Side::White).to_string(), "-M3");
    }

    #[test]
    fn numbers_have_their_plural_and_the_end_is_no_promise() {
        let wins = [0, 1, 2].map(|plies| win(Side::White, plies));
        assert_eq!(wins, ["White has won", "White wins in 1 ply", "White wins in 2 plies"]);
        assert_eq!([0, 1, 2].map(moves), ["0 moves", "1 move", "2 moves"]);
    }
}
