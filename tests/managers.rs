//! Whole games in the style of each manager, refereed by the plain rules.
#![allow(clippy::print_stdout)]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/machine.rs"]
mod machine;
#[path = "support/program.rs"]
mod program;

use machine::Machine;
use program::{Program, excuse};
#[cfg(unix)]
use program::{begin, within};
use std::time::Duration;
#[cfg(unix)]
use std::{
    process::{Command, Stdio},
    thread::sleep,
};
use tengen::rules::{Game, Outcome, Rule, Status};

use tengen::board::{BoardSize, Point};

fn rule_of(number: u8) -> Rule {
    match number {
        0 => Rule::Freestyle,
        1 => Rule::Standard,
        4 => Rule::Renju,
        8 => Rule::Caro,
        _ => Rule::CaroExact,
    }
}

/// Plays a point, which ends the game by a foul only if all empty points are forbidden, as at the end of a full board.
fn play(game: &mut Game, (x, y): (u8, u8)) -> Option<Outcome> {
    let is_lost = game.forbidden().len() == game.size().cells() - game.moves().len();
    match game.play(Point::at(x, y)) {
        Ok(Status::Running) => None,
        Ok(Status::Over(outcome)) => {
            assert!(is_lost || !matches!(outcome, Outcome::Foul { .. }), "{outcome}");
            Some(outcome)
        }
        Err(error) => panic!("{x},{y}: {error}"),
    }
}

/// `BOARD` with the moves so far; the side to move is the one that must answer.
fn board(game: &Game, end: &str) -> String {
    let moves = game.moves().collect::<Vec<_>>();
    let owner = |i: usize| if (moves.len() - i).is_multiple_of(2) { 1 } else { 2 };
    let cells = moves.iter().enumerate().map(|(i, p)| format!("{},{},{}{end}", p.x(), p.y(), owner(i)));
    format!("BOARD{end}{}DONE", cells.collect::<String>())
}

#[cfg(unix)]
fn signal(program: &Program, name: &str) {
    let status = Command::new("kill").args([name, &program.child.id().to_string()]).status();
    assert!(status.expect("kill runs").success());
}

/// Acts like the judge of Gomocup: it writes all commands up to the first move at once with CRLF, does not wait for
/// `OK`, and suspends the process whenever it is not its turn. The time of the first move includes the start of the
/// program. Cases 50 and 102.
#[cfg(unix)]
fn judged(machine: &Machine, rule: u8, size: u8, opening: &[(u8, u8)], turn: i64, whole: i64) {
    let mut game = Game::new(rule_of(rule), BoardSize::new(size, size).expect("a size"));
    opening.iter().for_each(|point| assert_eq!(play(&mut game, *point), None));
    let mut sides = [(); 2].map(|()| {
        let mut program = Program::start();
        program.write(
            format!(
                "START {size}\r\nINFO timeout_turn {turn}\r\nINFO timeout_match {whole}\r\nINFO max_memory 367001600\r\n\
                 INFO game_type 3\r\nINFO rule {rule}\r\nINFO folder /tmp/match/folder\r\n"
            )
            .as_bytes(),
        );
        signal(&program, "-STOP");
        (program, 0, false)
    });
    let outcome = loop {
        let last = game.moves().next_back();
        let number = game.moves().len() % 2;
        let (program, used, known) = &mut sides[number];
        let text = match last.filter(|_| *known) {
            Some(p) => format!("TURN {},{}", p.x(), p.y()),
            None => board(&game, "\r\n"),
        };
        // The pipe buffers the input of a suspended process.
        let limit = turn.min(whole - *used);
        let started = begin();
        signal(program, "-CONT");
        program.write(format!("INFO time_left {}\r\n{text}\r\n", whole - *used).as_bytes());
        let (ended, point) = loop {
            let (ended, line) = program.stamped();
            match program::coordinates(&line, size) {
                Some(point) => break (ended, point),
                // The judge ignores all other lines.
                None => assert!(line == "OK" || line.starts_with("MESSAGE "), "{line}"),
            }
        };
        signal(program, "-STOP");
        // Lateness caused by the machine does not count against the engine.
        let time = own(ended - started, limit, excuse(machine));
        // The judge subtracts 10 ms and tolerates 500 ms.
        assert!(time <= limit + 150, "{time} ms of {limit}, rule {rule}, move {}", game.moves().len());
        *used += (time - 10).max(0);
        *known = true;
        if let Some(outcome) = play(&mut game, point) {
            break outcome;
        }
    };
    println!("rule {rule}, {size}x{size}: {outcome} after {} stones", game.moves().len());
    for (program, _, _) in sides {
        signal(&program, "-CONT");
        program.quit();
    }
}

