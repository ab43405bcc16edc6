//! SGF, the Smart Game Format: games with variations, comments, marks and values.
//!
//! Points are two letters from the top left, or a letter and a row number as some servers write them. Two properties
//! store the result of an engine's search. `SBKV` is Black's win probability in percent, as Sabaki writes it. Our own
//! `TGN` has words such as `depth=12 nodes=34567 score=-80 mate=black:7 time=1500 line=h8i9j10` (time in milliseconds).
//! At the root `TGN` may also have `blocked=a1b2`: cells on which neither side can play.

mod node;
mod read;
mod split;
mod write;

pub(super) use read::read;
pub use write::write;

#[cfg(test)]
mod tests {
    use crate::collection::{Collection, Reading};
    use crate::error::ReadError;
    use crate::game::Record;
    use crate::sgf::node::point;
    use crate::sgf::write;
    use crate::tree::{Mark, Tree, Value};
    use std::time::Duration;
    use tengen::board::{BoardSize, Point, Side, parse_points};
    use tengen::rules::Rule;

    fn collection(bytes: &[u8]) -> Result<Collection, ReadError> {
        let mut reading = Reading::new(None);
        crate::sgf::read(bytes, &mut reading);
        reading.end()
    }

    fn read(text: &str) -> Result<Vec<Record>, ReadError> {
        Ok(collection(text.as_bytes())?.games.into_iter().map(|(_, record)| record).collect())
    }

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
        let moves = one("(;GM[4];B[h8];W[i9];B[tt];W[hg])");
        assert_eq!(moves.setup(moves.end()).stones.len(), 3, "tt is a pass on a board of this size");
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(error("(;B[hh];W[hh])\n(;B[hh];W[hh])"), "game 1: line 1: point h8 is taken twice");
        assert_eq!(error("(;B[zz])"), "line 1: B[zz] is no point");
        assert_eq!(error("(;SZ[99])"), "line 1: no board of this size");
        assert_eq!(error("(;\nB[hh"), "line 2: an SGF value does not end");
        assert_eq!(error("(;B[hh]"), "line 1: the SGF text does not end");
        assert_eq!(error("(;AB[aa]AW[aa])"), "line 1: point 0,0 is taken twice");
    }

    /// An illegal move in a variation discards only that move and the moves after it.
    #[test]
    fn variations_end_before_moves_that_cannot_be_played() {
        let game = one("(;B[hh](;W[hg];B[hf])(;W[hh];B[aa](;W[bb])(;W[cc]))(;W[dd](;B[zz])(;B[ee])))");
        assert_eq!(game.tree.len(), 6);
        assert_eq!(game.warnings, ["variations have a move that cannot be played, and ends before it"]);
    }

    /// The same move twice becomes one variation.
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
        assert_eq!((root.comment.as_str(), game.start.blocked.len(), game.rule), ("all", 2, Some(Rule::Freestyle)));
        assert_eq!(game.rule_name, "Gomoku");
        let kept = |name: &str, values: &[&str]| (name.to_owned(), values.iter().map(|v| (*v).to_owned()).collect());
        assert_eq!(root.properties, [kept("KM", &["6.5"])]);
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

    /// The reader decodes the text by `CA` before it interprets brackets and backslashes.
    #[test]
    fn the_named_character_set_comes_first() {
        let stones = |record: &Record| record.setup(record.end()).stones.len();
        for (bytes, name) in [
            (&b"(;GM[4]CA[Shift_JIS]SZ[15]PW[\x95\x5c];B[hh];W[ii];B[gg])"[..], "表"),
            (b"(;GM[4]SZ[15]PW[\x95\x5c]CA[shift-jis];B[hh];W[ii];B[gg])", "表"),
            (b"(;GM[4]CA[Big5]SZ[15]PW[\xb3\x5c];B[hh];W[ii];B[gg])", "許"),
            (b"(;GM[4]CA[GBK]SZ[15]PW[\x81\x5d];B[hh];W[ii];B[gg])", "乚"),
            (b"(;GM[4]CA[GBK]SZ[15]PW[\xd6\xdc\xce\xe5];B[hh];W[ii];B[gg])", "周五"),
            (b"(;GM[4]CA[ISO-2022-JP]SZ[15]PW[\x1b$B%]%\\%(\x1b(B];B[hh];W[ii];B[gg])", "ポレエ"),
            (b"(;GM[4]CA[windows-1251]SZ[15]PW[\xc8\xe2\xe0\xed];B[hh];W[ii];B[gg])", "Иван"),
        ] {
            let read = collection(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            let game = &read.games[0].1;
            assert_eq!((stones(game), read.warnings.len(), game.warnings.len()), (3, 0, 0), "{name}");
            if !bytes.starts_with(b"(;GM[4]CA[ISO") {
                assert_eq!(game.names[Side::White], name);
            }
            // The writer encodes in UTF-8.
            let again = one(&write(game));
            assert_eq!(again.names, game.names);
        }
        // Each game has its own character set. For a game that names none, the reader detects it.
        let two = b"(;CA[Shift_JIS]PW[\x95\x5c];B[hh])\n(;CA[Big5]PW[\xb3\x5c];B[hh];W[ii])";
        let read = collection(two).expect("two games");
        assert_eq!([&read.games[0].1.names[Side::White], &read.games[1].1.names[Side::White]], ["表", "許"]);
        let none = collection("(;PB[白番の連珠会館の先生])".as_bytes()).expect("UTF-8");
        assert!(none.warnings.is_empty());
    }

    #[test]
    fn a_character_set_that_is_assumed_is_named() {
        let text = encoding_rs::GBK.encode("(;SZ[15]PB[中国五子棋队]PW[北京棋院的选手];B[hh];W[ii])").0;
        let read = collection(&text).expect("a game");
        assert_eq!(read.games[0].1.names[Side::Black], "中国五子棋队");
        assert!(read.warnings[0].contains("read as GB"), "{:?}", read.warnings);
        let read = collection(b"(;CA[Klingon]SZ[15];B[hh])").expect("a game");
        assert!(read.warnings[0].contains("\"Klingon\", which is not known"), "{:?}", read.warnings);
    }

    /// The reader skips what it cannot read, with a warning that names it.
    #[test]
    fn odd_parts_of_a_game_are_skipped() {
        let game = one("(;SZ[15]5A[];B[hh];W[ii])");
        assert_eq!(
            (game.tree.len(), game.warnings.as_slice()),
            (3, &["line 1: \"5A\" has no meaning in SGF: left out".to_owned()][..])
        );
        let game = one("(;SZ[15]\n;B[hh]\n---\n;W[ii]\n---\n;B[gg]{x}[y]W)");
        assert_eq!(game.tree.len(), 4);
        assert_eq!(
            game.warnings,
            [
                "line 3: \"---\" has no meaning in SGF: left out (2 times)",
                "line 6: \"{x}\" has no meaning in SGF: left out",
                "line 6: W has no value: left out"
            ]
        );
        // Property names of FF[3] may contain lower case.
        assert_eq!(one("(;SiZe[9];Black[aa])").tree.len(), 2);
        assert!(one(&format!("(;B[hh]{})", "é[1]ü[2]".repeat(5000))).warnings.len() <= 12);
    }

    /// The reader skips only the broken game.
    #[test]
    fn a_broken_game_does_not_touch_the_others() {
        for broken in
            ["(;SZ[15];B[hh];W[hh])", "(;SZ[15];B[zz])", "(;SZ[99])", "(;SZ[15];B[hh]C[no end\n", "(;SZ[15](;B[hh]\n"]
        {
            let text = format!("(;SZ[15];B[hh];W[hi])\n{broken}\n(;SZ[15]PB[third];B[hh])\n");
            let read = collection(text.as_bytes()).expect("games");
            let numbers: Vec<usize> = read.games.iter().map(|(number, _)| *number).collect();
            assert_eq!((numbers, read.count), (vec![1, 3], 3), "{broken}");
            assert!(read.warnings[0].starts_with("game 2: line ") && read.warnings[0].ends_with("is left out"));
            let one = |only| {
                let mut reading = Reading::new(Some(only));
                crate::sgf::read(text.as_bytes(), &mut reading);
                reading.end()
            };
            assert_eq!(one(3).expect("the third").games[0].1.names[Side::Black], "third");
            assert!(one(1).expect("the first").warnings.is_empty() && one(2).is_err());
            assert_eq!(one(4).expect("none").games.len(), 0);
        }
        let read = collection(b"(;B[hh]);W[ii])\n(;B[hh])").expect("two games");
        assert_eq!(read.warnings, ["line 1: text outside of the games is left out"]);
    }

    /// As a Japanese game server writes it.
    #[test]
    fn a_rule_in_the_games_name_is_assumed() {
        let game = one("(;GM[4]GN[Ann-Sheriff(B) : RIF rule]SZ[15];B[hh];W[hg])");
        let doubt = "no rule is named, but the game's name is \"Ann-Sheriff(B) : RIF rule\": renju is assumed";
        assert_eq!((game.rule, game.rule_doubt.as_deref()), (Some(Rule::Renju), Some(doubt)));
        // A name that only contains the letters of one means nothing, and the rule's own place comes first.
        let game = one("(;GM[4]GN[Ann-Sheriff(B)]SZ[15];B[hh])");
        assert_eq!((game.rule, game.rule_doubt), (None, None));
        let game = one("(;GM[4]GN[RIF rule]RU[Caro]SZ[15];B[hh])");
        assert_eq!((game.rule, game.rule_doubt), (Some(Rule::Caro), None));
    }

    #[test]
    fn rules_by_their_names() {
        for (name, rule, is_sure) in [
            ("Soosyrv-8", Some(Rule::Renju), true),
            ("RIF", Some(Rule::Renju), true),
            ("有禁手", Some(Rule::Renju), true),
            ("Gomoku", Some(Rule::Freestyle), false),
            ("Pente", None, false),
        ] {
            let game = one(&format!("(;SZ[15]RU[{name}];B[hh])"));
            assert_eq!((game.rule, game.rule_doubt.is_none(), game.rule_name.as_str()), (rule, is_sure, name));
            // Saving preserves the name while it names the record's rule.
            assert_eq!(one(&write(&game)).rule_name, name);
            let other = Record { rule: Some(Rule::Caro), ..game };
            assert_eq!(one(&write(&other)).rule, Some(Rule::Caro));
        }
    }

    /// Boards of go have 19 lines unless the file gives a size.
    #[test]
    fn sizes_that_are_not_named() {
        let width = |text: &str| one(text).start.size.width();
        assert_eq!(width("(;GM[1];B[pd])"), 19);
        assert_eq!(width("(;GM[1]SZ[15];B[hh])"), 15);
        assert_eq!(width("(;GM[4];B[hh])"), 15);
        let outside = one("(;B[hh];W[pd])");
        assert_eq!((outside.start.size.width(), outside.warnings.len()), (19, 1));
    }

    #[test]
    fn nesting_and_values_are_bounded() {
        assert!(error(&format!("(;{}", "(;".repeat(1_100_000))).contains("levels") || cfg!(miri));
        let many = format!("(;B[hh]{})", "XX[]".repeat(300_000));
        assert!(error(&many).contains("more properties"));
        // The same variation repeatedly, each time with more values.
        let again = format!("(;{})", format!("(;B[hh]XX{})", "[]".repeat(100_000)).repeat(50));
        assert!(error(&again).contains("more properties"));
    }
}
