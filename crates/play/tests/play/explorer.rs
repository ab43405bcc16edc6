//! The database beside the board: answers about the shown position, and results stored by choice.

use crate::folder::Folder;
use crate::host::until;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tengen::board::{BoardSize, Setup, parse_points};
use tengen::engine::{Bound, Evaluation as Weights, Score};
use tengen::rules::Rule;
use tengen_database::{Database, Entry, Evaluation, Kind, Place, Source};
use tengen_play::explorer::Explorer;
use tengen_play::host::{Host, Options};
use tengen_play::server::app::{App, Reply};
use tengen_session::view::Settings;

fn host(path: &Path) -> Host {
    let settings = Settings { threads: 1, processors: 1, hash_mb: 4 };
    let explorer = Some(Explorer::open(path).expect("a database"));
    Host::new(Options { explorer, ..Options::new(settings, Weights::default(), 3) }).expect("threads")
}

#[track_caller]
fn send(host: &Host, mut body: Value) -> Value {
    body["rev"] = host.state()["rev"].clone();
    let Reply { status, body: answer } = host.command(body.clone());
    assert_eq!(status, 200, "{body}: {answer}");
    answer
}

#[test]
fn the_answer_is_about_the_shown_position() {
    let folder = Folder::new();
    let path = folder.path().join("a.tdb");
    let mut database = Database::create(&path).expect("a database");
    let written = database.write(|changes| {
        let source = changes.add_source(&Source::new("a.lib", Kind::Library, "1".to_owned()))?;
        let setup = Setup::from_moves(BoardSize::RENJU, parse_points(BoardSize::RENJU, "h8i9").expect("labels"));
        let evaluation = Some(Evaluation { score: Score::loss_in(6), bound: Bound::Upper, depth: 9, nodes: 5 });
        let entry = Entry { evaluation, text: "direct".to_owned(), ..Entry::default() };
        changes.set(&Place::of(&setup, Rule::Freestyle)?, source, entry)
    });
    written.expect("space");
    drop(database);
    let host = host(&path);
    assert_eq!(host.state()["database"], json!({ "name": "a.tdb", "stores": false, "problem": null, "changes": 0 }));
    send(&host, json!({ "do": "move", "at": "h8" }));
    let answer = host.explore("").body;
    assert_eq!(
        (&answer["node"], &answer["empty"], &answer["sources"][0]["kind"]),
        (&json!(1), &json!(false), &json!("library"))
    );
    // Black, to move after it, loses; so White wins, and by this move in 7 plies.
    let found = &answer["moves"][0];
    assert_eq!((&found["at"], &found["images"]), (&json!("g9"), &json!(["i9", "g7", "i7"])));
    assert_eq!((&found["value"]["win"], &found["bound"]), (&json!({ "side": "white", "plies": 7 }), &Value::Null));
    assert_eq!(found["texts"], json!([{ "source": "a.lib", "text": "direct" }]));
    assert_eq!(
        (&answer["position"]["value"]["win"]["side"], &answer["position"]["best"]),
        (&json!("white"), &json!("g9"))
    );
    assert_eq!(host.explore("games").body["moves"], json!([]), "other sources");
    assert_eq!(host.explore("1").body["moves"].as_array().map(Vec::len), Some(1));
    // Another program may write meanwhile, and the next answer has it.
    drop(Database::create(&path).expect("nobody writes"));
    // In a game against the engine the answer would help.
    let engine = json!({ "kind": "engine", "level": 1 });
    let person = json!({ "kind": "person" });
    send(&host, json!({ "do": "new", "rule": "freestyle", "size": [15, 15], "black": person, "white": engine }));
    let Reply { status, body } = host.explore("");
    assert_eq!((status, body), (200, Value::Null));
}

#[test]
fn results_are_stored_by_choice_and_a_busy_file_is_told() {
    let folder = Folder::new();
    let path = folder.path().join("a.tdb");
    let host = host(&path);
    assert_eq!(host.explore("").body["empty"], true);
    let writer = Database::create(&path).expect("nobody writes");
    send(&host, json!({ "do": "store", "on": true }));
    until(&host, "a problem", |state| {
        state["database"]["problem"].as_str().is_some_and(|why| why.contains("another process"))
    });
    drop(writer);
    send(&host, json!({ "do": "store", "on": true }));
    until(&host, "it stores", |state| state["database"]["stores"] == true && state["database"]["problem"].is_null());
    assert!(Database::create(&path).is_err(), "the board writes");
    for at in ["h8", "a1", "i8", "a15", "j8", "o1"] {
        send(&host, json!({ "do": "move", "at": at }));
    }
    send(&host, json!({ "do": "analysis", "on": true }));
    until(&host, "the win is found", |state| state["line"][5]["value"]["win"]["side"] == "black");
    send(&host, json!({ "do": "analysis", "on": false }));
    let end = Instant::now() + Duration::from_secs(30);
    while host.explore("").body["position"]["value"]["win"]["side"] != "black" {
        assert!(Instant::now() < end, "{}", host.explore("").body);
        std::thread::sleep(Duration::from_millis(5));
    }
    send(&host, json!({ "do": "store", "on": false }));
    until(&host, "it stores no more", |state| state["database"]["stores"] == false);
    drop(Database::create(&path).expect("the board only reads"));
    // Without a database there is nothing to store.
    let settings = Settings { threads: 1, processors: 1, hash_mb: 4 };
    let plain = Host::new(Options::new(settings, Weights::default(), 3)).expect("threads");
    assert_eq!(plain.command(json!({ "do": "store", "on": true })).status, 422);
    assert_eq!((plain.explore("").status, &plain.state()["database"]), (404, &Value::Null));
}
