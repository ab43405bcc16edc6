//! Parts of work that is distributed over machines.

use std::fmt;

/// One part of a match or a data set that is distributed over machines: number `part` (from 1) of `parts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `parts`.
    pub part: u64,
    /// At least 1.
    pub parts: u64,
}

impl Shard {
    /// The whole match.
    pub const WHOLE: Shard = Shard { part: 1, parts: 1 };

    /// Whether a pair belongs to this part.
    pub fn has(&self, pair: u64) -> bool {
        pair % self.parts == self.part - 1
    }
}

impl std::str::FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, Self::Err> {
        let error = "expected K/N with 1 <= K <= N";
        let (part, parts) = text.split_once('/').ok_or(error)?;
        let number = |s: &str| s.trim().parse::<u64>().map_err(|_| error);
        let shard = Shard { part: number(part)?, parts: number(parts)? };
        if shard.part < 1 || shard.part > shard.parts { Err(error) } else { Ok(shard) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_partition_the_pairs() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].iter().map(|s| s.parse().unwrap()).collect();
        for pair in 0..20 {
            assert_eq!(shards.iter().filter(|s| s.has(pair)).count(), 1);
        }
        for text in ["0/3", "4/3", "1", "1/0", "a/b", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
