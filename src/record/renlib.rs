//! RenLib's libraries (.lib): a tree of moves on 15x15 with comments, marks and texts on the board. Read only.
//!
//! Twenty bytes of header: `FF RenLib FF`, a major and a minor version, and bytes without a meaning. Then the nodes
//! in the order of a walk that goes down before it goes to the next sibling. A node has a byte for its point, `16 *
//! row + column` with rows from 0 at the top and columns from 1 (0: no point), and a byte of [flags](flag). The root
//! comes first in newer versions; older ones begin with the first move, h8. Texts follow the node they belong to, in
//! whole pairs of bytes.

use super::builder::{Builder, Mark as Return};
use super::error::{Place, Problem, ReadError};
use super::game::Record;
use super::text::{GUESSED, clean, clean_line, decode};
use super::tree::Mark;
use crate::board::{BoardSize, Point, Setup};

/// What a library begins with.
pub(super) const HEAD: &[u8] = b"\xFFRenLib\xFF";

const HEADER_SIZE: usize = 20;

/// Newest major version that is described.
const MAJOR: u8 = 3;

/// Bits of a node's second byte.
mod flag {
    /// A sibling follows when everything below this node has been told.
    pub const SIBLING: u8 = 0x80;
    /// Nothing is below this node.
    pub const LEAF: u8 = 0x40;
    /// A comment in seven bits follows; the eighth marks its last character.
    pub const OLD_COMMENT: u8 = 0x20;
    pub const MARK: u8 = 0x10;
    /// A comment follows, up to a zero byte.
    pub const COMMENT: u8 = 0x08;
    /// Not a move: the node is there for its text on the board.
    pub const NO_MOVE: u8 = 0x02;
    /// Two more bytes of flags follow.
    pub const EXTENDED: u8 = 0x01;
    /// In the second of those: a text on the board follows.
    pub const BOARD_TEXT: u8 = 0x01;
}

/// What parts the first line of a comment from the others.
const LINE_BREAK: u8 = 8;

/// Reads a library.
pub(super) fn read(bytes: &[u8]) -> Result<Record, ReadError> {
    let [major, minor] = match bytes.get(HEAD.len()..HEADER_SIZE) {
        Some(versions) if bytes.starts_with(HEAD) => [versions[0], versions[1]],
        Some(_) => return Err(Problem::Header(clean_line(&decode(&bytes[..HEAD.len()]).0)).at(Place::Byte(0))),
        None => return Err(Problem::Ends("the header").at(Place::Byte(bytes.len()))),
    };
    if major > MAJOR {
        return Err(Problem::Header(format!("RenLib {major}.{minor}")).at(Place::Byte(HEAD.len())));
    }
    let mut reader = Reader { bytes, at: HEADER_SIZE, guessed: false };
    let mut builder = Builder::new(Record::new(None, Setup::empty(BoardSize::RENJU)), usize::MAX);
    let finished = reader.nodes(&mut builder)?;
    let mut record = builder.record;
    if !finished {
        record.warnings.push(format!("the library ends at byte {} in the middle of a branch", bytes.len()));
    }
    if reader.guessed {
        record.warnings.push(GUESSED.to_owned());
    }
    Ok(record)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether the encoding of a text was guessed.
    guessed: bool,
}

impl Reader<'_> {
    /// Reads all nodes; whether the file has them to the end.
    fn nodes(&mut self, builder: &mut Builder) -> Result<bool, ReadError> {
        // Where the siblings that are still to come belong.
        let mut parents: Vec<Return> = Vec::new();
        let mut open = false;
        while self.at < self.bytes.len() {
            let begin = self.at;
            let Some([position, flags]) = self.pair() else { return Ok(false) };
            let extended = if flags & flag::EXTENDED != 0 { self.pair() } else { Some([0; 2]) };
            let Some([_, extended]) = extended else { return Ok(false) };
            let parent = builder.mark();
            let is_root = begin == HEADER_SIZE && position == 0;
            // A node that is only a text on the board, with no moves after it.
            let is_text = flags & flag::NO_MOVE != 0 && flags & flag::LEAF != 0;
            let point = point(position);
            let added = match point {
                _ if is_root || is_text => Ok(()),
                Some(point) => builder.play(point, builder.to_move),
                None if position == 0 => builder.pass(builder.to_move),
                None => Err(Problem::NoPoint(format!("position {position:#04x}"))),
            };
            added.map_err(|problem| problem.at(Place::Byte(begin)))?;
            if flags & flag::OLD_COMMENT != 0 {
                let comment = self.old_comment();
                builder.comment(&comment);
            } else if flags & flag::COMMENT != 0 {
                let comment = self.text();
                builder.comment(&comment);
            }
            if let Some(point) = point.filter(|_| flags & flag::MARK != 0) {
                builder.node().marks.push((point, Mark::Circle));
            }
            if extended & flag::BOARD_TEXT != 0 {
                let label = clean_line(&self.text());
                // It is shown where the move can be made: before it.
                if let (Some(point), Some(node)) = (point, builder.record.tree.get_mut(parent.at())) {
                    node.marks.push((point, Mark::Label(label)));
                }
            }
            if flags & flag::SIBLING != 0 {
                parents.push(parent);
            }
            open = flags & flag::LEAF == 0;
            if !open {
                let Some(parent) = parents.pop() else { continue };
                builder.back_to(parent);
                open = true;
            }
        }
        // A library without moves is its root, which has nothing below it and is not marked so.
        Ok(!open || builder.record.tree.is_empty())
    }

    fn pair(&mut self) -> Option<[u8; 2]> {
        let pair = self.bytes.get(self.at..self.at + 2)?;
        self.at += 2;
        Some([pair[0], pair[1]])
    }

    /// A text up to its zero byte, or to the end of the file.
    fn text(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
        // The zero is within a pair, whose other byte means nothing then.
        self.at = self.bytes.len().min(self.at + (length / 2 + 1) * 2);
        self.lines(&rest[..length])
    }

    fn old_comment(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| byte & 0x80 != 0).map_or(rest.len(), |last| last + 1);
        self.at = self.bytes.len().min(self.at + length.div_ceil(2) * 2);
        let text: Vec<u8> = rest[..length].iter().map(|byte| byte & 0x7F).collect();
        self.lines(&text)
    }

    fn lines(&mut self, bytes: &[u8]) -> String {
        let bytes: Vec<u8> = bytes.iter().map(|byte| if *byte == LINE_BREAK { b'\n' } else { *byte }).collect();
        let (text, guessed) = decode(&bytes);
        self.guessed |= guessed;
        clean(&text).trim_end().to_owned()
    }
}

