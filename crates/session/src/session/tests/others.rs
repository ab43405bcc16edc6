//! Other engines: their turns, faults, and second opinions.

use super::{Table, game};
use crate::job::{OtherMove, Task, WorkerMessage};
use crate::points::BoardPoints;
use crate::view::{EngineFault, Event, FaultKind, OpinionEvent, RefusalKind, State, Status};
use serde_json::{Value, json};
use std::time::Duration;
use tengen::board::{Point, Side};

fn declared() -> Table {
    let mut table = Table::bare();
    table.session.declare(vec!["Rapfi".to_owned(), "Other".to_owned()]);
    table
}

/// A game of a person with black against another engine; `more` changes its settings.
fn against(more: Value) -> Table {
    let mut settings = json!({"white": {"kind": "other", "name": "Rapfi"}});
    for (name, value) in more.as_object().expect("fields") {
        settings[name] = value.clone();
    }
    let mut table = declared();
    table.ok(game(settings));
    table
}

impl Table {
    /// The question to another engine that has not been cancelled.
    fn question(&self) -> Option<(u64, OtherMove)> {
        self.open().find_map(|job| match &job.task {
            Task::OtherMove(wanted) => Some((job.id, wanted.clone())),
            _ => None,
        })
    }

    fn answered(&mut self, job: u64, answer: Option<Result<(Point, Duration), EngineFault>>) {
        self.jobs.retain(|open| open.id != job);
        self.news(WorkerMessage::Answered { job, answer });
    }

    /// The other engine moves after a time.
    #[track_caller]
    fn other(&mut self, label: &str, ms: u64) {
        let (job, _) = self.question().expect("a question");
        let point = self.points(label)[0];
        self.answered(job, Some(Ok((point, Duration::from_millis(ms)))));
    }

    /// The other engine fails.
    #[track_caller]
    fn fails(&mut self, kind: FaultKind) {
        let (job, _) = self.question().expect("a question");
        let fault = EngineFault { engine: "Rapfi".to_owned(), kind, detail: "it failed".to_owned(), lines: Vec::new() };
        self.answered(job, Some(Err(fault)));
    }

    fn released(&self) -> usize {
        self.jobs.iter().filter(|job| job.task == Task::Release).count()
    }
}

fn fault(state: &State) -> Option<FaultKind> {
    state.fault.as_ref().map(|fault| fault.kind)
}

#[test]
fn only_declared_engines_can_be_chosen() {
    let mut table = declared();
    for name in ["", "rapfi", "/bin/sh", "cmd=/bin/sh"] {
        assert_eq!(table.refused(game(json!({"white": {"kind": "other", "name": name}}))), RefusalKind::Malformed);
    }
    assert_eq!(table.refused(json!({"do": "analysis", "on": true, "second": "/bin/sh"})), RefusalKind::Malformed);
    table.ok(game(json!({"white": {"kind": "other", "name": "Other"}})));
    assert_eq!(table.state().game.names.white, "Other");
}

#[test]
fn another_engine_answers_with_its_own_time() {
    let mut table = against(json!({"clock": {"kind": "game", "ms": 60_000, "increment_ms": 0}}));
    table.play("h8");
    let (_, wanted) = table.question().expect("a question");
    assert_eq!((wanted.engine, wanted.left), (0, Some(Duration::from_secs(60))));
    assert!(table.search().is_none(), "Tengen does not think");
    assert!(!table.state().can.go, "another engine cannot be hurried");
    table.wait(5_000);
    table.other("i9", 2_000);
    assert_eq!(table.board(), "h8i9");
    let clock = table.state().clock.expect("a clock");
    assert_eq!(clock.white_ms, 58_000, "the start of the process is not its time");
}

