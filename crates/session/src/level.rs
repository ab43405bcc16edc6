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
    /// Plies that the level sees ahead of forced wins: to it, one that takes longer is only a very good position for
    /// its side.
    pub sight: i32,
}

const fn level(number: u8, nodes: u64, temperature: f64, sight: i32) -> Level {
    Level { number, nodes, temperature, sight }
}

/// Sight of levels that see every forced win that their search proves.
const ALL: i32 = i32::MAX;

/// All levels, weakest first. 200 evaluation units are one unit of log-odds: a move that loses a quarter of the chances
/// (from one half) is two fifths as likely as the best at level 2, while level 10 rarely loses two percentage points.
/// Few nodes do not make a level weak, since they leave few moves to choose from; so the first three differ in the
/// choice and in sight. Each level from 4 on has between two and three times the nodes of the one before.
pub const LEVELS: [Level; 10] = [
    level(1, 1_000, 1_000.0, 2),
    level(2, 1_000, 250.0, 4),
    level(3, 1_000, 100.0, 6),
    level(4, 1_250, 72.0, ALL),
    level(5, 2_900, 52.0, ALL),
    level(6, 6_800, 37.0, ALL),
    level(7, 16_000, 26.0, ALL),
    level(8, 37_000, 18.0, ALL),
    level(9, 86_000, 12.0, ALL),
    level(10, 200_000, 8.0, ALL),
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
    fn each_level_searches_as_much_chooses_less_freely_and_sees_as_far_as_the_one_before() {
        assert!(LEVELS.iter().zip(1..).all(|(level, number)| level.number == number));
        for pair in LEVELS.windows(2) {
            assert!(pair[1].nodes >= pair[0].nodes, "{pair:?}");
            assert!(pair[1].temperature < pair[0].temperature, "{pair:?}");
            assert!(pair[1].sight >= pair[0].sight, "{pair:?}");
        }
        assert_eq!((by_number(0), by_number(11)), (None, None));
        assert_eq!(by_number(7), Some(&LEVELS[6]));
        assert_eq!(views()[9], LevelView { level: 10, nodes: 200_000 });
    }
}
