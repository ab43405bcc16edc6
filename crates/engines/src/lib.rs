//! Engines of the Gomocup protocol as child processes, for matches and for the board.
//!
//! One module for each concept: [`spec`] describes an engine and its limits, [`process`] runs it as a child process
//! (killed by [`kill`], watched by [`guard`]), [`client`] speaks the protocol with it (logged by [`transcript`]) as a
//! [`player`], and [`fault`] says what it did wrong. [`search_info`] reads what it tells about its search.

pub mod client;
pub mod fault;
pub mod guard;
pub mod kill;
pub mod player;
pub mod process;
pub mod search_info;
pub mod spec;
pub mod transcript;
