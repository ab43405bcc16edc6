//! Games between two persons: their ends, forbidden moves, and openings.

use super::process::wait_for;
use super::support::{Clusters, Random};
use super::table::{SOON, against, labels, points, scenario, strings, two_people};
use serde_json::{Value, json};
use std::time::Duration;
use tengen::board::{BoardSize, Grid, Point, Setup, Side, format_point};
use tengen::rules::{self, Rule};

/// A `new` command for two persons from a position; `black` and `white` are labels as in `h8i9`.
fn from_position(rule: &str, size: u8, black: &str, white: &str, to_move: &str) -> Value {
    let stones = |text: &str, side: &str| {
        labels(text).into_iter().map(|at| json!({ "at": at, "side": side })).collect::<Vec<_>>()
    };
    let mut new = two_people(rule, size, size);
    let stones = [stones(black, "black"), stones(white, "white")].concat();
    new["start"] = json!({ "stones": stones, "to_move": to_move });
    new
}

/// Five points from (x, y) on, as labels; y counts from the bottom, both from 0.
fn five(x: i32, y: i32, dx: i32, dy: i32) -> Vec<String> {
    (0..5).map(|i| format!("{}{}", (b'a' + (x + i * dx) as u8) as char, y + i * dy + 1)).collect()
}

/// Keys, buttons and wheel ask for steps before the page has the state after the last one. No step is lost.
#[test]
fn quick_steps_are_all_made() {
    scenario("steps", |table| {
        table.start(two_people("freestyle", 15, 15));
        for at in labels("h8i9i8g8j7h9k8l8j9j6a1b1c1d1") {
            table.client.command(json!({ "do": "move", "at": at }));
        }
        table.settle();
        let is_at = |what: &str, ply: u64| table.until(what, SOON, |state| state["ply"] == ply);
        table.press_at_once(&[("ArrowLeft", 12)]);
        is_at("twelve back", 2);
        table.press_at_once(&[("ArrowRight", 11)]);
        is_at("eleven forward", 13);
        table.press_at_once(&[("Home", 1), ("ArrowRight", 3), ("PageDown", 1), ("ArrowRight", 9), ("ArrowLeft", 2)]);
        is_at("from one end to the other", 12);
        let click = "for (let i = 0; i < 5; i += 1) document.querySelector('.ways [data-do=back]').click();";
        table.browser.execute(click, &[]);
        is_at("five clicks", 7);
        let turn = "const board = document.querySelector('.board');
            for (let i = 0; i < 4; i += 1) board.dispatchEvent(new WheelEvent('wheel', { deltaY: -120, bubbles: true, cancelable: true }));";
        table.browser.execute(turn, &[]);
        is_at("four notches", 3);
        // In another branch the steps follow that branch.
        for at in ["c3", "d3"] {
            table.client.command(json!({ "do": "move", "at": at }));
        }
        table.settle();
        table.press_at_once(&[("ArrowLeft", 1), ("ArrowUp", 1), ("ArrowRight", 4)]);
        table.until("in the first branch", SOON, |state| state["board"]["text"] == "h8i9i8g8j7h9k8l8");
        table.press_at_once(&[("ArrowLeft", 4), ("ArrowDown", 1), ("End", 1)]);
        table.until("in the second branch", SOON, |state| state["board"]["text"] == "h8i9i8c3d3");
        // In the tree the arrows to the sides depend on where the keys before them led.
        table.browser.execute("document.querySelector('[role=tree]').focus();", &[]);
        table.press_at_once(&[("ArrowUp", 1), ("ArrowLeft", 1), ("ArrowDown", 2)]);
        table.until("beside the second branch", SOON, |state| state["board"]["text"] == "h8i9i8g8j7h9");
        table.press_at_once(&[("ArrowUp", 2), ("ArrowRight", 1), ("ArrowDown", 1)]);
        table.until("and back", SOON, |state| state["board"]["text"] == "h8i9i8c3d3");
        // The graph has keys of its own.
        table.tab("analysis");
        table.browser.execute("document.querySelector('svg.graph').focus();", &[]);
        table.press_at_once(&[("ArrowDown", 4)]);
        is_at("four back by the graph", 1);
        table.agrees();
    });
}

