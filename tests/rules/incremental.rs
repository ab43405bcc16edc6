//! After play and undo the state equals the one computed from the stones, for all rules and sizes.

use proptest::prelude::*;
use tengen::board::{BoardSize, Cell, Point, Setup, Side};
use tengen::pattern::PointClass;
use tengen::position::{Position, Silent};
use tengen::rules::Rule;

fn rule() -> impl Strategy<Value = Rule> {
    prop::sample::select(Rule::ALL.to_vec())
}

fn size() -> impl Strategy<Value = BoardSize> {
    prop_oneof![
        3 => Just(BoardSize::new(15, 15)),
        1 => Just(BoardSize::new(20, 20)),
        3 => (5_u8..=25, 5_u8..=25).prop_map(|(w, h)| BoardSize::new(w, h)),
    ]
    .prop_map(|size| size.expect("sizes in range"))
}

/// Picks stones near each other, so that the test covers patterns and not only single stones.
fn pick(position: &Position, number: u32) -> Option<Point> {
    let near: Vec<Point> = position.candidates().iter().collect();
    let all: Vec<Point> = position.size().points().filter(|p| position.cell(*p) == Cell::Empty).collect();
    let pool = if near.is_empty() || number.is_multiple_of(7) { all } else { near };
    (!pool.is_empty()).then(|| pool[number as usize / 7 % pool.len()])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_play_and_undo_leaves_what_the_stones_say(
        rule in rule(),
        size in size(),
        blocked in prop::collection::vec(any::<u32>(), 0..4),
        steps in prop::collection::vec((any::<u32>(), 0_u8..10), 1..120),
    ) {
        let blocks: Vec<Point> = blocked.iter().filter(|b| **b % 3 == 0).filter_map(|b| size.points().nth(*b as usize / 3 % size.cells())).collect();
        let blocks: std::collections::BTreeSet<Point> = blocks.into_iter().collect();
        let blocks: Vec<Point> = blocks.into_iter().collect();
        let mut position = Position::empty_board(size, rule, &blocks);
        position.audit()?;
        for (number, action) in steps {
            match action {
                0..=1 if position.stones() > 0 => position.undo(&mut Silent),
                2 => position.pass(),
                _ => {
                    if let Some(point) = pick(&position, number) {
                        position.play(point, &mut Silent);
                    }
                }
            }
            position.audit()?;
        }
        while position.stones() > 0 {
            position.undo(&mut Silent);
            position.audit()?;
        }
    }

    /// A root position finds the same threats in the same order as the position with the whole game history, after any
    /// sequence of plays and undos.
    #[test]
    fn a_root_finds_threats_in_the_same_order(
        rule in rule(),
        size in size(),
        moves in prop::collection::vec(any::<u32>(), 1..100),
        steps in prop::collection::vec((any::<u32>(), 0_u8..10), 1..60),
    ) {
        let mut position = Position::empty_board(size, rule, &[]);
        for number in moves {
            if let Some(point) = pick(&position, number) {
                position.play(point, &mut Silent);
            }
        }
        let mut root = position.clone();
        root.set_root();
        let stones = root.stones();
        for (number, action) in steps {
            for side in Side::BOTH {
                for class in [PointClass::Four, PointClass::FourThree, PointClass::OpenFour, PointClass::Five] {
                    prop_assert_eq!(root.threats(side, class), position.threats(side, class));
                    prop_assert_eq!(root.threat(side, class), position.threat(side, class));
                }
            }
            match action {
                0..=3 if root.stones() > stones => [&mut root, &mut position].into_iter().for_each(|p| p.undo(&mut Silent)),
                _ => {
                    if let Some(point) = pick(&root, number) {
                        [&mut root, &mut position].into_iter().for_each(|p| p.play(point, &mut Silent));
                    }
                }
            }
        }
    }
}

#[test]
fn a_setup_is_the_same_as_its_stones_played() {
    let size = BoardSize::new(15, 15).expect("a size");
    let moves = [(7, 7), (8, 8), (7, 8), (8, 7), (6, 9)].map(|(x, y)| Point::at(x, y));
    let setup = Setup::from_moves(size, moves);
    let position = Position::new(&setup, Rule::Renju).expect("a position");
    let mut played = Position::empty_board(size, Rule::Renju, &[]);
    moves.iter().for_each(|p| played.play(*p, &mut Silent));
    assert_eq!(position.key(), played.key());
    assert_eq!(position.to_move(), Side::White);
    position.audit().expect("consistent");
}
