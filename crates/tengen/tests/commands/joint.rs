//! Several rules trained together, and one of them on its own from the result.

use crate::common::{file, refusal, run, tengen};
use std::process::Output;

fn text(output: Output) -> String {
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn rules_are_trained_together_and_then_apart() {
    let paths = ["freestyle", "renju", "state", "nets", "own"].map(|name| file(&format!("joint-{name}")));
    let [freestyle, renju, state, nets, own] = paths.each_ref().map(|p| p.to_str().expect("a path"));
    for (rule, games) in [("freestyle", freestyle), ("renju", renju)] {
        tengen(&["selfplay", "-r", rule, "--signature", "5", "--nodes", "50", "--games", "6", "-o", games]);
    }
    let settings = ["--steps", "4", "--batch", "16", "--interval", "2", "--allow-dead", "--network", nets];
    let joint = [&["train", "-r", "0,4", freestyle, renju, "-o", state][..], &settings].concat();
    let told = text(tengen(&joint));
    let marks = |rule: &str| told.lines().filter(|line| line.starts_with(rule) && line.contains(" step ")).count();
    assert_eq!((marks("freestyle"), marks("renju")), (2, 2), "{told}");
    assert!(told.contains("freestyle: 6 games: ") && told.contains("renju: 6 games: "), "{told}");
    // The file serves both rules, and only these.
    let bytes = std::fs::read(nets).expect("a network");
    let network = tengen::eval::network::Network::decode(bytes.clone()).expect("a network");
    let known = tengen::rules::Rule::ALL.map(|rule| network.knows(rule));
    assert_eq!(known, [true, false, true, false, false]);

    // A finished run only writes its networks again; other settings are refused.
    assert!(text(tengen(&joint)).lines().all(|line| !line.contains(" step ")));
    assert_eq!(std::fs::read(nets).expect("a network"), bytes);
    let differs = refusal(&run(&[&joint[..], &["--rate", "0.002"]].concat()));
    assert!(differs.contains("joint-state: begun with other settings: plan.rate: 0.004"), "{differs}");
    let others = refusal(&run(&["train", "-r", "0,1", freestyle, "-o", state]));
    assert!(others.contains("joint-state is a joint run of freestyle, renju"), "{others}");
    let alone = refusal(&run(&["train", "-r", "0", freestyle, "-o", state]));
    assert!(alone.contains("a checkpoint of several rules that were trained together"), "{alone}");

    let warm = ["train", "-r", "4", "--warm-start", nets, "--steps", "2", "--batch", "16", "--residual-from", "0"];
    let told = text(tengen(&[&warm[..], &["-o", own, renju]].concat()));
    assert!(told.contains("step      2"), "{told}");
    let apart = refusal(&run(&["train", "-r", "0,4", renju, freestyle, "-o", own]));
    assert!(apart.contains("joint-own: a checkpoint of one rule"), "{apart}");
}