/// Milliseconds of a move, without the part of its lateness that the machine explains.
fn own(taken: Duration, limit: i64, excuse: Duration) -> i64 {
    let taken = taken.as_millis() as i64;
    let late = (taken - limit).max(0);
    taken - late.min(excuse.as_millis() as i64)
}

#[cfg(unix)]
#[test]
fn case_50_102_judged_games() {
    Machine::watched(|machine| {
        judged(machine, 0, 20, &[(9, 9), (10, 10), (12, 8)], 300, 2000);
        judged(machine, 1, 15, &[(7, 7), (8, 8), (10, 5)], 100, 1500);
        judged(machine, 4, 15, &[(7, 7), (7, 8), (9, 6)], 200, 1500);
        judged(machine, 8, 15, &[], 100, 1500);
    });
}

/// Acts like a match runner: one process for all games, `START` between them, waiting for `OK`, and accepting only a
/// move as an answer. Cases 49 and 101.
#[test]
fn case_49_101_games_of_a_match() {
    Machine::watched(games_of_a_match);
}

fn games_of_a_match(machine: &Machine) {
    let mut programs = [(); 2].map(|()| {
        let mut program = Program::start();
        program.send("ABOUT");
        assert!(program.line().starts_with("name=\""));
        program
    });
    for (number, (rule, size)) in [(0, 15), (1, 15), (4, 15), (0, 20), (1, 20), (4, 20)].into_iter().enumerate() {
        let mut game = Game::new(rule_of(rule), BoardSize::new(size, size).expect("a size"));
        let mut left = [1500_u64; 2];
        for program in &mut programs {
            program.send(&format!("START {size}"));
            assert_eq!(program.line(), "OK");
            program.send(&format!("INFO rule {rule}\nINFO timeout_turn 100\nINFO timeout_match 1500"));
            program.send("INFO max_memory 367001600\nINFO thread_num 1\nINFO book 0");
        }
        loop {
            let side = game.moves().len() % 2;
            let program = &mut programs[side];
            let text = match game.moves().next_back() {
                None => "BEGIN".to_owned(),
                Some(p) if game.moves().len() > 1 && number % 2 == 0 => format!("TURN {},{}", p.x(), p.y()),
                Some(_) => board(&game, "\n"),
            };
            program.send(&format!("INFO time_left {}", left[side]));
            let (time, point) = program.timed(&text, size);
            let limit = left[side].min(100);
            let time = own(time, limit as i64, excuse(machine)) as u64;
            assert!(time <= limit + 100, "{time} ms of {limit}");
            left[side] = left[side].saturating_sub(time) + 50;
            if let Some(outcome) = play(&mut game, point) {
                println!("rule {rule}, {size}x{size}: {outcome} after {} stones", game.moves().len());
                break;
            }
        }
    }
    for program in programs {
        program.quit();
    }
}

/// Case 104: the manager dies without a message while the program thinks.
#[cfg(unix)]
#[test]
fn case_104_the_manager_dies() {
    within(Duration::from_secs(1), || {
        let words = "START 15\\nINFO timeout_turn 60000\\nBOARD\\n7,7,2\\nDONE\\n";
        let mut manager = Command::new("sh")
            .args(["-c", &format!("printf '{words}'; exec sleep 60")])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        // Although the input ends, a search with a limit is finished if its answer can be read. Here it cannot, because
        // the manager also held the other end of the program's output.
        // The manager alone holds the other end of the program's input.
        let input = Stdio::from(manager.stdout.take().expect("a pipe"));
        let mut program = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"));
        let mut program = program.stdin(input).stdout(Stdio::piped()).spawn().expect("the program starts");
        let output = program.stdout.take();
        sleep(Duration::from_millis(300));
        assert_eq!(program.try_wait().expect("a child"), None);
        manager.kill().expect("the manager dies");
        manager.wait().expect("a child");
        drop(output);
        let started = begin();
        while program.try_wait().expect("a child").is_none() {
            assert!(started.elapsed() < program::PATIENCE, "still there");
            sleep(Duration::from_millis(5));
        }
        let taken = started.elapsed();
        assert!(program.wait().expect("a child").success());
        taken
    });
}
