//! Self-play on all cores, the same games in the same order whatever the number of threads.
//!
//! Game number i of a run depends on the settings, the run's seed and i alone. Workers take numbers from a counter;
//! the consumer gets the games in the order of their numbers.

use super::data::DataGame;
use super::random::Random;
use super::selfplay::{Settings, play_game};
use crate::control::StopToken;
use crate::engine::{Engine, Options};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;

/// Transposition table for games at so many nodes a move, in bytes: a part of what makes a game, so not to be chosen
/// freely. It holds what a game visits and no more, since it is cleared twice a game, which takes time.
pub fn table_bytes(nodes: u64) -> u64 {
    nodes.clamp(1 << 10, 64 << 10).next_power_of_two() << 10
}

/// Which games are to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One for each kind of game; game i is of kind i modulo their number.
    pub settings: Vec<Settings>,
    /// Seed of the run.
    pub seed: u64,
    /// Number of the first game.
    pub first: u64,
    /// Games from there on, by steps of `step`.
    pub games: u64,
    /// Distance of game numbers: the number of parts that a run is spread over.
    pub step: u64,
    /// Signature of the engine, for the record.
    pub engine: u64,
    /// Name of its evaluation, for the record.
    pub evaluation: String,
}

impl Plan {
    /// Makes the game with this number.
    fn make(&self, engine: &mut Engine, number: u64) -> DataGame {
        let settings = &self.settings[(number % self.settings.len() as u64) as usize];
        let seed = Random::new(&[self.seed, number]).next_u64();
        DataGame {
            rule: settings.rule,
            size: settings.size,
            nodes: u32::try_from(settings.nodes).unwrap_or(u32::MAX),
            seed,
            engine: self.engine,
            evaluation: self.evaluation.clone(),
            game: play_game(engine, settings, seed),
        }
    }
}

/// Makes games with a pool of `threads` workers and hands them over in order; ends early when `stop` is set or the
/// consumer says `false`.
///
/// # Errors
/// If the threads cannot be started.
pub fn generate(
    plan: &Plan,
    threads: usize,
    stop: &StopToken,
    mut consume: impl FnMut(DataGame) -> bool,
) -> Result<(), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(16 << 20).build()?;
    let (sender, receiver) = sync_channel::<(u64, DataGame)>(4 * threads.max(1));
    let table = table_bytes(plan.settings.iter().map(|s| s.nodes).max().unwrap_or(0));
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let pool = &pool;
        let next = &next;
        scope.spawn(move || {
            pool.broadcast(|_| {
                let sender = sender.clone();
                let mut engine = Engine::new(Options { hash: Some(table), ..Options::default() });
                while !stop.is_stopped() {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn >= plan.games {
                        break;
                    }
                    let game = plan.make(&mut engine, plan.first + turn * plan.step);
                    if sender.send((turn, game)).is_err() {
                        break;
                    }
                }
            });
        });
        // A slow game holds back those after it, never the workers: what waits here is small.
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
