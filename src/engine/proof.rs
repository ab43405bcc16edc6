//! Proofs of forced wins for people: for either side, with either side to move, including the moves that defend.
//!
//! The solver looks for a proof by threats. If it finds none and all means are allowed, a search of all moves follows.
//! Effort is counted in nodes, so with one thread the answer does not depend on the machine's speed.

use super::{Engine, Limits, Request};
use crate::board::{BoardSize, Grid, Point, Setup, Side};
use crate::control::StopToken;
use crate::movegen::{ThreatStatus, blocks, threat_status};
use crate::pattern::PointClass;
use crate::position::{Position, Silent};
use crate::rules::{Rule, any_winner};
use crate::solver::{self, Budget, Solver};

/// The attacking moves that a proof may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Means {
    /// Fours (VCF). A line ends where the point classes prove the win, which may be by two open threes.
    Fours,
    /// Fours and threes (VCT).
    Threats,
    /// Fours and threes, then a search of all moves.
    Any,
}

/// A question: does a side have a forced win?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The position. Either side may be to move.
    pub setup: Setup,
    /// The rule in force.
    pub rule: Rule,
    /// The attacker.
    pub attacker: Side,
    /// The attacking moves that are allowed.
    pub means: Means,
    /// Node limit of the solver, and separately of the search.
    pub nodes: u64,
}

/// The result of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The attacker wins against every defence.
    Win,
    /// The attacker has no win by these means. With [`Means::Any`]: the search has proven that it does not win.
    None,
    /// The result is unknown: a limit was reached, or the proof was stopped.
    Unknown,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The result.
    pub verdict: Verdict,
    /// For a proven win the moves of both sides, with the longest defence that the proof allows. The line ends where
    /// the point classes or a search prove the win; it is empty if the game is over.
    pub line: Vec<Point>,
    /// Plies of the whole win, including those after the line; a shorter win may exist.
    pub plies: u32,
    /// With the defender to move: its legal moves that do not lose at once. After all other moves the attacker has an
    /// immediate win: a five, an open four, a four-three, or two threes.
    pub defences: Vec<Point>,
}

impl Proof {
    fn of(verdict: Verdict) -> Proof {
        Proof { verdict, line: Vec::new(), plies: 0, defences: Vec::new() }
    }
}

/// Memory of the proof solver, in bytes; allocated at the first question.
const SOLVER_BYTES: usize = 16 << 20;

/// A solver for questions. It stores its results as long as rule and board stay the same, so it answers the question
/// after a defence at once.
#[derive(Debug, Default)]
pub(super) struct Prover(Option<(Solver, CacheKey)>);

/// The key of stored results, which hold only for the same rule, size and blocked cells.
type CacheKey = (Rule, BoardSize, Vec<Point>);

impl Prover {
    fn solver(&mut self, setup: &Setup, rule: Rule) -> &mut Solver {
        let key = (rule, setup.size, setup.blocked.clone());
        let (solver, known) = self.0.get_or_insert_with(|| (Solver::new(SOLVER_BYTES), key.clone()));
        if *known != key {
            solver.clear();
            *known = key;
        }
        solver
    }
}

impl Engine {
    /// Whether a side has a forced win. Blocks the caller until the result is known, the nodes are spent or `stop` is
    /// set.
    ///
    /// A position that is won already gives a win without moves; an invalid setup gives an unknown result.
    pub fn prove(&mut self, question: &Question, stop: &StopToken) -> Proof {
        let Question { setup, rule, attacker, means, nodes } = question;
        let Ok(mut position) = Position::new(setup, *rule) else { return Proof::of(Verdict::Unknown) };
        match any_winner(&Grid::from_setup(setup), *rule) {
            Some(winner) if winner == *attacker => return Proof::of(Verdict::Win),
            Some(_) => return Proof::of(Verdict::None),
            None if position.empty_cells() == 0 => return Proof::of(Verdict::None),
            None => {}
        }
        let solver = self.prover.solver(setup, *rule);
        let mut solving = Solving { solver, position: &mut position, attacker: *attacker, means: *means, stop };
        let proof = if setup.to_move == *attacker { solving.attack(*nodes) } else { solving.defend(*nodes) };
        if *means != Means::Any || proof.verdict == Verdict::Win {
            return proof;
        }
        // Without a win by threats the position may still be won by other moves.
        let searched =
            if stop.is_stopped() { Proof::of(Verdict::Unknown) } else { self.search_for_proof(question, stop) };
        Proof { defences: proof.defences, ..searched }
    }

    /// The result of a search of all moves.
    fn search_for_proof(&mut self, question: &Question, stop: &StopToken) -> Proof {
        let request = Request {
            analysis: true,
            ..Request::new(question.setup.clone(), question.rule, Limits::nodes(question.nodes))
        };
        let line = self.think(&request, stop, &mut |_| {}).line;
        let attacks = question.setup.to_move == question.attacker;
        match line.score.distance() {
            Some(plies) if line.score.is_win() == attacks => {
                Proof { line: line.moves, plies: plies.unsigned_abs(), ..Proof::of(Verdict::Win) }
            }
            Some(_) => Proof::of(Verdict::None),
            None => Proof::of(Verdict::Unknown),
        }
    }
}

