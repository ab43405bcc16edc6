//! `tengen play` as a program: games in a terminal, by scripts, and the output at the start of the server.

use crate::folder::Folder;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn program(folder: &Folder, options: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.arg("play").args(options.split_whitespace()).args(["--threads", "1", "--hash", "4", "--seed", "7"]);
    command.arg("--state-dir").arg(folder.path().join("state")).current_dir(folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The program's output for a script, without boards.
fn said(folder: &Folder, options: &str, script: &str) -> String {
    let mut child = program(folder, &format!("--text {options}")).spawn().expect("the program");
    child.stdin.take().expect("stdin").write_all(script.as_bytes()).expect("it listens");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{:?}", output);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_game_of_two_persons_is_told_in_words() {
    let folder = Folder::new();
    let script = "board off\nh8\nh8\nz1\nat h8\nat i9\nj10\nundo\nmoves\ni9\nmoves\nrow 8\ncolumn i\nline h8\n\
                  # a remark\n\nnonsense\nredo\nback\nbranch 1\nthreats\ntime\nresign\nj1\nundo\nsave game.sgf\nsave game.doc\n";
    let said = said(&folder, "--black me --white me:Ann", script);
    let (board, said) = said.split_once("Black to move").expect("a turn");
    assert!(board.starts_with("Game 1: freestyle, 15x15. Black: person. White: Ann.\n15 . ."), "{board}");
    let expected = "\
, move 1.
1. Black plays h8.
White to move, move 2.
No: h8 is not empty.
No: point z1 is off the board.
h8: Black, move 1.
i9: empty.
2. White plays j10.
Black to move, move 3.
At move 1 of 2.
White to move, move 2.
[1. h8]  2. j10
2. White plays i9.
Black to move, move 3.
1. h8  [2. i9]
7 empty, black h8, 7 empty
8 empty, white i9, 6 empty
Row: 7 empty, black h8, 7 empty.
Column: 7 empty, black h8, 7 empty.
Diagonal down: 7 empty, black h8, 7 empty.
Diagonal up: 7 empty, black h8, white i9, 6 empty.
No: unknown command \"nonsense\"; help lists them.
No: nothing follows here.
At move 1 of 2.
White to move, move 2.
2. White plays j10.
Black to move, move 3.
No threats.
There is no clock.
White wins because Black resigned.
No: the game is over.
";
    assert!(said.starts_with(expected), "{said}");
    assert!(said.contains("Written to game.sgf.") && said.contains("No: the name should end with"), "{said}");
    let sgf = std::fs::read_to_string(folder.path().join("game.sgf")).expect("the file");
    assert!(sgf.contains("B[hh]") && sgf.contains("W[ig]") && sgf.contains("W[jf]"), "{sgf}");
}

#[test]
fn scripts_play_the_engine_and_ask_it() {
    let folder = Folder::new();
    let script = "h8\nhint\nanalyse 0.2 2\ntry a1\nbalance 1\n";
    let first = said(&folder, "--level 2", script);
    assert!(first.contains("1. Black plays h8.\n2. White plays "), "{first}");
    for part in ["\nHint: ", "\n1. ", "\na1: ", "\nEven after "] {
        assert!(first.contains(part), "{part:?}: {first}");
    }
    let reply = |text: &str| text.lines().find(|line| line.starts_with("2. White")).map(str::to_owned);
    assert_eq!(reply(&said(&folder, "--level 2", "h8\n")), reply(&first), "the same seed, the same game");
    // Black has four in a row, and the engine finds the win.
    let load = "load four.txt\nprove\nprove white\nswap\nreview 1000\n";
    std::fs::write(folder.path().join("four.txt"), "h8a1i8a15j8o1k8o15").expect("a file");
    let proofs = said(&folder, "--black me --white me", load);
    assert!(proofs.contains("Black wins by force, in 1 ply: "), "{proofs}");
    assert!(proofs.contains("White has no such forced win."), "{proofs}");
    assert!(proofs.contains("accuracy"), "{proofs}");
    // Engines play by themselves to the end of the game, before the program reacts to the end of its input.
    let engines = said(&folder, "--black engine:1 --white engine:1 --size 7 --rule renju", "board off\n");
    assert!(engines.contains(" wins ") || engines.contains("is a draw"), "{engines}");
}

/// A warning appears where the move was made, states the side and the loss, and `undo` takes the move back.
#[test]
fn losing_moves_are_warned_of() {
    let folder = Folder::new();
    let script = "board off\nh8\ng9\ni8\ng7\nj8\no15\nundo\nlast\n";
    let told = said(&folder, "--black me --white me --warn=10", script);
    let warning = told.lines().find(|line| line.starts_with("Warning: o15 loses "));
    let warning = warning.unwrap_or_else(|| panic!("{told}"));
    assert!(warning.contains(" points: Black ") && warning.ends_with(" undo takes it back."), "{warning}");
    assert!(told.contains("6. White plays o15.\nWarning: "), "before anything else is said: {told}");
    assert!(told.contains("At move 5 of 6.") && told.trim_end().ends_with("5. Black plays j8."), "{told}");
    assert!(!said(&folder, "--black me --white me", script).contains("Warning"), "nobody asked for it");
    let started = said(&folder, "--black me --white me", "board off\nnew warn=101\nnew warn\n");
    assert!(started.contains("No: no loss of \"101\" points: 1 to 100, or off."), "{started}");
}

/// Unrequested output and files do not contain the opponent's evaluation.
#[test]
fn the_opponents_opinion_is_not_told() {
    let folder = Folder::new();
    let script = "h8\na15\nshow\nmoves\nlast\ngame\nthreats\nback\nend\nsave running.sgf\nsave running.json\nresign\nsave over.sgf\n";
    let told = said(&folder, "--level 3", script);
    assert!(!told.contains('%') && !told.contains(" wins in "), "{told}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("the file");
    for name in ["running.sgf", "running.json"] {
        let text = read(name);
        assert!(!text.contains("SBKV") && !text.contains("win_rate") && !text.contains("depth="), "{text}");
    }
    assert!(read("over.sgf").contains("SBKV"), "{}", read("over.sgf"));
    // Requested evaluations state the side.
    let asked = said(&folder, "--level 3", "h8\nhint\ntry a1\nanalyse 0.2 2\nreview 1000\n");
    for line in asked.lines().filter(|line| line.contains('%')) {
        assert_eq!(line.matches('%').count(), line.matches("Black ").count(), "{line}");
    }
    assert!(asked.contains("Hint: ") && asked.matches("%").count() >= 4, "{asked}");
}

/// A player that the options do not name is the engine against a person, and a person against the engine.
#[test]
fn who_is_not_named_is_the_other() {
    let folder = Folder::new();
    for (options, players) in [
        ("", "Black: person. White: engine, level 5."),
        ("--black engine:3", "Black: engine, level 3. White: person."),
        ("--white me", "Black: engine, level 5. White: person."),
        ("--white engine:2", "Black: person. White: engine, level 2."),
        ("--colour white --level 1", "Black: engine, level 1. White: person."),
    ] {
        let said = said(&folder, options, "quit\n");
        assert!(said.contains(players), "{options}: {said}");
    }
}

/// If a file specifies no rule or board, those of the options apply.
#[test]
fn files_are_read_with_rule_and_board() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("game.psq"), "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n").expect("a file");
    for (options, told) in [
        ("game.psq", "freestyle, 15x15"),
        ("game.psq --rule renju", "renju, 15x15"),
        ("h8i9 --size 20 --rule standard", "standard, 20x20"),
    ] {
        let said = said(&folder, options, "quit\n");
        assert!(said.contains(told), "{options}: {said}");
    }
    let output = program(&folder, "game.psq --level 3 --no-open").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("a file is looked at") && said.lines().count() == 1, "{said}");
}

