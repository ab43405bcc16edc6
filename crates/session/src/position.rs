//! The board at one node of a game: stones with their numbers, whether the game is over by its rule, and which moves
//! are legal.
//!
//! A game that is played here has only legal moves, but a file may contain anything: fouls, stones after the end,
//! passes, stones put and removed by hand. [`Setup::check`] always accepts the resulting position: stones on occupied
//! cells are left out.

use tengen::board::{Cell, Grid, Point, Setup, Side};
use tengen::rules::win::{any_winning_row, winning_row};
use tengen::rules::{Foul, Outcome, RowKind, Rule, foul};
use tengen_record::Node;

/// A stone on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its point.
    pub point: Point,
    /// Its colour.
    pub side: Side,
    /// Number of the move, from 1; 0 for a stone put by hand.
    pub number: usize,
}

/// Why a stone cannot be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// The game is over.
    Over,
    /// The cell is taken, blocked, or off the board.
    Occupied,
    /// It is forbidden for the side to move.
    Forbidden(Foul),
    /// An answer in the opening is due, not a stone.
    NoStone,
    /// The opening rule does not allow it.
    Opening(tengen::opening::Illegal),
}

/// A board, and the moves that led to it.
#[derive(Clone, Debug)]
pub struct Position {
    rule: Rule,
    grid: Grid,
    stones: Vec<Placed>,
    blocked: Vec<Point>,
    to_move: Side,
    moves: usize,
    ended: Option<Outcome>,
}

