//! Makes the opening book: deep searches of an empty board, of first moves, and of the following positions.
//!
//! The book grows stone by stone. In each position the side to move has one reply, found by a deep search. The
//! opponent's answers to it are the best lines of a shallower search. So the book serves both colours from the empty
//! board, and white also after any first move near the centre. It also contains the engine's openings for swap2.

use crate::analyze::best_lines;
use rayon::prelude::*;
use std::collections::HashSet;
use tengen::board::Setup;
use tengen::book::{Advice, Book, canonical};
use tengen::control::StopToken;
use tengen::engine::{Engine, Limits, Line, Options, Request, STACK_BYTES, swap2_openings};
use tengen::rules::Rule;

/// The positions to search, and the limits of the searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The rule.
    pub rule: Rule,
    /// The board without stones.
    pub empty: Setup,
    /// Nodes of the search for a reply. The search for the opponent's answers has a quarter of them.
    pub nodes: u64,
    /// Maximum of stones of a position.
    pub stones: usize,
    /// Maximum of the opponent's answers in a position.
    pub answers: usize,
    /// Skips answers that are worse than the best by more than this, in evaluation units.
    pub margin: i32,
    /// The book covers all first moves up to this distance from the centre.
    pub first: u8,
}

/// Transposition table of each search, in bytes: a few million nodes fill it.
const TABLE: u64 = 64 << 20;

/// Searches the positions that are missing from the book, `threads` at once; ends early when `stop` is set. The book
/// does not depend on the number of threads. Calls `on_reply` for each new position.
///
/// # Errors
/// If the threads cannot be started.
pub fn grow(
    book: &mut Book,
    plan: &Plan,
    threads: usize,
    stop: &StopToken,
    on_reply: &(dyn Fn(&Setup, Advice) + Sync),
) -> Result<(), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
    let mut seen = HashSet::new();
    let mut level: Vec<Setup> = starts(plan).into_iter().filter(|setup| seen.insert(canonical(setup).0)).collect();
    while !level.is_empty() && !stop.is_stopped() {
        let known = &*book;
        let found: Vec<(Option<Advice>, Vec<Setup>)> = pool.install(|| {
            let look = |setup: &Setup| {
                let advice = known.advice(setup, plan.rule).or_else(|| {
                    let advice = reply(plan, setup, stop)?;
                    on_reply(setup, advice);
                    Some(advice)
                });
                (advice, advice.map_or_else(Vec::new, |advice| answers(plan, setup, advice, stop)))
            };
            level.par_iter().map(look).collect()
        });
        let mut next = Vec::new();
        for (setup, (advice, answers)) in level.iter().zip(found) {
            if let Some(advice) = advice {
                book.insert(setup, plan.rule, advice);
            }
            next.extend(answers.into_iter().filter(|setup| seen.insert(canonical(setup).0)));
        }
        level = next;
    }
    Ok(())
}

/// The empty board, first moves, and the openings of swap2.
fn starts(plan: &Plan) -> Vec<Setup> {
    let empty = &plan.empty;
    let center = empty.size.center();
    let first = empty.size.points().filter(|p| p.distance(center) <= plan.first).map(|p| empty.after(p));
    let swap2 = swap2_openings(empty).into_iter().filter(|setup| setup.stones.len() <= plan.stones);
    std::iter::once(empty.clone()).chain(first).chain(swap2).collect()
}

/// The best lines of a position, by a new engine.
fn search(plan: &Plan, setup: &Setup, nodes: u64, lines: usize, stop: &StopToken) -> Vec<Line> {
    let request = Request { lines, ..Request::new(setup.clone(), plan.rule, Limits::nodes(nodes)) };
    let mut engine = Engine::new(Options { hash: Some(TABLE), ..Options::default() });
    best_lines(&mut engine, &request, stop, &mut |_| {})
}

fn reply(plan: &Plan, setup: &Setup, stop: &StopToken) -> Option<Advice> {
    let search = |setup: &Setup| {
        let line = search(plan, setup, plan.nodes, 1, stop).into_iter().next()?;
        // The result of an interrupted search does not count.
        let reply = line.moves.first().copied().filter(|_| !stop.is_stopped())?;
        Some(Advice { reply, score: line.score, depth: line.depth })
    };
    let advice = search(setup)?;
    if !setup.stones.is_empty() {
        return Some(advice);
    }
    // The engine plays the centre without a search; the search of the next position gives the score.
    let next = search(&setup.after(advice.reply))?;
    Some(Advice { score: -next.score, depth: next.depth + 1, ..advice })
}

/// The positions after the reply and the opponent's best answers.
fn answers(plan: &Plan, setup: &Setup, advice: Advice, stop: &StopToken) -> Vec<Setup> {
    // Decided positions need no book entry.
    if setup.stones.len() + 2 > plan.stones || advice.score.is_proven() {
        return Vec::new();
    }
    let replied = setup.after(advice.reply);
    // Many first answers are symmetric images of each other.
    let lines = if replied.stones.len() < 2 { 6 * plan.answers } else { plan.answers };
    let lines = search(plan, &replied, plan.nodes / 4, lines, stop);
    let best = lines.first().map_or(0, |line| line.score.raw());
    let good = lines.iter().filter(|line| line.score.raw() >= best - plan.margin);
    let mut seen = HashSet::new();
    let answered = good.filter_map(|line| line.moves.first()).map(|p| replied.after(*p));
    answered.filter(|setup| seen.insert(canonical(setup).0)).take(plan.answers).collect()
}
