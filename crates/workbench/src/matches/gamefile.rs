//! Games in the formats that boards read: SGF and Piskvork's .psq.

use super::record::{GameRecord, Header};
use super::referee::End;
use std::io::{self, Write};
use std::time::Duration;
use tengen::board::{BoardSize, BySide, Point, Setup};
use tengen_record::rule_code::rule_of_code;
use tengen_record::{Format, Record, Tree, write, write_sgf as sgf_text};

/// Writes games as an SGF collection, in the order given.
///
/// Comments contain the values that the engines reported: evaluation, depth, nodes and time.
///
/// # Errors
/// Errors of the writer.
pub fn write_sgf(out: &mut dyn Write, header: &Header, games: &[GameRecord]) -> io::Result<()> {
    for game in games {
        let mut record = record(header, game)?;
        record.tree.root_mut().properties.push(("GN".to_owned(), vec![format!("game {}", game.game + 1)]));
        record.tree.root_mut().comment = ending(header, game);
        let line = record.tree.main_line(Tree::ROOT);
        for (id, made) in line.into_iter().skip(game.opening.len()).zip(&game.moves) {
            if let Some(node) = record.tree.get_mut(id) {
                node.comment = comment(made);
            }
        }
        out.write_all(sgf_text(&record).as_bytes())?;
    }
    Ok(())
}

/// Writes one game in the format of Gomocup's publications: size, moves from 1 with milliseconds, names, result and
/// rule.
///
/// # Errors
/// Errors of the writer.
pub fn write_psq(out: &mut dyn Write, header: &Header, game: &GameRecord) -> io::Result<()> {
    let record = record(header, game)?;
    out.write_all(&write(&record, record.end(), Format::Psq).map_err(io::Error::other)?)
}

/// A game with its names, result and times.
///
/// # Errors
/// If its board is of no known size.
pub fn record(header: &Header, game: &GameRecord) -> io::Result<Record> {
    let name = |engine: usize| header.spec.engines[engine].name.clone();
    let event = &header.spec.events[game.event];
    let size = BoardSize::new(event.width, event.height);
    let size = size.ok_or_else(|| io::Error::other(format!("no board of {}x{}", event.width, event.height)))?;
    let points = game.stones().filter_map(|(x, y)| Point::new(x, y));
    let mut record = Record::from_moves(rule_of_code(event.rule), Setup::empty(size), points);
    record.names = BySide([name(game.black), name(game.white)]);
    record.result = Some(match game.winner {
        None => "0".to_owned(),
        Some(winner) => {
            let side = if winner == game.black { 'B' } else { 'W' };
            match game.end {
                End::Resign => format!("{side}+R"),
                End::Fault | End::Foul => format!("{side}+F"),
                End::Row | End::Full | End::DrawAfter | End::AgreedDraw => format!("{side}+"),
            }
        }
    });
    let line = record.tree.main_line(Tree::ROOT);
    for (id, made) in line.into_iter().skip(game.opening.len()).zip(&game.moves) {
        if let Some(node) = record.tree.get_mut(id) {
            node.time = Some(Duration::from_millis(made.ms.round() as u64));
        }
    }
    Ok(record)
}

/// How a game ended, as text.
pub fn ending(header: &Header, game: &GameRecord) -> String {
    let name = |engine: usize| header.spec.engines[engine].name.as_str();
    let fault = game.faults.iter().find(|f| f.lost);
    match (game.winner, fault) {
        (Some(winner), Some(f)) => {
            format!("{} wins: {} {}: {}", name(winner), name(f.engine), f.fault.kind, f.fault.detail)
        }
        (Some(winner), None) => format!("{} wins by {}", name(winner), game.end),
        (None, _) => format!("draw by {}", game.end),
    }
}

fn comment(m: &super::record::MoveRecord) -> String {
    let mut parts = Vec::new();
    if let Some(eval) = m.note.eval {
        parts.push(format!("eval {}", tengen::score::Score::from_raw(eval)));
    }
    if let Some(depth) = m.note.depth {
        parts.push(format!("depth {depth}"));
    }
    if let Some(nodes) = m.note.nodes {
        parts.push(format!("nodes {nodes}"));
    }
    parts.push(format!("{:.0} ms", m.ms));
    parts.join(", ")
}
