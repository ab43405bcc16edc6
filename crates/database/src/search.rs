//! What searches find, stored; and the growth of a database by searches, the most promising position first.
//!
//! Each step of a build follows the moves from the start by value and visits to a position whose moves are not yet
//! known, searches it, and carries the values back to the start. Everything that it needs to go on is in the database,
//! and a step is committed whole, so that a build that was stopped or killed goes on where it was.

use crate::entry::{Entry, Evaluation};
use crate::error::Error;
use crate::explore::{Explored, Filter, Move, explore, losing_moves, proof};
use crate::key::Place;
use crate::source::{Kind, Source, SourceId};
use crate::store::{Changes, Database, View};
use tengen::board::{Point, Setup};
use tengen::engine::{Bound, Engine, Limits, Line, Request, StopToken};
use tengen::rules::{Game, Rule};
use tengen_analysis::analyze::best_lines;

/// Weight of rarely visited moves against good ones, in win probability.
const CURIOSITY: f64 = 0.1;

/// The source of the engine's analyses.
pub fn analysis_source() -> Source {
    Source::new("tengen analyze", Kind::Analysis, String::new())
}

/// The source of a build.
fn build_source() -> Source {
    Source::new("tengen database build", Kind::Build, String::new())
}

/// Stores the lines that a search of a position found: its value, and those of the positions after their first moves.
///
/// # Errors
/// If the setup is not a position, or the database cannot be written.
pub fn store_lines(
    changes: &mut Changes<'_>,
    source: SourceId,
    setup: &Setup,
    rule: Rule,
    lines: &[Line],
) -> Result<(), Error> {
    if let Some(best) = lines.iter().filter(|line| !line.moves.is_empty()).max_by_key(|line| line.score) {
        store(changes, source, setup, rule, (evaluation(best), best.moves.first().copied()))?;
    }
    store_children(changes, source, setup, rule, lines)
}

/// Stores the values of the positions after the first moves of lines.
pub(crate) fn store_children(
    changes: &mut Changes<'_>,
    source: SourceId,
    setup: &Setup,
    rule: Rule,
    lines: &[Line],
) -> Result<(), Error> {
    for line in lines {
        if let Some(point) = line.moves.first() {
            let reply = line.moves.get(1).copied();
            store(changes, source, &setup.after(*point), rule, (evaluation(line).after_move(), reply))?;
        }
    }
    Ok(())
}

/// Stores a position with its value and best move, unless something better is known. A value that no search found is
/// left out: the position is known then, and worth a search.
///
/// # Errors
/// If the setup is not a position, or the database cannot be written.
pub fn store(
    changes: &mut Changes<'_>,
    source: SourceId,
    setup: &Setup,
    rule: Rule,
    (evaluation, best): (Evaluation, Option<Point>),
) -> Result<(), Error> {
    let is_found = evaluation.depth > 0 || evaluation.nodes > 0 || evaluation.is_proof();
    let place = Place::of(setup, rule)?;
    changes.update(&place, source, |entry| entry.evaluate(is_found.then_some(evaluation), best)).map(drop)
}

fn evaluation(line: &Line) -> Evaluation {
    Evaluation { score: line.score, bound: Bound::Exact, depth: line.depth, nodes: line.nodes }
}

/// What a build does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rule.
    pub rule: Rule,
    /// The start.
    pub setup: Setup,
    /// Nodes of each search.
    pub nodes: u64,
    /// Moves that a search of a position adds.
    pub lines: usize,
    /// Steps of this run; `None` until it is stopped.
    pub steps: Option<u64>,
}

/// A step of a build.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its number in this run, from 1.
    pub number: u64,
    /// The moves from the start to the position that was searched.
    pub path: Vec<Point>,
    /// The start's value and best move after the step.
    pub start: (Option<Evaluation>, Option<Point>),
}

/// Why a build ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The start is proven to be won or lost.
    Proven,
    /// All steps are made.
    Steps,
    /// It was stopped.
    Stopped,
    /// No known move leads on: the game is over everywhere.
    Nothing,
}

/// Extends a database from a position until the plan is done, the position is proven, or `stop` is set. After each step
/// `on_step` is called.
///
/// # Errors
/// If the setup is not a position, or the database cannot be read or written.
pub fn build(
    database: &mut Database,
    engine: &mut Engine,
    plan: &Plan,
    stop: &StopToken,
    on_step: &mut dyn FnMut(&Step),
) -> Result<End, Error> {
    let source = database.write(|changes| changes.own_source(&build_source()))?;
    let mut number = 0;
    loop {
        if plan.steps.is_some_and(|steps| number >= steps) {
            return Ok(End::Steps);
        }
        let walk = Walk::from_start(&database.view()?, source, plan)?;
        if walk.is_proven() {
            return Ok(End::Proven);
        }
        let found = if walk.is_won { Some(Vec::new()) } else { walk.search(engine, plan, stop) };
        let Some(lines) = found else { return Ok(End::Stopped) };
        if lines.is_empty() && walk.excluded.is_empty() && !walk.is_won {
            return Ok(End::Nothing);
        }
        let start = database.write(|changes| walk.store(changes, source, plan.rule, &lines))?;
        number += 1;
        on_step(&Step { number, path: walk.moves, start });
    }
}

/// A position on the way, and the moves known from it.
struct Stop {
    setup: Setup,
    known: Vec<Point>,
    evaluation: Option<Evaluation>,
}

