//! `tengen tune` as a program: the same fit from the same games, weights through text, and tuning of the search.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tengen::engine::{Params, Rule};

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

const SEARCH: [&str; 11] =
    ["tune", "search", "--nodes", "60", "--pairs", "6", "--batch", "2", "--only", "lmr_cut,window", "-o"];

#[test]
fn tuning_is_repeatable_and_goes_on_where_it_was_stopped() {
    let paths = ["one", "two", "cut", "way.svg"].map(file);
    let [one, two, cut, svg] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    let run = |output: &str, more: &[&str]| tengen(&[&SEARCH[..], &[output], more].concat());
    let read = |path: &str| std::fs::read_to_string(path).expect("a log");
    run(one, &["-j", "1", "--svg", svg]);
    run(two, &["-j", "2"]);
    assert_eq!(read(one), read(two), "threads change the result");
    assert_eq!(read(one).lines().count(), 4, "the start and three batches");
    assert!(read(svg).contains("lmr_cut"));

    // The start, a batch, and a line that was torn.
    let lines: Vec<String> = read(one).lines().map(str::to_owned).collect();
    std::fs::write(cut, format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..20])).expect("a log");
    run(cut, &["-j", "2"]);
    assert_eq!(read(one), read(cut), "a resumed run differs");
    paths.iter().for_each(|p| drop(std::fs::remove_file(p)));
}

#[test]
fn a_setting_is_as_strong_as_itself() {
    let (value, parameter) = (Params::of(Rule::Freestyle).values()[0], Params::ALL[0]);
    let same = format!("{}={value}", parameter.name);
    let told = tengen(&["tune", "compare", "--nodes", "100", "--pairs", "8", &same]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("16 games, pairs [0, 0, 8, 0, 0]"), "{told}");
}

#[test]
fn what_is_no_parameter_is_refused_in_one_line() {
    for change in ["nonsense=1", "lmr_cut=many", "lmr_cut=100000", "no-such-file"] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_tengen")).args(["tune", "compare", change]).output().expect("run");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.lines().count() == 1 && told.starts_with("tengen: "), "{told}");
    }
}
