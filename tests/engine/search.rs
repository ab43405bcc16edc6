//! Guarantees to clients of the engine, tested through the facade: legal answers, limits, reproducible answers, and
//! announced wins that are carried out.

use crate::play::{ask, engine, games, legal_point, playable, quiet, think};
use crate::support::{Clusters, Random};
use std::collections::BTreeSet;
use std::time::Duration;
use tengen::board::{Diagram, Grid, parse_points};
use tengen::engine::{
    Answer, BoardSize, Cell, Goal, Limits, Line, Options, Point, Report, Request, RootState, Rule, Setup, Side,
    StopToken,
};
use tengen::position::Position;
use tengen::rules::{Game, Status, any_winner, forbidden_points};
use tengen::solver::{Budget, Means, Solver};

fn size(width: u8, height: u8) -> BoardSize {
    BoardSize::new(width, height).expect("a size")
}

#[test]
fn one_thread_gives_the_same_answer_twice() {
    let mut random = Random::new(31);
    for rule in Rule::ALL {
        for setup in games(&mut random, rule, (5, 25)).take(6) {
            let [first, second] = [(); 2].map(|()| {
                let outcome = think(&mut engine(1), &setup, rule, Limits::nodes(20_000));
                Line { elapsed: Duration::ZERO, ..outcome.line }
            });
            assert_eq!(first, second, "{rule}\n{}", Diagram::new(setup));
        }
    }
}

#[test]
fn a_used_engine_that_was_cleared_answers_as_a_new_one() {
    let mut random = Random::new(32);
    let mut used = engine(1);
    for setup in games(&mut random, Rule::Standard, (5, 25)).take(8) {
        used.clear();
        let [old, new] = [&mut used, &mut engine(1)].map(|engine| {
            let outcome = think(engine, &setup, Rule::Standard, Limits::nodes(8_000));
            Line { elapsed: Duration::ZERO, ..outcome.line }
        });
        assert_eq!(old, new, "{}", Diagram::new(setup));
    }
}

/// Threads influence each other's searches but not their positions: answers are legal, and after the table is cleared
/// one thread gives the same result as in a new engine.
#[test]
fn helpers_leave_nothing_behind() {
    let mut random = Random::new(33);
    let mut used = engine(4);
    for rule in [Rule::Freestyle, Rule::Renju] {
        for setup in games(&mut random, rule, (7, 20)).take(6) {
            let many = think(&mut used, &setup, rule, Limits::nodes(20_000));
            legal_point(&many, &setup, rule);
            used.set_options(Options { threads: 1, ..used.options().clone() });
            used.clear();
            let [old, new] = [&mut used, &mut engine(1)].map(|engine| {
                let outcome = think(engine, &setup, rule, Limits::nodes(5_000));
                Line { elapsed: Duration::ZERO, ..outcome.line }
            });
            assert_eq!(old, new, "{}", Diagram::new(setup));
            let root_parallel = !used.options().root_parallel;
            used.set_options(Options { threads: 4, root_parallel, ..used.options().clone() });
        }
    }
}

/// Plays on from a position whose mover announces a win, against the engine or a random player. The announced distance
/// must shrink with every move until the win.
fn carry_out(setup: &Setup, rule: Rule, random: &mut Random) -> bool {
    let mut engine = engine(1);
    let mut setup = setup.clone();
    let first = think(&mut engine, &setup, rule, Limits::nodes(15_000));
    if !first.line.score.is_win() {
        return false;
    }
    let us = setup.to_move;
    let mut announced = first.line.score.distance().expect("a distance");
    let mut point = legal_point(&first, &setup, rule);
    let wise = random.percent(50);
    let begin = Diagram::new(setup.clone());
    let drawn = |now: &Setup| format!("{rule}\n{}\nfrom\n{begin}", Diagram::new(now.clone()).with_last());
    loop {
        setup.play(point);
        match any_winner(&Grid::from_setup(&setup), rule) {
            Some(side) => {
                assert_eq!((side, announced), (us, 1), "{}", drawn(&setup));
                return true;
            }
            None => assert!(announced > 1, "a win in {announced} did not come\n{}", drawn(&setup)),
        }
        let reply = if wise {
            legal_point(&think(&mut engine, &setup, rule, Limits::nodes(3_000)), &setup, rule)
        } else {
            *random.pick(&playable(&setup, rule))
        };
        setup.play(reply);
        assert_eq!(any_winner(&Grid::from_setup(&setup), rule), None, "{}", drawn(&setup));
        let next = think(&mut engine, &setup, rule, Limits::nodes(15_000));
        let distance = next.line.score.distance().filter(|d| *d > 0);
        assert!(
            distance.is_some_and(|d| d <= announced - 2),
            "announced {announced}, then {:?}\n{}",
            next.line.score,
            drawn(&setup)
        );
        announced = distance.expect("a distance");
        point = legal_point(&next, &setup, rule);
    }
}

