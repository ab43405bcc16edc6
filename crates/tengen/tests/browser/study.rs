//! The engine's output on the page: live analysis, the graph, the review, proofs.

use super::driver::key;
use super::process::{poll, wait_for};
use super::support::data;
use super::table::{SOON, Table, labels, points, scenario, strings, two_people};
use serde_json::{Value, json};
use std::time::Duration;
use tengen::board::{Setup, parse_points};
use tengen::rules::{Game, Rule};

/// Time limit for the result of a search or a proof.
const THOUGHT: Duration = Duration::from_secs(60);

/// The rows of the table of lines with their moves, and the state of the board at the same moment.
const LINES: &str = "
const rows = [...document.querySelectorAll('table.pv tbody tr')];
return {
  rows: rows.map((row) => ({
    worth: row.querySelector('.worth').textContent,
    moves: [...row.querySelectorAll('.token')].map((token) => token.textContent),
  })),
  candidates: [...document.querySelectorAll('.board .candidates > [data-at]')].map((node) => node.dataset.at),
  values: [...document.querySelectorAll('.board .candidates .value')].map((node) => node.textContent),
};";

/// The moves that the second row marks as shown on the board.
const PREVIEWED: &str = "
return [...document.querySelectorAll('table.pv tbody tr:nth-child(2).pinned .token.shown')].map((token) => token.textContent);";

/// A position between two persons, with analysis turned on by the page's switch.
fn analysed(table: &Table, line: &str, lines: u32) {
    table.start(two_people("freestyle", 15, 15));
    for at in labels(line) {
        table.client.command(json!({ "do": "move", "at": at }));
    }
    table.client.command(json!({ "do": "analysis", "lines": lines }));
    table.settle();
    table.tab("analysis");
    table.visible("#panel-analysis [role=switch]");
    table.until("analysis is on", SOON, |state| state["analysis"]["on"] == true);
}

/// Waits for a table with this number of lines that agrees with the board.
fn lines(table: &Table, count: usize) -> Value {
    let mut last = Value::Null;
    let found = poll(THOUGHT, || {
        last = table.browser.execute(LINES, &[]);
        let rows = last["rows"].as_array().expect("rows");
        let first: Vec<&Value> = rows.iter().map(|row| &row["moves"][0]).collect();
        (rows.len() == count && last["candidates"] == json!(first)).then(|| last.clone())
    });
    found.unwrap_or_else(|| panic!("{count} lines, the same on the board: {last}"))
}

#[test]
fn analysis_fills_the_table_and_the_board() {
    scenario("analysis", |table| {
        analysed(table, "h8i9i8", 4);
        let seen = lines(table, 4);
        let free = table.state();
        let stones = points(&free["board"]["stones"]);
        assert!(strings(&seen["candidates"]).iter().all(|at| !stones.contains(at)));
        assert!(seen["values"].as_array().is_some_and(|values| values.len() == 4));
        // The analysis follows the shown node.
        table.place("j10");
        table.until("the next position", SOON, |state| state["ply"] == 4);
        wait_for("lines of the next position", THOUGHT, || {
            let shown = strings(&lines(table, 4)["candidates"]);
            (!shown.contains(&"j10".to_owned())).then_some(())
        });
        // While z is pressed, the board hides the analysis.
        table.browser.execute("document.activeElement.blur()", &[]);
        table.browser.hold("z", true);
        table.see("no overlay", |shown| strings(&shown["candidates"]).is_empty());
        table.browser.hold("z", false);
        table.see("the overlays again", |shown| !strings(&shown["candidates"]).is_empty());
        // A key turns the analysis off.
        table.browser.press(&[], " ");
        table.until("analysis is off", SOON, |state| state["analysis"]["on"] == false);
        table.see("nothing is left on the board", |shown| strings(&shown["candidates"]).is_empty());
    });
}

