//! Continuous fours and threes (VCT), by depth-first proof-number search.
//!
//! A node is searched until its numbers pass its limits, which are set so that the search goes on where the least is
//! left to prove [Nagai 2002]. Where many moves must all be met, they are counted once each beside the hardest,
//! instead of being summed [weak proof numbers, Ueda et al. 2008]: fours that only put off the end come in any order,
//! and a sum would count each order.

use super::numbers::Numbers;
use super::table::Entry;
use super::{Attack, Found};
use crate::board::{Direction, Point};
use crate::control::Aborted;
use crate::movegen::{Situation, assess};
use crate::pattern::PointClass;
use crate::position::PointSet;
use smallvec::SmallVec;

/// Nodes that a search of fours may cost before a position of the attacker is opened.
const FOURS_FIRST: u64 = 100;

/// Tells the keys of the defender's nodes from those of the attacker's.
const DEFENDS: u64 = 0x9fb2_1c65_1e98_df25;

/// Plies in which a defender loses who does not block a four.
pub(super) const DEFENCE_FAILS: u32 = 2;

/// A move and what is known of the position after it, from the view of the side that then moves.
#[derive(Clone, Copy, Debug)]
struct Child {
    point: Point,
    numbers: Numbers,
    plies: u32,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
struct Known {
    numbers: Numbers,
    best: Option<Point>,
    /// Plies to the attacker's win, if that is proven.
    plies: u32,
}

type Children = SmallVec<[Child; 20]>;

/// A node that needs no children, or its children.
enum Opened {
    Decided(Known),
    /// And plies to the win if all the children are wins: what the moves that are no answer lose in.
    Children(Children, u32),
}

impl Known {
    fn reached(best: Option<Point>, plies: u32) -> Known {
        Known { numbers: Numbers::REACHED, best, plies }
    }

    fn failed(plies: u32) -> Known {
        Known { numbers: Numbers::FAILED, best: None, plies }
    }

    fn open(numbers: Numbers) -> Known {
        Known { numbers, best: None, plies: 0 }
    }
}

impl Attack<'_> {
    /// Whether the side to move wins by fours and threes.
    pub fn by_threats(&mut self) -> Result<Found, Aborted> {
        match assess(self.position) {
            Situation::Won { plies, .. } => return Ok(Found::Win(plies as u32)),
            Situation::Lost { .. } => return Ok(Found::None),
            _ => {}
        }
        let known = match self.known(true) {
            Some(known) if known.numbers == Numbers::REACHED || known.numbers == Numbers::FAILED => known,
            _ => self.search_threats(true, Numbers::NO_LIMIT)?,
        };
        Ok(match known.numbers {
            Numbers::REACHED => Found::Win(known.plies),
            Numbers::FAILED => Found::None,
            _ => Found::Unknown,
        })
    }

    /// Searches a node that `assess` does not decide, until its numbers are no longer below both limits.
    fn search_threats(&mut self, attacks: bool, limit: Numbers) -> Result<Known, Aborted> {
        let before = self.meter.used;
        let known = match self.open(attacks)? {
            Opened::Decided(known) => known,
            Opened::Children(mut children, otherwise) => self.work(attacks, limit, &mut children, otherwise)?,
        };
        self.keep(attacks, known, self.meter.used - before);
        Ok(known)
    }

    fn work(
        &mut self,
        attacks: bool,
        limit: Numbers,
        children: &mut Children,
        otherwise: u32,
    ) -> Result<Known, Aborted> {
        loop {
            let mut best = None;
            let (mut least, mut second) = (Numbers::NEVER, Numbers::NEVER);
            let (mut open, mut hardest, mut longest) = (0, 0, otherwise);
            for (i, child) in children.iter().enumerate() {
                let Numbers { phi, delta } = child.numbers;
                if delta == 0 {
                    return Ok(Known::reached(Some(child.point), child.plies + 1));
                }
                if phi == 0 {
                    longest = longest.max(child.plies + 1);
                    continue;
                }
                open += 1;
                hardest = hardest.max(phi);
                if delta < least {
                    (second, least, best) = (least, delta, Some(i));
                } else {
                    second = second.min(delta);
                }
            }
            let Some(best) = best else {
                return Ok(Known::failed(longest));
            };
            let numbers = Numbers { phi: least, delta: Numbers::finite(hardest + open - 1) };
            if numbers.phi >= limit.phi || numbers.delta >= limit.delta {
                return Ok(Known::open(numbers));
            }
            let child = &mut children[best];
            let limit = Numbers {
                phi: if limit.delta == Numbers::NEVER { Numbers::NEVER } else { limit.delta - (open - 1) },
                // A little beyond the second best, so as not to go to and fro between them [1+ε trick].
                delta: limit.phi.min(Numbers::finite(second + second / 4 + 1)),
            };
            self.play(child.point)?;
            let known = self.search_threats(!attacks, limit)?;
            self.undo();
            child.numbers = known.numbers;
            child.plies = known.plies;
        }
    }

