//! The file format of trained weights.
//!
//! A file has one or more sets of weights, each for some of the rules; the other rules are not supported by the
//! network. All values are little endian.
//!
//! | bytes | type | what |
//! |---|---|---|
//! | 4 | | `TNN5`: magic, the last byte the version |
//! | 4 | u32 | CRC-32 (IEEE) of all that follows |
//! | 4 | u32 | length of the file |
//! | 16 | u16 | [`HALF`], [`TAPS`], [`REGIONS`], [`NON_POOLED_INPUTS`], [`HIDDEN`], [`ARM_WIDTH`], [`LINE_WIDTH`], number of sets |
//! | | | *each set:* |
//! | 1, 1 | u8 | its rules, a bit for each in the order of [`Rule::ALL`]; 1 if the sides share their weights, otherwise 2 |
//! | 2 | u16 | units of score for one unit of log-odds |
//! | | | *each side, the [line net](LineNet), the residual rows and the head:* |
//! | 4, n | u32 | n, and n bytes in the DEFLATE format (RFC 1951), which are: |
//! | 2 x 1092 x 64 | i16 | tables of the first layer |
//! | 64 x 32, 32 | i16, i32 | second layer; biases |
//! | 32 x [`HALF`], [`HALF`] | i16, i32 | output; biases |
//! | [`SHAPES`] / 8, rounded up | u8 | a bit for each shape, the lowest first: whether it has a residual row |
//! | [`HALF`] x their number | i8 | residual rows, added to the line net's rows modulo 256: groups of [`GROUP`] rows, each lane after lane |
//! | (18 x [`HALF`] + 32) x 32, 32 | i8, i32 | first layer, a row for each input; biases |
//! | 32 x 32, 32 | i8, i32 | second layer; biases |
//! | 32 x 4, 4 | i8, i32 | output: win, draw, loss, padding; biases |
//! | [`TAPS`] x 2 x [`HALF`], 32 times as many | i32, i8 | policy weights by tap and lane; their gates, by units of the first layer |
//! | 2 x 14 x 36 | i16 | logits by the opponent's and the own last stone, its class and the displacement from it |
//!
//! All values of a matrix with two bytes each are stored as their low bytes, then their high bytes: these are more
//! alike.
//!
//! Version 4, which is read as well, has no number of taps and only the weights of the first.

use super::kernel::Kernel;
use super::layout::{HALF, HEAD_UNIT, HIDDEN, NEAR_UNIT, NON_POOLED_INPUTS, OUTPUTS, POLICY, REGIONS, ROW_UNIT, TAPS};
use super::line_net::{ARM_ROWS, ARM_WIDTH, LINE_WIDTH, LineNet};
use super::lines::{SHAPES, arms_of, shape};
use crate::eval::DISPLACEMENTS;
use crate::pattern::PointClass;
use crate::rules::Rule;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};
use std::fmt;
use std::iter::repeat_n;
use std::ops::Range;

const MAGIC: [u8; 4] = *b"TNN5";
/// Magic of the files without a number of taps.
const ONE_TAP: [u8; 4] = *b"TNN4";

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
    /// Policy weights, [`POLICY`].
    pub policy: Vec<i32>,
    /// What the units of the first layer add to the policy weights, [`HIDDEN`] by [`POLICY`].
    pub gate: Vec<i8>,
    /// Logits by last stone, [`NEAR`].
    pub near: Vec<i16>,
}

/// Trained weights: an entry for each side, or one for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetWeights {
    /// The rules that the weights are for, at least one, in the order of [`Rule::ALL`].
    pub rules: Vec<Rule>,
    /// Evaluation units for one unit of the value's log-odds, at least 1.
    pub scale: u16,
    /// The nets from which the rows were made. A file stores the rows that differ from theirs.
    pub line_nets: Vec<LineNet>,
    /// Half rows, [`HALF`] values for each line shape.
    pub rows: Vec<Vec<i8>>,
    /// Heads by side to move.
    pub heads: Vec<HeadWeights>,
}

/// A set as stored in a file.
#[derive(Debug)]
pub struct StoredSet<'a> {
    rules: Vec<Rule>,
    scale: u16,
    shape: Shape,
    /// The compressed weights of each side.
    sides: Vec<&'a [u8]>,
}

