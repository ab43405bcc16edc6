//! The fouls of renju: diagrams, the known positions of `data/renju_forbidden_vectors.jsonl`, and symmetry.

use crate::support::{Clusters, Random, renju_vectors, row_pictures, setup_of};
use tengen::board::{
    BoardSize, Cell, Diagram, Direction, Grid, Point, Setup, Side, Symmetry, parse_point, parse_points,
};
use tengen::rules::Rule;
use tengen::rules::renju::{Foul, forbidden_points, foul};
use tengen::rules::win::wins_through;

/// Parses a picture in which `*` marks exactly the forbidden points, and compares in all eight orientations.
#[track_caller]
fn check_forbidden(picture: &str) {
    let diagram: Diagram = picture.parse().unwrap();
    for map in Symmetry::ALL {
        let mut expected: Vec<Point> =
            diagram.marked(Diagram::FORBIDDEN).into_iter().map(|p| map.apply(diagram.setup.size, p)).collect();
        expected.sort();
        let setup = map.apply_setup(&diagram.setup);
        let found = forbidden_points(&Grid::from_setup(&setup));
        let drawn = Diagram::new(setup).with_coordinates().with_marks(Diagram::FORBIDDEN, found.iter().copied());
        assert_eq!(found, expected, "{map:?}\n{drawn}");
    }
}

#[test]
fn overlines_are_forbidden_but_not_fives() {
    check_forbidden(
        ". . . . . . . . .
         . X X X * X X . .
         . . . . . . . . .
         . O X X . X X O .
         . . . . . . . . .",
    );
}

#[test]
fn five_beats_overline() {
    let five = "
        . . . . X . . . .
        . . . . X . . . .
        . . . . X . . . .
        . . . . X . . . .
        . X X X x X X . .
        . . . . O . . . .";
    assert_eq!(foul_of_last(five), None);
    assert_eq!(foul_of_last(&five.replacen('X', ".", 1)), Some(Foul::Overline));
}

/// The foul of the stone drawn in lower case, as if it were not yet played.
#[track_caller]
fn foul_of_last(picture: &str) -> Option<Foul> {
    let diagram: Diagram = picture.parse().unwrap();
    let last = diagram.last.expect("a stone in lower case");
    let mut grid = Grid::from_setup(&diagram.setup);
    grid.set(last, Cell::Empty);
    let found = foul(&grid, last);
    assert_eq!(forbidden_points(&grid).contains(&last), found.is_some());
    found
}

#[test]
fn double_fours_on_one_line() {
    // The two fours share these stones; either of them, played last, makes both fours.
    for (row, shared) in [("X.XXX.X", 2..=4), ("XX.XX.XX", 3..=4), ("XXX.X.XXX", 4..=4)] {
        for (i, _) in row.match_indices('X') {
            let mut played = row.to_owned();
            played.replace_range(i..=i, "x");
            let expected = shared.contains(&i).then_some(Foul::DoubleFour);
            for ends in [("..", ".."), ("O", "."), ("#", "O"), ("", "")] {
                let row = format!("{}{played}{}", ends.0, ends.1);
                for picture in row_pictures(&row) {
                    assert_eq!(foul_of_last(&picture.to_string()), expected, "{row}");
                }
            }
            // With one more stone outside, filling the gap on that side would make six, so only one four is left.
            let row = format!(".X{played}.");
            for picture in row_pictures(&row) {
                assert_eq!(foul_of_last(&picture.to_string()), None, "{row}");
            }
        }
    }
}

#[test]
fn a_straight_four_is_one_four() {
    check_forbidden(
        ". . . . . . . .
         . . . . . . . .
         . . X X X . . .
         . . . . . . . .
         . . . . . . . .",
    );
}

#[test]
fn double_four_by_a_cross() {
    check_forbidden(
        ". . . . . . . . .
         . . . . . . . . .
         . O X X X * . . .
         . . . . . X . . .
         . . . . . X . . .
         . . . . . X . . .
         . . . . . . . . .
         . . . . . O . . .
         . . . . . . . . .",
    );
}

#[test]
fn double_three_by_a_cross() {
    check_forbidden(
        ". . . . . . . . .
         . . . . X . . . .
         . . . . X . . . .
         . . . . . . . . .
         . X X . * . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
    );
}

