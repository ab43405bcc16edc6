//! The transposition table: the results of earlier visits to a position.
//!
//! Shared by all threads without locks and without undefined behaviour: an entry is two atomic words, written
//! and read with relaxed order. The first is the key exclusive-or the second, so that an entry torn by two
//! writers does not match any key (Hyatt and Mann, *A lock-less transposition table*, 2002). Any bit
//! pattern decodes to valid data; a move must still be checked against the position.

use crate::board::{POINTS, Point, STRIDE};
use crate::memory_hints::{prefer_huge_pages, prefetch};
use crate::score::Score;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a stored score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this.
    Upper = 1,
    /// The true score is at least this.
    Lower = 2,
    /// The score is the true one.
    Exact = 3,
}

impl Bound {
    /// Indexed by the two stored bits; zero is an empty entry.
    const ALL: [Bound; 4] = [Bound::Upper, Bound::Upper, Bound::Lower, Bound::Exact];

    /// The bound that a fail-soft value is, after a search with this window.
    #[inline(always)]
    pub fn of(value: i32, alpha: i32, beta: i32) -> Bound {
        if value >= beta {
            Bound::Lower
        } else if value > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }

    /// Whether the score is a lower bound (or exact).
    #[inline(always)]
    pub fn is_lower(self) -> bool {
        self as u8 & 2 != 0
    }

    /// Whether the score is an upper bound (or exact).
    #[inline(always)]
    pub fn is_upper(self) -> bool {
        self as u8 & 1 != 0
    }

    /// Whether a score with this bound proves that the true one is outside the window.
    #[inline(always)]
    pub fn decides(self, score: i32, alpha: i32, beta: i32) -> bool {
        (self.is_lower() && score >= beta) || (self.is_upper() && score <= alpha)
    }
}

/// A decoded entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Best or refuting move; must be checked before use.
    pub best: Option<Point>,
    /// Raw score for the side to move; win distances count from the node.
    pub score: i32,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Static evaluation, raw.
    pub eval: i32,
    /// Depth of the search, in hundredths of a ply (stored in steps of 4 hundredths).
    pub depth: i32,
    /// Whether the node was once on a principal variation.
    pub pv: bool,
}

const DEPTH_OFFSET: i32 = 1_000;
const DEPTH_STEP: i32 = 4;
const DEPTH_BITS: u32 = 12;
const DEPTH_MAX: i32 = (1 << DEPTH_BITS) - 1;
const NO_POINT: u64 = 1023;
/// Entries of a bucket, which is a cache line.
const BUCKET: usize = 4;
/// Words of a bucket.
const WORDS: usize = 2 * BUCKET;
const AGE_BITS: u32 = 7;
/// Number of generations before their numbers repeat: an entry that survives this many searches appears new.
const GENERATIONS: u64 = 1 << AGE_BITS;
/// Up to this many bytes in use, the table is cleared by writing, in about 10 ms. A larger table is allocated anew:
/// this is fast for any size, but the next search then pays a page fault for each page.
const MAX_CLEARED_BYTES: usize = 128 << 20;
/// From this many bytes in use on, huge pages are worth the time that the system takes to clear them. The first few
/// hundred nodes of the first search touch all of them, so that search must be long enough to absorb the delay.
const MIN_HUGE_PAGE_BYTES: usize = 16 << 20;

// Bit positions of the fields in the second word of an entry; the point has the lowest bits.
const BOUND_SHIFT: u32 = 10;
const PV_SHIFT: u32 = BOUND_SHIFT + 2;
const AGE_SHIFT: u32 = PV_SHIFT + 1;
const DEPTH_SHIFT: u32 = AGE_SHIFT + AGE_BITS;
const SCORE_SHIFT: u32 = DEPTH_SHIFT + DEPTH_BITS;
const EVAL_SHIFT: u32 = SCORE_SHIFT + 16;
const _: () = assert!(EVAL_SHIFT + 16 <= 64);

impl Entry {
    /// An entry with a static evaluation and nothing else: its bound is an upper bound that never cuts.
    fn of_eval(eval: i32) -> Entry {
        let score = Score::win_in(1).raw();
        Entry { best: None, score, bound: Bound::Upper, eval, depth: -DEPTH_OFFSET, pv: false }
    }

