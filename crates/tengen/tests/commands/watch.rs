//! `tengen match --watch`: a match of the built engine against itself, watched and controlled over HTTP.

use crate::arena::{folder, tengen};
use crate::program::engine_path;
use crate::web::{Answer, Events, request, token_for};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, parse_point};
use tengen_workbench::matches::record::Log;

/// More games than a test waits for, so that the match does not end by itself.
const GAMES: u64 = 5000;

/// A busy machine is slow to start engines.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running match.
struct Watched {
    child: Child,
    /// Lines of its standard error, read continuously so that the pipe never blocks the program.
    stderr: Receiver<String>,
    address: SocketAddr,
    token: String,
    record: PathBuf,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watched {
    /// Starts a match with two games at a time.
    fn start(name: &str) -> Watched {
        let record = folder(name).join("match.jsonl");
        let engine = |name: &str| format!("name={name},cmd={}", engine_path());
        let mut child = Command::new(tengen())
            .args(["match", "--plain", "--watch", "-j2", "--each", "nodes=300", "--size", "15", "--rule", "1"])
            .args(["-e", &engine("new"), "-e", &engine("old"), "--games", &GAMES.to_string()])
            // The test's hypotheses are so close that it does not decide.
            .args(["--sprt", "elo0=0,elo1=0.1"])
            .arg("-o")
            .arg(&record)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let (tell, stderr) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).all(|line| tell.send(line).is_ok()));
        let mut lines = std::iter::from_fn(|| stderr.recv_timeout(PATIENCE).ok());
        let line = lines.find(|line| line.contains("http://")).expect("the line with the address");
        let (address, token) = token_for(&line[line.find("http://").expect("an address")..]);
        Watched { child, stderr, address, token, record }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let lines = [&*format!("X-Tengen-Token: {}", self.token), "Content-Type: application/json"];
        request(self.address, method, path, &lines, body.as_bytes())
    }

    fn state(&self) -> Value {
        self.ask("GET", "/api/state", "").json()
    }

    fn command(&self, body: &Value) {
        let answer = self.ask("POST", "/api/command", &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    /// Waits for a state.
    fn until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let state = self.state();
            if holds(&state) {
                return state;
            }
            assert!(begun.elapsed() < PATIENCE, "never {what}: {state}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn is_at_rest(state: &Value) -> bool {
        state["paused"] == true && state["held"] == 2
    }

    /// Waits for the end, and returns the exit status and both streams.
    fn end(mut self) -> (ExitStatus, String, String, PathBuf) {
        // Tables are shorter than the capacity of a pipe.
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "the match does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        let mut out = String::new();
        self.child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("text");
        let err: Vec<String> = self.stderr.iter().collect();
        let err = err.join("\n");
        (status, out, err, self.record.clone())
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn games_in(record: &Path) -> usize {
    Log::read(record).expect("a record").games.len()
}

/// All counts of one snapshot agree with one another.
fn check_totals(state: &Value) {
    let played = number(&state["played"]);
    let sum = |games: &Value| ["wins", "draws", "losses"].iter().map(|key| number(&games[key])).sum::<u64>();
    assert_eq!(sum(&state["pairings"][0]), played);
    assert_eq!(state["engines"].as_array().map(Vec::len), Some(2));
    for engine in state["engines"].as_array().expect("a list") {
        assert_eq!(sum(engine), played);
    }
    let pairs: u64 = state["pairings"][0]["pairs"].as_array().expect("five counts").iter().map(number).sum();
    assert!(2 * pairs <= played, "{state}");
    let sprt = &state["sprt"];
    let [lower, llr, upper] = ["lower", "llr", "upper"].map(|key| sprt[key].as_f64().expect("a number"));
    assert!(lower < llr && llr < upper && sprt["verdict"] == "continue", "{sprt}");
}

/// Boards of running games: legal points, no point twice, the side to move by the number of stones.
fn check_boards(state: &Value) {
    let size = BoardSize::new(15, 15).expect("a size");
    for game in state["running"].as_array().expect("a list") {
        let labels: Vec<&str> = game["stones"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let points: BTreeSet<_> = labels.iter().map(|label| parse_point(size, label).expect("a label")).collect();
        assert_eq!(points.len(), labels.len(), "{game}");
        assert_eq!(game["to_move"], game[if labels.len().is_multiple_of(2) { "black" } else { "white" }], "{game}");
        assert_ne!(game["black"], game["white"]);
        assert_eq!(game["size"], json!([15, 15]));
    }
}

#[test]
fn a_match_is_watched_paused_and_finished() {
    let watched = Watched::start("watched");
    assert!(watched.ask("GET", "/", "").body.contains("/watch.js"));

    // Boards and totals.
    let state = watched.until("two games under way", |state| {
        number(&state["played"]) >= 4 && state["running"].as_array().is_some_and(|running| running.len() == 2)
    });
    assert_eq!(state["total"], GAMES);
    assert_eq!([&state["engines"][0]["name"], &state["engines"][1]["name"]], ["new", "old"]);
    check_totals(&state);
    check_boards(&state);
    assert!(!state["last"].as_array().expect("a list").is_empty());
    // The stream sends changes without requests, and not too often.
    let mut stream = Events::open(watched.address, &watched.token);
    let begun = Instant::now();
    let mut rev = 0;
    for _ in 0..6 {
        let (name, data) = stream.next().expect("an event");
        let state: Value = serde_json::from_str(&data).expect("a state");
        assert_eq!(name, "state");
        assert!(number(&state["rev"]) > rev);
        rev = number(&state["rev"]);
        check_totals(&state);
        check_boards(&state);
    }
    assert!(begun.elapsed() > Duration::from_millis(350), "{:?}", begun.elapsed());

    // During a pause the state does not change, and no game is lost.
    watched.command(&json!({"do": "pause", "on": true}));
    let held = watched.until("at rest", Watched::is_at_rest);
    let recorded = games_in(&watched.record);
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(watched.state(), held);
    assert_eq!(games_in(&watched.record), recorded);
    assert_eq!(number(&held["played"]) as usize, recorded);
    watched.command(&json!({"do": "pause", "on": false}));
    watched.until("going on", |state| number(&state["played"]) > number(&held["played"]) + 2);

    // The server rejects all other requests.
    assert_eq!(watched.ask("POST", "/api/bye", "").status, 422);
    for (body, status) in
        [("{\"do\":\"bye\"}", 422), ("{\"do\":\"move\",\"at\":\"h8\"}", 422), ("{\"do\":\"pause\"}", 400)]
    {
        assert_eq!(watched.ask("POST", "/api/command", body).status, status, "{body}");
    }
    assert_eq!(watched.ask("GET", "/api/export?format=sgf", "").status, 404);

    // An end during a pause: whole games only.
    watched.command(&json!({"do": "pause", "on": true}));
    let held = watched.until("at rest again", Watched::is_at_rest);
    let running = held["running"].as_array().expect("a list").len();
    watched.command(&json!({"do": "finish"}));
    let mut last = Value::Null;
    while let Some((name, data)) = stream.next() {
        if name == "bye" {
            break;
        }
        last = serde_json::from_str(&data).expect("a state");
    }
    assert_eq!(last["ended"], true, "the page sees the end");
    check_totals(&last);
    assert_eq!(last["running"], json!([]));
    let (status, out, err, record) = watched.end();
    assert!(status.success(), "{status}: {err}");
    let log = Log::read(&record).expect("a record");
    assert_eq!(log.games.len() as u64, number(&last["played"]));
    assert_eq!(log.games.len() as u64, number(&held["played"]) + running as u64);
    assert!(out.contains(&format!("{} games", log.games.len())), "{out}");
    assert!(err.contains(&format!("Finished after {} of {GAMES} games", log.games.len())), "{err}");
    assert!(log.games.iter().all(|game| game.faults.is_empty()));
}

#[test]
#[cfg(unix)]
fn a_held_match_can_be_interrupted() {
    let watched = Watched::start("interrupted");
    watched.command(&json!({"do": "pause", "on": true}));
    watched.until("at rest", Watched::is_at_rest);
    let pid = watched.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let (status, _, err, _) = watched.end();
    assert_eq!(status.code(), Some(130), "{err}");
}
