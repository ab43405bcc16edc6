//! The tree of a game's moves: the game itself, its variations, and comments.
//!
//! Nodes are stored in one list and refer to each other by index, so that no operation recurses and the depth of a tree
//! is unlimited. No two children of a node have the same move.

use std::time::Duration;
use tengen::board::{Point, Side};

/// Index of a node of a [`Tree`]; the root is 0. A tree never reuses an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A move, or the start position, and all data about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The parent; only the root has none.
    pub parent: Option<NodeId>,
    /// The children, the main line first.
    pub children: Vec<NodeId>,
    /// The stone played. `None` at the root, and for a pass, a comment without a move or edited stones.
    pub stone: Option<(Point, Side)>,
    /// The side that passed, if the node is a pass.
    pub pass: Option<Side>,
    /// Stones that a file places (or removes: `None`) during a game, without a move.
    pub edits: Vec<(Point, Option<Side>)>,
    /// The side to move, if the file states it. Otherwise the opponent of the side that moved last.
    pub to_move: Option<Side>,
    /// The comment. It may have several lines.
    pub comment: String,
    /// An engine's evaluation of the position after the move.
    pub value: Option<Value>,
    /// The time of the move.
    pub time: Option<Duration>,
    /// Marks and labels on the board.
    pub marks: Vec<(Point, Mark)>,
    /// The file's unknown properties with their values; they are preserved on saving.
    pub properties: Vec<(String, Vec<String>)>,
}

/// A mark on a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// An x.
    Cross,
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A short text.
    Label(String),
}

/// An engine's evaluation of a position, from Black's point of view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Value {
    /// Black's win probability, 0 to 1. Files round it to a hundredth of a percent.
    pub win_rate: f64,
    /// The score in evaluation units, positive if Black is ahead.
    pub score: Option<i32>,
    /// The side with a proven win, and the number of plies to it.
    pub mate: Option<(Side, u32)>,
    /// Depth of the search in plies, 0 if unknown.
    pub depth: u32,
    /// Nodes searched, 0 if unknown.
    pub nodes: u64,
    /// The principal variation.
    pub line: Vec<Point>,
}

/// The moves of a game with their variations.
///
/// A [`NodeId`] that the tree returned stays valid until its node is removed. Methods do nothing, or return nothing,
/// for the id of a removed node or of another tree, unless their documentation states otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// By id; `None` for a removed node.
    nodes: Vec<Option<Node>>,
    /// Number of existing nodes.
    len: usize,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree::new()
    }
}

impl Tree {
    /// The start position.
    pub const ROOT: NodeId = NodeId(0);

    /// Maximum of nodes that readers of files accept in one tree.
    pub const MAX_NODES: usize = 1_000_000;

    /// A tree without moves.
    pub fn new() -> Tree {
        Tree { nodes: vec![Some(Node::default())], len: 1 }
    }

