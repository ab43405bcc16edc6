//! The page consists of plain files that no compiler reads, so these tests check some of its properties as text: its
//! texts are complete in all languages, its modules fit together, and it uses nothing that its content security policy
//! forbids.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The texts of a language: the tables of the frame, of the panels, of the explorer, of puzzles and sharing, and of the
/// page of a match.
const TABLES: [[&str; 5]; 2] = [
    ["i18n/en.js", "i18n/en_panels.js", "i18n/en_explorer.js", "i18n/en_learn.js", "i18n/en_watch.js"],
    ["i18n/zh.js", "i18n/zh_panels.js", "i18n/zh_explorer.js", "i18n/zh_learn.js", "i18n/zh_watch.js"],
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Names of the files directly in the folder with this ending.
fn named(ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of the page");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("an ASCII name"));
    names.filter(|name| name.ends_with(ending)).collect()
}

/// Keys and texts of a table: lines such as `'a.key': 'Words',`.
fn words(names: &[&str]) -> Vec<(String, String)> {
    let text: String = names.iter().map(|name| read(name)).collect();
    let entry = |line: &str| {
        let (key, words) = line.trim().split_once(": ")?;
        let words = words.strip_suffix(',')?.trim_matches(['\'', '"']);
        Some((key.trim_matches('\'').to_owned(), words.to_owned()))
    };
    text.lines().filter(|line| line.starts_with("  ") && !line.contains("//")).filter_map(entry).collect()
}

fn keys(names: &[&str]) -> BTreeSet<String> {
    words(names).into_iter().map(|(key, _)| key).collect()
}

/// The texts between a mark and the next quotation mark.
fn quoted_after(text: &str, mark: &str, end: char) -> Vec<String> {
    text.split(mark).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0.to_owned())).collect()
}

/// Names in braces, without the words for singular and plural.
fn placeholders(text: &str) -> BTreeSet<String> {
    let name = |inner: String| inner.split('|').next().unwrap_or_default().to_owned();
    quoted_after(text, "{", '}').into_iter().map(name).collect()
}

/// Every count has words for singular and plural, and a percentage follows its side.
#[test]
fn numbers_have_their_plural_and_percentages_their_side() {
    let english = words(&TABLES[0]);
    let nouns = ["plies", "moves", "positions", "games", "stones", "seconds", "nodes"];
    for (key, text) in &english {
        for noun in nouns {
            let bare = text.split(|c: char| !c.is_ascii_alphanumeric() && !"{}|_".contains(c)).collect::<Vec<_>>();
            let counted =
                bare.windows(2).any(|pair| pair[0].ends_with('}') && !pair[0].contains('|') && pair[1] == noun);
            // A level never has exactly one node.
            assert!(!counted || key.starts_with("start.level"), "{key}: {text}");
        }
        for part in quoted_after(text, "{", '}') {
            assert!([1, 3].contains(&part.split('|').count()), "{key}: {text}");
        }
    }
    for table in TABLES {
        for (key, text) in words(&table) {
            if text.contains("{rate}") || text.contains('%') && key != "watch.interval" {
                assert!(text.contains("Black") || text.contains('黑'), "{key}: {text}");
            }
        }
    }
    // Two functions write values, and both name the side.
    let parts = read("parts.js");
    assert!(parts.contains("t(`short.${side}`)} ${percent("), "a value without its side");
    for name in named(".js").iter().filter(|name| !["parts.js", "watch.js", "graph.js"].contains(&name.as_str())) {
        let text = read(name);
        assert!(!text.contains("percent(") && !text.contains("}%`") && !text.contains(" %`"), "{name}");
    }
}

/// Texts about a player named `You` have their own verb form.
#[test]
fn you_are_spoken_to() {
    let english = words(&TABLES[0]);
    for (key, text) in english.iter().filter(|(_, text)| text.starts_with("{name} ")) {
        let verb = text.split(' ').nth(1).unwrap_or_default();
        let only_engine = key.ends_with("_engine");
        let yours = english.iter().find(|(other, _)| *other == format!("{key}.you"));
        assert!(only_engine || yours.is_some_and(|(_, text)| text.starts_with("You ")), "{key}: You {verb}");
    }
    let yours: Vec<&String> = english.iter().map(|(_, text)| text).filter(|text| text.starts_with("You ")).collect();
    assert!(yours.len() >= 4);
    for text in yours {
        assert!(!text.split([' ', ':']).nth(1).unwrap_or_default().ends_with('s'), "{text}");
    }
}

