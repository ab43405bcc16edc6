//! A line of play in the formats for boards, match runners and people.

use super::reply::Reply;
use crate::engine::{BoardSize, Line, Point, format_point};

/// The names of points in text: a letter for the column, and a number for the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Names {
    size: BoardSize,
    rows_first: bool,
}

impl Names {
    /// Names for a board of this size. With `rows_first` a point's first coordinate is its row, as in Yixin-Board, and
    /// rows are numbered from the bottom, as on that board. Otherwise rows are numbered as in the protocol, as Rapfi
    /// does, so that a program can recover `x,y` from the name.
    pub(super) fn new(size: BoardSize, rows_first: bool) -> Names {
        Names { size, rows_first }
    }

    /// The names of moves, separated by blanks.
    pub(super) fn of(self, moves: &[Point]) -> String {
        moves.iter().map(|p| self.name(*p)).collect::<Vec<_>>().join(" ")
    }

    fn name(self, point: Point) -> String {
        let (width, height) = (self.size.width(), self.size.height());
        let on_board = |size: Option<BoardSize>, x: u8, y: u8| Some(format_point(size?, Point::new(x, y)?));
        let named = if self.rows_first {
            on_board(BoardSize::new(height, width), point.y(), point.x())
        } else {
            on_board(Some(self.size), point.x(), (height - 1).saturating_sub(point.y()))
        };
        named.unwrap_or_else(|| format_point(self.size, point))
    }
}

/// A line as an `INFO` block. Every key has a value, because boards crash without one.
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

/// Score and moves of the best line, for the `bestline` display of both Yixin-Boards. They read the score as an
/// integer, so a win in n plies is [`Score::WIN`](crate::engine::Score::WIN) minus n.
pub(super) fn realtime(line: &Line, names: Names) -> [Reply; 2] {
    [
        Reply::Message(format!("REALTIME VAL {}", line.score.raw())),
        Reply::Message(format!("REALTIME PV {}", names.of(&line.moves))),
    ]
}

/// A line as text in Rapfi's format, which drivers parse and people can read: match runners and board programs log it.
pub(super) fn text(line: &Line, names: Names) -> Reply {
    let Line { depth, seldepth, score, nodes, elapsed, moves, .. } = line;
    // A win near the root has no line as deep as the iteration.
    let seldepth = seldepth.max(depth);
    let milliseconds = elapsed.as_millis();
    let speed = u128::from(*nodes) / milliseconds.max(1);
    let (nodes, moves) = (short(*nodes), names.of(moves));
    Reply::Message(format!("depth {depth}-{seldepth} ev {score} n {nodes} n/ms {speed} tm {milliseconds} pv {moves}"))
}

/// The opening book's entry, as text for people.
pub(super) fn book(line: &Line, names: Names) -> Reply {
    let Line { depth, score, moves, .. } = line;
    Reply::Message(format!("book depth {depth}-{depth} ev {score} pv {}", names.of(moves)))
}

/// A count with at most three digits and a unit, or the exact count below 10,000.
fn short(count: u64) -> String {
    if count < 10_000 {
        return count.to_string();
    }
    let mut value = count as f64;
    let mut unit = "";
    // Readers know no larger unit.
    for next in ["K", "M", "G"] {
        // A value that would round to 1000 uses the next unit.
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
    use crate::engine::Score;
    use std::time::Duration;

    #[test]
    fn counts_are_short() {
        let counts = [0, 9_999, 10_000, 123_456, 999_499, 999_500, 1_234_567, 99_960_000, 41_000_000_000, u64::MAX];
        let expected = ["0", "9999", "10.0K", "123K", "999K", "1.00M", "1.23M", "100M", "41.0G", "18446744074G"];
        assert_eq!(counts.map(short), expected);
    }

    #[test]
    fn names_follow_the_orientation_of_the_board() {
        let size = BoardSize::new(20, 15).unwrap_or(BoardSize::RENJU);
        let points = [Point::at(0, 0), Point::at(19, 14), Point::at(3, 5)];
        assert_eq!(Names::new(size, false).of(&points), "a1 t15 d6");
        assert_eq!(Names::new(size, true).of(&points), "a20 o1 f17");
    }

    /// A parser as strict as those of the drivers for Rapfi's format (pygomo-lib 0.1.1): the words in this order, one
    /// blank between them, numbers of digits only, nodes with one of three units, and points whose number is `y` + 1.
    #[allow(clippy::type_complexity)]
    fn as_drivers_read(message: &str) -> Option<([u64; 2], String, f64, [u64; 2], Vec<(u8, u8)>)> {
        let rest = message.strip_prefix("MESSAGE depth ")?;
        let (head, moves) = rest.split_once(" pv ")?;
        let [depths, "ev", eval, "n", nodes, "n/ms", speed, "tm", time] = head.split(' ').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u64>().ok()).flatten();
        let (depth, seldepth) = depths.split_once('-')?;
        let eval =
            eval.strip_prefix(['+', '-']).unwrap_or(eval).trim_start_matches('M').parse::<u64>().ok().map(|_| eval)?;
        let unit = nodes.find(['K', 'M', 'G']).map_or(1.0, |at| match nodes.get(at..) {
            Some("K") => 1e3,
            Some("M") => 1e6,
            Some("G") => 1e9,
            _ => f64::NAN,
        });
        let nodes = nodes.trim_end_matches(['K', 'M', 'G']).parse::<f64>().ok()? * unit;
        let point = |word: &str| {
            let column = word.bytes().next().filter(u8::is_ascii_lowercase)? - b'a';
            Some((column, word.get(1..)?.parse::<u8>().ok()?.checked_sub(1)?))
        };
        let moves = moves.split(' ').map(point).collect::<Option<Vec<_>>>()?;
        Some(([digits(depth)?, digits(seldepth)?], eval.to_owned(), nodes, [digits(speed)?, digits(time)?], moves))
    }

    #[test]
    fn text_is_read_whole_by_drivers() {
        let names = Names::new(BoardSize::new(20, 15).unwrap_or(BoardSize::RENJU), false);
        let written = |depth, raw: i32, nodes, milliseconds| {
            let (elapsed, moves) = (Duration::from_millis(milliseconds), vec![Point::at(7, 6), Point::at(19, 14)]);
            let score = Score::from_raw(raw);
            text(&Line { pv_index: 0, pv_count: 1, depth, seldepth: 23, score, nodes, elapsed, moves }, names)
                .to_string()
        };
        let line = written(12, 84, 1_230_000, 840);
        assert_eq!(line, "MESSAGE depth 12-23 ev 84 n 1.23M n/ms 1464 tm 840 pv h7 t15");
        let moves = vec![(7, 6), (19, 14)];
        let whole = |depth, eval: &str, nodes, speed, time| {
            Some(([depth, 23], eval.to_owned(), nodes, [speed, time], moves.clone()))
        };
        assert_eq!(as_drivers_read(&line), whole(12, "84", 1_230_000.0, 1464, 840));
        assert_eq!(as_drivers_read(&written(1, -7, 9, 0)), whole(1, "-7", 9.0, 9, 0));
        let (win, loss) = (Score::win_in(9).raw(), Score::loss_in(10).raw());
        assert_eq!(as_drivers_read(&written(9, win, 10_000, 3)), whole(9, "+M9", 10_000.0, 3333, 3));
        assert_eq!(as_drivers_read(&written(9, loss, 41_000_000_000, 60_000)), whole(9, "-M10", 41e9, 683_333, 60_000));
    }
}
