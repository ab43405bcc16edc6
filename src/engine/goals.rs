//! From a goal to searches: a best move, balanced moves, the choices of swap2 and Soosorv.

use super::report::{Answer, Goal, Outcome, Request};
use crate::board::{Cell, Point, Setup};
use crate::book::{Book, canonical};
use crate::control::StopToken;
use crate::score::Score;
use crate::search::{Limits, Line, MAX_DEPTH, Report, Searcher, Task, unsearched};
use std::time::{Duration, Instant};

type OnReport<'a> = &'a mut dyn FnMut(&Report);

/// Time for goals that take several searches if there is no limit.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// Value of choosing the position oneself in swap2, in evaluation units: 0.15 in log-odds.
const OWN_CHOICE: i32 = 30;
/// Depth of a first look at many moves.
const SHALLOW_DEPTH: u32 = 2;
/// Root moves that are searched for a balanced move.
const BALANCE_MOVES: usize = 40;
/// Rounds of searches among balanced moves, and how many moves the last one compares.
const BALANCE_ROUNDS: u32 = 4;
const BALANCE_FINALISTS: usize = 2;

/// One request, and what is needed to decide it.
pub(super) struct Decision<'a> {
    searcher: &'a mut Searcher,
    request: &'a Request,
    /// The opening book, if it may be used.
    book: Option<&'a Book>,
    stop: &'a StopToken,
    /// Searches so far, and their nodes.
    searches: u32,
    nodes: u64,
}

