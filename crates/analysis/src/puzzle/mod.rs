//! Puzzles: positions in which exactly one move wins, or, in renju, exactly one move saves black from a foul trap.
//!
//! [`find`] takes them from games, and `text` is the format of their files. The program contains a file of them,
//! [`built_in`].
//!
//! *One move* is meant by the solver: see [`find`] for what is proven and what is not.

pub mod find;
mod text;

pub use find::Finder;
pub use text::{PuzzleError, format_puzzles, parse_puzzles};

use std::sync::OnceLock;
use tengen::board::{BoardSize, Direction, Point, Setup, Side, Symmetry, format_points};
use tengen::pattern::PointClass;
use tengen::position::Position;
use tengen::rules::Rule;

/// What the side to move has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A win by fours alone.
    Fours,
    /// A win by fours and threes.
    Threats,
    /// White wins because black may not play on a point that is forbidden to it.
    Trap,
    /// The only move after which white has no such win.
    Escape,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Fours, Kind::Threats, Kind::Trap, Kind::Escape];

    /// Its name in files and for clients.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Fours => "fours",
            Kind::Threats => "threats",
            Kind::Trap => "trap",
            Kind::Escape => "escape",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What the stone of a solution makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A four and an open three.
    FourThree,
    /// A four.
    Four,
    /// Two open threes.
    DoubleThree,
    /// An open three.
    Three,
    /// None of these.
    Quiet,
}

impl Shape {
    /// Its name for clients.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::FourThree => "four_three",
            Shape::Four => "four",
            Shape::DoubleThree => "double_three",
            Shape::Three => "three",
            Shape::Quiet => "quiet",
        }
    }
}

/// A puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The rule.
    pub rule: Rule,
    /// The position. Its stones alternate, black first, though no game need have had this order.
    pub setup: Setup,
    /// The one move.
    pub solution: Point,
    /// What the move does.
    pub kind: Kind,
    /// Plies of the win: until the row is complete.
    pub plies: u32,
    /// Positions that the solver visits to find it.
    pub effort: u64,
}

/// The number of grades.
pub const GRADES: usize = 5;

/// The upper bounds of all grades but the last, for [`Puzzle::difficulty`].
const BOUNDS: [f64; GRADES - 1] = [9.0, 14.0, 21.0, 30.0];

impl Puzzle {
    /// Length and effort as one number: the plies of the win, and two for each doubling of the solver's effort beyond
    /// a hundred positions.
    pub fn difficulty(&self) -> f64 {
        f64::from(self.plies) + 2.0 * (self.effort as f64 / 100.0).max(1.0).log2()
    }

    /// Its grade: 1 for the easiest to [`GRADES`].
    pub fn grade(&self) -> usize {
        let difficulty = self.difficulty();
        1 + BOUNDS.iter().filter(|bound| difficulty > **bound).count()
    }

    /// Whose win it is about: the side to move, or white where black has to escape.
    pub fn attacker(&self) -> Side {
        if self.kind == Kind::Escape { !self.setup.to_move } else { self.setup.to_move }
    }

    /// The stones as labels, in alternating order.
    pub fn stones(&self) -> String {
        let points: Vec<Point> = self.setup.stones.iter().map(|(point, _)| *point).collect();
        format_points(self.setup.size, &points)
    }

    /// A name that depends on the rule and the stones alone, whatever their order and the orientation of the board.
    pub fn id(&self) -> String {
        format!("{:016x}", fnv(&self.class()))
    }

    /// The same bytes for all images of the position, and different ones for other positions.
    pub fn class(&self) -> Vec<u8> {
        let size = self.setup.size;
        let image = |symmetry: &Symmetry| {
            let place = |(point, side): &(Point, Side)| {
                let image = symmetry.apply(size, *point);
                (image.y(), image.x(), *side == Side::White)
            };
            let mut stones: Vec<(u8, u8, bool)> = self.setup.stones.iter().map(place).collect();
            stones.sort_unstable();
            stones.into_iter().flat_map(|(y, x, white)| [y, x, u8::from(white)]).collect::<Vec<u8>>()
        };
        let smallest = Symmetry::of(size).iter().map(image).min().unwrap_or_default();
        let head = [self.rule as u8, size.width(), size.height(), u8::from(self.setup.to_move == Side::White)];
        [&head[..], &smallest].concat()
    }

    /// What the stone of the solution makes.
    pub fn shape(&self) -> Shape {
        let Ok(mut position) = Position::new(&self.setup, self.rule) else { return Shape::Quiet };
        let side = self.setup.to_move;
        let info = *position.info(self.solution);
        let lines = Direction::ALL.map(|direction| info.line(side, direction));
        let four = lines.iter().any(|class| class.is_four());
        let threes =
            if lines.iter().any(|class| class.is_open_three()) { position.open_threes(side, self.solution) } else { 0 };
        match (four, threes) {
            (true, 0) if info.class(side) != PointClass::FourThree => Shape::Four,
            (true, _) => Shape::FourThree,
            (false, 0) => Shape::Quiet,
            (false, 1) => Shape::Three,
            (false, _) => Shape::DoubleThree,
        }
    }
}

/// The 64-bit hash of Fowler, Noll and Vo (FNV-1a).
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A position whose stones alternate, black first, with the same stones; `None` if their numbers do not allow that.
pub fn in_turn(setup: &Setup) -> Option<Setup> {
    let of = |side: Side| setup.stones.iter().filter(move |(_, s)| *s == side).map(|(point, _)| *point);
    let (black, white) = (of(Side::Black).count(), of(Side::White).count());
    let alternate = match setup.to_move {
        Side::Black => black == white,
        Side::White => black == white + 1,
    };
    let mut white = of(Side::White);
    let points = of(Side::Black).flat_map(|point| [Some(point), white.next()]).flatten();
    (alternate && setup.blocked.is_empty()).then(|| Setup::from_moves(setup.size, points))
}

/// The puzzles that the program contains.
pub fn built_in() -> &'static [Puzzle] {
    static PUZZLES: OnceLock<Vec<Puzzle>> = OnceLock::new();
    // A test parses this text.
    PUZZLES.get_or_init(|| parse_puzzles(include_str!("puzzles.txt")).unwrap_or_default())
}

/// The boards of some puzzles, each once.
pub fn boards(puzzles: &[Puzzle]) -> Vec<(Rule, BoardSize)> {
    let mut boards = Vec::new();
    for board in puzzles.iter().map(|puzzle| (puzzle.rule, puzzle.setup.size)) {
        if !boards.contains(&board) {
            boards.push(board);
        }
    }
    boards
}
