//! Continuous fours and threes (VCT), by depth-first proof-number search.
//!
//! A node is searched until one of its proof numbers reaches its limit. The limits are set so that the search continues
//! at the most-proving node [Nagai 2002]. The proof numbers of alternatives are not summed: the largest counts, and
//! every other alternative adds one [weak proof numbers, Ueda et al. 2008]. The reason is that fours that only delay
//! the end can be played in any order, and a sum would count each order. Children are stored in the table when they are
//! first judged, so that expanding a node again plays no moves.

use super::proof::replies;
use super::proof_numbers::ProofNumbers;
use super::table::Entry;
use super::{Attack, Found};
use crate::board::{Direction, Point};
use crate::control::Aborted;
use crate::movegen::{ThreatStatus, threat_status};
use crate::pattern::PointClass;
use crate::position::PointSet;
use smallvec::SmallVec;

/// Maximum nodes of the search of fours before a position of the attacker is expanded.
const FOURS_FIRST: u64 = 50;

/// Initial proof numbers of a move that makes one threat and nothing else: a win with it is a little harder.
const PLAIN: ProofNumbers = ProofNumbers { phi: 1, delta: 2 };

/// Effort of a position that was only judged statically.
const LOOKED_AT: u64 = 1;
/// Minimum effort of a position whose children were judged.
const OPENED: u64 = 2;

/// A move and what is known of the position after it, from the view of the side that then moves.
#[derive(Clone, Copy, Debug)]
struct Child {
    point: Point,
    numbers: ProofNumbers,
    plies: u32,
}

/// The result of a node so far.
#[derive(Clone, Copy, Debug)]
struct Known {
    numbers: ProofNumbers,
    /// The deciding move.
    best: Option<Point>,
    /// Plies to the attacker's win, if that is proven.
    plies: u32,
}

/// An expanded node.
struct Opened {
    children: SmallVec<[Child; 20]>,
    /// Longest win among the children that are already decided and the moves that do not answer the threat.
    longest: u32,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Attacker,
    Defender,
}

impl Role {
    /// Distinguishes the keys of the defender's nodes from those of the attacker's.
    fn salt(self) -> u64 {
        match self {
            Role::Attacker => 0,
            Role::Defender => 0x9fb2_1c65_1e98_df25,
        }
    }

    fn other(self) -> Role {
        match self {
            Role::Attacker => Role::Defender,
            Role::Defender => Role::Attacker,
        }
    }
}

impl Known {
    fn open(numbers: ProofNumbers) -> Known {
        Known { numbers, best: None, plies: 0 }
    }

    /// The attacker is to move and wins.
    fn won(best: Option<Point>, plies: u32) -> Known {
        Known { numbers: ProofNumbers::PROVEN, best, plies }
    }

    /// The defender is to move and loses.
    fn lost(plies: u32) -> Known {
        Known { numbers: ProofNumbers::DISPROVEN, best: None, plies }
    }

    /// The attack has failed, at a node of this role.
    fn refuted(role: Role) -> Known {
        Known::open(match role {
            Role::Attacker => ProofNumbers::DISPROVEN,
            Role::Defender => ProofNumbers::PROVEN,
        })
    }
}

