//! The engine as a player of an opening: its goal for what is due, and the steps that its answer means.

use crate::board::{Point, Setup, Side};
use crate::engine::report::{Answer, Goal};
use crate::opening::{Area, Choice, Due, Opening, OpeningRule, Step, images};

/// The goal for what is due in an opening, and the points that are excluded.
pub fn opening_goal(opening: &Opening, setup: &Setup) -> (Goal, Vec<Point>) {
    match opening.due() {
        Due::Move => (Goal::Move, Vec::new()),
        Due::Choice => (choice_goal(opening, setup), Vec::new()),
        Due::Number { most } => (Goal::FifthsNumber { most: usize::from(most) }, Vec::new()),
        Due::Offer { left } => {
            let excluded = opening.offered().iter().flat_map(|point| images(setup, *point)).collect();
            (Goal::SoosorvOffer { fifths: usize::from(left) }, excluded)
        }
        Due::Stone(area) => {
            let legal = opening.points(setup);
            let excluded = setup.size.points().filter(|point| !legal.contains(point));
            (stone_goal(opening, setup, area), excluded.collect())
        }
    }
}

fn choice_goal(opening: &Opening, setup: &Setup) -> Goal {
    let fifths = usize::from(opening.fifths());
    match (opening.rule(), setup.stones.len()) {
        (OpeningRule::Swap2, 3) => Goal::Swap2Reply,
        (OpeningRule::Rif | OpeningRule::Yamaguchi, _) => Goal::ColourByFifths { fifths },
        (OpeningRule::Soosorv8, 4) => Goal::SoosorvSwap { fifths },
        (OpeningRule::Taraguchi10, 4) => Goal::TenOrColour { fifths },
        _ => Goal::Swap2Final,
    }
}

fn stone_goal(opening: &Opening, setup: &Setup, area: Area) -> Goal {
    let fifths = usize::from(opening.fifths());
    match (opening.rule(), setup.stones.len()) {
        _ if area == Area::Offered => Goal::SoosorvChoose { fifths: opening.offered().len() },
        (OpeningRule::Swap | OpeningRule::Swap2, 0) => Goal::Swap2Open,
        // The number of fifth moves is fixed; in the other rules its choice evens the opening.
        (OpeningRule::Rif, 0) => Goal::OpenByFifths { fifths },
        (OpeningRule::Yamaguchi | OpeningRule::Soosorv8, 0) => Goal::SoosorvOpen,
        // The centre.
        (_, 0) => Goal::Move,
        // Two stones of one player.
        (OpeningRule::Swap | OpeningRule::Swap2, 1) | (OpeningRule::Swap2, 3) => Goal::BalanceTwo { bias: 0 },
        (OpeningRule::Rif | OpeningRule::Yamaguchi, 3) => Goal::Fourth { fifths },
        (OpeningRule::Soosorv8, 3) => Goal::SoosorvFourth,
        // A single fifth move, after which nobody chooses; and the rules without choices.
        (OpeningRule::Soosorv8 | OpeningRule::Yamaguchi, 4) | (OpeningRule::Pro | OpeningRule::LongPro, _) => {
            Goal::Move
        }
        _ => Goal::BalanceOne { bias: 0 },
    }
}

/// The steps that an answer to [`opening_goal`] means, as far as they are legal.
pub fn opening_steps(opening: &Opening, setup: &Setup, answer: &Answer) -> Vec<Step> {
    let points = match answer {
        Answer::Points(points) => points.as_slice(),
        Answer::Swap | Answer::Full => &[],
    };
    let steps = match opening.due() {
        _ if *answer == Answer::Full => Vec::new(),
        Due::Choice => choice_steps(opening, setup, *answer == Answer::Swap, points),
        Due::Number { .. } => number(points.len() - usize::from(setup.stones.len() < 4)).into_iter().collect(),
        Due::Offer { .. } => points.iter().map(|point| Step::Offer(*point)).collect(),
        Due::Stone(_) | Due::Move => stone_steps(opening, setup, points),
    };
    legal(opening, setup, steps)
}

fn number(number: usize) -> Option<Step> {
    u8::try_from(number).ok().map(Step::Number)
}

fn stone_steps(opening: &Opening, setup: &Setup, points: &[Point]) -> Vec<Step> {
    let (goal, _) = opening_goal(opening, setup);
    let stones = match goal {
        Goal::Swap2Open | Goal::SoosorvOpen | Goal::OpenByFifths { .. } => 3,
        Goal::BalanceTwo { .. } => 2,
        _ => 1,
    };
    let mut steps: Vec<Step> = points.iter().take(stones).map(|point| Step::Stone(*point)).collect();
    if goal == Goal::SoosorvFourth {
        steps.extend(number(points.len().saturating_sub(1)).filter(|_| points.len() > 1));
    }
    steps
}

/// The engine answers which colour it wants of the side to move and the other one.
fn choice_steps(opening: &Opening, setup: &Setup, swaps: bool, points: &[Point]) -> Vec<Step> {
    let wanted: Side = if swaps { !setup.to_move } else { setup.to_move };
    let stays = wanted == opening.actor(setup.to_move);
    let may = |choice| opening.choices().any(|due| due == choice);
    let choice = match points {
        [_, _, ..] if may(Choice::Two) => Choice::Two,
        [_, _, ..] if may(Choice::Ten) => Choice::Ten,
        _ if stays => Choice::Stay,
        _ => Choice::Swap,
    };
    let stone = |point: &Point| Step::Stone(*point);
    let then: Vec<Step> = match choice {
        Choice::Two => points.iter().take(2).map(stone).collect(),
        Choice::Ten => points.iter().map(|point| Step::Offer(*point)).collect(),
        // The stone that follows is part of the answer where the engine has chosen the side to move for it.
        _ => points.iter().take(1).filter(|_| follows(opening, choice)).map(stone).collect(),
    };
    std::iter::once(Step::Choice(choice)).chain(then).collect()
}

/// Whether the next stone after an answer is a move like any other, not one after which the other player chooses.
fn follows(opening: &Opening, choice: Choice) -> bool {
    let is_fourth = matches!(opening.rule(), OpeningRule::Rif | OpeningRule::Yamaguchi);
    is_fourth || opening.after(Step::Choice(choice)).is_some_and(|next| next.is_over())
}

/// The steps up to the first one that is not legal.
fn legal(opening: &Opening, setup: &Setup, steps: Vec<Step>) -> Vec<Step> {
    let (mut opening, mut setup) = (opening.clone(), setup.clone());
    steps.into_iter().take_while(|step| opening.take(&mut setup, *step).is_ok()).collect()
}
