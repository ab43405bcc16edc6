//! A client of the board's server that uses raw sockets, and an application for the server.

#![allow(dead_code, reason = "each test program uses a part")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tengen_play::server::address::Announcement;
use tengen_play::server::app::{App, Download, Reply};
use tengen_play::server::hub::Hub;
use tengen_play::server::{Server, Settings, StopHandle, serve};

/// A test fails after this long without an answer.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// An application that records its calls.
#[derive(Default)]
pub struct Fake {
    hub: Hub,
    calls: Mutex<Vec<String>>,
    closed: Mutex<usize>,
}

impl Fake {
    pub fn calls(&self) -> Vec<String> {
        self.calls.lock().expect("no panic").clone()
    }

    pub fn closed(&self) -> usize {
        *self.closed.lock().expect("no panic")
    }

    pub fn send(&self, name: &'static str, data: &str) {
        self.hub.send(name, data.to_owned());
    }

    pub fn subscribers(&self) -> usize {
        self.hub.subscribers()
    }

    fn note(&self, call: String) {
        self.calls.lock().expect("no panic").push(call);
    }
}

impl App for Fake {
    fn page(&self) -> &'static str {
        "index.html"
    }

    fn about(&self) -> Value {
        json!({"version": "fake"})
    }

    fn state(&self) -> Value {
        json!({"rev": 1})
    }

    fn hub(&self) -> &Hub {
        &self.hub
    }

    fn command(&self, body: Value) -> Reply {
        self.note(format!("command {body}"));
        assert!(body.get("panic").is_none(), "as asked");
        let refuses = body.get("refuse").is_some();
        Reply { status: if refuses { 422 } else { 200 }, body: json!({"rev": 2}) }
    }

    fn import(&self, name: Option<&str>, bytes: &[u8]) -> Reply {
        assert_ne!(name, Some("panic"), "as asked");
        self.note(format!("import {name:?} {}", bytes.len()));
        Reply { status: 200, body: json!({"games": []}) }
    }

    fn export(&self, format: &str) -> Result<Download, Reply> {
        Ok(Download { name: format!("game.{format}"), content_type: "text/plain", bytes: b"(;)".to_vec() })
    }

    fn close(&self) {
        *self.closed.lock().expect("no panic") += 1;
    }
}

/// A parsed answer.
#[derive(Debug)]
pub struct Answer {
    /// 0 if the connection was closed without an answer.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    fn of(text: &str) -> Answer {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        let headers = lines.filter_map(|line| line.split_once(": ")).map(|(n, v)| (n.to_lowercase(), v.to_owned()));
        Answer { status, headers: headers.collect(), body: body.to_owned() }
    }

    /// The value of a header, which must not be repeated.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} twice");
        value
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends bytes and reads until the connection ends.
pub fn ask(address: SocketAddr, bytes: impl AsRef<[u8]>) -> Answer {
    let mut stream = connect(address);
    // The server may refuse and close before everything is sent: only the answer matters.
    drop(stream.write_all(bytes.as_ref()));
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "no answer");
    }
    Answer::of(&String::from_utf8_lossy(&answer))
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a server");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// Completes a head that lacks its last line, after adding more lines.
pub fn head_of(head: &str, lines: &str) -> String {
    format!("{head}{lines}\r\n")
}

/// A request: `lines` are the lines of its head without Host and Content-Length.
pub fn request(address: SocketAddr, method: &str, path: &str, lines: &[&str], body: &[u8]) -> Answer {
    let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n{lines}Content-Length: {length}\r\n\r\n");
    ask(address, [head.as_bytes(), body].concat())
}

/// Exchanges the launch code of an address, as the server prints it, for the token.
pub fn token_for(url: &str) -> (SocketAddr, String) {
    let (address, code) = url.trim().trim_start_matches("http://").split_once("/#code=").expect("an address");
    let address = address.parse().expect("a socket's address");
    let body = format!("{{\"code\":\"{code}\"}}");
    let answer = request(address, "POST", "/api/hello", &["Content-Type: application/json"], body.as_bytes());
    (address, answer.json()["token"].as_str().expect("a token").to_owned())
}

/// An open event stream.
pub struct Events(BufReader<TcpStream>);

