//! Analysis: deep searches of positions and whole games. [`load`] reads them, [`analyze`] searches one position,
//! [`review`] judges each move of a game; [`report`], [`export`] and [`picture`] show what came of it. [`book`] makes
//! the opening book of many searches.
//!
//! [`chart`] draws plots and [`random`] gives seeded numbers, for the crates above as well.

pub mod analyze;
pub mod book;
pub mod chart;
pub mod export;
pub mod load;
mod loaded;
pub mod picture;
pub mod random;
pub mod report;
pub mod review;
pub mod wording;
