//! The program and the engine with a network: legal answers, the same each time, and clear words about bad files.

#[path = "support/play.rs"]
mod play;
#[path = "support/program.rs"]
mod program;
#[path = "support/random_network.rs"]
mod random_network;
mod support;

use play::{legal_point, think};
use program::Program;
use random_network::random_numbers;
use std::path::PathBuf;
use std::process::Command;
use tengen::engine::{Engine, Evaluation, Limits, Options, Rule};
use tengen::eval::network::weights::encode;

/// A network of random numbers for freestyle and renju.
fn file() -> Vec<u8> {
    encode(&[random_numbers(Rule::Freestyle, 1, 1), random_numbers(Rule::Renju, 2, 2)])
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// Rules that the network does not know are evaluated classically.
#[test]
fn the_engine_plays_by_a_network_under_the_rules_that_it_knows() {
    let evaluation = Evaluation::decode(&file()).expect("a network");
    let options = |evaluation| Options { evaluation, hash: Some(4 << 20), ..Options::default() };
    for rule in [Rule::Freestyle, Rule::Renju, Rule::Standard] {
        let setup = play::quiet();
        let nodes = |evaluation| {
            let mut engine = Engine::new(options(evaluation));
            let outcome = think(&mut engine, &setup, rule, Limits::nodes(3000));
            (legal_point(&outcome, &setup, rule), outcome.line.score, outcome.line.nodes)
        };
        let by_network = nodes(evaluation);
        assert_eq!(by_network, nodes(evaluation), "{rule}: the same each time");
        assert_eq!(by_network == nodes(Evaluation::default()), rule == Rule::Standard, "{rule}");
        assert_eq!(nodes(evaluation.classical()), nodes(Evaluation::default()));
    }
}

#[test]
fn the_program_takes_a_network_and_can_be_told_not_to_use_it() {
    let path = written("network", &file());
    let mut moves = Vec::new();
    for setting in ["INFO evaluation network", "INFO evaluation classical", "INFO evaluation nonsense"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen"));
        let mut program = Program::with(command.arg("--weights").arg(&path));
        program.send("START 15");
        assert_eq!(program.line(), "OK");
        program.send(&format!("INFO book 0\nINFO max_node 2000\n{setting}\nBOARD\n7,7,1\n8,8,2\n7,8,1\n7,6,2\nDONE"));
        moves.push(program.a_move(15));
        program.quit();
    }
    let mut program = Program::game(15, &["max_node 2000"]);
    program.send("BOARD\n7,7,1\n8,8,2\n7,8,1\n7,6,2\nDONE");
    assert_eq!(program.a_move(15), moves[1], "without the network as without the file");
    program.quit();
    assert_eq!(moves[2], moves[0], "what is not known changes nothing");
}

#[test]
fn bad_files_get_one_line() {
    let mut damaged = file();
    damaged[5000] ^= 1;
    for (name, bytes, expected) in
        [("damaged", damaged, "a damaged network"), ("foreign", b"Dear reader".to_vec(), "not a network")]
    {
        let path = written(name, &bytes);
        let output = Command::new(env!("CARGO_BIN_EXE_pbrain-tengen")).arg("--weights").arg(&path).output();
        let output = output.expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(expected) && said.lines().count() == 1, "{said}");
    }
}
