//! Parses transcripts and plays them.

use crate::table::{Table, line};
use std::time::Duration;
use tengen::engine::{Answer, Cell, Line, Outcome, Point, Report, RootState, Side};
use tengen::protocol::{Event, Reply};

/// Plays every section of a transcript with a new session.
///
/// - `== title` starts a section; `#` starts a comment.
/// - `> line` is sent; `>> line` is sent with `\t`, `\r`, `\0` and `\xHH` expanded.
/// - `< line` must be written next; `MOVE` stands for a legal point, `MOVES n` for several, and `text...` for a line
///   with this prefix. All lines written must be expected before the next line is sent.
/// - `! word` controls the test: see [`stage`].
/// - `? what value` checks the last search: see [`look`].
pub fn play(transcript: &str) {
    let mut sections = 0;
    for section in transcript.split("\n== ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let mut table = Table::new();
        let mut about = true;
        for text in body.lines().map(str::trim_end).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
            let place = || format!("section {title:?}, line {text:?}");
            if kind != "<" && kind != "?" {
                assert!(table.written.is_empty(), "unexpected {:?} before {}", table.written, place());
            }
            match kind {
                ">" => table.send(rest.as_bytes()),
                ">>" => table.send(&expand(rest)),
                "<" => {
                    let written = table.written.pop_front().unwrap_or_else(|| panic!("silence at {}", place()));
                    assert!(matches(rest, &written, &table), "{written:?} at {}", place());
                }
                "!" if rest == "no about" => about = false,
                "!" => stage(&mut table, rest),
                "?" => {
                    let (what, value) = rest.split_once(' ').unwrap_or((rest, ""));
                    assert_eq!(look(&table, what), value, "{}", place());
                }
                _ => panic!("no such line: {}", place()),
            }
        }
        assert!(table.written.is_empty(), "unexpected {:?} at the end of {title:?}", table.written);
        if about && !table.exited {
            table.send(b"ABOUT");
            assert!(table.written.pop_front().is_some_and(|l| l.starts_with("name=\"")), "deaf after {title:?}");
        }
        sections += 1;
    }
    assert!(sections > 0, "an empty transcript");
}

fn expand(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match (byte, byte == b'\\') {
            (_, false) => byte,
            _ => match rest.next().expect("a character after \\") {
                b't' => b'\t',
                b'r' => b'\r',
                b'0' => 0,
                b'x' => {
                    let digits = [rest.next().expect("two digits"), rest.next().expect("two digits")];
                    u8::from_str_radix(std::str::from_utf8(&digits).expect("digits"), 16).expect("digits")
                }
                other => other,
            },
        });
    }
    bytes
}

fn matches(pattern: &str, written: &str, table: &Table) -> bool {
    let points = |wanted: usize| {
        let Reply::Points(points) = Reply::parse(written.as_bytes()) else { return false };
        let setup = &table.last.as_ref().expect("a search").0.setup;
        let legal = |p: &Point| setup.size.contains(*p) && setup.cell(*p) == Cell::Empty;
        points.len() == wanted && points.iter().all(legal) && points.iter().is_sorted_by(|a, b| a != b)
    };
    if pattern == "MOVE" {
        points(1)
    } else if let Some(wanted) = pattern.strip_prefix("MOVES ") {
        points(wanted.parse().expect("a number"))
    } else if let Some(start) = pattern.strip_suffix("...") {
        written.starts_with(start)
    } else {
        written == pattern
    }
}

fn points(text: &str) -> Vec<Point> {
    text.split_whitespace()
        .map(|word| match Reply::parse(word.as_bytes()) {
            Reply::Points(points) => points[0],
            other => panic!("no point: {other:?}"),
        })
        .collect()
}