    fn pack(self, age: u64) -> u64 {
        let point = self.best.map_or(NO_POINT, |p| p.index() as u64);
        let depth = ((self.depth + DEPTH_OFFSET) / DEPTH_STEP).clamp(0, DEPTH_MAX) as u64;
        point
            | (self.bound as u64) << BOUND_SHIFT
            | u64::from(self.pv) << PV_SHIFT
            | age << AGE_SHIFT
            | depth << DEPTH_SHIFT
            | u64::from(self.score as i16 as u16) << SCORE_SHIFT
            | u64::from(self.eval as i16 as u16) << EVAL_SHIFT
    }

    fn unpack(data: u64) -> Entry {
        let index = (data & NO_POINT) as usize;
        Entry {
            best: (index < POINTS && index % STRIDE < 25).then(|| Point::from_index(index)),
            bound: Bound::ALL[(data >> BOUND_SHIFT & 3) as usize],
            pv: data >> PV_SHIFT & 1 != 0,
            depth: (data >> DEPTH_SHIFT & DEPTH_MAX as u64) as i32 * DEPTH_STEP - DEPTH_OFFSET,
            score: i32::from((data >> SCORE_SHIFT) as u16 as i16),
            eval: i32::from((data >> EVAL_SHIFT) as u16 as i16),
        }
    }
}

/// The first word of an entry.
#[inline(always)]
fn lock(key: u64, data: u64) -> u64 {
    key ^ data
}

/// The second word of an entry, if both words belong to this key.
#[inline(always)]
fn unlock(first: u64, data: u64, key: u64) -> Option<u64> {
    (first ^ data == key && data != 0).then_some(data)
}

fn age_of(data: u64) -> u64 {
    data >> AGE_SHIFT & (GENERATIONS - 1)
}

/// Converts a score that counts win distances from the root to one that counts them from a node at `ply`.
#[inline(always)]
pub fn to_table(score: i32, ply: i32) -> i32 {
    let s = Score::from_raw(score);
    if s.is_win() {
        score + ply
    } else if s.is_loss() {
        score - ply
    } else {
        score
    }
}

/// The inverse of [`to_table`].
#[inline(always)]
pub fn from_table(score: i32, ply: i32) -> i32 {
    let s = Score::from_raw(score);
    if s.is_win() {
        score - ply
    } else if s.is_loss() {
        score + ply
    } else {
        score
    }
}

/// A slot where an entry may be written.
struct Slot<'t> {
    /// Its two words.
    pair: &'t [AtomicU64],
    /// The second word, if the stored entry has the same key.
    own: Option<u64>,
    /// Replacement value: the depth of the stored entry, reduced by its age; the minimum for an empty slot.
    replacement_value: i32,
}

/// The table. Methods that change the table as a whole take `&mut self`; those that threads call concurrently take
/// `&self`.
#[derive(Debug)]
pub struct Table {
    words: Box<[AtomicU64]>,
    /// First word that begins a cache line: allocators align large blocks to 16 bytes only.
    first: usize,
    age: u64,
    /// Number of buckets in use, from the first on.
    buckets: usize,
    /// Whether a search has started since the table was last empty.
    used: bool,
}

impl Table {
    /// Bytes of one bucket, the smallest table.
    pub const BUCKET_BYTES: usize = WORDS * size_of::<AtomicU64>();

    /// An empty table of at most `bytes` bytes (at least one bucket), smaller if the system refuses that much. The
    /// system provides each page on first use, so this is fast for any size.
    pub fn new(bytes: usize) -> Table {
        let sizes = std::iter::successors(Some(bytes / Self::BUCKET_BYTES), |buckets| Some(buckets / 2));
        // One extra bucket leaves room to align the first.
        let granted = sizes
            .take_while(|buckets| *buckets > 0)
            .find_map(|buckets| bytemuck::try_zeroed_slice_box((buckets + 1) * WORDS).ok());
        let words: Box<[AtomicU64]> = granted.unwrap_or_else(|| bytemuck::zeroed_slice_box(2 * WORDS));
        let misaligned = words.as_ptr().addr() % Self::BUCKET_BYTES;
        let first = (Self::BUCKET_BYTES - misaligned) % Self::BUCKET_BYTES / size_of::<AtomicU64>();
        Table { age: 0, buckets: words.len() / WORDS - 1, words, first, used: false }
    }

