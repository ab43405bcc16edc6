//! Databases of Yixin, byte by byte: old texts, passes, records that end early or are no positions.

use crate::support::{folder, import_bytes, position};
use tengen::board::{BoardSize, Side, parse_point};
use tengen::engine::{Bound, Score};
use tengen::rules::Rule;
use tengen_database::{Database, Entry, Evaluation, View};
use tengen_record::Mark;

/// A database of keys and bodies.
fn database(records: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut bytes = u32::try_from(records.len()).expect("few").to_le_bytes().to_vec();
    for (key, body) in records {
        for part in [key, body] {
            bytes.extend(u16::try_from(part.len()).expect("short").to_le_bytes());
            bytes.extend_from_slice(part);
        }
    }
    bytes
}

fn body(label: u8, score: i16, depth: i16, bound: i16, text: &[u8]) -> Vec<u8> {
    [&[label][..], &score.to_le_bytes(), &(depth << 2 | bound).to_le_bytes(), text].concat()
}

/// The entry of alternating moves on 15x15.
fn entry(view: &View, rule: Rule, moves: &str) -> Entry {
    let entries = view.entries(&position(BoardSize::RENJU, moves), rule).expect("readable");
    let [(1, entry)] = &entries[..] else { panic!("{moves}: {entries:?}") };
    entry.clone()
}

#[test]
fn labels_scores_and_texts() {
    let comment = [b"@BTXT@88A\n9A\xBA\xDA\n\x08", &b"\xB5\xDA\xD2\xBB\xD0\xD0\x08two"[..]].concat();
    let records = [
        // h8, and white's i9 (x 8, y 6), h8 j9.
        (&[0, 15, 15, 7, 7][..], body(b'w', 0, 3, 0, b"")),
        (&[0, 15, 15, 7, 7, 8, 6], body(b'L', 29_991, 12, 3, b"")),
        (&[0, 15, 15, 7, 7, 9, 6], body(0xFF, -35, 7, 2, &comment)),
        (&[2, 15, 15, 7, 7], body(b'd', 0, 5, 3, b"")),
        (&[1, 15, 15, 7, 7], body(b'!', 0, 0, 0, b"look")),
        (&[1, 15, 15], Vec::new()),
        (&[1, 15, 15, 7, 7, 8, 6], vec![0xFF, 40]),
    ];
    let records: Vec<(&[u8], &[u8])> = records.iter().map(|(key, body)| (*key, &body[..])).collect();
    let folder = folder("labels");
    let mut own = Database::create(&folder.path().join("a.tdb")).expect("a database");
    let report = import_bytes(&mut own, "a.DB", &database(&records));
    assert_eq!((report.positions, report.skipped), (7, 0));
    assert!(report.remarks[0].contains("read as GBK"), "{:?}", report.remarks);
    let view = own.view().expect("a view");
    let value = |score, bound, depth| Some(Evaluation { score, bound, depth, nodes: 0 });
    // A win of the side that moved last, in an unknown number of plies.
    let lost = value(Score::loss_in(Score::MAX_PLY), Bound::Upper, 3);
    assert_eq!(entry(&view, Rule::Freestyle, "h8").evaluation, lost);
    assert_eq!(entry(&view, Rule::Freestyle, "h8i9").evaluation, value(Score::win_in(9), Bound::Exact, 12));
    let told = entry(&view, Rule::Freestyle, "h8j9");
    assert_eq!((told.evaluation, told.text.as_str()), (value(Score::units(-35), Bound::Lower, 7), "第一行\ntwo"));
    let label = |text: &str| Mark::Label(text.to_owned());
    let at = |text| parse_point(BoardSize::RENJU, text).expect("a label");
    assert_eq!(told.marks, [(at("i7"), label("A")), (at("j5"), label("黑"))]);
    assert_eq!(entry(&view, Rule::Renju, "h8").evaluation, value(Score::ZERO, Bound::Exact, 5));
    assert_eq!(entry(&view, Rule::Standard, "h8").text, "[!] look");
    assert_eq!(entry(&view, Rule::Standard, ""), Entry::default());
    assert_eq!(entry(&view, Rule::Standard, "h8i9").evaluation, None, "a body that ends early");
}

#[test]
fn passes_and_rectangles() {
    let records: [(&[u8], &[u8]); 2] = [(&[0, 15, 15, 7, 7, 0xFF, 0xFF], b"l"), (&[0, 20, 15, 19, 14], b"w")];
    let folder = folder("passes");
    let mut own = Database::create(&folder.path().join("a.tdb")).expect("a database");
    import_bytes(&mut own, "a.db", &database(&records));
    let view = own.view().expect("a view");
    let mut passed = position(BoardSize::RENJU, "h8");
    passed.to_move = Side::Black;
    assert_eq!(view.entries(&passed, Rule::Freestyle).expect("readable").len(), 1);
    let wide = position(BoardSize::new(20, 15).expect("a size"), "a1");
    assert_eq!(view.entries(&wide, Rule::Freestyle).expect("readable").len(), 1);
}

#[test]
fn records_that_are_no_positions_are_left_out_and_told() {
    let records: [(&[u8], &[u8]); 7] = [
        (&[3, 15, 15, 7, 7], b"w"),
        (&[0, 15, 4, 7, 3], b"w"),
        (&[0, 15, 15, 15, 0], b"w"),
        (&[0, 15, 15, 7, 7, 7, 7], b"w"),
        (&[0, 15], b"w"),
        (&[0, 0, 0], b"\0\0\0\0\0charset=\"UTF-8\""),
        (&[0, 15, 15, 7, 7], b"w"),
    ];
    let folder = folder("left-out");
    let mut own = Database::create(&folder.path().join("a.tdb")).expect("a database");
    let report = import_bytes(&mut own, "a.db", &database(&records));
    assert_eq!((report.positions, report.skipped, report.is_complete), (1, 5, true));
    let reasons = ["no such rule", "no such board", "off the board", "two stones", "too short"];
    for (remark, reason) in report.remarks.iter().zip(reasons) {
        assert!(remark.contains(reason), "{remark}: {reason}");
    }
}