#[test]
fn all_languages_have_the_same_words() {
    let [english, chinese] = TABLES.map(|names| words(&names));
    assert!(english.len() > 200, "the tables were not understood");
    let names = |table: &[(String, String)]| table.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    assert_eq!(names(&english), names(&chinese), "other keys, or another order");
    let distinct: BTreeSet<_> = names(&english).into_iter().collect();
    assert_eq!(distinct.len(), english.len(), "a key twice");
    for ((key, one), (_, other)) in english.iter().zip(&chinese) {
        assert!(!one.is_empty() && !other.is_empty(), "{key} is empty");
        assert!(
            placeholders(other).is_subset(&placeholders(one)),
            "{key}: {other} names a value that the page does not give"
        );
    }
}

#[test]
fn words_that_the_page_uses_exist() {
    let known = keys(&TABLES[0]);
    let mut used = 0;
    for name in named(".js") {
        let text = read(&name);
        for before in ["(", " ", "{", "[", "!"] {
            for key in quoted_after(&text, &format!("{before}t('"), '\'') {
                assert!(known.contains(&key), "{name}: no words for {key}");
                used += 1;
            }
            // For keys that are put together, at least the beginning must be that of some key.
            for key in quoted_after(&text, &format!("{before}t(`"), '`') {
                let start = key.split("${").next().unwrap_or_default();
                assert!(known.iter().any(|one| one.starts_with(start)), "{name}: no words for {key}");
                used += 1;
            }
        }
    }
    for page in named(".html") {
        let text = read(&page);
        for attribute in ["data-label=\"", "data-text=\""] {
            for key in quoted_after(&text, attribute, '"') {
                assert!(known.contains(&key), "{page}: no words for {key}");
            }
        }
    }
    assert!(used > 100, "the modules were not understood");
}

#[test]
fn every_action_has_words() {
    let known = keys(&TABLES[0]);
    let text = read("keys.js");
    let table =
        text.split_once("export const ACTIONS = {").and_then(|(_, rest)| rest.split_once("\n};")).expect("ACTIONS").0;
    let actions: Vec<_> = table.lines().filter_map(|line| line.trim().split_once(": {")).collect();
    assert!(actions.len() > 20);
    for (action, _) in actions {
        assert!(known.contains(&format!("key.{action}")), "no words for the action {action}");
    }
}

#[test]
fn modules_import_what_others_export() {
    for name in named(".js") {
        let text = read(&name);
        for line in text.lines().filter(|line| line.starts_with("import ")) {
            let [from] = &quoted_after(line, "from './", '\'')[..] else { panic!("{name}: {line}") };
            let other = read(from);
            let Some((_, rest)) = line.split_once("{ ") else { continue };
            let imported = rest.split_once(" }").expect("a closing brace").0;
            for item in imported.split(", ") {
                let item = item.split(" as ").next().unwrap_or_default();
                let exported = ["function", "const", "class", "async function"]
                    .iter()
                    .any(|kind| other.contains(&format!("export {kind} {item}")));
                assert!(exported, "{name}: {from} does not export {item}");
            }
        }
    }
}

#[test]
fn nothing_needs_what_the_policy_forbids() {
    for name in named(".js") {
        let text = read(&name);
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "srcdoc",
            "javascript:",
            "style: `",
            "style: '",
            "http://",
            "https://",
        ] {
            let own = text.replace("http://www.w3.org/", ""); // The namespace of SVG is not an address that is loaded.
            assert!(!own.contains(word), "{name} uses {word}");
        }
        assert!(text.starts_with("/**"), "{name} does not say what it is for");
    }
    for name in named(".html") {
        let text = read(&name);
        for word in [" style=", " onclick=", " onload=", "<style", "http:", "https:", "javascript:"] {
            assert!(!text.contains(word), "{name} uses {word}");
        }
        assert!(
            text.matches("<script").count() == text.matches("<script type=\"module\" src=\"").count(),
            "{name}: inline script"
        );
    }
    for name in named(".css") {
        assert!(!read(&name).contains("url("), "{name} loads something");
    }
}
