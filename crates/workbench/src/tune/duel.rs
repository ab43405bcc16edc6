//! Short games in this process between two sets of search parameters, at fixed nodes or a fixed time for each move.

use super::openings::{Openings, play_out};
use crate::data::generate::table_bytes;
use crate::data::selfplay::{Settings, Variety, balanced_opening};
use crate::stats::{Estimate, Pentanomial, Trinomial};
use rayon::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, Setup, Side as Color};
use tengen::control::StopToken;
use tengen::engine::{Engine, Limits, Options, Params, Request, STACK_BYTES};
use tengen::eval::Evaluation;
use tengen::rules::Rule;
use tengen_analysis::random::Random;

/// Conditions of the games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The rule.
    pub rule: Rule,
    /// Board dimensions.
    pub size: BoardSize,
    /// Openings of the games.
    pub openings: Openings,
    /// Seed of the openings.
    pub seed: u64,
}

/// One of the two players.
#[derive(Clone, Debug)]
pub struct Side {
    /// Search parameters.
    pub params: Params,
    /// Evaluation of positions.
    pub evaluation: Evaluation,
    /// Limits for each move.
    pub budget: Budget,
}

/// Limit of a side for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Nodes; the games are then identical on every machine.
    Nodes(u64),
    /// Time.
    Time(Duration),
}

impl Budget {
    fn limits(self) -> Limits {
        match self {
            Budget::Nodes(nodes) => Limits::nodes(nodes),
            Budget::Time(turn) => Limits::time(turn),
        }
    }

    /// Bytes of the transposition table. With a time limit, it is the largest size used for games with fixed nodes.
    fn table(self) -> u64 {
        table_bytes(match self {
            Budget::Nodes(nodes) => Some(nodes),
            Budget::Time(_) => Some(u64::MAX),
        })
    }
}

/// Two games from one opening with the colours swapped. Of two values, the first belongs to the first side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// Half points of the first side, 0 to 2: in the game in which it moves first, and in the other.
    pub halves: [u8; 2],
    /// Total time of the searches.
    pub time: [Duration; 2],
    /// Number of the searches.
    pub moves: [u64; 2],
}

impl Pair {
    /// Half points of the first side, 0 to 4.
    pub fn points(&self) -> u8 {
        self.halves.iter().sum()
    }
}

/// Sums over pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Pairs by the points of the first side.
    pub pairs: Pentanomial,
    /// Pairs in which the same colour won both games; they show the bias of the opening rather than a difference of the
    /// sides.
    pub one_colour: u64,
    /// Single games.
    pub games: Trinomial,
    /// Time of all searches of each side.
    pub time: [Duration; 2],
    /// Number of all searches of each side.
    pub moves: [u64; 2],
}

impl Score {
    /// Counts a pair.
    pub fn add(&mut self, pair: &Pair) {
        self.pairs.add(pair.points());
        self.one_colour += u64::from(matches!(pair.halves, [2, 0] | [0, 2]));
        pair.halves.iter().for_each(|halves| self.games.add(*halves));
        for side in 0..2 {
            self.time[side] += pair.time[side];
            self.moves[side] += pair.moves[side];
        }
    }

    /// The difference in strength; `None` without pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        Estimate::new(&self.pairs, &self.games)
    }
}

/// Two players and the engine that finds random openings, each with its own table.
pub struct Arena {
    players: [Engine; 2],
    opener: Engine,
}

/// Nodes of the search that checks the balance of random openings.
const OPENER_NODES: u64 = 2_000;

impl Arena {
    /// An arena for games with these limits.
    pub fn new(budgets: [Budget; 2]) -> Arena {
        let engine = |table| Engine::new(Options { hash: Some(table), ..Options::default() });
        let table = budgets.map(Budget::table).into_iter().max().unwrap_or_default();
        Arena { players: [engine(table), engine(table)], opener: engine(table_bytes(Some(OPENER_NODES))) }
    }

    /// Plays the pair number `number`.
    pub fn pair(&mut self, terms: &Terms, sides: &[Side; 2], number: u64) -> Pair {
        let opening = terms.openings.of_pair(terms.seed, number).unwrap_or_else(|| self.balanced(terms, number));
        for (player, side) in self.players.iter_mut().zip(sides) {
            player.set_options(Options { evaluation: side.evaluation.clone(), ..player.options().clone() });
            player.set_params(Some(side.params.clone()));
        }
        let mut pair = Pair::default();
        for first in 0..2 {
            self.players.iter_mut().for_each(Engine::clear);
            let winner = self.game(terms.rule, sides, opening.clone(), first, &mut pair);
            pair.halves[first] = match winner {
                Some(player) => 2 * u8::from(player == 0),
                None => 1,
            };
        }
        pair
    }

    /// A random opening that a search with default parameters finds balanced.
    fn balanced(&mut self, terms: &Terms, number: u64) -> Setup {
        let settings = Settings {
            rule: terms.rule,
            size: terms.size,
            nodes: Some(OPENER_NODES),
            variety: Variety::NONE,
            ..Settings::default()
        };
        balanced_opening(&mut self.opener, &settings, &mut Random::new(&[terms.seed, 2, number]))
    }

    /// Plays a game in which player `first` moves first; returns the winner. Adds the cost of the searches to the pair.
    fn game(&mut self, rule: Rule, sides: &[Side; 2], setup: Setup, first: usize, pair: &mut Pair) -> Option<usize> {
        let begins = setup.to_move;
        let player_of = |color: Color| if color == begins { first } else { 1 - first };
        let winner = play_out(setup, rule, |setup| {
            let player = player_of(setup.to_move);
            let started = Instant::now();
            let request = Request::new(setup.clone(), rule, sides[player].budget.limits());
            let outcome = self.players[player].think(&request, &StopToken::new(), &mut |_| {});
            pair.time[player] += started.elapsed();
            pair.moves[player] += 1;
            outcome
        });
        winner.map(player_of)
    }
}

/// Plays the pairs of games with these numbers between two settings and reports them in the order of their numbers.
/// Ends early if `stop` is set or the listener returns `false`. The reported pairs do not depend on the number of
/// threads.
///
/// # Errors
/// If the threads cannot be started.
pub fn compare(
    terms: &Terms,
    sides: &[Side; 2],
    pairs: Range<u64>,
    threads: usize,
    stop: &StopToken,
    on_pair: &mut dyn FnMut(&Pair) -> bool,
) -> Result<(), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
    let batch = 8 * threads.max(1);
    let numbers: Vec<u64> = pairs.collect();
    let budgets = sides.each_ref().map(|side| side.budget);
    for chunk in numbers.chunks(batch) {
        // After a stop no further pair starts, so Ctrl-C takes effect within a pair.
        let play = |arena: &mut Arena, pair: &u64| (!stop.is_stopped()).then(|| arena.pair(terms, sides, *pair));
        let played: Vec<Option<Pair>> =
            pool.install(|| chunk.par_iter().map_init(|| Arena::new(budgets), play).collect());
        if !played.iter().map_while(Option::as_ref).all(&mut *on_pair) || stop.is_stopped() {
            break;
        }
    }
    Ok(())
}
