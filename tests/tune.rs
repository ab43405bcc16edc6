//! `tengen tune` as a program: the same fit from the same games, and weights through text.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tengen(args: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_tengen")).args(args).output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tune-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_fit_is_repeatable_and_lowers_the_loss() {
    let paths = ["games", "a.bin", "b.bin", "loss.svg", "a.txt", "back.bin"].map(file);
    let [games, a, b, svg, text, back] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    tengen(&["selfplay", "--games", "60", "--nodes", "60", "--rule", "1", "--signature", "1", "-o", games]);
    let told = tengen(&["tune", "eval", games, "-o", a, "--passes", "3", "--svg", svg]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    for kind in ["values", "order"] {
        let head = format!("{kind}: pass ");
        let losses: Vec<f64> = told
            .lines()
            .filter(|l| l.starts_with(&head))
            .map(|l| l.split_whitespace().nth(4).and_then(|n| n.parse().ok()).expect("a loss"))
            .collect();
        assert!(losses.len() == 3 && losses[2] < losses[0], "{told}");
    }
    tengen(&["tune", "eval", games, "-o", b, "--passes", "3"]);
    let read = |path: &str| std::fs::read(path).expect("a file");
    assert!(read(a) == read(b), "two fits differ");
    assert!(String::from_utf8_lossy(&read(svg)).contains("standard: loss of values"));

    tengen(&["tune", "export", "--from", a, "-o", text]);
    tengen(&["tune", "import", "--from", text, "-o", back]);
    assert!(read(a) == read(back), "weights change in the text");
    paths.iter().for_each(|p| drop(std::fs::remove_file(p)));
}
