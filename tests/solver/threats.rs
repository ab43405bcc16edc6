//! The claims of `movegen::threat_status` are true: a plain solver without patterns confirms every win and loss that it
//! announces, and that every move it leaves out loses as fast as claimed.

use crate::brawl::Brawl;
use crate::plain::Solver;
use crate::support::{Clusters, Random, renju_vectors};
use std::fmt;
use tengen::board::{Cell, Diagram, Direction, Grid, Point, Setup, Side};
use tengen::movegen::{ThreatStatus, immediate_status, is_lost_to_open_fours, threat_status, winning_combination};
use tengen::pattern::PointClass;
use tengen::position::{PointSet, Position};
use tengen::rules::{Rule, any_winner};

/// Number of confirmed claims of each kind.
#[derive(Debug, Default)]
struct Tally {
    won: [usize; 3],
    lost: [usize; 2],
    must_block: usize,
    must_defend_four: usize,
    must_defend_four_three: usize,
    quiet: usize,
    /// Moves left out by a claim and found to lose.
    left_out: usize,
    /// Answers on points that look forbidden to the mover but are allowed.
    false_fouls: usize,
    /// Four-threatening cells of the opponent on which the mover may not block.
    unanswerable: usize,
}

/// A false claim.
struct Lie {
    rule: Rule,
    setup: Setup,
    situation: ThreatStatus,
    why: String,
}

impl fmt::Display for Lie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marks = match &self.situation {
            ThreatStatus::Won { by, .. } => vec![*by],
            ThreatStatus::MustBlock { moves } | ThreatStatus::MustDefend { moves, .. } => moves.iter().collect(),
            _ => Vec::new(),
        };
        let name = match &self.situation {
            ThreatStatus::Won { plies, .. } => format!("won in {plies} by *"),
            ThreatStatus::Lost { plies } => format!("lost in {plies}"),
            ThreatStatus::MustBlock { .. } => "must block on *".to_owned(),
            ThreatStatus::MustDefend { plies, .. } => format!("must defend on *, else lost in {plies}"),
            ThreatStatus::Quiet => "quiet".to_owned(),
        };
        let drawn = Diagram::new(self.setup.clone()).with_coordinates().with_marks('*', marks);
        writeln!(f, "{}, {:?} to move, claimed: {name}. But {}\n{drawn}", self.rule, self.setup.to_move, self.why)
    }
}

/// The status used by the quiescence search, which does not search answers to threats.
fn status_at_horizon(position: &mut Position) -> ThreatStatus {
    match immediate_status(position) {
        ThreatStatus::Quiet => match winning_combination(position) {
            Some(by) => ThreatStatus::Won { by, plies: 5 },
            None if is_lost_to_open_fours(position) => ThreatStatus::Lost { plies: 4 },
            None => ThreatStatus::Quiet,
        },
        status => status,
    }
}