impl Position {
    /// The position before the first move.
    pub fn new(rule: Rule, start: &Setup) -> Position {
        let mut position = Position {
            rule,
            grid: Grid::new(start.size),
            stones: Vec::new(),
            blocked: Vec::new(),
            to_move: start.to_move,
            moves: 0,
            ended: None,
        };
        for point in &start.blocked {
            if position.grid.get(*point) == Cell::Empty {
                position.grid.set(*point, Cell::Blocked);
                position.blocked.push(*point);
            }
        }
        for (point, side) in &start.stones {
            position.put(*point, *side, 0);
        }
        position.ended = position.judge();
        position
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The cells.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The stones, oldest first.
    pub fn stones(&self) -> &[Placed] {
        &self.stones
    }

    /// Cells that neither side may use.
    pub fn blocked(&self) -> &[Point] {
        &self.blocked
    }

    /// The side of the next stone.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// The number of moves, including passes.
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// The result by the game's rule, if the game has ended.
    pub fn ended(&self) -> Option<&Outcome> {
        self.ended.as_ref()
    }

    /// The same position in the engine's form.
    pub fn setup(&self) -> Setup {
        Setup {
            size: self.grid.size(),
            stones: self.stones.iter().map(|stone| (stone.point, stone.side)).collect(),
            blocked: self.blocked.clone(),
            to_move: self.to_move,
        }
    }

    /// Whether the side to move may put a stone there.
    ///
    /// # Errors
    /// The reason why not.
    pub fn check(&self, point: Point) -> Result<(), Illegal> {
        if self.ended.is_some() {
            return Err(Illegal::Over);
        }
        if self.grid.get(point) != Cell::Empty {
            return Err(Illegal::Occupied);
        }
        self.foul(point, self.to_move).map_or(Ok(()), |foul| Err(Illegal::Forbidden(foul)))
    }

    /// Puts a stone of the side to move.
    ///
    /// # Errors
    /// If the stone is not allowed; the position is unchanged then.
    pub fn play(&mut self, point: Point) -> Result<(), Illegal> {
        self.check(point)?;
        self.apply(&Node { stone: Some((point, self.to_move)), ..Node::default() });
        Ok(())
    }

    /// Applies a node to the position before it, and checks whether the game has ended.
    pub fn apply(&mut self, node: &Node) {
        let foul = match (&self.ended, node.stone) {
            (None, Some((point, side))) => self.foul(point, side).map(|foul| Outcome::Foul { side, foul }),
            _ => None,
        };
        let before = self.ended.take();
        self.put_all(node);
        self.ended = match node.stone {
            // Removing stones may undo an end.
            _ if !node.edits.is_empty() => self.judge(),
            None => before,
            Some((point, side)) => before.or_else(|| self.judge_move(point, side, foul)),
        };
    }

    /// The same if the result after the node is known already.
    pub fn apply_known(&mut self, node: &Node, ended: Option<Outcome>) {
        self.put_all(node);
        self.ended = ended;
    }

    /// Points that are forbidden for black, also when white is to move.
    pub fn forbidden(&self) -> Vec<(Point, Foul)> {
        if self.rule.restricted_side().is_none() {
            return Vec::new();
        }
        self.grid.empty_points().filter_map(|point| Some((point, foul(&self.grid, point)?))).collect()
    }

    fn foul(&self, point: Point, side: Side) -> Option<Foul> {
        if self.rule.restricted_side() == Some(side) { foul(&self.grid, point) } else { None }
    }

    fn put_all(&mut self, node: &Node) {
        for (point, side) in &node.edits {
            if matches!(self.grid.get(*point), Cell::Stone(_)) {
                self.grid.set(*point, Cell::Empty);
                self.stones.retain(|stone| stone.point != *point);
            }
            if let Some(side) = side {
                self.put(*point, *side, 0);
            }
        }
        let mover = node.stone.map(|(_, side)| side).or(node.pass);
        self.moves += usize::from(mover.is_some());
        if let Some((point, side)) = node.stone {
            self.put(point, side, self.moves);
        }
        self.to_move = node.to_move.or(mover.map(|side| !side)).unwrap_or(self.to_move);
    }

    fn put(&mut self, point: Point, side: Side, number: usize) {
        if self.grid.get(point) == Cell::Empty {
            self.grid.set(point, Cell::Stone(side));
            self.stones.push(Placed { point, side, number });
        }
    }

    /// The result after a move, if the game had not ended before it.
    fn judge_move(&self, point: Point, side: Side, foul: Option<Outcome>) -> Option<Outcome> {
        match winning_row(&self.grid, self.rule, point) {
            Some(row) => Some(win(side, row)),
            None => foul.or_else(|| self.full()),
        }
    }

    /// The result from the stones alone.
    fn judge(&self) -> Option<Outcome> {
        any_winning_row(&self.grid, self.rule).map(|(side, row)| win(side, row)).or_else(|| self.full())
    }

    fn full(&self) -> Option<Outcome> {
        self.grid.empty_points().next().is_none().then_some(Outcome::Draw)
    }
}

fn win(side: Side, row: Vec<Point>) -> Outcome {
    let how = if row.len() > 5 { RowKind::Overline } else { RowKind::Five };
    Outcome::Win { side, row, how }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tengen::board::{BoardSize, parse_points};
    use tengen::rules::game::{Game, Status};

    fn size() -> BoardSize {
        BoardSize::RENJU
    }

    fn stone(label: &str, side: Side) -> Node {
        Node { stone: Some((parse_points(size(), label).unwrap()[0], side)), ..Node::default() }
    }

    #[test]
    fn a_foul_in_a_file_loses_and_stones_after_the_end_change_nothing() {
        let (b, w) = (Side::Black, Side::White);
        let mut position = Position::new(Rule::Renju, &Setup::empty(size()));
        // The fifth black stone makes two threes.
        for (label, side) in [("h8", b), ("a1", w), ("i8", b), ("a2", w), ("j9", b), ("a4", w), ("j10", b), ("a5", w)] {
            position.apply(&stone(label, side));
        }
        let j8 = parse_points(size(), "j8").unwrap()[0];
        assert_eq!(position.check(j8), Err(Illegal::Forbidden(Foul::DoubleThree)));
        assert!(position.forbidden().contains(&(j8, Foul::DoubleThree)));
        position.apply(&stone("j8", b));
        let lost = Outcome::Foul { side: b, foul: Foul::DoubleThree };
        assert_eq!(position.ended(), Some(&lost));
        for label in ["a3", "b1"] {
            position.apply(&stone(label, w));
        }
        assert_eq!((position.ended(), position.stones().len()), (Some(&lost), 11), "a five afterwards does not count");
        assert_eq!(position.check(parse_points(size(), "o15").unwrap()[0]), Err(Illegal::Over));
    }

    #[test]
    fn edits_put_and_take_stones_and_may_end_the_game_or_go_back_before_it() {
        let row = parse_points(size(), "a1b1c1d1e1").unwrap();
        let mut position = Position::new(Rule::Freestyle, &Setup::empty(size()));
        position.apply(&Node { edits: row.iter().map(|p| (*p, Some(Side::White))).collect(), ..Node::default() });
        assert_eq!(position.ended().and_then(Outcome::winner), Some(Side::White));
        position.apply(&Node { edits: vec![(row[2], None), (row[0], Some(Side::Black))], ..Node::default() });
        assert_eq!((position.ended(), position.stones().len(), position.moves()), (None, 4, 0));
        position.setup().check().unwrap();
        position.apply(&Node { pass: Some(Side::Black), ..Node::default() });
        assert_eq!((position.to_move(), position.moves()), (Side::White, 1));
    }

    proptest! {
        /// Legal games get the same result from the last move, from the stones, and from the referee.
        #[test]
        fn legal_games_end_as_the_referee_says(rule in prop::sample::select(&Rule::ALL[..]), seed in prop::collection::vec(any::<prop::sample::Index>(), 100)) {
            let small = BoardSize::new(7, 6).unwrap();
            let mut referee = Game::new(rule, small);
            let mut position = Position::new(rule, &Setup::empty(small));
            for index in seed {
                let empty: Vec<Point> = referee.grid().empty_points().collect();
                if empty.is_empty() { break; }
                let point = *index.get(&empty);
                let forbidden = referee.forbidden().contains(&point);
                prop_assert_eq!(matches!(position.check(point), Err(Illegal::Forbidden(_))), forbidden);
                if forbidden { continue; }
                let status = referee.play(point).unwrap();
                position.play(point).unwrap();
                prop_assert_eq!(position.setup(), referee.setup());
                prop_assert_eq!(position.ended(), referee.outcome());
                if status != Status::Running { break; }
            }
        }
    }
}
