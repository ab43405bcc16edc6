//! Processes that are killed while they write: nothing that was committed is lost, and nothing is there by halves.

use crate::support::{folder, position};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, Point, Setup};
use tengen::rules::Rule;
use tengen_database::{Database, Entry, Kind, Place, Source};

/// The variable that names the database to a writing process.
const WRITE: &str = "TENGEN_TEST_WRITE";
/// Entries of a transaction.
const TOGETHER: u32 = 50;

/// The position of entry `i` of a transaction.
fn setup(transaction: u32, i: u32) -> Setup {
    let size = BoardSize::new(25, 25).expect("a size");
    let place = |number: u32| Point::at((number % 25) as u8, (number / 25 % 25) as u8);
    let mut setup = position(size, "");
    for point in [place(transaction % 600), place(transaction / 600 + 600), place(i)] {
        if setup.stones.iter().all(|(taken, _)| *taken != point) {
            setup.play(point);
        }
    }
    setup
}

/// Writes transactions without end, each with a line on standard output after its commit.
fn write_without_end(path: &Path) {
    let mut database = Database::create(path).expect("a database");
    let source = Source::new("writer", Kind::Build, String::new());
    let id = database.write(|changes| changes.own_source(&source)).expect("space");
    let mut next = 1 + newest(&database);
    loop {
        let write = |changes: &mut tengen_database::Changes<'_>| {
            for i in 0..TOGETHER {
                let place = Place::of(&setup(next, i), Rule::Renju)?;
                changes.set(&place, id, Entry { visits: next, text: format!("{i} of {next}"), ..Entry::default() })?;
            }
            // The last transaction, whose number is in one place.
            let place = Place::of(&position(BoardSize::RENJU, ""), Rule::Renju)?;
            changes.set(&place, id, Entry { visits: next, ..Entry::default() })
        };
        database.write(write).expect("space");
        let mut out = std::io::stdout();
        writeln!(out, "{next}").and_then(|()| out.flush()).expect("a reader");
        next += 1;
    }
}

/// The newest transaction in the database.
fn newest(database: &Database) -> u32 {
    let entries = database.view().expect("a view").entries(&position(BoardSize::RENJU, ""), Rule::Renju);
    entries.expect("readable").first().map_or(0, |(_, entry)| entry.visits)
}

/// Starts a writer, kills it after a while, and returns the last commit that it reported.
fn killed_writer(path: &Path, after: Duration) -> u32 {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["kills::a_writing_process", "--exact", "--nocapture", "--ignored"]).env(WRITE, path);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a process");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let is_commit = |line: &String| line.trim().parse::<u32>().ok();
    // The time counts from the first commit.
    let mut last = lines.by_ref().map_while(Result::ok).find_map(|line| is_commit(&line)).expect("a commit");
    let killer = std::thread::spawn(move || {
        std::thread::sleep(after);
        child.kill().expect("a running process");
        child.wait().expect("its end");
    });
    for line in lines.map_while(Result::ok) {
        last = is_commit(&line).unwrap_or(last);
    }
    killer.join().expect("no panic");
    last
}

fn kill_writers(kills: u32) {
    let folder = folder("kills");
    let path = folder.path().join("a.tdb");
    let begun = Instant::now();
    let mut commits = 0;
    for kill in 0..kills {
        let reported = killed_writer(&path, Duration::from_micros(u64::from(kill * 7919 % 20_000)));
        let database = Database::open(&path).expect("the killed writer's database");
        let found = newest(&database);
        assert!(found >= reported, "kill {kill}: commit {reported} was reported, {found} is there");
        let view = database.view().expect("a view");
        let mut entries = 0_u64;
        view.scan(|_, _, entry| {
            entries += 1;
            entry.visits <= found
        })
        .expect("no damage");
        // The newest transactions, and every entry of the last one.
        for transaction in found.saturating_sub(20).max(1)..=found {
            for i in 0..TOGETHER {
                let known = view.entries(&setup(transaction, i), Rule::Renju).expect("readable");
                assert!(!known.is_empty(), "kill {kill}: entry {i} of {transaction} is lost");
            }
        }
        commits = found;
    }
    let time = begun.elapsed().as_secs_f64();
    let _ = writeln!(std::io::stdout(), "{kills} kills, {commits} commits, none lost, {time:.0} s");
}

#[test]
fn killed_writers_lose_nothing_that_they_committed() {
    kill_writers(4);
}

#[test]
#[ignore = "takes minutes"]
fn two_hundred_killed_writers_lose_nothing() {
    kill_writers(200);
}

#[test]
#[ignore = "is started and killed by the others"]
fn a_writing_process() {
    if let Some(path) = std::env::var_os(WRITE) {
        write_without_end(Path::new(&path));
    }
}
