//! Random walks through all openings.

use crate::Played;
use proptest::prelude::*;
use tengen::board::{BoardSize, Point, Side};
use tengen::opening::{Choice, Due, OpeningRule, Step};

/// All steps that could be taken anywhere.
fn steps() -> impl Iterator<Item = Step> {
    let points = || (0..25).flat_map(|y| (0..25).map(move |x| Point::at(x, y)));
    let choices = Choice::ALL.into_iter().map(Step::Choice);
    choices.chain((0..=60).map(Step::Number)).chain(points().map(Step::Stone)).chain(points().map(Step::Offer))
}

/// Stones of the opening when it is over.
fn stones(rule: OpeningRule) -> std::ops::RangeInclusive<usize> {
    match rule {
        OpeningRule::Free => 0..=0,
        OpeningRule::Pro | OpeningRule::LongPro | OpeningRule::Swap => 3..=3,
        OpeningRule::Swap2 => 3..=5,
        _ => 5..=5,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A walk of legal steps ends in play, on a board with stones of alternate colours. Steps that the check refuses
    /// change nothing, and those that it allows are taken.
    #[test]
    fn legal_walks_end_in_play(
        rule in prop::sample::select(&OpeningRule::ALL[..]),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 80),
    ) {
        let mut played = Played::new(rule);
        let mut number = None;
        for pick in picks {
            if played.opening.is_over() {
                break;
            }
            let (legal, illegal): (Vec<Step>, Vec<Step>) =
                steps().partition(|step| played.opening.check(&played.setup, *step).is_ok());
            prop_assert!(!legal.is_empty());
            let mut copy = played.clone();
            for step in illegal {
                prop_assert!(copy.opening.take(&mut copy.setup, step).is_err());
            }
            prop_assert_eq!((&copy.opening, &copy.setup), (&played.opening, &played.setup));
            // A small number of fifth moves, so that the walk stays short.
            let number_due = matches!(played.opening.due(), Due::Number { .. });
            let legal = if number_due { legal[..8].to_vec() } else { legal };
            let step = *pick.get(&legal);
            if let Step::Number(told) = step {
                number = Some(told);
            }
            prop_assert!(played.opening.after(step).is_some());
            prop_assert!(played.opening.take(&mut played.setup, step).is_ok());
        }
        prop_assert!(played.opening.is_over());
        prop_assert_eq!(played.setup.check(), Ok(()));
        prop_assert!(stones(rule).contains(&played.setup.stones.len()));
        for (i, (_, side)) in played.setup.stones.iter().enumerate() {
            prop_assert_eq!(*side, if i % 2 == 0 { Side::Black } else { Side::White });
        }
        let offered = played.opening.offered();
        if let Some(number) = number.filter(|number| *number > 1) {
            prop_assert_eq!(offered.len(), usize::from(number));
        }
        if let Some((fifth, _)) = played.setup.stones.get(4).filter(|_| !offered.is_empty()) {
            prop_assert!(offered.contains(fifth));
        }
        prop_assert!(rule.check(&tengen::board::Setup::empty(BoardSize::RENJU)).is_ok());
    }
}
