//! Tests of the real program, for behaviour that depends on time, pipes and processes. Named after the conformance
//! cases.
//!
//! The searches keep the engine's contract (they last until a limit or a stop), but no test here depends on their
//! playing strength: see `probes.rs` for that.

#[path = "support/engine.rs"]
mod engine;
#[path = "support/machine.rs"]
mod machine;
#[path = "support/program.rs"]
mod program;

use program::{Program, begin, coordinates, within};
use std::collections::HashSet;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A game with a running search that would last a minute.
fn thinking() -> Program {
    let mut program =
        Program::game(15, &["timeout_turn 60000", "timeout_match 600000", "time_left 600000", "thread_num 2"]);
    program.send("TURN 7,7");
    sleep(ms(150));
    program
}

#[test]
fn case_02_start_is_five_bytes() {
    use std::io::Read;
    let mut child = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, b"START 15\r\nSTART 20\nEND\n").expect("it reads");
    let mut bytes = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut bytes).expect("it writes");
    assert_eq!(bytes, b"OK\nOK\n");
    assert!(child.wait().expect("a child").success());
}

#[test]
fn case_10_silent_until_spoken_to() {
    let mut program = Program::start();
    program.is_silent(500);
    program.quit();
}

#[test]
fn case_11_ready_soon_and_small() {
    within(ms(300), || {
        let started = begin();
        let mut program = Program::start();
        program.send("START 15\nINFO max_memory 367001600");
        let (ended, line) = program.stamped();
        assert_eq!(line, "OK");
        if let Some(kilobytes) = program.resident() {
            assert!(kilobytes < 350 * 1024, "{kilobytes} KB");
        }
        program.quit();
        ended - started
    });
}

#[test]
fn case_12_arguments_and_folder_do_not_matter() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"));
    let mut program = Program::with(command.args(["--force-utf8", "--foo"]).current_dir(std::env::temp_dir()));
    program.send("START 15\nINFO book 0\nINFO timeout_turn 50\nBEGIN");
    assert_eq!(program.line(), "OK");
    program.a_move(15);
    program.quit();
}

#[test]
fn case_15_a_line_of_a_megabyte() {
    let mut program = Program::start();
    program.send("ABOUT");
    program.line();
    let before = program.resident();
    program.write(&vec![b'A'; 1 << 20]);
    program.write(b"\n");
    assert!(program.line().starts_with("UNKNOWN"));
    if let Some((before, after)) = before.zip(program.resident()) {
        assert!(after < before + 4096, "{before} KB, then {after} KB");
    }
    program.quit();
}

#[test]
fn case_16_a_megabyte_without_an_end() {
    let mut program = Program::start();
    program.write(&vec![b'A'; 1 << 20]);
    sleep(ms(50));
    program.write(b"\nABOUT\n");
    assert!(program.line().starts_with("UNKNOWN"));
    assert!(program.line().starts_with("name=\""));
    program.quit();
}

#[test]
fn case_17_binary_input() {
    let mut program = Program::start();
    program.write(b"\xff\xfe\x80\xc3\x28\n\0\0\n\xef\xbb\xbfSTART 15\rSTART 15\r\n\n\r\rSTART 15\n");
    assert!(program.line().starts_with("UNKNOWN"));
    for _ in 0..3 {
        assert_eq!(program.line(), "OK");
    }
    program.quit();
}

#[test]
fn case_21_byte_by_byte() {
    let mut program = Program::start();
    for byte in b"START 15\r\nINFO book 0\r\nINFO timeout_turn 50\r\nBEGIN\r\nABOUT\n" {
        program.write(&[*byte]);
        sleep(ms(5));
    }
    assert_eq!(program.line(), "OK");
    let lines = [program.line(), program.line()];
    assert!(lines.iter().any(|line| line.starts_with("name=\"")), "{lines:?}");
    assert!(lines.iter().any(|line| coordinates(line, 15).is_some()), "{lines:?}");
    program.quit();
}