#[test]
fn a_line_is_previewed_stepped_through_and_gone() {
    scenario("preview", |table| {
        analysed(table, "h8i9i8g8j7", 3);
        lines(table, 3);
        let over = |css: &str| {
            let place = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
                return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];";
            table
                .browser
                .execute("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", &[json!(css)]);
            let place = table.browser.execute(place, &[json!(css)]);
            (place[0].as_i64().expect("a place"), place[1].as_i64().expect("a place"))
        };
        let hover = |(x, y): (i64, i64)| {
            table
                .browser
                .mouse(json!([{ "type": "pointerMove", "duration": 0, "x": x, "y": y, "origin": "viewport" }]));
        };
        let row = "table.pv tbody tr:nth-child(2) td.pv-moves";
        let nowhere = (2, 2);
        // The preview keeps the line of the moment when the pointer reached it; a line of the first iterations may have
        // one move.
        let shown = wait_for("a line as ghosts", THOUGHT, || {
            hover(nowhere);
            hover(over(row));
            let shown = table.see("the line as ghosts", |shown| !strings(&shown["ghosts"]).is_empty());
            (strings(&shown["ghosts"]).len() > 1).then_some(shown)
        });
        assert_eq!(shown["candidates"], json!([]), "a preview stands alone");
        let ghosts = strings(&shown["ghosts"]);
        let marked = strings(&table.browser.execute(PREVIEWED, &[]));
        assert!(marked.len() > 1 && ghosts.starts_with(&marked), "{ghosts:?}, marked in row 2 are {marked:?}");
        // The wheel steps through the line.
        let (x, y) = over(row);
        table.browser.wheel(x, y, -120);
        table.see("one move less", |now| strings(&now["ghosts"]).len() + 1 == ghosts.len());
        // When the pointer leaves, the preview disappears.
        table.browser.press(&[], key::ESCAPE);
        hover(nowhere);
        table.see("no residue", |shown| strings(&shown["ghosts"]).is_empty() && strings(&shown["hover"]).is_empty());
        table.see("the candidates again", |shown| strings(&shown["candidates"]).len() == 3);
        table.agrees();
        // On the board too the pointer leaves no mark.
        hover(over("[role=gridcell][data-at='c3']"));
        table.see("a ghost under the pointer", |shown| strings(&shown["hover"]) == ["c3"]);
        hover(nowhere);
        table.see("none beside the board", |shown| strings(&shown["hover"]).is_empty());
    });
}

/// Black has three in a row and the move: Black wins, regardless of the side to move in the shown position.
#[test]
fn values_are_blacks_after_every_ply() {
    scenario("viewpoint", |table| {
        analysed(table, "h8a1i8c1j8e1", 1);
        let wins = |seen: &Value| seen["rows"][0]["worth"].as_str().is_some_and(|worth| worth.starts_with("B M"));
        wait_for("a win for Black, to move", THOUGHT, || wins(&lines(table, 1)).then_some(()));
        let bar = "Number(document.querySelector('.value-bar').getAttribute('aria-valuenow'))";
        wait_for("the bar is Black's", SOON, || (table.browser.ask(bar).as_f64() > Some(90.0)).then_some(()));
        table.place("g8");
        wait_for("and with White to move", THOUGHT, || wins(&lines(table, 1)).then_some(()));
        wait_for("the bar stays Black's", SOON, || (table.browser.ask(bar).as_f64() > Some(90.0)).then_some(()));
    });
}

#[test]
fn the_graph_is_a_way_to_the_moves() {
    scenario("graph", |table| {
        table.start(two_people("freestyle", 15, 15));
        let line = "h8i9i8g8j7h9k8l8j9j6";
        for at in labels(line) {
            table.client.command(json!({ "do": "move", "at": at }));
        }
        table.settle();
        table.tab("analysis");
        let css = "svg.graph";
        table
            .browser
            .execute("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", &[json!(css)]);
        let place = "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.x, box.y, box.width, box.height];";
        let place = table.browser.execute(place, &[json!(css)]);
        let number = |i: usize| place[i].as_f64().expect("a number");
        let at = |share: f64| {
            json!({
                "type": "pointerMove", "duration": 0, "origin": "viewport",
                "x": (number(0) + share * number(2)).round() as i64, "y": (number(1) + number(3) / 2.0).round() as i64,
            })
        };
        let (down, up) = (json!({ "type": "pointerDown", "button": 0 }), json!({ "type": "pointerUp", "button": 0 }));
        table.browser.mouse(json!([at(0.02), down, up]));
        table.until("the start of the game", SOON, |state| state["ply"] == 0);
        table.agrees();
        table.browser.mouse(json!([at(0.55), down, up]));
        let state = table.until("its middle", SOON, |state| state["ply"].as_u64() > Some(0));
        assert!((4..=6).contains(&state["ply"].as_u64().expect("a number")), "{}", state["ply"]);
        table.agrees();
        table.browser.mouse(json!([at(0.1), down, at(0.3), at(0.6), at(0.99), up]));
        table.until("dragged to the end", SOON, |state| state["ply"] == 10);
        table.agrees();
    });
}

