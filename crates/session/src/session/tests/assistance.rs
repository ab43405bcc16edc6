//! Hints, live analysis, proofs, judgements, balance, reviews, warnings.

use super::*;
use crate::points::BoardPoint;
use crate::view::{self, AnalysisEvent, HintEvent, PvLine, ReviewEvent, ReviewState, TriedEvent};
use tengen::board::parse_point;
use tengen_analysis::review::Judgement;
use tengen_record::Value as Evaluation;

const SIZE: BoardSize = BoardSize::RENJU;

fn value(depth: u32) -> Evaluation {
    Evaluation { win_rate: 0.6, score: Some(80), depth, nodes: 9, ..Evaluation::default() }
}

fn point(label: &str) -> Point {
    parse_point(SIZE, label).expect("a point")
}

fn line(depth: u32) -> PvLine {
    PvLine { value: value(depth), loss: 0.0, moves: BoardPoints::new(SIZE, [point("a1")]) }
}

fn analysis_of(node: u32, depth: u32, done: bool) -> Event {
    let lines = vec![line(depth)];
    let (seldepth, nodes, nps, ms) = (depth, 9, 9, 9);
    Event::Analysis(AnalysisEvent {
        node,
        depth,
        seldepth,
        nodes,
        nps,
        ms,
        done,
        lines,
        roots: Vec::new(),
        book: None,
        stored: false,
    })
}

/// Node and job of the live analysis.
fn analysis(table: &Table) -> Option<(u32, u64)> {
    let mut running = table.open().filter_map(|job| match job.task {
        Task::Analysis { node, .. } => Some((node, job.id)),
        _ => None,
    });
    let first = running.next();
    assert!(running.next().is_none(), "one analysis at a time");
    first
}

fn watching(more: Value) -> Table {
    let mut table = Table::new(more);
    table.ok(json!({"do": "analysis", "on": true, "lines": 3}));
    table
}

#[test]
fn analysis_follows_the_shown_node_and_leaves_the_engine_to_its_move() {
    let mut table = watching(against_engine());
    let (node, first) = analysis(&table).unwrap();
    assert_eq!(node, 0);
    table.play("h8");
    assert_eq!(analysis(&table), None, "the engine thinks");
    assert!(table.cancelled.contains(&first));
    table.engine("i9");
    assert_eq!(analysis(&table).unwrap().0, 2);
    table.ok(json!({"do": "goto", "node": 1}));
    let (node, job) = analysis(&table).unwrap();
    assert_eq!(node, 1);
    // Events of the previous node are dropped.
    let before = table.effects.len();
    table.news(WorkerMessage::Event { job: first, last: true, event: analysis_of(0, 9, true) });
    assert_eq!((table.effects.len(), table.state().line[0].value.clone()), (before, None));
    table.news(WorkerMessage::Event { job, last: false, event: analysis_of(1, 9, false) });
    assert_eq!(table.state().line[0].value, Some(value(9)));
    // Analysis that has ended by itself does not start again until something changes.
    table.news(WorkerMessage::Event { job, last: true, event: analysis_of(1, 12, true) });
    table.wait(1_000);
    assert_eq!(analysis(&table), None);
    table.ok(json!({"do": "analysis", "lines": 2}));
    assert!(analysis(&table).is_some_and(|(node, _)| node == 1));
    table.ok(json!({"do": "analysis", "on": false}));
    assert_eq!((analysis(&table), table.state().analysis.lines), (None, 2));
}

#[test]
fn analysis_news_do_not_make_commands_stale() {
    let mut table = watching(json!({}));
    let rev = table.session.rev();
    let (_, job) = analysis(&table).unwrap();
    table.news(WorkerMessage::Event { job, last: false, event: analysis_of(0, 9, false) });
    assert_eq!(table.session.rev(), rev);
    assert!(matches!(table.effects.last(), Some(Effect::Send(Event::Analysis(_)))));
}

