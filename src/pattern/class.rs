//! Pattern classes of a line and of a point, weakest first.
//!
//! Both describe what a stone *would make* if a side put one on an empty point. In the pictures `X` is an own stone
//! already there, `*` the point, `.` empty, `O` an opponent's stone or the border.

/// What a stone on a point makes in one line. Ordered by strength, except [`LineClass::Foul`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LineClass {
    /// Can never become a five: `O . X * . O`.
    Dead = 0,
    /// Needs four more stones, one line end in the way: `O * . . . .`.
    BlockedOne,
    /// One more stone makes an open two: `. . * . . .`.
    OpenOne,
    /// One more stone makes a blocked three: `O X * . . .`.
    BlockedTwo,
    /// One more stone makes an open three, in one or two ways.
    OpenTwo,
    /// One more stone makes an open three, in three or more ways: `. . X * . .`.
    RichTwo,
    /// One more stone makes a four that one reply stops: `O X X * . .`.
    BlockedThree,
    /// One more stone makes an open four, in one way: `O . X X * . .`.
    OpenThree,
    /// One more stone makes an open four, in two or more ways: `. . X X * . .`.
    RichThree,
    /// One more stone wins, and one reply stops it: `O X X X * .`.
    Four,
    /// One more stone wins against every reply in this line: `. X X X * .`.
    OpenFour,
    /// Wins: `X X X X *`.
    Five,
    /// Forbidden by this line alone: an overline, or two fours in one line (`X . X * X . X`).
    Foul,
}

impl LineClass {
    /// Number of classes.
    pub const COUNT: usize = 13;

    /// All classes, weakest first.
    pub const ALL: [LineClass; LineClass::COUNT] = [
        LineClass::Dead,
        LineClass::BlockedOne,
        LineClass::OpenOne,
        LineClass::BlockedTwo,
        LineClass::OpenTwo,
        LineClass::RichTwo,
        LineClass::BlockedThree,
        LineClass::OpenThree,
        LineClass::RichThree,
        LineClass::Four,
        LineClass::OpenFour,
        LineClass::Five,
        LineClass::Foul,
    ];

    /// The class with this number; numbers beyond the last are [`LineClass::Dead`].
    #[inline(always)]
    pub const fn from_nibble(nibble: u8) -> LineClass {
        // A match of consecutive numbers compiles to a comparison, an array to a load.
        match nibble {
            1 => LineClass::BlockedOne,
            2 => LineClass::OpenOne,
            3 => LineClass::BlockedTwo,
            4 => LineClass::OpenTwo,
            5 => LineClass::RichTwo,
            6 => LineClass::BlockedThree,
            7 => LineClass::OpenThree,
            8 => LineClass::RichThree,
            9 => LineClass::Four,
            10 => LineClass::OpenFour,
            11 => LineClass::Five,
            12 => LineClass::Foul,
            _ => LineClass::Dead,
        }
    }

    /// A three that becomes an open four.
    #[inline(always)]
    pub const fn is_open_three(self) -> bool {
        matches!(self, LineClass::OpenThree | LineClass::RichThree)
    }

    /// A two that becomes an open three.
    #[inline(always)]
    pub const fn is_open_two(self) -> bool {
        matches!(self, LineClass::OpenTwo | LineClass::RichTwo)
    }

    /// A four, open or not.
    #[inline(always)]
    pub const fn is_four(self) -> bool {
        matches!(self, LineClass::Four | LineClass::OpenFour)
    }
}

