//! The state of a training run, from which the run can be resumed.
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TGC5`: magic, the last byte the version |
//! | 1 | u8 | number of the rule in [`Rule::ALL`] |
//! | 4 | u32 | bytes of the recipe, k |
//! | k | | [`Recipe`] in JSON, or `null` |
//! | 40 | f64 | sums since the last mark: value loss, its weights, policy loss, its weights, hits |
//! | 4 | u32 | parameters, n |
//! | 4 | u32 | steps taken |
//! | 4 | u32 | marks of the history, m |
//! | 24 m | | marks: step u32, then five f32 |
//! | 16 n | f32 | parameters, their moving average, moving averages of the gradient and of its square |
//! | 4 | u32 | residual rows, r |
//! | 196 r | f32 | for each: 16 weights, 16 moving averages of their gradients, 16 of the squares, number of batches
//! seen |
//! | 4 | u32 | CRC-32 (IEEE) of all preceding bytes |

use super::head::Losses;
use super::model::Sides;
use super::optimiser::Optimiser;
use super::residual::{Entry, Residual};
use super::validate::Quality;
use super::{Plan, Targets, joint, sides_of};
use serde::{Deserialize, Serialize};
use std::fmt;
use tengen::eval::network::layout::HALF;
use tengen::eval::network::lines::SHAPES;
use tengen::rules::Rule;

const MAGIC: [u8; 4] = *b"TGC5";

/// Bytes of a residual row.
const ENTRY_BYTES: u64 = 4 * (3 * HALF as u64 + 1);

/// Losses at one step of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Steps taken.
    pub step: u32,
    /// On training samples since the last mark: value and policy.
    pub training: [f32; 2],
    /// On held-out samples: loss on the game's result, policy loss, share of positions whose best move is ranked first.
    /// NaN without held-out samples.
    pub held_out: [f32; 3],
}

impl Mark {
    /// The mark after `step` steps.
    pub fn new(step: u32, training: &Losses, held_out: Option<&Quality>) -> Mark {
        Mark {
            step,
            training: [(training.value / training.values) as f32, (training.policy / training.policies) as f32],
            held_out: held_out.map_or([f32::NAN; 3], |q| [q.result as f32, q.order as f32, q.first as f32]),
        }
    }
}

/// All inputs that determine a run's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Training settings.
    pub plan: Plan,
    /// Settings of the training targets.
    pub targets: Targets,
    /// The initial weights; `None` for random ones.
    pub warm_start: Option<Material>,
    /// The games.
    pub games: Material,
    /// The search trees.
    pub trees: Material,
}

/// Fingerprint of training data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Material {
    /// Number of records.
    pub count: usize,
    /// CRC-32 (IEEE) of the concatenated records.
    pub crc32: String,
}

impl Material {
    /// Computes the fingerprint of records.
    pub fn of(records: impl Iterator<Item = impl AsRef<[u8]>>) -> Material {
        let (mut count, mut hasher) = (0, crc32fast::Hasher::new());
        for record in records {
            count += 1;
            hasher.update(record.as_ref());
        }
        Material { count, crc32: format!("{:08x}", hasher.finalize()) }
    }
}

/// A training run between two steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The rule of the network.
    pub rule: Rule,
    /// The inputs of the run; `None` before its first step.
    pub recipe: Option<Recipe>,
    /// Whether its sides share their weights.
    pub sides: Sides,
    /// Parameters and the optimiser's moments.
    pub optimiser: Optimiser,
    /// Losses so far.
    pub history: Vec<Mark>,
    /// Losses on training samples since the last mark.
    pub losses: Losses,
}

/// Error decoding a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointError {
    /// The file has a wrong magic.
    NotACheckpoint,
    /// The file has another version, or the network has another shape.
    Version,
    /// The file is incomplete or its checksum is wrong.
    Damaged,
    /// The file is the state of a joint run where that of one rule is wanted.
    OfSeveralRules,
    /// The file is the state of a run of one rule where that of a joint run is wanted.
    OfOneRule,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckpointError::NotACheckpoint => "no checkpoint of a training run",
            CheckpointError::Version => "a checkpoint of another version",
            CheckpointError::Damaged => "a damaged checkpoint",
            CheckpointError::OfSeveralRules => "a checkpoint of several rules that were trained together",
            CheckpointError::OfOneRule => "a checkpoint of one rule",
        })
    }
}

impl std::error::Error for CheckpointError {}

impl Checkpoint {
    /// Encodes the run as the bytes of a file.
    pub fn encode(&self) -> Vec<u8> {
        let Optimiser { values, average, moments, residual, steps } = &self.optimiser;
        let mut bytes = MAGIC.to_vec();
        bytes.push(Rule::ALL.iter().position(|r| *r == self.rule).unwrap_or(0) as u8);
        let recipe = serde_json::to_vec(&self.recipe).expect("numbers and texts alone");
        bytes.extend((recipe.len() as u32).to_le_bytes());
        bytes.extend(recipe);
        let l = &self.losses;
        [l.value, l.values, l.policy, l.policies, l.hits].iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        for number in [values.len() as u32, *steps, self.history.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        for mark in &self.history {
            bytes.extend(mark.step.to_le_bytes());
            mark.training.iter().chain(&mark.held_out).for_each(|v| bytes.extend(v.to_le_bytes()));
        }
        for part in [values, average, &moments[0], &moments[1]] {
            part.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        }
        let entries = residual.as_ref().map_or(&[][..], |r| &r.entries);
        bytes.extend((entries.len() as u32).to_le_bytes());
        for Entry { value, moments: [mean, square], seen } in entries {
            let numbers = value.iter().chain(mean).chain(square).chain([seen]);
            bytes.extend(numbers.flat_map(|v| v.to_le_bytes()));
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Decodes a run from the bytes of a file.
    ///
    /// # Errors
    /// See [`CheckpointError`].
    pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        use CheckpointError::{Damaged, NotACheckpoint, OfSeveralRules, Version};
        if bytes.starts_with(&joint::MAGIC) {
            return Err(OfSeveralRules);
        }
        if !bytes.starts_with(&MAGIC[..3]) {
            return Err(NotACheckpoint);
        }
        if !bytes.starts_with(&MAGIC) {
            return Err(Version);
        }
        let (body, crc) = bytes.split_last_chunk().ok_or(Damaged)?;
        if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
            return Err(Damaged);
        }
        let (rule, rest) = body[4..].split_first().ok_or(Damaged)?;
        let rule = *Rule::ALL.get(usize::from(*rule)).ok_or(Damaged)?;
        let sides = sides_of(rule);
        let (length, rest) = rest.split_first_chunk().ok_or(Damaged)?;
        let (recipe, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(Damaged)?;
        let recipe = serde_json::from_slice(recipe).map_err(|_| Damaged)?;
        let (losses, rest) = rest.split_at_checked(40).ok_or(Damaged)?;
        let loss = |i: usize| losses[8 * i..].first_chunk().map_or(0.0, |b| f64::from_le_bytes(*b));
        let [value, values, policy, policies, hits] = std::array::from_fn(loss);
        let losses = Losses { value, values, policy, policies, hits };
        let mut words = rest.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]);
        let mut number = || words.next().map(u32::from_le_bytes).ok_or(Damaged);
        let (parameters, steps, marks) = (number()? as usize, number()?, number()? as usize);
        if parameters != sides.parameters() {
            return Err(Version);
        }
        let without = 16 + 24 * marks as u64 + 16 * parameters as u64;
        let entries = (rest.len() as u64).checked_sub(without).ok_or(Damaged)? / ENTRY_BYTES;
        let all = (sides.0 * SHAPES) as u64;
        if (entries != 0 && entries != all) || rest.len() as u64 != without + entries * ENTRY_BYTES {
            return Err(Damaged);
        }
        let mut float = || words.next().map_or(0.0, f32::from_le_bytes);
        let mut history = Vec::with_capacity(marks);
        for _ in 0..marks {
            let step = float().to_bits();
            history.push(Mark { step, training: [(); 2].map(|()| float()), held_out: [(); 3].map(|()| float()) });
        }
        let [values, average, mean, square] = [(); 4].map(|()| (0..parameters).map(|_| float()).collect());
        let count = float().to_bits();
        if u64::from(count) != entries {
            return Err(Damaged);
        }
        let mut entry = || {
            let [value, mean, square] = [(); 3].map(|()| [(); HALF].map(|()| float()));
            Entry { value, moments: [mean, square], seen: float() }
        };
        let residual = (count > 0).then(|| Residual { entries: (0..count).map(|_| entry()).collect() });
        Ok(Checkpoint {
            rule,
            recipe,
            sides,
            optimiser: Optimiser { values, average, moments: [mean, square], residual, steps },
            history,
            losses,
        })
    }
}
