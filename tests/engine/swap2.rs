//! The decisions of opening rules: swap2 and Soosorv-8.

use crate::play;
use rayon::prelude::*;
use tengen::board::{BoardSize, Cell, Point, Setup, parse_points};
use tengen::engine::{Answer, Engine, Goal, Limits, Options, Outcome, Request, Rule, swap2_openings};

const NODES: u64 = 20_000;

fn position(moves: &str) -> Setup {
    let size = BoardSize::new(15, 15).expect("a size");
    Setup::from_moves(size, parse_points(size, moves).expect("labels"))
}

fn ask(goal: Goal, setup: &Setup, rule: Rule, nodes: u64) -> Outcome {
    let mut engine = Engine::new(Options { hash: Some(8 << 20), ..Options::default() });
    play::ask(&mut engine, &Request { goal, ..Request::new(setup.clone(), rule, Limits::nodes(nodes)) })
}

fn decide(goal: Goal, moves: &str) -> Answer {
    ask(goal, &position(moves), Rule::Standard, NODES).answer
}

#[test]
fn who_finds_black_far_ahead_takes_black() {
    assert_eq!(decide(Goal::Swap2Reply, "h8a1i9"), Answer::Swap);
    assert_eq!(decide(Goal::Swap2Final, "h8a1i9o15g7"), Answer::Swap);
}

#[test]
fn who_finds_white_ahead_stays() {
    // Black's stones are in corners, and white moves next.
    let Answer::Points(points) = decide(Goal::Swap2Reply, "a1h8o15") else { panic!("white is ahead") };
    assert_eq!(points.len(), 1);
}

/// The engine's own openings under several rules.
fn own_openings() -> impl Iterator<Item = (Rule, Setup)> {
    let leagues =
        [(Rule::Freestyle, 15), (Rule::Renju, 15), (Rule::Standard, 15), (Rule::Freestyle, 20), (Rule::Standard, 20)];
    leagues.into_iter().flat_map(|(rule, side)| {
        let size = BoardSize::new(side, side).expect("a size");
        swap2_openings(&Setup::empty(size)).into_iter().map(move |setup| (rule, setup))
    })
}

fn place(setup: &mut Setup, points: &[Point], rule: Rule) {
    for point in points {
        assert_eq!(setup.cell(*point), Cell::Empty, "{rule}");
        setup.play(*point);
    }
    assert_eq!(setup.check(), Ok(()), "{rule}");
}

/// The answer to most openings is a colour, but some are so even that placing two stones is better.
#[test]
fn two_stones_are_placed_after_some_openings() {
    let places = |(rule, mut setup): (Rule, Setup)| match ask(Goal::Swap2Reply, &setup, rule, 6 * NODES).answer {
        Answer::Points(points) if points.len() == 2 => {
            place(&mut setup, &points, rule);
            true
        }
        _ => false,
    };
    assert!(own_openings().any(places), "two stones were never placed");
}

/// By a deeper search, two placed stones make an even position. The test requests the two stones directly, with half of
/// the nodes of a swap2 choice, because that choice spends half of its nodes on them. The median for pairs chosen by
/// the shallow search alone is 332.
#[test]
fn two_stones_make_an_even_position() {
    let deeper = |(rule, mut setup): (Rule, Setup)| {
        let Answer::Points(points) = ask(Goal::BalanceTwo { bias: 0 }, &setup, rule, 3 * NODES).answer else {
            panic!("{rule}: two stones have room");
        };
        place(&mut setup, &points, rule);
        ask(Goal::Move, &setup, rule, 12 * NODES).line.score.raw().abs()
    };
    // A single score can be far off, so the test takes the median of many.
    let openings: Vec<(Rule, Setup)> = own_openings().step_by(3).collect();
    let mut scores: Vec<i32> = openings.into_par_iter().map(deeper).collect();
    scores.sort_unstable();
    assert!(scores[scores.len() / 2] < 200, "{scores:?}");
}

/// The outcome of a decision by several searches reports all of them: their line, depth and nodes.
#[test]
fn decisions_carry_their_searches() {
    let goals = [
        (Goal::BalanceOne { bias: 0 }, "h8i9", 1),
        (Goal::BalanceTwo { bias: 0 }, "h8i9", 2),
        (Goal::BalanceTwo { bias: 0 }, "", 2),
        (Goal::Swap2Open, "", 3),
        (Goal::Swap2Reply, "h8i9j10", 0),
        (Goal::Swap2Final, "h8a1i9o15g7", 0),
    ];
    for (goal, moves, number) in goals {
        let Outcome { answer, line, .. } = ask(goal, &position(moves), Rule::Standard, NODES);
        assert!(line.depth > 0 && line.seldepth >= line.depth, "{goal:?} {line:?}");
        // The searches share the node limit, and each may exceed its share a little.
        assert!((100..=NODES + NODES / 2).contains(&line.nodes), "{goal:?} {line:?}");
        assert_eq!((line.pv_index, line.pv_count), (0, 1), "{goal:?}");
        match answer {
            Answer::Points(points) => {
                assert!(number == 0 || points.len() == number, "{goal:?} {points:?}");
                assert!(line.moves.starts_with(&points), "{goal:?} {points:?} {line:?}");
            }
            answer => assert_eq!((answer, number), (Answer::Swap, 0), "{goal:?}"),
        }
        // The moves of the line are legal in sequence.
        let mut setup = position(moves);
        for point in &line.moves {
            assert_eq!(setup.cell(*point), Cell::Empty, "{goal:?} {line:?}");
            setup.play(*point);
        }
    }
}