impl<'a> Decision<'a> {
    pub fn new(
        searcher: &'a mut Searcher,
        request: &'a Request,
        book: Option<&'a Book>,
        stop: &'a StopToken,
    ) -> Decision<'a> {
        Decision { searcher, request, book, stop, searches: 0, nodes: 0 }
    }

    pub fn decide(mut self, on_report: OnReport<'_>) -> Outcome {
        if let Some(line) = self.quoted() {
            on_report(&Report::Book(line));
        }
        let mut outcome = match self.request.goal {
            Goal::Move | Goal::AllMoves => self.best_move(&self.request.limits, on_report),
            Goal::BalanceOne { bias } => points(1, self.balanced(bias)),
            Goal::BalanceTwo { bias } => points(2, self.balanced_pair(bias)),
            Goal::Swap2Open => points(3, self.opening(&swap2_openings(&self.request.setup))),
            Goal::Swap2Reply => self.swap2_reply(on_report),
            Goal::Swap2Final | Goal::SoosorvReply => or_swap(self.best_move(&self.limits_of_choice(), on_report)),
            Goal::SoosorvOpen => points(3, self.opening(&soosorv_openings(&self.request.setup))),
            Goal::SoosorvFourth => self.soosorv_fourth(),
            Goal::SoosorvSwap { fifths } => {
                let lines = self.fifths(fifths, on_report);
                let last = lines.into_iter().take(fifths).next_back();
                or_swap(points(1, last.map(|line| Line { pv_index: 0, pv_count: 1, ..line })))
            }
            Goal::SoosorvOffer { fifths } => {
                let lines = self.fifths(fifths, on_report);
                let offered = lines.iter().take(fifths).filter_map(|line| line.moves.first().copied()).collect();
                Outcome { answer: Answer::Points(offered), ..points(1, lines.into_iter().next()) }
            }
            Goal::SoosorvChoose { fifths } => points(1, self.worst_fifth(fifths, on_report)),
        };
        if self.searches > 1 {
            outcome.line.nodes = self.nodes;
            outcome.line.elapsed = self.started().elapsed();
        }
        outcome
    }

    /// When the request came; [`Engine::think`](super::Engine::think) has seen to it that this is known.
    fn started(&self) -> Instant {
        self.request.limits.started.unwrap_or_else(Instant::now)
    }

    /// Limits of a choice that one search decides. Boards that let a person decide when a move is wanted do not offer
    /// that during an opening.
    fn limits_of_choice(&self) -> Limits {
        let limits = &self.request.limits;
        let end = Budget::of(limits).end;
        let turn = end.map(|end| end.saturating_duration_since(self.started())).or(limits.turn);
        Limits { turn, ..limits.clone() }
    }

    /// Searches all three choices: staying is worth the score of the best move, swapping its negative, and placing
    /// two stones what the opponent leaves by taking the better side. With exact scores one of the first two would
    /// always be as good, but in nearly even positions choosing the position oneself is worth more than the
    /// difference ([`OWN_CHOICE`]).
    fn swap2_reply(&mut self, on_report: OnReport<'_>) -> Outcome {
        let limits = &self.request.limits;
        let nodes = limits.nodes.map(|nodes| nodes / 2);
        let half = Limits { nodes, ..Budget::of(limits).share(2, 0) };
        let found = self.best_move(&half, on_report);
        let difference = found.line.score.raw().abs();
        if difference < OWN_CHOICE
            && let Some(line) = self.balanced_pair(0)
            && difference + line.score.raw().abs() < OWN_CHOICE
        {
            return points(2, Some(line));
        }
        or_swap(found)
    }

    fn best_move(&mut self, limits: &Limits, on_report: OnReport<'_>) -> Outcome {
        let Request { setup, goal, lines, excluded, analysis, .. } = self.request;
        let all_moves = *goal == Goal::AllMoves;
        if *lines <= 1 && !all_moves && !analysis {
            if let Some(line) = self.quoted() {
                return Outcome { from_book: true, ..points(1, Some(line)) };
            }
            // The middle of an empty board needs no thought.
            let center = setup.size.center();
            if setup.stones.is_empty() && !excluded.contains(&center) && !setup.blocked.contains(&center) {
                return points(1, Some(unsearched(center, Score::ZERO)));
            }
        }
        let lines = (*lines).max(1);
        points(1, self.search(setup, limits, lines, excluded, all_moves, on_report).into_iter().next())
    }

    /// The book's line for the position in question, unless its move is excluded.
    fn quoted(&self) -> Option<Line> {
        let Request { setup, excluded, .. } = self.request;
        self.advice(setup).filter(|line| !excluded.iter().any(|p| line.moves.contains(p)))
    }

    /// The book's line for a position.
    fn advice(&self, setup: &Setup) -> Option<Line> {
        let advice = self.book?.advice(setup, self.request.rule)?;
        Some(Line { depth: advice.depth, ..unsearched(advice.reply, advice.score) })
    }

    fn search(
        &mut self,
        setup: &Setup,
        limits: &Limits,
        lines: usize,
        excluded: &[Point],
        all_moves: bool,
        on_report: OnReport<'_>,
    ) -> Vec<Line> {
        let task = Task { setup, rule: self.request.rule, limits, lines, excluded, all_moves };
        let found = self.searcher.search(&task, self.stop, on_report).unwrap_or_default();
        self.searches += 1;
        self.nodes += found.first().map_or(0, |line| line.nodes);
        found
    }

    /// The best lines for stones that are still to be chosen, by a search that reports nothing.
    fn quick(&mut self, setup: &Setup, limits: &Limits, lines: usize) -> Vec<Line> {
        self.search(setup, limits, lines, &self.request.excluded, false, &mut |_| {})
    }

    /// The best line of a position after the choice, by a search or, in play, by the book. There the opponent may play
    /// what the choice excludes.
    fn best_line(&mut self, setup: &Setup, limits: &Limits) -> Option<Line> {
        let known = self.advice(setup).filter(|_| !self.request.analysis);
        known.or_else(|| self.search(setup, limits, 1, &[], false, &mut |_| {}).into_iter().next())
    }

    /// The line of the move after which the mover's score is nearest to `bias`.
    fn balanced(&mut self, bias: i32) -> Option<Line> {
        let Request { setup, limits, .. } = self.request;
        let budget = Budget::of(limits);
        let moves = self.quick(setup, &budget.shallow_share(4, self.nodes), BALANCE_MOVES);
        self.nearest(moves, 1, bias, &budget)
    }

    /// The line of a move and a reply after which the score of the side that then moves is nearest to `bias`.
    fn balanced_pair(&mut self, bias: i32) -> Option<Line> {
        let Request { setup, limits, .. } = self.request;
        let budget = Budget::of(limits);
        let firsts = self.quick(setup, &budget.shallow_share(6, self.nodes), 8);
        let half = budget.part(2, self.nodes);
        let pairs = self.continued(&firsts, &half, |decision, after, part| {
            decision.quick(after, &part.shallow_share(1, decision.nodes), BALANCE_MOVES)
        });
        self.nearest(pairs, 2, bias, &budget)
    }

    /// Lines of the first moves of `firsts` and what `search` finds behind each with an equal part of a budget. The
    /// first of them is searched whatever is left.
    fn continued(
        &mut self,
        firsts: &[Line],
        budget: &Budget,
        search: impl Fn(&mut Self, &Setup, &Budget) -> Vec<Line>,
    ) -> Vec<Line> {
        let mut pairs = Vec::new();
        for (i, first) in firsts.iter().enumerate() {
            if !pairs.is_empty() && budget.is_over(self.stop, self.nodes) {
                break;
            }
            let Some(point) = first.moves.first() else { continue };
            let mut after = self.request.setup.clone();
            after.play(*point);
            let replies = search(self, &after, &budget.part(firsts.len() - i, self.nodes));
            pairs.extend(replies.into_iter().map(|reply| preceded(&[*point], reply)));
        }
        pairs
    }

    /// Of lines by shallow searches, the one whose first `stones` moves lead to a score nearest to `bias`, for the
    /// side that moves first in them. The nearest in a search is likely to be one that the search is wrong about, so
    /// it takes several, by successive halving (Karnin, Koren and Somekh 2013): each round searches the nearer half
    /// of the last one, with twice the nodes each.
    fn nearest(&mut self, mut lines: Vec<Line>, stones: usize, bias: i32, budget: &Budget) -> Option<Line> {
        let setup = &self.request.setup;
        lines.retain(|line| line.moves.len() >= stones);
        lines.iter_mut().for_each(|line| (line.pv_index, line.pv_count) = (0, 1));
        let rank = |lines: &mut Vec<Line>| {
            lines.sort_by_cached_key(|line| ((line.score.raw() - bias).abs(), line.moves[..stones].to_vec()));
        };
        rank(&mut lines);
        let mut number = BALANCE_FINALISTS << BALANCE_ROUNDS;
        for round in 0..BALANCE_ROUNDS {
            number /= 2;
            lines.truncate(number);
            let part = budget.part((BALANCE_ROUNDS - round) as usize, self.nodes);
            let of_all = lines.len();
            for (i, line) in lines.iter_mut().enumerate() {
                if budget.is_over(self.stop, self.nodes) {
                    break;
                }
                let mut after = setup.clone();
                line.moves[..stones].iter().for_each(|point| after.play(*point));
                if let Some(reply) = self.best_line(&after, &part.share(of_all - i, self.nodes)) {
                    *line = preceded(&line.moves[..stones], reply);
                }
            }
            rank(&mut lines);
        }
        lines.into_iter().next()
    }

    /// The most even of some openings, with the line that follows it.
    fn opening(&mut self, openings: &[Setup]) -> Option<Line> {
        let budget = Budget::of(&self.request.limits);
        let mut best: Option<Line> = None;
        for (i, setup) in openings.iter().enumerate() {
            if budget.is_over(self.stop, self.nodes) && best.is_some() {
                break;
            }
            let reply = self.best_line(setup, &budget.share(openings.len() - i, self.nodes))?;
            if best.as_ref().is_none_or(|best| reply.score.raw().abs() < best.score.raw().abs()) {
                let stones: Vec<Point> = setup.stones.iter().map(|(p, _)| *p).collect();
                best = Some(preceded(&stones, reply));
            }
        }
        best
    }
}

