//! A file for one test, and what a command says that is refused.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering};

/// A path below the target folder where there is no file yet.
pub fn file(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let unique = format!("{}-{}-{name}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
    let _ = std::fs::remove_file(&path);
    path
}

/// The one line with which a command is refused.
pub fn refusal(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.lines().count() == 1 && told.starts_with("tengen: "), "{told}");
    told
}
