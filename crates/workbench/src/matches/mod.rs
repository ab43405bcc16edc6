//! Matches between engines, with their records and statistics.
//!
//! One module for each concept: [`process`] runs an engine as a child process (killed by [`kill`], watched by
//! [`guard`]), [`player`] speaks the protocol with it (logged by [`transcript`]), [`referee`] plays one game,
//! [`schedule`] lists the games and [`openings`] their openings, [`record`] stores the games, and [`run`] connects
//! these modules. [`health`] detects engines that do not work. [`tally`] counts results, [`report`] prints tables,
//! [`plot`] draws curves, [`export`] writes data for other programs, [`gamefile`] writes files for boards, and
//! [`by_time`] compares several matches.

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
