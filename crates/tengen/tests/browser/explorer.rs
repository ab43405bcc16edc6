//! The explorer: the database of positions beside the board.

use super::access::{axe, fits, violations};
use super::driver::key;
use super::process::{new_folder, poll, wait_for};
use super::table::{SOON, Table, against, labels, scenario_with, strings, two_people};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tengen::board::{BoardSize, Setup, parse_points};
use tengen::rules::Rule;
use tengen_database::{Database, proven};

/// Games of freestyle. The second is the first one mirrored; the third is a library of its own.
const GAMES: &str = "(;GM[4]SZ[15]RU[freestyle]RE[B+];B[hh];W[ig];B[hg])(;GM[4]SZ[15]RU[freestyle]RE[W+];B[hh];W[gg];B[hg])\
                     (;GM[4]SZ[15]RU[freestyle]RE[0];B[hh];W[hg])";
const STUDY: &str =
    "(;GM[4]SZ[15]RU[freestyle]RE[B+];B[hh]C[the centre]LB[ig:A][hg:B]TR[gi];W[hg]C[an indirect opening];B[ih])";

/// Time limit for the result of a search.
const THOUGHT: Duration = Duration::from_secs(60);

/// The moves of the table: label, games, value, comment.
const ROWS: &str = "
const shown = (button) => [...button.childNodes].filter((node) => node.className !== 'unseen').map((node) => node.textContent).join('');
return [...document.querySelectorAll('table.known tbody tr')].map((row) => [row.dataset.at, row.querySelector('.count').textContent,
  row.querySelector('.worth').textContent, row.querySelector('.said')?.textContent ?? '', shown(row.querySelector('button'))]);";

fn folder_with(files: &[(&str, &str)]) -> (PathBuf, String) {
    let folder = new_folder("database");
    let database = folder.join("positions.tdb");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file");
        let mut import = Command::new(env!("CARGO_BIN_EXE_tengen"));
        import.args(["database", "import"]).arg(&database).arg(folder.join(name));
        assert!(import.output().expect("the program").status.success());
    }
    let path = database.to_str().expect("a path in UTF-8").to_owned();
    (folder, path)
}

/// Waits until the table has these moves with their games, and returns its rows.
#[track_caller]
fn rows(table: &Table, wanted: &[(&str, &str)]) -> Value {
    let mut last = Value::Null;
    let is = |rows: &Value| {
        let rows = rows.as_array().expect("rows");
        rows.len() == wanted.len()
            && rows.iter().zip(wanted).all(|(row, (at, games))| row[0] == *at && row[1] == *games)
    };
    let found = poll(SOON, || {
        last = table.browser.execute(ROWS, &[]);
        is(&last).then(|| last.clone())
    });
    found.unwrap_or_else(|| panic!("{wanted:?}: {last}"))
}

