//! An engine that misbehaves on request: the opponent in the tests of the referee.
//!
//! `bad_engine [FAULT] [--after N] [--pids FILE]`: plays quick, simple moves for N moves of each game (0 by default),
//! then commits the fault. Without a fault it is a correct but weak player. With `--pids` it appends its process id,
//! and those of its children, to a file. `script:FILE` is not a fault: the engine plays the games of the file, one a
//! line as `x,y` separated by blanks, and follows the one that begins like the current game.

#![expect(clippy::exit, reason = "ending at the wrong time is what it is for")]

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The program's arguments.
struct Plan {
    fault: String,
    after: usize,
    pids: Option<String>,
}

/// Stones by cell: 0 none, 1 own, 2 the opponent's.
struct Board {
    width: i32,
    height: i32,
    cells: Vec<u8>,
    /// Stones in the order in which the engine received them.
    order: Vec<(i32, i32)>,
    moves: usize,
}

fn main() {
    let mut plan = Plan { fault: String::new(), after: 0, pids: None };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--after" => plan.after = args.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "--pids" => plan.pids = args.next(),
            _ => plan.fault = arg,
        }
    }
    note_pid(&plan, std::process::id());
    match plan.fault.as_str() {
        "sleeper" => sleep_for_ever(),
        "parent" => return spawn(&plan),
        _ => {}
    }
    let mut board = Board { width: 0, height: 0, cells: Vec::new(), order: Vec::new(), moves: 0 };
    let mut lines = io::stdin().lock().lines().map_while(Result::ok);
    while let Some(line) = lines.next() {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match word.to_ascii_uppercase().as_str() {
            "START" | "RECTSTART" => start(&plan, &mut board, &numbers(rest)),
            "ABOUT" => say("name=\"bad\", version=\"1\", author=\"the Tengen authors\", country=\"World\""),
            "BEGIN" => answer(&plan, &mut board),
            "TURN" => {
                if let [x, y] = numbers(rest)[..] {
                    board.set(x, y, 2);
                }
                answer(&plan, &mut board);
            }
            "BOARD" => {
                board.clear();
                read_body(&mut lines, &mut board);
                answer(&plan, &mut board);
            }
            "SWAP2BOARD" => {
                board.clear();
                read_body(&mut lines, &mut board);
                swap2(&plan, &board);
            }
            "END" if plan.fault != "never-exits" => return,
            _ => {}
        }
    }
    if plan.fault == "never-exits" {
        sleep_for_ever();
    }
}

fn start(plan: &Plan, board: &mut Board, size: &[i32]) {
    let (width, height) = (size.first().copied().unwrap_or(15), size.last().copied().unwrap_or(15));
    *board = Board { width, height, cells: vec![0; (width * height) as usize], order: Vec::new(), moves: 0 };
    match plan.fault.as_str() {
        "start-error" => say("ERROR no such board"),
        "start-silent" => {}
        "start-crash" => std::process::abort(),
        _ => say("OK"),
    }
}

fn read_body(lines: &mut impl Iterator<Item = String>, board: &mut Board) {
    for line in lines.by_ref().take_while(|l| !l.trim().eq_ignore_ascii_case("DONE")) {
        match numbers(&line)[..] {
            [x, y, who] => board.set(x, y, who as u8),
            [x, y] => board.set(x, y, 2),
            _ => {}
        }
    }
}

/// Swap2 with fixed choices: always the same opening, then the choice that the fault's name specifies.
fn swap2(plan: &Plan, board: &Board) {
    match (board.cells.iter().filter(|c| **c != 0).count(), plan.fault.as_str()) {
        (0, "swap2-bad") => say("7,7"),
        (0, _) => say("7,7 8,8 3,3"),
        (3, "swap2-two") => say("2,2 4,4"),
        (3, "swap2-one") => say("2,2"),
        (5, "swap2-stay") => say("5,5"),
        _ => say("SWAP"),
    }
}

fn answer(plan: &Plan, board: &mut Board) {
    let (x, y) = board.choose();
    let due = board.moves >= plan.after;
    board.moves += 1;
    if !due || !commit(plan, board, x, y) {
        board.set(x, y, 1);
        let score = match plan.fault.as_str() {
            "says-won" => 500,
            "says-lost" => -500,
            _ => 7,
        };
        say(&format!("MESSAGE depth 2 score {score} nodes 225"));
        say(&format!("{x},{y}"));
    }
}

