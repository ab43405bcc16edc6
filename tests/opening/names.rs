//! The 26 openings of renju are recognised in all their images, and nothing else is.

use std::collections::{HashMap, HashSet};
use tengen::board::{BoardSize, Point, Setup, Symmetry};
use tengen::book::canonical;
use tengen::opening::{RENJU_OPENINGS, RenjuOpening, renju_opening};

const SIZE: BoardSize = BoardSize::RENJU;

fn stones(opening: RenjuOpening) -> [Point; 3] {
    let at = |(x, y): (i8, i8)| SIZE.point(7 + i32::from(x), 7 + i32::from(y)).expect("a point");
    [at((0, 0)), at(opening.second()), at(opening.third)]
}

#[test]
fn each_opening_is_recognised_in_each_of_its_images() {
    for opening in RENJU_OPENINGS {
        for map in Symmetry::ALL {
            let image = stones(opening).map(|point| map.apply(SIZE, point));
            assert_eq!(renju_opening(SIZE, image), Some(opening), "{} {map:?}", opening.code());
        }
    }
}

/// All second and third stones: one opening for each position up to symmetry, and none for stones too far away.
#[test]
fn every_second_and_third_stone_is_judged() {
    let centre = SIZE.center();
    let mut known: HashMap<Setup, &str> = HashMap::new();
    for second in SIZE.points().filter(|point| *point != centre) {
        for third in SIZE.points().filter(|point| *point != centre && *point != second) {
            let found = renju_opening(SIZE, [centre, second, third]);
            let fits = second.distance(centre) == 1 && third.distance(centre) <= 2;
            assert_eq!(found.is_some(), fits, "{second:?} {third:?}");
            if let Some(opening) = found {
                let beside = second.x() == centre.x() || second.y() == centre.y();
                assert_eq!(opening.direct, beside);
                let (form, _) = canonical(&Setup::from_moves(SIZE, [centre, second, third]));
                assert_eq!(*known.entry(form).or_insert(opening.name), opening.name);
            }
        }
    }
    assert_eq!(known.len(), 26);
    assert_eq!(known.values().collect::<HashSet<_>>().len(), 26);
    let away = Point::at(6, 7);
    assert_eq!(renju_opening(SIZE, [away, centre, Point::at(7, 8)]), None, "the first stone in the centre");
}

/// The diagrams of the federation, column by column: D1 to D13 with white's stone at h9, I1 to I13 with it at i9. A
/// star is two points away in a straight line, a moon is not.
#[test]
fn the_names_stand_where_the_federation_has_them() {
    let direct = ["h10", "i10", "j10", "i9", "j9", "i8", "j8", "h7", "i7", "j7", "h6", "i6", "j6"];
    let indirect = ["j10", "j9", "j8", "j7", "j6", "i8", "i7", "i6", "h7", "h6", "g7", "g6", "f6"];
    for (second, thirds, letter) in [("h9", direct, 'D'), ("i9", indirect, 'I')] {
        for (third, number) in thirds.iter().zip(1..) {
            let at = |label: &str| crate::point(label);
            let opening = renju_opening(SIZE, [at("h8"), at(second), at(third)]).expect(third);
            assert_eq!(opening.code(), format!("{letter}{number}"));
            let (x, y) = opening.third;
            let star = x.abs().max(y.abs()) == 2 && (x == 0 || y == 0 || x.abs() == y.abs());
            assert!(opening.japanese.ends_with(if star { '星' } else { '月' }), "{}", opening.japanese);
        }
    }
    let named = |name: &str| RENJU_OPENINGS.iter().find(|o| o.name == name).expect(name).japanese;
    assert_eq!((named("Kagetsu"), named("Hogetsu"), named("Zuisei")), ("花月", "浦月", "瑞星"));
}
