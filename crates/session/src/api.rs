//! The requests of a page and their answers in JSON, and the events that it is sent: the same for every host.

use crate::branches::Branches;
use crate::changes::Changes;
use crate::command::Command;
use crate::export::{FORMATS, Shown, export};
use crate::level;
use crate::reply::{Download, Reply};
use crate::session::{Accepted, Session};
use crate::view::{About, Imported, Message, Refusal, RefusalKind, State};
use serde::Serialize;
use serde_json::{Value, json};
use tengen::board::BoardSize;
use tengen::rules::Rule;
use tengen_analysis::review::Review;
use tengen_record::{self as record, Record};
use web_time::Instant;

/// What a page reads once. `local` says whether a program on this computer serves the page.
pub fn about(session: &Session, local: bool) -> Value {
    let about = About {
        version: tengen::VERSION,
        levels: level::views(),
        default_level: level::DEFAULT,
        rules: Rule::ALL.into_iter().map(Rule::name).collect(),
        formats: FORMATS.to_vec(),
        engines: session.engines().to_vec(),
        local,
    };
    reply(&about).body
}

/// An answer with this body.
pub fn reply(body: &impl Serialize) -> Reply {
    Reply { status: 200, body: serde_json::to_value(body).unwrap_or_default() }
}

/// The answer to a request that was refused.
pub fn refusal(refused: &Refusal) -> Reply {
    Reply { status: refused.error.status(), ..reply(refused) }
}

/// Reads a command, and has it carried out with the revision that the page saw.
pub fn command(
    body: Value,
    rev: impl FnOnce() -> u64,
    carry_out: impl FnOnce(Command, Option<u64>) -> Result<Accepted, Refusal>,
) -> Reply {
    match Command::parse(body).map(|(command, rev)| carry_out(command, rev)) {
        Ok(Ok(accepted)) => reply(&accepted),
        Ok(Err(refused)) => refusal(&refused),
        Err(message) => refusal(&Refusal { error: RefusalKind::Malformed, message, rev: rev(), foul: None }),
    }
}

/// The refusal of a file.
pub const fn refused_file(message: String, rev: u64) -> Refusal {
    Refusal { error: RefusalKind::File, message, rev, foul: None }
}

/// The games of a file; the board has this size if the file does not say another.
///
/// # Errors
/// Why it cannot be read.
pub fn read(name: Option<&str>, bytes: &[u8], size: BoardSize) -> Result<Vec<Record>, String> {
    let records = record::read(bytes, name, size).map_err(|error| error.to_string())?;
    if records.is_empty() { Err("the file holds no game".to_owned()) } else { Ok(records) }
}

/// The answer to an imported file.
pub fn imported(games: Result<Vec<Imported>, Refusal>) -> Reply {
    match games {
        Ok(games) => reply(&json!({"games": games, "loaded": games.len() == 1})),
        Err(refused) => refusal(&refused),
    }
}

/// The shown game for a file, without values while they are hidden. `review` is its finished review.
pub fn shown(session: &Session, review: Option<Review>) -> Shown {
    let (mut record, node) = (session.record().clone(), session.node());
    if !session.shows_values() {
        let ids: Vec<_> = record.tree.ids().collect();
        for id in ids {
            record.tree.get_mut(id).into_iter().for_each(|node| node.value = None);
        }
    }
    Shown { record, node, review }
}

/// Writes a game in one of the [`FORMATS`].
///
/// # Errors
/// Why it cannot be written.
pub fn write(format: &str, shown: &Shown, rev: u64) -> Result<Download, Refusal> {
    export(format, shown).map_err(|error| refused_file(error.to_string(), rev))
}

/// The message that saving fails from now on, for this reason, or works again.
pub fn saving(error: Option<&str>) -> Message {
    let (level, code, text) = match error {
        Some(why) => ("warning", "save_failed", format!("The game cannot be saved: {why}. It is tried again.")),
        None => ("info", "saved_again", "The game is saved again.".to_owned()),
    };
    Message { level, code, text }
}

/// What pages were sent last.
#[derive(Debug, Default)]
pub struct Sent {
    state: Changes,
    tree: Branches,
}

/// What is new for the pages.
#[derive(Debug)]
pub struct Update {
    /// The whole state.
    pub state: State,
    /// Events to send, in this order: their names and data.
    pub events: Vec<(&'static str, Value)>,
    /// Names of events whose last one is out of date.
    pub outdated: Vec<&'static str>,
}

impl Sent {
    /// The state with the tree, for a page that has nothing.
    pub fn whole(&self, session: &Session, now: Instant) -> Value {
        let mut state = reply(&session.state(now)).body;
        state["tree"] = self.tree.whole();
        state
    }

    /// What has changed since the last call; `None` if nothing has.
    pub fn update(&mut self, session: &Session, now: Instant) -> Option<Update> {
        if self.state.rev() == Some(session.rev()) {
            return None;
        }
        let mut state = session.state(now);
        let analyses = state.analysis.on;
        let kept = [
            ("review", state.review.is_some()),
            ("analysis", analyses),
            ("opinion", analyses && state.analysis.second.is_some()),
        ];
        let outdated = kept.into_iter().filter(|(_, is_kept)| !is_kept).map(|(name, _)| name).collect();
        let tree = self.tree.next(state.game.id, &session.record().tree, state.game.size);
        let tree = tree.map(|tree| ("tree", tree));
        let events = tree.into_iter().chain([("state", self.state.next(&mut state))]).collect();
        Some(Update { state, events, outdated })
    }
}
