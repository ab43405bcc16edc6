//! The manifest of a folder: a log of the completed stages, a JSON object in each line.
//!
//! A generation has a line for each stage, in this order: `begin` with all settings, `games`, `trees` if it trains on
//! search trees, `training`, `match`, and `end`. After `end` the next generation may begin. The field `stage` names the
//! stage. Losses are in nats; an unknown value, such as the loss on zero positions, is `null`.

use super::settings::Learning;
use crate::data::record::Run;
use crate::matches::settings::SprtSpec;
use crate::train::validate::Quality;
use serde::{Deserialize, Serialize};
use tengen_files::Fingerprint;

/// A line of the manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "lowercase")]
pub enum Record {
    /// A generation has begun.
    Begin(Box<Begin>),
    /// Its games are complete.
    Games(Games),
    /// Its search trees are complete.
    Trees(SearchTrees),
    /// Its network is trained.
    Training(Box<Training>),
    /// The match is over.
    Match(Match),
    /// The generation is complete.
    End(End),
}

/// Settings with which a generation begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    /// Its number, from 1.
    pub generation: u32,
    /// The command that began it.
    pub command: String,
    /// Version and revision of the program.
    pub version: String,
    /// Number of games.
    pub games: u64,
    /// Settings of its games: engine, bench signature, evaluation in force, rule, boards, nodes, seed and more.
    pub selfplay: Run,
    /// Number of newest generations whose games are training data.
    pub window: u32,
    /// Training settings. The seed is that of the games.
    pub learning: Learning,
    /// Settings of the match.
    pub comparison: Terms,
}

/// The conditions of a match. The seed of the openings is that of the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Board, such as `15x15`.
    pub size: String,
    /// `random`, or number and checksum of the openings.
    pub openings: String,
    /// Nodes a move.
    pub nodes: Option<u64>,
    /// Milliseconds a move.
    pub turn_ms: Option<u64>,
    /// Most pairs of games to play.
    pub pairs: u64,
    /// The sequential test.
    pub sprt: SprtSpec,
}

/// Games that were generated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Games {
    /// Number of the generation.
    pub generation: u32,
    /// Their file.
    pub file: Fingerprint,
    /// Games.
    pub games: u64,
    /// Moves after the openings.
    pub positions: u64,
    /// Seconds since the stage began or was resumed.
    pub seconds: f64,
}

/// Search trees of a generation's games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchTrees {
    /// Number of the generation.
    pub generation: u32,
    /// Their file.
    pub file: Fingerprint,
    /// Nodes in it.
    pub nodes: u64,
    /// Seconds since the stage began or was resumed.
    pub seconds: f64,
}

/// A network that was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Number of the generation.
    pub generation: u32,
    /// Files of the training games, oldest first.
    pub window: Vec<Fingerprint>,
    /// Their games.
    pub games: u64,
    /// Training positions: those of the games that are not held out, and nodes of their search trees.
    pub positions: usize,
    /// Losses on the training positions at the end: value and policy.
    pub loss: [Option<f64>; 2],
    /// Positions of the held-out games.
    pub held_out: usize,
    /// Quality of the network on them, computed as the engine evaluates.
    pub network: Measured,
    /// Quality of the classical evaluation on the same positions.
    pub classical: Measured,
    /// The network's file.
    pub file: Fingerprint,
    /// The network's name in game records.
    pub name: String,
    /// How many of its lanes and hidden units are ever active, as text; absent in older manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub liveness: Option<String>,
    /// Seconds since the stage began or was resumed.
    pub seconds: f64,
}

/// See [`Quality`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Loss on the game's result.
    pub result: Option<f64>,
    /// The same loss with the best scale of the scores.
    pub scaled: Option<f64>,
    /// That scale.
    pub factor: Option<f64>,
    /// Loss on the search's score.
    pub search: Option<f64>,
    /// Share of positions in which the best move is ranked first.
    pub order: Option<f64>,
    /// Share of positions in which the best move is ranked among the first five.
    pub first: Option<f64>,
    /// Share of best moves among the first five.
    pub five: Option<f64>,
}