    fn open(&mut self, attacks: bool) -> Result<Opened, Aborted> {
        if attacks { self.open_attack() } else { self.open_defence() }
    }

    /// The attacker's threats, and what is known of each.
    fn open_attack(&mut self) -> Result<Opened, Aborted> {
        if self.known(true).is_none()
            && let Found::Win(plies) = self.within(FOURS_FIRST, Attack::by_fours)?
        {
            return Ok(Opened::Decided(Known::reached(None, plies)));
        }
        let mut children = Children::new();
        for point in self.threatening_moves().iter() {
            self.play(point)?;
            let known = match assess(self.position) {
                Situation::Lost { plies } => Known::failed(plies as u32),
                Situation::MustBlock { moves } | Situation::MustDefend { moves, .. } => {
                    let fresh = Numbers { phi: 1, delta: moves.len() as u32 };
                    self.known(false).unwrap_or(Known::open(fresh))
                }
                Situation::Won { .. } | Situation::Quiet => Known::reached(None, 0),
            };
            self.undo();
            match known.numbers {
                Numbers::FAILED => return Ok(Opened::Decided(Known::reached(Some(point), known.plies + 1))),
                Numbers::REACHED => {}
                numbers => children.push(Child { point, numbers, plies: 0 }),
            }
        }
        Ok(Opened::Children(children, 0))
    }

    /// Moves that may be threats; which are, [`assess`] says afterwards.
    fn threatening_moves(&mut self) -> PointSet {
        let us = self.position.to_move();
        if let Situation::MustBlock { moves } = assess(self.position) {
            return moves;
        }
        let restricted = self.position.tables().restricted() == Some(us);
        let near = self.position.candidates();
        near.iter()
            .filter(|point| {
                let info = self.position.info(*point);
                let class = info.class(us);
                class >= PointClass::OpenThree
                    || restricted
                        && class == PointClass::Foul
                        && Direction::ALL
                            .into_iter()
                            .any(|d| info.line(us, d).is_four() || info.line(us, d).is_open_three())
                        && !self.position.is_forbidden(us, *point)
            })
            .collect()
    }

    /// All answers of the defender, and what is known of each.
    fn open_defence(&mut self) -> Result<Opened, Aborted> {
        let Some((replies, mut longest)) = self.replies() else {
            return Ok(Opened::Decided(Known::reached(None, 0)));
        };
        let mut children = Children::new();
        for point in replies.iter() {
            self.play(point)?;
            let known = match assess(self.position) {
                Situation::Won { plies, .. } => Known::reached(None, plies as u32),
                Situation::Lost { .. } => Known::failed(0),
                _ => self.known(true).unwrap_or(Known::open(Numbers::UNKNOWN)),
            };
            self.undo();
            match known.numbers {
                Numbers::FAILED => return Ok(Opened::Decided(Known::reached(None, 0))),
                Numbers::REACHED => longest = longest.max(known.plies + 1),
                numbers => children.push(Child { point, numbers, plies: 0 }),
            }
        }
        Ok(Opened::Children(children, longest))
    }

    /// The move by which the attacker is known to win by threats.
    pub fn known_win(&self) -> Option<Point> {
        self.known(true).filter(|known| known.numbers == Numbers::REACHED)?.best
    }

    /// Searches for the move that wins a position once more.
    pub fn search_again(&mut self) -> Result<Option<Point>, Aborted> {
        Ok(self.search_threats(true, Numbers::NO_LIMIT)?.best)
    }

    /// What the tables know of the position.
    fn known(&self, attacks: bool) -> Option<Known> {
        let salt = if attacks { 0 } else { DEFENDS };
        let entry = self.threats.probe(self.position.key() ^ salt)?;
        Some(Known { numbers: entry.numbers, best: entry.best, plies: entry.plies })
    }

    fn keep(&mut self, attacks: bool, known: Known, effort: u64) {
        let salt = if attacks { 0 } else { DEFENDS };
        let entry = Entry { numbers: known.numbers, best: known.best, plies: known.plies, effort };
        self.threats.store(self.position.key() ^ salt, entry);
    }
}
