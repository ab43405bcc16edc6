//! The program and the engine with a network: legal answers, reproducible results, and clear error messages for bad
//! files.

use crate::folder::Folder;
use crate::play::{self, legal_point, think};
use crate::program::{self, Program};
use crate::random_network::random_weights;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tengen::engine::loader::{Loader, name, read};
use tengen::engine::{Engine, Evaluation, Limits, Options, Rule};
use tengen::eval::Weights;
use tengen::eval::network::file::encode;

/// A network of random weights for freestyle and renju.
fn file() -> Vec<u8> {
    file_of(1)
}

fn file_of(seed: u64) -> Vec<u8> {
    encode(&[random_weights(Rule::Freestyle, 1, seed), random_weights(Rule::Renju, 2, seed + 1)])
}

fn written(folder: &Folder, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// Rules that the network does not support use the classical evaluation.
#[test]
fn the_engine_plays_by_a_network_under_the_rules_that_it_knows() {
    let evaluation = Evaluation::decode(file()).expect("a network");
    let options = |evaluation| Options { evaluation, hash: Some(4 << 20), ..Options::default() };
    for rule in [Rule::Freestyle, Rule::Renju, Rule::Standard] {
        let setup = play::quiet();
        let nodes = |evaluation| {
            let mut engine = Engine::new(options(evaluation));
            let outcome = think(&mut engine, &setup, rule, Limits::nodes(3000));
            (legal_point(&outcome, &setup, rule), outcome.line.score, outcome.line.nodes)
        };
        let by_network = nodes(evaluation.clone());
        assert_eq!(by_network, nodes(evaluation.clone()), "{rule}: the same each time");
        let classical = nodes(Evaluation::default().classical());
        assert_eq!(by_network == classical, rule == Rule::Standard, "{rule}");
        assert_eq!(nodes(evaluation.clone().classical()), classical);
    }
}

#[test]
fn the_program_takes_a_network_and_can_be_told_not_to_use_it() {
    let folder = Folder::new();
    let path = written(&folder, "network", &file());
    let mut moves = Vec::new();
    for setting in ["INFO evaluation network", "INFO evaluation classical", "INFO evaluation nonsense"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"));
        let mut program = Program::with(command.arg("--weights").arg(&path));
        program.send("START 15");
        assert_eq!(program.line(), "OK");
        program.send(&format!("INFO book 0\nINFO max_node 2000\n{setting}\nBOARD\n7,7,1\n8,8,2\n7,8,1\n7,6,2\nDONE"));
        if setting.contains("nonsense") {
            assert!(program.line().starts_with("MESSAGE setting evaluation needs "));
        }
        moves.push(program.a_move(15));
        program.quit();
    }
    let mut program = Program::game(15, &["max_node 2000", "evaluation classical"]);
    program.send("BOARD\n7,7,1\n8,8,2\n7,8,1\n7,6,2\nDONE");
    assert_eq!(program.a_move(15), moves[1], "without the network as without the file");
    program.quit();
    assert_ne!(moves[0], moves[1], "the file makes a difference");
    assert_eq!(moves[2], moves[0], "what is not known changes nothing");
}

/// The built-in network is used unless another evaluation is selected or memory is too small.
#[test]
fn the_built_in_network_is_the_default() {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/eval/network/built_in.tnn");
    let nodes = |evaluation| {
        let mut engine = Engine::new(Options { evaluation, ..Options::default() });
        think(&mut engine, &play::quiet(), Rule::Freestyle, Limits::depth(8)).line.nodes
    };
    let by_network = nodes(read(&built_in).expect("a network"));
    assert_eq!(nodes(Evaluation::default()), by_network);
    assert_ne!(nodes(Evaluation::default().classical()), by_network);
    let known = |rule| Evaluation::default().network.is_some_and(|network| network.knows(rule));
    assert!(Rule::ALL.into_iter().all(known));

    let counted_with = |arguments: &[&str], lines: &str| {
        let mut program = Program::with(Command::new(env!("CARGO_BIN_EXE_pbrain-tengen")).args(arguments));
        let (said, _) =
            answer(&mut program, &format!("{lines}\nINFO show_detail 2\nINFO max_depth 6\nINFO max_node 0"));
        program.quit();
        said.into_iter().rfind(|line| line.contains("NODE"))
    };
    let counted = |lines: &str| counted_with(&[], lines);
    let (plain, classical) = (counted(""), counted("INFO evaluation classical"));
    assert!(plain.is_some() && classical.is_some());
    assert_eq!(plain, counted("INFO evaluation network"));
    assert_ne!(plain, classical);
    for arguments in
        [&["--weights", "classical"][..], &["--weights=classical"], &["--force-utf8", "--weights", "classical"]]
    {
        assert_eq!(counted_with(arguments, ""), classical, "{arguments:?}");
    }
    assert_eq!(counted_with(&["--weights", "classical"], "INFO evaluation network"), plain);
    assert_eq!(plain, counted(&format!("INFO nnue_file {}", built_in.display())));
    // Too little memory for the network.
    let little = "INFO max_memory 20000000";
    assert_eq!(counted(little), counted(&format!("INFO evaluation classical\n{little}")));
}

#[test]
fn bad_files_get_one_line() {
    let mut damaged = file();
    damaged[5000] ^= 1;
    let folder = Folder::new();
    for (name, bytes, expected) in
        [("damaged", damaged, "a damaged network"), ("foreign", b"Dear reader".to_vec(), "not a network")]
    {
        let path = written(&folder, name, &bytes);
        let output = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen")).arg("--weights").arg(&path).output();
        let output = output.expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(expected) && said.lines().count() == 1, "{said}");
    }
}

