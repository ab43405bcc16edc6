//! Seeded random numbers. The generator never changes between versions: stored records depend on it.

/// SplitMix64 (Steele, Lea and Flood 2014): one word of state, sufficient for shuffling.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence that depends on all these words.
    pub fn new(words: &[u64]) -> Random {
        let mut random = Random(0);
        for word in words {
            random.0 ^= *word;
            random.0 = random.next_u64();
        }
        random
    }

    /// The sequence with this word as its state.
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

    /// An integer below `bound` (0 if that is 0). The bias, 2^-64 times the bound, is negligible here.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number in [0, 1).
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
