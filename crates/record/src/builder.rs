//! The readers' common part: a record to which moves are added, with the board at the current node.

use crate::error::Problem;
use crate::game::Record;
use crate::limits::MAX_VALUES;
use crate::text;
use crate::tree::{Node, NodeId, Tree};
use tengen::board::{Cell, POINTS, Point, Side, format_point};

/// Maximum of continuations of a node: a stone of either side on each point, passes, and some comments.
const MAX_CHILDREN: usize = 2_000;

/// A record that grows after its current node. Only legal points accept stones.
pub(super) struct Builder {
    pub record: Record,
    /// The parent of the next node.
    pub at: NodeId,
    /// Who moves next.
    pub to_move: Side,
    cells: [Cell; POINTS],
    /// The previous contents of the changed cells.
    log: Vec<(Point, Cell)>,
    /// Nodes that may still be added.
    left: usize,
    /// Property values that may still be stored.
    pub values_left: usize,
}

/// A position in the tree to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    at: NodeId,
    to_move: Side,
    log: usize,
}

impl Mark {
    /// The parent of the next node at this mark.
    pub fn at(self) -> NodeId {
        self.at
    }
}

impl Builder {
    /// Starts after the record's start position, which must have passed its check. At most `nodes` are added.
    pub fn new(record: Record, nodes: usize) -> Builder {
        let mut cells = [Cell::Empty; POINTS];
        for (point, side) in &record.start.stones {
            cells[point.index()] = Cell::Stone(*side);
        }
        for point in &record.start.blocked {
            cells[point.index()] = Cell::Blocked;
        }
        let to_move = record.start.to_move;
        Builder {
            record,
            at: Tree::ROOT,
            to_move,
            cells,
            log: Vec::new(),
            left: nodes.min(Tree::MAX_NODES),
            values_left: MAX_VALUES,
        }
    }

    /// The current place in the tree.
    pub fn mark(&self) -> Mark {
        Mark { at: self.at, to_move: self.to_move, log: self.log.len() }
    }

    /// The mark of the record's start.
    pub fn root(&self) -> Mark {
        Mark { at: Tree::ROOT, to_move: self.record.start.to_move, log: 0 }
    }

    /// Returns to a mark on the path to the current node.
    pub fn back_to(&mut self, mark: Mark) {
        for (point, cell) in self.log.drain(mark.log..).rev() {
            self.cells[point.index()] = cell;
        }
        self.at = mark.at;
        self.to_move = mark.to_move;
    }

    /// The current node.
    pub fn node(&mut self) -> &mut Node {
        self.record.tree.get_mut(self.at).expect("readers remove nothing")
    }

    /// Adds a comment to the current node.
    pub fn comment(&mut self, comment: &str) {
        text::append(&mut self.node().comment, comment);
    }

    /// Plays a stone and moves to its node.
    pub fn play(&mut self, point: Point, side: Side) -> Result<(), Problem> {
        if !self.record.start.size.contains(point) {
            return Err(Problem::OffBoard(format!("point {},{}", point.x(), point.y())));
        }
        if self.cells[point.index()] != Cell::Empty {
            return Err(Problem::Taken(format_point(self.record.start.size, point)));
        }
        self.step(|tree, at| tree.add(at, point, side))?;
        self.put(point, Cell::Stone(side));
        self.moved(side)
    }

    /// Adds a pass and moves to its node.
    pub fn pass(&mut self, side: Side) -> Result<(), Problem> {
        self.step(|tree, at| tree.add_pass(at, side))?;
        self.moved(side)
    }

    /// Applies the effects of a move. A move that the file repeats also has the edits of its first occurrence.
    fn moved(&mut self, side: Side) -> Result<(), Problem> {
        self.to_move = self.node().to_move.unwrap_or(!side);
        for (point, side) in self.node().edits.clone() {
            self.spend(1)?;
            self.put(point, side.map_or(Cell::Empty, Cell::Stone));
        }
        Ok(())
    }

    /// Moves to a new node without a move.
    pub fn empty(&mut self) -> Result<(), Problem> {
        self.step(Tree::add_empty)
    }

    /// Places or removes a stone at the current node.
    pub fn edit(&mut self, point: Point, side: Option<Side>) -> Result<(), Problem> {
        if self.cells[point.index()] == Cell::Blocked {
            return Err(Problem::Taken(format_point(self.record.start.size, point)));
        }
        self.spend(1)?;
        self.put(point, side.map_or(Cell::Empty, Cell::Stone));
        let edits = &mut self.node().edits;
        edits.retain(|(p, _)| *p != point);
        edits.push((point, side));
        Ok(())
    }

    fn put(&mut self, point: Point, cell: Cell) {
        let before = std::mem::replace(&mut self.cells[point.index()], cell);
        self.log.push((point, before));
    }

    fn step(&mut self, add: impl FnOnce(&mut Tree, NodeId) -> NodeId) -> Result<(), Problem> {
        self.spend(0)?;
        if self.node().children.len() >= MAX_CHILDREN {
            return Err(Problem::TooManyChildren);
        }
        let tree = &mut self.record.tree;
        let before = tree.len();
        self.at = add(tree, self.at);
        self.left -= tree.len() - before;
        Ok(())
    }

    /// Counts values against the limit.
    pub fn keep(&mut self, values: usize) -> Result<(), Problem> {
        self.values_left = self.values_left.checked_sub(values).ok_or(Problem::TooManyValues)?;
        Ok(())
    }

    /// Counts work that costs as much as nodes.
    pub fn spend(&mut self, nodes: usize) -> Result<(), Problem> {
        if self.left <= nodes {
            return Err(Problem::TooManyNodes);
        }
        self.left -= nodes;
        Ok(())
    }
}
