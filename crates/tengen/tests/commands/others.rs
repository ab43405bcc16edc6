//! Other engines in `tengen play`: declarations, full games, and every kind of fault, with real processes.

use crate::arena::bad_engine;
use crate::folder::Folder;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn run(folder: &Folder, engines: &[&str], options: &str, script: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(["play", "--text", "--threads", "1", "--hash", "4", "--seed", "7"]).args(options.split_whitespace());
    command.arg("--state-dir").arg(folder.path().join("state")).current_dir(folder.path());
    for engine in engines {
        command.args(["--engine", engine]);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    // A program that refuses its options does not read.
    let _ = child.stdin.take().expect("stdin").write_all(script.as_bytes());
    child.wait_with_output().expect("an end")
}

/// What the program says in a game against the stub with this fault.
fn said(fault: &str, options: &str, script: &str) -> String {
    let engine = format!("name=Stub,cmd={},args={fault},st=0.2", bad_engine().display());
    let output = run(&Folder::new(), &[&engine], options, script);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_full_game_is_played_to_its_end() {
    let said = said("", "--black other:Stub --white other:Stub --size 9", "board off\n");
    assert!(said.contains(" wins ") || said.contains("is a draw"), "{said}");
    assert!(said.contains("Black: Stub. White: Stub."), "{said}");
}

#[test]
fn every_fault_is_told_in_a_line_and_the_game_goes_on() {
    let cases = [
        ("crash --after 1", "Stub ended by itself"),
        ("silent --after 1", "Stub gave no answer"),
        ("later --after 1", "Stub answered after 9"),
        ("illegal --after 1", ", which is not empty."),
        ("off-board --after 1", "Stub moved off the board"),
        ("far-off-board --after 1", "Stub moved off the board"),
        ("prose --after 1", "Stub answered with something else than a move"),
        ("error --after 1", "Stub answered with an error"),
        ("flood --after 1", "Stub flooded"),
        ("endless --after 1", "Stub wrote without line ends"),
        ("no-line-end --after 1", "Stub did not end its line"),
        ("crash-after --after 0", "Stub ended by itself"),
    ];
    let threads: Vec<_> = cases
        .map(|(fault, words)| {
            std::thread::spawn(move || {
                let script = "board off\nnew white=other:Stub time=0.1s/move\nh8\na15\nsubstitute\nmoves\n";
                // A person needs longer than the clock gives.
                let script = script.replace("0.1s", if fault.starts_with("later") { "0.1s" } else { "1s" });
                (fault, words, said(fault, "--black me --white me", &script))
            })
        })
        .into();
    for thread in threads {
        let (fault, words, said) = thread.join().expect("no panic");
        assert!(said.contains(words), "{fault}: {said}");
        assert!(said.contains("`substitute` lets Tengen play on"), "{fault}: {said}");
        assert!(said.contains("White: engine, full strength."), "Tengen has taken over, {fault}: {said}");
        assert!(!said.contains(" wins "), "nobody lost, {fault}: {said}");
    }
}

#[test]
fn an_engine_that_does_not_take_the_board_is_told_so_at_once() {
    for fault in ["start-error", "start-crash"] {
        let said = said(fault, "--white other:Stub", "board off\nh8\nsubstitute\n");
        assert!(said.contains("Stub did not answer START with OK") || said.contains("Stub ended by itself"), "{said}");
        assert!(said.contains("2. White plays "), "Tengen plays instead: {said}");
    }
    let missing = run(&Folder::new(), &["name=None,cmd=./no-such-program"], "--white other:None", "h8\n");
    let said = String::from_utf8_lossy(&missing.stdout);
    assert!(said.contains("None could not be started"), "{said}");
}

/// After undo and another move the stub gets the whole position: it would move onto a stone otherwise.
#[test]
fn branches_are_sent_anew() {
    let script = "board off\nh8\ni8\nundo\nundo\nh8\na1\nback\nback\nb2\nmoves\n";
    let said = said("", "--white other:Stub", script);
    assert!(!said.contains("asks it again"), "no fault: {said}");
    assert!(said.matches("White plays").count() >= 3, "{said}");
}

#[test]
fn engines_come_from_the_command_line_and_the_users_file() {
    let folder = Folder::new();
    let state = folder.path().join("state");
    std::fs::create_dir_all(&state).expect("a folder");
    let program = bad_engine().display().to_string().replace('\\', "/");
    let table = format!("[[engine]]\nname = \"Filed\"\ncmd = \"{program}\"\nst = 0.2\n");
    std::fs::write(state.join("engines.toml"), &table).expect("a file");
    let output = run(&folder, &[], "--white other:Filed", "board off\nh8\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("2. White plays"), "{output:?}");
    let refused = |engines: &[&str], options: &str, words: &str| {
        let output = run(&folder, engines, options, "");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(words), "{told}");
    };
    refused(&[], "--white other:Nobody", "no engine \"Nobody\" was declared");
    refused(&["cmd=x,tc=5"], "", "tc= is for matches");
    refused(&["name=A,cmd=x", "name=A,cmd=y"], "", "two engines have the name A");
    refused(&["name=A"], "", "an engine needs cmd=PROGRAM");
    refused(&["cmd=x,colour=red"], "", "no such setting");
    refused(&[], "--engines nowhere.toml", "nowhere.toml");
    std::fs::write(state.join("engines.toml"), "[[motor]]\n").expect("a file");
    refused(&[], "", "engines.toml");
}

/// The engines end with the program.
#[test]
#[cfg(target_os = "linux")]
fn no_engine_outlives_the_program() {
    let folder = Folder::new();
    let pids = folder.path().join("pids");
    let engine = format!("name=Stub,cmd={},args=never-exits --pids {},st=0.2", bad_engine().display(), pids.display());
    let output = run(&folder, &[&engine], "--white other:Stub", "board off\nh8\n");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(crate::arena::survivors(&pids), Vec::<u32>::new());
}
