//! Openings with persons and engines in both seats: swap2 in full, the others by their ways.

use super::*;
use crate::command::{Choice, OpeningRule};
use crate::view::{self, Phase};
use tengen::engine::Goal;

fn swap2(black_engine: bool, white_engine: bool) -> Table {
    let seat = |engine, name| match engine {
        true => json!({"kind": "engine", "level": 5}),
        false => json!({"kind": "person", "name": name}),
    };
    Table::new(json!({"opening": "swap2", "black": seat(black_engine, "Ann"), "white": seat(white_engine, "Ben")}))
}

fn answer(choice: &str) -> Value {
    json!({"do": "opening", "choice": choice})
}

/// A word as it is shown.
fn said(choice: Choice) -> Option<view::Answer> {
    Some(view::Answer::Choice(choice))
}

fn turn(table: &Table) -> (Side, Phase) {
    let turn = table.state().turn;
    (turn.side, turn.phase)
}

fn goal(table: &Table) -> Option<Goal> {
    table.search().map(|job| match job.task {
        Task::Move { goal, .. } => goal,
        _ => panic!("a search"),
    })
}

#[test]
fn persons_go_all_ways() {
    let (b, w) = (Side::Black, Side::White);
    for (way, black) in
        [(vec!["stay"], "Ann"), (vec!["swap"], "Ben"), (vec!["two", "stay"], "Ann"), (vec!["two", "swap"], "Ben")]
    {
        let mut table = swap2(false, false);
        assert_eq!(turn(&table), (b, Phase::PlaceThree));
        assert_eq!(table.refused(answer("stay")), RefusalKind::NotNow);
        table.moves("h8i9h9");
        assert_eq!(turn(&table), (w, Phase::Choose));
        assert!(!table.state().can.place && !table.state().can.swap_sides && !table.state().can.draw);
        assert_eq!(table.refused(json!({"do": "move", "at": "a1"})), RefusalKind::NotNow);
        table.ok(answer(way[0]));
        if way[0] == "two" {
            assert_eq!(turn(&table), (w, Phase::PlaceTwo));
            table.moves("j10g7");
            assert_eq!(turn(&table), (b, Phase::ChooseFinal));
            assert_eq!(table.refused(answer("two")), RefusalKind::NotNow);
            table.ok(answer(way[1]));
        }
        assert_eq!(turn(&table), (w, Phase::Move), "white's stone is next, whoever plays white");
        assert_eq!(table.state().game.names.black, black, "{way:?}");
        assert_eq!(table.state().turn.chosen, None, "no engine has chosen");
        table.play("a1");
        // Going back through the wizard to its beginning restores everything.
        let mut back = Vec::new();
        while table.send(json!({"do": "undo"})).is_ok() {
            back.push(turn(&table));
            assert_eq!(table.state().game.names.black == "Ann", back.len() == 1 && black == "Ann" || back.len() > 1);
        }
        assert_eq!(back.last(), Some(&(b, Phase::PlaceThree)));
        assert_eq!(back.len(), table.session.record().tree.len() - 1);
        assert_eq!(table.state().ply, 0);
    }
}

#[test]
fn another_answer_is_a_branch() {
    let mut table = swap2(false, false);
    table.moves("h8i9h9");
    table.ok(answer("swap"));
    table.play("a1");
    table.cmd("undo");
    table.cmd("undo");
    table.ok(answer("stay"));
    assert_eq!(table.state().game.names.black, "Ann");
    let state = table.state();
    assert_eq!((state.line[3].choice, state.line[3].siblings[0].choice), (said(Choice::Stay), said(Choice::Swap)));
    assert_eq!((state.line[3].at.as_ref(), state.line[3].number, state.line[3].side), (None, 3, Some(Side::White)));
    table.cmd("undo");
    table.ok(answer("swap"));
    assert_eq!((table.state().game.names.black.as_str(), table.state().line.len()), ("Ben", 5), "the known branch");
}

