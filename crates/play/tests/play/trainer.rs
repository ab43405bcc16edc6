//! The progress in the puzzles, in its file.

use crate::folder::Folder;
use serde_json::{Value, json};
use std::path::Path;
use tengen::engine::Evaluation;
use tengen_analysis::puzzle::built_in;
use tengen_play::progress::ProgressFile;
use tengen_session::trainer::Trainer;

fn in_folder(folder: &Path) -> Trainer {
    Trainer::new(Evaluation::default(), Some(Box::new(ProgressFile::new(folder))))
}

#[track_caller]
fn ask(trainer: &Trainer, body: Value) -> Value {
    let reply = trainer.answer(body.clone());
    assert_eq!(reply.status, 200, "{body}: {}", reply.body);
    reply.body
}

#[test]
fn progress_is_kept() {
    let folder = Folder::new();
    let open = || in_folder(folder.path());
    let trainer = open();
    let solved = |index: usize, clean| json!({"do": "solved", "puzzle": built_in()[index].id(), "clean": clean});
    ask(&trainer, solved(0, true));
    ask(&trainer, solved(1, true));
    let answer = ask(&trainer, solved(2, false));
    assert_eq!((&answer["progress"]["streak"], &answer["progress"]["best"]), (&json!(0), &json!(2)));
    assert_eq!(answer["unsaved"], Value::Null);
    ask(&trainer, solved(2, true));
    drop(trainer);
    let again = open();
    let progress = ask(&again, json!({"do": "list"}))["progress"].take();
    assert_eq!((&progress["streak"], &progress["best"]), (&json!(1), &json!(2)));
    let ids: Vec<Value> = (0..3).map(|index| progress["solved"][built_in()[index].id()].clone()).collect();
    assert_eq!(ids, [true, true, true]);
    assert_eq!(ask(&again, json!({"do": "missed"}))["progress"]["streak"], 0);
    // A damaged file is a new beginning, and stays as it is.
    std::fs::write(folder.path().join("puzzles.json"), "{").expect("a file");
    assert_eq!(ask(&open(), json!({"do": "list"}))["progress"]["best"], 0);
    assert!(ask(&open(), solved(0, true))["unsaved"].as_str().is_some_and(|why| why.contains("puzzles.json")));
    assert_eq!(std::fs::read_to_string(folder.path().join("puzzles.json")).expect("a file"), "{");
    // What cannot be written is reported.
    let nowhere = in_folder(&folder.path().join("puzzles.json"));
    assert!(ask(&nowhere, solved(0, true))["unsaved"].is_string());
}
