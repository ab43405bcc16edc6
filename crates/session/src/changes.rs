//! The form in which a state is sent to clients: the whole state, or for a large game the changes since the last one.
//!
//! Nearly all of a large state is its line. So a changed state is the state with two more fields, and with only the
//! middle of its line. `since` is the revision that it builds on. `keep` is how many nodes at the beginning and at the
//! end of that revision's line stay. A client without that revision requests the whole state by `GET /api/state`.

use crate::view::{LineNode, State};
use serde_json::{Value, json};

/// A line is large if its nodes, variations and comments weigh more than this.
const LARGE: usize = 400;
/// Bytes of a comment that weigh as much as a node.
const LETTERS: usize = 64;

/// The state that clients were sent last.
#[derive(Debug, Default)]
pub struct Changes(Option<Sent>);

#[derive(Debug)]
struct Sent {
    rev: u64,
    game: u64,
    line: Vec<LineNode>,
}

impl Changes {
    /// The revision that was sent last.
    pub fn rev(&self) -> Option<u64> {
        self.0.as_ref().map(|sent| sent.rev)
    }

    /// The form in which to send a state, which becomes the last one sent. The state is unchanged after the call.
    pub fn next(&mut self, state: &mut State) -> Value {
        let sent = Sent { rev: state.rev, game: state.game.id, line: state.line.clone() };
        let before = self.0.replace(sent).filter(|before| before.game == state.game.id && is_large(&state.line));
        let Some(before) = before else { return value(state) };
        let same = |(one, other): &(&LineNode, &LineNode)| one == other;
        let first = before.line.iter().zip(&state.line).take_while(same).count();
        let (old, new) = (&before.line[first..], &state.line[first..]);
        let last = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let middle = new[..new.len() - last].to_vec();
        let whole = std::mem::replace(&mut state.line, middle);
        let mut news = value(state);
        state.line = whole;
        news["since"] = json!(before.rev);
        news["keep"] = json!([first, last]);
        news
    }
}

fn value(state: &State) -> Value {
    serde_json::to_value(state).unwrap_or_default()
}

fn is_large(line: &[LineNode]) -> bool {
    let weight = |node: &LineNode| 1 + node.siblings.len() + node.comment.len() / LETTERS;
    line.iter().map(weight).sum::<usize>() > LARGE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::session::{Session, SessionConfig};
    use crate::view::Settings;
    use web_time::Instant;

    /// The state that a client builds from what it receives.
    fn merged(known: &Value, news: &Value) -> Value {
        let mut whole = news.clone();
        let Some(since) = news.get("since") else { return whole };
        assert_eq!(since, &known["rev"]);
        let keep = |i: usize| news["keep"][i].as_u64().expect("a count") as usize;
        let old = known["line"].as_array().expect("a line");
        let middle = news["line"].as_array().expect("a line");
        let line = [&old[..keep(0)], middle, &old[old.len() - keep(1)..]].concat();
        whole["line"] = line.into();
        let fields = whole.as_object_mut().expect("an object");
        fields.remove("since");
        fields.remove("keep");
        whole
    }

    #[test]
    fn a_client_that_merges_knows_the_whole() {
        let settings = Settings { threads: 1, processors: 1, hash_mb: 1 };
        let mut session = Session::new(SessionConfig { seed: 1, settings, largest_hash_mb: 1_024 });
        let remarks = ";C[a remark]".repeat(900);
        let sgf = format!("(;GM[4]SZ[15]{remarks};B[hh];W[ii](;B[jj])(;B[gg];W[ff]))");
        let size = tengen::board::BoardSize::RENJU;
        session.import(tengen_record::read(sgf.as_bytes(), None, size).expect("SGF"));
        let mut changes = Changes::default();
        let mut known = changes.next(&mut session.state(Instant::now()));
        assert!(known.get("since").is_none());
        let full = known.to_string().len();
        assert!(full > 80_000, "{full}");
        let commands = |session: &Session| {
            let node = session.node();
            let at = |at: &str| Command::Move { at: at.to_owned() };
            let text = "words".to_owned();
            vec![
                at("a1"),
                at("b1"),
                Command::Undo,
                at("c1"),
                Command::Comment { node: node.0, text },
                Command::Goto { node: node.0 },
                Command::Goto { node: 0 },
                Command::Goto { node: 500 },
                Command::DeleteBranch { node: 890 },
                at("o15"),
            ]
        };
        for command in commands(&session) {
            session.handle(command.clone(), Some(session.rev()), Instant::now()).expect("a command");
            let mut state = session.state(Instant::now());
            let news = changes.next(&mut state);
            known = merged(&known, &news);
            assert_eq!(known, serde_json::to_value(&state).expect("JSON"), "{command:?}");
            let is_large = state.line.len() > LARGE;
            assert_eq!(news.get("since").is_some(), is_large);
            let length = news.to_string().len();
            assert!(!is_large || length < full / 5, "{command:?}: {length} of {full}");
        }
        // Another game is sent as a whole.
        session.import(tengen_record::read(b"h8i9", None, size).expect("moves"));
        assert!(changes.next(&mut session.state(Instant::now())).get("since").is_none());
    }
}
