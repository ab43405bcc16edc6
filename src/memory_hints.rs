//! Hints about memory: prefetch into the processor's caches, huge pages for large tables, and freed blocks that go back
//! to the system. They change neither results nor the bench signature.

#![allow(unsafe_code)]

/// Size and alignment of a huge page on x86-64 and on most 64-bit ARM systems.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Asks the system to back a large table by huge pages, so that random reads rarely miss the translation look-aside
/// buffer (as Stockfish does). Call it before the first write to the table.
///
/// Only Linux does this without special rights. It clears a huge page at the first access, which takes a fraction of a
/// millisecond, but some 10 ms on a virtual machine whose host has not yet provided the memory.
pub fn prefer_huge_pages<T>(table: &[T]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let bytes = table.as_ptr_range();
        let start = bytes.start.addr().next_multiple_of(HUGE_PAGE);
        let end = bytes.end.addr() / HUGE_PAGE * HUGE_PAGE;
        if start < end {
            let from = bytes.start.with_addr(start).cast_mut().cast();
            // SAFETY: these whole pages belong to a live slice, and the advice changes only what backs them, not their
            // content.
            let advised = unsafe { madvise(from, end - start, Advice::LinuxHugepage) };
            if let Err(e) = advised {
                log::debug!("no huge pages: {e}");
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = table;
}

/// Makes the allocator return freed large blocks to the system at once, so that the process takes no more memory than
/// its parts count. Without this glibc keeps freed blocks of up to 32 MB, in whose gaps the next ones may not fit.
/// Other allocators need no such call.
pub fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::c_int;
        use std::sync::Once;
        /// Smallest size of a block that gets a mapping of its own, in bytes; setting it stops glibc from raising it.
        const M_MMAP_THRESHOLD: c_int = -3;
        unsafe extern "C" {
            fn mallopt(param: c_int, value: c_int) -> c_int;
        }
        // The setting lasts, and each call makes glibc tidy its heap.
        static SET: Once = Once::new();
        SET.call_once(|| {
            // SAFETY: glibc's function, with its types; it may be called at any time and from any thread, and changes
            // only where later blocks come from.
            if unsafe { mallopt(M_MMAP_THRESHOLD, 1 << 18) } == 0 {
                log::debug!("freed memory may stay in use");
            }
        });
    }
}

/// Prefetches the cache line of a value that will soon be read, such as the table entry of a child while its move is
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
