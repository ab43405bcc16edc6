//! One game: its start position, its players, and the tree of its moves.

use crate::rule_name::{self, Named};
use crate::text::{clean_line, rule_of_text};
use crate::tree::{Node, NodeId, Tree};
use std::time::Duration;
use tengen::board::{BySide, Point, Setup, Side};
use tengen::rules::Rule;

/// A game: the rule, the start position, names, and the tree of its moves.
///
/// The tree's [root](Tree::root) stores the comment on the whole game, its value and the file's unknown properties.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The rule, if known.
    pub rule: Option<Rule>,
    /// The file's name for the rule if it is more precise than [`rule`](Record::rule), such as `Soosyrv-8`, an opening
    /// rule of renju; otherwise empty.
    pub rule_name: String,
    /// Why the rule may be wrong, in words for people: the file names no rule, or the name is ambiguous or unknown. It
    /// is not written to files.
    pub rule_doubt: Option<String>,
    /// The position before the first move: the board's size, set-up stones, blocked cells, the side to move.
    pub start: Setup,
    /// Names of the players, empty if unknown.
    pub names: BySide<String>,
    /// The result in SGF notation, such as `B+`, or `0` for a draw. `None` if unknown.
    pub result: Option<String>,
    /// The date as the file gives it, empty if unknown.
    pub date: String,
    /// The event, empty if unknown.
    pub event: String,
    /// The moves.
    pub tree: Tree,
    /// Faults that did not keep the file from being read, each a sentence for people. They are not written to files.
    pub warnings: Vec<String>,
}

impl Record {
    /// A game without moves.
    pub fn new(rule: Option<Rule>, start: Setup) -> Record {
        Record {
            rule,
            rule_name: String::new(),
            rule_doubt: None,
            start,
            names: BySide::default(),
            result: None,
            date: String::new(),
            event: String::new(),
            tree: Tree::new(),
            warnings: Vec::new(),
        }
    }

    /// Sets the rule by its name in a file.
    pub(super) fn name_rule(&mut self, name: &str) {
        let name = clean_line(name);
        (self.rule, self.rule_doubt) = match rule_name::of(&name) {
            Named::Known(rule) => (Some(rule), None),
            Named::Likely(rule) => {
                (Some(rule), Some(format!("the file calls the rule {name:?}, which may be several: {rule} is assumed")))
            }
            Named::Unknown if name.is_empty() => (None, None),
            Named::Unknown => (None, Some(format!("the file calls the rule {name:?}, which is not known"))),
        };
        let says_more = self.rule.is_none_or(|rule| rule_of_text(&name) != Some(rule));
        self.rule_name = if says_more { name } else { String::new() };
    }

    /// Assumes the rule that a text beside the rule's own place mentions, such as a game's name, if there is no other.
    pub(super) fn suggest_rule(&mut self, text: &str, place: &str) {
        let text = clean_line(text);
        let is_open = self.rule.is_none() && self.rule_doubt.is_none() && text.chars().any(char::is_alphabetic);
        if let (true, Named::Known(rule) | Named::Likely(rule)) = (is_open, rule_name::of(&text)) {
            self.rule = Some(rule);
            self.rule_doubt = Some(format!("no rule is named, but {place} is {text:?}: {rule} is assumed"));
        }
    }

    /// Assumes a rule that this kind of file does not name.
    pub(super) fn assume_rule(&mut self, rule: Rule, kind: &str) {
        self.rule = Some(rule);
        self.rule_doubt = Some(format!("{kind} names no rule: {rule} is assumed"));
    }

    /// The file's name for the rule, or the current rule's name if the rule has been changed since.
    pub(super) fn rule_text(&self) -> &str {
        let said = match rule_name::of(&self.rule_name) {
            Named::Known(rule) | Named::Likely(rule) => Some(rule),
            Named::Unknown => None,
        };
        match self.rule {
            Some(rule) if self.rule_name.is_empty() || said != Some(rule) => rule.name(),
            _ => &self.rule_name,
        }
    }

    /// A game from the empty board, black first, or from another start with alternating sides.
    pub fn from_moves(rule: Option<Rule>, start: Setup, moves: impl IntoIterator<Item = Point>) -> Record {
        let mut record = Record::new(rule, start);
        let (mut at, mut side) = (Tree::ROOT, record.start.to_move);
        for point in moves {
            at = record.tree.add(at, point, side);
            side = !side;
        }
        record
    }

    /// The position at a node, or the start position if the node is not in the tree. The legality is not checked.
    pub fn setup(&self, id: NodeId) -> Setup {
        let mut setup = self.start.clone();
        for id in self.tree.path(id) {
            if let Some(node) = self.tree.get(id) {
                apply(&mut setup, node);
            }
        }
        setup
    }

    /// The last node of the main line.
    pub fn end(&self) -> NodeId {
        self.tree.main_line(Tree::ROOT).last().copied().unwrap_or(Tree::ROOT)
    }

    /// The side of the main line's first move; black if there is none.
    pub(super) fn first_side(&self) -> Side {
        let first = self.tree.root().children.first().and_then(|id| self.tree.get(*id));
        first.and_then(|node| node.stone.map(|(_, side)| side).or(node.pass)).unwrap_or(Side::Black)
    }

