//! A hint that memory will be wanted soon: the table's entry of a child is on its way while the move is being made.

#![allow(unsafe_code)]

/// Asks for the cache line of a value. Has no effect but on time: leaving it out is its safe twin, and the bench's
/// signature must be the same with and without.
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
