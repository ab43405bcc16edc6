//! SGF, the Smart Game Format: games with variations, comments, marks and values.
//!
//! Points are two letters from the top left, or a letter and a row number as some servers write them. What an engine
//! found is kept in two properties: `SBKV`, Black's chance to win in percent, as Sabaki writes it, and our own `TGN`,
//! words such as `depth=12 nodes=34567 score=-80 mate=black:7 time=1500 line=h8i9j10` (time in milliseconds). At the
//! root `TGN` may also have `blocked=a1b2`, cells that nobody may use.

mod node;
mod read;
mod write;

pub(super) use read::read;
pub use write::write;

#[cfg(test)]
mod tests {
    use super::node::point;
    use super::{read, write};
    use crate::board::{BoardSize, Point, Side, parse_points};
    use crate::record::error::ReadError;
    use crate::record::game::Record;
    use crate::record::tree::{Mark, Tree, Value};
    use crate::rules::Rule;
    use std::time::Duration;

    fn one(text: &str) -> Record {
        let mut games = read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0)
    }

    fn error(text: &str) -> String {
        read(text).map_err(|e: ReadError| e.to_string()).expect_err(text)
    }

    #[test]
    fn set_up_stones() {
        let start = one("(;SZ[20:12]AB[aa][tl]AW[bb:cc]PL[W])").start;
        assert_eq!((start.size.width(), start.size.height()), (20, 12));
        assert_eq!((start.stones.len(), start.to_move), (6, Side::White));
        assert_eq!(one("(;SZ[15];W[hh])").start.to_move, Side::White, "who moves first, begins");
    }

    #[test]
    fn all_games_of_a_collection() {
        let text = "two games\n(;GM[4]PB[a]PW[b]RE[B+](;B[hh];W[hg](;B[aa])(;B[bb]))(;B[cc]))\r\n\
                    (;GM[1]SZ[20]RU[renju]RE[?];B[hh]C[(;\\]]];W[])";
        let games = read(text.replace("]]]", "]]").as_str()).unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].tree.len(), games[0].setup(games[0].end()).stones.len()), (6, 3));
        assert_eq!((games[0].names[Side::Black].as_str(), games[0].result.as_deref()), ("a", Some("B+")));
        assert!(games[0].warnings.is_empty());
        let last = &games[1];
        assert_eq!((last.start.size.width(), last.rule, &last.result), (20, Some(Rule::Renju), &None));
        assert_eq!(last.to_move(last.end()), Side::Black, "white has passed");
        assert_eq!(last.tree.get(last.tree.root().children[0]).unwrap().comment, "(;]");
        assert!(last.warnings[0].contains("GM[1]"), "{:?}", last.warnings);
    }

    #[test]
    fn points_are_letters_or_labels() {
        for text in ["hc", "HC", "h13"] {
            assert_eq!(point(BoardSize::RENJU, text), Some(Point::at(7, 2)));
        }
        assert_eq!(point(BoardSize::RENJU, "zz"), None);
        let moves = one("(;GM[1];B[h8];W[i9];B[tt];W[hg])");
        assert_eq!(moves.setup(moves.end()).stones.len(), 3, "tt is a pass on a board of this size");
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(error("(;B[hh])\n(;B[hh]\n;W[hh])"), "game 2: line 3: point h8 is taken twice");
        assert_eq!(error("(;B[hh];W[hh])(;B[hh])"), "game 1: line 1: point h8 is taken twice");
        assert_eq!(error("(;B[zz])"), "line 1: B[zz] is no point");
        assert_eq!(error("(;SZ[99])"), "line 1: no board of this size");
        assert_eq!(error("(;\nB[hh"), "line 2: an SGF value does not end");
        assert_eq!(error("(;B[hh]"), "line 1: the SGF text does not end");
        assert_eq!(error("(;B{hh})"), "line 1: '{' has no place in SGF");
        assert_eq!(error("(;AB[aa]AW[aa])"), "line 1: point 0,0 is taken twice");
    }

    /// A bad move off the main line costs what follows it, and nothing else.
    #[test]
    fn variations_end_before_moves_that_cannot_be_played() {
        let game = one("(;B[hh](;W[hg];B[hf])(;W[hh];B[aa](;W[bb])(;W[cc]))(;W[dd](;B[zz])(;B[ee])))");
        assert_eq!(game.tree.len(), 6);
        assert_eq!(game.warnings, ["variations have a move that cannot be played, and ends before it"]);
    }

    /// The same move twice is one variation.
    #[test]
    fn variations_are_merged() {
        let game = one("(;B[hh](;W[hg]C[one];B[aa])(;W[hg]C[two];B[bb]))");
        let node = game.tree.get(game.tree.main_line(Tree::ROOT)[1]).unwrap();
        assert_eq!((node.comment.as_str(), node.children.len()), ("one\ntwo", 2));
    }

    #[test]
    fn what_a_node_may_have() {
        let text = "(;SZ[15]RU[Gomoku]KM[6.5]TGN[blocked=a1b2]C[all];B[hh]W[hg]C[a\\\nb\\]\r\nc]MA[aa][bb]LB[cc:A\\:1]SBKV[52.314]\
                    TGN[depth=12 nodes=9 score=-8 mate=white:7 new=1 time=1500 line=h9i9]XX[y][z];AB[dd]AE[hg]PL[B];W[])";
        let game = one(text);
        let root = game.tree.root();
        assert_eq!((root.comment.as_str(), game.start.blocked.len(), game.rule), ("all", 2, None));
        let kept = |name: &str, values: &[&str]| (name.to_owned(), values.iter().map(|v| (*v).to_owned()).collect());
        assert_eq!(root.properties, [kept("RU", &["Gomoku"]), kept("KM", &["6.5"])]);
        let line = game.tree.main_line(Tree::ROOT);
        let node = |i: usize| game.tree.get(line[i]).unwrap();
        assert_eq!((line.len(), node(0).comment.as_str(), node(1).comment.as_str()), (4, "", "ab]\nc"));
        assert_eq!(node(1).marks[1..], [(Point::at(1, 1), Mark::Cross), (Point::at(2, 2), Mark::Label("A:1".into()))]);
        let expected = Value {
            win_rate: 0.5231,
            score: Some(-8),
            mate: Some((Side::White, 7)),
            depth: 12,
            nodes: 9,
            line: parse_points(BoardSize::RENJU, "h9i9").unwrap(),
        };
        assert_eq!((node(1).value.as_ref(), node(1).time), (Some(&expected), Some(Duration::from_millis(1500))));
        assert_eq!(node(1).properties, [kept("XX", &["y", "z"])]);
        assert_eq!((node(2).edits.len(), node(2).to_move, node(3).pass), (2, Some(Side::Black), Some(Side::White)));
        assert_eq!(read(&write(&game)).unwrap(), [game]);
    }
}
