//! Random commands, worker messages and times in any order: the board always follows from its path.

use super::*;
use crate::command::OpeningRule;
use crate::view::{Phase, Status};
use tengen::board::Cell;
use tengen::rules::game::Game as Referee;
use tengen::rules::{Outcome, RowKind, Rule};
use tengen_analysis::random::Random;
use tengen_record::{NodeId, Record, read};

/// Invariants of a session.
fn check(table: &Table) {
    let state = table.state();
    let record = table.session.record();
    let tree = &record.tree;
    let at = NodeId(state.node);

    // The line leads through the tree to the current node and beyond; siblings and children are complete.
    let mut parent = NodeId(0);
    let mut number = 0;
    for (i, shown) in state.line.iter().enumerate() {
        let node = tree.get(NodeId(shown.node)).expect("a node of the tree");
        assert_eq!(node.parent, Some(parent));
        let mut all: Vec<u32> = shown.siblings.iter().map(|branch| branch.node).chain([shown.node]).collect();
        all.sort_unstable();
        let mut children: Vec<u32> = tree.get(parent).unwrap().children.iter().map(|id| id.0).collect();
        children.sort_unstable();
        assert_eq!(all, children);
        number += usize::from(node.stone.is_some() || node.pass.is_some());
        assert_eq!(shown.number, number);
        parent = NodeId(shown.node);
        if i + 1 == state.ply {
            assert_eq!(parent, at);
        }
    }
    assert_eq!(state.ply == 0, at == NodeId(0));
    assert_eq!(tree.path(at).len(), state.ply);
    let children: Vec<u32> = state.children.iter().map(|branch| branch.node).collect();
    assert_eq!(children, tree.get(at).unwrap().children.iter().map(|id| id.0).collect::<Vec<_>>());
    assert!(state.line.get(state.ply).is_none_or(|next| children.contains(&next.node)));

    // The board is the replay of the path, as the record itself sees it.
    let setup = record.setup(at);
    setup.check().expect("a position");
    let shown: Vec<(Point, Side)> = state.board.stones.iter().map(|stone| (stone.at.point, stone.side)).collect();
    let label = |point: &Point| tengen::board::format_point(setup.size, *point);
    assert_eq!(shown, setup.stones);
    assert_eq!(state.board.to_move, setup.to_move);
    assert_eq!(state.board.played.text(), setup.stones.iter().map(|(point, _)| label(point)).collect::<String>());

    // A position that the referee considers finished is finished, by the same row.
    let referee = Referee::from_setup(state.game.rule, setup.clone()).expect("a position");
    match (&state.status, referee.outcome()) {
        (Status::Win { side, row, .. }, Some(Outcome::Win { side: winner, how, .. })) if !row.is_empty() => {
            assert_eq!(side, winner);
            assert_eq!(row.len() > 5, *how == RowKind::Overline);
        }
        (Status::Win { .. } | Status::Draw { .. }, _) => {}
        (Status::Running, outcome) => assert_eq!(outcome, None),
    }
    let is_over = state.status != Status::Running;
    assert_eq!(state.turn.phase == Phase::Over, is_over);
    let restricted = state.game.rule.restricted_side().is_some();
    assert!(!is_over && restricted || state.board.forbidden.is_empty());
    if state.board.to_move == Side::Black && !state.board.forbidden.is_empty() {
        assert_eq!(
            state.board.forbidden.iter().map(|forbidden| forbidden.at.point).collect::<Vec<_>>(),
            referee.forbidden()
        );
    }
    let seat = |side| if side == Side::Black { &state.game.black } else { &state.game.white };
    assert_eq!(state.turn.engine, seat(state.turn.side).is_engine());

    // One engine has at most one relevant job at a time; after the end only reviews run.
    let searches = table.open().filter(|job| matches!(job.task, Task::Move { .. })).count();
    let analyses = table.open().filter(|job| matches!(job.task, Task::Analysis { .. })).count();
    let questions = table
        .open()
        .filter(|job| matches!(job.task, Task::Hint { .. } | Task::Prove { .. } | Task::Balance { .. }))
        .count();
    assert!(searches <= 1 && analyses <= 1 && searches + analyses <= 1, "{searches} {analyses}");
    assert!(searches + analyses == 0 || questions == 0);
    // Where moves may not be taken back, the engine keeps searching at the last one while a person looks at the end of
    // another line.
    let is_searched = table.open().any(|job| matches!(&job.task, Task::Move { setup: at, .. } if *at == setup));
    assert!(!is_over || searches == 0 || !state.game.assist.undo && !is_searched);
    if searches == 1 && state.thinking.is_none() {
        panic!("a search that nobody sees");
    }
    if is_over {
        assert!(!state.can.place && !state.can.go && !state.can.hint && !state.can.draw && !state.can.resign);
        assert_eq!(state.clock.and_then(|clock| clock.running), None);
    }
}