/// Nearly all wins that the solver finds within 1,000 nodes are announced, and every announced win is carried out.
fn announced_wins_come(rule: Rule) {
    let mut random = Random::new(rule as u64 + 41);
    let (mut solver, stop) = (Solver::new(1 << 20), StopToken::new());
    let is_won = |setup: &Setup| {
        let mut position = Position::new(setup, rule).expect("a sound setup");
        solver.clear();
        solver.solve(&mut position, Means::Threats, Budget::new(1_000, &stop)).win().is_some()
    };
    let positions: Vec<Setup> = games(&mut random, rule, (6, 30)).filter(is_won).take(40).collect();
    let wins = positions.iter().filter(|setup| carry_out(setup, rule, &mut random)).count();
    assert!(wins >= 36, "only {wins} of {} wins were announced", positions.len());
}

#[test]
fn announced_wins_come_under_freestyle() {
    announced_wins_come(Rule::Freestyle);
}

#[test]
fn announced_wins_come_under_standard() {
    announced_wins_come(Rule::Standard);
}

#[test]
fn announced_wins_come_under_renju() {
    announced_wins_come(Rule::Renju);
}

#[test]
fn announced_wins_come_under_caro() {
    announced_wins_come(Rule::Caro);
}

#[test]
fn announced_wins_come_under_exact_caro() {
    announced_wins_come(Rule::CaroExact);
}

/// Positions of all densities, including finished games and unequal numbers of stones.
#[test]
fn answers_are_legal_whatever_the_position() {
    let mut random = Random::new(51);
    let small: Vec<BoardSize> =
        [(5, 5), (5, 6), (7, 5), (5, 25), (25, 5), (6, 6), (8, 8)].map(|(w, h)| size(w, h)).into();
    let sparse = Clusters { stones: (0, 40), blocked: 40, ..Clusters::all_sizes() };
    let crowded = Clusters { stones: (10, 60), blocked: 40, sizes: small, scatter: 30, ..Clusters::all_sizes() };
    let mut one = engine(1);
    for i in 0..150 {
        let setup = if i % 3 == 0 { &crowded } else { &sparse }.position(&mut random);
        for rule in Rule::ALL {
            let limits = match i % 4 {
                0 => Limits::nodes(1),
                1 => Limits::depth(1),
                2 => Limits::time(Duration::ZERO),
                _ => Limits::nodes(500),
            };
            let outcome = think(&mut one, &setup, rule, limits);
            legal_point(&outcome, &setup, rule);
        }
    }
}

/// Games to the last cell: near the end there are few moves to choose from.
#[test]
fn games_are_played_until_the_board_is_full() {
    let mut random = Random::new(52);
    let mut one = engine(1);
    for (width, height) in [(5, 5), (5, 7), (6, 6)] {
        for rule in Rule::ALL {
            let mut setup = Setup::empty(size(width, height));
            setup.blocked.push(Point::at(1, 2));
            while setup.empty_cells() > 0 {
                let outcome = think(&mut one, &setup, rule, Limits::nodes(300));
                let point = legal_point(&outcome, &setup, rule);
                // Some random moves, so that the game does not end too early; it continues after a win.
                let point = if random.percent(40) { *random.pick(&playable(&setup, rule)) } else { point };
                setup.play(point);
            }
            for goal in [Goal::Move, Goal::AllMoves, Goal::BalanceOne { bias: 0 }, Goal::BalanceTwo { bias: 0 }] {
                let request = Request { goal, ..Request::new(setup.clone(), rule, Limits::nodes(300)) };
                assert_eq!(ask(&mut one, &request).answer, Answer::Full, "{goal:?}");
            }
        }
    }
}

