//! Moves, ends, undo and redo, the engine's turns.

use super::*;
use crate::view::{Phase, Status, WinKind};
use tengen::board::parse_point;
use tengen::rules::Foul;

#[test]
fn two_persons_move_by_turns_and_branches_stay() {
    let mut table = Table::new(json!({}));
    table.moves("h8i9h9");
    let state = table.state();
    assert_eq!((state.board.played.text().as_str(), state.ply, state.board.to_move), ("h8i9h9", 3, Side::White));
    assert_eq!(state.line.iter().map(|node| node.number).collect::<Vec<_>>(), [1, 2, 3]);
    table.cmd("undo");
    assert_eq!(table.board(), "h8i9");
    table.play("j10");
    let state = table.state();
    assert_eq!(state.board.played.text(), "h8i9j10");
    assert_eq!(state.line[2].siblings[0].at.map(|at| at.to_string()).as_deref(), Some("h9"));
    // A known move leads to its existing node.
    table.cmd("undo");
    let nodes = table.session.record().tree.len();
    table.play("h9");
    assert_eq!((table.session.record().tree.len(), table.state().line[2].node), (nodes, 3));
    // Redo follows the line that was left, even if another line is the main one.
    table.ok(json!({"do": "goto", "node": 4}));
    table.cmd("undo");
    assert_eq!(table.state().line[2].node, 4);
    table.cmd("redo");
    assert_eq!(table.board(), "h8i9j10");
    assert_eq!(table.refused(json!({"do": "redo"})), RefusalKind::NotNow);
    table.ok(json!({"do": "promote", "node": 4}));
    assert_eq!(table.session.record().end(), tengen_record::NodeId(4));
}

#[test]
fn steps_follow_the_line_from_where_the_last_one_led() {
    let mut table = Table::new(json!({}));
    table.moves("h8i9h9");
    table.cmd("undo");
    table.moves("j10a1");
    let mut goes = |name: &str, by: i32| {
        table.ok(json!({"do": name, "by": by}));
        table.board()
    };
    assert_eq!(goes("step", -1), "h8i9j10");
    assert_eq!(goes("sibling", 1), "h8i9h9", "round again");
    assert_eq!(goes("step", 1), "h8i9h9", "nothing follows there");
    assert_eq!(goes("sibling", -3), "h8i9j10");
    assert_eq!(goes("step", -2), "h8");
    assert_eq!(goes("step", i32::MAX), "h8i9j10a1", "the line that was left");
    assert_eq!(goes("step", i32::MIN), "");
    assert_eq!((goes("sibling", 1), goes("step", -1), goes("step", 0)), <(String, String, String)>::default());
    assert_eq!(goes("step", 3), "h8i9j10");
    assert_eq!(goes("sibling", i32::MIN), "h8i9j10", "an even number of steps among two");
}

#[test]
fn rows_win_in_all_directions_at_edges_and_in_corners() {
    let rows = [
        "a1b1c1d1e1",
        "k15l15m15n15o15",
        "a1a2a3a4a5",
        "o11o12o13o14o15",
        "a1b2c3d4e5",
        "k11l12m13n14o15",
        "a15b14c13d12e11",
        "k5l4m3n2o1",
        "f8g8h8i8j8",
        "f6g7h8i9j10",
    ];
    for row in rows {
        for rule in ["freestyle", "standard", "renju", "caro", "caro-exact"] {
            let mut table = Table::new(json!({"rule": rule}));
            let row = split(row);
            // White plays in two rows with gaps, where its stones block nothing.
            let others = split("b8d8b10d10");
            for (mine, other) in row.iter().zip(&others) {
                table.play(mine);
                table.play(other);
            }
            table.play(&row[4]);
            let state = table.state();
            let Status::Win { side: Side::Black, how: WinKind::Five, row: shown } = state.status else {
                panic!("{rule} {row:?}: {:?}", state.status)
            };
            assert_eq!(
                (
                    shown.len(),
                    row.iter().all(|at| shown.contains(&parse_point(BoardSize::RENJU, at).expect("a point")))
                ),
                (5, true),
                "{rule}"
            );
            assert_eq!((state.turn.phase, state.can.place), (Phase::Over, false));
            assert_eq!(table.refused(json!({"do": "move", "at": "g2"})), RefusalKind::Over);
            assert_eq!(table.session.record().result.as_deref(), Some("B+"));
            table.cmd("undo");
            table.play("g2");
            assert_eq!((table.state().status, table.session.record().result.clone()), (Status::Running, None));
        }
    }
}

