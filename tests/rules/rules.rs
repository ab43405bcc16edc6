//! Winning rows under every rule, ends of games, and openings.

use crate::support::{Random, row_pictures, setup_of, workspace};
use tengen::board::{BoardSize, Cell, Diagram, Grid, Point, Setup, Side, format_opening, parse_opening, parse_points};
use tengen::rules::win::{any_winner, any_winning_row, winning_row, winning_rows, wins_through};
use tengen::rules::{Foul, Game, IllegalMove, Outcome, RowKind, Rule, Status};

/// Whether the last stone of a row wins, in whatever direction the row lies.
#[track_caller]
fn last_stone_wins(rule: Rule, row: &str) -> bool {
    let mut answers = row_pictures(row).into_iter().map(|picture| {
        let grid = Grid::from_setup(&picture.setup);
        let last = picture.last.expect("a stone in lower case");
        let wins = wins_through(&grid, rule, last);
        assert_eq!(winning_row(&grid, rule, last).is_some(), wins);
        assert_eq!(any_winner(&grid, rule).is_some(), wins);
        wins
    });
    let first = answers.next().unwrap();
    assert!(answers.all(|answer| answer == first), "{rule}: {row} depends on the direction");
    first
}

/// The same row with colours exchanged.
fn swapped(row: &str) -> String {
    let swap = |c| match c {
        'X' => 'O',
        'O' => 'X',
        'x' => 'o',
        'o' => 'x',
        other => other,
    };
    row.chars().map(swap).collect()
}

const F: Rule = Rule::Freestyle;
const S: Rule = Rule::Standard;
const R: Rule = Rule::Renju;
const C: Rule = Rule::Caro;
const E: Rule = Rule::CaroExact;

#[test]
fn winning_rows_under_every_rule() {
    // (row, the rules under which its last stone wins for black, and for white with colours exchanged)
    let table: [(&str, &[Rule], &[Rule]); 17] = [
        ("..XXxX...", &[], &[]),
        ("..XXxXX..", &[F, S, R, C, E], &[F, S, R, C, E]),
        ("..XXXXx..", &[F, S, R, C, E], &[F, S, R, C, E]),
        (".OXXxXX..", &[F, S, R, C, E], &[F, S, R, C, E]),
        ("..xXXXXO.", &[F, S, R, C, E], &[F, S, R, C, E]),
        (".OXXxXXO.", &[F, S, R], &[F, S, R]),
        ("XXXxXO...", &[F, S, R, C, E], &[F, S, R, C, E]), // the border holds no end
        ("...OXXXXx", &[F, S, R, C, E], &[F, S, R, C, E]),
        (".#XXxXXO.", &[F, S, R, C, E], &[F, S, R, C, E]), // a blocked cell holds no end
        (".#XXxXX#.", &[F, S, R, C, E], &[F, S, R, C, E]),
        ("..XXXxXX.", &[F, C], &[F, R, C]),
        (".OXXXxXXO", &[F, C], &[F, R, C]), // caro: an overline wins whatever holds its ends
        ("XXXxXXO..", &[F, C], &[F, R, C]),
        ("XXXXxXXXX", &[F, C], &[F, R, C]),
        ("XX.XXxX..", &[], &[]),
        (".XX#xXX..", &[], &[]),
        ("XXOxXXX..", &[], &[]),
    ];
    for (row, black, white) in table {
        for rule in Rule::ALL {
            assert_eq!(last_stone_wins(rule, row), black.contains(&rule), "{rule}, black: {row}");
            assert_eq!(last_stone_wins(rule, &swapped(row)), white.contains(&rule), "{rule}, white: {row}");
        }
    }
}

/// The empty points where the side to move would win at once.
fn wins_at_once(rule: Rule, setup: &Setup) -> Vec<Point> {
    let grid = Grid::from_setup(setup);
    let wins = |point: &Point| {
        let mut after = grid.clone();
        after.set(*point, Cell::Stone(setup.to_move));
        wins_through(&after, rule, *point)
    };
    grid.empty_points().filter(wins).collect()
}

#[test]
fn an_open_four_wins_at_both_ends_under_every_rule() {
    let cells = [(7, 7, 1), (7, 8, 2), (8, 7, 1), (8, 8, 2), (9, 7, 1), (9, 8, 2), (10, 7, 1), (10, 8, 2)];
    for rule in Rule::ALL {
        assert_eq!(wins_at_once(rule, &setup_of(15, &cells, Side::Black)), [Point::at(6, 7), Point::at(11, 7)]);
        assert_eq!(wins_at_once(rule, &setup_of(15, &cells, Side::White)), [Point::at(6, 7), Point::at(11, 7)]);
    }
}

