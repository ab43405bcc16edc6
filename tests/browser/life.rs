//! What happens around the game: reloads, tabs, and the end and return of the program.

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
fn another_tab_needs_a_token_and_the_oldest_of_many_gives_way() {
    scenario("tabs", |table| {
        table.allow("401");
        table.start(two_people("freestyle", 15, 15));
        table.place("h8");
        let first = table.browser.tab();
        let token = table.browser.ask("sessionStorage.getItem('tengen.token')");
        let address = format!("http://127.0.0.1:{}/", table.play.as_ref().expect("it runs").port);
        for number in 1..=4 {
            let tab = table.browser.new_tab();
            table.browser.switch_to(&tab);
            table.browser.navigate(&address);
            table.see("a stranger sees no game", |shown| shown["banner"] != "" && shown["stones"] == json!([]));
            table.browser.execute("sessionStorage.setItem('tengen.token', arguments[0])", std::slice::from_ref(&token));
            table.browser.refresh();
            table.arrive();
            table.dismiss();
            table.agrees();
            if number == 1 {
                // A move here is seen there.
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
        // The page is patient for ten seconds: the program may be starting again.
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