#[test]
fn case_21_two_hundred_commands_at_once() {
    let mut program = Program::start();
    let mut commands = "INFO book 0\r\n".to_owned();
    for _ in 0..50 {
        commands += "START 15\r\nBEGIN\r\nRESTART\r\nFOO\r\n";
    }
    program.write(commands.as_bytes());
    for _ in 0..50 {
        assert_eq!(program.line(), "OK");
        program.a_move(15);
        assert_eq!(program.line(), "OK");
        assert!(program.line().starts_with("UNKNOWN"));
    }
    program.quit();
}

#[test]
fn the_book_says_when_it_speaks_and_can_be_silenced() {
    let mut program = Program::start();
    for first in ["BEGIN", "TURN 7,7"] {
        program.send(&format!("INFO book 1\nSTART 15\n{first}"));
        assert_eq!(program.line(), "OK");
        let line = program.line();
        assert!(line.starts_with("MESSAGE book depth "), "{line}");
        program.a_move(15);
        program.send(&format!("INFO book 0\nINFO timeout_turn 50\nRESTART\n{first}"));
        assert_eq!(program.line(), "OK");
        program.a_move(15);
    }
    program.quit();
}

#[test]
fn case_22_two_commands_in_one_write() {
    let mut program = Program::start();
    program.write(b"INFO book 0\r\nINFO timeout_turn 50\r\nSTART 15\r\nBEGIN\r\n");
    assert_eq!(program.line(), "OK");
    program.a_move(15);
    program.quit();
}

#[test]
fn case_23_24_end_of_input() {
    for text in ["", "START 15\n", "START 15\nTUR", "START 15\nBOARD\n7,7,2\n", "START 15\nBOARD\n7,7"] {
        within(ms(300), || {
            let mut program = Program::start();
            program.write(text.as_bytes());
            sleep(ms(30));
            program.stdin = None;
            let (status, time, lines) = program.ended();
            assert_eq!(status.code(), Some(0), "{text:?}");
            assert_eq!(lines.len(), text.contains("START").into(), "{lines:?}");
            time
        });
    }
}

/// The lines that the program writes when its whole input arrives at once, without text for people.
fn piped(input: &str) -> Vec<String> {
    let mut program = Program::start();
    program.write(input.as_bytes());
    program.stdin = None;
    let (status, _, lines) = program.ended();
    assert_eq!(status.code(), Some(0), "{input:?}");
    lines.into_iter().filter(|line| !line.starts_with("MESSAGE depth ")).collect()
}

/// A script may send its whole input at once and close its end of the pipe, with or without the last line ending.
#[test]
fn case_23_end_of_input_while_thinking() {
    let start = "START 15\nINFO book 0\nINFO timeout_turn 300\n";
    for last in ["BEGIN\n", "BEGIN", "BOARD\n7,7,2\nDONE\n", "BOARD\r\n7,7,2\r\nDONE"] {
        let lines = piped(&format!("{start}{last}"));
        assert!(lines.len() == 2 && coordinates(&lines[1], 15).is_some(), "{last:?}: {lines:?}");
    }
    // Each search is answered; each later line ends the search before it.
    let lines = piped(&format!("{start}BEGIN\nTURN 0,0\nTURN 14,14\n"));
    assert_eq!(lines.iter().filter(|line| coordinates(line, 15).is_some()).count(), 3, "{lines:?}");
    within(ms(1000), || {
        let started = Instant::now();
        let lines = piped("START 15\nINFO book 0\nINFO timeout_turn -1\nBEGIN\n");
        assert!(lines.len() == 2 && coordinates(&lines[1], 15).is_some(), "{lines:?}");
        started.elapsed()
    });
}

/// A file of any size does not delay an answer.
#[test]
fn a_huge_file_makes_no_answer_late() {
    let path = std::env::temp_dir().join(format!("tengen-huge-{}.tnn", std::process::id()));
    // A sparse file, which takes no space on the disk.
    std::fs::File::create(&path).and_then(|file| file.set_len(1 << 30)).expect("a file");
    within(ms(300), || {
        let mut program = Program::game(15, &["timeout_turn 300", "max_memory 80000000"]);
        program.timed("BEGIN", 15);
        program.send("RESTART");
        assert_eq!(program.line(), "OK");
        let started = Instant::now();
        program.send(&format!("INFO nnue_file {}\nTURN 7,7", path.display()));
        let refused = program.line();
        assert!(refused.starts_with("ERROR nnue_file ") && refused.ends_with("not a network, nor a file of weights"));
        let (ended, line) = program.stamped();
        assert!(coordinates(&line, 15).is_some(), "{line}");
        if let Some(peak) = program.peak() {
            assert!(peak << 10 <= 80_000_000, "{peak} KB");
        }
        program.quit();
        ended - started
    });
    let _ = std::fs::remove_file(path);
}