#[test]
fn an_overline_wins_by_some_rules() {
    // Black completes six stones in a row by filling the gap.
    let moves = "c8c2d8e2e8g2g8i2h8k2f8";
    for (rule, how) in [
        ("freestyle", Some(WinKind::Overline)),
        ("standard", None),
        ("caro", Some(WinKind::Overline)),
        ("caro-exact", None),
    ] {
        let mut table = Table::new(json!({"rule": rule}));
        table.moves(moves);
        match (table.state().status, how) {
            (Status::Win { how, row, .. }, Some(expected)) => assert_eq!((how, row.len()), (expected, 6)),
            (status, how) => assert_eq!((status, how), (Status::Running, None), "{rule}"),
        }
    }
    let mut table = Table::new(json!({"rule": "renju"}));
    let (before, last) = moves.split_at(moves.len() - 2);
    table.moves(before);
    let refusal = table.send(json!({"do": "move", "at": last})).unwrap_err();
    assert_eq!((refusal.error, refusal.foul), (RefusalKind::Forbidden, Some(Foul::Overline)));
    assert_eq!(table.board(), before);
}

#[test]
fn forbidden_points_are_shown_whoever_is_to_move() {
    let mut table = Table::new(json!({"rule": "renju"}));
    table.moves("h8a1i8a2j9a4j10");
    let white_to_move = table.state();
    let shown = |state: &State| state.board.forbidden.iter().map(|f| (f.at.to_string(), f.kind)).collect::<Vec<_>>();
    assert_eq!(shown(&white_to_move), [("j8".to_owned(), Foul::DoubleThree)]);
    table.play("o1");
    assert_eq!(shown(&table.state()), shown(&white_to_move));
    let refusal = table.send(json!({"do": "move", "at": "j8"})).unwrap_err();
    assert_eq!((refusal.error, refusal.foul), (RefusalKind::Forbidden, Some(Foul::DoubleThree)));
    for assist in [json!({"forbidden": false}), json!({"forbidden": true})] {
        let shown = assist["forbidden"] == json!(true);
        let mut table = Table::new(json!({"rule": "renju", "assist": assist}));
        table.moves("h8a1i8a2j9a4j10o1");
        assert_eq!(!table.state().board.forbidden.is_empty(), shown);
    }
}

#[test]
fn a_full_board_is_a_draw() {
    // Alternating rows of two never make five.
    let mut table = Table::new(json!({"size": [5, 5], "rule": "standard"}));
    let black = split("a1b1e1c2d2a3b3e3c4d4a5b5e5");
    let white = split("c1d1a2b2e2c3d3a4b4e4c5d5");
    for (i, at) in black.iter().enumerate() {
        table.play(at);
        white.get(i).into_iter().for_each(|at| table.play(at));
    }
    assert_eq!(table.state().status, Status::Draw { agreed: false });
    assert_eq!(table.session.record().result.as_deref(), Some("0"));
    assert!(!table.state().can.hint && !table.state().can.place);
}

#[test]
fn points_that_cannot_be_played() {
    let mut table = Table::new(json!({"start": {"stones": [], "blocked": ["a1"], "to_move": "white"}}));
    table.play("h8");
    assert_eq!(table.state().board.stones[0].side, Side::White);
    for (at, kind) in [
        ("h8", RefusalKind::Occupied),
        ("a1", RefusalKind::Occupied),
        ("p1", RefusalKind::Occupied),
        ("h16", RefusalKind::Occupied),
        ("", RefusalKind::Malformed),
        ("h8i9", RefusalKind::Malformed),
        ("<b>", RefusalKind::Malformed),
    ] {
        assert_eq!(table.refused(json!({"do": "move", "at": at})), kind, "{at}");
    }
}

#[test]
fn commands_on_an_old_position_are_stale() {
    let mut table = Table::new(json!({}));
    let old = table.session.rev();
    table.play("h8");
    let mut handle = |body: Value| {
        let (command, rev) = Command::parse(body).unwrap();
        table.session.handle(command, rev, table.now).map_err(|refusal| refusal.error)
    };
    for name in ["undo", "redo", "go", "swap_sides", "resign", "draw"] {
        assert_eq!(handle(json!({"do": name, "rev": old})), Err(RefusalKind::Stale), "{name}");
        assert_eq!(handle(json!({"do": name})), Err(RefusalKind::Malformed), "{name}");
    }
    assert_eq!(handle(json!({"do": "move", "at": "i9", "rev": old})), Err(RefusalKind::Stale));
    assert_eq!(handle(json!({"do": "move", "at": "i9", "rev": 10_000})), Err(RefusalKind::Stale));
    assert_eq!(handle(json!({"do": "opening", "choice": "stay", "rev": old})), Err(RefusalKind::Stale));
    // Starting or ending a job changes the shown state, not the game.
    let rev = table.session.rev();
    table.cmd("hint");
    assert!(table.session.rev() > rev);
    let (command, _) = Command::parse(json!({"do": "move", "at": "i9"})).unwrap();
    assert!(table.session.handle(command, Some(rev), table.now).is_ok());
}

