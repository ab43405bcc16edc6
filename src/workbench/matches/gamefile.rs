//! Games in the forms that boards read: SGF and Piskvork's .psq.

use super::record::{GameRecord, Header};
use super::referee::End;
use crate::board::Point;
use crate::workbench::sgf_text::{escape, sgf_letters};
use std::io::{self, Write};

/// Writes games as an SGF collection, in the order given.
///
/// Comments carry what the engines told: evaluation, depth, nodes and time.
///
/// # Errors
/// What the writer says.
pub fn write_sgf(out: &mut dyn Write, header: &Header, games: &[GameRecord]) -> io::Result<()> {
    for game in games {
        let name = |engine: usize| escape(&header.spec.engines[engine].name);
        let event = &header.spec.events[game.event];
        let (width, height) = (event.width, event.height);
        let size = if width == height { format!("{width}") } else { format!("{width}:{height}") };
        let result = match game.winner {
            None => "0".to_owned(),
            Some(winner) => {
                let side = if winner == game.black { 'B' } else { 'W' };
                match game.end {
                    End::Resign => format!("{side}+R"),
                    End::Fault | End::Foul => format!("{side}+F"),
                    End::Row | End::Full | End::DrawAfter | End::AgreedDraw => format!("{side}+"),
                }
            }
        };
        write!(
            out,
            "(;FF[4]GM[4]CA[UTF-8]AP[Tengen:{}]SZ[{size}]GN[game {}]RU[{}]PB[{}]PW[{}]RE[{result}]C[{}]",
            env!("CARGO_PKG_VERSION"),
            game.game + 1,
            event.rule_name(),
            name(game.black),
            name(game.white),
            escape(&ending(header, game))
        )?;
        let comments = game.opening.iter().map(|_| String::new()).chain(game.moves.iter().map(comment));
        for (i, ((x, y), comment)) in game.stones().zip(comments).enumerate() {
            let colour = if i % 2 == 0 { 'B' } else { 'W' };
            write!(out, "\n;{colour}[{}]", sgf_letters(Point::at(x, y)))?;
            if !comment.is_empty() {
                write!(out, "C[{}]", escape(&comment))?;
            }
        }
        writeln!(out, "\n)")?;
    }
    Ok(())
}

/// Writes one game as Gomocup publishes them: size, moves from 1 with milliseconds, names, result and rule.
///
/// # Errors
/// What the writer says.
pub fn write_psq(out: &mut dyn Write, header: &Header, game: &GameRecord) -> io::Result<()> {
    let event = &header.spec.events[game.event];
    // Piskvork takes the two numbers for the levels of its players, and the last for "the second player began".
    write!(out, "Piskvorky {}x{}, 11:11, 0\r\n", event.width, event.height)?;
    let times = game.opening.iter().map(|_| 0).chain(game.moves.iter().map(|m| m.ms.round() as u64));
    for ((x, y), ms) in game.stones().zip(times) {
        write!(out, "{},{},{ms}\r\n", x + 1, y + 1)?;
    }
    let name = |engine: usize| &header.spec.engines[engine].name;
    let winner = match game.winner {
        None => 0,
        Some(winner) if winner == game.black => 1,
        Some(_) => 2,
    };
    write!(out, "{}\r\n{}\r\n-1\r\n{winner},{}\r\n", name(game.black), name(game.white), event.rule_name())
}

/// How a game ended, in words.
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
        parts.push(format!("eval {}", crate::score::Score::from_raw(eval)));
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
