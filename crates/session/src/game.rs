//! A game with its variations, and the shown node: moves, answers in the opening, ends by agreement, and navigation in
//! the tree.
//!
//! Everything at a node follows from the path to it: the board, the stage of the opening, the colours of the players,
//! the times left on the clocks. Going back loses nothing. The cost of a step grows with the line and its siblings, not
//! with the size of the tree.

use crate::clock::Bank;
use crate::command::{Clock, OpeningRule};
use crate::opening;
use crate::position::{Illegal, Position};
use std::collections::HashMap;
use std::time::Duration;
use tengen::board::{BoardSize, Point, Side};
use tengen::opening::{Due, Illegal as NotAllowed, Opening, Step as OpeningStep};
use tengen::rules::{Outcome, Rule};
use tengen_record::{Node, NodeId, Record, Tree, Value};

/// An end of the game that the stones do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// This side has resigned.
    Resigned(Side),
    /// This side's time has run out.
    Time(Side),
    /// Both agreed to a draw.
    Agreed,
}

impl Ending {
    /// All of them, with their words in the node property.
    const WORDS: [(Ending, &str); 5] = [
        (Ending::Resigned(Side::Black), "black resigned"),
        (Ending::Resigned(Side::White), "white resigned"),
        (Ending::Time(Side::Black), "black out of time"),
        (Ending::Time(Side::White), "white out of time"),
        (Ending::Agreed, "draw agreed"),
    ];
    /// Property of the node where the game ended in such a way.
    const PROPERTY: &str = "END";

    fn of(node: &Node) -> Option<Ending> {
        let (_, values) = node.properties.iter().find(|(name, _)| name == Ending::PROPERTY)?;
        let told = values.first()?;
        Ending::WORDS.iter().find(|(_, word)| word == told).map(|(ending, _)| *ending)
    }
}

/// The state after a node of the current path, without the board.
#[derive(Clone, Debug)]
pub struct Step {
    /// The node.
    pub node: NodeId,
    /// The opening.
    pub opening: Opening,
    /// Clocks at the beginning of the turn.
    pub bank: Bank,
    /// The side whose player acted, by the player's colour at that time; `None` at the start.
    pub actor: Option<Side>,
    /// The result by the game's rule, if it has ended.
    ended: Option<Outcome>,
}

/// A game and its shown node.
#[derive(Clone, Debug)]
pub struct Game {
    record: Record,
    /// The path to the current node, from the start of the game; never empty.
    steps: Vec<Step>,
    position: Position,
    /// For a node: the child that was visited last.
    followed: HashMap<NodeId, NodeId>,
}

impl Game {
    /// A game at its start.
    pub fn new(record: Record, rule: Rule, opening: OpeningRule, clock: Clock) -> Game {
        let position = Position::new(rule, &record.start);
        let start = Step {
            node: Tree::ROOT,
            opening: Opening::new(opening),
            bank: Bank::new(clock),
            actor: None,
            ended: position.ended().cloned(),
        };
        Game { record, steps: vec![start], position, followed: HashMap::new() }
    }

    /// The game with its variations.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Sets the comment of a node.
    pub fn comment(&mut self, node: NodeId, text: String) {
        if let Some(node) = self.record.tree.get_mut(node) {
            node.comment = text;
        }
    }

    /// Stores a value at a node if it ranks at least as high as the stored one. A proof ranks above a search, a deeper
    /// search above a shallower one.
    pub fn keep_value(&mut self, node: NodeId, value: Value) {
        let Some(node) = self.record.tree.get_mut(node) else { return };
        // Of two proofs the shorter one ranks higher.
        let rank = |value: &Value| (value.mate.map(|(_, plies)| u32::MAX - plies), value.depth, value.nodes);
        if node.value.as_ref().is_none_or(|known| rank(known) <= rank(&value)) {
            node.value = Some(value);
        }
    }

    /// Sets the names of the players.
    pub fn set_names(&mut self, names: [String; 2]) {
        self.record.names.0 = names;
    }

    /// The players exchange their names.
    pub fn exchange_names(&mut self) {
        self.record.names.0.swap(0, 1);
    }

    /// Sets the result in SGF notation.
    pub fn set_result(&mut self, result: Option<String>) {
        self.record.result = result;
    }