impl Attack<'_> {
    /// Whether the side to move wins by fours and threes.
    pub fn by_threats(&mut self) -> Result<Found, Aborted> {
        match threat_status(self.position) {
            ThreatStatus::Won { plies, .. } => return Ok(Found::Win(plies as u32)),
            ThreatStatus::Lost { .. } => return Ok(Found::None),
            ThreatStatus::MustBlock { .. } | ThreatStatus::MustDefend { .. } | ThreatStatus::Quiet => {}
        }
        let known = match self.known(self.position.key(), Role::Attacker) {
            Some(known) if known.numbers.are_decided() => known,
            _ => self.search_threats(Role::Attacker, ProofNumbers::NO_LIMIT)?,
        };
        Ok(match known.numbers {
            ProofNumbers::PROVEN => Found::Win(known.plies),
            ProofNumbers::DISPROVEN => Found::None,
            _ => Found::Unknown,
        })
    }

    /// The move by which the attacker, who is to move, is known to win.
    pub fn known_win(&self) -> Option<Point> {
        self.known(self.position.key(), Role::Attacker).filter(|known| known.numbers == ProofNumbers::PROVEN)?.best
    }

    /// Searches again for the winning move of a position that the table has lost.
    pub fn search_again(&mut self) -> Result<Option<Point>, Aborted> {
        Ok(self.search_threats(Role::Attacker, ProofNumbers::NO_LIMIT)?.best)
    }

    /// Searches a node that [`threat_status`] does not decide, until one of its proof numbers reaches its limit.
    fn search_threats(&mut self, role: Role, limit: ProofNumbers) -> Result<Known, Aborted> {
        let before = self.meter.used;
        let opened = match role {
            Role::Attacker => self.open_attack()?,
            Role::Defender => self.open_defence()?,
        };
        let known = match opened {
            Ok(opened) => self.search_children(role, limit, opened)?,
            Err(known) => known,
        };
        self.keep(role, known, (self.meter.used - before).max(OPENED));
        Ok(known)
    }

    fn search_children(&mut self, role: Role, limit: ProofNumbers, opened: Opened) -> Result<Known, Aborted> {
        let mut children = opened.children;
        loop {
            let mut longest = opened.longest;
            let mut best = None;
            let (mut least, mut second) = (ProofNumbers::INFINITE, ProofNumbers::INFINITE);
            let (mut hardest, mut open) = (0, 0);
            for (i, child) in children.iter().enumerate() {
                let ProofNumbers { phi, delta } = child.numbers;
                if delta == 0 {
                    return Ok(Known {
                        numbers: ProofNumbers::PROVEN,
                        best: Some(child.point),
                        plies: child.plies + 1,
                    });
                }
                if phi == 0 {
                    longest = longest.max(child.plies + 1);
                    continue;
                }
                hardest = hardest.max(phi);
                open += 1;
                if delta < least {
                    (second, least, best) = (least, delta, Some(i));
                } else {
                    second = second.min(delta);
                }
            }
            let Some(best) = best else {
                return Ok(Known { numbers: ProofNumbers::DISPROVEN, best: None, plies: longest });
            };
            let numbers = ProofNumbers { phi: least, delta: ProofNumbers::finite(hardest + open - 1) };
            if numbers.phi >= limit.phi || numbers.delta >= limit.delta {
                return Ok(Known::open(numbers));
            }
            let child = &mut children[best];
            let limit = ProofNumbers {
                phi: if limit.delta == ProofNumbers::INFINITE {
                    ProofNumbers::INFINITE
                } else {
                    limit.delta - (open - 1)
                },
                // Slightly above the second best, so that the search does not switch between the two all the time [1+ε
                // trick].
                delta: limit.phi.min(ProofNumbers::finite(second + second / 8 + 1)),
            };
            self.play(child.point)?;
            let known = self.search_threats(role.other(), limit)?;
            self.undo();
            child.numbers = known.numbers;
            child.plies = known.plies;
        }
    }

    /// Expands a node of the attacker, unless its children decide it at once.
    fn open_attack(&mut self) -> Result<Result<Opened, Known>, Aborted> {
        let entry = self.threats.probe(self.position.key());
        if entry.is_none_or(|entry| entry.effort < OPENED)
            && let Found::Win(plies) = self.within(FOURS_FIRST, Attack::by_fours)?
        {
            return Ok(Err(Known::won(None, plies)));
        }
        let us = self.position.to_move();
        let mut children = SmallVec::new();
        for point in self.threatening_moves().iter() {
            let class = self.position.info(point).class(us);
            let plain = matches!(class, PointClass::Four | PointClass::OpenThree);
            let known = self.look(point, Role::Defender, |situation| match situation {
                ThreatStatus::Lost { plies } => Known::lost(*plies as u32),
                ThreatStatus::MustBlock { .. } | ThreatStatus::MustDefend { .. } => {
                    Known::open(if plain { PLAIN } else { ProofNumbers::UNKNOWN })
                }
                ThreatStatus::Won { .. } | ThreatStatus::Quiet => Known::refuted(Role::Defender),
            })?;
            match known.numbers {
                ProofNumbers::DISPROVEN => return Ok(Err(Known::won(Some(point), known.plies + 1))),
                ProofNumbers::PROVEN => {}
                numbers => children.push(Child { point, numbers, plies: 0 }),
            }
        }
        Ok(Ok(Opened { children, longest: 0 }))
    }

    /// Moves that may be threats; [`threat_status`] later decides which of them are.
    fn threatening_moves(&mut self) -> PointSet {
        if let ThreatStatus::MustBlock { moves } = threat_status(self.position) {
            return moves;
        }
        let us = self.position.to_move();
        let restricted = self.position.tables().restricted() == Some(us);
        let near = self.position.candidates();
        let threatens = |point: &Point| {
            let info = *self.position.info(*point);
            let class = info.class(us);
            // The restricted side may play on points that only look forbidden.
            let hidden = || Direction::ALL.map(|d| info.line(us, d)).iter().any(|c| c.is_four() || c.is_open_three());
            class >= PointClass::OpenThree
                || (restricted && class == PointClass::Foul && hidden() && !self.position.is_forbidden(us, *point))
        };
        near.iter().filter(threatens).collect()
    }

    /// Expands a node of the defender, unless its children decide it at once.
    fn open_defence(&mut self) -> Result<Result<Opened, Known>, Aborted> {
        let Some((replies, mut longest)) = replies(self.position) else {
            return Ok(Err(Known::refuted(Role::Defender)));
        };
        let mut children = SmallVec::new();
        for point in replies.iter() {
            let known = self.look(point, Role::Attacker, |situation| match situation {
                ThreatStatus::Won { by, plies } => Known::won(Some(*by), *plies as u32),
                ThreatStatus::Lost { .. } => Known::refuted(Role::Attacker),
                ThreatStatus::MustBlock { .. } | ThreatStatus::MustDefend { .. } | ThreatStatus::Quiet => {
                    Known::open(ProofNumbers::UNKNOWN)
                }
            })?;
            match known.numbers {
                ProofNumbers::DISPROVEN => return Ok(Err(Known::refuted(Role::Defender))),
                ProofNumbers::PROVEN => longest = longest.max(known.plies + 1),
                numbers => children.push(Child { point, numbers, plies: 0 }),
            }
        }
        Ok(Ok(Opened { children, longest }))
    }

    /// The table's entry for the position after a move, or else a static judgement, which is stored.
    fn look(&mut self, point: Point, role: Role, judge: impl Fn(&ThreatStatus) -> Known) -> Result<Known, Aborted> {
        if let Some(known) = self.known(self.position.key_after(point), role) {
            return Ok(known);
        }
        self.play(point)?;
        let known = judge(&threat_status(self.position));
        self.keep(role, known, LOOKED_AT);
        self.undo();
        Ok(known)
    }

    fn known(&self, key: u64, role: Role) -> Option<Known> {
        let entry = self.threats.probe(key ^ role.salt())?;
        Some(Known { numbers: entry.numbers, best: entry.best, plies: entry.plies })
    }

    fn keep(&mut self, role: Role, known: Known, effort: u64) {
        let Known { numbers, best, plies } = known;
        self.threats.store(self.position.key() ^ role.salt(), Entry { numbers, best, plies, effort });
    }
}
