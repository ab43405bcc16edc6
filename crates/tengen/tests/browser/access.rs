//! Accessibility: keyboard alone, touch, small and large screens, dark and forced colours, assistive technology.

use super::browser::{Browser, skip};
use super::driver::key;
use super::process::wait_for;
use super::support::workspace;
use super::table::{SOON, Table, against, labels, scenario, strings, two_people};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Presses Tab until this element has the focus.
#[track_caller]
fn tab_to(table: &Table, css: &str) {
    for _ in 0..150 {
        if table.browser.execute("return document.activeElement.matches(arguments[0])", &[json!(css)]) == true {
            return;
        }
        table.browser.press(&[], key::TAB);
    }
    panic!("Tab never reaches {css}");
}

/// Types a point into the focused board and places a stone there.
#[track_caller]
fn type_move(table: &Table, at: &str) {
    for c in at.chars() {
        table.browser.press(&[], c.encode_utf8(&mut [0; 4]));
    }
    wait_for(&format!("the cursor is on {at}"), SOON, || {
        (table.browser.ask("document.activeElement.dataset.at") == at).then_some(())
    });
    table.browser.press(&[], key::ENTER);
    table.see(&format!("a stone on {at}"), |shown| strings(&shown["last"]) == [at]);
}

#[test]
fn a_whole_game_without_a_mouse() {
    scenario("keyboard", |table| {
        // The start dialog: a game between two persons.
        tab_to(table, "dialog.start input[name=mode]");
        let mode = "document.querySelector('dialog.start form').elements.mode.value";
        while table.browser.ask(mode) != "persons" {
            table.browser.press(&[], key::DOWN);
        }
        tab_to(table, "dialog.start button[type=submit]");
        table.browser.press(&[], key::ENTER);
        table.until("a game between two persons", SOON, |state| {
            state["game"]["black"]["kind"] == "person" && state["game"]["white"]["kind"] == "person"
        });
        wait_for("the dialog is closed", SOON, || (table.browser.find("dialog[open]").is_none()).then_some(()));

        tab_to(table, "[role=gridcell]");
        type_move(table, "h8");
        // The arrow keys move the cursor.
        for (pressed, at) in [
            (key::UP, "h9"),
            (key::RIGHT, "i9"),
            (key::DOWN, "i8"),
            (key::LEFT, "h8"),
            (key::HOME, "a8"),
            (key::END, "o8"),
        ] {
            table.browser.press(&[], pressed);
            assert_eq!(table.browser.ask("document.activeElement.dataset.at"), at);
        }
        for at in labels("a1i8a2j8a3k8a4") {
            type_move(table, &at);
        }
        table.agrees();
        // Back and forward in the game, with the focus on the board throughout.
        table.browser.press(&[key::ALT], key::LEFT);
        table.until("one ply back", SOON, |state| state["ply"] == 7);
        table.browser.press(&[key::ALT], key::RIGHT);
        table.until("one ply forward", SOON, |state| state["ply"] == 8);
        type_move(table, "l8");
        let state = table.until("Black wins", SOON, |state| state["status"]["kind"] == "win");
        assert_eq!(state["status"]["side"], "black");
        table.see("it is said", |shown| shown["assertive"] == shown["status"] && shown["status"] != "");
        table.browser.press(&[key::CONTROL], "z");
        table.until("the win is undone", SOON, |state| state["status"]["kind"] == "running");
        table.browser.press(&[key::CONTROL], "y");
        table.until("and redone", SOON, |state| state["status"]["kind"] == "win");
        table.agrees();

        // Help, and a second game, with keys only.
        table.browser.press(&[key::SHIFT], "?");
        wait_for("the keys are shown", SOON, || table.browser.find("dialog.keys[open]").map(drop));
        assert!(table.browser.text("dialog.keys").contains("Ctrl+Z"));
        table.browser.press(&[], key::ESCAPE);
        wait_for("and gone", SOON, || (table.browser.find("dialog[open]").is_none()).then_some(()));
        tab_to(table, "[data-do=new]");
        table.browser.press(&[], key::ENTER);
        wait_for("the start dialog", SOON, || table.browser.find("dialog.start[open]").map(drop));
    });
}

