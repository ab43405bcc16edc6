//! README and docs/ agree with the programs: pasted games are played, samples run, commands parsed, links followed,
//! tables compared with the code.

#[path = "../../../tests/support/engine.rs"]
mod engine;
#[path = "../../../tests/support/machine.rs"]
mod machine;
#[path = "../../../tests/support/program.rs"]
mod program;
#[path = "../../../tests/support/mod.rs"]
mod support;

use program::{Program, engine_path};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::workspace;
use tengen::bench;
use tengen::book::Book;
use tengen::engine::{BoardSize, Goal, Options, Request};
use tengen::protocol::database::Ask;
use tengen::protocol::{Command, Effect, EvaluationKind, Event, Extension, Key, LineParser, Reply, Session};
use tengen_session::level::{self, LEVELS};

const README: &str = include_str!("../../../README.md");
const PROTOCOL: &str = include_str!("../../../docs/protocol.md");
const TUNING: &str = include_str!("../../../docs/tuning.md");
const BOARD: &str = include_str!("../../../docs/board.md");

/// A documentation page, with its path from the root of the repository.
struct Page {
    path: String,
    text: String,
}

impl Page {
    /// The folder that its relative links start from.
    fn folder(&self) -> PathBuf {
        workspace().join(&self.path).parent().expect("a folder").to_owned()
    }

    /// Targets of its links and pictures.
    fn links(&self) -> impl Iterator<Item = &str> {
        self.text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link)
    }

    /// Its shell blocks.
    fn shells(&self) -> impl Iterator<Item = &str> {
        blocks(&self.text).into_iter().filter(|(language, _)| *language == "sh").map(|(_, shell)| shell)
    }
}

/// Pages at the root, and all pages of docs/ except its table of contents.
fn pages() -> Vec<Page> {
    fn walk(folder: &str, paths: &mut Vec<String>) {
        for entry in std::fs::read_dir(workspace().join(folder)).expect(folder).flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                walk(&path, paths);
            } else if path.ends_with(".md") && path != SUMMARY {
                paths.push(path);
            }
        }
    }
    let mut paths = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    walk("docs", &mut paths);
    paths.sort();
    let read = |path: &String| std::fs::read_to_string(workspace().join(path)).expect("a page");
    paths.into_iter().map(|path| Page { text: read(&path), path }).collect()
}

/// Pages with commands for the current programs. The pages of experiments are excluded: they refer to earlier versions.
fn guides() -> impl Iterator<Item = Page> {
    pages().into_iter().filter(|page| !page.path.starts_with("docs/experiments/"))
}

/// The table of contents of docs/ as a book.
const SUMMARY: &str = "docs/SUMMARY.md";

/// Fenced blocks in order: their language and text.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    // Opening and closing fences alternate, so every second piece is a block.
    let pieces = text.split("```").skip(1).step_by(2);
    pieces.map(|piece| piece.split_once('\n').expect("a language")).collect()
}

/// A text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Rows of the protocol's table whose header begins with this cell; each row is a list of cells.
fn table(head: &str) -> Vec<Vec<&'static str>> {
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    let rows = PROTOCOL.lines().skip_while(|line| !line.starts_with(&format!("| {head} |"))).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|')).map(cells).collect::<Vec<_>>();
    assert!(!rows.is_empty(), "no table of {head}");
    rows
}

/// The texts between backticks.
fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The request that a session sends to the engine after these lines.
fn request(lines: &str) -> (Request, Options) {
    let (mut session, mut parser) = (Session::new(1), LineParser::new());
    let inputs = lines.lines().flat_map(|line| parser.parse(line.as_bytes(), Instant::now()));
    let effects = inputs.flat_map(|input| session.handle(Event::Input(input))).collect::<Vec<_>>();
    let start = effects.into_iter().find_map(|effect| match effect {
        Effect::Start { request, options, .. } => Some((*request, options)),
        _ => None,
    });
    start.expect("a search")
}

/// Shell blocks with the output shown below each. At most two sentences stand between the two.
fn samples() -> Vec<(String, String)> {
    const PROSE: usize = 400;
    let pairs = |page: Page| {
        let pieces = page.text.split("```").collect::<Vec<_>>();
        let blocks = pieces[1..].windows(3).step_by(2).filter(|three| three[1].len() < PROSE);
        let pairs = blocks.map(|three| (three[0].strip_prefix("sh\n"), three[2].strip_prefix("text\n")));
        let pairs = pairs.filter_map(|(shell, output)| Some((shell?.to_owned(), output?.to_owned())));
        pairs.collect::<Vec<_>>()
    };
    guides().flat_map(pairs).collect()
}

