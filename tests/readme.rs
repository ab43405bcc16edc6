//! The README says what the program does: its pasted games are played, its tables compared with the code.

#[path = "support/program.rs"]
mod program;

use program::Program;
use std::time::{Duration, Instant};
use tengen::book::Book;
use tengen::engine::{BoardSize, Goal, Options, Request};
use tengen::protocol::{Command, Effect, Event, Extension, Key, Reply, Session};
use tengen::workbench::bench;

const README: &str = include_str!("../README.md");

/// Fenced blocks in order: their language and text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    // Fences open and close in turn, so every second piece is a block.
    let pieces = README.split("```").skip(1).step_by(2);
    pieces.map(|piece| piece.split_once('\n').expect("a language")).collect()
}

/// Rows of the table whose head begins with this cell; each row as its cells.
fn table(head: &str) -> Vec<Vec<&'static str>> {
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    let rows = README.lines().skip_while(|line| !line.starts_with(&format!("| {head} |"))).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|')).map(cells).collect::<Vec<_>>();
    assert!(!rows.is_empty(), "no table of {head}");
    rows
}

/// What stands between backticks.
fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// What a session asks of the engine after these lines.
fn request(lines: &str) -> (Request, Options) {
    let mut session = Session::new(1);
    let lines = lines.lines().map(|line| Event::Line { bytes: line.into(), arrived: Instant::now() });
    let effects = lines.flat_map(|line| session.handle(line)).collect::<Vec<_>>();
    let start = effects.into_iter().find_map(|effect| match effect {
        Effect::Start { request, options, .. } => Some((*request, options)),
        _ => None,
    });
    start.expect("a search")
}

#[test]
#[cfg(unix)]
fn the_pasted_games_give_the_shown_output() {
    let path = env!("CARGO_BIN_EXE_pbrain-tengen");
    let blocks = blocks();
    let run = "| cargo run --release --quiet\n";
    let games = blocks.windows(2).filter(|pair| pair[0].1.ends_with(run)).collect::<Vec<_>>();
    assert_eq!(games.len(), 2);
    let shells = games.iter().map(|pair| {
        let script = pair[0].1.replace(run, &format!("| '{path}'\n"));
        let child = std::process::Command::new("sh").arg("-c").arg(script).stdout(std::process::Stdio::piped()).spawn();
        child.expect("a shell")
    });
    for (shell, pair) in shells.collect::<Vec<_>>().into_iter().zip(&games) {
        let output = shell.wait_with_output().expect("an end");
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stdout), pair[1].1);
    }
}

#[test]
fn rule_numbers_mean_what_the_table_says() {
    for row in table("`INFO rule`") {
        let [number, manager, board, _] = row[..] else { panic!("{row:?}") };
        let rule = |before: &str| request(&format!("{before}START 15\nINFO rule {number}\nBEGIN")).0.rule;
        assert_eq!(rule("").name(), manager, "rule {number} from a manager");
        for board_says in ["INFO show_detail 3\n", "yxshowinfo\n"] {
            assert_eq!(rule(board_says).name(), board, "rule {number} from a board");
        }
        assert_eq!(rule("YXSTOP\n").name(), manager, "rule {number} with a runner's stop");
    }
}

