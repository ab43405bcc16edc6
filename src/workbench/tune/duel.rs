//! Short games in this process between two settings of the search, at fixed nodes a move.

use crate::board::{BoardSize, Setup};
use crate::control::StopToken;
use crate::engine::{Answer, Engine, Limits, Options, Params, Request};
use crate::eval::WeightSets;
use crate::rules::Rule;
use crate::workbench::data::generate::table_bytes;
use crate::workbench::data::selfplay::{Settings, Variety, balanced_opening};
use crate::workbench::random::Random;
use rayon::prelude::*;

/// Where and how long is fought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The rule.
    pub rule: Rule,
    /// Board dimensions.
    pub size: BoardSize,
    /// Nodes for each move.
    pub nodes: u64,
}

impl Terms {
    fn openings(&self) -> Settings {
        Settings {
            rule: self.rule,
            size: self.size,
            nodes: Some(self.nodes.min(2_000)),
            variety: Variety::NONE,
            ..Settings::default()
        }
    }
}

/// One of two settings.
#[derive(Clone, Debug)]
pub struct Side {
    /// Parameters of the search.
    pub params: Params,
    /// Weights of the evaluation, unless those built in.
    pub weights: Option<&'static WeightSets>,
}

/// Two players and the finder of openings, each with its own table.
pub struct Arena {
    players: [Engine; 2],
    opener: Engine,
}

impl Arena {
    /// An arena for games of so many nodes a move.
    pub fn new(nodes: u64) -> Arena {
        let engine = || Engine::new(Options { hash: Some(table_bytes(Some(nodes))), ..Options::default() });
        Arena { players: [engine(), engine()], opener: engine() }
    }

    /// Points of the first of two settings, in halves, from two games with one opening and colours swapped: 0 to 4. The
    /// seed alone decides the opening; it is one that the search with its usual settings finds balanced.
    pub fn pair(&mut self, terms: &Terms, sides: &[Side; 2], seed: u64) -> usize {
        let opening = balanced_opening(&mut self.opener, &terms.openings(), &mut Random::from_state(seed));
        for (player, side) in self.players.iter_mut().zip(sides) {
            player.set_options(Options { weights: side.weights, ..player.options().clone() });
            player.set_params(Some(side.params.clone()));
        }
        let as_first = self.game(terms, opening.clone(), 0);
        self.players.iter_mut().for_each(Engine::clear);
        as_first + self.game(terms, opening, 1)
    }

    /// Points of the first player, in halves, from a game in which `player` has the first move.
    fn game(&mut self, terms: &Terms, mut setup: Setup, mut player: usize) -> usize {
        while setup.empty_cells() > terms.size.cells() / 10 {
            let request = Request::new(setup.clone(), terms.rule, Limits::nodes(terms.nodes));
            let outcome = self.players[player].think(&request, &StopToken::new(), &mut |_| {});
            let score = outcome.line.score;
            if score.is_win() || score.is_loss() {
                return if score.is_win() == (player == 0) { 2 } else { 0 };
            }
            let Answer::Points(points) = outcome.answer else { break };
            let Some(point) = points.first() else { break };
            setup.play(*point);
            player = 1 - player;
        }
        1
    }
}

/// Plays pairs of games between two settings; tells the points of the first, in halves (0 to 4), of each batch of
/// pairs. Ends early when `stop` is set or the listener says `false`.
///
/// # Errors
/// If the threads cannot be started.
pub fn compare(
    terms: &Terms,
    sides: &[Side; 2],
    pairs: u64,
    seed: u64,
    threads: usize,
    stop: &StopToken,
    tell: &mut dyn FnMut(&[usize]) -> bool,
) -> Result<(), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(16 << 20).build()?;
    let batch = 8 * threads.max(1);
    let numbers: Vec<u64> = (0..pairs).collect();
    for chunk in numbers.chunks(batch) {
        let fight = |arena: &mut Arena, pair: &u64| arena.pair(terms, sides, Random::new(&[seed, *pair]).next_u64());
        let points: Vec<usize> =
            pool.install(|| chunk.par_iter().map_init(|| Arena::new(terms.nodes), fight).collect());
        if !tell(&points) || stop.is_stopped() {
            break;
        }
    }
    Ok(())
}