#[test]
fn analysis_of_threats_and_of_other_moves() {
    let mut table = watching(json!({}));
    table.play("h8");
    table.ok(json!({"do": "analysis", "threat": true, "avoid": ["i9"]}));
    let job = table.job(|task| matches!(task, Task::Analysis { .. }));
    let Task::Analysis { setup, avoid, lines, .. } = job.task else { panic!() };
    assert_eq!((setup.to_move, avoid, lines), (Side::Black, table.points("i9"), 3));
    table.news(WorkerMessage::Event { job: job.id, last: false, event: analysis_of(1, 9, false) });
    assert_eq!(table.state().line[0].value, None, "this is not what the position is worth");
    table.play("i9");
    assert!(table.state().analysis.avoid.is_empty(), "moves to avoid belong to a position");
    for bad in [json!({"lines": 0}), json!({"lines": 11}), json!({"avoid": ["zz"]})] {
        let mut body = bad;
        body["do"] = json!("analysis");
        assert_eq!(table.refused(body), RefusalKind::Malformed);
    }
}

#[test]
fn a_hint_comes_before_analysis_and_is_given_up_by_a_move() {
    let mut table = watching(against_engine());
    let job = table.ok(json!({"do": "hint"})).job.unwrap();
    assert_eq!((analysis(&table), table.state().thinking.map(|thinking| thinking.job)), (None, Some(job)));
    let hint = |job| Event::Hint(HintEvent { job, node: 0, line: Some(line(7)) });
    table.news(WorkerMessage::Event { job, last: true, event: hint(job) });
    assert!(table.effects.contains(&Effect::Send(hint(job))));
    assert_eq!((analysis(&table).is_some(), table.state().thinking), (true, None));
    let job = table.ok(json!({"do": "hint"})).job.unwrap();
    table.play("h8");
    assert!(table.cancelled.contains(&job));
    // Its end is sent nevertheless: a client may wait for it.
    table.news(WorkerMessage::Event { job, last: true, event: hint(job) });
    assert!(table.effects.contains(&Effect::Send(hint(job))));
    table.news(WorkerMessage::Event { job, last: true, event: hint(job) });
    assert_eq!(table.effects.iter().filter(|effect| **effect == Effect::Send(hint(job))).count(), 1);
    assert_eq!(table.refused(json!({"do": "hint"})), RefusalKind::NotNow);
}

/// The game can go on after any failure.
#[test]
fn a_fault_of_the_engine_is_told_and_leaves_nothing_open() {
    let mut table = watching(against_engine());
    let job = analysis(&table).unwrap().1;
    table.news(WorkerMessage::Failed { job });
    table.wait(1_000);
    assert!(table.said().contains(&"failed") && analysis(&table).is_none(), "it does not begin again");
    let job = table.ok(json!({"do": "hint"})).job.unwrap();
    table.news(WorkerMessage::Failed { job });
    assert_eq!(table.state().thinking, None);
    table.play("h8");
    let job = table.search().expect("the engine thinks").id;
    table.effects.clear();
    table.news(WorkerMessage::Failed { job });
    assert!(table.said().contains(&"failed") && table.state().thinking.is_none(), "it waits to be told to move");
    let rev = table.session.rev();
    table.news(WorkerMessage::Failed { job });
    assert_eq!(table.session.rev(), rev, "nobody waits for it any more");
}

#[test]
fn help_that_was_not_agreed_is_refused_while_the_game_runs() {
    let mut table = Table::new(json!({"assist": {"hints": false}}));
    table.play("h8");
    let questions = [
        json!({"do": "hint"}),
        json!({"do": "analysis", "on": true}),
        json!({"do": "prove", "node": 1}),
        json!({"do": "try", "node": 1, "at": "i9"}),
        json!({"do": "balance", "moves": 1}),
        json!({"do": "review"}),
    ];
    for body in &questions {
        assert_eq!(table.refused(body.clone()), RefusalKind::NotNow, "{body}");
    }
    assert!(!table.state().can.hint);
    table.cmd("resign");
    table.ok(json!({"do": "goto", "node": 0}));
    for body in &questions {
        if body["node"] == json!(null) {
            table.ok(body.clone());
        }
    }
    // Analysis does not continue into such a game either.
    table.ok(game(json!({"assist": {"hints": false}})));
    assert_eq!((analysis(&table), table.state().analysis.on), (None, false));
}