/// The point of a position byte.
fn point(position: u8) -> Option<Point> {
    BoardSize::RENJU.point(i32::from(position % 16) - 1, i32::from(position / 16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Side, format_point};
    use crate::record::tree::{Node, NodeId, Tree};
    use proptest::prelude::*;
    use proptest::sample::Index;

    /// The header of version 3.4.
    fn header() -> Vec<u8> {
        let mut bytes = HEAD.to_vec();
        bytes.extend([3, 4]);
        bytes.resize(HEADER_SIZE, 0xFF);
        bytes
    }

    fn position(point: Option<Point>) -> u8 {
        point.map_or(0, |p| 16 * p.y() + p.x() + 1)
    }

    /// Text in whole pairs of bytes with at least one zero.
    fn text(text: &[u8]) -> Vec<u8> {
        let mut bytes = text.to_vec();
        bytes.resize((text.len() / 2 + 1) * 2, 0);
        bytes
    }

    fn library(nodes: &[&[u8]]) -> Vec<u8> {
        [header(), nodes.concat()].concat()
    }

    fn of(nodes: &[&[u8]]) -> Record {
        read(&library(nodes)).unwrap()
    }

    /// Each node as its moves from the root, with its comment.
    fn told(record: &Record) -> Vec<String> {
        let label = |id: &NodeId| match record.tree.get(*id).unwrap() {
            Node { stone: Some((point, side)), .. } => {
                format!("{}{}", if *side == Side::Black { "" } else { "w" }, format_point(BoardSize::RENJU, *point))
            }
            _ => "pass".to_owned(),
        };
        let path = |id: NodeId| record.tree.path(id).iter().map(label).collect::<Vec<_>>().join(" ");
        record.tree.ids().map(|id| format!("{}|{}", path(id), record.tree.get(id).unwrap().comment)).collect()
    }

    const H8: u8 = 0x78;
    const I9: u8 = 0x69;
    const H9: u8 = 0x68;

    #[test]
    fn branches_and_comments() {
        let record = of(&[
            &[0, flag::COMMENT],
            &text(b"the library"),
            &[H8, 0],
            &[I9, flag::SIBLING | flag::LEAF | flag::COMMENT],
            &text(b"one\x08two\x07\r\nthree"),
            &[H9, 0],
            &[0, flag::SIBLING | flag::LEAF],
            &[I9, flag::LEAF],
        ]);
        let expected = ["|the library", "h8|", "h8 wi9|one\ntwo\nthree", "h8 wh9|", "h8 wh9 pass|", "h8 wh9 i9|"];
        assert_eq!(told(&record), expected);
        assert!(record.warnings.is_empty(), "{:?}", record.warnings);
        assert_eq!(told(&of(&[])), ["|"]);
        assert_eq!(of(&[&[0, 0]]).warnings, Vec::<String>::new());
    }

    #[test]
    fn marks_and_texts_on_the_board() {
        let record = of(&[
            &[0, 0],
            &[H8, flag::MARK],
            &[I9, flag::SIBLING | flag::LEAF | flag::NO_MOVE | flag::EXTENDED],
            &[0, flag::BOARD_TEXT],
            &text(b"A"),
            &[H9, flag::LEAF | flag::EXTENDED | flag::COMMENT],
            &[0, flag::BOARD_TEXT],
            &text(b"odd"),
            &text(b"even"),
        ]);
        assert_eq!(told(&record), ["|", "h8|", "h8 wh9|odd"]);
        let node = record.tree.get(NodeId(1)).unwrap();
        let at = |position| point(position).unwrap();
        let label = |text: &str| Mark::Label(text.to_owned());
        assert_eq!(node.marks, [(at(H8), Mark::Circle), (at(I9), label("A")), (at(H9), label("even"))]);
    }

    /// Libraries of old begin with h8, and have comments whose last character has the eighth bit.
    #[test]
    fn old_libraries() {
        let record = of(&[&[H8, flag::OLD_COMMENT], b"first\x08line", &[b's' | 0x80, 0], &[I9, flag::LEAF]]);
        assert_eq!(told(&record), ["|", "h8|first\nlines", "h8 wi9|"]);
    }

    #[test]
    fn encodings() {
        let utf8 = of(&[&[H8, flag::LEAF | flag::COMMENT], &text("白勝".as_bytes())]);
        assert_eq!((told(&utf8)[1].as_str(), utf8.warnings.len()), ("h8|白勝", 0));
        let guessed = of(&[&[H8, flag::LEAF | flag::COMMENT], &text(b"f\xf6rbjuden")]);
        assert_eq!(
            (told(&guessed)[1].as_str(), guessed.warnings.as_slice()),
            ("h8|förbjuden", &[GUESSED.to_owned()][..])
        );
    }

    #[test]
    fn damaged_libraries() {
        let error = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert_eq!(error(&header()[..12]), "byte 12: the header does not end");
        assert_eq!(error(b"(;B[hh])            "), "byte 0: \"(;B[hh])\" is not the beginning of such a file");
        let mut newer = header();
        newer[8] = 4;
        assert_eq!(error(&newer), "byte 8: \"RenLib 4.4\" is not the beginning of such a file");
        assert_eq!(error(&library(&[&[0, 0], &[0x10, 0]])), "byte 22: position 0x10 is no point");
        assert_eq!(error(&library(&[&[H8, 0], &[H8, 0]])), "byte 22: point h8 is taken twice");
        for cut in [&[H8, 0][..], &[H8, 0, I9], &[H8, flag::EXTENDED]] {
            assert!(of(&[cut]).warnings[0].contains("in the middle of a branch"), "{cut:?}");
        }
    }

    /// Writes a tree of moves as the format is described.
    fn bytes_of(tree: &Tree) -> Vec<u8> {
        let mut bytes = header();
        let mut ahead = vec![(Tree::ROOT, false)];
        while let Some((id, sibling)) = ahead.pop() {
            let node = tree.get(id).unwrap();
            let bit = |set: bool, bit: u8| if set { bit } else { 0 };
            let leaf = node.children.is_empty() && id != Tree::ROOT;
            let comment = !node.comment.is_empty();
            bytes.push(position(node.stone.map(|(point, _)| point)));
            bytes.push(bit(sibling, flag::SIBLING) | bit(leaf, flag::LEAF) | bit(comment, flag::COMMENT));
            if comment {
                bytes.extend(text(node.comment.as_bytes()));
            }
            let last = node.children.len().saturating_sub(1);
            ahead.extend(node.children.iter().enumerate().map(|(i, child)| (*child, i < last)).rev());
        }
        bytes
    }

    proptest! {
        #[test]
        fn any_tree_is_read_as_it_was_written(steps in proptest::collection::vec((any::<Index>(), 0..225_u8, "[a-z]{0,3}"), 0..60)) {
            let mut builder = Builder::new(Record::new(None, Setup::empty(BoardSize::RENJU)), usize::MAX);
            let mut places = vec![builder.mark()];
            for (parent, cell, comment) in steps {
                let parent = parent.get(&places).at();
                let setup = builder.record.setup(parent);
                let point = Point::at(cell % 15, cell / 15);
                if setup.cell(point) == crate::board::Cell::Empty {
                    let id = builder.record.tree.add(parent, point, setup.to_move);
                    builder.at = id;
                    builder.node().comment = comment;
                    places.push(builder.mark());
                }
            }
            let expected = builder.record;
            let read = read(&bytes_of(&expected.tree)).unwrap();
            prop_assert_eq!(&read.warnings, &expected.warnings);
            let sorted = |record: &Record| { let mut told = told(record); told.sort(); told };
            prop_assert_eq!(sorted(&read), sorted(&expected));
            let line = |record: &Record| record.setup(record.end());
            prop_assert_eq!(line(&read), line(&expected));
        }
    }

    /// A line as long as the board, and passes beyond it.
    #[test]
    fn deep_libraries() {
        let passes: Vec<u8> = [0, flag::SIBLING].repeat(100_000);
        let record = read(&[library(&[&[0, 0], &[H8, 0]]), passes, [0, flag::LEAF].repeat(100_001)].concat()).unwrap();
        assert_eq!(record.tree.len(), 100_003);
    }
}