#[test]
fn a_fault_loses_no_game_and_the_engine_can_be_asked_again() {
    let mut table = against(json!({"clock": {"kind": "move", "ms": 1_000}}));
    table.play("h8");
    table.wait(60_000);
    assert_eq!(table.state().status, Status::Running, "the worker watches the time");
    table.fails(FaultKind::Late);
    let state = table.state();
    assert_eq!((fault(&state), state.paused, state.thinking.is_none()), (Some(FaultKind::Late), true, true));
    assert_eq!(table.released(), 1, "the process ends");
    let clock = state.clock.expect("a clock");
    assert_eq!((clock.white_ms, clock.running), (1_000, None), "the turn begins again");
    table.wait(60_000);
    assert_eq!(table.state().status, Status::Running);
    table.cmd("go");
    assert_eq!(fault(&table.state()), None);
    table.other("i9", 500);
    assert_eq!(table.board(), "h8i9");
}

#[test]
fn tengen_or_a_person_goes_on_after_a_fault() {
    let mut table = against(json!({}));
    table.play("h8");
    table.fails(FaultKind::Crash);
    table.cmd("substitute");
    let state = table.state();
    assert_eq!((fault(&state), state.game.names.white.as_str()), (None, "Tengen"));
    table.engine("i9");
    assert_eq!(table.board(), "h8i9");
    assert_eq!(table.refused(json!({"do": "substitute"})), RefusalKind::NotNow);
    let mut table = against(json!({}));
    table.play("h8");
    table.fails(FaultKind::Hang);
    table.play("i9");
    assert_eq!((table.board().as_str(), fault(&table.state())), ("h8i9", None));
}

#[test]
fn a_move_that_cannot_be_played_is_a_fault() {
    let mut table = against(json!({}));
    table.play("h8");
    table.other("h8", 1);
    assert_eq!((table.board().as_str(), fault(&table.state())), ("h8", Some(FaultKind::Illegal)));
    // A double three.
    let stone = |at: &str, side: &str| json!({"at": at, "side": side});
    let black = ["i8", "j8", "h9", "h10"].map(|at| stone(at, "black"));
    let white = ["a1", "a3", "a5", "a7"].map(|at| stone(at, "white"));
    let stones = [black, white].concat();
    let start = json!({"stones": stones, "to_move": "black"});
    let rapfi = json!({"kind": "other", "name": "Rapfi"});
    let mut table = against(json!({"rule": "renju", "black": rapfi, "white": {"kind": "person"}, "start": start}));
    table.wait(1);
    table.other("h8", 1);
    assert_eq!(fault(&table.state()), Some(FaultKind::Forbidden));
}

#[test]
fn undo_and_browsing_cancel_a_question() {
    let mut table = against(json!({}));
    table.play("h8");
    table.other("i9", 1);
    table.play("j10");
    let (job, _) = table.question().expect("a question");
    table.cmd("undo");
    assert!(table.question().is_none() && table.cancelled.contains(&job));
    table.answered(job, Some(Ok((Point::at(0, 0), Duration::ZERO))));
    assert_eq!(table.board(), "h8i9", "a late answer is dropped");
    table.play("g7");
    let (_, wanted) = table.question().expect("a question about the branch");
    assert_eq!(wanted.setup.stones.len(), 3);
    table.fails(FaultKind::Crash);
    table.cmd("undo");
    assert_eq!(fault(&table.state()), None, "it belonged to the other position");
}

#[test]
fn the_process_ends_with_the_game() {
    let mut table = against(json!({}));
    table.play("h8");
    table.other("i9", 1);
    assert_eq!(table.released(), 0);
    table.cmd("resign");
    assert_eq!(table.released(), 1);
}

