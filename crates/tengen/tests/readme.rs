//! README and PROTOCOL say what the programs do: pasted games are played, samples run, tables compared with the code.

#[path = "../../../tests/support/machine.rs"]
mod machine;
#[path = "../../../tests/support/program.rs"]
mod program;
#[path = "../../../tests/support/mod.rs"]
mod support;

use program::{Program, engine_path};
use std::time::{Duration, Instant};
use support::workspace;
use tengen::bench;
use tengen::book::Book;
use tengen::engine::{BoardSize, Goal, Options, Request};
use tengen::protocol::{Command, Effect, EvaluationKind, Event, Extension, Key, Reply, Session};

const README: &str = include_str!("../../../README.md");
const PROTOCOL: &str = include_str!("../../../PROTOCOL.md");

/// Fenced blocks in order: their language and text.
fn blocks(text: &'static str) -> Vec<(&'static str, &'static str)> {
    // Fences open and close in turn, so every second piece is a block.
    let pieces = text.split("```").skip(1).step_by(2);
    pieces.map(|piece| piece.split_once('\n').expect("a language")).collect()
}

/// Rows of the protocol's table whose head begins with this cell; each row as its cells.
fn table(head: &str) -> Vec<Vec<&'static str>> {
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    let rows = PROTOCOL.lines().skip_while(|line| !line.starts_with(&format!("| {head} |"))).skip(2);
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

/// Pieces of shell, each with the output shown below it. Between the two stands a sentence or two at most.
fn samples() -> Vec<(&'static str, &'static str)> {
    const PROSE: usize = 400;
    let pairs = |text: &'static str| {
        let pieces = text.split("```").collect::<Vec<_>>();
        let blocks = pieces[1..].windows(3).step_by(2).filter(|three| three[1].len() < PROSE);
        let pairs = blocks.map(|three| (three[0].strip_prefix("sh\n"), three[2].strip_prefix("text\n")));
        pairs.filter_map(|(shell, output)| shell.zip(output)).collect::<Vec<_>>()
    };
    [pairs(README), pairs(PROTOCOL)].concat()
}

/// Commands of a piece of shell, each as its words.
fn commands(shell: &str) -> Vec<Vec<String>> {
    let joined = shell.replace("\\\n", " ");
    joined.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
#[cfg(unix)]
fn the_pasted_games_give_the_shown_output() {
    let path = engine_path();
    let run = "| pbrain-tengen\n";
    let games = samples().into_iter().filter(|(shell, _)| shell.ends_with(run)).collect::<Vec<_>>();
    assert_eq!(games.len(), 2);
    let shells = games.iter().map(|(shell, _)| {
        let script = shell.replace(run, &format!("| '{path}'\n"));
        let child = std::process::Command::new("sh").arg("-c").arg(script).stdout(std::process::Stdio::piped()).spawn();
        child.expect("a shell")
    });
    for (shell, (_, shown)) in shells.collect::<Vec<_>>().into_iter().zip(&games) {
        let output = shell.wait_with_output().expect("an end");
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stdout), *shown);
    }
}

/// What a machine or a change of the search does not change in a line of output: numbers and points become signs,
/// rows of tables one sign, and the columns of graphs none.
fn shape(line: &str) -> String {
    let label = |word: &str| {
        let mut chars = word.chars();
        chars.next().is_some_and(|c| c.is_ascii_lowercase()) && word.len() > 1 && chars.all(|c| c.is_ascii_digit())
    };
    let sign = |word: &str| match word {
        word if label(word) => "P".to_owned(),
        word if word.contains(|c: char| c.is_ascii_digit()) => "#".to_owned(),
        word => word.trim_matches(['█', '▄', '·']).to_owned(),
    };
    let mut signs: Vec<String> = line.split_whitespace().map(sign).filter(|sign| !sign.is_empty()).collect();
    signs.dedup();
    match signs.first().map(String::as_str) {
        // Marks of errors below a graph, and their numbers.
        Some("black" | "white" | "black:" | "white:") => signs[0].clone(),
        Some("#") if signs.get(1).is_none_or(|sign| sign != "|") => "#".to_owned(),
        _ => signs.join(" "),
    }
}

