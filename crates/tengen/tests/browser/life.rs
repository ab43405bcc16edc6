//! Events around the game: reloads, tabs, and the end and restart of the program.

use super::driver::key;
use super::process::{poll, wait_for};
use super::table::{Play, SOON, scenario, two_people};
use serde_json::json;
use std::time::Duration;

#[test]
fn a_reload_changes_nothing() {
    scenario("reload", |table| {
        table.start(two_people("freestyle", 15, 15));
        table.place("h8");
        table.place("i9");
        let before = table.agrees();
        assert!(!table.browser.address().contains("code"), "the code has left the address");
        table.browser.refresh();
        table.arrive();
        let after = table.agrees();
        assert_eq!((&after["rev"], &after["board"]), (&before["rev"], &before["board"]));
        table.dismiss();
        table.place("j10");
        table.agrees();
    });
}

#[test]
fn other_tabs_get_in_and_the_oldest_of_many_gives_way() {
    scenario("tabs", |table| {
        table.start(two_people("freestyle", 15, 15));
        table.place("h8");
        let first = table.browser.tab();
        let address = format!("http://127.0.0.1:{}/", table.play.as_ref().expect("it runs").port);
        for number in 1..=4 {
            let tab = table.browser.new_tab();
            table.browser.switch_to(&tab);
            table.browser.navigate(&address);
            table.arrive();
            table.dismiss();
            table.agrees();
            if number == 1 {
                // The other tab shows a move of this tab.
                table.place("i9");
                table.browser.switch_to(&first);
                table
                    .see("the move of the other tab", |shown| shown["stones"].as_array().is_some_and(|s| s.len() == 2));
                table.agrees();
            }
        }
        table.browser.switch_to(&first);
        table.see("the oldest of five tabs has given way", |shown| shown["banner"] != "");
    });
}

/// An address works once. The same browser can use it again; another browser gets instructions for a new address.
#[test]
fn a_used_address_opens_the_board_for_the_same_browser_only() {
    scenario("address", |table| {
        table.allow("401");
        table.start(two_people("freestyle", 15, 15));
        table.place("h8");
        let used = table.play.as_ref().expect("it runs").address.clone();
        let tab = table.browser.new_tab();
        table.browser.switch_to(&tab);
        table.browser.navigate(&used);
        table.arrive();
        table.agrees();
        // Simulates another browser: no stored token.
        table.browser.execute("localStorage.removeItem('tengen.token')", &[]);
        let tab = table.browser.new_tab();
        table.browser.switch_to(&tab);
        table.browser.navigate(&used);
        table.see("a stranger sees no game", |shown| {
            let banner = shown["banner"].as_str().unwrap_or("");
            banner.contains("This address was used: press Enter in the terminal, or run “tengen play --address”")
                && shown["stones"] == json!([])
        });
        // The page's instructions.
        let mut ask = std::process::Command::new(env!("CARGO_BIN_EXE_tengen"));
        let output = ask.args(["play", "--address", "--state-dir"]).arg(&table.saved).output().expect("it runs");
        let another = String::from_utf8(output.stdout).expect("an address");
        table.browser.navigate("about:blank");
        table.browser.navigate(another.trim());
        table.arrive();
        table.agrees();
    });
}

/// A connection whose answers and events come when the test says so: the revisions on which a command went out.
const BY_HAND: &str = "
const { createApi } = await import('./api.js');
let shown = { rev: 1 };
let answer, tell, link;
const sent = [];
const connection = {
  state: async () => shown,
  command: (body) => { sent.push([body.do, shown.rev]); return new Promise((resolve) => { answer = (rev) => resolve({ rev }); }); },
  listen: (onEvent, onLink) => { [tell, link] = [onEvent, onLink]; return () => {}; },
};
const api = createApi({ connection, revision: () => shown.rev });
api.listen((name, data) => { if (name === 'state') shown = data; }, () => {});
const pause = () => new Promise((resolve) => { setTimeout(resolve, 0); });
const arrive = (rev) => { tell('state', { rev, line: [] }); return pause(); };
";

