//! The manifest of a folder: what was done, a JSON object in each line.
//!
//! A generation has a line for each stage, in this order: `begin` with all settings, `games`, `trees` if it learns
//! from search trees, `training`, `match`, and `end`, after which the next generation may begin. The field `stage` says
//! which it is. Losses are in nats; a number that is not known, such as the loss on no positions, is `null`.

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
    /// A generation was begun.
    Begin(Box<Begin>),
    /// Its games are complete.
    Games(Games),
    /// Their search trees are complete.
    Trees(SearchTrees),
    /// Its network is trained.
    Training(Box<Training>),
    /// The network was compared.
    Match(Match),
    /// The generation is complete.
    End(End),
}

/// What a generation was begun with.
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
    /// How they are made: engine, its bench signature, evaluation in force, rule, boards, nodes, seed and more.
    pub selfplay: Run,
    /// Newest generations whose games are learned from.
    pub window: u32,
    /// How the network is trained. The seed is that of the games.
    pub learning: Learning,
    /// How it is compared.
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
    /// Most pairs of games.
    pub pairs: u64,
    /// The sequential test.
    pub sprt: SprtSpec,
}

/// Games that were made.
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
    /// Seconds since the stage was begun, or gone on with.
    pub seconds: f64,
}

/// Search trees that were made of a generation's games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchTrees {
    /// Number of the generation.
    pub generation: u32,
    /// Their file.
    pub file: Fingerprint,
    /// Nodes in it.
    pub nodes: u64,
    /// Seconds since the stage was begun, or gone on with.
    pub seconds: f64,
}

/// A network that was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Number of the generation.
    pub generation: u32,
    /// Files of the games that it has learned from, the oldest first.
    pub window: Vec<Fingerprint>,
    /// Their games.
    pub games: u64,
    /// Positions learned from: those of the games that are not held out, and nodes of their search trees.
    pub positions: usize,
    /// Losses on the training positions at the end: value and policy.
    pub loss: [Option<f64>; 2],
    /// Positions of the held-out games.
    pub held_out: usize,
    /// How good the network is on them, as the engine computes.
    pub network: Measured,
    /// How good the classical evaluation is on the same.
    pub classical: Measured,
    /// The network's file.
    pub file: Fingerprint,
    /// The network's name in records of games.
    pub name: String,
    /// Seconds since the stage was begun, or gone on with.
    pub seconds: f64,
}

/// See [`Quality`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Loss on the game's result.
    pub result: Option<f64>,
    /// The same with the scores scaled as fits best.
    pub scaled: Option<f64>,
    /// That scale.
    pub factor: Option<f64>,
    /// Loss on the search's score.
    pub search: Option<f64>,
    /// Loss on the best move.
    pub order: Option<f64>,
    /// Share of best moves that come first.
    pub first: Option<f64>,
    /// Share of best moves among the first five.
    pub five: Option<f64>,
}

/// A number that JSON has.
pub(super) fn known(number: f64) -> Option<f64> {
    Some(number).filter(|n| n.is_finite())
}

impl Measured {
    /// A quality; nothing is known from no positions.
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
    /// Name of what it was compared with.
    pub against: String,
    /// Pairs by the network's points: 0, 1/2, 1, 1 1/2, 2.
    pub pairs: [u64; 5],
    /// Games that it won, drew and lost.
    pub games: [u64; 3],
    /// Pairs that the same colour won twice; absent in older manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_colour: Option<u64>,
    /// Difference in Elo; null if one side took every point.
    pub elo: Option<f64>,
    /// The ends of its 95% interval; null is no limit.
    pub interval: [Option<f64>; 2],
    /// Log-likelihood ratio of the test, and its bounds.
    pub llr: f64,
    /// See `llr`.
    pub bounds: (f64, f64),
    /// What the test says.
    pub verdict: String,
    /// Whether the network is adopted.
    pub accepted: bool,
    /// Seconds since the stage was begun, or gone on with.
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

/// What is known of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its settings.
    pub begin: Begin,
    /// Its games, if they are complete.
    pub games: Option<Games>,
    /// Their search trees, if they are wanted and complete.
    pub trees: Option<SearchTrees>,
    /// Its network, if there is one.
    pub training: Option<Training>,
    /// The match, if it is over.
    pub comparison: Option<Match>,
    /// Whether all is done.
    pub ended: bool,
}

impl Entry {
    /// Whether all is there that its network learns from.
    fn has_material(&self) -> bool {
        self.games.is_some() && (self.begin.learning.trees.is_none() || self.trees.is_some())
    }
}

/// The generations of a manifest's lines, or the number of the line, from 1, that is out of order.
///
/// # Errors
/// See above.
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