#[test]
fn the_engine_answers_and_undo_takes_back_both() {
    let mut table = Table::new(against_engine());
    assert!(table.search().is_none());
    table.play("h8");
    assert_eq!(table.refused(json!({"do": "move", "at": "a1"})), RefusalKind::NotYourTurn);
    let Task::Move { level, setup, limits, .. } = table.job(|task| matches!(task, Task::Move { .. })).task else {
        panic!("a move")
    };
    assert_eq!((level, setup.stones.len(), limits.turn, limits.left), (Some(3), 1, None, None));
    table.engine("i9");
    assert_eq!((table.board().as_str(), table.search()), ("h8i9", None));
    let node = table.session.record().tree.get(table.session.node()).expect("the engine's move");
    assert_eq!(node.value.as_ref().and_then(|value| value.score), Some(-20), "black's view");
    table.cmd("undo");
    assert_eq!((table.board().as_str(), table.search()), ("", None));
    assert_eq!(table.refused(json!({"do": "undo"})), RefusalKind::NotNow);
    table.cmd("redo");
    assert_eq!((table.board().as_str(), table.search()), ("h8i9", None));
    // After browsing to a node where the engine is to move, the engine waits; a person may move for it.
    table.ok(json!({"do": "goto", "node": 1}));
    assert!(table.search().is_none() && table.state().paused && table.state().can.place);
    table.play("j10");
    table.play("a1");
    assert!(table.search().is_some());
}

#[test]
fn undo_while_the_engine_thinks_drops_its_late_move() {
    let mut table = Table::new(against_engine());
    table.play("h8");
    let job = table.search().unwrap().id;
    table.cmd("undo");
    assert!(table.cancelled.contains(&job));
    table.reply_to(job, Answer::Points(table.points("i9")), 0);
    assert_eq!((table.board().as_str(), table.session.record().tree.len()), ("", 2));
    // The move does not fit into the next search either.
    table.play("g7");
    table.reply_to(job, Answer::Points(table.points("i9")), 0);
    assert_eq!(table.board(), "g7");
    table.engine("i9");
    assert_eq!(table.board(), "g7i9");
}

#[test]
fn the_engine_moves_at_once_or_not_at_all() {
    let mut table = Table::new(against_engine());
    table.play("h8");
    let job = table.search().unwrap().id;
    table.cmd("go");
    assert!(table.cancelled.contains(&job));
    table.reply_to(job, Answer::Points(table.points("i9")), 0);
    assert_eq!(table.board(), "h8i9", "the answer of a search that was hurried counts");
    // First for the person, then for itself.
    table.cmd("go");
    table.engine("h9");
    table.engine("i8");
    assert_eq!(table.board(), "h8i9h9i8");
    table.play("a1");
    table.cmd("stop");
    assert!(table.search().is_none() && table.state().paused);
    table.cmd("go");
    table.engine("b1");
    table.cmd("undo");
    assert_eq!(table.board(), "h8i9h9i8");
}

#[test]
fn answers_that_make_no_sense_leave_the_turn() {
    for answer in ["h8", ""] {
        let mut table = Table::new(against_engine());
        table.play("h8");
        table.engine(answer);
        assert_eq!((table.board().as_str(), table.said()), ("h8", vec!["no_move"]));
        assert!(table.state().paused && table.search().is_none());
        table.cmd("go");
        assert!(table.search().is_some());
    }
}

