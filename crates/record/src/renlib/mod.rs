//! RenLib's libraries (.lib): a tree of moves on 15x15 with comments, marks and texts on the board.
//!
//! The header has twenty bytes: `FF RenLib FF`, a major and a minor version, and bytes without a meaning. Then the
//! nodes follow in depth-first order. A node has a byte for its point, `16 * row + column` with rows from 0 at the top
//! and columns from 1 (0: no point), and a byte of [flags](flag). Newer versions start with the root; older ones start
//! with the first move, h8. A node's texts follow the node and fill whole pairs of bytes.

mod write;

pub use write::write;

use crate::builder::{Builder, Mark as Return};
use crate::encoding::{assumed, detect};
use crate::error::{Place, Problem, ReadError};
use crate::game::Record;
use crate::text::{clean, clean_line};
use crate::tree::{Mark, NodeId};
use tengen::board::{BoardSize, Point, Setup};
use tengen::rules::Rule;

/// The first bytes of a library.
pub(super) const HEAD: &[u8] = b"\xFFRenLib\xFF";

const HEADER_SIZE: usize = 20;

/// The first byte of a library without a header: h8.
const OLD_BEGIN: u8 = 0x78;

/// The newest major version that is documented.
const MAJOR: u8 = 3;

/// Bits of a node's second byte.
mod flag {
    /// A sibling follows after the subtree of this node.
    pub const SIBLING: u8 = 0x80;
    /// This node has no children.
    pub const LEAF: u8 = 0x40;
    /// A comment of 7-bit characters follows; the eighth bit marks its last character.
    pub const OLD_COMMENT: u8 = 0x20;
    pub const MARK: u8 = 0x10;
    /// A comment follows, up to a zero byte.
    pub const COMMENT: u8 = 0x08;
    /// Not a move: the node only carries a text on the board.
    pub const NO_MOVE: u8 = 0x02;
    /// Two more bytes of flags follow.
    pub const EXTENDED: u8 = 0x01;
    /// In the second of those: a text on the board follows.
    pub const BOARD_TEXT: u8 = 0x01;
}

/// Separates the first line of a comment from the others.
const LINE_BREAK: u8 = 8;

/// Reads a library.
pub(super) fn read(bytes: &[u8]) -> Result<Record, ReadError> {
    // The first versions had no header.
    if bytes.first() == Some(&OLD_BEGIN) {
        let mut record = read_nodes(bytes, 0)?;
        record.warnings.push("the library has no header: read as one of the first versions of RenLib".to_owned());
        return Ok(record);
    }
    let [major, minor] = match bytes.get(HEAD.len()..HEADER_SIZE) {
        Some(versions) if bytes.starts_with(HEAD) => [versions[0], versions[1]],
        Some(_) => {
            let begin = String::from_utf8_lossy(&bytes[..HEAD.len()]).into_owned();
            return Err(Problem::Header(clean_line(&begin)).at(Place::Byte(0)));
        }
        None => return Err(Problem::Ends("the header").at(Place::Byte(bytes.len()))),
    };
    if major > MAJOR {
        return Err(Problem::Header(format!("RenLib {major}.{minor}")).at(Place::Byte(HEAD.len())));
    }
    read_nodes(bytes, HEADER_SIZE)
}

/// Reads the nodes, starting at a byte.
fn read_nodes(bytes: &[u8], at: usize) -> Result<Record, ReadError> {
    let mut reader = Reader { bytes, at, texts: Vec::new(), is_whole: true };
    let mut builder = Builder::new(Record::new(None, Setup::empty(BoardSize::RENJU)), usize::MAX);
    let finished = reader.nodes(&mut builder)?;
    let warning = reader.write_texts(&mut builder);
    let mut record = builder.record;
    record.assume_rule(Rule::Renju, "a library of RenLib");
    if !finished {
        record.warnings.push(format!("the library ends at byte {} in the middle of a branch", bytes.len()));
    }
    record.warnings.extend(warning);
    Ok(record)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Texts in the order of the file. Their character set is detected from all of them together.
    texts: Vec<Text<'a>>,
    /// Whether no text is truncated.
    is_whole: bool,
}