#[test]
fn the_options_are_those_of_the_program_with_their_defaults() {
    let rows = table("key");
    let keys = rows.iter().map(|row| row[0].trim_matches('`')).collect::<Vec<_>>();
    assert_eq!(keys, sorted_like(&keys, Key::ALL.map(Key::name)));
    let default = |key: Key| rows[keys.iter().position(|k| *k == key.name()).expect("a row")][1];
    let (plain, options) = request("START 15\nBEGIN");
    // Each default, when said, changes nothing. The time limit of the very default is another sentence.
    let said = Key::ALL.into_iter().filter(|key| default(*key) != "none" && *key != Key::HashSize);
    let said = said.map(|key| format!("INFO {} {}\n", key.name(), default(key))).collect::<String>();
    let (same, same_options) = request(&format!("START 15\n{said}BEGIN"));
    assert_eq!((same.rule, same.limits.turn, same_options), (plain.rule, plain.limits.turn, options.clone()));
    assert_eq!(default(Key::HashSize), (64 * 1024).to_string());
    assert_eq!((options.hash, options.max_memory, options.threads), (None, None, 1));
    assert_eq!(plain.limits.turn, Some(Duration::from_millis(5000)));
    assert!(README.contains("a move takes at most 5000 ms"));
    assert!(README.contains(&format!("position: {} positions of up to four stones", Book::built_in().len())));
    assert!(README.contains(&format!("search threads, 1 to {}", Options::MAX_THREADS)));
    assert!(README.contains(&format!("plies, {} at most", tengen::search::MAX_DEPTH)));
    assert!(README.contains(&format!("boards of {} to {}\npoints a side", BoardSize::MIN, BoardSize::MAX)));
}

/// `wanted` in the order of `order`, and then what it has more.
fn sorted_like<'a>(order: &[&'a str], wanted: [&'a str; Key::ALL.len()]) -> Vec<&'a str> {
    let mut sorted = wanted.to_vec();
    sorted.sort_by_key(|name| order.iter().position(|o| o == name).unwrap_or(usize::MAX));
    sorted
}

#[test]
fn the_commands_are_known() {
    for row in README.lines().filter(|line| line.starts_with("| `")) {
        let first = row.trim_matches('|').split('|').next().unwrap_or_default();
        for word in
            words(first).filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()) && !word.contains('_'))
        {
            match Command::parse(word.as_bytes()) {
                Ok(Command::Extension(Extension::Foreign { .. })) | Err(_) => panic!("{word} is not understood"),
                Ok(_) => {}
            }
        }
    }
    let goal = |lines: &str| request(&format!("START 15\n{lines}")).0.goal;
    assert_eq!(goal("YXBALANCETWO 0"), Goal::BalanceTwo { bias: 0 });
    assert_eq!(goal("YXSEARCHDEFEND"), Goal::AllMoves);
}

#[test]
fn the_log_goes_to_the_file_that_the_variable_names() {
    let variables = table("variable").into_iter().map(|row| row[0].trim_matches('`')).collect::<Vec<_>>();
    let [level, file] = variables[..] else { panic!("{variables:?}") };
    let path = std::env::temp_dir().join(format!("tengen-readme-{}.log", std::process::id()));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"));
    let mut program = Program::with(command.env_remove(level).env(file, &path));
    program.send("START 15");
    assert_eq!(program.line(), Reply::Ok.to_string());
    program.quit();
    let log = std::fs::read_to_string(&path).expect("a log");
    std::fs::remove_file(&path).expect("its end");
    assert!(log.contains("> START 15") && log.contains("< OK"), "{log}");
}

#[test]
#[ignore = "compares figures that belong to a release; run it with --release before one"]
fn the_bench_shows_the_nodes_of_this_version() {
    let shown = blocks().into_iter().map(|(_, text)| text).find(|text| text.contains("signature")).expect("a bench");
    let entries = bench::run(&bench::Settings::default(), &mut |_| {});
    let total = entries.iter().map(|entry| entry.nodes).sum::<u64>();
    assert_eq!(bench::signature(2).ok(), Some(total), "side by side the searches are the same");
    assert!(README.contains(&format!("searches {} fixed positions", entries.len())));
    assert!(shown.contains(&format!("signature {total}\n")), "the signature is {total}");
    for line in shown.lines().filter(|line| line.contains(" nodes ")) {
        let words = line.split_whitespace().collect::<Vec<_>>();
        let number: usize = words[0].parse().expect("a number");
        assert_eq!(words[3], entries[number - 1].nodes.to_string(), "position {number}");
    }
}
