//! Swap2: who does what in the opening of a game.
//!
//! Black's player puts three stones (black, white, black). White's player keeps white, takes black, or puts two more
//! stones (white, black); then black's player keeps black or takes white. White moves next in any case.
//!
//! An answer is a node of the tree like a move, without a stone and with its own property. So the stage of the opening
//! follows from the path to a node alone. Taking an answer back needs no extra state, and SGF stores it.

use crate::command::{Choice, Opening};
use crate::view::Phase;
use tengen::board::Side;
use tengen::engine::Goal;
use tengen_record::Node;

/// Property of a node that is an answer in the opening.
const PROPERTY: &str = "SWAP";

/// The stage of the opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The opener puts three stones; this number is on the board.
    Three(u8),
    /// The other player chooses.
    Choose,
    /// The other player puts two more stones; this number is on the board.
    Two(u8),
    /// The opener chooses the colour.
    ChooseFinal,
    /// Moves alternate.
    Play,
}

impl Stage {
    /// The stage before the first stone.
    pub const fn first(opening: Opening) -> Stage {
        match opening {
            Opening::None => Stage::Play,
            Opening::Swap2 => Stage::Three(0),
        }
    }

    /// The stage after one more stone. A stone where an answer was due (a file may have that) ends the opening.
    #[must_use]
    pub const fn after_stone(self) -> Stage {
        match self {
            Stage::Three(n) if n < 2 => Stage::Three(n + 1),
            Stage::Three(_) => Stage::Choose,
            Stage::Two(0) => Stage::Two(1),
            Stage::Two(_) => Stage::ChooseFinal,
            Stage::Choose | Stage::ChooseFinal | Stage::Play => Stage::Play,
        }
    }

    /// The stage after an answer, and whether the answer exchanges the colours. `None` for an answer that is not due.
    pub const fn after_choice(self, choice: Choice) -> Option<(Stage, bool)> {
        match (self, choice) {
            (Stage::Choose | Stage::ChooseFinal, Choice::Stay) => Some((Stage::Play, false)),
            (Stage::Choose | Stage::ChooseFinal, Choice::Swap) => Some((Stage::Play, true)),
            (Stage::Choose, Choice::Two) => Some((Stage::Two(0), false)),
            _ => None,
        }
    }

    /// The side whose player acts; `to_move` is the colour of the next stone. Colours are exchanged only when the
    /// opening is over.
    pub const fn actor(self, to_move: Side) -> Side {
        match self {
            Stage::Three(_) | Stage::ChooseFinal => Side::Black,
            Stage::Choose | Stage::Two(_) => Side::White,
            Stage::Play => to_move,
        }
    }

    /// What the player has to do.
    pub const fn phase(self) -> Phase {
        match self {
            Stage::Three(_) => Phase::PlaceThree,
            Stage::Choose => Phase::Choose,
            Stage::Two(_) => Phase::PlaceTwo,
            Stage::ChooseFinal => Phase::ChooseFinal,
            Stage::Play => Phase::Move,
        }
    }

    /// Whether a stone is due, not an answer.
    pub const fn wants_stone(self) -> bool {
        !matches!(self, Stage::Choose | Stage::ChooseFinal)
    }

    /// The engine's goal. If a person has put some of the stones already, the goal is stones that make the position
    /// even.
    pub const fn goal(self) -> Goal {
        match self {
            Stage::Three(0) => Goal::Swap2Open,
            Stage::Three(1) | Stage::Two(0) => Goal::BalanceTwo { bias: 0 },
            Stage::Three(_) | Stage::Two(_) => Goal::BalanceOne { bias: 0 },
            Stage::Choose => Goal::Swap2Reply,
            Stage::ChooseFinal => Goal::Swap2Final,
            Stage::Play => Goal::Move,
        }
    }

