//! A text format of weights that people can read and edit.
//!
//! The text has sections such as `[freestyle black]`; each section has two kinds of lines. Omitted values are 0; `#`
//! begins a comment.
//!
//! ```text
//! lines Dead Dead OpenTwo RichThree  point 41 own 118 120 97 90 60 denied 97 98 80 85 77
//! threat their-four my-open-three  12
//! reply OpenThree 2  30 -4 25
//! ```
//!
//! `lines` lists the four line classes of a stone, in any order (see [`LineClass`]). It gives the value of the empty
//! point in evaluation units, and the ordering scores for making and for denying these lines, one for each stance: who
//! could make an open three (neither, side to move, opponent, both), then the stance in which a threat must be met.
//! `threat` lists the facts that hold for the side to move, which is the section's side; `threat none` means no facts.
//! `reply` is the ordering score of moves relative to the opponent's last stone of a class, here with a distance of 2
//! points along one axis and of 0, 1 or 2 along the other; `reply CLASS far` is that of moves more than 7 away.
//! `follow` is the same for the own last stone.

use std::collections::HashMap;
use std::fmt::{self, Write};
use tengen::board::Side;
use tengen::eval::{DISPLACEMENTS, OrderingContext, ThreatMask, WeightSets, Weights};
use tengen::pattern::{LineClass, PointClass, combination_lines};

/// Names of the sets, in the order of the file.
pub const SET_NAMES: [&str; Weights::SETS] = ["freestyle", "standard", "renju"];

const SIDE_NAMES: [&str; 2] = ["black", "white"];

/// Names of the facts in a [`ThreatMask`], from bit 0.
const NON_POOLED_INPUTS: [&str; 11] = [
    "their-five",
    "my-open-four",
    "their-open-four",
    "my-four-and-more",
    "my-four",
    "my-three-and-more",
    "my-open-three",
    "their-four-and-more",
    "their-four",
    "their-three-and-more",
    "their-open-three",
];

const _: () = assert!(1 << NON_POOLED_INPUTS.len() == ThreatMask::COUNT);

const HEAD: &str = "\
# Weights of the evaluation; sections are rules and sides, what is left out is 0.
#   lines CLASS CLASS CLASS CLASS  point WORTH own ORDER... denied ORDER...
#   threat FACT...  WORTH
#   reply|follow CLASS DISTANCE|far  ORDER...
# Five orders of lines: open threes for nobody, the mover, the opponent, both; a threat to be met.
# Worth in evaluation units (200 units are odds of 2.7 to 1), order in 1/32 of a unit of log-odds.
";

/// Error parsing weights: the line, from 1, and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError(usize, String);

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.0, self.1)
    }
}

impl std::error::Error for TextError {}

/// Formats weights as text.
pub fn to_text(sets: &WeightSets) -> String {
    let lines = combination_lines();
    let mut text = HEAD.to_owned();
    // Writing to a string cannot fail.
    let mut put = |line: fmt::Arguments<'_>| {
        let _ = text.write_fmt(line);
    };
    for (weights, set) in sets.iter().zip(SET_NAMES) {
        for (side, name) in weights.sides.iter().zip(SIDE_NAMES) {
            put(format_args!("\n[{set} {name}]\n"));
            for (i, [a, b, c, d]) in lines.iter().enumerate() {
                let point = side.point[i];
                let (own, denied) = (side.own.map(|t| t[i]), side.denied.map(|t| t[i]));
                if (point, own, denied) != (0, [0; OrderingContext::COUNT], [0; OrderingContext::COUNT]) {
                    let (own, denied) = (row(&own), row(&denied));
                    put(format_args!("lines {a:?} {b:?} {c:?} {d:?}  point {point} own {own} denied {denied}\n"));
                }
            }
            for (mask, worth) in side.threat.iter().enumerate().filter(|(_, worth)| **worth != 0) {
                let facts: Vec<&str> = (0..NON_POOLED_INPUTS.len())
                    .filter(|bit| mask >> bit & 1 == 1)
                    .map(|b| NON_POOLED_INPUTS[b])
                    .collect();
                let facts = if facts.is_empty() { "none".to_owned() } else { facts.join(" ") };
                put(format_args!("threat {facts}  {worth}\n"));
            }
            for (name, tables) in [("reply", &side.reply), ("follow", &side.follow)] {
                for (class, table) in PointClass::ALL.iter().zip(tables.iter()) {
                    for distance in 0..=FARTHEST {
                        let orders = &table[of_distance(distance)];
                        if orders.iter().any(|order| *order != 0) {
                            let distance = if distance == 0 { "far".to_owned() } else { distance.to_string() };
                            put(format_args!("{name} {class:?} {distance}  {}\n", row(orders)));
                        }
                    }
                }
            }
        }
    }
    text
}

