//! A person at the board: the program, its page in a browser, and the actions and checks of tests.
//!
//! Commands that only prepare a test go directly to the server, as a second client; the tested actions go through the
//! page.

use super::browser::Browser;
use super::http::{self, Answer};
use super::process::{Process, new_folder, poll, wait_for};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// Time limit for anything that does not take a search. It is far more than needed, for busy machines.
pub const SOON: Duration = Duration::from_secs(30);

/// Scenarios run in parallel; a measurement has the machine to itself.
static MACHINE: RwLock<()> = RwLock::new(());

/// A running `tengen play`.
pub struct Play {
    pub process: Process,
    /// The address with the code, as printed.
    pub address: String,
    pub port: u16,
}

impl Play {
    /// Starts it; `state` is the folder of its saved games.
    pub fn start(state: &Path) -> Play {
        Play::start_with(state, &[])
    }

    /// The same with more arguments.
    pub fn start_with(state: &Path, more: &[&str]) -> Play {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command
            .args(["play", "--no-open", "--port", "0", "--state-dir"])
            .arg(state)
            .args(more)
            .stderr(Stdio::inherit());
        let process = Process::start(&mut command, new_folder("play")).expect("the program");
        let line = process.line(SOON).expect("one line with the address");
        let address = line.trim().to_owned();
        let port = address.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split('/').next());
        let port = port.and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("an address: {line}"));
        Play { process, address, port }
    }

    /// Sends Ctrl-C and waits for the end of the program.
    pub fn interrupt(mut self) {
        let id = rustix::process::Pid::from_child(&self.process.child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it runs");
        assert!(self.process.ends_within(SOON), "Ctrl-C ends the program");
        assert_eq!(self.process.line(Duration::ZERO), None, "one line is all it prints");
    }
}

/// A client of the server in addition to the page.
#[derive(Clone)]
pub struct Client {
    port: u16,
    token: String,
}

