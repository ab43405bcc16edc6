//! The key of a position: one for all its images under the symmetries of the board and all orders of its stones.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | Gomocup's number of the rule |
//! | 1, 1 | width, height |
//! | 1 | the side to move: 0 black, 1 white |
//! | 3 numbers | black stones, white stones, blocked cells |
//! | a number each | their cells, row by row from the top left, each group in order |
//!
//! These numbers have one byte on boards of up to 255 cells, otherwise two, the higher first. No key begins another.

use crate::bytes::Source;
use crate::error::Damage;
use tengen::board::{BoardSize, Point, Setup, SetupError, Side, Symmetry};
use tengen::book::canonical;
use tengen::rules::Rule;
use tengen_record::rule_code::{code_of_rule, rule_of_code};

/// The key of a position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Box<[u8]>);

/// A position's key, with the map between the position and the stored image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The key.
    pub key: Key,
    size: BoardSize,
    map: Symmetry,
}

impl Place {
    /// The place of a position.
    ///
    /// # Errors
    /// If the setup is not a position on its board.
    pub fn of(setup: &Setup, rule: Rule) -> Result<Place, SetupError> {
        setup.check()?;
        let (image, map) = canonical(setup);
        Ok(Place { key: Key::of_canonical(&image, rule), size: setup.size, map })
    }

    /// The image of a point of the position on the stored board.
    pub fn store(&self, point: Point) -> Point {
        self.map.apply(self.size, point)
    }

    /// The point of the position whose image is this point of the stored board.
    pub fn restore(&self, point: Point) -> Point {
        self.map.inverse().apply(self.map.image(self.size), point)
    }
}

/// The number of a cell, row by row from the top left.
pub(crate) fn cell(size: BoardSize, point: Point) -> u16 {
    u16::from(point.y()) * u16::from(size.width()) + u16::from(point.x())
}

/// The point of a cell, if there is one.
pub(crate) fn point(size: BoardSize, cell: u16) -> Option<Point> {
    let width = u16::from(size.width());
    size.point(i32::from(cell % width), i32::from(cell / width))
}

/// Whether numbers of cells have two bytes.
fn is_wide(size: BoardSize) -> bool {
    size.cells() > usize::from(u8::MAX)
}

