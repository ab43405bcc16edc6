//! What sources say: games, libraries and databases of other programs, imported and asked for.

use crate::support::{folder, import_bytes, labels, position};
use std::path::Path;
use tengen::board::{BoardSize, Setup, Side, Symmetry, parse_points};
use tengen::engine::{Bound, Score};
use tengen::rules::Rule;
use tengen_database::{
    Counts, Database, Entry, Error, Evaluation, Filter, Import, Kind, Place, Source, explore, export, losing_moves,
    proof, statistics,
};
use tengen_record::{Mark, Record};

const RENJU: Rule = Rule::Renju;

fn games(text: &str) -> String {
    let game = |line: &str| {
        let (result, moves) = line.split_once(' ').expect("a result and moves");
        let moves = parse_points(BoardSize::RENJU, moves).expect("labels");
        let record = Record {
            result: Some(result.to_owned()),
            ..Record::from_moves(Some(RENJU), Setup::empty(BoardSize::RENJU), moves)
        };
        tengen_record::write_sgf(&record)
    };
    text.lines().map(game).collect()
}

#[test]
fn there_is_one_writer_and_there_are_many_readers() {
    let folder = folder("writers");
    let path = folder.path().join("a.tdb");
    let absent = Database::open(&path).err().expect("no file").to_string();
    assert!(absent.contains("a.tdb: "), "{absent}");
    let mut writer = Database::create(&path).expect("a new database");
    let refused = Database::create(&path).err().expect("a second writer");
    assert!(matches!(refused, Error::InUse(_)));
    assert!(refused.to_string().ends_with("a.tdb is being written by another process"), "{refused}");
    let mut readers = [Database::open(&path).expect("a reader"), Database::open(&path).expect("another")];
    let before = readers[0].view().expect("a view");
    import_bytes(&mut writer, "a.sgf", games("B+ h8i9h9").as_bytes());
    assert!(before.is_empty().expect("readable"), "a view does not change");
    for reader in &readers {
        assert_eq!(reader.view().expect("a view").len().expect("readable"), 4);
    }
    assert!(matches!(readers[0].write(|_| Ok(())), Err(Error::ReadOnly)));
}

#[test]
fn other_files_are_refused_and_stay_as_they_are() {
    let folder = folder("foreign");
    let path = folder.path().join("a.sgf");
    for text in ["(;GM[4])", &"(;GM[4])".repeat(1000)] {
        std::fs::write(&path, text).expect("a file");
        for opened in [Database::create(&path), Database::open(&path)] {
            let refused = opened.err().expect("no database").to_string();
            assert!(refused.ends_with("a.sgf is not a database of positions"), "{refused}");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), text);
    }
}

#[test]
fn games_count_once_whatever_their_order_and_orientation() {
    let folder = folder("counts");
    let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
    // The second game is the first one mirrored, with its first stones in another order; the third is a draw.
    let text = games("B+ h8i9h9i8j10\nW+R h9g9h8g8f10\n0 h8i9h9");
    let report = import_bytes(&mut database, "a.sgf", text.as_bytes());
    assert_eq!((report.games, report.skipped, report.is_complete), (3, 0, true));
    let view = database.view().expect("a view");
    let found = |text: &str| explore(&view, &labels(text), RENJU, &Filter::ALL).expect("readable");
    let counts = |games, black, white, draws| Counts { games, black, white, draws };
    assert_eq!(found("").position.counts, counts(3, 1, 1, 1));
    assert_eq!(found("h8i9h9").position.counts, counts(3, 1, 1, 1), "by two ways");
    assert_eq!(found("h8i9").position.counts, counts(2, 1, 0, 1));
    let crossing = found("h8i9h9i8").position.counts;
    assert_eq!(crossing, counts(2, 1, 1, 0), "two ways to one position");
    let moves = found("").moves;
    assert_eq!(moves.iter().map(|m| m.after.counts.games).collect::<Vec<_>>(), [2, 1]);
    let second = &found("h8").moves[0];
    assert_eq!((second.images.len(), second.after.counts.games), (3, 2), "four images of one move");
    // The same file by another name.
    let again = import_bytes(&mut database, "b.sgf", text.as_bytes());
    assert!(again.is_known);
    assert_eq!(database.view().expect("a view").sources().len(), 1);
}