/// Parses weights from text.
///
/// # Errors
/// If a line is malformed; the error has the number of the first such line.
pub fn from_text(text: &str) -> Result<WeightSets, TextError> {
    let numbers: HashMap<[u8; 4], usize> =
        combination_lines().iter().enumerate().map(|(i, lines)| (sorted(*lines), i)).collect();
    let mut sets = WeightSets::default();
    let mut section: Option<(usize, Side)> = None;
    for (i, line) in text.lines().enumerate() {
        let error = |what: &str| TextError(i + 1, what.to_owned());
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = Some(section_of(name).ok_or_else(|| error("no such section"))?);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((kind, rest)) = words.split_first() else { continue };
        let (set, side) = section.ok_or_else(|| error("a line before the first section"))?;
        let side = &mut sets[set].sides[side.index()];
        let number = |word: &str| word.parse::<i16>().map_err(|_| error("a worth is a whole number, 16 bits wide"));
        match (*kind, rest) {
            ("lines", [a, b, c, d, "point", point, "own", orders @ ..]) => {
                let classes = [*a, *b, *c, *d].map(class_of);
                let [Some(a), Some(b), Some(c), Some(d)] = classes else { return Err(error("no such line class")) };
                let at = *numbers.get(&sorted([a, b, c, d])).ok_or_else(|| error("no such combination"))?;
                let (own, denied) =
                    orders.split_at_checked(OrderingContext::COUNT).ok_or_else(|| error("too few orders"))?;
                let ["denied", denied @ ..] = denied else { return Err(error("five orders, then `denied`")) };
                if denied.len() != OrderingContext::COUNT {
                    return Err(error("five orders after `denied`"));
                }
                side.point[at] = number(point)?;
                for stance in 0..OrderingContext::COUNT {
                    side.own[stance][at] = number(own[stance])?;
                    side.denied[stance][at] = number(denied[stance])?;
                }
            }
            ("threat", [facts @ .., worth]) if !facts.is_empty() => {
                let mut bits =
                    facts.iter().filter(|f| **f != "none").map(|f| NON_POOLED_INPUTS.iter().position(|name| name == f));
                let mask = bits.try_fold(0, |mask, bit| bit.map(|b| mask | 1 << b));
                let mask = mask.filter(|m| *m < ThreatMask::COUNT).ok_or_else(|| error("no such fact"))?;
                side.threat[mask] = number(worth)?;
            }
            ("reply" | "follow", [class, distance, orders @ ..]) => {
                let class = PointClass::ALL.iter().position(|c| format!("{c:?}") == *class);
                let class = class.ok_or_else(|| error("no such point class"))?;
                let distance = if *distance == "far" { Some(0) } else { distance.parse().ok().filter(|d| *d > 0) };
                let distance =
                    distance.filter(|d| *d <= FARTHEST).ok_or_else(|| error("a distance is 1 to 7 or far"))?;
                let table = if *kind == "reply" { &mut side.reply } else { &mut side.follow };
                let places = &mut table[class][of_distance(distance)];
                if orders.len() != places.len() {
                    return Err(error("one order for each distance along the other axis, from 0"));
                }
                for (place, order) in places.iter_mut().zip(orders) {
                    *place = number(order)?;
                }
            }
            _ => return Err(error("expected lines, threat, reply or follow, with all their numbers")),
        }
    }
    section.ok_or_else(|| TextError(text.lines().count(), "the text ends without a section".to_owned()))?;
    Ok(sets)
}