#[test]
fn two_engines_play_and_are_stopped() {
    let mut table = declared();
    table.ok(game(json!({"black": {"kind": "other", "name": "Rapfi"}, "white": {"kind": "other", "name": "Other"}})));
    for (at, engine) in [("h8", 0), ("i9", 1), ("j10", 0)] {
        table.wait(1_000);
        assert_eq!(table.question().expect("a question").1.engine, engine);
        table.other(at, 10);
    }
    table.wait(1_000);
    table.ok(json!({"do": "pause", "on": true}));
    assert!(table.question().is_none());
    table.ok(json!({"do": "pause", "on": false}));
    table.fails(FaultKind::Crash);
    table.wait(10_000);
    assert!(table.question().is_none() && table.state().paused);
    table.cmd("substitute");
    assert!(table.search().is_some(), "Tengen plays on for the one");
    table.engine("k11");
    table.wait(1_000);
    assert_eq!(table.question().expect("the other stays").1.engine, 0);
}

#[test]
fn tengen_answers_for_another_engine_in_an_opening() {
    let mut table =
        against(json!({"opening": "swap2", "black": {"kind": "other", "name": "Rapfi"}, "white": {"kind": "person"}}));
    assert!(table.question().is_none());
    table.engine("h8i9g10");
    table.ok(json!({"do": "opening", "choice": "stay"}));
    table.wait(1);
    assert_eq!(table.board().len(), "h8i9g10".len());
    assert!(table.question().is_none(), "white is to move");
    table.play("j6");
    assert!(table.question().is_some());
}

#[test]
fn a_saved_game_with_an_unknown_engine_goes_on_with_tengen() {
    let mut table = against(json!({}));
    table.play("h8");
    table.other("i9", 1);
    let saved = table.session.save().expect("moves");
    let mut later = Table::bare();
    later.session.restore(saved, later.now).expect("it can be read");
    later.carry_out();
    assert_eq!(later.state().game.names.white, "Tengen");
    assert!(later.said().contains(&"engine_missing"));
}

fn opinion(table: &Table) -> Option<(u64, u32, usize, Side)> {
    table.open().find_map(|job| match &job.task {
        Task::Opinion { node, engine, setup, .. } => Some((job.id, *node, *engine, setup.to_move)),
        _ => None,
    })
}

#[test]
fn a_second_opinion_follows_the_shown_position() {
    let mut table = declared();
    table.ok(game(json!({"study": true})));
    table.ok(json!({"do": "analysis", "second": "Other"}));
    assert!(opinion(&table).is_none(), "analysis is off");
    table.ok(json!({"do": "analysis", "on": true}));
    let (job, node, engine, _) = opinion(&table).expect("a job");
    assert_eq!((node, engine), (0, 1));
    let told = |done| OpinionEvent {
        node: 0,
        engine: "Other".to_owned(),
        depth: Some(3),
        nodes: None,
        eval: Some(7),
        win: None,
        moves: BoardPoints::none(tengen::board::BoardSize::RENJU),
        answer: None,
        text: Vec::new(),
        ms: 1,
        done,
        fault: None,
    };
    table.news(WorkerMessage::Event { job, last: false, event: Event::Opinion(told(false)) });
    table.news(WorkerMessage::Event { job, last: true, event: Event::Opinion(told(true)) });
    let sent = table.effects.iter().filter(|effect| matches!(effect, super::Effect::Send(Event::Opinion(_)))).count();
    assert_eq!((sent, opinion(&table)), (2, None), "it ends by itself");
    table.play("h8");
    let (job, node, ..) = opinion(&table).expect("the next position");
    assert_eq!(node, table.state().node);
    table.ok(json!({"do": "analysis", "threat": true}));
    assert!(table.cancelled.contains(&job));
    assert_eq!(opinion(&table).expect("the other side").3, Side::Black);
    let before = table.released();
    table.ok(json!({"do": "analysis", "on": false}));
    assert!(opinion(&table).is_none() && table.released() > before);
}

#[test]
fn a_second_opinion_waits_for_the_opponent() {
    let mut table = against(json!({}));
    table.ok(json!({"do": "analysis", "on": true, "second": "Rapfi"}));
    assert!(opinion(&table).is_some());
    table.play("h8");
    assert!(opinion(&table).is_none() && table.question().is_some());
    table.other("i9", 1);
    assert!(opinion(&table).is_some());
}
