//! What surrounds the board of a person, for `tengen play`: the server and its page, the terminal, the threads that
//! compute, other engines, the database of positions, the saved games.
//!
//! The board itself is in the crate `tengen_session`.
//!
//! The [`server`] also serves another application: a match of engines, which is in a crate of its own.
//!
//! Like the protocol, this crate is a client of the engine.

pub mod explorer;
pub mod host;
pub mod machine;
pub mod others;
pub mod progress;
pub mod server;
pub mod store;
pub mod text;
pub mod worker;

pub use tengen_session::lock;
