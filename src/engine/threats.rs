//! What a stone on each point would make, for display.

use crate::board::{Direction, Point, Setup, Side};
use crate::pattern::{LineClass, PointClass};
use crate::position::Position;
use crate::rules::Rule;

/// A point where a stone of one side makes a threat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threat {
    /// The point.
    pub point: Point,
    /// The side of the stone.
    pub side: Side,
    /// What the stone makes.
    pub kind: ThreatKind,
}

/// What a stone makes, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreatKind {
    /// A row that wins.
    Five,
    /// An open four, two fours, or a four and an open three.
    OpenFour,
    /// One four.
    Four,
    /// One or two open threes.
    Three,
}

/// The points where a stone of either side makes a three or more, in board order, black first, whoever is to move.
/// Points that are forbidden to a side are left out for that side. Invalid setups give an empty list.
pub fn threats(setup: &Setup, rule: Rule) -> Vec<Threat> {
    let Ok(mut position) = Position::new(setup, rule) else { return Vec::new() };
    let empty: Vec<Point> = setup.size.points().filter(|point| position.is_empty(*point)).collect();
    let mut found = Vec::new();
    for point in empty {
        for side in Side::BOTH {
            found.extend(kind(&mut position, side, point).map(|kind| Threat { point, side, kind }));
        }
    }
    found
}

fn kind(position: &mut Position, side: Side, point: Point) -> Option<ThreatKind> {
    let info = *position.info(point);
    if info.class(side) == PointClass::Five {
        return Some(ThreatKind::Five);
    }
    let lines = Direction::ALL.map(|direction| info.line(side, direction));
    let fours = lines.iter().filter(|class| class.is_four()).count();
    let may_be_three = lines.iter().any(|class| class.is_open_three());
    if (fours == 0 && !may_be_three) || position.is_forbidden(side, point) {
        return None;
    }
    let three = may_be_three && position.open_threes(side, point) > 0;
    match fours {
        0 => three.then_some(ThreatKind::Three),
        1 if !three && !lines.contains(&LineClass::OpenFour) => Some(ThreatKind::Four),
        _ => Some(ThreatKind::OpenFour),
    }
}