    /// The tree of moves.
    pub fn tree(&self) -> &Tree {
        &self.record.tree
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.position.rule()
    }

    /// The size of the board.
    pub fn size(&self) -> BoardSize {
        self.record.start.size
    }

    /// The current node.
    pub fn at(&self) -> NodeId {
        self.step().node
    }

    /// The state at the current node.
    pub fn step(&self) -> &Step {
        self.steps.last().expect("the start is never left out")
    }

    /// The path to the current node, the start first.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The board at the current node.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The board at any node; `None` if there is no such node.
    pub fn position_at(&self, node: NodeId) -> Option<Position> {
        if node == self.at() {
            return Some(self.position.clone());
        }
        self.tree().get(node)?;
        let mut position = Position::new(self.rule(), &self.record.start);
        for id in self.tree().path(node) {
            position.apply(self.tree().get(id)?);
        }
        Some(position)
    }

    /// An end at a node that the stones do not show.
    pub fn ending_at(&self, node: NodeId) -> Option<Ending> {
        self.tree().get(node).and_then(Ending::of)
    }

    /// Whether the game has ended at the current node in any way.
    pub fn is_over(&self) -> bool {
        self.position.ended().is_some() || self.ending_at(self.at()).is_some()
    }

    /// The side whose player acts at the current node.
    pub fn actor(&self) -> Side {
        self.step().opening.actor(self.position.to_move())
    }

    /// Shows another node. `false` if no node has this id.
    pub fn goto(&mut self, node: NodeId) -> bool {
        if self.tree().get(node).is_none() {
            return false;
        }
        let path = self.tree().path(node);
        let common = self.steps[1..].iter().zip(&path).take_while(|(step, id)| step.node == **id).count();
        if common + 1 < self.steps.len() {
            self.steps.truncate(common + 1);
            self.position = Position::new(self.rule(), &self.record.start);
            for step in &self.steps[1..] {
                if let Some(node) = self.record.tree.get(step.node) {
                    self.position.apply_known(node, step.ended.clone());
                }
            }
        }
        for id in &path[common..] {
            self.extend(*id);
        }
        for pair in self.steps.windows(2) {
            self.followed.insert(pair[0].node, pair[1].node);
        }
        true
    }

    /// Extends the path by a child of the current node.
    fn extend(&mut self, id: NodeId) {
        let Some(node) = self.record.tree.get(id) else { return };
        let Step { mut opening, mut bank, .. } = self.step().clone();
        let mut actor = None;
        if let Some((point, side)) = node.stone {
            // In a file the sides need not alternate.
            let side = opening.actor(side);
            actor = Some(side);
            bank = bank.after(side, node.time);
            // A stone where an answer was due (a file may have that) ends the opening.
            opening = opening.after(OpeningStep::Stone(point)).unwrap_or_else(|| opening.ended());
        } else if let Some(next) = opening::answer_of(node, self.size()).and_then(|answer| opening.after(answer)) {
            let side = opening.actor(self.position.to_move());
            actor = Some(side);
            bank = bank.after(side, node.time);
            if next.swapped() != opening.swapped() {
                bank = bank.exchanged();
            }
            opening = next;
        }
        self.position.apply(node);
        let ended = self.position.ended().cloned();
        self.steps.push(Step { node: id, opening, bank, actor, ended });
    }

    /// Puts a stone of the side to move and goes to its node, which may exist already. `took` is the time of the move;
    /// `None` leaves the stored time unchanged.
    ///
    /// # Errors
    /// If the move is not possible; the game is unchanged then.
    pub fn play(&mut self, point: Point, took: Option<Duration>) -> Result<NodeId, Illegal> {
        if self.is_over() {
            return Err(Illegal::Over);
        }
        let opening = &self.step().opening;
        if !matches!(opening.due(), Due::Stone(_) | Due::Move) {
            return Err(Illegal::NoStone);
        }
        self.position.check(point)?;
        if !opening.is_over() {
            opening.check(&self.position.setup(), OpeningStep::Stone(point)).map_err(Illegal::Opening)?;
        }
        let node = self.record.tree.add(self.at(), point, self.position.to_move());
        self.arrive(node, took);
        Ok(node)
    }

