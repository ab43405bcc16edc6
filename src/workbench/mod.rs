//! The workbench: matches between engines, their records and statistics.
//!
//! Uses the engine from outside. What a match needs is split by noun: [`process`] is a foreign engine as a
//! child, [`referee`] plays one game, [`schedule`] says which games there are, [`record`] is what is kept of
//! them, [`run`] ties these together, [`report`] turns records into tables and plots, and [`stats`] are pure
//! functions of counts. Nothing here prints: programs pass an observer or a writer.

pub mod stats;
