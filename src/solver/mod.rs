//! Forced wins by continuous fours (VCF) and by continuous fours and threes (VCT), with their strategies as proofs.
//!
//! An attack is a tree in which the attacker plays threats only, and the defender every move that may answer them.
//! Threats and answers are defined by [`threat_status`](crate::movegen::threat_status): **a threat is a move after
//! which the defender must block, must defend, or is lost**, and its answers are the moves that `threat_status`
//! names. So a win holds against every move and under every rule.
//!
//! * `fours`: iterative deepening by the number of fours, with a table, over the whole board.
//! * `threats`: depth-first proof-number search (df-pn) over fours and threes. Each position of the attacker first gets
//!   a short search of fours.
//! * `proof`: the strategy of a win as a map from positions to moves, verified when a win is found; and the moves
//!   that may refute a threat, found by playing the strategy against each.
//!
//! The solver uses no evaluation and no clock. It measures effort in nodes, so results are the same on every machine.
//!
//! # Sources
//!
//! L. V. Allis, H. J. van den Herik, M. P. H. Huntjens: *Go-Moku and Threat-Space Search* (1993), and Allis's thesis
//! *Searching for Solutions in Games and Artificial Intelligence* (1994): attacks as trees of threats. A. Nagai:
//! *Df-pn Algorithm for Searching AND/OR Trees and Its Applications* (2002). T. Thomsen: *Lambda-Search in Game Trees –
//! with Application to Go* (2000): threats defined by what follows a pass, and the zone that answers them. T. Ueda,
//! T. Hashimoto, J. Hashimoto, H. Iida: *Weak Proof-Number Search* (2008), against counting one subgoal many times.
//! J. Pawlewicz, L. Lew: *Improving Depth-First PN-Search: 1+ε Trick* (2006).

mod fours;
mod proof;
mod proof_numbers;
mod table;
mod threats;

pub use proof::Win;

use crate::board::Point;
use crate::control::{Aborted, StopToken};
use crate::position::{PointSet, Position, Silent};
use table::Table;

/// The budget of one search.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// Positions that the search may visit.
    pub nodes: u64,
    /// Additional positions that may be visited to verify the strategy of a win that was found.
    pub proof_nodes: u64,
    /// Ends the search from outside.
    pub stop: &'a StopToken,
}

impl<'a> Budget<'a> {
    /// `nodes` for the search, and [`PROOF_NODES`] for the proof.
    pub fn new(nodes: u64, stop: &'a StopToken) -> Budget<'a> {
        Budget { nodes, proof_nodes: PROOF_NODES, stop }
    }
}

/// The kinds of moves that an attack consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Fours only (VCF).
    Fours,
    /// Fours and threes (VCT).
    Threats,
}

/// The answer to "does the side to move win by force?"
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Proven win, with its strategy.
    Win(Win),
    /// There is no win by these means. There may be a win by other means.
    None,
    /// Not decided within the budget.
    Unknown,
    /// A win was found, but its strategy could not be verified within the budget.
    Unproven,
}

/// Positions that suffice to verify the strategy of nearly every win: those of `tests/data/attacks.txt` take up to
/// 4,888.
pub const PROOF_NODES: u64 = 16_384;

impl Verdict {
    /// The win, if it is one.
    pub fn win(self) -> Option<Win> {
        match self {
            Verdict::Win(win) => Some(win),
            Verdict::None | Verdict::Unknown | Verdict::Unproven => None,
        }
    }
}

/// Searches attacks. Its tables persist between searches and are valid for one rule and board: call [`Solver::clear`]
/// before a search with another.
#[derive(Debug)]
pub struct Solver {
    fours: Table,
    threats: Table,
    nodes: u64,
}

impl Solver {
    /// A solver with tables of about this many bytes in all.
    pub fn new(bytes: usize) -> Solver {
        Solver { fours: Table::new(bytes / 4), threats: Table::new(bytes / 4 * 3), nodes: 0 }
    }

    /// Clears the tables.
    pub fn clear(&mut self) {
        self.fours.clear();
        self.threats.clear();
    }