/// Confirms the claim about one position.
fn confirm(setup: &Setup, rule: Rule, tally: &mut Tally) -> Result<ThreatStatus, Box<Lie>> {
    let mut position = Position::new(setup, rule).expect("a sound setup");
    let situation = threat_status(&mut position);
    position.audit().expect("threat_status leaves the position as it was");
    let lie = |why: String| Err(Box::new(Lie { rule, setup: setup.clone(), situation, why }));
    let at_horizon = status_at_horizon(&mut position);
    let expected = if matches!(situation, ThreatStatus::MustDefend { .. }) { ThreatStatus::Quiet } else { situation };
    if at_horizon != expected {
        return lie(format!("at the horizon it is {at_horizon:?}"));
    }
    let us = setup.to_move;
    let mut solver = Solver::new(setup, rule);
    let (ours, theirs) = (solver.winning_points(us), solver.winning_points(!us));
    if matches!(situation, ThreatStatus::Won { plies: 1, .. }) == ours.is_empty() {
        return lie(format!("the winning points of the mover are {ours:?}"));
    }
    let facing_five = matches!(situation, ThreatStatus::MustBlock { .. } | ThreatStatus::Lost { plies: 2 });
    if ours.is_empty() && facing_five == theirs.is_empty() {
        return lie(format!("the winning points of the opponent are {theirs:?}"));
    }
    if let ThreatStatus::MustBlock { moves } | ThreatStatus::MustDefend { moves, .. } = &situation {
        let looks_forbidden = |p: &Point| position.info(*p).class(us) == PointClass::Foul;
        tally.false_fouls += moves.iter().filter(looks_forbidden).filter(|p| solver.is_legal(*p, us)).count();
    }
    tally.unanswerable += theirs.iter().filter(|p| !solver.is_legal(**p, us)).count();
    match situation {
        ThreatStatus::Won { by, plies } => {
            if !solver.is_legal(by, us) || !solver.wins_by(by, us, plies) {
                return lie("that does not win, or not so soon".into());
            }
            tally.won[(plies / 2) as usize] += 1;
        }
        ThreatStatus::Lost { plies } => {
            if !solver.is_lost(us, plies) {
                return lie("there is a way out".into());
            }
            tally.lost[(plies / 2 - 1) as usize] += 1;
        }
        ThreatStatus::MustBlock { moves } => {
            for point in moves.iter() {
                let legal = solver.is_legal(point, us);
                solver.play(point, us);
                let stops = solver.winning_points(!us).is_empty();
                solver.undo(point);
                if !legal || !stops {
                    return lie(format!("{point:?} is illegal or no block"));
                }
            }
            if let Some(point) = saving_move_left_out(&mut solver, us, &moves, 2, tally) {
                return lie(format!("{point:?} blocks, too"));
            }
            tally.must_block += 1;
        }
        ThreatStatus::MustDefend { moves, plies } => {
            if let Some(point) = moves.iter().find(|p| !solver.is_empty(*p)) {
                return lie(format!("{point:?} is taken"));
            }
            if let Some(point) = saving_move_left_out(&mut solver, us, &moves, plies, tally) {
                return lie(format!("{point:?} does not lose, or not so soon"));
            }
            match plies {
                4 => tally.must_defend_four += 1,
                _ => tally.must_defend_four_three += 1,
            }
        }
        ThreatStatus::Quiet => tally.quiet += 1,
    }
    Ok(situation)
}

/// A legal move that is not in the set and after which the opponent has no forced win within the rest of `plies`.
fn saving_move_left_out(
    solver: &mut Solver,
    us: Side,
    moves: &PointSet,
    plies: i32,
    tally: &mut Tally,
) -> Option<Point> {
    solver.legal_moves(us).into_iter().filter(|p| !moves.contains(*p)).find(|point| {
        solver.play(*point, us);
        let loses = solver.attacks(!us, plies - 1);
        solver.undo(*point);
        tally.left_out += usize::from(loses);
        !loses
    })
}

/// Confirms the claims about the positions of many random games.
fn brawls(rule: Rule, seed: u64, games: usize) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    let mut lies = Vec::new();
    for _ in 0..games {
        let mut game = Brawl::new(&mut random, rule);
        while let Some(setup) = game.step() {
            let mut setup = setup.clone();
            if setup.stones.len() < 6 {
                continue;
            }
            // Sometimes one side moves twice, as in positions set up for analysis.
            if random.percent(10) {
                setup.to_move = !setup.to_move;
            }
            if let Err(lie) = confirm(&setup, rule, &mut tally) {
                lies.push(lie);
            }
        }
    }
    let text: Vec<String> = lies.iter().take(5).map(|l| l.to_string()).collect();
    assert!(lies.is_empty(), "{} false claims ({tally:?})\n{}", lies.len(), text.join("\n"));
    tally
}

macro_rules! brawls {
    ($($name:ident: $rule:expr, seed $seed:expr;)*) => {$(
        #[test]
        fn $name() {
            let tally = brawls($rule, $seed, 60);
            let enough = tally.won.iter().all(|n| *n >= 80)
                && tally.lost[0] >= 100
                && tally.lost[1] >= 8
                && tally.must_block >= 300
                && tally.must_defend_four >= 300
                && tally.must_defend_four_three >= 30
                && tally.quiet >= 300;
            assert!(enough, "too few claims were tested: {tally:?}");
        }
    )*};
}