#[test]
fn a_state_that_arrives_late_is_not_taken_for_what_a_later_command_did() {
    scenario("late-state", |table| {
        let run = |script: &str| {
            table.browser.execute(&format!("return (async () => {{ {BY_HAND} {script} return sent; }})()"), &[])
        };
        // The answer to the second command overtakes the state of the first one.
        let late = run("
            api.command('one'); await pause(); answer(2); await pause();
            api.command('two'); await pause(); answer(3); await pause();
            api.command('three', () => ({}));
            await arrive(2); await arrive(3); answer(4);");
        assert_eq!(late, json!([["one", 1], ["two", 1], ["three", 3]]));
        // A program that was started again begins with small numbers.
        let again = run("
            api.command('one'); await pause(); answer(9); await pause();
            link('lost'); link('live'); await arrive(0);
            api.command('two', () => ({})); await pause(); answer(1);");
        assert_eq!(again, json!([["one", 1], ["two", 0]]));
    });
}

/// In a game of many nodes the server sends only the changes.
#[test]
fn a_large_game_is_shown_as_it_is() {
    scenario("large", |table| {
        let remarks = ";C[a remark]".repeat(900);
        let sgf = format!("(;GM[4]SZ[15]{remarks};B[hh];W[ii](;B[jj])(;B[gg];W[ff]))");
        let loaded = table.client.import("large.sgf", sgf.as_bytes());
        assert_eq!(loaded["loaded"], true);
        table.dismiss();
        table.settle();
        table.agrees();
        for at in ["a1", "b1"] {
            table.place(at);
            table.agrees();
        }
        table.browser.press(&[key::CONTROL], "z");
        table.settle();
        table.agrees();
        for node in [0, 500, 1] {
            table.client.command(json!({ "do": "goto", "node": node }));
            table.settle();
            table.agrees();
        }
    });
}

#[test]
fn a_killed_program_is_told_and_not_asked_for_ever() {
    scenario("killed", |table| {
        table.allow("ERR_CONNECTION_REFUSED");
        table.allow("ERR_INCOMPLETE_CHUNKED_ENCODING");
        table.allow("ERR_CONNECTION_RESET");
        table.allow("ERR_EMPTY_RESPONSE");
        table.start(two_people("freestyle", 15, 15));
        table.place("h8");
        drop(table.play.take());
        // The page waits for ten seconds, because the program may be restarting.
        let ended = wait_for("the end is told", Duration::from_secs(40), || {
            let banner = table.shown()["banner"].as_str().expect("text").to_owned();
            banner.contains("ended").then_some(banner)
        });
        assert!(ended.contains("Tengen"), "{ended}");
        let requests = "performance.getEntriesByType('resource').length";
        let before = table.browser.ask(requests);
        let more = poll(Duration::from_secs(3), || (table.browser.ask(requests) != before).then_some(()));
        assert!(more.is_none(), "the page still asks");
    });
}

#[test]
fn a_game_goes_on_after_the_program_was_ended() {
    scenario("continue", |table| {
        table.start(two_people("renju", 15, 15));
        for at in ["h8", "h9", "i8"] {
            table.place(at);
        }
        let before = table.agrees();
        table.play.take().expect("it runs").interrupt();
        table.see("the end is told", |shown| shown["banner"] != "");

        table.play = Some(Play::start(&table.saved));
        table.enter();
        table.visible("dialog.start .offer .main");
        let after = table.until("the game is back", SOON, |state| state["ply"] == 3);
        assert_eq!(after["board"]["stones"], before["board"]["stones"]);
        assert_eq!(
            (&after["game"]["rule"], &after["game"]["names"]),
            (&before["game"]["rule"], &before["game"]["names"])
        );
        table.dismiss();
        table.agrees();
        table.place("i9");
        table.agrees();
    });
}
