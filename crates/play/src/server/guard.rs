//! Access control, and the headers of every answer.
//!
//! * **Host** must equal our own as a whole: a name that an attacker points at this computer does not.
//! * **Origin** and **Sec-Fetch-Site**, if a browser sends them, must be ours: pages of other sites get no answer.
//! * **The token**, in a header, is needed for everything except static files. It is not a cookie: browsers would send
//!   a cookie to every other program that listens on this computer, since cookies ignore ports.
//! * **The launch code**, in the fragment of the address that the browser is started with, is exchanged for the token.
//!   It works once and for a minute, or for a day if a person carries it to a browser. The browser stores the token for
//!   this address and port, so that the same browser gets in again. Other users see the arguments of programs, so the
//!   token itself is never an argument. A file that redirects would hide the code too, but browsers in a sandbox cannot
//!   read such a file.
//! * **The key**, in a file that only the owner can read, is exchanged for a new launch code. It gives access to
//!   nothing else.

use axum::http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::io;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tengen_session::lock;

/// Headers of every answer.
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

/// The path that requires the key; the token is not accepted there.
pub const KEY_PATH: &str = "/api/address";

/// Maximum number of unused launch codes.
const CODES: usize = 8;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied(pub StatusCode, pub &'static str, pub &'static str);

impl Denied {
    /// Nothing has this name.
    pub const NOT_FOUND: Denied = Denied(StatusCode::NOT_FOUND, "not_found", "there is nothing here");
    /// The path does not support this method.
    pub const METHOD: Denied = Denied(StatusCode::METHOD_NOT_ALLOWED, "method", "not by this method");
    /// No token, or a wrong one.
    pub const TOKEN: Denied =
        Denied(StatusCode::UNAUTHORIZED, "unauthorized", "this page is not signed in: start it from the program");
    /// The launch code is wrong, used, or too old.
    pub const CODE: Denied = Denied(
        StatusCode::UNAUTHORIZED,
        "unauthorized",
        "this address was used: press Enter in the terminal, or run `tengen play --address`, for a new one",
    );
    /// The body has an unexpected type.
    pub const TYPE: Denied = Denied(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", "another content type is needed");
    /// The body is too long.
    pub const LENGTH: Denied = Denied(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "this is too long");
    /// The body is cut off.
    pub const BODY: Denied = Denied(StatusCode::BAD_REQUEST, "malformed", "the request is not complete");
    /// The body did not arrive in time.
    pub const LATE: Denied = Denied(StatusCode::REQUEST_TIMEOUT, "timeout", "the request took too long");
    /// The body is not JSON.
    pub const JSON: Denied = Denied(StatusCode::BAD_REQUEST, "malformed", "this is not JSON");
    /// The query cannot be read.
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

/// Adds [`HEADERS`] to an answer.
pub fn add_security_headers(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// Checks requests.
pub struct Guard {
    hosts: [String; 2],
    origins: [String; 2],
    token: String,
    key: String,
    /// Launch codes, and when they expire.
    codes: Mutex<Vec<(String, Instant)>>,
}

impl Guard {
    /// A guard for a server at this port.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(port: u16) -> io::Result<Guard> {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        let origins = hosts.clone().map(|host| format!("http://{host}"));
        let random = || secret().ok_or_else(|| io::Error::other("the system gives no random numbers"));
        Ok(Guard { hosts, origins, token: random()?, key: random()?, codes: Mutex::default() })
    }

    /// The key, which is exchanged for launch codes.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// A new launch code with this lifetime. If the system has no random numbers, the code is empty and never valid.
    pub fn launch_code(&self, life: Duration) -> String {
        let Some(code) = secret() else { return String::new() };
        let mut codes = lock(&self.codes);
        if codes.len() == CODES {
            codes.remove(0);
        }
        codes.push((code.clone(), Instant::now() + life));
        code
    }

    /// Exchanges a launch code for the token. The code is invalid afterwards.
    pub fn exchange(&self, code: &str) -> Option<&str> {
        let mut codes = lock(&self.codes);
        let now = Instant::now();
        codes.retain(|(_, end)| now < *end);
        let at = codes.iter().position(|(known, _)| same(known, code))?;
        codes.remove(at);
        Some(&self.token)
    }

    /// Whether a request may be answered at all; if so, whether it has shown the token.
    pub fn admit(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<bool, Denied> {
        let ours =
            |value: &HeaderValue, known: &[String]| known.iter().any(|known| value.as_bytes() == known.as_bytes());
        // Repeated headers are refused like wrong ones.
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

/// Whether two texts are equal, in a time that does not depend on where they differ.
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
        // Only the newest codes are stored, up to a limit.
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
        // Public paths stay public with a wrong token. The result says whether the request is trusted.
        assert_eq!(admitted(&guard, Method::GET, "/", &[host]), Ok(false));
        assert_eq!(admitted(&guard, Method::GET, "/", &[host, (TOKEN, "0")]), Ok(false));
        assert_eq!(admitted(&guard, Method::GET, "/", &[host, (TOKEN, &token)]), Ok(true));
        // The key gives access to one path only, and the token does not replace it there.
        let key = guard.key.clone();
        assert_eq!(admitted(&guard, Method::POST, KEY_PATH, &[host, (KEY, &key)]), Ok(false));
        assert_eq!(admitted(&guard, Method::POST, KEY_PATH, &[host, (TOKEN, &token)]), Err(Denied::TOKEN));
        assert_eq!(ask(&[host, (KEY, &key)]), Err(Denied::TOKEN));
        assert_eq!(ask(&[host, (TOKEN, &key)]), Err(Denied::TOKEN));
        assert_eq!(admitted(&guard, Method::DELETE, "/", &[host]), Err(Denied::METHOD));
    }
}
