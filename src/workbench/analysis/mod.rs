//! Deep searches of positions and whole games: [`load`] reads them, [`analyze`] searches one position,
//! [`review`] judges each move of a game; [`report`], [`export`] and [`picture`] show what came of it. [`book`] makes
//! the opening book of many searches.

pub mod analyze;
pub mod book;
pub mod export;
pub mod load;
mod loaded;
pub mod picture;
pub mod report;
pub mod review;
pub mod wording;
