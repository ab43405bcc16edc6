//! The library in one process and the engine behind the protocol behave identically: at the same nodes they play the
//! same games.

use crate::program::Program;
use tengen::board::BoardSize;
use tengen::engine::{Engine, Options};
use tengen::rules::Rule;
use tengen_workbench::data::selfplay::{Settings, Variety, play_game};

/// Nodes for each move.
const NODES: u64 = 1500;

/// Transposition table of both, in KB.
const TABLE: u64 = 8192;

#[test]
fn whole_games_are_the_same_at_fixed_nodes() {
    let mut engine = Engine::new(Options { hash: Some(TABLE << 10), ..Options::default() });
    let cases = [(Rule::Freestyle, 0, 15), (Rule::Standard, 1, 15), (Rule::Renju, 4, 15), (Rule::Caro, 8, 12)];
    let mut moves = 0;
    for ((rule, code, side), seed) in cases.into_iter().zip(1..).flat_map(|(case, i)| [(case, i), (case, i + 100)]) {
        let size = BoardSize::new(side, side).expect("a size");
        let variety = Variety::NONE;
        let settings = Settings { rule, size, nodes: Some(NODES), opening: (2, 6), variety, ..Settings::default() };
        let game = play_game(&mut engine, &settings, seed);
        assert!(game.moves.len() > 5, "{rule}: a game of no length");

        let (rule_line, node_line) = (format!("rule {code}"), format!("max_node {NODES}"));
        let hash_line = format!("hash_size {TABLE}");
        let mut program = Program::game(usize::from(side), &[&rule_line, &node_line, &hash_line, "thread_num 1"]);
        let mut stones = game.opening.clone();
        for (i, played) in game.moves.iter().enumerate() {
            // Search each position with the table of earlier moves, as the library does.
            let mut board = "BOARD\n".to_owned();
            for (j, p) in stones.iter().enumerate() {
                let owner = if j % 2 == stones.len() % 2 { 1 } else { 2 };
                board.push_str(&format!("{},{},{owner}\n", p.x(), p.y()));
            }
            let (_, answer) = program.timed(&format!("{board}DONE"), side);
            assert_eq!(answer, (played.point.x(), played.point.y()), "{rule}, seed {seed}, move {i}");
            stones.push(played.point);
            moves += 1;
        }
        program.quit();
    }
    assert!(moves > 100, "{moves}");
}
