//! Checks of the source tree: which module may import which, how long files may be, and where code belongs.
//!
//! Cargo separates the crates. This test separates the modules of the engine, and compares the documents with both. It
//! reads the sources as text and ignores comments, so that documentation may refer to anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Modules and the modules of the crate that each may import. An import may skip layers downwards and never goes up.
const IMPORTS: &[(&str, &[&str])] = &[
    ("score", &[]),
    ("control", &[]),
    ("memory_hints", &[]),
    ("board", &[]),
    ("rules", &["board"]),
    ("pattern", &["board", "rules"]),
    ("position", &["board", "rules", "pattern"]),
    ("movegen", &["board", "pattern", "position"]),
    ("eval", &["board", "rules", "pattern", "position", "score", "memory_hints"]),
    ("solver", &["board", "pattern", "position", "movegen", "control", "score"]),
    (
        "search",
        &["board", "rules", "pattern", "position", "movegen", "eval", "solver", "score", "control", "memory_hints"],
    ),
    ("book", &["board", "rules", "score"]),
    ("opening", &["board"]),
    (
        "engine",
        &[
            "board",
            "rules",
            "pattern",
            "position",
            "movegen",
            "eval",
            "solver",
            "search",
            "book",
            "opening",
            "score",
            "control",
            "memory_hints",
        ],
    ),
    ("protocol", &["engine"]),
    ("bench", &["board", "rules", "control", "engine"]),
    ("bin", &["bench", "engine", "protocol"]),
];

/// Crates and the crates that each may import besides the engine. Their manifests must agree.
const CRATES: &[(&str, &[&str])] = &[
    ("files", &[]),
    ("record", &[]),
    ("engines", &["record"]),
    ("analysis", &["record"]),
    ("database", &["record", "analysis"]),
    ("workbench", &["files", "record", "engines", "analysis"]),
    ("session", &["record", "analysis"]),
    ("play", &["files", "record", "engines", "analysis", "database", "session"]),
    ("watch", &["workbench", "play"]),
    ("web", &["analysis", "session"]),
    ("tengen", &["files", "record", "engines", "analysis", "database", "workbench", "session", "play", "watch"]),
];

/// All dependencies of the engine.
const ENGINE_DEPENDENCIES: [&str; 11] = [
    "anyhow",
    "bytemuck",
    "crc32fast",
    "env_logger",
    "libm",
    "log",
    "miniz_oxide",
    "rayon",
    "rustix",
    "smallvec",
    "web-time",
];

/// Folders of the workbench and the folders that each may import. Files beside them are shared by all and import none
/// of them.
const ROOMS: &[(&str, &[&str])] = &[
    ("matches", &[]),
    ("data", &[]),
    ("tune", &["data"]),
    ("train", &["data"]),
    ("generation", &["matches", "data", "tune", "train"]),
];

/// Modules above the pattern layer, whose code does not depend on the rule. They may carry a rule as a key.
const RULE_FREE: [&str; 4] = ["movegen", "eval", "solver", "search"];

/// Files that may hold `unsafe` blocks.
const UNSAFE: [&str; 2] = ["src/eval/network/kernel.rs", "src/memory_hints.rs"];

/// Folders whose files have no circular imports, the folder's own `mod.rs` or `lib.rs` included.
const WITHOUT_CIRCLES: &[&str] = &[
    "src/protocol",
    "src/search",
    "crates/record/src",
    "crates/database/src",
    "crates/engines/src",
    "crates/workbench/src",
    "crates/workbench/src/matches",
];

const LONGEST_FILE: usize = 800;
/// The width set in `rustfmt.toml`.
const WIDEST: usize = 120;

struct Source {
    /// Path relative to the root of the repository.
    path: PathBuf,
    /// First part of the path below `src` or `tests`, without `.rs`; empty for a bench.
    module: String,
    /// Lines with their numbers, without comments.
    code: Vec<(usize, String)>,
    lines: usize,
}

