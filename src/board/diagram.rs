//! Text diagrams of positions: drawing and reading.
//!
//! One character for each cell: `X` black, `O` white, `.` empty, `#` blocked; a lower-case `x` or `o` is the stone
//! played last; any other printable character except a digit marks an empty cell (a forbidden point, an expected
//! move). With coordinates, every row begins with its number and a line of column letters stands below:
//!
//! ```text
//! 6 . . . . . . .
//! 5 . . X . . . .
//! 4 . * X O . . .
//! 3 . . . o . . .
//! 2 . . . . . . .
//! 1 . . . . . # .
//!   a b c d e f g
//! ```

use super::label::column_letter;
use super::{BoardSize, Cell, Grid, Point, Setup, Side};
use std::fmt;
use std::str::FromStr;

/// A position to be drawn, or read from a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The position. Reading invents an order of the stones: black and white alternate, each from the top left, and the
    /// stone played last is at the end; the other side moves next. Without such a stone, black moves next unless black
    /// has more stones.
    pub setup: Setup,
    /// The stone played last, drawn in lower case.
    pub last: Option<Point>,
    /// Marks on empty cells, row by row from the top left when read. Marks on other cells are not drawn.
    pub marks: Vec<(Point, char)>,
    /// Whether row numbers and column letters are drawn.
    pub coordinates: bool,
}

impl Diagram {
    /// The customary mark of a forbidden point.
    pub const FORBIDDEN: char = '*';

    /// A drawing of a position: stones and blocked cells only.
    pub fn new(setup: Setup) -> Diagram {
        Diagram { setup, last: None, marks: Vec::new(), coordinates: false }
    }

    /// Draws the newest stone in lower case.
    #[must_use]
    pub fn with_last(mut self) -> Diagram {
        self.last = self.setup.stones.last().map(|(point, _)| *point);
        self
    }

    /// Draws row numbers and column letters.
    #[must_use]
    pub fn with_coordinates(mut self) -> Diagram {
        self.coordinates = true;
        self
    }

    /// Marks empty cells with a character that has no other meaning (see the module's documentation).
    #[must_use]
    pub fn with_marks(mut self, mark: char, points: impl IntoIterator<Item = Point>) -> Diagram {
        self.marks.extend(points.into_iter().map(|point| (point, mark)));
        self
    }

    /// Points with this mark.
    pub fn marked(&self, mark: char) -> Vec<Point> {
        self.marks.iter().filter(|(_, m)| *m == mark).map(|(point, _)| *point).collect()
    }
}

/// Why a text is not a drawing of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramError {
    /// Rows of these two lengths.
    Ragged(usize, usize),
    /// This number of columns and rows is not supported.
    Size(usize, usize),
    /// This character does not stand for a cell.
    Unknown(char),
    /// More than one stone is drawn as the last.
    TwoLast,
}

impl fmt::Display for DiagramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiagramError::Ragged(first, other) => write!(f, "a row of {other} cells among rows of {first}"),
            DiagramError::Size(width, height) => write!(f, "a board of {width}x{height} is not supported"),
            DiagramError::Unknown(c) => write!(f, "{c:?} is no cell"),
            DiagramError::TwoLast => write!(f, "two stones are drawn as the last one"),
        }
    }
}