    /// Positions visited since the solver was made.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the side to move wins by these means. The verification of a win's strategy has a separate budget. After
    /// [`Verdict::Unknown`] the same request may be repeated: the search then resumes where it stopped.
    pub fn solve(&mut self, position: &mut Position, means: Means, budget: Budget<'_>) -> Verdict {
        self.ask(position, budget, |attack| {
            let found = match means {
                Means::Fours => attack.by_fours()?,
                Means::Threats => attack.by_threats()?,
            };
            Ok(match found {
                Found::Win(_) => {
                    let stones = attack.position.stones();
                    attack.meter.limit = attack.meter.limit.max(attack.meter.used + budget.proof_nodes);
                    match attack.prove(means) {
                        Ok(win) => Verdict::Win(win),
                        Err(Aborted) => {
                            attack.unwind(stones);
                            Verdict::Unproven
                        }
                    }
                }
                Found::None => Verdict::None,
                Found::Unknown => Verdict::Unknown,
            })
        })
        .unwrap_or(Verdict::Unknown)
    }

    /// Legal moves that may refute a win of the opponent's that was found after a pass: every other legal move loses.
    ///
    /// The winner's strategy is played against every legal move; a move is refuted if every position that follows is
    /// won statically or known to the strategy. Moves left when the budget ends count as answers.
    pub fn answers(&mut self, position: &mut Position, win: &Win, budget: Budget<'_>) -> PointSet {
        let us = position.to_move();
        let empty: PointSet = position.size().points().filter(|p| position.is_empty(*p)).collect();
        let mut answers: PointSet = empty.iter().filter(|p| !position.is_forbidden(us, *p)).collect();
        // If the budget ends, the untested moves stay in the set.
        let _ = self.ask(position, budget, |attack| {
            for point in answers.iter() {
                if attack.refutes(win, point)? {
                    answers.remove(point);
                }
            }
            Ok(())
        });
        answers
    }

    fn ask<T>(
        &mut self,
        position: &mut Position,
        budget: Budget<'_>,
        question: impl FnOnce(&mut Attack<'_>) -> Result<T, Aborted>,
    ) -> Result<T, Aborted> {
        let stones = position.stones();
        self.fours.set_age(stones);
        self.threats.set_age(stones);
        let meter = Meter { used: 0, limit: budget.nodes, stop: budget.stop };
        let mut attack = Attack { fours: &mut self.fours, threats: &mut self.threats, position, meter };
        let answer = question(&mut attack);
        attack.unwind(stones);
        self.nodes += attack.meter.used;
        answer
    }
}

/// The result of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// The attacker wins; plies until the winning row is complete.
    Win(u32),
    None,
    Unknown,
}

/// Counts positions against a limit.
struct Meter<'a> {
    used: u64,
    limit: u64,
    stop: &'a StopToken,
}

/// Nodes between checks of the stop token: a fraction of a millisecond.
const BATCH: u64 = 512;

impl Meter<'_> {
    #[inline(always)]
    fn count(&mut self) -> Result<(), Aborted> {
        self.used += 1;
        if self.used > self.limit || (self.used.is_multiple_of(BATCH) && self.stop.is_stopped()) {
            return Err(Aborted);
        }
        Ok(())
    }
}

/// A search in progress.
struct Attack<'a> {
    fours: &'a mut Table,
    threats: &'a mut Table,
    position: &'a mut Position,
    meter: Meter<'a>,
}

impl Attack<'_> {
    #[inline(always)]
    fn play(&mut self, point: Point) -> Result<(), Aborted> {
        self.meter.count()?;
        self.position.play(point, &mut Silent);
        Ok(())
    }

    #[inline(always)]
    fn undo(&mut self) {
        self.position.undo(&mut Silent);
    }

    /// Takes back the stones that an aborted search has left on the board.
    fn unwind(&mut self, stones: usize) {
        while self.position.stones() > stones {
            self.undo();
        }
    }

    /// A search with a smaller budget; [`Found::Unknown`] if it does not suffice.
    fn within(
        &mut self,
        nodes: u64,
        search: impl FnOnce(&mut Self) -> Result<Found, Aborted>,
    ) -> Result<Found, Aborted> {
        let (stones, whole) = (self.position.stones(), self.meter.limit);
        self.meter.limit = whole.min(self.meter.used.saturating_add(nodes));
        let found = search(self);
        self.meter.limit = whole;
        if found.is_ok() || self.meter.used > whole || self.meter.stop.is_stopped() {
            return found;
        }
        self.unwind(stones);
        Ok(Found::Unknown)
    }
}
