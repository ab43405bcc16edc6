//! Analysis: deep searches of positions and whole games. [`load`] reads them, [`analyze`] searches one position,
//! [`review`] judges each move of a game; [`report`], [`export`] and [`picture`] present the results. [`book`] makes
//! the opening book.
//!
//! [`chart`] draws plots and [`random`] generates seeded random numbers; other crates use both as well.

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