fn text(table: &Table, css: &str) -> String {
    table
        .browser
        .execute("return document.querySelector(arguments[0])?.textContent ?? ''", &[json!(css)])
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[track_caller]
fn told(table: &Table, css: &str, words: &str) {
    wait_for(words, SOON, || text(table, css).contains(words).then_some(()));
}

fn explored(table: &Table) {
    table.start(two_people("freestyle", 15, 15));
    table.tab("explorer");
}

/// Makes moves without the page.
fn moves(table: &Table, text: &str) {
    for at in labels(text) {
        table.client.command(json!({ "do": "move", "at": at }));
    }
}

#[test]
fn the_explorer_shows_plays_and_filters() {
    let (folder, database) = folder_with(&[("games.sgf", GAMES), ("study.sgf", STUDY)]);
    scenario_with("explorer", &["--database", &database], |table| {
        explored(table);
        let first = rows(table, &[("h8", "4")]);
        assert_eq!(first[0][4], "h8", "the centre is its own image");
        told(table, ".explored .results", "50%");
        // A click plays, and the table follows. Moves that are images of each other are one row.
        table.visible("table.known button");
        table.until("the move is played", SOON, |state| state["board"]["text"] == "h8");
        let replies = rows(table, &[("g9", "2"), ("h9", "2")]);
        assert_eq!(
            (&replies[0][4], &replies[1][4], &replies[1][3]),
            (&json!("g9 ×4"), &json!("h9 ×4"), &json!("an indirect opening"))
        );
        told(table, ".texts", "study.sgf the centre");
        let marks =
            "return [...document.querySelectorAll('.board .marks > [data-at]')].map((node) => node.dataset.at).sort()";
        assert_eq!(
            strings(&table.browser.execute(marks, &[])),
            ["g7", "g9", "h9", "i9"],
            "marks of the library, and a known move"
        );
        // By an image of the known moves the answer is the same, turned.
        table.place("i7");
        rows(table, &[("i8", "2")]);
        table.client.command(json!({ "do": "undo" }));
        // Only some of the sources answer.
        let choose = "const select = document.querySelector('.explorer select');
            select.value = [...select.options].find(({ text }) => text === arguments[0]).value;
            select.dispatchEvent(new Event('change'));";
        table.browser.execute(choose, &[json!("study.sgf")]);
        rows(table, &[("h9", "1")]);
        table.browser.execute(choose, &[json!("all sources")]);
        rows(table, &[("g9", "2"), ("h9", "2")]);
        // By keyboard alone.
        table.browser.execute("document.querySelector('[data-at=h9] .known-move').focus()", &[]);
        table.see("the move and its images are ringed", |_| {
            table.browser.ask("document.querySelectorAll('.board .marks > [data-at]').length >= 4") == true
        });
        table.browser.press(&[], key::ENTER);
        table.until("the second move", SOON, |state| state["board"]["text"] == "h8h9");
        told(table, ".texts", "an indirect opening");
        moves(table, "a1b1");
        told(table, ".explorer .quiet", "does not know this position");
        // In a game against the engine it would help.
        table.start(against(1, "freestyle"));
        told(table, ".explorer .quiet", "would help in this game");
    });
    let _ = std::fs::remove_dir_all(folder);
}

/// The page asks about a position, and a game begins in which the answer would help before the question arrives.
#[test]
fn a_question_that_a_game_overtakes_is_no_error() {
    let (folder, database) = folder_with(&[("games.sgf", GAMES)]);
    scenario_with("explorer-late", &["--database", &database], |table| {
        explored(table);
        rows(table, &[("h8", "3")]);
        let hold = "const send = window.fetch;
            window.held = new Promise((go) => { window.go = go; });
            window.fetch = async (path, ...rest) => {
              if (path.startsWith('/api/explore')) { window.asked = true; await window.held; }
              return send(path, ...rest);
            };";
        table.browser.execute(hold, &[]);
        moves(table, "h8");
        wait_for("the question", SOON, || (table.browser.ask("window.asked ?? false") == true).then_some(()));
        table.start(against(1, "freestyle"));
        table.browser.execute("window.go()", &[]);
        told(table, ".explorer .quiet", "would help in this game");
        table.start(two_people("freestyle", 15, 15));
        rows(table, &[("h8", "3")]);
    });
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn findings_are_stored_by_choice() {
    let (folder, database) = folder_with(&[]);
    scenario_with("store", &["--database", &database], |table| {
        explored(table);
        told(table, ".explorer .quiet", "positions.tdb is empty");
        let power = ".explorer [role=switch]";
        let checked = "document.querySelector('.explorer [role=switch]').getAttribute('aria-checked')";
        assert_eq!(table.browser.ask(checked), "false", "off unless a person wants it");
        moves(table, "h8i9i10");
        analysed(table);
        told(table, ".explorer .quiet", "positions.tdb is empty");
        // Another program writes: a line says so, and nothing is stored.
        let writer = Database::create(Path::new(&database)).expect("nobody writes");
        table.visible(power);
        told(table, ".explorer .setup-note", "positions.tdb is being written by another process");
        assert_eq!(table.state()["database"]["stores"], false);
        drop(writer);
        table.visible(power);
        table.until("it stores", SOON, |state| state["database"]["stores"] == true);
        assert_eq!(text(table, ".explorer .setup-note"), "");
        analysed(table);
        let values = "return [...document.querySelectorAll('table.known .worth')].map((node) => node.textContent).filter(Boolean).length";
        wait_for("three moves with values", SOON, || (table.browser.execute(values, &[]) == 3).then_some(()));
        told(table, ".explored .value", "best ");
        // The choice is remembered by the browser.
        table.browser.refresh();
        table.arrive();
        table.client.command(json!({ "do": "store", "on": false }));
        table.browser.refresh();
        table.arrive();
        table.until("it stores again", SOON, |state| state["database"]["stores"] == true);
        // A review stores its positions too.
        table.start(two_people("freestyle", 15, 15));
        moves(table, "h8a1i8a15j8o1");
        table.client.command(json!({ "do": "review", "nodes": 2000 }));
        let view = || Database::open(Path::new(&database)).ok()?.view().ok();
        let setup = |text| {
            let size = BoardSize::RENJU;
            Setup::from_moves(size, parse_points(size, text).expect("labels"))
        };
        let entries = || view()?.entries(&setup("h8a1i8a15j8"), Rule::Freestyle).ok();
        wait_for("the review's values", THOUGHT, || (!entries()?.is_empty()).then_some(()));
        // What has been proven once is not searched again.
        table.client.command(json!({ "do": "analysis", "on": true, "lines": 1 }));
        wait_for("a proof", THOUGHT, || proven(&view()?, &setup("h8a1i8a15j8o1"), Rule::Freestyle).ok()?.line);
        for back_and_forth in ["undo", "redo"] {
            table.client.command(json!({ "do": back_and_forth }));
        }
        table.tab("analysis");
        told(table, ".analysis .readout", "proven in the database");
    });
    let _ = std::fs::remove_dir_all(folder);
}

/// Analyses the shown position to some depth.
fn analysed(table: &Table) {
    table.client.command(json!({ "do": "analysis", "on": true, "lines": 3 }));
    table.see("three candidates", |shown| strings(&shown["candidates"]).len() == 3);
    table.client.command(json!({ "do": "analysis", "on": false }));
    table.until("it has ended", SOON, |state| state["analysis"]["on"] == false);
}

/// On three screens and in three themes: a picture, nothing beyond the edge, nothing for axe to find.
#[test]
fn the_explorer_is_drawn_on_every_screen() {
    let (folder, database) = folder_with(&[("games.sgf", GAMES), ("study.sgf", STUDY)]);
    scenario_with("explorer-pictures", &["--database", &database], |table| {
        explored(table);
        table.client.command(json!({ "do": "store", "on": true }));
        table.client.command(json!({ "do": "move", "at": "h8" }));
        analysed(table);
        told(table, "table.known .worth", "B ");
        let mut found = Vec::new();
        for (width, height, mobile) in [(390, 844, true), (1280, 800, false), (1920, 1080, false)] {
            table.browser.screen(width, height, mobile);
            for theme in ["light", "dark", "contrast"] {
                table.browser.execute("document.documentElement.dataset.theme = arguments[0]", &[json!(theme)]);
                told(table, ".texts", "the centre");
                fits(table);
                table.picture(&format!("explorer-{width}-{theme}"));
                if let Some(axe) = axe() {
                    found.extend(
                        violations(&table.browser, &axe, None)
                            .into_iter()
                            .map(|text| format!("{width}, {theme}: {text}")),
                    );
                }
            }
        }
        table.browser.execute("localStorage.setItem('tengen.view', JSON.stringify({ language: 'zh' }))", &[]);
        table.browser.refresh();
        table.arrive();
        table.tab("explorer");
        told(table, ".texts", "the centre");
        assert!(text(table, ".explorer").contains("保存结果"));
        assert!(!text(table, ".explorer").contains("explorer."), "{}", text(table, ".explorer"));
        table.picture("explorer-zh");
        assert!(found.is_empty(), "{found:#?}");
    });
    let _ = std::fs::remove_dir_all(folder);
}
