//! What the transposition table tells the processor and the system about its memory. Hints only: leaving them out is
//! their safe twin, nothing but time depends on them, and the bench's signature is the same with and without.

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

/// Memory from which huge pages are asked for, in bytes: below, all of it fits the address caches anyhow.
#[cfg(target_os = "linux")]
const LARGE: usize = 8 << 20;
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;

/// Asks that memory be mapped in huge pages, if it is large: random access then seldom misses the address cache, and
/// first touches cost less.
pub fn prefer_huge_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        let bytes = std::mem::size_of_val(memory);
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(PAGE);
        if bytes >= LARGE {
            let whole = (bytes - skipped) / PAGE * PAGE;
            // SAFETY: the range lies within `memory`, which is borrowed exclusively, and begins and ends on a page's
            // border; this advice changes how the range is mapped, never what it holds.
            let told =
                unsafe { rustix::mm::madvise(start.add(skipped).cast(), whole, rustix::mm::Advice::LinuxHugepage) };
            if let Err(error) = told {
                log::debug!("no huge pages: {error}");
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
