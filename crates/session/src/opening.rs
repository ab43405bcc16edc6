//! Answers in the opening as nodes of the tree, and what a step of the opening means for the board.
//!
//! The [state of an opening](tengen::opening) follows from the path to a node alone: an answer is a node of the tree
//! like a move, without a stone and with its own property. Taking an answer back needs no extra state, and SGF stores
//! it. An offered fifth move is such a node too, since its stone is not on the board.

use crate::view::Phase;
use tengen::board::{BoardSize, Side, format_point, parse_point};
use tengen::opening::{Area, Choice, Due, Opening, OpeningRule, Step};
use tengen_record::Node;

/// Property of a node that is an answer in the opening: a word; `number` and the number; `offer` and the point.
const PROPERTY: &str = "SWAP";

/// What the player has to do.
pub fn phase(opening: &Opening) -> Phase {
    match opening.due() {
        Due::Move => Phase::Move,
        Due::Number { .. } => Phase::Number,
        Due::Offer { .. } => Phase::Offer,
        Due::Stone(Area::Offered) => Phase::Pick,
        Due::Stone(_) => match opening.rule() {
            // The first player places three stones, the other one two more.
            OpeningRule::Swap | OpeningRule::Swap2 => match opening.actor(Side::Black) {
                Side::Black => Phase::PlaceThree,
                Side::White => Phase::PlaceTwo,
            },
            _ => Phase::Place,
        },
        Due::Choice if opening.choices().any(|choice| choice == Choice::Two) => Phase::Choose,
        Due::Choice if opening.choices().any(|choice| choice == Choice::Ten) => Phase::ChooseTen,
        Due::Choice => Phase::ChooseFinal,
    }
}

/// Whether a click on a point may be what is due: a stone or an offer.
pub fn wants_point(opening: &Opening) -> bool {
    matches!(opening.due(), Due::Stone(_) | Due::Offer { .. } | Due::Move)
}

/// Turns a node into an answer. A stone is no answer.
pub fn mark(node: &mut Node, step: Step, size: BoardSize) {
    let values = match step {
        Step::Stone(_) => return,
        Step::Choice(choice) => vec![choice.name().to_owned()],
        Step::Number(number) => vec!["number".to_owned(), number.to_string()],
        Step::Offer(point) => vec!["offer".to_owned(), format_point(size, point)],
    };
    node.properties.push((PROPERTY.to_owned(), values));
}

/// The answer of a node, if it is one.
pub fn answer_of(node: &Node, size: BoardSize) -> Option<Step> {
    if node.stone.is_some() || node.pass.is_some() {
        return None;
    }
    let (_, values) = node.properties.iter().find(|(name, _)| name == PROPERTY)?;
    let value = values.get(1).map(String::as_str);
    match (values.first()?.as_str(), value) {
        ("number", number) => number?.parse().ok().map(Step::Number),
        ("offer", label) => parse_point(size, label?).ok().map(Step::Offer),
        (word, _) => Choice::from_name(word).map(Step::Choice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::{Point, Setup};

    /// What is due at each step through an opening, and who acts.
    fn phases(rule: OpeningRule, steps: &[&str]) -> Vec<(Phase, Side)> {
        let (mut opening, mut setup) = (Opening::new(rule), Setup::empty(BoardSize::RENJU));
        let mut seen = vec![(phase(&opening), opening.actor(setup.to_move))];
        for word in steps {
            let point = || parse_point(setup.size, word.trim_start_matches('+')).expect("a label");
            let step = match (Choice::from_name(word), word.parse()) {
                (Some(choice), _) => Step::Choice(choice),
                (_, Ok(number)) => Step::Number(number),
                _ if word.starts_with('+') => Step::Offer(point()),
                _ => Step::Stone(point()),
            };
            assert_eq!(wants_point(&opening), matches!(step, Step::Stone(_) | Step::Offer(_)));
            opening.take(&mut setup, step).expect("a legal step");
            seen.push((phase(&opening), opening.actor(setup.to_move)));
        }
        seen
    }

    #[test]
    fn all_ways_through_swap2() {
        use Phase::{Choose, ChooseFinal, Move, PlaceThree, PlaceTwo};
        let (b, w) = (Side::Black, Side::White);
        let three = [(PlaceThree, b), (PlaceThree, b), (PlaceThree, b), (Choose, w)];
        for choice in ["stay", "swap"] {
            let short = [three.as_slice(), &[(Move, w)]].concat();
            assert_eq!(phases(OpeningRule::Swap2, &["h8", "i9", "h9", choice]), short);
            let long = [three.as_slice(), &[(PlaceTwo, w), (PlaceTwo, w), (ChooseFinal, b), (Move, w)]].concat();
            assert_eq!(phases(OpeningRule::Swap2, &["h8", "i9", "h9", "two", "a1", "a2", choice]), long);
        }
    }

    #[test]
    fn the_phases_of_fifth_moves() {
        use Phase::{ChooseFinal, ChooseTen, Move, Number, Offer, Pick, Place};
        let (b, w) = (Side::Black, Side::White);
        let soosorv = ["h8", "h9", "i9", "stay", "g7", "2", "swap", "+a1", "+a2", "a2"];
        let due = [Place, Place, Place, ChooseFinal, Place, Number, ChooseFinal, Offer, Offer, Pick, Move];
        let actors = [b, b, b, w, w, w, b, b, b, w, w];
        assert_eq!(phases(OpeningRule::Soosorv8, &soosorv), due.into_iter().zip(actors).collect::<Vec<_>>());
        let taraguchi = ["h8", "stay", "h9", "stay", "i9", "stay", "g7", "ten", "+a1"];
        let seen = phases(OpeningRule::Taraguchi10, &taraguchi);
        assert_eq!((seen[7], seen[8]), ((ChooseTen, b), (Offer, b)));
    }

    #[test]
    fn answers_are_properties_of_nodes() {
        let size = BoardSize::RENJU;
        let choices = Choice::ALL.map(Step::Choice);
        for step in choices.into_iter().chain([Step::Number(7), Step::Offer(Point::at(14, 0))]) {
            let mut node = Node::default();
            assert_eq!(answer_of(&node, size), None);
            mark(&mut node, step, size);
            assert_eq!(answer_of(&node, size), Some(step));
            node.pass = Some(Side::Black);
            assert_eq!(answer_of(&node, size), None);
        }
        for values in [vec![], vec!["number"], vec!["number", "x"], vec!["offer", "z99"], vec!["what"]] {
            let values = values.into_iter().map(str::to_owned).collect();
            let node = Node { properties: vec![(PROPERTY.to_owned(), values)], ..Node::default() };
            assert_eq!(answer_of(&node, size), None);
        }
    }
}
