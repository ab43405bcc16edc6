//! Packed training samples of positions: about 200 bytes, plus two for each candidate, on a 15x15 board.

use crate::data::record::{DataGame, cell};
use crate::data::tree::Tree;
use serde::{Deserialize, Serialize};
use tengen::board::{BoardSize, Point, Side};
use tengen::eval::network::layout::{NON_POOLED_INPUTS, facts, last_stones};
use tengen::eval::{Evaluator, MoveOrdering, OrderingContext, displacement};
use tengen::movegen::{ThreatStatus, threat_status};
use tengen::pattern::PointClass;
use tengen::position::{Observer, PointSet, Position, Silent};
use tengen::score::{ORDER_UNIT, Score};
use tengen::search::Bound;
use tengen_analysis::random::Random;

/// Settings of the training targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Targets {
    /// Share of the search's score in the value target; the rest is the game's result, if it counts.
    pub blend: f32,
    /// Divisor of scores in the sigmoid that converts them to probabilities, in evaluation units.
    pub scale: f32,
    /// Weight of the value of positions that the search had proven; the weight of other positions is 1.
    pub proven: f32,
    /// Same as `scale`, for nodes of search trees. If it equals the scale of the network that searched them, a search
    /// that changes nothing gives no gradient.
    pub tree_scale: f32,
    /// Policy weight of nodes of search trees; the weight of game positions is 1. The moves of nodes are refutations,
    /// which are not necessarily the best moves.
    pub tree_policy: f32,
}

impl Default for Targets {
    fn default() -> Targets {
        Targets { blend: 0.5, scale: 150.0, proven: 0.4, tree_scale: 150.0, tree_policy: 0.1 }
    }
}

/// A sample without its cells and candidates.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Board dimensions.
    pub size: BoardSize,
    /// Side to move.
    pub to_move: Side,
    /// See [`facts`].
    pub facts: [u8; NON_POOLED_INPUTS],
    /// The opponent's last stone and the own last stone, by cell, with the class of its point.
    pub last: [Option<(u16, PointClass)>; 2],
    /// Target probabilities of win, draw and loss.
    pub target: [f32; 3],
    /// Whether the target is the exact expected result, a lower bound or an upper bound.
    pub bound: Bound,
    /// Weight of the value loss.
    pub weight: f32,
    /// Index of the best move among the candidates; `None` without a policy target.
    pub best: Option<u16>,
    /// Weight of the policy loss.
    pub policy_weight: f32,
    /// Result of the game for the side to move: 1, 1/2 or 0. `None` if a later move was not the engine's best: after a
    /// random move the result no longer depends on the position alone.
    pub result: Option<f32>,
    cells: usize,
    candidates: usize,
    candidate_count: u16,
}

impl Head {
    /// A sample of a position without targets.
    fn of(position: &Position) -> Head {
        let size = position.size();
        Head {
            size,
            to_move: position.to_move(),
            facts: facts(position),
            last: last_stones(position).map(|last| last.map(|(p, class)| (cell(size, p), class))),
            target: [0.0; 3],
            bound: Bound::Exact,
            weight: 0.0,
            best: None,
            policy_weight: 1.0,
            result: None,
            cells: 0,
            candidates: 0,
            candidate_count: 0,
        }
    }

    /// Difference between the expected result of these probabilities and the target: positive if the expectation is too
    /// large, negative if too small, zero if the target is a bound that holds.
    pub fn error(&self, outcome: [f32; 3]) -> f32 {
        let expected = |[win, draw, _]: [f32; 3]| win + draw / 2.0;
        let error = expected(outcome) - expected(self.target);
        match self.bound {
            Bound::Lower => error.min(0.0),
            Bound::Upper => error.max(0.0),
            Bound::Exact => error,
        }
    }
}