/// Every direction, every edge, every corner.
#[test]
fn a_five_wins_wherever_it_lies() {
    scenario("fives", |table| {
        let edges = [
            five(0, 0, 1, 0),
            five(10, 0, 1, 0),
            five(0, 14, 1, 0),
            five(10, 14, 1, 0),
            five(0, 0, 0, 1),
            five(0, 10, 0, 1),
            five(14, 0, 0, 1),
            five(14, 10, 0, 1),
            five(0, 0, 1, 1),
            five(10, 10, 1, 1),
            five(0, 14, 1, -1),
            five(10, 4, 1, -1),
        ];
        let middle = [five(5, 7, 1, 0), five(7, 5, 0, 1), five(5, 5, 1, 1), five(5, 9, 1, -1)];
        for (i, row) in edges.into_iter().chain(middle).enumerate() {
            // Each of the five is the last stone in turn, and each side wins.
            let (last, side) = (i % 5, ["black", "white"][i % 2]);
            let held: String = (0..5).filter(|&j| j != last).map(|j| row[j].as_str()).collect();
            // Points that form no five and are not on the row.
            let other: Vec<String> =
                labels("d3f3k3m3d13f13k13m13").into_iter().filter(|at| !row.contains(at)).collect();
            let other = other[..4].concat();
            let (black, white) = if side == "black" { (&held, &other) } else { (&other, &held) };
            table.start(from_position("freestyle", 15, black, white, side));
            table.place(&row[last]);
            let shown = table.see(&format!("{row:?} is outlined"), |shown| shown["row"] == 5);
            let place = |at: &str| {
                let row: i32 = at[1..].parse().expect("a number");
                (i32::from(at.as_bytes()[0] - b'a') + 1, 16 - row)
            };
            let ends = [&row[0], &row[4]].map(|at| place(at)).map(|(x, y)| format!("{x} {y}"));
            let line = shown["line"].as_str().expect("a path").to_owned();
            assert!(ends.iter().all(|end| line.contains(end.as_str())), "{row:?}: {line}");
            let status = shown["status"].as_str().expect("text").to_lowercase();
            assert!(status.contains(side) && status.contains("five"), "{status}");
            table.see("the result is announced", |shown| shown["assertive"] == shown["status"]);
            let state = table.agrees();
            assert_eq!(state["status"]["side"], side);

            // The board ignores further clicks.
            table.click("h1");
            assert_eq!(table.state()["rev"], state["rev"], "a click after the end");

            // An undo reverts the end, and the game continues.
            table.button("undo");
            let state = table.until("the end is undone", SOON, |state| state["status"]["kind"] == "running");
            assert_eq!(state["can"]["place"], true);
            table.see("no row is left", |shown| shown["row"] == 0 && shown["line"] == "");
            table.place("h1");
            table.agrees();
        }
    });
}

#[test]
fn a_full_board_is_a_draw() {
    scenario("draw", |table| {
        table.start(two_people("freestyle", 5, 5));
        // Colours alternate in pairs in each row; the next row is shifted. No line has five cells of one colour.
        let colour = |x: i32, y: i32| (x + 2 * y) % 4 < 2;
        let cells = (0..25).map(|i| (i % 5, i / 5));
        let (black, white): (Vec<_>, Vec<_>) = cells.partition(|&(x, y)| colour(x, y));
        assert_eq!((black.len(), white.len()), (13, 12));
        let label = |&(x, y): &(i32, i32)| format!("{}{}", (b'a' + x as u8) as char, y + 1);
        for (i, cell) in black.iter().enumerate() {
            if i == 12 {
                table.settle();
                table.place(&label(cell));
                break;
            }
            table.client.command(json!({ "do": "move", "at": label(cell) }));
            table.client.command(json!({ "do": "move", "at": label(&white[i]) }));
        }
        let shown =
            table.see("the draw is told", |shown| shown["status"].as_str().is_some_and(|s| s.starts_with("Draw")));
        table.see("and announced", |now| now["assertive"] == shown["status"]);
        assert_eq!(table.agrees()["status"], json!({ "kind": "draw", "agreed": false }));
        table.button("undo");
        table.until("the draw is undone", SOON, |state| state["status"]["kind"] == "running");
        table.agrees();
    });
}

