//! Matches between engines, with their records and statistics.
//!
//! Split by noun: [`process`] is a foreign engine as a child (ended by [`kill`], watched by [`guard`]), [`player`]
//! speaks the protocol with it (written down by [`transcript`]), [`referee`] plays one game, [`schedule`] says which
//! games there are and [`openings`] where they begin, [`record`] is what is kept of them, and [`run`] ties these
//! together; [`health`] notices engines that do not work. [`tally`] counts, [`report`] makes tables, [`plot`] curves,
//! [`export`] data for other programs, [`gamefile`] files for boards, and [`lead`] compares several matches.

pub mod by_time;
pub mod export;
pub mod fault;
pub mod gamefile;
pub mod guard;
pub mod health;
pub mod info;
pub mod kill;
pub mod openings;
pub mod player;
pub mod plot;
pub mod process;
pub mod record;
pub mod referee;
pub mod report;
pub mod run;
pub mod schedule;
pub mod search_info;
pub mod settings;
pub mod tally;
pub mod transcript;
