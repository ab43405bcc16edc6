//! Checks of what clients request: games to start, labels, numbers.

use crate::clock;
use crate::command::{NewGame, Player, Start, StoneAt};
use crate::json::foul_name;
use crate::level;
use crate::position::Illegal;
use crate::view::{Refusal, RefusalKind};
use tengen::board::{BoardSize, LabelError, Point, Setup, format_point, parse_point};
use tengen::opening::Illegal as NotAllowed;
use tengen::rules::{Foul, Rule};

/// A refusal without its revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Denied {
    pub kind: RefusalKind,
    pub message: String,
    pub foul: Option<Foul>,
}

impl Denied {
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Denied {
        Denied { kind, message: message.into(), foul: None }
    }

    pub fn not_now(message: impl Into<String>) -> Denied {
        Denied::new(RefusalKind::NotNow, message)
    }

    pub fn malformed(message: impl Into<String>) -> Denied {
        Denied::new(RefusalKind::Malformed, message)
    }

    pub fn over() -> Denied {
        Denied::new(RefusalKind::Over, "the game is over")
    }

    pub fn no_node(node: u32) -> Denied {
        Denied::new(RefusalKind::Unknown, format!("there is no node {node}"))
    }

    /// The refusal of a stone on the point with this label.
    pub fn illegal(illegal: Illegal, label: &str) -> Denied {
        match illegal {
            Illegal::Over => Denied::over(),
            Illegal::Occupied => Denied::new(RefusalKind::Occupied, format!("{label} is not empty")),
            Illegal::Forbidden(foul) => Denied {
                foul: Some(foul),
                ..Denied::new(RefusalKind::Forbidden, format!("{label} is forbidden for Black: {}", foul_name(foul)))
            },
            Illegal::NoStone => Denied::not_now("an answer is due in the opening, not a stone"),
            Illegal::Opening(NotAllowed::NotDue) => Denied::not_now("no such answer is due now"),
            Illegal::Opening(illegal) => Denied::new(RefusalKind::Opening, illegal.to_string()),
        }
    }

    pub fn at(self, rev: u64) -> Refusal {
        Refusal { error: self.kind, message: self.message, rev, foul: self.foul }
    }
}

/// The point with this label.
pub(super) fn point(size: BoardSize, label: &str) -> Result<Point, Denied> {
    parse_point(size, label).map_err(|error| {
        let kind = match error {
            LabelError::Malformed(_) => RefusalKind::Malformed,
            LabelError::OffBoard(_) => RefusalKind::Occupied,
        };
        let shown: String = label.chars().take(8).collect();
        let message = match error {
            LabelError::Malformed(_) => format!("expected a point such as h8, found {shown:?}"),
            LabelError::OffBoard(_) => format!("point {shown} is off the board"),
        };
        Denied::new(kind, message)
    })
}

/// Longest name of a player, in characters.
const LONGEST_NAME: usize = 60;

/// A game that can be played, and its starting position; names are shortened to what can be shown.
pub(super) fn new_game(mut game: NewGame) -> Result<(NewGame, Setup), Denied> {
    let (width, height) = game.size;
    let size = BoardSize::new(width, height)
        .ok_or_else(|| Denied::malformed(format!("no board of {width}x{height}: sides have 5 to 25 points")))?;
    for player in [&mut game.black, &mut game.white] {
        match player {
            Player::Person { name } => *name = tidy(name),
            Player::Engine { level: Some(number) } if level::by_number(*number).is_none() => {
                return Err(Denied::malformed(format!("there is no level {number}: they go from 1 to 10")));
            }
            Player::Engine { .. } | Player::Other { .. } => {}
        }
    }
    if !clock::is_sensible(game.clock) {
        return Err(Denied::malformed("the clock must give between a tenth of a second and a week"));
    }
    if !(1..=100).contains(&game.assist.warn_from) {
        return Err(Denied::malformed("warnings begin at a loss of 1 to 100 points"));
    }
    let setup = game.start.as_ref().map_or_else(|| Ok(Setup::empty(size)), |start| setup(size, start))?;
    if game.opening.is_renju() && game.rule != Rule::Renju {
        return Err(Denied::malformed(format!("{} is an opening of renju", game.opening)));
    }
    game.opening.check(&setup).map_err(|unfit| Denied::malformed(format!("{}: {unfit}", game.opening)))?;
    Ok((game, setup))
}

/// A name without characters that cannot be shown.
pub(super) fn tidy(name: &str) -> String {
    name.trim().chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect()
}

fn setup(size: BoardSize, start: &Start) -> Result<Setup, Denied> {
    if start.stones.len() + start.blocked.len() > size.cells() {
        return Err(Denied::malformed("the position has more stones than the board has points"));
    }
    let wrong = |denied: Denied| Denied::malformed(denied.message);
    let stone = |stone: &StoneAt| Ok((point(size, &stone.at).map_err(wrong)?, stone.side));
    let setup = Setup {
        size,
        stones: start.stones.iter().map(stone).collect::<Result<_, Denied>>()?,
        blocked: start.blocked.iter().map(|label| point(size, label).map_err(wrong)).collect::<Result<_, Denied>>()?,
        to_move: start.to_move,
    };
    match setup.check() {
        Ok(()) => Ok(setup),
        Err(_) => Err(Denied::malformed("two stones or blocks of the position share a point")),
    }
}

/// A position in the form in which clients describe it; `None` for the empty board with black to move.
pub(super) fn start_of(setup: &Setup) -> Option<Start> {
    let label = |point: &Point| format_point(setup.size, *point);
    let stones = setup.stones.iter().map(|(point, side)| StoneAt { at: label(point), side: *side });
    (*setup != Setup::empty(setup.size)).then(|| Start {
        stones: stones.collect(),
        blocked: setup.blocked.iter().map(label).collect(),
        to_move: setup.to_move,
    })
}