#[test]
fn sources_filter_the_answers() {
    let folder = folder("filter");
    let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
    import_bytes(&mut database, "first.sgf", games("B+ h8i9").as_bytes());
    import_bytes(&mut database, "second.sgf", games("W+ h8i9h9\nW+ h8i9i10").as_bytes());
    let view = database.view().expect("a view");
    let games_of = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let filter = Filter::named(&view, &texts);
        explore(&view, &labels("h8"), RENJU, &filter).expect("readable").position.counts.games
    };
    let all = [games_of(&[]), games_of(&["first"]), games_of(&["2"]), games_of(&["games"]), games_of(&["library"])];
    assert_eq!(all, [3, 1, 2, 3, 0]);
}

#[test]
fn an_import_that_was_stopped_goes_on() {
    let folder = folder("stopped");
    let text = games(
        &(0..30)
            .map(|i| format!("B+ h8i9{}{}", "abcdefghij".chars().nth(i % 10).expect("a letter"), 1 + i / 10))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    let whole = {
        let mut database = Database::create(&folder.path().join("whole.tdb")).expect("a database");
        import_bytes(&mut database, "a.sgf", text.as_bytes());
        dump(&database)
    };
    let path = folder.path().join("parts.tdb");
    for run in 1..=4 {
        let mut database = Database::create(&path).expect("a database");
        crate::support::import_while(&mut database, "a.sgf", text.as_bytes(), &mut |number| number < 9 * run);
    }
    let database = Database::open(&path).expect("a database");
    assert_eq!(database.view().expect("a view").sources()[&1].games, 30);
    assert_eq!(dump(&database), whole);
}

/// All rows in order.
fn dump(database: &Database) -> Vec<String> {
    let mut rows = Vec::new();
    let view = database.view().expect("a view");
    let row = |key: &tengen_database::Key, source, entry: Entry| format!("{:?} {source} {entry:?}", key.bytes());
    view.scan(|key, source, entry| {
        rows.push(row(key, source, entry));
        true
    })
    .expect("readable");
    rows
}

#[test]
fn libraries_bring_texts_and_marks_and_no_games() {
    let folder = folder("library");
    let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
    let mut record = Record::from_moves(
        None,
        Setup::empty(BoardSize::RENJU),
        parse_points(BoardSize::RENJU, "h8i9h9").expect("labels"),
    );
    let first = record.tree.main_line(tengen_record::Tree::ROOT)[0];
    let at = parse_points(BoardSize::RENJU, "i10").expect("labels")[0];
    let node = record.tree.get_mut(first).expect("a node");
    node.comment = "the centre".to_owned();
    node.marks = vec![(at, Mark::Label("A".to_owned()))];
    let bytes = tengen_record::write_lib(&record).expect("by turns");
    import_bytes(&mut database, "a.lib", &bytes);
    let view = database.view().expect("a view");
    let found = explore(&view, &labels("h8"), RENJU, &Filter::ALL).expect("readable");
    assert_eq!(found.position.texts, [(1, "the centre".to_owned())]);
    assert_eq!((found.position.marks, found.position.counts.games), (vec![(at, Mark::Label("A".to_owned()))], 0));
    assert_eq!(found.moves.len(), 1);
    // There and back: a library of the database has the same positions and texts.
    let tree = export(&view, &labels(""), RENJU, &Filter::ALL, 100).expect("readable");
    assert!(!tree.is_cut && tree.positions == 4);
    let mut other = Database::create(&folder.path().join("b.tdb")).expect("a database");
    import_bytes(&mut other, "b.lib", &tengen_record::write_lib(&tree.record).expect("by turns"));
    assert_eq!(dump(&other), dump(&database));
}

#[test]
fn values_are_of_the_side_to_move_and_proofs_are_found_one_move_ahead() {
    let folder = folder("values");
    let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
    let set = |database: &mut Database, text: &str, score| {
        let evaluation = Some(Evaluation { score, bound: Bound::Exact, depth: 10, nodes: 1000 });
        let place = Place::of(&labels(text), RENJU).expect("a position");
        let source = Source::new("here", Kind::Analysis, String::new());
        let entry = Entry { evaluation, ..Entry::default() };
        let id = database.write(|changes| changes.own_source(&source)).expect("space");
        database.write(|changes| changes.set(&place, id, entry)).expect("space");
    };
    set(&mut database, "h8i9h9", Score::units(-40));
    set(&mut database, "h8i9i10", Score::loss_in(6));
    set(&mut database, "h8i9h7", Score::win_in(9));
    let view = database.view().expect("a view");
    let found = explore(&view, &labels("h8i9"), RENJU, &Filter::own(&view)).expect("readable");
    let scores: Vec<String> = found.moves.iter().map(|m| m.evaluation().expect("a value").score.to_string()).collect();
    assert_eq!(scores, ["+M7", "40", "-M10"]);
    let (won, best) = proof(&found).expect("a proof");
    assert_eq!((won.score, best), (Score::win_in(7), Some(found.moves[0].point)));
    // The position is symmetric to its diagonal: h7 is the image of g8.
    assert_eq!(losing_moves(&found).len(), 2);
    assert_eq!(view.sources().len(), 1);
}

#[test]
fn sources_are_removed_whole() {
    let folder = folder("remove");
    let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
    import_bytes(&mut database, "first.sgf", games("B+ h8i9").as_bytes());
    let first = dump(&database);
    import_bytes(&mut database, "second.sgf", games("W+ h8i9h9\nW+ h8i9i10").as_bytes());
    database.write(|changes| changes.remove_source(2)).expect("space");
    assert_eq!(dump(&database), first);
}

/// Rapfi's own list of a database that it wrote is the judge.
#[test]
fn databases_of_rapfi_are_read_as_rapfi_reads_them() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let list = std::fs::read_to_string(data.join("rapfi.csv")).expect("a list");
    for name in ["rapfi.db", "rapfi-packed.db"] {
        let folder = folder(name);
        let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
        let report = import_bytes(&mut database, name, &std::fs::read(data.join(name)).expect("a database"));
        assert!(report.is_complete && report.remarks.is_empty(), "{report:?}");
        let view = database.view().expect("a view");
        let mut count = 0;
        for row in list.lines().skip(1) {
            let fields: Vec<&str> = row.splitn(7, ',').collect();
            let [_, key, label, value, depth, bound, text] = fields[..] else { panic!("{row}") };
            let (rule, setup) = listed_position(key);
            let entries = view.entries(&setup, rule).expect("readable");
            let [(1, entry)] = &entries[..] else { panic!("{row}: {entries:?}") };
            let evaluation = entry.evaluation.map(|e| (e.score.raw(), e.depth.to_string(), e.bound));
            match (label, bound) {
                ("w", "exact") => assert_eq!(evaluation, Some((-29_991, depth.to_owned(), Bound::Exact))),
                ("l", "exact") => assert_eq!(evaluation, Some((29_000, depth.to_owned(), Bound::Lower))),
                (_, "none") => assert_eq!(evaluation, None, "{row}"),
                (_, bound) => {
                    let raw = value.parse().expect("a number");
                    let bound = [("upper", Bound::Upper), ("lower", Bound::Lower), ("exact", Bound::Exact)]
                        .iter()
                        .find(|(name, _)| *name == bound)
                        .expect("a bound")
                        .1;
                    assert_eq!(evaluation, Some((raw, depth.to_owned(), bound)), "{row}");
                }
            }
            if !text.trim_matches('"').is_empty() {
                assert_eq!(entry.text, "two lines\nof text");
                assert!(matches!(&entry.marks[..], [(_, Mark::Label(text))] if text == "A1"), "{:?}", entry.marks);
            }
            count += 1;
        }
        assert_eq!((count, statistics(&view).expect("readable").positions), (197, 197));
    }
}