#[test]
fn six_wins_under_freestyle_only_where_exact_five_must_look_elsewhere() {
    let cells = [
        (7, 7, 2),
        (7, 8, 1),
        (8, 7, 2),
        (7, 9, 1),
        (6, 7, 2),
        (7, 10, 1),
        (9, 12, 2),
        (7, 11, 1),
        (6, 13, 2),
        (7, 13, 1),
        (8, 14, 2),
    ]; // an own column from 8 to 11 and 13: 12 makes six, 7 is taken
    let setup = setup_of(15, &cells, Side::White);
    assert_eq!(wins_at_once(F, &setup), [Point::at(7, 12)]);
    assert_eq!(wins_at_once(S, &setup), []);
    assert_eq!(wins_at_once(C, &setup), [Point::at(7, 12)]);
    assert_eq!(wins_at_once(E, &setup), []);
}

#[test]
fn caro_five_held_at_both_ends_is_nothing() {
    let cells = [(7, 7, 1), (5, 7, 2), (6, 7, 1), (5, 8, 2), (8, 7, 1), (5, 6, 2), (9, 7, 1), (11, 7, 2)];
    for (rule, expected) in [(F, vec![Point::at(10, 7)]), (S, vec![Point::at(10, 7)]), (C, vec![]), (E, vec![])] {
        assert_eq!(wins_at_once(rule, &setup_of(15, &cells, Side::Black)), expected, "{rule}");
    }
}

#[test]
fn caro_six_between_two_stones() {
    let cells = [(4, 7, 1), (3, 7, 2), (5, 7, 1), (10, 7, 2), (6, 7, 1), (8, 7, 1), (9, 7, 1)];
    let setup = setup_of(15, &cells, Side::Black);
    for (rule, expected) in [(F, 1), (S, 0), (C, 1), (E, 0)] {
        assert_eq!(wins_at_once(rule, &setup), vec![Point::at(7, 7); expected], "{rule}");
    }
}

#[test]
fn caro_border_holds_no_end() {
    let cells = [(0, 7, 1), (1, 7, 1), (2, 7, 1), (3, 7, 1), (5, 7, 2)];
    for rule in Rule::ALL {
        assert_eq!(wins_at_once(rule, &setup_of(15, &cells, Side::Black)), [Point::at(4, 7)], "{rule}");
    }
}

#[test]
fn rows_are_reported_from_end_to_end() {
    let picture: Diagram = "
        X . . . . . .
        . X . . . . .
        . . X . . . .
        . . . X . . .
        O O O O x X X
        . . X X X . .
        . . . . X . ."
        .parse()
        .unwrap();
    let grid = Grid::from_setup(&picture.setup);
    let diagonal: Vec<Point> = (0..5).map(|i| Point::at(i, i)).collect();
    assert_eq!(winning_row(&grid, R, Point::at(4, 4)), Some(diagonal.clone()));
    assert_eq!(winning_row(&grid, R, Point::at(0, 0)), Some(diagonal.clone()));
    assert_eq!(winning_row(&grid, R, Point::at(5, 4)), None);
    assert_eq!(winning_row(&grid, R, Point::at(6, 6)), None);
    assert_eq!(winning_rows(&grid, R, Point::at(4, 4)).len(), 1);
    assert_eq!(any_winning_row(&grid, R), Some((Side::Black, diagonal)));
    assert!(any_winner(&Grid::new(BoardSize::RENJU), F).is_none());
}

// Games.

/// Plays labels on a 15x15 board.
fn played(rule: Rule, labels: &str) -> Game {
    let mut game = Game::new(rule, BoardSize::RENJU);
    for point in parse_points(BoardSize::RENJU, labels).unwrap() {
        game.play(point).unwrap();
    }
    game
}

#[test]
fn a_five_ends_the_game() {
    let mut game = played(F, "h8a1h9a2h10a3h11a4");
    assert_eq!(game.outcome(), None);
    let row: Vec<Point> = (3..=7).map(|y| Point::at(7, y)).collect();
    let expected = Outcome::Win { side: Side::Black, row, how: RowKind::Five };
    assert_eq!(game.play(Point::at(7, 3)), Ok(Status::Over(expected.clone())));
    assert_eq!(game.outcome(), Some(&expected));
    assert_eq!(expected.winner(), Some(Side::Black));
    assert_eq!(expected.to_string(), "black wins by a five");
    assert_eq!(game.play(Point::at(0, 0)), Err(IllegalMove::Over));
    assert_eq!(game.undo(), Some(Point::at(7, 3)));
    assert_eq!((game.outcome(), game.to_move()), (None, Side::Black));
    assert_eq!(game.play(Point::at(7, 7)), Err(IllegalMove::Occupied(Point::at(7, 7))));
    assert_eq!(game.play(Point::at(15, 0)), Err(IllegalMove::OffBoard(Point::at(15, 0))));
    assert_eq!(game.play(Point::at(0, 0)), Ok(Status::Running));
}

