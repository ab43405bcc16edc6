//! From a goal to searches: a best move, balanced moves, the choices of swap2.

use super::report::{Answer, Goal, Outcome, Request};
use crate::board::{Cell, Point, Setup};
use crate::book::Book;
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

/// One request, and what it is decided with.
pub(super) struct Decision<'a> {
    pub searcher: &'a mut Searcher,
    pub request: &'a Request,
    /// Openings that need no search.
    pub book: Option<&'a Book>,
    pub stop: &'a StopToken,
}

impl Decision<'_> {
    pub fn decide(&mut self, on_report: OnReport<'_>) -> Outcome {
        match self.request.goal {
            Goal::Move | Goal::AllMoves => self.best_move(&self.request.limits, on_report),
            Goal::BalanceOne { bias } => {
                let deadline = Deadline::of(&self.request.limits);
                let found = self.balanced(&self.request.setup, bias, &deadline);
                outcome(found.map(|(point, score)| (vec![point], score)))
            }
            Goal::BalanceTwo { bias } => outcome(self.balanced_pair(bias)),
            Goal::Swap2Open => outcome(self.opening()),
            Goal::Swap2Reply => self.swap2_reply(on_report),
            Goal::Swap2Final => or_swap(self.best_move(&self.request.limits, on_report)),
        }
    }

    /// All three choices, each with a search: staying is worth the score of the best move, swapping its negative, and
    /// putting two stones what the opponent leaves by taking the better side. Were scores exact, one of the first two
    /// would always be as good; but where both sides stand nearly alike, a position of one's own choosing is worth more
    /// than the difference ([`OWN_CHOICE`]).
    fn swap2_reply(&mut self, on_report: OnReport<'_>) -> Outcome {
        let limits = &self.request.limits;
        let nodes = limits.nodes.map(|nodes| nodes / 2);
        let half = Limits { nodes, depth: limits.depth, ..Deadline::of(limits).share(2) };
        let found = self.best_move(&half, on_report);
        let difference = found.line.score.raw().abs();
        if difference < OWN_CHOICE
            && let Some((points, score)) = self.balanced_pair(0)
            && difference + score.raw().abs() < OWN_CHOICE
        {
            return outcome(Some((points, score)));
        }
        or_swap(found)
    }

    fn best_move(&mut self, limits: &Limits, on_report: OnReport<'_>) -> Outcome {
        let Request { setup, rule, goal, lines, excluded, .. } = self.request;
        let all_moves = *goal == Goal::AllMoves;
        if *lines <= 1 && !all_moves {
            if let Some(line) = self.known(setup).filter(|line| !excluded.iter().any(|p| line.moves.contains(p))) {
                return Outcome { answer: Answer::Points(line.moves.clone()), line, from_book: true };
            }
            // The middle of an empty board needs no thought.
            let center = setup.size.center();
            if setup.stones.is_empty() && !excluded.contains(&center) && !setup.blocked.contains(&center) {
                return outcome(Some((vec![center], Score::ZERO)));
            }
        }
        let task = Task { setup, rule: *rule, limits, lines: (*lines).max(1), excluded, all_moves };
        let lines = self.searcher.search(&task, self.stop, on_report).unwrap_or_default();
        match lines.into_iter().next() {
            Some(line) => {
                let answer = Answer::Points(line.moves.iter().take(1).copied().collect());
                Outcome { answer, line, from_book: false }
            }
            None => outcome(None),
        }
    }

    /// What the book says of a position, as a line.
    fn known(&self, setup: &Setup) -> Option<Line> {
        let advice = self.book?.advice(setup, self.request.rule)?;
        Some(Line { depth: advice.depth, ..unsearched(advice.reply, advice.score) })
    }

    fn quick(&mut self, setup: &Setup, limits: &Limits, lines: usize) -> Vec<Line> {
        let Request { rule, excluded, .. } = self.request;
        let task = Task { setup, rule: *rule, limits, lines, excluded, all_moves: false };
        self.searcher.search(&task, self.stop, &mut |_| {}).unwrap_or_default()
    }

    /// The score of a position by the book, or by a search.
    fn score(&mut self, setup: &Setup, limits: &Limits) -> Option<Score> {
        self.known(setup).or_else(|| self.quick(setup, limits, 1).into_iter().next()).map(|line| line.score)
    }

    /// The move after which the mover's score is nearest to `bias`, and that score.
    fn balanced(&mut self, setup: &Setup, bias: i32, deadline: &Deadline) -> Option<(Point, Score)> {
        // A first look at many moves, then a closer one at the nearest.
        let first = self.quick(setup, &Limits { depth: Some(2), ..deadline.share(4) }, BALANCE_MOVES);
        let miss = |score: Score| (score.raw() - bias).abs();
        let mut ranked: Vec<(Point, Score)> = first.iter().filter_map(|l| Some((*l.moves.first()?, l.score))).collect();
        ranked.sort_by_key(|(p, score)| (miss(*score), *p));
        let mut best: Option<(Point, Score)> = None;
        let tries = ranked.len().min(6);
        for (i, (point, score)) in ranked.iter().take(tries).enumerate() {
            if deadline.is_over(self.stop) {
                best = best.or(Some((*point, *score)));
                break;
            }
            let mut after = setup.clone();
            after.play(*point);
            let score = self.score(&after, &deadline.share(tries - i)).map_or(*score, |score| -score);
            if best.is_none_or(|(_, s)| miss(score) < miss(s)) {
                best = Some((*point, score));
            }
        }
        best
    }

    /// A move and a reply after which the score of the side that then moves is nearest to `bias`.
    fn balanced_pair(&mut self, bias: i32) -> Option<(Vec<Point>, Score)> {
        let Request { setup, limits, .. } = self.request;
        let deadline = Deadline::of(limits);
        let first = self.quick(setup, &Limits { depth: Some(2), ..deadline.share(6) }, 8);
        let mut best: Option<(Vec<Point>, Score)> = None;
        for (i, line) in first.iter().enumerate() {
            let Some(point) = line.moves.first() else { continue };
            if deadline.is_over(self.stop) && best.is_some() {
                break;
            }
            let mut after = setup.clone();
            after.play(*point);
            let rest = deadline.end.saturating_duration_since(Instant::now()) / (first.len() - i) as u32;
            let part = Deadline { end: Instant::now() + rest, nodes: deadline.nodes };
            // The replier's score is the negative of the one wanted for the side that moves after it.
            if let Some((reply, score)) = self.balanced(&after, -bias, &part)
                && best.as_ref().is_none_or(|(_, s)| (-score.raw() - bias).abs() < (s.raw() - bias).abs())
            {
                best = Some((vec![*point, reply], -score));
            }
        }
        best
    }

    /// The most even of the openings for swap2.
    fn opening(&mut self) -> Option<(Vec<Point>, Score)> {
        let deadline = Deadline::of(&self.request.limits);
        let mut best: Option<(Vec<Point>, Score)> = None;
        for (i, setup) in swap2_openings(&self.request.setup).iter().enumerate() {
            if deadline.is_over(self.stop) && best.is_some() {
                break;
            }
            let score = self.score(setup, &deadline.share(OPENINGS.len() - i))?;
            if best.as_ref().is_none_or(|(_, s)| score.raw().abs() < s.raw().abs()) {
                best = Some((setup.stones.iter().map(|(p, _)| *p).collect(), score));
            }
        }
        best
    }
}

