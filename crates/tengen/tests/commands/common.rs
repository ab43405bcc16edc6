//! A file for one test, the program, and its error messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use tengen_workbench::data::tree::{Tree, bodies};

/// A path below the target folder without an existing file.
pub fn file(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("{}-{}-{name}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
    let _ = std::fs::remove_file(&path);
    path
}

/// Runs `tengen`.
pub fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tengen")).args(args).output().expect("the program")
}

/// Runs `tengen`, which must succeed.
pub fn tengen(args: &[&str]) -> Output {
    let output = run(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The one-line error message of a rejected command.
pub fn refusal(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.lines().count() == 1 && told.starts_with("tengen: "), "{told}");
    told
}

/// The header and the elements of a numpy array.
pub fn array(path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).expect("an array");
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + length) % 64, 0, "elements are aligned");
    (String::from_utf8_lossy(&bytes[10..10 + length]).into_owned(), bytes[10 + length..].to_vec())
}

/// The search trees in the bytes of a file.
pub fn trees_in(bytes: &[u8]) -> Vec<Tree> {
    bodies(bytes).expect("records").into_iter().map(|body| Tree::decode(body).expect("a tree")).collect()
}
