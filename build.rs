//! Sets what the programs print for `--version`: version, revision and bench signature.
//!
//! The revision is that of the last build for which the sources had changed, so a commit alone causes no rebuild.
//! It is left out where there is no repository or no git; packagers can set `TENGEN_REVISION`.

use std::path::Path;
use std::process::Command;

/// The paths whose changes make a new revision.
const SOURCES: [&str; 4] = ["src", "Cargo.toml", "Cargo.lock", "build.rs"];

fn main() {
    println!("cargo::rerun-if-env-changed=TENGEN_REVISION");
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    SOURCES.iter().filter(|name| **name != "src").for_each(|name| watch(name));
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        watch("src");
    } else {
        // A change of a program must not rebuild the library.
        let entries = std::fs::read_dir(Path::new(&root).join("src")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name != "bin").for_each(|name| watch(&format!("src/{name}")));
    }
    let signature = std::fs::read_to_string(Path::new(&root).join("src/signature.txt")).unwrap_or_default();
    let revision = std::env::var("TENGEN_REVISION").ok().filter(|r| !r.is_empty()).or_else(|| revision(&root));
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let revision = revision.map_or(String::new(), |revision| format!("{revision}, "));
    println!("cargo::rustc-env=TENGEN_VERSION={version} ({revision}bench {})", signature.trim());
}

fn watch(path: &str) {
    println!("cargo::rerun-if-changed={path}");
}

/// The revision checked out in this folder, with a mark if the sources differ from it.
fn revision(root: &str) -> Option<String> {
    let git = |args: &[&str]| {
        let output = Command::new("git").arg("--no-optional-locks").args(args).current_dir(root).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // A source archive unpacked inside another repository does not get that repository's revision.
    git(&["rev-parse", "--show-prefix"]).filter(String::is_empty)?;
    let revision = git(&["rev-parse", "--short=10", "HEAD"])?;
    let changed = git(&[&["status", "--porcelain", "--"], &SOURCES[..]].concat())?;
    Some(if changed.is_empty() { revision } else { format!("{revision} modified") })
}