/// Commands that are shown as possible are accepted; the others are refused.
fn check_can(table: &Table) {
    let can = table.state().can;
    let accepts = |body: Value| table.clone().send(body).is_ok();
    for (name, shown) in [
        ("undo", can.undo),
        ("redo", can.redo),
        ("go", can.go),
        ("hint", can.hint),
        ("swap_sides", can.swap_sides),
        ("resign", can.resign),
        ("draw", can.draw),
    ] {
        assert_eq!(accepts(json!({"do": name})), shown, "{name} of {:?}", table.state());
    }
    assert_eq!(accepts(json!({"do": "pause", "on": true})), can.pause);
    let grid = tengen::board::Grid::from_setup(&table.session.record().setup(table.session.node()));
    let shown = table.state().board.forbidden;
    let free = grid.empty_points();
    let allowed = table.state().turn.opening.and_then(|opening| opening.points);
    let free = free.filter(|at| allowed.as_ref().is_none_or(|points| points.contains(at)));
    if let Some(at) = free.filter(|at| shown.iter().all(|forbidden| forbidden.at.point != *at)).last() {
        let at = tengen::board::format_point(table.size(), at);
        let hidden = table.state().game.rule == Rule::Renju && shown.is_empty();
        let accepted = accepts(json!({"do": "move", "at": at}));
        assert!(accepted == can.place || hidden && !accepted, "{:?}", table.state());
    }
}

/// All stones and answers of the tree with their places, to check that nothing is lost.
fn contents(record: &Record) -> Vec<Content> {
    let node = |id: NodeId| record.tree.get(id).map(|node| (id, node.parent, node.stone));
    record.tree.ids().filter_map(node).collect()
}

/// A node, the one before it, and its stone.
type Content = (NodeId, Option<NodeId>, Option<(Point, Side)>);

fn some_game(random: &mut Random) -> Value {
    let seat = |random: &mut Random| match random.below(3) {
        0 => json!({"kind": "person", "name": "Ann"}),
        1 => json!({"kind": "engine", "level": 1 + random.below(10)}),
        _ => json!({"kind": "engine"}),
    };
    let rule = Rule::ALL[random.below(5)].name();
    let size = [5 + random.below(4), 5 + random.below(6)];
    let clock = match random.below(3) {
        0 => json!({"kind": "none"}),
        1 => json!({"kind": "move", "ms": 1_000}),
        _ => json!({"kind": "game", "ms": 20_000, "increment_ms": random.below(2) * 500}),
    };
    let flag = |random: &mut Random| random.below(4) > 0;
    let assist = json!({"hints": flag(random), "undo": flag(random), "warn": flag(random), "forbidden": flag(random)});
    let mut game = json!({"rule": rule, "size": size, "black": seat(random), "white": seat(random), "clock": clock,
        "assist": assist, "by_lot": flag(random)});
    match random.below(4) {
        0 => game["opening"] = json!("swap2"),
        3 => {
            let opening = OpeningRule::ALL[random.below(OpeningRule::ALL.len())];
            game["opening"] = json!(opening.name());
            game["size"] = json!([9, 9 + 2 * random.below(2)]);
            if opening.is_renju() {
                game["rule"] = json!("renju");
            }
        }
        1 => {
            game["start"] = json!({"stones": [{"at": "b2", "side": "white"}, {"at": "c3", "side": "white"}],
                "blocked": ["a1", "d4"], "to_move": (if flag(random) { "white" } else { "black" })});
        }
        _ => {}
    }
    super::game(game)
}

fn some_label(table: &Table, random: &mut Random) -> String {
    let size = table.size();
    let grid = tengen::board::Grid::from_setup(&table.session.record().setup(table.session.node()));
    let empty: Vec<Point> = size.points().filter(|p| grid.get(*p) == Cell::Empty).collect();
    match random.below(12) {
        0 => "z99".to_owned(),
        1 => "a1".to_owned(),
        // Near other stones, so that games end.
        _ if !empty.is_empty() => {
            let allowed = table.state().turn.opening.and_then(|opening| opening.points);
            let points = allowed.map_or(empty, |points| points.to_vec());
            let point = points.get(random.below(points.len().clamp(1, 9))).copied().unwrap_or(size.center());
            tengen::board::format_point(size, point)
        }
        _ => "c3".to_owned(),
    }
}

