//! The root: iterative deepening, aspiration windows, several lines, and when to stop.

use super::params::{MAX_DEPTH, PLY};
use super::prover::{News, Prover};
use super::pvs::Ask;
use super::report::{Line, Report, RootState};
use super::round::Round;
use super::worker::{Frame, Worker};
use crate::board::Point;
use crate::control::Aborted;
use crate::eval::{Classical, Stance};
use crate::movegen::{Situation, assess};
use crate::pattern::PointClass;
use crate::position::{PointSet, Position};
use crate::score::Score;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Score of a move that was not searched, or not found better than others.
pub(super) const UNKNOWN: i32 = -Score::INFINITE.raw();

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub point: Point,
    pub score: i32,
    previous: i32,
    pub line: Vec<Point>,
}

impl RootMove {
    pub fn new(point: Point) -> RootMove {
        RootMove { point, score: UNKNOWN, previous: UNKNOWN, line: vec![point] }
    }

    /// The score of this iteration or else of the one before.
    fn known(&self) -> i32 {
        if self.score == UNKNOWN { self.previous } else { self.score }
    }

    /// Whether the move was ever scored.
    pub fn is_known(&self) -> bool {
        self.known() != UNKNOWN
    }
}

/// What a search is to find.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    pub moves: Vec<RootMove>,
    /// Number of best lines.
    pub lines: usize,
    /// Last iteration, in plies.
    pub depth: u32,
    /// Whether a move with nothing left to decide may be answered before the time is used.
    pub may_stop_early: bool,
}

/// Receives reports; helpers have none.
pub(super) type Reporter<'a> = Option<&'a mut dyn FnMut(&Report)>;

/// Moves worth searching at the root: those that matter in the situation, or all that are legal, or, should even those
/// be excluded, any empty point. The most promising comes first, so that a search without any time has an answer.
pub(super) fn root_moves(position: &mut Position, eval: &Classical, excluded: &[Point], all: bool) -> Vec<RootMove> {
    let us = position.to_move();
    let mut stance = Stance::of(position);
    let empty: PointSet = position.size().points().filter(|p| position.is_empty(*p)).collect();
    let wanted = match assess(position) {
        _ if all => empty,
        Situation::Won { by, .. } => PointSet::from_iter([by]),
        Situation::MustBlock { moves } | Situation::MustDefend { moves, .. } => {
            stance = Stance::DEFENCE;
            moves
        }
        Situation::Lost { .. } | Situation::Quiet => position.candidates(),
    };
    let opening = position.size().points().filter(|p| position.is_empty(*p) && !excluded.contains(p));
    let center = position.size().center();
    let nearest: PointSet = opening.min_by_key(|p| p.distance(center)).into_iter().collect();
    let open = |p: &Point| !excluded.contains(p);
    for (set, legal_only) in
        [(wanted, true), (if wanted.is_empty() { nearest } else { empty }, true), (empty, true), (empty, false)]
    {
        let mut moves: Vec<Point> =
            set.iter().filter(open).filter(|p| !legal_only || !position.is_forbidden(us, *p)).collect();
        if !moves.is_empty() {
            let ordering = eval.ordering(position, stance);
            moves.sort_by_key(|p| std::cmp::Reverse(ordering.score(*p, position.info(*p))));
            return moves.into_iter().map(RootMove::new).collect();
        }
    }
    Vec::new()
}

/// How the search of one root behaves over its iterations.
#[derive(Default)]
struct Mood {
    best: Option<Point>,
    /// Iterations since the best move changed.
    settled: u32,
    last_score: i32,
    /// Iterations since a win was proven.
    proven: u32,
}

impl Mood {
    fn update(&mut self, best: &RootMove) {
        if self.best == Some(best.point) {
            self.settled += 1;
        } else {
            self.best = Some(best.point);
            self.settled = 0;
        }
    }

    /// Factor on the time aimed at: above 1 when the best move changes or loses score.
    fn unrest(&mut self, score: i32) -> f64 {
        let drop = f64::from((self.last_score - score).clamp(-50, 150)) / 150.0;
        self.last_score = score;
        let settled = 1.5 / (1.0 + 0.22 * f64::from(self.settled.min(10)));
        (settled * (1.0 + 0.6 * drop)).clamp(0.35, 2.2)
    }
}