/// The side to move may keep its colour or take the other one: whichever stands better.
fn or_swap(found: Outcome) -> Outcome {
    if found.line.score < Score::ZERO { Outcome { answer: Answer::Swap, ..found } } else { found }
}

fn outcome(found: Option<(Vec<Point>, Score)>) -> Outcome {
    match found {
        Some((points, score)) => {
            let first = points.first().copied();
            let line = first.map_or_else(Line::default, |p| unsearched(p, score));
            Outcome { answer: Answer::Points(points), line, from_book: false }
        }
        None => Outcome { answer: Answer::Full, line: Line::default(), from_book: false },
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

/// Offsets from the centre of three stones (black, white, black) that are near to even with white to move under some
/// rule; the book or the search says which.
const OPENINGS: [[(i32, i32); 3]; 11] = [
    [(-2, 0), (0, 1), (2, -2)],
    [(1, -2), (3, -2), (-1, 1)],
    [(-3, -1), (-2, 1), (0, 2)],
    [(1, -1), (4, 2), (1, 3)],
    [(-1, 1), (0, -1), (3, 1)],
    [(0, 0), (3, -1), (2, -4)],
    [(0, 0), (-2, -1), (3, 2)],
    [(0, 0), (1, -1), (3, -3)],
    [(0, 0), (2, 1), (4, -2)],
    [(0, 0), (-1, -2), (-1, -4)],
    [(0, 0), (1, 1), (-2, 3)],
];

/// The openings among which the engine chooses for swap2, from a board that is empty but for blocked cells. On small
/// boards their stones move towards the centre.
pub fn swap2_openings(empty: &Setup) -> Vec<Setup> {
    let size = empty.size;
    let place = |setup: &mut Setup, (dx, dy): (i32, i32)| {
        let shrink = |d: i32, side: u8| d.clamp(-(i32::from(side) / 2), i32::from(side - 1) / 2);
        let (dx, dy) = (shrink(dx, size.width()), shrink(dy, size.height()));
        let center = size.center();
        let wanted = size.point(i32::from(center.x()) + dx, i32::from(center.y()) + dy).unwrap_or(center);
        let free = size.points().filter(|p| setup.cell(*p) == Cell::Empty);
        let point = free.min_by_key(|p| (p.distance(wanted), *p))?;
        setup.play(point);
        Some(())
    };
    let opening = |offsets: &[(i32, i32); 3]| {
        let mut setup = empty.clone();
        offsets.iter().try_for_each(|offset| place(&mut setup, *offset)).map(|()| setup)
    };
    OPENINGS.iter().filter_map(opening).collect()
}