#[test]
fn a_three_without_room_for_a_straight_four_does_not_count() {
    let picture = |row: &str| {
        let text = "
            . . . . . . . . . .
            . . . . . . . . . .
            . . . . X . . . . .
            . . . . X . . . . .
            ROW
            . . . . . . . . . .
            . . . . . . . . . .";
        foul_of_last(&text.replace("ROW", row))
    };
    for row in ["..XXx.....", "..X.xX....", ".X.Xx.....", "#.XXx..#..", "...XxX.O..", "..XXx.O..."] {
        assert_eq!(picture(row), Some(Foul::DoubleThree), "{row}");
    }
    // The cases in order: one end held by a stone, or by a blocked cell; both ends near; ends that would make six.
    for row in [".OXXx.....", ".#XXx.....", ".OX.xX.O..", "O.XXx.O...", "O.XXx..X..", "X.XXx..X.."] {
        assert_eq!(picture(row), None, "{row}");
    }
}

#[test]
fn four_and_three_is_allowed() {
    check_forbidden(
        ". . . . . . . . .
         . . . . . . . . .
         . . O X X X . . .
         . . . . . . X . .
         . . . . . . X . .
         . . . . . . . . .
         . . . . . . . . .",
    );
}

/// The column through the marked stone is a three; the row is a three only if black may play to its right.
#[test]
fn a_three_counts_only_if_its_straight_four_is_allowed() {
    let allowed = "
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        O . X X x . . . . .
        . . . . X . . . . .
        . . . . X . . . . .
        . . . . . . . . . .
        . . . . . . . . . .";
    assert_eq!(foul_of_last(allowed), Some(Foul::DoubleThree));
    let overline = "
        . . . . . . . . . .
        . . . . . X . . . .
        . . . . . X . . . .
        . . . . . X . . . .
        O . X X x . . . . .
        . . . . X X . . . .
        . . . . X X . . . .
        . . . . . . . . . .
        . . . . . . . . . .";
    assert_eq!(foul_of_last(overline), None);
    let five = overline.replacen('X', ".", 1);
    assert_eq!(foul_of_last(&five), None, "what is extended by a five is no three");
    let double_four = "
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . O . . . .
        . . . . . . . . . .
        O . X X x . . . . .
        . . . . X X . . . .
        . . . . X X . . . .
        . . . . . X . . . .
        . . . . . O . . . .";
    assert_eq!(foul_of_last(double_four), None);
    let dead_column = double_four.replace(
        "
        . . . . . . . . . .
        O .",
        "
        . . . . . O . . . .
        O .",
    );
    assert_eq!(foul_of_last(&dead_column), Some(Foul::DoubleThree));
    let double_three = "
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        . . . . . . . . . .
        O . X X x . . . . .
        . . . . X . X . . .
        . . . . X X . X . .
        . . . . . X . . . .
        . . . . . . . . . .
        . . . . . . . . . .";
    assert_eq!(foul_of_last(double_three), None);
    let single_three = double_three.replacen(". . . . X . X . . .", ". . . . X . . . . .", 1);
    assert_eq!(foul_of_last(&single_three), Some(Foul::DoubleThree));
}

#[test]
fn blocked_cells_end_lines_as_the_border_does() {
    // The same stones next to a border and next to blocked cells: the same fouls, shifted.
    let mut random = Random::new(7);
    let inner = BoardSize::new(10, 8).unwrap();
    let outer = BoardSize::new(13, 12).unwrap();
    let clusters = Clusters { sizes: vec![inner], blocked: 0, stones: (8, 40), ..Clusters::all_sizes() };
    let moved = |p: Point| Point::at(p.x() + 1, p.y() + 2);
    let mut fouls = 0;
    for _ in 0..1000 {
        let setup = clusters.position(&mut random);
        let mut walled = Setup::empty(outer);
        walled.stones = setup.stones.iter().map(|(p, side)| (moved(*p), *side)).collect();
        let board: Vec<Point> = inner.points().map(moved).collect();
        walled.blocked = outer.points().filter(|p| !board.contains(p)).collect();
        let expected: Vec<Point> = forbidden_points(&Grid::from_setup(&setup)).into_iter().map(moved).collect();
        assert_eq!(forbidden_points(&Grid::from_setup(&walled)), expected);
        fouls += expected.len();
    }
    assert!(fouls > 500, "{fouls} fouls are too few to show anything");
}

#[test]
fn a_taken_cell_is_no_foul() {
    let setup = Setup::from_moves(BoardSize::RENJU, [Point::at(7, 7)]);
    let mut grid = Grid::from_setup(&setup);
    grid.set(Point::at(0, 0), Cell::Blocked);
    assert_eq!(foul(&grid, Point::at(7, 7)), None);
    assert_eq!(foul(&grid, Point::at(0, 0)), None);
    assert_eq!(foul(&grid, Point::at(20, 20)), None);
}