/// A question for the solver.
struct Solving<'a> {
    solver: &'a mut Solver,
    position: &'a mut Position,
    attacker: Side,
    means: Means,
    stop: &'a StopToken,
}

impl Solving<'_> {
    /// Attacker to move.
    fn attack(&mut self, nodes: u64) -> Proof {
        match threat_status(self.position) {
            ThreatStatus::Won { by, plies } => {
                return Proof { line: vec![by], plies: plies.unsigned_abs(), ..Proof::of(Verdict::Win) };
            }
            ThreatStatus::Lost { .. } => return Proof::of(Verdict::None),
            _ => {}
        }
        match self.solve(nodes) {
            solver::Verdict::Win(win) => {
                Proof { line: win.line().to_vec(), plies: win.plies(), ..Proof::of(Verdict::Win) }
            }
            solver::Verdict::None => Proof::of(Verdict::None),
            solver::Verdict::Unknown | solver::Verdict::Unproven => Proof::of(Verdict::Unknown),
        }
    }

    /// Searches wins by fours and then, if allowed, by fours and threes. Fours are searched first because that is fast
    /// and gives simpler proofs.
    fn solve(&mut self, nodes: u64) -> solver::Verdict {
        let threats = self.means != Means::Fours;
        let share = if threats { nodes / 4 } else { nodes };
        let verdict = self.solver.solve(self.position, solver::Means::Fours, Budget::new(share, self.stop));
        if !threats || matches!(verdict, solver::Verdict::Win(_)) {
            return verdict;
        }
        self.solver.solve(self.position, solver::Means::Threats, Budget::new(nodes - share, self.stop))
    }

    /// Defender to move: the attacker wins if it wins after every defence.
    fn defend(&mut self, nodes: u64) -> Proof {
        let defender = !self.attacker;
        let answers: Vec<Point> = match threat_status(self.position) {
            ThreatStatus::Won { .. } => return Proof::of(Verdict::None),
            ThreatStatus::Lost { .. } => Vec::new(),
            ThreatStatus::MustBlock { moves } | ThreatStatus::MustDefend { moves, .. } => moves.iter().collect(),
            ThreatStatus::Quiet => {
                // Look for the attacker's threat. Without a threat the defender is not forced to answer.
                self.position.pass();
                let verdict = self.solve(nodes / 3);
                self.position.pass();
                match verdict {
                    solver::Verdict::Win(win) => {
                        let budget = Budget::new(nodes / 6, self.stop);
                        self.solver.answers(self.position, &win, budget).iter().collect()
                    }
                    solver::Verdict::None => return Proof::of(Verdict::None),
                    solver::Verdict::Unknown | solver::Verdict::Unproven => return Proof::of(Verdict::Unknown),
                }
            }
        };
        let legal = |point: &Point| !self.position.is_forbidden(defender, *point);
        let answers: Vec<Point> = answers.into_iter().filter(legal).collect();
        if answers.is_empty() {
            return self.lost_at_once(nodes / 2);
        }
        let mut longest = Proof::of(Verdict::Win);
        let mut defences = Vec::new();
        for point in &answers {
            self.position.play(*point, &mut Silent);
            let at_once = matches!(threat_status(self.position), ThreatStatus::Won { .. });
            // After one defence has held, the remaining ones are only listed, not searched.
            let settled = longest.verdict == Verdict::None;
            let proof = if settled { None } else { Some(self.attack(nodes / 2 / answers.len() as u64)) };
            self.position.undo(&mut Silent);
            if !at_once {
                defences.push(*point);
            }
            match proof {
                Some(proof) if proof.verdict != Verdict::Win => {
                    longest = Proof::of(if proof.verdict == Verdict::None { Verdict::None } else { Verdict::Unknown });
                }
                Some(proof) if longest.verdict == Verdict::Win && proof.plies >= longest.plies => {
                    let line = std::iter::once(*point).chain(proof.line).collect();
                    longest = Proof { line, plies: proof.plies + 1, ..longest };
                }
                _ => {}
            }
        }
        Proof { defences, ..longest }
    }

    /// Every move of the defender loses. Returns a line that starts with a move into the threat, if that is legal.
    fn lost_at_once(&mut self, nodes: u64) -> Proof {
        let defender = !self.attacker;
        let mut points: Vec<Point> = blocks(self.position, self.attacker).iter().collect();
        points.extend(self.position.threats(self.attacker, PointClass::Four));
        points.extend(self.position.size().points());
        let legal = |p: &Point| self.position.is_empty(*p) && !self.position.is_forbidden(defender, *p);
        let Some(point) = points.into_iter().find(legal) else { return Proof::of(Verdict::Win) };
        self.position.play(point, &mut Silent);
        let proof = self.attack(nodes);
        self.position.undo(&mut Silent);
        // The strategy that wins after a pass also wins after any move here. If the solver does not find it again, the
        // win is still proven, but its length is unknown.
        if proof.verdict != Verdict::Win {
            return Proof::of(Verdict::Win);
        }
        let line = std::iter::once(point).chain(proof.line).collect();
        Proof { line, plies: proof.plies + 1, ..Proof::of(Verdict::Win) }
    }
}
