//! The page as a whole: what is in view together, the tree of moves, the ways through a game, the board as an object.

use super::driver::key;
use super::process::wait_for;
use super::table::{SOON, Table, labels, scenario, strings, two_people};
use serde_json::{Value, json};
use std::time::Duration;

/// Screens on which everything is in view together.
const WIDE: [(u32, u32); 3] = [(1920, 1080), (1366, 650), (1280, 800)];

/// Functions for the scripts below.
const TOOLS: &str = "
const seen = (node) => node.checkVisibility({ visibilityProperty: true });
const all = (css) => [...document.querySelectorAll(css)].filter(seen);
const box = (node) => node.getBoundingClientRect();
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const name = (node) => `${node.className?.baseVal ?? node.className} ${node.dataset.do ?? node.dataset.at ?? node.id}`.trim();
";

fn look(table: &Table, script: &str) -> Value {
    table.browser.execute(&format!("{TOOLS}{script}"), &[])
}

/// Panes that are outside of the window or over each other, or leave a part of the width unused.
const ARRANGED: &str = "
const panes = ['.board', '.pv-room', '.tree', '.graph', '.players', '.toolbar', '.tree-tools', '#acts'].map((css) => document.querySelector(css));
const out = panes.filter((node) => !seen(node) || box(node).left < 0 || box(node).top < 0 || box(node).right > innerWidth
  || (node.matches('.pv-room') ? box(node).top + 60 : box(node).bottom) > innerHeight).map(name);
const over = panes.flatMap((one, index) => panes.slice(index + 1).filter((other) => meet(box(one), box(other)) && !other.matches('.tree-tools'))
  .filter(() => !one.matches('.pv-room')).map((other) => `${name(one)} and ${name(other)}`));
const right = Math.max(...panes.map((node) => box(node).right));
if (box(document.querySelector('.evalbar')).left > 40 || right < innerWidth - 60) over.push(`unused width: up to ${right} of ${innerWidth}`);
return [...out, ...over];";

/// The places of the buttons that a growing list must not move.
const PLACES: &str = "
return all('.head button, .tree-tools button, .top-actions button, #tabs button, .analysis button').filter((node) => !node.closest('table, .chips'))
  .map((node) => `${name(node)} ${Math.round(box(node).left)} ${Math.round(box(node).top)}`);";

/// What a message covers.
const COVERED: &str = "
const messages = all('.toast').map(box);
return all('button, input, select, textarea, summary, .board, [role=treeitem], [role=meter], svg.graph, .player')
  .filter((node) => !node.closest('.toast') && messages.some((message) => meet(message, box(node)))).map(name);";

#[test]
fn everything_is_in_view_and_stays_where_it_is() {
    scenario("desk", |table| {
        table.start(two_people("freestyle", 15, 15));
        table.tab("analysis");
        table.client.command(json!({ "do": "analysis", "lines": 4 }));
        for (width, height) in WIDE {
            table.browser.screen(width, height, false);
            table.settle();
            assert_eq!(look(table, ARRANGED), json!([]), "{width} x {height}");
        }
        let before = strings(&look(table, PLACES));
        assert!(before.len() > 20, "{before:?}");
        for at in labels("h8i9g7i7i8g8h9h10f7j6k5l4a1b1c1d1") {
            table.client.command(json!({ "do": "move", "at": at }));
        }
        table.client.command(json!({ "do": "analysis", "on": true }));
        table.see("four lines", |shown| strings(&shown["candidates"]).len() == 4);
        assert_eq!(strings(&look(table, PLACES)), before, "a button has moved");
        // In two panes the steps are under the board, whatever tab is open.
        table.browser.screen(1024, 768, false);
        let steps = "return all('.ways-bar button').filter((node) => box(node).top >= box(document.querySelector('.board')).bottom).length";
        assert_eq!(look(table, steps), 4);
        table.browser.screen(1280, 800, false);
        // A message covers nothing.
        table.browser.execute("document.activeElement.blur()", &[]);
        table.browser.press(&[], "9");
        table.see("a message", |shown| shown["toasts"] != "");
        assert_eq!(look(table, COVERED), json!([]));
        table.picture("desk-1280");

        // First, back, forward, last, and the wheel over the board.
        for (action, ply) in [("first", 0), ("forward", 1), ("last", 16), ("back", 15)] {
            table.button(action);
            table.until(action, SOON, |state| state["ply"] == ply);
        }
        for (by, ply) in [(-120, 14), (-120, 13), (120, 14)] {
            table.browser.wheel(300, 400, by);
            table.until("the wheel steps", SOON, |state| state["ply"] == ply);
        }
        // The legend is one click away, and Escape closes it and nothing else.
        table.button("legend");
        let legend = "return all('#legend li').length";
        wait_for("the legend", SOON, || (look(table, legend).as_u64() > Some(18)).then_some(()));
        table.picture("legend");
        table.browser.press(&[], key::ESCAPE);
        wait_for("it is closed", SOON, || (look(table, legend) == 0).then_some(()));
        assert_eq!(table.state()["analysis"]["on"], true);

        // Each value has the small stone of its side, and arrows lie below the values.
        let owners = "return all('.candidates > g').map((node) => node.querySelectorAll('.owner').length)";
        table.see("four candidates", |shown| strings(&shown["candidates"]).len() == 4);
        assert_eq!(look(table, owners), json!([1, 1, 1, 1]));
        let order =
            "const names = [...document.querySelector('.board').children].map((node) => node.getAttribute('class'));
            return names.indexOf('arrows') < names.indexOf('candidates')";
        assert_eq!(look(table, order), true);
        phone(table);
        after_the_game(table);
    });
}

