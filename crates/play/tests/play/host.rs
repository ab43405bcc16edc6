//! The running board with its real workers: no stray moves, no lost games, no deadlocks.

use crate::folder::Folder;
use crate::support::Random;
use serde_json::{Value, json};
use std::sync::Barrier;
use std::time::{Duration, Instant};
use tengen::engine::Evaluation;
use tengen::opening::OpeningRule;
use tengen_play::host::{Host, Options};
use tengen_play::server::app::App;
use tengen_play::store::Store;
use tengen_session::view::Settings;

fn store(folder: &Folder) -> Store {
    Store::open(folder.path()).expect("a folder")
}

fn host(store: Option<Store>) -> Host {
    let settings = Settings { threads: 1, processors: 1, hash_mb: 4 };
    Host::new(Options { store, ..Options::new(settings, Evaluation::default(), 3) }).expect("threads")
}

fn rev(host: &Host) -> u64 {
    host.state()["rev"].as_u64().expect("a revision")
}

/// Sends a command with the newest revision; returns the status.
fn send(host: &Host, mut body: Value) -> u16 {
    body["rev"] = rev(host).into();
    host.command(body).status
}

#[track_caller]
fn ok(host: &Host, body: Value) {
    assert_eq!(send(host, body.clone()), 200, "{body}: {}", host.state());
}

fn moves(host: &Host) -> String {
    host.state()["board"]["text"].as_str().expect("a text").to_owned()
}

