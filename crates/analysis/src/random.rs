//! Seeded randomness that never changes from one version to the next: records depend on it.

/// SplitMix64 (Steele, Lea and Flood 2014): one word of state, good enough to shuffle.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence that depends on all the words given.
    pub fn new(words: &[u64]) -> Random {
        let mut random = Random(0);
        for word in words {
            random.0 ^= *word;
            random.0 = random.next_u64();
        }
        random
    }

    /// The sequence whose state is this word.
    pub fn from_state(state: u64) -> Random {
        Random(state)
    }

    /// The next word.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound` (0 if that is 0); the bias of 2^-64 times the bound does not matter here.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A random order of the numbers below `len`.
    pub fn order(&mut self, len: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..len).collect();
        for i in (1..len).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}