/// A side's weights but for the rows.
#[derive(Debug)]
pub struct StoredSide {
    net: LineNet,
    /// The head for this side to move.
    pub head: HeadWeights,
}

/// What takes the half rows of a side as they are decoded, so that no second table of them is needed.
pub trait RowSink {
    /// Takes the line net's rows of the shapes with this centre and longer arm, in the order of the other arm.
    fn put(&mut self, centre: u32, high: u32, rows: &[[i8; HALF]]);

    /// Adds a residual row to the row of the shape with this centre and these arms (`high >= low`), modulo 256.
    fn add(&mut self, centre: u32, high: u32, low: u32, row: &[i8; HALF]);
}

/// Adds a residual row to a row, modulo 256.
pub fn add_row(row: &mut [i8], residual: &[i8; HALF]) {
    row.iter_mut().zip(residual).for_each(|(n, r)| *n = n.wrapping_add(*r));
}

/// A table of half rows by shape.
impl RowSink for Vec<i8> {
    fn put(&mut self, centre: u32, high: u32, rows: &[[i8; HALF]]) {
        let at = shape(centre, high, 0) as usize * HALF;
        self[at..][..rows.len() * HALF].copy_from_slice(rows.as_flattened());
    }

    fn add(&mut self, centre: u32, high: u32, low: u32, row: &[i8; HALF]) {
        add_row(&mut self[shape(centre, high, low) as usize * HALF..][..HALF], row);
    }
}

impl StoredSet<'_> {
    /// Evaluation units for one unit of the value's log-odds.
    pub fn scale(&self) -> u16 {
        self.scale
    }

    /// Number of sides with weights of their own: one or two.
    pub fn sides(&self) -> usize {
        self.sides.len()
    }

    /// Decodes the weights of a side. After an error the sink has a part of the rows.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn side(&self, side: usize, sink: &mut impl RowSink) -> Result<StoredSide, NetworkError> {
        self.read(side, Some(sink))
    }

    /// Decodes all sides, to find damage.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn check(&self) -> Result<(), NetworkError> {
        (0..self.sides()).try_for_each(|side| self.read(side, None::<&mut Vec<i8>>).map(drop))
    }

    /// Reads a side, and makes its rows if there is a sink for them.
    fn read(&self, side: usize, mut sink: Option<&mut impl RowSink>) -> Result<StoredSide, NetworkError> {
        let half = self.shape.half;
        let mut bytes = Inflater::new(self.sides[side]);
        let net = wide(Reader(&bytes.take(line_net_bytes(half))?).line_net(half)?, half);
        if let Some(sink) = &mut sink {
            net.for_each_strip(Kernel::fastest(), |centre, high, rows| sink.put(centre, high, rows));
        }
        bytes.residual_rows(half, |shape, row| {
            if let Some(sink) = &mut sink {
                let (centre, high, low) = arms_of(shape);
                sink.add(centre, high, low, row);
            }
        })?;
        let head = widened_head(Reader(&bytes.take(head_bytes(self.shape))?).head(self.shape)?, self.shape);
        if bytes.is_at_end() { Ok(StoredSide { net, head }) } else { Err(NetworkError::Damaged) }
    }

    fn weights(self) -> Result<SetWeights, NetworkError> {
        let (mut line_nets, mut rows, mut heads) = (Vec::new(), Vec::new(), Vec::new());
        for side in 0..self.sides() {
            let mut table = vec![0; SHAPES * HALF];
            let StoredSide { net, head } = self.side(side, &mut table)?;
            line_nets.push(net);
            rows.push(table);
            heads.push(head);
        }
        Ok(SetWeights { rules: self.rules, scale: self.scale, line_nets, rows, heads })
    }
}

/// A head with all lanes and taps, from one of this shape.
fn widened_head(mut head: HeadWeights, Shape { half, taps }: Shape) -> HeadWeights {
    if half < HALF {
        let facts = head.first.split_off(REGIONS * 2 * half * HIDDEN);
        head.first = widened(&head.first, half, HIDDEN);
        head.first.extend(facts);
        head.policy = widened(&head.policy, half, 1);
        head.gate = widened(&head.gate, half, 1);
    }
    if taps < TAPS {
        head.policy.resize(POLICY, 0);
        let row =
            |weights: &[i8]| weights.iter().copied().chain(repeat_n(0, POLICY - weights.len())).collect::<Vec<_>>();
        head.gate = head.gate.chunks_exact(POLICY / TAPS * taps).flat_map(row).collect();
    }
    head
}

