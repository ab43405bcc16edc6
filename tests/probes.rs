//! Single positions for the real program, whose move must respect the rules. Named after the conformance cases.

#[path = "support/engine.rs"]
mod engine;
#[path = "support/machine.rs"]
mod machine;
#[path = "support/program.rs"]
mod program;
mod support;

use program::{Program, coordinates, within};
use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::Duration;
use support::renju_vectors;
use tengen::board::Side;

/// The text of a position: `x,y,f` items separated by blanks become a body.
fn board(stones: &str) -> String {
    format!("BOARD\n{}\nDONE", stones.split_whitespace().collect::<Vec<_>>().join("\n"))
}

/// The program's move in this position on 15x15 under this rule.
fn answer(rule: u8, stones: &str) -> (u8, u8) {
    let mut program = Program::game(15, &[&format!("rule {rule}"), "timeout_turn 300"]);
    let (_, point) = program.timed(&board(stones), 15);
    program.quit();
    point
}

#[track_caller]
fn plays(rules: &[u8], stones: &str, expected: &[(u8, u8)]) {
    for rule in rules {
        let point = answer(*rule, stones);
        assert!(expected.contains(&point), "{point:?} under rule {rule}");
    }
}

#[track_caller]
fn avoids(rules: &[u8], stones: &str, forbidden: (u8, u8)) {
    for rule in rules {
        assert_ne!(answer(*rule, stones), forbidden, "under rule {rule}");
    }
}

const OPEN_FOUR: &str = "7,7,1 7,8,2 8,7,1 8,8,2 9,7,1 9,8,2 10,7,1 10,8,2";

#[test]
fn case_32_at_once_is_not_blindly() {
    for (stones, expected) in [
        (OPEN_FOUR, [(6, 7), (11, 7)]),
        // A four of the opponent with one open end.
        ("6,7,1 7,7,2 0,0,1 8,7,2 14,0,1 9,7,2 0,14,1 10,7,2", [(11, 7), (11, 7)]),
    ] {
        let mut program = Program::game(15, &["timeout_turn 0"]);
        let (_, point) = program.timed(&board(stones), 15);
        assert!(expected.contains(&point), "{point:?}");
        program.quit();
    }
}

#[test]
fn case_52_order_does_not_matter() {
    let mut stones = OPEN_FOUR.split_whitespace().collect::<Vec<_>>();
    stones.rotate_left(3);
    stones.swap(0, 4);
    plays(&[0, 1], &stones.join(" "), &[(6, 7), (11, 7)]);
}

const FOUL_AT_G9: &str = "7,8,2 8,8,2 8,5,2 8,11,2 7,7,1 8,6,1 7,9,1 8,10,1";

#[test]
fn case_54_92_no_forbidden_move() {
    avoids(&[4], FOUL_AT_G9, (6, 8));
    avoids(&[4], "7,7,1 7,8,2 8,6,1 8,8,2 7,9,1 8,5,2 8,10,1 8,11,2", (6, 8));
}

#[test]
fn case_59_five_is_played() {
    plays(&[0, 1, 4, 8, 9], OPEN_FOUR, &[(6, 7), (11, 7)]);
}

#[test]
fn case_60_finished_games_are_answered() {
    for stones in [
        "3,3,1 0,0,2 4,3,1 0,2,2 5,3,1 0,4,2 6,3,1 0,6,2 7,3,1 0,8,2",
        "3,3,2 0,0,1 4,3,2 0,2,1 5,3,2 0,4,1 6,3,2 0,6,1 7,3,2",
    ] {
        for rule in [0, 1, 4, 8, 9] {
            answer(rule, stones);
        }
    }
}

#[test]
fn case_62_the_last_cell_under_renju() {
    let mut program = Program::game(5, &["rule 4", "timeout_turn 300"]);
    let mut stones = String::new();
    for y in 0..5u8 {
        for x in 0..5u8 {
            if (x, y) != (2, 2) {
                let own = (x / 2 + y + u8::from(y > 2 || y == 2 && x > 2)) % 2 + 1;
                stones += &format!("{x},{y},{own} ");
            }
        }
    }
    program.send(&board(&stones));
    let line = program.line();
    assert!(line == "2,2" || line.starts_with("ERROR"), "{line:?}");
    program.quit();
}

