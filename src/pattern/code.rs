//! Line codes: the ten cells around a point, along one line, as one additive number.
//!
//! Each side of the point is an *arm* of up to five cells, shortened by the border. An arm of `len` cells has the value
//! `(3^len - 1) / 2` plus the base-3 number of its cells (0 empty, 1 black, 2 white; the cell next to the point is the
//! lowest digit): 364 values. The code is `backward * 364 + forward`, 132,496 values. Placing a stone adds a constant
//! that depends on its colour and distance alone, because the term of the length never changes and digits never carry.
//! With the point's own cell as one more digit this is the dense code that a learned network can index by.

use crate::board::Side;

/// Cells seen on each side of a point: enough for a five through it and the cells at its ends.
pub const REACH: usize = 5;

/// Values of one arm.
pub const ARMS: u32 = 364;

/// Number of codes.
pub const CODES: usize = (ARMS * ARMS) as usize;

/// A line code, below [`CODES`].
pub type LineCode = u32;

/// Powers of three.
pub const POW3: [u32; 6] = [1, 3, 9, 27, 81, 243];

/// Value of an empty arm of `len` cells (0 to 5).
pub const fn arm_offset(len: usize) -> u32 {
    (POW3[len] - 1) / 2
}

/// What a stone adds to the code of a point from which it is seen at `distance`: positive forward, negative
/// backward, magnitude 1 to 5.
#[inline(always)]
pub const fn stone_delta(side: Side, distance: i32) -> u32 {
    let digit = side as u32 + 1;
    if distance > 0 { digit * POW3[distance as usize - 1] } else { digit * POW3[(-distance) as usize - 1] * ARMS }
}

/// What a stone adds to the codes of the eleven points of its line around it, from five behind to five ahead.
pub(crate) const fn deltas(side: Side) -> [u32; 2 * REACH + 1] {
    let mut all = [0; 2 * REACH + 1];
    let mut i = 0;
    while i < all.len() {
        // A point behind the stone sees it forward.
        let seen = REACH as i32 - i as i32;
        if seen != 0 {
            all[i] = stone_delta(side, seen);
        }
        i += 1;
    }
    all
}

/// Length and digits (nearest first) of an arm value.
pub(crate) fn decode_arm(value: u32) -> (usize, [u8; REACH]) {
    let len = (0..=REACH).rev().find(|len| value >= arm_offset(*len)).unwrap_or(0);
    let mut rest = value - arm_offset(len);
    let mut digits = [0; REACH];
    for digit in digits.iter_mut().take(len) {
        *digit = (rest % 3) as u8;
        rest /= 3;
    }
    (len, digits)
}

/// The same arm with black and white exchanged.
pub fn swap_arm(value: u32) -> u32 {
    let (len, digits) = decode_arm(value);
    let swapped = digits.iter().take(len).enumerate().map(|(i, d)| POW3[i] * ((3 - u32::from(*d)) % 3)).sum::<u32>();
    arm_offset(len) + swapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_are_dense_and_swapping_is_an_involution() {
        for value in 0..ARMS {
            let (len, digits) = decode_arm(value);
            let again = arm_offset(len) + digits.iter().enumerate().map(|(i, d)| POW3[i] * u32::from(*d)).sum::<u32>();
            assert_eq!(again, value);
            assert_eq!(swap_arm(swap_arm(value)), value);
        }
        assert_eq!(ARMS, (0..=REACH).map(|len| POW3[len]).sum::<u32>());
    }
}
