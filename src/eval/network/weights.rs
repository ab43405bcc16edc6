//! Trained weights in the form for inference.

use super::file::{
    DECODING_BYTES, HEAD_BYTES, HeadWeights, NetworkError, Place, RowSink, StoredSet, add_row, check, check_head,
    checksum, contents, view,
};
use super::layout::{HALF, HIDDEN, LANES, OUTPUTS, POLICY};
use super::lines::swap_centre;
use crate::board::Side;
use crate::pattern::{ARMS, CODES, swap_arm};
use crate::rules::Rule;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The row of a line: what it adds to the vector of the point at its centre, black's half first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Row(pub [i8; LANES]);

// With this alignment no row spans two cache lines.
const _: () = assert!(align_of::<Row>() == size_of::<Row>());

/// Weights of a layer of 32 outputs for four adjacent inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Quad(pub [[i8; 4]; HIDDEN]);

/// The weights of a head in the form for inference.
#[derive(Clone, Debug)]
pub struct Head {
    /// Weights of the first layer.
    pub first: Vec<Quad>,
    /// Its biases.
    pub first_bias: [i32; HIDDEN],
    /// Weights of the second layer.
    pub second: Vec<Quad>,
    /// Its biases.
    pub second_bias: [i32; HIDDEN],
    /// Weights of the output layer, a row for each input.
    pub output: [[i8; OUTPUTS]; HIDDEN],
    /// Its biases.
    pub output_bias: [i32; OUTPUTS],
    /// Policy weights.
    pub policy: [i32; POLICY],
    /// What the first layer adds to the policy weights, in groups of as many weights as a layer has outputs.
    pub gate: [Vec<Quad>; POLICY / HIDDEN],
    /// Logits by last stone, class and displacement.
    pub near: Vec<i16>,
}

impl Head {
    fn new(numbers: &HeadWeights) -> Head {
        fn filled<T: Copy + Default, const N: usize>(numbers: &[T]) -> [T; N] {
            std::array::from_fn(|i| numbers.get(i).copied().unwrap_or_default())
        }
        // From rows of `width` weights, takes those of the outputs from `from` on.
        let part = |weights: &[i8], width: usize, from: usize| -> Vec<Quad> {
            let quad = |w: &[i8]| Quad(std::array::from_fn(|o| std::array::from_fn(|i| w[i * width + from + o])));
            weights.chunks_exact(4 * width).map(quad).collect()
        };
        let quads = |weights| part(weights, HIDDEN, 0);
        Head {
            first: quads(&numbers.first),
            first_bias: filled(&numbers.first_bias),
            second: quads(&numbers.second),
            second_bias: filled(&numbers.second_bias),
            output: std::array::from_fn(|i| filled(&numbers.output[i * OUTPUTS..])),
            output_bias: filled(&numbers.output_bias),
            policy: filled(&numbers.policy),
            gate: std::array::from_fn(|group| part(&numbers.gate, POLICY, group * HIDDEN)),
            near: numbers.near.clone(),
        }
    }
}

/// The weights of one rule, unpacked for inference.
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
    /// The weights of a set in a file.
    fn new(stored: &StoredSet) -> Result<Set, NetworkError> {
        let mut rows = vec![Row([0; LANES]); 3 * CODES];
        let mut side = |index, side| {
            let mut half = HalfRows { rows: &mut rows, side };
            let head = Head::new(&stored.side(index, &mut half)?.head);
            half.mirror();
            Ok(head)
        };
        let black = side(0, Side::Black)?;
        let white = if stored.sides() > 1 { Some(side(1, Side::White)?) } else { None };
        let white = white.unwrap_or_else(|| {
            copy_black_to_white(&mut rows);
            black.clone()
        });
        swap_white(&mut rows);
        Ok(Set { rows, heads: [black, white], scale: i32::from(stored.scale()) })
    }
}

/// Index of a line's row in [`Set::rows`].
fn row_index(centre: u32, back: u32, ahead: u32) -> usize {
    (3 * (back * ARMS + ahead) + centre) as usize
}

/// The halves of a side, where its shapes are written as this side sees them: with the longer arm first.
struct HalfRows<'a> {
    rows: &'a mut [Row],
    side: Side,
}

impl HalfRows<'_> {
    fn half(&mut self, centre: u32, back: u32, ahead: u32) -> &mut [i8] {
        let row = &mut self.rows[row_index(centre, back, ahead)].0;
        if self.side == Side::Black { &mut row[..HALF] } else { &mut row[HALF..] }
    }

    /// Copies the rows to the mirrored lines, square by square, since whole columns are slow to read.
    fn mirror(mut self) {
        const SQUARE: usize = 28;
        let starts = || (0..ARMS).step_by(SQUARE);
        for (top, left) in starts().flat_map(|top| starts().map(move |left| (top, left))).filter(|(t, l)| l <= t) {
            for high in top..(top + SQUARE as u32).min(ARMS) {
                for low in left..(left + SQUARE as u32).min(high) {
                    for centre in 0..3 {
                        let mut row = [0; HALF];
                        row.copy_from_slice(self.half(centre, high, low));
                        self.half(centre, low, high).copy_from_slice(&row);
                    }
                }
            }
        }
    }
}

