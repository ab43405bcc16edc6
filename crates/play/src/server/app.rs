//! What the server serves: a game, or a match to be watched. The server knows connections, tokens and limits; the
//! application knows what the requests mean.

use super::hub::Hub;
use serde_json::Value;

/// An answer in JSON with its HTTP status.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// 200, or the status of a refusal.
    pub status: u16,
    /// The body.
    pub body: Value,
}

/// A file to be downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// Its name: ASCII letters, digits, dots, dashes and underscores only.
    pub name: String,
    /// MIME type.
    pub content_type: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}

/// What is served under `/api` and which page shows it. All calls return at once: long work goes on elsewhere and is
/// pushed through the [`Hub`].
pub trait App: Send + Sync + 'static {
    /// Name of the page's HTML file among the [assets](super::assets).
    fn page(&self) -> &'static str;
    /// What a client learns once.
    fn about(&self) -> Value;
    /// A snapshot of everything that a client shows.
    fn state(&self) -> Value;
    /// Events go through this.
    fn hub(&self) -> &Hub;
    /// Carries out a command, given as the JSON body of the request.
    fn command(&self, body: Value) -> Reply;
    /// Reads a file that somebody dropped or pasted. The name is only a hint at its format.
    fn import(&self, name: Option<&str>, bytes: &[u8]) -> Reply;
    /// Writes the shown game in a format.
    ///
    /// # Errors
    /// The refusal, if there is no such format or the game cannot be written in it.
    fn export(&self, format: &str) -> Result<Download, Reply>;
    /// The program is about to end: save what has to be saved.
    fn close(&self);
}