/// On a phone: the board on top, a sheet under it, numbers that can be read, labels that no stone touches.
fn phone(table: &Table) {
    table.client.command(json!({ "do": "analysis", "on": false }));
    table.browser.screen(390, 844, true);
    table.browser.execute("localStorage.setItem('tengen.view', JSON.stringify({ numbers: 'all' }))", &[]);
    let mut new = two_people("freestyle", 15, 15);
    new["start"] = json!({ "stones": [], "to_move": "black" });
    table.browser.refresh();
    table.see("the board again", |shown| shown["rev"].as_i64() > Some(0));
    table.start(new);
    for at in labels("a1o1a15o15a8o8h1h15b2c2h8g8") {
        table.client.command(json!({ "do": "move", "at": at }));
    }
    table.settle();
    let small = "const board = document.querySelector('.board');
        const unit = box(board).width / board.viewBox.baseVal.width;
        return all('.stone text').filter((node) => parseFloat(getComputedStyle(node).fontSize) * unit < 12).length";
    assert_eq!(look(table, small), 0, "numbers of less than 12 pixels");
    let touching = "const labels = all('.edge');
        return all('.stone .body').flatMap((stone) => labels.filter((label) => meet(box(stone), box(label))).map((label) => label.textContent))";
    assert_eq!(look(table, touching), json!([]), "stones touch labels");
    // The first tap says what the second will do.
    let cell = table.browser.find("[role=gridcell][data-at='c9']").expect("a cell");
    let tap = json!([
        { "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": cell.value() },
        { "type": "pointerDown", "button": 0 }, { "type": "pause", "duration": 30 }, { "type": "pointerUp", "button": 0 },
    ]);
    table.browser.touch(tap);
    table.see("tap again", |shown| shown["toasts"].as_str().is_some_and(|text| text.contains("tap again")));
    assert_eq!(look(table, COVERED), json!([]));
    table.picture("desk-390");
    let sheet = "const sheet = box(document.querySelector('#sheet')); return [box(document.querySelector('.board')).bottom <= sheet.top, sheet.height]";
    let low = look(table, sheet);
    table.browser.click("#handle");
    let tall = look(table, sheet);
    assert!(low[0] == true && tall[1].as_f64() > low[1].as_f64(), "{low} {tall}");
    table.browser.click("#handle");
}

/// Review, rematch and save are in one row; the bar tells the result.
fn after_the_game(table: &Table) {
    table.client.command(json!({ "do": "resign" }));
    table.until("the end", SOON, |state| state["status"]["how"] == "resigned");
    for (width, height) in [(390, 844), (1280, 800)] {
        table.browser.screen(width, height, width < 800);
        let row = "const row = all('.acts.after button'); return [row.map((node) => node.dataset.do), new Set(row.map((node) => box(node).top)).size]";
        assert_eq!(look(table, row), json!([["review", "rematch", "save"], 1]), "{width}");
    }
    let bar = "const bar = document.querySelector('.value-bar');
        return [bar.getAttribute('aria-valuetext'), bar.classList.contains('unknown'), document.querySelector('.bar-number').textContent]";
    assert_eq!(look(table, bar), json!(["White has won", false, "Wwon"]));
    // In high contrast the part of Black differs from the page.
    let pattern = "document.documentElement.dataset.theme = 'contrast'; return getComputedStyle(document.querySelector('.bar-black')).backgroundImage";
    assert!(look(table, pattern).as_str().is_some_and(|image| image.contains("gradient")));
    table.button("rematch");
    table.agree();
    let state = table.until("a new game", SOON, |state| state["status"]["kind"] == "running" && state["ply"] == 0);
    assert_eq!(state["game"]["black"]["name"], "Ben", "with colours exchanged");
}

