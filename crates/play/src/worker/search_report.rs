//! The report of another engine on its search, read from its messages as far as their form is known.
//!
//! Labels such as `H7` do not say from which side an engine counts its rows. A line of labels is read only when one of
//! the engine's answers has shown it; until then its text is all there is. Pairs such as `7,6` are the protocol's own
//! coordinates.

use tengen::board::{BoardSize, Point, Setup};
use tengen::engine::Score;
use tengen_engines::search_info::SearchInfo;

/// Number of messages that are kept.
const KEPT: usize = 5;
/// Longest message that is kept, in characters.
const LONGEST: usize = 240;

/// From which side an engine counts the rows of its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// From the bottom, as this program does.
    Up,
    /// From the top.
    Down,
}

/// The messages of one search.
#[derive(Clone, Debug, Default)]
pub struct SearchReport {
    info: SearchInfo,
    line: Vec<Point>,
    /// The words of the newest best line.
    words: Vec<String>,
    text: Vec<String>,
}

impl SearchReport {
    /// Takes a message.
    pub fn read(&mut self, message: &str, setup: &Setup, rows: Option<Rows>) {
        let message: String = message.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
        self.info.read(&message);
        if let Some(words) = best_line(&message) {
            self.words = words;
            self.line = points(&self.words, setup, rows);
        }
        if self.text.len() == KEPT {
            self.text.remove(0);
        }
        self.text.push(message);
    }

    /// The same with the best line read again, when more is known about its labels.
    pub fn reread(mut self, setup: &Setup, rows: Option<Rows>) -> SearchReport {
        self.line = points(&self.words, setup, rows);
        self
    }

    /// How the engine counts rows, if the first label of its line is this point in one way only.
    pub fn rows_if_first_is(&self, answer: Point, size: BoardSize) -> Option<Rows> {
        let first = self.words.first()?;
        let fits = |rows: &Rows| point(first, size, Some(*rows)) == Some(answer);
        let mut fitting = [Rows::Up, Rows::Down].into_iter().filter(fits);
        let rows = fitting.next()?;
        fitting.next().is_none().then_some(rows)
    }

    /// Depth and nodes.
    pub fn info(&self) -> &SearchInfo {
        &self.info
    }

    /// The evaluation in the engine's units, or a proven result.
    pub fn score(&self) -> Option<Score> {
        self.info.eval.map(Score::from_raw)
    }

    /// The best line; empty if it cannot be read.
    pub fn line(&self) -> &[Point] {
        &self.line
    }

    /// The last messages.
    pub fn text(&self) -> &[String] {
        &self.text
    }
}

/// The words after `pv`, `line` or `bestline`, unless the message is about another line than the best.
fn best_line(message: &str) -> Option<Vec<String>> {
    let words =
        message.split(|c: char| c.is_whitespace() || matches!(c, '|' | ':' | '=')).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let is = |word: &str, names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    let rank = words.iter().position(|word| is(word, &["multipv"])).and_then(|at| words.get(at + 1));
    if rank.is_some_and(|rank| *rank != "1") {
        return None;
    }
    let at = words.iter().position(|word| is(word, &["pv", "line", "bestline"]))?;
    let line = words[at + 1..].iter().take_while(|word| word.contains(|c: char| c.is_ascii_digit()));
    let line: Vec<String> = line.map(|word| (*word).to_owned()).collect();
    (!line.is_empty()).then_some(line)
}

/// The points of a line, as long as they are empty.
fn points(words: &[String], setup: &Setup, rows: Option<Rows>) -> Vec<Point> {
    let mut line: Vec<Point> = Vec::new();
    for word in words {
        let Some(point) = point(word, setup.size, rows) else { break };
        if line.contains(&point) || setup.stones.iter().any(|(taken, _)| *taken == point) {
            break;
        }
        line.push(point);
    }
    line
}

/// The point of `7,6` or, where the rows are known, of `H7`.
fn point(word: &str, size: BoardSize, rows: Option<Rows>) -> Option<Point> {
    if let Some((x, y)) = word.split_once(',') {
        return size.point(x.parse().ok()?, y.parse().ok()?);
    }
    let letter = word.chars().next().filter(char::is_ascii_alphabetic)?;
    let x = i32::from(letter.to_ascii_lowercase() as u8 - b'a');
    let number: i32 = word[1..].parse().ok()?;
    match rows? {
        Rows::Up => size.point(x, i32::from(size.height()) - number),
        Rows::Down => size.point(x, number - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::parse_points;

    const SIZE: BoardSize = BoardSize::RENJU;

    fn setup() -> Setup {
        Setup::from_moves(SIZE, parse_points(SIZE, "h8i9").expect("points"))
    }

    #[test]
    fn labels_are_read_when_an_answer_has_shown_how_rows_are_counted() {
        let mut report = SearchReport::default();
        report.read("Speed 247K | Depth 17-35 | Eval -161 | Node 363K | Time 1472ms", &setup(), None);
        report.read("Bestline H7 F8 I8", &setup(), None);
        assert_eq!((report.info().depth, report.info().eval, report.line()), (Some(17), Some(-161), &[][..]));
        assert_eq!(report.text().len(), 2);
        let answer = Point::at(7, 6);
        assert_eq!(report.rows_if_first_is(answer, SIZE), Some(Rows::Down));
        assert_eq!(report.rows_if_first_is(Point::at(7, 8), SIZE), Some(Rows::Up));
        assert_eq!(report.rows_if_first_is(Point::at(0, 0), SIZE), None);
        let line = report.reread(&setup(), Some(Rows::Down)).line().to_vec();
        assert_eq!(line, [answer, Point::at(5, 7), Point::at(8, 7)]);
        // The middle row is the same from both sides.
        let mut middle = SearchReport::default();
        middle.read("pv A8 B3", &setup(), None);
        assert_eq!(middle.rows_if_first_is(Point::at(0, 7), SIZE), None);
    }

    #[test]
    fn pairs_are_read_at_once_and_a_line_ends_where_it_cannot_be_played() {
        let mut report = SearchReport::default();
        report.read("depth 4 ev +M5 pv 6,6 5,5 7,7 4,4", &setup(), None);
        assert_eq!(report.line(), [Point::at(6, 6), Point::at(5, 5)], "h8 holds a stone");
        assert_eq!(report.score().and_then(Score::distance), Some(5));
        report.read("depth 5 multipv 2 pv 0,0", &setup(), None);
        assert_eq!(report.line().len(), 2);
    }

    #[test]
    fn any_text_is_kept_and_none_is_a_fault() {
        let mut report = SearchReport::default();
        for text in ["", "pv", "pv é9 x,y", "line \u{7} 99,99 h", "bestline h99999999999 7,", "pv 7"] {
            report.read(text, &setup(), Some(Rows::Up));
            assert!(report.line().is_empty(), "{text}");
        }
        report.read(&"x".repeat(9_999), &setup(), None);
        assert_eq!((report.text().len(), report.text()[KEPT - 1].len()), (KEPT, LONGEST));
    }
}
