//! A board for a person: the game that `tengen play` shows in the browser or in the terminal.
//!
//! The session owns the game; a page is a view of it. A client sends a [`command`] and receives a [`view`]. It computes
//! nothing of the game itself. Work that takes time is a [`job`] for a worker thread.
//!
//! The [`server`] also serves another application: a match of engines, which is in a crate of its own.
//!
//! Like the protocol, this crate is a client of the engine.

mod branches;
mod changes;
pub mod clock;
pub mod command;
pub mod explorer;
pub mod export;
pub mod game;
pub mod host;
pub mod job;
mod json;
pub mod level;
pub mod machine;
pub mod opening;
pub mod others;
pub mod points;
pub mod position;
mod saving;
pub mod server;
pub mod session;
pub mod store;
pub mod text;
pub mod trainer;
pub mod value;
pub mod view;
pub mod worker;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time a move of the engine at full strength in a game without a clock.
pub const ENGINE_TURN: Duration = Duration::from_secs(5);

/// Locks a mutex, also after a panic of a thread that held it: the shared data of the board's threads is valid at every
/// step.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