impl std::error::Error for DiagramError {}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.setup.size;
        let grid = Grid::from_setup(&self.setup);
        for y in 0..size.height() {
            if self.coordinates {
                write!(f, "{:>2}", size.height() - y)?;
            }
            for x in 0..size.width() {
                let blank = if x > 0 || self.coordinates { " " } else { "" };
                write!(f, "{blank}{}", self.symbol(&grid, Point::at(x, y)))?;
            }
            writeln!(f)?;
        }
        if self.coordinates {
            write!(f, "  ")?;
            for x in 0..size.width() {
                write!(f, " {}", column_letter(x))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Diagram {
    fn symbol(&self, grid: &Grid, point: Point) -> char {
        match (grid.get(point), self.last == Some(point)) {
            (Cell::Stone(Side::Black), false) => 'X',
            (Cell::Stone(Side::Black), true) => 'x',
            (Cell::Stone(Side::White), false) => 'O',
            (Cell::Stone(Side::White), true) => 'o',
            (Cell::Blocked, _) => '#',
            (Cell::Empty, _) => self.marks.iter().find(|(p, _)| *p == point).map_or('.', |(_, mark)| *mark),
        }
    }
}

/// Reads what `Display` writes, with coordinates or without; blanks between cells and empty lines do not matter.
impl FromStr for Diagram {
    type Err = DiagramError;

    fn from_str(text: &str) -> Result<Diagram, DiagramError> {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let numbered = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
        let coordinates = lines.iter().any(numbered);
        let rows: Vec<Vec<char>> = lines
            .into_iter()
            .filter(|line| !coordinates || numbered(line)) // drops the lines of column letters
            .map(|line| line.trim_start_matches(|c: char| c.is_ascii_digit()))
            .map(|line| line.chars().filter(|c| !c.is_whitespace()).collect())
            .collect();
        let (width, height) = (rows.first().map_or(0, Vec::len), rows.len());
        if let Some(row) = rows.iter().find(|row| row.len() != width) {
            return Err(DiagramError::Ragged(width, row.len()));
        }
        let size = match (u8::try_from(width), u8::try_from(height)) {
            (Ok(w), Ok(h)) => BoardSize::new(w, h),
            _ => None,
        };
        let size = size.ok_or(DiagramError::Size(width, height))?;
        let mut diagram = read_cells(size, rows.into_iter().flatten())?;
        diagram.coordinates = coordinates;
        Ok(diagram)
    }
}

/// A diagram from the characters of a board's cells, in the order of [`BoardSize::points`].
fn read_cells(size: BoardSize, symbols: impl Iterator<Item = char>) -> Result<Diagram, DiagramError> {
    let mut diagram = Diagram::new(Setup::empty(size));
    let mut stones = [Vec::new(), Vec::new()];
    let mut last = None;
    for (point, symbol) in size.points().zip(symbols) {
        let side = if matches!(symbol, 'X' | 'x') { Side::Black } else { Side::White };
        match symbol {
            '.' => {}
            '#' => diagram.setup.blocked.push(point),
            'X' | 'O' => stones[side.index()].push((point, side)),
            'x' | 'o' if last.is_none() => last = Some((point, side)),
            'x' | 'o' => return Err(DiagramError::TwoLast),
            c if c.is_ascii_graphic() && !c.is_ascii_digit() => diagram.marks.push((point, c)),
            c => return Err(DiagramError::Unknown(c)),
        }
    }
    let [black, white] = stones;
    let more_black = black.len() > white.len();
    let pairs = black.len().max(white.len());
    let by_turns = (0..pairs).flat_map(|i| [black.get(i), white.get(i)]).flatten();
    diagram.setup.stones = by_turns.copied().chain(last).collect();
    diagram.last = last.map(|(point, _)| point);
    diagram.setup.to_move = match last {
        Some((_, side)) => !side,
        None if more_black => Side::White,
        None => Side::Black,
    };
    Ok(diagram)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: &str = " 6 . . . . . . .
 5 . . X . . . .
 4 . * X O . ? .
 3 . . . o . . .
 2 . . . . . . .
 1 . . . . . # .
   a b c d e f g
";

    #[test]
    fn read_and_drawn_again() {
        let diagram: Diagram = PICTURE.parse().unwrap();
        assert_eq!(diagram.setup.size, BoardSize::new(7, 6).unwrap());
        let stones = [(2, 1, Side::Black), (3, 2, Side::White), (2, 2, Side::Black), (3, 3, Side::White)];
        assert_eq!(diagram.setup.stones, stones.map(|(x, y, side)| (Point::at(x, y), side)));
        assert_eq!(diagram.setup.blocked, [Point::at(5, 5)]);
        assert_eq!(diagram.setup.to_move, Side::Black);
        assert_eq!(diagram.marked(Diagram::FORBIDDEN), [Point::at(1, 2)]);
        assert_eq!(diagram.marked('?'), [Point::at(5, 2)]);
        assert_eq!(diagram.to_string(), PICTURE);

        let plain = Diagram { coordinates: false, ..diagram };
        assert!(plain.to_string().starts_with(". . . . . . .\n. . X . . . .\n"));
        assert_eq!(plain.to_string().parse::<Diagram>(), Ok(plain));
    }

    #[test]
    fn column_letters_are_no_stones() {
        let size = BoardSize::new(25, 25).unwrap();
        let setup = Setup::from_moves(size, [Point::at(0, 0), Point::at(24, 24), Point::at(24, 0)]);
        let diagram = Diagram::new(setup.clone()).with_last().with_coordinates();
        let read: Diagram = diagram.to_string().parse().unwrap();
        assert_eq!(read, diagram);
        assert_eq!(read.setup, setup);
    }

    #[test]
    fn drawn_with_marks() {
        let setup = Setup::from_moves(BoardSize::new(5, 5).unwrap(), [Point::at(2, 2)]);
        let drawn = Diagram::new(setup).with_marks('*', [Point::at(0, 0), Point::at(2, 2)]).to_string();
        assert_eq!(drawn, "* . . . .\n. . . . .\n. . X . .\n. . . . .\n. . . . .\n");
    }

    #[test]
    fn side_to_move_without_a_last_stone() {
        let to_move = |row: &str| {
            let text = format!("{row}\n{}", ".....\n".repeat(4));
            text.parse::<Diagram>().unwrap().setup.to_move
        };
        assert_eq!(to_move("....."), Side::Black);
        assert_eq!(to_move("X...."), Side::White);
        assert_eq!(to_move("XO..."), Side::Black);
        assert_eq!(to_move("XOO.."), Side::Black);
        assert_eq!(to_move("XOOx."), Side::White);
    }

    #[test]
    fn bad_pictures_are_errors() {
        let read = |text: &str| text.parse::<Diagram>().unwrap_err();
        assert_eq!(read(""), DiagramError::Size(0, 0));
        assert_eq!(read("....\n....\n....\n....\n"), DiagramError::Size(4, 4));
        assert_eq!(read(&"x".repeat(300)), DiagramError::Size(300, 1));
        assert_eq!(read(".....\n......\n"), DiagramError::Ragged(5, 6));
        assert_eq!(read(".....\n..é..\n.....\n.....\n.....\n"), DiagramError::Unknown('é'));
        assert_eq!(read("..x..\n..o..\n.....\n.....\n.....\n"), DiagramError::TwoLast);
    }
}
