//! A database beside searches: what is proven needs no search, and what searches find is stored.

use crate::entry::Evaluation;
use crate::error::Error;
use crate::explore::{Filter, explore, losing_moves, proof};
use crate::search::{analysis_source, store, store_children, store_lines};
use crate::source::SourceId;
use crate::store::{Changes, Database, View};
use std::path::Path;
use tengen::board::Setup;
use tengen::engine::{Bound, Line, Proven};
use tengen::rules::Rule;
use tengen_analysis::review::Review;

/// What this engine proved of a position, looking at the position, the moves from it, and the known replies to those.
///
/// Values of files count for nothing here. A win needs one move that wins, so it holds although few moves are known; a
/// loss holds only where a search of all moves said so.
///
/// # Errors
/// If the setup is not a position, or the database cannot be read.
pub fn proven(view: &View, setup: &Setup, rule: Rule) -> Result<Proven, Error> {
    let filter = Filter::own(view);
    let explored = explore(view, setup, rule, &filter)?;
    let line = proof(&explored).and_then(|(evaluation, best)| {
        let Evaluation { score, depth, nodes, .. } = evaluation;
        Some(Line { pv_count: 1, score, depth, seldepth: depth, nodes, moves: vec![best?], ..Line::default() })
    });
    let mut losing = losing_moves(&explored);
    for m in explored.moves.iter().filter(|m| !m.after.evaluation.is_some_and(|e| e.is_proof())) {
        let replies = explore(view, &setup.after(m.point), rule, &filter)?;
        if proof(&replies).is_some_and(|(evaluation, _)| evaluation.score.is_win()) {
            losing.extend(std::iter::once(m.point).chain(m.images.iter().copied()));
        }
    }
    Ok(Proven { line, losing: if losing.len() < setup.empty_cells() { losing } else { Vec::new() } })
}

/// A database that analyses and reviews write.
pub struct Known {
    database: Database,
    source: SourceId,
}

impl Known {
    /// Opens a database for writing, and makes it if there is none.
    ///
    /// # Errors
    /// As [`Database::create`].
    pub fn open(path: &Path) -> Result<Known, Error> {
        let mut database = Database::create(path)?;
        let source = database.write(|changes| changes.own_source(&analysis_source()))?;
        Ok(Known { database, source })
    }

    /// The database as it is now.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn view(&self) -> Result<View, Error> {
        self.database.view()
    }

    /// Changes the database; see [`Database::write`].
    ///
    /// # Errors
    /// As [`Database::write`].
    pub fn write<T>(&mut self, change: impl FnOnce(&mut Changes<'_>) -> Result<T, Error>) -> Result<T, Error> {
        self.database.write(change)
    }

    /// Stores what a search found. If it searched some of the moves only, that says nothing about the position itself.
    ///
    /// # Errors
    /// If the setup is not a position, or the database cannot be written.
    pub fn store_lines(&mut self, setup: &Setup, rule: Rule, lines: &[Line], is_of_all: bool) -> Result<(), Error> {
        let source = self.source;
        self.database.write(|changes| {
            if is_of_all {
                store_lines(changes, source, setup, rule, lines)
            } else {
                store_children(changes, source, setup, rule, lines)
            }
        })
    }

    /// Stores the values of the positions before the judged moves of a review.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn store_review(&mut self, review: &Review) -> Result<(), Error> {
        let source = self.source;
        let nodes = review.nodes / review.moves.len().max(1) as u64;
        self.database.write(|changes| {
            for judged in &review.moves {
                let Some(setup) = review.game.before(judged.number) else { continue };
                let better = judged.better.as_ref().and_then(|better| better.moves.first().copied());
                let best = better.or((judged.before == judged.after).then_some(judged.point));
                let evaluation = Evaluation { score: judged.before, bound: Bound::Exact, depth: 0, nodes };
                store(changes, source, &setup, review.game.rule, (evaluation, best))?;
            }
            Ok(())
        })
    }
}

/// How a database is open.
#[derive(Default)]
pub enum Access {
    /// Not at all.
    #[default]
    Closed,
    /// For reading.
    Reader(Database),
    /// For writing.
    Writer(Known),
}

impl Access {
    /// Opens a database, for writing or only for reading, and first closes what is open: its lock is free only then.
    /// After an error nothing is open.
    ///
    /// # Errors
    /// As [`Known::open`] and [`Database::open`].
    pub fn reopen(&mut self, path: &Path, writes: bool) -> Result<(), Error> {
        *self = Access::Closed;
        *self = if writes { Access::Writer(Known::open(path)?) } else { Access::Reader(Database::open(path)?) };
        Ok(())
    }

    /// The database as it is now; `None` if none is open.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn view(&self) -> Result<Option<View>, Error> {
        match self {
            Access::Closed => Ok(None),
            Access::Reader(database) => database.view().map(Some),
            Access::Writer(known) => known.view().map(Some),
        }
    }
}
