//! Training games as records of games, with the values of their searches.

use super::record::DataGame;
use tengen::board::{BySide, Setup, Side};
use tengen_record::{NodeId, Record, Tree, Value};

/// A game with its result. Each position that was searched has the value of the search.
pub fn record(game: &DataGame) -> Record {
    let played = &game.game;
    let points = played.opening.iter().copied().chain(played.moves.iter().map(|m| m.point));
    let mut record = Record::from_moves(Some(game.rule), Setup::empty(game.size), points);
    record.names = BySide([game.maker.engine.clone(), game.maker.engine.clone()]);
    let result = match played.winner {
        Some(Side::Black) => "B+",
        Some(Side::White) => "W+",
        None => "0",
    };
    record.result = Some(result.to_owned());
    let positions: Vec<NodeId> = std::iter::once(Tree::ROOT).chain(record.tree.main_line(Tree::ROOT)).collect();
    for (id, searched) in positions.into_iter().skip(played.opening.len()).zip(&played.moves) {
        let is_black = record.to_move(id) == Side::Black;
        let score = if is_black { searched.score } else { -searched.score };
        let winner = if score.is_win() { Side::Black } else { Side::White };
        let mate = score.distance().map(|plies| (winner, plies.unsigned_abs()));
        if let Some(node) = record.tree.get_mut(id) {
            node.value = Some(Value {
                win_rate: score.win_rate(),
                score: if mate.is_none() { Some(score.raw()) } else { None },
                mate,
                depth: game.depth.into(),
                nodes: searched.nodes,
                line: vec![searched.best],
            });
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Maker;
    use crate::data::selfplay::{Ending, Game, Played};
    use tengen::board::{BoardSize, parse_points};
    use tengen::rules::Rule;
    use tengen::score::Score;

    #[test]
    fn values_are_blacks_and_belong_to_the_position_before_the_move() {
        let size = BoardSize::RENJU;
        let points = parse_points(size, "h8i9h9i10").expect("labels");
        let played = |point, score| Played { point, best: points[0], score, nodes: 7 };
        let moves = vec![played(points[1], Score::units(30)), played(points[2], Score::loss_in(4))];
        let game = Game { opening: vec![points[3]], moves, winner: Some(Side::White), ending: Ending::Row };
        let maker = Maker { engine: "tengen".to_owned(), signature: 0, evaluation: String::new() };
        let game = DataGame { run: 0, rule: Rule::Renju, size, nodes: 7, depth: 0, seed: 0, maker, game };
        let record = record(&game);
        let line = record.tree.main_line(Tree::ROOT);
        let value = |i: usize| record.tree.get(line[i]).expect("a node").value.clone().expect("a value");
        assert_eq!(record.result.as_deref(), Some("W+"));
        assert_eq!((value(0).score, value(0).line), (Some(-30), vec![points[0]]), "white's 30");
        assert_eq!(value(1).mate, Some((Side::White, 4)), "black loses");
        assert!(record.tree.get(line[2]).expect("a node").value.is_none());
    }
}