impl Key {
    fn of_canonical(image: &Setup, rule: Rule) -> Key {
        let size = image.size;
        let of = |side: Side| image.stones.iter().filter(move |(_, s)| *s == side).map(|(point, _)| *point);
        let count = |side: Side| of(side).count() as u16;
        let counts = [count(Side::Black), count(Side::White), image.blocked.len() as u16];
        let points = of(Side::Black).chain(of(Side::White)).chain(image.blocked.iter().copied());
        let numbers = counts.into_iter().chain(points.map(|point| cell(size, point)));
        let mut bytes = vec![code_of_rule(rule), size.width(), size.height(), image.to_move as u8];
        for number in numbers {
            let [high, low] = number.to_be_bytes();
            bytes.extend(is_wide(size).then_some(high));
            bytes.push(low);
        }
        Key(bytes.into())
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Takes bytes of the store.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Key {
        Key(bytes.into())
    }

    /// The board of the position.
    ///
    /// # Errors
    /// If the bytes are not those of a key.
    pub fn size(&self) -> Result<BoardSize, Damage> {
        match *self.0 {
            [_, width, height, ..] => BoardSize::new(width, height).ok_or(Damage::Size),
            _ => Err(Damage::Ends),
        }
    }

    /// The rule and the stored image of the position. The stones of each side are in board order.
    ///
    /// # Errors
    /// If the bytes are not those of a key.
    pub fn decode(&self) -> Result<(Rule, Setup), Damage> {
        let mut source = Source(&self.0);
        let rule = rule_of_code(source.byte()?).ok_or(Damage::Rule)?;
        let size = BoardSize::new(source.byte()?, source.byte()?).ok_or(Damage::Size)?;
        let to_move = *Side::BOTH.get(usize::from(source.byte()?)).ok_or(Damage::Number)?;
        let mut number = || -> Result<u16, Damage> {
            let high = if is_wide(size) { source.byte()? } else { 0 };
            Ok(u16::from_be_bytes([high, source.byte()?]))
        };
        let [black, white, blocked] = [number()?, number()?, number()?];
        let mut points = |count: u16| -> Result<Vec<Point>, Damage> {
            (0..count).map(|_| point(size, number()?).ok_or(Damage::Point)).collect()
        };
        let (black, white, blocked) = (points(black)?, points(white)?, points(blocked)?);
        source.end()?;
        let with = |side: Side| move |point: Point| (point, side);
        let stones = black.into_iter().map(with(Side::Black)).chain(white.into_iter().map(with(Side::White))).collect();
        let setup = Setup { size, stones, blocked, to_move };
        setup.check().map_err(|_| Damage::Point)?;
        Ok((rule, setup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;
    use std::collections::HashSet;

    fn setups() -> impl Strategy<Value = (Rule, Setup)> {
        let sizes = select(vec![(5, 5), (15, 15), (16, 16), (20, 15), (25, 25)]);
        let size = sizes.prop_map(|(width, height)| BoardSize::new(width, height).expect("a size"));
        let cells = proptest::collection::vec((any::<u16>(), 0..5_u8), 0..60);
        (select(Rule::ALL.to_vec()), size, cells, any::<bool>()).prop_map(|(rule, size, cells, black)| {
            let mut setup = Setup { to_move: Side::BOTH[usize::from(black)], ..Setup::empty(size) };
            let mut taken = HashSet::new();
            for (cell, what) in cells {
                let point = point(size, cell % size.cells() as u16).expect("on the board");
                match what {
                    _ if !taken.insert(point) => {}
                    0 => setup.blocked.push(point),
                    _ => setup.stones.push((point, Side::BOTH[usize::from(what % 2)])),
                }
            }
            (rule, setup)
        })
    }

    proptest! {
        #[test]
        fn images_and_orders_share_a_key((rule, setup) in setups(), turn in 0..8_usize) {
            let place = Place::of(&setup, rule).expect("a position");
            let maps = Symmetry::of(setup.size);
            let mut image = maps[turn % maps.len()].apply_setup(&setup);
            image.stones.reverse();
            let other = Place::of(&image, rule).expect("a position");
            prop_assert_eq!(&other.key, &place.key);
            for (point, _) in &setup.stones {
                prop_assert_eq!(place.restore(place.store(*point)), *point);
            }
            let (known, stored) = place.key.decode().expect("a key");
            prop_assert_eq!((known, stored.size, stored.to_move), (rule, setup.size, setup.to_move));
            let stored_point = |(point, side): &(Point, Side)| (place.store(*point), *side);
            let moved: HashSet<_> = setup.stones.iter().map(stored_point).collect();
            prop_assert_eq!(moved, stored.stones.iter().copied().collect::<HashSet<_>>());
            prop_assert_eq!(Place::of(&stored, rule).expect("a position").key, place.key);
        }

        #[test]
        fn damaged_keys_are_errors((rule, setup) in setups(), at in any::<usize>(), to in any::<u8>()) {
            let key = Place::of(&setup, rule).expect("a position").key;
            let mut bytes = key.bytes().to_vec();
            for cut in 0..bytes.len() {
                prop_assert!(Key::of_bytes(&bytes[..cut]).decode().is_err());
            }
            bytes.push(0);
            prop_assert!(Key::of_bytes(&bytes).decode().is_err());
            let at = at % bytes.len();
            bytes[at] = to;
            let _ = Key::of_bytes(&bytes).decode();
        }
    }

    #[test]
    fn positions_that_differ_have_keys_that_differ() {
        let size = BoardSize::RENJU;
        let setup = Setup::from_moves(size, [Point::at(7, 7), Point::at(8, 6)]);
        let key = |setup: &Setup, rule| Place::of(setup, rule).expect("a position").key;
        let passed = Setup { to_move: Side::White, ..setup.clone() };
        let turned = Setup::from_moves(size, [Point::at(8, 6), Point::at(7, 7)]);
        let all =
            [&setup, &passed, &turned, &Setup::empty(size), &Setup::empty(BoardSize::new(15, 16).expect("a size"))];
        let mut keys: HashSet<Key> = all.iter().map(|setup| key(setup, Rule::Renju)).collect();
        keys.insert(key(&setup, Rule::Freestyle));
        assert_eq!(keys.len(), 6);
        assert!(Place::of(&Setup::from_moves(size, [Point::at(7, 7), Point::at(7, 7)]), Rule::Renju).is_err());
    }
}