/// A number is accepted in every notation.
#[test]
fn a_limit_with_a_fraction_is_a_limit() {
    within(ms(400), || {
        let mut program = Program::game(15, &["timeout_turn 300.0"]);
        let (time, _) = program.timed("BEGIN", 15);
        program.quit();
        time
    });
    let mut program = Program::start();
    program.send("START 15\nINFO timeout_turn soon\nINFO timeout_turn later");
    assert_eq!(program.line(), "OK");
    assert_eq!(program.line(), "MESSAGE setting timeout_turn needs a number, not \"soon\": it stays as it was");
    program.quit();
}

#[cfg(unix)]
#[test]
fn case_25_the_output_is_closed() {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"START 15\nABOUT\nABOUT\n").expect("it reads");
    let started = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        assert!(started.elapsed() < ms(5000), "still there");
        sleep(ms(5));
    }
    let output = child.wait_with_output().expect("a child");
    // The program exits with a code, not by a signal.
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

#[cfg(unix)]
#[test]
fn case_26_suspended_between_moves() {
    let signal = |program: &Program, name: &str| {
        let status = Command::new("kill").args([name, &program.child.id().to_string()]).status();
        assert!(status.expect("kill runs").success());
    };
    let mut program = Program::game(15, &["timeout_turn 300"]);
    program.timed("BEGIN", 15);
    within(ms(300), || {
        signal(&program, "-STOP");
        sleep(ms(700));
        let started = begin();
        signal(&program, "-CONT");
        program.send("RESTART\nTURN 7,7");
        assert_eq!(program.line(), "OK");
        let (ended, _) = program.stamped();
        ended - started
    });
    program.quit();
}

#[test]
fn case_28_no_spin_on_broken_values() {
    let mut program = Program::start();
    program.send("INFO\nINFO timeout_turn\nINFO timeout_turn abc\nINFO timeout_turn 99999999999999999999999");
    assert!(program.line().starts_with("MESSAGE setting timeout_turn "));
    program.send("INFO timeout_turn 1e3\nINFO folder C:\\Program Files\\x y\nINFO evaluate 3,3");
    program.is_silent(200);
    program.send("START 15\nINFO book 0\nINFO timeout_turn 100\nTURN 3 4\nBEGIN");
    assert_eq!(program.line(), "OK");
    assert!(program.line().starts_with("ERROR"));
    program.a_move(15);
    program.quit();
}

#[test]
fn case_31_32_answers_at_once() {
    for setting in ["time_left -500", "time_left 0", "timeout_turn 0"] {
        let mut program = Program::game(15, &["timeout_turn 1000", "timeout_match 60000", setting]);
        // The first move may include building the tables that all searches need.
        program.timed("TURN 7,7", 15);
        within(ms(50), || {
            program.send("RESTART");
            assert_eq!(program.line(), "OK");
            program.timed("TURN 7,7", 15).0
        });
        program.quit();
    }
}

#[test]
fn case_33_34_limits_are_kept() {
    let cases: [(&[&str], u64); 4] = [
        (&["timeout_match 0", "time_left 2147483647", "timeout_turn 200"], 200),
        (&["timeout_turn 1000", "time_left 120"], 120),
        (&["timeout_turn 100", "timeout_match 100000", "time_left 100000"], 100),
        (&["timeout_turn 30", "timeout_match 100000", "time_left 100000"], 30),
    ];
    for (settings, limit) in cases {
        within(ms(limit), || {
            let mut program = Program::game(15, settings);
            // The preparation that START requests takes tens of milliseconds by itself. A move that is not in the book
            // waits for it.
            if limit < 50 {
                program.send("BOARD\n0,0,2\nDONE");
                program.a_move(15);
            }
            let (time, _) = program.timed("BOARD\n7,7,2\n8,8,1\n7,8,2\nDONE", 15);
            program.quit();
            time
        });
    }
}