/// Commits the fault; `false` if it does not replace the answer.
fn commit(plan: &Plan, board: &mut Board, x: i32, y: i32) -> bool {
    match plan.fault.as_str() {
        "late" => {
            std::thread::sleep(Duration::from_millis(400));
            return false;
        }
        "later" => {
            std::thread::sleep(Duration::from_millis(900));
            return false;
        }
        "silent" => {}
        "crash" => std::process::abort(),
        "exit" => std::process::exit(3),
        "crash-between" => {
            say(&format!("{x},{y}"));
            std::thread::sleep(Duration::from_millis(20));
            std::process::exit(0);
        }
        "crash-after" => {
            say(&format!("{x},{y}"));
            std::process::exit(0);
        }
        "illegal" => {
            let taken = board.cells.iter().position(|c| *c != 0).unwrap_or(0) as i32;
            say(&format!("{},{}", taken % board.width, taken / board.width));
        }
        "off-board" => say(&format!("{},{}", board.width, 0)),
        "far-off-board" => say("-1,99"),
        "two-moves" => say(&format!("{x},{y}\n{x},{}", (y + 1) % board.height)),
        "error" => say("ERROR I do not want to"),
        "prose" => say("I move to the centre"),
        "flood" => loop {
            say(&"MESSAGE and another thing ".repeat(40));
        },
        "endless" => loop {
            write(&"7,7 ".repeat(1000));
        },
        "no-line-end" => write(&format!("{x},{y}")),
        "spawn" => {
            spawn(plan);
            std::thread::sleep(Duration::from_secs(1000));
        }
        "orphan" => spawn_orphan(plan),
        "hog" => {
            let mut memory = vec![0u8; 256 << 20];
            // The program writes to the memory so that it becomes resident.
            memory.iter_mut().step_by(4096).for_each(|b| *b = 1);
            std::thread::sleep(Duration::from_millis(100));
            say(&format!("{},{y}", x + i32::from(memory[0]) - 1));
        }
        other if other.starts_with("script:") => match scripted(&other[7..], board) {
            Some((x, y)) => {
                board.set(x, y, 1);
                say(&format!("{x},{y}"));
            }
            None => say("ERROR the script has no such game"),
        },
        play => {
            if let Some([x, y]) = play.strip_prefix("play:").and_then(|p| <[i32; 2]>::try_from(numbers(p)).ok()) {
                board.set(x, y, 1);
                say(&format!("{x},{y}"));
                return true;
            }
            return false;
        }
    }
    true
}

/// The next move of the scripted game that began like this one.
fn scripted(path: &str, board: &Board) -> Option<(i32, i32)> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let mut moves = line.split_whitespace().map(numbers);
        let begins = board.order.iter().all(|(x, y)| moves.next().is_some_and(|m| m == [*x, *y]));
        let next = moves.next().filter(|_| begins)?;
        Some((*next.first()?, *next.last()?))
    })
}

/// Starts a child that would survive: in the same process group, and with the same pipes.
fn spawn(plan: &Plan) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.arg("sleeper").stdin(Stdio::null());
    #[cfg(unix)]
    if plan.after == 1 {
        // This child leaves the process group, which makes it harder to kill.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    if let Ok(child) = command.spawn() {
        note_pid(plan, child.id());
    }
}

/// Starts a process outside the group whose parent has ended, so that it is no descendant any more.
fn spawn_orphan(plan: &Plan) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut parent = Command::new(program);
    parent.args(["parent", "--after", "1", "--pids", plan.pids.as_deref().unwrap_or("pids")]);
    drop(parent.stdin(Stdio::null()).stdout(Stdio::null()).status());
}

fn note_pid(plan: &Plan, pid: u32) {
    if let Some(path) = &plan.pids
        && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path)
    {
        let _ = writeln!(file, "{pid}");
    }
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

fn numbers(text: &str) -> Vec<i32> {
    text.split(',').filter_map(|n| n.trim().parse().ok()).collect()
}

fn say(line: &str) {
    write(&format!("{line}\n"));
}

fn write(text: &str) {
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

impl Board {
    fn set(&mut self, x: i32, y: i32, who: u8) {
        if let Some(cell) = self.index(x, y) {
            self.cells[cell] = who;
            self.order.push((x, y));
        }
    }

    fn clear(&mut self) {
        self.cells.fill(0);
        self.order.clear();
    }

    fn index(&self, x: i32, y: i32) -> Option<usize> {
        ((0..self.width).contains(&x) && (0..self.height).contains(&y)).then_some((y * self.width + x) as usize)
    }

    /// The empty cell with the longest rows through it; among equals, the one nearest the centre.
    fn choose(&self) -> (i32, i32) {
        let run = |x: i32, y: i32, dx: i32, dy: i32, who: u8| {
            (1..5).take_while(|i| self.index(x + i * dx, y + i * dy).is_some_and(|c| self.cells[c] == who)).count()
        };
        let value = |x: i32, y: i32| {
            let mut best = 0;
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                for who in [1, 2] {
                    best =
                        best.max(3 * (run(x, y, dx, dy, who) + run(x, y, -dx, -dy, who)) + 1 - usize::from(who == 2));
                }
            }
            let from_centre = (2 * x - self.width).abs() + (2 * y - self.height).abs();
            (best, -from_centre)
        };
        let empty = (0..self.width * self.height).map(|i| (i % self.width, i / self.width));
        let empty = empty.filter(|(x, y)| self.index(*x, *y).is_some_and(|c| self.cells[c] == 0));
        empty.max_by_key(|(x, y)| value(*x, *y)).unwrap_or((0, 0))
    }
}