/// Decompresses bytes piece by piece, so that decoding takes little memory.
struct Inflater<'a> {
    input: &'a [u8],
    state: Box<InflateState>,
}

impl<'a> Inflater<'a> {
    fn new(input: &'a [u8]) -> Inflater<'a> {
        Inflater { input, state: InflateState::new_boxed(DataFormat::Raw) }
    }

    /// The next `length` bytes.
    fn take(&mut self, length: usize) -> Result<Vec<u8>, NetworkError> {
        let (mut bytes, mut at) = (vec![0; length], 0);
        while at < length {
            let step = inflate(&mut self.state, self.input, &mut bytes[at..], MZFlush::None);
            self.input = &self.input[step.bytes_consumed..];
            at += step.bytes_written;
            let goes_on = step.status == Ok(MZStatus::Ok) && step.bytes_consumed + step.bytes_written > 0;
            if at < length && !goes_on {
                return Err(NetworkError::Damaged);
            }
        }
        Ok(bytes)
    }

    /// Whether the compressed bytes end here, as they must.
    fn is_at_end(&mut self) -> bool {
        let step = inflate(&mut self.state, self.input, &mut [0], MZFlush::None);
        step.bytes_written == 0 && step.status == Ok(MZStatus::StreamEnd) && step.bytes_consumed == self.input.len()
    }

    /// Reads residual rows with `half` lanes and calls `each` with their shapes and all lanes.
    fn residual_rows(&mut self, half: usize, mut each: impl FnMut(u32, &[i8; HALF])) -> Result<(), NetworkError> {
        let has = self.take(SHAPES.div_ceil(8))?;
        let mut shapes = (0..8 * has.len() as u32).filter(|s| has[*s as usize / 8] >> (s % 8) & 1 == 1).peekable();
        let mut group = Vec::with_capacity(GROUP);
        while shapes.peek().is_some() {
            group.clear();
            group.extend(shapes.by_ref().take(GROUP));
            let lanes = self.take(group.len() * half)?;
            for (i, shape) in group.iter().enumerate() {
                if *shape as usize >= SHAPES {
                    return Err(NetworkError::Damaged);
                }
                let entry = |lane| lanes.get(lane * group.len() + i).map_or(0, |n| *n as i8);
                each(*shape, &std::array::from_fn(entry));
            }
        }
        Ok(())
    }
}

/// A line net with all lanes, from one with `half` lanes for each side.
fn wide(mut net: LineNet, half: usize) -> LineNet {
    net.output = widened(&net.output, half, 1);
    net.output_bias = widened(&net.output_bias, half, 1);
    net
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

/// Encodes these sets as a file. All have the same number of lanes.
pub fn encode(sets: &[SetWeights]) -> Vec<u8> {
    // The length of the file comes first; it is known at the end.
    let mut body = vec![0; size_of::<u32>()];
    let half = sets.first().map_or(HALF, |set| set.line_nets[0].output_bias.len());
    for number in [half, TAPS, REGIONS, NON_POOLED_INPUTS, HIDDEN, ARM_WIDTH, LINE_WIDTH, sets.len()] {
        body.extend((number as u16).to_le_bytes());
    }
    for set in sets {
        let bits = Rule::ALL.iter().enumerate().map(|(i, rule)| u8::from(set.rules.contains(rule)) << i);
        body.push(bits.sum());
        body.push(set.heads.len() as u8);
        body.extend(set.scale.to_le_bytes());
        for ((net, rows), head) in set.line_nets.iter().zip(&set.rows).zip(&set.heads) {
            let packed = compress_to_vec(&side_bytes(net, rows, head), COMPRESSION);
            body.extend((packed.len() as u32).to_le_bytes());
            body.extend(packed);
        }
    }
    let length = (BODY + body.len()) as u32;
    body[..size_of::<u32>()].copy_from_slice(&length.to_le_bytes());
    let crc = crc32fast::hash(&body).to_le_bytes();
    [&MAGIC[..], &crc, &body].concat()
}

/// Level of compression, from 0 to 10. Higher levels make files less than 1% smaller.
const COMPRESSION: u8 = 8;

/// A side's weights before compression.
fn side_bytes(net: &LineNet, rows: &[i8], head: &HeadWeights) -> Vec<u8> {
    let mut all = Vec::new();
    let bytes = |all: &mut Vec<u8>, values: &[i8]| all.extend(values.iter().map(|n| *n as u8));
    let halves = |all: &mut Vec<u8>, values: &[i16]| {
        all.extend(values.iter().map(|n| n.to_le_bytes()[0]));
        all.extend(values.iter().map(|n| n.to_le_bytes()[1]));
    };
    let words = |all: &mut Vec<u8>, values: &[i32]| all.extend(values.iter().flat_map(|n| n.to_le_bytes()));
    halves(&mut all, &net.near);
    halves(&mut all, &net.far);
    halves(&mut all, &net.second);
    words(&mut all, &net.second_bias);
    halves(&mut all, &net.output);
    words(&mut all, &net.output_bias);
    let half = net.output_bias.len();
    let table = wide(net.clone(), half).table();
    let residual: Vec<(usize, Vec<i8>)> = residual_rows(&table, rows, half).collect();
    let mut has = vec![0; SHAPES.div_ceil(8)];
    residual.iter().for_each(|(shape, _)| has[shape / 8] |= 1 << (shape % 8));
    all.extend(has);
    for group in residual.chunks(GROUP) {
        (0..half).for_each(|lane| all.extend(group.iter().map(|(_, row)| row[lane] as u8)));
    }
    for (weights, biases) in
        [(&head.first, &head.first_bias), (&head.second, &head.second_bias), (&head.output, &head.output_bias)]
    {
        bytes(&mut all, weights);
        words(&mut all, biases);
    }
    words(&mut all, &head.policy);
    bytes(&mut all, &head.gate);
    halves(&mut all, &head.near);
    all
}

/// The differences of rows with `half` lanes from a table of a line net's rows, with their shapes.
fn residual_rows<'a>(table: &'a [i8], rows: &'a [i8], half: usize) -> impl Iterator<Item = (usize, Vec<i8>)> + 'a {
    let pairs = table.chunks_exact(HALF).map(move |line| &line[..half]).zip(rows.chunks_exact(half));
    let differing = pairs.enumerate().filter(|(_, (line, row))| line != row);
    differing.map(|(shape, (line, row))| (shape, row.iter().zip(line).map(|(r, l)| r.wrapping_sub(*l)).collect()))
}

/// Residual rows of a group, whose lanes are stored one after another. Rows of a group are near each other, and equal
/// lanes of them are alike.
pub const GROUP: usize = 4096;

/// Memory that decoding a side's weights takes at most beside the result, in bytes.
pub const DECODING_BYTES: usize = 1 << 20;

// The largest: the line net as bytes, as numbers and unpacked, a group of rows, and the state of the decompression.
const _: () = assert!(3 * line_net_bytes(HALF) + GROUP * (HALF + 4) + (1 << 16) <= DECODING_BYTES);

/// Decodes the sets of a file. The network may be narrower, with fewer lanes than [`HALF`]; the missing lanes and all
/// their weights are then zero.
///
/// # Errors
/// See [`NetworkError`]; never panics, whatever the bytes.
pub fn decode(bytes: &[u8]) -> Result<Vec<SetWeights>, NetworkError> {
    check(bytes)?;
    let (_, places) = places(bytes)?;
    places.iter().map(|place| view(bytes, place)?.weights()).collect()
}

/// Checks the checksum of a file.
///
/// # Errors
/// See [`NetworkError`].
pub fn check(bytes: &[u8]) -> Result<(), NetworkError> {
    let body = body(bytes)?;
    if *checksum(bytes) == crc32fast::hash(body).to_le_bytes() { Ok(()) } else { Err(NetworkError::Damaged) }
}

/// `u16` values before the sets of a file.
const SIZES: usize = 8;

/// Bytes before the sets of a file: magic, checksum, length and sizes.
pub const HEAD_BYTES: usize = BODY + size_of::<u32>() + SIZES * size_of::<u16>();

/// Checks whether a file may be a network for inference, by its length and its first bytes (the first [`HEAD_BYTES`],
/// or all if it is shorter).
///
/// # Errors
/// See [`NetworkError`].
pub fn check_head(head: &[u8], length: u64) -> Result<(), NetworkError> {
    let (magic, mut reader) = (magic(head)?, Reader(body(head)?));
    let stored = u64::from(reader.u32()?);
    let (shape, count) = reader.shape(magic)?;
    if shape.half != HALF {
        return Err(NetworkError::Shape);
    }
    // Compression makes no set longer by more than a hundredth.
    let longest = SET_HEAD + 2 * (size_of::<u32>() + most_side_bytes(shape) * 101 / 100);
    let is_possible = stored == length && stored <= (HEAD_BYTES + count * longest) as u64;
    if is_possible { Ok(()) } else { Err(NetworkError::Damaged) }
}

/// The checksum stored in a network's file.
pub fn checksum(bytes: &[u8]) -> &[u8] {
    &bytes[MAGIC.len()..BODY]
}

/// Bytes of a set before its weights.
const SET_HEAD: usize = 4;

/// Offset of a file's body: after the magic and the checksum.
const BODY: usize = MAGIC.len() + 4;

/// The magic of a version that is read.
fn magic(bytes: &[u8]) -> Result<[u8; 4], NetworkError> {
    if !bytes.starts_with(&MAGIC[..3]) {
        return Err(NetworkError::NotANetwork);
    }
    [MAGIC, ONE_TAP].into_iter().find(|magic| bytes.starts_with(magic)).ok_or(NetworkError::Version)
}

fn body(bytes: &[u8]) -> Result<&[u8], NetworkError> {
    magic(bytes)?;
    bytes.get(BODY..).ok_or(NetworkError::Damaged)
}

/// The shape of a network, as far as files differ in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Lanes of a side, at most [`HALF`].
    half: usize,
    /// Taps of the policy, at most [`TAPS`].
    taps: usize,
}

/// A set of a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The rules that the set is for.
    pub rules: Vec<Rule>,
    /// The range of the set in the file's bytes.
    pub bytes: Range<usize>,
    shape: Shape,
}