/// The answer to a position after these lines, and all lines written before it.
fn answer(program: &mut Program, lines: &str) -> (Vec<String>, (u8, u8)) {
    program.send(&format!("START 15\nINFO book 0\nINFO max_node 2000\n{lines}"));
    program.send("BOARD\n7,7,1\n8,8,2\n7,8,1\n7,6,2\nDONE");
    let mut said = Vec::new();
    loop {
        let line = program.line();
        match program::coordinates(&line, 15) {
            Some(point) => return (said, point),
            None => said.push(line),
        }
    }
}

/// The answer of the program when it is started with a file.
fn started_with(path: &Path) -> (u8, u8) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"));
    let mut program = Program::with(command.arg("--weights").arg(path));
    let (_, point) = answer(&mut program, "");
    program.quit();
    point
}

#[test]
fn a_manager_names_the_file_and_a_bad_one_changes_nothing() {
    let folder = Folder::new();
    let networks = folder.path().join("a folder of networks");
    std::fs::create_dir(&networks).expect("a folder");
    let path = |name: &str| networks.join(name).display().to_string();
    let good = [1, 2].map(|seed| path(&format!("network {seed}.tnn")));
    for (seed, path) in [1, 2].into_iter().zip(&good) {
        std::fs::write(path, file_of(seed)).expect("a file");
    }
    let [damaged, foreign, missing] = ["damaged", "a letter", "missing"].map(path);
    let mut bytes = file();
    bytes[5000] ^= 1;
    std::fs::write(&damaged, bytes).expect("a file");
    std::fs::write(&foreign, "Dear reader").expect("a file");

    let [plain, classical] = ["", "INFO evaluation classical"].map(|setting| {
        let mut program = Program::start();
        let point = answer(&mut program, setting).1;
        program.quit();
        point
    });
    let by_file = good.each_ref().map(|path| started_with(Path::new(path)));
    assert!(
        by_file.iter().any(|point| ![plain, classical].contains(point)),
        "a file that makes a difference: {by_file:?} {plain:?} {classical:?}"
    );

    let mut program = Program::start();
    let ok = || vec!["OK".to_owned()];
    let said = |lines: &str, program: &mut Program| answer(program, lines);
    assert_eq!(said("", &mut program), (ok(), plain));
    assert_eq!(said(&format!("INFO nnue_file {}", good[0]), &mut program), (ok(), by_file[0]));
    for (bad, what) in [(&damaged, "a damaged network"), (&foreign, "not a network"), (&missing, "missing: ")] {
        let (said, point) = said(&format!("INFO NNUE_FILE {bad}"), &mut program);
        assert!(said.len() == 2 && said[1].starts_with(&format!("ERROR nnue_file {bad}: ")), "{said:?}");
        assert!(said[1].contains(what), "{said:?}");
        assert_eq!(point, by_file[0], "what was in force stays");
    }
    let nameless = said("INFO nnue_file", &mut program);
    assert_eq!(
        nameless,
        (vec!["OK".to_owned(), "ERROR INFO nnue_file expects the name of a file".to_owned()], by_file[0])
    );
    assert_eq!(said("INFO evaluation classical", &mut program).1, classical);
    assert_eq!(said(&format!("INFO nnue_file {}\nINFO evaluation network", good[1]), &mut program).1, by_file[1]);
    program.quit();
}

