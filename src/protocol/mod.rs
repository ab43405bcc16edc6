//! The Gomocup protocol and its Yixin-Board extension, on top of the [`crate::engine`] facade.
//!
//! - [`Command`] and [`Reply`] are the two directions of the protocol, each with a parser and a `Display`, so that
//!   match runners can use them too.
//! - [`LineParser`] parses each line once, when it arrives, into an [`Input`] for the session.
//! - [`Session`] is the dialogue: a state machine from [`Event`]s to [`Effect`]s, without threads, pipes or clock.
//!   Every search command gets exactly one answer line, whatever happens meanwhile.
//! - While a search runs, its reports become lines of play, marks of moves and text for people, each with its own rate
//!   limit.
//! - The thinking thread reads the files that a manager names, without delaying an answer.
//! - A [`database`] of positions, if the program brings one, answers Yixin-Board's commands, and its proofs need no
//!   search.
//! - [`shell`] runs it with a reader thread, a thinking thread and the standard streams.
//!
//! This module uses the engine only through [`crate::engine`] and does not see the search.
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
pub mod database;
mod decode;
mod error;
mod extension;
mod game;
mod input;
mod marks;
mod reply;
mod running;
mod session;
mod settings;
pub mod shell;
mod steps;
mod summary;
mod text;
mod thinker;

pub use body::{BodyLine, Owner};
pub use command::{Command, EvaluationKind, Key, Setting};
pub use error::ParseError;
pub use extension::{DatabaseWord, Extension, Follows, Query, SoosorvStep, Swap2Step, Unsupported};
pub use input::{Input, LineParser};
pub use reply::{About, Reply};
pub use session::{Effect, Event, Session};
