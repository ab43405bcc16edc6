//! Random games with many threats.

use crate::plain::Solver;
use crate::support::Random;
use tengen::board::{BoardSize, Cell, Direction, Grid, Point, Setup, Side};
use tengen::rules::{Rule, any_winner};

/// A game of two aggressive players: they extend their rows, block most fours, and rarely finish.
pub struct Brawl {
    random: Random,
    setup: Setup,
    rule: Rule,
}

impl Brawl {
    pub fn new(random: &mut Random, rule: Rule) -> Brawl {
        let sizes =
            [(7, 7), (8, 8), (9, 9), (10, 10), (11, 11), (13, 13), (15, 15), (15, 15), (7, 12), (20, 6), (5, 9)];
        let (width, height) = *random.pick(&sizes);
        let mut setup = Setup::empty(BoardSize::new(width, height).expect("a size"));
        if random.percent(15) {
            for _ in 0..random.range(1, 5) {
                let at = Point::at(random.below(width.into()) as u8, random.below(height.into()) as u8);
                if !setup.blocked.contains(&at) {
                    setup.blocked.push(at);
                }
            }
        }
        Brawl { random: Random::new(random.next()), setup, rule }
    }

    /// Plays one more stone; `None` when the game is over or the board is crowded.
    pub fn step(&mut self) -> Option<&Setup> {
        let us = self.setup.to_move;
        let cells = self.setup.size.cells();
        if self.setup.stones.len() * 10 > cells * 7 || self.setup.empty_cells() < 2 {
            return None;
        }
        let solver = Solver::new(&self.setup, self.rule);
        let legal = |p: &Point| solver.is_legal(*p, us);
        let ours = solver.winning_points(us);
        let theirs: Vec<Point> = solver.winning_points(!us).into_iter().filter(legal).collect();
        let at = if !theirs.is_empty() && self.random.percent(85) {
            *self.random.pick(&theirs)
        } else {
            (0..200).find_map(|_| self.propose(us).filter(|p| !ours.contains(p)).filter(legal))?
        };
        self.setup.play(at);
        any_winner(&Grid::from_setup(&self.setup), self.rule).is_none().then_some(&self.setup)
    }

    /// A cell in line with a stone of one side, or anywhere.
    fn propose(&mut self, us: Side) -> Option<Point> {
        let size = self.setup.size;
        let whose = if self.random.percent(75) { us } else { !us };
        let stones: Vec<Point> = self.setup.stones.iter().filter(|(_, s)| *s == whose).map(|(p, _)| *p).collect();
        let at = if stones.is_empty() || self.random.percent(4) {
            let (x, y) = (self.random.below(size.width().into()), self.random.below(size.height().into()));
            size.point(x as i32, y as i32)
        } else {
            let from = *self.random.pick(&stones);
            let (dx, dy) = self.random.pick(&Direction::ALL).step();
            let steps = *self.random.pick(&[-4, -3, -2, -2, -1, -1, -1, 1, 1, 1, 2, 2, 3, 4]);
            size.point(i32::from(from.x()) + steps * dx, i32::from(from.y()) + steps * dy)
        };
        at.filter(|p| self.setup.cell(*p) == Cell::Empty)
    }
}