impl Source {
    fn read(root: &Path, path: PathBuf) -> Source {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let path = path.strip_prefix(root).expect("below the root").to_owned();
        let mut below = path.iter().skip_while(|part| *part != "src" && *part != "tests");
        let module = below.nth(1).map_or(String::new(), |name| name.to_string_lossy().replace(".rs", ""));
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
    assert!(!files.is_empty(), "no files below {folder}");
    files.into_iter().map(|path| Source::read(root, path)).collect()
}

/// The sources of all crates, without their tests.
fn sources() -> impl Iterator<Item = Source> {
    let crates = CRATES.iter().flat_map(|(name, _)| tree(&format!("crates/{name}/src")));
    tree("src").into_iter().chain(crates)
}

/// The sources of all crates with their tests.
fn all_files() -> impl Iterator<Item = Source> {
    tree("src").into_iter().chain(tree("tests")).chain(tree("crates"))
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

/// The code of a file as one text, without its tests module.
fn code(source: &Source) -> String {
    let lines = source.code.iter().map(|(_, line)| line.as_str());
    lines.take_while(|line| line.trim() != "#[cfg(test)]").flat_map(|line| [line, "\n"]).collect()
}

/// First names of all paths after `prefix`, including lists that span several lines.
fn paths(code: &str, prefix: &str) -> BTreeSet<String> {
    let joined = code.split_whitespace().collect::<Vec<_>>().join(" ").replace("{ ", "{").replace(", }", "}");
    let mut names = BTreeSet::new();
    let mut rest = joined.as_str();
    while let Some(at) = rest.find(prefix) {
        let (before, after) = (&rest[..at], &rest[at + prefix.len()..]);
        rest = after;
        if !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            // The end of the list. If there is none, `named` cuts off the rest.
            let mut depth = 0;
            let end = after.find(|c: char| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                depth <= 0 && (c == '}' || c == ';')
            });
            names.extend(named(&format!("{prefix}{}", &after[..end.unwrap_or(after.len())]), prefix));
        }
    }
    names
}

/// For each file of a module, the files of the module from which it imports, by name without `.rs`. All files of a
/// subfolder count as one.
///
/// `module` is the path from the root of the crate, empty for the crate itself.
fn file_imports(files: &[(String, String)], module: &str) -> BTreeMap<String, BTreeSet<String>> {
    let children: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "mod").collect();
    let whole =
        if module.is_empty() { "crate::".to_owned() } else { format!("crate::{}::", module.replace('/', "::")) };
    let facade = files.iter().find(|(name, _)| name == "mod").map_or("", |(_, code)| code);
    let is_export = |statement: &&str| statement.trim_start().starts_with("pub use ");
    // The file from which the facade exports a name.
    let exports = |name: &str| {
        let exporting = facade.split_inclusive(';').filter(is_export);
        let mut exporting =
            exporting.filter(|s| s.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == name));
        exporting.find_map(|s| children.iter().find(|child| s.contains(&format!("pub use {child}::"))).copied())
    };
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, code) in files {
        let mut from = BTreeSet::new();
        if name == "mod" {
            let own: String = code.split_inclusive(';').filter(|s| !is_export(s)).collect();
            from.extend(children.iter().filter(|child| !paths(&own, &format!("{child}::")).is_empty()).copied());
        }
        let above = if name == "mod" { BTreeSet::new() } else { paths(code, "super::") };
        for path in above.iter().chain(&paths(code, &whole)) {
            from.insert(children.get(path.as_str()).copied().or_else(|| exports(path)).unwrap_or("mod"));
        }
        graph.entry(name.clone()).or_default().extend(from.iter().filter(|n| *n != name).map(|n| (*n).to_owned()));
    }
    graph
}

/// A cycle in a graph, as its nodes in order.
fn circle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        graph: &BTreeMap<String, BTreeSet<String>>,
        node: &str,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|p| p == node) {
            return Some(path[at..].to_vec());
        }
        if !done.contains(node) {
            path.push(node.to_owned());
            for next in graph.get(node).into_iter().flatten() {
                if let Some(found) = visit(graph, next, path, done) {
                    return Some(found);
                }
            }
            path.pop();
            done.insert(node.to_owned());
        }
        None
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|node| visit(graph, node, &mut Vec::new(), &mut done))
}