/// Waits until the state is like this.
#[track_caller]
pub fn until(host: &Host, what: &str, is: impl Fn(&Value) -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is(&host.state()) {
        assert!(Instant::now() < end, "{what}: {}", host.state());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn game(black: Value, white: Value) -> Value {
    json!({"do": "new", "rule": "freestyle", "size": [15, 15], "black": black, "white": white})
}

fn person() -> Value {
    json!({"kind": "person"})
}

fn level(level: u8) -> Value {
    json!({"kind": "engine", "level": level})
}

#[test]
fn a_move_that_is_taken_back_while_the_engine_thinks_leaves_no_stray_stone() {
    let host = host(None);
    // Full strength takes seconds if the book has no answer.
    ok(&host, game(person(), json!({"kind": "engine"})));
    ok(&host, json!({"do": "move", "at": "b2"}));
    ok(&host, json!({"do": "undo"}));
    ok(&host, json!({"do": "move", "at": "a1"}));
    until(&host, "thinking", |state| !state["thinking"].is_null());
    ok(&host, json!({"do": "undo"}));
    assert_eq!(moves(&host), "");
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(moves(&host), "", "the late move has been dropped");
    // After `stop` the engine leaves its move to the person.
    ok(&host, json!({"do": "move", "at": "b2"}));
    ok(&host, json!({"do": "stop"}));
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(moves(&host), "b2");
    // After `go` the engine moves; a second `go` makes it move at once.
    ok(&host, json!({"do": "go"}));
    ok(&host, json!({"do": "go"}));
    let started = Instant::now();
    until(&host, "a move", |state| state["ply"] == 2);
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn engines_play_each_other_to_the_end() {
    let host = host(None);
    let small = json!({"do": "new", "rule": "renju", "size": [7, 7], "black": level(1), "white": level(1)});
    ok(&host, small);
    until(&host, "the second move", |state| state["ply"].as_u64() >= Some(2));
    ok(&host, json!({"do": "pause", "on": true}));
    std::thread::sleep(Duration::from_millis(400));
    let held = moves(&host);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(moves(&host), held);
    ok(&host, json!({"do": "pause", "on": false}));
    until(&host, "the end", |state| state["status"]["kind"] != "running");
}

#[test]
fn of_commands_made_on_the_same_state_one_is_carried_out() {
    let host = host(None);
    ok(&host, game(person(), person()));
    for round in 0..10 {
        let rev = rev(&host);
        let barrier = Barrier::new(4);
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let place = |column: char| {
                let (host, barrier) = (&host, &barrier);
                move || {
                    barrier.wait();
                    let at = format!("{column}{}", round + 1);
                    host.command(json!({"do": "move", "rev": rev, "at": at})).status
                }
            };
            let threads: Vec<_> = ['a', 'c', 'f', 'j'].map(|column| scope.spawn(place(column))).into();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 3, "{statuses:?}");
        if host.state()["status"]["kind"] != "running" {
            ok(&host, game(person(), person()));
        }
    }
}

#[test]
fn the_game_is_saved_offered_and_gone_on_with_in_its_own_file() {
    let folder = Folder::new();
    {
        let host = host(Some(store(&folder)));
        ok(&host, game(person(), person()));
        assert_eq!(folder.games(""), 0, "nothing to save");
        for at in ["h8", "i9", "j10"] {
            ok(&host, json!({"do": "move", "at": at}));
        }
        host.close();
        assert_eq!(folder.games(""), 1);
        ok(&host, json!({"do": "undo"}));
        ok(&host, json!({"do": "move", "at": "a1"}));
    }
    // The last moves were saved at the end.
    {
        let host = host(Some(store(&folder)));
        assert_eq!(host.state()["offer"]["moves"], 3);
        ok(&host, json!({"do": "continue"}));
        assert_eq!(moves(&host), "h8i9a1");
        ok(&host, json!({"do": "undo"}));
        assert_eq!(host.state()["children"].as_array().map(Vec::len), Some(2), "nothing is lost by an undo");
        ok(&host, json!({"do": "redo"}));
        ok(&host, json!({"do": "move", "at": "b2"}));
    }
    assert_eq!(folder.games(""), 1, "the same game, the same file");
    // A new game gets a new file, and the old one stays.
    {
        let host = host(Some(store(&folder)));
        ok(&host, json!({"do": "continue"}));
        assert_eq!(moves(&host), "h8i9a1b2");
        ok(&host, game(person(), person()));
        ok(&host, json!({"do": "move", "at": "o15"}));
        let end = Instant::now() + Duration::from_secs(10);
        while folder.games("") < 2 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(folder.games(""), 2, "by itself, before the end");
    }
    let host = host(Some(store(&folder)));
    assert_eq!(host.state()["offer"]["moves"], 1);
    ok(&host, json!({"do": "dismiss"}));
    assert!(host.state()["offer"].is_null());
    assert_eq!(folder.games(""), 2);
}

#[test]
fn files_come_in_and_go_out() {
    let host = host(None);
    let sgf = b"(;GM[4]FF[4]SZ[15]PB[<b>]C[x];B[hh];W[ig](;B[aa])(;B[bb]))";
    let reply = host.import(Some("game.sgf"), sgf);
    assert_eq!((reply.status, &reply.body["loaded"]), (200, &json!(true)));
    assert_eq!(moves(&host), "h8i9a15");
    let file = host.export("sgf").expect("SGF");
    assert!(String::from_utf8_lossy(&file.bytes).contains("bb"), "with its variations");
    let two = host.import(None, b"(;GM[4]SZ[15];B[aa])(;GM[4]SZ[15];B[bb];W[cc])");
    assert_eq!((two.body["games"].as_array().map(Vec::len), &two.body["loaded"]), (Some(2), &json!(false)));
    ok(&host, json!({"do": "load", "index": 1}));
    assert_eq!(moves(&host), "b14c13");
    let bad = host.import(Some("x.sgf"), b"(;B[hh");
    assert_eq!((bad.status, bad.body["error"].as_str()), (422, Some("file")));
    assert_eq!(host.export("nonsense").map(drop).unwrap_err().status, 422);
    assert_eq!(host.export("review_sgf").map(drop).unwrap_err().status, 422);
    assert_eq!(host.command(json!({"do": "dance"})).status, 400);
    assert_eq!(host.command(json!("undo")).status, 400);
    ok(&host, json!({"do": "review", "nodes": 1000}));
    until(&host, "a review", |_| host.export("review_json").is_ok());
    assert!(host.export("review_svg").is_ok() && host.export("review_sgf").is_ok());
}

/// A random command, sensible or not.
fn any_command(random: &mut Random, state: &Value) -> Value {
    let label = |random: &mut Random| format!("{}{}", (b'a' + random.below(10) as u8) as char, 1 + random.below(10));
    let node = |random: &mut Random| random.below(40);
    let player = |random: &mut Random| match random.below(3) {
        0 => person(),
        1 => level(1 + random.below(3) as u8),
        _ => level(1),
    };
    match random.below(30) {
        0..=9 => {
            // Near a stone, so that games end.
            let text = state["board"]["text"].as_str().unwrap_or_default();
            let column = text.chars().rfind(char::is_ascii_lowercase).unwrap_or('e');
            let near = (column as u8).saturating_add(random.below(3) as u8).saturating_sub(1) as char;
            let at = if random.percent(50) { format!("{near}{}", 1 + random.below(9)) } else { label(random) };
            json!({"do": "move", "at": at})
        }
        10 => json!({"do": "undo"}),
        11 => json!({"do": "redo"}),
        12 => json!({"do": "goto", "node": node(random)}),
        13 => json!({"do": "go"}),
        14 => json!({"do": "stop"}),
        15 => json!({"do": "pause", "on": random.percent(30)}),
        16 => json!({"do": "swap_sides"}),
        17 => json!({"do": "hint"}),
        18 => {
            json!({"do": "analysis", "on": random.percent(60), "lines": 1 + random.below(4), "threat": random.percent(20)})
        }
        19 => json!({"do": "prove", "node": node(random), "after": [label(random)], "means": "fours"}),
        20 => json!({"do": "try", "node": node(random), "at": label(random)}),
        21 => json!({"do": "review", "nodes": 1000}),
        22 => json!({"do": "cancel", "job": random.below(60)}),
        23 => json!({"do": "delete_branch", "node": node(random)}),
        24 => json!({"do": "promote", "node": node(random)}),
        25 => json!({"do": "comment", "node": node(random), "text": "<b>"}),
        26 => {
            let choice = [json!("stay"), json!("swap"), json!("two"), json!("ten"), json!(2)];
            json!({"do": "opening", "choice": choice[random.below(5)]})
        }
        27 => json!({"do": "resign"}),
        28 => json!({"do": "restart"}),
        _ => {
            let rule = ["freestyle", "standard", "renju", "caro"][random.below(4)];
            let opening = ["none", "none", "swap2", "pro", "soosorv-8", "taraguchi-10"][random.below(6)];
            let clock = if random.percent(30) { json!({"kind": "move", "ms": 300}) } else { json!({"kind": "none"}) };
            json!({"do": "new", "rule": rule, "size": [9, 9], "opening": opening, "clock": clock,
                   "black": player(random), "white": player(random), "by_lot": random.percent(50)})
        }
    }
}

/// The shown state is consistent: the board is the replay of the line.
#[track_caller]
fn check(state: &Value) {
    let ply = state["ply"].as_u64().expect("a number") as usize;
    let line = state["line"].as_array().expect("a line");
    let start = state["game"]["start"].as_array().expect("stones").iter();
    let played = line[..ply].iter().filter(|node| node["at"].is_string());
    let expected: String = start.chain(played).filter_map(|stone| stone["at"].as_str()).collect();
    assert_eq!(state["board"]["text"].as_str(), Some(expected.as_str()), "{state}");
    let sides = state["board"]["stones"].as_array().expect("stones");
    assert!(sides.windows(2).all(|pair| pair[0]["side"] != pair[1]["side"]), "{state}");
}

#[test]
fn hundreds_of_random_commands_leave_a_sound_board() {
    let folder = Folder::new();
    for seed in [1, 2] {
        let host = host(Some(store(&folder)));
        let mut random = Random::new(seed);
        let (mut accepted, mut before) = (0, 0);
        for n in 0..300 {
            let state = host.state();
            check(&state);
            let rev = state["rev"].as_u64().expect("a revision");
            assert!(rev >= before, "revisions grow");
            before = rev;
            let status = send(&host, any_command(&mut random, &state));
            assert!([200, 400, 404, 409, 422].contains(&status), "{status}");
            accepted += usize::from(status == 200);
            if n % 25 == 0 {
                let _ = host.import(None, b"h8i9h9");
                let _ = host.export("sgf").expect("SGF");
            }
            std::thread::sleep(Duration::from_millis(random.below(8) as u64));
        }
        assert!(accepted >= 100, "{accepted} accepted");
        // It still works.
        ok(&host, json!({"do": "analysis", "on": false}));
        ok(&host, game(person(), level(1)));
        ok(&host, json!({"do": "move", "at": "h8"}));
        until(&host, "the answer", |state| state["ply"] == 2);
        ok(&host, json!({"do": "hint"}));
        until(&host, "the hint", |state| state["thinking"].is_null());
    }
}

/// A search without a client to see its results is a waste.
#[test]
fn analysis_ends_when_nobody_looks_and_goes_on_while_somebody_does() {
    let host = host(None);
    let looking = host.hub().subscribe();
    ok(&host, game(person(), person()));
    ok(&host, json!({"do": "analysis", "on": true}));
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(host.state()["analysis"]["on"], true);
    drop(looking);
    until(&host, "analysis goes on unseen", |state| state["analysis"]["on"] == false);
}

/// Two weak engines open by every rule and go on to play; a person who asks for it has every step done by the engine.
#[test]
fn engines_open_by_every_rule() {
    let host = host(None);
    for opening in OpeningRule::ALL {
        let rule = if opening.is_renju() { "renju" } else { "standard" };
        for player in [level(1), person()] {
            let mut game = json!({"do": "new", "rule": rule, "size": [15, 15], "opening": opening.name()});
            game["black"] = player.clone();
            game["white"] = player.clone();
            ok(&host, game);
            if player == person() {
                while host.state()["turn"]["opening"].is_object() {
                    let before = rev(&host);
                    ok(&host, json!({"do": "go"}));
                    // Move at once: there is an answer however early the search is stopped.
                    send(&host, json!({"do": "go"}));
                    until(&host, "a step", |state| {
                        state["thinking"].is_null() && state["rev"].as_u64() > Some(before) && state["ply"] != 0
                    });
                    check(&host.state());
                }
            }
            until(&host, opening.name(), |state| state["turn"]["opening"].is_null());
            check(&host.state());
        }
    }
    ok(&host, game(person(), person()));
}
