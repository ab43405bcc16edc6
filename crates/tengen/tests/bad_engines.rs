//! Deliberately bad engines: each must lose for the right reason, and the run must continue.
//!
//! This is a separate test program: the engines have 200 ms for a move, and the tests measure how late an answer is.

mod arena;
#[path = "../../../tests/support/engine.rs"]
mod engine;

use arena::{engine, gauntlet, play};
use tengen_engines::fault::FaultKind;
use tengen_engines::spec::EngineLimits;
use tengen_workbench::matches::record::GameRecord;
use tengen_workbench::matches::referee::End;
use tengen_workbench::matches::settings::{Agreement, MatchSpec};

const OPENING: [(u8, u8); 3] = [(7, 7), (8, 8), (3, 11)];

/// The fault that lost a game: the engine at fault, the kind and the detail.
fn lost(game: &GameRecord) -> Option<(usize, FaultKind, &str)> {
    game.faults.iter().find(|f| f.lost).map(|f| (f.engine, f.fault.kind, f.fault.detail.as_str()))
}

/// One good engine plays two games against each bad one, all in one run, four games at a time.
#[test]
fn each_loses_for_the_right_reason_and_the_run_goes_on() {
    let cases: &[(&[&str], FaultKind, &str)] = &[
        (&["late", "--after", "2"], FaultKind::Late, "answered after 4"),
        (&["silent", "--after", "1"], FaultKind::Hang, "gave no answer"),
        (&["crash", "--after", "1"], FaultKind::Crash, "ended by itself"),
        (&["exit"], FaultKind::Crash, "3"),
        (&["crash-between", "--after", "1"], FaultKind::Crash, "ended by itself (exit"),
        (&["crash-after", "--after", "1"], FaultKind::Crash, "ended by itself (exit"),
        (&["illegal"], FaultKind::Illegal, "is taken"),
        (&["off-board"], FaultKind::Illegal, "off the board"),
        (&["far-off-board"], FaultKind::Illegal, "off the board"),
        (&["two-moves", "--after", "2"], FaultKind::Protocol, "unrequested line"),
        (&["error"], FaultKind::Protocol, "error"),
        (&["prose"], FaultKind::Protocol, "something else than a move"),
        (&["flood"], FaultKind::Protocol, "flooded"),
        (&["endless"], FaultKind::Protocol, "without line ends"),
        (&["no-line-end"], FaultKind::Protocol, "did not end its line"),
        (&["spawn"], FaultKind::Hang, "gave no answer"),
        (&["spawn", "--after", "1"], FaultKind::Hang, "gave no answer"),
        (&["orphan"], FaultKind::Hang, "gave no answer"),
        (&["hog"], FaultKind::Memory, "MiB in memory, 100.0 allowed"),
        (&["start-error"], FaultKind::Start, "did not answer START with OK"),
        (&["start-silent"], FaultKind::Start, "gave no answer"),
        (&["start-crash"], FaultKind::Crash, "ended by itself"),
    ];
    let pids = arena::folder("bad").join("pids");
    let pids_text = pids.to_str().expect("a path");
    let mut engines = vec![engine("good", &["--pids", pids_text])];
    for (i, (args, ..)) in cases.iter().enumerate() {
        let args: Vec<&str> = args.iter().copied().chain(["--pids", pids_text]).collect();
        let mut bad = engine(&format!("{i} {}", args[0]), &args);
        if args[0] == "hog" {
            // A busy machine needs a while to touch all pages of the memory.
            bad.limits.turn_ms = Some(10_000);
        }
        engines.push(bad);
    }
    let mut missing = engine("missing", &[]);
    missing.cmd = "/nowhere/no-such-engine".into();
    engines.push(missing);
    let games = play(&gauntlet(engines, 0, vec![OPENING.to_vec()]));
    assert_eq!(games.len(), 2 * (cases.len() + 1));
    for game in &games {
        let bad = game.black.max(game.white);
        let (kind, detail) =
            cases.get(bad - 1).map_or((FaultKind::Start, "could not be started"), |(_, kind, detail)| (*kind, *detail));
        assert_eq!(game.winner, Some(0), "game {} {:?}", game.game, game.faults);
        assert_eq!(game.end, End::Fault);
        let (engine, found, text) = lost(game).expect("a fault");
        assert_eq!((engine, found), (bad, kind), "{text}");
        if kind == FaultKind::Memory && cfg!(not(target_os = "linux")) {
            continue;
        }
        assert!(text.contains(detail), "{kind}: {text:?} does not say {detail:?}");
        assert!(game.faults.iter().all(|f| f.engine != 0), "the good engine is blamed: {:?}", game.faults);
    }
    let silent = games.iter().find(|g| g.black.max(g.white) == 12).expect("the prose");
    assert_eq!(silent.faults[0].fault.lines, ["I move to the centre"], "the offending line is shown");
    #[cfg(target_os = "linux")]
    assert_eq!(arena::survivors(&pids), [] as [u32; 0], "processes outlived the run");
}

/// On request the referee ignores lines that the protocol does not define; an engine that sends nothing else exceeds
/// its time.
#[test]
fn lenience_passes_over_unknown_lines() {
    let mut prose = engine("prose", &["prose"]);
    prose.lenient = true;
    for game in play(&gauntlet(vec![engine("good", &[]), prose], 0, vec![OPENING.to_vec()])) {
        assert_eq!(lost(&game).map(|(engine, kind, _)| (engine, kind)), Some((1, FaultKind::Hang)));
    }
}

