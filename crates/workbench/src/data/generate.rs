//! Self-play on all cores. The games and their order do not depend on the number of threads.
//!
//! Game number i of a run depends only on the settings, the run's seed and i. Workers draw game numbers from a counter;
//! the consumer receives the games in the order of their numbers.

use super::record::{DataGame, Maker, Run};
use super::selfplay::{Settings, play_game};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use tengen::board::BoardSize;
use tengen::control::StopToken;
use tengen::engine::{Engine, Evaluation, Options, STACK_BYTES};
use tengen_analysis::random::Random;

/// Bytes of the transposition table for games at this number of nodes a move. The size affects the games, so it is a
/// function of the nodes and not an option. The table is only as large as one game needs, because it is cleared twice a
/// game, which takes time.
pub fn table_bytes(nodes: Option<u64>) -> u64 {
    nodes.unwrap_or(16 << 10).clamp(1 << 10, 64 << 10).next_power_of_two() << 10
}

/// The games to generate.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Settings of all games, except the board size.
    pub settings: Settings,
    /// Board sizes; game i uses entry i modulo their number.
    pub sizes: Vec<BoardSize>,
    /// Seed of the run.
    pub seed: u64,
    /// Number of the first game.
    pub first: u64,
    /// Number of games, from `first` on in steps of `step`.
    pub games: u64,
    /// Distance between game numbers: the number of shards of the run.
    pub step: u64,
    /// Engine and evaluation that play, for the record.
    pub maker: Maker,
    /// The evaluation of positions; `maker` has its name.
    pub evaluation: Evaluation,
}

impl Plan {
    /// The settings in the form that a file stores.
    pub fn run(&self) -> Run {
        let Settings { rule, size: _, nodes, depth, opening, balance, variety, adjudicate } = self.settings.clone();
        Run {
            engine: self.maker.engine.clone(),
            signature: self.maker.signature,
            evaluation: self.maker.evaluation.clone(),
            rule: rule.to_string(),
            size: self.sizes.iter().map(BoardSize::to_string).collect(),
            nodes,
            depth,
            opening,
            balance,
            temperature: variety.temperature,
            temperature_plies: variety.temperature_plies,
            random: variety.random,
            random_plies: variety.random_plies,
            adjudicate,
            seed: self.seed,
        }
    }

    /// The seed of the game with this number.
    pub fn seed_of(&self, number: u64) -> u64 {
        Random::new(&[self.seed, number]).next_u64()
    }

    /// Removes the games that already exist from the plan; `seeds` are their seeds, in order.
    ///
    /// # Errors
    /// If they are not the first games of this plan.
    pub fn go_on_after(&mut self, seeds: &[u64]) -> Result<(), String> {
        let wanted = (0..).map(|i| self.seed_of(self.first + i * self.step));
        if seeds.len() as u64 > self.games || !seeds.iter().copied().eq(wanted.take(seeds.len())) {
            return Err("has games of another part, or more than were asked for: name a new file".to_owned());
        }
        self.first += seeds.len() as u64 * self.step;
        self.games -= seeds.len() as u64;
        Ok(())
    }

    /// Plays the game with this number.
    fn make(&self, engine: &mut Engine, number: u64, run: u32) -> DataGame {
        let size = self.sizes[(number % self.sizes.len() as u64) as usize];
        let settings = Settings { size, ..self.settings.clone() };
        let seed = self.seed_of(number);
        let game = play_game(engine, &settings, seed);
        DataGame::new(run, &settings, seed, self.maker.clone(), game)
    }
}

/// Plays games on a pool of `threads` workers and passes them to the consumer in order. Ends early if `stop` is set or
/// the consumer returns `false`.
///
/// # Errors
/// If the threads cannot be started.
pub fn generate(
    plan: &Plan,
    threads: usize,
    stop: &StopToken,
    mut consume: impl FnMut(DataGame) -> bool,
) -> Result<(), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()?;
    let (sender, receiver) = sync_channel::<(u64, DataGame)>(4 * threads.max(1));
    let (table, run) = (Some(table_bytes(plan.settings.nodes)), plan.run().id());
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let pool = &pool;
        let next = &next;
        scope.spawn(move || {
            pool.broadcast(|_| {
                let sender = sender.clone();
                let evaluation = plan.evaluation.clone();
                let mut engine = Engine::new(Options { hash: table, evaluation, ..Options::default() });
                while !stop.is_stopped() {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn >= plan.games {
                        break;
                    }
                    let game = plan.make(&mut engine, plan.first + turn * plan.step, run);
                    if sender.send((turn, game)).is_err() {
                        break;
                    }
                }
            });
        });
        // A slow game delays the delivery of later games, but not the workers; few games wait here.
        let (mut waiting, mut due) = (BTreeMap::new(), 0);
        for (turn, game) in receiver {
            waiting.insert(turn, game);
            while let Some(game) = waiting.remove(&due) {
                due += 1;
                if !consume(game) {
                    stop.stop();
                    return;
                }
            }
        }
    });
    Ok(())
}
