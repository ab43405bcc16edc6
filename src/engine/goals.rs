//! From a goal to searches: a best move, balanced moves, the choices of swap2.

use super::report::{Answer, Goal, Outcome, Request};
use crate::board::{Point, Setup};
use crate::control::StopToken;
use crate::score::Score;
use crate::search::{Limits, Line, Report, Searcher, Task, unsearched};
use std::time::{Duration, Instant};

type OnReport<'a> = &'a mut dyn FnMut(&Report);

/// Time for goals that need many searches when none was given.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// What the choice of a position is worth in swap2, in evaluation units: 0.15 in log-odds.
const OWN_CHOICE: i32 = 30;
/// Root moves that are looked at for a balanced move.
const BALANCE_MOVES: usize = 40;

pub(super) fn decide(searcher: &mut Searcher, request: &Request, stop: &StopToken, on_report: OnReport<'_>) -> Outcome {
    let setup = &request.setup;
    match request.goal {
        Goal::Move | Goal::AllMoves => best_move(searcher, request, stop, on_report),
        Goal::BalanceOne { bias } => {
            let deadline = Deadline::of(&request.limits);
            let found = balanced(searcher, request, setup, bias, &deadline, stop);
            outcome(found.map(|(point, score)| (vec![point], score)))
        }
        Goal::BalanceTwo { bias } => outcome(balanced_pair(searcher, request, bias, stop)),
        Goal::Swap2Open => outcome(opening(searcher, request, stop)),
        Goal::Swap2Reply => swap2_reply(searcher, request, stop, on_report),
        Goal::Swap2Final => or_swap(best_move(searcher, request, stop, on_report)),
    }
}

/// The side to move may keep its colour or take the other one: whichever stands better.
fn or_swap(found: Outcome) -> Outcome {
    if found.line.score < Score::ZERO { Outcome { answer: Answer::Swap, ..found } } else { found }
}

/// All three choices, each with a search: staying is worth the score of the best move, swapping its negative, and
/// putting two stones what the opponent leaves by taking the better side. Were scores exact, one of the first two would
/// always be as good; but where both sides stand nearly alike, a position of one's own choosing is worth more than the
/// difference ([`OWN_CHOICE`]).
fn swap2_reply(searcher: &mut Searcher, request: &Request, stop: &StopToken, on_report: OnReport<'_>) -> Outcome {
    let deadline = Deadline::of(&request.limits);
    let nodes = request.limits.nodes.map(|nodes| nodes / 2);
    let limits = Limits { nodes, depth: request.limits.depth, ..deadline.share(2) };
    let found = best_move(searcher, &Request { limits, ..request.clone() }, stop, on_report);
    let difference = found.line.score.raw().abs();
    if difference < OWN_CHOICE
        && let Some((points, score)) = balanced_pair(searcher, request, 0, stop)
        && difference + score.raw().abs() < OWN_CHOICE
    {
        return outcome(Some((points, score)));
    }
    or_swap(found)
}

fn best_move(searcher: &mut Searcher, request: &Request, stop: &StopToken, on_report: OnReport<'_>) -> Outcome {
    let all_moves = request.goal == Goal::AllMoves;
    let setup = &request.setup;
    if setup.stones.is_empty() && !all_moves && request.lines <= 1 && !request.excluded.contains(&setup.size.center()) {
        // The middle of an empty board needs no thought.
        let center = setup.size.center();
        if !setup.blocked.contains(&center) {
            return outcome(Some((vec![center], Score::ZERO)));
        }
    }
    let task = Task {
        setup,
        rule: request.rule,
        limits: &request.limits,
        lines: request.lines.max(1),
        excluded: &request.excluded,
        all_moves,
    };
    let lines = searcher.search(&task, stop, on_report).unwrap_or_default();
    match lines.into_iter().next() {
        Some(line) => Outcome { answer: Answer::Points(line.moves.iter().take(1).copied().collect()), line },
        None => outcome(None),
    }
}

fn outcome(found: Option<(Vec<Point>, Score)>) -> Outcome {
    match found {
        Some((points, score)) => {
            let first = points.first().copied();
            let line = first.map_or_else(Line::default, |p| unsearched(p, score));
            Outcome { answer: Answer::Points(points), line }
        }
        None => Outcome { answer: Answer::Full, line: Line::default() },
    }
}

/// The time that goals made of many searches share.
struct Deadline {
    end: Instant,
    nodes: u64,
}

impl Deadline {
    fn of(limits: &Limits) -> Deadline {
        let time = limits.left.map(|l| l / 10).into_iter().chain(limits.turn).min();
        let time = time.unwrap_or(DEFAULT_TIME).min(DEFAULT_TIME * 20);
        let nodes = limits.nodes.unwrap_or(u64::MAX);
        Deadline { end: limits.started + time.mul_f64(0.7).saturating_sub(Duration::from_millis(15)), nodes }
    }

    /// An equal share of the rest for one of `parts` searches.
    fn share(&self, parts: usize) -> Limits {
        let rest = self.end.saturating_duration_since(Instant::now());
        let parts = parts.max(1) as u32;
        // Thin shares are bounded by nodes as well, so that a search of no time still has one iteration.
        let nodes = (self.nodes / u64::from(parts)).min(500_000);
        Limits { turn: Some(rest / parts), nodes: Some(nodes.max(200)), ..Limits::infinite() }
    }

