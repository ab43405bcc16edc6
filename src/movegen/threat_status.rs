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
    /// The side to move loses with every move.
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

/// Looks for wins in one, three and five plies, and for threats that must be answered: [`immediate_status`],
/// [`winning_combination`] and [`defence_status`], which a search may also call one by one.
pub fn threat_status(position: &mut Position) -> ThreatStatus {
    match immediate_status(position) {
        ThreatStatus::Quiet => match winning_combination(position) {
            Some(by) => ThreatStatus::Won { by, plies: 5 },
            None => defence_status(position),
        },
        status => status,
    }
}

/// Own fives and open fours, and the opponent's fives: if there are none, this only reads the counts.
pub fn immediate_status(position: &mut Position) -> ThreatStatus {
    let (us, them) = (position.to_move(), !position.to_move());
    if let Some(by) = position.threat(us, PointClass::Five) {
        return ThreatStatus::Won { by, plies: 1 };
    }
    if position.count(them, PointClass::Five) > 0 {
        let mut moves = blocks(position, them);
        if position.tables().restricted() == Some(us) {
            moves.iter().filter(|p| position.is_forbidden(us, *p)).for_each(|p| moves.remove(p));
        }
        return if moves.is_empty() { ThreatStatus::Lost { plies: 2 } } else { ThreatStatus::MustBlock { moves } };
    }
    match position.threat(us, PointClass::OpenFour) {
        Some(by) => ThreatStatus::Won { by, plies: 3 },
        None => ThreatStatus::Quiet,
    }
}

/// The threats by which the opponent would win if it were to move. [`immediate_status`] must be
/// [`ThreatStatus::Quiet`], and there must be no [`winning_combination`].
pub fn defence_status(position: &mut Position) -> ThreatStatus {
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
        // The open four after the reply need not go through the same point: the reply may lift a foul elsewhere.
        let threat = winning_four_three(position, them, |position| open_four_defences(position, them));
        position.pass();
        if let Some(FourThree { point, completion, after: stops }) = threat
            // A reply that is forbidden now may become legal by a move anywhere, and one whose fours or threes are
            // false may become forbidden by the opponent's own stone.
            && position.info(completion).class(us) != PointClass::Foul
        {
            let mut moves = four_three_defences(position, them, point, completion);
            moves.unite(&stops);
            moves.unite(&own_fours(position, us));
            return ThreatStatus::MustDefend { moves, plies: 6 };
        }
    }
    ThreatStatus::Quiet
}

/// Whether there is no answer to the opponent's open fours. This is the only case in which [`defence_status`] returns
/// [`ThreatStatus::Lost`]; the loss takes four plies. A single open four can be answered on its own point.
pub fn is_lost_to_open_fours(position: &mut Position) -> bool {
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

/// A move of the side to move that wins in five plies: a four-and-three, or two open threes if the opponent cannot make
/// a four. The caller must have excluded shorter wins of either side.
pub fn winning_combination(position: &mut Position) -> Option<Point> {
    let us = position.to_move();
    if four_threes_win(position, us) {
        return position.threat(us, PointClass::FourThree);
    }
    if let Some(FourThree { point, .. }) = winning_four_three(position, us, |_| ()) {
        return Some(point);
    }
    if position.count(us, PointClass::DoubleThree) > 0 && !can_make_four(position, !us) {
        let all = position.candidates();
        return all.iter().find(|p| position.info(*p).class(us) == PointClass::DoubleThree);
    }
    None
}

/// Whether every four-and-three of `us` is known to win without playing it out. This is so if there is one and the
/// reply to its four, which is not on the line of its three, cannot be a four. It is not known if a four may have
/// several replies, or if moves can create and lift fouls.
fn four_threes_win(position: &Position, us: Side) -> bool {
    let tables = position.tables();
    position.count(us, PointClass::FourThree) > 0
        && position.count_from(!us, PointClass::Four) == 0
        && !tables.remote_blocks()
        && tables.restricted().is_none()
}

/// A four-and-three that wins.
struct FourThree<T> {
    point: Point,
    /// Where its four must be answered.
    completion: Point,
    /// The result of `see` after both stones.
    after: T,
}

/// A four-and-three of `us`, who is to move, that wins. Each one is played out: the reply must neither make a four nor
/// spoil the three. `see` gets the position after the reply, even if the reply is forbidden.
fn winning_four_three<T>(position: &mut Position, us: Side, see: impl Fn(&Position) -> T) -> Option<FourThree<T>> {
    if position.count(us, PointClass::FourThree) == 0 {
        return None;
    }
    let points = position.threats(us, PointClass::FourThree);
    points.iter().find_map(|point| play_out(position, us, *point, &see))
}

fn play_out<T>(position: &mut Position, us: Side, point: Point, see: impl Fn(&Position) -> T) -> Option<FourThree<T>> {
    let them = !us;
    position.play(point, &mut Silent);
    let replies = blocks(position, us);
    let mut only = replies.iter();
    let won = only.next().filter(|_| only.next().is_none()).and_then(|completion| {
        let is_foul = position.is_forbidden(them, completion);
        if !is_foul && position.info(completion).class(them) >= PointClass::Four {
            return None;
        }
        position.play(completion, &mut Silent);
        // The reply may be a four that only looks forbidden.
        let wins =
            is_foul || position.count(them, PointClass::Five) == 0 && position.count(us, PointClass::OpenFour) > 0;
        let won = wins.then(|| FourThree { point, completion, after: see(position) });
        position.undo(&mut Silent);
        won
    });
    position.undo(&mut Silent);
    won
}