/// A position as Rapfi lists it: rule, sides, stones of black and of white, the side to move.
fn listed_position(key: &str) -> (Rule, Setup) {
    let [rule, width, height, black, white, to_move] = key.split('-').collect::<Vec<_>>()[..] else { panic!("{key}") };
    assert_eq!((rule, width, height), ("r", "15", "15"));
    let points = |text: &str| parse_points(BoardSize::RENJU, text).expect("labels");
    let of = |text: &str, side: Side| points(text).into_iter().map(|point| (point, side)).collect::<Vec<_>>();
    let stones = [of(black, Side::Black), of(white, Side::White)].concat();
    let to_move = if to_move == "b" { Side::Black } else { Side::White };
    (RENJU, Setup { stones, to_move, ..Setup::empty(BoardSize::RENJU) })
}

#[test]
fn damaged_databases_of_rapfi_are_reported() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folder = folder("damaged");
    for name in ["rapfi.db", "rapfi-packed.db"] {
        let bytes = std::fs::read(data.join(name)).expect("a database");
        let mut database = Database::create(&folder.path().join(format!("{name}.tdb"))).expect("a database");
        match crate::support::try_import(&mut database, name, &bytes[..bytes.len() / 2]) {
            Ok(report) => {
                assert!(report.remarks.iter().any(|remark| remark.contains("ends or is damaged")), "{report:?}");
                assert!(report.positions > 50, "{report:?}");
            }
            // All of it is one packed block.
            Err(error) => assert!(name.contains("packed") && error.contains("not a database of Yixin"), "{error}"),
        }
        let nothing = crate::support::try_import(&mut database, name, &bytes[..2]).expect_err("no database");
        assert!(nothing.contains("not a database of Yixin"), "{nothing}");
        for at in (0..bytes.len()).step_by(97) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x55;
            // Whatever it is, it is no panic.
            let _ = crate::support::try_import(&mut database, name, &bytes);
        }
    }
}

