//! What the classes of points prove about a node before any move is searched.

use super::defence::{blocks, four_three_defences, open_four_defences, own_fours};
use crate::board::{Point, Side};
use crate::pattern::PointClass;
use crate::position::{PointSet, Position, Silent};

/// What is known of a node without search. Distances are in plies from the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreatStatus {
    /// The side to move wins, beginning with this move.
    Won {
        /// A winning move.
        by: Point,
        /// Plies until the winning row is complete.
        plies: i32,
    },
    /// The side to move loses whatever it does.
    Lost {
        /// Plies until the winning row is complete.
        plies: i32,
    },
    /// The opponent has a four: only these moves, all legal, stop it.
    MustBlock {
        /// The moves.
        moves: PointSet,
    },
    /// The opponent threatens to win by an open four or a four-and-three: every other move loses.
    MustDefend {
        /// Moves that may save the game, own fours included; not yet tested for fouls.
        moves: PointSet,
        /// Plies until the loss if none of them is played.
        plies: i32,
    },
    /// No forcing threat: all moves are to be considered.
    Quiet,
}

/// Looks for wins in one, three and five plies, and for threats that must be answered.
pub fn threat_status(position: &mut Position) -> ThreatStatus {
    match forced_status(position) {
        ThreatStatus::Quiet => status_of_threats(position),
        forced => forced,
    }
}

/// As [`threat_status`], for the quiescence search, which does not search answers to threats: it says
/// [`ThreatStatus::Quiet`] where `threat_status` says [`ThreatStatus::MustDefend`].
pub fn shallow_threat_status(position: &mut Position) -> ThreatStatus {
    match forced_status(position) {
        ThreatStatus::Quiet if is_lost_to_open_fours(position) => ThreatStatus::Lost { plies: 4 },
        forced => forced,
    }
}

/// Own wins, and the opponent's fives.
fn forced_status(position: &mut Position) -> ThreatStatus {
    let (us, them) = (position.to_move(), !position.to_move());
    if let Some(by) = position.threat(us, PointClass::Five) {
        return ThreatStatus::Won { by, plies: 1 };
    }
    if position.count(them, PointClass::Five) > 0 {
        let moves: PointSet = blocks(position, them).iter().filter(|p| !position.is_forbidden(us, *p)).collect();
        return if moves.is_empty() { ThreatStatus::Lost { plies: 2 } } else { ThreatStatus::MustBlock { moves } };
    }
    if let Some(by) = position.threat(us, PointClass::OpenFour) {
        return ThreatStatus::Won { by, plies: 3 };
    }
    match winning_combination(position, us) {
        Some(by) => ThreatStatus::Won { by, plies: 5 },
        None => ThreatStatus::Quiet,
    }
}

/// What the opponent would win by if it were to move; own wins are known not to exist.
fn status_of_threats(position: &mut Position) -> ThreatStatus {
    let (us, them) = (position.to_move(), !position.to_move());
    if position.count(them, PointClass::OpenFour) > 0 {
        let mut moves = open_four_defences(position, them);
        moves.unite(&own_fours(position, us));
        return if moves.is_empty() {
            ThreatStatus::Lost { plies: 4 }
        } else {
            ThreatStatus::MustDefend { moves, plies: 4 }
        };
    }
    if position.count(them, PointClass::FourThree) > 0 {
        position.pass();
        let threat = winning_four_three(position, them);
        position.pass();
        if let Some((point, completion)) = threat
            // A reply that is forbidden now may become legal by a move anywhere, and one whose fours or threes are
            // false may become forbidden by the opponent's own stone.
            && position.info(completion).class(us) != PointClass::Foul
        {
            let mut moves = four_three_defences(position, them, point, completion);
            moves.unite(&own_fours(position, us));
            return ThreatStatus::MustDefend { moves, plies: 6 };
        }
    }
    ThreatStatus::Quiet
}

/// Whether there is no answer to the opponent's open fours. A single one can be answered on its own point.
fn is_lost_to_open_fours(position: &mut Position) -> bool {
    let (us, them) = (position.to_move(), !position.to_move());
    position.count(them, PointClass::OpenFour) > 1
        && position.count_from(us, PointClass::Four) == 0
        && open_four_defences(position, them).is_empty()
        && own_fours(position, us).is_empty()
}

/// Whether `side` could make a four, now or after a move of the opponent that makes a false foul legal.
fn can_make_four(position: &Position, side: Side) -> bool {
    position.count_from(side, PointClass::Four) > 0
        || (position.tables().restricted() == Some(side) && position.count(side, PointClass::Foul) > 0)
}

/// A move of `us`, who is to move, that wins by force: a four-and-three, or two open threes that cannot be outrun.
fn winning_combination(position: &mut Position, us: Side) -> Option<Point> {
    if let Some((point, _)) = winning_four_three(position, us) {
        return Some(point);
    }
    if position.count(us, PointClass::DoubleThree) > 0 && !can_make_four(position, !us) {
        let all = position.candidates();
        return all.iter().find(|p| position.info(*p).class(us) == PointClass::DoubleThree);
    }
    None
}

/// A four-and-three of `us`, who is to move, that wins, and the cell where its four must be answered. Each is played
/// out: the reply must neither make a four nor spoil the three.
fn winning_four_three(position: &mut Position, us: Side) -> Option<(Point, Point)> {
    if position.count(us, PointClass::FourThree) == 0 {
        return None;
    }
    let points = position.threats(us, PointClass::FourThree);
    points.iter().find_map(|point| wins_by_four_three(position, us, *point).map(|completion| (*point, completion)))
}

fn wins_by_four_three(position: &mut Position, us: Side, point: Point) -> Option<Point> {
    let them = !us;
    position.play(point, &mut Silent);
    let replies = blocks(position, us);
    let mut only = replies.iter();
    let completion = only.next().filter(|_| only.next().is_none());
    let wins = completion.is_some_and(|reply| {
        if position.is_forbidden(them, reply) {
            return true;
        }
        if position.info(reply).class(them) >= PointClass::Four {
            return false;
        }
        position.play(reply, &mut Silent);
        // The reply may be a four that only looks forbidden.
        let wins = position.count(them, PointClass::Five) == 0 && position.count(us, PointClass::OpenFour) > 0;
        position.undo(&mut Silent);
        wins
    });
    position.undo(&mut Silent);
    completion.filter(|_| wins)
}
