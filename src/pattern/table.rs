//! The tables of one rule: line code to classes of both sides, nibbles to point class.

use super::class::LineClass;
use super::code::{ARMS, CODES, LineCode, swap_arm};
use super::combine::{self, Combined};
use super::generate::line_classes;
use crate::board::Side;
use crate::rules::Rule;
use std::sync::OnceLock;

/// Size of the line table: a power of two above [`CODES`], so that a masked index needs no check.
const LINE_TABLE: usize = 1 << 18;

/// Everything that the layers above need to know about a rule.
#[derive(Debug)]
pub struct Tables {
    line: Box<[u8; LINE_TABLE]>,
    combine: [&'static [Combined; 1 << 16]; 2],
    /// The side subject to fouls.
    restricted: Option<Side>,
    /// Whether a stone beyond the end of a four may stop it (if a five held at both ends does not win).
    remote_blocks: bool,
}

impl Tables {
    /// The tables of a rule, built at first use (a few milliseconds) and shared afterwards.
    pub fn of(rule: Rule) -> &'static Tables {
        static CACHE: [OnceLock<Tables>; Rule::ALL.len()] = [const { OnceLock::new() }; Rule::ALL.len()];
        CACHE[rule as usize].get_or_init(|| Tables::build(rule))
    }

    fn build(rule: Rule) -> Tables {
        let swap: Vec<usize> = (0..ARMS).map(|a| swap_arm(a) as usize).collect();
        let black = line_classes(rule.line_rule(Side::Black));
        let white = if rule.line_rule(Side::White) == rule.line_rule(Side::Black) {
            None
        } else {
            Some(line_classes(rule.line_rule(Side::White)))
        };
        let white = white.as_ref().unwrap_or(&black);
        let mut line: Box<[u8; LINE_TABLE]> = vec![0; LINE_TABLE].try_into().unwrap_or_else(|_| unreachable!());
        for code in 0..CODES {
            let swapped = swap[code / ARMS as usize] * ARMS as usize + swap[code % ARMS as usize];
            line[code] = black[code] | white[swapped] << 4;
        }
        let restricted = rule.restricted_side();
        Tables {
            line,
            combine: Side::BOTH.map(|side| combine_table(restricted == Some(side))),
            restricted,
            remote_blocks: Side::BOTH.iter().any(|side| rule.line_rule(*side).held_five_is_dead),
        }
    }

    /// Classes of both sides at a line code: black's in the low nibble, white's in the high one.
    #[inline(always)]
    pub fn classes(&self, code: LineCode) -> u8 {
        self.line[code as usize & (LINE_TABLE - 1)]
    }

    /// What a stone of `side` makes in a line.
    #[inline(always)]
    pub fn line_class(&self, side: Side, code: LineCode) -> LineClass {
        LineClass::from_nibble(self.classes(code) >> (4 * side.index()) & 15)
    }

    /// Combination and class of a point with these line classes (a nibble each) for `side`.
    #[inline(always)]
    pub fn combined(&self, side: Side, nibbles: u16) -> Combined {
        self.combine[side.index()][usize::from(nibbles)]
    }

    /// The side subject to fouls, if any.
    #[inline(always)]
    pub fn restricted(&self) -> Option<Side> {
        self.restricted
    }

    /// Whether a four can be stopped by another move than the one on its completing cell.
    #[inline(always)]
    pub fn remote_blocks(&self) -> bool {
        self.remote_blocks
    }
}

fn combine_table(restricted: bool) -> &'static [Combined; 1 << 16] {
    static CACHE: [OnceLock<Box<[Combined; 1 << 16]>>; 2] = [const { OnceLock::new() }; 2];
    CACHE[usize::from(restricted)]
        .get_or_init(|| combine::table(restricted).try_into().unwrap_or_else(|_| unreachable!()))
}
