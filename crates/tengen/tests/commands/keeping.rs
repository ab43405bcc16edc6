//! The board never loses a game: with two programs on one store, killed programs and full disks.

use crate::folder::Folder;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tengen::engine::Evaluation;
use tengen_play::host::{Host, Options};
use tengen_play::server::app::App;
use tengen_play::store::Store;
use tengen_session::session::Saved;
use tengen_session::view::{Event, Settings};

/// A test fails after this time without a line.
const PATIENCE: Duration = Duration::from_secs(30);

/// `tengen play --text` between two persons, line by line.
struct Board {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Board {
    fn start(state: &Path) -> Board {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(["play", "--text", "--black", "me", "--white", "me", "--threads", "1", "--hash", "4"]);
        command.arg("--state-dir").arg(state);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let (sender, lines) = channel();
        let output = child.stdout.take().expect("stdout");
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut board = Board { input: child.stdin.take(), child, lines };
        board.send("board off");
        board
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("an open input"), "{line}").expect("it listens");
    }

    /// Waits for a line that contains this text.
    #[track_caller]
    fn hear(&self, words: &str) {
        let end = Instant::now() + PATIENCE;
        let mut heard = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if line.contains(words) {
                return;
            }
            heard.push(line);
        }
        panic!("{words:?} was not said: {heard:#?}");
    }

    #[track_caller]
    fn play(&mut self, at: &str) {
        self.send(at);
        self.hear(&format!(" plays {at}."));
    }

    #[cfg(unix)]
    fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a running program");
    }

    /// Waits for the end and returns the exit status and stderr.
    fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let output = self.child.wait_with_output().expect("an end");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The points of the saved games in the order of play, sorted.
fn saved(folder: &Path) -> Vec<String> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut games: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| {
            let file: Value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("whole JSON");
            let sgf = file["game"]["sgf"].as_str().expect("SGF").to_owned();
            let moves = sgf.split(';').filter_map(|node| {
                let point = node.strip_prefix("B[").or_else(|| node.strip_prefix("W["))?;
                Some(point[..2].to_owned())
            });
            moves.collect::<Vec<_>>().join(" ")
        })
        .collect();
    games.sort();
    games
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The second program offers a copy of the game that the first is playing, and neither loses a move.
#[test]
fn two_boards_on_one_store_lose_nothing() {
    let folder = Folder::new();
    let state = folder.path().join("state");
    let mut one = Board::start(&state);
    one.play("h8");
    one.play("i9");
    until("the first game is saved", || saved(&state) == ["hh ig"]);
    let mut two = Board::start(&state);
    two.hear("with 2 moves was saved");
    two.hear("Another Tengen is playing it");
    two.send("continue");
    two.play("a1");
    one.play("o15");
    two.play("b2");
    one.play("n14");
    for board in [two, one] {
        assert_eq!(board.end(), (Some(0), String::new()));
    }
    assert_eq!(saved(&state), ["hh ig ao bn", "hh ig oa nb"]);
    // Neither game is in use any more.
    let last = Board::start(&state);
    last.hear("with 4 moves was saved");
    last.send_and_end();
    assert_eq!(folder.entries("state"), 2, "no lock is left");
}

impl Board {
    fn send_and_end(mut self) {
        self.send("quit");
        assert_eq!(self.end(), (Some(0), String::new()));
    }
}

/// Saved moves survive a kill, and a killed program leaves no lock.
#[test]
fn a_killed_board_leaves_its_game_and_no_lock() {
    let folder = Folder::new();
    let state = folder.path().join("state");
    let mut board = Board::start(&state);
    board.play("h8");
    board.play("i9");
    until("the game is saved", || saved(&state) == ["hh ig"]);
    board.child.kill().expect("a running program");
    board.child.wait().expect("its end");
    let mut again = Board::start(&state);
    again.hear("with 2 moves was saved");
    again.send("continue");
    again.play("j10");
    assert_eq!(again.end(), (Some(0), String::new()));
    assert_eq!((saved(&state), folder.entries("state")), (vec!["hh ig jf".to_owned()], 1));
}

/// The folder of [`a_writer_that_is_killed`], if this program was started for that.
const WRITES: &str = "TENGEN_TEST_WRITES";

