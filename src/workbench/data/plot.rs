//! Plots of training games.

use super::file::DataGame;
use crate::board::Side;
use crate::workbench::chart::{Panel, histogram, tally};

/// What there is to see in training games: lengths, results by colour, scores of black's and white's moves.
pub fn of_games(games: &[DataGame]) -> Vec<Panel> {
    let length = |g: &DataGame| (g.game.opening.len() + g.game.moves.len()) as f64;
    let longest = games.iter().map(length).fold(0.0, f64::max);
    let width = (longest / 40.0).ceil().max(1.0);
    let lengths = histogram(
        "Game lengths",
        ("stones on the board at the end", "games"),
        (0.0, width, (longest / width) as usize + 1),
        games.iter().map(length),
    );
    let won = |side: Option<Side>| games.iter().filter(|g| g.game.winner == side).count() as u64;
    let results = [("black won", Some(Side::Black)), ("draw", None), ("white won", Some(Side::White))];
    let results = tally("Results", "games", results.map(|(name, side)| (name, won(side))));
    let quiet = games.iter().flat_map(|g| {
        let opening = g.game.opening.len();
        let moves = g.game.moves.iter().enumerate().filter(|(_, m)| m.score.distance().is_none());
        moves.map(move |(i, m)| f64::from(if (opening + i).is_multiple_of(2) { m.score.raw() } else { -m.score.raw() }))
    });
    let proven = games.iter().flat_map(|g| &g.game.moves).filter(|m| m.score.distance().is_some()).count();
    let scores = histogram(
        &format!("Scores of positions ({proven} proven wins and losses left out)"),
        ("evaluation units, black's view; the outermost bars hold the rest", "positions"),
        (-1000.0, 50.0, 40),
        quiet,
    );
    vec![lengths, results, scores]
}
