//! How well networks predict games: `tengen data losses`.

use crate::common::{file, refusal, run, tengen};

#[test]
fn networks_are_measured_on_the_same_games() {
    let paths = ["games", "network"].map(|name| file(&format!("losses-{name}")));
    let [games, network] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    tengen(&["selfplay", "-r", "1", "--signature", "5", "--nodes", "50", "--games", "6", "-o", games]);
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/eval/network/built_in.tnn");
    std::fs::copy(built_in, network).expect("a copy");

    let losses = |more: &[&str]| {
        let output = tengen(&[&["data", "losses", "-r", "1", games][..], more].concat());
        String::from_utf8(output.stdout).expect("text")
    };
    let told = losses(&[]);
    let lines: Vec<&str> = told.lines().collect();
    let [count, _, own, classical] = lines[..] else { panic!("{told}") };
    assert!(count.starts_with("6 games of standard: ") && count.ends_with(" with a best move"), "{told}");
    let figures = |line: &str| line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert!(own.starts_with("built-in ") && classical.starts_with("classical ") && figures(own) != figures(classical));

    // A copy of the network has the same losses, twice.
    let told = losses(&["--weights", network, "--weights", network]);
    let rows: Vec<_> = told.lines().skip(2).map(figures).collect();
    assert_eq!(rows, [figures(own), figures(own), figures(classical)]);

    let other = refusal(&run(&["data", "losses", "-r", "4", games]));
    assert!(other.contains("no games of renju"), "{other}");
    let none = refusal(&run(&["data", "losses", "-r", "1", "--weights", "classical", games]));
    assert!(none.contains("classical has no network for standard"), "{none}");
}
