//! The board of a person, without what surrounds it: the game as a state machine, and the work of the engine for it.
//!
//! The session owns the game; a page is a view of it. A client sends a [`command`] and receives a [`view`]. It computes
//! nothing of the game itself. Work that takes time is a [`job`], which [`work`] does.
//!
//! Nothing here knows a server, a thread, a file or a process, and all of it runs in a browser too. What the host
//! provides is behind a trait: the [database](work::KnownPositions) of positions, and the place where the
//! [trainer](trainer::ProgressStore) keeps its progress.

pub mod api;
mod branches;
mod changes;
pub mod clock;
pub mod command;
pub mod export;
pub mod game;
pub mod job;
mod json;
pub mod level;
pub mod opening;
pub mod points;
pub mod position;
pub mod reply;
pub mod saving;
pub mod session;
pub mod trainer;
pub mod value;
pub mod view;
pub mod wire;
pub mod work;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time of a move of the engine at full strength in a game without a clock.
pub const ENGINE_TURN: Duration = Duration::from_secs(5);

/// Locks a mutex, also after a panic of a thread that held it: the shared data of the board's threads is valid at every
/// step.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
