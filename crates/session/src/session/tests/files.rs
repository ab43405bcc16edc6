//! Games from files, saving, and continuing.

use super::*;
use crate::session::{RestoreError, Saved};
use crate::view::{Status, WinKind};
use tengen::board::Setup;
use tengen::rules::Rule;
use tengen_record::{Record, Tree, read};

fn record(text: &str) -> Record {
    read(text.as_bytes(), None, BoardSize::RENJU).expect("a game").remove(0)
}

/// A new run of the program: the saved game goes through JSON, is offered and continued.
fn next_run(table: &Table) -> Table {
    let text = serde_json::to_string(&table.session.save().expect("moves")).unwrap();
    let mut next = Table::bare();
    next.session.offer(serde_json::from_str(&text).unwrap(), 1_000);
    let offer = next.state().offer.expect("an offer");
    assert_eq!((offer.saved, offer.moves), (1_000, table.session.save().unwrap().moves));
    next.cmd("continue");
    assert_eq!(next.state().offer, None);
    next
}

#[test]
fn a_single_game_is_loaded_and_of_several_one_is_chosen() {
    let mut table = Table::new(json!({"rule": "caro"}));
    table.play("a1");
    let found = table.session.import(vec![record("(;SZ[15]PB[Ann]RE[W+];B[hh];W[ig]C[so](;B[jf])(;B[aa]))")]);
    table.carry_out();
    assert_eq!((found.len(), found[0].moves, found[0].nodes, found[0].title.as_str()), (1, 3, 5, "Ann – ?"));
    let state = table.state();
    assert_eq!((state.board.played.text().as_str(), state.game.rule), ("h8i9j10", Rule::Caro));
    assert_eq!((state.game.result.as_deref(), state.game.names.black.as_str()), (Some("W+"), "Ann"));
    assert!(state.can.place && state.can.undo && state.clock.is_none());
    assert!(table.effects.iter().any(|effect| matches!(effect, Effect::Keep(_))));
    table.play("a2");
    assert_eq!(table.session.record().result.as_deref(), Some("W+"), "what the file says stays");
    let found = table.session.import(vec![record("h8i9"), record("h8i9j10")]);
    assert_eq!(found.len(), 2);
    assert_eq!(table.board(), "h8i9j10a2", "nothing is loaded yet");
    assert_eq!(table.refused(json!({"do": "load", "index": 2})), RefusalKind::Unknown);
    table.ok(json!({"do": "load", "index": 0}));
    assert_eq!(table.board(), "h8i9");
}

/// Looking at a file changes nothing: it is not saved, and the game that was offered is still offered.
#[test]
fn a_file_that_is_looked_at_is_not_saved() {
    let mut table = Table::new(json!({}));
    table.play("a1");
    let saved = table.session.save().expect("moves");
    let mut next = Table::bare();
    next.session.offer(saved, 1_000);
    next.session.import(vec![record("h8i9h9")]);
    next.ok(json!({"do": "goto", "node": 1}));
    assert!(next.session.save().is_none() && next.state().offer.is_some());
    next.play("j10");
    assert!(next.session.save().is_some(), "a move of one's own is");
    next.cmd("continue");
    assert_eq!((next.board().as_str(), next.state().offer), ("a1", None));
}

#[test]
fn odd_files_are_shown_as_far_as_they_go() {
    // The game has a foul that lost, stones after it, a pass, stones put by hand, and an end before the last move.
    let foul = "(;SZ[15]RU[renju];B[hh];W[ao];B[ih];W[an];B[jg];W[al];B[jf];W[ak];B[jh];W[am];B[aa])";
    let mut table = Table::bare();
    table.session.import(vec![record(foul)]);
    let lost = Status::Win { side: Side::White, how: WinKind::Foul, row: BoardPoints::none(BoardSize::RENJU) };
    assert_eq!((table.state().status, table.state().ply), (lost.clone(), 11));
    assert_eq!(table.refused(json!({"do": "move", "at": "o15"})), RefusalKind::Over);
    table.ok(json!({"do": "goto", "node": 8}));
    assert_eq!(table.state().status, Status::Running);
    assert_eq!(table.refused(json!({"do": "move", "at": "j8"})), RefusalKind::Forbidden);
    table.ok(json!({"do": "goto", "node": 9}));
    assert_eq!(table.state().status, lost);
    let odd = "(;SZ[15:10]AB[aa][bb]AW[cc]PL[W];W[dd];B[];W[];AB[ee]AE[aa]C[edit];C[only a remark];W[ff];W[gg])";
    table.session.import(vec![record(odd)]);
    let state = table.state();
    assert_eq!((state.ply, state.board.stones.len(), state.board.to_move), (7, 6, Side::Black));
    assert_eq!(state.board.stones.iter().map(|stone| stone.number).collect::<Vec<_>>(), [0, 0, 1, 0, 4, 5]);
    for node in 0..8 {
        table.ok(json!({"do": "goto", "node": node}));
        table.session.save();
    }
    table.ok(json!({"do": "review"}));
    let Task::Review { nodes, played, .. } = table.job(|task| matches!(task, Task::Review { .. })).task else {
        panic!()
    };
    assert_eq!((nodes, played.first), (vec![4, 6, 7], 4));
}