#[test]
fn where_all_is_forbidden_something_is_answered() {
    // Black to move: the only empty cell would make six in a row.
    let picture = "
        X X X . X X
        O O O X O O
        X O X O X O
        O X O O X X
        X O O X O O
        O O X X O x";
    let diagram: Diagram = picture.parse().expect("a picture");
    let setup = Setup { to_move: Side::Black, ..diagram.setup };
    assert_eq!(forbidden_points(&Grid::from_setup(&setup)), [Point::at(3, 0)]);
    let outcome = think(&mut engine(1), &setup, Rule::Renju, Limits::time(Duration::from_millis(50)));
    assert_eq!(outcome.answer, Answer::Points(vec![Point::at(3, 0)]));
    assert!(outcome.line.score.is_loss(), "{:?}", outcome.line.score);
}

/// The slow reference: the result for the side to move, 1 for a win and -1 for a loss, by trying all moves.
fn result(game: &Game) -> i32 {
    let value = |point| {
        let mut next = game.clone();
        match next.play(point).expect("an empty cell") {
            Status::Running => -result(&next),
            Status::Over(end) => end.winner().map_or(0, |winner| if winner == game.to_move() { 1 } else { -1 }),
        }
    };
    let empty: Vec<Point> = game.grid().empty_points().collect();
    empty.into_iter().map(value).max().expect("an empty cell")
}

/// In renju black may finally have only forbidden points left, and then loses.
#[test]
fn what_full_boards_come_to_is_known_a_few_moves_before() {
    let check = |setup: &Setup, rule| {
        let expected = result(&Game::from_setup(rule, setup.clone()).expect("a position"));
        let outcome = think(&mut engine(1), setup, rule, Limits::nodes(100_000));
        let score = outcome.line.score;
        let found = i32::from(score.is_win()) - i32::from(score.is_loss());
        assert_eq!(found, expected, "{rule} {score:?}\n{}", Diagram::new(setup.clone()));
        expected
    };
    // A game that black lost by an overline on the last cell.
    let moves = "h8i7i4i9j8i8i10j9h7h9k9f9g9g10f11e10d10e8d7d11c12f7d9l9j7l11k10l10l12k11d6d8f8h11i12j11i11j12i13\
        i14j10l8l7j13k12h12h13g14j14m11n11e9e11i5i6d12f12g13g11h5k6j5k7k8g5c7b6e6e7c5d5c6c4l6l5d4c9b8e13d14e14j4k3\
        d13d15k4e3h4h3g3f2m4f3m2j6f4n8e5l3c3b2g7f6j3l4j2j1l2k2n7k5m12m3n2e4h1e12e15e2f1c11c10a8n3m13c13f5a6d3g6i2\
        g4h2g2e1n5n4a3n12l14b12a5a4m8m5n10m10c2n13o7b11b13o9n15o13g15f13f10a12k13f15f14o11o12a10a9m7o6o3j15n1k15m1\
        l1o5o2i15a11m15b5h14k14i1o1d1a1o15m14o14b3i3c14h6a13l13n6c1b15b10c15b9o8g8a14l15n14g1h15a2b1b4m6d2b7m9o10\
        n9b14c8a15o4g12k1a7h10";
    let moves = parse_points(BoardSize::RENJU, moves).expect("points");
    assert_eq!(moves.len(), 225);
    for left in 1..=6 {
        let setup = Setup::from_moves(BoardSize::RENJU, moves[..225 - left].iter().copied());
        check(&setup, Rule::Renju);
    }
    let (mut random, mut decided) = (Random::new(53), 0);
    for rule in Rule::ALL {
        let mut boards = 0;
        while boards < 20 {
            let mut setup = Setup::empty(size(random.range(5, 8) as u8, random.range(6, 8) as u8));
            let left = random.range(1, 5);
            while setup.empty_cells() > left {
                let empty: Vec<Point> = Grid::from_setup(&setup).empty_points().collect();
                setup.play(*random.pick(&empty));
            }
            if any_winner(&Grid::from_setup(&setup), rule).is_none() {
                boards += 1;
                decided += i32::from(check(&setup, rule) != 0);
            }
        }
    }
    assert!(decided > 10, "{decided}");
}