/// Whether the lines shown are lines of the output, in their order. `exact` compares all but times and speeds.
fn is_shown(shown: &str, output: &str, exact: bool) -> Result<(), String> {
    let timed = |line: &str| [" ms", " s", "nodes/s", "a second"].iter().any(|word| line.contains(word));
    let mut rest = output.lines();
    let mut timed_table = false;
    for line in shown.lines().filter(|line| *line != "[...]") {
        timed_table = (timed_table || line.contains("ms/move") || line.contains("nodes/s")) && !line.is_empty();
        let same = |other: &str| match exact && !timed_table && !timed(line) {
            true => other.trim_end() == line,
            false => shape(other) == shape(line),
        };
        rest.by_ref().find(|other| same(other)).ok_or_else(|| format!("{line:?} is not in\n{output}"))?;
    }
    Ok(())
}

/// Runs the commands of a sample in a folder of their own and returns what the last one prints.
fn run(shell: &str) -> String {
    let root = workspace().display();
    let folder = std::env::temp_dir().join(format!("tengen-sample-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut last = String::new();
    for words in commands(shell) {
        let program = match words[0].as_str() {
            "tengen" => env!("CARGO_BIN_EXE_tengen"),
            "pbrain-tengen" => engine_path(),
            other => panic!("{other} cannot be run here"),
        };
        let engine = format!("cmd={}", engine_path());
        let words = words[1..].iter().map(|word| word.replace("cmd=pbrain-tengen", &engine));
        let words = words.map(|word| {
            word.replace("tests/data", &format!("{root}/tests/data"))
                .replace("crates/workbench/openings", &format!("{root}/crates/workbench/openings"))
        });
        let mut command = std::process::Command::new(program);
        command.args(words).current_dir(&folder).stdin(std::process::Stdio::null());
        let output = command.output().expect("the program");
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        last = String::from_utf8(output.stdout).expect("text");
    }
    std::fs::remove_dir_all(&folder).expect("its end");
    last
}

fn compare_samples(exact: bool) {
    let is_run = |shell: &str| commands(shell).iter().all(|words| words[0].ends_with("tengen"));
    let ours: Vec<_> = samples().into_iter().filter(|(shell, _)| is_run(shell)).collect();
    assert_eq!(ours.len(), 6, "analysis, review, match, two benches, training games");
    for (shell, shown) in ours {
        // Less work will do where figures are not compared.
        let smaller = shell.replace("--depth 10", "--depth 4").replace("--games 200", "--games 20");
        if exact {
            is_shown(shown, &run(shell), true).unwrap_or_else(|e| panic!("{shell}: {e}"));
        } else if !shell.starts_with("pbrain-tengen bench") {
            is_shown(shown, &run(&smaller), false).unwrap_or_else(|e| panic!("{shell}: {e}"));
        }
    }
}

#[test]
fn the_samples_of_the_workbench_can_be_run() {
    compare_samples(false);
}

#[test]
#[ignore = "compares figures that belong to a release; run it with --release before one"]
fn the_samples_show_what_this_version_prints() {
    compare_samples(true);
}

/// Every option that is named, in a command or in the text, is one of the program's.
#[test]
fn the_options_named_exist() {
    let help = |words: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tengen")).args(words).arg("--help").output();
        String::from_utf8(output.expect("the program").stdout).expect("text")
    };
    let options = |text: &str| {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).map(str::to_owned);
        words.filter(|word| word.starts_with("--") && word.len() > 2).collect::<Vec<_>>()
    };
    let mut helps = String::new();
    for (_, shell) in blocks(README).into_iter().filter(|(language, _)| *language == "sh") {
        for words in commands(shell).into_iter().filter(|words| words.first().is_some_and(|word| word == "tengen")) {
            let sub: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let deep = ["data", "tune"].contains(&sub[0]);
            let text = help(&sub[..1 + usize::from(deep)]);
            for option in options(&words.join(" ")) {
                assert!(text.contains(&option), "{sub:?} has no {option}");
            }
            helps += &text;
        }
    }
    // Those of other programs.
    let foreign = [
        "--nproc-per-node",
        "--path",
        "--release",
        "--no-deps",
        "--open",
        "--bench",
        "--count",
        "--no-default-features",
    ];
    for option in words(README).flat_map(options).filter(|option| !foreign.contains(&option.as_str())) {
        assert!(helps.contains(&option), "no command has {option}");
    }
}

