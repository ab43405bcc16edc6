//! Prefetch into the processor's caches. Only a hint: without it results and the bench signature are the same.
//!
//! Huge pages are not requested for large tables: the system clears each one on first touch, in half a millisecond or
//! more, and the first moves of a game came up to a second late.

#![allow(unsafe_code)]

/// Fetches the cache line of a value that will soon be read, such as the table entry of a child while its move is
/// made.
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
