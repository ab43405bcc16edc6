//! Proofs of forced wins for people: for either side, whoever is to move, with the moves that have to be answered.
//!
//! The solver proves; where it is not enough and more than threats is allowed, a search does. Effort is counted in
//! nodes, so with one thread an answer does not depend on the machine's speed.

use super::{Engine, Limits, Request};
use crate::board::{BoardSize, Grid, Point, Setup, Side};
use crate::control::StopToken;
use crate::movegen::{ThreatStatus, blocks, threat_status};
use crate::pattern::PointClass;
use crate::position::{Position, Silent};
use crate::rules::{Rule, any_winner};
use crate::solver::{self, Budget, Solver};

/// What a proof may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Means {
    /// Fours (VCF). A line ends where the classes of points show the win, which may be by two open threes.
    Fours,
    /// Fours and threes (VCT).
    Threats,
    /// Fours and threes, and then a search of all moves.
    Any,
}

/// A question: does a side win by force?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The position. Either side may be to move.
    pub setup: Setup,
    /// The rule in force.
    pub rule: Rule,
    /// Who is to win.
    pub attacker: Side,
    /// What the attacker may use.
    pub means: Means,
    /// Positions that the solver may visit, and nodes of the search besides.
    pub nodes: u64,
}

/// What is known of a forced win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The attacker wins, whatever the defender does.
    Win,
    /// It does not by these means. By any means at all: the search has shown that it does not win.
    None,
    /// The question was not settled within its limits, or was stopped.
    Unknown,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Whether the win is proven.
    pub verdict: Verdict,
    /// Of a proven win the moves of both sides, the defender resisting as long as the proof allows, up to where the
    /// classes of points show the win or a search proved it; empty if the game is over.
    pub line: Vec<Point>,
    /// Plies of the whole win, including those after the line; there may be shorter ones.
    pub plies: u32,
    /// Where the defender is to move: its legal moves that do not lose at once. All others leave an attacker who need
    /// not calculate: a five, an open four, a four-three, or two threes.
    pub defences: Vec<Point>,
}

impl Proof {
    fn of(verdict: Verdict) -> Proof {
        Proof { verdict, line: Vec::new(), plies: 0, defences: Vec::new() }
    }
}

/// Memory of the solver that proves, in bytes; taken when the first question is asked.
const SOLVER_BYTES: usize = 16 << 20;

/// A solver for questions, which remembers what it found as long as rule and board stay the same: the question after
/// a defence is then answered at once.
#[derive(Debug, Default)]
pub(super) struct Prover(Option<(Solver, Ground)>);

/// What must be the same for what is remembered to hold: rule, size and blocked cells.
type Ground = (Rule, BoardSize, Vec<Point>);

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
    /// Whether a side wins by force, blocking the caller until that is known, the nodes are spent or `stop` is set.
    ///
    /// A position that is won already is a win without moves; a faulty setup leaves the question unknown.
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
        // That there is no win by threats says little here.
        let searched =
            if stop.is_stopped() { Proof::of(Verdict::Unknown) } else { self.search_for_proof(question, stop) };
        Proof { defences: proof.defences, ..searched }
    }

    /// What a search of all moves says.
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

/// A question being put to the solver.
struct Solving<'a> {
    solver: &'a mut Solver,
    position: &'a mut Position,
    attacker: Side,
    means: Means,
    stop: &'a StopToken,
}

impl Solving<'_> {
    /// The attacker is to move.
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

    /// By fours, and if that is allowed by threes too. Fours alone are quick, and are the simpler proof.
    fn solve(&mut self, nodes: u64) -> solver::Verdict {
        let threats = self.means != Means::Fours;
        let share = if threats { nodes / 4 } else { nodes };
        let verdict = self.solver.solve(self.position, solver::Means::Fours, Budget::new(share, self.stop));
        if !threats || matches!(verdict, solver::Verdict::Win(_)) {
            return verdict;
        }
        self.solver.solve(self.position, solver::Means::Threats, Budget::new(nodes - share, self.stop))
    }

    /// The defender is to move: the attacker wins if it does after every move.
    fn defend(&mut self, nodes: u64) -> Proof {
        let defender = !self.attacker;
        let answers: Vec<Point> = match threat_status(self.position) {
            ThreatStatus::Won { .. } => return Proof::of(Verdict::None),
            ThreatStatus::Lost { .. } => Vec::new(),
            ThreatStatus::MustBlock { moves } | ThreatStatus::MustDefend { moves, .. } => moves.iter().collect(),
            ThreatStatus::Quiet => {
                // What does the attacker threaten? Without a threat the defender may do as it likes.
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
            // Once a defence has held, the rest are only listed.
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

    /// Nothing helps the defender: a line that goes into the threat, if that is allowed.
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
        // The strategy against a pass holds against any move here. Should it not be found again, the win is known all
        // the same, but not its length.
        if proof.verdict != Verdict::Win {
            return Proof::of(Verdict::Win);
        }
        let line = std::iter::once(point).chain(proof.line).collect();
        Proof { line, plies: proof.plies + 1, ..Proof::of(Verdict::Win) }
    }
}
