//! Compares the position's fast answers about fouls and fives with the slow rules on many random positions.

use crate::support::{Clusters, Random, renju_vectors};
use tengen::board::{Cell, Diagram, Direction, Grid, Point, Setup, Side};
use tengen::pattern::PointClass;
use tengen::position::{Position, Silent};
use tengen::rules::{Rule, forbidden_points, wins_through};

fn fast(setup: &Setup) -> Vec<Point> {
    let mut position = Position::new(setup, Rule::Renju).expect("a sound setup");
    position.set_to_move(Side::Black);
    position.forbidden_points()
}

#[test]
fn the_thousand_vectors_agree() {
    let vectors = renju_vectors();
    assert_eq!(vectors.len(), 1000);
    for vector in &vectors {
        let drawn = Diagram::new(vector.setup.clone()).with_coordinates().with_marks('*', vector.forbidden.clone());
        assert_eq!(fast(&vector.setup), vector.forbidden, "{}\n{drawn}", vector.tag);
    }
}

/// Compares forbidden points while random positions grow, several times for each position. Returns the number of points
/// that look forbidden by the tables but are allowed.
fn compare(clusters: &Clusters, seed: u64, positions: usize) -> [usize; 2] {
    let mut random = Random::new(seed);
    let mut found = [0; 2];
    let mut compared = 0;
    while compared < positions {
        let setup = clusters.position(&mut random);
        let mut position = Position::empty_board(setup.size, Rule::Renju, &setup.blocked);
        let mut grown = Setup { stones: Vec::new(), ..setup.clone() };
        let looks = [setup.stones.len() / 2, setup.stones.len() * 3 / 4, setup.stones.len()];
        for (point, side) in &setup.stones {
            position.set_to_move(*side);
            position.play(*point, &mut Silent);
            grown.stones.push((*point, *side));
            if !looks.contains(&grown.stones.len()) {
                continue;
            }
            position.set_to_move(Side::Black);
            let looks_forbidden = grown
                .size
                .points()
                .filter(|p| position.is_empty(*p) && position.info(*p).class(Side::Black) == PointClass::Foul);
            let looks_forbidden = looks_forbidden.count();
            let quick = position.forbidden_points();
            let slow = forbidden_points(&Grid::from_setup(&grown));
            if quick != slow {
                let drawn = Diagram::new(grown).with_coordinates().with_marks('*', slow.iter().copied());
                panic!("fast {quick:?}, slow {slow:?} *\n{drawn}");
            }
            found[0] += slow.len();
            found[1] += looks_forbidden - slow.len();
            compared += 1;
        }
    }
    found
}

macro_rules! comparisons {
    ($($name:ident: $clusters:expr, seed $seed:expr;)*) => {$(
        #[test]
        fn $name() {
            let [fouls, false_fouls] = compare(&$clusters, $seed, 13_000);
            assert!(fouls > 5_000 && false_fouls > 10, "{fouls} fouls, {false_fouls} false ones");
        }
    )*};
}

/// Black stones only, or nearly so: positions in which fouls depend on other fouls.
fn dense() -> Clusters {
    Clusters { stones: (15, 40), scatter: 1, spread: 3, ..Clusters::renju() }
}

comparisons! {
    fast_and_slow_agree_on_all_sizes: Clusters::all_sizes(), seed 11;
    fast_and_slow_agree_on_15x15: Clusters::renju(), seed 13;
    fast_and_slow_agree_early: Clusters { stones: (6, 30), ..Clusters::renju() }, seed 15;
    fast_and_slow_agree_with_blocked_cells: Clusters { stones: (10, 40), blocked: 60, ..Clusters::all_sizes() }, seed 16;
    fast_and_slow_agree_on_black_stones: dense(), seed 17;
}

/// A point has class five for a side exactly if a stone of the side wins there.
fn compare_fives(rule: Rule) {
    let mut random = Random::new(rule as u64 + 21);
    let clusters = Clusters { stones: (8, 70), ..Clusters::all_sizes() };
    let (mut fives, mut rows_that_do_not_win) = (0, 0);
    for _ in 0..3000 {
        let setup = clusters.position(&mut random);
        let position = Position::new(&setup, rule).expect("a sound setup");
        let mut grid = Grid::from_setup(&setup);
        let empty: Vec<Point> = grid.empty_points().collect();
        for point in empty {
            for side in Side::BOTH {
                grid.set(point, Cell::Stone(side));
                let wins = wins_through(&grid, rule, point);
                let long = Direction::ALL.into_iter().filter_map(|d| grid.run(point, d)).any(|r| r.length() >= 5);
                grid.set(point, Cell::Empty);
                let class = position.info(point).class(side);
                if wins != (class == PointClass::Five) {
                    let drawn = Diagram::new(setup).with_coordinates().with_marks('*', [point]);
                    panic!("{rule}, {side:?} on *: {class:?}, but wins: {wins}\n{drawn}");
                }
                fives += usize::from(wins);
                rows_that_do_not_win += usize::from(long && !wins);
            }
        }
    }
    assert!(fives > 2000, "{fives}");
    assert_eq!(rows_that_do_not_win > 100, rule != Rule::Freestyle, "{rows_that_do_not_win}");
}

#[test]
fn fives_win_under_freestyle() {
    compare_fives(Rule::Freestyle);
}

#[test]
fn fives_win_under_standard() {
    compare_fives(Rule::Standard);
}

#[test]
fn fives_win_under_renju() {
    compare_fives(Rule::Renju);
}

#[test]
fn fives_win_under_caro() {
    compare_fives(Rule::Caro);
}

#[test]
fn fives_win_under_exact_caro() {
    compare_fives(Rule::CaroExact);
}
