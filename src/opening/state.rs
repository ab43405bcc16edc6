//! The state of an opening: the row of its table that is due.

use super::table::{Next, TableRow, Task, rows};
use super::{Area, Choice, OpeningRule, images};
use crate::board::{Cell, Point, Setup, Side};
use std::fmt;

/// A step of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A stone of the side to move; also the choice of an offered fifth move.
    Stone(Point),
    /// An answer.
    Choice(Choice),
    /// The number of fifth moves.
    Number(u8),
    /// A fifth move is offered. No stone is on the board yet.
    Offer(Point),
}

/// What has to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// A stone in an area.
    Stone(Area),
    /// One of [`Opening::choices`].
    Choice,
    /// The number of fifth moves.
    Number {
        /// The largest that may be declared; the smallest is 1.
        most: u8,
    },
    /// Fifth moves are to be offered.
    Offer {
        /// How many, in addition to those offered.
        left: u8,
    },
    /// A move: the opening is over.
    Move,
}

/// Why a step is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// Something else is due.
    NotDue,
    /// The point is not empty, or off the board.
    Occupied,
    /// The point is not in the area.
    OutOfArea(Area),
    /// The number is not from 1 to this.
    Number(u8),
    /// This fifth move was offered before, or an equal one by symmetry.
    Alike(Point),
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Illegal::NotDue => write!(f, "something else is due in the opening"),
            Illegal::Occupied => write!(f, "the point is not empty"),
            Illegal::OutOfArea(Area::Within(1)) => write!(f, "the stone belongs in the centre"),
            Illegal::OutOfArea(Area::Within(side)) => {
                write!(f, "the stone belongs within the central square of {side} by {side} points")
            }
            Illegal::OutOfArea(Area::Outside(side)) => {
                write!(f, "the stone belongs outside of the central square of {side} by {side} points")
            }
            Illegal::OutOfArea(Area::Offered | Area::Anywhere) => write!(f, "this move was not offered"),
            Illegal::Number(most) => write!(f, "the number of fifth moves is from 1 to {most}"),
            Illegal::Alike(_) => write!(f, "an equal move is offered already"),
        }
    }
}

impl std::error::Error for Illegal {}

/// An opening under way, or over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    rule: OpeningRule,
    /// The row that is due; past the last one when the opening is over.
    row: usize,
    declared: u8,
    offered: Vec<Point>,
    swapped: bool,
}

impl Opening {
    /// An opening before its first step.
    pub const fn new(rule: OpeningRule) -> Opening {
        Opening { rule, row: 0, declared: 0, offered: Vec::new(), swapped: false }
    }

    /// Its rule.
    pub const fn rule(&self) -> OpeningRule {
        self.rule
    }

    fn row(&self) -> Option<TableRow> {
        let (actor, task) = *rows(self.rule).get(self.row)?;
        match task {
            Task::Offer(_) if self.fifths() == 1 => Some((actor, Task::Place(Area::Anywhere))),
            _ => Some((actor, task)),
        }
    }

    /// The number of fifth moves by the rule, or as declared; 0 where the rule has none or none is declared yet.
    pub fn fifths(&self) -> u8 {
        let offers = rows(self.rule).iter().find_map(|(_, task)| match task {
            Task::Offer(number) => Some(*number),
            _ => None,
        });
        offers.map_or(0, |number| number.unwrap_or(self.declared))
    }

    /// What has to be done.
    pub fn due(&self) -> Due {
        match self.row().map(|(_, task)| task) {
            Some(Task::Place(area)) => Due::Stone(area),
            Some(Task::Choose(_)) => Due::Choice,
            Some(Task::Declare(most)) => Due::Number { most },
            Some(Task::Offer(_)) => Due::Offer { left: self.fifths().saturating_sub(self.offered.len() as u8) },
            None => Due::Move,
        }
    }

    /// Whether moves alternate from here on.
    pub fn is_over(&self) -> bool {
        self.row().is_none()
    }

    /// The side whose player acts; `to_move` is the colour of the next stone.
    pub fn actor(&self, to_move: Side) -> Side {
        self.row().map_or(to_move, |(actor, _)| actor)
    }