/// Commands of a shell block with the remarks after them, each as its words. The parts of a pipe or a list are separate
/// commands.
fn commands_with_remarks(shell: &str) -> Vec<(Vec<String>, String)> {
    let joined = shell.replace("\\\n", " ");
    let mut commands = Vec::new();
    for line in joined.lines() {
        let (line, remark) = match line.find('#').filter(|at| line[..*at].ends_with([' ']) || *at == 0) {
            Some(at) => line.split_at(at),
            None => (line, ""),
        };
        // Quoted text is one word; no quote here needs the blank before its end.
        let mut words: Vec<String> = Vec::new();
        let mut is_quoted = false;
        for piece in line.split(' ') {
            match words.last_mut().filter(|_| is_quoted) {
                Some(word) => *word += &format!(" {piece}"),
                None if piece.is_empty() => {}
                None => words.push(piece.to_owned()),
            }
            is_quoted ^= piece.matches('\'').count() % 2 == 1;
        }
        let is_end = |word: &String| ["|", "&&", "{", "}"].contains(&word.as_str());
        let mut parts: Vec<Vec<String>> = vec![Vec::new()];
        for word in words {
            let last = parts.last_mut().expect("a part");
            match word.strip_suffix(';') {
                _ if is_end(&word) => parts.push(Vec::new()),
                Some(word) => {
                    last.push(word.to_owned());
                    parts.push(Vec::new());
                }
                None => last.push(word),
            }
        }
        commands.extend(parts.into_iter().filter(|part| !part.is_empty()).map(|part| (part, remark.to_owned())));
    }
    commands
}

/// Commands of a shell block, each as its words.
fn commands(shell: &str) -> Vec<Vec<String>> {
    commands_with_remarks(shell).into_iter().map(|(words, _)| words).collect()
}

/// The help text of `tengen` or of a command.
fn help(words: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tengen")).args(words).arg("--help").output();
    let output = output.expect("the program");
    assert!(output.status.success(), "tengen {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The options, such as `--games`, in a text.
fn options(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_owned).collect()
}

#[test]
#[cfg(unix)]
fn the_pasted_games_give_the_shown_output() {
    let path = engine_path();
    let run = "| pbrain-tengen\n";
    let games: Vec<_> = samples().into_iter().filter(|(shell, _)| shell.ends_with(run)).collect();
    assert_eq!(games.len(), 3);
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

/// The parts of an output line that do not depend on the machine or on changes of the search. Numbers and points become
/// placeholders, table rows a single placeholder, and columns of graphs are removed.
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
        // Marks of errors below a graph, and the counts of errors.
        Some("black" | "white" | "black:" | "white:") => signs[0].clone(),
        Some("#") if signs.get(1).is_none_or(|sign| sign != "|") => "#".to_owned(),
        _ => signs.join(" "),
    }
}

/// Whether the shown lines are lines of the output, in their order. `exact` compares everything except times and
/// speeds.
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

