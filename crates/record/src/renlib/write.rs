//! Writes libraries, of version 3.4.

use crate::error::WriteError;
use crate::format::Format;
use crate::game::Record;
use crate::renlib::{HEAD, HEADER_SIZE, LINE_BREAK, flag};
use crate::tree::{Mark, Node, NodeId, Tree};
use tengen::board::{BoardSize, Point, Side};

/// The version that is written: the newest one.
const VERSION: [u8; 2] = [3, 4];

/// What follows a node: a move, or a text on the board where no move is.
enum Item {
    Move(NodeId),
    Text(Point, String),
}

/// Writes a game with all variations, comments, marks and texts on the board as a library of RenLib. A library has no
/// names, results and values; marks other than a circle on the last stone become texts on the board.
///
/// # Errors
/// If the board is not 15x15, or the moves are not by turns, black first.
pub fn write(record: &Record) -> Result<Vec<u8>, WriteError> {
    if record.start.size != BoardSize::RENJU {
        return Err(WriteError::Size(Format::Lib));
    }
    let not_by_turns = WriteError::NotByTurns(Format::Lib);
    let by_turns = |(i, (_, side)): (usize, &(Point, Side))| *side == Side::BOTH[i % 2];
    let start = &record.start.stones;
    if !start.iter().enumerate().all(by_turns) || !record.start.blocked.is_empty() {
        return Err(not_by_turns);
    }
    let mut bytes = [HEAD, &VERSION].concat();
    bytes.resize(HEADER_SIZE, 0xFF);
    // The stones of the start are moves, the last of which has the comment of the root.
    let points: Vec<Option<Point>> = std::iter::once(None).chain(start.iter().map(|(point, _)| Some(*point))).collect();
    let (root, before) = points.split_last().expect("the root");
    before.iter().for_each(|point| bytes.extend([position(*point), 0]));
    let mut stack = vec![(Item::Move(Tree::ROOT), false, Side::BOTH[start.len() % 2])];
    while let Some((item, has_sibling, to_move)) = stack.pop() {
        let sibling = if has_sibling { flag::SIBLING } else { 0 };
        let id = match item {
            Item::Text(point, text) => {
                let flags = sibling | flag::LEAF | flag::NO_MOVE | flag::EXTENDED;
                bytes.extend([position(Some(point)), flags, 0, flag::BOARD_TEXT]);
                push_text(&mut bytes, &text);
                continue;
            }
            Item::Move(id) => id,
        };
        let Some(node) = record.tree.get(id) else { continue };
        let point = if id == Tree::ROOT { *root } else { node.stone.map(|(point, _)| point) };
        let mover = node.stone.map(|(_, side)| side).or(node.pass);
        let is_turn = id == Tree::ROOT || mover == Some(!to_move);
        if !is_turn || !node.edits.is_empty() || node.to_move.is_some_and(|side| side != to_move) {
            return Err(not_by_turns);
        }
        let items = items(&record.tree, node, point);
        let leaf = if items.is_empty() { flag::LEAF } else { 0 };
        push_node(&mut bytes, record, (id, node), point, sibling | leaf);
        let last = items.len().saturating_sub(1);
        let items = items.into_iter().enumerate().map(|(i, item)| (item, i < last, !to_move));
        stack.extend(items.collect::<Vec<_>>().into_iter().rev());
    }
    Ok(bytes)
}

/// The byte of a point: 0 for a pass or the root.
fn position(point: Option<Point>) -> u8 {
    point.map_or(0, |point| 16 * point.y() + point.x() + 1)
}

/// The moves after a node, and the texts at points without a move.
fn items(tree: &Tree, node: &Node, own: Option<Point>) -> Vec<Item> {
    let moves = node.children.iter().map(|id| Item::Move(*id));
    let is_move = |point: Point| node.children.iter().any(|id| stone(tree, *id) == Some(point));
    let texts = node.marks.iter().filter(|(point, mark)| !is_move(*point) && !is_circle(own, *point, mark));
    moves.chain(texts.map(|(point, mark)| Item::Text(*point, text_of(mark)))).collect()
}

fn stone(tree: &Tree, id: NodeId) -> Option<Point> {
    tree.get(id).and_then(|node| node.stone).map(|(point, _)| point)
}

/// Whether a mark is the one that a node has a bit for.
fn is_circle(own: Option<Point>, point: Point, mark: &Mark) -> bool {
    *mark == Mark::Circle && own == Some(point)
}

/// A mark as a text on the board.
fn text_of(mark: &Mark) -> String {
    match mark {
        Mark::Cross => "x".to_owned(),
        Mark::Circle => "o".to_owned(),
        Mark::Square => "□".to_owned(),
        Mark::Triangle => "△".to_owned(),
        Mark::Label(text) => text.clone(),
    }
}

