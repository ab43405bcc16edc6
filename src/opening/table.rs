//! The opening rules as tables. A row names the player who acts, by the colour at that time, and what is due.

use super::{Area, Choice, OpeningRule};
use crate::board::Side::{self, Black, White};
use Area::{Anywhere, Offered, Outside, Within};
use Next::{End, Row, Skip};
use Task::{Choose, Declare, Offer, Place};

/// What a row requires.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// A stone. Stones are black and white in turn, whoever places them.
    Place(Area),
    /// One of these answers; each leads to another row.
    Choose(&'static [(Choice, Next)]),
    /// The number of fifth moves, at most this.
    Declare(u8),
    /// This many fifth moves, or as many as were declared. The next row is white's choice among them. A single fifth
    /// move is placed as a stone, and that row left out.
    Offer(Option<u8>),
}

/// The row after an answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The next one.
    Row,
    /// One further down, this many rows left out.
    Skip(usize),
    /// None: the opening is over.
    End,
}

/// A row.
pub(super) type TableRow = (Side, Task);

/// Largest number of fifth moves that can be declared where the rule sets no limit. Every position after four stones
/// of an opening has more fifth moves that differ.
pub(super) const MOST_DECLARED: u8 = 50;

const CENTRE: Task = Place(Within(1));
const MAY_SWAP: Task = Choose(&[(Choice::Stay, Row), (Choice::Swap, Row)]);
const LAST_SWAP: Task = Choose(&[(Choice::Stay, End), (Choice::Swap, End)]);

const PRO: &[TableRow] = &[(Black, CENTRE), (White, Place(Anywhere)), (Black, Place(Outside(5)))];

const LONG_PRO: &[TableRow] = &[(Black, CENTRE), (White, Place(Anywhere)), (Black, Place(Outside(7)))];

const SWAP: &[TableRow] =
    &[(Black, Place(Anywhere)), (Black, Place(Anywhere)), (Black, Place(Anywhere)), (White, LAST_SWAP)];

const SWAP2: &[TableRow] = &[
    (Black, Place(Anywhere)),
    (Black, Place(Anywhere)),
    (Black, Place(Anywhere)),
    (White, Choose(&[(Choice::Stay, End), (Choice::Swap, End), (Choice::Two, Row)])),
    (White, Place(Anywhere)),
    (White, Place(Anywhere)),
    (Black, LAST_SWAP),
];

const RIF: &[TableRow] = &[
    (Black, CENTRE),
    (Black, Place(Within(3))),
    (Black, Place(Within(5))),
    (White, MAY_SWAP),
    (White, Place(Anywhere)),
    (Black, Offer(Some(2))),
    (White, Place(Offered)),
];

const YAMAGUCHI: &[TableRow] = &[
    (Black, CENTRE),
    (Black, Place(Within(3))),
    (Black, Place(Within(5))),
    (Black, Declare(MOST_DECLARED)),
    (White, MAY_SWAP),
    (White, Place(Anywhere)),
    (Black, Offer(None)),
    (White, Place(Offered)),
];

const SOOSORV_8: &[TableRow] = &[
    (Black, CENTRE),
    (Black, Place(Within(3))),
    (Black, Place(Within(5))),
    (White, MAY_SWAP),
    (White, Place(Anywhere)),
    (White, Declare(8)),
    (Black, MAY_SWAP),
    (Black, Offer(None)),
    (White, Place(Offered)),
];

const TARANNIKOV: &[TableRow] = &[
    (Black, CENTRE),
    (White, MAY_SWAP),
    (White, Place(Within(3))),
    (Black, MAY_SWAP),
    (Black, Place(Within(5))),
    (White, MAY_SWAP),
    (White, Place(Within(7))),
    (Black, MAY_SWAP),
    (Black, Place(Within(9))),
    (White, LAST_SWAP),
];

const TARAGUCHI_10: &[TableRow] = &[
    (Black, CENTRE),
    (White, MAY_SWAP),
    (White, Place(Within(3))),
    (Black, MAY_SWAP),
    (Black, Place(Within(5))),
    (White, MAY_SWAP),
    (White, Place(Within(7))),
    (Black, Choose(&[(Choice::Stay, Row), (Choice::Swap, Row), (Choice::Ten, Skip(2))])),
    (Black, Place(Within(9))),
    (White, LAST_SWAP),
    (Black, Offer(Some(10))),
    (White, Place(Offered)),
];

/// The rows of a rule.
pub(super) const fn rows(rule: OpeningRule) -> &'static [TableRow] {
    match rule {
        OpeningRule::Free => &[],
        OpeningRule::Pro => PRO,
        OpeningRule::LongPro => LONG_PRO,
        OpeningRule::Swap => SWAP,
        OpeningRule::Swap2 => SWAP2,
        OpeningRule::Rif => RIF,
        OpeningRule::Yamaguchi => YAMAGUCHI,
        OpeningRule::Soosorv8 => SOOSORV_8,
        OpeningRule::Tarannikov => TARANNIKOV,
        OpeningRule::Taraguchi10 => TARAGUCHI_10,
    }
}
