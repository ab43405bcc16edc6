//! The workbench: matches between engines, their records and statistics; self-play.
//!
//! Uses the engine from outside and never takes part in a search. What a match needs is split by noun:
//! [`process`] is a foreign engine as a child (ended by [`kill`], watched by [`guard`]), [`player`] speaks the
//! protocol with it, [`referee`] plays one game, [`schedule`] says which games there are, [`record`] is what is kept
//! of them, [`run`] ties these together, [`tally`] counts, [`report`] makes tables and plots, and [`stats`] are pure
//! functions of counts. [`selfplay`] makes games within the process, [`data`] keeps them for training, [`tune`] learns
//! from them, [`openings`] makes the book. [`analyze`] looks deeply at what [`load`] has read, [`mod@bench`] measures,
//! [`chart`] draws. Nothing here prints: programs pass a callback or a writer.

pub mod analyze;
pub mod bench;
pub mod chart;
pub mod data;
pub mod fault;
pub mod gamefile;
pub mod generate;
pub mod guard;
pub mod kill;
pub mod load;
pub mod note;
pub mod openings;
pub mod player;
pub mod process;
pub mod random;
pub mod record;
pub mod referee;
pub mod report;
pub mod run;
pub mod schedule;
pub mod selfplay;
pub mod settings;
pub mod stats;
pub mod tally;
pub mod train;
pub mod tune;
