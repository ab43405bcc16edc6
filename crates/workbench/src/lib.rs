//! The workbench: matches between engines, training games, training and tuning.
//!
//! The crate uses the engine from outside and never takes part in a search. It has five main modules: [`mod@matches`]
//! plays engines against each other, [`data`] generates and stores training games, [`tune`] fits the classical
//! evaluation and search parameters, [`train`] trains the network, and [`mod@generation`] runs all stages that produce
//! a better network. They share [`stats`], pure functions of counts, and [`npy`], which writes arrays. The crate prints
//! nothing: programs pass a callback or a writer.

mod adjudicate;
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
