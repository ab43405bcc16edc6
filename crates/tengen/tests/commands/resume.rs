//! The match runner as a program: an interruption or kill at any time loses no finished game and leaves no process
//! running.

use crate::arena::{self, bad_engine, folder, tengen};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tengen_workbench::matches::record::{Log, RecordError};

/// `tengen match` with two simple engines, which write their process ids next to the record.
fn command(record: &Path, games: u32, more: &[&str]) -> Command {
    command_of(&record.with_extension("pids"), record, games, more)
}

/// The same with another file for process ids. It is an argument of the engines, and thus a part of the match.
fn command_of(pids: &Path, record: &Path, games: u32, more: &[&str]) -> Command {
    let args = format!("--pids {}", pids.display());
    let engine = |name: &str| format!("name={name},cmd={},args={args}", bad_engine().display());
    let mut command = Command::new(tengen());
    command
        .args(["match", "--plain", "-j2", "--openings", "h8i9; h8h9j10; g7, h8 i10; a1o15", "--each", "st=0.5"])
        .args(["-e", &engine("a"), "-e", &engine("b"), "--games", &games.to_string()])
        .arg("-o")
        .arg(record)
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn games_in(record: &Path) -> BTreeMap<u64, String> {
    match Log::read(record) {
        Ok(log) => log.games.iter().map(|g| (g.game, g.line.clone())).collect(),
        // The file does not exist yet, or lacks its first line.
        Err(RecordError::Io(..) | RecordError::Empty(_)) => BTreeMap::new(),
        Err(e) => panic!("{e}"),
    }
}

/// Waits until a running match has finished some games.
fn wait_for(record: &Path, games: usize, child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while games_in(record).len() < games {
        assert!(Instant::now() < deadline, "too slow");
        assert!(child.try_wait().expect("a child").is_none(), "ended too early");
        std::thread::sleep(Duration::from_millis(3));
    }
}

fn signal(name: &str, pid: u32) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().expect("kill");
    assert!(status.success());
}

fn finish(mut command: Command) -> Output {
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn record(name: &str) -> PathBuf {
    folder(name).join("match.jsonl")
}

/// Two kills in the middle, with a truncated line each: the games equal those of an undisturbed run.
#[test]
fn a_killed_match_resumes_without_loss() {
    let reference = record("reference");
    finish(command(&reference, 200, &[]));
    let expected = games_in(&reference);
    assert_eq!(expected.len(), 200);

    let record = record("killed");
    let mut kept = BTreeMap::new();
    for (round, enough) in [20, 70].into_iter().enumerate() {
        let more: &[&str] = if round == 0 { &[] } else { &["--resume"] };
        let mut child = command(&record, 200, more).spawn().expect("the program");
        wait_for(&record, enough, &mut child);
        signal("KILL", child.id());
        child.wait().expect("its end");
        let now = games_in(&record);
        assert!(now.len() >= enough && now.len() < 200, "{}", now.len());
        assert!(kept.iter().all(|(game, line)| now.get(game) == Some(line)), "a finished game was lost");
        kept = now;
        // Simulates a kill in the middle of a line.
        let mut bytes = std::fs::read(&record).expect("the record");
        let torn = bytes[bytes.len() - 300..bytes.len() - 40].to_vec();
        bytes.extend(&torn[torn.iter().position(|b| *b == b'\n').map_or(0, |p| p + 1)..]);
        std::fs::write(&record, bytes).expect("the record");
        #[cfg(target_os = "linux")]
        assert_eq!(arena::survivors(&record.with_extension("pids")), [] as [u32; 0], "engines outlived the runner");
    }
    finish(command(&record, 200, &["--resume"]));
    assert_eq!(games_in(&record), expected);
    // All games are done: the same result again.
    finish(command(&record, 200, &["--resume"]));
    assert_eq!(games_in(&record), expected);
}

/// Ctrl-C: the program prints the result so far, the record is complete up to there, and a later run plays the rest.
#[test]
fn an_interrupted_match_ends_cleanly() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let record = record("interrupted");
        let mut child = command(&record, 100_000, &[]).spawn().expect("the program");
        wait_for(&record, 10, &mut child);
        signal(name, child.id());
        let output = child.wait_with_output().expect("its end");
        assert_eq!(output.status.code(), Some(code), "the signal's number and 128");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("of 100000 games; the same command with --resume plays the rest"), "{told}");
        let games = games_in(&record).len();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.starts_with(&format!("{games} games")), "{text}");
        assert!(text.contains("a against b") && text.contains("Elo") && text.contains("No faults."), "{text}");
        let log = Log::read(&record).expect("a whole record");
        assert!(!log.torn);
        #[cfg(target_os = "linux")]
        assert_eq!(arena::survivors(&record.with_extension("pids")), [] as [u32; 0]);
    }
}