    /// The moves from the first stone of the start position to a node, each with its time; a pass has no point. `None`
    /// if the moves do not alternate with black first, or if there are blocked cells.
    pub fn line(&self, to: NodeId) -> Option<Vec<(Option<Point>, Duration)>> {
        let set_up = self.start.stones.iter().map(|(point, side)| Some((Some(*point), *side, Duration::ZERO)));
        let path = self.tree.path(to).into_iter().filter_map(|id| self.tree.get(id)).filter(|node| {
            // A node with only a comment is not a move; the line loses nothing without it.
            node.stone.is_some() || node.pass.is_some() || !node.edits.is_empty() || node.to_move.is_some()
        });
        let moves = path.map(|node| match node {
            Node { edits, .. } if !edits.is_empty() => None,
            Node { stone: Some((point, side)), pass: None, .. } => {
                Some((Some(*point), *side, node.time.unwrap_or_default()))
            }
            Node { stone: None, pass: Some(side), .. } => Some((None, *side, node.time.unwrap_or_default())),
            _ => None,
        });
        let mut side = Side::Black;
        let mut line = Vec::new();
        for (point, by, time) in set_up.chain(moves).collect::<Option<Vec<_>>>()? {
            if by != side {
                return None;
            }
            line.push((point, time));
            side = !side;
        }
        Some(line).filter(|_| self.start.blocked.is_empty())
    }

    /// The passes on the path to a node, after the last edited stones: the side that passed, and the number of stones
    /// at that time.
    pub fn passes(&self, to: NodeId) -> Vec<(usize, Side)> {
        let mut passes = Vec::new();
        let path = self.tree.path(to);
        let edited = |id: &NodeId| self.tree.get(*id).is_some_and(|node| !node.edits.is_empty());
        let (mut stones, moves) = match path.iter().rposition(edited) {
            Some(last) => (self.setup(path[last]).stones.len(), &path[last + 1..]),
            None => (self.start.stones.len(), &path[..]),
        };
        for node in moves.iter().filter_map(|id| self.tree.get(*id)) {
            stones += usize::from(node.stone.is_some());
            passes.extend(node.pass.map(|side| (stones, side)));
        }
        passes
    }

    /// The side to move at a node.
    pub fn to_move(&self, id: NodeId) -> Side {
        let nodes = std::iter::successors(self.tree.get(id), |node| self.tree.get(node.parent?));
        nodes.filter_map(to_move_after).next().unwrap_or(self.start.to_move)
    }
}

/// The side to move after a node, if the node determines it.
fn to_move_after(node: &Node) -> Option<Side> {
    node.to_move.or(node.stone.map(|(_, side)| !side)).or(node.pass.map(|side| !side))
}

/// Changes the position before a node to the position after it.
fn apply(setup: &mut Setup, node: &Node) {
    setup.stones.extend(node.stone);
    for (point, side) in &node.edits {
        setup.stones.retain(|(p, _)| p != point);
        setup.stones.extend(side.map(|side| (*point, side)));
    }
    setup.to_move = to_move_after(node).unwrap_or(setup.to_move);
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::board::{BoardSize, parse_points};

    fn points(text: &str) -> Vec<Point> {
        parse_points(BoardSize::RENJU, text).unwrap()
    }

    #[test]
    fn the_position_at_each_node() {
        let moves = points("h8i9h9i8");
        let mut record = Record::from_moves(None, Setup::empty(BoardSize::RENJU), moves.iter().copied());
        let line = record.tree.main_line(Tree::ROOT);
        let branch = record.tree.add(line[1], points("a1")[0], Side::Black);
        for (n, id) in std::iter::once(&Tree::ROOT).chain(&line).enumerate() {
            assert_eq!(record.setup(*id), Setup::from_moves(BoardSize::RENJU, moves[..n].iter().copied()));
            assert_eq!(record.to_move(*id), record.setup(*id).to_move);
        }
        assert_eq!(record.setup(branch), Setup::from_moves(BoardSize::RENJU, points("h8i9a1")));
        assert_eq!((record.end(), record.setup(NodeId(99))), (line[3], record.start.clone()));
    }

    #[test]
    fn passes_edits_and_a_side_that_the_file_names() {
        let [a, b] = points("a1b2")[..] else { panic!("two points") };
        let mut record = Record::new(None, Setup::empty(BoardSize::RENJU));
        let stone = record.tree.add(Tree::ROOT, a, Side::Black);
        let pass = record.tree.add_pass(stone, Side::White);
        assert_eq!(record.setup(pass).to_move, Side::Black);
        let edit = record.tree.add_empty(pass);
        let node = record.tree.get_mut(edit).unwrap();
        node.edits = vec![(a, None), (b, Some(Side::Black))];
        assert_eq!(record.setup(edit).stones, [(b, Side::Black)]);
        assert_eq!((record.to_move(edit), record.setup(edit).to_move), (Side::Black, Side::Black));
        record.tree.get_mut(edit).unwrap().to_move = Some(Side::White);
        assert_eq!((record.to_move(edit), record.setup(edit).to_move), (Side::White, Side::White));
    }
}