/// An evaluator's output for a sample, for comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Yardstick {
    /// Static score, in evaluation units.
    pub score: f32,
    /// The score of the search, in evaluation units; NaN if it was proven.
    pub searched: f32,
    /// Cross-entropy of the best move under the evaluator's move ordering.
    pub order_loss: f32,
    /// Number of candidates that the ordering places before the best move.
    pub order_rank: u16,
}

/// Samples of positions.
#[derive(Debug, Default)]
pub struct Samples {
    heads: Vec<Head>,
    /// Cells, four in a byte.
    cells: Vec<u8>,
    /// Candidates by cell.
    candidates: Vec<u16>,
    /// One for each sample, if requested; otherwise empty.
    pub yardsticks: Vec<Yardstick>,
}

/// Whether a game is held out: one in twenty, independent of the other games in the files. All copies of a game have
/// the same result.
pub fn is_held_out(game: &DataGame) -> bool {
    is_line_held_out(game.size, &game.line())
}

/// Same as [`is_held_out`], for the stones of a game.
pub fn is_line_held_out(size: BoardSize, line: &[Point]) -> bool {
    let line: Vec<u64> = line.iter().map(|p| u64::from(cell(size, *p))).chain([0x7e57]).collect();
    Random::new(&line).below(20) == 0
}

/// Number of plies after the opening that are not used.
const SKIP: usize = 1;

impl Samples {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// A sample.
    pub fn head(&self, index: usize) -> &Head {
        &self.heads[index]
    }

    /// The packed cells of a sample, four in a byte: 0 empty, 1 black, 2 white, the first in the lowest bits.
    pub fn packed(&self, head: &Head) -> &[u8] {
        &self.cells[head.cells..][..head.size.cells().div_ceil(4)]
    }

    /// Unpacks the cells of a sample to the start of `cells`: 0 empty, 1 black, 2 white, row by row.
    pub fn unpack(&self, head: &Head, cells: &mut [u8]) {
        let packed = &self.cells[head.cells..];
        for (i, cell) in cells.iter_mut().take(head.size.cells()).enumerate() {
            *cell = packed[i / 4] >> (2 * (i % 4)) & 3;
        }
    }

    /// The candidates of a sample, by cell.
    pub fn candidates(&self, head: &Head) -> &[u16] {
        &self.candidates[head.candidates..][..usize::from(head.candidate_count)]
    }

    /// Adds all usable positions of a game, with yardsticks by an evaluator; `make` creates it for the empty board.
    /// Adds nothing if `make` returns `None`.
    pub fn add_judged<E: Evaluator>(
        &mut self,
        source: &DataGame,
        targets: &Targets,
        make: impl FnOnce(&Position) -> Option<E>,
    ) {
        walk(source, make, |i, position, evaluator, set, context| {
            let head = head_of_move(source, i, position, &set, targets);
            let best = head.best.map(usize::from);
            let (order_loss, order_rank) = order(evaluator, position, &set, context, best);
            let searched = source.game.moves[i].score;
            let searched = if searched.is_proven() { f32::NAN } else { searched.raw() as f32 };
            let score = evaluator.evaluate(position) as f32;
            self.yardsticks.push(Yardstick { score, searched, order_loss, order_rank });
            self.push(position, &set, head);
        });
    }

    /// Adds the position before a move of a game, if it is usable.
    pub fn add_move(&mut self, source: &DataGame, i: usize, targets: &Targets) {
        let DataGame { rule, size, game, .. } = source;
        let mut position = Position::empty_board(*size, *rule, &[]);
        let played = game.moves[..i].iter().map(|played| played.point);
        game.opening.iter().copied().chain(played).for_each(|point| position.play(point, &mut Silent));
        if let Some((set, _)) = choice(&mut position) {
            let head = head_of_move(source, i, &position, &set, targets);
            self.push(&position, &set, head);
        }
    }

    /// Adds the usable nodes of a search tree.
    pub fn add_tree(&mut self, tree: &Tree, targets: &Targets) {
        walk_tree(tree, |i, position| self.add_here(tree, i, position, targets));
    }

