//! What the transposition table tells the processor about its memory. A hint only: leaving it out is its safe twin,
//! nothing but time depends on it, and the bench's signature is the same with and without.
//!
//! Huge pages are not asked for: the system clears each when it is first touched, half a millisecond or more at a time,
//! and the first moves of a game came up to a second late.

#![allow(unsafe_code)]

/// Asks for the cache line of a value: the table's entry of a child is on its way while the move is being made.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes no state that the language knows of and never faults, whatever the address (here
        // that of a live reference); SSE is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