    /// Takes a step of the opening and goes to its node: a stone as [`play`](Game::play) does, or an answer.
    ///
    /// # Errors
    /// If the step is not possible; the game is unchanged then.
    pub fn take(&mut self, step: OpeningStep, took: Option<Duration>) -> Result<NodeId, Illegal> {
        if let OpeningStep::Stone(point) = step {
            return self.play(point, took);
        }
        if self.is_over() {
            return Err(Illegal::Over);
        }
        self.step().opening.check(&self.position.setup(), step).map_err(|illegal| match illegal {
            NotAllowed::Occupied => Illegal::Occupied,
            illegal => Illegal::Opening(illegal),
        })?;
        let (at, size) = (self.at(), self.size());
        let is_it = |id: &NodeId| self.tree().get(*id).and_then(|node| opening::answer_of(node, size)) == Some(step);
        let known = self.tree().get(at).and_then(|node| node.children.iter().copied().find(is_it));
        let node = known.unwrap_or_else(|| {
            let node = self.record.tree.add_empty(at);
            self.record.tree.get_mut(node).into_iter().for_each(|node| opening::mark(node, step, size));
            node
        });
        self.arrive(node, took);
        Ok(node)
    }

    /// Goes to a child by playing: this removes an earlier end by agreement.
    fn arrive(&mut self, node: NodeId, took: Option<Duration>) {
        self.reopen(node);
        if let Some(node) = self.record.tree.get_mut(node) {
            node.time = took.or(node.time);
        }
        self.goto(node);
    }

    /// Adds the missing nodes of a line of moves after a node. The shown node does not change.
    ///
    /// # Errors
    /// The index of the first impossible move, and the reason; nothing has been added then.
    pub fn add_line(&mut self, node: NodeId, moves: &[Point]) -> Result<(), (usize, Illegal)> {
        let (at, followed) = (self.at(), self.followed.clone());
        let mut added = None;
        let mut done = Ok(());
        self.goto(node);
        for (index, &point) in moves.iter().enumerate() {
            let side = self.position.to_move();
            let is_it = |id: &NodeId| self.tree().get(*id).is_some_and(|node| node.stone == Some((point, side)));
            let known = self.tree().get(self.at()).and_then(|node| node.children.iter().copied().find(is_it));
            if let Some(next) = known {
                self.goto(next);
                continue;
            }
            match self.play(point, None) {
                Ok(next) => added = added.or(Some(next)),
                Err(illegal) => {
                    done = Err((index, illegal));
                    break;
                }
            }
        }
        self.goto(at);
        if let (Err(_), Some(first)) = (done, added) {
            self.delete(first);
        }
        self.followed = followed;
        done
    }

    /// Ends the game at the current node.
    pub fn end(&mut self, ending: Ending) {
        let at = self.at();
        self.reopen(at);
        let word = Ending::WORDS.iter().find(|(known, _)| *known == ending).map(|(_, word)| (*word).to_owned());
        if let Some(node) = self.record.tree.get_mut(at) {
            node.properties.push((Ending::PROPERTY.to_owned(), word.into_iter().collect()));
        }
    }

    /// Takes back an end by agreement, resignation or time.
    pub fn reopen(&mut self, node: NodeId) {
        if let Some(node) = self.record.tree.get_mut(node) {
            node.properties.retain(|(name, _)| name != Ending::PROPERTY);
        }
    }

    /// The node to which `redo` goes: the one that was left, or else the main continuation.
    pub fn next(&self) -> Option<NodeId> {
        self.after(self.at())
    }

    fn after(&self, node: NodeId) -> Option<NodeId> {
        let left = self.followed.get(&node).copied().filter(|child| self.tree().get(*child).is_some());
        left.or_else(|| self.tree().get(node)?.children.first().copied())
    }