/// Controls the test:
/// - `s15`: the default session of the conformance cases
/// - `hold`, `free`: whether searches stay open; `finish`, `fail`: how the open one ends
/// - `texts`: text for people must be expected too
/// - `say swap`, `say full`, `say 3,3 4,4`: the next answer
/// - `wait ms`: advances the clock
/// - `line rank/of depth score points...`, `root state point`: a report of the open search
/// - `overdue`: the open search has used its time
/// - `late line ...`, `late outcome`: the same for an earlier search
/// - `eof`
fn stage(table: &mut Table, directive: &str) {
    let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
    let number = table.open.unwrap_or(0);
    let at = table.clock;
    match word {
        "s15" => {
            for line in ["START 15", "INFO timeout_turn 300", "INFO timeout_match 60000", "INFO time_left 60000"] {
                table.send(line.as_bytes());
            }
            assert_eq!(table.written.pop_front().as_deref(), Some("OK"));
        }
        "hold" => table.hold = true,
        "free" => table.hold = false,
        "texts" => table.texts = true,
        "finish" => {
            let event = table.outcome().expect("an open search");
            table.event(event);
        }
        "fail" => {
            table.open = None;
            table.event(Event::Failed { number });
        }
        "overdue" => {
            let due = table.last.as_ref().and_then(|(request, _)| request.limits.overdue()).expect("a limit");
            table.wait(due.saturating_duration_since(at));
        }
        "say" => {
            table.say = Some(match rest {
                "swap" => Answer::Swap,
                "full" => Answer::Full,
                rest => Answer::Points(points(rest)),
            });
        }
        "wait" => table.wait(Duration::from_millis(rest.parse().expect("milliseconds"))),
        "line" => {
            let report = Report::Line(parse_line(rest));
            table.event(Event::Report { number, at, report });
        }
        "root" => {
            let (state, point) = rest.split_once(' ').expect("a state and a point");
            let state = match state {
                "searching" => RootState::Searching,
                "searched" => RootState::Searched,
                "lost" => RootState::Lost,
                "best" => RootState::Best,
                other => panic!("no state {other}"),
            };
            table.event(Event::Report { number, at, report: Report::Root(points(point)[0], state) });
        }
        "late" => {
            let line = line(9, 9, 9, points("1,1"));
            let outcome = Outcome { answer: Answer::Points(points("1,1")), line: line.clone(), from_book: false };
            table.event(Event::Report { number: 1_000_000, at, report: Report::Line(line) });
            table.event(Event::Outcome { number: 1_000_000, outcome, hash_full: 1 });
            table.event(Event::Failed { number: 1_000_000 });
        }
        "eof" => table.event(Event::EndOfInput),
        other => panic!("no directive {other}"),
    }
}

fn parse_line(text: &str) -> Line {
    let mut words = text.splitn(4, ' ');
    let mut next = || words.next().expect("rank/of depth score points");
    let (rank, of) = next().split_once('/').expect("rank/of");
    let depth = next().parse().expect("a depth");
    let score = next().parse().expect("a score");
    Line {
        pv_index: rank.parse().expect("a rank"),
        pv_count: of.parse().expect("a number of lines"),
        ..line(depth, score, 1000, points(next()))
    }
}

/// The request of the last search, as text (or the state of the test: `thinking`, `cleared`, `searches`, `exited`,
/// `file`, `classical`).
fn look(table: &Table, what: &str) -> String {
    let stones = |side: Side| {
        let (request, _) = table.last.as_ref().expect("a search");
        let points = request.setup.stones.iter().filter(|(_, s)| *s == side).map(|(p, _)| *p);
        Reply::Points(points.collect()).to_string()
    };
    let millis = |d: Option<Duration>| d.map_or("none".to_owned(), |d| d.as_millis().to_string());
    let number = |n: Option<u64>| n.map_or("none".to_owned(), |n| n.to_string());
    let request = || &table.last.as_ref().expect("a search").0;
    let options = || &table.last.as_ref().expect("a search").1;
    match what {
        "thinking" => table.session.is_thinking().to_string(),
        "cleared" => table.cleared.to_string(),
        "searches" => table.searches.to_string(),
        "exited" => table.exited.to_string(),
        "file" => table.file.clone().unwrap_or_else(|| "none".to_owned()),
        "evaluation" => format!("{:?}", table.session.evaluation()),
        "stones" => table.session.game().expect("a game").stones.len().to_string(),
        "rule" => request().rule.to_string(),
        "size" => request().setup.size.to_string(),
        "black" => stones(Side::Black),
        "white" => stones(Side::White),
        "blocked" => Reply::Points(request().setup.blocked.clone()).to_string(),
        "excluded" => Reply::Points(request().excluded.clone()).to_string(),
        "to_move" => format!("{:?}", request().setup.to_move).to_lowercase(),
        "goal" => format!("{:?}", request().goal),
        "lines" => request().lines.to_string(),
        "turn" => millis(request().limits.turn),
        "left" => millis(request().limits.left),
        "increment" => millis(Some(request().limits.increment)),
        "waited" => millis(request().limits.started.map(|started| table.clock - started)),
        "nodes" => number(request().limits.nodes),
        "depth" => number(request().limits.depth.map(u64::from)),
        "threads" => options().threads.to_string(),
        "memory" => number(options().max_memory),
        "hash" => number(options().hash),
        "book" => u8::from(options().book).to_string(),
        "analysis" => request().analysis.to_string(),
        other => panic!("nothing to see: {other}"),
    }
}