/// The way from the start to the position that is searched next.
struct Walk {
    stops: Vec<Stop>,
    moves: Vec<Point>,
    /// Moves of the last position that are known to lose, if all known ones are.
    excluded: Vec<Point>,
    /// Whether a known move wins the last position, by a proof that was found on another way. It needs no search.
    is_won: bool,
}

impl Walk {
    fn from_start(view: &View, source: SourceId, plan: &Plan) -> Result<Walk, Error> {
        let filter = Filter::of(view, |id, _| id == source);
        let mut walk = Walk { stops: Vec::new(), moves: Vec::new(), excluded: Vec::new(), is_won: false };
        let mut setup = plan.setup.clone();
        loop {
            let explored = explore(view, &setup, plan.rule, &filter)?;
            walk.is_won = proof(&explored).is_some_and(|(evaluation, _)| evaluation.score.is_win());
            let next = next_move(&explored).map(|m| m.point).filter(|_| !walk.is_won);
            if next.is_none() && !walk.is_won {
                walk.excluded = losing_moves(&explored);
            }
            let known = explored.moves.iter().map(|m| m.point).collect();
            walk.stops.push(Stop { setup: setup.clone(), known, evaluation: explored.position.evaluation });
            match next {
                Some(point) => {
                    walk.moves.push(point);
                    setup.play(point);
                }
                None => return Ok(walk),
            }
        }
    }

    fn is_proven(&self) -> bool {
        self.stops.first().and_then(|start| start.evaluation).is_some_and(|evaluation| evaluation.is_proof())
    }

    /// The best moves of the last position, except those known to lose. `None` if the search was stopped.
    fn search(&self, engine: &mut Engine, plan: &Plan, stop: &StopToken) -> Option<Vec<Line>> {
        let setup = &self.stops.last()?.setup;
        let is_over = Game::from_setup(plan.rule, setup.clone()).is_ok_and(|game| game.outcome().is_some());
        if is_over || stop.is_stopped() {
            return if is_over { Some(Vec::new()) } else { None };
        }
        let request = Request {
            lines: plan.lines.max(1),
            excluded: self.excluded.clone(),
            analysis: true,
            ..Request::new(setup.clone(), plan.rule, Limits::nodes(plan.nodes))
        };
        let lines = best_lines(engine, &request, stop, &mut |_| {});
        // The result of a search that was stopped does not count.
        (!stop.is_stopped()).then_some(lines)
    }

    /// Stores the lines of the last position, and carries the values back; returns those of the start.
    fn store(
        &self,
        changes: &mut Changes<'_>,
        source: SourceId,
        rule: Rule,
        lines: &[Line],
    ) -> Result<(Option<Evaluation>, Option<Point>), Error> {
        let mut result = (None, None);
        let new: Vec<Point> = lines.iter().filter_map(|line| line.moves.first().copied()).collect();
        for (back, stop) in self.stops.iter().rev().enumerate() {
            if back == 0 {
                store_children(changes, source, &stop.setup, rule, lines)?;
            }
            let added = if back == 0 { &new[..] } else { &[] };
            let best = best_child(changes, source, stop, rule, added)?;
            let place = Place::of(&stop.setup, rule)?;
            // A position all of whose known moves lose is lost only if a search says so of the others.
            let is_searched = back == 0 && (self.excluded.is_empty() || lines.is_empty() || all_lose(lines));
            let entry = changes.update(&place, source, |entry| {
                carry(entry, best, is_searched);
                entry.visits = entry.visits.saturating_add(1);
            })?;
            result = (entry.evaluation, entry.best);
        }
        Ok(result)
    }
}

fn all_lose(lines: &[Line]) -> bool {
    lines.iter().all(|line| line.score.is_loss())
}

/// The best value of the known moves of a position, for the side that makes them, and the move.
fn best_child(
    changes: &Changes<'_>,
    source: SourceId,
    stop: &Stop,
    rule: Rule,
    added: &[Point],
) -> Result<Option<(Evaluation, Point)>, Error> {
    let mut best: Option<(Evaluation, Point)> = None;
    for point in stop.known.iter().chain(added) {
        let place = Place::of(&stop.setup.after(*point), rule)?;
        let value = changes.entry(&place, source)?.and_then(|entry| entry.evaluation).map(|e| e.before_move());
        if let Some(value) = value.filter(|value| best.is_none_or(|(best, _)| value.score > best.score)) {
            best = Some((value, *point));
        }
    }
    Ok(best)
}

/// Replaces a position's value by that of its best move, unless that would call it lost without a search of all moves.
fn carry(entry: &mut Entry, best: Option<(Evaluation, Point)>, is_searched: bool) {
    let is_proven = entry.evaluation.is_some_and(|evaluation| evaluation.is_proof());
    if let Some((value, point)) = best.filter(|(value, _)| !is_proven && (is_searched || !value.score.is_loss())) {
        (entry.evaluation, entry.best) = (Some(value), Some(point));
    }
}

/// The move to follow: one that is not decided, good or rarely visited.
fn next_move(explored: &Explored) -> Option<&Move> {
    let visits = f64::from(explored.position.visits.max(1)).sqrt();
    let worth = |m: &Move| {
        let rate = m.evaluation().map_or(0.5, |evaluation| evaluation.score.win_rate());
        rate + CURIOSITY * visits / (1.0 + f64::from(m.after.visits))
    };
    let open = explored.moves.iter().filter(|m| !m.after.evaluation.is_some_and(|evaluation| evaluation.is_proof()));
    open.max_by(|a, b| worth(a).total_cmp(&worth(b)).then(b.point.cmp(&a.point)))
}