#[test]
fn case_70_to_75_swap2() {
    within(Duration::from_millis(1000), || {
        // The step that took longest.
        let mut longest = Duration::ZERO;
        let mut program = Program::game(15, &["rule 1", "timeout_turn 1000", "time_left 60000"]);
        for stones in ["", "7,7 8,7 9,9", "7,7 8,8 6,7 5,5 10,9"] {
            let placed = stones.split_whitespace().collect::<Vec<_>>();
            let started = std::time::Instant::now();
            program.send(&format!("SWAP2BOARD\n{}\nDONE", placed.join("\n")));
            let (ended, line) = program.stamped();
            longest = longest.max(ended - started);
            let points = line.split(' ').collect::<Vec<_>>();
            let numbers: &[usize] = match placed.len() {
                0 => &[3],
                3 => &[1, 2],
                _ => &[1],
            };
            let legal = |point: &&str| coordinates(point, 15).is_some() && !placed.contains(point);
            let distinct = points.iter().collect::<BTreeSet<_>>().len() == points.len();
            let moves = numbers.contains(&points.len()) && points.iter().all(legal) && distinct;
            assert!(moves || line == "SWAP" && !placed.is_empty(), "{line:?} to {stones:?}");
        }
        let body = board("7,7,2 8,7,1 9,9,2");
        program.send(&body);
        program.a_move(15);
        program.quit();
        longest
    });
}

/// Positions with black to move, and black's forbidden points.
const FORBIDDEN: [(&str, &str, &str); 11] = [
    ("7,5 7,6 5,7 6,7", "0,0 14,0 0,14 14,14", "7,7"),
    ("7,5 7,6 5,7 6,7", "4,7 0,0 14,0 0,14", ""),
    ("3,7 4,7 5,7 7,7 8,7", "0,0 14,0 0,14 14,14 0,4", "6,7"),
    ("3,7 4,7 5,7 7,7 8,7 6,3 6,4 6,5 6,6", "0,0 14,0 0,14 14,14 0,4 14,4 0,10 14,10 4,0", "5,5"),
    ("4,7 5,7 6,7 7,4 7,5 7,6", "0,0 14,0 0,14 14,14 0,4 14,4", "7,7"),
    ("3,7 5,7 7,7 9,7", "0,0 14,0 0,14 14,14", "6,7"),
    ("2,7 3,7 6,7 8,7 9,7", "0,0 14,0 0,14 14,14 0,4", "5,7"),
    ("1,7 2,7 3,7 7,7 8,7 9,7", "0,0 14,0 0,14 14,14 0,4 14,4", "5,7"),
    ("4,7 5,7 6,7 7,5 7,6", "3,7 0,0 14,0 0,14 14,14", ""),
    ("2,7 4,7 5,7 6,7 7,7", "0,0 14,0 0,14 14,14 0,4", "3,7"),
    ("7,7 8,6 7,9 8,10", "7,8 8,8 8,5 8,11", "6,8"),
];

#[test]
fn case_87_98_forbidden_points() {
    let mut program = Program::game(15, &["rule 4"]);
    for (black, white, forbidden) in FORBIDDEN {
        program.send("YXBOARD");
        for (own, other) in black.split(' ').zip(white.split(' ')) {
            program.send(&format!("{own},1\n{other},2"));
        }
        program.send("DONE\nYXSHOWFORBID");
        let found = listed(&program.line()).into_iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>();
        assert_eq!(found.join(" "), forbidden, "black {black}");
    }
    program.quit();
}

/// The points of a `FORBID` line, in order.
#[track_caller]
fn listed(line: &str) -> Vec<(u8, u8)> {
    let pairs = line.strip_prefix("FORBID ").and_then(|l| l.strip_suffix('.')).unwrap_or_else(|| panic!("{line:?}"));
    let number = |text: &[u8]| std::str::from_utf8(text).expect("digits").parse::<u8>().expect("digits");
    pairs.as_bytes().chunks(4).map(|c| (number(&c[..2]), number(&c[2..]))).collect()
}