#[test]
fn proofs_of_any_node_with_moves_tried() {
    let mut table = Table::new(json!({"rule": "renju"}));
    table.moves("h8i9");
    let job = table.ok(json!({"do": "prove", "node": 1, "after": ["j10", "k11"], "means": "fours"})).job.unwrap();
    let Task::Prove { node, setup, after, attacker, .. } = table.job(|task| matches!(task, Task::Prove { .. })).task
    else {
        panic!()
    };
    assert_eq!((node, setup.stones.len(), after, attacker), (1, 1, table.points("j10k11"), Side::White));
    for (body, kind) in [
        (json!({"node": 9}), RefusalKind::Unknown),
        (json!({"node": 1, "after": ["h8"]}), RefusalKind::Occupied),
        (json!({"node": 1, "after": ["q"]}), RefusalKind::Malformed),
    ] {
        let mut body = body;
        body["do"] = json!("prove");
        assert_eq!(table.refused(body), kind);
    }
    table.ok(json!({"do": "cancel", "job": job}));
    assert!(table.cancelled.contains(&job));
    assert_eq!(table.refused(json!({"do": "cancel", "job": job})), RefusalKind::Unknown);
    for _ in 0..8 {
        table.ok(json!({"do": "prove", "node": 1}));
    }
    assert_eq!(table.refused(json!({"do": "prove", "node": 1})), RefusalKind::NotNow, "enough");
}

#[test]
fn judgements_of_moves_not_played() {
    let mut table = Table::new(json!({"rule": "renju"}));
    table.moves("h8a1i8a2j9a4j10a5");
    let job = table.ok(json!({"do": "try", "node": 8, "at": "k8"})).job.unwrap();
    assert!(table.open().any(|open| open.id == job));
    assert_eq!(table.refused(json!({"do": "try", "node": 8, "at": "j8"})), RefusalKind::Forbidden);
    assert_eq!(table.refused(json!({"do": "try", "node": 8, "at": "h8"})), RefusalKind::Occupied);
    assert_eq!(table.refused(json!({"do": "try", "node": 99, "at": "h8"})), RefusalKind::Unknown);
    assert_eq!(table.refused(json!({"do": "balance", "moves": 3})), RefusalKind::Malformed);
    table.ok(json!({"do": "balance", "moves": 2}));
}

fn tried(job: u64, at: &str, loss: f64, loses: bool, hopeless: bool) -> Event {
    let lost = Evaluation { mate: Some((Side::White, 9)), win_rate: 0.0, score: None, ..value(9) };
    let best = if hopeless { lost.clone() } else { value(9) };
    let value = if loses { lost } else { value(9) };
    let at = BoardPoint::new(SIZE, point(at));
    let (line, reply) = (BoardPoints::none(SIZE), BoardPoints::none(SIZE));
    let loss = Some(loss);
    Event::Tried(TriedEvent { job, node: 0, at, best, value, loss, grade: None, right: false, line, reply })
}

fn warned_game(more: Value) -> Table {
    let mut assist = json!({"warn": true});
    for (name, value) in more.as_object().expect("fields") {
        assist[name] = value.clone();
    }
    Table::new(json!({"white": {"kind": "engine"}, "assist": assist}))
}

/// Moves with a warning: the move, the points lost, and whether it can be taken back.
fn warnings(table: &Table) -> Vec<(String, f64, bool)> {
    let told = table.effects.iter().filter_map(|effect| match effect {
        Effect::Send(Event::Warned(view::Warned { at, loss, undo, .. })) => Some((at.to_string(), 100.0 * loss, *undo)),
        _ => None,
    });
    told.collect()
}

fn judgement(table: &Table) -> u64 {
    table.job(|task| matches!(task, Task::Try { .. })).id
}

#[test]
fn a_losing_move_is_made_and_told() {
    for (loss, loses, hopeless, from, told) in [
        (0.81, false, false, 20, true),
        (0.20, false, false, 20, true),
        (0.19, false, false, 20, false),
        (0.19, false, false, 10, true),
        (0.81, false, false, 90, false),
        // A move in a position that was almost lost gets no warning.
        (0.03, true, false, 20, false),
        (0.97, true, false, 90, true),
        (0.0, true, true, 20, false),
    ] {
        let mut table = warned_game(json!({"warn_from": from}));
        table.play("h8");
        let job = judgement(&table);
        assert!(table.search().is_none() && table.state().judging, "the engine waits a moment");
        table.news(WorkerMessage::Event { job, last: true, event: tried(job, "h8", loss, loses, hopeless) });
        let expected = if told { vec![("h8".to_owned(), 100.0 * loss, true)] } else { Vec::new() };
        assert_eq!(warnings(&table), expected, "{loss} from {from}");
        assert!(table.search().is_some() && !table.state().judging);
        assert_eq!(table.board(), "h8");
    }
    assert_eq!(table_refuses(json!({"warn_from": 0})), RefusalKind::Malformed);
    assert_eq!(table_refuses(json!({"warn_from": 101})), RefusalKind::Malformed);
}

