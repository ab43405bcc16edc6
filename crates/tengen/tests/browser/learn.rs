//! Learning and sharing: the puzzle trainer, links, pictures and animations, the printed report of a review.

use super::driver::key;
use super::files::downloaded;
use super::process::{new_folder, wait_for};
use super::table::{SOON, Table, labels, scenario, strings, two_people};
use serde_json::{Value, json};
use std::time::Duration;
use tengen::board::format_point;
use tengen_analysis::puzzle::built_in;

/// Time limit for something that takes a search.
const THOUGHT: Duration = Duration::from_secs(120);

/// The puzzles of a rule and a grade, in the order of the page.
fn puzzles(table: &Table, rule: &str, grade: u64) -> Vec<Value> {
    let list = table.client.puzzles(json!({ "do": "list" }));
    let all = list["puzzles"].as_array().expect("a list").iter();
    all.filter(|puzzle| puzzle["rule"] == rule && puzzle["grade"] == grade).cloned().collect()
}

/// The label of a puzzle's solution, which the page does not get.
fn solution(puzzle: &Value) -> String {
    let known = built_in().iter().find(|known| puzzle["id"] == known.id()).expect("a puzzle of the program");
    format_point(known.setup.size, known.solution)
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

fn choose(table: &Table, index: usize, value: &str) {
    let set = "const select = document.querySelectorAll('.puzzles select')[arguments[0]];
        select.value = arguments[1];
        select.dispatchEvent(new Event('change'));";
    table.browser.execute(set, &[json!(index), json!(value)]);
}

fn press(table: &Table, name: &str) {
    table.visible(&format!(".puzzles [data-puzzle={name}]"));
}

#[track_caller]
fn says(table: &Table, what: &str, word: &str) {
    let css = format!(".puzzles [data-puzzle={what}]");
    wait_for(&format!("{what}: {word}"), THOUGHT, || table.browser.text(&css).contains(word).then_some(()));
}

/// Opens the tab and starts the first unsolved puzzle of a rule and grade.
fn open(table: &Table, rule: &str, grade: u64) {
    table.tab("puzzles");
    wait_for("the list", SOON, || {
        (table.browser.ask("document.querySelectorAll('.puzzles select')[0].options.length > 0") == true).then_some(())
    });
    choose(table, 0, rule);
    choose(table, 1, &grade.to_string());
    table.visible(".puzzles [data-puzzle=start]:not(:disabled)");
}

fn stones(table: &Table) -> usize {
    strings(&table.shown()["stones"]).len()
}

/// Plays the moves that the server would play, until the puzzle is solved.
fn solve(table: &Table, puzzle: &Value, by_key: bool) {
    let mut moves: Vec<String> = Vec::new();
    let start = labels(text(&puzzle["stones"])).len();
    loop {
        let hint = table.client.puzzles(json!({ "do": "hint", "puzzle": puzzle["id"], "moves": moves }));
        moves.push(text(&hint["at"]).to_owned());
        let answer = table.client.puzzles(json!({ "do": "try", "puzzle": puzzle["id"], "moves": moves }));
        let at = text(&hint["at"]);
        if by_key {
            let focus = "document.querySelector(`[role=gridcell][data-at='${arguments[0]}']`).focus()";
            table.browser.execute(focus, &[json!(at)]);
            table.browser.press(&[], key::ENTER);
        } else {
            table.click(at);
        }
        moves.extend(strings(&answer["line"]));
        table.see("the move and the answer", |shown| strings(&shown["stones"]).len() == start + moves.len());
        if answer["verdict"] == "solved" {
            break;
        }
        assert_eq!(answer["verdict"], "right", "{puzzle}: {moves:?}");
        says(table, "verdict", " is right.");
    }
    says(table, "verdict", "olved");
}

#[test]
fn puzzles_are_solved_with_hints_and_after_wrong_moves() {
    scenario("puzzles", |table| {
        table.start(two_people("renju", 15, 15));
        table.place("h8");
        let before = table.state();
        let known = puzzles(table, "renju", 1);
        assert!(known.len() > 2, "{known:?}");
        open(table, "renju", 1);
        let first = &known[0];
        let start = labels(text(&first["stones"]));
        table.see("the position", |shown| strings(&shown["stones"]).len() == start.len());
        table.picture("puzzle");

        // A far point is wrong, and the refutation is played.
        let far = ["a1", "o15", "a15", "o1"].into_iter().find(|at| !start.contains(&(*at).to_owned()));
        let far = far.expect("an empty corner");
        table.click(far);
        says(table, "verdict", &format!("{far} "));
        wait_for("the way back", THOUGHT, || table.browser.ask(SEEN_AGAIN).as_bool().filter(|seen| *seen).map(drop));
        assert!(stones(table) >= start.len() + 2, "the move and its refutation");
        table.picture("puzzle-wrong");
        press(table, "again");
        table.see("the position again", |shown| strings(&shown["stones"]).len() == start.len());

        // First the shape, then the point.
        press(table, "hint");
        says(table, "help", "The stone makes ");
        let solution = solution(first);
        assert!(!table.browser.text(".puzzles [data-puzzle=help]").contains(&solution));
        press(table, "hint");
        says(table, "help", &format!("The point is {solution}."));
        let mark = format!(".board .marks [data-at='{solution}']");
        wait_for("its mark", SOON, || table.browser.find(&mark).map(drop));
        solve(table, first, false);
        says(table, "verdict", "Solved, with help.");
        says(table, "score", "1 of ");
        says(table, "score", "Streak 0,");

        // The next one without help, by keyboard.
        press(table, "next");
        let second = &known[1];
        let start = labels(text(&second["stones"]));
        table.see("the next position", |shown| strings(&shown["stones"]).len() == start.len());
        solve(table, second, true);
        says(table, "score", "Streak 1, best 1");
        table.picture("puzzle-solved");

        // The solution is played on demand.
        press(table, "next");
        press(table, "show");
        says(table, "verdict", "This was the solution.");
        says(table, "score", "Streak 0, best 1");

        // The game is as it was, and the progress outlives the page.
        press(table, "leave");
        table.see("the game", |shown| strings(&shown["stones"]).len() == 1);
        assert_eq!(table.agrees()["board"]["stones"], before["board"]["stones"]);
        table.browser.refresh();
        table.arrive();
        table.tab("puzzles");
        says(table, "score", "2 of ");
        says(table, "score", "best 1");
        // Another tab ends a puzzle.
        table.visible(".puzzles [data-puzzle=start]:not(:disabled)");
        table.tab("log");
        table.see("the game again", |shown| strings(&shown["stones"]).len() == 1);
    });
}

const SEEN_AGAIN: &str = "document.querySelector('.puzzles [data-puzzle=again]').checkVisibility()";

/// Opens a link in the page.
fn follow(table: &Table, fragment: &str) {
    table.browser.execute("location.hash = arguments[0]", &[json!(fragment)]);
    table.agree();
}

#[test]
fn positions_are_shared_as_links_and_pictures() {
    scenario("share", |table| {
        let folder = new_folder("shared");
        table.browser.chromium(
            "Browser.setDownloadBehavior",
            json!({ "behavior": "allow", "downloadPath": folder, "eventsEnabled": false }),
        );
        table.start(two_people("renju", 15, 15));
        for at in labels("h8i9g7i7i8") {
            table.client.command(json!({ "do": "move", "at": at }));
        }
        table.client.command(json!({ "do": "goto", "node": table.state()["line"][3]["node"] }));
        table.settle();
        table.button("share");
        table.picture("share");
        let link = table.browser.ask("document.querySelector('#share-link').value");
        assert!(text(&link).ends_with("/#h8i9g7i7&rule=renju&size=15"), "{link}");
        for (name, end, beginning) in [
            ("svg", ".svg", &b"<svg"[..]),
            ("png", ".png", b"\x89PNG"),
            ("gif", ".gif", b"GIF89a"),
            ("gif_rest", ".gif", b"GIF89a"),
        ] {
            table.visible(&format!("dialog.share [data-share={name}]"));
            let (file, bytes) = downloaded(&folder);
            assert!(file.ends_with(end), "{file}");
            assert!(bytes.windows(beginning.len()).take(200).any(|part| part == beginning), "{file}");
        }
        table.dismiss();

        // The link sets the board, in this page and in a new one.
        let before = table.state();
        follow(table, "#j10k11&rule=caro&size=19");
        let state = table.until("the position of the link", SOON, |state| state["game"]["size"] == json!([19, 19]));
        assert_eq!((&state["board"]["text"], &state["game"]["rule"]), (&json!("j10k11"), &json!("caro")));
        table.agrees();
        assert!(table.browser.address().ends_with('/'), "the address is plain again: {}", table.browser.address());
        follow(table, "#&black=h8i9&white=j10&to=white&rule=standard&size=20x15");
        let state = table.until("set-up stones", SOON, |state| state["game"]["size"] == json!([20, 15]));
        assert_eq!((&state["board"]["to_move"], &state["game"]["rule"]), (&json!("white"), &json!("standard")));
        assert_eq!(state["board"]["stones"].as_array().map(Vec::len), Some(3));
        table.button("share");
        let again = table.browser.ask("document.querySelector('#share-link').value");
        assert!(text(&again).ends_with("/#&black=h8i9&white=j10&to=white&rule=standard&size=20x15"), "{again}");
        table.dismiss();
        table.browser.navigate("about:blank");
        table.browser.navigate(text(&link));
        table.arrive();
        table.agree();
        let state = table.until("the shared position", SOON, |state| state["game"]["rule"] == "renju");
        assert_eq!(state["board"]["text"], before["board"]["text"]);
        // A fragment that holds no position changes nothing; an impossible one is refused in words.
        table.allow("422");
        let here = table.state();
        follow(table, "#nothing");
        follow(table, "#h8h8&rule=renju&size=15");
        table.see("the refusal", |shown| shown["toasts"] != "");
        assert_eq!(table.agrees()["board"]["stones"], here["board"]["stones"]);
        std::fs::remove_dir_all(&folder).expect("ours");
    });
}

#[test]
fn a_review_is_printed() {
    scenario("print", |table| {
        table.review_of_a_blunder(THOUGHT);
        table.browser.execute("window.print = () => { document.documentElement.dataset.printed = 'yes'; }", &[]);
        let hidden = "document.querySelectorAll('.report').length";
        assert_eq!(table.browser.ask(hidden), 0);
        table.visible(".review [data-review=print]");
        wait_for("the print dialog", SOON, || {
            (table.browser.ask("document.documentElement.dataset.printed") == "yes").then_some(())
        });
        let seen = "[...document.body.children].filter((node) => node.checkVisibility()).map((node) => node.className)";
        assert!(!strings(&table.browser.ask(seen)).contains(&"report".to_owned()), "no screen shows it");
        table.browser.chromium("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        assert_eq!(table.browser.ask(seen), json!(["report"]), "paper shows nothing else");
        let report = "[...document.querySelectorAll('.report-mistake')].map((node) => [node.querySelectorAll('.report-stone').length, node.textContent].join(' '))";
        let mistakes = strings(&table.browser.ask(report));
        assert!(mistakes.iter().any(|text| text.starts_with("5 ") && text.contains("o15")), "{mistakes:?}");
        let parts = "[document.querySelectorAll('.report .sums').length, document.querySelector('.report-graph').naturalWidth > 100]";
        assert_eq!(table.browser.ask(parts), json!([1, true]));
        table.browser.screen(794, 1123, false);
        table.picture("report");
        let pdf = table.browser.chromium("Page.printToPDF", json!({ "printBackground": false }));
        assert!(pdf["data"].as_str().is_some_and(|data| data.len() > 10_000));
        table.browser.execute("dispatchEvent(new Event('afterprint'))", &[]);
        assert_eq!(table.browser.ask(hidden), 0, "it is gone afterwards");
    });
}
