//! Records of games: written files can be read back, and malformed files do no harm.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, BySide, Cell, Point, Setup, Side};
use tengen::rules::Rule;
use tengen_record::{Format, Mark, Node, NodeId, Record, Tree, Value, WriteError, read, read_collection, visit, write};

const RENJU: BoardSize = BoardSize::RENJU;

/// A tree without its ids: each node with its depth, in depth-first order. Entries that a file may reorder are sorted.
fn shape(tree: &Tree) -> Vec<(usize, Node)> {
    let mut shape = Vec::new();
    let mut ahead = vec![(0, Tree::ROOT)];
    while let Some((depth, id)) = ahead.pop() {
        let node = tree.get(id).expect("a child is in the tree");
        ahead.extend(node.children.iter().rev().map(|child| (depth + 1, *child)));
        let mut node = Node { parent: None, children: Vec::new(), ..node.clone() };
        node.edits.sort();
        node.marks.sort_by_key(|mark| format!("{mark:?}"));
        shape.push((depth, node));
    }
    shape
}

/// A record without the ids of its tree.
fn plain(record: &Record) -> (Record, Vec<(usize, Node)>) {
    let mut plain = record.clone();
    plain.tree = Tree::new();
    plain.start.stones.sort();
    (plain, shape(&record.tree))
}

fn sgf(record: &Record) -> Vec<u8> {
    write(record, Tree::ROOT, Format::Sgf).expect("SGF holds everything")
}

fn sizes() -> impl Strategy<Value = BoardSize> {
    (5..=25_u8, 5..=25_u8).prop_map(|(width, height)| BoardSize::new(width, height).expect("5 to 25"))
}

/// Text with every character that is special in SGF or in a web page.
fn text() -> impl Strategy<Value = String> {
    "[a-z\\[\\]\\\\();:=<>&\"'é世 \n\t]{0,12}"
}

fn name() -> impl Strategy<Value = String> {
    text().prop_map(|text| text.replace(['\n', '\t'], " ").trim().to_owned())
}

/// A change to a tree: the node's number, the added node, its point, and its data.
type Step =
    (Index, u8, Index, String, Option<(u16, i32, u32, bool, Vec<Index>)>, Option<u32>, Vec<(Index, u8, String)>);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let value = (0..=10_000_u16, any::<i32>(), any::<u32>(), any::<bool>(), vec(any::<Index>(), 0..4));
    let marks = vec((any::<Index>(), 0..5_u8, text()), 0..3);
    vec((any::<Index>(), 0..10_u8, any::<Index>(), text(), option::of(value), option::of(any::<u32>()), marks), 0..40)
}

/// Applies the steps to a record, each made possible.
fn grow(record: &mut Record, steps: Vec<Step>) {
    let points: Vec<Point> = record.start.size.points().collect();
    let mut ids = vec![Tree::ROOT];
    for (parent, kind, at, comment, value, time, marks) in steps {
        let parent = *parent.get(&ids);
        let setup = record.setup(parent);
        let free: Vec<Point> = points.iter().copied().filter(|p| setup.cell(*p) == Cell::Empty).collect();
        let tree = &mut record.tree;
        let id = match kind {
            0 => tree.add_pass(parent, setup.to_move),
            1..=2 => tree.add_empty(parent),
            _ if free.is_empty() => continue,
            3 => tree.add(parent, *at.get(&free), !setup.to_move),
            _ => tree.add(parent, *at.get(&free), setup.to_move),
        };
        ids.push(id);
        let node = tree.get_mut(id).expect("just added");
        let point = *at.get(&points);
        if kind == 2 && !setup.blocked.contains(&point) {
            let side = [Some(Side::Black), Some(Side::White), None][comment.len() % 3];
            node.edits = vec![(point, side)];
            node.to_move = side;
        }
        node.comment = comment.clone();
        node.time = time.map(|ms| Duration::from_millis(ms.into()));
        node.value = value.map(|(rate, score, depth, black, line)| Value {
            win_rate: f64::from(rate) / 1e4,
            score: Some(score).filter(|score| score % 2 == 0),
            mate: Some((Side::BOTH[usize::from(black)], depth % 300)).filter(|_| score % 3 == 0),
            depth,
            nodes: u64::from(depth) << 20,
            line: line.iter().map(|i| *i.get(&points)).collect(),
        });
        node.marks.clear();
        for (at, kind, label) in marks {
            let mark = match kind {
                0 => Mark::Cross,
                1 => Mark::Circle,
                2 => Mark::Square,
                3 => Mark::Triangle,
                _ => Mark::Label(label),
            };
            node.marks.push((*at.get(&points), mark));
        }
        node.properties = match kind {
            5 => vec![("XX".into(), vec![comment.clone(), "2".into()]), ("GW".into(), vec![comment])],
            _ => Vec::new(),
        };
    }
}

