//! The manifest of a folder: a log of the completed stages, a JSON object in each line.
//!
//! A generation has a line for each stage, in this order: `begin` with all settings, `games`, `trees` if it trains on
//! search trees, `training`, `gate` if there is one, `match` unless the gate is closed, and `end`. After `end` the next
//! generation may begin. The field `stage` names the stage. Losses are in nats; an unknown value, such as the loss on
//! zero positions, is `null`.

use super::settings::{Gate, Learning};
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
    /// Its network may play the match, or not.
    Gate(GateResult),
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
    /// What the network must predict better to play the match; absent if every network plays, and in older manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
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
    /// Quality of the network in force; absent if the classical evaluation is, and in older manifests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_force: Option<Measured>,
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
    /// Loss on the best move.
    pub order: Option<f64>,
    /// Share of positions in which the best move is ranked first.
    pub first: Option<f64>,
    /// Share of positions in which the best move is ranked among the first five.
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

/// Fewest held-out positions that a gate judges by.
const FEWEST_POSITIONS: usize = 1000;

/// How a network came through the gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// Number of the generation.
    pub generation: u32,
    /// How far the loss on the result fell below that of the evaluation in force.
    pub result: Option<f64>,
    /// How far the loss on the best move fell.
    pub best_move: Option<f64>,
    /// Whether the network plays the match. It does so unjudged if there are too few held-out positions.
    pub passed: bool,
}

impl GateResult {
    /// Judges a network by what was measured after its training.
    pub(super) fn new(gate: &Gate, training: &Training) -> GateResult {
        let before = training.in_force.as_ref().unwrap_or(&training.classical);
        let fall = |of: fn(&Measured) -> Option<f64>| Some(of(before)? - of(&training.network)?);
        let known = training.held_out >= FEWEST_POSITIONS;
        let [result, best_move] = [fall(|m| m.result), fall(|m| m.order)].map(|fall| fall.filter(|_| known));
        let is_enough = |fall: Option<f64>, least: f64| fall.is_none_or(|fall| fall >= least);
        let passed = is_enough(result, gate.result) && is_enough(best_move, gate.best_move);
        GateResult { generation: training.generation, result, best_move, passed }
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
    /// How it came through the gate, if there is one.
    pub gate: Option<GateResult>,
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

    /// Whether the network is to play the match.
    pub(super) fn may_play(&self) -> bool {
        let is_open = match &self.gate {
            Some(gate) => gate.passed,
            None => self.begin.gate.is_none(),
        };
        self.training.is_some() && is_open
    }

    /// Whether all stages but the last are complete.
    pub(super) fn is_decided(&self) -> bool {
        self.comparison.is_some() || self.gate.as_ref().is_some_and(|gate| !gate.passed)
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
                    gate: None,
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
            (Record::Gate(gate), Some(entry)) if gate.generation == number && entry.training.is_some() => {
                entry.gate = Some(gate);
            }
            (Record::Match(comparison), Some(entry)) if comparison.generation == number && entry.may_play() => {
                entry.comparison = Some(comparison);
            }
            (Record::End(end), Some(entry)) if end.generation == number && entry.is_decided() => {
                entry.ended = true;
            }
            _ => return Err(i + 1),
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn training(network: [f64; 2], in_force: Option<[f64; 2]>, held_out: usize) -> Training {
        let measured = |[result, order]: [f64; 2]| {
            let quality = Quality { result, order, ..Quality::default() };
            Measured::new(&quality, held_out)
        };
        Training {
            generation: 3,
            window: Vec::new(),
            games: 0,
            positions: 0,
            loss: [None; 2],
            held_out,
            network: measured(network),
            classical: measured([0.6, 2.4]),
            in_force: in_force.map(measured),
            file: Fingerprint { name: String::new(), bytes: 0, crc32: String::new() },
            name: String::new(),
            liveness: None,
            seconds: 0.0,
        }
    }

    #[test]
    fn a_gate_compares_both_losses_with_the_evaluation_in_force() {
        let passes = |network, in_force, held_out| {
            GateResult::new(&Gate::default(), &training(network, in_force, held_out)).passed
        };
        assert!(passes([0.55, 1.96], Some([0.554, 1.99]), 5000));
        assert!(!passes([0.55, 1.96], Some([0.552, 1.99]), 5000), "the result is hardly better predicted");
        assert!(!passes([0.55, 1.96], Some([0.554, 1.97]), 5000), "the best move is hardly better predicted");
        assert!(!passes([0.56, 1.96], Some([0.554, 1.99]), 5000), "a loss has risen");
        // The classical evaluation where no network is in force.
        assert!(passes([0.55, 1.96], None, 5000) && !passes([0.599, 1.96], None, 5000));
        let few = GateResult::new(&Gate::default(), &training([0.6, 2.0], Some([0.5, 1.9]), 999));
        assert_eq!((few.passed, few.result, few.best_move), (true, None, None));
    }
}