brawls! {
    claims_are_true_under_freestyle: Rule::Freestyle, seed 1;
    claims_are_true_under_standard: Rule::Standard, seed 2;
    claims_are_true_under_renju: Rule::Renju, seed 3;
    claims_are_true_under_caro: Rule::Caro, seed 4;
    claims_are_true_under_exact_caro: Rule::CaroExact, seed 5;
}

#[test]
fn claims_are_true_where_fouls_abound() {
    let mut random = Random::new(6);
    let clusters = Clusters { stones: (10, 45), ..Clusters::all_sizes() };
    let mut tally = Tally::default();
    for _ in 0..2000 {
        let mut setup = clusters.position(&mut random);
        if any_winner(&Grid::from_setup(&setup), Rule::Renju).is_some() {
            continue;
        }
        for side in Side::BOTH {
            setup.to_move = side;
            if let Err(lie) = confirm(&setup, Rule::Renju, &mut tally) {
                panic!("{lie}");
            }
        }
    }
    assert!(tally.unanswerable >= 5 && tally.must_defend_four_three >= 20, "{tally:?}");
}

/// Confirms the claim about a picture in which `*` marks the moves to be named. The side of the last stone (in lower
/// case) is the one that threatens.
#[track_caller]
fn claim(picture: &str, rule: Rule) -> ThreatStatus {
    let diagram: Diagram = picture.parse().expect("a picture");
    let situation = confirm(&diagram.setup, rule, &mut Tally::default()).unwrap_or_else(|lie| panic!("{lie}"));
    let moves = match &situation {
        ThreatStatus::MustBlock { moves } | ThreatStatus::MustDefend { moves, .. } => moves.iter().collect(),
        _ => Vec::new(),
    };
    assert_eq!(moves, diagram.marked('*'), "{rule}: {situation:?}");
    situation
}

#[test]
fn a_held_five_lets_a_four_be_stopped_from_beyond_its_end() {
    for (row, rules) in [
        ("O X X X x * * . .", &[Rule::Caro, Rule::CaroExact][..]),
        ("O X X X x * . . .", &[Rule::Freestyle, Rule::Standard, Rule::Renju][..]),
        // Neither the border nor a blocked cell holds an end.
        ("X X X x * . . . .", &[Rule::Caro, Rule::CaroExact][..]),
        ("O X X X x * # . .", &[Rule::Caro, Rule::CaroExact][..]),
        // The far end is already held, so only the gap is left if six would win.
        ("O X X * x X O . .", &[Rule::Freestyle, Rule::Standard, Rule::Renju][..]),
        ("O X X X * x X O .", &[Rule::Freestyle, Rule::Caro][..]),
    ] {
        for rule in rules {
            let empty = ". . . . . . . . .\n".repeat(4);
            let situation = claim(&format!("{row}\n{empty}"), *rule);
            assert!(matches!(situation, ThreatStatus::MustBlock { .. }), "{row}: {situation:?}");
        }
    }
}

#[test]
fn white_wins_where_black_may_not_answer() {
    // Only an overline stops the four. Under another rule the overline wins.
    let picture = "
        . . . . . . . . .
        . . . . . X . . .
        . . . . . X . . .
        X O O O o . . . .
        . . . . . X . . .
        . . . . . X . . .
        . . . . . X . . .
        . . . . . . . . .";
    assert_eq!(claim(picture, Rule::Renju), ThreatStatus::Lost { plies: 2 });
    assert!(matches!(claim(picture, Rule::Freestyle), ThreatStatus::Won { plies: 1, .. }));
}

#[test]
fn a_double_three_beats_whoever_has_no_four() {
    let picture = "
        . . . . . . . . O
        . . . X X . . . .
        . . X . . . . . .
        . . X . . . . . .
        . . . . . . o . .
        . . . . . . . . .
        . . . . . . . . .
        O . . . . . . . O";
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro, Rule::CaroExact] {
        assert_eq!(claim(picture, rule), ThreatStatus::Won { by: Point::at(2, 1), plies: 5 });
    }
}

