//! The levels of play, as a table. The worker that plays them takes the node limit and the temperature from here.
//!
//! A level limits the nodes of a search, so that it plays the same on every machine, and chooses at random among moves
//! that are nearly as good as the best. Full strength is not a level: its nodes are not limited, and its choice is not
//! random.

use crate::view::LevelView;

/// A level of play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// 1 to 10.
    pub number: u8,
    /// Nodes of the search for a move.
    pub nodes: u64,
    /// Temperature of the choice: a move whose score is lower than the best by `loss` evaluation units is chosen
    /// `exp(-loss / temperature)` times as often as the best.
    pub temperature: f64,
}

const fn level(number: u8, nodes: u64, temperature: f64) -> Level {
    Level { number, nodes, temperature }
}

/// All levels, weakest first. Each has between two and three times the nodes of the previous one. 200 evaluation units
/// are one unit of log-odds. Level 1 plays a move that loses a quarter of its chances (from one half) every third time
/// that it sees a better one; level 10 rarely loses two percentage points.
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

/// The default level.
pub const DEFAULT: u8 = 5;

/// The level with this number.
pub fn by_number(number: u8) -> Option<&'static Level> {
    LEVELS.iter().find(|level| level.number == number)
}

/// The levels in the form for clients.
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