    /// Translates the engine's answer where a choice is due: it takes black, or has stones to put. At the last choice
    /// the engine answers from the view of white's player.
    pub const fn choice(self, takes_black: bool, stones: usize) -> Option<Choice> {
        match (self, takes_black) {
            (Stage::Choose, true) | (Stage::ChooseFinal, false) => Some(Choice::Swap),
            (Stage::Choose, false) if stones >= 2 => Some(Choice::Two),
            (Stage::Choose, false) | (Stage::ChooseFinal, true) => Some(Choice::Stay),
            _ => None,
        }
    }
}

/// The word for an answer in the property of its node.
const fn word(choice: Choice) -> &'static str {
    match choice {
        Choice::Stay => "stay",
        Choice::Swap => "swap",
        Choice::Two => "two",
    }
}

/// Turns a node into an answer.
pub fn mark(node: &mut Node, choice: Choice) {
    node.properties.push((PROPERTY.to_owned(), vec![word(choice).to_owned()]));
}

/// The answer of a node, if it is one.
pub fn choice_of(node: &Node) -> Option<Choice> {
    if node.stone.is_some() || node.pass.is_some() {
        return None;
    }
    let (_, values) = node.properties.iter().find(|(name, _)| name == PROPERTY)?;
    let told = values.first()?;
    [Choice::Stay, Choice::Swap, Choice::Two].into_iter().find(|choice| word(*choice) == told)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who acts at each step through an opening.
    fn actors(steps: &[Option<Choice>]) -> (Vec<(Phase, Side)>, Stage, bool) {
        let (mut stage, mut side, mut swapped) = (Stage::first(Opening::Swap2), Side::Black, false);
        let mut seen = Vec::new();
        for step in steps {
            seen.push((stage.phase(), stage.actor(side)));
            assert_eq!(stage.wants_stone(), step.is_none());
            match step {
                None => (stage, side) = (stage.after_stone(), !side),
                Some(choice) => {
                    let (next, exchange) = stage.after_choice(*choice).expect("an answer that is due");
                    (stage, swapped) = (next, swapped ^ exchange);
                }
            }
        }
        assert_eq!(side, Side::White, "white moves next");
        (seen, stage, swapped)
    }

    #[test]
    fn all_ways_through_swap2() {
        use Phase::{Choose, ChooseFinal, PlaceThree, PlaceTwo};
        let (b, w) = (Side::Black, Side::White);
        let three = [(PlaceThree, b), (PlaceThree, b), (PlaceThree, b), (Choose, w)];
        for (choice, swaps) in [(Choice::Stay, false), (Choice::Swap, true)] {
            assert_eq!(actors(&[None, None, None, Some(choice)]), (three.to_vec(), Stage::Play, swaps));
            let mut long = three.to_vec();
            long.extend([(PlaceTwo, w), (PlaceTwo, w), (ChooseFinal, b)]);
            let way = [None, None, None, Some(Choice::Two), None, None, Some(choice)];
            assert_eq!(actors(&way), (long, Stage::Play, swaps));
        }
        assert_eq!(Stage::ChooseFinal.after_choice(Choice::Two), None);
        assert_eq!(Stage::Play.after_choice(Choice::Stay), None);
    }

    #[test]
    fn answers_are_properties_of_nodes() {
        for choice in [Choice::Stay, Choice::Swap, Choice::Two] {
            let mut node = Node::default();
            assert_eq!(choice_of(&node), None);
            mark(&mut node, choice);
            assert_eq!(choice_of(&node), Some(choice));
            node.pass = Some(Side::Black);
            assert_eq!(choice_of(&node), None);
        }
    }

    #[test]
    fn the_engine_takes_black_or_leaves_it() {
        assert_eq!(Stage::Choose.choice(true, 0), Some(Choice::Swap));
        assert_eq!(Stage::Choose.choice(false, 1), Some(Choice::Stay));
        assert_eq!(Stage::Choose.choice(false, 2), Some(Choice::Two));
        // The opener has black: taking black means to stay.
        assert_eq!(Stage::ChooseFinal.choice(true, 0), Some(Choice::Stay));
        assert_eq!(Stage::ChooseFinal.choice(false, 1), Some(Choice::Swap));
    }
}
