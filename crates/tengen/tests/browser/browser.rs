//! A browser for each test: taken from those that earlier tests have left, and looked over afterwards.

use super::driver::{self, Driver, Element};
use serde_json::{Value, json};
use std::io::Write as _;
use std::ops::Deref;
use std::sync::{Mutex, Once, PoisonError};

/// Set where a missing browser shall be a failure, as in `.ci/run`.
pub const REQUIRED: &str = "TENGEN_BROWSER_TESTS";

/// Browsers that are not in use. When the program ends, their watchers end them.
static IDLE: Mutex<Vec<Driver>> = Mutex::new(Vec::new());

/// A browser with one empty tab.
pub struct Browser {
    /// Always there until `drop`.
    driver: Option<Driver>,
}

/// Whether missing programs are a failure.
pub fn is_required() -> bool {
    std::env::var_os(REQUIRED).is_some_and(|value| value == "1")
}

/// Says once, past the capture of the test harness, that tests are left out; or fails where they must not be.
pub fn skip(why: &str) {
    static ONCE: Once = Once::new();
    assert!(!is_required(), "{why}, and {REQUIRED}=1 demands the tests in the browser");
    ONCE.call_once(|| {
        let _ = writeln!(std::io::stderr(), "SKIP: {why}; this part of the tests in the browser is left out");
    });
}

impl Browser {
    /// `None` if there is none on this computer: the test is left out.
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
                // A page of the browser's own may be open, with requests of its own.
                browser.clean();
                Some(browser)
            }
            Err(missing) => {
                skip(&missing);
                None
            }
        }
    }

    /// Clicks the middle of what a selector finds, and panics if that is not there or lies under something.
    #[track_caller]
    pub fn click(&self, css: &str) {
        let element = self.find(css).unwrap_or_else(|| panic!("no {css}"));
        Driver::click(self, &element).unwrap_or_else(|failure| panic!("{css}: {}", failure.message));
    }

    /// Clicks the label of a field, as one does where the field itself is hidden by its decoration.
    #[track_caller]
    pub fn click_label(&self, field: &Element) {
        self.execute("arguments[0].closest('label').click()", &[field.value()]);
    }

    /// The driver, for what has the same name here.
    pub fn driver(&self) -> &Driver {
        self
    }

    /// The text that an element shows, or nothing if there is none.
    #[track_caller]
    pub fn text(&self, css: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
        self.execute(script, &[json!(css)]).as_str().expect("text").trim().to_owned()
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn ask(&self, expression: &str) -> Value {
        self.execute(&format!("return {expression}"), &[])
    }

    /// Shows the page as on a screen of this size, its colours and contrast as a person would have set them.
    #[track_caller]
    pub fn screen(&self, width: u32, height: u32, mobile: bool) {
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.chromium("Emulation.setDeviceMetricsOverride", screen);
        let touch = json!({ "enabled": mobile, "maxTouchPoints": 1 });
        self.chromium("Emulation.setTouchEmulationEnabled", touch);
    }

    /// What the system asks of pages, such as `prefers-color-scheme: dark`.
    #[track_caller]
    pub fn media(&self, features: &[(&str, &str)]) {
        let features: Vec<Value> =
            features.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        self.chromium("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Everything since it was asked last that no page of ours may cause: errors and warnings of the console, reports
    /// of the content security policy, requests to other computers. Lines with one of the words `allowed` are left
    /// out.
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

    /// Makes it as if it were new.
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

/// The address of a request, if this entry of the log is one.
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

/// A browser in which nothing has gone wrong is kept for another test.
impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.clean();
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).extend(self.driver.take());
        }
    }
}