    /// Adds a node of a search tree, if it is usable.
    pub fn add_node(&mut self, tree: &Tree, i: usize, targets: &Targets) {
        let (root, node) = &tree.nodes[i];
        let mut position = Position::empty_board(tree.size, tree.rule, &[]);
        tree.line[..*root].iter().chain(&node.path).for_each(|point| position.play(*point, &mut Silent));
        self.add_here(tree, i, &mut position, targets);
    }

    /// Adds the node whose position this is. A score that is a bound gives a gradient only if the network violates it,
    /// see [`Head::bound`].
    fn add_here(&mut self, tree: &Tree, i: usize, position: &mut Position, targets: &Targets) {
        let Some((set, _)) = choice(position) else { return };
        let (_, node) = &tree.nodes[i];
        let won = probability(node.score, targets.tree_scale);
        let head = Head {
            target: [won, 0.0, 1.0 - won],
            bound: node.bound,
            weight: if node.score.is_proven() { targets.proven } else { 1.0 },
            best: place_of_best(&set, node.best, node.score).map(|b| b as u16),
            policy_weight: targets.tree_policy,
            ..Head::of(position)
        };
        self.push(position, &set, head);
    }

    fn push(&mut self, position: &Position, set: &PointSet, head: Head) {
        let (cells, candidates) = (self.cells.len(), self.candidates.len());
        let size = head.size;
        self.cells.resize(self.cells.len() + size.cells().div_ceil(4), 0);
        for (point, side) in position.history() {
            let at = usize::from(cell(size, point));
            self.cells[cells + at / 4] |= (side as u8 + 1) << (2 * (at % 4));
        }
        self.candidates.extend(set.iter().map(|p| cell(size, p)));
        let candidate_count = (self.candidates.len() - candidates) as u16;
        self.heads.push(Head { cells, candidates, candidate_count, ..head });
    }

    /// Appends other samples.
    pub fn append(&mut self, other: &Samples) {
        let (cells, candidates) = (self.cells.len(), self.candidates.len());
        self.cells.extend(&other.cells);
        self.candidates.extend(&other.candidates);
        self.yardsticks.extend(&other.yardsticks);
        let moved = |h: &Head| Head { cells: h.cells + cells, candidates: h.candidates + candidates, ..*h };
        self.heads.extend(other.heads.iter().map(moved));
    }
}

/// Visits the usable positions of a game, each before the move with this number, with an observer that `make` creates
/// for the empty board. Visits none if it creates none.
fn walk<O: Observer>(
    source: &DataGame,
    make: impl FnOnce(&Position) -> Option<O>,
    mut visit: impl FnMut(usize, &Position, &mut O, PointSet, OrderingContext),
) {
    let DataGame { rule, size, game, .. } = source;
    let mut position = Position::empty_board(*size, *rule, &[]);
    let Some(mut observer) = make(&position) else { return };
    for point in &game.opening {
        position.play(*point, &mut observer);
    }
    for (i, played) in game.moves.iter().enumerate() {
        let choice = if i >= SKIP { choice(&mut position) } else { None };
        if let Some((set, context)) = choice {
            visit(i, &position, &mut observer, set, context);
        }
        position.play(played.point, &mut observer);
    }
}

/// The moves of a game whose positions are usable.
pub fn usable_moves(source: &DataGame) -> Vec<usize> {
    let mut moves = Vec::new();
    walk(source, |_| Some(Silent), |i, _, _, _, _| moves.push(i));
    moves
}

/// Visits the positions of a search tree's nodes.
fn walk_tree(tree: &Tree, mut visit: impl FnMut(usize, &mut Position)) {
    let mut position = Position::empty_board(tree.size, tree.rule, &[]);
    for (i, (root, node)) in tree.nodes.iter().enumerate() {
        // Nodes are ordered by their roots.
        for point in &tree.line[position.stones()..*root] {
            position.play(*point, &mut Silent);
        }
        node.path.iter().for_each(|point| position.play(*point, &mut Silent));
        visit(i, &mut position);
        node.path.iter().for_each(|_| position.undo(&mut Silent));
    }
}

