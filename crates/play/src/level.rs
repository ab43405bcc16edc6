//! The levels of play, as a table. The worker that plays them looks here for how long to search and how freely to
//! choose.
//!
//! A level limits the nodes of a search, so that it plays the same on every machine, and lets chance decide between
//! moves that are nearly as good as the best. Full strength is not a level: it has neither limit.

use crate::view::LevelView;

/// A level of play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// 1 to 10.
    pub number: u8,
    /// Nodes of the search for a move.
    pub nodes: u64,
    /// How freely it chooses: a move whose score is lower than the best by `loss` evaluation units is chosen
    /// `exp(-loss / temperature)` times as often as the best.
    pub temperature: f64,
}

const fn level(number: u8, nodes: u64, temperature: f64) -> Level {
    Level { number, nodes, temperature }
}

/// All levels, weakest first. Each has between two and three times the nodes of the one before. 200 evaluation units
/// are one unit of log-odds: level 1 plays a move that loses a quarter of its chances (from one half) every third
/// time that it sees a better one, level 10 hardly ever gives away two points in a hundred.
pub const LEVELS: [Level; 10] = [
    level(1, 100, 200.0),
    level(2, 230, 140.0),
    level(3, 540, 100.0),
    level(4, 1_250, 72.0),
    level(5, 2_900, 52.0),
    level(6, 6_800, 37.0),
    level(7, 16_000, 26.0),
    level(8, 37_000, 18.0),
    level(9, 86_000, 12.0),
    level(10, 200_000, 8.0),
];

/// The number of the level that plays where nobody chooses one.
pub const DEFAULT: u8 = 5;

/// The level with this number.
pub fn by_number(number: u8) -> Option<&'static Level> {
    LEVELS.iter().find(|level| level.number == number)
}

/// The levels as a client is shown them.
pub fn views() -> Vec<LevelView> {
    LEVELS.iter().map(|level| LevelView { level: level.number, nodes: level.nodes }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_searches_more_and_chooses_less_freely_than_the_one_before() {
        assert!(LEVELS.iter().zip(1..).all(|(level, number)| level.number == number));
        for pair in LEVELS.windows(2) {
            assert!((2 * pair[0].nodes..=3 * pair[0].nodes).contains(&pair[1].nodes), "{pair:?}");
            assert!(pair[1].temperature < pair[0].temperature, "{pair:?}");
        }
        assert_eq!((by_number(0), by_number(11)), (None, None));
        assert_eq!(by_number(7), Some(&LEVELS[6]));
        assert_eq!(views()[9], LevelView { level: 10, nodes: 200_000 });
    }
}
