//! Drawn boards, and what `tengen analyze` prints, which begins with one.

use super::error::{Problem, ReadError};
use super::game::Record;
use super::labels::of_moves;
use super::text::rule_of_text;
use crate::board::{Diagram, DiagramError, Setup, Side, parse_points};

/// What the line begins with on which `tengen analyze` prints the moves of a game.
pub const MOVES: &str = "moves: ";

/// Reads a drawing. Where it is the beginning of `tengen analyze`'s output, the line below it tells the rule, the
/// side to move and, after a review, the moves.
pub(super) fn read(text: &str) -> Result<Record, ReadError> {
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
    let moves = parse_points(size, moves).map_err(|e| Problem::Label(e).somewhere())?;
    Ok(Record { rule: Some(rule), ..of_moves(size, moves)? })
}
