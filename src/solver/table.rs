//! The solver's tables: proof and disproof numbers, winning move, distance. Fixed size, one thread.
//!
//! An entry is two words: the full key, and the packed data. A bucket has four entries. A new entry evicts the one that
//! cost the fewest nodes; entries of other ages go first.

use super::proof_numbers::ProofNumbers;
use crate::board::Point;

/// The data of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub numbers: ProofNumbers,
    /// The winning move of an attacker who wins.
    pub best: Option<Point>,
    /// Plies to the win; for a search of fours without result, its depth in fours.
    pub plies: u32,
    /// Nodes spent (stored as their logarithm).
    pub effort: u64,
}

const NUMBER_BITS: u32 = 18;
const PLIES_BITS: u32 = 10;
const POINT_BITS: u32 = 10;
const EFFORT_BITS: u32 = 5;

const DELTA_AT: u32 = NUMBER_BITS;
const PLIES_AT: u32 = DELTA_AT + NUMBER_BITS;
const POINT_AT: u32 = PLIES_AT + PLIES_BITS;
const EFFORT_AT: u32 = POINT_AT + POINT_BITS;
const AGE_AT: u32 = EFFORT_AT + EFFORT_BITS;
const AGES: u64 = 1 << (64 - AGE_AT);

const NO_POINT: u64 = (1 << POINT_BITS) - 1;

// The largest number means "never" and must fit.
const _: () = assert!(ProofNumbers::INFINITE as u64 == (1 << NUMBER_BITS) - 1);
const _: () = assert!((crate::board::POINTS as u64) < NO_POINT);

fn field(word: u64, at: u32, bits: u32) -> u64 {
    word >> at & ((1 << bits) - 1)
}

impl Entry {
    fn pack(self, age: u64) -> u64 {
        let plies = u64::from(self.plies).min((1 << PLIES_BITS) - 1);
        let effort = u64::from(self.effort.checked_ilog2().unwrap_or(0)).min((1 << EFFORT_BITS) - 1);
        u64::from(self.numbers.phi)
            | u64::from(self.numbers.delta) << DELTA_AT
            | plies << PLIES_AT
            | self.best.map_or(NO_POINT, |p| p.index() as u64) << POINT_AT
            | effort << EFFORT_AT
            | age << AGE_AT
    }

    fn unpack(word: u64) -> Entry {
        let phi = field(word, 0, NUMBER_BITS) as u32;
        let delta = field(word, DELTA_AT, NUMBER_BITS) as u32;
        let point = field(word, POINT_AT, POINT_BITS);
        Entry {
            numbers: ProofNumbers { phi, delta },
            best: (point != NO_POINT).then(|| Point::from_index(point as usize)),
            plies: field(word, PLIES_AT, PLIES_BITS) as u32,
            effort: 1 << field(word, EFFORT_AT, EFFORT_BITS),
        }
    }
}

/// Entries by key.
#[derive(Debug)]
pub(super) struct Table {
    /// Key and packed entry; a packed entry is never zero, since its proof and disproof numbers are never both zero.
    slots: Vec<[u64; 2]>,
    age: u64,
}

const BUCKET: usize = 4;
const BUCKET_BYTES: usize = BUCKET * size_of::<[u64; 2]>();

impl Table {
    /// A table of at most this many bytes, with at least one bucket.
    pub fn new(bytes: usize) -> Table {
        Table { slots: vec![[0; 2]; (bytes / BUCKET_BYTES).max(1) * BUCKET], age: 0 }
    }

    /// Clears all entries.
    pub fn clear(&mut self) {
        self.slots.fill([0; 2]);
    }

    /// Sets the age of new entries: the number of stones on the board at the root. Entries of another age are evicted
    /// first.
    pub fn set_age(&mut self, stones: usize) {
        self.age = stones as u64 % AGES;
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> usize {
        let buckets = (self.slots.len() / BUCKET) as u128;
        ((u128::from(key) * buckets) >> 64) as usize * BUCKET
    }

    /// The entry of a key, if there is one.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let first = self.bucket(key);
        let slot = self.slots[first..first + BUCKET].iter().find(|slot| slot[0] == key && slot[1] != 0)?;
        Some(Entry::unpack(slot[1]))
    }

    /// Stores an entry.
    pub fn store(&mut self, key: u64, entry: Entry) {
        let (first, age) = (self.bucket(key), self.age);
        let replacement_value = |slot: &[u64; 2]| match slot {
            [k, _] if *k == key => 0,
            [_, 0] => 1,
            [_, word] => {
                let fresh = field(*word, AGE_AT, 64 - AGE_AT) == age;
                2 + field(*word, EFFORT_AT, EFFORT_BITS) + if fresh { 1 << EFFORT_BITS } else { 0 }
            }
        };
        let bucket = &mut self.slots[first..first + BUCKET];
        if let Some(slot) = bucket.iter_mut().min_by_key(|slot| replacement_value(slot)) {
            *slot = [key, entry.pack(age)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(effort: u64) -> Entry {
        Entry {
            numbers: ProofNumbers { phi: 3, delta: ProofNumbers::INFINITE },
            best: Point::new(24, 24),
            plies: 77,
            effort,
        }
    }

    #[test]
    fn what_is_stored_is_found() {
        let mut table = Table::new(1 << 16);
        for i in 1..100_u64 {
            let key = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            table.store(key, entry(1));
            assert_eq!(table.probe(key), Some(entry(1)));
            table.store(key, Entry { best: None, ..entry(64) });
            assert_eq!(table.probe(key), Some(Entry { best: None, ..entry(64) }));
        }
        assert_eq!(table.probe(12345), None);
        table.clear();
        assert_eq!(table.probe(0x9e37_79b9_7f4a_7c15), None);
    }

    #[test]
    fn old_and_cheap_entries_make_room() {
        let mut table = Table::new(0);
        (1..=4).for_each(|key| table.store(key, entry(1 << key)));
        table.store(5, entry(1));
        assert!(table.probe(1).is_none() && (2..=5).all(|key| table.probe(key).is_some()));
        table.set_age(1);
        table.store(6, entry(1));
        table.store(7, entry(1));
        assert!([3, 4, 6, 7].iter().all(|key| table.probe(*key).is_some()));
    }
}
