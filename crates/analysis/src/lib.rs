//! Analysis: deep searches of positions and whole games. [`load`] reads them, [`analyze`] searches one position,
//! [`review`] judges each move of a game; [`report`], [`export`], [`picture`] and [`animation`] present the results.
//! [`book`] makes the opening book, and [`puzzle`] finds positions with one solution.
//!
//! [`chart`] draws plots and [`random`] generates seeded random numbers; other crates use both as well.

pub mod analyze;
pub mod animation;
pub mod book;
pub mod chart;
pub mod export;
pub mod load;
mod loaded;
pub mod picture;
pub mod puzzle;
pub mod random;
pub mod report;
pub mod review;
pub mod wording;
