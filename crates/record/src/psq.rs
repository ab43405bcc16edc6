//! Games of Piskvork and the Gomocup archives (.psq), and of Gomotur (.rec, read only).
//!
//! A .psq has a line of dimensions, moves `x,y,milliseconds` counted from 1 at the top left, the players' names, and
//! numbers whose meaning differs between versions. The last line may have the winner (0: none, 1: black, 2: white) and
//! the rule's name or Gomocup number. A .rec has two names and then moves counted from 0, on a board of at least 20x20.

use crate::builder::Builder;
use crate::error::{Place, Problem, ReadError};
use crate::game::Record;
use crate::rule_name::{self, Named};
use crate::text::{clean_line, shortened};
use std::fmt::Write;
use std::time::Duration;
use tengen::board::{BoardSize, Point, Setup, Side};

/// The first word of a .psq.
pub(super) const HEAD: &str = "Piskvorky";

/// The integers of a line that has only integers and commas.
fn numbers(line: &str) -> Option<Vec<i64>> {
    line.split(',').map(|n| n.trim().parse().ok()).collect()
}

/// The stones and times of the lines `x,y,milliseconds`, with their line numbers.
fn moves<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> impl Iterator<Item = (usize, i64, i64, Duration)> {
    lines.filter_map(|(number, line)| match numbers(line)?[..] {
        [x, y, ms] => Some((number, x, y, Duration::from_millis(ms.try_into().unwrap_or(0)))),
        _ => None,
    })
}

/// The stone of a line `x,y`.
fn untimed(number: usize, line: &str) -> Option<(usize, i64, i64, Duration)> {
    match numbers(line)?[..] {
        [x, y] => Some((number, x, y, Duration::ZERO)),
        _ => None,
    }
}

/// Adds a move whose coordinates count from `origin`.
fn play(builder: &mut Builder, origin: i64, (line, x, y, time): (usize, i64, i64, Duration)) -> Result<(), ReadError> {
    let from_0 = |n: i64| i32::try_from(n.saturating_sub(origin)).unwrap_or(-1);
    let point = builder.record.start.size.point(from_0(x), from_0(y));
    let point = point.ok_or_else(|| Problem::OffBoard(format!("move {x},{y}")).at(Place::Line(line)))?;
    builder.play(point, builder.to_move).map_err(|problem| problem.at(Place::Line(line)))?;
    builder.node().time = Some(time).filter(|time| !time.is_zero());
    Ok(())
}

/// Reads a .psq.
pub(super) fn read(text: &str) -> Result<Record, ReadError> {
    let head = text.lines().next().unwrap_or_default();
    let dimensions = head.split([' ', ',']).nth(1).filter(|dimensions| dimensions.contains('x'));
    let dimensions: Option<BoardSize> = dimensions.and_then(|dimensions| dimensions.parse().ok());
    let size = dimensions.ok_or_else(|| Problem::Size(shortened(head)).at(Place::Line(1)))?;
    let lines = (2..).zip(text.lines().skip(1));
    let mut builder = Builder::new(Record::new(None, Setup::empty(size)), usize::MAX);
    let mut last = 1;
    let mut steps: Vec<_> = moves(lines.clone()).collect();
    if steps.is_empty() {
        // Piskvork also accepts moves without a time.
        steps = lines.map_while(|(number, line)| untimed(number, line)).collect();
    }
    for step in steps {
        last = step.0;
        play(&mut builder, 1, step)?;
    }
    let mut record = builder.record;
    let tail: Vec<&str> = text.trim_end().lines().skip(last).collect();
    // Names may look like numbers unless at most two lines are left.
    let is_name = |line: &&&str| tail.len() > 2 || numbers(line).is_none() && said(line).is_none();
    let names: Vec<&&str> = tail.iter().take(2).take_while(is_name).collect();
    for line in &tail[names.len()..] {
        if let Some((winner, rule)) = said(line) {
            record.name_rule(rule);
            record.result = winner.map(str::to_owned);
        }
    }
    for (side, name) in Side::BOTH.into_iter().zip(names) {
        record.names[side] = clean_line(name);
    }
    Ok(record)
}

/// Parses a line such as `1,renju` or `0,Renju15_1`: the result in SGF notation, and the rule or the group of a
/// tournament that names it. In some archives the number beside a rule's number has another meaning; such lines give no
/// result.
fn said(line: &str) -> Option<(Option<&'static str>, &str)> {
    let (winner, rule) = line.split_once(',')?;
    let rule = rule.trim();
    let result = match winner.trim() {
        "0" => Some("0"),
        "1" => Some("B+"),
        "2" => Some("W+"),
        _ => None,
    };
    let is_number = rule.parse::<i64>().is_ok();
    let named = rule_name::of(rule) != Named::Unknown;
    // A word after a winner names a rule, known or unknown.
    let is_word = result.is_some() && !is_number && rule.starts_with(char::is_alphabetic);
    (named || is_word).then_some((result.filter(|_| !is_number), rule))
}