impl Client {
    fn request(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Answer {
        let headers = [("X-Tengen-Token", self.token.as_str()), ("Content-Type", kind)];
        http::request(self.port, method, path, &headers, body).expect("the server answers")
    }

    #[track_caller]
    fn json(answer: &Answer) -> Value {
        serde_json::from_slice(&answer.body).expect("JSON")
    }

    /// `GET /api/state`.
    #[track_caller]
    pub fn state(&self) -> Value {
        let answer = self.request("GET", "/api/state", "", b"");
        assert_eq!(answer.status, 200);
        Client::json(&answer)
    }

    /// Sends a command on the newest revision: the answer, or the error.
    #[track_caller]
    pub fn try_command(&self, mut command: Value) -> Result<Value, Value> {
        const ON_REVISION: [&str; 9] =
            ["move", "opening", "undo", "redo", "go", "substitute", "swap_sides", "resign", "draw"];
        if ON_REVISION.iter().any(|name| command["do"] == *name) {
            command["rev"] = self.state()["rev"].take();
        }
        let answer = self.request("POST", "/api/command", "application/json", command.to_string().as_bytes());
        let body = Client::json(&answer);
        if answer.status == 200 { Ok(body) } else { Err(body) }
    }

    /// Sends a command that must be accepted.
    #[track_caller]
    pub fn command(&self, command: Value) -> Value {
        self.try_command(command.clone()).unwrap_or_else(|refusal| panic!("{command}: {refusal}"))
    }

    /// Sends a file to the server.
    #[track_caller]
    pub fn import(&self, name: &str, bytes: &[u8]) -> Value {
        let path = format!("/api/import?name={name}");
        let answer = self.request("POST", &path, "application/octet-stream", bytes);
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        Client::json(&answer)
    }

    /// A question to the puzzle trainer.
    #[track_caller]
    pub fn puzzles(&self, body: Value) -> Value {
        let answer = self.request("POST", "/api/puzzles", "application/json", body.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{body}: {}", String::from_utf8_lossy(&answer.body));
        Client::json(&answer)
    }

    /// The game in a format.
    #[track_caller]
    pub fn export(&self, format: &str) -> Vec<u8> {
        let answer = self.request("GET", &format!("/api/export?format={format}"), "", b"");
        assert_eq!(answer.status, 200, "{format}: {}", String::from_utf8_lossy(&answer.body));
        answer.body
    }
}

/// The program and a browser that shows its page.
pub struct Table {
    pub browser: Browser,
    pub play: Option<Play>,
    pub client: Client,
    /// The folder of saved games, which outlives the program.
    pub saved: PathBuf,
    /// Words of complaints that the scenario causes on purpose.
    allowed: Vec<String>,
}

/// Plays a scenario with a program and page of its own and checks the browser's logs afterwards. If it fails, a picture
/// and the logs are saved.
pub fn scenario(name: &str, play: impl FnOnce(&mut Table)) {
    let _machine = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    run(name, "", &[], play);
}

/// The same with other engines: the content of the user's file.
pub fn scenario_with_engines(name: &str, engines: &str, play: impl FnOnce(&mut Table)) {
    let _machine = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    run(name, engines, &[], play);
}

/// The same with more arguments of the program.
pub fn scenario_with(name: &str, more: &[&str], play: impl FnOnce(&mut Table)) {
    let _machine = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    run(name, "", more, play);
}

/// The same without anything else running.
pub fn measurement(name: &str, play: impl FnOnce(&mut Table)) {
    let _machine = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    run(name, "", &[], play);
}

/// Plays a scenario on a page without a server at this address, and checks it like the others.
pub fn site_scenario(name: &str, address: &str, play: impl FnOnce(&mut Table)) {
    let _machine = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    on_site(name, address, play);
}

/// The same without anything else running.
pub fn site_measurement(name: &str, address: &str, play: impl FnOnce(&mut Table)) {
    let _machine = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    on_site(name, address, play);
}

fn on_site(name: &str, address: &str, play: impl FnOnce(&mut Table)) {
    let Some(browser) = Browser::take() else { return };
    browser.navigate(address);
    let client = Client { port: 0, token: String::new() };
    let table = Table { browser, play: None, client, saved: new_folder("site"), allowed: Vec::new() };
    watched(name, table, play);
}

fn run(name: &str, engines: &str, more: &[&str], play: impl FnOnce(&mut Table)) {
    let Some(browser) = Browser::take() else { return };
    watched(name, Table::open(browser, engines, more), play);
}

fn watched(name: &str, mut table: Table, play: impl FnOnce(&mut Table)) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        play(&mut table);
        let complaints = table.browser.complaints(&table.allowed);
        assert!(complaints.is_empty(), "the browser complains: {complaints:#?}");
    }));
    if let Err(panic) = outcome {
        let evidence = catch_unwind(AssertUnwindSafe(|| {
            table.picture(&format!("failed-{name}"));
            eprintln!("{name}: {:#?}", table.browser.complaints(&[]));
            eprintln!("{}", table.shown());
        }));
        drop(evidence);
        resume_unwind(panic);
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.saved);
    }
}

/// A `new` command for two persons.
pub fn two_people(rule: &str, width: u8, height: u8) -> Value {
    json!({
        "do": "new", "rule": rule, "size": [width, height],
        "black": { "kind": "person", "name": "Ann" }, "white": { "kind": "person", "name": "Ben" },
    })
}

/// A `new` command for a person with Black against a level; full strength is level 0.
pub fn against(level: u8, rule: &str) -> Value {
    let level = if level == 0 { Value::Null } else { json!(level) };
    json!({
        "do": "new", "rule": rule, "size": [15, 15],
        "black": { "kind": "person", "name": "Ann" }, "white": { "kind": "engine", "level": level },
    })
}