impl Events {
    /// Opens a stream.
    pub fn open(address: SocketAddr, token: &str) -> Events {
        let mut stream = connect(address);
        let head = format!("GET /api/events HTTP/1.1\r\nHost: {address}\r\nX-Tengen-Token: {token}\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("a connection");
        let mut events = Events(BufReader::new(stream));
        let status = events.raw_line().expect("an answer");
        assert!(status.contains(" 200 "), "{status}");
        while events.raw_line().is_some_and(|line| !line.is_empty()) {}
        events
    }

    fn raw_line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("nothing came"),
            Err(_) => None,
        }
    }

    /// The next line of the stream's text. The server's chunks end at line ends.
    pub fn next_line(&mut self) -> Option<String> {
        loop {
            let line = self.raw_line()?;
            let is_size = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !is_size && !line.is_empty() {
                return Some(line);
            }
        }
    }

    /// The next event: its name and data.
    pub fn next(&mut self) -> Option<(String, String)> {
        let begun = Instant::now();
        let name = loop {
            // Heartbeats keep the connection from timing out.
            assert!(begun.elapsed() < PATIENCE, "no event came");
            if let Some(name) = self.next_line()?.strip_prefix("event: ") {
                break name.to_owned();
            }
        };
        let mut data = Vec::new();
        // An empty line ends the event.
        loop {
            let line = self.raw_line()?;
            match line.strip_prefix("data: ") {
                Some(text) => data.push(text.to_owned()),
                None => return Some((name, data.join("\n"))),
            }
        }
    }
}

/// A client with its own server.
pub struct Client {
    pub app: Arc<Fake>,
    pub address: SocketAddr,
    pub token: String,
    server: Option<Server>,
    stop: StopHandle,
}

impl Client {
    pub fn start(settings: Settings) -> Client {
        let app = Arc::new(Fake::default());
        let server = serve(Arc::clone(&app) as Arc<dyn App>, settings).expect("a server");
        let (address, token) = token_for(&server.url());
        assert_eq!(address, server.address());
        let stop = server.stop_handle();
        Client { app, address, token, server: Some(server), stop }
    }

    pub fn url(&self) -> String {
        self.server.as_ref().expect("a running server").url()
    }

    /// A new launch code.
    pub fn code(&self) -> String {
        self.url().split_once("#code=").expect("a code").1.to_owned()
    }

    pub fn stop(&self) {
        self.stop.stop();
    }

    /// Writes the file by which other programs find the server.
    pub fn announce(&self, folder: &Path) -> Announcement {
        self.server.as_ref().expect("a running server").announce(folder).expect("a file")
    }

    /// Waits for the server's end, which must be without an error.
    pub fn wait(&mut self) {
        self.ended().expect("no mistake");
    }

    /// Waits for the server's end and returns its result.
    pub fn ended(&mut self) -> std::io::Result<()> {
        let server = self.server.take().expect("a running server");
        let (ended, end) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let _ = ended.send(server.wait());
        });
        end.recv_timeout(PATIENCE).expect("the server ends")
    }

    pub fn connect(&self) -> TcpStream {
        connect(self.address)
    }

    /// A head without its last line.
    pub fn head(&self, method: &str, path: &str, lines: &[&str]) -> String {
        let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n{lines}", self.address)
    }

    pub fn raw(&self, bytes: &[u8]) -> Answer {
        ask(self.address, bytes)
    }

    pub fn without_token(&self, method: &str, path: &str, lines: &[&str], body: &[u8]) -> Answer {
        request(self.address, method, path, lines, body)
    }

    pub fn with_token(&self, method: &str, path: &str, lines: &[&str], body: &[u8]) -> Answer {
        let token = format!("X-Tengen-Token: {}", self.token);
        let lines: Vec<&str> = lines.iter().copied().chain([&*token]).collect();
        request(self.address, method, path, &lines, body)
    }

    pub fn get(&self, path: &str, lines: &[&str]) -> Answer {
        self.with_token("GET", path, lines, b"")
    }

    pub fn stream(&self) -> Events {
        Events::open(self.address, &self.token)
    }

    /// One answer of each kind: success, and refusals by the application, by the routes, by the guard, and before them.
    pub fn one_of_each(&self) -> Vec<Answer> {
        let json = ["Content-Type: application/json"];
        let answers = vec![
            self.get("/", &[]),
            self.get("/api/state", &[]),
            self.get("/api/export?format=sgf", &[]),
            self.with_token("POST", "/api/command", &json, b"{\"refuse\":1}"),
            self.without_token("GET", "/api/state", &[], b""),
            self.get("/api/state", &["Origin: null"]),
            self.get("/nothing", &[]),
            self.with_token("PUT", "/", &[], b""),
            self.with_token("POST", "/api/command", &json, &vec![b' '; 300 << 10]),
            self.with_token("POST", "/api/command", &[], b"{}"),
            self.with_token("POST", "/api/command", &json, b"{"),
            self.raw(b"\x16\x03\x01"),
            self.raw(&[b'A'; 20 << 10]),
        ];
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [200, 200, 200, 422, 401, 403, 404, 405, 413, 415, 400, 400, 431]);
        answers
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Does not wait, so that a failed test reports its reason at once.
        self.stop();
    }
}