/// A text of a node.
struct Text<'a> {
    bytes: &'a [u8],
    /// Whether characters have seven bits.
    is_old: bool,
    to: To,
}

/// Where a text belongs.
enum To {
    Comment(NodeId),
    Label(NodeId, Point),
}

impl<'a> Reader<'a> {
    /// Reads all nodes. The result is whether the file is complete.
    ///
    /// RenLib can save the subtree of a position. The moves that lead to the position come first; they are never marked
    /// as the last of their branch, and may announce siblings that are not saved.
    fn nodes(&mut self, builder: &mut Builder) -> Result<bool, ReadError> {
        // The parents of announced siblings, and whether the first branch announced them.
        let mut parents: Vec<(Return, bool)> = Vec::new();
        let mut is_first = true;
        let mut ended = true;
        // The sibling that comes next.
        let mut promised = None;
        while self.at < self.bytes.len() {
            let begin = self.at;
            promised = None;
            let Some([position, flags]) = self.pair() else { return Ok(false) };
            let extended = if flags & flag::EXTENDED != 0 { self.pair() } else { Some([0; 2]) };
            let Some([_, extended]) = extended else { return Ok(false) };
            let parent = builder.mark();
            let is_root = begin == HEADER_SIZE && position == 0;
            // A node that is only a text on the board: no moves follow it.
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
                let bytes = self.old_comment();
                self.texts.push(Text { bytes, is_old: true, to: To::Comment(builder.at) });
            } else if flags & flag::COMMENT != 0 {
                let bytes = self.text();
                self.texts.push(Text { bytes, is_old: false, to: To::Comment(builder.at) });
            }
            if let Some(point) = point.filter(|_| flags & flag::MARK != 0) {
                builder.node().marks.push((point, Mark::Circle));
            }
            if extended & flag::BOARD_TEXT != 0 {
                let bytes = self.text();
                // The text appears where the move is possible: on the position before it.
                if let Some(point) = point {
                    self.texts.push(Text { bytes, is_old: false, to: To::Label(parent.at(), point) });
                }
            }
            if flags & flag::SIBLING != 0 {
                parents.push((parent, is_first));
            }
            ended = flags & flag::LEAF != 0;
            if ended {
                is_first = false;
                promised = parents.pop();
                if let Some((parent, _)) = promised {
                    builder.back_to(parent);
                }
            }
        }
        let is_kept = parents.iter().chain(&promised).all(|(_, of_first)| *of_first);
        Ok(self.is_whole && is_kept && (ended || is_first))
    }

    fn pair(&mut self) -> Option<[u8; 2]> {
        let pair = self.bytes.get(self.at..self.at + 2)?;
        self.at += 2;
        Some([pair[0], pair[1]])
    }

    /// Assigns the texts to their nodes. The result is a warning if the character set was assumed.
    fn write_texts(&self, builder: &mut Builder) -> Option<String> {
        let of_this_time = self.texts.iter().filter(|text| !text.is_old).map(|text| text.bytes);
        let charset = detect(of_this_time);
        for text in &self.texts {
            let break_lines = |byte: u8| if byte == LINE_BREAK { b'\n' } else { byte };
            let bits = if text.is_old { 0x7F } else { 0xFF };
            let bytes: Vec<u8> = text.bytes.iter().map(|byte| break_lines(byte & bits)).collect();
            let words = clean(&charset.decode_without_bom_handling(&bytes).0);
            match text.to {
                To::Comment(node) => {
                    builder.at = node;
                    builder.comment(words.trim_end());
                }
                To::Label(node, point) => {
                    if let Some(node) = builder.record.tree.get_mut(node) {
                        node.marks.push((point, Mark::Label(clean_line(&words))));
                    }
                }
            }
        }
        (charset != encoding_rs::UTF_8).then(|| assumed(charset))
    }

    /// A text up to its zero byte, or to the end of the file.
    fn text(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == 0);
        self.is_whole &= end.is_some();
        let length = end.unwrap_or(rest.len());
        // The zero may be the first byte of a pair; the second byte has no meaning then.
        self.at = self.bytes.len().min(self.at + (length / 2 + 1) * 2);
        &rest[..length]
    }

    fn old_comment(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| byte & 0x80 != 0);
        self.is_whole &= end.is_some();
        let length = end.map_or(rest.len(), |last| last + 1);
        self.at = self.bytes.len().min(self.at + length.div_ceil(2) * 2);
        &rest[..length]
    }
}

