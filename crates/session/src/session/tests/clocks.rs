//! Clocks: what they show, when they stop, and lost games on time.

use super::*;
use crate::view::{Status, WinKind};

fn timed(ms: u64, increment_ms: u64, more: Value) -> Table {
    let mut more = more;
    more["clock"] = json!({"kind": "game", "ms": ms, "increment_ms": increment_ms});
    Table::new(more)
}

fn clock(table: &Table) -> (u64, u64, Option<Side>) {
    let clock = table.state().clock.expect("a clock");
    (clock.black_ms, clock.white_ms, clock.running)
}

fn on_time(side: Side) -> Status {
    Status::Win { side, how: WinKind::Time, row: BoardPoints::none(BoardSize::RENJU) }
}

#[test]
fn time_for_the_game_with_increment() {
    let mut table = timed(60_000, 2_000, json!({}));
    table.wait(10_000);
    assert_eq!(clock(&table), (50_000, 60_000, Some(Side::Black)));
    table.play("h8");
    table.wait(5_000);
    assert_eq!(clock(&table), (52_000, 55_000, Some(Side::White)));
    table.play("i9");
    assert_eq!(table.state().line.iter().map(|node| node.ms).collect::<Vec<_>>(), [Some(10_000), Some(5_000)]);
    // After going back the clock stops, and the time used since then is given back.
    table.cmd("undo");
    table.wait(100_000);
    assert_eq!(clock(&table), (52_000, 60_000, None));
    table.play("j10");
    table.wait(1_000);
    assert_eq!(clock(&table), (51_000, 60_000, Some(Side::Black)));
    assert_eq!(table.state().line[1].ms, None);
}

#[test]
fn flags_fall_and_undo_goes_on() {
    let mut table = timed(10_000, 0, json!({}));
    table.play("h8");
    assert_eq!(table.session.deadline(), Some(table.now + Duration::from_millis(10_000)));
    table.wait(9_999);
    assert_eq!(table.state().status, Status::Running);
    // A command after the limit comes too late: the time has run out.
    table.now += Duration::from_millis(1);
    assert_eq!(table.refused(json!({"do": "move", "at": "i9"})), RefusalKind::Stale);
    assert_eq!((table.state().status, table.session.deadline()), (on_time(Side::Black), None));
    assert_eq!(table.session.record().result.as_deref(), Some("B+T"));
    assert_eq!(table.refused(json!({"do": "move", "at": "i9"})), RefusalKind::Over);
    table.cmd("undo");
    table.play("h8");
    assert_eq!(table.state().status, Status::Running);
}

#[test]
fn time_for_each_move() {
    let mut table = Table::new(json!({"clock": {"kind": "move", "ms": 5_000}}));
    for at in ["h8", "i9", "h9"] {
        table.wait(4_000);
        table.play(at);
    }
    assert_eq!(clock(&table), (5_000, 5_000, Some(Side::White)));
    table.wait(5_000);
    assert_eq!(table.state().status, on_time(Side::Black));
}

#[test]
fn the_engine_obeys_the_clock() {
    let mut table = timed(60_000, 1_000, json!({"black": {"kind": "engine"}}));
    let limits = |table: &Table| match table.job(|task| matches!(task, Task::Move { .. })).task {
        Task::Move { limits, .. } => limits,
        _ => unreachable!(),
    };
    let seconds = Duration::from_secs;
    assert_eq!(
        (limits(&table).left, limits(&table).increment, limits(&table).turn),
        (Some(seconds(60)), seconds(1), None)
    );
    table.wait(3_000);
    table.engine("h8");
    assert_eq!(clock(&table), (58_000, 60_000, Some(Side::White)));
    let table = Table::new(json!({"clock": {"kind": "move", "ms": 5_000}, "black": {"kind": "engine", "level": 2}}));
    assert_eq!((limits(&table).turn, limits(&table).left), (Some(seconds(5)), None));
    let table = Table::new(json!({"black": {"kind": "engine"}}));
    assert_eq!(limits(&table).turn, Some(crate::ENGINE_TURN));
    // The engine has a moment more than a person before it loses on time.
    let mut table = Table::new(json!({"clock": {"kind": "move", "ms": 5_000}, "black": {"kind": "engine"}}));
    table.wait(5_400);
    assert_eq!(table.state().status, Status::Running);
    table.wait(200);
    assert_eq!((table.state().status, table.search()), (on_time(Side::White), None));
}