fn table_refuses(assist: Value) -> RefusalKind {
    Table::bare().refused(game(json!({"assist": assist})))
}

/// The engine's wait is limited. A late warning is still shown: the move can still be taken back.
#[test]
fn a_late_warning_is_told_too() {
    let mut table = warned_game(json!({}));
    table.play("h8");
    let job = judgement(&table);
    table.now = table.session.deadline().unwrap();
    table.wait(0);
    assert!(table.search().is_some() && !table.cancelled.contains(&job));
    table.engine("i9");
    table.news(WorkerMessage::Event { job, last: true, event: tried(job, "h8", 0.5, false, false) });
    assert_eq!(warnings(&table), [("h8".to_owned(), 50.0, true)]);
    table.cmd("undo");
    assert_eq!(table.board(), "");
    // No warning after another move or after undo. Where moves may not be taken back, the warning does not offer it.
    for (assist, after, told) in [
        (json!({}), json!({"do": "move", "at": "a1"}), vec![]),
        (json!({}), json!({"do": "undo"}), vec![]),
        (json!({}), json!({"do": "resign"}), vec![]),
        (json!({"undo": false}), json!(null), vec![("h8".to_owned(), 50.0, false)]),
    ] {
        let mut table = warned_game(assist);
        table.play("h8");
        let job = judgement(&table);
        table.now = table.session.deadline().unwrap();
        table.wait(0);
        table.engine("i9");
        if !after.is_null() {
            table.ok(after.clone());
            assert!(table.cancelled.contains(&job));
        }
        table.news(WorkerMessage::Event { job, last: true, event: tried(job, "h8", 0.5, false, false) });
        assert_eq!(warnings(&table), told, "{after}");
    }
}

/// For each move of the line, whether its value is shown.
fn values(table: &Table) -> Vec<bool> {
    let state = table.state();
    assert_eq!(state.opinion, table.session.shows_values());
    state.line.iter().map(|node| node.value.is_some()).collect()
}

#[test]
fn the_engines_opinion_is_told_when_asked_for_or_when_the_game_is_over() {
    let mut table = Table::new(json!({"white": {"kind": "engine", "level": 3}, "assist": {"warn": true}}));
    table.play("h8");
    let job = judgement(&table);
    table.news(WorkerMessage::Event { job, last: true, event: tried(job, "h8", 0.1, false, false) });
    table.engine("i9");
    assert_eq!(values(&table), [false, false], "neither of its search nor of the judgement");
    assert!(
        table
            .session
            .record()
            .tree
            .ids()
            .any(|id| { table.session.record().tree.get(id).is_some_and(|node| node.value.is_some()) })
    );
    // A hint is an answer of its own. It stores no value that everybody sees.
    let job = table.ok(json!({"do": "hint"})).job.unwrap();
    let event = Event::Hint(HintEvent { job, node: 2, line: Some(line(7)) });
    table.news(WorkerMessage::Event { job, last: true, event: event.clone() });
    assert!(table.effects.contains(&Effect::Send(event)));
    assert_eq!(values(&table), [false, false]);
    // Switching analysis on shows values; after it is switched off the game continues without them.
    table.ok(json!({"do": "analysis", "on": true}));
    assert_eq!(values(&table), [false, true]);
    table.ok(json!({"do": "analysis", "on": false}));
    assert_eq!(values(&table), [false, false]);
    // Browsing and taking back change nothing.
    table.cmd("undo");
    assert_eq!(values(&table), [false, false]);
    table.cmd("redo");
    table.ok(json!({"do": "goto", "node": 1}));
    assert_eq!(values(&table), [false, false]);
    table.ok(json!({"do": "goto", "node": 2}));
    // At the end all values are shown, also of earlier positions. If the game continues from one of them, none are.
    table.cmd("resign");
    assert_eq!(values(&table), [false, true]);
    table.ok(json!({"do": "goto", "node": 1}));
    assert_eq!(values(&table), [false, true]);
    table.cmd("undo");
    assert_eq!(values(&table), [false, true]);
    table.play("a1");
    assert_eq!(values(&table), [false]);
    // Analysis of another game does not continue into a game against the engine.
    table.ok(json!({"do": "analysis", "on": true}));
    table.ok(game(against_engine()));
    assert!(!table.state().analysis.on && !table.state().opinion);
}