#[test]
fn case_37_38_memory_and_threads_of_all_sizes() {
    let mut program = Program::game(15, &["timeout_turn 50"]);
    let settings = [
        "max_memory 1",
        "max_memory 10485760",
        "max_memory 2147483647",
        "max_memory 4294967296",
        "max_memory -1",
        "max_memory 0",
        "hash_size 1",
        "hash_size 999999999999",
        "thread_num 1000",
        "thread_num 0",
        "thread_num -4",
    ];
    for (setting, y) in settings.into_iter().zip(0..) {
        program.send(&format!("RESTART\nINFO {setting}\nTURN 7,{y}"));
        assert_eq!(program.line(), "OK");
        program.a_move(15);
    }
    program.quit();
}

#[test]
fn case_41_nodes_and_depth() {
    for setting in ["max_node 1000", "max_depth 1"] {
        let mut program = Program::game(15, &["timeout_turn 10000", setting]);
        program.timed("TURN 7,7", 15);
        within(ms(200), || {
            program.send("RESTART");
            assert_eq!(program.line(), "OK");
            program.timed("TURN 7,7", 15).0
        });
        program.quit();
    }
}

#[test]
fn case_42_to_the_last_cell() {
    let mut program = Program::game(15, &["timeout_turn 1000", "max_node 200", "rule 1"]);
    let mut free = (0..15).flat_map(|y| (0..15).map(move |x| (x, y))).collect::<HashSet<(u8, u8)>>();
    // Any order works as long as it is poor play.
    let mut random = 1u64;
    program.send("BEGIN");
    loop {
        let reply = program.a_move(15);
        assert!(free.remove(&reply), "{reply:?} is occupied");
        if free.is_empty() {
            break;
        }
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut cells = free.iter().copied().collect::<Vec<_>>();
        cells.sort_unstable();
        let (x, y) = cells[(random >> 33) as usize % cells.len()];
        free.remove(&(x, y));
        program.send(&format!("TURN {x},{y}"));
    }
    program.send("BEGIN");
    assert!(program.line().starts_with("ERROR"));
    program.quit();
}

#[test]
fn case_47_48_nothing_but_moves() {
    let mut program = Program::game(15, &["timeout_turn 100"]);
    for text in ["BEGIN", "TURN 0,0", "TURN 14,14"] {
        program.timed(text, 15);
    }
    program.is_silent(50);
    program.quit();
}

#[test]
fn case_49_many_games_in_one_process() {
    let mut program = Program::start();
    program.send("ABOUT");
    program.line();
    let mut after_ten = None;
    for game in 0..50 {
        let size = if game % 2 == 0 { 15 } else { 20 };
        program.send(&format!("START {size}"));
        assert_eq!(program.line(), "OK");
        program.send("INFO rule 0\nINFO timeout_turn 1000\nINFO max_node 300\nINFO max_memory 100000000\nINFO book 0");
        for text in ["BOARD\n7,7,2\nDONE", "TURN 0,0", "TURN 1,0", "TURN 0,2"] {
            program.send("INFO time_left 100000");
            program.timed(text, size);
        }
        if game == 10 {
            after_ten = program.resident();
        }
    }
    if let Some((before, after)) = after_ten.zip(program.resident()) {
        assert!(after < before + 20_000, "{before} KB, then {after} KB");
    }
    program.quit();
}

#[test]
fn case_64_a_board_sent_slowly() {
    within(ms(800), || {
        let mut program = Program::game(20, &["timeout_turn 400"]);
        let started = begin();
        program.send("BOARD");
        for cell in 0..100 {
            let (x, y) = (cell % 10 * 2, cell / 10 * 2);
            let owner = if (x / 2 + y / 2) % 2 == 0 { 2 } else { 1 };
            program.send(&format!("{x},{y},{owner}"));
            sleep(ms(1));
        }
        program.send("DONE");
        let (ended, line) = program.stamped();
        assert!(coordinates(&line, 20).is_some(), "{line:?}");
        program.quit();
        ended - started
    });
}

