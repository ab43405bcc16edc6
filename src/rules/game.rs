//! A game: legal moves one after another, and how it ended. For referees and tests; simple, not fast.

use super::Rule;
use super::renju::{Foul, forbidden_points, foul};
use super::win::{any_winning_row, winning_rows};
use crate::board::{BoardSize, BySide, Cell, Grid, Point, Setup, SetupError, Side};
use std::fmt;

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A side has a winning row.
    Win {
        /// The winner.
        side: Side,
        /// The stones of the row, in order along the line.
        row: Vec<Point>,
        /// What kind of row it is.
        how: RowKind,
    },
    /// A side made a move that is forbidden for it, and has lost.
    Foul {
        /// The loser.
        side: Side,
        /// The kind of foul.
        foul: Foul,
    },
    /// The board is full, or has as many stones as the game may have. In a continuous game this is the only end;
    /// [`Game::rows`] shows which side has more rows.
    Draw,
}

impl Outcome {
    /// The side that has won.
    pub fn winner(&self) -> Option<Side> {
        match self {
            Outcome::Win { side, .. } => Some(*side),
            Outcome::Foul { side, .. } => Some(!*side),
            Outcome::Draw => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |side: &Side| match side {
            Side::Black => "black",
            Side::White => "white",
        };
        match self {
            Outcome::Win { side, how: RowKind::Five, .. } => write!(f, "{} wins by a five", name(side)),
            Outcome::Win { side, how: RowKind::Overline, .. } => write!(f, "{} wins by an overline", name(side)),
            Outcome::Foul { side, foul } => write!(f, "{} loses by a foul: {foul}", name(side)),
            Outcome::Draw => write!(f, "draw"),
        }
    }
}

/// Kinds of winning rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// Exactly five.
    Five,
    /// More than five.
    Overline,
}

impl RowKind {
    fn of(row: &[Point]) -> RowKind {
        if row.len() > 5 { RowKind::Overline } else { RowKind::Five }
    }
}

/// Whether a game goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The other side moves next.
    Running,
    /// The game is over.
    Over(Outcome),
}

/// Why a move cannot be made at all. (A foul can be made; it loses.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    /// There is no such point.
    OffBoard(Point),
    /// The cell holds a stone or is blocked.
    Occupied(Point),
    /// The game is over.
    Over,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalMove::OffBoard(p) => write!(f, "point {},{} is off the board", p.x(), p.y()),
            IllegalMove::Occupied(p) => write!(f, "point {},{} is taken", p.x(), p.y()),
            IllegalMove::Over => write!(f, "the game is over"),
        }
    }
}

impl std::error::Error for IllegalMove {}

/// A game in progress or finished.
///
/// In a *continuous* game (Piskvork's) rows do not end the game; only a full board or a limit of stones does. Rows are
/// counted. The stones of a finished row, and a stone that was a foul, turn into blocked cells, and the other side
/// moves.
#[derive(Clone, Debug)]
pub struct Game {
    rule: Rule,
    continuous: bool,
    draw_after: Option<usize>,
    start: Setup,
    grid: Grid,
    to_move: Side,
    moves: Vec<Move>,
    rows: BySide<usize>,
    outcome: Option<Outcome>,
}

/// A move with what is needed to take it back.
#[derive(Clone, Debug)]
struct Move {
    point: Point,
    side: Side,
    /// Stones that it turned into blocked cells.
    walled: Vec<(Point, Side)>,
    /// Rows that it finished in a continuous game.
    rows: usize,
}

impl Game {
    /// A game from the empty board.
    pub fn new(rule: Rule, size: BoardSize) -> Game {
        Game {
            rule,
            continuous: false,
            draw_after: None,
            start: Setup::empty(size),
            grid: Grid::new(size),
            to_move: Side::Black,
            moves: Vec::new(),
            rows: BySide::default(),
            outcome: None,
        }
    }

    /// A game from a position. It is over at once if the position has a winning row or no empty cell; past fouls are
    /// not detected.
    ///
    /// # Errors
    /// If the setup is not a position on its board.
    pub fn from_setup(rule: Rule, setup: Setup) -> Result<Game, SetupError> {
        setup.check()?;
        let mut game = Game::new(rule, setup.size);
        game.grid = Grid::from_setup(&setup);
        game.to_move = setup.to_move;
        game.start = setup;
        game.outcome = game.judge_start();
        Ok(game)
    }

    /// Makes it a continuous game: rows and fouls do not end it. Call it before the first move.
    #[must_use]
    pub fn continuous(mut self) -> Game {
        debug_assert!(self.moves.is_empty());
        self.continuous = true;
        self.outcome = self.judge_start();
        self
    }

