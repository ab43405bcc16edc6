//! The search for forced wins at the root, beside the main search: wins of the side to move, and wins of the opponent
//! after a pass. After a win is announced, the later moves follow it to the end.
//!
//! The solver gets a share of the nodes and runs in small portions between the iterations: a proof-number search can
//! resume where it stopped, since all its state is in its table. So the clock is checked often enough, node limits
//! hold, and results do not depend on speed.

use super::report::Line;
use crate::control::StopToken;
use crate::movegen::{ThreatStatus, threat_status};
use crate::position::{PointSet, Position, Silent};
use crate::solver::{Budget, Means, PROOF_NODES, Solver, Verdict, Win};
use std::collections::VecDeque;

/// Positions that the solver visits in one portion, between two checks of the clock.
const PORTION: u64 = 512;
/// Positions that it visits to find the answers to a threat, in a single run.
const ANSWERS: u64 = 4 * PORTION;
/// Positions of the solver that count as one node: without an evaluation, a position takes a quarter of the time.
const POSITIONS_A_NODE: u64 = 4;

/// A win that was announced.
#[derive(Clone, Debug)]
pub(super) struct AnnouncedWin {
    /// Key of the position after the announced move.
    after: u64,
    /// Plies that were announced for the position before it.
    plies: u32,
    /// The strategy, if the solver found it.
    win: Option<Win>,
}

impl AnnouncedWin {
    /// The win that a winning line announces, with the solver's strategy, or else with that of the win announced
    /// before.
    pub fn new(
        position: &Position,
        line: &Line,
        tree: Option<Win>,
        before: Option<AnnouncedWin>,
    ) -> Option<AnnouncedWin> {
        let plies = line.score.distance()?.unsigned_abs();
        let after = position.key_after(*line.moves.first()?);
        Some(AnnouncedWin { after, plies, win: tree.or_else(|| before?.win) })
    }

    /// Maximum plies of the win from this position on, if the position follows the announced move and one reply.
    fn binds(&self, position: &Position) -> Option<u32> {
        position.last(0)?;
        let mut before = position.clone();
        before.undo(&mut Silent);
        // In a position that was set up, the last stone may be of the side to move.
        let is_reply = before.key() == self.after && before.to_move() != position.to_move();
        is_reply.then(|| self.plies.saturating_sub(2))
    }
}

/// A question to the solver: whether the side to move wins, or whether its opponent wins after a pass.
#[derive(Clone, Copy, Debug)]
struct Question {
    attacks: bool,
    means: Means,
}

/// The result of a portion of work.
#[derive(Clone, Debug)]
pub(super) enum SolverEvent {
    /// The side to move wins.
    Win(Win),
    /// All moves outside this set lose.
    Answers(PointSet),
}

/// The solver at one root.
pub(super) struct RootSolver<'a> {
    solver: &'a mut Solver,
    position: Position,
    /// Open questions; the first is next.
    open: VecDeque<Question>,
    /// The rest of a win found earlier.
    known: Option<Win>,
    /// Maximum plies of a win: a longer one would contradict the announced win.
    longest: u32,
    /// Nodes spent, in nodes of the main search.
    spent: u64,
    /// The win that was announced.
    pub won: Option<Win>,
}

impl<'a> RootSolver<'a> {
    pub fn new(solver: &'a mut Solver, position: &Position, announced: Option<&AnnouncedWin>) -> RootSolver<'a> {
        let mut position = position.clone();
        let longest = announced.and_then(|announced| announced.binds(&position)).unwrap_or(u32::MAX);
        let known = announced.and_then(|announced| announced.win.as_ref()?.continued(&mut position));
        position.set_root();
        let whose: &[bool] = match threat_status(&mut position) {
            ThreatStatus::Won { .. } | ThreatStatus::Lost { .. } => &[],
            ThreatStatus::MustBlock { .. } | ThreatStatus::MustDefend { .. } => &[true],
            ThreatStatus::Quiet => &[true, false],
        };
        let of = |means: Means| whose.iter().map(move |attacks| Question { attacks: *attacks, means });
        let open = of(Means::Fours).chain(of(Means::Threats)).collect();
        RootSolver { solver, position, open, known, longest, spent: 0, won: None }
    }

    /// Whether any question is open.
    pub fn is_busy(&self) -> bool {
        self.known.is_some() || !self.open.is_empty()
    }

    /// Nodes spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Spends up to `nodes` on the next question. The proof of a win may cost more, up to `left`.
    pub fn run(&mut self, nodes: u64, left: u64, stop: &StopToken) -> Option<SolverEvent> {
        if let Some(win) = self.known.take() {
            return self.announce(win);
        }
        let question = self.open.pop_front()?;
        let before = self.solver.nodes();
        let all = nodes * POSITIONS_A_NODE;
        let proof_nodes = PROOF_NODES.min((left - nodes).saturating_mul(POSITIONS_A_NODE));
        let event = match self.solve(question, Budget { nodes: all.min(PORTION), proof_nodes, stop }) {
            Verdict::Win(win) if question.attacks => self.announce(win),
            Verdict::Win(win) => {
                // One threat of the opponent is enough.
                self.open.retain(|q| q.attacks);
                let enough = Budget::new(all.min(ANSWERS), stop);
                Some(SolverEvent::Answers(self.solver.answers(&mut self.position, &win, enough)))
            }
            // Fours alone are searched only once: the search of threats includes them.
            Verdict::Unknown if question.means == Means::Threats => {
                self.open.push_back(question);
                None
            }
            // A strategy that exceeds the budget now would exceed it again.
            Verdict::Unknown | Verdict::Unproven | Verdict::None => None,
        };
        self.spent += (self.solver.nodes() - before).div_ceil(POSITIONS_A_NODE);
        event
    }

    fn solve(&mut self, question: Question, budget: Budget<'_>) -> Verdict {
        if question.attacks {
            return self.solver.solve(&mut self.position, question.means, budget);
        }
        self.position.pass();
        let verdict = self.solver.solve(&mut self.position, question.means, budget);
        self.position.pass();
        verdict
    }

    fn announce(&mut self, win: Win) -> Option<SolverEvent> {
        self.open.clear();
        (win.plies() <= self.longest).then_some(SolverEvent::Win(win))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{BoardSize, Setup, parse_points};
    use crate::rules::Rule;

    #[test]
    fn a_win_binds_after_a_reply_to_its_first_move() {
        let position = |moves: &str, is_passed: bool| {
            let points = parse_points(BoardSize::RENJU, moves).expect("labels");
            let mut setup = Setup::from_moves(BoardSize::RENJU, points);
            if is_passed {
                setup.to_move = !setup.to_move;
            }
            Position::new(&setup, Rule::ALL[0]).expect("a sound setup")
        };
        let win = AnnouncedWin { after: position("h8i9h9", false).key(), plies: 9, win: None };
        assert_eq!(win.binds(&position("h8i9h9j9", false)), Some(7));
        assert_eq!(win.binds(&position("h8i9h10j9", false)), None, "another move");
        assert_eq!(win.binds(&position("h8i9h9j9", true)), None, "no reply, but a stone of the mover's own");
        assert_eq!(win.binds(&position("", false)), None);
    }
}
