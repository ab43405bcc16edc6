//! The version and help of both programs, and their answers to wrong usage.

use crate::program::engine_path;
use crate::support::workspace;
use std::process::{Command, Output};
use tengen::bench::SIGNATURE;

const TENGEN: &str = env!("CARGO_BIN_EXE_tengen");

fn run(program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).output().expect("the program")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn versions_name_the_revision_and_the_signature() {
    for (program, name) in [(TENGEN, "tengen"), (engine_path(), "pbrain-tengen")] {
        let version = text(&run(program, &["--version"]).stdout);
        let start = format!("{name} {} (", env!("CARGO_PKG_VERSION"));
        assert!(version.starts_with(&start) && version.ends_with(&format!("bench {SIGNATURE})\n")), "{version}");
        // Without a repository the revision is missing.
        let here = Command::new("git").args(["rev-parse", "--show-prefix"]).current_dir(workspace()).output();
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

/// Error messages about wrong numbers are written for people.
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
        (&["match", "-e", "cmd=a,st=0"], "st=0: a move needs at least 1ms"),
        (&["match", "-e", "cmd=a,st=0.0004"], "st=0.0004: a move needs at least 1ms"),
        (&["match", "-e", "cmd=a,st=-1"], "expected a time such as 0.5 or 20ms, found \"-1\""),
        (&["match", "-e", "cmd=a,depth=0"], "depth=0: expected at least 1"),
        (&["match", "-e", "cmd=a,nodes=0"], "nodes=0: expected at least 1"),
        (&["match", "-e", "cmd=a,threads=0"], "threads=0: expected at least 1"),
        (&["match", "-e", "cmd=a,memory=350"], "memory=350: no engine lives in less than 1M"),
        (&["match", "-e", "cmd=a,memroy=350M"], "memroy=350M: an engine has no such setting; did you mean memory?"),
        (&["match", "-e", "cmd=a,book=0"], "book=0: an engine has no such setting; did you mean info.book?"),
        (&["match", "-e", "cmd=a,st=1,st=2"], "st is given twice"),
        (&["match", "-e", "cmd=a,name=x,restart"], "restart needs a value"),
        (&["match", "-e", "cmd=a,dir=/no/such"], "dir=/no/such: there is no such folder"),
        (&["match", "-e", "cmd=a,tc=40/60"], "tc=40/60: 40 moves in 60 s: the protocol has no limit for a number of"),
        (&["match", "-e", "cmd=a,tc=0"], "tc=0: a clock is above 0; tc=inf is none"),
        (&["match", "-e", "cmd=a,tc=1:75"], "tc=1:75: a minute has 60 seconds"),
        (&["match", "-e", "cmd=a,tc=inf"], "say how long it may think"),
        (&["match", "-e", "cmd=a,st=1,info.evaluation=clasical"], "evaluation is network or classical"),
        (&["match", "-e", "cmd=a,st=1,info.foo=3"], "no engine is known to have foo; raw.foo= sends it as it is"),
        (&["match", "-e", "cmd=a,st=1,info.hash_sise=3"], "did you mean hash_size? raw.hash_sise= sends it as it is"),
        (&["match", "-e", "cmd=a,st=1,info.book=off"], "book is a whole number from 0 to 1"),
        (&["match", "-e", "cmd=a,st=1,info.thread_num=2"], "what decides it is threads=N"),
        (&["match", "-e", "cmd=./a,st=1,info.nnue_file=no.tnn"], "nnue_file=no.tnn: there is no file ./no.tnn"),
        (&["match", "--event", "rul=4", "-e", "cmd=a,st=1"], "an event has no rul; did you mean rule?"),
        (&["match", "--sprt", "elo0=0,elo=5", "-e", "cmd=a,st=1"], "--sprt: needs elo0=N and elo1=N"),
        (
            &["match", "--sprt", "elo0=0,elo1=5,alfa=0.1", "-e", "cmd=a,st=1"],
            "no such setting: alfa; did you mean alpha?",
        ),
        (&["match", "--resign", "moves=0,score=9", "-e", "cmd=a,st=1"], "moves is at least 1"),
        (&["match", "--resign", "score=0", "-e", "cmd=a,st=1"], "needs score=N, at least 1"),
        (&["match", "--draw", "scor=5", "-e", "cmd=a,st=1"], "no such setting: scor; did you mean score?"),
        (&["match", "--draw-after", "0"], "0 is not in 1..=4294967295"),
        (&["match", "-j0"], "must be at least 1"),
        (&["tune", "compare", "lmr_cut=abc"], "lmr_cut=abc: expected a whole number, found \"abc\""),
        (&["tune", "compare", "lmr_cut=120", "lmr_cut=110"], "lmr_cut is given twice"),
        (&["tune", "compare", "lmr_cot=100"], "no parameter lmr_cot; did you mean lmr_cut?"),
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
    // Keys of other engines can be sent unchecked.
    let told = run(TENGEN, &["match", "-e", "cmd=/no/engine,st=1,raw.foo=3,tc=1:30+0.5", "-e", "cmd=b,st=1"]).stderr;
    assert!(text(&told).contains("there is no program /no/engine"), "{}", text(&told));
    let output = run(engine_path(), &["bench", "--quick"]);
    assert!(!output.status.success() && text(&output.stderr).contains("only --deep"));
}