#[test]
fn two_engines_play_until_they_are_held() {
    let mut table = Table::new(engines());
    table.engine("h8");
    assert!(table.search().is_none(), "a person can follow");
    table.wait(299);
    assert!(table.search().is_none());
    assert!(table.session.deadline().is_some_and(|at| at == table.now + Duration::from_millis(1)));
    table.wait(1);
    table.engine("i9");
    table.wait(300);
    let job = table.search().unwrap().id;
    table.ok(json!({"do": "pause", "on": true}));
    table.reply_to(job, Answer::Points(table.points("a1")), 0);
    table.wait(10_000);
    assert_eq!((table.board().as_str(), table.state().paused, table.search()), ("h8i9", true, None));
    // One move on request; the game stays paused.
    table.cmd("go");
    table.engine("j10");
    table.wait(1_000);
    assert!(table.search().is_none() && table.state().paused);
    table.ok(json!({"do": "pause", "on": false}));
    assert!(table.search().is_some() && !table.state().paused);
    table.ok(json!({"do": "goto", "node": 1}));
    assert!(table.search().is_none() && table.state().paused);
    let mut table = Table::new(against_engine());
    assert_eq!(table.refused(json!({"do": "pause", "on": true})), RefusalKind::NotNow);
}

#[test]
fn players_exchange_their_colours() {
    let mut table = Table::new(against_engine());
    table.play("h8");
    table.engine("i9");
    table.cmd("swap_sides");
    let state = table.state();
    assert!(state.game.black.is_engine() && !state.game.white.is_engine());
    assert_eq!(state.game.names.black, "Tengen, level 3");
    table.engine("h9");
    assert!(table.state().can.place);
    // Not at an earlier move, where moves may not be taken back.
    let mut table = Table::new(json!({"assist": {"undo": false}}));
    table.play("h8");
    table.play("i9");
    table.ok(json!({"do": "goto", "node": 1}));
    assert!(!table.state().can.swap_sides);
    assert_eq!(table.refused(json!({"do": "swap_sides"})), RefusalKind::NotNow);
}

#[test]
fn games_end_by_resignation_and_go_on_after_an_undo() {
    let mut table = Table::new(against_engine());
    table.play("h8");
    // Also while the engine thinks.
    table.cmd("resign");
    let over = Status::Win { side: Side::White, how: WinKind::Resigned, row: BoardPoints::none(BoardSize::RENJU) };
    assert_eq!((table.state().status, table.search()), (over.clone(), None));
    assert_eq!(table.session.record().result.as_deref(), Some("W+R"));
    assert_eq!(table.refused(json!({"do": "go"})), RefusalKind::Over);
    table.cmd("undo");
    assert_eq!(table.state().status, Status::Running);
    table.cmd("redo");
    assert_eq!(table.state().status, over, "it ended there");
    table.cmd("undo");
    table.play("h8");
    assert_eq!(table.state().status, Status::Running, "the move was made again, so the game goes on");
    table.engine("i9");
    // A game that ended before any move continues where it is.
    table.cmd("restart");
    table.cmd("resign");
    table.cmd("undo");
    assert_eq!((table.state().status, table.state().can.undo), (Status::Running, false));
}

#[test]
fn draws_are_agreed_by_persons_and_taken_by_an_engine_that_is_not_ahead() {
    let mut table = Table::new(json!({}));
    table.play("h8");
    table.cmd("draw");
    assert_eq!(table.state().status, Status::Draw { agreed: true });
    for (score, takes) in [(200, false), (10, true), (-300, true)] {
        let mut table = Table::new(against_engine());
        table.play("h8");
        assert_eq!(table.refused(json!({"do": "draw"})), RefusalKind::NotYourTurn);
        let job = table.search().unwrap().id;
        table.reply_to(job, Answer::Points(table.points("i9")), score);
        table.cmd("draw");
        assert_eq!(table.state().status == Status::Draw { agreed: true }, takes, "{score}");
        assert_eq!(table.said().contains(&"draw_declined"), !takes);
    }
    let mut table = Table::new(against_engine());
    table.cmd("draw");
    assert_eq!(table.said(), ["draw_declined"], "it has no score yet");
}

#[test]
fn a_game_without_undo_goes_on_only_at_its_last_move() {
    let mut table = Table::new(json!({"assist": {"undo": false}}));
    table.moves("h8i9");
    assert_eq!(table.refused(json!({"do": "undo"})), RefusalKind::NotNow);
    assert!(!table.state().can.undo);
    table.ok(json!({"do": "goto", "node": 1}));
    for body in [json!({"do": "move", "at": "a1"}), json!({"do": "go"}), json!({"do": "resign"})] {
        assert_eq!(table.refused(body), RefusalKind::NotNow);
    }
    assert_eq!(table.refused(json!({"do": "delete_branch", "node": 1})), RefusalKind::NotNow);
    table.ok(json!({"do": "goto", "node": 2}));
    table.play("a1");
    table.cmd("resign");
    table.ok(json!({"do": "goto", "node": 1}));
    table.play("a2");
}

