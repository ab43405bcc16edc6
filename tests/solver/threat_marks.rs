//! The threats displayed to people match a slow definition on plain cells.

use crate::support::{Clusters, Random, renju_vectors};
use tengen::board::{Cell, Diagram, Direction, Grid, Point, Setup, Side, format_point};
use tengen::engine::{ThreatKind, threats};
use tengen::rules::{Rule, renju, wins_through};

/// Cells of a line that may affect a five through its middle.
const REACH: i32 = 5;

/// A board on which stones are tried.
struct Slow {
    grid: Grid,
    rule: Rule,
    side: Side,
}

impl Slow {
    fn with<T>(&mut self, point: Point, cell: Cell, look: impl FnOnce(&mut Slow) -> T) -> T {
        self.grid.set(point, cell);
        let seen = look(self);
        self.grid.set(point, Cell::Empty);
        seen
    }

    fn own<T>(&mut self, point: Point, look: impl FnOnce(&mut Slow) -> T) -> T {
        self.with(point, Cell::Stone(self.side), look)
    }

    /// Empty cells of a line.
    fn cells(&self, point: Point, direction: Direction) -> Vec<Point> {
        let cells = (-REACH..=REACH).filter_map(|k| self.grid.step(point, direction, k));
        cells.filter(|p| self.grid.get(*p) == Cell::Empty).collect()
    }

    fn is_legal(&self, point: Point) -> bool {
        self.rule.restricted_side() != Some(self.side) || renju::foul(&self.grid, point).is_none()
    }

    /// Whether the stone has a winning row on one line.
    fn wins(&self, stone: Point, direction: Direction) -> bool {
        let wins = |run: tengen::board::Run| self.rule.line_rule(run.side).wins(run.length(), run.held_ends());
        self.grid.run(stone, direction).is_some_and(wins)
    }

    /// Whether one more stone on the line makes a five with this one.
    fn is_four(&mut self, stone: Point, direction: Direction) -> bool {
        self.cells(stone, direction).into_iter().any(|p| self.own(p, |slow| slow.wins(stone, direction)))
    }

    /// Whether it does so after any reply on the line.
    fn is_open_four(&mut self, stone: Point, direction: Direction) -> bool {
        let reply = Cell::Stone(!self.side);
        let cells = self.cells(stone, direction);
        self.is_four(stone, direction)
            && cells.into_iter().all(|p| self.with(p, reply, |slow| slow.is_four(stone, direction)))
    }

    /// Whether one more legal stone makes an open four with this one.
    fn is_three(&mut self, stone: Point, direction: Direction) -> bool {
        let restricted = self.rule.restricted_side() == Some(self.side);
        self.cells(stone, direction).into_iter().any(|p| {
            let legal = self.is_legal(p);
            legal
                && self.own(p, |slow| {
                    let five = restricted && wins_through(&slow.grid, slow.rule, p);
                    let joined = slow.grid.run(stone, direction).is_some_and(|run| run.length() < 5);
                    !five && joined && slow.is_open_four(stone, direction)
                })
        })
    }

    fn kind(&mut self, point: Point) -> Option<ThreatKind> {
        if self.own(point, |slow| wins_through(&slow.grid, slow.rule, point)) {
            return Some(ThreatKind::Five);
        }
        if !self.is_legal(point) {
            return None;
        }
        self.own(point, |slow| {
            let count = |slow: &mut Slow, is: fn(&mut Slow, Point, Direction) -> bool| {
                Direction::ALL.into_iter().filter(|d| is(slow, point, *d)).count()
            };
            let (fours, open) = (count(slow, Slow::is_four), count(slow, Slow::is_open_four));
            // A line with a four has no three.
            let three = Direction::ALL.into_iter().any(|d| !slow.is_four(point, d) && slow.is_three(point, d));
            match fours {
                0 => three.then_some(ThreatKind::Three),
                1 if open == 0 && !three => Some(ThreatKind::Four),
                _ => Some(ThreatKind::OpenFour),
            }
        })
    }
}

/// Compares one position and counts the threats.
fn compare(setup: &Setup, rule: Rule, counts: &mut [usize; 4]) {
    let found = threats(setup, rule);
    let grid = Grid::from_setup(setup);
    for side in Side::BOTH {
        let mut slow = Slow { grid: grid.clone(), rule, side };
        for point in grid.empty_points() {
            let told = found.iter().find(|t| (t.point, t.side) == (point, side)).map(|t| t.kind);
            let expected = slow.kind(point);
            let name = format_point(setup.size, point);
            let drawn = Diagram::new(setup.clone()).with_coordinates();
            assert_eq!(told, expected, "{rule}: {} on {name}\n{drawn}", side.name());
            if let Some(kind) = told {
                counts[kind as usize] += 1;
            }
        }
    }
    let mut order: Vec<(Point, Side)> = found.iter().map(|t| (t.point, t.side)).collect();
    order.dedup();
    assert_eq!(order.len(), found.len(), "no point twice for a side");
}

#[test]
fn threats_are_what_a_slow_definition_says() {
    let mut random = Random::new(17);
    for rule in Rule::ALL {
        let mut counts = [0; 4];
        for _ in 0..60 {
            compare(&Clusters::all_sizes().position(&mut random), rule, &mut counts);
        }
        println!("{rule}: {counts:?}");
        assert!(counts.iter().all(|n| *n > 50), "{rule}: {counts:?}");
    }
}

#[test]
fn forbidden_points_are_no_threats() {
    let mut counts = [0; 4];
    for vector in renju_vectors().iter().step_by(9) {
        let found = threats(&vector.setup, Rule::Renju);
        let forbidden = |t: &&tengen::engine::Threat| t.side == Side::Black && vector.forbidden.contains(&t.point);
        assert_eq!(found.iter().find(forbidden), None, "{}", vector.tag);
        compare(&vector.setup, Rule::Renju, &mut counts);
    }
}
