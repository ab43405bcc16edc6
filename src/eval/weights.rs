//! The numbers of the classical evaluation, learned from the engine's own games.
//!
//! They live in `weights.bin`, embedded in the program: magic `TGNW`, version (u16), number of sets (u16); then for
//! each set, for black and for white, four tables of little-endian `i16`: point values, threat masks, ordering by what
//! is made, ordering by what is denied. Sets are in the order freestyle, standard, renju. The tuner
//! writes the file, see [`Weights::encode`].

use crate::board::Side;
use crate::pattern::{COMBINATIONS, PointClass};
use crate::position::{PointInfo, Position};
use crate::rules::Rule;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// Yes-or-no facts about whose initiative it is, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreatMask(usize);

impl ThreatMask {
    /// Number of masks.
    pub const COUNT: usize = 1 << 11;

    /// The facts of a position.
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

    /// The mask as a number below [`ThreatMask::COUNT`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// Weights of one side under one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideWeights {
    /// Worth of an empty point to the side, by combination, in evaluation units.
    pub point: Box<[i16; COMBINATIONS]>,
    /// Worth of the threat mask when the side is to move, in evaluation units.
    pub threat: Box<[i16; ThreatMask::COUNT]>,
    /// Ordering score of a move by what the mover's stone makes, in units of [`ORDER_UNIT`].
    pub own: Box<[i16; COMBINATIONS]>,
    /// Ordering score of a move by what the opponent could have made there, in units of [`ORDER_UNIT`].
    pub denied: Box<[i16; COMBINATIONS]>,
}

/// Ordering score of one unit of log-odds that a move is the best one.
pub const ORDER_UNIT: f64 = 32.0;

impl Default for SideWeights {
    fn default() -> SideWeights {
        SideWeights {
            point: Box::new([0; COMBINATIONS]),
            threat: Box::new([0; ThreatMask::COUNT]),
            own: Box::new([0; COMBINATIONS]),
            denied: Box::new([0; COMBINATIONS]),
        }
    }
}

impl SideWeights {
    /// Worth of a threat mask with this side to move.
    #[inline(always)]
    pub fn threat(&self, mask: ThreatMask) -> i32 {
        i32::from(self.threat[mask.0])
    }

    /// Ordering score for making this combination.
    #[inline(always)]
    pub fn own_move(&self, combination: usize) -> i32 {
        i32::from(self.own[combination])
    }

    /// Ordering score for denying the opponent this combination of his.
    #[inline(always)]
    pub fn denied_move(&self, combination: usize) -> i32 {
        i32::from(self.denied[combination])
    }

    fn tables(&self) -> [&[i16]; 4] {
        [&self.point[..], &self.threat[..], &self.own[..], &self.denied[..]]
    }

    fn tables_mut(&mut self) -> [&mut [i16]; 4] {
        [&mut self.point[..], &mut self.threat[..], &mut self.own[..], &mut self.denied[..]]
    }
}

/// Weights of both sides under one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// Black's, then white's.
    pub sides: [SideWeights; 2],
}

const MAGIC: &[u8; 4] = b"TGNW";
const VERSION: u16 = 1;
/// Sets in a file: one for each way of counting fives that was learned.
pub const SETS: usize = 3;

/// Which set a rule uses: caro borrows that of the game whose rows it shares.
pub fn set_of(rule: Rule) -> usize {
    match (rule.restricted_side(), rule.line_rule(Side::White).wins(6, 0)) {
        (Some(_), _) => 2,
        (None, true) => 0,
        (None, false) => 1,
    }
}

/// The weights of an evaluation, a set for each way of counting fives; see [`set_of`].
pub type WeightSets = [Weights; SETS];

impl Weights {
    /// The weights that the program was built with.
    pub fn built_in() -> &'static WeightSets {
        static CACHE: OnceLock<WeightSets> = OnceLock::new();
        CACHE.get_or_init(|| Weights::decode(include_bytes!("weights.bin")).unwrap_or_default())
    }

    /// Weights of a side.
    #[inline(always)]
    pub fn side(&self, side: Side) -> &SideWeights {
        &self.sides[side.index()]
    }

    /// Worth of an empty point from black's view.
    #[inline(always)]
    pub fn point(&self, info: &PointInfo) -> i32 {
        i32::from(self.sides[0].point[info.combination(Side::Black)])
            - i32::from(self.sides[1].point[info.combination(Side::White)])
    }

    /// The sets of a file; `None` unless the bytes are exactly such a file.
    pub fn decode(bytes: &[u8]) -> Option<WeightSets> {
        let mut numbers = bytes.strip_prefix(MAGIC)?.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]]));
        if numbers.next()? as u16 != VERSION || numbers.next()? as usize != SETS {
            return None;
        }
        let mut sets = WeightSets::default();
        for table in sets.iter_mut().flat_map(|w| &mut w.sides).flat_map(SideWeights::tables_mut) {
            for value in table {
                *value = numbers.next()?;
            }
        }
        numbers.next().is_none().then_some(sets)
    }

    /// What tells the sets of a file from others: `classic-` and the CRC-32 of the file, in hexadecimal.
    pub fn name(sets: &[Weights; SETS]) -> String {
        format!("classic-{:08x}", crc32fast::hash(&Weights::encode(sets)))
    }

    /// The file that holds these sets.
    pub fn encode(sets: &WeightSets) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((SETS as u16).to_le_bytes());
        for value in sets.iter().flat_map(|w| &w.sides).flat_map(SideWeights::tables).flatten() {
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }
}

/// Weights from a file of `tengen tune`, for the rest of the process's life.
///
/// # Errors
/// If the file cannot be read, or holds anything else.
pub fn load_weights(path: &Path) -> io::Result<&'static WeightSets> {
    let sets = Weights::decode(&std::fs::read(path)?);
    let sets = sets.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no file of weights"))?;
    Ok(Box::leak(Box::new(sets)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_file_is_whole_and_survives_a_round_trip() {
        let bytes = include_bytes!("weights.bin");
        let sets = Weights::decode(bytes).expect("a valid file");
        assert_eq!(Weights::encode(&sets), bytes);
        assert!(Weights::decode(&bytes[1..]).is_none());
        assert!(Weights::decode(&bytes[..bytes.len() - 2]).is_none());
    }
}