/// The usable nodes of a search tree.
pub fn usable_nodes(tree: &Tree) -> Vec<usize> {
    let mut nodes = Vec::new();
    walk_tree(tree, |i, position| nodes.extend(choice(position).map(|_| i)));
    nodes
}

/// The sample of the position before a move of a game.
fn head_of_move(source: &DataGame, i: usize, position: &Position, set: &PointSet, targets: &Targets) -> Head {
    let DataGame { game, .. } = source;
    let played = &game.moves[i];
    let first_undisturbed = game.moves.iter().rposition(|m| m.point != m.best).map_or(0, |i| i + 1);
    let mover = position.to_move();
    let outcome = game.winner.map_or(0.5, |winner| if winner == mover { 1.0 } else { 0.0 });
    let result = (i >= first_undisturbed).then_some(outcome);
    let searched = probability(played.score, targets.scale);
    let share = if result.is_some() { 1.0 - targets.blend } else { 0.0 };
    let drawn = if result == Some(0.5) { share } else { 0.0 };
    let won = (1.0 - share) * searched + if result == Some(1.0) { share } else { 0.0 };
    Head {
        target: [won, drawn, 1.0 - won - drawn],
        weight: if played.score.is_proven() { targets.proven } else { 1.0 },
        best: place_of_best(set, Some(played.best), played.score).map(|b| b as u16),
        result,
        ..Head::of(position)
    }
}

/// The candidate moves of a position that the search would evaluate statically; `None` if the position is decided or
/// has only one reasonable move.
fn choice(position: &mut Position) -> Option<(PointSet, OrderingContext)> {
    match threat_status(position) {
        ThreatStatus::Quiet => Some((position.candidates(), OrderingContext::of(position))),
        ThreatStatus::MustDefend { moves, .. } => Some((moves, OrderingContext::DEFENCE)),
        ThreatStatus::Won { .. } | ThreatStatus::Lost { .. } | ThreatStatus::MustBlock { .. } => None,
    }
}

/// Converts a score to an expected result.
fn probability(score: Score, scale: f32) -> f32 {
    1.0 / (1.0 + (-(score.raw() as f32) / scale).exp())
}

/// Index of the policy target among the moves. `None` if all moves lose, because then no move is best.
fn place_of_best(set: &PointSet, best: Option<Point>, score: Score) -> Option<usize> {
    let best = best.filter(|best| set.contains(*best) && !score.is_loss() && set.len() > 1)?;
    set.iter().position(|p| p == best)
}

/// Displacement between two cells, see [`displacement`].
#[inline]
pub fn cell_displacement(width: usize, from: u16, to: u16) -> usize {
    let point = |cell: u16| Point::at((usize::from(cell) % width) as u8, (usize::from(cell) / width) as u8);
    displacement(point(from), point(to))
}

/// Cross-entropy of the best move under an evaluator's move ordering, and the number of moves ordered before it.
fn order(
    evaluator: &mut impl Evaluator,
    position: &Position,
    set: &PointSet,
    context: OrderingContext,
    best: Option<usize>,
) -> (f32, u16) {
    let Some(best) = best else { return (0.0, 0) };
    let ordering = evaluator.ordering(position, context);
    let logit = |p: Point| ordering.score(p, position.info(p)) as f32 / ORDER_UNIT as f32;
    let logits: Vec<f32> = set.iter().map(logit).collect();
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = logits.iter().map(|l| (l - most).exp()).sum();
    let rank = logits.iter().filter(|l| **l > logits[best]).count();
    (sum.ln() + most - logits[best], rank as u16)
}
