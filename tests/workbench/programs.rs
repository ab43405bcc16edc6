//! What both programs say of themselves, and how they answer wrong usage.

use std::process::{Command, Output};
use tengen::workbench::bench::{SIGNATURE, signature};

const TENGEN: &str = env!("CARGO_BIN_EXE_tengen");
const ENGINE: &str = env!("CARGO_BIN_EXE_pbrain-tengen");

fn run(program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).output().expect("the program")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The signature that is recorded is the one that is measured. A change of the search records its own.
#[test]
fn the_bench_has_the_recorded_signature() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let measured = signature(threads).expect("threads");
    assert_eq!(
        measured, SIGNATURE,
        "the left number belongs into src/workbench/signature.txt if the search has changed"
    );
}

#[test]
fn versions_name_the_revision_and_the_signature() {
    for (program, name) in [(TENGEN, "tengen"), (ENGINE, "pbrain-tengen")] {
        let version = text(&run(program, &["--version"]).stdout);
        let start = format!("{name} {} (", env!("CARGO_PKG_VERSION"));
        assert!(version.starts_with(&start) && version.ends_with(&format!("bench {SIGNATURE})\n")), "{version}");
        // The revision is left out where there is no repository.
        let here =
            Command::new("git").args(["rev-parse", "--show-prefix"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        if here.is_ok_and(|output| output.status.success() && text(&output.stdout).trim().is_empty()) {
            let revision = version[start.len()..].split([',', ' ']).next().unwrap_or_default();
            assert!(revision.len() >= 7 && revision.chars().all(|c| c.is_ascii_hexdigit()), "{version}");
        }
    }
}

#[test]
fn shells_can_complete_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(&run(TENGEN, &["completions", shell]).stdout);
        assert!(script.contains("analyze") && script.contains("recover"), "{shell}");
    }
    assert!(!run(TENGEN, &["completions", "basic"]).status.success());
}

/// Wrong numbers are answered in the words of people.
#[test]
fn usage_errors_are_for_people() {
    let cases: &[(&[&str], &str)] = &[
        (&["bench", "-j", "0"], "invalid value '0' for '--threads <THREADS>': must be at least 1"),
        (&["bench", "-j", ""], "invalid value '' for '--threads <THREADS>': expected a whole number"),
        (&["match", "--games", ""], "invalid value '' for '--games <N>': expected a whole number"),
        (&["match", "--games", "x"], "expected a whole number"),
        (&["match", "--games", "99999999999999999999999"], "this number is too large"),
        (&["match", "--sprt", "elo1=5", "-e", "cmd=a,st=1", "-e", "cmd=b,st=1"], "--sprt: needs elo0=N and elo1=N"),
        (&["match", "-e", "cmd=a,nodes="], "nodes=: expected a whole number, found \"\""),
        (&["match", "-e", "cmd=a,st=soon"], "expected a time such as 0.5 or 20ms, found \"soon\""),
        (&["match", "--size", "3", "-e", "cmd=a,st=1", "-e", "cmd=b,st=1"], "boards are 5 to 25 points"),
    ];
    for (args, expected) in cases {
        let output = run(TENGEN, args);
        let told = text(&output.stderr);
        assert!(!output.status.success() && told.contains(expected), "{args:?}: {told}");
        for word in ["non-zero type", "integer from empty string", "invalid digit", "invalid float"] {
            assert!(!told.contains(word), "{args:?}: {told}");
        }
    }
    let output = run(ENGINE, &["bench", "--quick"]);
    assert!(!output.status.success() && text(&output.stderr).contains("only --deep"));
}
