//! The shape of the source tree: which module may import which, how long files may be, and where things belong.
//!
//! The tree is read as text. Comments are left out, so that documentation may point anywhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Modules and what they may name of the crate. An arrow may skip layers downwards and never goes up.
const IMPORTS: &[(&str, &[&str])] = &[
    ("score", &[]),
    ("control", &[]),
    ("board", &[]),
    ("rules", &["board"]),
    ("pattern", &["board", "rules"]),
    ("position", &["board", "rules", "pattern"]),
    ("movegen", &["board", "pattern", "position"]),
    ("eval", &["board", "rules", "pattern", "position", "score"]),
    ("solver", &["board", "pattern", "position", "movegen", "control", "score"]),
    ("search", &["board", "rules", "pattern", "position", "movegen", "eval", "solver", "score", "control"]),
    ("book", &["board", "rules", "score"]),
    (
        "engine",
        &["board", "rules", "pattern", "position", "movegen", "eval", "solver", "search", "book", "score", "control"],
    ),
    ("protocol", &["engine"]),
    (
        "workbench",
        &[
            "engine", "protocol", "board", "rules", "pattern", "position", "movegen", "eval", "solver", "search",
            "book", "score", "control",
        ],
    ),
    ("bin", &["board", "book", "engine", "protocol", "workbench"]),
];

/// Rooms of the workbench and the rooms that each may name. What lies beside them is common to all and names none.
const ROOMS: &[(&str, &[&str])] =
    &[("matches", &[]), ("analysis", &[]), ("data", &["analysis"]), ("tune", &["analysis", "data"])];

/// Modules above the pattern layer, where no code depends on the rule. They may carry a rule as a key.
const RULE_FREE: [&str; 4] = ["movegen", "eval", "solver", "search"];

/// Files that may hold `unsafe` blocks.
const UNSAFE: [&str; 1] = ["src/search/memory.rs"];

const LONGEST_FILE: usize = 800;

struct Source {
    path: PathBuf,
    /// First part of the path below `src`, without `.rs`.
    module: String,
    /// Lines with their numbers, comments left out.
    code: Vec<(usize, String)>,
    lines: usize,
}

impl Source {
    fn read(root: &Path, path: PathBuf) -> Source {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let path = path.strip_prefix(root).expect("below the root").to_owned();
        let module = path.iter().nth(1).expect("a file below src").to_string_lossy().replace(".rs", "");
        let code = text.lines().enumerate().map(|(i, line)| (i + 1, line.split("//").next().unwrap_or("").to_owned()));
        Source { path, module, code: code.collect(), lines: text.lines().count() }
    }

    fn complain(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path.display())
    }
}

fn tree(folder: &str) -> Vec<Source> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    walk(&root.join(folder), &mut files);
    files.sort();
    assert!(files.len() > 5, "too few files below {folder}");
    files.into_iter().map(|path| Source::read(root, path)).collect()
}

/// Names that follow `prefix` in a line: `prefix::name`, or all of `prefix::{name, name::x}`.
fn named(line: &str, prefix: &str) -> Vec<String> {
    let name = |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let starts_a_word = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut names = Vec::new();
    for (at, _) in line.match_indices(prefix).filter(|(at, _)| starts_a_word(*at)) {
        let rest = &line[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let mut depth = 0;
                let parts = list.split(|c: char| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    c == ',' && depth == 0
                });
                names.extend(parts.map(name));
            }
            None => names.push(name(rest)),
        }
    }
    names.retain(|n| !n.is_empty());
    names
}

#[track_caller]
fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn names_are_found_in_all_forms() {
    assert_eq!(named("use crate::board::{Point, Side};", "crate::"), ["board"]);
    assert_eq!(named("    let x: crate::rules::Rule = crate::score::X;", "crate::"), ["rules", "score"]);
    assert_eq!(named("use crate::{board::{Cell, Point}, rules};", "crate::"), ["board", "rules"]);
    assert_eq!(named("LineRule::FREESTYLE Rule::Caro", "Rule::"), ["Caro"]);
}

#[test]
fn modules_import_only_what_lies_below_them() {
    let allowed: BTreeMap<&str, &[&str]> = IMPORTS.iter().copied().collect();
    let mut complaints = Vec::new();
    for source in tree("src").iter().filter(|s| s.module != "lib") {
        let module = source.module.as_str();
        let prefix = if module == "bin" { "tengen::" } else { "crate::" };
        let Some(known) = allowed.get(module) else {
            complaints.push(source.complain(1, "a module that the import table does not know"));
            continue;
        };
        for (number, line) in &source.code {
            for name in named(line, prefix).iter().filter(|n| *n != module && !known.contains(&n.as_str())) {
                complaints.push(source.complain(*number, &format!("{module} must not know {name}")));
            }
        }
    }
    none(complaints);
}