impl RowSink for HalfRows<'_> {
    fn put(&mut self, centre: u32, high: u32, rows: &[[i8; HALF]]) {
        for (low, row) in (0..).zip(rows) {
            self.half(centre, high, low).copy_from_slice(row);
        }
    }

    fn add(&mut self, centre: u32, high: u32, low: u32, row: &[i8; HALF]) {
        add_row(self.half(centre, high, low), row);
    }
}

/// For weights that the sides share.
fn copy_black_to_white(rows: &mut [Row]) {
    for row in rows {
        let (black, white) = row.0.split_at_mut(HALF);
        white.copy_from_slice(black);
    }
}

/// Moves white's halves from the lines as white sees them to the lines as black does, with the colours exchanged.
fn swap_white(rows: &mut [Row]) {
    let swapped: Vec<u32> = (0..ARMS).map(swap_arm).collect();
    for back in 0..ARMS {
        for ahead in 0..ARMS {
            for centre in 0..3 {
                let this = row_index(centre, back, ahead);
                let other = row_index(swap_centre(centre), swapped[back as usize], swapped[ahead as usize]);
                if this < other {
                    let (front, rest) = rows.split_at_mut(other);
                    front[this].0[HALF..].swap_with_slice(&mut rest[0].0[HALF..]);
                }
            }
        }
    }
}

/// The unpacked set, if present, and whether it was ever unpacked, which means that its bytes in the file were read.
type Made = Mutex<(Option<Arc<Set>>, bool)>;

/// A network for some rules. The weights of a rule are unpacked when they are first requested.
#[derive(Debug)]
pub struct Network {
    file: Cow<'static, [u8]>,
    /// The location of each set in the file, and its unpacked form, from the first request until [`Network::release`].
    sets: Vec<(Place, Made)>,
    name: OnceLock<String>,
}

/// The network of [`Network::built_in`].
static NETWORK: OnceLock<Option<Arc<Network>>> = OnceLock::new();

impl Network {
    /// The built-in network. A program with the feature `external-network` has none until its host calls
    /// `Network::provide`.
    pub fn built_in() -> Option<&'static Arc<Network>> {
        NETWORK.get_or_init(|| Network::new(BUILT_IN.into()).ok().map(Arc::new)).as_ref()
    }

    /// Makes the network in a file's bytes the built-in one. It comes too late, and is not used, if an evaluation has
    /// been made before.
    ///
    /// # Errors
    /// See [`NetworkError`]. Only the checksum and the sizes are checked.
    #[cfg(feature = "external-network")]
    pub fn provide(file: Vec<u8>) -> Result<(), NetworkError> {
        check(&file)?;
        if NETWORK.set(Some(Arc::new(Network::new(file.into())?))).is_err() {
            log::warn!("a network was provided too late");
        }
        Ok(())
    }

    /// Number of bytes at the start of a file that [`Network::check_head`] reads at most.
    pub const HEAD: usize = HEAD_BYTES;

    /// Checks whether a file of this length that starts with these bytes may be a network.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn check_head(head: &[u8], length: u64) -> Result<(), NetworkError> {
        check_head(head, length)
    }

    /// The network in a file's bytes, which it stores.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn decode(bytes: Vec<u8>) -> Result<Network, NetworkError> {
        check(&bytes)?;
        let network = Network::new(bytes.into())?;
        // `built_in` skips this check, because a test decodes all sets of the built-in file.
        network.sets.iter().try_for_each(|(place, _)| view(&network.file, place)?.check())?;
        Ok(network)
    }

    /// The network in a file whose checksum is already verified.
    fn new(file: Cow<'static, [u8]>) -> Result<Network, NetworkError> {
        let sets = contents(&file)?.into_iter().map(|place| (place, Made::default())).collect();
        Ok(Network { file, sets, name: OnceLock::new() })
    }

    /// Whether the network supports a rule.
    pub fn knows(&self, rule: Rule) -> bool {
        self.sets.iter().any(|(place, _)| place.rules.contains(&rule))
    }

    /// The unpacked weights of a rule, if the network supports it.
    pub fn set(&self, rule: Rule) -> Option<Arc<Set>> {
        let (place, set) = self.sets.iter().find(|(place, _)| place.rules.contains(&rule))?;
        let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
        if set.0.is_none() {
            let stored = view(&self.file, place);
            let made = stored.and_then(|stored| Set::new(&stored)).ok().map(Arc::new);
            *set = (made, true);
        }
        set.0.clone()
    }

    /// Frees the unpacked weights; they are unpacked again when they are needed.
    pub fn release(&self) {
        for (_, set) in &self.sets {
            set.lock().unwrap_or_else(PoisonError::into_inner).0 = None;
        }
    }

    /// Memory that the network takes now, in bytes: file and rows. All other parts are negligible.
    pub fn bytes(&self) -> u64 {
        self.bytes_for(|_, is_made| is_made)
    }

    /// Memory that it takes at most while the weights for a rule are unpacked, and later.
    pub fn bytes_with(&self, rule: Rule) -> u64 {
        let unpacks = self.sets.iter().any(|(place, _)| place.rules.contains(&rule));
        let decoding = if unpacks { DECODING_BYTES as u64 } else { 0 };
        self.bytes_for(|place, is_made| is_made || place.rules.contains(&rule)) + decoding
    }

    fn bytes_for(&self, counts: impl Fn(&Place, bool) -> bool) -> u64 {
        let (mut read, mut made) = (0, 0);
        for (place, set) in &self.sets {
            let set = set.lock().unwrap_or_else(PoisonError::into_inner);
            let is_made = counts(place, set.0.is_some());
            made += usize::from(is_made);
            read += if is_made || set.1 { place.bytes.len() } else { 0 };
        }
        let file = match &self.file {
            Cow::Owned(bytes) => bytes.len(),
            // Of the built-in file only the bytes that were read count.
            Cow::Borrowed(_) => read,
        };
        (file + made * 3 * CODES * size_of::<Row>()) as u64
    }

    /// The identifier of this network: `network-` and the CRC-32 of its file, in hexadecimal.
    pub fn name(&self) -> &str {
        self.name.get_or_init(|| format!("network-{:08x}", crc32fast::hash(&self.file)))
    }
}

