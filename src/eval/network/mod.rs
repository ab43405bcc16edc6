//! A learned evaluation: what each line round each point looks like, as vectors that were trained on own games.
//!
//! Every point has a vector: the sum of the rows of its four line shapes; limited to 0..=255, it is the point's
//! activation. Sums of these over nine regions of the board are the inputs of a small head for the value; the
//! activation of an empty point is what the policy judges a move by. [`layout`] says how many numbers there are and
//! what they mean, [`lines`] numbers the shapes, [`mod@file`] holds the numbers, [`weights`] has them as inference
//! needs them, [`accumulator`] follows the position, [`kernel`] multiplies, and [`Neural`] answers.

pub mod accumulator;
mod evaluator;
pub mod file;
pub mod kernel;
pub mod layout;
pub mod lines;
pub mod weights;

pub use evaluator::{Neural, Policy};
pub use file::NetworkError;
pub use kernel::Kernel;
pub use weights::Network;
