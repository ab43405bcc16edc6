//! The order in which a node's moves are searched: the table's move, then the others by score, then those that were
//! deferred because another thread was searching them.
//!
//! Moves are generated only once the table's move has failed to cut, and picked one at a time: most nodes are decided
//! by their first few moves.

use super::history::HistoryMove;
use super::node::Node;
use super::worker::Worker;
use crate::board::{POINTS, Point};
use crate::eval::{Evaluator, MoveOrdering, OrderingContext};
use smallvec::SmallVec;

/// Highest score if there are no moves.
const NO_MOVES: i32 = i32::MIN;

/// The moves that are still to be searched at a node.
pub(super) struct MovePicker {
    tt_move: Option<Point>,
    /// Where the node's moves begin on the stack.
    base: usize,
    is_generated: bool,
    /// Whether trivial moves were skipped.
    skipped_trivial: bool,
    /// The highest ordering score.
    top_score: i32,
    /// Moves that other threads were searching.
    deferred: SmallVec<[PickedMove; 8]>,
    /// How many of these have been picked again.
    resumed: usize,
}

/// The next move of a node.
#[derive(Clone, Copy)]
pub(super) struct PickedMove {
    pub point: Point,
    /// How far its ordering score is below the best.
    pub gap: i32,
    /// Number of moves searched or deferred before it.
    pub number: usize,
    /// Whether it is picked for the first time.
    pub is_new: bool,
}

impl MovePicker {
    /// A picker for a node whose moves will lie on the stack from `base` on.
    pub fn new(node: &Node, base: usize) -> MovePicker {
        MovePicker {
            tt_move: node.tt_move,
            base,
            is_generated: false,
            skipped_trivial: false,
            top_score: 0,
            deferred: SmallVec::new(),
            resumed: 0,
        }
    }

    /// The next move. The number of a new one is `count`, the number of moves before it. Trivial moves are skipped at
    /// low depth, unless all others lose (`is_lost`): only a search of all moves proves a loss.
    pub fn next<E: Evaluator>(
        &mut self,
        worker: &mut Worker<'_, E>,
        node: &Node,
        count: usize,
        is_lost: bool,
    ) -> Option<PickedMove> {
        if let Some(point) = self.tt_move.take() {
            return Some(self.picked(point, i32::MAX, count));
        }
        if !std::mem::replace(&mut self.is_generated, true) {
            self.skipped_trivial =
                node.forced.is_none() && !node.pv && worker.shared.params.skips_trivial(node.args.depth);
            let wanted = if self.skipped_trivial { Wanted::NotTrivial } else { Wanted::All };
            self.top_score = generate(worker, node, wanted);
        }
        loop {
            while let Some((point, score)) = worker.moves.pick(self.base) {
                if Some(point) != node.tt_move {
                    return Some(self.picked(point, score, count));
                }
            }
            if !(is_lost && std::mem::take(&mut self.skipped_trivial)) {
                break;
            }
            self.top_score = self.top_score.max(generate(worker, node, Wanted::Trivial));
        }
        let deferred = *self.deferred.get(self.resumed)?;
        self.resumed += 1;
        Some(deferred)
    }

    fn picked(&self, point: Point, score: i32, number: usize) -> PickedMove {
        PickedMove { point, gap: self.top_score.saturating_sub(score), number, is_new: true }
    }

    /// Puts a picked move back until all others are done.
    pub fn defer(&mut self, picked: &PickedMove) {
        self.deferred.push(PickedMove { is_new: false, ..*picked });
    }

    /// Drops the moves that are not yet picked or not yet generated. Deferred moves stay.
    pub fn skip_rest<E: Evaluator>(&mut self, worker: &mut Worker<'_, E>) {
        self.is_generated = true;
        worker.moves.release(self.base);
    }
}

/// Which of a node's moves are generated. Trivial moves have no pattern class for either side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    NotTrivial,
    Trivial,
}

/// Puts a node's moves on the stack; returns the highest score.
fn generate<E: Evaluator>(worker: &mut Worker<'_, E>, node: &Node, wanted: Wanted) -> i32 {
    let set = node.forced.as_ref().map_or_else(|| worker.position.candidates(), |(set, _)| *set);
    // A branch on whether a point is trivial would be unpredictable: trivial points are skipped without a branch.
    let mut points = [Point::at(0, 0); POINTS];
    let mut number = 0;
    let (all, trivial) = (wanted == Wanted::All, wanted == Wanted::Trivial);
    // Not a loop: the iterator's own loop over words and bits is faster than one call for each point.
    set.iter().for_each(|point| {
        points[number] = point;
        number += usize::from(all | (worker.position.info(point).is_trivial() == trivial));
    });
    // A single move, such as the block of a four, needs no score.
    if let (Wanted::All, [point]) = (wanted, &points[..number]) {
        worker.moves.push(*point, 0);
        return 0;
    }
    let us = worker.position.to_move();
    let (theirs, ours) = worker.previous_moves(node.ply);
    let counter = worker.shared.histories.counter(us, theirs);
    let params = worker.shared.params;
    let context = if node.forced.is_some() { OrderingContext::DEFENCE } else { OrderingContext::of(&worker.position) };
    let ordering = worker.eval.ordering(&worker.position, context);
    let history = worker.shared.histories.view(us, theirs, ours);
    let mut top = NO_MOVES;
    let position = &worker.position;
    ordering.for_each(&points[..number], position, |point, mut score| {
        let class = position.info(point).class(us);
        score += params.history_order(history.score(HistoryMove { point, class }));
        if counter == Some(point) {
            score += params.order_counter;
        }
        top = top.max(score);
        worker.moves.push(point, score);
    });
    top
}
