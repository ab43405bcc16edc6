//! Each rule as a table: who acts, what is legal, and what is not, at each step of each way through it.
//!
//! A way is a list of steps. Before each step the table names the player who acts and what is due; every kind of step
//! that is not due must be refused.

use crate::{Played, point, step};
use tengen::board::{BoardSize, Point, Setup, Side};
use tengen::opening::{Area, Choice, Due, Illegal, OpeningRule, Step, Unfit, images};

const ANYWHERE: Due = Due::Stone(Area::Anywhere);
const OFFERED: Due = Due::Stone(Area::Offered);

const fn within(side: u8) -> Due {
    Due::Stone(Area::Within(side))
}

/// Side of the actor, what is due, the step taken.
type Line<'a> = (char, Due, &'a str);

/// Goes a way, checks every line of it, and what is refused at each. Returns the end.
fn go(rule: OpeningRule, way: &[Line<'_>]) -> Played {
    let mut played = Played::new(rule);
    for (number, (actor, due, taken)) in way.iter().enumerate() {
        let at = format!("{rule}, line {number}: {taken}");
        assert_eq!(played.opening.due(), *due, "{at}");
        let side = if *actor == 'b' { Side::Black } else { Side::White };
        assert_eq!(played.opening.actor(played.setup.to_move), side, "{at}");
        refuses_what_is_not_due(&played, &at);
        let before = played.setup.stones.len();
        played.opening.take(&mut played.setup, step(taken)).expect(&at);
        let stones = usize::from(matches!(step(taken), Step::Stone(_)));
        assert_eq!(played.setup.stones.len(), before + stones, "{at}");
    }
    assert_eq!(played.opening.is_over(), played.opening.due() == Due::Move);
    played
}

/// Whatever is not due is refused, and changes nothing.
fn refuses_what_is_not_due(played: &Played, at: &str) {
    let refused = |step: Step| {
        let mut copy = played.clone();
        let error = copy.opening.take(&mut copy.setup, step).expect_err(at);
        assert_eq!((&copy.opening, &copy.setup), (&played.opening, &played.setup), "{at}: {step:?}");
        error
    };
    let due = played.opening.due();
    let due_choices: Vec<Choice> = played.opening.choices().collect();
    assert_eq!(due_choices.is_empty(), due != Due::Choice, "{at}");
    for choice in Choice::ALL.into_iter().filter(|choice| !due_choices.contains(choice)) {
        assert_eq!(refused(Step::Choice(choice)), Illegal::NotDue, "{at}: {choice:?}");
    }
    match due {
        Due::Number { most } => {
            assert_eq!(refused(Step::Number(0)), Illegal::Number(most));
            assert_eq!(refused(Step::Number(most + 1)), Illegal::Number(most));
        }
        _ => assert_eq!(refused(Step::Number(1)), Illegal::NotDue, "{at}"),
    }
    let legal = played.opening.points(&played.setup);
    for point in BoardSize::RENJU.points() {
        let taken = played.setup.stones.iter().any(|(stone, _)| *stone == point);
        let (stone, offer) = (Step::Stone(point), Step::Offer(point));
        match due {
            Due::Stone(area) => {
                assert_eq!(refused(offer), Illegal::NotDue);
                let inside = area.contains(BoardSize::RENJU, played.opening.offered(), point);
                assert_eq!(legal.contains(&point), inside && !taken, "{at}: {point:?}");
                if !legal.contains(&point) {
                    let wanted = if taken { Illegal::Occupied } else { Illegal::OutOfArea(area) };
                    assert_eq!(refused(stone), wanted, "{at}: {point:?}");
                }
            }
            Due::Offer { .. } => {
                assert_eq!(refused(stone), Illegal::NotDue);
                let alike = images(&played.setup, point).iter().any(|p| played.opening.offered().contains(p));
                assert_eq!(legal.contains(&point), !taken && !alike, "{at}: {point:?}");
                if !legal.contains(&point) {
                    assert!(matches!(refused(offer), Illegal::Occupied | Illegal::Alike(_)), "{at}: {point:?}");
                }
            }
            Due::Choice | Due::Number { .. } => {
                assert_eq!((refused(stone), refused(offer)), (Illegal::NotDue, Illegal::NotDue), "{at}");
            }
            Due::Move => {}
        }
    }
    let off = Point::at(20, 20);
    assert!(matches!(refused(Step::Stone(off)), Illegal::Occupied | Illegal::NotDue | Illegal::OutOfArea(_)), "{at}");
}

/// Asserts that the opening is over with these stones, this side to move, and colours swapped or not.
fn over(played: &Played, stones: usize, to_move: Side, swapped: bool) {
    assert!(played.opening.is_over());
    assert_eq!((played.setup.stones.len(), played.setup.to_move), (stones, to_move));
    assert_eq!((played.opening.swapped(), played.opening.actor(to_move)), (swapped, to_move));
    refuses_what_is_not_due(played, "at the end");
}

/// Asserts that these points, and no others, are legal for the next stone.
fn legal(played: &Played, wanted: impl Fn(i32, i32) -> bool) {
    let from_centre = |point: &Point| (i32::from(point.x()) - 7, i32::from(point.y()) - 7);
    let empty = |point: &Point| played.setup.stones.iter().all(|(stone, _)| stone != point);
    let expected = BoardSize::RENJU.points().filter(empty).filter(|point| {
        let (x, y) = from_centre(point);
        wanted(x.abs(), y.abs())
    });
    assert_eq!(played.opening.points(&played.setup), expected.collect::<Vec<_>>());
}

#[test]
fn free_is_over_at_once() {
    over(&go(OpeningRule::Free, &[]), 0, Side::Black, false);
}

#[test]
fn pro_and_long_pro_keep_the_third_stone_away_from_the_first() {
    for (rule, side, far) in [(OpeningRule::Pro, 5, 3), (OpeningRule::LongPro, 7, 4)] {
        let way = [('b', within(1), "h8"), ('w', ANYWHERE, "a1"), ('b', Due::Stone(Area::Outside(side)), "o15")];
        let third = go(rule, &way[..2]);
        legal(&third, |x, y| x.max(y) >= far);
        legal(&go(rule, &[]), |x, y| x + y == 0);
        over(&go(rule, &way), 3, Side::White, false);
    }
}

/// Three stones by black's player, anywhere.
const THREE: [Line<'_>; 3] = [('b', ANYWHERE, "a1"), ('b', ANYWHERE, "h8"), ('b', ANYWHERE, "o15")];

/// One of the 26 openings by black's player.
const OPENING: [Line<'_>; 3] = [('b', within(1), "h8"), ('b', within(3), "h9"), ('b', within(5), "i9")];

fn way<'a>(first: &[Line<'a>], then: &[Line<'a>]) -> Vec<Line<'a>> {
    [first, then].concat()
}

#[test]
fn swap_has_one_question() {
    for (answer, swapped) in [("stay", false), ("swap", true)] {
        over(&go(OpeningRule::Swap, &way(&THREE, &[('w', Due::Choice, answer)])), 3, Side::White, swapped);
    }
    let asked = go(OpeningRule::Swap, &THREE);
    assert_eq!(asked.opening.choices().collect::<Vec<_>>(), [Choice::Stay, Choice::Swap]);
}

#[test]
fn swap2_has_one_question_or_two() {
    let asked = go(OpeningRule::Swap2, &THREE);
    assert_eq!(asked.opening.choices().collect::<Vec<_>>(), [Choice::Stay, Choice::Swap, Choice::Two]);
    for (answer, swapped) in [("stay", false), ("swap", true)] {
        over(&go(OpeningRule::Swap2, &way(&THREE, &[('w', Due::Choice, answer)])), 3, Side::White, swapped);
        let two = [('w', Due::Choice, "two"), ('w', ANYWHERE, "b2"), ('w', ANYWHERE, "c3"), ('b', Due::Choice, answer)];
        over(&go(OpeningRule::Swap2, &way(&THREE, &two)), 5, Side::White, swapped);
        let asked = go(OpeningRule::Swap2, &way(&THREE, &two[..3]));
        assert_eq!(asked.opening.choices().collect::<Vec<_>>(), [Choice::Stay, Choice::Swap]);
    }
}

#[test]
fn rif_has_two_fifths() {
    for (answer, swapped) in [("stay", false), ("swap", true)] {
        let then = [
            ('w', Due::Choice, answer),
            ('w', ANYWHERE, "g7"),
            ('b', Due::Offer { left: 2 }, "+j9"),
            ('b', Due::Offer { left: 1 }, "+a1"),
            ('w', OFFERED, "a1"),
        ];
        let end = go(OpeningRule::Rif, &way(&OPENING, &then));
        over(&end, 5, Side::White, swapped);
        assert_eq!(end.opening.offered(), [point("j9"), point("a1")]);
        assert_eq!(end.setup.stones[4], (point("a1"), Side::Black));
    }
    legal(&go(OpeningRule::Rif, &OPENING[..1]), |x, y| x.max(y) <= 1);
    legal(&go(OpeningRule::Rif, &OPENING[..2]), |x, y| x.max(y) <= 2);
}

#[test]
fn yamaguchi_declares_the_fifths_with_the_opening() {
    for (answer, swapped) in [("stay", false), ("swap", true)] {
        let then = [
            ('b', Due::Number { most: 50 }, "#3"),
            ('w', Due::Choice, answer),
            ('w', ANYWHERE, "a15"),
            ('b', Due::Offer { left: 3 }, "+a1"),
            ('b', Due::Offer { left: 2 }, "+a2"),
            ('b', Due::Offer { left: 1 }, "+a3"),
            ('w', OFFERED, "a2"),
        ];
        over(&go(OpeningRule::Yamaguchi, &way(&OPENING, &then)), 5, Side::White, swapped);
        // A single fifth move is a move of black, without a choice.
        let single = [
            ('b', Due::Number { most: 50 }, "#1"),
            ('w', Due::Choice, answer),
            ('w', ANYWHERE, "a15"),
            ('b', ANYWHERE, "o1"),
        ];
        over(&go(OpeningRule::Yamaguchi, &way(&OPENING, &single)), 5, Side::White, swapped);
    }
}

#[test]
fn soosorv_8_declares_the_fifths_with_the_fourth_stone() {
    for (first, second, swapped) in
        [("stay", "stay", false), ("stay", "swap", true), ("swap", "stay", true), ("swap", "swap", false)]
    {
        let then = [
            ('w', Due::Choice, first),
            ('w', ANYWHERE, "a15"),
            ('w', Due::Number { most: 8 }, "#2"),
            ('b', Due::Choice, second),
            ('b', Due::Offer { left: 2 }, "+g7"),
            ('b', Due::Offer { left: 1 }, "+g8"),
            ('w', OFFERED, "g7"),
        ];
        over(&go(OpeningRule::Soosorv8, &way(&OPENING, &then)), 5, Side::White, swapped);
        let single =
            way(&then[..2], &[('w', Due::Number { most: 8 }, "#1"), ('b', Due::Choice, second), ('b', ANYWHERE, "g7")]);
        over(&go(OpeningRule::Soosorv8, &way(&OPENING, &single)), 5, Side::White, swapped);
    }
    for number in 1..=8 {
        let mut played =
            go(OpeningRule::Soosorv8, &way(&OPENING, &[('w', Due::Choice, "stay"), ('w', ANYWHERE, "a15")]));
        played.opening.take(&mut played.setup, Step::Number(number)).expect("a number");
        assert_eq!(played.opening.fifths(), number);
    }
}

/// The four stones with which Tarannikov and Taraguchi-10 begin, with these answers after the first three.
fn four<'a>(answers: [&'a str; 3]) -> Vec<Line<'a>> {
    vec![
        ('b', within(1), "h8"),
        ('w', Due::Choice, answers[0]),
        ('w', within(3), "h9"),
        ('b', Due::Choice, answers[1]),
        ('b', within(5), "i9"),
        ('w', Due::Choice, answers[2]),
        ('w', within(7), "k11"),
    ]
}