    /// Limits the part of the table in use to this many bytes; `None` uses all of it. Untouched memory costs a page
    /// fault, and a small table fits into faster memory. A table in use never shrinks; it grows only if it is much too
    /// small, and most of its entries are then lost.
    pub fn fit(&mut self, bytes: Option<usize>) {
        let all = self.words.len() / WORDS - 1;
        let wanted = bytes.map_or(all, |bytes| (bytes / Self::BUCKET_BYTES).clamp(1, all));
        if !self.used || wanted > 2 * self.buckets {
            self.buckets = wanted;
            let used = &self.words[self.words_in_use()];
            if size_of_val(used) >= MIN_HUGE_PAGE_BYTES {
                prefer_huge_pages(used);
            }
        }
    }

    fn words_in_use(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.buckets * WORDS
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        (self.words.len() - WORDS) * size_of::<AtomicU64>()
    }

    /// Clears all entries.
    pub fn clear(&mut self) {
        if !self.used {
            return;
        }
        let used = self.words_in_use();
        if used.len() * size_of::<AtomicU64>() <= MAX_CLEARED_BYTES {
            self.words[used].iter_mut().for_each(|word| *word.get_mut() = 0);
            (self.age, self.used) = (0, false);
            return;
        }
        let bytes = self.bytes();
        // Frees the old table first, so that there are never two at once.
        self.words = Box::default();
        *self = Table::new(bytes);
    }

    /// Marks older entries as replaceable.
    pub fn new_search(&mut self) {
        self.age = (self.age + 1) % GENERATIONS;
        self.used = true;
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[AtomicU64] {
        let index = self.first + ((u128::from(key) * self.buckets as u128) >> 64) as usize * WORDS;
        &self.words[index..index + WORDS]
    }

    /// Fetches what a later [`Table::probe`] of the same key will read.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        prefetch(&self.bucket(key)[0]);
    }

