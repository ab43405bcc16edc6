//! Indices of line shapes. A shape is a line code and the stone at its centre, as one side sees them, up to mirroring.
//!
//! Each row of the network belongs to a shape. With the digits 0 for empty, 1 for own and 2 for the other side's
//! stones, and with arms `a >= b`, the index is `centre * 66430 + a (a + 1) / 2 + b`: 199,290 shapes.

use crate::pattern::ARMS;

/// Number of unordered pairs of arms.
const PAIRS: u32 = ARMS * (ARMS + 1) / 2;

/// Number of line shapes.
pub const SHAPES: usize = 3 * PAIRS as usize;

/// The shape of a line with these arms and this centre (0 empty, 1 own, 2 the other side's).
#[inline(always)]
pub const fn shape(centre: u32, back: u32, ahead: u32) -> u32 {
    let (high, low) = if back > ahead { (back, ahead) } else { (ahead, back) };
    centre * PAIRS + high * (high + 1) / 2 + low
}

/// A centre as the other side sees it.
#[inline(always)]
pub const fn swap_centre(centre: u32) -> u32 {
    (3 - centre) % 3
}

/// The centre and arms of a shape.
pub fn arms_of(shape: u32) -> (u32, u32, u32) {
    let (centre, pair) = (shape / PAIRS, shape % PAIRS);
    // The rounded square root may be off by one in either direction.
    let mut high = (((8.0 * f64::from(pair) + 1.0).sqrt() - 1.0) / 2.0) as u32;
    while high * (high + 1) / 2 > pair {
        high -= 1;
    }
    while (high + 1) * (high + 2) / 2 <= pair {
        high += 1;
    }
    (centre, high, pair - high * (high + 1) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_dense_and_blind_to_mirroring() {
        let mut next = 0;
        for centre in 0..3 {
            for high in 0..ARMS {
                for low in 0..=high {
                    assert_eq!(shape(centre, high, low), next);
                    assert_eq!(shape(centre, low, high), next);
                    assert_eq!(arms_of(next), (centre, high, low));
                    next += 1;
                }
            }
        }
        assert_eq!(next as usize, SHAPES);
    }
}