#[test]
fn six_stones_under_every_rule() {
    for rule in Rule::ALL {
        let mut game = played(rule, "h8a1h9a2h10a3h12a4h13o1");
        let status = game.play(Point::at(7, 4)).unwrap(); // h11 fills the gap
        match rule {
            Rule::Freestyle | Rule::Caro => {
                let Status::Over(Outcome::Win { row, how, .. }) = status else { panic!("{rule}: {status:?}") };
                assert_eq!((row.len(), how), (6, RowKind::Overline));
            }
            Rule::Standard | Rule::CaroExact => assert_eq!(status, Status::Running),
            Rule::Renju => {
                let lost = Outcome::Foul { side: Side::Black, foul: Foul::Overline };
                assert_eq!(lost.winner(), Some(Side::White));
                assert_eq!(status, Status::Over(lost));
            }
        }
    }
}

#[test]
fn white_may_do_what_black_may_not() {
    // A double three by both sides; then white's overline.
    let game = played(R, "h8a1i8a2g9a3g10a4");
    assert_eq!(game.forbidden(), [Point::at(6, 7)]); // g8
    let mut game = played(R, "a15h8a13i8a11g9a9g10o15");
    assert_eq!(game.forbidden(), []);
    assert_eq!(game.play(Point::at(6, 7)), Ok(Status::Running));
    let six = played(R, "a1h8c1h9e1h10g1h12i1h13k1h11");
    assert!(matches!(six.outcome(), Some(Outcome::Win { side: Side::White, how: RowKind::Overline, .. })));
    let foul = played(R, "h8a1i8a2g9a3g10a4g8");
    assert_eq!(foul.outcome().unwrap().to_string(), "black loses by a foul: double-three");
}

/// Fills a 5x5 board without a five for either side.
fn full_board() -> Vec<Point> {
    let picture = "XXOXX OOXOO XXOXX OOXOO XOXOX";
    let diagram: Diagram = picture.replace(' ', "\n").parse().unwrap();
    diagram.setup.stones.iter().map(|(point, _)| *point).collect()
}

#[test]
fn a_full_board_is_a_draw() {
    for rule in Rule::ALL {
        let mut game = Game::new(rule, BoardSize::new(5, 5).unwrap());
        let points = full_board();
        for point in &points[..24] {
            assert_eq!(game.play(*point), Ok(Status::Running), "{rule}");
        }
        assert_eq!(game.play(points[24]), Ok(Status::Over(Outcome::Draw)), "{rule}");
        let again = Game::from_setup(rule, game.setup()).unwrap();
        assert_eq!(again.outcome(), Some(&Outcome::Draw));
        while game.undo().is_some() {}
        assert_eq!(game.grid(), &Grid::new(game.size()));
    }
}

#[test]
fn a_limit_of_stones_is_a_draw() {
    let mut game = Game::new(R, BoardSize::RENJU).draw_after(3);
    assert_eq!(game.play(Point::at(7, 7)), Ok(Status::Running));
    assert_eq!(game.play(Point::at(7, 8)), Ok(Status::Running));
    assert_eq!(game.play(Point::at(7, 9)), Ok(Status::Over(Outcome::Draw)));
    let game = Game::from_setup(R, game.setup()).unwrap();
    assert_eq!(game.outcome(), None);
    assert_eq!(game.draw_after(3).outcome(), Some(&Outcome::Draw));
    // A winning row made by the last stone on the board is a win.
    let mut game = Game::new(F, BoardSize::RENJU).draw_after(9);
    for x in 0..4 {
        game.play(Point::at(x, 0)).unwrap();
        game.play(Point::at(x, 2)).unwrap();
    }
    assert!(matches!(game.play(Point::at(4, 0)), Ok(Status::Over(Outcome::Win { .. }))));
}

