//! Drawn boards, and the output of `tengen analyze`, which begins with one.

use crate::error::{Problem, ReadError};
use crate::game::Record;
use crate::labels;
use crate::text::rule_of_text;
use tengen::board::{Diagram, DiagramError, Setup, Side};

/// The prefix of the line on which `tengen analyze` prints the moves of a game.
pub const MOVES: &str = "moves: ";

/// The prefix of the line before the drawing on which `tengen analyze` states an assumed rule.
pub const ASSUMED: &str = "rule assumed: ";

/// Whether a text may be a drawing: lines with one character a cell, and row numbers and column letters beside them.
pub(super) fn is_drawing(text: &str) -> bool {
    let text = without_assumed(text);
    let is_cells = |word: &&str| {
        // `15.X.O` is a row and its number; any character may be a mark.
        let row = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let cells = row.chars().filter(|c| ".XxOo#*+_-".contains(*c)).count();
        row.chars().count() <= 1 || 2 * cells >= row.chars().count()
    };
    let mut rows = text.lines().take_while(|line| !line.trim().is_empty()).peekable();
    rows.peek().is_some() && rows.all(|line| line.split_whitespace().all(|word| is_cells(&word)))
}

/// The text after the line that states an assumed rule.
fn without_assumed(text: &str) -> &str {
    match text.split_once('\n') {
        Some((first, rest)) if first.starts_with(ASSUMED) => rest,
        _ => text,
    }
}

/// Reads a drawing. In the output of `tengen analyze`, the line below the drawing gives the rule, the side to move and,
/// after a review, the moves.
pub(super) fn read(text: &str) -> Result<Record, ReadError> {
    let assumed = text.lines().next().and_then(|line| line.strip_prefix(ASSUMED)).map(str::trim);
    let text = without_assumed(text);
    let mut record = read_drawn(text)?;
    if let (Some(_), Some(doubt)) = (record.rule, assumed) {
        record.rule_doubt = Some(doubt.to_owned());
    }
    Ok(record)
}

fn read_drawn(text: &str) -> Result<Record, ReadError> {
    let drawing = |e: DiagramError| Problem::Drawing(e).somewhere();
    let line_of = |mark: &str| text.lines().find(|line| line.contains(mark));
    let printed = line_of(", move ").and_then(|line| {
        let (rule, rest) = line.split_once(", move ")?;
        let side = rest.split_once(", ")?.1.strip_suffix(" to move")?;
        Some((rule_of_text(rule)?, Side::from_name(side)?))
    });
    let Some((rule, to_move)) = printed else {
        let diagram: Diagram = text.parse().map_err(drawing)?;
        return Ok(Record::new(None, diagram.setup));
    };
    // The drawing ends at the first empty line.
    let head: String = text.lines().take_while(|line| !line.trim().is_empty()).flat_map(|l| [l, "\n"]).collect();
    let diagram: Diagram = head.parse().map_err(drawing)?;
    let moves = line_of(MOVES).and_then(|line| line.strip_prefix(MOVES));
    let Some(moves) = moves else {
        return Ok(Record::new(Some(rule), Setup { to_move, ..diagram.setup }));
    };
    let size = diagram.setup.size;
    Ok(Record { rule: Some(rule), ..labels::of_text(moves, size)? })
}
