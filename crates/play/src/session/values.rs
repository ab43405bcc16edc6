//! Values of positions: the results of workers, as the tree stores them and as clients see them.

use crate::view::{self, Event, PvLine, Verdict};
use tengen::board::{BoardSize, Point, Side, parse_point};
use tengen::engine::Line;
use tengen_record::{NodeId, Tree, Value};

/// The form of a value that clients see.
pub(super) fn shown(value: &Value) -> view::Value {
    view::Value {
        win_rate: value.win_rate,
        score: value.score,
        win: value.mate.map(|(side, plies)| view::ProvenWin { side, plies }),
        depth: value.depth,
        nodes: value.nodes,
    }
}

/// The form of a shown value that the tree stores, with the expected moves from there.
fn kept(value: &view::Value, line: &[String], size: BoardSize) -> Value {
    Value {
        win_rate: value.win_rate,
        score: value.score,
        mate: value.win.as_ref().map(|win| (win.side, win.plies)),
        depth: value.depth,
        nodes: value.nodes,
        line: line.iter().map_while(|label| parse_point(size, label).ok()).collect(),
    }
}

/// The value of the position after the first move of a line, which `mover` plays. `None` if nothing was searched.
pub(super) fn after_move(line: &Line, mover: Side) -> Option<Value> {
    if line.depth == 0 && !line.score.is_proven() {
        return None;
    }
    let score = if mover == Side::Black { line.score } else { -line.score };
    let mate = line.score.distance().map(|plies| {
        let winner = if line.score.is_win() { mover } else { !mover };
        (winner, plies.unsigned_abs().saturating_sub(1))
    });
    Some(Value {
        win_rate: score.win_rate(),
        score: mate.is_none().then(|| score.raw()),
        mate,
        depth: line.depth,
        nodes: line.nodes,
        line: line.moves.iter().skip(1).copied().collect(),
    })
}

/// Stores a value at a node if it ranks at least as high as the stored one. A proof ranks above a search, a deeper
/// search above a shallower one.
pub(super) fn keep(tree: &mut Tree, node: NodeId, value: Value) {
    let Some(node) = tree.get_mut(node) else { return };
    // Of two proofs the shorter one ranks higher.
    let rank = |value: &Value| (value.mate.map(|(_, plies)| u32::MAX - plies), value.depth, value.nodes);
    if node.value.as_ref().is_none_or(|known| rank(known) <= rank(&value)) {
        node.value = Some(value);
    }
}

/// Stores the values of nodes that an event reports.
pub(super) fn keep_event(tree: &mut Tree, size: BoardSize, event: &Event) {
    let mut keep_line = |node: u32, line: &PvLine| keep(tree, NodeId(node), kept(&line.value, &line.moves, size));
    match event {
        Event::Analysis(event) => event.lines.first().into_iter().for_each(|line| keep_line(event.node, line)),
        Event::Hint(event) => event.line.iter().for_each(|line| keep_line(event.node, line)),
        Event::Proof(event) if event.verdict == Verdict::Win && event.after.is_empty() => {
            let win_rate = if event.attacker == Side::Black { 1.0 } else { 0.0 };
            let plies = u32::try_from(event.line.len()).unwrap_or(u32::MAX);
            let win = Some(view::ProvenWin { side: event.attacker, plies });
            let value = view::Value { win_rate, score: None, win, depth: 0, nodes: 0 };
            keep(tree, NodeId(event.node), kept(&value, &event.line, size));
        }
        Event::Tried(event) if event.loss.is_some() => {
            keep(tree, NodeId(event.node), kept(&event.best, &event.line, size));
            if let Some(child) = child_at(tree, NodeId(event.node), parse_point(size, &event.at).ok()) {
                keep(tree, child, kept(&event.value, &event.reply, size));
            }
        }
        Event::Review(event) if event.state == "done" => {
            for judged in &event.moves {
                let node = NodeId(judged.node);
                if let Some(before) = tree.get(node).and_then(|node| node.parent) {
                    keep(tree, before, kept(&judged.before, &judged.better, size));
                }
                keep(tree, node, kept(&judged.after, &judged.reply, size));
            }
        }
        _ => {}
    }
}

/// The child of a node whose stone is on this point.
fn child_at(tree: &Tree, node: NodeId, point: Option<Point>) -> Option<NodeId> {
    let is_it = |id: &NodeId| tree.get(*id).and_then(|node| node.stone).map(|(point, _)| point) == point;
    point.and(tree.get(node)?.children.iter().copied().find(is_it))
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

    #[test]
    fn deeper_values_and_proofs_stay() {
        let mut tree = Tree::new();
        let value = |depth, mate: Option<u32>| Value {
            depth,
            mate: mate.map(|plies| (Side::Black, plies)),
            ..Value::default()
        };
        let mut kept = |new: Value| {
            keep(&mut tree, Tree::ROOT, new);
            tree.root().value.as_ref().map(|value| (value.depth, value.mate.map(|(_, plies)| plies)))
        };
        assert_eq!(kept(value(5, None)), Some((5, None)));
        assert_eq!(kept(value(3, None)), Some((5, None)));
        assert_eq!(kept(value(8, None)), Some((8, None)));
        assert_eq!(kept(value(0, Some(9))), Some((0, Some(9))));
        assert_eq!(kept(value(20, None)), Some((0, Some(9))));
        assert_eq!(kept(value(0, Some(7))), Some((0, Some(7))));
    }
}
