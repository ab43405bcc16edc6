//! The engine's evaluations: hidden while it is the opponent, warnings on request, and the judgement in "find your
//! mistakes".

use super::driver::key;
use super::process::wait_for;
use super::table::{SOON, Table, against, labels, scenario, strings};
use serde_json::{Value, json};
use std::time::Duration;

/// Far more than a test's search takes.
const THOUGHT: Duration = Duration::from_secs(90);

/// Values on the page: those of the list of moves, the bar's number, and whether the bar is visible.
const VALUES: &str = "
return {
  list: [...document.querySelectorAll('.tree .value')].map((node) => node.textContent),
  bar: document.querySelector('.bar-number').textContent,
  shown: document.querySelector('.value-bar').checkVisibility({ visibilityProperty: true }),
};";

fn values(table: &Table) -> Value {
    table.settle();
    table.browser.execute(VALUES, &[])
}

/// The engine's evaluation is absent from the state, from exported files and from the page.
#[track_caller]
fn is_hidden(table: &Table) {
    let state = table.state();
    assert_eq!(state["opinion"], false);
    assert!(state["line"].as_array().expect("a line").iter().all(|node| node["value"].is_null()), "{state}");
    for format in ["sgf", "json"] {
        let text = String::from_utf8(table.client.export(format)).expect("text");
        assert!(!text.contains("SBKV") && !text.contains("win_rate") && !text.contains("depth="), "{text}");
    }
    let seen = values(table);
    assert!(seen["shown"] == false && strings(&seen["list"]).iter().all(String::is_empty), "{seen}");
}

#[test]
fn the_opponents_opinion_is_not_shown_until_it_is_asked_for() {
    scenario("opinion", |table| {
        table.start(against(3, "freestyle"));
        for (ply, at) in [(2, "h8"), (4, "a15")] {
            table.place(at);
            table.until("the reply", THOUGHT, |state| state["ply"] == ply && state["thinking"].is_null());
            is_hidden(table);
        }
        table.picture("opinion-hidden");
        table.browser.execute("document.activeElement.blur()", &[]);
        table.browser.press(&[], "e");
        table.see("the value is not read out", |shown| {
            shown["assertive"].as_str().is_some_and(|text| text.contains("hidden while you play"))
        });
        table.button("undo");
        table.until("taken back", SOON, |state| state["ply"] == 2);
        is_hidden(table);
        table.button("redo");
        table.until("and made again", SOON, |state| state["ply"] == 4);
        // An analysis on request shows everything while it is on.
        table.client.command(json!({ "do": "analysis", "on": true }));
        table.until("analysis is on", SOON, |state| state["opinion"] == true);
        wait_for("a value with its side", THOUGHT, || {
            let seen = values(table);
            let told = |text: &Value| text.as_str().is_some_and(|text| text.starts_with(['B', 'W']));
            (seen["shown"] == true && told(&seen["bar"])).then_some(())
        });
        table.picture("opinion-analysis");
        table.client.command(json!({ "do": "analysis", "on": false }));
        table.until("analysis is off", SOON, |state| state["opinion"] == false);
        is_hidden(table);
        // After the end of the game everything is visible.
        table.client.command(json!({ "do": "resign" }));
        table.until("the game is over", SOON, |state| state["opinion"] == true);
        let seen = values(table);
        let list = strings(&seen["list"]);
        assert!(seen["shown"] == true && list.iter().any(|text| text.starts_with(['B', 'W'])), "{seen}");
    });
}

/// Both sides have an open three: a move elsewhere loses the win.
fn losing(warn_from: u8) -> Value {
    let stones = |text: &str, side: &str| {
        labels(text).into_iter().map(|at| json!({ "at": at, "side": side })).collect::<Vec<_>>()
    };
    let mut new = against(1, "freestyle");
    let stones = [stones("h8i8j8", "black"), stones("h9i9j9", "white")].concat();
    new["start"] = json!({ "stones": stones, "to_move": "black" });
    new["assist"] = json!({ "warn": true, "warn_from": warn_from });
    new
}

#[test]
fn a_losing_move_is_warned_of_and_taken_back() {
    scenario("warning", |table| {
        for by_key in [false, true] {
            table.start(losing(20));
            table.place("a15");
            let warned = "document.querySelector('.toast.warning .take-back') !== null";
            wait_for("a warning with a button", THOUGHT, || (table.browser.ask(warned) == true).then_some(()));
            let text = table.browser.text(".toast.warning");
            assert!(
                text.contains("a15 loses ") && text.contains(" points: ") && text.contains("White wins in "),
                "{text}"
            );
            assert!(text.contains("Take it back (Ctrl+Z)"), "{text}");
            if by_key {
                table.browser.execute("document.activeElement.blur()", &[]);
                table.browser.press(&[key::CONTROL], "z");
            } else {
                table.picture("warning");
                table.browser.click(".toast.warning .take-back");
            }
            table.until("the move is taken back", SOON, |state| state["ply"] == 0);
            wait_for("the warning is gone", SOON, || (table.browser.ask(warned) == false).then_some(()));
        }
        table.tab("log");
        assert!(table.browser.text(".log").contains("a15 loses "));
    });
}

#[test]
fn the_quiz_takes_the_answers_of_the_review() {
    scenario("quiz", |table| {
        table.review_of_a_blunder(THOUGHT);
        table.picture("review");
        let review: Value = serde_json::from_slice(&table.client.export("review_json")).expect("JSON");
        let is_error = |judged: &&Value| {
            !judged["grade"].is_null() || judged["missed_win"] == true || judged["allowed_win"] == true
        };
        let questions: Vec<Value> =
            review["moves"].as_array().expect("moves").iter().filter(is_error).cloned().collect();
        assert!(!questions.is_empty());
        table.browser.execute(
            "[...document.querySelectorAll('.review button')].find((node) => node.textContent === 'Find your mistakes').click()",
            &[],
        );
        let verdict = |what: &str, word: &str| {
            wait_for(what, THOUGHT, || table.browser.text(".quiz .verdict").contains(word).then_some(()));
        };
        for judged in &questions {
            let number = judged["number"].as_u64().expect("a number");
            table.until("its position", SOON, |state| state["ply"] == number - 1);
            let played = judged["move"].as_str().expect("a label");
            wait_for("the move of the game is named", SOON, || {
                table.browser.text(".quiz-title").contains(&format!("played {played} and lost")).then_some(())
            });
            table.see("and shown", |shown| strings(&shown["ghosts"]) == [played]);
            assert_eq!(table.browser.text(".quiz .verdict"), "", "the answer is hidden");
            table.click(played);
            verdict("the move of the game is wrong", "was played in the game");
            let better = judged["better"]["moves"][0].as_str().expect("a better move");
            table.click(better);
            verdict("the review's move is right", &format!("{better} is right."));
            table.visible(".quiz button.primary");
        }
        let score = format!("Found {0} of {0}.", questions.len());
        wait_for("all are found", SOON, || table.browser.text(".review").contains(&score).then_some(()));
    });
}