#[test]
fn case_76_end_while_thinking() {
    within(ms(300), || {
        let mut program = Program::game(15, &["timeout_turn 60000", "hash_size 4194304"]);
        program.send("TURN 7,7");
        sleep(ms(300));
        program.send("END");
        let (status, time, _) = program.ended();
        assert_eq!(status.code(), Some(0));
        time
    });
}

#[test]
fn case_77_stop() {
    for word in ["YXSTOP", "STOP", "stop", "INFO timeout_turn 0"] {
        within(ms(100), || {
            let mut program = thinking();
            let started = begin();
            program.send(word);
            let (ended, line) = program.stamped();
            assert!(coordinates(&line, 15).is_some(), "{line:?}");
            program.send(word);
            program.is_silent(50);
            program.quit();
            ended.saturating_duration_since(started)
        });
    }
}

#[test]
fn case_79_the_next_move_has_its_time_again() {
    within(ms(400), || {
        let mut program = thinking();
        program.send("INFO timeout_turn 0");
        program.a_move(15);
        program.send("INFO timeout_turn 200");
        let (time, _) = program.timed("TURN 0,0", 15);
        program.quit();
        time
    });
}

#[test]
fn case_80_questions_while_thinking() {
    let mut program = thinking();
    program.send("INFO time_left 5000\nINFO rule 1\nINFO max_memory 100000000\nABOUT\nYXSTOP");
    let lines = [program.line(), program.line()];
    assert!(lines.iter().any(|line| line.starts_with("name=\"")), "{lines:?}");
    assert!(lines.iter().any(|line| coordinates(line, 15).is_some()), "{lines:?}");
    program.is_silent(50);
    program.quit();
}

#[test]
fn case_81_a_new_game_while_thinking() {
    within(ms(150), || {
        let mut program = thinking();
        let started = begin();
        program.send("START 15");
        program.a_move(15);
        let (ended, line) = program.stamped();
        assert_eq!(line, "OK");
        program.is_silent(50);
        program.quit();
        ended.saturating_duration_since(started)
    });
}

#[test]
fn case_81_a_new_board_while_thinking() {
    let mut program = thinking();
    program.send("YXBOARD\n7,7,2\n8,8,1\nDONE");
    program.a_move(15);
    program.is_silent(50);
    program.send("INFO timeout_turn 60000\nTURN 0,0\nINFO timeout_turn 50\nBOARD\n7,7,2\nDONE");
    program.a_move(15);
    program.a_move(15);
    program.is_silent(50);
    program.quit();
}

#[test]
fn case_82_undo_as_yixin_board_does_it() {
    let mut program = Program::start();
    program
        .send("info show_detail 0\nyxshowinfo\nSTART 15\nINFO timeout_turn 60000\nINFO rule 2\nINFO book 0\nturn 7,7");
    assert!(program.line().starts_with("MESSAGE INFO MAX_THREAD_NUM "));
    assert!(program.line().starts_with("MESSAGE INFO MAX_HASH_SIZE "));
    assert_eq!(program.line(), "OK");
    sleep(ms(100));
    program.send("yxstop\nstart 15\nyxboard\n7,7,2\ndone\nyxshowforbid");
    program.a_move(15);
    assert_eq!(program.line(), "OK");
    assert_eq!(program.line(), "FORBID .");
    program.quit();
}

/// Processor time of the program over 200 ms, in clock ticks of 10 ms.
#[cfg(target_os = "linux")]
fn ticks(program: &Program) -> u64 {
    let read = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", program.child.id())).expect("a process");
        let fields = stat.rsplit(')').next().expect("fields").split_whitespace();
        fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum::<u64>()
    };
    let before = read();
    sleep(ms(200));
    read() - before
}

