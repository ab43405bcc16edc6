//! The tree of the game in the form in which it is sent to clients, which draw it: the whole tree in the answer to
//! `GET /api/state`, and after each change an event `tree` with the nodes that have changed.
//!
//! Each form has a version. An event builds on the version `since`; a client with another version asks for the whole
//! again. A tree above [`LARGEST`] is not sent: clients then draw the shown line with its branches.

use crate::opening::answer_of;
use crate::points::BoardPoint;
use crate::view::Answer;
use serde_json::{Value, json};
use std::collections::HashMap;
use tengen::board::{BoardSize, Side};
use tengen_record::{Node, NodeId, Tree};

/// Trees of more nodes are not sent.
const LARGEST: usize = 20_000;

/// The tree that clients were sent last.
#[derive(Debug, Default)]
pub struct Branches {
    game: u64,
    version: u64,
    rows: HashMap<NodeId, Row>,
}

/// A node as it is sent: in JSON the list of its fields, with the id first.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: NodeId,
    /// The label of the point, or the answer in an opening.
    name: Value,
    side: Option<Side>,
    has_comment: bool,
    children: Vec<u32>,
}

impl Row {
    fn new(id: NodeId, node: &Node, size: BoardSize) -> Row {
        let at = node.stone.map(|(point, _)| json!(BoardPoint::new(size, point)));
        let answer = || answer_of(node, size).and_then(|step| Answer::new(size, step)).map(|answer| json!(answer));
        let name = at.or_else(answer).unwrap_or_default();
        let side = node.stone.map(|(_, side)| side).or(node.pass);
        let children = node.children.iter().map(|child| child.0).collect();
        Row { id, name, side, has_comment: !node.comment.is_empty(), children }
    }

    fn form(&self) -> Value {
        let side = match self.side {
            Some(Side::Black) => "b",
            Some(Side::White) => "w",
            None => "",
        };
        json!([self.id.0, self.name, side, u8::from(self.has_comment), self.children])
    }
}

/// The nodes of a tree that may be sent.
fn rows(tree: &Tree, size: BoardSize) -> impl Iterator<Item = Row> {
    let row = move |id| Some(Row::new(id, tree.get(id)?, size));
    tree.ids().filter(|_| tree.len() <= LARGEST).filter_map(row)
}

impl Branches {
    /// The whole tree of a game, as it was sent last.
    pub fn whole(&self) -> Value {
        self.form(None, self.rows.values())
    }

    /// Takes the tree of a game, and returns the event for its changes.
    pub fn next(&mut self, game: u64, tree: &Tree, size: BoardSize) -> Option<Value> {
        let since = self.version;
        if self.game != game {
            self.game = game;
            self.version += 1;
            self.rows = rows(tree, size).map(|row| (row.id, row)).collect();
            return Some(self.whole());
        }
        let changed: Vec<Row> = rows(tree, size).filter(|row| self.rows.get(&row.id) != Some(row)).collect();
        // A node that was removed or that is too many for the limit.
        let is_less = self.rows.len() > tree.len().min(LARGEST) || tree.len() > LARGEST && !self.rows.is_empty();
        if changed.is_empty() && !is_less {
            return None;
        }
        self.version += 1;
        if tree.len() > LARGEST {
            self.rows.clear();
            return Some(self.whole());
        }
        self.rows.retain(|id, _| tree.get(*id).is_some());
        let event = self.form(Some(since), changed.iter());
        self.rows.extend(changed.into_iter().map(|row| (row.id, row)));
        Some(event)
    }

    fn form<'a>(&self, since: Option<u64>, rows: impl Iterator<Item = &'a Row>) -> Value {
        let nodes: Vec<Value> = rows.map(Row::form).collect();
        json!({ "game": self.game, "version": self.version, "since": since, "nodes": nodes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tengen::board::Point;

    const SIZE: BoardSize = BoardSize::RENJU;

    /// What a client knows: the fields of each node after its id.
    type Known = BTreeMap<u64, Value>;

    /// A client takes an event, and drops the nodes that the start no longer leads to.
    fn take(known: &mut Known, event: &Value) {
        if event["since"].is_null() {
            known.clear();
        }
        for row in event["nodes"].as_array().expect("nodes") {
            known.insert(row[0].as_u64().expect("an id"), row.clone());
        }
        let mut reached = vec![0];
        let mut index = 0;
        while index < reached.len() {
            let children = known.get(&reached[index]).map_or(&Value::Null, |row| &row[4]);
            reached.extend(children.as_array().into_iter().flatten().filter_map(Value::as_u64));
            index += 1;
        }
        known.retain(|id, _| reached.contains(id));
    }

    fn whole(tree: &Tree) -> Known {
        rows(tree, SIZE).map(|row| (u64::from(row.id.0), row.form())).collect()
    }

    #[test]
    fn a_client_that_merges_knows_the_tree() {
        let (mut tree, mut branches, mut known) = (Tree::new(), Branches::default(), Known::new());
        let mut follow = |tree: &Tree, what: &str, nodes: usize| {
            let event = branches.next(1, tree, SIZE).expect(what);
            assert_eq!(event["nodes"].as_array().map(Vec::len), Some(nodes), "{what}: {event}");
            take(&mut known, &event);
            assert_eq!(known, whole(tree), "{what}");
            assert_eq!(branches.next(1, tree, SIZE), None, "{what}: nothing has changed since");
        };
        follow(&tree, "an empty game", 1);
        let first = tree.add(Tree::ROOT, Point::at(7, 7), Side::Black);
        follow(&tree, "a move", 2);
        let main = tree.add(first, Point::at(8, 8), Side::White);
        let other = tree.add(first, Point::at(8, 7), Side::White);
        let last = tree.add(other, Point::at(6, 6), Side::Black);
        follow(&tree, "two branches", 4);
        tree.get_mut(main).expect("a node").comment = "words".to_owned();
        follow(&tree, "a comment", 1);
        tree.promote(last);
        follow(&tree, "another main line", 1);
        tree.remove(other);
        follow(&tree, "a deleted branch", 1);
        let event = branches.next(2, &tree, SIZE).expect("another game");
        assert!(event["since"].is_null() && branches.whole() == event);
    }

    #[test]
    fn a_large_tree_is_not_sent() {
        let (mut tree, mut branches) = (Tree::new(), Branches::default());
        let mut at = Tree::ROOT;
        for _ in 1..LARGEST {
            at = tree.add_empty(at);
        }
        let sent = branches.next(1, &tree, SIZE).expect("a tree");
        assert_eq!(sent["nodes"].as_array().map(Vec::len), Some(LARGEST));
        let more = tree.add_empty(at);
        let sent = branches.next(1, &tree, SIZE).expect("the end of it");
        assert_eq!((&sent["since"], &sent["nodes"]), (&Value::Null, &json!([])));
        assert_eq!(branches.next(1, &tree, SIZE), None);
        tree.remove(more);
        let sent = branches.next(1, &tree, SIZE).expect("the tree again");
        assert_eq!(sent["nodes"].as_array().map(Vec::len), Some(LARGEST));
    }
}