/// Three stones, a gap, then two: the stone in the gap makes six.
#[test]
fn six_in_a_row_is_what_the_rule_says() {
    scenario("overlines", |table| {
        for rule in ["freestyle", "standard", "renju", "caro", "caro-exact"] {
            table.start(from_position(rule, 15, "d8e8f8h8i8", "d4f4h4j4", "black"));
            if rule == "renju" {
                table.see("a cross on g8", |shown| strings(&shown["forbidden"]) == ["g8"]);
                table.click("g8");
                refused(table, "overline");
                continue;
            }
            table.place("g8");
            let state = table.agrees();
            let wins = rule == "freestyle" || rule == "caro";
            assert_eq!(state["status"]["kind"], if wins { "win" } else { "running" }, "{rule}");
            if wins {
                table.see("six outlines", |shown| shown["row"] == 6);
            }
        }
    });
}

/// The page rejected the click with this reason in words, and placed no stone.
fn refused(table: &super::table::Table, reason: &str) {
    let before = table.state();
    table.see(&format!("{reason} is told"), |shown| {
        let told = format!("{} {} {}", shown["status"], shown["toasts"], shown["assertive"]).to_lowercase();
        told.contains("forbidden") && told.contains(reason)
    });
    assert_eq!(table.agrees()["rev"], before["rev"]);
}

#[test]
fn renju_refuses_what_it_forbids_and_says_why() {
    scenario("fouls", |table| {
        // The console may report rejected commands as failed requests.
        table.allow("422");
        for (black, reason) in [("g8i8h7h9", "double three"), ("e8f8g8h9h10h11", "double four")] {
            table.start(from_position("renju", 15, black, "a1c1e1g1", "black"));
            table.see("a cross on h8", |shown| strings(&shown["forbidden"]).contains(&"h8".to_owned()));
            let cell = "document.querySelector('[role=gridcell][data-at=h8]')";
            let name = table.browser.ask(&format!("{cell}.getAttribute('aria-label')"));
            assert!(name.as_str().expect("a name").contains(reason), "{name}");
            table.click("h8");
            refused(table, reason);
            // White may play on this point.
            table.place("o15");
            table.place("h8");
            table.agrees();
        }
    });
}

/// The crosses match the slow reference implementation of the rules in the tests.
#[test]
fn crosses_are_where_black_must_not_play() {
    scenario("crosses", |table| {
        let mut random = Random::new(17);
        let clusters = Clusters { stones: (8, 50), ..Clusters::renju() };
        let (mut seen, mut positions) = (0, 0);
        while positions < 80 {
            let setup = Setup { to_move: Side::Black, ..clusters.position(&mut random) };
            let grid = Grid::from_setup(&setup);
            if rules::any_winner(&grid, Rule::Renju).is_some() {
                continue;
            }
            positions += 1;
            let label = |point: Point| format_point(BoardSize::RENJU, point);
            let text = |side: Side| -> String {
                setup.stones.iter().filter(|stone| stone.1 == side).map(|stone| label(stone.0)).collect()
            };
            table.client.command(from_position("renju", 15, &text(Side::Black), &text(Side::White), "black"));
            if positions == 1 {
                table.dismiss();
            }
            table.settle();
            let mut wanted: Vec<String> = rules::renju::forbidden_points(&grid).into_iter().map(label).collect();
            let mut crosses = strings(&table.shown()["forbidden"]);
            wanted.sort();
            crosses.sort();
            assert_eq!(crosses, wanted, "{setup:?}");
            seen += wanted.len();
        }
        assert!(seen > 40, "{seen} points are too few to say much");
    });
}

