//! The 26 openings of renju: the first three stones, up to symmetry.

use crate::board::{BoardSize, Point};

/// An opening of renju.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenjuOpening {
    /// Whether the second stone lies beside the first one (direct, `D`) or diagonally to it (indirect, `I`).
    pub direct: bool,
    /// Its number among these, from 1 to 13.
    pub number: u8,
    /// Its Japanese name in Latin letters.
    pub name: &'static str,
    /// Its Japanese name.
    pub japanese: &'static str,
    /// The third stone seen from the first one, to the right and downwards. The second stone is above the first one, to
    /// the right if it is indirect.
    pub third: (i8, i8),
}

const fn direct(number: u8, name: &'static str, japanese: &'static str, third: (i8, i8)) -> RenjuOpening {
    RenjuOpening { direct: true, number, name, japanese, third }
}

const fn indirect(number: u8, name: &'static str, japanese: &'static str, third: (i8, i8)) -> RenjuOpening {
    RenjuOpening { direct: false, number, name, japanese, third }
}

/// All of them, in the order of the federation.
pub const RENJU_OPENINGS: [RenjuOpening; 26] = [
    direct(1, "Kansei", "寒星", (0, -2)),
    direct(2, "Keigetsu", "渓月", (1, -2)),
    direct(3, "Sosei", "疎星", (2, -2)),
    direct(4, "Kagetsu", "花月", (1, -1)),
    direct(5, "Zangetsu", "残月", (2, -1)),
    direct(6, "Ugetsu", "雨月", (1, 0)),
    direct(7, "Kinsei", "金星", (2, 0)),
    direct(8, "Shogetsu", "松月", (0, 1)),
    direct(9, "Kyugetsu", "丘月", (1, 1)),
    direct(10, "Shingetsu", "新月", (2, 1)),
    direct(11, "Zuisei", "瑞星", (0, 2)),
    direct(12, "Sangetsu", "山月", (1, 2)),
    direct(13, "Yusei", "遊星", (2, 2)),
    indirect(1, "Chosei", "長星", (2, -2)),
    indirect(2, "Kyogetsu", "峡月", (2, -1)),
    indirect(3, "Kosei", "恒星", (2, 0)),
    indirect(4, "Suigetsu", "水月", (2, 1)),
    indirect(5, "Ryusei", "流星", (2, 2)),
    indirect(6, "Ungetsu", "雲月", (1, 0)),
    indirect(7, "Hogetsu", "浦月", (1, 1)),
    indirect(8, "Rangetsu", "嵐月", (1, 2)),
    indirect(9, "Gingetsu", "銀月", (0, 1)),
    indirect(10, "Myojo", "明星", (0, 2)),
    indirect(11, "Shagetsu", "斜月", (-1, 1)),
    indirect(12, "Meigetsu", "名月", (-1, 2)),
    indirect(13, "Suisei", "彗星", (-2, 2)),
];

impl RenjuOpening {
    /// The second stone seen from the first one.
    pub const fn second(self) -> (i8, i8) {
        (if self.direct { 0 } else { 1 }, -1)
    }

    /// Its short name, such as `D4` or `I7`.
    pub fn code(self) -> String {
        format!("{}{}", if self.direct { 'D' } else { 'I' }, self.number)
    }
}

/// The opening that begins with these three stones (black, white, black), in any of its eight images. `None` if the
/// first stone is not in the centre, or one of the others too far from it.
pub fn renju_opening(size: BoardSize, stones: [Point; 3]) -> Option<RenjuOpening> {
    let centre = size.center();
    let from_centre = |point: Point| (point.x() as i8 - centre.x() as i8, point.y() as i8 - centre.y() as i8);
    let [first, second, third] = stones.map(from_centre);
    let is_image = |opening: &RenjuOpening| {
        (0..8).any(|map| turned(map, opening.second()) == second && turned(map, opening.third) == third)
    };
    RENJU_OPENINGS.into_iter().find(|opening| first == (0, 0) && is_image(opening))
}

/// A displacement under one of the eight symmetries of the square.
const fn turned(map: u8, (x, y): (i8, i8)) -> (i8, i8) {
    let (x, y) = if map & 4 == 0 { (x, y) } else { (y, x) };
    (if map & 1 == 0 { x } else { -x }, if map & 2 == 0 { y } else { -y })
}