impl Decision<'_> {
    /// The fourth stone and a number of fifth moves that leave the position most even. White removes all fifth moves
    /// but the worst for black, so with n of them the position is worth black's nth best. Half of the budget ranks the
    /// fifths of several fourth stones, half goes to the positions that seem even.
    fn soosorv_fourth(&mut self) -> Outcome {
        let Request { setup, limits, .. } = self.request;
        let budget = Budget::of(limits);
        let half = budget.part(2, self.nodes);
        let mut fourths = self.quick(setup, &half.shallow_share(6, self.nodes), BALANCE_MOVES);
        fourths.sort_by_key(|line| (line.score.raw().abs(), line.moves.first().copied()));
        fourths.truncate(6);
        let offers = self.continued(&fourths, &half, |decision, after, part| {
            let fifths = decision.quick(after, &part.share(1, decision.nodes), 2 * MOST_FIFTHS);
            distinct(after, fifths).into_iter().take(MOST_FIFTHS).collect()
        });
        let line = self.nearest(offers.clone(), 2, 0, &budget);
        let Some([fourth, last, ..]) = line.as_ref().map(|line| line.moves.as_slice()) else { return points(1, line) };
        // The chosen fifth, and those that are better for black.
        let mut moves = vec![*fourth];
        for offer in offers.iter().filter(|offer| offer.moves.first() == Some(fourth)) {
            let fifth = offer.moves[1];
            moves.push(fifth);
            if fifth == *last {
                break;
            }
        }
        Outcome { answer: Answer::Points(moves), ..points(1, line) }
    }

    /// The best fifth moves, best first, no two of them alike by symmetry: at least this many, if they exist.
    fn fifths(&mut self, number: usize, on_report: OnReport<'_>) -> Vec<Line> {
        let Request { setup, excluded, .. } = self.request;
        // Each move has a few images at most, and hardly any position of four stones is symmetric.
        let lines = self.search(setup, &self.limits_of_choice(), 2 * number, excluded, false, on_report);
        distinct(setup, lines)
    }

    /// Of the fifth moves offered, the worst for black. All are searched, however bad they are.
    fn worst_fifth(&mut self, number: usize, on_report: OnReport<'_>) -> Option<Line> {
        let Request { setup, excluded, .. } = self.request;
        let lines = self.search(setup, &self.limits_of_choice(), number, excluded, true, on_report);
        // A search that was stopped early has lines for the moves that were ordered first, thus seemed the best.
        let is_missing = |p: &Point| lines.iter().all(|line| line.moves.first() != Some(p));
        let mut offered = setup.size.points().filter(|p| setup.cell(*p) == Cell::Empty && !excluded.contains(p));
        let missing = offered.find(is_missing).map(|p| unsearched(p, Score::ZERO));
        missing.or(lines.into_iter().next_back()).map(|line| Line { pv_index: 0, pv_count: 1, ..line })
    }
}

