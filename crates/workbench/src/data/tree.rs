//! Search trees of game positions, as training data. Each position of a game is searched again, and some nodes of the
//! search are stored with their results (see [`TreeNode`]).
//!
//! A search of 100,000 nodes yields a thousand samples that were searched six plies deep or more, at no further cost.
//! Their positions are like those that the evaluation sees in a search: reasonable players would not reach most of
//! them.
//!
//! A file is a plain sequence of records, one for each game. Integers are little endian; a point is `y * width + x`
//! from the top left.
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TGT1`: magic, the last byte the version |
//! | 4 | u32 | length of the body |
//! | | | *body:* |
//! | 1 | u8 | rule: 0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro-exact |
//! | 1, 1 | u8 | width, height |
//! | 2 | u16 | stones of the game, n |
//! | 2 n | u16 | the game: opening and moves |
//! | | | *each node, up to the end of the body:* |
//! | 2 | u16 | stones on the board at the root: the first ones of the game |
//! | 1 | u8 | moves from the root, p |
//! | 2 p | u16 | these moves |
//! | 2 | i16 | score for the side to move, as [`Score::raw`] has it; win distances count from the root |
//! | 1 | u8 | bound of the score: 1 upper bound, 2 lower bound, 3 exact |
//! | 2 | u16 | the best move or the refutation; 65535: none |
//! | 4 | u32 | CRC-32 (IEEE) of the body |

use super::generate::table_bytes;
use super::record::{
    DataError, DataGame, FRAME, Fields, NONSENSE, WRONG_LENGTH, all_differ, body, cell, framed, next_whole, point,
};
use rayon::prelude::*;
use tengen::board::{BoardSize, Point, Setup};
use tengen::control::StopToken;
use tengen::engine::{Bound, Engine, Evaluation, Limits, Options, Request, STACK_BYTES, Sampling, TreeNode};
use tengen::rules::Rule;
use tengen::score::Score;
use tengen_analysis::random::Random;
use tengen_record::rule_code::{code_of_rule, rule_of_code};

const MAGIC: [u8; 4] = *b"TGT1";
/// No move.
const NONE: u16 = u16::MAX;

/// Settings of the searches and of the samples.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Nodes for each position.
    pub nodes: u64,
    /// One in this many positions is searched; the game's seed determines which.
    pub every: u32,
    /// Selection of the nodes to store.
    pub sampling: Sampling,
    /// Fewest and most stones of the searched positions.
    pub stones: (usize, usize),
    /// The evaluation of positions.
    pub evaluation: Evaluation,
}

/// The samples of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The rule.
    pub rule: Rule,
    /// Board dimensions.
    pub size: BoardSize,
    /// The game: opening and moves.
    pub line: Vec<Point>,
    /// Nodes, each with the number of stones at the root of its search, in the order of play.
    pub nodes: Vec<(usize, TreeNode)>,
}

impl Plan {
    /// Collects the samples of a game: a function of the plan and the game.
    fn make(&self, engine: &mut Engine, game: &DataGame) -> Tree {
        engine.clear();
        let line = game.line();
        let mut nodes = Vec::new();
        let (fewest, most) = self.stones;
        for stones in game.game.opening.len().max(fewest)..line.len().min(most.saturating_add(1)) {
            let mut random = Random::new(&[game.seed, stones as u64]);
            let seed = random.next_u64();
            if random.below(self.every as usize) > 0 {
                continue;
            }
            let setup = Setup::from_moves(game.size, line[..stones].iter().copied());
            let request = Request::new(setup, game.rule, Limits::nodes(self.nodes));
            engine.sample_tree(self.sampling, seed);
            engine.think(&request, &StopToken::new(), &mut |_| {});
            nodes.extend(engine.take_tree().into_iter().map(|node| (stones, node)));
        }
        Tree { rule: game.rule, size: game.size, line, nodes }
    }

    fn engine(&self) -> Engine {
        let (hash, evaluation) = (Some(table_bytes(Some(self.nodes))), self.evaluation.clone());
        Engine::new(Options { hash, evaluation, ..Options::default() })
    }

    /// The tree of one game.
    pub fn tree(&self, game: &DataGame) -> Tree {
        self.make(&mut self.engine(), game)
    }

    /// Searches the positions of games on some threads and passes the samples of each game to `consume`, in order. Ends
    /// early if `stop` is set or `consume` returns `false`.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn run(
        &self,
        games: &[DataGame],
        threads: usize,
        stop: &StopToken,
        mut consume: impl FnMut(Tree) -> bool,
    ) -> Result<(), rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
        for games in games.chunks(16 * threads) {
            let make = |engine: &mut Engine, game: &DataGame| (!stop.is_stopped()).then(|| self.make(engine, game));
            let trees: Vec<Option<Tree>> =
                pool.install(|| games.par_iter().with_max_len(1).map_init(|| self.engine(), make).collect());
            for tree in trees {
                if !tree.is_some_and(&mut consume) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl Tree {
    /// The record's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let cell = |p: Point| cell(self.size, p).to_le_bytes();
        let mut body = vec![code_of_rule(self.rule), self.size.width(), self.size.height()];
        body.extend((self.line.len() as u16).to_le_bytes());
        self.line.iter().for_each(|p| body.extend(cell(*p)));
        for (stones, node) in &self.nodes {
            body.extend((*stones as u16).to_le_bytes());
            body.push(node.path.len() as u8);
            node.path.iter().for_each(|p| body.extend(cell(*p)));
            body.extend((node.score.raw() as i16).to_le_bytes());
            body.push(node.bound as u8);
            body.extend(node.best.map_or(NONE.to_le_bytes(), cell));
        }
        framed(MAGIC, &body)
    }

    /// Decodes a record's body.
    ///
    /// # Errors
    /// If the content is invalid; never panics on any input.
    pub fn decode(body: &[u8]) -> Result<Tree, DataError> {
        tree(Fields(body)).ok_or(NONSENSE)
    }
}

/// The bodies of a file's records, with verified checksums, without an incomplete last record.
///
/// # Errors
/// If the bytes contain something other than records.
pub fn bodies(mut bytes: &[u8]) -> Result<Vec<&[u8]>, DataError> {
    let mut bodies = Vec::new();
    let is_whole = |bytes: &[u8]| body(bytes, 0..=usize::MAX).is_ok();
    while !bytes.is_empty() {
        if !MAGIC.starts_with(&bytes[..bytes.len().min(4)]) {
            return Err(DataError::Corrupt("no record of a search tree begins here"));
        }
        match body(bytes, 0..=usize::MAX) {
            Ok((body, _)) => {
                bodies.push(body);
                bytes = &bytes[record_bytes(body)..];
            }
            // The file is truncated, unless complete records follow: then the length field is wrong.
            Err(DataError::Torn) if next_whole(bytes, &MAGIC, is_whole).is_none() => break,
            Err(DataError::Torn) => return Err(WRONG_LENGTH),
            Err(error) => return Err(error),
        }
    }
    Ok(bodies)
}

/// Length of a record with this body.
pub fn record_bytes(body: &[u8]) -> usize {
    FRAME + body.len()
}

fn tree(mut fields: Fields) -> Option<Tree> {
    let [rule, width, height] = fields.take()?;
    let (rule, size) = (rule_of_code(rule)?, BoardSize::new(width, height)?);
    let stones = usize::from(fields.u16()?);
    let line = fields.points(size, stones)?;
    let mut nodes = Vec::new();
    while !fields.0.is_empty() {
        let root = usize::from(fields.u16()?);
        let [moves] = fields.take()?;
        let path = fields.points(size, usize::from(moves))?;
        let score = Score::from_raw(i32::from(fields.take().map(i16::from_le_bytes)?));
        let bound = match fields.take()? {
            [1] => Bound::Upper,
            [2] => Bound::Lower,
            [3] => Bound::Exact,
            _ => return None,
        };
        let best = match fields.u16()? {
            NONE => None,
            cell => Some(point(size, cell)?),
        };
        nodes.push((root, TreeNode { path, score, bound, best }));
    }
    // Every node must be a valid position.
    let can_be_set_up = |(root, node): &(usize, TreeNode)| {
        line.get(..*root).is_some_and(|known| all_differ(known.iter().chain(&node.path).chain(&node.best)))
    };
    let is_sensible = nodes.is_sorted_by_key(|(root, _)| *root) && nodes.iter().all(can_be_set_up);
    is_sensible.then_some(Tree { rule, size, line, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::tests::sample;
    use crate::data::selfplay::{Settings, play_game};
    use std::collections::BTreeSet;
    use tengen::position::{Position, Silent};

    fn plan() -> Plan {
        let sampling = Sampling { depth: 3, one_in: 4 };
        Plan { nodes: 1500, every: 1, sampling, stones: (9, 15), evaluation: Evaluation::default() }
    }

    fn trees(games: &[DataGame], threads: usize) -> Vec<Tree> {
        trees_of(&plan(), games, threads)
    }

    fn trees_of(plan: &Plan, games: &[DataGame], threads: usize) -> Vec<Tree> {
        let mut trees = Vec::new();
        let consume = |tree| {
            trees.push(tree);
            true
        };
        plan.run(games, threads, &StopToken::new(), consume).expect("threads");
        trees
    }

    fn games() -> Vec<DataGame> {
        let settings = Settings { nodes: Some(300), ..Settings::default() };
        let mut engine = Engine::new(Options::default());
        let play = |seed| play_game(&mut engine, &settings, seed);
        let games = (0..3).map(play).collect::<Vec<_>>();
        let maker = sample(0).maker;
        (0..).zip(games).map(|(seed, game)| DataGame::new(1, &settings, seed, maker.clone(), game)).collect()
    }

    #[test]
    fn nodes_are_positions_below_those_of_the_game() {
        let games = games();
        let trees = trees(&games, 2);
        assert_eq!(trees.len(), games.len());
        assert!(trees.iter().all(|tree| tree.nodes.len() > 20));
        for (tree, game) in trees.iter().zip(&games) {
            assert_eq!(tree.line, game.line());
            let (mut bounds, mut lost) = ([0; 4], 0);
            for (root, node) in &tree.nodes {
                let moves = || tree.line[..*root].iter().chain(&node.path);
                let setup = Setup::from_moves(tree.size, moves().copied());
                let mut position = Position::new(&setup, tree.rule).expect("a position");
                assert!(!node.path.is_empty());
                assert!((9..=15).contains(root));
                bounds[node.bound as usize] += 1;
                assert!(node.best.is_none() || node.bound != Bound::Upper, "{node:?}");
                if let Some(best) = node.best {
                    assert!(position.is_empty(best));
                    position.play(best, &mut Silent);
                }
                lost += usize::from(node.score.is_loss());
            }
            assert!(bounds[1] > 0 && bounds[2] > 0, "{bounds:?}");
            assert!(lost < tree.nodes.len());
        }
    }

    #[test]
    fn some_positions_of_all_games_are_searched() {
        let games = games();
        let roots = |every| -> Vec<BTreeSet<usize>> {
            let trees = trees_of(&Plan { every, ..plan() }, &games, 2);
            trees.iter().map(|tree| tree.nodes.iter().map(|(root, _)| *root).collect()).collect()
        };
        let (all, some) = (roots(1), roots(3));
        let count = |roots: &[BTreeSet<usize>]| roots.iter().map(BTreeSet::len).sum::<usize>();
        assert!(count(&some) > 0 && 2 * count(&some) < count(&all), "{some:?} of {all:?}");
        assert!(some.iter().zip(&all).all(|(some, all)| some.is_subset(all)));
    }

    #[test]
    fn deeper_nodes_are_fewer() {
        let games = games();
        let count = |depth| {
            let trees = trees_of(&Plan { sampling: Sampling { depth, one_in: 1 }, ..plan() }, &games, 2);
            trees.iter().map(|tree| tree.nodes.len()).sum::<usize>()
        };
        let counts = [3, 4, 6].map(count);
        assert!(counts.is_sorted_by(|more, less| more > less) && counts[2] > 0, "{counts:?}");
    }

    #[test]
    fn samples_do_not_depend_on_the_number_of_threads() {
        let games = games();
        assert_eq!(trees(&games, 1), trees(&games, 2));
    }

    #[test]
    fn records_round_trip_and_damage_is_noticed() {
        let trees = trees(&games(), 2);
        let bytes: Vec<u8> = trees.iter().flat_map(Tree::encode).collect();
        let read: Result<Vec<Tree>, DataError> =
            bodies(&bytes).expect("whole records").into_iter().map(Tree::decode).collect();
        assert_eq!(read, Ok(trees.clone()));
        assert_eq!(bodies(&bytes[..bytes.len() - 1]).map(|b| b.len()), Ok(2), "a torn tail");
        // Bytes 6 and 7 give a length that no record has; two complete records follow.
        for at in [0, 6, 7, 9, 40] {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(bodies(&bad).is_err(), "byte {at}");
        }
        // Changed bodies with a correct checksum.
        let body = bodies(&bytes).expect("whole records")[0];
        let mut random = Random::new(&[5]);
        for _ in 0..2000 {
            let mut bad = body[..random.below(body.len().min(400))].to_vec();
            let at = random.below(bad.len().max(1));
            bad.iter_mut().skip(at).take(1).for_each(|b| *b = random.below(256) as u8);
            let _ = Tree::decode(&bad);
        }
    }
}