    /// A node.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())?.as_ref()
    }

    /// A node for changes. Its parent, children and move must stay unchanged.
    pub fn get_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.index())?.as_mut()
    }

    /// The root's node.
    pub fn root(&self) -> &Node {
        self.nodes[0].as_ref().expect("the root is never removed")
    }

    /// The root's node for changes.
    pub fn root_mut(&mut self) -> &mut Node {
        self.nodes[0].as_mut().expect("the root is never removed")
    }

    /// The node of a move: the parent's existing child with this move, otherwise a new last child.
    ///
    /// The caller checks that the move is legal.
    ///
    /// # Panics
    /// If the parent is not in the tree.
    pub fn add(&mut self, parent: NodeId, point: Point, side: Side) -> NodeId {
        self.add_node(parent, Node { stone: Some((point, side)), ..Node::default() })
    }

    /// The node of a pass; otherwise like [`add`](Tree::add).
    ///
    /// # Panics
    /// If the parent is not in the tree.
    pub fn add_pass(&mut self, parent: NodeId, side: Side) -> NodeId {
        self.add_node(parent, Node { pass: Some(side), ..Node::default() })
    }

    /// A new node without a move, for a file's comment or edited stones.
    ///
    /// # Panics
    /// If the parent is not in the tree.
    pub fn add_empty(&mut self, parent: NodeId) -> NodeId {
        self.add_node(parent, Node::default())
    }

    fn add_node(&mut self, parent: NodeId, node: Node) -> NodeId {
        let siblings = &self.get(parent).expect("a parent in the tree").children;
        let is_move = node.stone.is_some() || node.pass.is_some();
        let same = |id: &&NodeId| self.get(**id).is_some_and(|n| n.stone == node.stone && n.pass == node.pass);
        if let Some(known) = siblings.iter().filter(|_| is_move).find(same) {
            return *known;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer nodes than memory holds"));
        self.nodes.push(Some(Node { parent: Some(parent), ..node }));
        self.len += 1;
        if let Some(parent) = self.get_mut(parent) {
            parent.children.push(id);
        }
        id
    }

    /// The path from the root to this node, without the root.
    pub fn path(&self, to: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> =
            std::iter::successors(self.get(to).map(|_| to), |id| self.get(*id)?.parent).collect();
        path.pop();
        path.reverse();
        path
    }

    /// The first-child descendants of this node to the end of the line.
    pub fn main_line(&self, from: NodeId) -> Vec<NodeId> {
        let next = |id: NodeId| self.get(id)?.children.first().copied();
        std::iter::successors(next(from), |id| next(*id)).collect()
    }

    /// Removes a node with its subtree, and returns its parent. The root cannot be removed: the result is `None`, as
    /// for a node that is not in the tree.
    pub fn remove(&mut self, id: NodeId) -> Option<NodeId> {
        let parent = self.get(id)?.parent?;
        self.get_mut(parent)?.children.retain(|child| *child != id);
        let mut doomed = vec![id];
        while let Some(id) = doomed.pop() {
            if let Some(node) = self.nodes[id.index()].take() {
                self.len -= 1;
                doomed.extend(node.children);
            }
        }
        Some(parent)
    }

    /// Makes the path to this node the main line: each of its nodes becomes the first child; the order of the others
    /// stays.
    pub fn promote(&mut self, id: NodeId) {
        for id in self.path(id) {
            let siblings = self.get(id).and_then(|node| node.parent).and_then(|parent| self.get_mut(parent));
            if let Some(Node { children, .. }) = siblings
                && let Some(at) = children.iter().position(|child| *child == id)
            {
                children[..=at].rotate_right(1);
            }
        }
    }

    /// All nodes in the order in which they were added, the root first. Parents come before their children.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.iter().zip(0..).filter(|(node, _)| node.is_some()).map(|(_, id)| NodeId(id))
    }

    /// Number of nodes, the root included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the tree consists of the root alone.
    pub fn is_empty(&self) -> bool {
        self.len == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(n: u8) -> Point {
        Point::at(n % 15, n / 15)
    }

    /// A tree with a main line of `n` moves.
    fn line(n: u8) -> (Tree, Vec<NodeId>) {
        let mut tree = Tree::new();
        let mut at = Tree::ROOT;
        let ids = (0..n).map(|i| {
            at = tree.add(at, point(i), Side::BOTH[usize::from(i % 2)]);
            at
        });
        let ids = ids.collect();
        (tree, ids)
    }

    #[test]
    fn the_same_move_is_the_same_node() {
        let (mut tree, ids) = line(3);
        assert_eq!(tree.add(ids[0], point(1), Side::White), ids[1]);
        let other = tree.add(ids[0], point(1), Side::Black);
        let pass = tree.add_pass(ids[0], Side::White);
        assert_eq!(tree.add_pass(ids[0], Side::White), pass);
        let empty = tree.add_empty(ids[0]);
        assert_ne!(tree.add_empty(ids[0]), empty, "comments stay apart");
        assert_eq!(tree.get(ids[0]).unwrap().children[..4], [ids[1], other, pass, empty]);
        assert_eq!(tree.len(), 8);
    }

    #[test]
    fn paths_and_lines() {
        let (mut tree, ids) = line(5);
        assert_eq!(tree.path(ids[3]), ids[..4]);
        assert_eq!(tree.path(Tree::ROOT), []);
        assert_eq!(tree.path(NodeId(99)), []);
        assert_eq!(tree.main_line(Tree::ROOT), ids);
        assert_eq!(tree.main_line(ids[2]), ids[3..]);
        let branch = tree.add(ids[1], point(50), Side::Black);
        let end = tree.add(branch, point(51), Side::White);
        tree.promote(end);
        assert_eq!(tree.main_line(Tree::ROOT), [ids[0], ids[1], branch, end]);
        assert_eq!(tree.get(ids[1]).unwrap().children, [branch, ids[2]]);
    }

    #[test]
    fn ids_of_removed_nodes_stay_vacant() {
        let (mut tree, ids) = line(5);
        let branch = tree.add(ids[2], point(50), Side::White);
        assert_eq!(tree.remove(ids[2]), Some(ids[1]));
        assert_eq!((tree.len(), tree.is_empty()), (3, false));
        assert!([ids[2], ids[3], ids[4], branch].iter().all(|id| tree.get(*id).is_none()));
        assert_eq!(tree.remove(ids[2]), None);
        let new = tree.add(ids[1], point(60), Side::Black);
        assert!(new > branch);
        assert_eq!(tree.ids().collect::<Vec<_>>(), [Tree::ROOT, ids[0], ids[1], new]);
        assert_eq!(tree.remove(Tree::ROOT), None);
        assert_eq!(tree.remove(ids[0]), Some(Tree::ROOT));
        assert!(tree.is_empty());
    }

    proptest! {
        /// After any sequence of operations, parents and children agree, siblings differ, and each node is counted
        /// once.
        #[test]
        fn links_hold(steps in proptest::collection::vec((0..4_u8, any::<prop::sample::Index>(), 0..12_u8), 0..120)) {
            let mut tree = Tree::new();
            for (action, which, n) in steps {
                let ids: Vec<NodeId> = tree.ids().collect();
                let id = *which.get(&ids);
                match action {
                    0 => { tree.remove(id); }
                    1 => {
                        tree.promote(id);
                        prop_assert!(tree.main_line(Tree::ROOT).starts_with(&tree.path(id)));
                    }
                    _ => {
                        let child = tree.add(id, point(n), Side::Black);
                        prop_assert_eq!(tree.path(child).len(), tree.path(id).len() + 1);
                    }
                }
            }
            prop_assert_eq!(tree.ids().count(), tree.len());
            for id in tree.ids() {
                let node = tree.get(id).unwrap();
                prop_assert_eq!(node.parent.is_none(), id == Tree::ROOT);
                let mut stones = Vec::new();
                for child in &node.children {
                    let child = tree.get(*child).expect("no child is vacant");
                    prop_assert_eq!(child.parent, Some(id));
                    prop_assert!(!stones.contains(&child.stone));
                    stones.push(child.stone);
                }
                if let Some(parent) = node.parent {
                    prop_assert!(parent < id && tree.get(parent).unwrap().children.contains(&id));
                }
            }
        }
    }
}
