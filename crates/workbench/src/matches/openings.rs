//! Built-in openings: more than a hundred for each rule, the default of a match. Long searches judge them even, see
//! `crates/workbench/openings/README.md`.

use tengen::board::{BoardSize, parse_opening};
use tengen::rules::Rule;

const FREESTYLE_15: &str = include_str!("../../openings/even-freestyle15.txt");
const FREESTYLE_20: &str = include_str!("../../openings/even-freestyle20.txt");
const STANDARD_15: &str = include_str!("../../openings/even-standard15.txt");
const RENJU_15: &str = include_str!("../../openings/even-renju15.txt");
const CARO_15: &str = include_str!("../../openings/even-caro15.txt");

/// The openings for a rule and board, each as its stones in order of play, black first. Empty for boards with sides of
/// less than 15 points: the stones would lie at the edges.
pub fn built_in(rule: Rule, size: BoardSize) -> Vec<Vec<(u8, u8)>> {
    let text = match (rule, size.width().min(size.height())) {
        (_, ..15) => return Vec::new(),
        (Rule::Freestyle, 20..) => FREESTYLE_20,
        (Rule::Freestyle, _) => FREESTYLE_15,
        (Rule::Standard, _) => STANDARD_15,
        (Rule::Renju, _) => RENJU_15,
        (Rule::Caro | Rule::CaroExact, _) => CARO_15,
    };
    let openings = text.lines().filter(|line| !line.trim().is_empty()).map(|line| parse_opening(size, line));
    openings.flatten().map(|points| points.iter().map(|p| (p.x(), p.y())).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::referee::check_opening;
    use tengen_engines::player::Table;

    #[test]
    fn every_rule_has_openings_that_can_be_played() {
        for rule in Rule::ALL {
            for (width, height) in [(15, 15), (19, 15), (20, 20), (25, 20)] {
                let size = BoardSize::new(width, height).expect("a size");
                let openings = built_in(rule, size);
                let number = if matches!(rule, Rule::Freestyle | Rule::Standard) { 124 } else { 113 };
                assert_eq!(openings.len(), number, "{rule} {size}");
                for opening in openings {
                    let points: Vec<_> =
                        opening.iter().filter_map(|(x, y)| tengen::board::Point::new(*x, *y)).collect();
                    assert!(points.len() >= 3);
                    assert_eq!(check_opening(&Table { rule, size }, &points), Ok(()), "{rule} {size} {opening:?}");
                }
            }
            assert!(built_in(rule, BoardSize::new(14, 20).expect("a size")).is_empty());
        }
    }
}
