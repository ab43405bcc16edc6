//! The engine as a player of every opening rule.

use crate::play;
use std::collections::HashSet;
use tengen::board::{BoardSize, Point, Setup, parse_points};
use tengen::engine::{Answer, Engine, Goal, Limits, Options, Request, Rule, opening_goal, opening_steps};
use tengen::opening::{Choice, Due, Opening, OpeningRule, Step, renju_opening};

const NODES: u64 = 6_000;

fn engine() -> Engine {
    Engine::new(Options { hash: Some(8 << 20), ..Options::default() })
}

fn rule_of(opening: OpeningRule) -> Rule {
    if opening.is_renju() { Rule::Renju } else { Rule::Standard }
}

/// Takes the engine's steps for what is due.
fn advance(engine: &mut Engine, opening: &mut Opening, setup: &mut Setup, chance: Option<u64>) -> Vec<Step> {
    let (goal, excluded) = opening_goal(opening, setup);
    let limits = Limits::nodes(NODES);
    let request = Request { goal, excluded, chance, ..Request::new(setup.clone(), rule_of(opening.rule()), limits) };
    let answer = play::ask(engine, &request).answer;
    let steps = opening_steps(opening, setup, &answer);
    assert!(!steps.is_empty(), "{}: {goal:?} {answer:?}", opening.rule());
    for step in &steps {
        opening.take(setup, *step).expect("a legal step");
    }
    steps
}

#[test]
fn the_engine_goes_through_every_opening() {
    for rule in OpeningRule::ALL {
        for chance in [None, Some(1)] {
            let (mut engine, mut opening, mut setup) = (engine(), Opening::new(rule), Setup::empty(BoardSize::RENJU));
            let mut asked = 0;
            while !opening.is_over() {
                advance(&mut engine, &mut opening, &mut setup, chance);
                asked += 1;
                assert!(asked < 30, "{rule}");
            }
            assert_eq!(setup.check(), Ok(()));
            if rule.is_renju() {
                let first = [0, 1, 2].map(|i| setup.stones[i].0);
                assert!(renju_opening(setup.size, first).is_some());
            }
        }
    }
}

/// An opening after these steps of persons.
fn after(rule: OpeningRule, moves: &str, steps: &[Step]) -> (Opening, Setup) {
    let (mut opening, mut setup) = (Opening::new(rule), Setup::empty(BoardSize::RENJU));
    let stones = parse_points(setup.size, moves).expect("labels").into_iter().map(Step::Stone);
    for step in stones.chain(steps.iter().copied()) {
        opening.take(&mut setup, step).expect("a legal step");
    }
    (opening, setup)
}

fn at(label: &str) -> Point {
    parse_points(BoardSize::RENJU, label).expect("a label")[0]
}

#[test]
fn offers_go_on_where_a_person_has_begun_them() {
    let stones = [Step::Choice(Choice::Stay), Step::Stone(at("h10")), Step::Offer(at("g8"))];
    let (mut opening, mut setup) = after(OpeningRule::Rif, "h8h9h7", &stones);
    let steps = advance(&mut engine(), &mut opening, &mut setup, None);
    assert!(matches!(steps[..], [Step::Offer(point)] if point != at("i8")), "{steps:?}: the same by symmetry");
    assert_eq!(opening.due(), Due::Stone(tengen::opening::Area::Offered));
    advance(&mut engine(), &mut opening, &mut setup, None);
    assert!(opening.is_over() && opening.offered().contains(&setup.stones[4].0));
}

#[test]
fn a_won_opening_is_not_left_to_the_opponent() {
    // Kagetsu is won for black if black may choose the fifth move, and still with two of them.
    let (opening, setup) = after(OpeningRule::Rif, "h8h9i9", &[]);
    let (goal, _) = opening_goal(&opening, &setup);
    assert_eq!(goal, Goal::ColourByFifths { fifths: 2 });
    let request = Request { goal, ..Request::new(setup.clone(), Rule::Renju, Limits::nodes(40_000)) };
    let answer = play::ask(&mut engine(), &request).answer;
    assert_eq!(opening_steps(&opening, &setup, &answer), [Step::Choice(Choice::Swap)]);
    // Suisei is won for white.
    let (opening, setup) = after(OpeningRule::Rif, "h8i9f6", &[]);
    let request = Request { goal, ..Request::new(setup.clone(), Rule::Renju, Limits::nodes(40_000)) };
    let answer = play::ask(&mut engine(), &request).answer;
    let steps = opening_steps(&opening, &setup, &answer);
    assert!(matches!(steps[..], [Step::Choice(Choice::Stay), Step::Stone(_)]), "{steps:?}");
}