/// Files that the documents name are there.
#[test]
fn the_files_named_exist() {
    let root = workspace();
    for name in ["README.md", "PROTOCOL.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(name)).expect(name);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        let links = links.filter(|link| !link.starts_with("http") && !link.starts_with('#'));
        let paths = words(&text).filter(|word| !word.contains(char::is_whitespace));
        let paths = paths
            .filter(|word| ["src/", "crates/", "tests/", "scripts/"].iter().any(|folder| word.starts_with(folder)));
        for path in links.map(|link| link.split('#').next().unwrap_or_default()).chain(paths) {
            assert!(root.join(path).exists(), "{name}: {path}");
        }
    }
    for command in ["\ncargo run --release ", "\ncargo test ", "`cargo install --path .`"] {
        assert!(README.contains(command), "{command}");
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
    assert!(PROTOCOL.contains("a move takes at most 5000 ms"));
    assert!(README.contains(&format!("line: {} positions of up to four stones", Book::built_in().len())));
    assert!(PROTOCOL.contains(&format!("search threads, 1 to {}", Options::MAX_THREADS)));
    assert!(PROTOCOL.contains(&format!("plies, {} at most", tengen::search::MAX_DEPTH)));
    assert!(README.contains(&format!("boards of {} to {} points a side", BoardSize::MIN, BoardSize::MAX)));
}

/// Each key that takes text does something.
#[test]
fn the_options_with_text_are_those_of_the_program() {
    let after = |line: &str| {
        let mut session = Session::new(1);
        let effects = session.handle(Event::Line { bytes: line.into(), arrived: Instant::now() });
        (effects, session.evaluation())
    };
    let keys = table("key with text").into_iter().map(|row| (row[0].trim_matches('`'), row[1].trim_matches('`')));
    assert_eq!(keys.collect::<Vec<_>>(), [("evaluation", "none"), ("nnue_file", "none")]);
    assert_eq!(after("INFO evaluation network"), (Vec::new(), EvaluationKind::Network));
    assert_eq!(after("INFO evaluation classical"), (Vec::new(), EvaluationKind::Classical));
    assert_eq!(
        after("INFO nnue_file best.tnn"),
        (vec![Effect::Evaluate("best.tnn".to_owned())], EvaluationKind::AsGiven)
    );
}

/// `wanted` in the order of `order`, and then what it has more.
fn sorted_like<'a>(order: &[&'a str], wanted: [&'a str; Key::ALL.len()]) -> Vec<&'a str> {
    let mut sorted = wanted.to_vec();
    sorted.sort_by_key(|name| order.iter().position(|o| o == name).unwrap_or(usize::MAX));
    sorted
}

#[test]
fn the_commands_are_known() {
    for row in PROTOCOL.lines().filter(|line| line.starts_with("| `")) {
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
    let mut command = std::process::Command::new(engine_path());
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
    let shown =
        blocks(README).into_iter().map(|(_, text)| text).find(|text| text.contains("signature")).expect("a bench");
    let entries = bench::run(&bench::Settings::default(), &mut |_| {});
    let total = entries.iter().map(|entry| entry.nodes).sum::<u64>();
    assert_eq!(bench::signature(2).ok(), Some(total), "side by side the searches are the same");
    assert!(README.contains(&format!("makes {} searches", entries.len())));
    assert!(shown.contains(&format!("signature {total}\n")), "the signature is {total}");
    for line in shown.lines().filter(|line| line.contains(" nodes ")) {
        let words = line.split_whitespace().collect::<Vec<_>>();
        let number: usize = words[0].parse().expect("a number");
        assert_eq!(words[3], entries[number - 1].nodes.to_string(), "position {number}");
    }
}
