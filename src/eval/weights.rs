//! The numbers of the classical evaluation.

use crate::board::Side;
use crate::pattern::{COMBINATIONS, LineClass, PointClass, combination_lines};
use crate::position::{PointInfo, Position};
use crate::rules::Rule;
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
#[derive(Clone, Debug)]
pub struct SideWeights {
    /// Worth of an empty point to the side, by combination, in evaluation units.
    pub point: Box<[i16; COMBINATIONS]>,
    /// Worth of the threat mask when the side is to move, in evaluation units.
    pub threat: Box<[i16; ThreatMask::COUNT]>,
    /// Ordering score of a move by what the mover's stone makes.
    pub own: Box<[i16; COMBINATIONS]>,
    /// Ordering score of a move by what the opponent could have made there.
    pub denied: Box<[i16; COMBINATIONS]>,
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
}

/// Weights of both sides under one rule.
#[derive(Clone, Debug)]
pub struct Weights {
    sides: [SideWeights; 2],
}

impl Weights {
    /// The weights in use for a rule.
    pub fn of(rule: Rule) -> &'static Weights {
        static CACHE: [OnceLock<Weights>; Rule::ALL.len()] = [const { OnceLock::new() }; Rule::ALL.len()];
        CACHE[rule as usize]
            .get_or_init(|| Weights { sides: Side::BOTH.map(|side| by_hand(rule.restricted_side() == Some(side))) })
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
}

/// Worth of one line's class, evaluation units.
const LINE: [i32; LineClass::COUNT] = [0, 1, 3, 4, 10, 14, 13, 26, 32, 32, 90, 120, 0];
/// Ordering score of one line's class when it is made by the mover.
const OWN: [i32; LineClass::COUNT] = [0, 2, 6, 9, 22, 28, 24, 60, 70, 62, 260, 600, 0];
/// Ordering score of one line's class when it is denied to the opponent.
const DENIED: [i32; LineClass::COUNT] = [0, 2, 5, 6, 16, 20, 16, 42, 50, 34, 180, 500, 0];

fn combined_bonus(class: PointClass) -> i32 {
    match class {
        PointClass::DoubleTwo => 8,
        PointClass::BlockedThreePlus => 14,
        PointClass::OpenThreePlus => 18,
        PointClass::DoubleThree => 50,
        PointClass::FourPlus => 25,
        PointClass::FourThree => 110,
        PointClass::OpenFour => 80,
        PointClass::Foul => -30,
        PointClass::None
        | PointClass::OpenTwo
        | PointClass::BlockedThree
        | PointClass::OpenThree
        | PointClass::Four
        | PointClass::Five => 0,
    }
}

/// A first set of numbers, by hand: strength of the lines, and a bonus where they combine.
fn by_hand(restricted: bool) -> SideWeights {
    let mut weights = SideWeights {
        point: Box::new([0; COMBINATIONS]),
        threat: Box::new([0; ThreatMask::COUNT]),
        own: Box::new([0; COMBINATIONS]),
        denied: Box::new([0; COMBINATIONS]),
    };
    for (i, lines) in combination_lines().into_iter().enumerate() {
        let class = PointClass::combine(lines, restricted);
        let sum = |table: &[i32]| lines.iter().map(|l| table[*l as usize]).sum::<i32>();
        let bonus = combined_bonus(class);
        weights.point[i] = (sum(&LINE) + bonus) as i16;
        weights.own[i] = (sum(&OWN) + 2 * bonus) as i16;
        weights.denied[i] = (sum(&DENIED) + 3 * bonus / 2) as i16;
    }
    for (mask, value) in weights.threat.iter_mut().enumerate() {
        *value = threat_by_hand(mask) as i16;
    }
    weights
}

fn threat_by_hand(mask: usize) -> i32 {
    const BITS: [i32; 11] = [-20, 900, -80, 90, 40, 60, 40, -40, -20, -25, -15];
    30 + BITS.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 != 0).map(|(_, v)| v).sum::<i32>()
}
