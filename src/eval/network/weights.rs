//! Trained numbers: the file that holds them, and the form in which inference uses them.
//!
//! A file has a set for each rule that was learned; rules without one are not evaluated by it. Numbers are little
//! endian.
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TNN2`: magic, the last byte the version |
//! | 4 | u32 | CRC-32 (IEEE) of all that follows |
//! | 10 | u16 | [`HALF`], [`REGIONS`], [`FACTS`], [`HIDDEN`], number of sets |
//! | | | *each set:* |
//! | 1, 1 | u8 | number of the rule in [`Rule::ALL`]; 1 if the sides share their numbers, otherwise 2 |
//! | 2 | u16 | units of score for one unit of log-odds |
//! | | | *each side:* |
//! | 16 x [`SHAPES`] | i8 | half rows by line shape |
//! | | | *each side:* |
//! | 320 x 32, 32 | i8, i32 | first layer, a row for each input; biases |
//! | 32 x 32, 32 | i8, i32 | second layer; biases |
//! | 32 x 4, 4 | i8, i32 | output: win, draw, loss, padding; biases |
//! | 32, 32 x 32 | i32, i8 | policy weights of the lanes; their gates, a row for each unit of the first layer |
//! | 2 x 14 x 36 | i16 | logits by the opponent's and the own last stone, its class and the displacement from it |

use super::layout::{FACTS, HALF, HEAD_UNIT, HIDDEN, INPUTS, LANES, NEAR_UNIT, OUTPUTS, REGIONS, ROW_UNIT};
use super::lines::{SHAPES, shape, swap_centre};
use crate::eval::DISPLACEMENTS;
use crate::pattern::{ARMS, CODES, PointClass, swap_arm};
use crate::rules::Rule;
use std::fmt;
use std::sync::OnceLock;

const MAGIC: [u8; 4] = *b"TNN2";

/// Entries of the policy's tables by last stone.
pub const NEAR: usize = 2 * PointClass::COUNT * DISPLACEMENTS;

/// Why bytes are no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// They do not begin like one.
    Foreign,
    /// They are of another version.
    Version,
    /// The network has another shape than this program's.
    Shape,
    /// They are incomplete, or their checksum is wrong.
    Damaged,
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NetworkError::Foreign => "not a network, nor a file of weights",
            NetworkError::Version => "a network of another version",
            NetworkError::Shape => "a network of another shape",
            NetworkError::Damaged => "a damaged network",
        })
    }
}

impl std::error::Error for NetworkError {}

/// A head as it is trained and kept in a file: matrices have a row for each input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadNumbers {
    /// First layer, [`INPUTS`] by [`HIDDEN`].
    pub first: Vec<i8>,
    /// Its biases.
    pub first_bias: Vec<i32>,
    /// Second layer, [`HIDDEN`] by [`HIDDEN`].
    pub second: Vec<i8>,
    /// Its biases.
    pub second_bias: Vec<i32>,
    /// Output, [`HIDDEN`] by [`OUTPUTS`].
    pub output: Vec<i8>,
    /// Its biases.
    pub output_bias: Vec<i32>,
    /// Policy weights of the lanes, [`LANES`].
    pub policy: Vec<i32>,
    /// What units of the first layer add to them, [`HIDDEN`] by [`LANES`].
    pub gate: Vec<i8>,
    /// Logits by last stone, [`NEAR`].
    pub near: Vec<i16>,
}

/// Numbers of one rule as they are trained: an entry for each side, or one for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetNumbers {
    /// The rule.
    pub rule: Rule,
    /// Evaluation units for one unit of the value's log-odds, at least 1.
    pub scale: u16,
    /// Half rows, [`HALF`] numbers for each line shape.
    pub rows: Vec<Vec<i8>>,
    /// Heads by side to move.
    pub heads: Vec<HeadNumbers>,
}

/// The file that holds these sets.
pub fn encode(sets: &[SetNumbers]) -> Vec<u8> {
    let mut body = Vec::new();
    for number in [HALF, REGIONS, FACTS, HIDDEN, sets.len()] {
        body.extend((number as u16).to_le_bytes());
    }
    let bytes = |body: &mut Vec<u8>, numbers: &[i8]| body.extend(numbers.iter().map(|n| *n as u8));
    let words = |body: &mut Vec<u8>, numbers: &[i32]| body.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    for set in sets {
        body.push(Rule::ALL.iter().position(|r| *r == set.rule).unwrap_or(0) as u8);
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

/// The sets in a file's bytes.
///
/// # Errors
/// See [`NetworkError`]; never panics, whatever the bytes.
pub fn decode(bytes: &[u8]) -> Result<Vec<SetNumbers>, NetworkError> {
    if !bytes.starts_with(&MAGIC[..3]) {
        return Err(NetworkError::Foreign);
    }
    if !bytes.starts_with(&MAGIC) {
        return Err(NetworkError::Version);
    }
    let (crc, body) = bytes[4..].split_first_chunk().ok_or(NetworkError::Damaged)?;
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return Err(NetworkError::Damaged);
    }
    let mut reader = Reader(body);
    for expected in [HALF, REGIONS, FACTS, HIDDEN] {
        if reader.u16()? != expected {
            return Err(NetworkError::Shape);
        }
    }
    let count = reader.u16()?;
    if count > Rule::ALL.len() {
        return Err(NetworkError::Damaged);
    }
    let sets = (0..count).map(|_| reader.set()).collect::<Result<Vec<_>, _>>()?;
    if reader.0.is_empty() { Ok(sets) } else { Err(NetworkError::Damaged) }
}

/// The rest of a file.
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

    fn i8s(&mut self, count: usize) -> Result<Vec<i8>, NetworkError> {
        self.take(count).map(|bytes| bytes.iter().map(|b| *b as i8).collect())
    }

    fn i32s(&mut self, count: usize) -> Result<Vec<i32>, NetworkError> {
        let word = |b: &[u8]| i32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        self.take(4 * count).map(|bytes| bytes.chunks_exact(4).map(word).collect())
    }

    fn set(&mut self) -> Result<SetNumbers, NetworkError> {
        let [rule, sides] = *self.take(2)? else { return Err(NetworkError::Damaged) };
        let rule = *Rule::ALL.get(usize::from(rule)).ok_or(NetworkError::Damaged)?;
        if !(1..=2).contains(&sides) {
            return Err(NetworkError::Damaged);
        }
        let scale = self.u16()? as u16;
        if scale == 0 {
            return Err(NetworkError::Damaged);
        }
        let rows = (0..sides).map(|_| self.i8s(SHAPES * HALF)).collect::<Result<_, _>>()?;
        let heads = (0..sides).map(|_| self.head()).collect::<Result<_, _>>()?;
        Ok(SetNumbers { rule, scale, rows, heads })
    }

    fn head(&mut self) -> Result<HeadNumbers, NetworkError> {
        Ok(HeadNumbers {
            first: self.i8s(INPUTS * HIDDEN)?,
            first_bias: self.i32s(HIDDEN)?,
            second: self.i8s(HIDDEN * HIDDEN)?,
            second_bias: self.i32s(HIDDEN)?,
            output: self.i8s(HIDDEN * OUTPUTS)?,
            output_bias: self.i32s(OUTPUTS)?,
            policy: self.i32s(LANES)?,
            gate: self.i8s(HIDDEN * LANES)?,
            near: self.take(2 * NEAR)?.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect(),
        })
    }
}

/// A row: what a line adds to the vector of the point at its centre, black's half first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Row(pub [i8; LANES]);

/// Weights of a layer of 32 outputs for four inputs that lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Quad(pub [[i8; 4]; HIDDEN]);

/// A head in the form in which inference uses it.
#[derive(Clone, Debug)]
pub struct Head {
    /// First layer.
    pub first: Vec<Quad>,
    /// Its biases.
    pub first_bias: [i32; HIDDEN],
    /// Second layer.
    pub second: Vec<Quad>,
    /// Its biases.
    pub second_bias: [i32; HIDDEN],
    /// Output, a row for each input.
    pub output: [[i8; OUTPUTS]; HIDDEN],
    /// Its biases.
    pub output_bias: [i32; OUTPUTS],
    /// Policy weights of the lanes.
    pub policy: [i32; LANES],
    /// What the first layer adds to them.
    pub gate: Vec<Quad>,
    /// Logits by last stone, class and displacement.
    pub near: Vec<i16>,
}

impl Head {
    fn new(numbers: &HeadNumbers) -> Head {
        fn filled<T: Copy + Default, const N: usize>(numbers: &[T]) -> [T; N] {
            std::array::from_fn(|i| numbers.get(i).copied().unwrap_or_default())
        }
        let quads = |weights: &[i8]| -> Vec<Quad> {
            let quad = |w: &[i8]| Quad(std::array::from_fn(|o| std::array::from_fn(|i| w[i * HIDDEN + o])));
            weights.chunks_exact(4 * HIDDEN).map(quad).collect()
        };
        Head {
            first: quads(&numbers.first),
            first_bias: filled(&numbers.first_bias),
            second: quads(&numbers.second),
            second_bias: filled(&numbers.second_bias),
            output: std::array::from_fn(|i| filled(&numbers.output[i * OUTPUTS..])),
            output_bias: filled(&numbers.output_bias),
            policy: filled(&numbers.policy),
            gate: quads(&numbers.gate),
            near: numbers.near.clone(),
        }
    }
}

/// What inference needs for one rule.
#[derive(Clone, Debug)]
pub struct Set {
    /// Rows by three times the line code, plus the centre: 0 empty, 1 black, 2 white.
    pub rows: Vec<Row>,
    /// Heads by side to move.
    pub heads: [Head; 2],
    /// Evaluation units for one unit of the value's log-odds.
    pub scale: i32,
}

impl Set {
    fn new(numbers: &SetNumbers) -> Set {
        let (black, white) = (&numbers.rows[0], &numbers.rows[numbers.rows.len() - 1]);
        let swapped: Vec<u32> = (0..ARMS).map(swap_arm).collect();
        let mut rows = vec![Row([0; LANES]); 3 * CODES];
        let mut places = rows.iter_mut();
        for back in 0..ARMS {
            for ahead in 0..ARMS {
                for centre in 0..3 {
                    let Some(row) = places.next() else { unreachable!("as many rows as codes and centres") };
                    let ours = shape(centre, back, ahead) as usize * HALF;
                    let theirs =
                        shape(swap_centre(centre), swapped[back as usize], swapped[ahead as usize]) as usize * HALF;
                    row.0[..HALF].copy_from_slice(&black[ours..ours + HALF]);
                    row.0[HALF..].copy_from_slice(&white[theirs..theirs + HALF]);
                }
            }
        }
        let head = |side: usize| Head::new(&numbers.heads[side.min(numbers.heads.len() - 1)]);
        Set { rows, heads: [head(0), head(1)], scale: i32::from(numbers.scale) }
    }
}

/// A network for some rules. What inference needs of a rule is made when that is first asked for.
#[derive(Debug)]
pub struct Network {
    sets: [Option<(SetNumbers, OnceLock<Set>)>; Rule::ALL.len()],
    name: String,
}

impl Network {
    /// The network that the program was built with. It knows some rules only.
    pub fn built_in() -> Option<&'static Network> {
        static NETWORK: OnceLock<Option<Network>> = OnceLock::new();
        NETWORK.get_or_init(|| Network::decode(include_bytes!("built_in.tnn")).ok()).as_ref()
    }

    /// The network in a file's bytes.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn decode(bytes: &[u8]) -> Result<Network, NetworkError> {
        let mut sets = [const { None }; Rule::ALL.len()];
        for numbers in decode(bytes)? {
            let rule = index(numbers.rule);
            sets[rule] = Some((numbers, OnceLock::new()));
        }
        Ok(Network { sets, name: format!("network-{:08x}", crc32fast::hash(bytes)) })
    }

    /// Whether the network was trained for a rule.
    pub fn knows(&self, rule: Rule) -> bool {
        self.sets[index(rule)].is_some()
    }

    /// The set of a rule, if the network knows it.
    pub fn set(&self, rule: Rule) -> Option<&Set> {
        self.sets[index(rule)].as_ref().map(|(numbers, set)| set.get_or_init(|| Set::new(numbers)))
    }

    /// Memory that it takes once all its rules were asked for, in bytes; what lies beside the rows hardly counts.
    pub fn bytes(&self) -> u64 {
        let half_rows = self.sets.iter().flatten().map(|(numbers, _)| (numbers.rows.len() * SHAPES * HALF) as u64);
        let rows = (3 * CODES * size_of::<Row>()) as u64;
        half_rows.map(|numbers| numbers + rows).sum()
    }

    /// What tells this network from others: `network-` and the CRC-32 of its file, in hexadecimal.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Networks from equal files are equal.
impl PartialEq for Network {
    fn eq(&self, other: &Network) -> bool {
        self.name == other.name
    }
}

impl Eq for Network {}

fn index(rule: Rule) -> usize {
    Rule::ALL.iter().position(|r| *r == rule).unwrap_or(0)
}

/// Numbers of a plain vector rounded to a unit, within limits of their type.
pub fn quantise<T: TryFrom<i32> + Default>(values: &[f32], unit: i32, most: i32) -> Vec<T> {
    let rounded = |v: &f32| (v * unit as f32).round_ties_even().clamp(-(most as f32), most as f32) as i32;
    values.iter().map(|v| T::try_from(rounded(v)).unwrap_or_default()).collect()
}

/// The units in which a file holds rows, weights, biases and the policy's tables.
pub const UNITS: [i32; 4] = [ROW_UNIT, HEAD_UNIT, HEAD_UNIT * HEAD_UNIT, NEAR_UNIT];