/// A node with its texts. The text on the board at its point belongs to the position before it.
fn push_node(bytes: &mut Vec<u8>, record: &Record, (id, node): (NodeId, &Node), point: Option<Point>, flags: u8) {
    let before = node.parent.filter(|_| id != Tree::ROOT).and_then(|parent| record.tree.get(parent));
    let is_here = |(at, mark): &&(Point, Mark)| {
        let own = before.and_then(|node| node.stone).map(|(point, _)| point);
        point == Some(*at) && !is_circle(own, *at, mark)
    };
    let text = before.and_then(|node| node.marks.iter().find(is_here)).map(|(_, mark)| text_of(mark));
    let has_circle = point.is_some_and(|point| node.marks.contains(&(point, Mark::Circle)));
    let mut flags = flags | if has_circle { flag::MARK } else { 0 };
    flags |= if node.comment.is_empty() { 0 } else { flag::COMMENT };
    flags |= if text.is_some() { flag::EXTENDED } else { 0 };
    bytes.extend([position(point), flags]);
    if text.is_some() {
        bytes.extend([0, flag::BOARD_TEXT]);
    }
    if !node.comment.is_empty() {
        push_text(bytes, &node.comment);
    }
    if let Some(text) = text {
        push_text(bytes, &text);
    }
}

/// A text in whole pairs of bytes, with at least one zero.
fn push_text(bytes: &mut Vec<u8>, text: &str) {
    let text = text.replace('\0', "");
    let mut lines = text.split('\n');
    let mut all = lines.next().unwrap_or_default().as_bytes().to_vec();
    for (i, line) in lines.enumerate() {
        all.extend_from_slice(if i == 0 { &[LINE_BREAK] } else { b"\r\n" });
        all.extend_from_slice(line.as_bytes());
    }
    all.resize((all.len() / 2 + 1) * 2, 0);
    bytes.append(&mut all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renlib::read;
    use tengen::board::{Setup, parse_points};

    fn points(text: &str) -> Vec<Point> {
        parse_points(BoardSize::RENJU, text).expect("labels")
    }

    /// A node as its moves from the root, its comment and its marks.
    fn told(record: &Record) -> Vec<String> {
        let label = |id: NodeId| format!("{:?}", record.tree.get(id).map(|node| (node.stone, node.pass)));
        let node = |id| {
            let node = record.tree.get(id).expect("a node");
            let path: Vec<String> = record.tree.path(id).into_iter().map(label).collect();
            let mut marks: Vec<String> = node.marks.iter().map(|mark| format!("{mark:?}")).collect();
            marks.sort();
            format!("{path:?} {:?} {marks:?}", node.comment)
        };
        let mut nodes: Vec<String> = record.tree.ids().map(node).collect();
        nodes.sort();
        nodes
    }

    #[test]
    fn libraries_are_read_back() {
        let [h8, i9, h9, a1] = points("h8i9h9a1")[..] else { panic!("four points") };
        let mut record = Record::from_moves(None, Setup::empty(BoardSize::RENJU), [h8, i9, h9]);
        let line = record.tree.main_line(Tree::ROOT);
        let branch = record.tree.add(line[0], h9, Side::White);
        let pass = record.tree.add_pass(branch, Side::Black);
        record.tree.add(pass, a1, Side::White);
        let label = |text: &str| Mark::Label(text.to_owned());
        let marks = vec![(h8, Mark::Circle), (i9, label("A")), (a1, label("白"))];
        record.tree.get_mut(line[0]).expect("a node").marks = marks;
        record.tree.get_mut(line[1]).expect("a node").comment = "one\ntwo\nthree".to_owned();
        record.tree.root_mut().comment = "odd".to_owned();
        let bytes = write(&record).expect("by turns");
        let back = read(&bytes).expect("a library");
        assert_eq!(told(&back), told(&record));
        assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    }

    #[test]
    fn the_start_becomes_moves_and_other_marks_become_texts() {
        let [h8, i9, h9] = points("h8i9h9")[..] else { panic!("three points") };
        let mut record = Record::from_moves(None, Setup::from_moves(BoardSize::RENJU, [h8, i9]), [h9]);
        record.tree.root_mut().comment = "here".to_owned();
        record.tree.root_mut().marks = vec![(h9, Mark::Cross)];
        let back = read(&write(&record).expect("by turns")).expect("a library");
        let line = back.tree.main_line(Tree::ROOT);
        assert_eq!(line.len(), 3);
        let node = back.tree.get(line[1]).expect("a node");
        assert_eq!((node.comment.as_str(), &node.marks), ("here", &vec![(h9, Mark::Label("x".to_owned()))]));
    }

    #[test]
    fn what_a_library_cannot_hold_is_an_error() {
        let wide = Record::new(None, Setup::empty(BoardSize::new(20, 20).expect("a size")));
        assert_eq!(write(&wide), Err(WriteError::Size(Format::Lib)));
        let mut twice = Record::new(None, Setup::empty(BoardSize::RENJU));
        twice.tree.add(Tree::ROOT, points("h8")[0], Side::White);
        assert_eq!(write(&twice), Err(WriteError::NotByTurns(Format::Lib)));
    }
}
