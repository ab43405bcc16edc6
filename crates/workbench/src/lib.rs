//! The workbench: matches between engines, training games, training and tuning.
//!
//! Uses the engine from outside and never takes part in a search. It has five rooms: [`mod@matches`] play engines
//! against each other, [`data`] makes and keeps training games, [`tune`] fits the classical evaluation and the search
//! to them, [`train`] the network, and [`mod@generation`] does all that gives a better network. What they share stands
//! beside them: [`stats`] are pure functions of counts, [`npy`] writes arrays. Nothing here prints: programs pass a
//! callback or a writer.

pub mod data;
pub mod difference;
pub mod generation;
pub mod matches;
pub mod nearest;
pub mod npy;
pub mod shard;
pub mod stats;
pub mod train;
pub mod tune;