#[test]
fn a_game_from_a_setup() {
    let won: Diagram = "OOOOO\nXXXX.\n.....\n.....\n.....".parse().unwrap();
    let game = Game::from_setup(S, won.setup).unwrap();
    assert_eq!(game.outcome().and_then(Outcome::winner), Some(Side::White));
    let mut setup = Setup::from_moves(BoardSize::RENJU, [Point::at(7, 7)]);
    setup.blocked.push(Point::at(7, 6));
    let mut game = Game::from_setup(S, setup.clone()).unwrap();
    assert_eq!(game.to_move(), Side::White);
    assert_eq!(game.play(Point::at(7, 6)), Err(IllegalMove::Occupied(Point::at(7, 6))));
    assert_eq!(game.play(Point::at(7, 5)), Ok(Status::Running));
    assert_eq!(game.moves().collect::<Vec<_>>(), [Point::at(7, 5)]);
    game.undo();
    assert_eq!((game.undo(), game.setup()), (None, setup.clone()));
    setup.blocked.push(Point::at(7, 7));
    assert!(Game::from_setup(S, setup).is_err());
}

#[test]
fn a_continuous_game_goes_on() {
    let size = BoardSize::RENJU;
    let mut game = Game::new(R, size).continuous();
    for x in 0..4 {
        game.play(Point::at(x, 0)).unwrap();
        game.play(Point::at(x, 2)).unwrap();
    }
    let before = game.setup();
    assert_eq!(game.play(Point::at(4, 0)), Ok(Status::Running));
    assert_eq!((game.rows(Side::Black), game.rows(Side::White)), (1, 0));
    let after = game.setup();
    assert_eq!((after.stones.len(), after.blocked.len(), after.to_move), (4, 5, Side::White));
    assert_eq!(after.check(), Ok(()));
    assert_eq!(game.play(Point::at(2, 0)), Err(IllegalMove::Occupied(Point::at(2, 0))));
    game.undo();
    assert_eq!((game.rows(Side::Black), game.setup()), (0, before));

    // A foul point becomes a blocked cell, and play continues.
    let mut game = Game::new(R, size).continuous();
    for point in parse_points(size, "h8a1i8a2g9a3g10a4g8").unwrap() {
        assert_eq!(game.play(point), Ok(Status::Running));
    }
    assert_eq!(game.grid().get(Point::at(6, 7)), Cell::Blocked);
    assert_eq!((game.rows(Side::Black), game.to_move()), (0, Side::White));
    assert_eq!(game.setup().blocked, [Point::at(6, 7)]);
}

#[test]
fn random_games_can_be_taken_back() {
    let mut random = Random::new(3);
    for round in 0..200 {
        let rule = Rule::ALL[round % 5];
        let size = BoardSize::new(random.range(5, 9) as u8, random.range(5, 9) as u8).unwrap();
        let mut game = Game::new(rule, size);
        if round % 2 == 0 {
            game = game.continuous();
        }
        let mut history = vec![(game.setup(), game.grid().clone())];
        while game.outcome().is_none() {
            let free: Vec<Point> = game.grid().empty_points().collect();
            game.play(*random.pick(&free)).unwrap();
            assert_eq!(game.setup().check(), Ok(()));
            assert_eq!(&Grid::from_setup(&game.setup()), game.grid());
            history.push((game.setup(), game.grid().clone()));
        }
        if game.is_continuous() {
            assert_eq!(game.outcome(), Some(&Outcome::Draw));
        }
        history.pop();
        while let Some((setup, grid)) = history.pop() {
            assert!(game.undo().is_some());
            assert_eq!((&game.setup(), game.grid(), game.outcome()), (&setup, &grid, None));
        }
        assert_eq!((game.undo(), game.rows(Side::Black), game.rows(Side::White)), (None, 0, 0));
    }
}

// Openings.

#[test]
fn all_openings_fit_their_boards() {
    for (name, points) in [("freestyle15", 15), ("freestyle20", 20), ("renju15", 15), ("standard15", 15)] {
        let size = BoardSize::new(points, points).unwrap();
        let text = std::fs::read_to_string(workspace().join(format!("crates/workbench/openings/{name}.txt"))).unwrap();
        assert_eq!(text.lines().count(), 100, "{name}");
        for line in text.lines() {
            let stones = parse_opening(size, line).unwrap_or_else(|error| panic!("{name}: {line}: {error}"));
            assert!(stones.len() >= 3, "{name}: {line}");
            assert_eq!(format_opening(size, &stones), line.trim());
            let setup = Setup::from_moves(size, stones);
            assert_eq!(setup.check(), Ok(()), "{name}: {line}");
            assert_eq!(any_winner(&Grid::from_setup(&setup), Rule::Freestyle), None, "{name}: {line}");
        }
    }
}