/// Found by a random game.
#[test]
fn an_open_three_with_one_way_forbidden_is_met_on_the_other() {
    let four_three = "
        . . . O X O O # X X X
        . . . . . O X O X O O
        . X X X . X X X X O .
        . . . X . # X O O O X
        X X . . X O X X . O O
        O . . . # O O . O X X
        O . . X O O X . . X O
        X O . O O X X O . O O
        X O X X X O O O O X x
        . X O O O X X X O O X
        . . . X O X X O O . O";
    let diagram: Diagram = four_three.parse().expect("a picture");
    let situation = confirm(&diagram.setup, Rule::Renju, &mut Tally::default()).unwrap_or_else(|lie| panic!("{lie}"));
    let ThreatStatus::MustDefend { moves, plies: 6 } = situation else { panic!("{situation:?}") };
    assert!(moves.contains(Point::at(1, 6)));
}

/// Points that only look forbidden at which threats must be answered, or at which black makes fours.
#[test]
fn moves_that_only_look_forbidden_count() {
    let mut random = Random::new(7);
    let (mut tally, mut own_fours) = (Tally::default(), 0);
    for vector in renju_vectors().into_iter().filter(|v| v.naive_differs) {
        let mut setup = vector.setup;
        setup.to_move = Side::Black;
        let false_fouls = |setup: &Setup| -> Vec<Point> {
            let mut position = Position::new(setup, Rule::Renju).expect("a sound setup");
            let looks = |p: &Point| position.is_empty(*p) && position.info(*p).class(Side::Black) == PointClass::Foul;
            let points: Vec<Point> = setup.size.points().filter(looks).collect();
            points.into_iter().filter(|p| !position.is_forbidden(Side::Black, *p)).collect()
        };
        for point in false_fouls(&setup) {
            for _ in 0..400 {
                // Either white gets a four, or black gets a three that this point extends to a four, and white an open
                // three.
                let side = if random.percent(15) { Side::White } else { Side::Black };
                let mut more = setup.clone();
                let wanted = if side == Side::White { 4 } else { 3 };
                if !prolong(&mut more, &mut random, point, side, wanted) || !false_fouls(&more).contains(&point) {
                    continue;
                }
                if side == Side::Black {
                    // And white has an open three elsewhere.
                    let from = Point::at(random.below(15) as u8, random.below(15) as u8);
                    if more.cell(from) != Cell::Empty || !prolong(&mut more, &mut random, from, Side::White, 3) {
                        continue;
                    }
                }
                if any_winner(&Grid::from_setup(&more), Rule::Renju).is_some() {
                    continue;
                }
                let situation = confirm(&more, Rule::Renju, &mut tally).unwrap_or_else(|lie| panic!("{lie}"));
                if let ThreatStatus::MustDefend { moves, .. } = situation {
                    own_fours += usize::from(side == Side::Black && moves.contains(point));
                }
            }
        }
    }
    assert!(tally.must_block >= 100 && tally.false_fouls >= 100 && own_fours >= 5, "{own_fours} {tally:?}");
}

/// Places a number of stones of a side on one arm of a point, next to it or with a gap, and a stone of the other side
/// at the end of the arm; returns whether there was room.
fn prolong(setup: &mut Setup, random: &mut Random, point: Point, side: Side, stones: usize) -> bool {
    let (dx, dy) = random.pick(&Direction::ALL).step();
    let sign = *random.pick(&[-1, 1]);
    let cell = |k: i32| setup.size.point(i32::from(point.x()) + sign * k * dx, i32::from(point.y()) + sign * k * dy);
    let arm: Option<Vec<Point>> = (1..=5).map(|k| cell(k).filter(|p| setup.cell(*p) == Cell::Empty)).collect();
    let Some(mut arm) = arm else { return false };
    setup.stones.extend(arm.pop().map(|end| (end, !side)));
    while arm.len() > stones {
        arm.remove(random.below(arm.len()));
    }
    setup.stones.extend(arm.into_iter().map(|at| (at, side)));
    true
}
