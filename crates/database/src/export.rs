//! Exports: the positions that can be reached from one become the tree of a record.

use crate::entry::Evaluation;
use crate::error::Error;
use crate::explore::{Filter, Summary, explore};
use crate::key::{Key, Place};
use crate::store::View;
use std::collections::HashSet;
use tengen::board::{Setup, Side};
use tengen::rules::Rule;
use tengen_record::{NodeId, Record, Tree, Value};

/// What an export holds, and whether that is everything.
#[derive(Clone, Debug)]
pub struct Export {
    /// The tree. A position that several moves lead to has its continuation at the first of them.
    pub record: Record,
    /// Positions in it.
    pub positions: usize,
    /// Whether positions were left out, because the tree would have been too large.
    pub is_cut: bool,
}

/// The known positions from a position on, up to `most`.
///
/// # Errors
/// If the setup is not a position, or the database cannot be read.
pub fn export(view: &View, setup: &Setup, rule: Rule, filter: &Filter, most: usize) -> Result<Export, Error> {
    let mut record = Record::new(Some(rule), setup.clone());
    let mut seen: HashSet<Key> = HashSet::from([Place::of(setup, rule)?.key]);
    // Breadth first, so that a cut leaves out the deepest positions.
    let mut level = vec![(Tree::ROOT, setup.clone())];
    let mut is_cut = false;
    while !level.is_empty() {
        let mut next = Vec::new();
        for (id, setup) in level {
            let found = explore(view, &setup, rule, filter)?;
            describe(&mut record, id, &found.position, setup.to_move);
            for known in found.moves {
                if record.tree.len() >= most {
                    is_cut = true;
                    break;
                }
                let child = record.tree.add(id, known.point, setup.to_move);
                let after = setup.after(known.point);
                if seen.insert(Place::of(&after, rule)?.key) {
                    next.push((child, after));
                } else {
                    // Its continuation stands elsewhere in the tree.
                    describe(&mut record, child, &known.after, after.to_move);
                }
            }
        }
        level = next;
    }
    Ok(Export { positions: record.tree.len(), record, is_cut })
}

/// Writes what is known of a position to its node.
fn describe(record: &mut Record, id: NodeId, summary: &Summary, to_move: Side) {
    let Some(node) = record.tree.get_mut(id) else { return };
    let counts = summary.counts;
    let mut lines: Vec<String> = summary.texts.iter().map(|(_, text)| text.clone()).collect();
    if counts.games > 0 {
        let (black, white, draws) = (counts.black, counts.white, counts.draws);
        lines.push(format!("games {}: black {black}, white {white}, draws {draws}", counts.games));
    }
    node.comment = lines.join("\n");
    node.marks = summary.marks.clone();
    node.value = summary.evaluation.map(|evaluation| value(evaluation, to_move, summary.best));
}

fn value(evaluation: Evaluation, to_move: Side, best: Option<tengen::board::Point>) -> Value {
    let score = if to_move == Side::Black { evaluation.score } else { -evaluation.score };
    let winner = if score.is_win() { Side::Black } else { Side::White };
    let mate = score.distance().map(|plies| (winner, plies.unsigned_abs()));
    Value {
        win_rate: score.win_rate(),
        score: if mate.is_none() { Some(score.raw()) } else { None },
        mate,
        depth: evaluation.depth,
        nodes: evaluation.nodes,
        line: best.into_iter().collect(),
    }
}