    /// The answers that are due.
    pub fn choices(&self) -> impl Iterator<Item = Choice> {
        self.ways().iter().map(|(choice, _)| *choice)
    }

    fn ways(&self) -> &'static [(Choice, Next)] {
        match self.row() {
            Some((_, Task::Choose(ways))) => ways,
            _ => &[],
        }
    }

    /// The fifth moves that are offered.
    pub fn offered(&self) -> &[Point] {
        &self.offered
    }

    /// Whether the players have the colours opposite to those at the start.
    pub const fn swapped(&self) -> bool {
        self.swapped
    }

    /// The points where a stone or an offer is legal now; none if something else is due.
    pub fn points(&self, setup: &Setup) -> Vec<Point> {
        let step =
            |point| if matches!(self.due(), Due::Offer { .. }) { Step::Offer(point) } else { Step::Stone(point) };
        setup.size.points().filter(|point| self.check(setup, step(*point)).is_ok()).collect()
    }

    /// Whether a step is legal; `setup` is the board.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&self, setup: &Setup, step: Step) -> Result<(), Illegal> {
        match (self.due(), step) {
            (Due::Stone(area), Step::Stone(point)) => {
                is_empty(setup, point)?;
                let inside = area.contains(setup.size, &self.offered, point);
                if inside { Ok(()) } else { Err(Illegal::OutOfArea(area)) }
            }
            (Due::Move, Step::Stone(point)) => is_empty(setup, point),
            (Due::Choice, Step::Choice(choice)) if self.choices().any(|due| due == choice) => Ok(()),
            (Due::Number { most }, Step::Number(number)) => {
                if (1..=most).contains(&number) {
                    Ok(())
                } else {
                    Err(Illegal::Number(most))
                }
            }
            (Due::Offer { .. }, Step::Offer(point)) => {
                is_empty(setup, point)?;
                let alike = images(setup, point).into_iter().find(|image| self.offered.contains(image));
                alike.map_or(Ok(()), |image| Err(Illegal::Alike(image)))
            }
            _ => Err(Illegal::NotDue),
        }
    }

    /// The opening after a step that is known to be legal on the board; `None` if another kind of step is due.
    #[must_use]
    pub fn after(&self, step: Step) -> Option<Opening> {
        let mut next = self.clone();
        match (self.due(), step) {
            (Due::Move, Step::Stone(_)) => {}
            (Due::Stone(_), Step::Stone(_)) => {
                // A single fifth move leaves out white's choice.
                let single = matches!(rows(self.rule).get(self.row), Some((_, Task::Offer(_))));
                next.row += 1 + usize::from(single);
            }
            (Due::Choice, Step::Choice(choice)) => {
                let (_, way) = self.ways().iter().find(|(due, _)| *due == choice)?;
                next.swapped ^= choice == Choice::Swap;
                next.row = match way {
                    Next::Row => self.row + 1,
                    Next::Skip(rows) => self.row + 1 + rows,
                    Next::End => rows(self.rule).len(),
                };
            }
            (Due::Number { most }, Step::Number(number)) if (1..=most).contains(&number) => {
                next.declared = number;
                next.row += 1;
            }
            (Due::Offer { left }, Step::Offer(point)) => {
                next.offered.push(point);
                next.row += usize::from(left <= 1);
            }
            _ => return None,
        }
        Some(next)
    }

    /// The opening given up: moves alternate from here on.
    #[must_use]
    pub fn ended(&self) -> Opening {
        Opening { row: rows(self.rule).len(), ..self.clone() }
    }

    /// Takes a step, and puts its stone on the board.
    ///
    /// # Errors
    /// If the step is not legal; nothing has changed then.
    pub fn take(&mut self, setup: &mut Setup, step: Step) -> Result<(), Illegal> {
        self.check(setup, step)?;
        *self = self.after(step).ok_or(Illegal::NotDue)?;
        if let Step::Stone(point) = step {
            setup.play(point);
        }
        Ok(())
    }
}

fn is_empty(setup: &Setup, point: Point) -> Result<(), Illegal> {
    let empty = setup.size.contains(point) && setup.cell(point) == Cell::Empty;
    if empty { Ok(()) } else { Err(Illegal::Occupied) }
}
