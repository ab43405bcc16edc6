//! Locates the engine's program, and builds programs that a test run did not.

// Every test program uses a part of this.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The path of `pbrain-tengen`, built from the same sources and with the same profile as the test. Cargo builds it for
/// tests of its own package, thus for `cargo test --workspace`. For tests of another package alone this function builds
/// it if it is missing or older than its sources.
pub fn engine_path() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| option_env!("CARGO_BIN_EXE_pbrain-tengen").map_or_else(build, str::to_owned))
}

fn build() -> String {
    let program = profile().join(format!("pbrain-tengen{}", std::env::consts::EXE_SUFFIX));
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("a folder in crates");
    let built = program.metadata().and_then(|program| program.modified());
    if !built.is_ok_and(|built| built >= newest(&package.join("src"))) {
        cargo_build(&["--package", "tengen", "--bin", "pbrain-tengen"]);
    }
    program.into_os_string().into_string().expect("a path in UTF-8")
}

/// The folder of the programs of this test's profile.
pub fn profile() -> PathBuf {
    let test = std::env::current_exe().expect("own path");
    test.parent().and_then(Path::parent).expect("target/profile/deps").to_owned()
}

/// Builds a target with the profile of this test.
pub fn cargo_build(target: &[&str]) {
    let profile = profile();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet"]).args(target).arg("--target-dir").arg(profile.parent().expect("target"));
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo").success());
}

/// Time of the last change of a file in a folder.
fn newest(folder: &Path) -> SystemTime {
    let entries = std::fs::read_dir(folder).expect("a folder of sources").flatten();
    let times = entries.map(|entry| match entry.path() {
        path if path.is_dir() => newest(&path),
        path => path.metadata().and_then(|file| file.modified()).expect("the time of a file"),
    });
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}