prop_compose! {
    fn records()(
        size in sizes(),
        set_up in vec((any::<Index>(), 0..3_u8), 0..8),
        to_move in select(Side::BOTH.to_vec()),
        rule in option::of(select(Rule::ALL.to_vec())),
        lines in (name(), name(), name(), name(), name()),
        steps in steps(),
    ) -> Record {
        let points: Vec<Point> = size.points().collect();
        let mut start = Setup { to_move, ..Setup::empty(size) };
        for (at, kind) in set_up {
            let point = *at.get(&points);
            if start.cell(point) == Cell::Empty {
                match kind {
                    2 => start.blocked.push(point),
                    side => start.stones.push((point, Side::BOTH[usize::from(side)])),
                }
            }
        }
        let mut record = Record::new(rule, start);
        record.names = BySide([lines.0, lines.1]);
        record.result = Some(lines.2).filter(|result| !result.is_empty());
        (record.date, record.event) = (lines.3, lines.4);
        grow(&mut record, steps);
        record
    }
}

/// The alternating moves of a line, with their times.
fn lines() -> impl Strategy<Value = (BoardSize, Vec<(Point, u32)>)> {
    sizes().prop_flat_map(|size| {
        let points: Vec<Point> = size.points().collect();
        let moves = Just(points).prop_shuffle().prop_flat_map(|p| (0..=p.len()).prop_map(move |n| p[..n].to_vec()));
        (Just(size), moves, vec(any::<u32>(), 625))
            .prop_map(|(size, moves, times)| (size, moves.into_iter().zip(times).collect()))
    })
}

/// Checks a record that was read: each position is valid, and SGF preserves the record.
fn sound(records: &[Record]) {
    for record in records {
        assert!(record.tree.len() <= Tree::MAX_NODES);
        for id in record.tree.ids().take(300) {
            assert_eq!(record.setup(id).check(), Ok(()), "{record:?}");
        }
        let again = read(&sgf(record), None, RENJU).unwrap_or_else(|e| panic!("{e}: {record:?}")).remove(0);
        let mut expected = record.clone();
        expected.warnings = again.warnings.clone();
        // SGF stores a likely rule as the game's rule.
        expected.rule_doubt = again.rule_doubt.clone();
        assert_eq!(plain(&again), plain(&expected), "{}", String::from_utf8_lossy(&sgf(record)));
    }
}

const NAMES: [Option<&str>; 10] = [
    None,
    Some("a.sgf"),
    Some("a.psq"),
    Some("a.pos"),
    Some("a.SAV"),
    Some("a.lib"),
    Some("a.rec"),
    Some("a.rif"),
    Some("a.txt"),
    Some("a"),
];