/// The memory limit applies to the whole process: each earlier network may stay in memory, but only once.
#[test]
fn networks_count_within_the_memory_limit() {
    let folder = Folder::new();
    let paths = [1, 2, 3].map(|seed| written(&folder, &format!("memory {seed}"), &file_of(seed)));
    let mut program = Program::start();
    let limit = 140 << 20;
    // A network's weights are unpacked at first use.
    for path in paths.iter().cycle().take(12) {
        answer(&mut program, &format!("INFO max_memory {limit}\nINFO nnue_file {}", path.display()));
    }
    // The classical evaluation fills the table fastest.
    answer(&mut program, "INFO evaluation classical\nINFO max_node 500000");
    if let Some(peak) = program.peak() {
        assert!(peak << 10 <= limit, "{peak} KB of {} KB", limit >> 10);
        assert!(peak > 70 << 10, "three networks are not as small as {peak} KB");
    }
    program.quit();
}

/// Reading a file counts towards the limit even when the table is full, and a replaced network frees its memory.
#[test]
fn a_file_is_read_within_little_memory() {
    let folder = Folder::new();
    let paths = [1, 2].map(|seed| written(&folder, &format!("little {seed}"), &file_of(seed)));
    for limit in [80_u64 << 20] {
        let mut program = Program::start();
        answer(&mut program, &format!("INFO max_memory {limit}\nINFO evaluation classical\nINFO max_node 200000"));
        for path in paths.iter().cycle().take(5) {
            let named = format!("INFO evaluation network\nINFO nnue_file {}", path.display());
            assert_eq!(answer(&mut program, &named).0, ["OK"]);
        }
        if let Some(peak) = program.peak() {
            assert!(peak << 10 <= limit, "{peak} KB of {} KB", limit >> 10);
        }
        program.quit();
    }
}

#[test]
fn equal_files_are_kept_once() {
    let folder = Folder::new();
    let [first, copy] = ["kept", "a copy"].map(|name| written(&folder, name, &file()));
    let mut loader = Loader::default();
    let mut network = |path: &Path| loader.read(path).expect("a network").network.expect("one");
    let held = network(&first);
    assert!([network(&first), network(&copy)].iter().all(|again| Arc::ptr_eq(again, &held)));
    // A replaced file is read again.
    std::fs::write(&first, file_of(2)).expect("a file");
    assert_ne!(network(&first), held);
    assert!(Arc::ptr_eq(&network(&copy), &held));
    // A network that is no longer used is freed.
    let freed = Arc::downgrade(&held);
    drop(held);
    assert!(freed.upgrade().is_none());

    let evaluation = read(&copy).expect("a network");
    assert_eq!(name(&evaluation, Rule::Freestyle), format!("network-{:08x}", crc32fast::hash(&file())));
    assert_eq!(name(&evaluation, Rule::Standard), Weights::name(Weights::built_in()), "a rule that it does not know");
    let refused = read(folder.path()).expect_err("a folder").to_string();
    assert!(refused.ends_with(": not a regular file"), "{refused}");
}