/// The labels in a text such as `h8i9`.
pub fn labels(text: &str) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for c in text.chars() {
        match labels.last_mut() {
            Some(label) if c.is_ascii_digit() => label.push(c),
            _ => labels.push(c.to_string()),
        }
    }
    labels
}

/// The content of the page, read from the document.
const SHOWN: &str = r#"
const at = (layer) => [...document.querySelectorAll(`.board .${layer} > [data-at]`)].map((node) => node.dataset.at);
const stones = [...document.querySelectorAll('.board .stones > .stone')];
const usable = (name) => {
  const nodes = [...document.querySelectorAll(`[data-do="${name}"]`)];
  return nodes.length ? nodes.every((node) => !node.disabled && node.getAttribute('aria-disabled') !== 'true') : null;
};
const can = ['undo', 'redo', 'hint', 'go', 'pause', 'resign', 'draw'].map((name) => [name, usable(name)]);
can.push(['swap_sides', usable('swap')]);
return {
  rev: Number(document.documentElement.dataset.rev ?? -1),
  stones: stones.map((node) => `${node.dataset.at} ${node.classList.contains('black') ? 'black' : 'white'}`),
  numbers: Object.fromEntries(stones.map((node) => [node.dataset.at, node.textContent])),
  last: at('last'),
  row: document.querySelectorAll('.board .win .outline').length,
  line: document.querySelector('.board .win .line')?.getAttribute('d') ?? '',
  forbidden: at('forbidden'),
  threats: at('threats'),
  candidates: at('candidates'),
  ghosts: at('ghosts'),
  hover: at('hover'),
  target: at('target'),
  status: document.getElementById('status')?.textContent ?? '',
  assertive: document.getElementById('assertive')?.textContent ?? '',
  toasts: document.getElementById('toasts')?.textContent ?? '',
  banner: document.getElementById('banner')?.hidden === false ? document.getElementById('banner').textContent : '',
  can: Object.fromEntries(can),
};
"#;

impl Table {
    /// Starts the program and shows its page.
    pub fn open(browser: Browser, engines: &str, more: &[&str]) -> Table {
        let saved = new_folder("saved");
        if !engines.is_empty() {
            std::fs::write(saved.join("engines.toml"), engines).expect("a file");
        }
        let play = Play::start_with(&saved, more);
        let client = Client { port: play.port, token: String::new() };
        let mut table = Table { browser, play: Some(play), client, saved, allowed: Vec::new() };
        table.enter();
        table
    }

    /// Opens the printed address.
    #[track_caller]
    pub fn enter(&mut self) {
        let play = self.play.as_ref().expect("it runs");
        self.browser.navigate(&play.address);
        self.client.port = play.port;
        self.arrive();
    }

    /// Waits for the page to load, and reads its token.
    #[track_caller]
    pub fn arrive(&mut self) {
        wait_for("the board appears", SOON, || (self.shown()["rev"].as_i64()? >= 0).then_some(()));
        let token = self.browser.ask("localStorage.getItem('tengen.token')");
        self.client.token = token.as_str().expect("a token").to_owned();
    }

    /// Permits complaints that contain this word, because the scenario causes them.
    pub fn allow(&mut self, word: &str) {
        self.allowed.push(word.to_owned());
    }

    /// Starts a game and waits until the page shows it.
    #[track_caller]
    pub fn start(&self, new: Value) {
        self.client.command(new);
        self.dismiss();
        self.settle();
    }

    /// Closes any open dialog.
    #[track_caller]
    pub fn dismiss(&self) {
        let open = "document.querySelector('dialog[open]') !== null";
        if self.browser.ask(open) == true {
            self.browser.press(&[], super::driver::key::ESCAPE);
            wait_for("Escape closes the dialog", SOON, || (self.browser.ask(open) == false).then_some(()));
        }
    }

    /// The content of the page.
    #[track_caller]
    pub fn shown(&self) -> Value {
        self.browser.execute(SHOWN, &[])
    }

