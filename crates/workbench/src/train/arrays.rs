//! Samples as numpy arrays, with a batch and its gradient. `scripts/train` trains on the samples and compares its own
//! gradient with the one stored here.
//!
//! All arrays are files in numpy's format, see [`npy`](crate::npy).
//!
//! `samples.npy`, a row for each sample. Training samples come first (nodes of search trees, then positions of games),
//! then held-out positions of games, then held-out nodes.
//!
//! | field | type | what |
//! |---|---|---|
//! | `cells` | u64 | offset of the board in `cells.npy`: four cells in a byte, row by row, the first in the lowest
//! bits; 0 empty, 1 black, 2 white |
//! | `candidates` | u64 | offset of the candidate moves in `candidates.npy`, u16, `y * width + x` |
//! | `count` | u16 | number of candidates |
//! | `best` | i16 | index of the best move among the candidates; -1: no policy target |
//! | `target` | 3 f32 | target probabilities of win, draw and loss for the side to move |
//! | `weight`, `policy_weight` | f32 | weights of the value loss and of the policy loss |
//! | `result` | f32 | result of the game: 1, 1/2 or 0; NaN if it does not count |
//! | `last` | 2 u16 | the opponent's last stone and the own last stone; 65535: none |
//! | `class` | 2 u8 | the classes of their points |
//! | `facts` | 32 u8 | counts that are inputs of the head |
//! | `kind` | u8 | [`Kind`] |
//! | `bound` | u8 | bound of the expected result: 0 the target is exact, 1 it is a lower bound, 2 it is an upper bound
//! |
//! | `white` | u8 | whether white is to move |
//! | `width`, `height` | u8 | of the board |
//!
//! `batch.npy`: the samples of the first step, each with its symmetry. `gradient.npy`: the gradient of this batch's
//! mean loss for each parameter, in the order of the checkpoint, with float weights and with quantized ones.
//! `losses.npy`: the sums of the losses and of their weights, a row for float weights and a row for quantized ones.
//! `recipe.json`: the [`Recipe`](super::checkpoint::Recipe), which identifies the state that belongs to the arrays.

use super::batch::{Machine, Pick};
use super::checkpoint::Checkpoint;
use super::head::Precision;
use super::mix::Mix;
use super::sample::{Head, Samples};
use super::{Data, Plan};
use crate::npy::{Array, fields};
use std::io;
use std::path::Path;
use tengen::board::Side;
use tengen::eval::network::layout::NON_POOLED_INPUTS;
use tengen::search::Bound;

/// Use of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A node of a search tree, for training.
    Node = 0,
    /// A position of a game, for training.
    Position = 1,
    /// A held-out position.
    HeldOutPosition = 2,
    /// A held-out node.
    HeldOutNode = 3,
}

const FIELDS: [(&str, &str, usize); 16] = [
    ("cells", "<u8", 1),
    ("candidates", "<u8", 1),
    ("count", "<u2", 1),
    ("best", "<i2", 1),
    ("target", "<f4", 3),
    ("weight", "<f4", 1),
    ("policy_weight", "<f4", 1),
    ("result", "<f4", 1),
    ("last", "<u2", 2),
    ("class", "|u1", 2),
    ("facts", "|u1", NON_POOLED_INPUTS),
    ("kind", "|u1", 1),
    ("bound", "|u1", 1),
    ("white", "|u1", 1),
    ("width", "|u1", 1),
    ("height", "|u1", 1),
];

/// Writer of the arrays of samples.
struct Writer {
    samples: Array,
    cells: Array,
    candidates: Array,
}

