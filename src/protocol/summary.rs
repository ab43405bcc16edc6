//! A line of play in the forms that boards, match runners and people read.

use super::reply::Reply;
use crate::engine::{BoardSize, Line, Point, format_point};

/// How points are named in text for people: a letter for the column, a number for the row from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Names {
    size: BoardSize,
    rows_first: bool,
}

impl Names {
    /// Names for a board of this size. With `rows_first` a point's first coordinate is its row counted from the top,
    /// as Yixin-Board has it; otherwise it is the column.
    pub(super) fn new(size: BoardSize, rows_first: bool) -> Names {
        Names { size, rows_first }
    }

    /// The moves' names with blanks between them.
    pub(super) fn of(self, moves: &[Point]) -> String {
        moves.iter().map(|p| self.name(*p)).collect::<Vec<_>>().join(" ")
    }

    fn name(self, point: Point) -> String {
        let turned = || {
            let size = BoardSize::new(self.size.height(), self.size.width())?;
            Some(format_point(size, Point::new(point.y(), point.x())?))
        };
        let turned = if self.rows_first { turned() } else { None };
        turned.unwrap_or_else(|| format_point(self.size, point))
    }
}

/// A line as an `INFO` block. Every key has a value, since boards crash without.
pub(super) fn block(line: &Line) -> Vec<Reply> {
    let Line { pv_index, pv_count, depth, seldepth, score, nodes, elapsed, moves } = line;
    let milliseconds = elapsed.as_millis().max(1);
    let speed = u128::from(*nodes) * 1000 / milliseconds;
    vec![
        Reply::info("PV", pv_index),
        Reply::info("NUMPV", pv_count),
        Reply::info("DEPTH", depth),
        Reply::info("SELDEPTH", seldepth),
        Reply::info("NODES", nodes),
        Reply::info("TOTALNODES", nodes),
        Reply::info("TOTALTIME", elapsed.as_millis()),
        Reply::info("SPEED", speed),
        Reply::info("EVAL", score),
        Reply::info("WINRATE", format_args!("{:.4}", score.win_rate())),
        Reply::info("BESTLINE", Reply::Points(moves.clone())),
        Reply::info("PV", "DONE"),
    ]
}

/// Value and moves of the best line, for the `bestline` display of both Yixin-Boards. They read the value as an
/// integer, so a win in n plies is [`Score::WIN`](crate::engine::Score::WIN) less n.
pub(super) fn realtime(line: &Line, names: Names) -> [Reply; 2] {
    [
        Reply::Message(format!("REALTIME VAL {}", line.score.raw())),
        Reply::Message(format!("REALTIME PV {}", names.of(&line.moves))),
    ]
}

/// A line as text for people, which match runners and board programs log.
pub(super) fn text(line: &Line, names: Names) -> Reply {
    let Line { depth, seldepth, score, nodes, elapsed, moves, .. } = line;
    // A win near the root leaves no line as deep as the iteration.
    let seldepth = seldepth.max(depth);
    let (nodes, milliseconds, moves) = (short(*nodes), elapsed.as_millis(), names.of(moves));
    Reply::Message(format!("depth {depth}-{seldepth} eval {score} nodes {nodes} time {milliseconds} ms line {moves}"))
}

/// What the opening book says, as text for people.
pub(super) fn book(line: &Line, names: Names) -> Reply {
    Reply::Message(format!("book eval {} depth {} line {}", line.score, line.depth, names.of(&line.moves)))
}

/// A count in at most three digits and a unit, or exactly below 10,000.
fn short(count: u64) -> String {
    if count < 10_000 {
        return count.to_string();
    }
    let mut value = count as f64;
    let mut unit = "";
    for next in ["K", "M", "G", "T"] {
        // What would be rounded to 1000 belongs to the next unit.
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    let decimals = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:.decimals$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        let counts = [0, 9_999, 10_000, 123_456, 999_499, 999_500, 1_234_567, 99_960_000, 41_000_000_000, u64::MAX];
        let expected = ["0", "9999", "10.0K", "123K", "999K", "1.00M", "1.23M", "100M", "41.0G", "18446744T"];
        assert_eq!(counts.map(short), expected);
    }

    #[test]
    fn names_follow_the_orientation_of_the_board() {
        let size = BoardSize::new(20, 15).unwrap_or(BoardSize::RENJU);
        let points = [Point::at(0, 0), Point::at(19, 14), Point::at(3, 5)];
        assert_eq!(Names::new(size, false).of(&points), "a15 t1 d10");
        assert_eq!(Names::new(size, true).of(&points), "a20 o1 f17");
    }
}