impl Worker<'_> {
    /// Deepens until the aim is met or the search is over; `moves` are left in order, best first.
    /// Returns the depth that the answer rests on. A prover, if there is one, works between the iterations; a win that
    /// it finds ends them.
    pub fn iterate(
        &mut self,
        aim: &mut Aim,
        first: u32,
        mut report: Reporter<'_>,
        mut prover: Option<&mut Prover<'_>>,
    ) -> u32 {
        let mut mood = Mood::default();
        let lines = aim.lines.clamp(1, aim.moves.len().max(1));
        let before: Vec<Point> = aim.moves.iter().map(|m| m.point).collect();
        let is_won = self.consult(prover.as_deref_mut(), aim);
        tell_refuted(&mut report, &before, aim);
        if is_won {
            self.tell(&mut report, aim, first, lines);
            return first;
        }
        for depth in first..=aim.depth.min(MAX_DEPTH) {
            for m in &mut aim.moves {
                m.previous = m.score;
                m.score = UNKNOWN;
            }
            for rank in 0..lines {
                if self.aspire(aim, rank, depth as i32 * PLY, &mut report).is_err() {
                    settle(&mut aim.moves, rank, lines);
                    let known = (depth - 1).max(1);
                    self.tell(&mut report, aim, known, lines);
                    return known;
                }
                aim.moves[rank..].sort_by_key(|m| std::cmp::Reverse(m.score));
            }
            // A later line may have come out better than an earlier one.
            aim.moves[..lines].sort_by_key(|m| std::cmp::Reverse(m.score));
            let before: Vec<Point> = aim.moves.iter().map(|m| m.point).collect();
            let is_won = self.consult(prover.as_deref_mut(), aim);
            tell_refuted(&mut report, &before, aim);
            self.tell(&mut report, aim, depth, lines);
            if is_won {
                return depth;
            }
            let best = &aim.moves[0];
            mood.update(best);
            if report.is_some() && self.is_enough(aim, &mut mood, depth) {
                return depth;
            }
            if self.shared.stop.is_stopped()
                || self.shared.clock.is_over()
                || self.total_nodes() >= self.shared.node_limit
            {
                return depth;
            }
        }
        aim.depth.min(MAX_DEPTH)
    }

    /// Lets the prover spend its share of the nodes so far. Returns whether it has found a win, whose first move is then
    /// the first of all.
    fn consult(&mut self, prover: Option<&mut Prover<'_>>, aim: &mut Aim) -> bool {
        let Some(prover) = prover else { return false };
        let shared = self.shared;
        while prover.is_busy() && !shared.stop.is_stopped() && !shared.clock.is_over() {
            let (spent, total) = (prover.spent(), self.total_nodes());
            let share = shared.params.prover_share(total).saturating_sub(spent);
            let nodes = share.min(shared.node_limit.saturating_sub(total));
            if nodes == 0 {
                break;
            }
            let news = prover.work(nodes, shared.stop);
            shared.nodes.fetch_add(prover.spent() - spent, Ordering::Relaxed);
            match news {
                Some(News::Win(win)) => {
                    let score = Score::win_in(win.plies() as i32).raw();
                    let first = aim.moves.iter().position(|m| win.line().first() == Some(&m.point));
                    // The move may be excluded, or the search know of a shorter win.
                    let Some(first) = first.filter(|_| score >= aim.moves[0].known()) else { return false };
                    aim.moves[first].score = score;
                    aim.moves[first].line = win.line().to_vec();
                    aim.moves[..=first].rotate_right(1);
                    prover.won = Some(win);
                    return true;
                }
                // Where nothing helps, the search shall find what holds out longest.
                Some(News::Answers(answers)) if aim.moves.iter().any(|m| answers.contains(m.point)) => {
                    aim.moves.retain(|m| answers.contains(m.point));
                }
                Some(News::Answers(_)) | None => {}
            }
        }
        false
    }

    fn is_enough(&self, aim: &Aim, mood: &mut Mood, depth: u32) -> bool {
        let best = &aim.moves[0];
        let unrest = mood.unrest(best.score);
        if self.shared.clock.is_enough(unrest) {
            return true;
        }
        if let Some(distance) = Score::from_raw(best.score).distance() {
            mood.proven += 1;
            // Nothing shorter can be hidden below the depth searched; with a clock, four tries are enough.
            if distance.unsigned_abs() <= depth || (aim.may_stop_early && mood.proven > 4) {
                return aim.lines == 1;
            }
        }
        aim.may_stop_early && aim.moves.len() == 1 && depth >= 4
    }

    /// Takes part in what the first thread searches, until all is over.
    pub fn help(&mut self) {
        let mut last = 0;
        while let Some((number, round)) = self.shared.team.join(last) {
            last = number;
            // What it finds is in the round and in the table.
            let _ = self.search_root(&round, &mut None);
        }
    }

    fn aspire(&mut self, aim: &mut Aim, rank: usize, depth: i32, report: &mut Reporter<'_>) -> Result<i32, Aborted> {
        let infinite = Score::INFINITE.raw();
        let guess = aim.moves[rank].previous;
        let mut delta = self.shared.params.window;
        let (mut alpha, mut beta) = (-infinite, infinite);
        if depth >= 4 * PLY && guess != UNKNOWN && Score::from_raw(guess).distance().is_none() {
            (alpha, beta) = (guess - delta, guess + delta);
        }
        loop {
            let ask = Ask { alpha, beta, depth, cut_node: false };
            let round = Arc::new(Round::new(std::mem::take(&mut aim.moves), rank, ask));
            self.shared.team.open(&round);
            let end = self.search_root(&round, report);
            let value;
            (aim.moves, value) = round.end();
            end?;
            delta += delta / 2 + 5;
            let wide = delta > 600 || Score::from_raw(value).distance().is_some();
            if value <= alpha && alpha > -infinite {
                beta = (alpha + beta) / 2;
                alpha = if wide { -infinite } else { value - delta };
            } else if value >= beta && beta < infinite {
                beta = if wide { infinite } else { value + delta };
            } else {
                return Ok(value);
            }
            aim.moves[rank..].sort_by_key(|m| std::cmp::Reverse(m.score));
        }
    }

    /// Searches moves of a round until nothing is left to do, or the whole search is over.
    fn search_root(&mut self, round: &Arc<Round>, report: &mut Reporter<'_>) -> Result<(), Aborted> {
        self.frames[0].eval = Some(self.eval.score(&self.position));
        let mut tell = |point: Point, state: RootState| {
            let is_told = round.ask.depth >= 6 * PLY || state == RootState::Lost;
            if let Some(tell) = report.as_deref_mut().filter(|_| is_told) {
                tell(&Report::Root(point, state));
            }
        };
        while let Some((i, point)) = round.take_move() {
            tell(point, RootState::Searching);
            self.in_hand = Some((Arc::clone(round), i));
            let found = self.search_root_move(round, i, point);
            self.in_hand = None;
            match found {
                Ok((alpha, value)) => {
                    let lost = value <= alpha && Score::from_raw(value).is_loss();
                    tell(point, if lost { RootState::Lost } else { RootState::Searched });
                    if value > alpha {
                        tell(point, RootState::Best);
                    }
                }
                Err(aborted) if self.shared.over.load(Ordering::Relaxed) => return Err(aborted),
                // Another thread was first. A search that was broken off leaves moves behind.
                Err(_) => {
                    self.moves.release(0);
                    tell(point, RootState::Searched);
                }
            }
        }
        Ok(())
    }

    /// Gives the value of a root move to the round; returns it after the alpha that it was compared with.
    fn search_root_move(&mut self, round: &Round, i: usize, point: Point) -> Result<(i32, i32), Aborted> {
        let seen = self.seen(point);
        self.frames[0].played = Some(seen);
        self.frames[1] = Frame::default();
        let mut alpha = round.alpha();
        // A five ends the game: there is nothing to search behind it.
        let value = if seen.class == PointClass::Five {
            self.lines[1].clear();
            Score::win_in(1).raw()
        } else {
            self.play(point);
            let value = self.root_child(round, i - round.rank, &mut alpha);
            self.undo();
            value?
        };
        round.give(i, alpha, value, &self.lines[1]);
        Ok((alpha, value))
    }

    /// Value of the move played, the `index`th of its round; `alpha` is set to what it was compared with last.
    fn root_child(&mut self, round: &Round, index: usize, alpha: &mut i32) -> Result<i32, Aborted> {
        let Ask { beta, depth, .. } = round.ask;
        let full = depth - PLY;
        if index > 0 {
            let reduction = if index > 2 && depth >= 3 * PLY {
                self.shared.params.reduction(depth, index, 0) * self.shared.params.root_share / 100
            } else {
                0
            };
            let mut value = self.child(0, *alpha, *alpha + 1, (full - reduction).max(PLY.min(full)), true)?;
            if value > *alpha && reduction > 0 {
                *alpha = round.alpha();
                value = self.child(0, *alpha, *alpha + 1, full, true)?;
            }
            if value <= *alpha {
                return Ok(value);
            }
            *alpha = round.alpha();
        }
        self.child(0, *alpha, beta, full, false)
    }

    fn tell(&self, report: &mut Reporter<'_>, aim: &Aim, depth: u32, lines: usize) {
        let Some(tell) = report.as_deref_mut() else { return };
        for (rank, m) in aim.moves.iter().take(lines).enumerate().filter(|(_, m)| m.is_known()) {
            tell(&Report::Line(self.line(m, rank, lines, depth)));
        }
    }

    /// A root move as it is reported.
    pub fn line(&self, m: &RootMove, rank: usize, of: usize, depth: u32) -> Line {
        let score = m.known();
        Line {
            rank,
            of,
            depth,
            seldepth: self.seldepth as u32,
            score: Score::from_raw(if score == UNKNOWN { 0 } else { score }),
            nodes: self.total_nodes(),
            elapsed: self.shared.clock.elapsed(),
            moves: m.line.clone(),
        }
    }
}

/// Tells of the moves that the prover has found to lose and removed.
fn tell_refuted(report: &mut Reporter<'_>, before: &[Point], aim: &Aim) {
    let Some(tell) = report.as_deref_mut().filter(|_| before.len() > aim.moves.len()) else { return };
    for point in before.iter().filter(|p| aim.moves.iter().all(|m| m.point != **p)) {
        tell(&Report::Root(*point, RootState::Lost));
    }
}

/// Orders moves after an unfinished iteration: those it has scored, then the others as they were; and the lines that
/// are told by what is known of them.
fn settle(moves: &mut [RootMove], rank: usize, lines: usize) {
    moves[rank..].sort_by_key(|m| std::cmp::Reverse(m.score));
    moves[..lines].sort_by_key(|m| std::cmp::Reverse(m.known()));
}