#[test]
fn the_engine_opens_and_the_person_answers() {
    let mut table = swap2(true, false);
    assert_eq!(goal(&table), Some(Goal::Swap2Open));
    table.engine("h8i9h9");
    assert_eq!((table.board().as_str(), turn(&table)), ("h8i9h9", (Side::White, Phase::Choose)));
    let mut swapped = table.clone();
    swapped.ok(answer("swap"));
    assert_eq!(goal(&swapped), Some(Goal::Move), "the engine has white now");
    assert!(swapped.state().game.white.is_engine());
    let mut stayed = table.clone();
    stayed.ok(answer("stay"));
    assert_eq!((goal(&stayed), stayed.state().can.place), (None, true));
    table.ok(answer("two"));
    table.moves("j10g7");
    assert_eq!(goal(&table), Some(Goal::Swap2Final));
    // The engine stays black, which it already is.
    let mut keeps = table.clone();
    keeps.reply_to(keeps.search().unwrap().id, Answer::Swap, 0);
    assert_eq!((turn(&keeps), keeps.state().turn.chosen), ((Side::White, Phase::Move), said(Choice::Stay)));
    assert!(keeps.state().game.black.is_engine() && keeps.state().can.place);
    // Or the engine takes white, and its answer includes its next stone.
    table.engine("k11");
    assert_eq!((table.board().as_str(), table.state().turn.chosen), ("h8i9h9j10g7k11", said(Choice::Swap)));
    assert!(table.state().game.white.is_engine() && table.state().can.place);
    // Back to the person's last stone; the seats are as they were then.
    table.cmd("undo");
    assert_eq!((table.board().as_str(), turn(&table)), ("h8i9h9j10", (Side::White, Phase::PlaceTwo)));
    assert!(table.state().game.black.is_engine() && table.search().is_none());
    table.cmd("redo");
    assert_eq!(table.board(), "h8i9h9j10g7k11");
}

#[test]
fn the_person_opens_and_the_engine_answers() {
    let mut table = swap2(false, true);
    table.moves("h8i9h9");
    assert_eq!(goal(&table), Some(Goal::Swap2Reply));
    let mut stays = table.clone();
    stays.engine("k11");
    assert_eq!((stays.board().as_str(), stays.state().turn.chosen), ("h8i9h9k11", said(Choice::Stay)));
    assert!(stays.state().game.white.is_engine() && stays.state().can.place);
    stays.cmd("undo");
    assert_eq!((stays.board().as_str(), turn(&stays)), ("h8i9", (Side::Black, Phase::PlaceThree)));
    let mut swaps = table.clone();
    swaps.reply_to(swaps.search().unwrap().id, Answer::Swap, 0);
    assert_eq!((swaps.board().as_str(), swaps.state().turn.chosen), ("h8i9h9", said(Choice::Swap)));
    assert!(swaps.state().game.black.is_engine() && swaps.state().can.place, "the person has white");
    table.engine("j10g7");
    assert_eq!((turn(&table), table.state().turn.chosen), ((Side::Black, Phase::ChooseFinal), said(Choice::Two)));
    table.ok(answer("swap"));
    assert!(table.state().game.black.is_engine() && table.state().can.place);
    table.play("a1");
    assert_eq!(goal(&table), Some(Goal::Move));
    table.cmd("undo");
    assert!(table.search().is_none());
    table.cmd("undo");
    assert_eq!((turn(&table), table.state().game.black.is_engine()), ((Side::Black, Phase::ChooseFinal), false));
}

#[test]
fn engines_play_the_whole_opening() {
    let mut table = swap2(true, true);
    table.engine("h8i9h9");
    table.wait(300);
    table.engine("j10g7");
    table.wait(300);
    table.reply_to(table.search().unwrap().id, Answer::Swap, 0);
    table.wait(300);
    assert_eq!((goal(&table), turn(&table)), (Some(Goal::Move), (Side::White, Phase::Move)));
}

