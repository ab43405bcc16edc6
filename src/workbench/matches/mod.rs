//! Matches between engines, with their records and statistics.
//!
//! Split by noun: [`process`] is a foreign engine as a child (ended by [`kill`], watched by [`guard`]), [`player`]
//! speaks the protocol with it, [`referee`] plays one game, [`schedule`] says which games there are, [`record`] is what
//! is kept of them, [`run`] ties these together, [`tally`] counts, and [`report`] makes tables and plots.

pub mod fault;
pub mod gamefile;
pub mod guard;
pub mod kill;
pub mod note;
pub mod player;
pub mod process;
pub mod record;
pub mod referee;
pub mod report;
pub mod run;
pub mod schedule;
pub mod settings;
pub mod tally;
