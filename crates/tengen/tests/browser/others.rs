//! Other engines on the page: chosen in the dialog, played against, watched, asked for a second opinion, and what the
//! page says when they fail.

use super::access::{axe, violations};
use super::driver::key;
use super::process::{poll, wait_for};
use super::table::{SOON, Table, scenario_with_engines, strings, two_people};
use serde_json::{Value, json};
use std::time::Duration;

/// Far more than a stub or a fault takes.
const MOVE: Duration = Duration::from_secs(60);

/// A file of engines: the stub with each of these faults, by name.
fn stubs(faults: &[(&str, &str)]) -> String {
    let program = super::arena::bad_engine().display().to_string();
    let table = |(name, args): &(&str, &str)| {
        format!("[[engine]]\nname = \"{name}\"\ncmd = \"{program}\"\nargs = \"{args}\"\nst = 0.3\n\n")
    };
    faults.iter().map(table).collect()
}

/// A game of a person with black against another engine.
fn against(name: &str) -> Value {
    let mut new = two_people("freestyle", 15, 15);
    new["white"] = json!({ "kind": "other", "name": name });
    new["clock"] = json!({ "kind": "move", "ms": 500 });
    new
}

/// Waits for the other engine's move.
fn after_reply(table: &Table, ply: u64) -> Value {
    table.until("the reply is on the board", MOVE, |state| state["ply"] == ply && state["thinking"].is_null())
}

/// Waits for the box of a fault, and returns its text.
fn fault(table: &Table) -> String {
    wait_for("the fault is shown", MOVE, || {
        let shown = table.browser.ask("document.querySelector('#fault:not([hidden])')?.textContent ?? ''");
        shown.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    })
}

/// Changes the language of the page.
fn speak(table: &mut Table, language: &str) {
    let keep = "const kept = JSON.parse(localStorage.getItem('tengen.view') ?? '{}');
        localStorage.setItem('tengen.view', JSON.stringify({ ...kept, language: arguments[0] }));
        location.reload();";
    table.browser.execute(keep, &[json!(language)]);
    wait_for("the language", SOON, || (table.browser.ask("document.documentElement.lang") == language).then_some(()));
    table.arrive();
}

/// Axe finds nothing, in any theme.
fn is_accessible(table: &Table) {
    let Some(axe) = axe() else { return };
    for theme in ["light", "dark", "contrast"] {
        table.browser.execute("document.documentElement.dataset.theme = arguments[0]", &[json!(theme)]);
        assert_eq!(violations(&table.browser, &axe, None), Vec::<String>::new(), "{theme}");
    }
    table.browser.execute("document.documentElement.dataset.theme = 'light'", &[]);
}

/// Pictures in three widths and two themes.
fn pictures(table: &Table, name: &str) {
    for (width, height, touch) in [(390, 844, true), (1280, 800, false), (1920, 1080, false)] {
        table.browser.screen(width, height, touch);
        for theme in ["light", "dark"] {
            table.browser.execute("document.documentElement.dataset.theme = arguments[0]", &[json!(theme)]);
            // Colours change slowly.
            table.browser.execute(
                "for (const one of document.getAnimations()) try { one.finish(); } catch { /* endless */ }",
                &[],
            );
            table.picture(&format!("{name}-{width}-{theme}"));
        }
    }
    table.browser.execute("document.documentElement.dataset.theme = 'light'", &[]);
    table.browser.screen(1280, 800, false);
}

#[test]
fn another_engine_is_chosen_played_and_replaced_after_its_crash() {
    let engines = stubs(&[("Crasher", "crash --after 2"), ("Steady", "")]);
    scenario_with_engines("others", &engines, |table| {
        for (field, value) in
            [("mode", "engine"), ("colour", "black"), ("rule", "freestyle"), ("rival", "other:Crasher")]
        {
            table.choose(field, value);
        }
        let level = "document.querySelector('dialog.start [data-field=level]').hidden";
        assert_eq!(table.browser.ask(level), true, "another engine has no level here");
        pictures(table, "others-start");
        is_accessible(table);
        table.visible("dialog.start [type=submit]");
        table.until("a game begins", SOON, |state| state["game"]["white"]["name"] == "Crasher");
        table.place("h8");
        after_reply(table, 2);
        table.agrees();
        assert!(table.browser.text("#players").contains("Crasher"));
        // Undo sends the position anew.
        table.button("undo");
        table.until("taken back", SOON, |state| state["ply"] == 0);
        table.place("g7");
        after_reply(table, 2);
        table.place("a15");
        let text = fault(table);
        assert!(text.contains("Crasher has crashed.") && text.contains("nothing is lost"), "{text}");
        assert_eq!(table.state()["status"]["kind"], "running");
        pictures(table, "others-fault");
        is_accessible(table);
        // The process starts again and makes the move; it crashes later again. By keyboard alone.
        table.browser.execute("document.querySelector('[data-do=ask-again]').focus()", &[]);
        table.browser.press(&[], key::ENTER);
        after_reply(table, 4);
        table.browser.execute("document.activeElement.blur()", &[]);
        table.place("c13");
        after_reply(table, 6);
        table.place("o1");
        fault(table);
        table.button("substitute");
        let state = table.until("Tengen plays on", MOVE, |state| state["ply"] == 8 && state["thinking"].is_null());
        assert_eq!(state["game"]["names"]["white"], "Tengen");
        assert_eq!(table.browser.ask("document.querySelector('#fault').hidden"), true);
        table.agrees();
    });
}