/// The three answers of the second seat, and the two answers of the first seat after two more stones.
#[test]
fn swap2_between_two_persons() {
    scenario("swap2", |table| {
        let mut new = two_people("freestyle", 15, 15);
        new["opening"] = json!("swap2");
        let names = |state: &Value| format!("{} {}", state["game"]["names"]["black"], state["game"]["names"]["white"]);
        let (same, exchanged) = (r#""Ann" "Ben""#, r#""Ben" "Ann""#);
        let endings = [
            (vec!["stay"], same),
            (vec!["swap"], exchanged),
            (vec!["two", "stay"], same),
            (vec!["two", "swap"], exchanged),
        ];
        for (choices, seats) in endings {
            table.start(new.clone());
            for at in ["h8", "i9", "g7"] {
                table.place(at);
            }
            let colours = ["h8 black", "i9 white", "g7 black"];
            table.see("black, white, black", |shown| strings(&shown["stones"]) == colours);
            table.until("the second seat chooses", SOON, |state| state["turn"]["phase"] == "choose");
            assert_eq!(table.agrees()["turn"]["side"], "white");
            if choices[0] == "two" {
                // An undo leads back to the wizard, and a stone forward again.
                table.button("undo");
                table.until("two stones", SOON, |state| state["turn"]["phase"] == "place_three" && state["ply"] == 2);
                table.agrees();
                table.place("g7");
                table.until("the choice again", SOON, |state| state["turn"]["phase"] == "choose");
            }
            choose(table, choices[0]);
            if let Some(last) = choices.get(1) {
                table.until("two more", SOON, |state| state["turn"]["phase"] == "place_two");
                table.place("j10");
                table.place("f6");
                table.until("the last choice", SOON, |state| state["turn"]["phase"] == "choose_final");
                table.agrees();
                choose(table, last);
            }
            let state = table.until("the game", SOON, |state| state["turn"]["phase"] == "move");
            assert_eq!(state["board"]["to_move"], "white", "{choices:?}");
            assert_eq!(names(&state), seats, "{choices:?}");
            let before = table.agrees();
            table.place("a1");
            assert_eq!(table.agrees()["ply"].as_u64(), before["ply"].as_u64().map(|ply| ply + 1));
        }
    });
}

fn choose(table: &super::table::Table, choice: &str) {
    table.visible(&format!("#wizard [data-choice='{choice}']"));
}

/// The engine in either seat: it opens and the person answers, or the person opens and the engine answers.
#[test]
fn swap2_with_tengen_in_either_seat() {
    scenario("swap2-engine", |table| {
        let limit = Duration::from_secs(60);
        let mut new = against(3, "freestyle");
        new["opening"] = json!("swap2");
        table.start(new.clone());
        for at in ["h8", "i9", "g7"] {
            table.place(at);
        }
        let state =
            table.until("Tengen answers", limit, |state| !state["turn"]["chosen"].is_null() || state["ply"] == 5);
        assert!(["stay", "swap", "two"].iter().any(|choice| state["turn"]["chosen"] == *choice), "{}", state["turn"]);
        table.see("its answer is told", |shown| shown["status"].as_str().is_some_and(|status| !status.is_empty()));
        table.agrees();

        let black = new["black"].take();
        new["black"] = new["white"].take();
        new["white"] = black;
        table.start(new);
        table.until("Tengen places three", limit, |state| state["ply"] == 3 && state["turn"]["phase"] == "choose");
        let state = table.agrees();
        assert_eq!(points(&state["board"]["stones"]).len(), 3);
        choose(table, "swap");
        let state = table.until("Tengen moves", limit, |state| points(&state["board"]["stones"]).len() == 4);
        assert_eq!(state["game"]["black"]["kind"], "person");
        wait_for("the person is to move", SOON, || (table.state()["can"]["place"] == true).then_some(()));
        table.agrees();
    });
}

/// Every kind of question of renju's openings, answered on the page: the number of fifth moves, offers, and the choice.
#[test]
fn soosorv_8_between_two_persons() {
    scenario("soosorv-8", |table| {
        let mut new = two_people("renju", 15, 15);
        new["opening"] = json!("soosorv-8");
        table.start(new);
        table.until("a stone", SOON, |state| state["turn"]["phase"] == "place");
        table.see("the opening is explained", |shown| shown["status"].as_str().is_some_and(|text| !text.is_empty()));
        for at in ["h8", "h9", "h7"] {
            table.place(at);
        }
        let state = table.until("a colour", SOON, |state| state["turn"]["phase"] == "choose_final");
        assert_eq!(state["named"]["name"], "Shogetsu");
        wait_for("the opening's name", SOON, || table.browser.text("#subject").contains("Shogetsu 松月").then_some(()));
        table.picture("opening-choice");
        choose(table, "stay");
        table.until("the fourth stone", SOON, |state| state["turn"]["phase"] == "place");
        table.place("h10");
        table.until("the number", SOON, |state| state["turn"]["phase"] == "number");
        choose(table, "2");
        table.until("a colour", SOON, |state| state["turn"]["phase"] == "choose_final");
        choose(table, "swap");
        table.until("offers", SOON, |state| state["turn"]["phase"] == "offer");
        for (number, at) in [(1, "g8"), (2, "g7")] {
            table.click(at);
            let count = |state: &Value| state["turn"]["opening"]["offered"].as_array().map(Vec::len);
            table.until("an offer", SOON, |state| count(state) == Some(number));
        }
        table.picture("opening-pick");
        let state = table.until("the choice", SOON, |state| state["turn"]["phase"] == "pick");
        assert_eq!(strings(&state["turn"]["opening"]["offered"]), ["g8", "g7"]);
        assert_eq!(points(&state["board"]["stones"]).len(), 4);
        table.place("g7");
        let state = table.until("the game", SOON, |state| state["turn"]["phase"] == "move");
        assert_eq!((&state["board"]["to_move"], &state["game"]["names"]["black"]), (&json!("white"), &json!("Ben")));
        table.agrees();
    });
}

/// The start dialog offers the openings of the rule and the board, and starts them; in a study either colour begins.
#[test]
fn the_start_dialog_offers_openings_that_fit() {
    scenario("opening-dialog", |table| {
        let offered = "[...document.querySelectorAll('dialog.start input[name=opening]')]
            .filter((node) => node.checkVisibility()).map((node) => node.value).join(' ')";
        let offers = |wanted: &str| {
            wait_for(wanted, SOON, || (table.browser.ask(offered) == wanted).then_some(()));
        };
        table.choose("mode", "persons");
        table.choose("rule", "standard");
        table.choose("size", "15");
        offers("none pro long-pro swap swap2");
        table.choose("size", "20");
        offers("none swap swap2");
        table.choose("rule", "renju");
        offers("none pro long-pro swap swap2 rif yamaguchi soosorv-8 tarannikov taraguchi-10");
        table.choose("opening", "taraguchi-10");
        table.picture("opening-dialog");
        table.choose("rule", "freestyle");
        let chosen = "document.querySelector('dialog.start form').elements.opening.value";
        wait_for("the opening is free again", SOON, || (table.browser.ask(chosen) == "none").then_some(()));
        table.choose("rule", "renju");
        table.choose("opening", "taraguchi-10");
        table.visible("dialog.start [type=submit]");
        table.until("the opening", SOON, |state| state["game"]["opening"] == "taraguchi-10");
        table.place("h8");
        choose(table, "stay");
        table.until("the second stone", SOON, |state| state["turn"]["phase"] == "place");
        // Outside of the square: the server refuses it, and the page says why.
        table.allow("422");
        table.click("h10");
        wait_for("a reason", SOON, || table.browser.text("#toasts").contains("does not belong there").then_some(()));
        table.place("i9");
        choose(table, "swap");
        let dots = "document.querySelectorAll('.marks [data-at]').length";
        wait_for("dots on the free points of the square", SOON, || (table.browser.ask(dots) == 23).then_some(()));
        table.browser.screen(390, 844, true);
        table.picture("opening-phone");
        table.browser.screen(1280, 800, false);
        table.button("new");
        table.choose("mode", "study");
        table.choose("first", "white");
        table.visible("dialog.start [type=submit]");
        table.agree();
        table.until("white begins", SOON, |state| state["ply"] == 0 && state["board"]["to_move"] == "white");
    });
}
