//! The moves of a game as a tree: what was played, what else was tried, and what was said of it.
//!
//! Nodes lie in one list and name each other by number, so that no operation recurses and a tree may be as deep as it
//! likes. No two children of a node are the same move.

use std::time::Duration;
use tengen::board::{Point, Side};

/// Index of a node of a [`Tree`]; the root is 0. Never reused while the tree lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A move, or the position that the game starts from, with everything that is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The node before; only the root has none.
    pub parent: Option<NodeId>,
    /// The nodes after, the main line first.
    pub children: Vec<NodeId>,
    /// The stone played. `None` at the root, and where a file has a pass, a bare comment or stones put by hand.
    pub stone: Option<(Point, Side)>,
    /// Who passed, if the node is a pass.
    pub pass: Option<Side>,
    /// Stones that a file puts (or takes away: `None`) in the middle of a game, without a move.
    pub edits: Vec<(Point, Option<Side>)>,
    /// Who moves next, where a file says so. Otherwise the opponent of the side that moved last.
    pub to_move: Option<Side>,
    /// What people wrote about it. May have several lines.
    pub comment: String,
    /// What an engine thinks of the position after the move.
    pub value: Option<Value>,
    /// How long the move took.
    pub time: Option<Duration>,
    /// Marks and labels on the board.
    pub marks: Vec<(Point, Mark)>,
    /// Properties of a file that mean nothing here, with their values; they are kept on saving.
    pub properties: Vec<(String, Vec<String>)>,
}

/// What is drawn on a point to draw attention to it.
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

/// What an engine thinks of a position, as Black sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Value {
    /// Black's chance to win, 0 to 1. Files keep it to a hundredth of a percent.
    pub win_rate: f64,
    /// Evaluation units, positive when good for Black.
    pub score: Option<i32>,
    /// Who has a proven win, and in how many plies.
    pub mate: Option<(Side, u32)>,
    /// Depth of the search in plies, 0 where unknown.
    pub depth: u32,
    /// Nodes searched, 0 where unknown.
    pub nodes: u64,
    /// The moves expected from here on.
    pub line: Vec<Point>,
}

/// The moves of a game with their variations.
///
/// Every [`NodeId`] that the tree returned stays valid until its node is removed. Methods that take the id of a
/// removed node or of another tree do nothing, or return nothing, except where they say otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// By id; `None` where a node was removed.
    nodes: Vec<Option<Node>>,
    /// Nodes that are left.
    len: usize,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree::new()
    }
}

impl Tree {
    /// The position that the game starts from.
    pub const ROOT: NodeId = NodeId(0);

    /// Nodes that readers of files accept in one tree.
    pub const MAX_NODES: usize = 1_000_000;

    /// A tree without moves.
    pub fn new() -> Tree {
        Tree { nodes: vec![Some(Node::default())], len: 1 }
    }

    /// A node.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())?.as_ref()
    }

    /// A node, to be changed. Its parent, children and move must stay as they are.
    pub fn get_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.index())?.as_mut()
    }

    /// The root's node.
    pub fn root(&self) -> &Node {
        self.nodes[0].as_ref().expect("the root is never removed")
    }

    /// The root's node, to be changed.
    pub fn root_mut(&mut self) -> &mut Node {
        self.nodes[0].as_mut().expect("the root is never removed")
    }

    /// The node of a move: the existing child if the parent has it, otherwise a new one after its other children.
    ///
    /// Whether the move is legal is the caller's business.
    ///
    /// # Panics
    /// If the parent is not in the tree.
    pub fn add(&mut self, parent: NodeId, point: Point, side: Side) -> NodeId {
        self.add_node(parent, Node { stone: Some((point, side)), ..Node::default() })
    }

    /// The node of a pass, as [`add`](Tree::add) of a move.
    ///
    /// # Panics
    /// If the parent is not in the tree.
    pub fn add_pass(&mut self, parent: NodeId, side: Side) -> NodeId {
        self.add_node(parent, Node { pass: Some(side), ..Node::default() })
    }

    /// A new node without a move, such as a file has for a comment or for stones put by hand.
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

    /// The nodes from the root, which is left out, to this one.
    pub fn path(&self, to: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> =
            std::iter::successors(self.get(to).map(|_| to), |id| self.get(*id)?.parent).collect();
        path.pop();
        path.reverse();
        path
    }

    /// The nodes after this one, by first children to the end of the line.
    pub fn main_line(&self, from: NodeId) -> Vec<NodeId> {
        let next = |id: NodeId| self.get(id)?.children.first().copied();
        std::iter::successors(next(from), |id| next(*id)).collect()
    }

    /// Removes a node with everything below it, and returns the node before it. The root stays: for it, as for a node
    /// that is not in the tree, the result is `None`.
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

    /// Makes the path to this node the main line: each node of it comes before its siblings, whose order stays.
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

    /// All nodes in the order in which they were added, the root first. A node comes after its parent.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes.iter().zip(0..).filter(|(node, _)| node.is_some()).map(|(_, id)| NodeId(id))
    }

    /// Number of nodes, the root included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing but the root.
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
        /// Whatever is done, parents and children agree, siblings differ, and each node is counted once.
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
