//! The workbench: matches between engines, training games, tuning, analysis.
//!
//! Uses the engine from outside and never takes part in a search. It has six rooms: [`mod@matches`] play engines
//! against each other, [`analysis`] searches positions deeply and makes the book, [`data`] makes and keeps training
//! games, [`tune`] fits the classical evaluation and the search to them, [`train`] the network, and
//! [`mod@generation`] does all that gives a better network. What they share stands beside them: [`mod@bench`]
//! measures, [`stats`] are pure functions of counts, [`chart`] draws, [`npy`] writes arrays, [`lock`] gives each
//! record one writer, [`files`] keep what was written if the process is killed. Nothing here prints: programs pass a
//! callback or a writer.

pub mod analysis;
pub mod bench;
pub mod chart;
pub mod data;
pub mod difference;
pub mod evaluation;
pub mod files;
pub mod generation;
pub mod lock;
pub mod matches;
pub mod nearest;
pub mod npy;
pub mod random;
pub mod shard;
pub mod stats;
pub mod train;
pub mod tune;