#[test]
fn restart_plays_the_same_again_and_keeps_the_old_game() {
    let mut table = Table::new(json!({"rule": "renju", "white": {"kind": "engine"},
        "start": {"stones": [{"at": "h8", "side": "black"}], "to_move": "white"}, "clock": {"kind": "move", "ms": 9000}}));
    table.engine("i9");
    let (before, number) = (table.state().game, table.state().game.id);
    table.cmd("restart");
    let after = table.state().game;
    assert_eq!(
        (after.id, &after.clock, &after.start, &after.white),
        (number + 1, &before.clock, &before.start, &before.white)
    );
    assert_eq!(table.board(), "h8");
    assert!(table.search().is_some());
    assert!(table.effects.iter().any(|effect| matches!(effect, Effect::Keep(saved) if saved.moves == 1)));
}

#[test]
fn lots_decide_who_begins() {
    let black_is_engine = |table: &mut Table| {
        table.ok(game(json!({"white": {"kind": "engine"}, "by_lot": true})));
        table.state().game.black.is_engine()
    };
    let mut table = Table::bare();
    let drawn: Vec<bool> = (0..40).map(|_| black_is_engine(&mut table)).collect();
    assert!((10..30).contains(&drawn.iter().filter(|first| **first).count()), "{drawn:?}");
    assert_eq!(
        drawn[..8],
        (0..8)
            .map({
                let mut table = Table::bare();
                move |_| black_is_engine(&mut table)
            })
            .collect::<Vec<_>>()
    );
}

#[test]
fn games_that_make_no_sense_are_refused() {
    let stones = |stones: Value| json!({"stones": stones, "to_move": "black"});
    let h8 = json!({"at": "h8", "side": "black"});
    for more in [
        json!({"size": [4, 15]}),
        json!({"size": [15, 26]}),
        json!({"white": {"kind": "engine", "level": 0}}),
        json!({"white": {"kind": "engine", "level": 11}}),
        json!({"clock": {"kind": "move", "ms": 0}}),
        json!({"clock": {"kind": "game", "ms": u64::MAX}}),
        json!({"start": stones(json!([{"at": "p1", "side": "black"}]))}),
        json!({"start": stones(json!([h8, h8]))}),
        json!({"start": {"stones": [h8], "blocked": ["h8"], "to_move": "black"}}),
        json!({"start": stones(json!([h8])), "opening": "swap2"}),
        json!({"start": {"stones": [], "to_move": "white"}, "opening": "swap2"}),
    ] {
        let mut table = Table::new(json!({}));
        table.play("h8");
        let before = table.state();
        assert_eq!(table.refused(game(more.clone())), RefusalKind::Malformed, "{more}");
        assert_eq!(table.state(), before);
    }
    let mut table = Table::new(json!({"black": {"kind": "person", "name": format!(" <b>\u{7}{}", "x".repeat(99))}}));
    assert_eq!(table.state().game.names.black.chars().count(), 60);
    table.play("h8");
    assert!(table.session.record().names[Side::Black].starts_with("<b>x"));
}

#[test]
fn branches_are_deleted_and_nodes_remarked() {
    let mut table = Table::new(json!({}));
    table.moves("h8i9h9");
    table.ok(json!({"do": "comment", "node": 2, "text": "so\r\nso\u{0}"}));
    assert_eq!(table.state().line[1].comment, "so\nso");
    assert_eq!(table.refused(json!({"do": "comment", "node": 2, "text": "x".repeat(70_000)})), RefusalKind::Malformed);
    table.ok(json!({"do": "delete_branch", "node": 2}));
    assert_eq!((table.board().as_str(), table.state().line.len()), ("h8", 1));
    for name in ["goto", "delete_branch", "promote"] {
        assert_eq!(table.refused(json!({"do": name, "node": 2})), RefusalKind::Unknown, "{name}");
    }
    assert_eq!(table.refused(json!({"do": "delete_branch", "node": 0})), RefusalKind::NotNow);
    table.play("a1");
    assert_eq!(table.state().node, 4, "ids are not used again");
}

#[test]
fn nothing_begins_after_the_end_of_the_program() {
    let mut table = Table::new(against_engine());
    table.play("h8");
    table.ok(json!({"do": "bye"}));
    let end = &table.effects[table.effects.len() - 2..];
    assert_eq!(end, [Effect::Save, Effect::Quit]);
    table.wait(1_000);
    assert_eq!(table.open().count(), 0);
    assert_eq!(table.refused(json!({"do": "go"})), RefusalKind::NotNow);
    assert!(table.session.save().unwrap().spent_ms.is_some(), "the engine goes on with its turn next time");
}