/// Black offers two fifth moves in RIF, so an even opening is one that is good for black if black chose the fifth move.
#[test]
fn an_opening_of_rif_is_even_with_two_fifths() {
    let (goal, _) = opening_goal(&Opening::new(OpeningRule::Rif), &Setup::empty(BoardSize::RENJU));
    assert_eq!(goal, Goal::OpenByFifths { fifths: 2 });
    let request = Request { goal, ..Request::new(Setup::empty(BoardSize::RENJU), Rule::Renju, Limits::nodes(150_000)) };
    let Answer::Points(stones) = play::ask(&mut engine(), &request).answer else { panic!("stones") };
    let score = |stones: &[Point]| {
        let mut setup = Setup::empty(BoardSize::RENJU);
        stones.iter().for_each(|point| setup.play(*point));
        let goal = Goal::Fourth { fifths: 2 };
        let request = Request { goal, ..Request::new(setup, Rule::Renju, Limits::nodes(60_000)) };
        play::ask(&mut engine(), &request).line.score.raw().abs()
    };
    let points = |text: &str| after(OpeningRule::Rif, text, &[]).1.stones.iter().map(|(p, _)| *p).collect::<Vec<_>>();
    // Keigetsu is won for black.
    let (chosen, keigetsu) = (score(&stones), score(&points("h8h9g10")));
    assert!(stones.len() == 3 && chosen < 80 && keigetsu > 120, "{stones:?}: {chosen}, {keigetsu}");
}

/// The more fifth moves are offered, the better for white; so a strong opening of black needs more of them.
#[test]
fn strong_openings_get_more_fifths() {
    let number = |moves: &str| {
        let (opening, setup) = after(OpeningRule::Yamaguchi, moves, &[]);
        let (goal, _) = opening_goal(&opening, &setup);
        assert_eq!(goal, Goal::FifthsNumber { most: 50 });
        let request = Request { goal, ..Request::new(setup.clone(), Rule::Renju, Limits::nodes(60_000)) };
        let answer = play::ask(&mut engine(), &request).answer;
        match opening_steps(&opening, &setup, &answer)[..] {
            [Step::Number(number)] => number,
            ref steps => panic!("{steps:?}"),
        }
    };
    assert!(number("h8h9i9") > number("h8i9f6"));
    assert_eq!(number("h8i9f6"), 1, "white wins in any case");
}

#[test]
fn colours_are_named_by_the_seat_that_chooses() {
    // Black's player decides with black to move, and with white to move.
    for (rule, moves, steps) in [
        (OpeningRule::Tarannikov, "h8", vec![Step::Choice(Choice::Stay), Step::Stone(at("h9"))]),
        (OpeningRule::Swap2, "h8h9i9", vec![Step::Choice(Choice::Two), Step::Stone(at("a1")), Step::Stone(at("a2"))]),
    ] {
        let (opening, setup) = after(rule, moves, &steps);
        let wants = |answer: Answer| opening_steps(&opening, &setup, &answer)[0];
        let black_to_move = rule == OpeningRule::Tarannikov;
        let (takes_other, takes_mover) = (wants(Answer::Swap), wants(Answer::Points(vec![at("o1")])));
        let stay = Step::Choice(Choice::Stay);
        let swap = Step::Choice(Choice::Swap);
        assert_eq!((takes_mover, takes_other), if black_to_move { (stay, swap) } else { (swap, stay) });
    }
}

#[test]
fn chance_varies_openings_and_a_seed_repeats_them() {
    let opened = |rule: OpeningRule, chance| {
        let (mut opening, mut setup) = (Opening::new(rule), Setup::empty(BoardSize::RENJU));
        advance(&mut engine(), &mut opening, &mut setup, chance);
        setup.stones
    };
    for rule in [OpeningRule::Swap2, OpeningRule::Rif] {
        let seen: HashSet<_> = (0..6).map(|seed| opened(rule, Some(seed))).collect();
        assert!(seen.len() >= 3, "{rule}: {seen:?}");
        assert_eq!(opened(rule, Some(3)), opened(rule, Some(3)));
        assert_eq!(opened(rule, None), opened(rule, None));
    }
}
