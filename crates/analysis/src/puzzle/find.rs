//! Finds puzzles in positions.
//!
//! A position becomes a puzzle if the solver proves a win of at least [`LEAST`] plies by fours and threes, and if no
//! other legal move wins in this sense: after each of them the solver, with [`UNIQUE_NODES`] positions for each move,
//! shows that there is no win by fours and threes ([`Verdict::None`]). If it cannot decide a single move, the position
//! is no puzzle. Longer wins that begin quietly are beyond the solver, so at last a search of all other moves, of
//! [`SEARCH_NODES`] nodes, must not prove a win either. That is strong evidence and no proof.
//!
//! In renju the mirror image is looked for too: white threatens a win that uses a forbidden point, and exactly one
//! move of black is not proven to lose; for this one the solver shows that there is no win by fours and threes.

use super::{Kind, Puzzle, in_turn};
use crate::analyze::ended;
use tengen::board::{Point, Setup, Side};
use tengen::engine::{Engine, Limits, Means, Options, Question, Request, Rule, StopToken, Verdict};
use tengen::movegen::{ThreatStatus, threat_status};
use tengen::pattern::PointClass;
use tengen::position::{Position, Silent};
use tengen::solver::{self, Budget, Solver, Win};

/// Plies of the shortest wins that are puzzles. In shorter ones the board shows all threats.
pub const LEAST: u32 = 7;
/// Positions that the solver may visit to find a win by fours, and then one by fours and threes.
const FOURS_NODES: u64 = 4_000;
const THREATS_NODES: u64 = 30_000;
/// Positions that the solver may visit to show that another move does not win.
pub const UNIQUE_NODES: u64 = 20_000;
/// Nodes of the search that looks for other wins.
pub const SEARCH_NODES: u64 = 10_000;
/// Memory of the solver and the search, in bytes.
const MEMORY: usize = 4 << 20;

/// Finds puzzles. The result for a position does not depend on earlier ones.
#[derive(Debug)]
pub struct Finder {
    engine: Engine,
    solver: Solver,
}

impl Default for Finder {
    fn default() -> Finder {
        let options = Options { hash: Some(MEMORY as u64), ..Options::default() };
        Finder { engine: Engine::new(options), solver: Solver::new(MEMORY) }
    }
}

impl Finder {
    /// The puzzle that a position is, if `is_wanted` accepts it before its other moves are checked, which takes long.
    pub fn examine(
        &mut self,
        setup: &Setup,
        rule: Rule,
        stop: &StopToken,
        is_wanted: impl Fn(&Puzzle) -> bool,
    ) -> Option<Puzzle> {
        let setup = in_turn(setup)?;
        let mut position = Position::new(&setup, rule).ok().filter(|_| ended(&setup, rule).is_none())?;
        let before = self.solver.nodes();
        self.solver.clear();
        let win = self.win(&mut position, stop);
        let effort = self.solver.nodes() - before;
        let puzzle = match win {
            Some(win) => of_win(&mut position, &setup, &win, effort)?,
            None => self.escape(&mut position, &setup, stop)?,
        };
        let is_one = |finder: &mut Finder| match puzzle.kind {
            Kind::Escape => finder.all_others_lose(&puzzle, stop),
            _ => finder.no_other_wins(&puzzle, stop),
        };
        (is_wanted(&puzzle) && is_one(self)).then_some(puzzle)
    }

    /// Whether a puzzle is what it says: whether its position gives the same puzzle again.
    pub fn verify(&mut self, puzzle: &Puzzle, stop: &StopToken) -> bool {
        self.examine(&puzzle.setup, puzzle.rule, stop, |found| found == puzzle).is_some()
    }

    /// A win of the side to move that takes some thought.
    fn win(&mut self, position: &mut Position, stop: &StopToken) -> Option<Win> {
        if !matches!(threat_status(position), ThreatStatus::Quiet | ThreatStatus::MustDefend { .. }) {
            return None;
        }
        let fours = self.solver.solve(position, solver::Means::Fours, Budget::new(FOURS_NODES, stop));
        let win = fours.win().or_else(|| {
            let budget = Budget::new(THREATS_NODES, stop);
            self.solver.solve(position, solver::Means::Threats, budget).win()
        });
        win.filter(|win| win.plies() >= LEAST)
    }

    /// A position in which black has to avoid white's win by a forbidden point, with a first guess of the solution.
    fn escape(&mut self, position: &mut Position, setup: &Setup, stop: &StopToken) -> Option<Puzzle> {
        let rule = position.rule();
        if rule.restricted_side() != Some(setup.to_move) || !matches!(threat_status(position), ThreatStatus::Quiet) {
            return None;
        }
        let before = self.solver.nodes();
        self.solver.clear();
        position.pass();
        let win = self.win(position, stop).filter(|win| uses_foul(position, win));
        position.pass();
        let win = win?;
        let answers = self.solver.answers(position, &win, Budget::new(UNIQUE_NODES, stop));
        let effort = self.solver.nodes() - before;
        self.engine.clear();
        let mut saving = answers.iter().filter(|point| self.holds(setup, rule, *point, stop) != Verdict::Win);
        let (solution, another) = (saving.next()?, saving.next());
        let plies = win.plies();
        let puzzle = Puzzle { rule, setup: setup.clone(), solution, kind: Kind::Escape, plies, effort };
        another.is_none().then_some(puzzle)
    }

