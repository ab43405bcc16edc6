//! The weights of the classical evaluation, learned from the engine's own games.
//!
//! They are stored in `weights.bin`, which is embedded in the program: magic `TGNW`, version (u16), number of sets
//! (u16). For each set, for black and then for white, follow tables of little-endian `i16`: point values, threat masks,
//! for each [`OrderingContext`] the ordering by what the stone makes and by what it denies, and for each class of the
//! earlier stone the ordering by [`displacement`], from the opponent's stone and from the own. Sets are in the order
//! freestyle, standard, renju. The tuner writes the file, see [`Weights::encode`].

use crate::board::{Point, STEPS, Side};
use crate::pattern::{COMBINATION_SLOTS, COMBINATIONS, PointClass};
use crate::position::{PointInfo, Position};
use crate::rules::Rule;
use std::sync::{Arc, OnceLock};

/// Binary features of the threats of both sides, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreatMask(usize);

impl ThreatMask {
    /// Number of possible masks.
    pub const COUNT: usize = 1 << 11;

    /// The mask of a position.
    #[inline]
    pub fn of(position: &Position) -> ThreatMask {
        use PointClass::{DoubleThree, Five, Four, FourPlus, FourThree, OpenFour, OpenThree, OpenThreePlus};
        let (us, them) = (position.to_move(), !position.to_move());
        let any = |side: Side, a: PointClass, b: PointClass| {
            usize::from(position.count(side, a) + position.count(side, b) > 0)
        };
        ThreatMask(
            any(them, Five, Five)
                | any(us, OpenFour, OpenFour) << 1
                | any(them, OpenFour, OpenFour) << 2
                | any(us, FourThree, FourPlus) << 3
                | any(us, Four, Four) << 4
                | any(us, DoubleThree, OpenThreePlus) << 5
                | any(us, OpenThree, OpenThree) << 6
                | any(them, FourThree, FourPlus) << 7
                | any(them, Four, Four) << 8
                | any(them, DoubleThree, OpenThreePlus) << 9
                | any(them, OpenThree, OpenThree) << 10,
        )
    }

    /// The mask as an index below [`ThreatMask::COUNT`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// The tactical context of a node; each context has its own ordering tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderingContext(usize);

impl OrderingContext {
    /// Number of contexts.
    pub const COUNT: usize = 5;
    /// A threat must be answered. The other contexts tell which side could make an open three or better: neither, the
    /// mover, the opponent, both.
    pub const DEFENCE: OrderingContext = OrderingContext(4);

    /// The context of the side to move when there is no threat to answer.
    #[inline]
    pub fn of(position: &Position) -> OrderingContext {
        let us = position.to_move();
        let can = |side: Side| usize::from(position.count_from(side, PointClass::OpenThree) > 0);
        OrderingContext(can(us) | can(!us) << 1)
    }

    /// The context as an index below [`OrderingContext::COUNT`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// Number of different displacements, see [`displacement`].
pub const DISPLACEMENTS: usize = 36;

/// Index of the displacement between two points, independent of direction: `m (m + 1) / 2 + n`, where `m` is the larger
/// and `n` the smaller distance along the axes; 0 if the points are more than 7 apart.
#[inline(always)]
pub fn displacement(from: Point, to: Point) -> usize {
    const TABLE: [u8; STEPS] = {
        let mut table = [0; STEPS];
        let mut number = 0;
        while number < STEPS {
            let (dx, dy) = Point::step(number);
            let (dx, dy) = (dx.unsigned_abs(), dy.unsigned_abs());
            let (m, n) = if dx > dy { (dx, dy) } else { (dy, dx) };
            if m <= 7 {
                table[number] = (m * (m + 1) / 2 + n) as u8;
            }
            number += 1;
        }
        table
    };
    usize::from(TABLE[from.step_to(to)])
}

/// A table over combinations. Entries beyond [`COMBINATIONS`] are padding and are not written to the file.
pub(super) type ByCombination = [i16; COMBINATION_SLOTS];
/// A table over the class that an earlier stone had for its side when it was played, and the displacement from it.
type ByStone = [[i16; DISPLACEMENTS]; PointClass::COUNT];

/// Weights of one side under one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideWeights {
    /// Value of an empty point for the side, by combination, in evaluation units.
    pub point: Box<ByCombination>,
    /// Value of the threat mask when the side is to move, in evaluation units.
    pub threat: Box<[i16; ThreatMask::COUNT]>,
    /// Ordering score of a move by context and by what the mover's stone makes, in ordering units.
    pub own: Box<[ByCombination; OrderingContext::COUNT]>,
    /// Ordering score of a move by the mover's context and by what this side, the opponent, could have made there, in
    /// ordering units.
    pub denied: Box<[ByCombination; OrderingContext::COUNT]>,
    /// Ordering score of a move by its displacement from the opponent's last stone, in ordering units.
    pub reply: Box<ByStone>,
    /// Ordering score of a move by its displacement from the mover's own last stone, in ordering units.
    pub follow: Box<ByStone>,
}

impl Default for SideWeights {
    fn default() -> SideWeights {
        SideWeights {
            point: Box::new([0; COMBINATION_SLOTS]),
            threat: Box::new([0; ThreatMask::COUNT]),
            own: Box::new([[0; COMBINATION_SLOTS]; OrderingContext::COUNT]),
            denied: Box::new([[0; COMBINATION_SLOTS]; OrderingContext::COUNT]),
            reply: Box::new([[0; DISPLACEMENTS]; PointClass::COUNT]),
            follow: Box::new([[0; DISPLACEMENTS]; PointClass::COUNT]),
        }
    }
}

impl SideWeights {
    /// Value of a threat mask with this side to move.
    #[inline(always)]
    pub fn threat(&self, mask: ThreatMask) -> i32 {
        i32::from(self.threat[mask.0])
    }