    /// The entry of a key, if there is one.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let read = |pair: &[AtomicU64]| {
            let data = pair[1].load(Ordering::Relaxed);
            unlock(pair[0].load(Ordering::Relaxed), data, key)
        };
        self.bucket(key).chunks_exact(2).find_map(read).map(Entry::unpack)
    }

    /// Stores an entry. A shallower bound does not replace a deeper entry of the same position and generation. An entry
    /// without a move takes over the old move.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let slot = self.slot(key);
        if let Some(data) = slot.own {
            let old = Entry::unpack(data);
            if entry.best.is_none() {
                entry.best = old.best;
            }
            let fresh = age_of(data) == self.age;
            if fresh && entry.bound != Bound::Exact && entry.depth + 200 < old.depth {
                return;
            }
        }
        self.write(slot.pair, key, entry);
    }

    /// Stores a static evaluation alone, unless the key is known or the store would evict a searched entry of this
    /// generation.
    pub fn store_eval(&self, key: u64, eval: i32) {
        let slot = self.slot(key);
        if slot.own.is_none() && slot.replacement_value <= 0 {
            self.write(slot.pair, key, Entry::of_eval(eval));
        }
    }

    /// The slot of a key, or else the slot of its bucket with the lowest replacement value.
    #[inline(always)]
    fn slot(&self, key: u64) -> Slot<'_> {
        let mut least = Slot { pair: &[], own: None, replacement_value: i32::MAX };
        for pair in self.bucket(key).chunks_exact(2) {
            let data = pair[1].load(Ordering::Relaxed);
            let depth = Entry::unpack(data).depth;
            if let own @ Some(_) = unlock(pair[0].load(Ordering::Relaxed), data, key) {
                return Slot { pair, own, replacement_value: depth };
            }
            let stale = (self.age + GENERATIONS - age_of(data)) % GENERATIONS;
            let replacement_value = if data == 0 { i32::MIN } else { depth - 400 * stale as i32 };
            if replacement_value < least.replacement_value {
                least = Slot { pair, own: None, replacement_value };
            }
        }
        least
    }

    #[inline(always)]
    fn write(&self, pair: &[AtomicU64], key: u64, entry: Entry) {
        let data = entry.pack(self.age);
        pair[0].store(lock(key, data), Ordering::Relaxed);
        pair[1].store(data, Ordering::Relaxed);
    }

    /// Share of entries written by the current search, in thousandths, estimated from a sample.
    pub fn full(&self) -> u32 {
        let sample = self.words[self.words_in_use()].chunks_exact(2).take(4_000);
        let total = sample.len().max(1);
        let used = sample.filter(|p| {
            let data = p[1].load(Ordering::Relaxed);
            data != 0 && age_of(data) == self.age
        });
        (used.count() * 1000 / total) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(score: i32, depth: i32) -> Entry {
        Entry { best: Point::new(3, 4), score, bound: Bound::Lower, eval: -77, depth, pv: true }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = Table::new(1 << 16);
        for i in 0..100_u64 {
            let key = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            table.store(key, entry(i as i32 * 7 - 300, i as i32 * 40));
            assert_eq!(table.probe(key), Some(entry(i as i32 * 7 - 300, i as i32 * 40)));
        }
        assert_eq!(table.probe(12345), None);
    }

    /// Relaxed loads of two words may return any two values that were ever stored in them, in any combination. No
    /// combination of two different entries passes for an entry.
    #[test]
    fn torn_entries_match_no_key() {
        let keys: Vec<u64> = (1..60_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let stored: Vec<(u64, u64)> = keys
            .iter()
            .flat_map(|key| {
                [entry(1, 100), entry(-9, 3_000), entry(700, 900)].map(|e| (*key, e.pack(*key % GENERATIONS)))
            })
            .collect();
        for (a, b) in stored.iter().flat_map(|a| stored.iter().map(move |b| (a, b))) {
            for (first, data) in [(lock(a.0, a.1), b.1), (lock(a.0, a.1), 0), (0, b.1)] {
                for key in &keys {
                    let read = unlock(first, data, *key);
                    assert!(read.is_none() || (a == b && (*key, read) == (a.0, Some(a.1))));
                }
            }
        }
    }

    /// Threads write and read the same few buckets: an entry that is found under a key was stored under that key.
    #[test]
    fn threads_read_whole_entries() {
        let table = Table::new(4 * Table::BUCKET_BYTES);
        let written = |key: u64, round: u64| Entry {
            best: Point::new((key % 15) as u8, (round % 15) as u8),
            score: (key % 1000) as i32,
            bound: Bound::Lower,
            eval: (round % 1000) as i32 - (key % 1000) as i32,
            depth: ((key + round) % 50) as i32 * 4,
            pv: false,
        };
        let is_whole = |key: u64, e: Entry| {
            let round = (e.eval + e.score) as u64;
            e.score as u64 == key % 1000 && (0..15).any(|i| written(key, round + 1000 * i) == e)
        };
        std::thread::scope(|scope| {
            for thread in 0..3_u64 {
                let (table, written, is_whole) = (&table, &written, &is_whole);
                scope.spawn(move || {
                    for round in 0..20_000_u64 {
                        let key = (round * 7 + thread) % 40 * 0x0666_6666_6666_6667;
                        table.store(key, written(key, round % 15_000));
                        let other = (round * 3 + thread) % 40 * 0x0666_6666_6666_6667;
                        if let Some(e) = table.probe(other) {
                            assert!(is_whole(other, e), "{e:?}");
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn scores_survive_storage_at_any_ply() {
        for ply in [0, 3, 90] {
            for score in [0, 500, -500, Score::win_in(ply + 9).raw(), Score::loss_in(ply + 4).raw()] {
                assert_eq!(from_table(to_table(score, ply), ply), score);
            }
        }
        assert_eq!(to_table(Score::win_in(12).raw(), 5), Score::win_in(7).raw());
    }

    #[test]
    fn a_table_that_was_fitted_forgets_and_grows() {
        let key = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let knows = |table: &Table| (1..50).filter(|i| table.probe(key(*i)).is_some()).count();
        let fill = |table: &mut Table| {
            table.new_search();
            (1..50).for_each(|i| table.store(key(i), entry(1, 100)));
        };
        let mut table = Table::new(1 << 16);
        table.fit(Some(1 << 13));
        fill(&mut table);
        assert!(
            table.words[table.first + (1 << 10)..].iter().all(|word| word.load(Ordering::Relaxed) == 0),
            "more used than allowed"
        );
        let known = knows(&table);
        assert!(known > 40);
        for same in [1 << 12, 1 << 14] {
            table.fit(Some(same));
            assert_eq!(knows(&table), known);
        }
        table.fit(None);
        fill(&mut table);
        assert_eq!(knows(&table), 49);
        table.clear();
        assert!(table.words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
    }

    #[test]
    fn a_large_table_is_empty_and_remembers() {
        for bytes in [
            MIN_HUGE_PAGE_BYTES - Table::BUCKET_BYTES,
            MIN_HUGE_PAGE_BYTES,
            3 * MIN_HUGE_PAGE_BYTES + Table::BUCKET_BYTES,
        ] {
            let mut table = Table::new(bytes);
            table.fit(None);
            table.new_search();
            let key = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            assert!((1..5_000).all(|i| table.probe(key(i)).is_none()));
            (1..5_000).for_each(|i| table.store(key(i), entry(i as i32, 100)));
            assert!((1..5_000).all(|i| table.probe(key(i)) == Some(entry(i as i32, 100))));
        }
    }

    #[test]
    fn buckets_are_cache_lines() {
        for bytes in [64, 1 << 12, 1 << 20, (1 << 22) + 64] {
            let table = Table::new(bytes);
            assert_eq!(table.bytes(), bytes);
            for key in [0, 1 << 40, u64::MAX / 3, u64::MAX] {
                assert_eq!(table.bucket(key).as_ptr().addr() % Table::BUCKET_BYTES, 0);
            }
        }
    }

    #[test]
    fn entries_of_a_whole_game_are_told_from_new_ones() {
        let mut table = Table::new(Table::BUCKET_BYTES);
        table.new_search();
        table.store(1 << 32, entry(0, 3_000));
        (0..112).for_each(|_| table.new_search());
        // Shallow entries of this generation evict the deep entry of an old one.
        (2..=5).for_each(|i| table.store(i << 32, entry(0, 100)));
        assert!((2..=5).all(|i| table.probe(i << 32).is_some()));
    }

    #[test]
    fn an_evaluation_alone_decides_nothing_and_drives_out_no_search() {
        let table = Table::new(Table::BUCKET_BYTES);
        table.store_eval(1 << 32, -77);
        let found = table.probe(1 << 32).expect("an empty slot is taken");
        assert_eq!((found.eval, found.best, found.pv), (-77, None, false));
        for ply in [0, 1, 40] {
            let score = from_table(found.score, ply);
            let (infinite, win) = (Score::INFINITE.raw(), Score::win_in(ply + 3).raw());
            let windows = [(-infinite, infinite), (-5, 5), (win - 1, win)];
            assert!(windows.iter().all(|(alpha, beta)| !found.bound.decides(score, *alpha, *beta)));
        }
        // A searched entry replaces it, and is not replaced by a static evaluation.
        table.store(1 << 32, entry(5, 100));
        table.store_eval(1 << 32, 33);
        assert_eq!(table.probe(1 << 32), Some(entry(5, 100)));
        (2..=4).for_each(|i| table.store(i << 32, entry(0, 4)));
        table.store_eval(5 << 32, 33);
        assert!(table.probe(5 << 32).is_none() && (1..=4).all(|i| table.probe(i << 32).is_some()));
        // A static evaluation evicts an entry of the quiescence search.
        let table = Table::new(Table::BUCKET_BYTES);
        (1..=4).for_each(|i| table.store(i << 32, entry(0, if i == 3 { 0 } else { 100 })));
        table.store_eval(5 << 32, 33);
        assert!(table.probe(3 << 32).is_none() && table.probe(5 << 32).is_some_and(|e| e.eval == 33));
    }

    #[test]
    fn a_full_bucket_keeps_the_deep_entries() {
        let table = Table::new(Table::BUCKET_BYTES);
        for i in 1..=8 {
            table.store(i << 32, entry(0, 100 * i as i32));
        }
        assert!((5..=8).all(|i| table.probe(i << 32).is_some()));
    }
}