#[test]
fn no_time_runs_while_the_engine_waits() {
    let mut table = timed(10_000, 0, engines());
    table.wait(1_000);
    table.ok(json!({"do": "pause", "on": true}));
    table.wait(60_000);
    assert_eq!((clock(&table), table.session.deadline()), ((9_000, 10_000, None), None));
    table.ok(json!({"do": "pause", "on": false}));
    table.wait(1_000);
    assert_eq!(clock(&table), (8_000, 10_000, Some(Side::Black)));
    table.engine("h8");
    table.wait(200);
    assert_eq!(clock(&table), (8_000, 10_000, None), "the pause between two moves costs nobody");
    table.wait(100);
    table.cmd("stop");
    table.wait(60_000);
    assert_eq!(table.state().status, Status::Running);
}

#[test]
fn players_keep_their_time_when_the_opening_exchanges_their_colours() {
    let mut table = timed(60_000, 0, json!({"opening": "swap2"}));
    for at in ["h8", "i9", "h9"] {
        table.wait(5_000);
        table.play(at);
    }
    assert_eq!(clock(&table), (45_000, 60_000, Some(Side::White)));
    table.wait(1_000);
    table.ok(json!({"do": "opening", "choice": "swap"}));
    assert_eq!(clock(&table), (59_000, 45_000, Some(Side::White)));
}

#[test]
fn a_look_back_does_not_stop_the_clock_where_moves_are_not_taken_back() {
    let mut table = timed(60_000, 0, json!({"assist": {"undo": false}}));
    table.moves("h8i9");
    table.wait(10_000);
    table.ok(json!({"do": "goto", "node": 1}));
    table.wait(5_000);
    assert_eq!(clock(&table), (45_000, 60_000, Some(Side::Black)));
    assert_eq!(table.refused(json!({"do": "move", "at": "h9"})), RefusalKind::NotNow);
    table.cmd("redo");
    table.wait(1_000);
    table.play("h9");
    assert_eq!(clock(&table), (44_000, 60_000, Some(Side::White)));
    // The last move and the time used there are saved.
    table.ok(json!({"do": "goto", "node": 1}));
    table.wait(20_000);
    let saved = table.session.save().expect("moves");
    let mut restored = table.clone();
    restored.session.restore(saved, restored.now).unwrap();
    assert_eq!((restored.board().as_str(), clock(&restored)), ("h8i9h9", (44_000, 40_000, Some(Side::White))));
    // The time runs out, whatever is shown.
    table.wait(40_000);
    assert_eq!((table.board().as_str(), table.state().status), ("h8i9h9", on_time(Side::Black)));
    // After the game there is time for browsing.
    table.ok(json!({"do": "goto", "node": 1}));
    assert_eq!(clock(&table).2, None);
}

#[test]
fn an_engine_thinks_on_while_a_person_looks_back_where_moves_are_not_taken_back() {
    let white = json!({"kind": "engine", "level": 3});
    let mut table = timed(60_000, 0, json!({"white": white, "assist": {"undo": false}}));
    table.play("h8");
    table.wait(2_000);
    table.ok(json!({"do": "goto", "node": 0}));
    table.wait(1_000);
    assert_eq!((table.board().as_str(), clock(&table)), ("", (60_000, 57_000, Some(Side::White))));
    table.engine("i9");
    assert_eq!((table.board().as_str(), clock(&table)), ("h8i9", (60_000, 57_000, Some(Side::Black))));
    assert!(table.state().can.place);
    // The engine delays its move for the blunder check, but not because a person browses.
    let mut table = timed(60_000, 0, json!({"white": white, "assist": {"undo": false, "warn": true}}));
    table.play("h8");
    assert!(table.search().is_none());
    table.ok(json!({"do": "goto", "node": 0}));
    table.engine("i9");
    assert_eq!(table.board(), "h8i9");
}
