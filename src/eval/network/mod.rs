//! A learned evaluation: vectors for the lines through each point, trained on the engine's own games.
//!
//! Every point has a vector: the sum of the rows of its four line shapes. Limited to 0..=255, it is the point's
//! activation. The sums of the activations over nine regions of the board are the inputs of a small value head. The
//! policy scores a move by the activations of its empty point and of the points around it: a convolution whose weights
//! depend on the position. [`layout`] defines the size and the meaning of each part, [`lines`] the indices of the
//! shapes, [`line_net`] computes the rows, and [`mod@file`] is the file format. [`weights`] holds the weights in the
//! form for inference, [`accumulator`] follows the position, [`kernel`] multiplies, [`Neural`] evaluates, and
//! [`Policy`] orders the moves.

pub mod accumulator;
mod evaluator;
pub mod file;
pub mod kernel;
pub mod layout;
pub mod line_net;
pub mod lines;
mod policy;
pub mod weights;

pub use evaluator::Neural;
pub use file::NetworkError;
pub use kernel::Kernel;
pub use policy::Policy;
pub use weights::Network;