/// Runs the commands of a sample in a folder of their own and returns the output of the last one.
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
    let is_run = |shell: &str| !shell.contains('|') && commands(shell).iter().all(|words| words[0].ends_with("tengen"));
    let ours: Vec<_> = samples().into_iter().filter(|(shell, _)| is_run(shell)).collect();
    assert_eq!(ours.len(), 7, "analysis, review, database, match, two benches, training games");
    for (shell, shown) in ours {
        // If figures are not compared, less work is enough.
        let smaller = shell.replace("--depth 10", "--depth 4").replace("--games 200", "--games 20");
        if exact {
            is_shown(&shown, &run(&shell), true).unwrap_or_else(|e| panic!("{shell}: {e}"));
        } else if !shell.starts_with("pbrain-tengen bench") {
            is_shown(&shown, &run(&smaller), false).unwrap_or_else(|e| panic!("{shell}: {e}"));
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

/// Shell programs that every reader has, besides those of Rust.
const SHELL: [&str; 7] = ["cd", "cp", "echo", "git", "mkdir", "printf", "sleep"];

/// Options that are not options of a `tengen` command: of PyTorch, and of both programs themselves.
const FOREIGN: [&str; 2] = ["--nproc-per-node", "--version"];

/// The program accepts every command that the pages show. Other programs are common ones or marked by a remark.
#[test]
fn the_commands_shown_are_understood() {
    let engine = std::process::Command::new(engine_path()).arg("--help").output().expect("the engine");
    let engine = String::from_utf8(engine.stdout).expect("text");
    let matches = help(&["match"]);
    let mut count = 0;
    for page in guides() {
        for (words, remark) in page.shells().flat_map(commands_with_remarks) {
            let shown = format!("{}: {}", page.path, words.join(" "));
            let is_variable = |word: &String| {
                let name = word.split_once('=').map_or("", |(name, _)| name);
                !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            };
            let words: Vec<String> = words.into_iter().skip_while(is_variable).collect();
            let is_foreign = |word: &String| word.starts_with("./") || word.contains("cmd=./") || word == "RAPFI";
            assert!(!words[1..].iter().any(is_foreign) || remark.starts_with("# needs "), "{shown}: mark it");
            let arguments = words[1..].iter().map(String::as_str).collect::<Vec<_>>();
            count += 1;
            match words[0].as_str() {
                // `--help` prints help only if all arguments before it are valid.
                "tengen" => drop(help(&arguments)),
                "pbrain-tengen" => {
                    let known =
                        |word: &&str| engine.split_whitespace().any(|other| other.trim_matches(['[', ']']) == *word);
                    assert!(arguments.first().is_none_or(known), "{shown}");
                }
                "cargo" => is_cargo_command(&arguments).unwrap_or_else(|what| panic!("{shown}: no {what}")),
                script if script.starts_with("scripts/") || script.starts_with(".ci/") => {
                    let text =
                        std::fs::read_to_string(workspace().join(script)).unwrap_or_else(|e| panic!("{shown}: {e}"));
                    let unknown = options(&words[1..].join(" "));
                    let unknown =
                        unknown.into_iter().find(|option| !text.contains(option) && !matches.contains(option));
                    assert_eq!(unknown, None, "{shown}");
                }
                program => assert!(SHELL.contains(&program) || remark.starts_with("# needs "), "{shown}: mark it"),
            }
        }
    }
    assert!(count > 60, "{count} commands");
}

/// Whether Cargo's arguments name parts of this workspace; the error names the missing part.
fn is_cargo_command(arguments: &[&str]) -> Result<(), String> {
    let after = |option: &str| Some(arguments[arguments.iter().position(|word| *word == option)? + 1]);
    if !["bench", "doc", "install", "run", "test"].contains(&arguments[0]) {
        return Err(format!("cargo {}", arguments[0]));
    }
    // The engine is the default package.
    let folder = match after("--package") {
        None => ".".to_owned(),
        Some("tengen-cli") => "crates/tengen".to_owned(),
        Some(package) => package.replace("tengen-", "crates/"),
    };
    let exists = |path: String| if workspace().join(&path).exists() { Ok(()) } else { Err(path) };
    exists(format!("{folder}/Cargo.toml"))?;
    after("--path").map_or(Ok(()), |path| exists(format!("{path}/Cargo.toml")))?;
    after("--bench").map_or(Ok(()), |bench| exists(format!("{folder}/benches/{bench}.rs")))?;
    after("--test").map_or(Ok(()), |test| {
        exists(format!("{folder}/tests/{test}.rs")).or_else(|_| exists(format!("{folder}/tests/{test}/main.rs")))
    })
}

/// A command that is pasted after all others does not find its output file already written by them.
#[test]
fn no_two_commands_shown_write_the_same_file() {
    let mut writers: BTreeMap<String, String> = BTreeMap::new();
    for page in guides() {
        for words in page.shells().flat_map(commands).filter(|words| words[0] == "tengen") {
            let is_output = |word: &String| ["-o", "--output"].contains(&word.as_str());
            let output = words.iter().position(is_output).map(|at| words[at + 1].clone());
            let is_match = words[1] == "match" && !words.contains(&"--report".to_owned());
            let command = words.join(" ");
            if let Some(file) = output.or_else(|| is_match.then(|| "match.jsonl".to_owned())) {
                let other = writers.insert(file, command.clone()).filter(|other| *other != command);
                assert_eq!(other, None, "{}: {command}", page.path);
            }
        }
    }
}

/// Every option in the text exists in the program.
#[test]
fn the_options_named_exist() {
    let commands = help(&[]);
    let commands = commands.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands = commands.map_while(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect::<Vec<_>>();
    assert!(commands.contains(&"match") && commands.contains(&"play"), "{commands:?}");
    let mut known: BTreeSet<String> = BTreeSet::new();
    for command in commands.into_iter().filter(|command| *command != "help") {
        let text = help(&[command]);
        known.append(&mut options(&text));
        let below = text.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
        for below in below.map_while(|line| line.strip_prefix("  ")?.split_whitespace().next()).filter(|b| *b != "help")
        {
            known.append(&mut options(&help(&[command, below])));
        }
    }
    let stale = FOREIGN.iter().find(|option| known.contains(**option));
    assert_eq!(stale, None, "an option of ours");
    for page in guides() {
        // Only the text: blocks contain commands and their output.
        let text: String = page.text.split("```").step_by(2).collect();
        for option in words(&text).filter(|word| !word.starts_with("cargo ")).flat_map(options) {
            assert!(known.contains(&option) || FOREIGN.contains(&option.as_str()), "{}: {option}", page.path);
        }
    }
}

/// The anchor of a heading in links.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Links lead to existing pages, headings and pictures. Links of docs/ stay in that folder, because the book contains
/// nothing else.
#[test]
fn links_lead_somewhere() {
    let docs = workspace().join("docs").canonicalize().expect("docs/");
    for page in pages() {
        for link in page.links().filter(|link| !link.starts_with("http")) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let own = workspace().join(&page.path);
            let target = if path.is_empty() { own } else { page.folder().join(path) };
            let target = target.canonicalize().unwrap_or_else(|e| panic!("{}: {link}: {e}", page.path));
            let is_book = page.path.starts_with("docs/") && !page.path.starts_with("docs/experiments/");
            assert!(!is_book || target.starts_with(&docs), "{}: {link} is outside of docs/", page.path);
            if !heading.is_empty() {
                let text = std::fs::read_to_string(&target).expect("a page");
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let mut anchors = headings.map(|line| anchor(line.trim_start_matches('#')));
                assert!(anchors.any(|anchor| anchor == heading), "{}: {link} has no such heading", page.path);
            }
        }
    }
}

/// Whether a file exists; a star in its name matches anything.
fn is_file(path: &str) -> bool {
    let Some((before, after)) = path.split_once('*') else { return workspace().join(path).exists() };
    let (folder, before) = before.rsplit_once('/').unwrap_or((".", before));
    let mut names = std::fs::read_dir(workspace().join(folder)).into_iter().flatten().flatten();
    names.any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(before) && name.ends_with(after)
    })
}

