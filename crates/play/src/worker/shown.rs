//! The engine's results in the form for clients: labels for points, and Black's view instead of the mover's.

use crate::view::{ProvenWin, PvLine, Value};
use tengen::board::{BoardSize, Side, point_labels};
use tengen::engine::{Line, Score};

/// The value of a score of the side to move.
pub fn value(score: Score, to_move: Side, depth: u32, nodes: u64) -> Value {
    let (win_rate, units) = match to_move {
        Side::Black => (score.win_rate(), score.raw()),
        Side::White => (1.0 - score.win_rate(), -score.raw()),
    };
    let win = score
        .distance()
        .map(|plies| ProvenWin { side: if score.is_win() { to_move } else { !to_move }, plies: plies.unsigned_abs() });
    Value { win_rate, score: if win.is_none() { Some(units) } else { None }, win, depth, nodes }
}

/// The value after a move, from the score of the side that made it; the score counts a win from before the move.
pub fn value_after(score: Score, mover: Side, nodes: u64) -> Value {
    let made = match score.distance() {
        Some(plies) if score.is_win() => Score::win_in((plies - 1).max(0)),
        Some(plies) => Score::loss_in((-plies - 1).max(0)),
        None => score,
    };
    value(made, mover, 0, nodes)
}

/// The score of a value from one side's view.
pub fn score(value: &Value, side: Side) -> Score {
    let plies = |win: &ProvenWin| i32::try_from(win.plies).unwrap_or(i32::MAX).min(MOST_PLIES);
    match (&value.win, value.score) {
        (Some(win), _) if win.side == side => Score::win_in(plies(win)),
        (Some(win), _) => Score::loss_in(plies(win)),
        (None, units) => Score::units(if side == Side::Black { units.unwrap_or(0) } else { -units.unwrap_or(0) }),
    }
}

/// Larger than the plies of any game.
const MOST_PLIES: i32 = 625;

/// The value when nothing is known.
pub fn unknown() -> Value {
    value(Score::ZERO, Side::Black, 0, 0)
}

/// A line of analysis; `best` is the score of the best line.
pub fn pv_line(size: BoardSize, to_move: Side, line: &Line, best: Score) -> PvLine {
    PvLine {
        value: value(line.score, to_move, line.depth, line.nodes),
        loss: (best.win_rate() - line.score.win_rate()).max(0.0),
        moves: point_labels(size, &line.moves),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_blacks_whoever_is_to_move() {
        let even = |side| value(Score::units(100), side, 3, 7);
        assert_eq!((even(Side::Black).score, even(Side::White).score), (Some(100), Some(-100)));
        assert!((even(Side::Black).win_rate + even(Side::White).win_rate - 1.0).abs() < 1e-12);
        assert!(even(Side::Black).win_rate > 0.5);
        let won = value(Score::win_in(5), Side::White, 1, 1);
        assert_eq!((won.win_rate, won.score), (0.0, None));
        assert_eq!(won.win, Some(ProvenWin { side: Side::White, plies: 5 }));
        let lost = value(Score::loss_in(4), Side::White, 1, 1);
        assert_eq!((lost.win_rate, lost.win), (1.0, Some(ProvenWin { side: Side::Black, plies: 4 })));
    }

    #[test]
    fn a_ply_is_gone_after_the_move() {
        let plies = |score| value_after(score, Side::White, 1).win.map(|win| (win.side, win.plies));
        assert_eq!(plies(Score::win_in(5)), Some((Side::White, 4)));
        assert_eq!(plies(Score::win_in(1)), Some((Side::White, 0)), "the row is complete");
        assert_eq!(plies(Score::loss_in(4)), Some((Side::Black, 3)));
        assert_eq!(plies(Score::units(30)), None);
    }

    #[test]
    fn a_value_gives_its_score_back() {
        for of in [Score::units(130), Score::units(-7), Score::win_in(9), Score::loss_in(4)] {
            for side in Side::BOTH {
                assert_eq!(score(&value(of, side, 3, 7), side), of);
            }
        }
    }
}
