//! What a position is worth when nothing is proven.
//!
//! Evaluators listen to the position ([`crate::position::Observer`]) and answer for the side to move. They
//! know nothing of search windows, depth or time.

mod classical;
pub mod network;
mod ordering;
mod weights;

pub use classical::Classical;
pub use ordering::Ordering;
pub use weights::{
    DISPLACEMENTS, ORDER_UNIT, SETS, SideWeights, Stance, ThreatMask, WeightSets, Weights, displacement, load_weights,
    set_of,
};
