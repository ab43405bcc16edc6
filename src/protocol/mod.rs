//! The Gomocup protocol and its Yixin-Board extension, around the [`crate::engine`] facade.
//!
//! - [`Command`] and [`Reply`] are the two directions of the wire, each with a parser and a `Display`, so that match
//!   runners use them too.
//! - [`Session`] is the dialogue: a state machine from [`Event`]s to [`Effect`]s, without threads, pipes or clock.
//!   Every search command gets exactly one answer line, whatever happens meanwhile.
//! - While a search runs, its reports become lines of play, marks of moves and text for people, each at a pace of its
//!   own.
//! - Files that a manager names are read by the thread that thinks, and make no answer late.
//! - [`shell`] runs it with a reader thread, a thinking thread and the standard streams.
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
mod complaint;
mod decode;
mod error;
mod extension;
mod marks;
mod reply;
mod session;
mod settings;
pub mod shell;
mod steps;
mod summary;
mod text;
mod thinker;

pub use body::{BodyLine, Owner};
pub use command::{Command, Key, Setting};
pub use error::ParseError;
pub use extension::{Extension, Follows, Foreign, Query, SoosorvStep, Swap2Step};
pub use reply::{About, Reply};
pub use session::{Effect, Event, Session};
pub use settings::EvaluationKind;
