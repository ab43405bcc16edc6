//! Import and export of games on the page: saved, dropped, pasted and chosen files, and hostile ones.

use super::process::{new_folder, poll, wait_for};
use super::table::{SOON, Table, labels, scenario, two_people};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const GAME: &str = "h8i9g7i7i8g8h9h10f7j6";

/// Plays a line.
fn play(table: &Table, line: &str) {
    for at in labels(line) {
        table.client.command(json!({ "do": "move", "at": at }));
    }
    table.settle();
}

/// The name and bytes of the file downloaded to a folder, once it is complete.
pub fn downloaded(folder: &Path) -> (String, Vec<u8>) {
    wait_for("the download", SOON, || {
        let names =
            std::fs::read_dir(folder).expect("a folder").filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let name = names.into_iter().find(|name| !name.ends_with(".crdownload") && !name.starts_with('.'))?;
        let bytes = std::fs::read(folder.join(&name)).ok()?;
        if bytes.is_empty() {
            return None;
        }
        std::fs::remove_file(folder.join(&name)).expect("ours");
        Some((name, bytes))
    })
}

/// Simulates dropping a file on the page with the mouse.
fn drop_file(table: &Table, name: &str, bytes: &[u8]) {
    let drop = "const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(arguments[1])], arguments[0]));
        document.querySelector('.board').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));";
    table.browser.execute(drop, &[json!(name), json!(bytes)]);
}

fn paste(table: &Table, text: &str) {
    let paste = "const data = new DataTransfer();
        data.setData('text/plain', arguments[0]);
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));";
    table.browser.execute(paste, &[json!(text)]);
    agree_to_lose(table);
}

/// Confirms the page's question whether unsaved moves may be lost.
fn agree_to_lose(table: &Table) {
    table.agree();
}

/// The data that a round trip must preserve: every stone with its side and its place in the order.
fn essence(state: &Value) -> Value {
    json!([state["game"]["size"], state["board"]["stones"]])
}

#[test]
fn every_format_comes_back_as_it_was_saved() {
    scenario("formats", |table| {
        let folder = new_folder("downloads");
        table.browser.chromium(
            "Browser.setDownloadBehavior",
            json!({ "behavior": "allow", "downloadPath": folder, "eventsEnabled": false }),
        );
        table.start(two_people("renju", 15, 15));
        play(table, GAME);
        let before = table.agrees();
        for (format, end) in
            [("sgf", ".sgf"), ("psq", ".psq"), ("pos", ".pos"), ("sav", ".sav"), ("text", ".txt"), ("json", ".json")]
        {
            table.button("save");
            table.visible(&format!("dialog.save [data-format='{format}']"));
            let (name, bytes) = downloaded(&folder);
            assert!(name.ends_with(end), "{name}");
            table.dismiss();
            if format == "json" {
                let game: Value = serde_json::from_slice(&bytes).expect("JSON");
                assert!(game.is_object());
                continue;
            }
            // Another game in between, so that the game after it must come from the file.
            table.start(two_people("renju", 15, 15));
            drop_file(table, &name, &bytes);
            agree_to_lose(table);
            table.until(&format!("the {format} is back"), SOON, |state| essence(state) == essence(&before));
            table.agrees();
        }
        // Picture formats.
        for (format, beginning) in [("svg", b"<svg".as_slice()), ("png", b"\x89PNG")] {
            table.button("save");
            table.visible(&format!("dialog.save [data-format='{format}']"));
            let (name, bytes) = downloaded(&folder);
            assert!(name.ends_with(format), "{name}");
            assert!(bytes.windows(beginning.len()).take(200).any(|part| part == beginning), "{name}");
            table.dismiss();
        }
        std::fs::remove_dir_all(&folder).expect("ours");
    });
}

#[test]
fn games_are_pasted_and_chosen_from_the_disk() {
    scenario("paste", |table| {
        table.start(two_people("freestyle", 15, 15));
        paste(table, "H8 i9, j10");
        let state = table.until("the pasted stones", SOON, |state| state["ply"] == 3);
        assert_eq!(state["board"]["text"], "h8i9j10");
        paste(table, "(;GM[4]SZ[19]PB[Ann]PW[Ben];B[aa];W[ss](;B[jj])(;B[ab];W[ba]))");
        let state = table.until("the pasted record", SOON, |state| state["game"]["size"] == json!([19, 19]));
        assert_eq!(state["board"]["text"].as_str().map(|text| text.starts_with("a19s1")), Some(true));
        table.agrees();
        // The page rejects a file that is not a game with a message, and the game does not change.
        table.allow("422");
        let before = table.state();
        paste(table, "this is no game at all");
        table.see("the refusal is told", |shown| shown["toasts"] != "");
        assert_eq!(essence(&table.agrees()), essence(&before));

        // The file dialog belongs to the system; the field behind it accepts a file in the same way.
        let folder = new_folder("chosen");
        let file = folder.join("game.psq");
        std::fs::write(&file, "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\nBlack\nWhite\n").expect("a file");
        table.browser.chromium("Page.setInterceptFileChooserDialog", json!({ "enabled": true }));
        let keep = "const create = document.createElement.bind(document);
            document.createElement = (tag, ...rest) => {
              const node = create(tag, ...rest);
              if (tag === 'input') { node.hidden = true; node.dataset.chosen = ''; document.body.append(node); }
              return node;
            };";
        table.browser.execute(keep, &[]);
        table.button("load");
        let field = wait_for("a field for files", SOON, || table.browser.find("input[type=file][data-chosen]"));
        table.browser.send_keys(&field, file.to_str().expect("a path"));
        agree_to_lose(table);
        table.until("the chosen game", SOON, |state| state["board"]["text"] == "h8i7");
        table.agrees();
        std::fs::remove_dir_all(&folder).expect("ours");
    });
}

/// Names, comments and texts on the board from untrusted files.
#[test]
fn hostile_texts_stay_texts() {
    scenario("hostile", |table| {
        table.start(two_people("freestyle", 15, 15));
        let evil = "<img src=x onerror=document.title=1><script>document.title=2</script>";
        let sgf = format!("(;GM[4]SZ[15]PB[{evil}]PW[\"'>{evil}];B[hh]C[{evil}];W[ii]LB[aa:{evil}])");
        drop_file(table, &format!("{evil}.sgf"), sgf.as_bytes());
        agree_to_lose(table);
        table.until("the record", SOON, |state| state["line"].as_array().is_some_and(|line| line.len() == 2));
        table.client.command(json!({ "do": "goto", "node": table.state()["line"][0]["node"] }));
        table.settle();
        assert!(table.browser.text("#players").contains("<img src=x"), "the name is shown as it is written");
        let psq = format!("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n{evil}\n{evil}\n");
        drop_file(table, "a.psq", psq.as_bytes());
        agree_to_lose(table);
        table.until("the other record", SOON, |state| state["board"]["text"] == "h8i7");
        // The exported picture contains the names too.
        table.client.export("svg");
        let foreign = "document.querySelectorAll('img, body script, iframe, object').length";
        assert_eq!(table.browser.ask(foreign), 0);
        let title = table.browser.ask("document.title");
        assert!(title != "1" && title != "2", "{title}");
        let late = poll(Duration::from_millis(300), || (table.browser.ask("document.title") != title).then_some(()));
        assert!(late.is_none(), "the script of a file has run");
        table.agrees();
    });
}
