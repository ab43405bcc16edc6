//! Properties of this computer.

use std::sync::OnceLock;
use sysinfo::{MemoryRefreshKind, System};

/// Upper limit of the transposition table in mebibytes, even if there is more memory.
const LARGEST_HASH_MB: u64 = 65_536;

/// Largest transposition table of this computer, in mebibytes: three quarters of the memory that this process may use.
/// The rest is for everything else.
pub fn largest_hash_mb() -> u64 {
    static LARGEST: OnceLock<u64> = OnceLock::new();
    *LARGEST.get_or_init(|| {
        let mut system = System::new();
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        // Containers have their own limits.
        let allowed = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
        largest_for(system.total_memory().min(allowed))
    })
}

/// The same for this many bytes of memory; 0 means unknown.
fn largest_for(memory: u64) -> u64 {
    if memory == 0 { LARGEST_HASH_MB } else { ((memory >> 20) / 4 * 3).clamp(1, LARGEST_HASH_MB) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_leaves_memory_for_the_rest() {
        assert_eq!(largest_for(24 << 30), 18 << 10);
        assert_eq!((largest_for(1 << 20), largest_for(1 << 50)), (1, LARGEST_HASH_MB));
        let total = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        });
        if let Some(kibibytes) = total {
            assert!(largest_hash_mb() <= kibibytes >> 10, "{}", largest_hash_mb());
        }
    }
}