/// A random command, most often one that continues the game.
fn some_command(table: &Table, random: &mut Random) -> Value {
    let node = random.below(table.session.record().tree.len() + 2);
    let label = some_label(table, random);
    let words = ["stay", "swap", "two", "ten"];
    let choice = words.get(random.below(6)).map_or(json!(1 + random.below(9)), |word| json!(word));
    match random.below(50) {
        0..=15 => json!({"do": "move", "at": label}),
        16..=19 => json!({"do": "opening", "choice": choice}),
        20..=22 => json!({"do": "undo"}),
        23 | 24 => json!({"do": "redo"}),
        25 | 26 => json!({"do": "goto", "node": node}),
        27 => json!({"do": "promote", "node": node}),
        28 => json!({"do": "comment", "node": node, "text": label}),
        29..=31 => json!({"do": "go"}),
        32 => json!({"do": "stop"}),
        33 => json!({"do": "pause", "on": random.below(3) == 0}),
        34 => json!({"do": "swap_sides"}),
        35 => json!({"do": "resign"}),
        36 => json!({"do": "draw"}),
        37 => json!({"do": "hint"}),
        38 | 39 => {
            json!({"do": "analysis", "on": random.below(3) > 0, "threat": random.below(2) == 0, "avoid": [label]})
        }
        40 => json!({"do": "prove", "node": node, "after": [label]}),
        41 => json!({"do": "try", "node": node, "at": label}),
        42 => json!({"do": "review"}),
        43 => json!({"do": "balance", "moves": random.below(4)}),
        44 => json!({"do": "cancel", "job": random.below(60)}),
        45 => json!({"do": "settings", "threads": random.below(6)}),
        46 if random.below(8) == 0 => json!({"do": "restart"}),
        47 if random.below(8) == 0 => some_game(random),
        48 => json!({"do": "step", "by": random.below(9) as i32 - 4}),
        49 => json!({"do": "sibling", "by": random.below(5) as i32 - 2}),
        _ => json!({"do": "move", "at": label}),
    }
}

/// A worker ends one of its jobs, cancelled or not, with a valid or an invalid answer.
fn some_news(table: &mut Table, random: &mut Random) {
    if table.jobs.is_empty() {
        return;
    }
    let job = table.jobs[random.below(table.jobs.len())].clone();
    let label = some_label(table, random);
    match job.task {
        Task::Move { setup, .. } => {
            let grid = tengen::board::Grid::from_setup(&setup);
            let empty: Vec<Point> = grid.empty_points().collect();
            let answer = match random.below(12) {
                0 => Answer::Full,
                1 | 2 => Answer::Swap,
                _ => Answer::Points(
                    (0..random.below(5)).filter_map(|_| empty.get(random.below(empty.len().min(9))).copied()).collect(),
                ),
            };
            table.reply_to(job.id, answer, random.below(400) as i32 - 200);
        }
        _ => {
            let last = random.below(2) == 0;
            let value = tengen_record::Value { depth: 5, nodes: 5, ..crate::value::unknown() };
            let moves = BoardPoints::new(table.size(), parse_points(table.size(), &label).unwrap_or_default());
            let line = crate::view::PvLine { value, loss: 0.0, moves };
            let event = Event::Hint(crate::view::HintEvent { job: job.id, node: 0, line: Some(line) });
            table.news(WorkerMessage::Event { job: job.id, last, event });
        }
    }
}

/// The state without what may change while the revision stays: times and values.
fn still(mut state: State) -> State {
    state.clock = None;
    state.thinking.iter_mut().for_each(|thinking| thinking.ms = 0);
    state.line.iter_mut().for_each(|node| node.value = None);
    state
}

fn play_on(seed: u64, steps: usize) {
    // The seed of other random games, see scripts/nightly.sh.
    let other = std::env::var("TENGEN_TEST_SEED").ok().map(|text| text.trim().parse().expect("a whole number"));
    let mut random = Random::new(&[Some(seed), other].into_iter().flatten().collect::<Vec<u64>>());
    let mut table = Table::bare();
    table.ok(some_game(&mut random));
    for step in 0..steps {
        let before = (table.session.rev(), table.state().game.id, contents(table.session.record()));
        let shown = still(table.state());
        match random.below(10) {
            0..=5 => {
                let body = some_command(&table, &mut random);
                let _ = table.send(body);
            }
            6..=8 => some_news(&mut table, &mut random),
            _ => table.wait([0, 10, 300, 1_000, 2_500][random.below(5)]),
        }
        check(&table);
        let (rev, id, old) = before;
        let state = still(table.state());
        assert!(table.session.rev() >= rev);
        assert!(table.session.rev() > rev || state == shown, "seed {seed}, step {step}: {state:?}\n{shown:?}");
        if state.game.id == id {
            let new = contents(table.session.record());
            assert_eq!(&new[..old.len()], &old[..], "seed {seed}, step {step}: something is lost");
        }
        if step % 16 == 0 {
            check_can(&table);
            if let Some(saved) = table.session.save() {
                let again = read(saved.sgf.as_bytes(), None, BoardSize::RENJU).expect("what was saved can be read");
                assert_eq!(again[0].tree.len(), table.session.record().tree.len());
            }
        }
    }
}

#[test]
fn whatever_happens_the_board_is_what_its_path_says() {
    for seed in 0..40 {
        play_on(seed, 300);
    }
}
