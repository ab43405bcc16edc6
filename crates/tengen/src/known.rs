//! The database of positions beside an analysis: proofs are taken from it, and what is found is stored in it.

use anyhow::Result;
use std::path::Path;
use tengen::engine::{Bound, Line, Point, Rule, Setup};
use tengen_analysis::load::Loaded;
use tengen_analysis::review::Review;
use tengen_database::{
    Database, Evaluation, Filter, SourceId, analysis_source, explore, losing_moves, proof, store, store_lines,
};

/// A database that an analysis uses.
pub struct Known {
    database: Database,
    source: SourceId,
}

impl Known {
    /// Opens a database for writing, and makes it if there is none.
    pub fn open(path: &Path) -> Result<Known> {
        let mut database = Database::create(path)?;
        let source = database.write(|changes| changes.own_source(&analysis_source()))?;
        Ok(Known { database, source })
    }

    /// What earlier searches of this engine proved: the line of a decided position with a known move, or the moves that
    /// lose.
    pub fn proven(&self, setup: &Setup, rule: Rule) -> Result<(Option<Line>, Vec<Point>)> {
        let view = self.database.view()?;
        let explored = explore(&view, setup, rule, &Filter::own(&view))?;
        let line = proof(&explored).and_then(|(evaluation, best)| {
            let Evaluation { score, depth, nodes, .. } = evaluation;
            Some(Line { pv_count: 1, score, depth, seldepth: depth, nodes, moves: vec![best?], ..Line::default() })
        });
        let losing = losing_moves(&explored);
        // One of them is the answer if there is no other.
        Ok((line, if losing.len() < setup.empty_cells() { losing } else { Vec::new() }))
    }

    /// Stores what an analysis found.
    pub fn store_lines(&mut self, setup: &Setup, rule: Rule, lines: &[Line]) -> Result<()> {
        let source = self.source;
        Ok(self.database.write(|changes| store_lines(changes, source, setup, rule, lines))?)
    }

    /// Stores the values of the positions before the judged moves of a review.
    pub fn store_review(&mut self, game: &Loaded, review: &Review) -> Result<()> {
        let source = self.source;
        let nodes = review.nodes / review.moves.len().max(1) as u64;
        Ok(self.database.write(|changes| {
            for judged in &review.moves {
                let Some(setup) = game.before(judged.number) else { continue };
                let better = judged.better.as_ref().and_then(|better| better.moves.first().copied());
                let best = better.or((judged.before == judged.after).then_some(judged.point));
                let evaluation = Evaluation { score: judged.before, bound: Bound::Exact, depth: 0, nodes };
                store(changes, source, &setup, review.game.rule, (evaluation, best))?;
            }
            Ok(())
        })?)
    }
}
