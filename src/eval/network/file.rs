//! The file format of trained weights.
//!
//! A file has one or more sets of weights, each for some of the rules; the other rules are not supported by the
//! network. All values are little endian.
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TNN3`: magic, the last byte the version |
//! | 4 | u32 | CRC-32 (IEEE) of all that follows |
//! | 10 | u16 | [`HALF`], [`REGIONS`], [`NON_POOLED_INPUTS`], [`HIDDEN`], number of sets |
//! | | | *each set:* |
//! | 1, 1 | u8 | its rules, a bit for each in the order of [`Rule::ALL`]; 1 if the sides share their weights, otherwise 2 |
//! | 2 | u16 | units of score for one unit of log-odds |
//! | | | *each side:* |
//! | [`HALF`] x [`SHAPES`] | i8 | half rows by line shape |
//! | | | *each side:* |
//! | (18 x [`HALF`] + 32) x 32, 32 | i8, i32 | first layer, a row for each input; biases |
//! | 32 x 32, 32 | i8, i32 | second layer; biases |
//! | 32 x 4, 4 | i8, i32 | output: win, draw, loss, padding; biases |
//! | 2 x [`HALF`], 32 x 2 x [`HALF`] | i32, i8 | policy weights of the lanes; their gates, by units of the first layer |
//! | 2 x 14 x 36 | i16 | logits by the opponent's and the own last stone, its class and the displacement from it |

use super::layout::{HALF, HEAD_UNIT, HIDDEN, NEAR_UNIT, NON_POOLED_INPUTS, OUTPUTS, REGIONS, ROW_UNIT};
use super::lines::SHAPES;
use crate::eval::DISPLACEMENTS;
use crate::pattern::PointClass;
use crate::rules::Rule;
use std::fmt;
use std::ops::Range;

const MAGIC: [u8; 4] = *b"TNN3";

/// Entries of the policy's tables by last stone: the opponent's, then the own.
pub const NEAR: usize = 2 * PointClass::COUNT * DISPLACEMENTS;

/// Largest magnitude of biases and of the policy's weights, which keeps all sums from overflowing.
pub const LARGEST: i32 = 1 << 24;

/// Error decoding a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The bytes do not start like a network.
    NotANetwork,
    /// The file has another version.
    Version,
    /// The network has another shape than the one this program supports.
    Shape,
    /// The file is incomplete, or its checksum is wrong.
    Damaged,
    /// The bytes start like a file of classical weights but are not one.
    DamagedWeights,
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NetworkError::NotANetwork => "not a network, nor a file of weights",
            NetworkError::Version => "a network of another version",
            NetworkError::Shape => "a network of another shape",
            NetworkError::Damaged => "a damaged network",
            NetworkError::DamagedWeights => "a damaged file of weights, or one of another version",
        })
    }
}

impl std::error::Error for NetworkError {}

/// The weights of a head as trained and stored in a file: matrices have a row for each input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadWeights {
    /// Weights of the first layer, [`INPUTS`](super::layout::INPUTS) by [`HIDDEN`].
    pub first: Vec<i8>,
    /// Its biases.
    pub first_bias: Vec<i32>,
    /// Weights of the second layer, [`HIDDEN`] by [`HIDDEN`].
    pub second: Vec<i8>,
    /// Its biases.
    pub second_bias: Vec<i32>,
    /// Weights of the output layer, [`HIDDEN`] by [`OUTPUTS`].
    pub output: Vec<i8>,
    /// Its biases.
    pub output_bias: Vec<i32>,
    /// Policy weights of the lanes, [`LANES`](super::layout::LANES).
    pub policy: Vec<i32>,
    /// What the units of the first layer add to the policy weights, [`HIDDEN`] by [`LANES`](super::layout::LANES).
    pub gate: Vec<i8>,
    /// Logits by last stone, [`NEAR`].
    pub near: Vec<i16>,
}

/// Trained weights: an entry for each side, or one for both. `Rows` are the rows of a side, either owned or borrowed
/// from the file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetWeights<Rows = Vec<i8>> {
    /// The rules that the weights are for, at least one, in the order of [`Rule::ALL`].
    pub rules: Vec<Rule>,
    /// Evaluation units for one unit of the value's log-odds, at least 1.
    pub scale: u16,
    /// Half rows, [`HALF`] values for each line shape.
    pub rows: Vec<Rows>,
    /// Heads by side to move.
    pub heads: Vec<HeadWeights>,
}

impl SetWeights<&[i8]> {
    /// The same network with all lanes, from weights with `half` lanes for each side.
    fn widened(self, half: usize) -> SetWeights {
        let SetWeights { rules, scale, rows, mut heads } = self;
        let rows = rows.into_iter().map(|rows| widened(rows, half, 1)).collect();
        for head in &mut heads {
            let facts = head.first.split_off(REGIONS * 2 * half * HIDDEN);
            head.first = widened(&head.first, half, HIDDEN);
            head.first.extend(facts);
            head.policy = widened(&head.policy, half, 1);
            head.gate = widened(&head.gate, half, 1);
        }
        SetWeights { rules, scale, rows, heads }
    }
}

/// Widens values with `each` entries per lane, stored one side's lanes after another's: from `half` lanes of a side to
/// all lanes. The new entries are zero.
fn widened<T: Copy + Default>(numbers: &[T], half: usize, each: usize) -> Vec<T> {
    let mut wide = Vec::new();
    for side in numbers.chunks_exact(half * each) {
        wide.extend_from_slice(side);
        wide.resize(wide.len() + (HALF - half) * each, T::default());
    }
    wide
}

/// Encodes these sets as a file.
pub fn encode(sets: &[SetWeights]) -> Vec<u8> {
    let mut body = Vec::new();
    for number in [HALF, REGIONS, NON_POOLED_INPUTS, HIDDEN, sets.len()] {
        body.extend((number as u16).to_le_bytes());
    }
    let bytes = |body: &mut Vec<u8>, numbers: &[i8]| body.extend(numbers.iter().map(|n| *n as u8));
    let words = |body: &mut Vec<u8>, numbers: &[i32]| body.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    for set in sets {
        let bits = Rule::ALL.iter().enumerate().map(|(i, rule)| u8::from(set.rules.contains(rule)) << i);
        body.push(bits.sum());
        body.push(set.heads.len() as u8);
        body.extend(set.scale.to_le_bytes());
        set.rows.iter().for_each(|rows| bytes(&mut body, rows));
        for head in &set.heads {
            for (weights, biases) in
                [(&head.first, &head.first_bias), (&head.second, &head.second_bias), (&head.output, &head.output_bias)]
            {
                bytes(&mut body, weights);
                words(&mut body, biases);
            }
            words(&mut body, &head.policy);
            bytes(&mut body, &head.gate);
            body.extend(head.near.iter().flat_map(|n| n.to_le_bytes()));
        }
    }
    let crc = crc32fast::hash(&body).to_le_bytes();
    [&MAGIC[..], &crc, &body].concat()
}

/// Decodes the sets of a file. The network may be narrower, with fewer lanes than [`HALF`]; the missing lanes and all
/// their weights are then zero.
///
/// # Errors
/// See [`NetworkError`]; never panics, whatever the bytes.
pub fn decode(bytes: &[u8]) -> Result<Vec<SetWeights>, NetworkError> {
    check(bytes)?;
    let (half, places) = places(bytes)?;
    places.into_iter().map(|place| Ok(Reader(&bytes[place.bytes]).set(half)?.widened(half))).collect()
}

/// Checks the checksum of a file.
///
/// # Errors
/// See [`NetworkError`].
pub fn check(bytes: &[u8]) -> Result<(), NetworkError> {
    let body = body(bytes)?;
    if *checksum(bytes) == crc32fast::hash(body).to_le_bytes() { Ok(()) } else { Err(NetworkError::Damaged) }
}

/// Bytes before the sets of a file: magic, checksum, and five `u16` values.
pub const HEAD_BYTES: usize = BODY + 5 * size_of::<u16>();

/// Checks whether a file may be a network for inference, by its length and its first bytes (the first [`HEAD_BYTES`],
/// or all if it is shorter).
///
/// # Errors
/// See [`NetworkError`].
pub fn check_head(head: &[u8], length: u64) -> Result<(), NetworkError> {
    let (half, count) = Reader(body(head)?).shape()?;
    if half != HALF {
        return Err(NetworkError::Shape);
    }
    // Each set has the weights of one side or of two.
    let sides = length.checked_sub((HEAD_BYTES + count * SET_HEAD) as u64).ok_or(NetworkError::Damaged)?;
    let side = side_bytes(half) as u64;
    let is_whole = sides % side == 0 && (count as u64..=2 * count as u64).contains(&(sides / side));
    if is_whole { Ok(()) } else { Err(NetworkError::Damaged) }
}

/// The checksum stored in a network's file.
pub fn checksum(bytes: &[u8]) -> &[u8] {
    &bytes[MAGIC.len()..BODY]
}

/// Bytes of a set before the weights of its sides.
const SET_HEAD: usize = 4;

/// Offset of a file's body: after the magic and the checksum.
const BODY: usize = MAGIC.len() + 4;

fn body(bytes: &[u8]) -> Result<&[u8], NetworkError> {
    if !bytes.starts_with(&MAGIC[..3]) {
        return Err(NetworkError::NotANetwork);
    }
    if !bytes.starts_with(&MAGIC) {
        return Err(NetworkError::Version);
    }
    bytes.get(BODY..).ok_or(NetworkError::Damaged)
}

/// A set of a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The rules that the set is for.
    pub rules: Vec<Rule>,
    /// The range of the set in the file's bytes.
    pub bytes: Range<usize>,
}

/// The sets of a file, without decoding their weights: fast for any size. An error if two sets are for the same rule.
///
/// # Errors
/// See [`NetworkError`].
pub fn contents(bytes: &[u8]) -> Result<Vec<Place>, NetworkError> {
    let (half, places) = places(bytes)?;
    if half == HALF { Ok(places) } else { Err(NetworkError::Shape) }
}

/// The number of lanes of a side, at most [`HALF`], and the sets of a file.
fn places(bytes: &[u8]) -> Result<(usize, Vec<Place>), NetworkError> {
    let mut reader = Reader(body(bytes)?);
    let (half, count) = reader.shape()?;
    let mut sets = Vec::<Place>::with_capacity(count);
    for _ in 0..count {
        let start = bytes.len() - reader.0.len();
        let (rules, sides, _) = reader.set_head()?;
        if sets.iter().flat_map(|earlier| &earlier.rules).any(|rule| rules.contains(rule)) {
            return Err(NetworkError::Damaged);
        }
        reader.take(usize::from(sides) * side_bytes(half))?;
        sets.push(Place { rules, bytes: start..bytes.len() - reader.0.len() });
    }
    if reader.0.is_empty() { Ok((half, sets)) } else { Err(NetworkError::Damaged) }
}

/// Decodes the set in a range that [`contents`] returned.
///
/// # Errors
/// See [`NetworkError`].
pub fn view(bytes: &[u8]) -> Result<SetWeights<&[i8]>, NetworkError> {
    Reader(bytes).set(HALF)
}

/// Bytes of one side's rows and head, with `half` lanes for each side.
fn side_bytes(half: usize) -> usize {
    SHAPES * half
        + (inputs(half) + HIDDEN + OUTPUTS + 2 * half) * HIDDEN
        + size_of::<i32>() * (2 * HIDDEN + OUTPUTS + 2 * half)
        + size_of::<i16>() * NEAR
}

/// Inputs of a head, with `half` lanes for each side.
fn inputs(half: usize) -> usize {
    REGIONS * 2 * half + NON_POOLED_INPUTS
}

/// The unread rest of a file.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], NetworkError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(NetworkError::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn u16(&mut self) -> Result<usize, NetworkError> {
        self.take(2).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))
    }

    fn i8s(&mut self, count: usize) -> Result<&'a [i8], NetworkError> {
        self.take(count).map(bytemuck::cast_slice)
    }

    /// Reads values whose magnitude is at most [`LARGEST`].
    fn i32s(&mut self, count: usize) -> Result<Vec<i32>, NetworkError> {
        let word =
            |b: &[u8]| Some(i32::from_le_bytes([b[0], b[1], b[2], b[3]])).filter(|n| n.abs_diff(0) <= LARGEST as u32);
        self.take(4 * count)?.chunks_exact(4).map(word).collect::<Option<_>>().ok_or(NetworkError::Damaged)
    }

    /// Reads the number of lanes of a side and the number of sets, and checks that the rest of the shape is this
    /// program's.
    fn shape(&mut self) -> Result<(usize, usize), NetworkError> {
        let half = self.u16()?;
        if !(1..=HALF).contains(&half) {
            return Err(NetworkError::Shape);
        }
        for expected in [REGIONS, NON_POOLED_INPUTS, HIDDEN] {
            if self.u16()? != expected {
                return Err(NetworkError::Shape);
            }
        }
        let count = self.u16()?;
        if (1..=Rule::ALL.len()).contains(&count) { Ok((half, count)) } else { Err(NetworkError::Damaged) }
    }

    /// Reads rules, number of sides and scale: [`SET_HEAD`] bytes.
    fn set_head(&mut self) -> Result<(Vec<Rule>, u8, u16), NetworkError> {
        let [bits, sides] = *self.take(2)? else { return Err(NetworkError::Damaged) };
        let rules: Vec<Rule> =
            (0..8).filter(|i| bits >> i & 1 == 1).filter_map(|i| Rule::ALL.get(i).copied()).collect();
        if rules.len() != bits.count_ones() as usize || rules.is_empty() || !(1..=2).contains(&sides) {
            return Err(NetworkError::Damaged);
        }
        let scale = self.u16()? as u16;
        if scale == 0 {
            return Err(NetworkError::Damaged);
        }
        Ok((rules, sides, scale))
    }

    /// Reads a set with `half` lanes for each side.
    fn set(&mut self, half: usize) -> Result<SetWeights<&'a [i8]>, NetworkError> {
        let (rules, sides, scale) = self.set_head()?;
        let rows = (0..sides).map(|_| self.i8s(SHAPES * half)).collect::<Result<_, _>>()?;
        let heads = (0..sides).map(|_| self.head(half)).collect::<Result<_, _>>()?;
        Ok(SetWeights { rules, scale, rows, heads })
    }

    fn head(&mut self, half: usize) -> Result<HeadWeights, NetworkError> {
        Ok(HeadWeights {
            first: self.i8s(inputs(half) * HIDDEN)?.to_vec(),
            first_bias: self.i32s(HIDDEN)?,
            second: self.i8s(HIDDEN * HIDDEN)?.to_vec(),
            second_bias: self.i32s(HIDDEN)?,
            output: self.i8s(HIDDEN * OUTPUTS)?.to_vec(),
            output_bias: self.i32s(OUTPUTS)?,
            policy: self.i32s(2 * half)?,
            gate: self.i8s(HIDDEN * 2 * half)?.to_vec(),
            near: self.take(2 * NEAR)?.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect(),
        })
    }
}

/// Quantizes values: rounds them to multiples of `1 / unit` and limits the result to `most` in magnitude.
pub fn quantise<T: TryFrom<i32> + Default>(values: &[f32], unit: i32, most: i32) -> Vec<T> {
    let rounded = |v: &f32| (v * unit as f32).round_ties_even().clamp(-(most as f32), most as f32) as i32;
    values.iter().map(|v| T::try_from(rounded(v)).unwrap_or_default()).collect()
}

/// The units in which a file holds rows, weights, biases and the policy's tables.
pub const UNITS: [i32; 4] = [ROW_UNIT, HEAD_UNIT, HEAD_UNIT * HEAD_UNIT, NEAR_UNIT];