/// Saves without a pause until it is killed; does nothing as an ordinary test.
#[test]
fn a_writer_that_is_killed() {
    let Some(folder) = std::env::var_os(WRITES) else { return };
    let store = Store::open(PathBuf::from(folder)).expect("a folder");
    let found = store.newest().expect("a game");
    let place = found.place.expect("nobody uses it");
    for moves in found.game.moves + 1.. {
        store.write(&place, &Saved { moves, ..found.game.clone() }).expect("space");
    }
}

#[test]
fn kills_in_the_middle_of_saving_leave_a_whole_game() {
    let folder = Folder::new();
    let before = {
        let host = host(Store::open(folder.path()).expect("a folder"), None);
        ok(&host, json!({"do": "move", "at": "h8"}));
        host.close();
        drop(host);
        saved(folder.path())
    };
    let mut moves = 1;
    for round in 0..25_u64 {
        let mut writer = Command::new(std::env::current_exe().expect("this program"));
        writer.args(["--exact", "keeping::a_writer_that_is_killed", "--nocapture"]).env(WRITES, folder.path());
        let mut child = writer.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("this program");
        std::thread::sleep(Duration::from_millis(40 + round * 7 % 40));
        child.kill().expect("a running program");
        child.wait().expect("its end");
        let store = Store::open(folder.path()).expect("a folder");
        let found = store.newest().expect("a game");
        assert!(found.place.is_some() && found.game.moves >= moves, "{} after {moves}", found.game.moves);
        moves = found.game.moves;
        assert_eq!(saved(folder.path()), before);
        drop(found);
        assert_eq!((folder.entries(""), store.notes()), (1, Vec::new()), "nothing is left beside it");
    }
    assert!(moves > 25, "{moves}: it was killed before it wrote");
}

fn host(store: Store, watch: Option<std::sync::mpsc::Sender<Event>>) -> Host {
    let settings = Settings { threads: 1, processors: 1, hash_mb: 4 };
    let options = Options::new(settings, Evaluation::default(), 3);
    Host::new(Options { store: Some(store), watch, ..options }).expect("threads")
}

#[track_caller]
fn ok(host: &Host, mut body: Value) {
    body["rev"] = host.state()["rev"].clone();
    assert_eq!(host.command(body.clone()).status, 200, "{body}: {}", host.state());
}

/// Codes of the received messages.
fn codes(events: &Receiver<Event>) -> Vec<&'static str> {
    let code = |event| match event {
        Event::Message(message) => Some(message.code),
        _ => None,
    };
    events.try_iter().filter_map(code).collect()
}

/// While nothing can be written, all games stay in memory; later all of them are written, also a game that was
/// replaced.
#[test]
fn what_cannot_be_saved_is_kept_and_tried_again() {
    let folder = Folder::new();
    let state = folder.path().join("state");
    let (sender, events) = channel();
    let host = host(Store::open(&state).expect("a folder"), Some(sender));
    // A file instead of the folder.
    fs::remove_dir_all(&state).expect("a folder");
    fs::write(&state, "").expect("a file");
    ok(&host, json!({"do": "move", "at": "h8"}));
    until("the failure is shown", || host.state()["unsaved"].is_string());
    assert_eq!(codes(&events), ["save_failed"]);
    ok(&host, json!({"do": "move", "at": "i9"}));
    // Starts another game meanwhile.
    ok(
        &host,
        json!({"do": "new", "rule": "freestyle", "size": [15, 15],
        "black": {"kind": "person"}, "white": {"kind": "person"}}),
    );
    ok(&host, json!({"do": "move", "at": "a1"}));
    host.close();
    let (why, games) = host.last_save().expect("it fails still");
    assert!(!why.is_empty() && games.len() == 2, "{why}: {games:?}");
    assert!(games[0].contains("B[hh]") && games[0].contains("W[ig]") && games[1].contains("B[ao]"), "{games:?}");
    assert_eq!(codes(&events), [""; 0], "it was said, and has not changed");
    fs::remove_file(&state).expect("a file");
    fs::create_dir(&state).expect("a folder");
    until("it is tried again", || host.state()["unsaved"].is_null());
    assert_eq!(codes(&events), ["saved_again"]);
    assert_eq!(saved(&state), ["ao", "hh ig"]);
    assert!(host.last_save().is_none());
    // Once more, and the program ends before the problem is solved.
    fs::remove_dir_all(&state).expect("a folder");
    fs::write(&state, "").expect("a file");
    ok(&host, json!({"do": "move", "at": "b2"}));
    until("the failure is shown", || host.state()["unsaved"].is_string());
    fs::remove_file(&state).expect("a file");
    fs::create_dir(&state).expect("a folder");
    drop(host);
    assert_eq!(saved(&state), ["ao bn"]);
}