#[test]
fn every_fault_has_a_line_in_both_languages() {
    let faults = [
        ("Hanger", "silent", "Hanger gave no answer", "Hanger 没有回应"),
        ("Cheater", "off-board", "Cheater made an illegal move.", "Cheater 的落子无效"),
        ("Talker", "prose", "Talker answered with something else than a move.", "Talker 的回答不是落子"),
        ("Late", "later", "Late moved too late.", "Late 落子太晚"),
        ("Picky", "start-error", "Picky could not be started, or does not support this board.", "Picky 无法启动"),
    ];
    let engines = stubs(&faults.map(|(name, args, ..)| (name, args)));
    scenario_with_engines("others-faults", &engines, |table: &mut Table| {
        for (name, _, english, chinese) in faults {
            // The engine begins, so that no person runs out of time.
            let mut new = against(name);
            (new["black"], new["white"]) = (new["white"].take(), new["black"].take());
            new["clock"]["ms"] = json!(if name == "Late" { 200 } else { 2_000 });
            table.start(new);
            let text = fault(table);
            assert!(text.contains(english), "{text}");
            let state = table.state();
            assert_eq!((&state["status"]["kind"], &state["ply"]), (&json!("running"), &json!(0)));
            speak(table, "zh");
            let text = fault(table);
            assert!(text.contains(chinese), "{text}");
            table.picture(&format!("others-fault-{name}-zh"));
            speak(table, "en");
        }
    });
}

#[test]
fn a_second_opinion_stands_beside_tengens() {
    let engines = stubs(&[("Adviser", ""), ("Silent", "crash")]);
    scenario_with_engines("second", &engines, |table| {
        table.start(two_people("freestyle", 15, 15));
        table.place("h8");
        let choose = |name: &str| {
            let set = "const select = document.querySelector('.second select'); select.value = arguments[0];
                select.dispatchEvent(new Event('change', { bubbles: true }));";
            table.browser.execute(set, &[json!(name)]);
        };
        choose("Adviser");
        let told = "({ text: document.querySelector('.second .told').textContent, moves: [...document.querySelectorAll('.second .token')].map((one) => one.textContent), readout: document.querySelector('.second .readout').textContent })";
        let seen = |what: &str| {
            wait_for(what, MOVE, || {
                let seen = table.browser.ask(told);
                (strings(&seen["moves"]).len() == 1).then_some(seen)
            })
        };
        let first = seen("an opinion");
        assert!(first["text"].as_str().expect("text").contains("depth 2 score 7 nodes 225"), "{first}");
        assert!(first["readout"].as_str().expect("text").contains("eval +7 · d 2 · 225 nodes"), "{first}");
        table.browser.execute("document.querySelector('.second .token').focus()", &[]);
        table.see("the move is previewed", |shown| !strings(&shown["ghosts"]).is_empty());
        table.browser.execute("document.activeElement.blur()", &[]);
        pictures(table, "second");
        is_accessible(table);
        // It follows the shown position, beside Tengen's own lines.
        table.place("a1");
        let second = seen("another opinion");
        assert_ne!(first["moves"], json!([]));
        assert!(strings(&second["moves"]).len() == 1 && table.state()["analysis"]["on"] == true);
        wait_for("Tengen's lines too", MOVE, || {
            (table.browser.ask("document.querySelectorAll('.pv tbody tr').length > 0") == true).then_some(())
        });
        choose("Silent");
        wait_for("its fault", MOVE, || {
            table.browser.text(".second .problem").contains("Silent has crashed.").then_some(())
        });
        choose("");
        table.until("no second opinion", SOON, |state| state["analysis"]["second"].is_null());
        assert_eq!(table.browser.ask("document.querySelector('.second-room').hidden"), true);
        // The page cannot name a program.
        let refused = table.client.try_command(json!({ "do": "analysis", "on": true, "second": "/bin/sh" }));
        assert_eq!(refused.expect_err("a program")["error"], "malformed");
        let mut new = against("/bin/sh");
        new["white"]["cmd"] = json!("/bin/sh");
        assert_eq!(table.client.try_command(new).expect_err("a program")["error"], "malformed");
    });
}

#[test]
fn two_engines_play_with_clocks_and_are_watched() {
    let engines = stubs(&[("One", ""), ("Two", "")]);
    scenario_with_engines("two-engines", &engines, |table| {
        for (field, value) in [
            ("mode", "engines"),
            ("rule", "freestyle"),
            ("rival", "other:One"),
            ("rival_other", "other:Two"),
            ("clock", "game"),
        ] {
            table.choose(field, value);
        }
        table.picture("others-engines-start");
        table.visible("dialog.start [type=submit]");
        table.until("they play", MOVE, |state| state["ply"].as_u64() >= Some(2));
        table.button("pause");
        let state = table.until("they wait", MOVE, |state| state["paused"] == true && state["thinking"].is_null());
        assert!(state["clock"]["black_ms"].as_u64() > Some(0));
        table.button("pause");
        let over = poll(MOVE, || (table.state()["status"]["kind"] != "running").then_some(()));
        assert!(over.is_some(), "they play to the end: {}", table.state()["status"]);
        table.agrees();
        table.picture("others-engines-over");
    });
}

/// Without declared engines nothing of this is on the page.
#[test]
fn without_other_engines_there_is_no_choice() {
    scenario_with_engines("no-others", "", |table| {
        let shown =
            "[document.querySelectorAll('[data-field=rival]').length, document.querySelector('.second').hidden]";
        assert_eq!(table.browser.ask(shown), json!([0, true]));
    });
}
