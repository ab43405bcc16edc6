//! The number that identifies what the engine plays.

use tengen::bench::{SIGNATURE, signature};

/// The signature that is recorded is the one that is measured. A change of the search records its own.
#[test]
fn the_bench_has_the_recorded_signature() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let measured = signature(threads).expect("threads");
    assert_eq!(measured, SIGNATURE, "the left number belongs into src/signature.txt if the search has changed");
}
