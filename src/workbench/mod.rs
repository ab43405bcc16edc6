//! Tools around the engine: they use it from outside and never take part in a search.

pub mod bench;
pub mod selfplay;
pub mod tune;