    /// The verdict on a win of the other side after a move.
    fn holds(&mut self, setup: &Setup, rule: Rule, point: Point, stop: &StopToken) -> Verdict {
        let after = setup.after(point);
        let attacker = after.to_move;
        let question = Question { setup: after, rule, attacker, means: Means::Threats, nodes: UNIQUE_NODES };
        self.engine.prove(&question, stop).verdict
    }

    fn all_others_lose(&mut self, puzzle: &Puzzle, stop: &StopToken) -> bool {
        let Puzzle { setup, rule, solution, .. } = puzzle;
        self.engine.clear();
        let holds = self.holds(setup, *rule, *solution, stop) == Verdict::None;
        holds && others(puzzle).into_iter().all(|point| self.holds(setup, *rule, point, stop) == Verdict::Win)
    }

    /// Threats come first, since they win more often.
    fn no_other_wins(&mut self, puzzle: &Puzzle, stop: &StopToken) -> bool {
        let Puzzle { setup, rule, solution, .. } = puzzle;
        self.engine.clear();
        let wins = |finder: &mut Finder, point: Point| {
            let attacker = setup.to_move;
            let question = Question {
                setup: setup.after(point),
                rule: *rule,
                attacker,
                means: Means::Threats,
                nodes: UNIQUE_NODES,
            };
            finder.engine.prove(&question, stop).verdict != Verdict::None
        };
        if others(puzzle).into_iter().any(|point| wins(self, point)) {
            return false;
        }
        let request = Request {
            excluded: vec![*solution],
            analysis: true,
            ..Request::new(setup.clone(), *rule, Limits::nodes(SEARCH_NODES))
        };
        !self.engine.think(&request, stop, &mut |_| {}).line.score.is_win() && !stop.is_stopped()
    }
}

/// A win as a puzzle whose other moves are not checked yet.
fn of_win(position: &mut Position, setup: &Setup, win: &Win, effort: u64) -> Option<Puzzle> {
    let solution = *win.line().first()?;
    let kind = if uses_foul(position, win) { Kind::Trap } else { kind_of(position, win) };
    let rule = position.rule();
    Some(Puzzle { rule, setup: setup.clone(), solution, kind, plies: win.plies(), effort })
}

/// Whether every move of the attacker in the win's line makes a four.
fn kind_of(position: &mut Position, win: &Win) -> Kind {
    let mut fours = true;
    along(position, win, |position, _, attacks| {
        if attacks && position.stones() > 0 {
            fours &= position.count(!position.to_move(), PointClass::Five) > 0
                || matches!(threat_status(position), ThreatStatus::Lost { .. });
        }
    });
    if fours { Kind::Fours } else { Kind::Threats }
}

/// Whether the line of the win, played to its last stone, has a five of white that black may not block: a single one,
/// on a point that is forbidden to black.
fn uses_foul(position: &mut Position, win: &Win) -> bool {
    if position.rule().restricted_side() != Some(Side::Black) || position.to_move() != Side::White {
        return false;
    }
    let mut used = false;
    along(position, win, |position, _, attacks| {
        if attacks && position.count(Side::White, PointClass::Five) == 1 {
            let five = position.threat(Side::White, PointClass::Five);
            used |= five.is_some_and(|point| position.is_forbidden(Side::Black, point));
        }
    });
    used
}

/// Plays the line of a win and what ends it, and calls `look` after each move with whether it was the attacker's.
/// Leaves the position as it was.
fn along(position: &mut Position, win: &Win, mut look: impl FnMut(&mut Position, Point, bool)) {
    let (attacker, stones) = (position.to_move(), position.stones());
    let mut line = win.line().iter().copied();
    loop {
        let next = line.next().or_else(|| ending(position, attacker));
        let Some(point) = next else { break };
        let attacks = position.to_move() == attacker;
        position.play(point, &mut Silent);
        look(position, point, attacks);
    }
    while position.stones() > stones {
        position.undo(&mut Silent);
    }
}

/// The next move of a win that the classes of points prove: the attacker's winning one, or a block of the defender.
fn ending(position: &mut Position, attacker: Side) -> Option<Point> {
    let side = position.to_move();
    match threat_status(position) {
        ThreatStatus::Won { by, plies } if side == attacker && plies > 1 => Some(by),
        ThreatStatus::MustBlock { moves } if side != attacker => moves.iter().next(),
        ThreatStatus::MustDefend { moves, .. } if side != attacker => {
            moves.iter().find(|point| !position.is_forbidden(side, *point))
        }
        _ => None,
    }
}

/// The legal moves beside the solution: those that make threats first, then those near stones.
fn others(puzzle: &Puzzle) -> Vec<Point> {
    let Ok(mut position) = Position::new(&puzzle.setup, puzzle.rule) else { return Vec::new() };
    let side = puzzle.setup.to_move;
    let near = position.candidates();
    let legal: Vec<Point> = position.empty_points().iter().collect();
    let mut others: Vec<Point> =
        legal.into_iter().filter(|point| *point != puzzle.solution && !position.is_forbidden(side, *point)).collect();
    others.sort_by_key(|point| {
        (std::cmp::Reverse(position.info(*point).class(side)), !near.contains(*point), point.index())
    });
    others
}