#[test]
fn what_cannot_be_read_is_told_and_leaves_nothing() {
    let folder = folder("unread");
    let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
    let error = crate::support::try_import(&mut database, "a.txt", b"Dear reader").expect_err("a letter");
    assert!(error.contains("not a known game file"), "{error}");
    assert_eq!(database.view().expect("a view").sources().len(), 0);
    let text = games("B+ h8i9") + "(;GM[4]SZ[15];B[hh];W[hh])" + &games("B+ h8i9h9");
    let report = import_bytes(&mut database, "a.sgf", text.as_bytes());
    assert_eq!((report.games, report.skipped, report.is_complete), (2, 1, true));
    assert!(report.remarks.iter().any(|remark| remark.contains("taken twice")), "{:?}", report.remarks);
}

#[test]
fn rectangles_have_their_four_symmetries() {
    let folder = folder("rectangles");
    let mut database = Database::create(&folder.path().join("a.tdb")).expect("a database");
    let size = BoardSize::new(20, 12).expect("a size");
    let setup = Setup::from_moves(size, parse_points(size, "c3k6").expect("labels"));
    let source = Source::new("a", Kind::Games, "checksum".to_owned());
    let mut import = Import::start(&mut database, source).expect("space").expect("new");
    import.position(1, Rule::Caro, &setup, Entry { text: "here".to_owned(), ..Entry::default() }).expect("space");
    import.finish().expect("space");
    let view = database.view().expect("a view");
    for map in Symmetry::of(size) {
        assert_eq!(view.entries(&map.apply_setup(&setup), Rule::Caro).expect("readable").len(), 1);
    }
    assert_eq!(view.entries(&setup, Rule::Standard).expect("readable").len(), 0);
    let square = position(BoardSize::RENJU, "c3k6");
    assert_eq!(view.entries(&square, Rule::Caro).expect("readable").len(), 0);
}
