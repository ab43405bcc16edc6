//! Values of positions: an engine's score, which is the mover's, as Black's value.

use tengen::board::Side;
use tengen::engine::{Line, Score};
use tengen_analysis::wording::{black_score, of_black};
use tengen_record::Value;

/// The value of a score of the side to move.
pub fn of_score(score: Score, to_move: Side) -> Value {
    let winner = if score.is_win() { to_move } else { !to_move };
    let mate = score.distance().map(|plies| (winner, plies.unsigned_abs()));
    let units = black_score(score, to_move).raw();
    let score_of_black = mate.is_none().then_some(units);
    Value { win_rate: of_black(score, to_move), score: score_of_black, mate, ..Value::default() }
}

/// The value of the position where a line begins; the side to move plays its first move.
pub fn of_line(line: &Line, to_move: Side) -> Value {
    Value { depth: line.depth, nodes: line.nodes, ..of_score(line.score, to_move) }
}

/// The value after a move, from the score of the side that made it; the score counts a win from before the move.
pub fn after_move(score: Score, mover: Side) -> Value {
    let before = of_score(score, mover);
    let mate = before.mate.map(|(winner, plies)| (winner, plies.saturating_sub(1)));
    Value { mate, ..before }
}

/// The value when nothing is known.
pub fn unknown() -> Value {
    of_score(Score::ZERO, Side::Black)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_blacks_whoever_is_to_move() {
        let even = |side| of_score(Score::units(100), side);
        assert_eq!((even(Side::Black).score, even(Side::White).score), (Some(100), Some(-100)));
        assert!((even(Side::Black).win_rate + even(Side::White).win_rate - 1.0).abs() < 1e-12);
        assert!(even(Side::Black).win_rate > 0.5);
        let won = of_score(Score::win_in(5), Side::White);
        assert_eq!((won.win_rate, won.score), (0.0, None));
        assert_eq!(won.mate, Some((Side::White, 5)));
        let lost = of_score(Score::loss_in(4), Side::White);
        assert_eq!((lost.win_rate, lost.mate), (1.0, Some((Side::Black, 4))));
    }

    #[test]
    fn a_ply_is_gone_after_the_move() {
        let mate = |score| after_move(score, Side::White).mate;
        assert_eq!(mate(Score::win_in(5)), Some((Side::White, 4)));
        assert_eq!(mate(Score::win_in(1)), Some((Side::White, 0)), "the row is complete");
        assert_eq!(mate(Score::loss_in(4)), Some((Side::Black, 3)));
        assert_eq!(mate(Score::units(30)), None);
    }
}