/// The repository contains the files that the pages name.
#[test]
fn the_files_named_exist() {
    let folders = ["src/", "crates/", "tests/", "scripts/", "docs/", ".ci/", ".cargo/"];
    for page in pages() {
        let paths = words(&page.text).filter(|word| folders.iter().any(|folder| word.starts_with(folder)));
        for path in paths.filter_map(|word| word.split_whitespace().next()) {
            assert!(is_file(path) || path.starts_with(".cargo/bin"), "{}: {path}", page.path);
        }
    }
}

/// The front page is short, links to all guides, and contains the commands that set the project up.
#[test]
fn the_readme_is_a_front_page() {
    assert!(README.lines().count() <= 200, "{} lines", README.lines().count());
    for word in ["signature", "seed", "PROTOCOL.md", "EXPERIMENTS.md"] {
        assert!(!README.contains(word), "{word}");
    }
    for command in ["cargo run --release ", "cargo test --workspace ", "cargo install --path .\n", "git clone "] {
        assert!(README.contains(&format!("\n{command}")), "{command}");
    }
    assert!(README.contains("\ncargo install --path crates/tengen\n"));
    for page in guides().filter(|page| page.path.starts_with("docs/")) {
        assert!(README.contains(&format!("]({})", page.path)), "{} is not in the README", page.path);
    }
}

/// The guides form a book: the table of contents lists every page once, by its own title.
#[test]
fn the_guides_are_a_book() {
    let read = |path: &str| std::fs::read_to_string(workspace().join(path)).expect("a file");
    assert!(read("book.toml").lines().any(|line| line == "src = \"docs\""));
    let summary = read(SUMMARY);
    let mut lines = summary.lines();
    assert_eq!((lines.next(), lines.next()), (Some("# Summary"), Some("")));
    let entry = |line: &str| {
        let (title, path) = line.trim_start().strip_prefix("- [")?.strip_suffix(')')?.split_once("](")?;
        Some((format!("docs/{path}"), title.to_owned()))
    };
    let entries = lines.map(|line| entry(line).unwrap_or_else(|| panic!("{line:?}"))).collect::<Vec<_>>();
    let titles: BTreeMap<String, String> = entries.iter().cloned().collect();
    assert_eq!(titles.len(), entries.len(), "a page stands there twice");
    let title = |page: &Page| page.text.lines().next().and_then(|line| line.strip_prefix("# ")).map(str::to_owned);
    let pages = pages().into_iter().filter(|page| page.path.starts_with("docs/"));
    let pages: BTreeMap<String, String> =
        pages.map(|page| (title(&page).expect(&page.path), page.path)).map(|(t, p)| (p, t)).collect();
    assert_eq!(pages.keys().collect::<Vec<_>>(), titles.keys().collect::<Vec<_>>());
    for (path, title) in pages.iter().filter(|(path, _)| Path::new(path).parent() == Some(Path::new("docs"))) {
        assert_eq!(&titles[path], title, "{path}");
    }
}