    fn numbers(&self) -> impl Iterator<Item = &i16> {
        let order = self.own.iter().chain(&*self.denied).flat_map(|table| &table[..COMBINATIONS]);
        let near = self.reply.iter().chain(&*self.follow).flatten();
        self.point[..COMBINATIONS].iter().chain(&*self.threat).chain(order).chain(near)
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut i16> {
        let order = self.own.iter_mut().chain(&mut *self.denied).flat_map(|table| &mut table[..COMBINATIONS]);
        let near = self.reply.iter_mut().chain(&mut *self.follow).flatten();
        self.point[..COMBINATIONS].iter_mut().chain(&mut *self.threat).chain(order).chain(near)
    }
}

/// Weights of both sides under one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// Black's, then white's.
    pub sides: [SideWeights; 2],
}

const MAGIC: &[u8; 4] = b"TGNW";
const VERSION: u16 = 2;
/// The weights of an evaluation, a set for each [`Weights::set_of`].
pub type WeightSets = [Weights; Weights::SETS];

impl Weights {
    /// Number of [`Weights::set_of`] values.
    pub const SETS: usize = 3;

    /// Index of the set that a rule uses: 0 freestyle, 1 standard, 2 renju. Caro uses that of the rule that treats rows
    /// of six in the same way.
    pub fn set_of(rule: Rule) -> usize {
        match (rule.restricted_side(), rule.line_rule(Side::White).wins(6, 0)) {
            (Some(_), _) => 2,
            (None, true) => 0,
            (None, false) => 1,
        }
    }

    /// The built-in weights.
    pub fn built_in() -> &'static Arc<WeightSets> {
        static CACHE: OnceLock<Arc<WeightSets>> = OnceLock::new();
        CACHE.get_or_init(|| Arc::new(Weights::decode(include_bytes!("weights.bin")).unwrap_or_default()))
    }

    /// Weights of a side.
    #[inline(always)]
    pub fn side(&self, side: Side) -> &SideWeights {
        &self.sides[side.index()]
    }

    /// Value of an empty point from black's view.
    #[inline(always)]
    pub fn point(&self, info: &PointInfo) -> i32 {
        i32::from(self.sides[0].point[info.combination(Side::Black)])
            - i32::from(self.sides[1].point[info.combination(Side::White)])
    }

    /// Length of a file of weights, in bytes.
    pub const FILE_BYTES: u64 = {
        let orders = 2 * OrderingContext::COUNT * COMBINATIONS + 2 * PointClass::COUNT * DISPLACEMENTS;
        let side = COMBINATIONS + ThreatMask::COUNT + orders;
        (MAGIC.len() + size_of::<i16>() * (2 + 2 * Weights::SETS * side)) as u64
    };

    /// Whether a file that starts with these bytes is a file of weights.
    pub fn is_file(head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    /// Decodes the sets of a file; `None` unless the bytes are exactly such a file.
    pub fn decode(bytes: &[u8]) -> Option<WeightSets> {
        let numbers = bytes.strip_prefix(MAGIC)?.chunks_exact(2);
        if !numbers.remainder().is_empty() {
            return None;
        }
        let mut numbers = numbers.map(|b| i16::from_le_bytes([b[0], b[1]]));
        if numbers.next()? as u16 != VERSION || numbers.next()? as usize != Weights::SETS {
            return None;
        }
        let mut sets = WeightSets::default();
        for value in sets.iter_mut().flat_map(|w| &mut w.sides).flat_map(SideWeights::numbers_mut) {
            *value = numbers.next()?;
        }
        numbers.next().is_none().then_some(sets)
    }

    /// Identifier of the sets: `classic-` and the CRC-32 of their file, in hexadecimal.
    pub fn name(sets: &WeightSets) -> String {
        format!("classic-{:08x}", crc32fast::hash(&Weights::encode(sets)))
    }

    /// Encodes these sets as a file.
    pub fn encode(sets: &WeightSets) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((Weights::SETS as u16).to_le_bytes());
        for value in sets.iter().flat_map(|w| &w.sides).flat_map(SideWeights::numbers) {
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_file_is_whole_and_survives_a_round_trip() {
        let bytes = include_bytes!("weights.bin");
        let sets = Weights::decode(bytes).expect("a valid file");
        assert_eq!(Weights::encode(&sets), bytes);
        assert_eq!(bytes.len() as u64, Weights::FILE_BYTES);
        assert!(Weights::decode(&bytes[1..]).is_none());
        assert!(Weights::decode(&bytes[..bytes.len() - 2]).is_none());
        assert!(Weights::decode(&[bytes, &[0][..]].concat()).is_none());
    }

    #[test]
    fn displacements_tell_distances_but_no_directions() {
        let from = Point::at(12, 12);
        let mut distances = std::collections::HashMap::new();
        for x in 0..25_u8 {
            for y in 0..25_u8 {
                let (a, b) = (x.abs_diff(12), y.abs_diff(12));
                let distance = if a.max(b) > 7 { (0, 0) } else { (a.max(b), a.min(b)) };
                let d = displacement(from, Point::at(x, y));
                assert!(d < DISPLACEMENTS && d == displacement(Point::at(x, y), from));
                assert_eq!(*distances.entry(d).or_insert(distance), distance);
            }
        }
        assert_eq!(distances.len(), DISPLACEMENTS);
    }
}