/// Two boards in one program.
#[test]
fn a_game_that_is_offered_is_not_taken_away() {
    let folder = Folder::new();
    let store = || Store::open(folder.path()).expect("a folder");
    let one = host(store(), None);
    ok(&one, json!({"do": "move", "at": "h8"}));
    one.close();
    let two = host(store(), None);
    assert_eq!(two.state()["offer"]["copy"], true);
    ok(&two, json!({"do": "continue"}));
    ok(&two, json!({"do": "move", "at": "a1"}));
    two.close();
    drop(one);
    // The second board's game is the newest, and in use; then its lock is released.
    let three = host(store(), None);
    assert_eq!((&three.state()["offer"]["copy"], &three.state()["offer"]["moves"]), (&json!(true), &json!(2)));
    drop((two, three));
    let four = host(store(), None);
    assert_eq!((&four.state()["offer"]["copy"], &four.state()["offer"]["moves"]), (&json!(false), &json!(2)));
    // A declined game stays available to others.
    ok(&four, json!({"do": "dismiss"}));
    let five = host(store(), None);
    assert_eq!(five.state()["offer"]["copy"], false);
    assert_eq!(saved(folder.path()), ["hh", "hh ao"]);
}

/// A small disk of its own, which fills quickly; available only to the superuser of a Linux system.
#[cfg(unix)]
struct SmallDisk(PathBuf);

#[cfg(unix)]
impl SmallDisk {
    fn new(folder: &Folder) -> Option<SmallDisk> {
        let path = folder.path().join("disk");
        fs::create_dir(&path).expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&path).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success()).then_some(SmallDisk(path))
    }

    fn fill(&self) {
        let mut file = fs::File::create(self.0.join("filler")).expect("a file");
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    fn free(&self) {
        fs::remove_file(self.0.join("filler")).expect("a file");
    }
}

#[cfg(unix)]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
#[cfg(unix)]
#[allow(clippy::print_stderr)]
fn a_full_disk_loses_nothing() {
    let folder = Folder::new();
    let Some(disk) = SmallDisk::new(&folder) else {
        return eprintln!("SKIP a_full_disk_loses_nothing: no small disk can be mounted here");
    };
    let state = disk.0.join("state");
    let mut board = Board::start(&state);
    board.play("h8");
    until("the game is saved", || saved(&state) == ["hh"]);
    disk.fill();
    board.play("i9");
    board.hear("The game cannot be saved: ");
    board.play("j10");
    board.play("k11");
    assert_eq!(saved(&state), ["hh"], "what was there is there still");
    disk.free();
    board.hear("The game is saved again.");
    assert_eq!(saved(&state), ["hh ig jf ke"]);
    // The disk is full again, until the program receives the signal to end.
    disk.fill();
    board.play("a1");
    board.hear("The game cannot be saved: ");
    disk.free();
    board.terminate();
    assert_eq!(board.end(), (Some(143), String::new()));
    assert_eq!(saved(&state), ["hh ig jf ke ao"]);
    // The disk stays full: the terminal has the moves.
    let mut board = Board::start(&state);
    board.send("continue");
    board.hear("move 6");
    until("it goes on in its file", || saved(&state) == ["hh ig jf ke ao"]);
    disk.fill();
    board.play("b2");
    board.hear("The game cannot be saved: ");
    board.terminate();
    let (code, said) = board.end();
    assert!(code != Some(0) && said.contains("This is it, as SGF:") && said.contains("W[bn]"), "{code:?}: {said}");
    assert_eq!(saved(&state), ["hh ig jf ke ao"], "and the file is what it was");
}

/// A pipe in the folder does not block the program, and the message names it.
#[test]
#[cfg(unix)]
fn a_pipe_among_the_games_is_named_and_left_alone() {
    let folder = Folder::new();
    let name = "game-000000000001-0000000000000001.json";
    let made = Command::new("mkfifo").arg(folder.path().join(name)).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let mut board = Board::start(folder.path());
    board.play("h8");
    board.send("quit");
    let (code, said) = board.end();
    assert!(code == Some(0) && said.contains(name) && said.contains("no regular file"), "{code:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