    /// The state on the server.
    #[track_caller]
    pub fn state(&self) -> Value {
        self.client.state()
    }

    /// Waits until the page shows the newest state, and returns that.
    #[track_caller]
    pub fn settle(&self) -> Value {
        wait_for("the page shows the newest state", SOON, || {
            let state = self.state();
            (self.shown()["rev"] == state["rev"]).then_some(state)
        })
    }

    /// Waits until the state fulfils the condition and the page shows it.
    #[track_caller]
    pub fn until(&self, what: &str, limit: Duration, is_so: impl Fn(&Value) -> bool) -> Value {
        wait_for(what, limit, || {
            let state = self.state();
            (is_so(&state) && self.shown()["rev"] == state["rev"]).then_some(state)
        })
    }

    /// Waits until the page fulfils the condition.
    #[track_caller]
    pub fn see(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        let seen = poll(SOON, || {
            last = self.shown();
            is_so(&last).then(|| last.clone())
        });
        match seen {
            Some(seen) => seen,
            None => panic!("{what}: the page shows {last}"),
        }
    }

    /// Clicks a point of the board with the mouse.
    #[track_caller]
    pub fn click(&self, at: &str) {
        self.browser.click(&format!("[role=gridcell][data-at='{at}']"));
    }

    /// Clicks a point, and waits for the stone.
    #[track_caller]
    pub fn place(&self, at: &str) {
        self.click(at);
        self.see(&format!("a stone on {at}"), |shown| {
            stones(shown).iter().any(|stone| stone.starts_with(&format!("{at} ")))
        });
    }

    /// Clicks the button of an action: the visible one, if there are two.
    #[track_caller]
    pub fn button(&self, action: &str) {
        self.visible(&format!("[data-do='{action}']"));
    }

    /// Clicks the first visible element of a selector.
    #[track_caller]
    pub fn visible(&self, css: &str) {
        let marked = format!("{css}[data-test-seen]");
        let mark =
            "for (const node of document.querySelectorAll('[data-test-seen]')) node.removeAttribute('data-test-seen');
            const nodes = [...document.querySelectorAll(arguments[0])];
            const seen = nodes.find((node) => node.checkVisibility({ visibilityProperty: true }) && !node.disabled);
            seen?.setAttribute('data-test-seen', '');
            return Boolean(seen);";
        // An element that covers it temporarily, such as a message, disappears by itself.
        wait_for(&format!("{css} can be clicked"), SOON, || {
            let seen = self.browser.execute(mark, &[json!(css)]) == true;
            let node = seen.then(|| self.browser.find(&marked)).flatten()?;
            self.browser.driver().click(&node).ok()
        });
    }

    /// Chooses a value in the start dialog.
    #[track_caller]
    pub fn choose(&self, field: &str, value: &str) {
        let set = "const field = document.querySelector('dialog.start form').elements[arguments[0]];
            field.value = arguments[1];
            (field.length ? field[0] : field).dispatchEvent(new Event('input', { bubbles: true }));
            return field.value;";
        match self.browser.find(&format!("dialog.start input[name='{field}'][type=radio][value='{value}']")) {
            Some(radio) => self.browser.click_label(&radio),
            None => assert_eq!(self.browser.execute(set, &[json!(field), json!(value)]), value, "{field}"),
        }
    }