/// The lines whose first moves lead to different positions, images of each other being the same.
fn distinct(setup: &Setup, lines: Vec<Line>) -> Vec<Line> {
    let mut known = Vec::new();
    let is_new = |line: &Line| {
        let Some(point) = line.moves.first() else { return false };
        let mut after = setup.clone();
        after.play(*point);
        let (after, _) = canonical(&after);
        let is_new = !known.contains(&after);
        known.push(after);
        is_new
    };
    lines.into_iter().filter(is_new).collect()
}

/// A line that begins with these moves and goes on with the line of the position after them.
fn preceded(moves: &[Point], line: Line) -> Line {
    let plies = moves.len() as u32;
    let score = if plies.is_multiple_of(2) { line.score } else { -line.score };
    let score = match score.distance() {
        Some(distance) if score.is_win() => Score::win_in(distance + plies as i32),
        Some(distance) => Score::loss_in(plies as i32 - distance),
        None => score,
    };
    let moves = moves.iter().copied().chain(line.moves).collect();
    Line { score, depth: line.depth + plies, seldepth: line.seldepth + plies, moves, ..line }
}

/// The side to move may keep its colour or take the other one: whichever stands better.
fn or_swap(found: Outcome) -> Outcome {
    if found.line.score < Score::ZERO { Outcome { answer: Answer::Swap, ..found } } else { found }
}