impl Writer {
    fn push(&mut self, samples: &Samples, head: &Head, kind: Kind) -> io::Result<()> {
        let candidates = samples.candidates(head);
        let (last, class) = (head.last.map(|l| l.map_or(u16::MAX, |(at, _)| at)), head.last.map(|l| l.map(|(_, c)| c)));
        let mut row = Vec::with_capacity(96);
        row.extend(self.cells.len().to_le_bytes());
        row.extend(self.candidates.len().to_le_bytes());
        row.extend((candidates.len() as u16).to_le_bytes());
        row.extend(head.best.map_or(-1, |best| best as i16).to_le_bytes());
        let floats = head.target.into_iter().chain([head.weight, head.policy_weight, head.result.unwrap_or(f32::NAN)]);
        row.extend(floats.flat_map(f32::to_le_bytes));
        row.extend(last.into_iter().flat_map(u16::to_le_bytes));
        row.extend(class.map(|c| c.map_or(0, |c| c as u8)));
        row.extend(head.facts);
        let bound = match head.bound {
            Bound::Exact => 0,
            Bound::Lower => 1,
            Bound::Upper => 2,
        };
        let white = u8::from(head.to_move == Side::White);
        row.extend([kind as u8, bound, white, head.size.width(), head.size.height()]);
        self.samples.push(&row)?;
        samples.packed(head).iter().try_for_each(|four| self.cells.push(&[*four]))?;
        candidates.iter().try_for_each(|at| self.candidates.push(&at.to_le_bytes()))
    }

    fn finish(self) -> io::Result<()> {
        [self.samples, self.cells, self.candidates].into_iter().try_for_each(Array::finish)
    }
}

/// Number of samples that are made at once.
const AT_ONCE: usize = 1 << 16;

/// Writes the samples of a run, and the batch of its next step with losses and gradient, to a folder. Creates the
/// folder if necessary and replaces existing arrays.
///
/// # Errors
/// Any I/O error.
pub fn write(folder: &Path, plan: &Plan, data: &Data, checkpoint: &Checkpoint) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let array = |name: &str, element: String| Array::create(&folder.join(format!("{name}.npy")), element);
    let mut writer = Writer {
        samples: array("samples", fields(&FIELDS))?,
        cells: array("cells", "'|u1'".to_owned())?,
        candidates: array("candidates", "'<u2'".to_owned())?,
    };
    let training: Vec<u32> = (0..data.training.len() as u32).collect();
    for indices in training.chunks(AT_ONCE) {
        let samples = data.training.samples(indices);
        for (i, index) in indices.iter().enumerate() {
            let kind = if (*index as usize) < data.training.nodes() { Kind::Node } else { Kind::Position };
            writer.push(&samples, samples.head(i), kind)?;
        }
    }
    for (samples, kind) in [(&data.held_out, Kind::HeldOutPosition), (&data.held_out_trees, Kind::HeldOutNode)] {
        (0..samples.len()).try_for_each(|i| writer.push(samples, samples.head(i), kind))?;
    }
    writer.finish()?;

    let mut batch = array("batch", fields(&[("sample", "<u4", 1), ("symmetry", "|u1", 1)]))?;
    let picks = Mix::new(plan, &data.training).picks(checkpoint.optimiser.steps as usize);
    for Pick { sample, symmetry } in &picks {
        let [a, b, c, d] = sample.to_le_bytes();
        batch.push(&[a, b, c, d, *symmetry])?;
    }
    batch.finish()?;

    let names = ["value", "values", "policy", "policies", "hits"].map(|name| (name, "<f8", 1));
    let mut sums = array("losses", fields(&names))?;
    let mut machine = Machine::new(checkpoint.sides);
    machine.leak = plan.leak;
    let mut gradients = Vec::new();
    let (samples, picks) = data.training.batch(&picks);
    for precision in [Precision::Float, Precision::Quantized] {
        let parameters = checkpoint.optimiser.current();
        let l = machine.learn(parameters, &samples, &picks, precision, plan.weighting);
        sums.push([l.value, l.values, l.policy, l.policies, l.hits].map(f64::to_le_bytes).as_flattened())?;
        gradients.push(machine.gradient.clone());
    }
    sums.finish()?;
    let mut gradient = array("gradient", fields(&[("plain", "<f4", 1), ("rounded", "<f4", 1)]))?;
    for (plain, rounded) in gradients[0].iter().zip(&gradients[1]) {
        gradient.push([*plain, *rounded].map(f32::to_le_bytes).as_flattened())?;
    }
    gradient.finish()?;
    std::fs::write(folder.join("recipe.json"), serde_json::to_vec(&checkpoint.recipe)?)
}
