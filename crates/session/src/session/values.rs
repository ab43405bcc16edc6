//! Values of positions: the results of workers, as the tree stores them and as clients see them.

use crate::game::Game;
use crate::value;
use crate::view::{Event, ReviewState};
use tengen::board::{Point, Side};
use tengen::engine::{Line, Verdict};
use tengen_record::{NodeId, Tree, Value};

/// A value with the expected moves from its position, as the tree stores it.
fn with_line(value: &Value, line: &[Point]) -> Value {
    Value { line: line.to_vec(), ..value.clone() }
}

/// A value without the expected moves, as a state shows it.
pub(super) fn without_line(value: &Value) -> Value {
    Value { line: Vec::new(), ..*value }
}

/// The value of the position after the first move of a line, which `mover` plays. `None` if nothing was searched.
pub(super) fn after_move(line: &Line, mover: Side) -> Option<Value> {
    if line.depth == 0 && !line.score.is_proven() {
        return None;
    }
    let value = Value { depth: line.depth, nodes: line.nodes, ..value::after_move(line.score, mover) };
    Some(with_line(&value, line.moves.get(1..).unwrap_or_default()))
}

/// Stores the values of nodes that an event reports.
pub(super) fn keep_event(game: &mut Game, event: &Event) {
    let mut keep_at = |node: u32, value: &Value, line: &[Point]| game.keep_value(NodeId(node), with_line(value, line));
    match event {
        Event::Analysis(event) => {
            event.lines.first().into_iter().for_each(|line| keep_at(event.node, &line.value, &line.moves));
        }
        Event::Hint(event) => event.line.iter().for_each(|line| keep_at(event.node, &line.value, &line.moves)),
        Event::Proof(event) if event.verdict == Verdict::Win && event.after.is_empty() => {
            let win_rate = if event.attacker == Side::Black { 1.0 } else { 0.0 };
            let plies = u32::try_from(event.line.len()).unwrap_or(u32::MAX);
            let value = Value { win_rate, mate: Some((event.attacker, plies)), ..Value::default() };
            keep_at(event.node, &value, &event.line);
        }
        Event::Tried(event) if event.loss.is_some() => {
            keep_at(event.node, &event.best, &event.line);
            if let Some(child) = child_at(game.tree(), NodeId(event.node), event.at.point) {
                game.keep_value(child, with_line(&event.value, &event.reply));
            }
        }
        Event::Review(event) if event.state == ReviewState::Done => {
            for judged in &event.moves {
                let node = NodeId(judged.node);
                if let Some(before) = game.tree().get(node).and_then(|node| node.parent) {
                    game.keep_value(before, with_line(&judged.before(), &judged.better()));
                }
                game.keep_value(node, with_line(&judged.after(), &judged.reply()));
            }
        }
        _ => {}
    }
}

/// The child of a node whose stone is on this point.
fn child_at(tree: &Tree, node: NodeId, point: Point) -> Option<NodeId> {
    let is_it = |id: &NodeId| tree.get(*id).and_then(|node| node.stone).is_some_and(|(at, _)| at == point);
    tree.get(node)?.children.iter().copied().find(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::score::Score;

    fn line(score: Score, depth: u32) -> Line {
        let moves = vec![Point::at(7, 7), Point::at(8, 6)];
        Line { depth, score, nodes: 9, moves, ..Line::default() }
    }

    #[test]
    fn values_are_blacks_and_count_from_after_the_move() {
        let value = after_move(&line(Score::units(200), 5), Side::White).unwrap();
        assert_eq!((value.score, value.mate, value.line.len()), (Some(-200), None, 1));
        assert!((value.win_rate - 0.269).abs() < 0.001);
        let won = after_move(&line(Score::win_in(9), 5), Side::White).unwrap();
        assert_eq!((won.mate, won.score, won.win_rate), (Some((Side::White, 8)), None, 0.0));
        let lost = after_move(&line(Score::loss_in(8), 5), Side::White).unwrap();
        assert_eq!((lost.mate, lost.win_rate), (Some((Side::Black, 7)), 1.0));
        assert_eq!(after_move(&line(Score::ZERO, 0), Side::Black), None, "an unsearched move");
    }
}