/// The first `number` moves of a line as the answer; without a line the board is full.
fn points(number: usize, line: Option<Line>) -> Outcome {
    match line {
        Some(line) => {
            let answer = Answer::Points(line.moves.iter().take(number).copied().collect());
            Outcome { answer, line, from_book: false }
        }
        None => Outcome { answer: Answer::Full, line: Line::default(), from_book: false },
    }
}

/// Time and nodes that the searches for one goal share.
#[derive(Clone, Copy)]
struct Budget {
    /// `None` where nodes or depth alone are limited: then the answer does not depend on the machine.
    end: Option<Instant>,
    /// Nodes of all searches together, counted from the first.
    nodes: u64,
    /// Depth of each search.
    depth: Option<u32>,
}

impl Budget {
    fn of(limits: &Limits) -> Budget {
        let time = limits.left.map(|l| l / 10).into_iter().chain(limits.turn).min();
        let is_limited = limits.nodes.is_some() || limits.depth.is_some_and(|depth| depth < MAX_DEPTH);
        let time = time.or((!is_limited).then_some(DEFAULT_TIME)).map(|time| time.min(DEFAULT_TIME * 20));
        let end = time.map(|time| {
            limits.started.unwrap_or_else(Instant::now) + time.mul_f64(0.7).saturating_sub(Duration::from_millis(15))
        });
        Budget { end, nodes: limits.nodes.unwrap_or(u64::MAX), depth: limits.depth }
    }

    /// An equal share of the rest for one of `parts`, when `spent` nodes are spent.
    fn part(&self, parts: usize, spent: u64) -> Budget {
        let parts = parts.max(1) as u32;
        let now = Instant::now();
        let nodes = self.nodes.saturating_sub(spent) / u64::from(parts);
        let end = self.end.map(|end| now + end.saturating_duration_since(now) / parts);
        Budget { end, nodes: spent.saturating_add(nodes), ..*self }
    }

    /// The same share as limits of one search.
    fn share(&self, parts: usize, spent: u64) -> Limits {
        let part = self.part(parts, spent);
        let turn = part.end.map(|end| end.saturating_duration_since(Instant::now()));
        let nodes = (part.nodes - spent).clamp(1, 500_000);
        Limits { turn, nodes: Some(nodes), depth: self.depth, ..Limits::infinite() }
    }

    /// The same share for a first look at many moves.
    fn shallow_share(&self, parts: usize, spent: u64) -> Limits {
        let depth = self.depth.map_or(SHALLOW_DEPTH, |depth| depth.min(SHALLOW_DEPTH));
        Limits { depth: Some(depth), ..self.share(parts, spent) }
    }

    /// Whether nothing is left, when `spent` nodes are spent.
    fn is_over(&self, stop: &StopToken, spent: u64) -> bool {
        stop.is_stopped() || spent >= self.nodes || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// Offsets from the centre of three stones (black, white, black) that are nearly even with white to move under some
/// rule; the book or a search says under which.
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

/// Fifth moves that white may ask for: the 8 of Soosorv-8.
const MOST_FIFTHS: usize = 8;

/// The 26 openings of renju, from a board that is empty but for blocked cells: a stone in the centre, one beside it,
/// and one no more than two points from the centre. Without those that need a blocked cell.
fn soosorv_openings(empty: &Setup) -> Vec<Setup> {
    let center = empty.size.center();
    let at = |dx: i32, dy: i32| empty.size.point(i32::from(center.x()) + dx, i32::from(center.y()) + dy);
    let near = || (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy)));
    let mut openings: Vec<Setup> = Vec::new();
    let mut known = Vec::new();
    let pairs = [(0, -1), (1, -1)].into_iter().flat_map(|second| near().map(move |third| (second, third)));
    for (second, third) in pairs {
        let stones = [Some(center), at(second.0, second.1), at(third.0, third.1)];
        let mut setup = empty.clone();
        let placed = stones.into_iter().flatten().all(|point| {
            let is_free = setup.cell(point) == Cell::Empty;
            if is_free {
                setup.play(point);
            }
            is_free
        });
        let (image, _) = canonical(&setup);
        if placed && setup.stones.len() == 3 && !known.contains(&image) {
            known.push(image);
            openings.push(setup);
        }
    }
    openings
}

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
