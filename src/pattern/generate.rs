//! From the predicate "does this row win?" to the class of every line code.
//!
//! Definitions, for a stone just put on the point (own stones are only ever added, so the recursion ends):
//! * *five*: its row wins;
//! * *four*: some empty cell completes a five through the point;
//! * *open four*: after any single reply in the line, some cell still completes one. With an overline foul in force,
//!   two completing cells are an open four only as the two ends of four in a row (distance five); otherwise they
//!   are two fours in one line, a foul;
//! * *open three*: one more stone makes an open four; *blocked three*: one more makes a four;
//! * *open two*, *blocked two*, *open one*, *blocked one*: one more makes the next better of its kind.

use super::class::LineClass;
use super::code::{ARMS, CODES, POW3, REACH, decode_arm};
use crate::rules::{LineRule, Overline};

const CENTER: usize = REACH;
const WIDTH: usize = 2 * REACH + 1;
/// Cells that can share a five with the point.
const NEAR: u16 = 0b011_1111_1110;

/// A row of eleven cells around the point, as bit sets; bit 5 is the point itself.
#[derive(Clone, Copy)]
struct Row {
    own: u16,
    opponent: u16,
    board: u16,
}

impl Row {
    /// The cells of an arm whose digit 1 is "own", the nearest to the point at `nearest` and the others `step` after
    /// it.
    fn arm(value: u32, nearest: usize, step: isize) -> Row {
        let (len, digits) = decode_arm(value);
        let mut row = Row { own: 0, opponent: 0, board: 0 };
        for (i, digit) in digits.into_iter().enumerate().take(len) {
            let bit = 1 << nearest.wrapping_add_signed(i as isize * step);
            row.board |= bit;
            match digit {
                1 => row.own |= bit,
                2 => row.opponent |= bit,
                _ => {}
            }
        }
        row
    }

    /// The row of two arms, with an own stone on the point between them.
    fn join(back: Row, ahead: Row) -> Row {
        Row {
            own: back.own | ahead.own | 1 << CENTER,
            opponent: back.opponent | ahead.opponent,
            board: back.board | ahead.board | 1 << CENTER,
        }
    }

    fn empty(self) -> u16 {
        self.board & !self.own & !self.opponent
    }

    /// Cells on which a row through the point could stand: those without an opponent's stone or a border between.
    fn room(self) -> u32 {
        let free = self.board & !self.opponent;
        (free >> CENTER).trailing_ones() + (free << (15 - CENTER)).leading_ones() - 1
    }

    /// First and last cell of the run of own stones through the point.
    fn run(self) -> (usize, usize) {
        let ahead = (self.own >> CENTER).trailing_ones() as usize;
        let back = (self.own << (15 - CENTER)).leading_ones() as usize;
        (CENTER + 1 - back, CENTER + ahead - 1)
    }

    fn wins(self, rule: LineRule) -> bool {
        let (first, last) = self.run();
        let is_opponent = |bit: Option<usize>| bit.is_some_and(|b| b < WIDTH && self.opponent & (1 << b) != 0);
        let ends = usize::from(is_opponent(first.checked_sub(1))) + usize::from(is_opponent(Some(last + 1)));
        rule.wins(last - first + 1, ends)
    }

    /// Cells where one more stone makes a five through the point: never more than four away from it.
    fn completions(self, rule: LineRule) -> u16 {
        if (self.own & NEAR).count_ones() < 4 {
            return 0;
        }
        bits(self.empty() & NEAR)
            .filter(|b| Row { own: self.own | (1 << b), ..self }.wins(rule))
            .fold(0, |set, b| set | (1 << b))
    }

    fn survives_any_reply(self, rule: LineRule) -> bool {
        bits(self.empty()).all(|b| Row { opponent: self.opponent | (1 << b), ..self }.completions(rule) != 0)
    }
}

fn bits(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            bit
        })
    })
}

/// Classes of all codes for the side whose stones are digit 1.
///
/// An own stone increases an arm's value. In descending order of the values, the codes that a code leads to are
/// therefore already done. A row read from its other end has the same class.
pub(super) fn line_classes(rule: LineRule) -> Vec<u8> {
    let arms = |nearest: usize, step: isize| (0..ARMS).map(|a| Row::arm(a, nearest, step)).collect::<Vec<_>>();
    let (backward, forward) = (arms(CENTER - 1, -1), arms(CENTER + 1, 1));
    let mut known = vec![0; CODES];
    for (back, row) in backward.into_iter().enumerate().rev() {
        for ahead in (0..=back).rev() {
            let row = Row::join(row, forward[ahead]);
            let code = code(back, ahead);
            // Half of all codes end here.
            let class = if row.room() < 5 {
                LineClass::Dead
            } else {
                immediate(rule, row).unwrap_or_else(|| by_next_stone(code, row, &known))
            };
            known[code] = class as u8;
            known[self::code(ahead, back)] = class as u8;
        }
    }
    known
}

fn code(back: usize, ahead: usize) -> usize {
    back * ARMS as usize + ahead
}

/// Fives, fours and fouls: the classes that are recognised without further own stones.
fn immediate(rule: LineRule, row: Row) -> Option<LineClass> {
    if row.wins(rule) {
        return Some(LineClass::Five);
    }
    let fouls = rule.overline == Overline::Foul;
    let (first, last) = row.run();
    if fouls && last - first + 1 > 5 {
        return Some(LineClass::Foul);
    }
    let completions = row.completions(rule);
    match completions.count_ones() {
        0 => None,
        1 => Some(LineClass::Four),
        _ if fouls => {
            let distance = 15 - completions.leading_zeros() - completions.trailing_zeros();
            Some(if completions.count_ones() == 2 && distance == 5 { LineClass::OpenFour } else { LineClass::Foul })
        }
        _ => Some(if row.survives_any_reply(rule) { LineClass::OpenFour } else { LineClass::Four }),
    }
}

fn by_next_stone(code: usize, row: Row, known: &[u8]) -> LineClass {
    let mut ways = [0_u8; LineClass::COUNT];
    for bit in bits(row.empty() & NEAR) {
        let weight = POW3[bit.abs_diff(CENTER) - 1] as usize;
        let next = code + if bit < CENTER { weight * ARMS as usize } else { weight };
        ways[usize::from(known[next])] += 1;
    }
    let count = |class: LineClass| ways[class as usize];
    let threes = count(LineClass::OpenThree) + count(LineClass::RichThree);
    let twos = count(LineClass::OpenTwo) + count(LineClass::RichTwo);
    match () {
        () if count(LineClass::OpenFour) >= 2 => LineClass::RichThree,
        () if count(LineClass::OpenFour) == 1 => LineClass::OpenThree,
        () if count(LineClass::Four) > 0 => LineClass::BlockedThree,
        () if threes >= 3 => LineClass::RichTwo,
        () if threes > 0 => LineClass::OpenTwo,
        () if count(LineClass::BlockedThree) > 0 => LineClass::BlockedTwo,
        () if twos > 0 => LineClass::OpenOne,
        () if count(LineClass::BlockedTwo) + count(LineClass::OpenOne) + count(LineClass::BlockedOne) > 0 => {
            LineClass::BlockedOne
        }
        () => LineClass::Dead,
    }
}
