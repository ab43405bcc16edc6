//! The puzzle trainer: right and wrong moves, refutations, hints.

use serde_json::{Value, json};
use tengen::board::{Setup, Side, parse_points};
use tengen::engine::Evaluation;
use tengen::rules::Game;
use tengen_analysis::puzzle::{Kind, Puzzle, built_in, parse_puzzles};
use tengen_session::trainer::Trainer;

fn trainer() -> Trainer {
    Trainer::new(Evaluation::default(), None)
}

#[track_caller]
fn ask(trainer: &Trainer, body: Value) -> Value {
    let reply = trainer.answer(body.clone());
    assert_eq!(reply.status, 200, "{body}: {}", reply.body);
    reply.body
}

/// The labels in a list.
fn labels(list: &Value) -> Vec<String> {
    let labels = list.as_array().expect("a list").iter();
    labels.map(|label| label.as_str().expect("a label").to_owned()).collect()
}

/// The winner after some moves, played by the rules; `None` if the game goes on.
fn winner(puzzle: &Puzzle, moves: &[String]) -> Option<Side> {
    let points = parse_points(puzzle.setup.size, &moves.concat()).expect("labels");
    let mut game = Game::from_setup(puzzle.rule, puzzle.setup.clone()).expect("a position");
    for point in points {
        game.play(point).unwrap_or_else(|error| panic!("{moves:?}: {error}"));
    }
    game.outcome().and_then(|outcome| outcome.winner())
}

/// Easy puzzles of all rules and kinds.
fn sample() -> Vec<&'static Puzzle> {
    let mut sample: Vec<&Puzzle> = Vec::new();
    for puzzle in built_in().iter().filter(|puzzle| puzzle.grade() < 4) {
        if sample.iter().filter(|known| (known.rule, known.kind) == (puzzle.rule, puzzle.kind)).count() < 2 {
            sample.push(puzzle);
        }
    }
    sample
}

#[test]
fn hints_lead_to_the_end_of_every_puzzle() {
    let trainer = trainer();
    for puzzle in sample() {
        let id = puzzle.id();
        let mut moves: Vec<String> = Vec::new();
        loop {
            let hint = ask(&trainer, json!({"do": "hint", "puzzle": id, "moves": moves}));
            moves.push(hint["at"].as_str().expect("a label").to_owned());
            let answer = ask(&trainer, json!({"do": "try", "puzzle": id, "moves": moves}));
            moves.extend(labels(&answer["line"]));
            if answer["verdict"] == "solved" {
                break;
            }
            assert_eq!(answer["verdict"], "right", "{}: {moves:?}", puzzle.stones());
            assert!(moves.len() <= puzzle.plies as usize + 2, "{moves:?} is longer than {}", puzzle.plies);
        }
        if puzzle.kind == Kind::Escape {
            assert_eq!(moves.len(), 1);
        } else {
            assert_eq!(winner(puzzle, &moves), Some(puzzle.setup.to_move), "{}: {moves:?}", puzzle.stones());
        }
    }
}

#[test]
fn wrong_moves_are_refuted() {
    let trainer = trainer();
    for puzzle in sample() {
        let size = puzzle.setup.size;
        let empty = |label: &&str| {
            let point = parse_points(size, label).expect("a label")[0];
            point != puzzle.solution && !puzzle.setup.stones.iter().any(|(stone, _)| *stone == point)
        };
        let at = ["a1", "o15", "a15", "o1"].into_iter().find(empty).expect("an empty corner");
        let answer = ask(&trainer, json!({"do": "try", "puzzle": puzzle.id(), "moves": [at]}));
        assert_eq!(answer["verdict"], "wrong", "{}: {answer}", puzzle.stones());
        let line = labels(&answer["line"]);
        assert!(!line.is_empty());
        let moves = [vec![at.to_owned()], line].concat();
        let won = winner(puzzle, &moves);
        if answer["loses"] == true {
            assert_eq!(won, Some(!puzzle.setup.to_move), "{}: {moves:?}", puzzle.stones());
        } else {
            assert_eq!(won, None);
            assert_ne!(puzzle.kind, Kind::Escape);
        }
    }
}

#[test]
fn stones_that_cannot_be_put_are_no_mistakes() {
    let text = "[renju 15x15]\nh9a1h10a3i8o1j8o3: k8 fours 5 1\n";
    let mut trainer = trainer();
    trainer.set_puzzles(parse_puzzles(text).expect("a puzzle"));
    let list = ask(&trainer, json!({"do": "list"}));
    let puzzle = &list["puzzles"][0];
    assert_eq!((list["puzzles"].as_array().map(Vec::len), &puzzle["rule"]), (Some(1), &json!("renju")));
    for (at, foul) in [("h8", json!("double three")), ("a1", Value::Null)] {
        let answer = ask(&trainer, json!({"do": "try", "puzzle": puzzle["id"], "moves": [at]}));
        assert_eq!((&answer["verdict"], &answer["foul"]), (&json!("illegal"), &foul), "{at}");
    }
}

#[test]
fn strange_questions_are_refused() {
    let trainer = trainer();
    let id = built_in()[0].id();
    for body in [
        json!({"do": "fly"}),
        json!({"do": "list", "more": 1}),
        json!({"do": "try", "puzzle": "none", "moves": ["h8"]}),
        json!({"do": "try", "puzzle": id, "moves": []}),
        json!({"do": "try", "puzzle": id, "moves": ["h8", "i9"]}),
        json!({"do": "try", "puzzle": id, "moves": ["z99"]}),
        json!({"do": "hint", "puzzle": id, "moves": ["a1", "a1"]}),
        json!({"do": "solved", "puzzle": "none", "clean": true}),
        json!([]),
    ] {
        let reply = trainer.answer(body.clone());
        assert_eq!((reply.status, &reply.body["error"]), (400, &json!("malformed")), "{body}");
    }
}

#[test]
fn setups_of_the_list_are_those_of_the_puzzles() {
    let list = ask(&trainer(), json!({"do": "list"}));
    let listed = list["puzzles"].as_array().expect("a list");
    assert_eq!(listed.len(), built_in().len());
    for (puzzle, listed) in built_in().iter().zip(listed) {
        let size = puzzle.setup.size;
        let stones = parse_points(size, listed["stones"].as_str().expect("labels")).expect("labels");
        assert_eq!(Setup::from_moves(size, stones), puzzle.setup);
        assert_eq!(listed["to_move"], puzzle.setup.to_move.name());
    }
}
