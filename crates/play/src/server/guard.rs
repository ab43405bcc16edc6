//! Who is let in, and what every answer says.
//!
//! * **Host** must be ours, compared as a whole: a name that an attacker points at this computer is not.
//! * **Origin** and **Sec-Fetch-Site**, where a browser sends them, must be ours: no other site's page gets an
//!   answer.
//! * **The token**, in a header, for everything that is not a static file. No cookie: it would go to every other
//!   program that listens on this computer, since cookies know no ports.
//! * **The launch code**, in the fragment of the address that the browser is started with, buys the token once and
//!   within a minute, or within a day where a person carries it. The browser keeps the token for this address and port,
//!   so that the same browser gets in again. Other users see the arguments of programs, so the token itself never is
//!   one. A file that redirects would hide the code too, but browsers that run in a sandbox of their own cannot read
//!   it.
//! * **The key**, in a file that only the owner can read, buys a new launch code, and nothing else.

use crate::lock;
use axum::http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::io;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Lines of every answer.
pub const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// The header that carries the token.
const TOKEN: &str = "x-tengen-token";

/// The header that carries the key.
pub const KEY: &str = "x-tengen-key";

/// Where the key is needed, and nothing else is enough.
pub const KEY_PATH: &str = "/api/address";

/// Most launch codes that wait for their use.
const CODES: usize = 8;

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied(pub StatusCode, pub &'static str, pub &'static str);

impl Denied {
    /// There is nothing of that name.
    pub const NOT_FOUND: Denied = Denied(StatusCode::NOT_FOUND, "not_found", "there is nothing here");
    /// Another method than this path knows.
    pub const METHOD: Denied = Denied(StatusCode::METHOD_NOT_ALLOWED, "method", "not by this method");
    /// No token, or a wrong one.
    pub const TOKEN: Denied =
        Denied(StatusCode::UNAUTHORIZED, "unauthorized", "this page is not signed in: start it from the program");
    /// A wrong launch code, or one that was used or is too old.
    pub const CODE: Denied = Denied(
        StatusCode::UNAUTHORIZED,
        "unauthorized",
        "this address was used: press Enter in the terminal, or run `tengen play --address`, for a new one",
    );
    /// A body of another type than wanted.
    pub const TYPE: Denied = Denied(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", "another content type is needed");
    /// A body that is too long.
    pub const LENGTH: Denied = Denied(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "this is too long");
    /// A body that is cut off.
    pub const BODY: Denied = Denied(StatusCode::BAD_REQUEST, "malformed", "the request is not complete");
    /// A body that did not come in time.
    pub const LATE: Denied = Denied(StatusCode::REQUEST_TIMEOUT, "timeout", "the request took too long");
    /// A body that is not JSON.
    pub const JSON: Denied = Denied(StatusCode::BAD_REQUEST, "malformed", "this is not JSON");
    /// A query that cannot be read.
    pub const QUERY: Denied = Denied(StatusCode::BAD_REQUEST, "malformed", "the address cannot be read");
    const HOST: Denied = Denied(StatusCode::FORBIDDEN, "host", "the request is for another host");
    const ORIGIN: Denied = Denied(StatusCode::FORBIDDEN, "origin", "the request comes from another site");
    const PREFLIGHT: Denied = Denied(StatusCode::FORBIDDEN, "method", "other sites have no business here");
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let Denied(status, kind, message) = self;
        (status, [(CONTENT_TYPE, "application/json")], error_body(kind, message)).into_response()
    }
}

/// The body of an error.
pub fn error_body(kind: &str, message: &str) -> String {
    json!({"error": kind, "message": message}).to_string()
}