#[test]
fn a_faulty_setup_has_no_answer() {
    let mut setup = Setup::empty(BoardSize::RENJU);
    setup.stones = vec![(Point::at(20, 3), Side::Black)];
    assert_eq!(think(&mut engine(1), &setup, Rule::Freestyle, Limits::nodes(100)).answer, Answer::Full);
    setup.stones = vec![(Point::at(2, 3), Side::Black), (Point::at(2, 3), Side::White)];
    assert_eq!(think(&mut engine(1), &setup, Rule::Freestyle, Limits::nodes(100)).answer, Answer::Full);
}

#[test]
fn node_limits_are_kept() {
    for (threads, slack) in [(1, 2), (3, 600)] {
        for nodes in [1_000, 10_000, 50_000] {
            let outcome = think(&mut engine(threads), &quiet(), Rule::Freestyle, Limits::nodes(nodes));
            assert!(outcome.line.nodes <= nodes + slack, "{threads} {nodes}: {}", outcome.line.nodes);
            assert!(outcome.line.nodes * 2 > nodes, "{threads} {nodes}: {}", outcome.line.nodes);
        }
    }
}

/// The searches of one goal share its node limit.
#[test]
fn goals_of_many_searches_keep_node_limits() {
    for goal in [Goal::BalanceOne { bias: 0 }, Goal::BalanceTwo { bias: 0 }] {
        for nodes in [1, 300, 1_000, 5_000, 30_000] {
            let request = Request { goal, ..Request::new(quiet(), Rule::Freestyle, Limits::nodes(nodes)) };
            let outcome = ask(&mut engine(1), &request);
            assert!(outcome.line.nodes <= nodes + 100, "{goal:?} {nodes}: {}", outcome.line.nodes);
        }
    }
}

/// After a stop the search visits very few more nodes. (`tests/timing.rs` measures the time.)
#[test]
fn a_stop_costs_few_nodes() {
    for at in [1, 2, 5, 20, 60] {
        let stop = StopToken::new();
        let (mut reports, mut nodes) = (0, 0);
        let request = Request::new(quiet(), Rule::Freestyle, Limits::infinite());
        let outcome = engine(1).think(&request, &stop, &mut |report| {
            reports += 1;
            match report {
                Report::Line(line) if !stop.is_stopped() => {
                    nodes = line.nodes;
                    if reports >= at {
                        stop.stop();
                    }
                }
                _ => {}
            }
        });
        assert!(stop.is_stopped() && nodes > 0);
        assert!(outcome.line.nodes <= nodes + 1_024, "{at}: {nodes}, then {}", outcome.line.nodes);
    }
}

/// A losing move is reported whichever thread has proven the loss.
#[test]
fn losing_moves_are_told_whatever_the_threads() {
    // White to move would win by threats, so most moves of black lose.
    let [black, white] =
        ["i5f5j10g5g4", "h8j7i8h5"].map(|text| parse_points(BoardSize::RENJU, text).expect("labels").into_iter());
    let stones = black.map(|p| (p, Side::Black)).chain(white.map(|p| (p, Side::White))).collect();
    let setup = Setup { stones, ..Setup::empty(BoardSize::RENJU) };
    for threads in [1, 4, 4, 4] {
        let limits = Limits::depth(9);
        let request =
            Request { goal: Goal::AllMoves, lines: 20, ..Request::new(setup.clone(), Rule::Freestyle, limits) };
        let (mut told, mut losing) = (BTreeSet::new(), BTreeSet::new());
        engine(threads).think(&request, &StopToken::new(), &mut |report| match report {
            Report::Root(point, RootState::Lost) => {
                told.insert(*point);
            }
            Report::Line(line) if line.score.is_loss() => {
                losing.insert(line.moves[0]);
            }
            _ => {}
        });
        assert!(losing.len() > 5);
        assert!(told.is_superset(&losing), "{threads}: {:?}", losing.difference(&told).collect::<Vec<_>>());
    }
}

