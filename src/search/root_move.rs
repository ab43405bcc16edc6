//! Root moves: their scores, the order of their search, and the choice of the answer.

use super::tt::Bound;
use crate::board::Point;
use crate::score::Score;
use std::cmp::Reverse;

/// Score of a move that was not searched, or that failed low.
pub(super) const UNKNOWN: i32 = -Score::INFINITE.raw();

/// A root move and its results.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RootMove {
    pub point: Point,
    /// How far its ordering score is below the best move's.
    pub gap: i32,
    /// Score found in this iteration, or [`UNKNOWN`].
    pub score: i32,
    /// Whether `score` is exact or a bound; [`Bound::Upper`] if the move failed low.
    pub bound: Bound,
    /// Score of the iteration before, or [`UNKNOWN`].
    pub previous: i32,
    /// Score of the loss, if this move is proven to lose.
    pub loss: Option<i32>,
    pub line: Vec<Point>,
}

impl RootMove {
    pub fn new(point: Point, gap: i32) -> RootMove {
        RootMove { point, gap, score: UNKNOWN, bound: Bound::Upper, previous: UNKNOWN, loss: None, line: vec![point] }
    }

    /// The score of a proven loss; otherwise the score of this iteration, or else of the one before.
    pub fn known_score(&self) -> i32 {
        match self.loss {
            Some(loss) => loss,
            None if self.score == UNKNOWN => self.previous,
            None => self.score,
        }
    }

    /// Whether the move has a score of this iteration or the one before, or is a proven loss.
    pub fn is_known(&self) -> bool {
        self.known_score() != UNKNOWN
    }

    /// Makes the score the previous one and clears it, for a new iteration.
    pub fn start_iteration(&mut self) {
        (self.previous, self.score, self.bound) = (self.score, UNKNOWN, Bound::Upper);
    }

    /// Stores the result of a search with the window from `alpha` to `beta`. A move that fails low gets no score,
    /// except for the first one that is searched: its fail-soft value centres the next window.
    pub fn set_value(&mut self, value: i32, (alpha, beta): (i32, i32), is_first: bool, line: &[Point]) {
        self.bound = Bound::of(value, alpha, beta);
        if self.bound != Bound::Lower && Score::from_raw(value).is_loss() {
            self.loss = Some(value);
        }
        if !is_first && self.bound == Bound::Upper {
            self.score = UNKNOWN;
            return;
        }
        self.score = value;
        // A move that fails high without a new variation keeps its previous one, unless it wins.
        let is_open = self.bound == Bound::Lower && !Score::from_raw(value).is_win();
        if !(is_open && line.is_empty()) {
            self.line.truncate(1);
            self.line.extend_from_slice(line);
        }
    }

    /// Stores a proven win.
    pub fn set_win(&mut self, score: i32, line: &[Point]) {
        (self.score, self.bound, self.loss) = (score, Bound::Exact, None);
        self.line = line.to_vec();
    }

    /// Whether the move exceeded alpha in this iteration (its score is exact or a lower bound) and is not a proven
    /// loss.
    fn is_found_good(&self) -> bool {
        self.score != UNKNOWN && self.bound != Bound::Upper && self.loss.is_none()
    }
}

/// Sorts moves for the next search of the root: by score, with equal scores in unchanged order; proven losses last, the
/// longest first.
pub(super) fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|m| (m.loss.is_some(), Reverse(m.loss.unwrap_or(m.score))));
}