    fn is_over(&self, stop: &StopToken) -> bool {
        stop.is_stopped() || Instant::now() >= self.end
    }
}

fn quick(
    searcher: &mut Searcher,
    request: &Request,
    setup: &Setup,
    limits: &Limits,
    lines: usize,
    stop: &StopToken,
) -> Vec<Line> {
    let task = Task { setup, rule: request.rule, limits, lines, excluded: &request.excluded, all_moves: false };
    searcher.search(&task, stop, &mut |_| {}).unwrap_or_default()
}

/// The move after which the mover's score is nearest to `bias`, and that score.
fn balanced(
    searcher: &mut Searcher,
    request: &Request,
    setup: &Setup,
    bias: i32,
    deadline: &Deadline,
    stop: &StopToken,
) -> Option<(Point, Score)> {
    // A first look at many moves, then a closer one at the nearest.
    let first = quick(searcher, request, setup, &Limits { depth: Some(2), ..deadline.share(4) }, BALANCE_MOVES, stop);
    let miss = |score: Score| (score.raw() - bias).abs();
    let mut ranked: Vec<(Point, Score)> = first.iter().filter_map(|l| Some((*l.moves.first()?, l.score))).collect();
    ranked.sort_by_key(|(p, score)| (miss(*score), *p));
    let mut best: Option<(Point, Score)> = None;
    let tries = ranked.len().min(6);
    for (i, (point, score)) in ranked.iter().take(tries).enumerate() {
        if deadline.is_over(stop) {
            best = best.or(Some((*point, *score)));
            break;
        }
        let mut after = setup.clone();
        after.play(*point);
        let score =
            quick(searcher, request, &after, &deadline.share(tries - i), 1, stop).first().map_or(*score, |l| -l.score);
        if best.is_none_or(|(_, s)| miss(score) < miss(s)) {
            best = Some((*point, score));
        }
    }
    best
}

/// A move and a reply after which the score of the side that then moves is nearest to `bias`.
fn balanced_pair(
    searcher: &mut Searcher,
    request: &Request,
    bias: i32,
    stop: &StopToken,
) -> Option<(Vec<Point>, Score)> {
    let deadline = Deadline::of(&request.limits);
    let first = quick(searcher, request, &request.setup, &Limits { depth: Some(2), ..deadline.share(6) }, 8, stop);
    let mut best: Option<(Vec<Point>, Score)> = None;
    for (i, line) in first.iter().enumerate() {
        let Some(point) = line.moves.first() else { continue };
        if deadline.is_over(stop) && best.is_some() {
            break;
        }
        let mut after = request.setup.clone();
        after.play(*point);
        let rest = deadline.end.saturating_duration_since(Instant::now()) / (first.len() - i) as u32;
        let part = Deadline { end: Instant::now() + rest, nodes: deadline.nodes };
        // The replier's score is the negative of the one wanted for the side that moves after it.
        if let Some((reply, score)) = balanced(searcher, request, &after, -bias, &part, stop)
            && best.as_ref().is_none_or(|(_, s)| (-score.raw() - bias).abs() < (s.raw() - bias).abs())
        {
            best = Some((vec![*point, reply], -score));
        }
    }
    best
}

/// Offsets from the centre of three stones (black, white, black) that are near to even with white to move; the search
/// chooses among them and their like.
const OPENINGS: [[(i32, i32); 3]; 8] = [
    [(0, 0), (1, 1), (3, -2)],
    [(0, 0), (0, 1), (4, -3)],
    [(-2, 0), (1, 2), (3, -3)],
    [(0, -4), (2, 1), (-3, 2)],
    [(0, 0), (1, 0), (-4, 4)],
    [(-5, -5), (0, 1), (5, 4)],
    [(-4, 0), (0, -1), (4, 4)],
    [(0, 0), (2, 1), (-5, 3)],
];

fn opening(searcher: &mut Searcher, request: &Request, stop: &StopToken) -> Option<(Vec<Point>, Score)> {
    let deadline = Deadline::of(&request.limits);
    let size = request.setup.size;
    let center = size.center();
    let mut best: Option<(Vec<Point>, Score)> = None;
    for (i, offsets) in OPENINGS.iter().enumerate() {
        if deadline.is_over(stop) && best.is_some() {
            break;
        }
        let mut setup = request.setup.clone();
        for (dx, dy) in offsets {
            // On small boards the offsets shrink towards the centre.
            let shrink = |d: i32, side: u8| d.clamp(-(i32::from(side) / 2), i32::from(side - 1) / 2);
            let (dx, dy) = (shrink(*dx, size.width()), shrink(*dy, size.height()));
            let wanted = size.point(i32::from(center.x()) + dx, i32::from(center.y()) + dy).unwrap_or(center);
            let free = size
                .points()
                .filter(|p| setup.cell(*p) == crate::board::Cell::Empty)
                .min_by_key(|p| (p.distance(wanted), *p))?;
            setup.play(free);
        }
        let score =
            quick(searcher, request, &setup, &deadline.share(OPENINGS.len() - i), 1, stop).first().map(|l| l.score)?;
        if best.as_ref().is_none_or(|(_, s)| score.raw().abs() < s.raw().abs()) {
            best = Some((setup.stones.iter().map(|(p, _)| *p).collect(), score));
        }
    }
    best
}