/// The board has one Tab stop, and Tab reaches every control.
#[test]
fn tab_goes_round_the_page() {
    scenario("tab-order", |table| {
        table.start(two_people("freestyle", 15, 15));
        table.place("h8");
        table.browser.execute("document.activeElement.blur()", &[]);
        let here = "const node = document.activeElement;
            node.dataset.testReached = '';
            return node === document.body ? 'body' : node.getAttribute('role') ?? node.tagName;";
        let round = || {
            let mut reached = Vec::new();
            while reached.len() < 150 && reached.last().is_none_or(|role| role != "body") {
                table.browser.press(&[], key::TAB);
                reached.push(table.browser.execute(here, &[]));
            }
            reached
        };
        // The first round goes from the last mouse position to the end, the second once around.
        round();
        let reached = round();
        let cells = reached.iter().filter(|role| *role == "gridcell").count();
        assert_eq!(cells, 1, "{reached:?}");
        let missed = "[...document.querySelectorAll('button, input, select, textarea, a[href], [tabindex=\"0\"]')]
            .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.disabled && node.tabIndex >= 0)
            .filter((node) => node.type !== 'radio' && node.dataset.testReached === undefined)
            .map((node) => node.outerHTML.slice(0, 120))";
        assert_eq!(table.browser.ask(missed), json!([]), "not reached by Tab");
        // The focus is visible.
        tab_to(table, "[role=gridcell]");
        let ring = "const style = getComputedStyle(document.activeElement);
            return [style.outlineStyle, style.outlineWidth, style.stroke, style.strokeWidth].join(' ')";
        let focused = table.browser.execute(ring, &[]);
        table.browser.execute("document.activeElement.blur()", &[]);
        let cell = ring.replace("document.activeElement", "document.querySelector('[role=gridcell][tabindex=\"0\"]')");
        assert_ne!(table.browser.execute(&cell, &[]), focused, "the focus of the board shows nothing");
    });
}

#[test]
fn a_finger_places_in_two_taps() {
    scenario("touch", |table| {
        table.browser.screen(390, 844, true);
        table.browser.refresh();
        table.arrive();
        table.start(two_people("freestyle", 15, 15));
        let tap = |at: &str| {
            let cell = table.browser.find(&format!("[role=gridcell][data-at='{at}']")).expect("a cell");
            table.browser.touch(json!([
                { "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": cell.value() },
                { "type": "pointerDown", "button": 0 },
                { "type": "pause", "duration": 30 },
                { "type": "pointerUp", "button": 0 },
            ]));
        };
        tap("h8");
        table.see("a point to be confirmed", |shown| strings(&shown["target"]) == ["h8"]);
        assert_eq!(table.state()["ply"], 0, "one tap is not enough");
        tap("i9");
        table.see("another one", |shown| strings(&shown["target"]) == ["i9"]);
        tap("i9");
        table.see("the stone", |shown| shown["stones"] == json!(["i9 black"]) && shown["target"] == json!([]));
        table.agrees();
        fits(table);
        let small = "[...document.querySelectorAll('#row button')].filter((node) => node.checkVisibility())
            .map((node) => node.getBoundingClientRect()).filter((box) => box.height < 44 || box.width < 44).length";
        assert_eq!(table.browser.ask(small), 0, "buttons for fingers are at least 44 pixels large");
    });
}

/// No element is wider than the window.
#[track_caller]
pub fn fits(table: &Table) {
    let wide = "[document.scrollingElement.scrollWidth, innerWidth]";
    let wide = table.browser.ask(wide);
    assert!(wide[0].as_i64() <= wide[1].as_i64(), "the page scrolls sideways: {wide}");
}

/// A running game with analysis, on three screens, in light and dark, and in forced colours.
#[test]
fn pictures_are_taken_on_every_screen() {
    scenario("pictures", |table| {
        middle_game(table);
        for (width, height, mobile) in [(390, 844, true), (1024, 768, false), (1920, 1080, false)] {
            table.browser.screen(width, height, mobile);
            for scheme in ["light", "dark"] {
                table.browser.media(&[("prefers-color-scheme", scheme)]);
                look(table, &format!("play-{width}-{scheme}"));
            }
            table.browser.media(&[("forced-colors", "active")]);
            look(table, &format!("play-{width}-forced"));
            table.browser.media(&[]);
        }
        // A common screen at 200 % zoom.
        table.browser.screen(640, 450, false);
        look(table, "play-zoomed");
    });
}

fn look(table: &Table, name: &str) {
    table.see("the board is drawn", |shown| !strings(&shown["stones"]).is_empty());
    fits(table);
    let width = table.browser.ask("document.querySelector('.board').getBoundingClientRect().width");
    assert!(width.as_f64() > Some(250.0), "a board of {width} pixels");
    let path = table.picture(name);
    assert!(std::fs::metadata(path).expect("a picture").len() > 10_000);
}

/// A game of some moves whose analysis no longer changes, so that its pictures are alike.
fn middle_game(table: &Table) {
    table.start(two_people("renju", 15, 15));
    for at in labels("h8i9g7i7i8g8h9h10f7j6") {
        table.client.command(json!({ "do": "move", "at": at }));
    }
    table.client.command(json!({ "do": "analysis", "on": true, "lines": 5 }));
    table.settle();
    table.tab("analysis");
    table.see("candidates", |shown| strings(&shown["candidates"]).len() == 5);
}

