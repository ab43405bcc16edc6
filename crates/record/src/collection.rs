//! Several games of one file: those that were read, and those that were skipped.

use crate::error::{Problem, ReadError};
use crate::game::Record;
use crate::limits::{MAX_GAMES, MAX_NODES, MAX_VALUES};
use crate::tree::Tree;

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collection {
    /// The games that were read, each with its number in the file, from 1.
    pub games: Vec<(usize, Record)>,
    /// Number of games in the file, including those that were skipped.
    pub count: usize,
    /// Warnings about the file as a whole, and skipped games with the reasons; each is a sentence for people.
    pub warnings: Vec<String>,
}

/// Maximum of unreadable games that are reported one by one.
const MAX_REPORTED: usize = 20;

/// What was read of a file whose games were passed on one by one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visited {
    /// Number of games in the file, including those that were skipped.
    pub count: usize,
    /// Number of games that were passed on.
    pub read: usize,
    /// Warnings about the file as a whole, and skipped games with the reasons; each is a sentence for people.
    pub warnings: Vec<String>,
}

/// Takes a game with its number, from 1; false ends the reading.
pub(super) type Visitor<'a> = &'a mut dyn FnMut(usize, Record) -> bool;

/// Collects the games of a file while its reader finds them, or passes them on.
pub(super) struct Reading<'a> {
    /// The number of the one game to read; `None` reads all.
    only: Option<usize>,
    visitor: Option<Visitor<'a>>,
    /// Whether the visitor wants no more games.
    is_over: bool,
    games: Vec<(usize, Record)>,
    /// Number of games read.
    read: usize,
    count: usize,
    pub warnings: Vec<String>,
    /// Errors of games, with the games' numbers.
    faults: Vec<ReadError>,
    /// Nodes and values that the file may still use.
    left: usize,
    values: usize,
    /// The first game that was skipped because of a limit on the file.
    full: Option<(usize, Problem)>,
}

impl<'a> Reading<'a> {
    /// Starts a file, of which all games or only one are read.
    pub fn new(only: Option<usize>) -> Reading<'a> {
        Reading {
            only,
            visitor: None,
            is_over: false,
            games: Vec::new(),
            read: 0,
            count: 0,
            warnings: Vec::new(),
            faults: Vec::new(),
            left: MAX_NODES,
            values: MAX_VALUES,
            full: None,
        }
    }

    /// Starts a file whose games are passed on. Only the limits on a single game hold, since no game is kept.
    pub fn visiting(visitor: Visitor<'a>) -> Reading<'a> {
        Reading { visitor: Some(visitor), ..Reading::new(None) }
    }

    /// Takes the next game and reads it if it was requested. The reader receives the number of nodes and values it may
    /// use.
    pub fn game(&mut self, read: impl FnOnce(usize, usize) -> Result<Record, ReadError>) {
        self.count += 1;
        let number = self.count;
        if self.only.is_some_and(|only| only != number) || self.full.is_some() || self.is_over {
            return;
        }
        if self.games.len() >= MAX_GAMES {
            self.full = Some((number, Problem::TooManyGames));
            return;
        }
        match read(self.left, self.values) {
            Ok(record) => {
                self.read += 1;
                if let Some(visitor) = &mut self.visitor {
                    self.is_over = !visitor(number, record);
                    return;
                }
                self.left = self.left.saturating_sub(record.tree.len());
                self.values = self.values.saturating_sub(values_of(&record));
                self.games.push((number, record));
            }
            // The game alone would have fitted.
            Err(ReadError { problem: problem @ Problem::TooManyNodes, .. }) if self.left < Tree::MAX_NODES => {
                self.full = Some((number, problem));
            }
            Err(ReadError { problem: problem @ Problem::TooManyValues, .. }) if self.values < MAX_VALUES => {
                self.full = Some((number, problem));
            }
            Err(error) => self.faults.push(ReadError { game: Some(number), ..error }),
        }
    }

    /// Takes a file with one game.
    pub fn single(&mut self, game: impl FnOnce() -> Result<Record, ReadError>) {
        self.game(|_, _| game());
    }

    /// The result. An error if no game could be read, or if the requested game could not.
    pub fn end(mut self) -> Result<Collection, ReadError> {
        self.warn()?;
        Ok(Collection { games: self.games, count: self.count, warnings: self.warnings })
    }

    /// The result if the games were passed on; an error if there was none.
    pub fn visited(mut self) -> Result<Visited, ReadError> {
        self.warn()?;
        Ok(Visited { count: self.count, read: self.read, warnings: self.warnings })
    }

    /// Adds the warnings about skipped games. An error if no game could be read.
    fn warn(&mut self) -> Result<(), ReadError> {
        if self.read == 0 {
            if let Some(fault) = self.faults.first() {
                return Err(ReadError { game: fault.game.filter(|_| self.count > 1), ..fault.clone() });
            }
            if let Some((number, problem)) = &self.full {
                let (number, problem) = (*number, problem.clone());
                return Err(ReadError { game: Some(number), ..problem.somewhere() });
            }
            if self.count == 0 {
                return Err(Problem::Unknown.somewhere());
            }
        }
        for fault in self.faults.iter().take(MAX_REPORTED) {
            self.warnings.push(format!("{fault}: the game is left out"));
        }
        if let Some(more) = self.faults.len().checked_sub(MAX_REPORTED).filter(|more| *more > 0) {
            self.warnings.push(format!("{more} more games cannot be read and are left out"));
        }
        if let Some((number, problem)) = &self.full {
            let count = self.count;
            self.warnings.push(format!("{problem}: of {count} games, those from game {number} on are left out"));
        }
        Ok(())
    }
}

/// Property values that a record stores.
fn values_of(record: &Record) -> usize {
    let nodes = record.tree.ids().filter_map(|id| record.tree.get(id));
    nodes.map(|node| node.marks.len() + node.properties.iter().map(|(_, values)| values.len()).sum::<usize>()).sum()
}
