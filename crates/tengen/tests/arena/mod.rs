//! Helpers that several tests of the workbench share.
#![allow(dead_code, reason = "each test program uses a part")]

use crate::engine::{cargo_build, profile};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tengen::control::StopToken;
use tengen_engines::client::ProcessPool;
use tengen_engines::guard::{Guard, run_mark};
use tengen_engines::spec::{EngineLimits, EngineSpec, Tolerances};
use tengen_workbench::matches::record::GameRecord;
use tengen_workbench::matches::run::{Run, run};
use tengen_workbench::matches::schedule::check;
use tengen_workbench::matches::settings::{Adjudication, Event, MatchSpec};
use tengen_workbench::shard::Shard;

/// The engine that misbehaves on request (`bad_engine.rs`), built by `cargo test` among the examples.
pub fn bad_engine() -> PathBuf {
    let program = profile().join("examples").join(format!("bad_engine{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        // `cargo test --test NAME` builds no examples.
        cargo_build(&["--package", "tengen-cli", "--example", "bad_engine"]);
    }
    program
}

/// The workbench program.
pub fn tengen() -> PathBuf {
    env!("CARGO_BIN_EXE_tengen").into()
}

/// A new folder below the target folder.
pub fn folder(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("{name}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// An engine with a fault (without one if `args` is empty) and 200 ms a move.
pub fn engine(name: &str, args: &[&str]) -> EngineSpec {
    EngineSpec {
        name: name.to_owned(),
        cmd: bad_engine(),
        args: args.iter().map(|a| (*a).to_owned()).collect(),
        dir: None,
        limits: EngineLimits { turn_ms: Some(200), ..EngineLimits::default() },
        memory: 100 << 20,
        threads: None,
        info: Vec::new(),
        restart: false,
        lenient: false,
    }
}

/// A gauntlet of the first engine on a 15x15 board.
pub fn gauntlet(engines: Vec<EngineSpec>, rule: u8, openings: Vec<Vec<(u8, u8)>>) -> MatchSpec {
    MatchSpec {
        engines,
        gauntlet: true,
        games: 2,
        events: vec![Event { rule, width: 15, height: 15, swap2: false, openings }],
        shuffle: false,
        transform: false,
        seed: 1,
        adjudication: Adjudication::default(),
        patience: Tolerances { tolerance_ms: 100, startup_ms: 1500, hang_ms: 300, ..Tolerances::default() },
        sprt: None,
    }
}

/// Plays a match to its end, four games at a time.
pub fn play(spec: &MatchSpec) -> Vec<GameRecord> {
    check(spec).expect("a sensible match");
    let mark = run_mark();
    let guard = Guard::start(&tengen(), &["guard"], &mark).expect("the guard");
    let processes = Arc::new(ProcessPool::new(mark, Some(guard)));
    let this = Run {
        spec,
        shard: Shard::WHOLE,
        concurrency: 4,
        processes,
        transcripts: None,
        recover: true,
        stop: StopToken::new(),
    };
    run(&this, Vec::new(), None, &|_| {}).expect("no record, no error").games
}

/// Whether a process exists and is not a zombie.
#[cfg(target_os = "linux")]
pub fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z') && !rest.starts_with('X'))
}

/// Waits until all processes listed in a file have ended, and returns those that still run after two seconds.
#[cfg(target_os = "linux")]
pub fn survivors(pids: &Path) -> Vec<u32> {
    let noted: Vec<u32> =
        std::fs::read_to_string(pids).unwrap_or_default().lines().filter_map(|l| l.parse().ok()).collect();
    assert!(!noted.is_empty(), "nothing was noted in {}", pids.display());
    for _ in 0..100 {
        if noted.iter().all(|pid| !lives(*pid)) {
            return Vec::new();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    noted.into_iter().filter(|pid| lives(*pid)).collect()
}