#[test]
fn positions_that_judges_and_users_have_asked_about() {
    let cells = [(7, 7, 1), (7, 8, 2), (8, 6, 1), (8, 8, 2), (7, 9, 1), (8, 5, 2), (8, 10, 1), (8, 11, 2)];
    let setup = setup_of(15, &cells, Side::Black);
    assert_eq!(forbidden_points(&Grid::from_setup(&setup)), [Point::at(6, 8)]);
    // White threatens to win on a point that is forbidden to black.
    let size = BoardSize::RENJU;
    let setup = Setup::from_moves(size, parse_points(size, "h8g6f6g5f7g4h7g3g2a1").unwrap());
    assert_eq!(foul(&Grid::from_setup(&setup), parse_point(size, "g7").unwrap()), Some(Foul::DoubleThree));
}

// The thousand known positions.

/// Forbidden points by a simplified test that does not check whether the straight four of a three is itself allowed.
fn naive_forbidden(grid: &Grid) -> Vec<Point> {
    let forbidden = |point: &Point| {
        let mut after = grid.clone();
        after.set(*point, Cell::Stone(Side::Black));
        match foul(grid, *point) {
            Some(_) => true,
            // No foul by the full test: forbidden only if the stone makes no five but at least two threes, one of which
            // the full test discounts.
            None => !wins_through(&after, Rule::Renju, *point) && naive_threes(&after, *point) >= 2,
        }
    };
    grid.empty_points().filter(forbidden).collect()
}

/// Lines on which one more stone makes an unbroken four through `point` that can be completed at either end.
fn naive_threes(grid: &Grid, point: Point) -> usize {
    let fives_at = |grid: &Grid, direction: Direction| -> Vec<i32> {
        let is_five = |steps: &i32| {
            grid.step(point, direction, *steps).filter(|p| grid.get(*p) == Cell::Empty).is_some_and(|p| {
                let mut after = grid.clone();
                after.set(p, Cell::Stone(Side::Black));
                after.run(point, direction).is_some_and(|run| run.length() == 5 && run.includes(*steps))
            })
        };
        (-4..=4).filter(is_five).collect()
    };
    let is_three = |direction: &Direction| {
        fives_at(grid, *direction).is_empty()
            && (-4..=4).any(|steps| match grid.step(point, *direction, steps) {
                Some(p) if grid.get(p) == Cell::Empty => {
                    let mut after = grid.clone();
                    after.set(p, Cell::Stone(Side::Black));
                    // The two completing points are five apart, so the four between them is unbroken.
                    fives_at(&after, *direction).windows(2).any(|ends| ends[1] - ends[0] == 5)
                }
                _ => false,
            })
    };
    Direction::ALL.iter().filter(|direction| is_three(direction)).count()
}

#[test]
fn the_thousand_vectors_agree() {
    let vectors = renju_vectors();
    assert_eq!(vectors.len(), 1000);
    for vector in &vectors {
        assert_eq!(vector.setup.check(), Ok(()));
        let found = forbidden_points(&Grid::from_setup(&vector.setup));
        let drawn = Diagram::new(vector.setup.clone()).with_coordinates().with_marks('*', vector.forbidden.clone());
        assert_eq!(found, vector.forbidden, "{}\n{drawn}", vector.tag);
    }
}

#[test]
fn the_vectors_bite() {
    let mut differing = 0;
    for vector in renju_vectors() {
        let naive = naive_forbidden(&Grid::from_setup(&vector.setup));
        assert_eq!(naive != vector.forbidden, vector.naive_differs, "{}", vector.tag);
        differing += usize::from(vector.naive_differs);
    }
    assert_eq!(differing, 169);
}

#[test]
fn random_clusters_are_full_of_fouls() {
    let mut random = Random::new(5);
    let clusters = Clusters::all_sizes();
    let mut counts = std::collections::HashMap::new();
    for _ in 0..2000 {
        let grid = Grid::from_setup(&clusters.position(&mut random));
        for point in forbidden_points(&grid) {
            *counts.entry(foul(&grid, point).expect("a foul")).or_insert(0) += 1;
        }
    }
    for kind in [Foul::Overline, Foul::DoubleFour, Foul::DoubleThree] {
        assert!(counts[&kind] > 300, "{kind}: {counts:?}");
    }
}

#[test]
fn random_positions_turn_with_the_board() {
    let mut random = Random::new(1);
    let clusters = Clusters::all_sizes();
    for i in 0..1000 {
        let setup = clusters.position(&mut random);
        assert_eq!(setup.check(), Ok(()));
        let found = forbidden_points(&Grid::from_setup(&setup));
        let map = *random.pick(Symmetry::of(setup.size));
        let mut image: Vec<Point> = found.iter().map(|point| map.apply(setup.size, *point)).collect();
        image.sort();
        assert_eq!(forbidden_points(&Grid::from_setup(&map.apply_setup(&setup))), image, "position {i}, {map:?}");
    }
}