/// The files of a folder with their code; all files of a subfolder count as one. The root of a crate is its `mod`.
fn files_of(folder: &str) -> Vec<(String, String)> {
    let name = |source: &Source| {
        let below = source.path.strip_prefix(folder).expect("a file of the folder");
        let name = below.iter().next().expect("a name").to_string_lossy().replace(".rs", "");
        if folder.ends_with("src") && name == "lib" { "mod".to_owned() } else { name }
    };
    tree(folder).iter().map(|source| (name(source), code(source))).collect()
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
fn circles_of_files_are_found() {
    let graph = |files: &[(&str, &str)]| {
        let files: Vec<_> = files.iter().map(|(name, code)| ((*name).to_owned(), (*code).to_owned())).collect();
        file_imports(&files, "m")
    };
    let of = |graph: &BTreeMap<String, BTreeSet<String>>, name: &str| graph[name].iter().cloned().collect::<Vec<_>>();
    let facade = ("mod", "mod a;\nmod b;\nmod c;\npub use a::{A,\n    Other};\npub use c::C;");
    let tree = graph(&[facade, ("a", "use super::b::X;"), ("b", ""), ("c", "use crate::m::{\n    A,\n    b::Y,\n};")]);
    assert_eq!(
        [of(&tree, "mod"), of(&tree, "a"), of(&tree, "c")],
        [vec![], vec!["b".to_owned()], vec!["a".into(), "b".into()]]
    );
    assert_eq!(circle(&tree), None);
    // Two files that import each other, in either spelling; and a file that imports a name of the facade, which itself
    // imports from that file.
    let pair = graph(&[facade, ("a", "fn f(x: super::b::X) {}"), ("b", "use crate::m::a::Z;"), ("c", "")]);
    assert_eq!(circle(&pair), Some(vec!["a".to_owned(), "b".to_owned()]));
    let through_facade = graph(&[("mod", "mod a;\nuse a::A;\nstruct B(A);"), ("a", "use super::B;")]);
    assert_eq!(circle(&through_facade), Some(vec!["a".to_owned(), "mod".to_owned()]));
    assert_eq!(circle(&graph(&[("mod", "mod a;\npub use a::A;\npub struct B;"), ("a", "use super::B;")])), None);
}

#[test]
fn files_do_not_import_each_other_in_a_circle() {
    let mut complaints = Vec::new();
    for folder in WITHOUT_CIRCLES {
        let files = files_of(folder);
        assert!(files.len() > 1, "{folder} has no files");
        let (_, module) = folder.split_once("src").expect("a folder of sources");
        if let Some(circle) = circle(&file_imports(&files, module.trim_start_matches('/'))) {
            complaints.push(format!("{folder}: {} import each other in a circle", circle.join(", ")));
        }
    }
    none(complaints);
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
    for source in tree("crates/workbench/src").iter().filter(|s| s.module != "lib") {
        let own = room_of(&source.module);
        // In files beside the folders, `super` is the workbench.
        let prefixes: &[&str] = if own.is_some() { &["crate::"] } else { &["crate::", "super::"] };
        for (number, line) in &source.code {
            for named in prefixes.iter().flat_map(|prefix| named(line, prefix)) {
                let known = own.is_some_and(|(own, below)| *own == named || below.contains(&named.as_str()));
                if room_of(&named).is_some() && !known {
                    complaints.push(source.complain(*number, &format!("{} must not know {named}", source.module)));
                }
            }
        }
    }
    none(complaints);
}

/// The names of a table of a manifest, such as `[dependencies]`, and of its variants for platforms.
fn dependencies(manifest: &str, table: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside =
                line == format!("[{table}]") || line.starts_with("[target.") && line.ends_with(&format!(".{table}]"));
        } else if let Some((name, _)) = line.split_once(['.', ' ']).filter(|_| inside && !line.starts_with('#')) {
            names.insert(name.to_owned());
        }
    }
    names
}