/// `cargo test --release --test browser -- --ignored the_picture_of_the_readme`
#[test]
#[ignore = "writes scripts/plots/play.png, the picture of the README"]
fn the_picture_of_the_readme_is_taken() {
    scenario("readme", |table| {
        table.browser.screen(1600, 900, false);
        middle_game(table);
        // Branches, and the graph and signs of a review.
        let line = table.state()["line"].clone();
        for (ply, moves) in [(3, "h6g8f8"), (6, "j9h9h10g10"), (8, "j8f7")] {
            let node = &line[ply - 1]["node"];
            table.client.command(json!({ "do": "add_line", "node": node, "moves": labels(moves) }));
        }
        table.client.command(json!({ "do": "review", "nodes": 50_000 }));
        let curve = "document.querySelectorAll('svg.graph .curve').length >= 10";
        wait_for("the review is done", Duration::from_secs(120), || (table.browser.ask(curve) == true).then_some(()));
        let depth = |state: &Value| state["line"][9]["value"]["depth"].as_u64();
        wait_for("a deep search", Duration::from_secs(60), || (depth(&table.state()) >= Some(12)).then_some(()));
        let picture = table.picture("play");
        let readme = workspace().join("scripts/plots/play.png");
        std::fs::copy(picture, readme).expect("the picture of the README");
    });
}

/// The path where `.ci/run` stores axe-core, which is not part of this program.
pub fn axe() -> Option<String> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("the target folder")
        .join("npm/axe-core-4.14.1/package/axe.min.js");
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(_) => {
            skip(&format!("no axe-core in {}", path.display()));
            None
        }
    }
}

/// The violations that axe finds on the current page, by all rules or by one.
pub fn violations(browser: &Browser, axe: &str, rule: Option<&str>) -> Vec<String> {
    if browser.ask("typeof window.axe") != "object" {
        browser.execute(&format!("{axe}; window.axe = window.axe ?? axe;"), &[]);
    }
    // Ends animations: a colour halfway between two themes is not part of the design. Endless animations cannot be
    // finished.
    browser.execute("for (const one of document.getAnimations()) try { one.finish(); } catch { /* endless */ }", &[]);
    let only = rule.map_or_else(String::new, |rule| format!("runOnly: ['{rule}'],"));
    let found = browser.ask(&format!(
        "axe.run(document, {{ {only} resultTypes: ['violations'] }}).then(({{ violations }}) => violations.map((one) =>
          `${{one.id}} (${{one.impact}}): ${{one.nodes.map((node) => `${{node.target}} ${{node.failureSummary}}`).join(' | ')}}`))",
    ));
    strings(&found)
}

/// Every screen in every theme.
#[test]
fn axe_finds_nothing_on_any_screen() {
    let Some(axe) = axe() else { return };
    scenario("axe", |table| {
        let mut found = Vec::new();
        let mut look = |screen: &str, themes: &[&str]| {
            for (i, theme) in themes.iter().enumerate() {
                table.browser.execute("document.documentElement.dataset.theme = arguments[0]", &[json!(theme)]);
                // Themes differ only in their colours.
                let rule = (i > 0).then_some("color-contrast");
                let all = violations(&table.browser, &axe, rule).into_iter();
                found.extend(all.map(|text| format!("{screen}, {theme}: {text}")));
            }
        };
        let all = ["light", "dark", "contrast"];
        look("start dialog", &all);
        table.dismiss();
        look("empty board", &all);
        middle_game(table);
        look("analysis", &all);
        table.client.command(json!({ "do": "analysis", "on": false }));
        table.settle();
        for (tab, button) in [("setup", ""), ("log", ""), ("review", ".review button.primary")] {
            table.tab(tab);
            if !button.is_empty() {
                table.visible(button);
                wait_for("the review is done", Duration::from_secs(60), || {
                    let done = "[...document.querySelectorAll('.review [role=group] button')].some((node) => node.checkVisibility())";
                    (table.browser.ask(done) == true).then_some(())
                });
            }
            look(tab, &all);
        }
        table.tab("puzzles");
        table.visible(".puzzles [data-puzzle=start]:not(:disabled)");
        table.visible(".puzzles [data-puzzle=hint]");
        look("puzzles", &all);
        table.tab("analysis");
        table.button("legend");
        look("legend", &all);
        table.browser.press(&[], key::ESCAPE);
        for (action, name) in
            [("settings", "settings"), ("keys", "keys"), ("save", "save"), ("share", "share"), ("new", "start")]
        {
            table.button(action);
            wait_for(name, SOON, || table.browser.find(&format!("dialog.{name}[open]")).map(drop));
            look(name, &all);
            table.dismiss();
        }
        // A finished game, the wizard of swap2, and the engine while it searches.
        table.client.command(json!({ "do": "resign" }));
        table.settle();
        look("game over", &all);
        let mut new = against(1, "freestyle");
        new["opening"] = json!("swap2");
        let white = new["white"].take();
        new["white"] = new["black"].take();
        new["black"] = white;
        table.start(new);
        table.until("the wizard asks", Duration::from_secs(30), |state| state["turn"]["phase"] == "choose");
        look("swap2", &all);
        let mut new = two_people("renju", 15, 15);
        new["opening"] = json!("yamaguchi");
        table.start(new);
        for at in ["h8", "h9", "i9"] {
            table.place(at);
        }
        table.until("the wizard asks", SOON, |state| state["turn"]["phase"] == "number");
        look("the number of fifth moves", &all);
        table.browser.screen(390, 844, true);
        look("small screen", &all);
        table.start(against(1, "renju"));
        table.tab("game");
        look("small screen, game", &["light"]);
        assert!(found.is_empty(), "{found:#?}");
    });
}