/// The point of a position byte.
fn point(position: u8) -> Option<Point> {
    BoardSize::RENJU.point(i32::from(position % 16) - 1, i32::from(position / 16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Node, NodeId, Tree};
    use proptest::prelude::*;
    use proptest::sample::Index;
    use tengen::board::{Side, format_point};

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

    /// Text in whole pairs of bytes, with at least one zero.
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

    /// Each node as its moves from the root, and its comment.
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

    /// Old libraries begin with h8; in their comments the last character has the eighth bit.
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
        assert_eq!(told(&guessed)[1], "h8|förbjuden");
        assert!(guessed.warnings[0].contains("read as windows-1252"), "{:?}", guessed.warnings);
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
        let cuts: [&[u8]; 5] = [
            &[H8, 0, I9],
            &[H8, flag::EXTENDED],
            &[H8, flag::COMMENT, b'a', b'b'],
            // A branch after the first without an end, and one with a missing sibling.
            &[H8, 0, I9, flag::SIBLING | flag::LEAF, H9, 0],
            &[H8, 0, I9, flag::SIBLING | flag::LEAF, H9, 0, I9, flag::SIBLING | flag::LEAF],
        ];
        for cut in cuts {
            assert!(of(&[cut]).warnings[0].contains("in the middle of a branch"), "{cut:?}");
        }
    }

    /// A library with only the moves to one position, without their siblings, counts as complete.
    #[test]
    fn parts_of_libraries_are_whole() {
        for whole in [&[H8, 0][..], &[0, 0, H8, 0, I9, flag::SIBLING], &[H8, 0, I9, flag::SIBLING, H9, flag::LEAF]] {
            assert_eq!(of(&[whole]).warnings, Vec::<String>::new(), "{whole:?}");
        }
        let old = read(&[H8, 0, I9, flag::LEAF]).expect("a library without a header");
        assert_eq!((told(&old).len(), old.warnings.len()), (3, 1));
    }

    /// Encodes a tree of moves as the format is documented.
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
                if setup.cell(point) == tengen::board::Cell::Empty {
                    let id = builder.record.tree.add(parent, point, setup.to_move);
                    builder.at = id;
                    builder.node().comment = comment;
                    places.push(builder.mark());
                }
            }
            let mut expected = builder.record;
            expected.assume_rule(Rule::Renju, "a library of RenLib");
            let read = read(&bytes_of(&expected.tree)).unwrap();
            prop_assert_eq!(&read.warnings, &expected.warnings);
            let sorted = |record: &Record| { let mut told = told(record); told.sort(); told };
            prop_assert_eq!(sorted(&read), sorted(&expected));
            let line = |record: &Record| record.setup(record.end());
            prop_assert_eq!(line(&read), line(&expected));
        }
    }

    /// A line as long as the board, and passes after it.
    #[test]
    fn deep_libraries() {
        let passes: Vec<u8> = [0, flag::SIBLING].repeat(100_000);
        let record = read(&[library(&[&[0, 0], &[H8, 0]]), passes, [0, flag::LEAF].repeat(100_001)].concat()).unwrap();
        assert_eq!(record.tree.len(), 100_003);
    }
}