#[test]
fn manifests_say_what_the_table_of_crates_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = |path: &str| std::fs::read_to_string(root.join(path)).expect("a manifest");
    let engine = dependencies(&manifest("Cargo.toml"), "dependencies");
    assert_eq!(engine, ENGINE_DEPENDENCIES.iter().map(|name| (*name).to_owned()).collect());
    let folders = std::fs::read_dir(root.join("crates")).expect("the crates").flatten();
    let folders: BTreeSet<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(folders, CRATES.iter().map(|(name, _)| (*name).to_owned()).collect());
    for (name, known) in CRATES {
        let text = manifest(&format!("crates/{name}/Cargo.toml"));
        let own = dependencies(&text, "dependencies").into_iter();
        let own: BTreeSet<String> = own.filter_map(|n| n.strip_prefix("tengen-").map(str::to_owned)).collect();
        assert_eq!(own, known.iter().map(|name| (*name).to_owned()).collect(), "crates/{name}");
        let tests = dependencies(&text, "dev-dependencies");
        assert!(tests.iter().all(|n| !n.starts_with("tengen")), "tests of crates/{name} look upwards");
    }
}

#[test]
fn modules_do_not_import_from_outside_by_super() {
    let mut complaints = Vec::new();
    for source in sources() {
        // Number of `super` steps from the file up to the crate's root.
        let parts = source.path.iter().skip_while(|part| *part != "src").count() - 2;
        let depth = if source.path.ends_with("mod.rs") { parts - 1 } else { parts };
        for (number, line) in &source.code {
            // A tests module in the file is one level deeper.
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
            // Code may use the list of all rules and the number of their families, because neither depends on a
            // particular rule.
            for name in named(line, "Rule::").iter().filter(|n| !["ALL", "FAMILIES"].contains(&n.as_str())) {
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
    for source in sources().filter(|s| s.module != "bin" && !s.path.starts_with("crates/tengen")) {
        for (number, line) in &source.code {
            for word in words.iter().filter(|w| line.contains(**w)) {
                complaints.push(source.complain(*number, &format!("{word} belongs to a program")));
            }
        }
    }
    none(complaints);
}

#[test]
fn unsafe_stays_in_its_rooms() {
    let mut complaints = Vec::new();
    for source in sources().filter(|s| !UNSAFE.iter().any(|u| Path::new(u) == s.path)) {
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
    none(
        all_files()
            .filter(|s| s.lines > LONGEST_FILE)
            .map(|s| s.complain(s.lines, "too long: two things in one?"))
            .collect(),
    );
}

/// rustfmt wraps code but not comments.
#[test]
fn comments_are_as_narrow_as_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wide = |(i, line): (usize, &str)| {
        let is_text = line.trim_start().starts_with("//") && !line.contains("//! |") && !line.contains("http");
        (is_text && line.chars().count() > WIDEST).then_some(i + 1)
    };
    let complaints = all_files().flat_map(|source| {
        let text = std::fs::read_to_string(root.join(&source.path)).expect("a source file");
        let lines: Vec<usize> = text.lines().enumerate().filter_map(wide).collect();
        lines.into_iter().map(move |line| source.complain(line, "is too wide")).collect::<Vec<_>>()
    });
    none(complaints.collect());
}

#[test]
fn every_module_says_what_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let undocumented = |s: &Source| !std::fs::read_to_string(root.join(&s.path)).expect("a file").starts_with("//!");
    none(sources().filter(undocumented).map(|s| s.complain(1, "begins without a word")).collect());
}

#[test]
fn the_architecture_page_shows_the_import_table() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("a file");
    let name = |word: &str| word.trim_start_matches("mod@").to_owned();
    let words = |cell: &str| cell.split('`').skip(1).step_by(2).map(name).collect::<Vec<_>>();
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
    for (name, known) in CRATES {
        let mut known: Vec<String> = known.iter().map(|n| (*n).to_owned()).collect();
        known.sort();
        assert_eq!(shown.remove(*name), Some(known), "the row of the crate {name}");
    }
    assert_eq!(shown, BTreeMap::new(), "rows of no module");
}

/// The page with the import graphs: first of the crates, then of the modules of the engine.
const PICTURES: &str = "docs/architecture.md";

/// The crates on which each crate depends, from the manifests. The engine is the package at the root.
fn imports_of_crates() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let imports = CRATES.iter().map(|(name, _)| {
        let manifest = std::fs::read_to_string(root.join(format!("crates/{name}/Cargo.toml"))).expect("a manifest");
        let all = dependencies(&manifest, "dependencies").into_iter();
        let ours = all.filter_map(|n| {
            if n == "tengen" { Some("engine".to_owned()) } else { n.strip_prefix("tengen-").map(str::to_owned) }
        });
        ((*name).to_owned(), ours.collect())
    });
    imports.collect()
}

