//! A client of chromedriver: the part of W3C WebDriver that these tests need, and Chromium's own commands.
//!
//! The crate for it, fantoccini, would add 52 crates and 93 seconds of processor time to each clean build, and it
//! supports neither the log nor Chromium's commands.

use super::http;
use super::process::{Process, new_folder};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The key under which WebDriver returns elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Possible names of the programs.
const CHROMIUM: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const CHROMEDRIVER: &[&str] = &["chromedriver", "chromium.chromedriver"];

/// Keys without a character, by their WebDriver codes.
pub mod key {
    pub const TAB: &str = "\u{e004}";
    pub const ENTER: &str = "\u{e007}";
    pub const SHIFT: &str = "\u{e008}";
    pub const CONTROL: &str = "\u{e009}";
    pub const ALT: &str = "\u{e00a}";
    pub const ESCAPE: &str = "\u{e00c}";
    pub const END: &str = "\u{e010}";
    pub const HOME: &str = "\u{e011}";
    pub const LEFT: &str = "\u{e012}";
    pub const UP: &str = "\u{e013}";
    pub const RIGHT: &str = "\u{e014}";
    pub const DOWN: &str = "\u{e015}";
}

/// An error of the driver, such as `no such element`.
#[derive(Debug)]
pub struct Failure {
    /// WebDriver's name of the error.
    pub error: String,
    pub message: String,
}

/// An element of the page.
#[derive(Clone, Debug)]
pub struct Element(String);

impl Element {
    /// The element as an argument of a script.
    pub fn value(&self) -> Value {
        json!({ ELEMENT: self.0 })
    }
}

/// A headless Chromium with its own profile.
pub struct Driver {
    port: u16,
    session: String,
    process: Process,
}

fn find(names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let paths = names.iter().flat_map(|name| {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        folders.iter().map(move |folder| folder.join(&name))
    });
    paths.into_iter().find(|path| path.is_file())
}

/// The paths of the browser and its driver, if both are installed.
pub fn installed() -> Result<(PathBuf, PathBuf), String> {
    let missing = |names: &[&str]| format!("no {} in PATH", names[0]);
    let browser = find(CHROMIUM).ok_or_else(|| missing(CHROMIUM))?;
    let driver = find(CHROMEDRIVER).ok_or_else(|| missing(CHROMEDRIVER))?;
    Ok((browser, driver))
}