/// The sets of a file, without decoding their weights: fast for any size. An error if two sets are for the same rule.
///
/// # Errors
/// See [`NetworkError`].
pub fn contents(bytes: &[u8]) -> Result<Vec<Place>, NetworkError> {
    let (shape, places) = places(bytes)?;
    if shape.half == HALF { Ok(places) } else { Err(NetworkError::Shape) }
}

/// The shape and the sets of a file.
fn places(bytes: &[u8]) -> Result<(Shape, Vec<Place>), NetworkError> {
    let magic = magic(bytes)?;
    let mut reader = Reader(body(bytes)?);
    let length = reader.u32()?;
    let (shape, count) = reader.shape(magic)?;
    if length as usize != bytes.len() {
        return Err(NetworkError::Damaged);
    }
    let mut sets = Vec::<Place>::with_capacity(count);
    for _ in 0..count {
        let start = bytes.len() - reader.0.len();
        let (rules, sides, _) = reader.set_head()?;
        if sets.iter().flat_map(|earlier| &earlier.rules).any(|rule| rules.contains(rule)) {
            return Err(NetworkError::Damaged);
        }
        for _ in 0..sides {
            reader.packed()?;
        }
        sets.push(Place { rules, bytes: start..bytes.len() - reader.0.len(), shape });
    }
    if reader.0.is_empty() { Ok((shape, sets)) } else { Err(NetworkError::Damaged) }
}