/// A foul loses for black in renju. It is legal for white, and for black under other rules.
#[test]
fn forbidden_moves_lose_in_renju_only() {
    // Black to move; (7,7) makes two open threes.
    let opening = vec![(5, 7), (0, 0), (6, 7), (14, 14), (7, 5), (0, 14), (7, 6), (14, 0)];
    let engines = || vec![engine("good", &[]), engine("foul", &["play:7,7"])];
    let games = play(&gauntlet(engines(), 4, vec![opening.clone()]));
    let foul = games.iter().find(|g| g.black == 1).expect("a game with black");
    assert_eq!((foul.winner, foul.end), (Some(0), End::Foul));
    let (engine, kind, detail) = lost(foul).expect("a fault");
    assert_eq!((engine, kind), (1, FaultKind::Forbidden), "{detail}");
    assert_eq!(foul.moves.len(), 1, "the foul stands in the record");
    for game in play(&gauntlet(engines(), 0, vec![opening])) {
        assert!(lost(&game).is_none_or(|(_, kind, _)| kind != FaultKind::Forbidden));
    }
}

/// An engine that ignores END and the end of its input is killed after the match.
#[test]
#[cfg(target_os = "linux")]
fn an_engine_that_never_exits_is_killed() {
    let pids = arena::folder("never").join("pids");
    let path = pids.to_str().expect("a path");
    let engines = vec![engine("good", &[]), engine("stays", &["never-exits", "--pids", path])];
    let games = play(&gauntlet(engines, 0, vec![OPENING.to_vec()]));
    assert!(games.iter().all(|g| g.end == End::Row && g.faults.is_empty()));
    assert_eq!(arena::survivors(&pids), [] as [u32; 0]);
}

/// Good engines play whole games without a fault: all rules, several boards, every kind of time control.
#[test]
fn good_engines_play_without_faults() {
    for (rule, width, height) in [(0, 5, 5), (1, 15, 15), (4, 15, 15), (8, 20, 12), (9, 25, 25)] {
        let mut engines = vec![engine("a", &[]), engine("b", &[])];
        engines[1].limits = EngineLimits { match_ms: Some(20_000), increment_ms: 10, ..EngineLimits::default() };
        engines[1].restart = true;
        let mut spec = gauntlet(engines, rule, Vec::new());
        (spec.events[0].width, spec.events[0].height) = (width, height);
        let games = play(&spec);
        for game in &games {
            let fouls = |f: &tengen_workbench::matches::record::FaultRecord| f.fault.kind == FaultKind::Forbidden;
            assert!(game.faults.iter().all(fouls), "{:?}", game.faults);
            assert!(matches!(game.end, End::Row | End::Full | End::Foul), "{:?}", game.end);
            let first = game.moves.first().expect("a move");
            assert_eq!((first.note.depth, first.note.eval, first.note.nodes), (Some(2), Some(7), Some(225)));
        }
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].black, games[1].black), (0, 1));
    }
}

/// Swap2: every path of the dialogue assigns the right colours.
#[test]
fn swap2_decides_colours() {
    // (opener's choice after five, other's choice after three, colour of the opener, stones before the game)
    let cases = [
        ("", "", "white", 3),
        ("", "swap2-one", "black", 4),
        ("", "swap2-two", "black", 5),
        ("swap2-stay", "swap2-two", "white", 6),
    ];
    for (opener, other, colour, stones) in cases {
        let mut spec = gauntlet(vec![engine("opener", &[opener]), engine("other", &[other])], 1, Vec::new());
        spec.events[0].swap2 = true;
        let game = &play(&spec)[0];
        assert!(game.faults.is_empty(), "{:?}", game.faults);
        assert_eq!(game.opening.len(), stones, "{opener} {other}");
        assert_eq!(if game.black == 0 { "black" } else { "white" }, colour, "{opener} {other}");
    }
    let mut spec = gauntlet(vec![engine("good", &[]), engine("bad", &["swap2-bad"])], 1, Vec::new());
    spec.events[0].swap2 = true;
    let games = play(&spec);
    assert_eq!(lost(&games[1]).map(|(e, k, _)| (e, k)), Some((1, FaultKind::Protocol)));
}

/// Adjudication is off by default, and requires both engines to agree.
#[test]
fn adjudication_needs_agreement() {
    let spec = gauntlet(vec![engine("a", &[]), engine("b", &[])], 0, vec![OPENING.to_vec()]);
    let with = |change: &dyn Fn(&mut MatchSpec)| {
        let mut spec = spec.clone();
        change(&mut spec);
        play(&spec)
    };
    assert!(with(&|_| {}).iter().all(|g| g.end == End::Row));
    // Both always report 7: never lost, never within 6, always within 7.
    let rule = |score| Some(Agreement { moves: 2, score, from: 6 });
    assert!(with(&|s| s.adjudication.resign = rule(5)).iter().all(|g| g.end == End::Row));
    assert!(with(&|s| s.adjudication.draw = rule(6)).iter().all(|g| g.end == End::Row));
    for game in with(&|s| s.adjudication.draw = rule(7)) {
        assert_eq!((game.end, game.winner, game.moves.len()), (End::AgreedDraw, None, 4));
    }
    let spec = gauntlet(vec![engine("a", &["says-won"]), engine("b", &["says-lost"])], 0, vec![OPENING.to_vec()]);
    let resigned = |score| {
        let mut spec = spec.clone();
        spec.adjudication.resign = rule(score);
        play(&spec)
    };
    for game in resigned(500) {
        assert_eq!((game.end, game.winner, game.moves.len()), (End::Resign, Some(0), 4), "black is {}", game.black);
    }
    assert!(resigned(501).iter().all(|g| g.end == End::Row));
    for game in with(&|s| s.adjudication.draw_after = Some(9)) {
        assert_eq!((game.end, game.stones().count()), (End::DrawAfter, 9));
    }
}