/// All ways to answer three questions, and whether the colours are swapped after them.
fn answers() -> impl Iterator<Item = ([&'static str; 3], bool)> {
    (0..8_u32)
        .map(|bits| ([0, 1, 2].map(|n| if bits >> n & 1 == 1 { "swap" } else { "stay" }), bits.count_ones() % 2 == 1))
}

#[test]
fn tarannikov_swaps_after_each_of_five_stones() {
    for (three, swapped) in answers() {
        for (fourth, fifth) in [("stay", "stay"), ("stay", "swap"), ("swap", "stay"), ("swap", "swap")] {
            let then = [('b', Due::Choice, fourth), ('b', within(9), "d4"), ('w', Due::Choice, fifth)];
            let swaps = swapped ^ (fourth == "swap") ^ (fifth == "swap");
            over(&go(OpeningRule::Tarannikov, &way(&four(three), &then)), 5, Side::White, swaps);
        }
    }
    for (steps, reach) in [(0, 0), (2, 1), (4, 2), (6, 3)] {
        legal(&go(OpeningRule::Tarannikov, &four(["stay"; 3])[..steps]), |x, y| x.max(y) <= reach);
    }
    let fifth = way(&four(["stay"; 3]), &[('b', Due::Choice, "stay")]);
    legal(&go(OpeningRule::Tarannikov, &fifth), |x, y| x.max(y) <= 4);
}

#[test]
fn taraguchi_10_has_a_single_fifth_or_ten() {
    let ten = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10"].map(|label| format!("+{label}"));
    for (three, swapped) in answers() {
        let asked = go(OpeningRule::Taraguchi10, &four(three));
        assert_eq!(asked.opening.choices().collect::<Vec<_>>(), [Choice::Stay, Choice::Swap, Choice::Ten]);
        for (fourth, fifth) in [("stay", "stay"), ("stay", "swap"), ("swap", "stay"), ("swap", "swap")] {
            let then = [('b', Due::Choice, fourth), ('b', within(9), "d4"), ('w', Due::Choice, fifth)];
            let swaps = swapped ^ (fourth == "swap") ^ (fifth == "swap");
            over(&go(OpeningRule::Taraguchi10, &way(&four(three), &then)), 5, Side::White, swaps);
        }
        let mut then = vec![('b', Due::Choice, "ten")];
        then.extend(ten.iter().zip(0..).map(|(offer, n)| ('b', Due::Offer { left: 10 - n }, offer.as_str())));
        then.push(('w', OFFERED, "a7"));
        over(&go(OpeningRule::Taraguchi10, &way(&four(three), &then)), 5, Side::White, swapped);
    }
}

#[test]
fn alike_fifths_are_refused() {
    // Black h8 and j8, white h9 and j9: mirrored in the column i.
    let symmetric = "h8 h9 j8 stay j9 +i10".split(' ').map(step);
    let mut played = Played::new(OpeningRule::Rif);
    for step in symmetric {
        played.opening.take(&mut played.setup, step).expect("a legal step");
    }
    let offer = |label| played.opening.check(&played.setup, Step::Offer(point(label)));
    assert_eq!(offer("i10"), Err(Illegal::Alike(point("i10"))), "twice the same");
    // The board's own mirrors pass through h8: this position has none of them.
    assert_eq!(offer("g10"), Ok(()));
    // All four stones lie in the column h, which is an axis of the board.
    let mut played = Played::new(OpeningRule::Rif);
    for step in "h8 h9 h7 stay h10 +g8".split(' ').map(step) {
        played.opening.take(&mut played.setup, step).expect("a legal step");
    }
    let offer = |label| played.opening.check(&played.setup, Step::Offer(point(label)));
    assert_eq!(offer("i8"), Err(Illegal::Alike(point("g8"))));
    assert_eq!(offer("g9"), Ok(()));
    assert_eq!(offer("g7"), Ok(()), "turning the board moves white's stones");
}

/// Fifth moves are alike exactly if the positions after them are images of each other.
#[test]
fn alike_is_what_makes_the_same_position() {
    let size = BoardSize::RENJU;
    let fourths = size.points().filter(|p| p.distance(size.center()) <= 3);
    for (second, third) in [("h9", "h7"), ("h9", "h6"), ("i9", "g7"), ("i9", "i7"), ("h9", "i9"), ("i9", "j10")] {
        for fourth in fourths.clone() {
            let mut setup = Setup::from_moves(size, [size.center(), point(second), point(third)]);
            if setup.stones.iter().any(|(stone, _)| *stone == fourth) {
                continue;
            }
            setup.play(fourth);
            let near = size.points().filter(|p| p.distance(size.center()) <= 4);
            let near = near.filter(|p| setup.stones.iter().all(|(stone, _)| stone != p)).collect::<Vec<_>>();
            let canonical = |point: Point| {
                let mut after = setup.clone();
                after.play(point);
                tengen::book::canonical(&after).0
            };
            let forms: Vec<Setup> = near.iter().map(|point| canonical(*point)).collect();
            for (i, first) in near.iter().enumerate() {
                let alike = images(&setup, *first);
                for (j, other) in near.iter().enumerate() {
                    assert_eq!(alike.contains(other), forms[i] == forms[j], "{second} {third} {fourth:?}");
                }
            }
        }
    }
}

#[test]
fn boards_without_a_centre_and_games_that_have_begun_are_refused() {
    let start = |width, height| Setup::empty(BoardSize::new(width, height).expect("a board"));
    let begun = Setup::from_moves(BoardSize::RENJU, [point("h8")]);
    let mut blocked = start(15, 15);
    blocked.blocked.push(point("a1"));
    for rule in OpeningRule::ALL {
        let centred = rule.is_renju() || matches!(rule, OpeningRule::Pro | OpeningRule::LongPro);
        let refused = |unfit| if centred { Err(unfit) } else { Ok(()) };
        assert_eq!(rule.check(&start(15, 15)), Ok(()), "{rule}");
        assert_eq!(rule.check(&start(9, 9)), Ok(()), "{rule}");
        assert_eq!(rule.check(&start(7, 9)), refused(Unfit::Size), "{rule}");
        assert_eq!(rule.check(&start(20, 20)), refused(Unfit::Size), "{rule}");
        assert_eq!(rule.check(&blocked), refused(Unfit::Blocked), "{rule}");
        let free = rule == OpeningRule::Free;
        assert_eq!(rule.check(&begun), if free { Ok(()) } else { Err(Unfit::Begun) }, "{rule}");
    }
}

#[test]
fn rules_have_names() {
    for rule in OpeningRule::ALL {
        assert_eq!(rule.name().parse(), Ok(rule));
    }
    assert_eq!("none".parse(), Ok(OpeningRule::Free));
    assert!("Swap3".parse::<OpeningRule>().is_err());
    assert_eq!(OpeningRule::default(), OpeningRule::Free);
}