/// Puts [`HEADERS`] on an answer.
pub fn add_security_headers(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// What requests are measured by.
pub struct Guard {
    hosts: [String; 2],
    origins: [String; 2],
    token: String,
    key: String,
    /// Launch codes, and until when they are good.
    codes: Mutex<Vec<(String, Instant)>>,
}

impl Guard {
    /// For a server at this port.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(port: u16) -> io::Result<Guard> {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        let origins = hosts.clone().map(|host| format!("http://{host}"));
        let random = || secret().ok_or_else(|| io::Error::other("the system gives no random numbers"));
        Ok(Guard { hosts, origins, token: random()?, key: random()?, codes: Mutex::default() })
    }

    /// What buys launch codes.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// A new launch code that is good for so long. Should the system have run out of random numbers, it is one that
    /// opens nothing.
    pub fn launch_code(&self, life: Duration) -> String {
        let Some(code) = secret() else { return String::new() };
        let mut codes = lock(&self.codes);
        if codes.len() == CODES {
            codes.remove(0);
        }
        codes.push((code.clone(), Instant::now() + life));
        code
    }

    /// The token in exchange for a launch code, which is worthless from then on.
    pub fn exchange(&self, code: &str) -> Option<&str> {
        let mut codes = lock(&self.codes);
        let now = Instant::now();
        codes.retain(|(_, end)| now < *end);
        let at = codes.iter().position(|(known, _)| same(known, code))?;
        codes.remove(at);
        Some(&self.token)
    }

    /// Whether a request may be answered at all, whatever it asks; and if so, whether it has shown the token.
    pub fn admit(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<bool, Denied> {
        let ours =
            |value: &HeaderValue, known: &[String]| known.iter().any(|known| value.as_bytes() == known.as_bytes());
        // More than one line of these is as bad as a wrong one.
        let mut hosts = headers.get_all(HOST).iter();
        if !hosts.next().is_some_and(|host| ours(host, &self.hosts)) || hosts.next().is_some() {
            return Err(Denied::HOST);
        }
        if !headers.get_all(ORIGIN).iter().all(|origin| ours(origin, &self.origins)) {
            return Err(Denied::ORIGIN);
        }
        // `none`: the person typed the address, or another program opened it.
        if !headers.get_all("sec-fetch-site").iter().all(|site| site == "same-origin" || site == "none") {
            return Err(Denied::ORIGIN);
        }
        match *method {
            Method::GET | Method::POST => {}
            Method::OPTIONS => return Err(Denied::PREFLIGHT),
            _ => return Err(Denied::METHOD),
        }
        let shows = |name: &str, secret: &str| {
            headers.get(name).and_then(|given| given.to_str().ok()).is_some_and(|given| same(given, secret))
        };
        let is_open = !path.starts_with("/api/") || path == "/api/hello";
        match path {
            KEY_PATH if shows(KEY, &self.key) => Ok(false),
            KEY_PATH => Err(Denied::TOKEN),
            _ if shows(TOKEN, &self.token) => Ok(true),
            _ if is_open => Ok(false),
            _ => Err(Denied::TOKEN),
        }
    }
}

/// 128 random bits.
fn secret() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// Whether two texts are the same, found out in a time that does not tell where they differ.
fn same(a: &str, b: &str) -> bool {
    let differences = a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
    a.len() == b.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn guard() -> Guard {
        Guard::new(8000).expect("random numbers")
    }

    fn admitted(guard: &Guard, method: Method, path: &str, lines: &[(&'static str, &str)]) -> Result<bool, Denied> {
        let lines = lines.iter().map(|(name, value)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value of a header"))
        });
        let mut headers = HeaderMap::new();
        lines.for_each(|(name, value)| {
            headers.append(name, value);
        });
        guard.admit(&method, path, &headers)
    }

    #[test]
    fn texts_are_the_same_or_not() {
        assert!(same("", "") && same("ab", "ab"));
        assert!(!same("ab", "abc") && !same("abc", "ab") && !same("ab", "ac") && !same("", "a"));
    }

    #[test]
    fn a_code_buys_the_token_once_and_in_time() {
        let guard = guard();
        let code = guard.launch_code(LONG);
        assert_eq!(guard.exchange("0"), None);
        assert_eq!(guard.exchange(""), None);
        assert_eq!(guard.exchange(&code), Some(guard.token.as_str()));
        assert_eq!(guard.exchange(&code), None);
        assert_eq!(guard.exchange(&guard.launch_code(Duration::ZERO)), None);
        // Only the newest ones wait, up to a limit.
        let codes: Vec<String> = (0..=CODES).map(|_| guard.launch_code(LONG)).collect();
        assert_eq!(guard.exchange(&codes[0]), None);
        assert!(codes[1..].iter().all(|code| guard.exchange(code).is_some()));
    }

    #[test]
    fn secrets_differ() {
        let guard = guard();
        assert_eq!(guard.token.len(), 32);
        assert_ne!(guard.token, guard.launch_code(LONG));
        assert_ne!(guard.launch_code(LONG), guard.launch_code(LONG));
    }

    #[test]
    fn every_gate_is_passed_in_turn() {
        let guard = guard();
        let token = guard.token.clone();
        let host = ("host", "127.0.0.1:8000");
        let ask = |lines: &[(&'static str, &str)]| admitted(&guard, Method::GET, "/api/state", lines);
        assert_eq!(ask(&[]), Err(Denied::HOST));
        assert_eq!(ask(&[host, host, (TOKEN, &token)]), Err(Denied::HOST));
        assert_eq!(ask(&[host]), Err(Denied::TOKEN));
        assert_eq!(ask(&[host, (TOKEN, &token)]), Ok(true));
        assert_eq!(ask(&[host, (TOKEN, &token), ("origin", "http://localhost:8000")]), Ok(true));
        assert_eq!(ask(&[host, (TOKEN, &token), ("origin", "null")]), Err(Denied::ORIGIN));
        assert_eq!(ask(&[host, (TOKEN, &token), ("sec-fetch-site", "none")]), Ok(true));
        assert_eq!(ask(&[host, (TOKEN, &token), ("sec-fetch-site", "same-site")]), Err(Denied::ORIGIN));
        // What is open to all is so with a wrong token too, and says who is trusted.
        assert_eq!(admitted(&guard, Method::GET, "/", &[host]), Ok(false));
        assert_eq!(admitted(&guard, Method::GET, "/", &[host, (TOKEN, "0")]), Ok(false));
        assert_eq!(admitted(&guard, Method::GET, "/", &[host, (TOKEN, &token)]), Ok(true));
        // The key opens one door, and the token does not.
        let key = guard.key.clone();
        assert_eq!(admitted(&guard, Method::POST, KEY_PATH, &[host, (KEY, &key)]), Ok(false));
        assert_eq!(admitted(&guard, Method::POST, KEY_PATH, &[host, (TOKEN, &token)]), Err(Denied::TOKEN));
        assert_eq!(ask(&[host, (KEY, &key)]), Err(Denied::TOKEN));
        assert_eq!(ask(&[host, (TOKEN, &key)]), Err(Denied::TOKEN));
        assert_eq!(admitted(&guard, Method::DELETE, "/", &[host]), Err(Denied::METHOD));
    }
}
