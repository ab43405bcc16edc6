//! Continuous fours (VCF): every move of the attacker makes a four, so there is nearly always a single answer.

use super::proof_numbers::ProofNumbers;
use super::table::Entry;
use super::{Attack, Found};
use crate::board::Point;
use crate::control::Aborted;
use crate::movegen::{ThreatStatus, own_fours, threat_status};
use crate::pattern::PointClass;
use crate::position::PointSet;
use smallvec::SmallVec;

/// Depth of the first iteration, in fours; it doubles with each further one.
const FIRST_DEPTH: u32 = 4;

/// The result of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fours {
    /// The attacker wins in this many plies.
    Win(u32),
    /// There is no win by fours.
    None,
    /// There is no win within the depth searched.
    Cut,
}

impl Attack<'_> {
    /// Whether the side to move wins by fours alone.
    pub fn by_fours(&mut self) -> Result<Found, Aborted> {
        let mut depth = FIRST_DEPTH;
        loop {
            match self.attack_by_fours(depth)? {
                Fours::Win(plies) => return Ok(Found::Win(plies)),
                Fours::None => return Ok(Found::None),
                Fours::Cut => depth *= 2,
            }
        }
    }

    /// The attacker is to move and may make `depth` fours.
    fn attack_by_fours(&mut self, depth: u32) -> Result<Fours, Aborted> {
        let us = self.position.to_move();
        let must = match threat_status(self.position) {
            ThreatStatus::Won { plies, .. } => return Ok(Fours::Win(plies as u32)),
            ThreatStatus::Lost { .. } => return Ok(Fours::None),
            ThreatStatus::MustBlock { moves } => Some(moves),
            ThreatStatus::MustDefend { .. } | ThreatStatus::Quiet => None,
        };
        let mut fours = own_fours(self.position, us);
        if let Some(blocks) = must {
            fours.intersect(&blocks);
        }
        if fours.is_empty() {
            return Ok(Fours::None);
        }
        let key = self.position.key();
        if let Some(entry) = self.fours.probe(key) {
            match entry.numbers {
                ProofNumbers::PROVEN => return Ok(Fours::Win(entry.plies)),
                ProofNumbers::DISPROVEN => return Ok(Fours::None),
                _ if entry.plies >= depth => return Ok(Fours::Cut),
                _ => {}
            }
        }
        if depth == 0 {
            return Ok(Fours::Cut);
        }
        let before = self.meter.used;
        let mut result = Fours::None;
        let mut best = None;
        for point in self.in_order(&fours) {
            self.play(point)?;
            let answered = self.answer_to_four(depth - 1)?;
            self.undo();
            match answered {
                Fours::Win(plies) => {
                    result = Fours::Win(plies + 1);
                    best = Some(point);
                    break;
                }
                Fours::Cut => result = Fours::Cut,
                Fours::None => {}
            }
        }
        let (numbers, plies) = match result {
            Fours::Win(plies) => (ProofNumbers::PROVEN, plies),
            Fours::None => (ProofNumbers::DISPROVEN, 0),
            Fours::Cut => (ProofNumbers::UNKNOWN, depth),
        };
        self.fours.store(key, Entry { numbers, best, plies, effort: self.meter.used - before });
        Ok(result)
    }

    /// The defender is to move and faces a four.
    fn answer_to_four(&mut self, depth: u32) -> Result<Fours, Aborted> {
        let blocks = match threat_status(self.position) {
            ThreatStatus::Lost { plies } => return Ok(Fours::Win(plies as u32)),
            ThreatStatus::MustBlock { moves } => moves,
            ThreatStatus::Won { .. } | ThreatStatus::MustDefend { .. } | ThreatStatus::Quiet => return Ok(Fours::None),
        };
        let mut longest = 0;
        for point in blocks.iter() {
            self.play(point)?;
            let result = self.attack_by_fours(depth)?;
            self.undo();
            match result {
                Fours::Win(plies) => longest = longest.max(plies + 1),
                Fours::None | Fours::Cut => return Ok(result),
            }
        }
        Ok(Fours::Win(longest))
    }

    /// Fours by class, then by distance to the attacker's last stone.
    fn in_order(&self, fours: &PointSet) -> SmallVec<[Point; 16]> {
        let us = self.position.to_move();
        let last = self.position.last(1);
        let key = |point: &Point| {
            let plain = self.position.info(*point).class(us) == PointClass::Four;
            (plain, last.map_or(0, |last| last.distance(*point)))
        };
        let mut points: SmallVec<[Point; 16]> = fours.iter().collect();
        points.sort_by_key(key);
        points
    }
}