/// Writes a .psq: the moves of the line, names, result and rule.
pub(super) fn write(record: &Record, line: &[(Point, Duration)]) -> String {
    let mut text = format!("{HEAD} {}, 11:11, 0\r\n", record.start.size);
    for (point, time) in line {
        let _ = write!(text, "{},{},{}\r\n", point.x() + 1, point.y() + 1, time.as_millis());
    }
    for name in &record.names.0 {
        let name = clean_line(name);
        // Keeps a name from looking like a move.
        let name = if numbers(&name).is_some() { name.replace(',', " ") } else { name };
        let _ = write!(text, "{name}\r\n");
    }
    text.push_str("-1\r\n");
    if record.rule.is_some() {
        let winner = match record.result.as_deref() {
            Some(result) if result.starts_with('B') => 1,
            Some(result) if result.starts_with('W') => 2,
            Some("0" | "Draw") => 0,
            _ => -1,
        };
        let _ = write!(text, "{winner},{}\r\n", clean_line(record.rule_text()));
    }
    text
}

/// Whether a text is a .rec: two lines of names, then a move.
pub(super) fn is_rec(text: &str) -> bool {
    let is_move = |line: &str| numbers(line).is_some_and(|numbers| numbers.len() == 3);
    let mut lines = text.lines();
    let names = [lines.next(), lines.next()];
    names.iter().all(|name| name.is_some_and(|name| !is_move(name))) && lines.next().is_some_and(is_move)
}

/// Reads a .rec.
pub(super) fn read_rec(text: &str) -> Result<Record, ReadError> {
    let steps: Vec<_> = moves((3..).zip(text.lines().skip(2))).collect();
    let side = steps.iter().map(|(_, x, y, _)| (*x).max(*y).saturating_add(1)).max().unwrap_or(0).max(20);
    let size = u8::try_from(side).ok().and_then(|side| BoardSize::new(side, side));
    let size = size.ok_or_else(|| Problem::Size(String::new()).somewhere())?;
    let mut builder = Builder::new(Record::new(None, Setup::empty(size)), usize::MAX);
    for step in steps {
        play(&mut builder, 0, step)?;
    }
    let mut record = builder.record;
    for (side, name) in Side::BOTH.into_iter().zip(text.lines()) {
        record.names[side] = clean_line(name);
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::rules::Rule;

    fn tail(text: &str) -> ([String; 2], Option<Rule>, Option<String>) {
        let record = read(&format!("Piskvorky 20x12, 11:11, 0\r\n1,1,0\r\n20,12,1500\r\n{text}")).expect("a game");
        let end = record.setup(record.end());
        assert_eq!(end.stones, [(Point::at(0, 0), Side::Black), (Point::at(19, 11), Side::White)]);
        assert_eq!(record.tree.get(record.end()).unwrap().time, Some(Duration::from_millis(1500)));
        (record.names.0, record.rule, record.result)
    }

    /// The last lines that different programs write.
    #[test]
    fn names_result_and_rule() {
        let names = || ["a b".to_owned(), "c".to_owned()];
        let none = || [String::new(), String::new()];
        assert_eq!(tail(""), (none(), None, None));
        assert_eq!(tail("-1\r\n"), (none(), None, None));
        assert_eq!(tail("a b\r\nc\r\n"), (names(), None, None));
        assert_eq!(tail("a b\r\nc\r\n-1\r\n1,renju\r\n"), (names(), Some(Rule::Renju), Some("B+".into())));
        assert_eq!(tail("a b\nc\n0\n0,standard"), (names(), Some(Rule::Standard), Some("0".into())));
        // A rule's number beside a number of unknown meaning.
        assert_eq!(tail("a b\r\nc\r\n1,4\r\n"), (names(), Some(Rule::Renju), None));
        assert_eq!(tail("7\r\n8\r\n-1\r\n"), (["7".to_owned(), "8".to_owned()], None, None));
    }

    #[test]
    fn moves_may_have_no_time() {
        let record = read("Piskvorky 15x15, 11:11, 0\n8,8\n9,9\na b\nc\n1,4\n").expect("a game");
        let end = record.setup(record.end());
        assert_eq!(end.stones, [(Point::at(7, 7), Side::Black), (Point::at(8, 8), Side::White)]);
        assert_eq!((record.names.0.join("|"), record.rule), ("a b|c".to_owned(), Some(Rule::Renju)));
    }

    #[test]
    fn errors_say_where() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(error("Piskvorky 99x9, 1"), "line 1: no board of 5 to 25 points a side in \"Piskvorky 99x9, 1\"");
        assert_eq!(error("Piskvorky 15x15,\n1,1,0\n16,1,0\n"), "line 3: move 16,1 is off the board");
        assert_eq!(error("Piskvorky 15x15,\n1,1,0\n1,1,0\n"), "line 3: point a15 is taken twice");
        assert_eq!(
            error("Piskvorky 15x15,\n9223372036854775807,-9223372036854775808,0\n").split(": ").next(),
            Some("line 2")
        );
    }

    #[test]
    fn games_of_gomotur() {
        let text = "one\r\ntwo\r\n10,10,0\r\n21,3,17\r\n";
        assert!(is_rec(text) && !is_rec("1,1,1\n2,2,2\n3,3,3\n"));
        let record = read_rec(text).unwrap();
        assert_eq!((record.start.size.width(), record.names.0.join(" ")), (22, "one two".to_owned()));
        assert_eq!(record.setup(record.end()).stones[1], (Point::at(21, 3), Side::White));
        assert!(read_rec("one\ntwo\n25,1,0\n").is_err());
    }
}