#[test]
fn the_engine_completes_what_a_person_began() {
    let mut table = swap2(false, false);
    table.play("h8");
    table.cmd("go");
    assert_eq!(goal(&table), Some(Goal::BalanceTwo { bias: 0 }));
    table.engine("i9h9");
    table.ok(answer("two"));
    table.play("j10");
    table.cmd("go");
    assert_eq!(goal(&table), Some(Goal::BalanceOne { bias: 0 }));
    table.engine("g7");
    table.cmd("go");
    assert_eq!(goal(&table), Some(Goal::Swap2Final));
}

#[test]
fn answers_that_do_not_fit_leave_the_turn() {
    let mut table = swap2(true, true);
    table.reply_to(table.search().unwrap().id, Answer::Swap, 0);
    assert_eq!((table.said(), table.state().paused), (vec!["no_move"], true));
    table.cmd("go");
    // Too few stones: the engine searches again for the rest.
    table.engine("h8h8");
    table.wait(300);
    assert_eq!((table.board().as_str(), goal(&table)), ("h8", Some(Goal::BalanceTwo { bias: 0 })));
    table.engine("i9h9a1");
    table.wait(300);
    table.reply_to(table.search().unwrap().id, Answer::Full, 0);
    assert_eq!((table.board().as_str(), turn(&table)), ("h8i9h9", (Side::White, Phase::Choose)));
}

/// A game of two persons under an opening rule.
fn persons(opening: OpeningRule) -> Table {
    let rule = if opening.is_renju() { "renju" } else { "standard" };
    let seat = |name| json!({"kind": "person", "name": name});
    Table::new(json!({"opening": opening.name(), "rule": rule, "black": seat("Ann"), "white": seat("Ben")}))
}

/// A step in words: a label, a number, or an answer. Offers are labels too.
fn step(word: &str) -> Value {
    match (word.parse::<u8>(), Choice::from_name(word)) {
        (Ok(number), _) => json!({"do": "opening", "choice": number}),
        (_, Some(_)) => answer(word),
        _ => json!({"do": "move", "at": word}),
    }
}

const TARANNIKOV: &str = "h8 stay h9 swap i9 stay g7 ";
const WAYS: [(OpeningRule, &str, &str); 9] = [
    (OpeningRule::Pro, "h8 a1 o15", "Ann"),
    (OpeningRule::LongPro, "h8 a1 o15", "Ann"),
    (OpeningRule::Swap, "a1 b2 c3 swap", "Ben"),
    (OpeningRule::Rif, "h8 h9 i9 swap g7 a1 a2 a2", "Ben"),
    (OpeningRule::Yamaguchi, "h8 h9 i9 3 stay g7 a1 a2 a3 a2", "Ann"),
    (OpeningRule::Yamaguchi, "h8 h9 i9 1 swap g7 a1", "Ben"),
    (OpeningRule::Soosorv8, "h8 h9 i9 swap g7 2 swap a1 a2 a1", "Ann"),
    (OpeningRule::Tarannikov, "stay j10 swap", "Ann"),
    (OpeningRule::Taraguchi10, "ten a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a7", "Ben"),
];

/// The whole way of a rule.
fn way(rule: OpeningRule, end: &str) -> String {
    let four = matches!(rule, OpeningRule::Tarannikov | OpeningRule::Taraguchi10);
    format!("{}{end}", if four { TARANNIKOV } else { "" })
}