#[test]
fn who_looks_on_or_studies_sees_values() {
    let mut engines = Table::new(engines());
    engines.engine("h8");
    assert_eq!(values(&engines), [true]);
    let mut study = watching(json!({}));
    study.play("h8");
    let (_, job) = analysis(&study).unwrap();
    study.news(WorkerMessage::Event { job, last: false, event: analysis_of(1, 9, false) });
    study.ok(json!({"do": "analysis", "on": false}));
    assert_eq!(values(&study), [true], "what analysis found stays");
    // Two persons without help may let the engine move, but see no values.
    let mut alone = Table::new(json!({"assist": {"hints": false}}));
    alone.cmd("go");
    alone.engine("h8");
    assert_eq!(values(&alone), [false]);
    alone.cmd("resign");
    assert_eq!(values(&alone), [true]);
}

/// The value after the winning move reports a game that is won, not a win to come.
#[test]
fn the_end_of_a_game_is_a_value() {
    let mut table = Table::new(json!({}));
    table.moves("h8a1i8a15j8o1g8o15k8");
    let won = table.state().line[8].value.clone().expect("a value");
    assert_eq!((won.mate, won.win_rate), (Some((Side::Black, 0)), 1.0));
    assert!(table.state().line[7].value.is_none());
}

#[test]
fn a_review_covers_the_shown_line_and_leaves_values() {
    let mut table = Table::new(json!({"opening": "swap2"}));
    table.moves("h8i9h9");
    table.ok(json!({"do": "opening", "choice": "swap"}));
    table.moves("j10k11");
    table.ok(json!({"do": "goto", "node": 2}));
    assert_eq!(table.refused(json!({"do": "review", "nodes": 1})), RefusalKind::Malformed);
    let job = table.ok(json!({"do": "review", "nodes": 5_000})).job.unwrap();
    let Task::Review { nodes, played, limits, .. } = table.job(|task| matches!(task, Task::Review { .. })).task else {
        panic!()
    };
    assert_eq!(nodes, [0, 1, 2, 3, 5, 6], "stones, not answers");
    assert_eq!((played.setup.stones.len(), played.first, limits.nodes), (5, 0, Some(5_000)));
    assert_eq!(table.state().review, Some(job));
    let move_review = view::MoveReview {
        node: 5,
        number: 4,
        size: SIZE,
        judged: Judgement {
            number: 4,
            side: Side::White,
            point: point("j10"),
            before: Score::units(90),
            after: Score::units(80),
            loss: 0.0,
            grade: None,
            missed_win: false,
            allowed_win: false,
            better: None,
            reply: Vec::new(),
        },
    };
    let review = |state| {
        let (nodes, moves) = (nodes.clone(), vec![move_review.clone()]);
        Event::Review(ReviewEvent {
            job,
            game: 1,
            nodes,
            done: 5,
            total: 6,
            state,
            moves,
            win_rates: Vec::new(),
            sums: None,
        })
    };
    table.news(WorkerMessage::Event { job, last: false, event: review(ReviewState::Running) });
    assert!(table.state().line[4].value.is_none(), "it may still be revised");
    table.news(WorkerMessage::Event { job, last: true, event: review(ReviewState::Done) });
    assert_eq!(table.state().line[4].value.as_ref().and_then(|value| value.score), Some(-80));
    table.ok(json!({"do": "review"}));
    assert_ne!(table.state().review, Some(job));
    table.ok(game(json!({})));
    assert_eq!((table.state().review, table.open().count()), (None, 0));
    assert_eq!(table.refused(json!({"do": "review"})), RefusalKind::NotNow);
}

#[test]
fn settings_reach_the_host() {
    let mut table = Table::new(json!({}));
    table.ok(json!({"do": "settings", "threads": 2}));
    let settings = Settings { threads: 2, processors: 4, hash_mb: 64 };
    assert!(table.effects.contains(&Effect::Configure(settings)));
    for bad in [json!({"threads": 0}), json!({"threads": 5}), json!({"hash_mb": 0}), json!({"hash_mb": u64::MAX})] {
        let mut body = bad;
        body["do"] = json!("settings");
        assert_eq!(table.refused(body), RefusalKind::Malformed);
    }
    assert_eq!(table.state().settings, settings);
}