#[cfg(target_os = "linux")]
#[test]
fn case_83_idle_between_moves() {
    let mut program = Program::game(15, &["timeout_turn 60000", "pondering 1"]);
    program.send("TURN 7,7");
    sleep(ms(100));
    program.send("START 15");
    program.a_move(15);
    assert_eq!(program.line(), "OK");
    sleep(ms(200));
    assert!(ticks(&program) <= 2);
    program.quit();
}

#[test]
fn case_84_random_commands() {
    let commands = [
        "START 15",
        "START 20",
        "RESTART",
        "BEGIN",
        "TURN 3,3",
        "TURN 7,8",
        "TURN 9,9",
        "TURN 99,9",
        "BOARD\nDONE",
        "BOARD\n7,7,2\n8,8,1\n9,9,2\nDONE",
        "YXBOARD\n7,7,2\nDONE",
        "STOP",
        "YXSTOP",
        "INFO timeout_turn 0",
        "INFO timeout_turn 20",
        "INFO rule 4",
        "INFO rule 0",
        "ABOUT",
        "TAKEBACK 3,3",
        "FOO",
        "YXSHOWFORBID",
        "YXNBEST 2",
        "SWAP2BOARD\nDONE",
        "YXHASHCLEAR",
        "INFO thread_num 2",
        "INFO thread_num 1",
        "YXBALANCEONE 0",
    ];
    let mut program = Program::game(15, &["timeout_turn 20"]);
    let mut random = 7u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let mut errors = 0;
    let mut searches = 0;
    for _ in 0..1000 {
        let command = commands[next(commands.len())];
        let asks = ["BEGIN", "TURN", "BOARD", "YXNBEST", "SWAP2BOARD", "YXBALANCEONE"];
        searches += usize::from(asks.iter().any(|word| command.split([' ', '\n']).next() == Some(word)));
        program.send(command);
        sleep(ms(next(6) as u64));
    }
    sleep(ms(200));
    program.send("YXSHOWHASHUSAGE");
    let mut answers = 0;
    loop {
        let line = program.line();
        match line.split(' ').next().expect("a word") {
            "MESSAGE" => break,
            "ERROR" => errors += 1,
            "OK" | "UNKNOWN" | "FORBID" => {}
            word if word.starts_with("name=") => {}
            word => {
                assert!(coordinates(word, 20).is_some(), "{line:?}");
                answers += 1;
            }
        }
    }
    // TURN on an occupied cell (and TAKEBACK of no stone) is an error instead of an answer.
    assert!(answers <= searches && searches <= answers + errors, "{searches} asked, {answers} and {errors} errors");
    program.quit();
}

#[test]
fn case_85_86_analysis_lines() {
    let mut program = Program::game(15, &["show_detail 3", "timeout_turn 600"]);
    program.send("yxboard\n7,7,2\ndone\nyxnbest 3");
    let mut blocks = HashSet::new();
    let mut lines = 0;
    let answer = loop {
        let line = program.line();
        lines += 1;
        if let Some(pair) = line.strip_prefix("INFO ") {
            let (key, value) = pair.split_once(' ').unwrap_or_else(|| panic!("no value: {line:?}"));
            assert!(!value.is_empty(), "{line:?}");
            if key == "PV" {
                blocks.insert(value.to_owned());
            }
        } else if !line.starts_with("MESSAGE ") {
            break line;
        }
    };
    assert!(coordinates(&answer, 15).is_some(), "{answer:?}");
    assert!(lines < 600, "{lines} lines");
    assert_eq!(blocks, HashSet::from(["0", "1", "2", "DONE"].map(str::to_owned)));
    program.quit();
}

/// A position in which a search uses its whole time.
const MIDDLE_GAME: &str = "BOARD\n7,7,1\n6,8,2\n6,6,1\n7,5,2\nDONE";