#[test]
fn persons_go_through_every_opening_and_back() {
    for (rule, end, black) in WAYS {
        let mut table = persons(rule);
        let mut turns = vec![turn(&table)];
        for word in way(rule, end).split(' ') {
            assert_ne!(table.state().turn.phase, Phase::Move, "{rule}: {word}");
            table.ok(step(word));
            turns.push(turn(&table));
        }
        let state = table.state();
        assert_eq!((state.turn.side, state.turn.phase), (Side::White, Phase::Move), "{rule}");
        assert_eq!(state.game.names.black, black, "{rule}");
        assert_eq!(state.turn.opening, None);
        table.play("o1");
        // The file holds every answer: a game that is continued stands where it stood.
        let saved = table.session.save().expect("a game with moves");
        let mut again = Table::bare();
        again.session.offer(saved, 0);
        again.cmd("continue");
        assert_eq!((again.board(), again.state().game.names.black), (table.board(), black.to_owned()), "{rule}");
        table.cmd("undo");
        while let Some(before) = turns.pop() {
            assert_eq!((turn(&table), turn(&again) == before), (before, false), "{rule}");
            let undone = table.send(json!({"do": "undo"}));
            assert_eq!(undone.is_ok(), !turns.is_empty(), "{rule}");
        }
    }
}

#[test]
fn what_the_opening_does_not_allow_is_refused() {
    let mut table = persons(OpeningRule::Soosorv8);
    assert_eq!(table.refused(step("h9")), RefusalKind::Opening, "the first stone belongs in the centre");
    table.moves("h8");
    assert_eq!(table.refused(step("h10")), RefusalKind::Opening);
    table.moves("h9h7");
    assert_eq!(table.refused(step("ten")), RefusalKind::NotNow);
    table.ok(step("stay"));
    table.play("h10");
    assert_eq!(table.refused(step("9")), RefusalKind::Opening);
    assert_eq!(table.refused(step("a1")), RefusalKind::NotNow);
    table.ok(step("3"));
    table.ok(step("stay"));
    table.play("g8");
    assert_eq!(table.refused(step("i8")), RefusalKind::Opening, "the same as g8");
    table.moves("g7g6");
    assert_eq!(table.refused(step("a1")), RefusalKind::Opening, "it was not offered");
    let offered = table.state().turn.opening.expect("an opening").offered;
    assert_eq!(offered.to_string(), "g8 g7 g6");
    assert_eq!(table.board(), "h8h9h7h10", "offers are no stones");
    table.play("g7");
    assert_eq!(table.board(), "h8h9h7h10g7");
}

#[test]
fn games_that_cannot_open_so_are_refused() {
    let refused = |more: Value| Table::bare().refused(super::game(more));
    for (rule, opening, size) in [
        ("standard", "rif", 15),
        ("freestyle", "tarannikov", 15),
        ("renju", "taraguchi-10", 20),
        ("standard", "pro", 20),
        ("standard", "long-pro", 7),
    ] {
        let game = json!({"rule": rule, "opening": opening, "size": [size, size]});
        assert_eq!(refused(game), RefusalKind::Malformed, "{opening}");
    }
    let start = json!({"stones": [{"at": "h8", "side": "black"}], "to_move": "white"});
    assert_eq!(refused(json!({"opening": "swap", "start": start})), RefusalKind::Malformed);
}

#[test]
fn openings_of_renju_are_named_under_every_rule() {
    for rule in ["freestyle", "renju"] {
        let mut table = Table::new(json!({"rule": rule}));
        table.moves("h8h7");
        assert_eq!(table.state().named, None);
        table.play("g7");
        let named = table.state().named.expect("an opening");
        assert_eq!((named.code.as_str(), named.name, named.japanese), ("D4", "Kagetsu", "花月"));
        table.play("a1");
        assert!(table.state().named.is_some());
        table.cmd("undo");
        table.cmd("undo");
        assert_eq!(table.state().named, None);
        table.play("o1");
        assert_eq!(table.state().named, None);
    }
}

#[test]
fn either_colour_may_move_first_on_an_empty_board() {
    let mut table = Table::new(json!({"start": {"stones": [], "to_move": "white"}}));
    table.moves("h8i9");
    let sides: Vec<Side> = table.state().board.stones.iter().map(|stone| stone.side).collect();
    assert_eq!(sides, [Side::White, Side::Black]);
    table.cmd("restart");
    assert_eq!(table.state().board.to_move, Side::White);
}

