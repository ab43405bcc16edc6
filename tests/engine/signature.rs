//! The bench signature.

use tengen::bench::{SIGNATURE, signature};

/// The recorded signature equals the measured one. Every change of the search's behaviour records its own signature.
#[test]
fn the_bench_has_the_recorded_signature() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let measured = signature(threads).expect("threads");
    assert_eq!(measured, SIGNATURE, "the left number belongs into src/signature.txt if the search has changed");
}