/// Chooses the answer after an iteration that was aborted while it searched line `from` of `lines`. `completed` holds
/// the lines of the iteration before.
///
/// The aborted iteration counts only where it found a better move. If its move failed low, or was refuted after it had
/// failed high, the last completed line replaces it. A proven loss is the answer only if every move is a proven loss.
pub(super) fn settle(moves: &mut [RootMove], completed: &[RootMove], from: usize, lines: usize) {
    // A later line may have a better score than an earlier one.
    sort(&mut moves[..from]);
    for i in from..lines {
        let rest = &moves[i..];
        let better = (0..rest.len()).filter(|j| rest[*j].is_found_good()).min_by_key(|j| Reverse(rest[*j].score));
        let known = || {
            completed.iter().find_map(|line| {
                let j = rest.iter().position(|m| m.point == line.point && m.loss.is_none())?;
                (line.score != UNKNOWN).then_some((j, Some(line)))
            })
        };
        let open = || rest.iter().position(|m| m.loss.is_none()).map(|j| (j, None));
        let longest = || (0..rest.len()).min_by_key(|j| Reverse(rest[*j].loss)).map(|j| (j, None));
        let Some((j, line)) = better.map(|j| (j, None)).or_else(known).or_else(open).or_else(longest) else { return };
        let m = &mut moves[i + j];
        if let Some(line) = line {
            (m.score, m.bound) = (line.score, line.bound);
            m.line.clone_from(&line.line);
        }
        // Every searched move loses, so an unsearched one is unlikely to be better.
        if moves[i + j].known_score() == UNKNOWN && moves.iter().any(|m| m.loss.is_some()) {
            moves[i + j].score = -Score::EVAL_LIMIT;
        }
        moves[i..=i + j].rotate_right(1);
        // The search of a better line has shown that no other move is better.
        if i > 0 && moves[i].known_score() > moves[i - 1].known_score() {
            moves[i].score = moves[i - 1].known_score();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: (i32, i32) = (-20, 20);

    fn moves(number: u8) -> Vec<RootMove> {
        (0..number).map(|x| RootMove::new(Point::at(x, 0), 0)).collect()
    }

    /// Four moves after an iteration: the first two scored 10 and 5, and the others failed low. The next iteration
    /// begins.
    fn after_an_iteration() -> (Vec<RootMove>, Vec<RootMove>) {
        let mut moves = moves(4);
        moves[0].set_value(10, WINDOW, true, &[Point::at(9, 9)]);
        moves[1].set_value(5, WINDOW, false, &[]);
        for m in &mut moves[2..] {
            m.set_value(-3, (10, 20), false, &[]);
        }
        let completed = moves[..2].to_vec();
        moves.iter_mut().for_each(RootMove::start_iteration);
        (moves, completed)
    }

    fn answer(mut moves: Vec<RootMove>, completed: &[RootMove]) -> RootMove {
        settle(&mut moves, completed, 0, 1);
        moves.swap_remove(0)
    }

    #[test]
    fn an_iteration_that_found_nothing_leaves_the_last_line() {
        let (moves, completed) = after_an_iteration();
        assert_eq!(answer(moves, &completed).line, completed[0].line);
    }

    #[test]
    fn a_better_move_is_the_answer_and_a_worse_one_is_not() {
        let (mut moves, completed) = after_an_iteration();
        moves[2].set_value(25, WINDOW, false, &[Point::at(7, 7)]);
        let found = answer(moves.clone(), &completed);
        assert_eq!((found.point, found.score, found.line.len()), (Point::at(2, 0), 25, 2));
        // It is first in the next search, and fails low there.
        sort(&mut moves);
        assert_eq!(moves[0].point, Point::at(2, 0));
        moves[0].set_value(-40, (-30, 60), true, &[]);
        let found = answer(moves, &completed);
        assert_eq!((found.point, found.known_score()), (Point::at(0, 0), 10));
    }

    #[test]
    fn a_move_that_fails_high_keeps_its_continuation_until_a_newer_one_is_known() {
        let (moves, _) = after_an_iteration();
        let mut first = moves[0].clone();
        first.set_value(25, WINDOW, true, &[]);
        assert_eq!((first.bound, &first.line), (Bound::Lower, &moves[0].line));
        first.set_value(25, WINDOW, true, &[Point::at(7, 7), Point::at(8, 8)]);
        assert_eq!(first.line, [first.point, Point::at(7, 7), Point::at(8, 8)]);
        // A five ends the line.
        first.set_value(Score::win_in(1).raw(), WINDOW, true, &[]);
        assert_eq!(first.line, [first.point]);
    }

    #[test]
    fn a_best_move_that_fails_low_stays_the_answer_with_its_completed_line() {
        let (mut moves, completed) = after_an_iteration();
        moves[0].set_value(-90, WINDOW, true, &[]);
        let found = answer(moves, &completed);
        assert_eq!((found.point, found.score, &found.line), (Point::at(0, 0), 10, &completed[0].line));
    }

    #[test]
    fn a_proven_loss_is_the_answer_only_if_all_are() {
        let (mut moves, completed) = after_an_iteration();
        let loss = |plies| Score::loss_in(plies).raw();
        moves[0].set_value(loss(14), WINDOW, true, &[]);
        assert_eq!(answer(moves.clone(), &completed).point, Point::at(1, 0));
        let mut open = moves.clone();
        open[1].set_value(loss(8), WINDOW, false, &[]);
        let found = answer(open, &completed);
        assert_eq!((found.point, found.known_score()), (Point::at(2, 0), -Score::EVAL_LIMIT));
        for (i, plies) in [(1, 8), (2, 20), (3, 6)] {
            moves[i].set_value(loss(plies), WINDOW, false, &[]);
        }
        sort(&mut moves);
        let found = answer(moves, &completed);
        assert_eq!((found.point, found.known_score()), (Point::at(2, 0), loss(20)));
    }

    #[test]
    fn proven_losses_are_sorted_behind_unscored_moves() {
        let mut moves = moves(3);
        moves[0].set_value(Score::loss_in(14).raw(), WINDOW, true, &[]);
        moves[2].set_value(1, WINDOW, false, &[]);
        sort(&mut moves);
        assert_eq!(moves.iter().map(|m| m.point.x()).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn later_lines_keep_what_was_completed() {
        let (mut moves, completed) = after_an_iteration();
        moves[0].set_value(12, WINDOW, true, &[]);
        settle(&mut moves, &completed, 1, 2);
        assert_eq!((moves[0].score, moves[1].point, moves[1].score), (12, Point::at(1, 0), 5));
        moves[0].set_value(3, WINDOW, true, &[]);
        settle(&mut moves, &completed, 1, 2);
        assert_eq!((moves[0].score, moves[1].score), (3, 3));
    }
}
