//! Zobrist keys of stones, generated at compile time by SplitMix64 (Steele, Lea, Flood 2014).

use crate::board::{POINTS, Point, Side};

const fn splitmix(state: u64) -> u64 {
    let z = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const fn keys() -> [[u64; POINTS]; 2] {
    let mut keys = [[0; POINTS]; 2];
    let mut i = 0;
    while i < POINTS {
        keys[0][i] = splitmix(2 * i as u64 + 1);
        keys[1][i] = splitmix(2 * i as u64 + 2);
        i += 1;
    }
    keys
}

static KEYS: [[u64; POINTS]; 2] = keys();

/// Part of the key when white is to move.
pub(super) const WHITE_TO_MOVE: u64 = splitmix(1 << 40);

/// Part of the key for a stone.
#[inline(always)]
pub(super) fn stone(point: Point, side: Side) -> u64 {
    KEYS[side.index()][point.index()]
}