#[test]
fn case_87_a_thousand_positions() {
    let mut program = Program::game(15, &["rule 4"]);
    let vectors = renju_vectors();
    assert_eq!(vectors.len(), 1000);
    for vector in vectors {
        let of = |side: Side| vector.setup.stones.iter().filter(move |(_, s)| *s == side).map(|(p, _)| p);
        let cells = of(Side::Black).zip(of(Side::White));
        let cells = cells.map(|(b, w)| format!("{},{},1\n{},{},2\n", b.x(), b.y(), w.x(), w.y())).collect::<String>();
        program.send(&format!("YXBOARD\n{cells}DONE\nYXSHOWFORBID"));
        let mut found = listed(&program.line());
        found.sort_unstable();
        let mut expected = vector.forbidden.iter().map(|p| (p.x(), p.y())).collect::<Vec<_>>();
        expected.sort_unstable();
        assert_eq!(found, expected, "{}", vector.tag);
    }
    program.quit();
}

#[test]
fn case_87_88_no_forbidden_points() {
    let mut program = Program::game(15, &["rule 4"]);
    // White to move.
    program.send("YXBOARD\n7,5,2\n0,0,1\n7,6,2\n14,0,1\n5,7,2\n0,14,1\n6,7,2\nDONE\nYXSHOWFORBID");
    assert_eq!(program.line(), "FORBID .");
    program
        .send("INFO rule 0\nYXBOARD\n7,5,1\n0,0,2\n7,6,1\n14,0,2\n5,7,1\n0,14,2\n6,7,1\n14,14,2\nDONE\nYXSHOWFORBID");
    assert_eq!(program.line(), "FORBID .");
    program.quit();
}

#[test]
fn case_89_blocked_at_the_root() {
    let mut program = Program::game(15, &["timeout_turn 100"]);
    program.send("yxblock\n7,7\ndone");
    let (_, point) = program.timed("board\ndone", 15);
    assert_ne!(point, (7, 7));
    program.send("yxblock\n11,7\ndone");
    assert_eq!(program.timed(&board(OPEN_FOUR), 15).1, (6, 7));
    program.quit();
}

#[test]
fn case_91_balance_and_defence() {
    let mut program = Program::game(15, &["timeout_turn 300"]);
    program.timed("yxbalanceone 0", 15);
    program.send("START 15\nyxbalancetwo 0");
    assert_eq!(program.line(), "OK");
    let line = program.line();
    let (first, second) = line.split_once(' ').unwrap_or_else(|| panic!("{line:?}"));
    assert!(coordinates(first, 15).is_some() && coordinates(second, 15).is_some() && first != second, "{line:?}");
    program.timed("yxsearchdefend", 15);
    program.send("yxswap2step1");
    for number in 1..=3 {
        let line = program.line();
        let words = line.split(' ').collect::<Vec<_>>();
        assert_eq!(words[..2], ["MESSAGE", "SWAP2"]);
        assert_eq!(words[2], format!("MOVE{number}"));
        assert!(coordinates(&words[3..].join(","), 15).is_some(), "{line:?}");
    }
    program.quit();
}

/// Requests the defences on 15x15; returns the points marked as losing, and the move.
fn defend(stones: &str) -> (BTreeSet<(u8, u8)>, (u8, u8)) {
    let mut program = Program::game(15, &["show_detail 1", "timeout_turn 3000"]);
    program.send(&format!("YX{}\nYXSEARCHDEFEND", board(stones)));
    let mut lost = BTreeSet::new();
    loop {
        let line = program.line();
        if let Some(point) = coordinates(&line, 15) {
            program.quit();
            return (lost, point);
        }
        lost.extend(line.strip_prefix("MESSAGE REALTIME LOST ").and_then(|point| coordinates(point, 15)));
    }
}

