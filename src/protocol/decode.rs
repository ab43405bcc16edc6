//! The position that the body of `BOARD` describes.

use super::body::{Cells, Owner};
use crate::engine::{BoardSize, Setup, Side};

/// The position of a body, with the engine to move. Cells off the board and cells without an owner are left out.
///
/// The order of the lines does not decide the colours: with equally many own and opposing stones the engine is black,
/// with one own stone fewer it is white. Other counts come from analysis; then the stone listed first is black.
pub(super) fn position(size: BoardSize, cells: &Cells) -> Setup {
    let on_board = cells.iter().filter(|(p, _)| size.contains(*p));
    let owned = on_board.filter_map(|(p, owner)| owner.map(|owner| (*p, owner))).collect::<Vec<_>>();
    let count = |wanted: Owner| owned.iter().filter(|(_, owner)| *owner == wanted).count();
    let (own, opponent) = (count(Owner::Own), count(Owner::Opponent));
    let first = owned.iter().map(|(_, owner)| *owner).find(|owner| *owner != Owner::Blocked);
    let side = if own == opponent {
        Side::Black
    } else if opponent == own + 1 || first == Some(Owner::Opponent) {
        Side::White
    } else {
        Side::Black
    };
    let mut setup = Setup { to_move: side, ..Setup::empty(size) };
    for (point, owner) in owned {
        match owner {
            Owner::Own => setup.stones.push((point, side)),
            Owner::Opponent => setup.stones.push((point, !side)),
            Owner::Blocked => setup.blocked.push(point),
        }
    }
    setup
}