/// Slurm and others send SIGTERM to all processes of a job. That the engines end is then no fault, whichever process
/// gets its signal first, and the game is played again.
#[test]
fn a_cancelled_job_makes_no_faults() {
    let (reference, record) = (record("uncancelled"), record("cancelled"));
    finish(command_of(&record.with_extension("pids"), &reference, 60, &[]));
    for (name, enough) in [("TERM", 10), ("INT", 25), ("HUP", 40)] {
        let ids = record.with_extension("pids");
        // Ids of earlier rounds may belong to other processes by now.
        let _ = std::fs::remove_file(&ids);
        let mut child = command(&record, 60, &["--resume"]).spawn().expect("the program");
        wait_for(&record, enough, &mut child);
        for pid in std::fs::read_to_string(&ids).expect("process ids").lines() {
            let _ = Command::new("kill").args([&format!("-{name}"), pid]).stderr(Stdio::null()).status();
        }
        std::thread::sleep(Duration::from_millis(100));
        signal(name, child.id());
        child.wait().expect("its end");
        let log = Log::read(&record).expect("a record");
        assert!(log.games.len() < 60 && log.games.iter().all(|game| game.faults.is_empty()), "{name}");
    }
    finish(command(&record, 60, &["--resume"]));
    assert_eq!(games_in(&record), games_in(&reference));
}

/// A grandchild outside of its process group, and an engine that ignores everything, end with a killed runner.
#[test]
#[cfg(target_os = "linux")]
fn nothing_survives_a_killed_runner() {
    let folder = folder("orphans");
    let pids = folder.join("pids");
    let record = folder.join("match.jsonl");
    let engine = |name: &str, fault: &str| {
        format!("name={name},cmd={},args={fault} --pids {}", bad_engine().display(), pids.display())
    };
    let mut command = Command::new(tengen());
    // Both games are played at the same time, on any machine.
    command.args([
        "match",
        "--plain",
        "-j2",
        "--each",
        "st=100",
        "--games",
        "2",
        "-e",
        &engine("spawner", "spawn --after 1"),
    ]);
    command.args(["-e", &engine("stays", "never-exits"), "-o"]).arg(&record);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program");
    let noted = || std::fs::read_to_string(&pids).unwrap_or_default().lines().count();
    let deadline = Instant::now() + Duration::from_secs(10);
    // Two engines, a child that has written its id, and its parent's entry for it.
    while noted() < 4 {
        assert!(Instant::now() < deadline, "too slow: {}", noted());
        std::thread::sleep(Duration::from_millis(5));
    }
    signal("KILL", child.id());
    child.wait().expect("its end");
    assert_eq!(arena::survivors(&pids), [] as [u32; 0]);
}

