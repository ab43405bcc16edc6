//! A browser for each test: reused from earlier tests, and checked afterwards.

use super::driver::{self, Driver, Element};
use serde_json::{Value, json};
use std::io::Write as _;
use std::ops::Deref;
use std::sync::{Mutex, Once, PoisonError};

/// If this is set, a missing browser is a failure, as in `.ci/run`.
pub const REQUIRED: &str = "TENGEN_BROWSER_TESTS";

/// Unused browsers. When the program ends, their watchers end them.
static IDLE: Mutex<Vec<Driver>> = Mutex::new(Vec::new());

/// A browser with one empty tab.
pub struct Browser {
    /// `Some` until `drop`.
    driver: Option<Driver>,
}

/// Whether missing programs are a failure.
pub fn is_required() -> bool {
    std::env::var_os(REQUIRED).is_some_and(|value| value == "1")
}

/// Reports once, bypassing the capture of the test harness, that tests are skipped; fails if they are required.
pub fn skip(why: &str) {
    static ONCE: Once = Once::new();
    assert!(!is_required(), "{why}, and {REQUIRED}=1 demands the tests in the browser");
    ONCE.call_once(|| {
        let _ = writeln!(std::io::stderr(), "SKIP: {why}; this part of the tests in the browser is left out");
    });
}

impl Browser {
    /// `None` if this computer has no browser: the test is skipped.
    pub fn take() -> Option<Browser> {
        let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some(mut driver) = idle() {
            if driver.is_alive() {
                return Some(Browser { driver: Some(driver) });
            }
        }
        match driver::installed() {
            Ok((browser, driver)) => {
                let browser = Browser { driver: Some(Driver::start(&browser, &driver)) };
                // The browser may have opened a page of its own, which makes requests.
                browser.clean();
                Some(browser)
            }
            Err(missing) => {
                skip(&missing);
                None
            }
        }
    }

    /// Clicks the middle of the element for a selector. Panics if the element does not exist or another one covers it.
    #[track_caller]
    pub fn click(&self, css: &str) {
        let element = self.find(css).unwrap_or_else(|| panic!("no {css}"));
        Driver::click(self, &element).unwrap_or_else(|failure| panic!("{css}: {}", failure.message));
    }

    /// Clicks the label of a field, as a person does if the field itself is hidden by its decoration.
    #[track_caller]
    pub fn click_label(&self, field: &Element) {
        self.execute("arguments[0].closest('label').click()", &[field.value()]);
    }

    /// The driver, for its methods that have the same names as methods here.
    pub fn driver(&self) -> &Driver {
        self
    }

    /// The visible text of an element, or an empty text if it does not exist.
    #[track_caller]
    pub fn text(&self, css: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
        self.execute(script, &[json!(css)]).as_str().expect("text").trim().to_owned()
    }

    /// The value of a JavaScript expression in the page.
    #[track_caller]
    pub fn ask(&self, expression: &str) -> Value {
        self.execute(&format!("return {expression}"), &[])
    }

    /// Emulates a screen of this size, with the system's settings for colours and contrast.
    #[track_caller]
    pub fn screen(&self, width: u32, height: u32, mobile: bool) {
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.chromium("Emulation.setDeviceMetricsOverride", screen);
        let touch = json!({ "enabled": mobile, "maxTouchPoints": 1 });
        self.chromium("Emulation.setTouchEmulationEnabled", touch);
    }

    /// Emulates a media feature, such as `prefers-color-scheme: dark`.
    #[track_caller]
    pub fn media(&self, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.chromium("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Entries since the last call that our pages must not cause: errors and warnings of the console, reports of the
    /// content security policy, requests to other computers. Lines that contain one of the words in `allowed` are
    /// skipped.
    pub fn complaints(&self, allowed: &[String]) -> Vec<String> {
        let console =
            self.log("browser").into_iter().filter(|entry| entry["level"] != "INFO" && entry["level"] != "DEBUG");
        let console = console.map(|entry| entry["message"].as_str().unwrap_or("an entry without words").to_owned());
        let requests = self.log("performance").into_iter().filter_map(|entry| request_of(&entry));
        let foreign = requests.filter(|address| {
            !["http://127.0.0.1:", "data:", "blob:http://127.0.0.1:", "about:", "chrome:", "chrome-untrusted:"]
                .iter()
                .any(|near| address.starts_with(near))
        });
        let all = console.chain(foreign.map(|address| format!("a request to {address}")));
        all.filter(|line| !allowed.iter().any(|word| line.contains(word.as_str()))).collect()
    }

    /// Resets the browser to its initial state.
    fn clean(&self) {
        let tabs = self.tabs();
        for tab in &tabs[1..] {
            self.switch_to(tab);
            self.close_tab();
        }
        self.switch_to(&tabs[0]);
        self.release_keys();
        self.media(&[]);
        self.chromium("Emulation.clearDeviceMetricsOverride", json!({}));
        self.chromium("Emulation.setTouchEmulationEnabled", json!({ "enabled": false }));
        self.navigate("about:blank");
        self.complaints(&[]);
    }
}

/// The address of a request, if this entry of the log is a request.
fn request_of(entry: &Value) -> Option<String> {
    let text = entry["message"].as_str()?;
    if !text.contains("Network.requestWillBeSent") && !text.contains("Network.webSocketCreated") {
        return None;
    }
    let message: Value = serde_json::from_str(text).ok()?;
    let message = &message["message"];
    let address = match message["method"].as_str()? {
        "Network.requestWillBeSent" => &message["params"]["request"]["url"],
        "Network.webSocketCreated" => &message["params"]["url"],
        _ => return None,
    };
    address.as_str().map(str::to_owned)
}

impl Deref for Browser {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        self.driver.as_ref().expect("there until drop")
    }
}

/// Returns the browser to the unused ones, unless the test failed.
impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.clean();
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).extend(self.driver.take());
        }
    }
}
