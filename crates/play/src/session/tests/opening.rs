//! Swap2 with persons and engines in both seats.

use super::*;
use crate::command::Choice;
use crate::view::Phase;
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
    assert_eq!((state.line[3].choice, state.line[3].siblings[0].choice), (Some(Choice::Stay), Some(Choice::Swap)));
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
    assert_eq!((turn(&keeps), keeps.state().turn.chosen), ((Side::White, Phase::Move), Some(Choice::Stay)));
    assert!(keeps.state().game.black.is_engine() && keeps.state().can.place);
    // Or the engine takes white, and its answer includes its next stone.
    table.engine("k11");
    assert_eq!((table.board().as_str(), table.state().turn.chosen), ("h8i9h9j10g7k11", Some(Choice::Swap)));
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
    assert_eq!((stays.board().as_str(), stays.state().turn.chosen), ("h8i9h9k11", Some(Choice::Stay)));
    assert!(stays.state().game.white.is_engine() && stays.state().can.place);
    stays.cmd("undo");
    assert_eq!((stays.board().as_str(), turn(&stays)), ("h8i9", (Side::Black, Phase::PlaceThree)));
    let mut swaps = table.clone();
    swaps.reply_to(swaps.search().unwrap().id, Answer::Swap, 0);
    assert_eq!((swaps.board().as_str(), swaps.state().turn.chosen), ("h8i9h9", Some(Choice::Swap)));
    assert!(swaps.state().game.black.is_engine() && swaps.state().can.place, "the person has white");
    table.engine("j10g7");
    assert_eq!((turn(&table), table.state().turn.chosen), ((Side::Black, Phase::ChooseFinal), Some(Choice::Two)));
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