#[test]
fn swap2_is_played_by_both_sides() {
    let folder = Folder::new();
    let script = "board off\nh8\ni9\na1\nstay\ntwo\nb2\nc3\nswap\nd4\n";
    let said = said(&folder, "--black me --white me --opening swap2", script);
    for part in [
        "Black's player places the three stones",
        "White's player chooses: stay, swap, or two more stones.",
        "White's player stays.",
    ] {
        assert!(said.contains(part), "{part:?}: {said}");
    }
    assert!(said.contains("No: no such answer is due now."), "{said}");
    // The engine opens, and the person answers.
    let engine = self::said(&folder, "--black engine:1 --white me --opening swap2", "swap\n");
    assert!(engine.contains("3. Black plays ") && engine.contains("White's player swaps colours."), "{engine}");
    // The person opens, and the engine answers and announces its choice.
    let engine = self::said(&folder, "--black me --white engine:1 --opening swap2", "h8\ni9\na1\n");
    assert!(engine.contains("White's player "), "{engine}");
}

/// Each kind of question of the openings of renju, in words.
#[test]
fn openings_with_fifth_moves_are_played_in_words() {
    let folder = Folder::new();
    let script = "board off\nh9\nh8\nh9\nh7\nstay\nh10\n9\nfifths 9\nfifths 2\nswap\ng8\ni8\ng7\nmoves\na1\ng7\ngame\n";
    let said = said(&folder, "--black me:Ann --white me:Ben --rule renju --opening soosorv-8", script);
    for part in [
        "Black's player places stone 1 of the opening in the centre: Black.",
        "No: the stone belongs in the centre.",
        "Black's player places stone 3 of the opening within the central 5 by 5 points: Black.",
        "Opening D8: Shogetsu 松月.",
        "White's player chooses: stay or swap.",
        "White's player places stone 4 of the opening: White.",
        "White's player declares the number of fifth moves: `fifths 1` to `fifths 8`.",
        "No: the number of fifth moves is from 1 to 8.",
        "White's player declares 2 fifth moves.",
        "Black's player swaps colours.",
        "Black's player offers fifth move 1 of 2.",
        "Black's player offers g8.",
        "No: an equal move is offered already.",
        "Black's player offers fifth move 2 of 2; offered: g8.",
        "White's player chooses one of the offered fifth moves: g8 g7.",
        "(fifths: 2)",
        "(g8?)",
        "No: this move was not offered.",
        "5. Black plays g7.",
        "Black: Ben. White: Ann.",
    ] {
        assert!(said.contains(part), "{part:?}: {said}");
    }
    let pro = self::said(&folder, "--black me --white me --opening pro", "h8\na1\nh9\no1\n");
    assert!(pro.contains("outside of the central 5 by 5 points") && pro.contains("3. Black plays o1."), "{pro}");
    let engine = self::said(&folder, "--black me --white engine:1 --rule renju --opening tarannikov", "h8\n");
    assert!(
        engine.contains("White's player ") && engine.contains("2. White plays ") != engine.contains("swaps"),
        "{engine}"
    );
}

