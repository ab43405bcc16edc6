//! Which moves can matter: the tactical situation of a node, and the sets of moves that answer it.
//!
//! Everything here follows from the classes of points and costs a few table lookups. Its claims ("this wins", "no other
//! move saves the game") must hold under every rule; tests compare them with searches that use none of it. This module
//! does not depend on depth, scores or ordering.

mod defence;
mod threat_status;

pub use defence::{blocks, own_fours};
pub use threat_status::{
    ThreatStatus, defence_status, immediate_status, is_lost_to_open_fours, threat_status, winning_combination,
};