/// The value if JSON can represent it, i.e. if it is finite.
pub(super) fn known(number: f64) -> Option<f64> {
    Some(number).filter(|n| n.is_finite())
}

impl Measured {
    /// Converts a quality; all fields are unknown for zero positions.
    pub(super) fn new(quality: &Quality, positions: usize) -> Measured {
        let Quality { result, scaled, search, order, first, five, calibration: _ } = *quality;
        let of = |number| known(number).filter(|_| positions > 0);
        Measured {
            result: of(result),
            scaled: of(scaled.0),
            factor: of(scaled.1),
            search: of(search),
            order: of(order),
            first: of(first),
            five: of(five),
        }
    }
}

/// A match that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// Number of the generation.
    pub generation: u32,
    /// The new network's name.
    pub network: String,
    /// Name of the opponent's evaluation.
    pub against: String,
    /// Pairs by the points of the new network: 0, 1/2, 1, 1 1/2, 2.
    pub pairs: [u64; 5],
    /// Games that the new network won, drew and lost.
    pub games: [u64; 3],
    /// Pairs in which the same colour won both games; absent in older manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_colour: Option<u64>,
    /// Difference in Elo; null if one side scored every point.
    pub elo: Option<f64>,
    /// The ends of its 95% interval; null means infinite.
    pub interval: [Option<f64>; 2],
    /// Log-likelihood ratio of the test, and its bounds.
    pub llr: f64,
    /// See `llr`.
    pub bounds: (f64, f64),
    /// The test's verdict.
    pub verdict: String,
    /// Whether the network is adopted.
    pub accepted: bool,
    /// Seconds since the stage began or was resumed.
    pub seconds: f64,
}

/// A generation that is complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Its number.
    pub generation: u32,
    /// Whether its network was adopted.
    pub accepted: bool,
    /// Name of the evaluation in force from now on.
    pub evaluation: String,
}

/// The recorded state of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its settings.
    pub begin: Begin,
    /// Its games, if they are complete.
    pub games: Option<Games>,
    /// Its search trees, if they are enabled and complete.
    pub trees: Option<SearchTrees>,
    /// Its network, if it is trained.
    pub training: Option<Training>,
    /// The match, if it is over.
    pub comparison: Option<Match>,
    /// Whether the generation is complete.
    pub ended: bool,
}

impl Entry {
    /// Whether the training data is complete.
    fn has_material(&self) -> bool {
        self.games.is_some() && (self.begin.learning.trees.is_none() || self.trees.is_some())
    }
}

/// Groups the lines of a manifest by generation.
///
/// # Errors
/// The number of the line, from 1, that is out of order.
pub fn entries(records: Vec<Record>) -> Result<Vec<Entry>, usize> {
    let mut entries: Vec<Entry> = Vec::new();
    for (i, record) in records.into_iter().enumerate() {
        let number = entries.len() as u32;
        let last = entries.last_mut().filter(|entry| !entry.ended);
        match (record, last) {
            (Record::Begin(begin), None) if begin.generation == number + 1 => {
                entries.push(Entry {
                    begin: *begin,
                    games: None,
                    trees: None,
                    training: None,
                    comparison: None,
                    ended: false,
                });
            }
            (Record::Games(games), Some(entry)) if games.generation == number => entry.games = Some(games),
            (Record::Trees(trees), Some(entry)) if trees.generation == number && entry.games.is_some() => {
                entry.trees = Some(trees);
            }
            (Record::Training(training), Some(entry)) if training.generation == number && entry.has_material() => {
                entry.training = Some(*training);
            }
            (Record::Match(comparison), Some(entry)) if comparison.generation == number && entry.training.is_some() => {
                entry.comparison = Some(comparison);
            }
            (Record::End(end), Some(entry)) if end.generation == number && entry.comparison.is_some() => {
                entry.ended = true;
            }
            _ => return Err(i + 1),
        }
    }
    Ok(entries)
}
