//! Watching a match: `tengen match --watch`. The page shows the results and the running games. It can pause and resume
//! the match, and end it early with whole games only; it can change nothing else.
//!
//! The worker threads of the match record here what has changed. A separate thread sends it to the page, at most ten
//! times a second: fast games have thousands of moves in that time, and watching should not slow down engines that
//! share the processors.

pub mod view;

use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;
use tengen::board::point_labels;
use tengen::control::StopToken;
use tengen_play::lock;
use tengen_play::server::app::{App, Download, Reply};
use tengen_play::server::hub::Hub;
use tengen_workbench::matches::record::GameRecord;
use tengen_workbench::matches::referee::Turn;
use tengen_workbench::matches::run::{Progress, Running, Watcher};
use tengen_workbench::matches::schedule::pairings;
use tengen_workbench::matches::settings::MatchSpec;
use tengen_workbench::matches::tally::Tally;
use view::{Board, Done, State};

/// Maximum number of snapshots a second.
const RATE: u32 = 10;

/// Number of finished games that the page lists.
const LISTED: usize = 20;

/// Interval at which a paused worker checks whether the match has been stopped.
const LOOK: Duration = Duration::from_millis(50);

/// The commands of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Command {
    /// Pauses all games before their next move, or resumes them.
    Pause { on: bool },
    /// Starts no new game. Paused games are resumed.
    Finish,
}

/// A match and its watchers.
#[derive(Debug)]
pub struct Watch {
    spec: MatchSpec,
    total: u64,
    hub: Hub,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug)]
struct Inner {
    rev: u64,
    /// The revision that was sent last.
    sent: u64,
    paused: bool,
    waiting: usize,
    finishing: bool,
    ended: bool,
    played: u64,
    tally: Tally,
    running: BTreeMap<u64, Board>,
    last: VecDeque<Done>,
}

impl Watch {
    /// A match; some of its games may have been played in earlier runs.
    pub fn new(spec: MatchSpec, total: u64, done: &[GameRecord]) -> Watch {
        let mut tally = Tally::new(&spec);
        done.iter().for_each(|game| tally.add(game));
        let inner = Inner {
            rev: 1,
            sent: 0,
            paused: false,
            waiting: 0,
            finishing: false,
            ended: false,
            played: done.len() as u64,
            tally,
            running: BTreeMap::new(),
            last: done.iter().rev().take(LISTED).map(Done::new).collect(),
        };
        Watch { spec, total, hub: Hub::new(), inner: Mutex::new(inner), changed: Condvar::new() }
    }

    /// Applies a change and wakes the threads that wait for one.
    fn change(&self, change: impl FnOnce(&mut Inner)) {
        let mut inner = lock(&self.inner);
        change(&mut inner);
        inner.rev += 1;
        self.changed.notify_all();
    }

    /// Sends snapshots to the page until the match is over, including the last one. It needs a thread of its own.
    pub fn publish(&self) {
        loop {
            let mut inner = lock(&self.inner);
            while inner.sent == inner.rev {
                inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
            }
            inner.sent = inner.rev;
            let ended = inner.ended;
            drop(inner);
            if self.hub.subscribers() > 0 {
                self.hub.send("state", self.state().to_string());
            }
            if ended {
                return;
            }
            std::thread::sleep(Duration::from_secs(1) / RATE);
        }
    }

    /// The match is over: lets [`publish`](Watch::publish) return.
    pub fn end(&self) {
        self.change(|inner| {
            inner.ended = true;
            inner.running.clear();
        });
    }

    /// Waits while the match is paused.
    fn wait_while_paused(&self, stop: &StopToken) {
        let mut inner = lock(&self.inner);
        if !inner.paused {
            return;
        }
        inner.waiting += 1;
        inner.rev += 1;
        self.changed.notify_all();
        while inner.paused && !stop.is_stopped() {
            inner = self.changed.wait_timeout(inner, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        inner.waiting -= 1;
        inner.rev += 1;
        self.changed.notify_all();
    }

    fn view(&self) -> State {
        let inner = lock(&self.inner);
        State {
            rev: inner.rev,
            engines: view::engines(&self.spec, &inner.tally),
            events: self.spec.events.iter().map(ToString::to_string).collect(),
            played: inner.played,
            total: self.total,
            paused: inner.paused,
            held: inner.waiting,
            finishing: inner.finishing,
            ended: inner.ended,
            pairings: pairings(&self.spec).into_iter().map(|pair| view::pairing(&inner.tally, pair)).collect(),
            virtual_draws: inner.tally.ratings().map(|fit| fit.prior_games),
            sprt: view::test(&self.spec, &inner.tally),
            running: inner.running.values().cloned().collect(),
            last: inner.last.iter().cloned().collect(),
        }
    }

    fn refusal(&self, status: u16, error: &str, message: &str) -> Reply {
        Reply { status, body: json!({"error": error, "message": message, "rev": lock(&self.inner).rev}) }
    }
}

impl Watcher for Watch {
    fn admits(&self, stop: &StopToken) -> bool {
        self.wait_while_paused(stop);
        !lock(&self.inner).finishing
    }

    fn turn(&self, game: &Running, turn: &Turn, stop: &StopToken) {
        let size = game.table.size;
        let board = Board {
            game: game.game + 1,
            rule: game.table.rule.name(),
            size: (size.width(), size.height()),
            black: game.seats[turn.black],
            white: game.seats[1 - turn.black],
            to_move: game.seats[turn.seat],
            stones: point_labels(size, turn.stones),
        };
        self.change(|inner| drop(inner.running.insert(game.game, board)));
        self.wait_while_paused(stop);
    }

    fn finished(&self, progress: &Progress) {
        self.change(|inner| {
            inner.running.remove(&progress.game.game);
            inner.played = progress.games.len() as u64;
            inner.tally = progress.tally.clone();
            inner.last.truncate(LISTED - 1);
            inner.last.push_front(Done::new(progress.game));
        });
    }
}

impl App for Watch {
    fn page(&self) -> &'static str {
        "watch.html"
    }

    fn about(&self) -> Value {
        json!({"version": tengen::VERSION})
    }

    fn state(&self) -> Value {
        // Plain data: its maps have names as keys, and numbers that JSON cannot represent become null.
        serde_json::to_value(self.view()).unwrap_or(Value::Null)
    }

    fn hub(&self) -> &Hub {
        &self.hub
    }

    fn command(&self, body: Value) -> Reply {
        if body.get("do").is_some_and(|name| name != "pause" && name != "finish") {
            return self.refusal(422, "not_now", "a match can be paused or finished, and nothing else");
        }
        let Ok(command) = serde_json::from_value(body) else {
            return self.refusal(400, "malformed", "this is no command");
        };
        self.change(|inner| match command {
            Command::Pause { on } => inner.paused = on,
            Command::Finish => {
                inner.finishing = true;
                inner.paused = false;
            }
        });
        Reply { status: 200, body: json!({"rev": lock(&self.inner).rev, "job": null}) }
    }

    fn import(&self, _name: Option<&str>, _bytes: &[u8]) -> Reply {
        self.refusal(404, "unknown", "a match takes no files")
    }

    fn export(&self, _format: &str) -> Result<Download, Reply> {
        Err(self.refusal(404, "unknown", "the match writes its own record"))
    }

    /// After this no client could resume a paused match.
    fn close(&self) {
        self.change(|inner| inner.paused = false);
    }
}
