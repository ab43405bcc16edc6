//! From the predicate "does this row win?" to the class of every line code.
//!
//! Definitions, for a stone just put on the point (own stones are only ever added, so the recursion ends):
//! * *five*: its row wins;
//! * *four*: some empty cell completes a five through the point;
//! * *open four*: after any one reply in the line, some cell still does. With an overline foul in force, two
//!   completing cells are an open four only as the two ends of four in a row (distance five); otherwise they
//!   are two fours in one line, a foul;
//! * *open three*: one more stone makes an open four; *blocked three*: one more makes a four;
//! * *open two*, *blocked two*, *open one*, *blocked one*: one more makes the next better of its kind.

use super::class::LineClass;
use super::code::{ARMS, CODES, POW3, REACH, decode_arm};
use crate::rules::{LineRule, Overline};

const CENTER: usize = REACH;
const WIDTH: usize = 2 * REACH + 1;
/// Cells that can share a five with the point.
#[allow(clippy::unusual_byte_groupings, reason = "grouped as the cells lie")]
const NEAR: u16 = 0b0_1111_1_1111_0;
const UNKNOWN: u8 = u8::MAX;

/// A row of eleven cells round the point, as bit sets; bit 5 is the point itself.
#[derive(Clone, Copy)]
struct Row {
    own: u16,
    opponent: u16,
    board: u16,
}

impl Row {
    /// The row of a code whose digit 1 is "own", with an own stone on the point.
    fn decode(code: usize) -> Row {
        let (backward, back) = decode_arm(code as u32 / ARMS);
        let (forward, ahead) = decode_arm(code as u32 % ARMS);
        let mut row = Row { own: 1 << CENTER, opponent: 0, board: 1 << CENTER };
        let cells =
            (0..backward).map(|i| (CENTER - 1 - i, back[i])).chain((0..forward).map(|i| (CENTER + 1 + i, ahead[i])));
        for (bit, digit) in cells {
            row.board |= 1 << bit;
            match digit {
                1 => row.own |= 1 << bit,
                2 => row.opponent |= 1 << bit,
                _ => {}
            }
        }
        row
    }

    fn empty(self) -> u16 {
        self.board & !self.own & !self.opponent
    }

    /// First and last cell of the run of own stones through the point.
    fn run(self) -> (usize, usize) {
        let ahead = (self.own >> CENTER).trailing_ones() as usize;
        let back = (self.own << (15 - CENTER)).leading_ones() as usize;
        (CENTER + 1 - back, CENTER + ahead - 1)
    }

    fn wins(self, rule: LineRule) -> bool {
        let (first, last) = self.run();
        let held = |bit: Option<usize>| bit.is_some_and(|b| b < WIDTH && self.opponent & (1 << b) != 0);
        let ends = usize::from(held(first.checked_sub(1))) + usize::from(held(Some(last + 1)));
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
pub(super) fn line_classes(rule: LineRule) -> Vec<u8> {
    let mut known = vec![UNKNOWN; CODES];
    for code in 0..CODES {
        classify(rule, code, &mut known);
    }
    known
}

fn classify(rule: LineRule, code: usize, known: &mut [u8]) -> LineClass {
    if known[code] != UNKNOWN {
        return LineClass::from_nibble(known[code]);
    }
    let row = Row::decode(code);
    let class = match immediate(rule, row) {
        Some(class) => class,
        None => by_next_stone(rule, code, row, known),
    };
    known[code] = class as u8;
    class
}

/// Fives, fours and fouls: what can be seen without adding own stones of the future.
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

fn by_next_stone(rule: LineRule, code: usize, row: Row, known: &mut [u8]) -> LineClass {
    let mut ways = [0_u8; LineClass::COUNT];
    for bit in bits(row.empty() & NEAR) {
        let weight = POW3[bit.abs_diff(CENTER) - 1] as usize;
        let next = code + if bit < CENTER { weight * ARMS as usize } else { weight };
        ways[classify(rule, next, known) as usize] += 1;
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