#[test]
fn the_game_is_saved_and_offered_again() {
    let folder = Folder::new();
    said(&folder, "--black me --white me", "h8\ni9\nquit\nj10\n");
    assert_eq!(folder.games("state"), 1);
    let again = said(&folder, "--black me --white me", "continue\nmoves\n");
    assert!(again.contains("with 2 moves was saved") && again.contains("1. h8  [2. i9]"), "{again}");
    let bad =
        Command::new(env!("CARGO_BIN_EXE_tengen")).args(["play", "--text", "nowhere.sgf"]).output().expect("it runs");
    assert!(!bad.status.success() && String::from_utf8_lossy(&bad.stderr).contains("nowhere.sgf"));
}

/// Waits for the end of a program that has received a signal to end.
fn ended(mut child: Child) -> Option<i32> {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code();
        }
        if Instant::now() > end {
            child.kill().expect("a child");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(unix)]
fn interrupt(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a running program");
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_the_dialogue_and_saves() {
    let folder = Folder::new();
    let mut child = program(&folder, "--text --level full").spawn().expect("the program");
    let mut input = child.stdin.take().expect("stdin");
    input.write_all(b"h8\n").expect("it listens");
    let mut output = BufReader::new(child.stdout.take().expect("stdout"));
    let mut line = String::new();
    while !line.contains("Black plays h8") {
        line.clear();
        assert!(output.read_line(&mut line).expect("text") > 0);
    }
    // The engine is searching, and the input is open.
    interrupt(&child);
    assert_eq!(ended(child), Some(130));
    assert_eq!(folder.games("state"), 1);
}

#[test]
#[cfg(unix)]
fn the_servers_start_prints_one_line() {
    let folder = Folder::new();
    let mut child = program(&folder, "--no-open --port 0").spawn().expect("the program");
    let mut output = BufReader::new(child.stdout.take().expect("stdout"));
    let mut line = String::new();
    output.read_line(&mut line).expect("text");
    let rest = line.strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{line:?}"));
    let (port, code) = rest.trim_end().split_once("/#code=").unwrap_or_else(|| panic!("{line:?}"));
    assert!(port.parse::<u16>().is_ok_and(|port| port > 0) && code.len() >= 16, "{line:?}");
    assert!(std::net::TcpStream::connect(("127.0.0.1", port.parse().expect("a port"))).is_ok());
    interrupt(&child);
    let mut more = String::new();
    output.read_to_string(&mut more).expect("text");
    assert_eq!(more, "");
    assert_eq!(ended(child), Some(130));
}

/// Runs the program with these options and empty input.
fn run(folder: &Folder, options: &str) -> (bool, String, String) {
    let output = program(folder, options).stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn what_this_computer_has_not_is_refused_in_a_line() {
    let folder = Folder::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"));
    for hash in ["0", "99999999"] {
        let output = child.args(["play", "--text", "--hash", hash]).stdin(Stdio::null()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("the table has 1 to "), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        child = Command::new(env!("CARGO_BIN_EXE_tengen"));
    }
    let (done, said, why) = run(&folder, "--address");
    assert!(!done && said.is_empty() && why.contains("no board is running") && why.lines().count() == 1, "{why}");
}

/// Pressing Enter prints another address, and so does another program.
#[test]
#[cfg(unix)]
fn a_used_address_is_replaced_in_two_ways() {
    use rustix::pty;
    let folder = Folder::new();
    let terminal = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&terminal).and_then(|()| pty::unlockpt(&terminal)).expect("a terminal");
    let name = pty::ptsname(&terminal, Vec::new()).expect("its name").into_string().expect("text");
    let input = std::fs::OpenOptions::new().read(true).write(true).open(name).expect("a terminal");
    let mut child = program(&folder, "--no-open --port 0").stdin(input).spawn().expect("the program");
    let mut output = BufReader::new(child.stdout.take().expect("stdout"));
    let mut line = || {
        let mut line = String::new();
        output.read_line(&mut line).expect("text");
        line
    };
    let (_, token) = crate::web::token_for(&line());
    let mut terminal = std::fs::File::from(terminal);
    terminal.write_all(b"\n").expect("a terminal");
    assert_eq!(crate::web::token_for(&line()).1, token);
    let (done, said, why) = run(&folder, "--address");
    assert!(done && why.is_empty() && said.lines().count() == 1, "{said}{why}");
    assert_eq!(crate::web::token_for(&said).1, token);
    interrupt(&child);
    assert_eq!(ended(child), Some(130));
    assert!(!run(&folder, "--address").0, "it has ended");
}