/// The board receives each iteration soon after it ends, however many root moves are marked meanwhile.
#[test]
fn live_analysis_never_starves() {
    within(Duration::ZERO, || {
        let mut program = Program::game(15, &["show_detail 3", "timeout_turn 4000"]);
        let started = begin();
        program.send(MIDDLE_GAME);
        // For each block the time of its arrival, and the depth and time that it reports.
        let mut blocks: Vec<(Duration, u64, u64)> = Vec::new();
        let (mut depth, mut time) = (0, 0);
        let (mut values, mut lines, mut marks) = (0, 0, 0);
        loop {
            let (at, line) = program.stamped();
            let words = line.split(' ').collect::<Vec<_>>();
            let number = || words.last().and_then(|word| word.parse::<u64>().ok());
            match words[..] {
                ["INFO", "DEPTH", _] => depth = number().expect("a depth"),
                ["INFO", "TOTALTIME", _] => time = number().expect("a time"),
                ["INFO", "PV", "DONE"] => blocks.push((at - started, depth, time)),
                ["MESSAGE", "REALTIME", "VAL", value] => {
                    value.parse::<i32>().expect("an integer");
                    values += 1;
                }
                ["MESSAGE", "REALTIME", "PV", ref moves @ ..] => {
                    assert!(moves.iter().all(|p| p.starts_with(|c: char| c.is_ascii_lowercase())), "{line}");
                    lines += 1;
                }
                ["MESSAGE", "REALTIME", ..] => marks += 1,
                _ if coordinates(&line, 15).is_some() => break,
                _ => {}
            }
        }
        let last = blocks.last().expect("blocks").1;
        assert!(last >= 8, "depth {last}");
        let shown: Vec<u64> = blocks.iter().map(|block| block.1).collect();
        assert!((5..=last).all(|depth| shown.contains(&depth)), "{shown:?}");
        // The answer comes with the newest line, so a line that was delayed until then counts as late.
        let late = blocks.iter().map(|(at, depth, time)| {
            at.saturating_sub(ms(*time)).saturating_sub(ms(if *depth >= 5 { 300 } else { 500 }))
        });
        let worst = late.max().expect("blocks");
        assert!(values >= blocks.len() && values == lines, "{values} values, {lines} lines, {} blocks", blocks.len());
        assert!((10..200).contains(&marks), "{marks} marks");
        program.quit();
        worst
    });
}

/// Every manager gets text for people: at intervals, and before the move.
#[test]
fn text_for_people_comes_by_default() {
    // By how much the interval between two texts is shorter than 300 ms.
    within(Duration::ZERO, || {
        let mut program = Program::game(15, &["timeout_turn 1800"]);
        program.send(MIDDLE_GAME);
        let mut texts = Vec::new();
        let answer = loop {
            let (at, line) = program.any_line();
            match line.strip_prefix("MESSAGE ") {
                Some(text) => texts.push((at, text.to_owned())),
                None => break coordinates(&line, 15).expect("a move"),
            }
        };
        assert!((2..=5).contains(&texts.len()), "{texts:?}");
        for (_, text) in &texts {
            let words = text.split(' ').collect::<Vec<_>>();
            assert!(matches!(words[..], ["depth", _, "ev", _, "n", _, "n/ms", _, "tm", _, "pv", _, ..]), "{text}");
        }
        // Texts come twice a second; the last one comes with the answer.
        let gaps = texts.windows(2).take(texts.len() - 2).map(|pair| pair[1].0 - pair[0].0);
        let soonest = gaps.min().unwrap_or(ms(300));
        let lines =
            texts.iter().map(|(_, text)| text.split("pv ").nth(1).expect("a line").split(' ').collect::<Vec<_>>());
        let lines = lines.collect::<Vec<_>>();
        let first = format!("{}{}", char::from(b'a' + answer.0), answer.1 + 1);
        assert_eq!(lines.last().expect("a text")[0], first);
        assert!(lines.iter().all(|line| line.len() > 2), "{lines:?}");
        program.quit();
        ms(300).saturating_sub(soonest)
    });
}

#[test]
fn a_script_may_have_moves_alone() {
    let mut program = Program::start();
    program.send("INFO show_message 0\nSTART 15");
    assert_eq!(program.line(), "OK");
    for text in ["BEGIN", "TURN 0,0", "INFO book 0\nINFO timeout_turn 700\nTURN 14,14"] {
        program.send(text);
        let (_, line) = program.any_line();
        assert!(coordinates(&line, 15).is_some(), "{line}");
    }
    program.quit();
}