/// The modules that each module of the engine imports, from the code.
fn imports_of_modules() -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in tree("src").iter().filter(|s| s.module != "lib") {
        let prefix = if source.module == "bin" { "tengen::" } else { "crate::" };
        let mut names = paths(&code(source), prefix);
        names.retain(|name| *name != source.module && IMPORTS.iter().any(|(module, _)| module == name));
        imports.entry(source.module.clone()).or_default().append(&mut names);
    }
    imports
}

/// An acyclic graph in Mermaid syntax. Edges that follow from other edges are left out.
fn mermaid(graph: &BTreeMap<String, BTreeSet<String>>) -> String {
    fn reaches(graph: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
        graph.get(from).into_iter().flatten().any(|next| next == to || reaches(graph, next, to))
    }
    let mut picture = "flowchart TD\n".to_owned();
    for (name, below) in graph {
        let direct = below.iter().filter(|to| !below.iter().any(|other| reaches(graph, other, to)));
        let direct = direct.map(String::as_str).collect::<Vec<_>>().join(" & ");
        if !direct.is_empty() {
            picture += &format!("    {name} --> {direct}\n");
        }
    }
    picture
}

/// The page of the graphs as it is, and as the code requires it.
fn pages() -> (String, String) {
    const BEGIN: &str = "```mermaid\n";
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(PICTURES)).expect(PICTURES);
    let (before, pictures) = page.split_once(BEGIN).expect("a picture");
    let pictures = pictures.split(BEGIN).collect::<Vec<_>>();
    let graphs = [imports_of_crates(), imports_of_modules()];
    assert_eq!(pictures.len(), graphs.len(), "{PICTURES} has pictures of crates and of modules");
    let mut drawn = before.to_owned();
    for (picture, graph) in pictures.iter().zip(&graphs) {
        let (_, after) = picture.split_once("```").expect("the end of a picture");
        drawn += &format!("{BEGIN}{}```{after}", mermaid(graph));
    }
    (page, drawn)
}

#[test]
fn arrows_that_follow_from_others_are_not_drawn() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let graph = [("a", set(&[])), ("b", set(&["a"])), ("c", set(&["a", "b"])), ("d", set(&["a"]))];
    let graph = graph.into_iter().chain([("e", set(&["c", "d", "a"]))]);
    let graph = graph.map(|(name, below)| (name.to_owned(), below)).collect();
    assert_eq!(mermaid(&graph), "flowchart TD\n    b --> a\n    c --> b\n    d --> a\n    e --> c & d\n");
}

#[test]
fn the_pictures_of_imports_are_those_of_the_code() {
    let (page, drawn) = pages();
    assert!(page == drawn, "{PICTURES} is out of date: cargo test --test architecture -- --ignored draws it again");
    let crates = CRATES.iter().map(|(name, _)| format!("`crates/{name}`"));
    for name in crates.chain(IMPORTS.iter().map(|(module, _)| format!("`{module}`"))) {
        assert!(page.contains(&name), "{PICTURES} does not tell what {name} is");
    }
}

#[test]
#[ignore = "writes docs/architecture.md"]
fn the_pictures_of_imports_are_drawn() {
    let (page, drawn) = pages();
    if page != drawn {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PICTURES), drawn).expect("the page");
    }
}