#[test]
fn case_91_every_losing_point_is_marked() {
    let empty = |stones: &str| {
        let taken = stones.split(' ').map(|cell| coordinates(&cell[..cell.len() - 2], 15).expect("a cell"));
        let taken = taken.collect::<BTreeSet<_>>();
        let cells = (0..15).flat_map(|y| (0..15).map(move |x| (x, y)));
        cells.filter(|cell| !taken.contains(cell)).collect::<BTreeSet<_>>()
    };
    // Every move loses, some of them only after seven moves of the opponent.
    let stones = "7,7,2 8,7,2 7,8,2 10,9,2 0,0,1 2,0,1 14,14,1 6,6,1";
    assert_eq!(defend(stones).0, empty(stones));
    // An open four.
    let stones = "7,7,2 8,7,2 9,7,2 10,7,2 0,0,1 2,0,1 0,14,1 14,14,1";
    assert_eq!(defend(stones).0, empty(stones));
    // A four with one open end: blocking that end is the only move that does not lose at once.
    let stones = "7,7,2 8,7,2 9,7,2 10,7,2 6,7,1 2,0,1 0,14,1 14,14,1";
    let (lost, point) = defend(stones);
    assert_eq!(point, (11, 7));
    let mut others = empty(stones);
    others.remove(&point);
    assert!(lost.is_superset(&others), "{} of {}", lost.len(), others.len());
}

const SIX: &str = "7,7,2 7,8,1 8,7,2 7,9,1 6,7,2 7,10,1 9,12,2 7,11,1 6,13,2 7,13,1 8,14,2";

#[test]
fn case_93_six_is_nothing_under_standard() {
    plays(&[1], SIX, &[(5, 7), (9, 7)]);
    plays(&[0], SIX, &[(7, 12)]);
}

const HELD: &str = "7,7,1 5,7,2 6,7,1 5,8,2 8,7,1 5,6,2 9,7,1 11,7,2";

#[test]
fn case_94_a_held_five_is_nothing_under_caro() {
    plays(&[8, 9], HELD, &[(5, 4), (5, 5), (5, 9), (5, 10)]);
    plays(&[0], HELD, &[(10, 7)]);
}

#[test]
fn case_95_a_held_six_wins_under_caro() {
    let stones = "4,7,1 3,7,2 5,7,1 10,7,2 6,7,1 0,0,2 8,7,1 14,0,2 9,7,1 0,14,2";
    plays(&[8], stones, &[(7, 7)]);
    answer(9, stones);
    answer(1, stones);
}

#[test]
fn case_96_the_border_holds_no_end() {
    plays(&[8, 9], "0,7,1 5,7,2 1,7,1 14,0,2 2,7,1 14,14,2 3,7,1 0,14,2", &[(4, 7)]);
}

#[test]
fn case_97_five_beats_overline() {
    let black = "3,7,1 0,0,2 4,7,1 14,0,2 5,7,1 0,14,2 7,7,1 14,14,2 8,7,1 6,2,2 6,3,1 14,4,2 6,4,1 0,10,2";
    plays(&[4], &format!("{black} 6,5,1 14,10,2 6,6,1 4,0,2"), &[(6, 7)]);
    let white = "0,0,2 3,7,1 14,0,2 4,7,1 0,14,2 5,7,1 14,14,2 7,7,1 0,4,2 8,7,1 14,4,2";
    plays(&[4], white, &[(6, 7)]);
}

#[test]
fn case_99_the_only_defence_is_forbidden() {
    let mut program = Program::game(15, &["rule 4", "timeout_turn -1", "time_left 2147483647"]);
    program.send(&board("7,7,1 6,5,2 5,5,1 6,4,2 5,6,1 6,3,2 7,6,1 6,2,2 6,1,1 0,0,2"));
    sleep(Duration::from_millis(100));
    program.send("YXSTOP");
    assert_ne!(program.a_move(15), (6, 6));
    program.is_silent(50);
    program.quit();
}

#[test]
fn case_100_rule_2_of_a_board_is_renju() {
    let mut program = Program::start();
    program.send("yxshowinfo\nINFO rule 2\nSTART 15");
    (0..2).for_each(|_| assert!(program.line().starts_with("MESSAGE INFO ")));
    assert_eq!(program.line(), "OK");
    program.send("yxboard\n7,5,1\n0,0,2\n7,6,1\n14,0,2\n5,7,1\n0,14,2\n6,7,1\n14,14,2\ndone\nyxshowforbid");
    assert_eq!(program.line(), "FORBID 0707.");
    program.quit();
}
