//! `tengen gomocup`: the protocol with a database of positions.

use crate::common::{file, refusal, run};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tengen::board::{BoardSize, Setup, parse_points};
use tengen::engine::{Bound, Rule, Score};
use tengen_database::{Database, Entry, Evaluation, Kind, Place, Source, analysis_source};
use tengen_record::Mark;

/// What the program answers to a script, without `OK`.
fn said(args: &[&str], script: &str) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.arg("gomocup").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut program = command.spawn().expect("the program");
    program.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("a reader");
    let output = program.wait_with_output().expect("its end");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().filter(|line| *line != "OK").map(str::to_owned).collect()
}

fn setup(moves: &str) -> Setup {
    Setup::from_moves(BoardSize::RENJU, parse_points(BoardSize::RENJU, moves).expect("labels"))
}

/// A database in which this engine proved that h8 i9 a1 wins and h8 i9 b2 loses, and a library speaks of h8.
fn database(path: &Path) {
    let mut database = Database::create(path).expect("a database");
    let written = database.write(|changes| {
        let own = changes.own_source(&analysis_source())?;
        let library = changes.add_source(&Source::new("a.lib", Kind::Library, "1".to_owned()))?;
        let mut put = |source, moves: &str, entry: Entry| {
            let place = Place::of(&setup(moves), Rule::Freestyle)?;
            changes.set(&place, source, entry)
        };
        let proof = |score| Some(Evaluation { score, bound: Bound::Exact, depth: 9, nodes: 50 });
        put(own, "h8i9a1", Entry { evaluation: proof(Score::loss_in(4)), ..Entry::default() })?;
        put(own, "h8i9b2", Entry { evaluation: proof(Score::win_in(7)), ..Entry::default() })?;
        let marks = vec![(parse_points(BoardSize::RENJU, "i9").expect("a label")[0], Mark::Label("A".to_owned()))];
        put(library, "h8", Entry { text: "the \"centre\" 天元".to_owned(), marks, ..Entry::default() })
    });
    written.expect("space");
}

const START: &str = "START 15\nINFO rule 0\nINFO show_message 0\nINFO max_node 2000\n";

#[test]
fn what_is_proven_is_played_and_what_loses_is_not() {
    let path = file("a.tdb");
    database(&path);
    let args = ["--database", path.to_str().expect("UTF-8")];
    // h8 is 7,7 and i9 is 8,6; a1 is 0,14.
    let board = "BOARD\n7,7,1\n8,6,2\nDONE\n";
    assert_eq!(said(&args, &format!("{START}{board}")), ["0,14"]);
    // The same position in a mirror.
    assert_eq!(said(&args, &format!("{START}BOARD\n7,7,1\n6,6,2\nDONE\n")), ["14,14"]);
    let searched = said(&args, &format!("{START}INFO usedatabase 0\n{board}"));
    assert!(searched.len() == 1 && searched[0] != "0,14", "{searched:?}");
    let marked = said(&args, &format!("{START}INFO show_detail 1\nYXBLOCK\n0,14\nDONE\n{board}"));
    assert!(marked.contains(&"MESSAGE REALTIME LOST 1,13".to_owned()), "{marked:?}");
    // In a match nothing is written.
    let entries = || Database::open(&path).expect("a database").view().expect("a view").len().expect("readable");
    assert_eq!(entries(), 3);
    let writes = ["--database", args[1], "--write"];
    said(&writes, &format!("{START}INFO book 0\nBOARD\n7,7,2\nDONE\n"));
    assert!(entries() > 3, "with --write a search is stored");
}