    /// Presses a key several times before the page can take any update.
    #[track_caller]
    pub fn press_at_once(&self, keys: &[(&str, usize)]) {
        let press = "for (const [key, times] of arguments[0]) for (let i = 0; i < times; i += 1)
            document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));";
        self.browser.execute(press, &[json!(keys)]);
    }

    /// Confirms, if the page asks for confirmation.
    #[track_caller]
    pub fn agree(&self) {
        let asked = poll(Duration::from_millis(400), || self.browser.find("dialog.ask .main"));
        if asked.is_some() {
            self.browser.click("dialog.ask .main");
        }
    }

    /// Plays a game of two persons in which white's third move, o15, is a blunder, and reviews it with 20,000 nodes a
    /// move. Returns when the review is complete.
    #[track_caller]
    pub fn review_of_a_blunder(&self, patience: Duration) {
        self.start(two_people("freestyle", 15, 15));
        for at in labels("h8g9i8g7j8o15k8g8l8") {
            self.client.command(json!({ "do": "move", "at": at }));
        }
        self.settle();
        self.tab("review");
        self.browser.execute(
            "const select = document.querySelector('.review select'); select.value = '20000'; select.dispatchEvent(new Event('change'))",
            &[],
        );
        self.visible(".review button.primary");
        let done =
            "[...document.querySelectorAll('.review [role=group] button')].some((node) => node.checkVisibility())";
        wait_for("the review is done", patience, || (self.browser.ask(done) == true).then_some(()));
    }

    /// Opens a tab of the panel beside the board.
    #[track_caller]
    pub fn tab(&self, name: &str) {
        self.visible(&format!("#tab-{name}"));
    }

    /// Saves a picture of the window in `target/screenshots`.
    #[track_caller]
    pub fn picture(&self, name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder").join("screenshots");
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        let path = folder.join(format!("{name}.png"));
        std::fs::write(&path, from_base64(&self.browser.screenshot())).expect("a picture");
        path
    }

    /// The page agrees with the server: stones, marks, the winning row, crosses, and the enabled buttons.
    #[track_caller]
    pub fn agrees(&self) -> Value {
        let (state, shown) = wait_for("page and server at the same revision", SOON, || {
            let state = self.state();
            let shown = self.shown();
            (shown["rev"] == state["rev"]).then_some((state, shown))
        });
        let wanted = state["board"]["stones"].as_array().expect("stones").iter();
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let mut wanted: Vec<String> = wanted.map(|s| format!("{} {}", text(&s["at"]), text(&s["side"]))).collect();
        let mut seen = stones(&shown);
        wanted.sort();
        seen.sort();
        assert_eq!(seen, wanted, "stones");
        let ply = state["ply"].as_u64().expect("a number") as usize;
        let played = &state["line"].as_array().expect("a line")[..ply];
        let last: Vec<&Value> =
            played.iter().rev().map(|node| &node["at"]).find(|at| !at.is_null()).into_iter().collect();
        assert_eq!(shown["last"], json!(last), "last move");
        let row = state["status"]["row"].as_array().map_or(0, Vec::len);
        assert_eq!(shown["row"], row, "winning row");
        for (name, usable) in shown["can"].as_object().expect("buttons") {
            assert!(usable.is_null() || *usable == state["can"][name], "{name}: {usable} but {}", state["can"]);
        }
        let running = state["status"]["kind"] == "running";
        if running && state["board"]["to_move"] == "black" && state["game"]["assist"]["forbidden"] == true {
            let mut wanted = points(&state["board"]["forbidden"]);
            let mut seen = strings(&shown["forbidden"]);
            wanted.sort();
            seen.sort();
            assert_eq!(seen, wanted, "crosses");
        }
        state
    }
}

/// The labels in a list of objects with `at`.
pub fn points(list: &Value) -> Vec<String> {
    list.as_array().expect("a list").iter().map(|item| item["at"].as_str().expect("a label").to_owned()).collect()
}

/// A list of strings.
pub fn strings(list: &Value) -> Vec<String> {
    list.as_array().expect("a list").iter().map(|item| item.as_str().expect("text").to_owned()).collect()
}

/// The stones on the page, such as `h8 black`.
pub fn stones(shown: &Value) -> Vec<String> {
    strings(&shown["stones"])
}

fn from_base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=').map(value).collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let bits = chunk.iter().enumerate().fold(0u32, |bits, (i, digit)| bits | u32::from(*digit) << (18 - 6 * i));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..chunk.len()]);
    }
    bytes
}
