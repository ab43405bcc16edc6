//! Plots of training games.

use super::stats::Stats;
use tengen_analysis::chart::{Panel, histogram, tally};

/// Panels of game lengths, results by colour, and scores of black's and white's moves.
pub fn of_games(stats: &Stats) -> Vec<Panel> {
    let longest = stats.lengths.iter().copied().max().map_or(0.0, f64::from);
    let width = (longest / 40.0).ceil().max(1.0);
    let lengths = histogram(
        "Game lengths",
        ("stones on the board at the end", "games"),
        (0.0, width, (longest / width) as usize + 1),
        stats.lengths.iter().copied().map(f64::from),
    );
    let kinds = || stats.kinds.values();
    let results = [
        ("black won", kinds().map(|kind| kind.black).sum()),
        ("draw", kinds().map(|kind| kind.draws).sum()),
        ("white won", kinds().map(|kind| kind.white).sum()),
    ];
    let results = tally("Results", "games", results);
    let scores = histogram(
        &format!("Scores of positions ({} proven wins and losses left out)", stats.proven),
        ("evaluation units, black's view; the outermost bars hold the rest", "positions"),
        (-1000.0, 50.0, 40),
        stats.scores.iter().copied().map(f64::from),
    );
    vec![lengths, results, scores]
}