    /// Makes the game a draw at this number of stones, including those of the start. (Gomocup's renju has had such a
    /// limit, of 200.) Call it before the first move.
    #[must_use]
    pub fn draw_after(mut self, stones: usize) -> Game {
        debug_assert!(self.moves.is_empty());
        self.draw_after = Some(stones);
        self.outcome = self.judge_start();
        self
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Board dimensions.
    pub fn size(&self) -> BoardSize {
        self.grid.size()
    }

    /// Whether rows do not end the game.
    pub fn is_continuous(&self) -> bool {
        self.continuous
    }

    /// The cells as they are now.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Who moves next, or would if the game were not over.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// The moves played since the start, oldest first.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Point> + ExactSizeIterator + '_ {
        self.moves.iter().map(|m| m.point)
    }

    /// How many rows a side has finished in a continuous game.
    pub fn rows(&self, side: Side) -> usize {
        self.rows[side]
    }

    /// How the game ended, if it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The position: all stones in order, what is blocked (in a continuous game including stones that became
    /// blocked), and who moves.
    pub fn setup(&self) -> Setup {
        let played = self.moves.iter().map(|m| (m.point, m.side));
        let walled = self.moves.iter().flat_map(|m| &m.walled).map(|(point, _)| *point);
        Setup {
            size: self.size(),
            stones: self
                .start
                .stones
                .iter()
                .copied()
                .chain(played)
                .filter(|(point, side)| self.grid.get(*point) == Cell::Stone(*side))
                .collect(),
            blocked: self.start.blocked.iter().copied().chain(walled).collect(),
            to_move: self.to_move,
        }
    }

    /// The empty points that are fouls for the side to move.
    pub fn forbidden(&self) -> Vec<Point> {
        if self.is_restricted(self.to_move) { forbidden_points(&self.grid) } else { Vec::new() }
    }

    /// Plays a stone of the side to move. A foul is played too, and loses.
    ///
    /// # Errors
    /// If the move cannot be made; nothing has changed then.
    pub fn play(&mut self, point: Point) -> Result<Status, IllegalMove> {
        if self.outcome.is_some() {
            return Err(IllegalMove::Over);
        }
        if !self.size().contains(point) {
            return Err(IllegalMove::OffBoard(point));
        }
        if self.grid.get(point) != Cell::Empty {
            return Err(IllegalMove::Occupied(point));
        }
        let side = self.to_move;
        // Tested before the stone is placed; a five is never a foul.
        let foul = if self.is_restricted(side) { foul(&self.grid, point) } else { None };
        self.grid.set(point, Cell::Stone(side));
        let rows = winning_rows(&self.grid, self.rule, point);
        let mut played = Move { point, side, walled: Vec::new(), rows: 0 };
        if self.continuous {
            played.rows = rows.len();
            played.walled = self.wall(rows.into_iter().flatten().chain(foul.map(|_| point)), side);
            self.rows[side] += played.rows;
        } else if let Some(row) = rows.into_iter().next() {
            self.outcome = Some(Outcome::Win { side, how: RowKind::of(&row), row });
        } else if let Some(foul) = foul {
            self.outcome = Some(Outcome::Foul { side, foul });
        }
        self.moves.push(played);
        self.to_move = !side;
        if self.outcome.is_none() && self.is_exhausted() {
            self.outcome = Some(Outcome::Draw);
        }
        Ok(match &self.outcome {
            Some(outcome) => Status::Over(outcome.clone()),
            None => Status::Running,
        })
    }

    /// Takes the newest move back and returns it; `None` at the start.
    pub fn undo(&mut self) -> Option<Point> {
        let last = self.moves.pop()?;
        for (point, side) in last.walled {
            self.grid.set(point, Cell::Stone(side));
        }
        self.grid.set(last.point, Cell::Empty);
        self.rows[last.side] -= last.rows;
        self.to_move = last.side;
        self.outcome = None; // a move was possible, so the game was not over before it
        Some(last.point)
    }

    /// Turns stones into blocked cells and returns them, each once.
    fn wall(&mut self, points: impl Iterator<Item = Point>, side: Side) -> Vec<(Point, Side)> {
        let mut walled = Vec::new();
        for point in points {
            if self.grid.get(point) != Cell::Blocked {
                self.grid.set(point, Cell::Blocked);
                walled.push((point, side));
            }
        }
        walled
    }

    fn is_restricted(&self, side: Side) -> bool {
        self.rule.restricted_side() == Some(side)
    }

    /// Whether the game must end because the board is full or the limit of stones is reached.
    fn is_exhausted(&self) -> bool {
        let stones = self.start.stones.len() + self.moves.len();
        self.draw_after.is_some_and(|limit| stones >= limit) || self.grid.empty_points().next().is_none()
    }

    /// The outcome of the starting position, if it has one.
    fn judge_start(&self) -> Option<Outcome> {
        let won = if self.continuous { None } else { any_winning_row(&self.grid, self.rule) };
        match won {
            Some((side, row)) => Some(Outcome::Win { side, how: RowKind::of(&row), row }),
            None if self.is_exhausted() => Some(Outcome::Draw),
            None => None,
        }
    }
}
