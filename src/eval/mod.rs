//! What a position is worth when nothing is proven.
//!
//! Evaluators listen to the position ([`crate::position::Observer`]) and answer for the side to move. They
//! know nothing of search windows, depth or time.

mod classical;
mod weights;

pub use classical::Classical;
pub use weights::{ORDER_UNIT, SETS, SideWeights, ThreatMask, WeightSets, Weights, load_weights, set_of};