/// Largest distance along an axis that has separate ordering scores.
const FARTHEST: usize = 7;

const _: () = assert!((FARTHEST + 1) * (FARTHEST + 2) / 2 == DISPLACEMENTS);

/// Entries of moves whose larger distance is `distance`, ordered by the smaller one; 0 means far away.
fn of_distance(distance: usize) -> std::ops::Range<usize> {
    let first = distance * (distance + 1) / 2;
    first..first + distance + 1
}

fn row(numbers: &[i16]) -> String {
    numbers.iter().map(i16::to_string).collect::<Vec<_>>().join(" ")
}

fn section_of(name: &str) -> Option<(usize, Side)> {
    let (set, side) = name.split_once(' ')?;
    let set = SET_NAMES.iter().position(|n| *n == set)?;
    let side = Side::BOTH.into_iter().find(|s| SIDE_NAMES[s.index()] == side.trim())?;
    Some((set, side))
}

fn class_of(name: &str) -> Option<LineClass> {
    LineClass::ALL.into_iter().find(|class| format!("{class:?}") == name)
}

/// Four classes as numbers in ascending order; the result does not depend on the order of directions.
fn sorted(lines: [LineClass; 4]) -> [u8; 4] {
    let mut numbers = lines.map(|class| class as u8);
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::Point;
    use tengen::eval::{Weights, displacement};
    use tengen::pattern::COMBINATION_SLOTS;

    #[test]
    fn weights_survive_the_text() {
        let sets = WeightSets::clone(Weights::built_in());
        let text = to_text(&sets);
        assert_eq!(from_text(&text).as_ref(), Ok(&sets));
        assert!(text.lines().any(|l| l.starts_with("threat none ")) || !text.contains("threat none"));
    }

    #[test]
    fn edits_are_understood_and_mistakes_told() {
        let text = "[renju white]\nlines RichThree Dead OpenTwo Dead point -7 own 8 1 2 3 4 denied 9 0 0 0 6 # mine\n\
                    threat none 5\nreply OpenThree 2 30 -4 25\nfollow None far -3\n";
        let sets = from_text(text).expect("weights");
        let side = sets[2].side(Side::White);
        assert_eq!((side.point.iter().sum::<i16>(), side.threat[0]), (-7, 5));
        let sums = |tables: &[[i16; COMBINATION_SLOTS]; OrderingContext::COUNT]| tables.map(|t| t.iter().sum::<i16>());
        assert_eq!((sums(&side.own), sums(&side.denied)), ([8, 1, 2, 3, 4], [9, 0, 0, 0, 6]));
        let place = |x, y| displacement(Point::at(9, 9), Point::at(x, y));
        let reply = side.reply[PointClass::OpenThree as usize];
        assert_eq!([place(7, 9), place(10, 11), place(11, 7)].map(|p| reply[p]), [30, -4, 25]);
        assert_eq!(side.follow[PointClass::None as usize][place(0, 9)], -3);
        let first_error = |text: &str| from_text(text).expect_err("a mistake").0;
        assert_eq!(first_error("threat none 5"), 1);
        assert_eq!(first_error("[renju white]\nthreat 5"), 2);
        assert_eq!(first_error("[renju red]"), 1);
        assert_eq!(first_error("[renju white]\nthreat their-five 99999"), 2);
        assert_eq!(first_error("[renju white]\nlines Dead Dead Dead Sad point 1 own 1 1 1 1 1 denied 1 1 1 1 1"), 2);
        assert_eq!(first_error("[renju white]\nlines Dead Dead Dead Dead point 1 own 1 denied 1"), 2);
        assert_eq!(first_error("[renju white]\nreply OpenThree 8 1 1"), 2);
        assert_eq!(first_error("[renju white]\nfollow OpenThree 2 1 1"), 2);
    }
}
