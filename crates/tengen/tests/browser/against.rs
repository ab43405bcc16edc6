//! Games against the engine: its replies, and a person's actions in between.

use super::process::wait_for;
use super::table::{SOON, against, scenario, stones, strings};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Far more than the time of a low level for a move.
const MOVE: Duration = Duration::from_secs(30);

/// A game against full strength from a position that is not in any opening book.
pub fn out_of_book() -> Value {
    let stone = |at: &str, side: &str| json!({ "at": at, "side": side });
    let stones = [stone("c3", "black"), stone("m13", "white"), stone("e10", "black"), stone("l4", "white")];
    let mut new = against(0, "freestyle");
    new["start"] = json!({ "stones": stones, "to_move": "black" });
    new
}

/// Waits until the engine's reply is on the board.
fn after_reply(table: &super::table::Table, ply: u64) -> Value {
    table.until("the reply is on the board", MOVE, |state| state["ply"] == ply && state["thinking"].is_null())
}

#[test]
fn a_person_starts_a_game_and_tengen_replies() {
    scenario("first-game", |table| {
        assert_eq!(
            table.browser.ask("document.querySelector('dialog[open].start') !== null"),
            true,
            "the start dialog"
        );
        for (field, value) in [("mode", "engine"), ("colour", "black"), ("rule", "freestyle"), ("level", "1")] {
            table.choose(field, value);
        }
        table.visible("dialog.start [type=submit]");
        let state = table.until("a game begins", SOON, |state| state["game"]["white"]["level"] == 1);
        assert_eq!((&state["game"]["black"]["kind"], &state["game"]["rule"]), (&json!("person"), &json!("freestyle")));
        table.place("h8");
        let state = after_reply(table, 2);
        let reply = state["line"][1]["at"].as_str().expect("a move");
        let shown = table.shown();
        assert_eq!(strings(&shown["last"]), [reply]);
        assert_eq!(stones(&shown), ["h8 black", &format!("{reply} white")]);
        assert!(shown["status"].as_str().expect("text").contains('3'), "move 3 is next: {shown}");
        table.agrees();
    });
}

#[test]
fn undo_takes_both_moves_and_loses_nothing() {
    scenario("undo", |table| {
        table.start(against(1, "freestyle"));
        table.place("h8");
        let first = after_reply(table, 2);
        table.place("a15");
        let second = after_reply(table, 4);
        table.button("undo");
        let state = table.until("two plies back", SOON, |state| state["ply"] == 2);
        assert_eq!(state["board"]["text"], first["board"]["text"]);
        table.agrees();
        table.button("redo");
        let state = table.until("two plies forward", SOON, |state| state["ply"] == 4);
        assert_eq!(state["board"]["text"], second["board"]["text"]);
        table.agrees();

        // Plays another move: the old line remains as a branch.
        table.button("undo");
        table.until("back again", SOON, |state| state["ply"] == 2);
        table.place("o1");
        let state = after_reply(table, 4);
        let siblings = state["line"][2]["siblings"].as_array().expect("branches");
        assert_eq!(siblings.len(), 1);
        assert_eq!(siblings[0]["at"], "a15");
        table.agrees();
        table.visible(&format!("#panel-game [data-node='{}']", siblings[0]["node"]));
        let state = table.until("the branch is shown", SOON, |state| state["line"][2]["at"] == "a15");
        assert_eq!(state["line"][3]["at"], second["line"][3]["at"], "with the reply of then");
        table.agrees();
    });
}

#[test]
fn the_engine_moves_when_told_to() {
    scenario("go", |table| {
        table.start(out_of_book());
        table.place("h8");
        table.until("it thinks", SOON, |state| state["thinking"]["kind"] == "move");
        // Long before the five seconds of the search are over.
        let asked = Instant::now();
        table.button("go");
        table.until("it moves at once", SOON, |state| state["ply"] == 2);
        assert!(asked.elapsed() < Duration::from_secs(4), "{:?}", asked.elapsed());
        table.agrees();
        // Also for the person.
        table.start(against(1, "freestyle"));
        table.button("go");
        table.until("it plays both sides of a pair", MOVE, |state| state["ply"] == 2);
        table.agrees();
    });
}

#[test]
fn an_undo_during_the_search_leaves_no_stone_behind() {
    scenario("undo-thinking", |table| {
        table.start(out_of_book());
        table.place("h8");
        table.until("it thinks", SOON, |state| state["thinking"]["kind"] == "move");
        table.button("undo");
        table.until("the stone is gone", SOON, |state| state["ply"] == 0 && state["thinking"].is_null());
        let end = Instant::now() + Duration::from_secs(2);
        while Instant::now() < end {
            assert_eq!(stones(&table.shown()).len(), 4, "the stones of the beginning");
            assert_eq!(table.state()["ply"], 0);
        }
        table.agrees();
    });
}

#[test]
fn sides_are_swapped_hints_given_games_resigned_and_restarted() {
    scenario("buttons", |table| {
        table.start(against(1, "renju"));
        table.place("h8");
        after_reply(table, 2);
        table.button("hint");
        table.see("a hint on the board", |shown| {
            !strings(&shown["candidates"]).is_empty() || !strings(&shown["ghosts"]).is_empty()
        });
        table.button("swap");
        let state = table.until("Tengen has Black and moves", MOVE, |state| state["ply"] == 3);
        assert_eq!(state["game"]["white"]["kind"], "person");
        table.agrees();
        table.button("resign");
        table.agree();
        let state = table.until("Black wins", SOON, |state| state["status"]["how"] == "resigned");
        assert_eq!(state["status"]["side"], "black");
        table.see("it is told", |shown| shown["assertive"] == shown["status"] && shown["status"] != "");
        table.agrees();
        table.button("restart");
        table.agree();
        let state = table.until("a new game", SOON, |state| state["status"]["kind"] == "running");
        assert_eq!(state["game"]["rule"], "renju");
        table.agrees();
    });
}

#[test]
fn two_engines_play_to_the_end_whether_anybody_looks_or_not() {
    scenario("engines", |table| {
        // Weaker levels may finish the game before the button is pressed.
        let engine = json!({ "kind": "engine", "level": 8 });
        table.start(json!({ "do": "new", "rule": "freestyle", "size": [15, 15], "black": engine, "white": engine }));
        table.until("some moves", MOVE, |state| state["ply"].as_u64() >= Some(2));
        table.button("pause");
        let held = table.until("it is held", SOON, |state| state["paused"] == true && state["thinking"].is_null());
        let ply = held["ply"].clone();
        let end = Instant::now() + Duration::from_millis(1500);
        while Instant::now() < end {
            assert_eq!(table.state()["ply"], ply, "a held game");
        }
        table.agrees();
        table.button("pause");
        table.until("it goes on", MOVE, |state| state["ply"].as_u64() > ply.as_u64());

        // The page closes and opens again.
        table.browser.navigate("about:blank");
        let over = wait_for("the end of the game", Duration::from_secs(180), || {
            let state = table.state();
            (state["status"]["kind"] != "running").then_some(state)
        });
        let address = format!("http://127.0.0.1:{}/", table.play.as_ref().expect("it runs").port);
        table.browser.navigate(&address);
        table.arrive();
        table.dismiss();
        let state = table.agrees();
        assert_eq!(state["board"]["text"], over["board"]["text"]);
        assert_eq!(state["status"], over["status"]);
    });
}