/// Reads the bytes as every format. An error must have one line.
fn try_all(bytes: &[u8]) {
    for name in NAMES {
        match read(bytes, name, RENJU) {
            Ok(records) => {
                assert!(!records.is_empty());
                sound(&records);
            }
            Err(error) => {
                let error = error.to_string();
                assert!(!error.is_empty() && !error.contains(char::is_control), "{error:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn a_tree_is_the_same_after_sgf(record in records()) {
        let bytes = sgf(&record);
        let again = read(&bytes, None, RENJU).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(again.len(), 1);
        prop_assert_eq!(plain(&again[0]), plain(&record), "{}", String::from_utf8_lossy(&bytes));
        prop_assert_eq!(sgf(&again[0]), bytes);
    }

    #[test]
    fn a_line_is_the_same_after_each_form(
        (size, moves) in lines(),
        names in (name(), name()),
        rule in select(Rule::ALL.to_vec()),
        result in select(vec![None, Some("B+"), Some("W+"), Some("0")]),
    ) {
        let mut record = Record::from_moves(Some(rule), Setup::empty(size), moves.iter().map(|(p, _)| *p));
        record.names = BySide([names.0, names.1]);
        record.result = result.map(str::to_owned);
        for (id, (_, ms)) in record.tree.main_line(Tree::ROOT).into_iter().zip(&moves) {
            let time = Duration::from_millis((*ms).into());
            record.tree.get_mut(id).unwrap().time = Some(time).filter(|time| !time.is_zero());
        }
        let end = record.end();
        for format in Format::ALL.into_iter().filter(|f| f.is_written() && *f != Format::Sgf) {
            if format == Format::Pos && size != RENJU {
                prop_assert_eq!(write(&record, end, format), Err(WriteError::Size(format)));
                continue;
            }
            let bytes = write(&record, end, format).expect("moves by turns");
            let name = format!("a.b.{}", format.extension());
            let again = read(&bytes, Some(&name), size).expect("what was written").remove(0);
            prop_assert_eq!(again.setup(again.end()), record.setup(end));
            prop_assert_eq!(&again.warnings, &Vec::<String>::new());
            if format == Format::Psq {
                prop_assert_eq!(plain(&again), plain(&record), "{}", String::from_utf8_lossy(&bytes));
            }
            if format != Format::Pos {
                // The content determines the format of a text.
                prop_assert_eq!(read(&bytes, None, size).expect("the same"), vec![again]);
            }
        }
    }

    #[test]
    fn positions_of_renlib_are_the_same(points in Just(RENJU.points().collect::<Vec<_>>()).prop_shuffle(), n in 0..=225_usize) {
        let record = Record::from_moves(None, Setup::empty(RENJU), points[..n].iter().copied());
        let bytes = write(&record, record.end(), Format::Pos).expect("15x15");
        prop_assert_eq!(bytes.len(), n + 1);
        let again = read(&bytes, Some("a.pos"), RENJU).expect("a position").remove(0);
        prop_assert_eq!(again.rule, Some(Rule::Renju));
        prop_assert!(again.rule_doubt.is_some());
        prop_assert_eq!(again.tree, record.tree);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..300)) {
        try_all(&bytes);
        try_all(&[&b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"[..], &bytes].concat());
    }

    #[test]
    fn any_words_are_read_or_refused(
        words in vec(
            select(vec![
                "(", ")", ";", "[", "]", "\\", ":", "B[hh]", "W[ii]", "B[h8]", "W[]", "AB[aa:cc]", "AE[hh]", "AW", "PL[W]",
                "SZ[9]", "SZ[5:25]", "C[a]", "LB[hh:1]", "MA[tt]", "TGN[blocked=a1]", "TGN[time=5 line=h8]", "SBKV[12.345]",
                "(;", "Piskvorky 15x15, 0", "1,1,9", "9,9", "\n", " ", "h8", "1. ", "-", "7,7 ", "X . O", "3", "0 1\n", "15\n",
                "1,renju", "RE[B+]", "RE[?]", "XX[1][2]", "YY[]", "[x]", "MA[aa:cc]", "RU[renju]", "RU[x]", "SBKV[x]", "PB[a]", "B[hh]", "W[hh]",
            ]),
            0..60,
        ),
    ) {
        try_all(words.concat().as_bytes());
        try_all(format!("(;{})", words.concat()).as_bytes());
    }

    /// Valid files with some bytes changed, removed or duplicated.
    #[test]
    fn damaged_files_are_read_or_refused(
        record in records(),
        format in select(vec![Format::Sgf, Format::Psq, Format::Sav, Format::Labels]),
        damage in vec((any::<Index>(), any::<u8>(), 0..4_u8), 1..6),
    ) {
        let Ok(mut bytes) = write(&record, record.end(), format) else { return Ok(()) };
        for (at, byte, how) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte),
                _ => bytes.truncate(at),
            }
        }
        try_all(&bytes);
    }
}

/// The deepest allowed file: each level has a variation beside the main line.
#[test]
fn deep_trees_are_written_and_read() {
    let mut record = Record::new(None, Setup::empty(RENJU));
    let mut at = Tree::ROOT;
    for _ in 0..100_000 {
        record.tree.add_empty(at);
        at = record.tree.add_pass(at, Side::Black);
    }
    record.tree.promote(at);
    let bytes = sgf(&record);
    assert_eq!(bytes.iter().filter(|b| **b == b'(').count(), 200_001);
    let again = read(&bytes, None, RENJU).expect("SGF").remove(0);
    assert!(plain(&again) == plain(&record));
    assert_eq!(again.tree.main_line(Tree::ROOT).len(), 100_000);
    let mut tree = again.tree;
    let first = tree.root().children[0];
    assert_eq!(tree.remove(first), Some(Tree::ROOT));
    assert_eq!(tree.len(), 2);
}

/// Small files that request a lot of memory or time. The reader accepts or rejects each at once.
#[test]
fn greedy_files_are_bounded() {
    let line = Error::text_of(&format!("(;SZ[15]{})", ";".repeat(1_100_000)));
    assert!(line.contains("more moves than can be kept"), "{line}");
    let games = read_collection("(;)".repeat(100_001).as_bytes(), None, RENJU, None).expect("games");
    assert_eq!((games.games.len(), games.count), (100_000, 100_001));
    assert!(games.warnings[0].contains("more than 100000 games"), "{:?}", games.warnings);
    assert!(Error::text_of(&format!("(;{})", "(;C[a])".repeat(3_000))).contains("more variations"));
    assert!(Error::text_of(&format!("(;{})", ";AE[aa:oo]".repeat(100_000))).contains("more moves"));
    assert!(Error::text_of(&format!("(;AB{})", "[aa:oo]".repeat(100_000))).contains("AB[aa:oo]"));
    let begin = Instant::now();
    // The same move repeatedly, with edited stones at its first occurrence.
    let list: String =
        RENJU.points().skip(1).map(|p| format!("[{}{}]", (b'a' + p.x()) as char, (b'a' + p.y()) as char)).collect();
    let same = format!("(;(;B[aa]AW{list}){})", "(;B[aa])".repeat(400_000));
    assert!(Error::text_of(&same).contains("more moves"));
    let many = format!("(;{})", "(;B[aa];W[bb])".repeat(300_000));
    assert_eq!(read(many.as_bytes(), None, RENJU).expect("two moves")[0].tree.len(), 3);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

struct Error;

impl Error {
    fn text_of(text: &str) -> String {
        read(text.as_bytes(), None, RENJU).expect_err("an error").to_string()
    }
}

#[test]
fn names_and_comments_are_text() {
    let hostile = "<img src=x onerror=alert(1)>];B[aa]\\\u{1b}[31m\0\r\nPB[b]";
    let mut record = Record::from_moves(Some(Rule::Renju), Setup::empty(RENJU), [RENJU.center()]);
    record.names = BySide([hostile.to_owned(), "8,8,0".to_owned()]);
    let end = record.end();
    record.tree.get_mut(end).unwrap().comment = hostile.to_owned();
    record.tree.get_mut(end).unwrap().properties =
        ["B", "bad name", "", "XX];W[aa]", "GOOD"].map(|name| (name.to_owned(), vec![hostile.to_owned()])).into();
    for format in [Format::Sgf, Format::Psq] {
        let bytes = write(&record, end, format).unwrap();
        let again = read(&bytes, None, RENJU).expect("a game").remove(0);
        assert_eq!(again.tree.len(), 2);
        assert_eq!(again.names[Side::Black], "<img src=x onerror=alert(1)>];B[aa]\\[31m PB[b]");
        if format == Format::Sgf {
            let node = again.tree.get(again.end()).unwrap();
            assert_eq!(node.comment, "<img src=x onerror=alert(1)>];B[aa]\\[31m\nPB[b]");
            assert_eq!(node.properties.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["GOOD"]);
        }
    }
}

#[test]
fn what_a_form_cannot_hold_is_an_error() {
    let mut record = Record::from_moves(None, Setup::empty(RENJU), [RENJU.center()]);
    let end = record.end();
    let two = record.tree.add(end, Point::at(0, 0), Side::Black);
    let pass = record.tree.add_pass(end, Side::White);
    assert_eq!(write(&record, two, Format::Psq), Err(WriteError::NotByTurns(Format::Psq)));
    for format in [Format::Psq, Format::Sav] {
        assert_eq!(write(&record, pass, format), Err(WriteError::Pass(format)));
    }
    assert_eq!(write(&record, pass, Format::Labels), Ok(b"h8 pass".to_vec()));
    assert_eq!(write(&record, pass, Format::Pos), Ok(vec![2, 112, 0xF0]));
    assert_eq!(write(&record, end, Format::Labels), Ok(b"h8".to_vec()));
    assert_eq!(write(&record, Tree::ROOT, Format::Labels), Ok(Vec::new()));
    assert_eq!(write(&record, NodeId(99), Format::Labels), Ok(Vec::new()));
    for format in [Format::Lib, Format::Rec, Format::Rif, Format::Pairs, Format::Drawing] {
        assert_eq!(write(&record, end, format), Err(WriteError::ReadOnly(format)));
    }
    record.start.blocked.push(Point::at(3, 3));
    assert_eq!(write(&record, end, Format::Sav), Err(WriteError::NotByTurns(Format::Sav)));
}

/// The error for a file that is not a game says so; it names known formats and archives.
#[test]
fn what_is_no_game_is_said() {
    let error = |bytes: &[u8], name: Option<&str>| read(bytes, name, RENJU).expect_err("no game").to_string();
    for bytes in [
        &b"{\"a\":1}"[..],
        b"<svg width=\"5\"/>",
        b"<?xml version=\"1.0\"?><svg/>",
        b"Dear reader, this is a letter.",
        b"\x01\x02\x80\xff\x00\x13\x37",
        b"(hello)",
        b"#!/bin/sh\nexit 1\n",
        b"import os\n",
    ] {
        let said = error(bytes, None);
        assert!(said.starts_with("not a known game file; known are SGF, "), "{said}");
        assert!(said.contains("RenjuNet .rif") && !said.contains('\n'), "{said}");
    }
    for name in ["a.bdt", "b.PDB"] {
        let said = error(b"\x01\x02\x03", Some(name));
        assert!(said.contains("database is not supported; known are "), "{said}");
    }
    assert!(error(b"PK\x03\x04\x14\x00", Some("games.rif")).starts_with("a packed file: unpack it"));
    // A faulty drawing is reported as a drawing.
    assert_eq!(error(b"X O . . .\nX\n", None), "a row of 1 cells among rows of 5");
}

/// The same pass in each format that can store one.
#[test]
fn a_pass_is_the_same_in_each_form() {
    let pos = [5, 0x70, 0x71, 0x6F, 0xF0, 0x72];
    let expected = read(&pos, Some("a.pos"), RENJU).expect("a position").remove(0);
    assert_eq!(expected.tree.len(), 6);
    for format in [Format::Sgf, Format::Labels, Format::Pos] {
        let bytes = write(&expected, expected.end(), format).expect("a pass");
        let again = read(&bytes, None, RENJU).expect("a game").remove(0);
        assert_eq!(again.tree, expected.tree, "{format:?}");
    }
    for text in ["(;SZ[15];B[hh];W[ih];B[gh];W[tt];B[jh])", "(;SZ[15];B[hh];W[ih];B[gh];W[];B[jh])"] {
        assert_eq!(read(text.as_bytes(), None, RENJU).expect("SGF").remove(0).tree, expected.tree);
    }
    let lib = b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\x78\0\x79\0\x77\0\0\0\x7A\x40";
    let library = read(lib, None, RENJU).expect("a library").remove(0);
    assert_eq!((&library.tree, library.rule), (&expected.tree, Some(Rule::Renju)));
}

/// The group of a Gomocup tournament determines the rule.
#[test]
fn rules_of_psq_files_in_words() {
    let rule = |last: &str| {
        let text = format!("Piskvorky 15x15, 11:11, 0\r\n8,8,0\r\n9,9,12\r\nA.zip\r\nB.zip\r\n-1\r\n{last}\r\n");
        let record = read(text.as_bytes(), None, RENJU).expect("a game").remove(0);
        (record.rule, record.rule_doubt.is_some(), record.result)
    };
    assert_eq!(rule("0,Renju15_1"), (Some(Rule::Renju), false, Some("0".to_owned())));
    assert_eq!(rule("2,Freestyle20_3"), (Some(Rule::Freestyle), false, Some("W+".to_owned())));
    assert_eq!(rule("1,Standard15_2"), (Some(Rule::Standard), false, Some("B+".to_owned())));
    assert_eq!(rule("1,Caro15_1").0, Some(Rule::Caro));
    assert_eq!(rule("1,Mystery"), (None, true, Some("B+".to_owned())));
}

/// Games that are passed on one by one are those of the collection, with its warnings.
#[test]
fn visited_games_are_those_of_the_collection() {
    let text = b"(;SZ[15];B[hh])(;SZ[15];B[hh];W[hh])(;SZ[15];B[aa])";
    let whole = read_collection(text, None, BoardSize::RENJU, None).expect("two games");
    let mut games = Vec::new();
    let visited = visit(text, None, BoardSize::RENJU, &mut |number, record| {
        games.push((number, record));
        true
    });
    let visited = visited.expect("two games");
    assert_eq!((games, visited.count, visited.read), (whole.games, whole.count, 2));
    assert_eq!(visited.warnings, whole.warnings);
    let mut first = Vec::new();
    let visited = visit(text, None, BoardSize::RENJU, &mut |number, _| {
        first.push(number);
        false
    });
    assert_eq!((first, visited.expect("a game").read), (vec![1], 1));
    assert!(visit(b"Dear reader", None, BoardSize::RENJU, &mut |_, _| true).is_err());
}