/// The board's levels in the table of its page, and the default level.
#[test]
fn the_levels_are_those_of_the_board() {
    let row = BOARD.lines().find(|line| line.starts_with("| positions a move |")).expect("a table of levels");
    let shown = row.split('|').filter_map(|cell| cell.trim().replace(',', "").parse().ok()).collect::<Vec<u64>>();
    assert_eq!(shown, LEVELS.map(|level| level.nodes));
    assert!(flat(BOARD).contains(&format!("Level {} is the default", level::DEFAULT)));
    assert!(flat(&help(&["play"])).contains(&format!("1 to 10, or full [default: {}]", level::DEFAULT)));
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
    // Setting a default explicitly changes nothing. The table states the default time limit in a separate sentence.
    let said = Key::ALL.into_iter().filter(|key| default(*key) != "none" && *key != Key::HashSize);
    let said = said.map(|key| format!("INFO {} {}\n", key.name(), default(key))).collect::<String>();
    let (same, same_options) = request(&format!("START 15\n{said}BEGIN"));
    assert_eq!((same.rule, same.limits.turn, same_options), (plain.rule, plain.limits.turn, options.clone()));
    assert_eq!(default(Key::HashSize), (64 * 1024).to_string());
    assert_eq!((options.hash, options.max_memory, options.threads), (None, None, 1));
    assert_eq!(plain.limits.turn, Some(Duration::from_millis(5000)));
    assert!(PROTOCOL.contains("a move takes at most 5000 ms"));
    assert!(flat(TUNING).contains(&format!("line: {} positions of up to four stones", Book::built_in().len())));
    assert!(PROTOCOL.contains(&format!("search threads, 1 to {}", Options::MAX_THREADS)));
    assert!(PROTOCOL.contains(&format!("plies, {} at most", tengen::search::MAX_DEPTH)));
    assert!(README.contains(&format!("boards of {} to {} points a side", BoardSize::MIN, BoardSize::MAX)));
}

/// Each key with a text value has an effect.
#[test]
fn the_options_with_text_are_those_of_the_program() {
    let after = |line: &str| {
        let mut session = Session::new(1).with_database();
        let inputs = LineParser::new().parse(line.as_bytes(), Instant::now()).into_iter();
        let effects = inputs.flat_map(|input| session.handle(Event::Input(input))).collect::<Vec<_>>();
        (effects, session.evaluation())
    };
    let keys = table("key with text").into_iter().map(|row| (row[0].trim_matches('`'), row[1].trim_matches('`')));
    assert_eq!(keys.collect::<Vec<_>>(), [("evaluation", "none"), ("nnue_file", "none"), ("database_file", "none")]);
    assert_eq!(after("INFO evaluation network"), (Vec::new(), EvaluationKind::Network));
    assert_eq!(after("INFO evaluation classical"), (Vec::new(), EvaluationKind::Classical));
    assert_eq!(
        after("INFO nnue_file best.tnn"),
        (vec![Effect::Evaluate("best.tnn".to_owned())], EvaluationKind::AsGiven)
    );
    let asked = vec![Effect::Database(Ask::File("a.tdb".to_owned()))];
    assert_eq!(after("INFO database_file a.tdb"), (asked, EvaluationKind::AsGiven));
}

/// `wanted` in the order of `order`, followed by the remaining elements.
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
                Ok(Command::Extension(Extension::Unsupported { .. })) | Err(_) => panic!("{word} is not understood"),
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
        blocks(TUNING).into_iter().map(|(_, text)| text).find(|text| text.contains("signature")).expect("a bench");
    let entries = bench::run(&bench::Settings::default(), &mut |_| {});
    let total = entries.iter().map(|entry| entry.nodes).sum::<u64>();
    assert_eq!(bench::signature(2).ok(), Some(total), "side by side the searches are the same");
    assert!(flat(TUNING).contains(&format!("makes {} searches", entries.len())));
    assert!(shown.contains(&format!("signature {total}\n")), "the signature is {total}");
    for line in shown.lines().filter(|line| line.contains(" nodes ")) {
        let words = line.split_whitespace().collect::<Vec<_>>();
        let number: usize = words[0].parse().expect("a number");
        assert_eq!(words[3], entries[number - 1].nodes.to_string(), "position {number}");
    }
}