#[test]
fn a_running_game_goes_on_in_the_next_run() {
    let mut table = Table::new(json!({"rule": "renju", "size": [15, 12], "white": {"kind": "engine", "level": 3},
        "clock": {"kind": "game", "ms": 60_000}, "start": {"stones": [{"at": "a1", "side": "white"}], "blocked": ["o1", "n2"],
        "to_move": "black"}}));
    table.wait(5_000);
    table.play("h8");
    table.engine("i9");
    table.cmd("undo");
    table.play("h7");
    table.wait(2_000);
    let next = next_run(&table);
    let (old, mut new) = (table.state(), next.state());
    assert!(next.search().is_some(), "the engine's turn goes on");
    assert_eq!((new.clock, new.line.clone(), &new.children), (old.clock, old.line.clone(), &old.children));
    new.game.id = old.game.id;
    assert_eq!((new.board, new.game, new.turn), (old.board, old.game, old.turn));
    // At another node of the tree the game is browsed, not played.
    table.ok(json!({"do": "goto", "node": 1}));
    let next = next_run(&table);
    assert_eq!((next.search(), next.state().node, next.state().paused), (None, 1, true));
}

#[test]
fn openings_and_ends_are_kept() {
    let mut table = Table::new(json!({"opening": "swap2", "black": {"kind": "person", "name": "Ann"}}));
    table.moves("h8i9h9");
    table.ok(json!({"do": "opening", "choice": "two"}));
    table.moves("j10g7");
    table.ok(json!({"do": "opening", "choice": "swap"}));
    let next = next_run(&table);
    assert_eq!((next.state().game.names, next.state().turn), (table.state().game.names, table.state().turn));
    assert_eq!(next.state().game.names.white, "Ann");
    table.cmd("resign");
    let mut next = next_run(&table);
    assert_eq!(next.state().status, table.state().status);
    assert_eq!(next.state().line, table.state().line);
    next.cmd("undo");
    assert_eq!(next.state().status, Status::Running);
}

#[test]
fn spoilt_saves_are_refused_and_change_nothing() {
    let mut table = Table::new(json!({}));
    table.play("h8");
    let good = table.session.save().unwrap();
    let before = table.state();
    let spoilt: [(Saved, RestoreError); 3] = [
        (Saved { version: 9, ..good.clone() }, RestoreError::Version(9)),
        (Saved { sgf: "(;SZ[19])".into(), ..good.clone() }, RestoreError::Record("they are of another board".into())),
        (
            Saved { sgf: "(;B[zz".into(), ..good.clone() },
            RestoreError::Record("line 1: an SGF value does not end".into()),
        ),
    ];
    for (saved, error) in spoilt {
        assert_eq!(table.session.restore(saved, table.now), Err(error));
        assert_eq!(table.state(), before);
    }
    table.session.restore(Saved { path: vec![0, 7, 7], tip: vec![9], ..good }, table.now).unwrap();
    assert_eq!(table.board(), "h8", "as far as the path leads");
    let mut table = Table::bare();
    assert_eq!(table.refused(json!({"do": "continue"})), RefusalKind::NotNow);
    table.cmd("dismiss");
    assert_eq!(table.session.save(), None, "no moves, nothing to save");
}

/// A large library must not slow each command down: the cost depends on the line, not on the tree.
#[test]
fn commands_on_a_large_tree_are_quick() {
    let mut table = Table::bare();
    let mut big = Record::new(Some(Rule::Renju), Setup::empty(BoardSize::RENJU));
    let points: Vec<Point> = BoardSize::RENJU.points().collect();
    for first in &points {
        let node = big.tree.add(Tree::ROOT, *first, Side::Black);
        for second in points.iter().filter(|point| *point != first) {
            let node = big.tree.add(node, *second, Side::White);
            for third in points.iter().filter(|point| *point != first && *point != second).take(1) {
                big.tree.add(node, *third, Side::Black);
            }
        }
    }
    assert!(big.tree.len() > 100_000);
    table.session.import(vec![big]);
    table.carry_out();
    let started = Instant::now();
    for _ in 0..100 {
        table.cmd("undo");
        table.cmd("redo");
        table.state();
    }
    let each = started.elapsed() / 300;
    assert!(each < Duration::from_millis(4), "{each:?} for each command");
}

#[test]
fn the_state_of_a_long_game_on_the_largest_board_is_quick() {
    let mut table = Table::new(json!({"rule": "renju", "size": [25, 25]}));
    // Stones in a pattern without a five.
    let size = table.size();
    let pattern = |side: Side| {
        size.points().filter(move |p| Side::BOTH[usize::from((p.x() / 2 + p.y()) % 2)] == side && p.y() < 14)
    };
    let stones: Vec<_> = pattern(Side::Black).zip(pattern(Side::White)).collect();
    for (black, white) in stones {
        for point in [black, white] {
            let _ = table.send(json!({"do": "move", "at": tengen::board::format_point(size, point)}));
        }
    }
    assert!(table.state().ply > 250, "{}", table.state().ply);
    let started = Instant::now();
    for _ in 0..20 {
        table.state();
    }
    let each = started.elapsed() / 20;
    assert!(each < Duration::from_millis(8), "{each:?} for a state");
}