/// The file of [`Network::built_in`].
const BUILT_IN: &[u8] = if cfg!(feature = "external-network") { &[] } else { include_bytes!("built_in.tnn") };

/// Networks from equal files are equal. The comparison uses lengths and stored checksums, because comparing all bytes
/// would load the whole built-in file into memory.
impl PartialEq for Network {
    fn eq(&self, other: &Network) -> bool {
        self.file.len() == other.file.len() && checksum(&self.file) == checksum(&other.file)
    }
}

impl Eq for Network {}

#[cfg(test)]
mod tests {
    use super::super::file::decode;
    use super::super::lines::shape;
    use super::*;

    #[test]
    fn the_built_in_network_is_whole() {
        let network = Network::decode(BUILT_IN.to_vec()).expect("a network");
        let rules: Vec<Rule> = Rule::ALL.into_iter().filter(|rule| network.knows(*rule)).collect();
        assert!(!rules.is_empty());
        assert!(rules.into_iter().all(|rule| network.set(rule).is_some()));
        assert_eq!(Some(&network), Network::built_in().map(AsRef::as_ref));
    }

    /// The rows of all lines are those that a table by shape has.
    #[test]
    fn rows_are_those_of_the_lines_shapes() {
        for weights in decode(BUILT_IN).expect("a network") {
            let set = Network::decode(BUILT_IN.to_vec()).expect("a network").set(weights.rules[0]).expect("a set");
            let swapped: Vec<u32> = (0..ARMS).map(swap_arm).collect();
            for (code, centre) in (0..CODES as u32).flat_map(|code| (0..3).map(move |centre| (code, centre))) {
                let (back, ahead) = (code / ARMS, code % ARMS);
                let row = |side: usize, shape: u32| &weights.rows[side][shape as usize * HALF..][..HALF];
                let black = row(0, shape(centre, back, ahead));
                let as_white = shape(swap_centre(centre), swapped[back as usize], swapped[ahead as usize]);
                let white = row(weights.rows.len() - 1, as_white);
                assert_eq!(set.rows[(3 * code + centre) as usize].0[..], [black, white].concat());
            }
        }
    }

    #[test]
    fn memory_is_counted_as_it_is_taken() {
        let [file, rows] = [BUILT_IN.len(), 3 * CODES * size_of::<Row>()].map(|bytes| bytes as u64);
        let network = Network::decode(BUILT_IN.to_vec()).expect("a network");
        let (known, unknown): (Vec<Rule>, Vec<Rule>) = Rule::ALL.into_iter().partition(|rule| network.knows(*rule));
        assert_eq!(network.bytes(), file);
        assert!(unknown.into_iter().all(|rule| network.bytes_with(rule) == file));
        let decoding = DECODING_BYTES as u64;
        assert_eq!(network.bytes_with(known[0]), file + rows + decoding);
        let _ = network.set(known[0]);
        assert_eq!([network.bytes(), network.bytes_with(known[0])], [file + rows, file + rows + decoding]);
        network.release();
        assert_eq!(network.bytes(), file);
        // Of the built-in file only the bytes that were read count.
        let own = Network::new(BUILT_IN.into()).expect("a network");
        let place = &own.sets.iter().find(|(place, _)| place.rules.contains(&known[0])).expect("a set").0;
        let read = place.bytes.len() as u64;
        assert_eq!([own.bytes(), own.bytes_with(known[0])], [0, read + rows + decoding]);
        let _ = own.set(known[0]);
        assert_eq!(own.bytes(), read + rows);
    }
}
