//! Self-play data: the same bytes whatever the threads, the interruptions and the parts.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tengen::workbench::data::{DataGame, Reader};

fn tengen(args: &[&str], output: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args(args).arg("-o").arg(output);
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn games(path: &Path) -> Vec<DataGame> {
    let bytes = std::fs::read(path).expect("a file");
    Reader::new(&bytes).collect::<Result<_, _>>().expect("records")
}

const RUN: [&str; 11] =
    ["selfplay", "--games", "9", "--nodes", "200", "--size", "9,15", "--seed", "77", "--random", "100"];

#[test]
fn threads_interruptions_and_parts_change_nothing() {
    let whole = file("whole");
    tengen(&[&RUN[..], &["-j", "1"]].concat(), &whole);
    let expected = std::fs::read(&whole).expect("a file");
    let all = games(&whole);
    assert_eq!(all.len(), 9);
    assert!(all.iter().enumerate().all(|(i, g)| g.size.width() == if i % 2 == 0 { 9 } else { 15 }));

    let threads = file("threads");
    tengen(&[&RUN[..], &["-j", "3"]].concat(), &threads);
    assert!(std::fs::read(&threads).expect("a file") == expected, "threads change the games");

    // Killed within a record.
    let resumed = file("resumed");
    std::fs::write(&resumed, &expected[..expected.len() / 2]).expect("a file");
    tengen(&[&RUN[..], &["-j", "2"]].concat(), &resumed);
    assert!(std::fs::read(&resumed).expect("a file") == expected, "a resumed run differs");

    let parts: Vec<PathBuf> = (1..=2).map(|k| file(&format!("part{k}"))).collect();
    for (k, part) in parts.iter().enumerate() {
        tengen(&[&RUN[..], &["--shard", &format!("{}/2", k + 1)]].concat(), part);
    }
    let of_parts: Vec<_> = (0..9).map(|i| games(&parts[i % 2])[i / 2].clone()).collect();
    assert_eq!(of_parts, all);

    let merged = file("merged");
    let names: Vec<&str> = [&parts[0], &parts[1], &whole].iter().map(|p| p.to_str().expect("a path")).collect();
    tengen(&[&["data", "merge"][..], &names].concat(), &merged);
    assert_eq!(games(&merged).len(), 9, "copies are dropped");
}