#[test]
fn boards_ask_and_edit() {
    let path = file("b.tdb");
    database(&path);
    let args = ["--database", path.to_str().expect("UTF-8")];
    let query = "YXQUERYDATABASEALLT\n7,7\ndone\n";
    let known = [
        "MESSAGE DATABASE REFRESH",
        "MESSAGE DATABASE 8 6 -1 0 0 0 0 A",
        "MESSAGE DATABASE DONE",
        "MESSAGE DATABASE TEXT \"the \\\"centre\\\" 天元\"",
    ];
    assert_eq!(said(&args, &format!("{START}{query}")), known);
    let moves =
        said(&args, &format!("{START}YXQUERYDATABASEALL\n7,7\n8,6\nDONE\nYXQUERYDATABASEONE\n7,7\n8,6\n0,14\nDONE\n"));
    // The labels are w5 and l8: plies count from the move.
    assert_eq!(
        moves[1..],
        [
            "MESSAGE DATABASE 1 13 27704 29993 9 3 0 ",
            "MESSAGE DATABASE 0 14 30517 -29996 9 3 0 ",
            "MESSAGE DATABASE DONE",
            "MESSAGE DATABASE ONE 119 -29996 9 3 w5",
        ]
    );
    let edits = "YXEDITTEXTDATABASE \"new\n text\"7,7\nDONE\nYXEDITLABELDATABASE 6,6 B\n7,7\nDONE\n\
                 YXEDITTVDDATABASE 7 -1 120 5\n7,7\nDONE\n";
    let refused = said(&args, &format!("{START}{edits}{query}"));
    assert_eq!(refused[3..], known);
    assert!(
        refused[..3].iter().all(|line| line.starts_with("ERROR database: it is open for reading only")),
        "{refused:?}"
    );
    let writes = ["--database", args[1], "--write"];
    let edited = said(&writes, &format!("{START}{edits}{query}YXSAVEDATABASE\n"));
    assert_eq!(
        edited,
        [
            "MESSAGE DATABASE ONE -1 120 5 3 35%",
            "MESSAGE DATABASE REFRESH",
            "MESSAGE DATABASE 6 6 -1 0 0 0 0 B",
            "MESSAGE DATABASE 8 6 -1 0 0 0 0 A",
            "MESSAGE DATABASE DONE",
            "MESSAGE DATABASE TEXT \"new  text\"",
            "MESSAGE the database is saved",
        ]
    );
    let deleted = said(
        &writes,
        &format!("{START}YXDELETEDATABASEALL W\n7,7\n8,6\nDONE\nYXDELETEDATABASEONE\n7,7\nDONE\n{query}"),
    );
    assert_eq!(
        deleted,
        [
            "MESSAGE deleted 1 records",
            "MESSAGE DATABASE REFRESH",
            "MESSAGE DATABASE 1 13 27704 29993 9 3 0 ",
            "MESSAGE DATABASE DONE",
            "MESSAGE DATABASE REFRESH",
            "MESSAGE DATABASE DONE",
            "MESSAGE DATABASE TEXT \"\"",
        ]
    );
}

#[test]
fn databases_are_opened_by_name() {
    let (path, letter) = (file("c.tdb"), file("letter.txt"));
    database(&path);
    std::fs::write(&letter, "Dear reader").expect("a file");
    let (name, other) = (path.to_str().expect("UTF-8"), letter.to_str().expect("UTF-8"));
    let query = "YXQUERYDATABASETEXT\n7,7\nDONE\n";
    let script =
        format!("{START}{query}INFO database_file {name}\n{query}YXSETDATABASE\n{other}\nINFO database_file\n");
    assert_eq!(
        said(&[], &script),
        [
            "MESSAGE DATABASE TEXT \"\"".to_owned(),
            "MESSAGE DATABASE TEXT \"the \\\"centre\\\" 天元\"".to_owned(),
            format!("ERROR database: {other} is not a database of positions"),
            "ERROR INFO database_file expects the name of a file".to_owned(),
        ]
    );
    assert!(refusal(&run(&["gomocup", "--database", other])).ends_with("letter.txt is not a database of positions\n"));
    assert!(
        refusal(&run(&["play", "--database", other, "--no-open"]))
            .ends_with("letter.txt is not a database of positions\n")
    );
}

/// A level chooses by chance, the same with the same seed, and takes a five that it sees.
#[test]
fn a_level_of_the_board_plays() {
    let moves = "BOARD\n7,7,1\n8,6,2\n7,8,1\n6,6,2\nDONE\n";
    let answers = |seed: &str| said(&["--level", "2", "--seed", seed], &format!("{START}{moves}").repeat(3));
    let all: Vec<Vec<String>> = ["1", "2", "3", "4"].map(&answers).to_vec();
    assert_eq!(all[0], answers("1"));
    assert!(all.iter().flatten().any(|point| *point != all[0][0]), "{all:?}");
    let five = "BOARD\n7,7,1\n0,0,2\n7,8,1\n1,0,2\n7,9,1\n3,0,2\n7,10,1\n4,0,2\nDONE\n";
    let won = said(&["--level", "2"], &format!("{START}{five}"));
    assert!(["7,6", "7,11"].contains(&won[0].as_str()), "{won:?}");
    // Its moves need not be the best, so they are no values of positions, and what is proven does not replace them.
    let path = file("level.tdb");
    database(&path);
    let args = ["--level", "2", "--seed", "1", "--database", path.to_str().expect("UTF-8"), "--write"];
    let proven = "BOARD\n7,7,1\n8,6,2\nDONE\n";
    let without = said(&args[..4], &format!("{START}{proven}{moves}"));
    assert_eq!(said(&args, &format!("{START}{proven}{moves}")), without);
    assert_eq!(Database::open(&path).expect("a database").view().expect("a view").len().expect("readable"), 3);
    for bad in [["gomocup", "--level", "0"], ["gomocup", "--seed", "3"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_tengen")).args(bad).output().expect("the program");
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
    }
}