/// An opening in which the engine has both seats; the test answers for it.
fn engines(opening: OpeningRule) -> Table {
    let engine = || json!({"kind": "engine"});
    Table::new(json!({"opening": opening.name(), "rule": "renju", "black": engine(), "white": engine()}))
}

#[test]
fn the_engine_is_asked_for_what_is_due() {
    let mut table = engines(OpeningRule::Soosorv8);
    let mut asked = |labels: &str, wanted: Goal| {
        assert_eq!(goal(&table), Some(wanted));
        match labels {
            "swap" => table.reply_to(table.search().unwrap().id, Answer::Swap, 0),
            labels => table.engine(labels),
        }
        table.wait(300);
        (table.board(), turn(&table).1)
    };
    let board = |text: &str| text.to_owned();
    assert_eq!(asked("h8h9i9", Goal::SoosorvOpen), (board("h8h9i9"), Phase::ChooseFinal));
    assert_eq!(asked("swap", Goal::Swap2Final), (board("h8h9i9"), Phase::Place));
    // The fourth stone comes with the number of fifth moves.
    assert_eq!(asked("g7a1a2", Goal::SoosorvFourth), (board("h8h9i9g7"), Phase::ChooseFinal));
    assert_eq!(asked("a1", Goal::SoosorvSwap { fifths: 2 }), (board("h8h9i9g7"), Phase::Offer));
    assert_eq!(asked("a1a2", Goal::SoosorvOffer { fifths: 2 }), (board("h8h9i9g7"), Phase::Pick));
    assert_eq!(asked("a2", Goal::SoosorvChoose { fifths: 2 }), (board("h8h9i9g7a2"), Phase::Move));

    let mut table = engines(OpeningRule::Yamaguchi);
    table.engine("h8h9i9");
    table.wait(300);
    assert_eq!(goal(&table), Some(Goal::FifthsNumber { most: 50 }));
    table.engine("g7a1a2a3");
    table.wait(300);
    assert_eq!(table.state().turn.chosen, Some(view::Answer::Number(3)));
    assert_eq!(goal(&table), Some(Goal::ColourByFifths { fifths: 3 }));
    table.engine("g7");
    table.wait(300);
    assert_eq!((table.board(), goal(&table)), (board("h8h9i9g7"), Some(Goal::SoosorvOffer { fifths: 3 })));
    // Too few of them: the engine is asked for the rest, without those offered.
    table.engine("a1a2");
    table.wait(300);
    let Some(Task::Move { excluded, .. }) = table.search().map(|job| job.task.clone()) else { panic!("a search") };
    assert_eq!((goal(&table), excluded), (Some(Goal::SoosorvOffer { fifths: 1 }), table.points("a1a2")));
}

#[test]
fn a_person_meets_the_engine_in_taraguchi_10() {
    let mut table = Table::new(json!({"opening": "taraguchi-10", "rule": "renju", "white": {"kind": "engine"}}));
    table.play("h8");
    assert_eq!(goal(&table), Some(Goal::Swap2Final));
    // The stone after which the other side may swap is no part of the answer.
    table.engine("h9");
    assert_eq!((table.board(), table.state().turn.chosen), ("h8".to_owned(), said(Choice::Stay)));
    table.wait(300);
    assert_eq!(goal(&table), Some(Goal::BalanceOne { bias: 0 }));
    table.engine("h9");
    table.ok(answer("swap"));
    assert!(table.state().game.black.is_engine());
    table.engine("i9");
    table.ok(answer("stay"));
    table.play("g7");
    assert_eq!(goal(&table), Some(Goal::TenOrColour { fifths: 10 }));
    table.engine("a1a2a3a4a5a6a7a8a9a10");
    assert_eq!((turn(&table), table.state().turn.chosen.is_some()), ((Side::White, Phase::Pick), true));
    table.play("a9");
    assert_eq!((turn(&table), table.state().can.place), ((Side::White, Phase::Move), true));
}