/// What a stone on a point makes in all four lines together. Ordered by strength as a threat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(u8)]
pub enum PointClass {
    /// None of the following.
    #[default]
    None = 0,
    /// Perhaps forbidden: overline or double four for certain, double three subject to the recursive test.
    Foul,
    /// An open two.
    OpenTwo,
    /// A blocked three.
    BlockedThree,
    /// Two open twos.
    DoubleTwo,
    /// A blocked three with another blocked three or an open two.
    BlockedThreePlus,
    /// An open three: threatens an open four.
    OpenThree,
    /// An open three with a blocked three or an open two.
    OpenThreePlus,
    /// Two open threes.
    DoubleThree,
    /// A four: one reply stops it.
    Four,
    /// A four with a blocked three or an open two.
    FourPlus,
    /// A four and an open three.
    FourThree,
    /// An open four, or two fours: wins unless the opponent wins first.
    OpenFour,
    /// Five: wins.
    Five,
}

impl PointClass {
    /// Number of classes.
    pub const COUNT: usize = 14;

    /// All classes in their order.
    pub const ALL: [PointClass; PointClass::COUNT] = [
        PointClass::None,
        PointClass::Foul,
        PointClass::OpenTwo,
        PointClass::BlockedThree,
        PointClass::DoubleTwo,
        PointClass::BlockedThreePlus,
        PointClass::OpenThree,
        PointClass::OpenThreePlus,
        PointClass::DoubleThree,
        PointClass::Four,
        PointClass::FourPlus,
        PointClass::FourThree,
        PointClass::OpenFour,
        PointClass::Five,
    ];

    /// The class with this number; numbers beyond the last are [`PointClass::None`].
    #[inline(always)]
    pub const fn from_number(number: u8) -> PointClass {
        match number {
            1 => PointClass::Foul,
            2 => PointClass::OpenTwo,
            3 => PointClass::BlockedThree,
            4 => PointClass::DoubleTwo,
            5 => PointClass::BlockedThreePlus,
            6 => PointClass::OpenThree,
            7 => PointClass::OpenThreePlus,
            8 => PointClass::DoubleThree,
            9 => PointClass::Four,
            10 => PointClass::FourPlus,
            11 => PointClass::FourThree,
            12 => PointClass::OpenFour,
            13 => PointClass::Five,
            _ => PointClass::None,
        }
    }

    /// The class of four lines taken together, for a side that is subject to fouls or not.
    pub fn combine(lines: [LineClass; 4], restricted: bool) -> PointClass {
        let count = |pred: fn(LineClass) -> bool| lines.iter().filter(|c| pred(**c)).count();
        let fives = count(|c| c == LineClass::Five);
        let fours = count(LineClass::is_four);
        let open_fours = count(|c| c == LineClass::OpenFour);
        let threes = count(LineClass::is_open_three);
        let blocked_threes = count(|c| c == LineClass::BlockedThree);
        let twos = count(LineClass::is_open_two);
        let fouls = count(|c| c == LineClass::Foul);
        let helped = blocked_threes + twos > 0;
        if fives > 0 {
            PointClass::Five
        } else if restricted && (fouls > 0 || fours >= 2 || threes >= 2) {
            PointClass::Foul
        } else if open_fours > 0 || fours >= 2 {
            PointClass::OpenFour
        } else if fours == 1 && threes > 0 {
            PointClass::FourThree
        } else if fours == 1 && helped {
            PointClass::FourPlus
        } else if fours == 1 {
            PointClass::Four
        } else if threes >= 2 {
            PointClass::DoubleThree
        } else if threes == 1 && helped {
            PointClass::OpenThreePlus
        } else if threes == 1 {
            PointClass::OpenThree
        } else if blocked_threes >= 2 || (blocked_threes == 1 && twos > 0) {
            PointClass::BlockedThreePlus
        } else if twos >= 2 {
            PointClass::DoubleTwo
        } else if blocked_threes == 1 {
            PointClass::BlockedThree
        } else if twos == 1 {
            PointClass::OpenTwo
        } else {
            PointClass::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_their_classes() {
        for class in LineClass::ALL {
            assert_eq!(LineClass::from_nibble(class as u8), class);
        }
        for class in PointClass::ALL {
            assert_eq!(PointClass::from_number(class as u8), class);
        }
    }
}