/// White's sixth move allows an open three to become an open four.
#[test]
fn a_review_finds_the_planted_blunder() {
    scenario("review", |table| {
        table.review_of_a_blunder(THOUGHT);
        let found = "[...document.querySelectorAll('.review ol.mistakes .mistake')].map((node) => node.textContent)";
        let mistakes = strings(&table.browser.ask(found));
        assert!(mistakes.iter().any(|text| text.contains("o15")), "{mistakes:?}");
        assert!(mistakes[0].contains("o15"), "the largest is first: {mistakes:?}");
        // The tree of moves has the signs of the review.
        let signs = "[...document.querySelectorAll('.tree-node')].filter((node) => node.querySelector('.tree-sign'))
            .map((node) => `${node.querySelector('.at').textContent} ${node.querySelector('.tree-sign').textContent}`)";
        let signs = strings(&table.browser.ask(signs));
        assert!(signs.contains(&"o15 ??".to_owned()) && signs.iter().any(|sign| sign.ends_with(" !")), "{signs:?}");
        table.visible(".review ol.mistakes .mistake");
        table.until("a click shows it", SOON, |state| state["ply"] == 6);
        table.agrees();
        let review = String::from_utf8(table.client.export("review_sgf")).expect("text");
        assert!(review.starts_with("(;") && review.contains(";W["), "{review}");
    });
}

/// Wins from the solver's tests: the page's line is legal and ends in a row, also against other defences.
#[test]
fn a_proof_can_be_played_against() {
    scenario("proof", |table| {
        let text = std::fs::read_to_string(data("attacks.txt")).expect("the file of positions");
        let wins = text.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let plies: u32 = words[2].parse().ok()?;
            (words[0] == "freestyle" && plies <= 15).then_some((words[1], plies, words[3], words[4]))
        });
        for (side, plies, black, white) in wins.take(2) {
            let stones = |text: &str, side: &str| {
                labels(text).into_iter().map(|at| json!({ "at": at, "side": side })).collect::<Vec<_>>()
            };
            let mut new = two_people("freestyle", 15, 15);
            let stones = [stones(black, "black"), stones(white, "white")].concat();
            new["start"] = json!({ "stones": stones, "to_move": side });
            table.start(new);
            table.tab("analysis");
            table.visible(".proof button.primary");
            wait_for("the win is proven", THOUGHT, || (table.browser.ask(PLAYER) == true).then_some(()));
            let line = check_line(table, side);
            assert!(line.len() <= 2 * plies as usize, "{line:?}");
            // To the end and back to the first defence, then a defence other than the expected one.
            table.visible(".proof .steps button:nth-child(5)");
            table.see("the whole line", |shown| strings(&shown["ghosts"]).len() == line.len());
            table.visible(".proof .tokens button:nth-child(1)");
            table.see("the first move", |shown| strings(&shown["ghosts"]) == line[..1]);
            let chip = ".proof .defend .chip[aria-pressed='false']";
            if poll(Duration::from_secs(10), || table.browser.find(chip)).is_none() {
                // The line's defence is the only one.
                continue;
            }
            let answer = table.browser.text(chip);
            table.visible(chip);
            wait_for("the solver's answer to it", THOUGHT, || {
                (tokens(table).get(1) == Some(&answer) || table.browser.text(".proof .quiet").contains(&answer))
                    .then_some(())
            });
            if tokens(table).get(1) == Some(&answer) {
                check_line(table, side);
            }
            table.agrees();
        }
    });
}

const PLAYER: &str = "document.querySelector('.proof .tokens')?.checkVisibility() && document.querySelectorAll('.proof .tokens button').length > 2";

fn tokens(table: &Table) -> Vec<String> {
    strings(
        &table.browser.ask("[...document.querySelectorAll('.proof .tokens button')].map((node) => node.textContent)"),
    )
}

/// Plays the line of the proof by the rules: it is legal and this side wins at its end.
fn check_line(table: &Table, side: &str) -> Vec<String> {
    let line = tokens(table);
    let state = table.state();
    let size = tengen::board::BoardSize::RENJU;
    let point = |at: &str| parse_points(size, at).expect("a label")[0];
    let mut setup = Setup::empty(size);
    for stone in state["board"]["stones"].as_array().expect("stones") {
        let colour = if stone["side"] == "black" { tengen::board::Side::Black } else { tengen::board::Side::White };
        setup.stones.push((point(stone["at"].as_str().expect("a label")), colour));
    }
    setup.to_move = if side == "black" { tengen::board::Side::Black } else { tengen::board::Side::White };
    let winner = setup.to_move;
    let mut game = Game::from_setup(Rule::Freestyle, setup).expect("a position");
    for (i, at) in line.iter().enumerate() {
        assert!(game.outcome().is_none(), "{line:?} goes on after its end at {i}");
        game.play(point(at)).unwrap_or_else(|error| panic!("{line:?}: {at}: {error:?}"));
    }
    assert_eq!(game.outcome().and_then(|outcome| outcome.winner()), Some(winner), "{line:?}");
    line
}