#[test]
fn rooms_of_the_workbench_know_only_those_below_them() {
    let room_of = |name: &str| ROOMS.iter().find(|(room, _)| *room == name);
    let mut complaints = Vec::new();
    for source in tree("src").iter().filter(|s| s.module == "workbench" && !s.path.ends_with("workbench/mod.rs")) {
        let name = source.path.iter().nth(2).expect("a file below the workbench").to_string_lossy();
        let own = room_of(&name);
        // Beside the rooms, `super` is the workbench.
        let prefixes: &[&str] = if own.is_some() { &["workbench::"] } else { &["workbench::", "super::"] };
        for (number, line) in &source.code {
            for named in prefixes.iter().flat_map(|prefix| named(line, prefix)) {
                let known = own.is_some_and(|(own, below)| *own == named || below.contains(&named.as_str()));
                if room_of(&named).is_some() && !known {
                    complaints.push(source.complain(*number, &format!("{name} must not know {named}")));
                }
            }
            if own.is_some() && line.contains("super::super::") {
                complaints.push(source.complain(*number, "climbs out of its room: use crate::workbench"));
            }
        }
    }
    none(complaints);
}

#[test]
fn nobody_climbs_out_of_a_module_by_super() {
    let mut complaints = Vec::new();
    for source in tree("src") {
        // How many times `super` may be said before the crate's root is reached.
        let parts = source.path.iter().count() - 2;
        let depth = if source.path.ends_with("mod.rs") { parts - 1 } else { parts };
        for (number, line) in &source.code {
            // A module of tests in the file is one deeper.
            let supers = line.matches("super::").count();
            let chained = line.matches("super::super::").count();
            let climbs = chained + usize::from(supers > 0);
            if climbs > depth && !line.trim_start().starts_with("use super::*") {
                complaints.push(source.complain(*number, "climbs to the root of the crate: say crate:: instead"));
            }
        }
    }
    none(complaints);
}

#[test]
fn no_module_above_the_patterns_asks_which_rule_is_played() {
    let mut complaints = Vec::new();
    for source in tree("src").iter().filter(|s| RULE_FREE.contains(&s.module.as_str())) {
        for (number, line) in &source.code {
            // The list of all rules is no question which one it is.
            for name in named(line, "Rule::").iter().filter(|n| *n != "ALL") {
                complaints.push(source.complain(*number, &format!("asks for Rule::{name}")));
            }
        }
    }
    none(complaints);
}

#[test]
fn only_programs_print_and_exit() {
    let words = ["println!", "eprintln!", "print!(", "eprint!(", "dbg!(", "process::exit"];
    let mut complaints = Vec::new();
    for source in tree("src").iter().filter(|s| s.module != "bin") {
        for (number, line) in &source.code {
            for word in words.iter().filter(|w| line.contains(**w)) {
                complaints.push(source.complain(*number, &format!("{word} belongs to src/bin")));
            }
        }
    }
    none(complaints);
}

#[test]
fn unsafe_stays_in_its_rooms() {
    let mut complaints = Vec::new();
    for source in tree("src").iter().filter(|s| !UNSAFE.iter().any(|u| Path::new(u) == s.path)) {
        for (number, line) in &source.code {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|w| w == "unsafe") || line.contains("allow(unsafe_code)") {
                complaints.push(source.complain(*number, "unsafe outside the list"));
            }
        }
    }
    none(complaints);
}

#[test]
fn files_are_short() {
    let files = tree("src").into_iter().chain(tree("tests"));
    none(
        files.filter(|s| s.lines > LONGEST_FILE).map(|s| s.complain(s.lines, "too long: two things in one?")).collect(),
    );
}

#[test]
fn every_module_says_what_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let undocumented = |s: &Source| !std::fs::read_to_string(root.join(&s.path)).expect("a file").starts_with("//!");
    none(tree("src").into_iter().filter(undocumented).map(|s| s.complain(1, "begins without a word")).collect());
}

#[test]
fn the_architecture_page_shows_the_import_table() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("a file");
    let words = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = page.lines().filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix(" |"));
    let mut above: Vec<String> = Vec::new();
    let mut shown = BTreeMap::new();
    for cells in rows.map(|row| row.split(" | ").collect::<Vec<_>>()).take_while(|cells| cells[0] != "change") {
        if let [part] = words(cells[0]).as_slice() {
            let last = cells.last().expect("three cells");
            let mut known = if *last == "all above" { above.clone() } else { words(last) };
            known.sort();
            above.push(part.clone());
            shown.insert(part.clone(), known);
        }
    }
    let exists = |name: &&str| *name == "bin" || page.contains(&format!("\npub mod {name};"));
    for (part, known) in IMPORTS.iter().filter(|(part, _)| exists(part)) {
        let mut known: Vec<String> = known.iter().filter(|n| exists(n)).map(|n| (*n).to_owned()).collect();
        known.sort();
        assert_eq!(shown.remove(*part), Some(known), "the row of {part}");
    }
    assert_eq!(shown, BTreeMap::new(), "rows of no module");
}