    /// The nodes after the current one: the line that was left, then the main continuations.
    pub fn continuation(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.next(), |node| self.after(*node))
    }

    /// The node this number of plies further along the line, or before the current one; at most the ends of the line.
    pub fn along(&self, plies: i32) -> NodeId {
        let count = usize::try_from(plies.unsigned_abs()).unwrap_or(usize::MAX);
        if plies > 0 {
            return self.continuation().take(count).last().unwrap_or_else(|| self.at());
        }
        self.steps[(self.steps.len() - 1).saturating_sub(count)].node
    }

    /// The sibling so many further in the order in which they came into the tree, and round again.
    pub fn beside(&self, by: i32) -> NodeId {
        let at = self.at();
        let parent = self.tree().get(at).and_then(|node| self.tree().get(node.parent?));
        let mut nodes = parent.map_or_else(|| vec![at], |parent| parent.children.clone());
        nodes.sort_unstable_by_key(|id| if by < 0 { u32::MAX - id.0 } else { id.0 });
        let count = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX) % nodes.len();
        nodes.iter().cycle().skip_while(|id| **id != at).nth(count).copied().unwrap_or(at)
    }

    /// Deletes a node and its descendants. If the current node is among them, goes to the deleted node's parent.
    /// `false` for the start, and for a node that does not exist.
    pub fn delete(&mut self, node: NodeId) -> bool {
        let Some(before) = self.tree().get(node).and_then(|node| node.parent) else { return false };
        if self.steps.iter().any(|step| step.node == node) {
            self.goto(before);
        }
        self.record.tree.remove(node).is_some()
    }

    /// Makes the path to a node the main line. Where this path goes on from the current node, it becomes the shown
    /// line.
    pub fn promote(&mut self, node: NodeId) -> bool {
        if self.tree().get(node).is_none() {
            return false;
        }
        self.record.tree.promote(node);
        let path = self.tree().path(node);
        let parents = std::iter::once(Tree::ROOT).chain(path.iter().copied());
        self.followed.extend(parents.zip(path.iter().copied()));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::{Setup, parse_points};

    fn points(text: &str) -> Vec<Point> {
        parse_points(BoardSize::new(15, 15).expect("a board"), text).expect("points")
    }

    fn played(text: &str) -> Game {
        let start = Setup::empty(BoardSize::new(15, 15).expect("a board"));
        let mut game = Game::new(Record::new(Some(Rule::Renju), start), Rule::Renju, OpeningRule::Free, Clock::None);
        for point in points(text) {
            game.play(point, None).expect("a move");
        }
        game
    }

    #[test]
    fn an_added_line_is_in_the_tree_and_nothing_else_has_changed() {
        let mut game = played("h8h9i9");
        let end = game.at();
        let middle = game.steps()[2].node;
        game.goto(middle);
        let board = game.position().clone().setup();
        game.add_line(middle, &points("i9g7g8")).expect("a line");
        assert_eq!((game.at(), game.next()), (middle, Some(end)));
        assert_eq!(game.position().setup(), board);
        assert_eq!(game.tree().len(), 6, "i9 was there already");
        let last = game.continuation().last().expect("a continuation");
        game.goto(last);
        assert_eq!(game.steps().len(), 6);
        // The second time all of it exists already.
        game.add_line(middle, &points("i9g7g8")).expect("a line");
        assert_eq!(game.tree().len(), 6);
    }

    #[test]
    fn a_line_with_an_impossible_move_adds_nothing() {
        let mut game = played("h8h9");
        let at = game.at();
        assert_eq!(game.add_line(at, &points("i9h8")), Err((1, Illegal::Occupied)));
        assert_eq!((game.at(), game.tree().len(), game.next()), (at, 3, None));
    }

    #[test]
    fn deeper_values_and_proofs_stay() {
        let mut game = played("");
        let value = |depth, mate: Option<u32>| Value {
            depth,
            mate: mate.map(|plies| (Side::Black, plies)),
            ..Value::default()
        };
        let mut kept = |new: Value| {
            game.keep_value(Tree::ROOT, new);
            game.tree().root().value.as_ref().map(|value| (value.depth, value.mate.map(|(_, plies)| plies)))
        };
        assert_eq!(kept(value(5, None)), Some((5, None)));
        assert_eq!(kept(value(3, None)), Some((5, None)));
        assert_eq!(kept(value(8, None)), Some((8, None)));
        assert_eq!(kept(value(0, Some(9))), Some((0, Some(9))));
        assert_eq!(kept(value(20, None)), Some((0, Some(9))));
        assert_eq!(kept(value(0, Some(7))), Some((0, Some(7))));
    }
}
