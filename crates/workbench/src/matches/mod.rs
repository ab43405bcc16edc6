//! Matches between engines, with their records and statistics.
//!
//! One module for each concept: [`referee`] plays one game, [`schedule`] lists the games and [`openings`] their
//! openings, [`record`] stores the games, and [`run`] connects these modules. The crate `engines` has the engines'
//! processes. [`health`] detects engines that do not work. [`parts`] reads the records of other machines,
//! [`sequential`] decides a test over them, and [`part_use`] compares the machines. [`tally`] counts results,
//! [`report`] prints tables, [`plot`] draws curves, [`export`] writes data for other programs, [`gamefile`] writes
//! files for boards, and [`by_time`] compares several matches.

pub mod by_time;
pub mod export;
pub mod gamefile;
pub mod health;
pub mod info;
pub mod openings;
pub mod part_use;
pub mod parts;
pub mod plot;
pub mod record;
pub mod referee;
pub mod report;
pub mod run;
pub mod schedule;
pub mod sequential;
pub mod settings;
pub mod tally;