fn choose(goal: Goal, moves: &str, nodes: u64) -> Vec<Point> {
    match ask(goal, &position(moves), Rule::Renju, nodes) {
        Outcome { answer: Answer::Points(points), line, .. } => {
            assert!(line.depth > 0 && line.nodes > 0, "{goal:?} {line:?}");
            points
        }
        Outcome { answer, .. } => panic!("{goal:?}: {answer:?}"),
    }
}

#[test]
fn a_soosorv_opening_is_one_of_the_26() {
    let points = choose(Goal::SoosorvOpen, "", 3 * NODES);
    let [first, second, third] = points[..] else { panic!("{points:?}") };
    let center = BoardSize::RENJU.center();
    assert_eq!(first, center);
    assert_eq!(second.distance(center), 1);
    assert!((1..=2).contains(&third.distance(center)) && third != second, "{points:?}");
}

/// With n fifth moves black gets the nth best, so the number of fifth moves makes the position even.
#[test]
fn the_fourth_stone_and_the_fifths_of_soosorv_make_even_positions() {
    let openings = ["h8h9j9", "h8h9h10", "h8i9j10", "h8i9i10", "h8h9i9", "h8i9j9"];
    let scores = openings.map(|opening| {
        let points = choose(Goal::SoosorvFourth, opening, 12 * NODES);
        assert!((2..=9).contains(&points.len()), "{points:?}");
        let mut setup = position(opening);
        setup.play(points[0]);
        setup.play(points[points.len() - 1]);
        let score = ask(Goal::Move, &setup, Rule::Renju, 4 * NODES).line.score;
        assert!(score.raw().abs() < 150, "{points:?}: {score}");
        score.raw().abs()
    });
    assert!(scores.iter().sum::<i32>() < 60 * scores.len() as i32, "{scores:?}");
}

#[test]
fn soosorv_is_swapped_by_who_stands_worse() {
    // Black's stones are in corners: white stays white, and black prefers white.
    assert!(matches!(ask(Goal::SoosorvReply, &position("a1h8o15"), Rule::Renju, NODES).answer, Answer::Points(_)));
    let swap = |fifths| ask(Goal::SoosorvSwap { fifths }, &position("a1h8o15i9"), Rule::Renju, NODES).answer;
    assert_eq!([swap(1), swap(8)], [Answer::Swap, Answer::Swap]);
    // White's stones are in corners: a single fifth move is black's best one.
    assert_eq!(ask(Goal::SoosorvReply, &position("h8a1i9"), Rule::Renju, NODES).answer, Answer::Swap);
    let stays = ask(Goal::SoosorvSwap { fifths: 1 }, &position("h8a1i9o1"), Rule::Renju, NODES).answer;
    assert!(matches!(stays, Answer::Points(_)), "{stays:?}");
}

#[test]
fn fifths_are_offered_without_images_and_the_worst_is_chosen() {
    // The opening is symmetric, and most of its moves have images.
    let opening = "h8h9h10h7";
    let offered = choose(Goal::SoosorvOffer { fifths: 6 }, opening, 3 * NODES);
    assert_eq!(offered.len(), 6);
    let mut images = Vec::new();
    for point in &offered {
        let mut after = position(opening);
        after.play(*point);
        let (image, _) = tengen::book::canonical(&after);
        assert!(!images.contains(&image), "{offered:?}");
        images.push(image);
    }
    // A fifth stone in the corner is the best choice for white.
    let setup = position(opening);
    let corner = Point::at(0, 0);
    let among = [offered[0], corner, offered[1]];
    let excluded = setup.size.points().filter(|p| setup.cell(*p) == Cell::Empty && !among.contains(p)).collect();
    let limits = Limits::nodes(NODES);
    let request =
        Request { goal: Goal::SoosorvChoose { fifths: 3 }, excluded, ..Request::new(setup, Rule::Renju, limits) };
    let mut engine = Engine::new(Options { hash: Some(8 << 20), ..Options::default() });
    assert_eq!(play::ask(&mut engine, &request).answer, Answer::Points(vec![corner]));
    // A search that is stopped at once must not give black the best fifth move either.
    let hurried = Request { limits: Limits::nodes(1), ..request };
    assert_ne!(play::ask(&mut engine, &hurried).answer, Answer::Points(vec![offered[0]]));
}