/// A line of this many moves on 25 x 25, and from each of its first moves two branches of the same length.
fn branched(moves: usize, branches: usize) -> String {
    let letter = |n: usize| char::from(b'a' + n as u8);
    // No five lies on every seventh cell.
    let line = |from: usize, shift: usize| -> String {
        let cell = |ply: usize| 7 * ply + shift;
        let side = |ply: usize| if ply.is_multiple_of(2) { 'B' } else { 'W' };
        (from..moves)
            .map(|ply| format!(";{}[{}{}]", side(ply), letter(cell(ply) % 25), letter(cell(ply) / 25)))
            .collect()
    };
    let first = |ply: usize| line(ply, 0).split_inclusive(']').next().unwrap_or_default().to_owned();
    let main: String = (0..branches).map(|ply| format!("({}", first(ply))).collect();
    let ends: String = (0..branches).rev().map(|ply| format!(")({})({})", line(ply, 3), line(ply, 5))).collect();
    format!("(;GM[4]SZ[25]RU[freestyle]{main}{}{ends})", line(branches, 0))
}

/// Labels, levels and states of the drawn nodes.
const NODES: &str = "return all('[role=treeitem]').map((node) => ({
  label: [...node.children].filter((part) => part.ariaHidden !== 'true').map((part) => part.textContent).join(' '), here: node.getAttribute('aria-selected') === 'true', open: node.getAttribute('aria-expanded'),
  column: Math.round(new DOMMatrix(getComputedStyle(node).transform).e), row: Math.round(new DOMMatrix(getComputedStyle(node).transform).f),
}));";

/// Whether the current node is in view.
const CURRENT: &str = "const [view, here] = [box(document.querySelector('.tree')), document.querySelector('.tree-node.here')];
return Boolean(here) && box(here).top >= view.top && box(here).bottom <= view.bottom && box(here).left >= view.left && box(here).left + 40 <= view.right;";

#[test]
fn the_tree_is_drawn_walked_and_changed() {
    scenario("tree", |table| {
        table
            .client
            .import("small.sgf", b"(;GM[4]SZ[15];B[hh];W[ii](;B[jj];W[kk])(;B[gg]C[words];W[ff](;B[ee])(;B[dd])))");
        table.dismiss();
        let state = table.settle();
        // Nobody plays in a loaded game.
        let playing = "return all('[data-do=resign], [data-do=draw]').length";
        assert_eq!(look(table, playing), 0);
        let nodes = look(table, NODES);
        let nodes = nodes.as_array().expect("nodes");
        let of = |word: &str| {
            nodes.iter().find(|node| node["label"].as_str().is_some_and(|label| label.contains(word))).expect("a node")
        };
        assert_eq!(nodes.len(), 9);
        assert!(of("Move 3, Black, g9")["label"].as_str().is_some_and(|label| label.contains("Comment")));
        let at = |word: &str| (of(word)["column"].as_i64(), of(word)["row"].as_i64());
        assert_eq!(at("h8").0, at("j6").0, "the main line goes straight down");
        assert!(at("g9").0 > at("j6").0 && at("g9").1 == at("j6").1, "a branch lies to the right of it");
        assert!(at("d12").0 > at("e11").0 && at("d12").1 == at("e11").1);
        let id = |at: &str| {
            look(
                table,
                &format!("return all('.tree-node').find((node) => node.textContent.includes('{at}')).dataset.node"),
            )
        };
        let branch: u64 = id("g9").as_str().and_then(|id| id.parse().ok()).expect("an id");

        // By keys: to the start, down the line, over to the branch.
        table.browser.execute("document.querySelector('.tree').focus()", &[]);
        table.browser.press(&[], key::HOME);
        table.until("the start", SOON, |state| state["ply"] == 0);
        for ply in 1..=3 {
            table.browser.press(&[], key::DOWN);
            table.until("down", SOON, |state| state["ply"] == ply);
        }
        table.browser.press(&[], key::RIGHT);
        table.until("the branch", SOON, |state| state["node"] == branch);
        let active = "document.activeElement.getAttribute('aria-activedescendant')";
        wait_for("it is told", SOON, || (table.browser.ask(active) == format!("tree-{branch}")).then_some(()));

        // Folded, what follows is gone; the next step unfolds it.
        table.browser.press(&[], "-");
        wait_for("folded", SOON, || (table.browser.text(".tree-after") == "+3").then_some(()));
        assert_eq!(look(table, "return all('[role=treeitem]').length"), 6);
        table.browser.press(&[], key::DOWN);
        table.until("the step after it", SOON, |state| state["ply"] == 4);
        wait_for("unfolded", SOON, || (look(table, "return all('[role=treeitem]').length") == 9).then_some(()));

        table.button("promote");
        wait_for("it is the main line", SOON, || {
            look(
                table,
                "return all('.tree-node.path').every((node) => new DOMMatrix(getComputedStyle(node).transform).e < 20)",
            )
            .as_bool()?
            .then_some(())
        });
        table.button("back");
        table.until("back", SOON, |state| state["ply"] == 3);
        table.button("delete");
        table.agree();
        let state_after = table.until("the branch is deleted", SOON, |state| state["ply"] == 2);
        assert_eq!(state_after["children"].as_array().map(Vec::len), Some(1));
        wait_for("in the drawing too", SOON, || {
            (look(table, "return all('[role=treeitem]').length") == 5).then_some(())
        });
        assert_eq!(state["game"]["study"], true);

        // A tree of 5,000 nodes: what is out of view is not there, and the current node is in view.
        table.client.import("large.sgf", branched(88, 35).as_bytes());
        let large = table.until("a large tree", SOON, |state| state["game"]["size"] == json!([25, 25]));
        let count = || {
            table.browser.ask("Number(document.querySelector('.tree-plane').dataset.nodes)").as_u64().expect("a number")
        };
        wait_for("all of it", SOON, || (count() > 5000).then_some(()));
        for ply in [1_usize, 40, 88] {
            let node = if ply == 40 { count() - 5 } else { large["line"][ply - 1]["node"].as_u64().expect("an id") };
            table.client.command(json!({ "do": "goto", "node": node }));
            table.settle();
            wait_for("the current node is in view", SOON, || (look(table, CURRENT) == true).then_some(()));
            assert!(look(table, "return document.querySelectorAll('[role=treeitem]').length").as_u64() < Some(500));
        }
        table.picture("tree");
        table.start(two_people("freestyle", 15, 15));
        assert_eq!(look(table, playing), 2, "in a game one may resign and offer a draw");
    });
}