/// A set of the file that [`contents`] found. Its weights are not decoded yet.
///
/// # Errors
/// See [`NetworkError`].
pub fn view<'a>(bytes: &'a [u8], place: &Place) -> Result<StoredSet<'a>, NetworkError> {
    Reader(&bytes[place.bytes.clone()]).set(place.shape)
}

/// Largest number of bytes of a side's rows and head before compression.
const fn most_side_bytes(shape: Shape) -> usize {
    line_net_bytes(shape.half) + SHAPES.div_ceil(8) + SHAPES * shape.half + head_bytes(shape)
}

const fn line_net_bytes(half: usize) -> usize {
    size_of::<i16>() * (2 * ARM_ROWS * ARM_WIDTH + ARM_WIDTH * LINE_WIDTH + LINE_WIDTH * half)
        + size_of::<i32>() * (LINE_WIDTH + half)
}

const fn head_bytes(Shape { half, taps }: Shape) -> usize {
    let policy = taps * 2 * half;
    (inputs(half) + HIDDEN + OUTPUTS + policy) * HIDDEN
        + size_of::<i32>() * (2 * HIDDEN + OUTPUTS + policy)
        + size_of::<i16>() * NEAR
}

/// Inputs of a head, with `half` lanes for each side.
const fn inputs(half: usize) -> usize {
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

    fn u32(&mut self) -> Result<u32, NetworkError> {
        let (word, rest) = self.0.split_first_chunk().ok_or(NetworkError::Damaged)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*word))
    }

    fn i8s(&mut self, count: usize) -> Result<Vec<i8>, NetworkError> {
        self.take(count).map(|bytes| bytemuck::cast_slice(bytes).to_vec())
    }

    /// Reads low bytes, then high bytes.
    fn i16s(&mut self, count: usize) -> Result<Vec<i16>, NetworkError> {
        let (low, high) = (self.take(count)?, self.take(count)?);
        Ok(low.iter().zip(high).map(|(low, high)| i16::from_le_bytes([*low, *high])).collect())
    }

    /// Reads values whose magnitude is at most [`LARGEST`].
    fn i32s(&mut self, count: usize) -> Result<Vec<i32>, NetworkError> {
        let word =
            |b: &[u8]| Some(i32::from_le_bytes([b[0], b[1], b[2], b[3]])).filter(|n| n.abs_diff(0) <= LARGEST as u32);
        self.take(4 * count)?.chunks_exact(4).map(word).collect::<Option<_>>().ok_or(NetworkError::Damaged)
    }

    /// Reads the shape of a file with this magic and the number of sets, and checks that the other sizes are this
    /// program's.
    fn shape(&mut self, magic: [u8; 4]) -> Result<(Shape, usize), NetworkError> {
        let half = self.u16()?;
        let taps = if magic == ONE_TAP { 1 } else { self.u16()? };
        if !(1..=HALF).contains(&half) || !(1..=TAPS).contains(&taps) {
            return Err(NetworkError::Shape);
        }
        for expected in [REGIONS, NON_POOLED_INPUTS, HIDDEN, ARM_WIDTH, LINE_WIDTH] {
            if self.u16()? != expected {
                return Err(NetworkError::Shape);
            }
        }
        let count = self.u16()?;
        if (1..=Rule::ALL.len()).contains(&count) {
            Ok((Shape { half, taps }, count))
        } else {
            Err(NetworkError::Damaged)
        }
    }

    /// Reads rules, number of sides and scale.
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

    /// Reads the compressed weights of a side.
    fn packed(&mut self) -> Result<&'a [u8], NetworkError> {
        let length = self.u32()?;
        self.take(length as usize)
    }

    fn set(&mut self, shape: Shape) -> Result<StoredSet<'a>, NetworkError> {
        let (rules, sides, scale) = self.set_head()?;
        let sides = (0..sides).map(|_| self.packed()).collect::<Result<_, _>>()?;
        Ok(StoredSet { rules, scale, shape, sides })
    }

    fn line_net(&mut self, half: usize) -> Result<LineNet, NetworkError> {
        let net = LineNet {
            near: self.i16s(ARM_ROWS * ARM_WIDTH)?,
            far: self.i16s(ARM_ROWS * ARM_WIDTH)?,
            second: self.i16s(ARM_WIDTH * LINE_WIDTH)?,
            second_bias: self.i32s(LINE_WIDTH)?,
            output: self.i16s(LINE_WIDTH * half)?,
            output_bias: self.i32s(half)?,
        };
        if net.is_within_limits() { Ok(net) } else { Err(NetworkError::Damaged) }
    }

    fn head(&mut self, Shape { half, taps }: Shape) -> Result<HeadWeights, NetworkError> {
        Ok(HeadWeights {
            first: self.i8s(inputs(half) * HIDDEN)?,
            first_bias: self.i32s(HIDDEN)?,
            second: self.i8s(HIDDEN * HIDDEN)?,
            second_bias: self.i32s(HIDDEN)?,
            output: self.i8s(HIDDEN * OUTPUTS)?,
            output_bias: self.i32s(OUTPUTS)?,
            policy: self.i32s(taps * 2 * half)?,
            gate: self.i8s(HIDDEN * taps * 2 * half)?,
            near: self.i16s(NEAR)?,
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