/// The lines of the last iteration that was reported completely.
fn last_lines(reports: &[Report], wanted: usize) -> Vec<Line> {
    let lines: Vec<&Line> =
        reports.iter().filter_map(|r| if let Report::Line(line) = r { Some(line) } else { None }).collect();
    let last = lines.iter().rposition(|l| l.pv_index + 1 == wanted).expect("a whole report");
    lines[last + 1 - wanted..=last].iter().map(|l| (*l).clone()).collect()
}

#[test]
fn several_lines_differ_and_are_in_order() {
    let mut random = Random::new(61);
    for rule in Rule::ALL {
        for setup in games(&mut random, rule, (4, 14)).filter(|s| s.empty_cells() > 20).take(5) {
            let mut reports = Vec::new();
            let request = Request { lines: 3, ..Request::new(setup.clone(), rule, Limits::nodes(20_000)) };
            let outcome = engine(1).think(&request, &StopToken::new(), &mut |r| reports.push(r.clone()));
            let of = reports.iter().rev().find_map(|r| if let Report::Line(l) = r { Some(l.pv_count) } else { None });
            // A forced position may have fewer moves than the requested number of lines.
            let lines = last_lines(&reports, of.expect("a line"));
            assert!(lines.len() <= 3);
            let first: Vec<Point> = lines.iter().map(|l| l.moves[0]).collect();
            assert!((1..first.len()).all(|i| !first[..i].contains(&first[i])), "{rule} {first:?}");
            assert!(lines.windows(2).all(|w| w[0].score >= w[1].score), "{rule} {lines:?}");
            let legal = playable(&setup, rule);
            assert!(first.iter().all(|p| legal.contains(p)), "{rule} {first:?}");
            assert_eq!(outcome.answer, Answer::Points(vec![outcome.line.moves[0]]));
        }
    }
}

/// With all moves as well as with the best move only: a five ends the game, and nothing is searched after it.
#[test]
fn a_five_is_a_win_in_one() {
    let picture = "
        . . . . . . . . .
        . O . X X X X . .
        . . . . o . . . .
        . . O . O . . . .
        . . . O . . . . .
        . . . . . . . . .";
    let diagram: Diagram = picture.parse().expect("a picture");
    for rule in Rule::ALL {
        for goal in [Goal::Move, Goal::AllMoves] {
            let request = Request { goal, ..Request::new(diagram.setup.clone(), rule, Limits::nodes(2_000)) };
            let line = ask(&mut engine(1), &request).line;
            assert_eq!(line.score.distance(), Some(1), "{rule} {goal:?} {line:?}");
            assert!([Point::at(2, 1), Point::at(7, 1)].contains(&line.moves[0]), "{rule} {goal:?} {line:?}");
            assert_eq!(line.moves.len(), 1);
        }
    }
}

#[test]
fn lines_can_be_played() {
    let mut random = Random::new(62);
    for rule in Rule::ALL {
        for setup in games(&mut random, rule, (4, 20)).take(8) {
            let outcome = think(&mut engine(1), &setup, rule, Limits::nodes(10_000));
            let mut after = setup.clone();
            for point in &outcome.line.moves {
                assert_eq!(after.cell(*point), Cell::Empty, "{rule} {:?}\n{}", outcome.line, Diagram::new(setup));
                assert!(playable(&after, rule).contains(point), "{rule} {:?}\n{}", outcome.line, Diagram::new(setup));
                after.play(*point);
            }
        }
    }
}

#[test]
fn excluded_points_are_not_played() {
    let mut random = Random::new(63);
    let mut one = engine(1);
    for rule in Rule::ALL {
        for setup in games(&mut random, rule, (0, 20)).take(6) {
            let mut request = Request::new(setup.clone(), rule, Limits::nodes(500));
            // Each answer is added to the excluded points.
            for _ in 0..6 {
                match ask(&mut one, &request).answer {
                    Answer::Points(points) => {
                        assert!(!request.excluded.contains(&points[0]), "{rule} {points:?}");
                        request.excluded.push(points[0]);
                    }
                    answer => panic!("{answer:?}"),
                }
            }
            let rest: Vec<Point> = setup.size.points().filter(|p| setup.cell(*p) == Cell::Empty).collect();
            let (allowed, excluded) = rest.split_first().expect("an empty cell");
            request.excluded = excluded.to_vec();
            assert_eq!(ask(&mut one, &request).answer, Answer::Points(vec![*allowed]), "{rule}");
        }
    }
}