#[test]
fn the_board_and_the_first_dialog_are_as_chosen() {
    scenario("choices", |table| {
        table.browser.screen(1366, 650, false);
        let room =
            "const fields = document.querySelector('.start-fields'); return fields.scrollHeight - fields.clientHeight";
        for (field, value) in [("colour", "white"), ("rule", "renju"), ("clock", "game")] {
            table.choose(field, value);
            assert!(look(table, room).as_i64() <= Some(0), "the dialog scrolls with {field}");
        }
        table.picture("start-1366");
        table.visible("dialog.start [type=submit]");
        table.until("the game", Duration::from_secs(30), |state| state["game"]["rule"] == "renju");
        table.browser.refresh();
        table.see("the page again", |shown| shown["rev"].as_i64() > Some(0));
        table.button("new");
        let chosen = "const { colour, rule, clock } = document.querySelector('dialog.start form').elements; return [colour.value, rule.value, clock.value]";
        wait_for("the last choices", SOON, || (look(table, chosen) == json!(["white", "renju", "game"])).then_some(()));
        let picks = "window.picked = ''; HTMLInputElement.prototype.click = function () { window.picked = this.type; }";
        table.browser.execute(picks, &[]);
        table.visible("dialog.start .open-file");
        wait_for("a file is asked for", SOON, || (table.browser.ask("window.picked") == "file").then_some(()));
        assert!(table.browser.find("dialog[open]").is_none());

        // Styles and coordinates are kept; the sound is off until it is wanted.
        table.button("settings");
        assert_eq!(look(table, "return document.querySelector('dialog.settings input[name=sound]').checked"), false);
        let style = |name: &str| {
            let radio =
                table.browser.find(&format!("dialog.settings input[name=boardStyle][value={name}]")).expect("a choice");
            table.browser.click_label(&radio);
            let fills = "const wood = getComputedStyle(document.querySelector('.board .wood')); return `${document.querySelector('.board').dataset.style} ${wood.fill}`";
            wait_for(name, SOON, || look(table, fills).as_str().filter(|now| now.starts_with(name)).map(str::to_owned))
        };
        let fills: std::collections::BTreeSet<String> = ["shaded", "flat", "print"].map(style).into_iter().collect();
        assert_eq!(fills.len(), 3, "{fills:?}");
        let inside = table.browser.find("dialog.settings input[name=edge][value=inside]").expect("a choice");
        table.browser.click_label(&inside);
        table.dismiss();
        table.browser.refresh();
        table.see("the page once more", |shown| shown["rev"].as_i64() > Some(0));
        let kept = "return [document.querySelector('.board').dataset.style, all('.edge.inner').length, all('.edge:not(.inner)').length]";
        assert_eq!(look(table, kept), json!(["print", 30, 0]));
        table.picture("print");
    });
}
