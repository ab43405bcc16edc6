//! Answers to the requests of a page.

use serde_json::Value;

/// An answer in JSON with its HTTP status.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// 200, or the status of the refusal.
    pub status: u16,
    /// The body.
    pub body: Value,
}

/// A file to download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// Its name: ASCII letters, digits, dots, dashes and underscores only.
    pub name: String,
    /// MIME type.
    pub content_type: &'static str,
    /// The content.
    pub bytes: Vec<u8>,
}
