//! Forced wins at the root, searched for beside the main search: the mover's own, and the opponent's after a pass. A
//! win that was announced is kept to the end.
//!
//! The solver gets a share of the nodes and runs in small portions between the iterations: a proof-number search
//! goes on where it was, since all its state is in its table. So the clock is checked often enough, node limits
//! are kept, and results do not depend on speed.

use super::report::Line;
use crate::control::StopToken;
use crate::movegen::{ThreatStatus, threat_status};
use crate::position::{PointSet, Position, Silent};
use crate::solver::{Budget, Means, PROOF_NODES, Solver, Verdict, Win};
use std::collections::VecDeque;

/// Positions that the solver visits in one portion, between two checks of the clock.
const PORTION: u64 = 512;
/// Positions that it visits for the answers to a threat, which are found in one go.
const ANSWERS: u64 = 4 * PORTION;
/// Positions of the solver that are counted as one node: it evaluates nothing and takes a quarter of the time.
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
    /// What a winning line announces, with the strategy of the solver, or else that of the win announced before.
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

    /// The most plies that the win may take from this position on, if it came by one reply to the announced move.
    fn binds(&self, position: &Position) -> Option<u32> {
        position.last(0)?;
        let mut before = position.clone();
        before.undo(&mut Silent);
        // The last stone of a position that was set up may be the mover's own.
        let is_reply = before.key() == self.after && before.to_move() != position.to_move();
        is_reply.then(|| self.plies.saturating_sub(2))
    }
}

/// What is asked: whether the side to move wins, or else its opponent after a pass.
#[derive(Clone, Copy, Debug)]
struct Question {
    attacks: bool,
    means: Means,
}

/// What a portion of work has shown.
#[derive(Clone, Debug)]
pub(super) enum SolverEvent {
    /// The side to move wins.
    Win(Win),
    /// All other moves lose.
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
    /// A win of more plies would break an announcement.
    longest: u32,
    /// Nodes spent, counted as the search counts.
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

    /// Spends up to `nodes` on the next question. The proof of a win that is found may cost more, but no more than
    /// `left`.
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
                // One threat is enough to look at.
                self.open.retain(|q| q.attacks);
                let enough = Budget::new(all.min(ANSWERS), stop);
                Some(SolverEvent::Answers(self.solver.answers(&mut self.position, &win, enough)))
            }
            // Fours alone are searched once: they are among the threats.
            Verdict::Unknown if question.means == Means::Threats => {
                self.open.push_back(question);
                None
            }
            // A strategy that is too large to go through now would be so again.
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
