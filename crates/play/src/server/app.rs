//! The application that the server serves: a game, or a match to watch. The server handles connections, tokens and
//! limits; the application handles the meaning of requests.

pub use tengen_session::reply::{Download, Reply};

use super::hub::Hub;
use serde_json::{Value, json};

/// The requests under `/api` and the page that uses them. All calls but one return at once: long work runs elsewhere,
/// and its results go through the [`Hub`].
pub trait App: Send + Sync + 'static {
    /// Name of the page's HTML file among the [assets](super::assets).
    fn page(&self) -> &'static str;
    /// Constant data, which a client reads once.
    fn about(&self) -> Value;
    /// A snapshot of everything that a client shows.
    fn state(&self) -> Value;
    /// The hub that sends the events.
    fn hub(&self) -> &Hub;
    /// Carries out a command, given as the JSON body of the request.
    fn command(&self, body: Value) -> Reply;
    /// Reads a file that a person dropped or pasted. The name is only a hint at its format.
    fn import(&self, name: Option<&str>, bytes: &[u8]) -> Reply;
    /// Writes the shown game in a format.
    ///
    /// # Errors
    /// The refusal, if there is no such format or the game cannot be written in it.
    fn export(&self, format: &str) -> Result<Download, Reply>;
    /// What the database of positions says about the shown position. `sources` names those that answer: a number, a
    /// kind, or nothing for all. The answer is null while it would help a player: a page may ask before it has learned
    /// of such a game.
    fn explore(&self, sources: &str) -> Reply {
        let _ = sources;
        Reply { status: 404, body: serde_json::json!({"error": "unknown", "message": "there is no database"}) }
    }
    /// Answers the puzzle trainer. This call may take some seconds.
    fn puzzles(&self, _body: Value) -> Reply {
        Reply { status: 404, body: json!({"error": "not_found", "message": "there are no puzzles here"}) }
    }
    /// Called before the program ends: saves what has to be saved.
    fn close(&self);
}
