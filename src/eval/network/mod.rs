//! A learned evaluation: what each line round each point looks like, as vectors that were trained on own games.
//!
//! Every point has a vector: the sum of the rows of its four line shapes, limited below by 0. Sums over nine regions
//! of the board are the inputs of a small head for the value; the vector of an empty point is what the policy judges a
//! move by.

pub mod layout;
pub mod lines;