impl Driver {
    /// Starts both programs.
    pub fn start(browser: &Path, driver: &Path) -> Driver {
        let folder = new_folder("chromium");
        let profile = folder.join("profile");
        let mut command = Command::new(driver);
        command.arg("--port=0").stderr(std::process::Stdio::null());
        let process = Process::start(&mut command, folder).expect("chromedriver");
        let port = loop {
            let line = process.line(Duration::from_secs(30)).expect("chromedriver says its port");
            if let Some((_, port)) = line.rsplit_once(" started successfully on port ") {
                break port.trim_end_matches('.').parse().expect("a port");
            }
        };
        let arguments = [
            "--headless=new",
            // Chromium's sandbox refuses to run as root, which is common in continuous integration. The tests load only
            // our own pages.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-default-apps",
            "--window-size=1280,900",
            "--lang=en-US",
        ];
        let mut arguments: Vec<String> = arguments.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.display()));
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": {
                "binary": browser,
                "args": arguments,
                "perfLoggingPrefs": { "enableNetwork": true, "enablePage": false },
            },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            "timeouts": { "script": 60_000, "pageLoad": 60_000 },
            "unhandledPromptBehavior": "accept",
        } } });
        let mut driver = Driver { port, session: String::new(), process };
        let answer = driver.request("POST", "/session", &wanted).expect("a browser");
        driver.session = answer["sessionId"].as_str().expect("a session").to_owned();
        if let Some(browser) = answer["capabilities"]["goog:processID"].as_u64() {
            driver.process.also_ends(browser as u32);
        }
        driver
    }

    fn request(&self, method: &str, path: &str, body: &Value) -> Result<Value, Failure> {
        let text = if method == "POST" { body.to_string() } else { String::new() };
        let headers = [("Content-Type", "application/json; charset=utf-8")];
        let answer = http::request(self.port, method, path, &headers, text.as_bytes()).expect("chromedriver answers");
        let mut answer: Value = serde_json::from_slice(&answer.body).expect("chromedriver speaks JSON");
        let value = answer["value"].take();
        match (value["error"].as_str(), value["message"].as_str()) {
            (Some(error), Some(message)) => {
                Err(Failure { error: error.to_owned(), message: message.lines().next().unwrap_or("").to_owned() })
            }
            _ => Ok(value),
        }
    }

    fn session(&self, method: &str, path: &str, body: Value) -> Result<Value, Failure> {
        self.request(method, &format!("/session/{}/{path}", self.session), &body)
    }

    #[track_caller]
    fn must(&self, method: &str, path: &str, body: Value) -> Value {
        let answer = self.session(method, path, body);
        answer.unwrap_or_else(|failure| panic!("{path}: {}: {}", failure.error, failure.message))
    }

    /// Loads a page.
    #[track_caller]
    pub fn navigate(&self, address: &str) {
        self.must("POST", "url", json!({ "url": address }));
    }

    /// Reloads the page.
    #[track_caller]
    pub fn refresh(&self) {
        self.must("POST", "refresh", json!({}));
    }

    /// The current address.
    #[track_caller]
    pub fn address(&self) -> String {
        self.must("GET", "url", Value::Null).as_str().expect("an address").to_owned()
    }

    /// The first element for a CSS selector.
    pub fn find(&self, css: &str) -> Option<Element> {
        let wanted = json!({ "using": "css selector", "value": css });
        let answer = self.session("POST", "element", wanted).ok()?;
        Some(Element(answer[ELEMENT].as_str()?.to_owned()))
    }

    /// Clicks the middle of an element; fails if another element covers it.
    pub fn click(&self, element: &Element) -> Result<(), Failure> {
        self.session("POST", &format!("element/{}/click", element.0), json!({})).map(drop)
    }

    /// Types into an element, or sets the files of a file field.
    #[track_caller]
    pub fn send_keys(&self, element: &Element, text: &str) {
        self.must("POST", &format!("element/{}/value", element.0), json!({ "text": text }));
    }

    /// Runs the body of a function in the page, waits for its promise, and returns the value. The arguments are in
    /// `arguments`.
    #[track_caller]
    pub fn execute(&self, script: &str, arguments: &[Value]) -> Value {
        self.must("POST", "execute/sync", json!({ "script": script, "args": arguments }))
    }

    /// Presses a key while others are held down.
    #[track_caller]
    pub fn press(&self, held: &[&str], pressed: &str) {
        let down = |key: &&str| json!({ "type": "keyDown", "value": *key });
        let up = |key: &&str| json!({ "type": "keyUp", "value": *key });
        let keys = [held, &[pressed]].concat();
        let actions: Vec<Value> = keys.iter().map(down).chain(keys.iter().rev().map(up)).collect();
        self.must("POST", "actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
    }

    /// Presses or releases one key.
    #[track_caller]
    pub fn hold(&self, key: &str, down: bool) {
        let action = json!({ "type": if down { "keyDown" } else { "keyUp" }, "value": key });
        self.must("POST", "actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": [action] }] }));
    }

    /// Releases all keys and buttons.
    #[track_caller]
    pub fn release_keys(&self) {
        self.must("DELETE", "actions", Value::Null);
    }

    /// Moves, presses and releases the mouse by WebDriver actions.
    #[track_caller]
    pub fn mouse(&self, actions: Value) {
        self.pointer("mouse", actions);
    }

    /// The same with touch input.
    #[track_caller]
    pub fn touch(&self, actions: Value) {
        self.pointer("touch", actions);
    }

    #[track_caller]
    fn pointer(&self, kind: &str, actions: Value) {
        let source = json!({
            "type": "pointer", "id": kind, "parameters": { "pointerType": kind }, "actions": actions,
        });
        self.must("POST", "actions", json!({ "actions": [source] }));
    }

    /// Turns the wheel above a point of the window, in pixels.
    #[track_caller]
    pub fn wheel(&self, x: i64, y: i64, by: i64) {
        let scroll = json!({ "type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": by, "origin": "viewport" });
        self.must("POST", "actions", json!({ "actions": [{ "type": "wheel", "id": "wheel", "actions": [scroll] }] }));
    }

    /// A picture of the window, as PNG in base 64.
    #[track_caller]
    pub fn screenshot(&self) -> String {
        self.must("GET", "screenshot", Value::Null).as_str().expect("a picture").to_owned()
    }

    /// Entries of a log since the last call: `browser` is the console, `performance` the network.
    #[track_caller]
    pub fn log(&self, name: &str) -> Vec<Value> {
        match self.must("POST", "se/log", json!({ "type": name })) {
            Value::Array(entries) => entries,
            other => panic!("a log: {other}"),
        }
    }

    /// A command of the Chrome DevTools Protocol.
    #[track_caller]
    pub fn chromium(&self, command: &str, parameters: Value) -> Value {
        self.must("POST", "goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    /// Opens another tab and returns its handle; the current tab does not change.
    #[track_caller]
    pub fn new_tab(&self) -> String {
        self.must("POST", "window/new", json!({ "type": "tab" }))["handle"].as_str().expect("a handle").to_owned()
    }

    /// The handle of the current tab.
    #[track_caller]
    pub fn tab(&self) -> String {
        self.must("GET", "window", Value::Null).as_str().expect("a handle").to_owned()
    }

    /// The handles of all tabs.
    #[track_caller]
    pub fn tabs(&self) -> Vec<String> {
        let answer = self.must("GET", "window/handles", Value::Null);
        answer.as_array().expect("handles").iter().map(|tab| tab.as_str().expect("a handle").to_owned()).collect()
    }

    /// Makes a tab the current one.
    #[track_caller]
    pub fn switch_to(&self, tab: &str) {
        self.must("POST", "window", json!({ "handle": tab }));
    }

    /// Closes the current tab; the caller must then select another one.
    #[track_caller]
    pub fn close_tab(&self) {
        self.must("DELETE", "window", Value::Null);
    }

    /// Whether the browser still responds.
    pub fn is_alive(&mut self) -> bool {
        self.process.child.try_wait().is_ok_and(|end| end.is_none()) && self.session("GET", "url", Value::Null).is_ok()
    }
}

/// Closes the session, which ends the browser; dropping the fields then ends the driver.
impl Drop for Driver {
    fn drop(&mut self) {
        let path = format!("/session/{}", self.session);
        let _ = http::request(self.port, "DELETE", &path, &[], &[]);
    }
}
