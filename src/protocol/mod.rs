//! The Gomocup protocol and its Yixin-Board extension, around the [`crate::engine`] facade.
//!
//! - [`Command`] and [`Reply`] are the two halves of the wire, each with a parser and a `Display`, so that
//!   whoever speaks the manager's side uses the same words.
//! - [`Session`] is the dialogue: a state machine from [`Event`]s to [`Effect`]s, without threads, pipes or
//!   clock. One search command gets exactly one answer line, whatever happens meanwhile.
//! - [`shell`] gives it a reader thread, a thinking thread and the standard streams.
//!
//! Knows the engine only through [`crate::engine`]; nothing of the search is visible here.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::todo,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm
)]

mod analysis;
mod answer;
mod body;
mod command;
mod decode;
mod error;
mod extension;
mod marks;
mod reply;
mod session;
mod settings;
pub mod shell;
mod summary;
mod text;

pub use body::{BodyLine, Owner};
pub use command::{Command, Key, Setting};
pub use error::ParseError;
pub use extension::{Extension, Follows, Foreign, Query, Swap2Step};
pub use reply::{About, Reply};
pub use session::{Effect, Event, Session};
