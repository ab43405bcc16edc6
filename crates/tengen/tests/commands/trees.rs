//! Search trees as training data: made from games, used in training, rejected in files of another kind.

use crate::common::{array, file, refusal, run, tengen, trees_in};
use std::process::Output;

#[test]
fn trees_of_games_are_learned_from() {
    let paths = ["games", "trees", "alone", "state", "without"].map(file);
    let [games, trees, alone, state, without] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    tengen(&["selfplay", "--signature", "5", "--nodes", "100", "--size", "9,15", "--games", "12", "-o", games]);
    let text = |output: Output| String::from_utf8(output.stdout).expect("text");
    let make = |threads: &str, output: &str| {
        text(tengen(&[
            "data", "tree", "--nodes", "400", "--depth", "3", "--one-in", "2", "-j", threads, "-o", output, games,
        ]))
    };
    let told = make("2", trees);
    let bytes = std::fs::read(trees).expect("a file");
    let read = trees_in(&bytes);
    let nodes: usize = read.iter().map(|tree| tree.nodes.len()).sum();
    assert_eq!(read.len(), 12);
    assert!(nodes > 200 && told.starts_with(&format!("{nodes} nodes in ")), "{told}");
    make("1", alone);
    assert!(std::fs::read(alone).expect("a file") == bytes, "threads change the trees");

    // Some of the games may be held out, which happens to one in twenty.
    let train = ["train", "--steps", "2", "--batch", "16", "--interval", "1", games, "-o"];
    let told = text(tengen(&[&train[..], &[state, "--tree", trees]].concat()));
    let positions = |told: &str| told.split(": ").nth(1).and_then(|t| t.split(' ').next()?.parse::<usize>().ok());
    let alone = text(tengen(&[&train[..], &[without]].concat()));
    let more = positions(&told).expect("a number") - positions(&alone).expect("a number");
    // Decided nodes are excluded.
    assert!(nodes / 2 < more && more <= nodes, "{told}{alone}");

    // The same samples as arrays; the run that this started can continue.
    let (folder, begun) = (file("arrays"), file("begun"));
    let [target, begun] = [&folder, &begun].map(|p| p.to_str().expect("a path"));
    let begin = [&train[..], &[begun, "--tree", trees]].concat();
    let arrays = text(tengen(&[&begin[..], &["--arrays", target]].concat()));
    assert_eq!(arrays, format!("12 games: {} training positions in {target}\n", positions(&told).expect("a number")));
    let elements = |name: &str, bytes: usize| {
        let (head, elements) = array(&folder.join(format!("{name}.npy")));
        assert!(head.contains(&format!("'shape': ({},)", elements.len() / bytes)), "{name}: {head}");
        elements.len() / bytes
    };
    // The kind of a sample is the fifth byte from its end: less than 2 for training samples.
    let (_, samples) = array(&folder.join("samples.npy"));
    let kinds = samples.chunks_exact(87).map(|sample| sample[82]);
    assert_eq!(Some(kinds.filter(|kind| *kind < 2).count()), positions(&told));
    assert!(Some(elements("samples", 87)) >= positions(&told));
    assert_eq!((elements("batch", 5), elements("losses", 40)), (16, 2));
    let numbers = elements("gradient", 8);
    assert!(numbers > 100_000, "{numbers}");
    let went_on = text(tengen(&begin));
    assert_eq!(went_on.lines().filter(|line| line.starts_with("step ")).count(), 2, "{went_on}");
    assert_eq!(went_on.lines().count(), told.lines().count(), "{went_on}");
    assert!(std::fs::read(begun).expect("a state") == std::fs::read(state).expect("a state"));

    // A state continues only with the same settings and files.
    let again = |more: &[&str]| run(&[&train[..], &[state, "--tree", trees], more].concat());
    assert!(again(&[]).status.success());
    let differs = |more: &[&str], what: &str| {
        let said = refusal(&again(more));
        assert!(said.contains(&format!("state: begun with other settings: {what}")), "{said}");
    };
    differs(&["--rate", "0.002"], "plan.rate: 0.004 in the record, 0.002 now");
    differs(
        &["--scale", "200"],
        "targets.scale: 150 in the record, 200 now; targets.tree_scale: 150 in the record, 200 now",
    );
    differs(&["--games", "11"], "games.count: 12 in the record, 11 now");
}

#[test]
fn trees_are_made_in_parts_and_go_on_where_they_were_stopped() {
    let paths = ["games", "whole", "one", "two", "cut"].map(file);
    let [games, whole, one, two, cut] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    tengen(&["selfplay", "--signature", "5", "--nodes", "50", "--size", "8", "--games", "5", "-o", games]);
    let args = |output: &str, more: &[&str]| {
        let tree = ["data", "tree", "--nodes", "300", "--depth", "3", "--one-in", "2", "-j", "2", games, "-o", output];
        [&tree[..], more].concat().iter().map(|word| (*word).to_owned()).collect::<Vec<String>>()
    };
    let make = |output: &str, more: &[&str]| {
        tengen(&args(output, more).iter().map(String::as_str).collect::<Vec<_>>());
        std::fs::read(output).expect("a file")
    };
    let all = make(whole, &[]);
    let trees = trees_in(&all);
    let parts = [make(one, &["--shard", "1/2"]), make(two, &["--shard", "2/2"])].map(|bytes| trees_in(&bytes));
    let joined: Vec<_> = (0..5).map(|game| parts[game % 2][game / 2].clone()).collect();
    assert_eq!(joined, trees);
    assert!(trees.iter().all(|tree| !tree.nodes.is_empty()));

    let first = trees[0].encode().len() + trees[1].encode().len();
    for length in [0, 3, first, first + 30, all.len()] {
        std::fs::write(cut, &all[..length]).expect("space");
        assert!(make(cut, &["--resume"]) == all, "cut at {length}");
    }
    std::fs::remove_file(cut).expect("its end");
    assert!(make(cut, &["--resume"]) == all, "a new file");
    let refused = |more: &[&str]| {
        let args = args(cut, &[&["--resume"], more].concat());
        refusal(&run(&args.iter().map(String::as_str).collect::<Vec<_>>()))
    };
    assert!(refused(&["--shard", "2/2"]).contains("tree 1 is of another game"));
    assert!(refused(&["--weights", "classical"]).contains("made with other settings"));
    assert!(std::fs::read(cut).expect("a file") == all);
}

#[test]
fn other_files_are_refused() {
    let paths = ["games", "trees", "state"].map(file);
    let [games, trees, state] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    tengen(&["selfplay", "--signature", "5", "--nodes", "50", "--size", "7", "--games", "1", "-o", games]);
    std::fs::write(trees, "Dear reader").expect("space");
    let said = refusal(&run(&["data", "tree", "-o", trees, games]));
    assert!(said.contains("exists"), "{said}");
    let said = refusal(&run(&["train", "--tree", trees, "-o", state, games]));
    assert!(said.ends_with("no record of a search tree begins here\n"), "{said}");
}