/// The parts of a match form the whole match, regardless of who plays them; a record of another match is rejected.
#[test]
fn shards_join_to_the_whole_match() {
    let whole = record("whole");
    finish(command(&whole, 40, &[]));
    let folder = folder("shards");
    let parts: Vec<PathBuf> = (1..=3).map(|k| folder.join(format!("part{k}.jsonl"))).collect();
    for (k, part) in parts.iter().enumerate() {
        finish(command_of(&whole.with_extension("pids"), part, 40, &["--shard", &format!("{}/3", k + 1)]));
    }
    let joined: BTreeMap<u64, String> = parts.iter().flat_map(|p| games_in(p)).collect();
    assert_eq!(joined, games_in(&whole));
    let report = |files: &[&Path]| {
        let output = Command::new(tengen()).args(["match", "--report"]).args(files).output().expect("the program");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let files: Vec<&Path> = parts.iter().map(PathBuf::as_path).collect();
    let (success, text) = report(&files);
    assert!(success && text.starts_with("40 games, 20 complete pairs"), "{text}");
    let results = |text: &str| text.lines().take(10).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(results(&text), results(&report(&[&whole]).1));
    assert!(report(&[&parts[0], &parts[0]]).1.starts_with("14 games"), "games count once");
    let other = record("other");
    finish(command(&other, 2, &[]));
    assert!(!report(&[&whole, &other]).0, "records of different matches were joined");
    let refusal = |games: u32, more: &[&str]| {
        let output = command(&whole, games, more).output().expect("the program");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let text = refusal(40, &["--resume", "--seed", "7"]);
    assert!(text.contains("seed: 1 in the record, 7 now") && text.lines().count() == 1, "{text}");
    let text = refusal(20, &["--resume"]);
    assert!(text.contains("the record is of 40 games"), "{text}");
    let text = refusal(40, &["--resume", "--shard", "1/2"]);
    assert!(text.contains("part 1/1") && text.contains("1/2"), "{text}");
    let refused = command(&whole, 40, &[]).output().expect("the program");
    assert!(!refused.status.success(), "a record was overwritten");
}

/// A match can be extended: its games equal those of a match that was longer from the start.
#[test]
fn a_resumed_match_may_have_more_games() {
    let (short, long) = (record("short"), record("long"));
    let pids = long.with_extension("pids");
    finish(command_of(&pids, &short, 3, &[]));
    assert_eq!(games_in(&short).len(), 3, "an odd number of games is played as it stands");
    finish(command_of(&pids, &long, 8, &[]));
    let output = finish(command_of(&pids, &short, 8, &["--resume"]));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("8 games, 4 complete pairs"));
    assert_eq!(games_in(&short), games_in(&long));
    assert_eq!(Log::read(&short).expect("a record").header.spec.games, 8);
}

/// Two programs cannot write one record: the second ends with a one-line error, and the first loses nothing.
#[test]
fn a_record_has_one_writer() {
    let record = record("locked");
    let mut child = command(&record, 100_000, &[]).spawn().expect("the program");
    wait_for(&record, 4, &mut child);
    let second = command(&record, 100_000, &["--resume"]).output().expect("the program");
    assert_eq!(second.status.code(), Some(1));
    let text = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(text.contains("is being written by another process") && text.lines().count() == 1, "{text}");
    signal("INT", child.id());
    child.wait().expect("its end");
    let games = games_in(&record);
    let log = Log::read(&record).expect("a whole record");
    assert_eq!((games.len(), log.torn), (log.games.len(), false), "no game twice");
}

/// Broken engines stop a run, and decide no test.
#[test]
fn a_broken_engine_stops_the_match() {
    let run = |bad: &str, games: &str, more: &[&str]| {
        let record = record("broken");
        let engine = |name: &str, args: &str| format!("name={name},cmd={},args={args}", bad_engine().display());
        let mut command = Command::new(tengen());
        command.args(["match", "--plain", "-j1", "--each", "st=0.5", "--games", games, "--sprt", "elo0=0,elo1=400"]);
        command.args(["-e", &engine("candidate", bad), "-e", &engine("base", ""), "-o"]).arg(&record).args(more);
        let output = command.output().expect("the program");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let tables = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), told.lines().last().unwrap_or_default().to_owned(), tables, games_in(&record).len())
    };
    let (code, told, tables, games) = run("crash", "40", &[]);
    assert_eq!((code, games), (Some(1), 5), "{told}");
    assert!(told.starts_with("tengen: candidate crashed in 5 of 5 games: ended by itself"), "{told}");
    assert!(!tables.contains("accepted"), "{tables}");
    let (code, told, _, games) = run("start-error", "40", &[]);
    assert_eq!((code, games), (Some(1), 1), "{told}");
    assert!(told.starts_with("tengen: candidate could not start in 1 of 1 games: "), "{told}");
    // With --recover all games are played, but an engine that failed in each of them proves nothing.
    let (code, _, tables, games) = run("crash", "12", &["--recover"]);
    assert_eq!((code, games), (Some(0), 12), "{tables}");
    assert!(tables.contains("no verdict: candidate lost every game by a fault"), "{tables}");
}

/// Impossible settings are reported before the first game.
#[test]
fn impossible_matches_are_refused_at_the_start() {
    let folder = folder("refused");
    let text_file = folder.join("notes.txt");
    std::fs::write(&text_file, "no program").expect("a file");
    let refusal = |engine: &Path, more: &[&str]| {
        let record = folder.join("match.jsonl");
        let mut command = Command::new(tengen());
        command.args(["match", "--each", "st=0.5", "-e", &format!("name=a,cmd={}", bad_engine().display())]);
        command.args(["-e", &format!("name=b,cmd={}", engine.display()), "-o"]).arg(&record).args(more);
        let output = command.output().expect("the program");
        assert!(!output.status.success() && !record.exists());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let text = refusal(&text_file, &[]);
    assert!(text.contains("b: ") && text.contains("notes.txt is not executable"), "{text}");
    assert!(refusal(&folder, &[]).contains("is a folder"));
    assert!(refusal(Path::new("/nowhere/engine"), &[]).contains("there is no program"));
    for option in ["--svg", "--sgf"] {
        let text = refusal(&bad_engine(), &[option, "/nowhere/out"]);
        assert!(text.contains("/nowhere/out"), "{text}");
    }
}

/// Game files and plots are written.
#[test]
fn games_and_plots_are_written() {
    let record = record("files");
    let folder = record.parent().expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let more =
        ["--sgf", &path("games.sgf"), "--psq", &path("psq"), "--svg", &path("curve.svg"), "--sprt", "elo0=0,elo1=500"];
    finish(command(&record, 8, &more));
    let sgf = std::fs::read_to_string(path("games.sgf")).expect("games");
    let games = games_in(&record).len();
    assert_eq!(sgf.matches("(;FF[4]GM[4]").count(), games);
    assert!(sgf.contains("PB[a]") && sgf.contains("RE[") && sgf.contains("C[eval 7, depth 2, nodes 225"), "{sgf}");
    let psq = std::fs::read_to_string(path("psq/game00001.psq")).expect("a game");
    assert!(psq.starts_with("Piskvorky 15x15, 11:11, 0\r\n") && psq.contains("\r\n-1\r\n"), "{psq}");
    let svg = std::fs::read_to_string(path("curve.svg")).expect("a plot");
    assert!(svg.contains("<svg") && svg.contains("log-likelihood ratio"));
}
